//! Arithmetic modulo *p* = 2¹³⁰ − 5 with 64-bit words.
//!
//! Clamping clears the two low bits of the upper half *r₁* of *r* = *r₀* + *r₁*·2⁶⁴ (and the four high bits of both
//! halves). So *r₁*·2¹²⁸ = (*r₁*/4)·2¹³⁰ ≡ 5·(*r₁*/4) = *r₁* + *r₁*/4, which is an integer *t* below 2⁶¹. With *h* =
//! *h₀* + *h₁*·2⁶⁴ + *h₂*·2¹²⁸, *h₂* small,
//! ```text
//! h·r ≡ (h₀r₀ + h₁t) + (h₀r₁ + h₁r₀ + h₂t)·2⁶⁴ + h₂r₀·2¹²⁸     (mod p)
//! ```
//!
//! That is four products of 64 by 64 bits, and two that fit in 64 bits. The part *c* of the result above 2¹³⁰ is
//! multiplied by five and added at the bottom, again as *c* + *c*/4, where *c* is a multiple of four.

use crate::hash::{Reader, Writer};
use crate::simd::opaque64;
use subtle::{Choice, ConditionallySelectable};
use zeroize::DefaultIsZeroes;

/// A number modulo *p*, not fully reduced: `low + top * 2^128`, `top` at most 4.
#[derive(Clone, Copy, Default)]
#[cfg_attr(test, derive(Debug))]
pub struct Element {
    low: u128,
    top: u64,
}

/// The point *r*: its two halves, and *t*.
#[derive(Clone, Copy, Default)]
pub struct Point {
    r0: u64,
    r1: u64,
    t: u64,
}

/// A product modulo *p*, `low + top * 2^128`. The next block can be added before `top` is known and folded.
#[derive(Clone, Copy)]
pub(crate) struct Product {
    low: u128,
    top: u64,
}

impl From<Element> for Product {
    #[inline(always)]
    fn from(Element { low, top }: Element) -> Self {
        Self { low, top }
    }
}

impl Product {
    /// `self + block + bit * 2^128`, with a top of at most 6.
    #[inline(always)]
    fn plus(self, block: u128, bit: u64) -> Element {
        let (low, carry) = sum(self.low, block);
        // Otherwise the compiler sums both carries in a register, in place of adding each with the instruction for it.
        let top = opaque64((self.top & 3) + bit + carry);
        let (low, carry) = sum(low, u128::from((self.top & !3) + (self.top >> 2)));
        Element { low, top: top + carry }
    }

    /// `(self + block + bit * 2^128) * r`: one step of Horner's rule.
    #[inline(always)]
    pub(crate) fn absorb(self, block: &[u8; 16], bit: u64, r: Point) -> Self {
        self.plus(u128::from_le_bytes(*block), bit).product(r)
    }

    /// The product with a top of at most 4.
    #[inline(always)]
    pub(crate) fn folded(self) -> Element {
        Element::folded(self.low, self.top)
    }
}

impl DefaultIsZeroes for Element {}
impl DefaultIsZeroes for Point {}

impl Point {
    /// *r* from the first half of a key (RFC 8439 section 2.5.1).
    #[inline(always)]
    pub(crate) fn clamped(r: u128) -> Self {
        let r = r & 0x0fff_fffc_0fff_fffc_0fff_fffc_0fff_ffff;
        let r1 = (r >> 64) as u64;
        Self { r0: r as u64, r1, t: r1 + (r1 >> 2) }
    }

    /// *r* as a number modulo *p*.
    #[inline(always)]
    pub(crate) fn element(self) -> Element {
        Element { low: u128::from(self.r0) | (u128::from(self.r1) << 64), top: 0 }
    }
}

#[inline(always)]
fn product(a: u64, b: u64) -> u128 {
    u128::from(a) * u128::from(b)
}

