//! The vectors of x86-64 as words of 32 bits.

use super::registers::{quads, words};
use super::{ByBytes, Quads, Words32, xor_pieces};
use crate::InOut;
use crate::cpu::{HasAvx2, HasAvx512, HasSse2};
use crate::hash::wipe;
use crate::simd::x86::{V128, V256, V512};
use crate::simd::{anew, from_fn};

/// The methods of [`Words32`] for which x86 has instructions of its own.
macro_rules! own_words {
    ($V:ident) => {
        #[inline(always)]
        fn and_not(self, other: Self) -> Self {
            other.andnot(self)
        }

        #[inline(always)]
        fn not(self) -> Self {
            $V::xor(self, $V::splat32(self.token(), !0))
        }

        // The compiler recognizes these three operations as a rotation and uses the best instructions that the token's
        // features allow: `vprold`, a byte shuffle if the distance allows one, or the two shifts.
        #[inline(always)]
        fn rotl<const L: i32, const R: i32>(self) -> Self {
            const { assert!(L + R == 32) };
            $V::or(self.shl32::<L>(), self.shr32::<R>())
        }
    };
}

/// The methods of [`Quads`] for which x86 has instructions of its own.
macro_rules! own_quads {
    ($V:ident) => {
        #[inline(always)]
        fn splat_quad(token: T, quad: [u32; 4]) -> Self {
            $V::splat_block(token, &quad)
        }

        #[inline(always)]
        fn add_products(self, sums: Self) -> Self {
            // Moves words 0 and 1, and words 2 and 3, into the lower halves of 64-bit lanes.
            let (low, high) = (self.shuffle32::<0b01_01_00_00>(), self.shuffle32::<0b11_11_10_10>());
            sums.add64(low.mul32(high))
        }

        #[inline(always)]
        fn rotate_quads<const N: i32>(self) -> Self {
            match N {
                1 => self.shuffle32::<0b00_11_10_01>(),
                2 => self.shuffle32::<0b01_00_11_10>(),
                3 => self.shuffle32::<0b10_01_00_11>(),
                _ => self,
            }
        }
    };
}

impl<T: HasSse2> Words32 for V128<T> {
    words!(V128, 4);
    own_words!(V128);
}

impl<T: HasSse2> Quads for V128<T> {
    quads!(V128, 4);
    own_quads!(V128);

    #[inline(always)]
    fn first_quad(self) -> [u32; 4] {
        let mut quad = [0; 4];
        V128::store(self, &mut quad);
        quad
    }

    #[inline(always)]
    fn rows_to_blocks(rows: [Self; 4]) -> [Self; 4] {
        rows
    }

    #[inline(always)]
    fn xor_into_partial(self, data: InOut<'_>) {
        let mut keystream = [0; 64];
        Quads::store(self, &mut keystream);
        xor_pieces(data, &keystream);
        wipe(&mut keystream);
    }
}

impl<T: HasAvx2> Words32 for V256<T> {
    words!(V256, 8);
    own_words!(V256);

    #[inline(always)]
    fn rotl_from_memory<const L: i32, const R: i32>(self, bytes: &mut ByBytes) -> Self {
        match L {
            8 | 16 => {
                bytes.0 = anew(bytes.0);
                self.shuffle_bytes(V256::load(self.token(), &*bytes.0[L as usize / 8 - 1]))
            }
            _ => self.rotl::<L, R>(),
        }
    }

    // A single block is moved into place, which costs as much as transposing it.
    #[inline(always)]
    fn load_partial(token: T, src: &[u8]) -> [Self; 4] {
        assert!(!src.is_empty() && src.len() <= 4 * Self::BYTES && src.len().is_multiple_of(16));
        let block = |block: &[u8; 16]| Self::first_half(token, V128::load(token, block));
        let (twos, last) = src.as_chunks::<32>();
        if let ([], Some(one)) = (twos, last.first_chunk()) {
            let v = block(one);
            return [v, v.rotate_quads::<1>(), v.rotate_quads::<2>(), v.rotate_quads::<3>()];
        }
        Self::transpose(from_fn(|i| match (twos.get(i), last.first_chunk()) {
            (Some(two), _) => V256::load(token, two),
            (None, Some(one)) if i == twos.len() => block(one),
            _ => Self::zero(token),
        }))
    }

    #[inline(always)]
    fn store_partial(words: [Self; 4], dst: &mut [u8]) {
        assert!(dst.len() <= 4 * Self::BYTES && dst.len().is_multiple_of(16));
        let (twos, last) = dst.as_chunks_mut::<32>();
        let whole = twos.len();
        for (i, row) in Self::transpose(words).into_iter().enumerate() {
            if let Some(two) = twos.get_mut(i) {
                V256::store(row, two);
            } else if i == whole
                && let Some(one) = last.first_chunk_mut::<16>()
            {
                V128::store(row.low(), one);
            }
        }
    }
}

impl<T: HasAvx2> Quads for V256<T> {
    quads!(V256, 8);
    own_quads!(V256);

    #[inline(always)]
    fn first_quad(self) -> [u32; 4] {
        self.low().first_quad()
    }

    #[inline(always)]
    fn rows_to_blocks([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        [a.choose_blocks::<0x20>(b), c.choose_blocks::<0x20>(d), a.choose_blocks::<0x31>(b), c.choose_blocks::<0x31>(d)]
    }

    #[inline(always)]
    fn xor_into_partial(self, data: InOut<'_>) {
        let mut keystream = [0; 64];
        Quads::store(self, &mut keystream);
        xor_pieces(data, &keystream);
        wipe(&mut keystream);
    }
}

impl<T: HasAvx512> Words32 for V512<T> {
    words!(V512, 16);
    own_words!(V512);
}

impl<T: HasAvx512> Quads for V512<T> {
    quads!(V512, 16);
    own_quads!(V512);

    #[inline(always)]
    fn first_quad(self) -> [u32; 4] {
        self.low_block().first_quad()
    }

    #[inline(always)]
    fn rows_to_blocks([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        // a0 a1 b0 b1, a2 a3 b2 b3, and so on.
        let (ab01, ab23) = (a.choose_blocks::<0b01_00_01_00>(b), a.choose_blocks::<0b11_10_11_10>(b));
        let (cd01, cd23) = (c.choose_blocks::<0b01_00_01_00>(d), c.choose_blocks::<0b11_10_11_10>(d));
        [
            ab01.choose_blocks::<0b10_00_10_00>(cd01),
            ab01.choose_blocks::<0b11_01_11_01>(cd01),
            ab23.choose_blocks::<0b10_00_10_00>(cd23),
            ab23.choose_blocks::<0b11_01_11_01>(cd23),
        ]
    }

    #[inline(always)]
    fn xor_into_partial(self, mut data: InOut<'_>) {
        V512::xor(V512::load_first(self.token(), data.src()), self).store_first(data.dst());
    }
}
