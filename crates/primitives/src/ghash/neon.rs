//! Carry-less multiplication from products of 8-bit polynomials (PMULL on bytes), for CPUs with NEON and without the
//! product of 64-bit polynomials.
//!
//! The method is that of D. Câmara, C. Gouvêa, J. López and R. Dahab, "Fast Software Polynomial Multiplication on ARM
//! Processors Using the NEON Engine" (2013). One instruction multiplies byte i of a half with byte i of another, for
//! all eight i. If the second half is rotated by n bytes, byte i meets byte i + n, and the product belongs n bytes
//! above the place 2·i where the instruction leaves it. With a⟨n⟩ for a half rotated by n bytes,
//!
//! ```text
//! x0 = a·b
//! x1 = a·b⟨1⟩ + a⟨1⟩·b     x2 = a·b⟨2⟩ + a⟨2⟩·b     x3 = a·b⟨3⟩ + a⟨3⟩·b     x4 = a·b⟨4⟩
//! ```
//!
//! are all 64 products of bytes, and xn is to be moved up by n bytes. In x4, byte i meets i + 4 for all eight i, so it
//! needs no a⟨4⟩·b.
//!
//! Where i + n exceeds 7, the rotation began again with byte 0, so the product stands 8 bytes too high. These are the
//! last n products of xn. When xn is *rotated* by n bytes, they come to stand in its highest and its lowest n bytes,
//! and the others between them. So what the rotation leaves in those 2·n bytes is moved by 8 bytes more, and all four xn
//! share this move.

use super::clmul::{ClmulToken, ClmulVector};
use crate::cpu::Neon;
use crate::simd::{aarch64::V128, each};

impl ClmulToken for Neon {
    type V = V128<Neon>;
}

/// The byte shuffle that rotates each half by a byte.
static TURN: [u8; 16] = [1, 2, 3, 4, 5, 6, 7, 0, 9, 10, 11, 12, 13, 14, 15, 8];

/// The lowest and the highest 1, 2, 3 and 4 bytes.
static ENDS: [[u8; 16]; 4] = [ends(8), ends(16), ends(24), ends(32)];

const fn ends(bits: u32) -> [u8; 16] {
    (!(u128::MAX << bits & u128::MAX >> bits)).to_le_bytes()
}

/// The 128-bit product of two halves, from the sums x0 to x4 of products of their bytes.
#[inline(always)]
fn moved_up([x0, x1, x2, x3, x4]: [V128<Neon>; 5]) -> V128<Neon> {
    let x1 = x1.align_bytes::<15>(x1);
    let x2 = x2.align_bytes::<14>(x2);
    let x3 = x3.align_bytes::<13>(x3);
    let x4 = x4.align_bytes::<12>(x4);
    let [e1, e2, e3, e4] = each(
        ENDS,
        #[inline(always)]
        |ends| V128::load(x0.token(), &ends),
    );
    let high = x1.and(e1).xor(x2.and(e2)).xor(x3.and(e3)).xor(x4.and(e4));
    x0.xor(x1).xor(x2).xor(x3).xor(x4).xor(high).xor(high.swap_halves())
}

impl ClmulVector for V128<Neon> {
    /// One block, whose key stays in registers.
    const BATCH: usize = 1;
    type Powers = [[u8; 16]; 1];
    const NO_POWERS: Self::Powers = [[0; 16]; 1];

    #[inline(always)]
    fn load_first(token: Neon, block: &[u8; 16]) -> Self {
        Self::load(token, block)
    }

    #[inline(always)]
    fn keep(self, n: usize) -> Self {
        self.first_bytes(n)
    }

    #[inline(always)]
    fn add_halves(self) -> Self {
        self.xor(self.swap_halves())
    }

    /// The rotations of `b` are computed before a loop over blocks: five registers for its halves, and three for their
    /// sum, which stands in both halves of `b_sum`, so that a rotation of the vector rotates each half.
    ///
    /// Where the vector meets a result, the next products wait for that result. Without this order, the compiler
    /// computes all three products side by side, which takes more registers than there are, and loads parts of the key
    /// for each block.
    #[inline(always)]
    fn multiply(mut self, b: Self, b_sum: Self) -> [Self; 3] {
        let turned = |v: Self| v.shuffle_bytes(Self::load(v.token(), &TURN));
        let (low, high) = (Self::clmul_bytes_low, Self::clmul_bytes_high);
        let mut middle = {
            let (a, b) = (self.add_halves(), b_sum);
            let b12 = b.align_bytes::<1>(b).unpack_low64(b.align_bytes::<2>(b));
            let b34 = b.align_bytes::<3>(b).unpack_low64(b.align_bytes::<4>(b));
            let x1 = low(a, b12).xor(low(a.align_bytes::<1>(a), b));
            let x2 = high(a, b12).xor(low(a.align_bytes::<2>(a), b));
            let x3 = low(a, b34).xor(low(a.align_bytes::<3>(a), b));
            [low(a, b), x1, x2, x3, high(a, b34)]
        };
        middle[0].meet(&mut self);
        let [a1, b1] = [turned(self), turned(b)];
        let [a2, b2] = [turned(a1), turned(b1)];
        let [a3, b3] = [turned(a2), turned(b2)];
        let b4 = turned(b3);
        let halves = |a: Self, mul: fn(Self, Self) -> Self| {
            let [x1, x2] = [mul(a, b1).xor(mul(a1, b)), mul(a, b2).xor(mul(a2, b))];
            [mul(a, b), x1, x2, mul(a, b3).xor(mul(a3, b)), mul(a, b4)]
        };
        let lower = halves(self, low);
        let mut middle = moved_up(middle);
        middle.meet(&mut self);
        [moved_up(lower), middle, moved_up(halves(self, high))]
    }

    /// The product with c by shifts: of the lower half p, p·x^63 has the bit 0 in its lower half and the others in the
    /// upper one.
    #[inline(always)]
    fn fold(self) -> Self {
        let low = self.unpack_low64(self);
        let c = low.shl64_each(63, -1).xor(low.shl64_each(62, -2)).xor(low.shl64_each(57, -7));
        self.swap_halves().xor(c)
    }

    #[inline(always)]
    fn sum_blocks(self) -> Self {
        self
    }

    #[inline(always)]
    fn pin(self) -> Self {
        self
    }
}