/// The sum of two numbers modulo 2¹²⁸, and the carry.
///
/// Where a CPU has no instruction that adds with a carry, compilers compare the upper halves of `u128::overflowing_add` and may branch. So the halves are
/// added one after the other there, and the carry between them is a number of which the compiler knows nothing.
#[inline(always)]
fn sum(a: u128, b: u128) -> (u128, u64) {
    if cfg!(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "arm")) {
        let (sum, carry) = a.overflowing_add(b);
        return (sum, u64::from(carry));
    }
    let add = |a: u64, b: u64| {
        let sum = a.wrapping_add(b);
        (sum, opaque64(u64::from(sum < a)))
    };
    let (low, between) = add(a as u64, b as u64);
    let (high, first) = add((a >> 64) as u64, (b >> 64) as u64);
    let (high, second) = add(high, between);
    (u128::from(low) | u128::from(high) << 64, first | second)
}

impl Element {
    /// Writes the number without reducing it.
    pub(crate) fn export(self, to: &mut Writer<'_>) {
        to.numbers(&[self.low]);
        to.numbers(&[self.top]);
    }

    /// Reads what [`Element::export`] wrote.
    pub(crate) fn import(from: &mut Reader<'_>) -> Option<Self> {
        let (low, top) = (from.number()?, from.number()?);
        (top <= 4).then_some(Self { low, top })
    }

    /// `self + other`. If both tops are at most 4, so is that of the sum.
    #[inline(always)]
    pub(crate) fn plus_element(self, other: Self) -> Self {
        let (low, carry) = sum(self.low, other.low);
        Self::folded(low, self.top + other.top + carry)
    }

    /// `self + block + bit * 2^128`. From a top of at most 4, the result's is at most 6.
    #[inline(always)]
    pub(crate) fn plus(self, block: u128, bit: u64) -> Self {
        let (low, carry) = sum(self.low, block);
        Self { low, top: self.top + bit + carry }
    }

    /// `self * r`; the top of `self` is at most 7.
    #[inline(always)]
    pub(crate) fn times(self, r: Point) -> Self {
        self.product(r).folded()
    }

    /// `self * r`, not folded; the top of `self` is at most 7.
    #[inline(always)]
    fn product(self, r: Point) -> Product {
        let (h0, h1, h2) = (self.low as u64, (self.low >> 64) as u64, self.top);
        let (h0r0, h0r1) = (product(h0, r.r0), product(h0, r.r1));
        let d0 = h0r0 + product(h1, r.t);
        // The two summands are less than 2.25·2⁶⁰ and 7·1.25·2⁶⁰, so the sum fits a word.
        let middle = (d0 >> 64) as u64 + h2 * r.t;
        // The last product is added early, beside the others: `top` is what the next block waits for.
        let d1 = h0r1 + product(h1, r.r0) + (u128::from(h2 * r.r0) << 64) + u128::from(middle);
        Product { low: u128::from(d0 as u64) | (d1 << 64), top: (d1 >> 64) as u64 }
    }

    /// `self * other`, for tops of at most 4.
    ///
    /// The low halves make a number of 256 bits, *w₀* to *w₃*; products with the tops are added at 2¹²⁸. With *x* =
    /// 4*q* + *e*, the part *x*·2¹²⁸ is replaced by *e*·2¹²⁸ + 5*q*, where 5*q* = *q* + 4*q* = ⌊*x*/4⌋ + (*x* − *e*).
    #[inline(always)]
    pub(crate) fn times_element(self, other: Self) -> Self {
        let (h0, h1, h2) = (self.low as u64, (self.low >> 64) as u64, self.top);
        let (s0, s1, s2) = (other.low as u64, (other.low >> 64) as u64, other.top);
        let a = product(h0, s0);
        let b = product(h0, s1) + (a >> 64);
        let c = product(h1, s0) + u128::from(b as u64);
        let d = product(h1, s1) + (b >> 64) + (c >> 64);
        let w = u128::from(a as u64) | (c << 64);
        let x0 = u128::from(d as u64) + product(h2, s0) + product(s2, h0);
        let x1 = (d >> 64) + product(h2, s1) + product(s2, h1) + (x0 >> 64);
        let x2 = h2 * s2 + (x1 >> 64) as u64;
        let x = u128::from(x0 as u64) | (x1 << 64);
        let (low, carry) = sum(w, x & !3);
        let (low, second) = sum(low, (x >> 2) | u128::from(x2) << 126);
        Self::folded(low, (x as u64 & 3) + x2 + (x2 >> 2) + carry + second)
    }

