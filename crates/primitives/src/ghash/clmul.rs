//! Multiplication in POLYVAL's field, with any CPU's carry-less multiplication.
//!
//! # Product
//!
//! Each block is two 64-bit halves, a = a0 + a1·x^64. The carry-less product has three parts,
//!
//! ```text
//! a·b = lo + mi·x^64 + hi·x^128     lo = a0·b0    mi = a0·b1 + a1·b0    hi = a1·b1
//! ```
//!
//! of at most 127 bits each. They overlap, but nothing needs to be carried, so many products are
//! added part by part before anything is reduced. That makes Karatsuba's trick cheap,
//!
//! ```text
//! mi = (a0 + a1)·(b0 + b1) + lo + hi
//! ```
//!
//! as lo and hi are added once to a whole sum, and b0 + b1 of a key's power is known in advance. One shuffle and one
//! addition replace a multiplication. It pays where multiplications are scarce: Zen 4 begins one in two cycles at any
//! width. There, GHASH alone is 1.2 to 1.3 times as fast as with four products, and GCM 1.2 times at 128 bits and 1.04
//! times at 512.
//!
//! # Reduction
//!
//! The result should be (a·b)·x^-128 mod Q, Q = x^128 + x^127 + x^126 + x^121 + 1. The lowest 64 bits of Q are the
//! number 1, so adding p·Q clears the lowest 64 bits p of a value without changing it modulo Q, and an exact division
//! by x^64 is then a shift. (This is Montgomery's reduction; its factor -1/Q mod x^64 is 1.) With c = x^63 + x^62 +
//! x^57,
//!
//! ```text
//! p·Q = p + p·c·x^64 + p·x^128
//! ```
//!
//! so a 128-bit value (p, q), standing for p + q·x^64, is divided by x^64 as
//!
//! ```text
//! fold(p, q) = (q, p) + p·c
//! ```
//!
//! one swap of halves and one multiplication. Two folds divide by x^128:
//!
//! ```text
//! (lo + mi·x^64 + hi·x^128)·x^-64  = fold(lo) + mi + hi·x^64       =: mi' + hi·x^64
//! (mi' + hi·x^64)·x^-64            = fold(mi') + hi
//! ```
//!
//! and the result has 128 bits, so nothing is left to correct.

use crate::cpu::Token;
use crate::simd::Blocks;

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64", all(target_arch = "arm", unix)))]
/// x^63 + x^62 + x^57: Q without its first and last term, divided by x^64.
pub(super) const C: u64 = 0xc200_0000_0000_0000;

/// Vectors of blocks that can be multiplied as polynomials over GF(2). Bit i of a block, read as a little-endian
/// integer, is the coefficient of x^i.
pub trait ClmulVector: Blocks {
    /// The number of vectors in a batch, whose products share one reduction: as many as fit into the registers beside
    /// AES.
    const BATCH: usize;

    /// Room for the powers of a key, and for at least `BLOCKS - 1` blocks of zeros behind them. Its size is a multiple
    /// of a vector's.
    type Powers: AsRef<[[u8; 16]]> + AsMut<[[u8; 16]]> + Clone + Send + Sync + 'static;

    /// A table of zeros, before the powers are computed.
    const NO_POWERS: Self::Powers;

    /// Whether [`ClmulVector::hash`] does whole blocks.
    const WHOLE: bool = false;

    /// The hash of whole blocks, continuing `self`, in one piece of code; where [`ClmulVector::WHOLE`]. `powers` and
    /// `sums` are those of the key.
    #[inline(always)]
    #[must_use]
    fn hash<const BIG_ENDIAN: bool>(self, _powers: &Self::Powers, _sums: &Self::Powers, _blocks: &[[u8; 16]]) -> Self {
        unreachable!("`WHOLE` is false")
    }

    /// `block` in the first place, then zeros.
    fn load_first(token: Self::Token, block: &[u8; 16]) -> Self;

    /// The first powers of the block that is in every place of `h`: as many as there are places, the highest first.
    #[inline(always)]
    fn powers(_token: Self::Token, h: Self) -> Self {
        assert!(Self::BLOCKS == 1, "wider vectors bring their own");
        h
    }

    /// The vector with `block` in the place of the block number `place`.
    ///
    /// # Panics
    /// If there is no such place.
    #[inline(always)]
    #[must_use]
    fn with(self, token: Self::Token, place: usize, block: &[u8; 16]) -> Self {
        assert!(Self::BLOCKS == 1 && place == 0, "wider vectors bring their own");
        Self::load_first(token, block)
    }

    /// The first `n` bytes of the vector, then zeros.
    ///
    /// # Panics
    /// If `n` is greater than [`Blocks::BYTES`].
    fn keep(self, n: usize) -> Self;

    /// a0 + a1 in both halves of each block.
    fn add_halves(self) -> Self;

    /// The three products a0·b0, (a0 + a1)·(b0 + b1) and a1·b1 of corresponding blocks; `b_sum` is `b.add_halves()`.
    fn multiply(self, b: Self, b_sum: Self) -> [Self; 3];

    /// A division by x^64: for each block, its halves swapped, plus x^63 + x^62 + x^57 times its low half.
    fn fold(self) -> Self;

    /// The sum of all blocks in the first place, then zeros.
    fn sum_blocks(self) -> Self;

    /// Returns the same vector, without any instruction.
    ///
    /// The compiler keeps all pins in the order of the source: what computes a pinned vector stays before the next pin,
    /// and what uses it stays behind its own.
    #[must_use]
    fn pin(self) -> Self;
}

/// A token of a CPU with carry-less multiplication, on vectors of type `V`.
pub trait ClmulToken: Token {
    /// The widest vector that this token allows.
    type V: ClmulVector<Token = Self>;
}

/// Sums of the three parts of products, before reduction.
#[derive(Clone, Copy)]
pub(crate) struct Product<V> {
    lo: V,
    /// The middle part, without lo and hi (see Karatsuba's trick above).
    mi: V,
    hi: V,
}

impl<V: ClmulVector> Product<V> {
    #[inline(always)]
    pub(crate) fn zero(token: V::Token) -> Self {
        let zero = V::zero(token);
        Self { lo: zero, mi: zero, hi: zero }
    }

    /// Adds the products of corresponding blocks; `b_sum` is `b.add_halves()`.
    #[inline(always)]
    pub(crate) fn add(&mut self, a: V, b: V, b_sum: V) {
        let [lo, mi, hi] = a.multiply(b, b_sum);
        self.lo = self.lo.xor(lo);
        self.mi = self.mi.xor(mi);
        self.hi = self.hi.xor(hi);
    }

    /// See [`ClmulVector::pin`].
    #[inline(always)]
    pub(crate) fn pin(&mut self) {
        self.lo = self.lo.pin();
        self.mi = self.mi.pin();
        self.hi = self.hi.pin();
    }

    /// The sum times x^-128 mod Q, block by block.
    #[inline(always)]
    pub(crate) fn reduce(self) -> V {
        let mi = self.mi.xor3(self.lo, self.hi).xor(self.lo.fold());
        self.hi.xor(mi.fold())
    }
}

/// dot(a, b) of corresponding blocks.
#[inline(always)]
pub(crate) fn dot<V: ClmulVector>(token: V::Token, a: V, b: V) -> V {
    let mut product = Product::zero(token);
    product.add(a, b, b.add_halves());
    product.reduce()
}
