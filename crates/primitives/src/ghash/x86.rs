//! PCLMULQDQ and VPCLMULQDQ: one 64×64-bit carry-less product in each 128-bit lane.

use super::clmul::{C, ClmulToken, ClmulVector, dot};
use crate::cpu::{AesNi, HasAvx512, HasClmul, HasVpclmul, Pclmul, Vaes256, Vaes512};
use crate::simd::x86::{V128, V256, V512, first_bytes};

impl ClmulToken for Pclmul {
    type V = V128<Pclmul>;
}
impl ClmulToken for AesNi {
    type V = V128<AesNi>;
}
impl ClmulToken for Vaes256 {
    type V = V256<Vaes256>;
}
impl ClmulToken for Vaes512 {
    type V = V512<Vaes512>;
}

/// 32 bytes of ones, then 32 of zeros: the mask of the first n bytes begins at offset 32 - n.
static FIRST_BYTES: [[u8; 32]; 2] = [[0xff; 32], [0; 32]];

/// The mask of the first `n` of `N` bytes.
#[inline(always)]
fn mask<const N: usize>(n: usize) -> &'static [u8; N] {
    assert!(n <= N);
    FIRST_BYTES.as_flattened()[32 - n..].first_chunk().expect("masks of up to 32 bytes")
}

/// The methods of [`ClmulVector`] that are the same at every width.
macro_rules! multiply {
    () => {
        #[inline(always)]
        fn pin(self) -> Self {
            self.pin()
        }

        #[inline(always)]
        fn add_halves(self) -> Self {
            self.xor(self.shuffle32::<0x4e>())
        }

        #[inline(always)]
        fn multiply(self, b: Self, b_sum: Self) -> [Self; 3] {
            [self.clmul::<0x00>(b), self.add_halves().clmul::<0x00>(b_sum), self.clmul::<0x11>(b)]
        }

        #[inline(always)]
        fn fold(self) -> Self {
            self.shuffle32::<0x4e>().xor(self.clmul::<0x00>(Self::splat64(self.token(), C)))
        }
    };
}

impl<T: HasClmul> ClmulVector for V128<T> {
    const BATCH: usize = 6;
    type Powers = [[u8; 16]; 16];
    const NO_POWERS: Self::Powers = [[0; 16]; 16];

    multiply!();

    #[inline(always)]
    fn load_first(token: T, block: &[u8; 16]) -> Self {
        Self::load(token, block)
    }

    #[inline(always)]
    fn keep(self, n: usize) -> Self {
        self.and(Self::load(self.token(), mask::<16>(n)))
    }

    #[inline(always)]
    fn sum_blocks(self) -> Self {
        self
    }
}

impl<T: HasVpclmul> ClmulVector for V256<T> {
    const BATCH: usize = 6;
    type Powers = [[u8; 16]; 18 + 2];
    const NO_POWERS: Self::Powers = [[0; 16]; 18 + 2];

    multiply!();

    #[inline(always)]
    fn load_first(token: T, block: &[u8; 16]) -> Self {
        Self::first_half(token, V128::load(token, block))
    }

    #[inline(always)]
    fn powers(token: T, h: Self) -> Self {
        dot(token, h, h).choose_blocks::<0x20>(h)
    }

    #[inline(always)]
    fn with(self, token: T, place: usize, block: &[u8; 16]) -> Self {
        let block = V128::load(token, block);
        match place {
            0 => self.with_block::<0>(block),
            1 => self.with_block::<1>(block),
            _ => panic!("there are two blocks"),
        }
    }

    #[inline(always)]
    fn keep(self, n: usize) -> Self {
        self.and(Self::load(self.token(), mask::<32>(n)))
    }

    #[inline(always)]
    fn sum_blocks(self) -> Self {
        Self::first_half(self.token(), self.low().xor(self.high()))
    }
}

impl<T: HasVpclmul + HasAvx512> ClmulVector for V512<T> {
    const BATCH: usize = 8;
    type Powers = [[u8; 16]; 36 + 4];
    const NO_POWERS: Self::Powers = [[0; 16]; 36 + 4];

    multiply!();

    #[inline(always)]
    fn load_first(token: T, block: &[u8; 16]) -> Self {
        Self::first_block(token, V128::load(token, block))
    }

    /// h^4, h^3, h^2 and h, the highest first: h^2, h, h^2, h times h^2, h^2, 1, 1. The neutral element of dot is x^128
    /// = x^127 + x^126 + x^121 + 1.
    #[inline(always)]
    fn powers(token: T, h: Self) -> Self {
        let square = dot(token, h, h);
        let one = Self::splat_block(token, &[1, C]);
        let (two_one, two_zero) = (h.blend64(0b0011_0011, square), one.blend64(0b0000_1111, square));
        dot(token, two_one, two_zero)
    }

    #[inline(always)]
    fn with(self, token: T, place: usize, block: &[u8; 16]) -> Self {
        let block = V128::load(token, block);
        match place {
            0 => self.with_block::<0>(block),
            1 => self.with_block::<1>(block),
            2 => self.with_block::<2>(block),
            3 => self.with_block::<3>(block),
            _ => panic!("there are four blocks"),
        }
    }

    #[inline(always)]
    fn keep(self, n: usize) -> Self {
        self.keep_bytes(first_bytes(n))
    }

    #[inline(always)]
    fn sum_blocks(self) -> Self {
        let two = self.low().xor(self.high());
        Self::first_block(self.token(), two.low().xor(two.high()))
    }
}
