//! The vector registers of x86-64, and every instruction on them that this crate uses.
//!
//! [`V128`], [`V256`] and [`V512`] hold a register and the token that proves its CPU's features. No vector exists
//! without a token, so the methods are safe. A method that needs further features asks for them by a bound on the
//! token's type: `V256<Avx2>` has no `aes_enc`, `V256<Vaes256>` has.
//!
//! A method is a function of intrinsics that is compiled with the features its group names. The compiler checks that
//! the intrinsics need no other features. The trait beside the features says which tokens prove them. The methods of
//! each width are in the file named after it.
//!
//! A name says what the instruction does and on which words: `add32` adds words of 32 bits. Some instructions stay
//! within 128 bits at every width (byte shuffles, unpacking); there, *block* means such 128 bits. Words and bytes are
//! numbered from the lowest, which is the first in memory.
#![allow(dead_code, reason = "what one width has, the others have too")]

mod blocks;
mod v128;
mod v256;
mod v512;

pub(crate) use v512::first_bytes;

use super::register::{Plain, makers, methods, proven, raw, registers, unwrap, wrap};
use crate::cpu::{HasAvx2, HasAvx512, HasSse2};
use core::arch::x86_64::*;

/// A vector of 128 bits, and the token that proves its instructions.
#[derive(Clone, Copy)]
pub struct V128<T> {
    raw: __m128i,
    token: T,
}

/// A vector of 256 bits, and the token that proves its instructions.
#[derive(Clone, Copy)]
pub struct V256<T> {
    raw: __m256i,
    token: T,
}

/// A vector of 512 bits, and the token that proves its instructions.
#[derive(Clone, Copy)]
pub struct V512<T> {
    raw: __m512i,
    token: T,
}

type Raw128 = __m128i;
type Raw256 = __m256i;
type Raw512 = __m512i;

registers!(
    V128(__m128i),
    HasSse2 = "sse2",
    16,
    _mm_loadu_si128,
    _mm_storeu_si128,
    xmm_reg,
    "/* {0} */",
    "/* {0} {1} */"
);
registers!(
    V256(__m256i),
    HasAvx2 = "avx2",
    32,
    _mm256_loadu_si256,
    _mm256_storeu_si256,
    ymm_reg,
    "/* {0} */",
    "/* {0} {1} */"
);
registers!(
    V512(__m512i),
    HasAvx512 = "avx512f",
    64,
    _mm512_loadu_si512,
    _mm512_storeu_si512,
    zmm_reg,
    "/* {0} */",
    "/* {0} {1} */"
);

/// A three-way xor, which is one instruction with AVX-512 and two without.
macro_rules! with_avx512 {
    ($V:ident, $Has:ident) => {
        impl<T: $Has> $V<T> {
            /// `self ^ a ^ b`.
            #[inline(always)]
            pub(crate) fn xor3(self, a: Self, b: Self) -> Self {
                /// The truth table of three-way xor.
                const XOR3: i32 = 0x96;
                match self.token.avx512() {
                    Some(t) => self.proven_by(t).ternary::<XOR3>(a.proven_by(t), b.proven_by(t)).proven_by(self.token),
                    None => self.xor(a).xor(b),
                }
            }
        }
    };
}
with_avx512!(V128, HasSse2);
with_avx512!(V256, HasAvx2);
with_avx512!(V512, HasAvx512);

/// See [`super::store_at_once`].
#[cfg(target_feature = "sse2")]
#[inline(always)]
pub(super) fn store_at_once(to: &mut [u8; 16], value: u128) {
    // SAFETY: all code has SSE2 here. `to` has 16 bytes, and the store needs no alignment.
    unsafe { _mm_storeu_si128(to.as_mut_ptr().cast(), _mm_set_epi64x((value >> 64) as i64, value as i64)) };
}