    /// `low + top * 2^128`, reduced to a top of at most 4, for any `top` below 2⁶³.
    #[inline(always)]
    fn folded(low: u128, top: u64) -> Self {
        let c = (top & !3) + (top >> 2);
        let (low, carry) = sum(low, u128::from(c));
        Self { low, top: (top & 3) + carry }
    }

    /// The number, fully reduced modulo *p*, and then modulo 2¹²⁸.
    #[inline(always)]
    pub(crate) fn reduced(self) -> u128 {
        // The number is at most 4·2¹²⁸ + 2¹²⁸ - 1, which is less than 2p. It is at least p exactly if adding 5 reaches
        // 2¹³⁰, and then the result is that sum without 2¹³⁰.
        let (minus_p, carry) = sum(self.low, 5);
        let reached = (self.top + carry) >> 2;
        let choice = Choice::from(reached as u8);
        let half = |n: u128| n as u64;
        let low = u64::conditional_select(&half(self.low), &half(minus_p), choice);
        let high = u64::conditional_select(&half(self.low >> 64), &half(minus_p >> 64), choice);
        u128::from(low) | (u128::from(high) << 64)
    }

    /// Five limbs of 26 bits; the last may be a little longer.
    #[inline(always)]
    pub(crate) fn limbs(self) -> [u32; 5] {
        const MASK: u32 = (1 << 26) - 1;
        let limb = |shift: u32| (self.low >> shift) as u32 & MASK;
        [limb(0), limb(26), limb(52), limb(78), (self.low >> 104) as u32 | (self.top as u32) << 24]
    }

    /// The number with the given limbs at multiples of 26 bits, which may have up to 62 bits each.
    #[inline(always)]
    pub(crate) fn from_limbs(limbs: [u64; 5]) -> Self {
        const MASK: u64 = (1 << 26) - 1;
        let mut low = 0;
        let mut carry = 0;
        for (i, limb) in limbs[..4].iter().enumerate() {
            let sum = limb + carry;
            low |= u128::from(sum & MASK) << (26 * i);
            carry = sum >> 26;
        }
        let last = limbs[4] + carry;
        low |= u128::from(last & 0xff_ffff) << 104;
        Self::folded(low, last >> 24)
    }

    /// Three limbs of 44, 44 and 42 bits; the last may be a little longer.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(crate) fn limbs44(self) -> [u64; 3] {
        const MASK: u64 = (1 << 44) - 1;
        [self.low as u64 & MASK, (self.low >> 44) as u64 & MASK, (self.low >> 88) as u64 | self.top << 40]
    }

    /// The number with the given limbs at multiples of 44 bits, which may have up to 62 bits each.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(crate) fn from_limbs44([d0, d1, d2]: [u64; 3]) -> Self {
        const MASK: u64 = (1 << 44) - 1;
        let d1 = d1 + (d0 >> 44);
        let d2 = d2 + (d1 >> 44);
        let low = u128::from(d0 & MASK) | u128::from(d1 & MASK) << 44 | u128::from(d2 & ((1 << 40) - 1)) << 88;
        Self::folded(low, d2 >> 40)
    }
}

/// Horner's rule: `h = (h + block) * r` for each block, with `bit` at 2¹²⁸. Bytes past the last
/// whole block are ignored.
#[inline(always)]
pub(crate) fn absorb(h: Element, r: Point, blocks: &[u8], bit: u64) -> Element {
    let mut h = Product::from(h);
    for block in blocks.as_chunks::<16>().0 {
        h = h.absorb(block, bit, r);
    }
    h.folded()
}
