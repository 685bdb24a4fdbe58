//! The vectors of AArch64 as words of 32 bits.

use super::registers::{quads, words};
use super::{Quads, Words32, xor_pieces};
use crate::InOut;
use crate::cpu::HasNeon;
use crate::simd::aarch64::V128;

impl<T: HasNeon> Words32 for V128<T> {
    words!(V128, 4);

    #[inline(always)]
    fn not(self) -> Self {
        V128::not(self)
    }

    // REV32 and TBL rotate by 16 and by 8 in one instruction. Any other distance takes two: a shift, and a shift that
    // inserts.
    #[inline(always)]
    fn rotl<const L: i32, const R: i32>(self) -> Self {
        const { assert!(L + R == 32) };
        const LEFT8: [u8; 16] = [3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14];
        match L {
            16 => self.reverse_halves32(),
            8 => self.shuffle_bytes(V128::load(self.token(), &LEFT8)),
            _ => self.shl32::<L>().shr_insert32::<R>(self),
        }
    }
}

impl<T: HasNeon> Quads for V128<T> {
    quads!(V128, 4);

    #[inline(always)]
    fn splat_quad(token: T, quad: [u32; 4]) -> Self {
        V128::load(token, &quad)
    }

    #[inline(always)]
    fn add_products(self, sums: Self) -> Self {
        sums.add_products_of_halves(self)
    }

    #[inline(always)]
    fn rotate_quads<const N: i32>(self) -> Self {
        match N {
            1 => self.align_bytes::<4>(self),
            2 => self.align_bytes::<8>(self),
            3 => self.align_bytes::<12>(self),
            _ => self,
        }
    }

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
    }
}
