//! Poly1305 on eight lanes, with the 52-bit multiplier of AVX-512 IFMA.
//!
//! `vpmadd52luq` and `vpmadd52huq` multiply numbers of 52 bits and add the lower or the upper 52 bits of the product. A
//! number modulo 2¹³⁰ − 5 is three limbs here, at 2⁰, 2⁴⁴ and 2⁸⁸. That is nine products, each in two halves; limbs of
//! 26 bits need 25. Products of limbs at 2¹³² come back 20 times at 2⁰, because 2¹³² ≡ 4·5, and those at 2¹⁷⁶ come back
//! 20 times at 2⁴⁴:
//!
//! ```text
//! d₀ = a₀r₀ + a₁·20r₂ + a₂·20r₁
//! d₁ = a₀r₁ + a₁r₀    + a₂·20r₂
//! d₂ = a₀r₂ + a₁r₁    + a₂r₀
//! ```
//!
//! The sum *l* of the lower halves of *dᵢ* belongs to 2⁴⁴ⁱ. The sum *u* of the upper halves belongs to 2⁴⁴ⁱ⁺⁵², which
//! is 2⁸ times the next limb; 2⁸*u₂* at 2¹³² is 20·2⁸*u₂* = (2¹² + 2¹⁰)·*u₂* at 2⁰. The carries of the three limbs are
//! computed in parallel; the carry out of 2¹³⁰ comes back five times.
//!
//! # Bounds
//!
//! A factor has limbs of less than 2⁴⁵ + 2¹⁶, 2⁴⁵ + 2¹⁴ and 2⁴³; this holds for blocks and for sums of two numbers too. Then 20*r₁*
//! < 2⁴⁹·⁴, all factors are below 2⁵², and an upper half is below 2⁴⁵⁺⁴⁹·⁴⁻⁵² = 2⁴²·⁴. Six products (of two numbers)
//! make *l* < 2⁵⁴·⁶ and *u* < 2⁴⁵, and the limbs before the carry are below 2⁵⁴·⁶ + 2⁵⁷ + 2⁵⁵ < 2⁵⁸, 2⁵⁴·⁶ + 2⁵³ < 2⁵⁵
//! and again 2⁵⁵. Carries are below 2¹⁴, 2¹¹ and 2¹³, and five times the last is below 2¹⁶. So the limbs come out below
//! 2⁴⁴ + 2¹⁶, 2⁴⁴ + 2¹⁴ and 2⁴² + 2¹¹, and with those of a block added, below 2⁴⁵ + 2¹⁶, 2⁴⁵ + 2¹⁴ and 2⁴³. The sums over eight
//! lanes at the end stay below 2⁶¹.

use super::scalar::{Element, Point};
use crate::cpu::{Ifma512, Token};
use crate::simd::x86::V512;
use crate::simd::{each, from_fn};

/// The number of blocks in a batch.
const LANES: usize = 8;

/// The same limb of eight numbers.
type Limb = V512<Ifma512>;

/// Eight numbers modulo *p*, one in each lane.
type Eight = [Limb; 3];

/// Eight factors, with 20 times their upper limbs.
#[derive(Clone, Copy)]
struct Factor {
    r: Eight,
    s1: Limb,
    s2: Limb,
}

/// Sums of the lower and of the upper halves of products, before carries.
#[derive(Clone, Copy)]
struct Sums {
    lower: Eight,
    upper: Eight,
}

/// `word` in every lane; `like` only brings the token.
#[inline(always)]
fn splat(like: Limb, word: u64) -> Limb {
    V512::splat64(like.token(), word)
}

/// `a` in the lanes whose bit of `mask` is set, `b` in the others.
#[inline(always)]
fn blend(mask: u8, a: Eight, b: Eight) -> Eight {
    from_fn(
        #[inline(always)]
        |i| b[i].blend64(mask, a[i]),
    )
}

/// The number in lane 0, in all lanes.
#[inline(always)]
fn first_everywhere(a: Eight) -> Eight {
    each(
        a,
        #[inline(always)]
        |limb| V512::splat_low64(limb.token(), limb.low_block()),
    )
}

#[inline(always)]
fn plus(a: Eight, b: Eight) -> Eight {
    [a[0].add64(b[0]), a[1].add64(b[1]), a[2].add64(b[2])]
}

/// 20 times `a`, of which the lower 52 bits are kept.
#[inline(always)]
fn times_twenty(a: Limb) -> Limb {
    splat(a, 0).add_mul52_low(a, splat(a, 20))
}

impl Factor {
    #[inline(always)]
    fn new(r: Eight) -> Self {
        Self { r, s1: times_twenty(r[1]), s2: times_twenty(r[2]) }
    }
}

impl Sums {
    /// `a * by`.
    #[inline(always)]
    fn product(a: Eight, by: &Factor) -> Self {
        let zero = [splat(a[0], 0); 3];
        Self { lower: zero, upper: zero }.add_product(a, by)
    }

    /// Adds `a * by`. Limb 0 of `a` comes last, because it is the last to be ready in the chain of batches.
    #[inline(always)]
    fn add_product(mut self, a: Eight, by: &Factor) -> Self {
        let Factor { r: [r0, r1, r2], s1, s2 } = *by;
        for (limb, factors) in [(2, [s1, s2, r0]), (1, [s2, r0, r1]), (0, [r0, r1, r2])] {
            for (i, factor) in factors.into_iter().enumerate() {
                self.lower[i] = self.lower[i].add_mul52_low(a[limb], factor);
                self.upper[i] = self.upper[i].add_mul52_high(a[limb], factor);
            }
        }
        self
    }

    /// The limbs of the sums, before carries.
    #[inline(always)]
    fn limbs(self) -> Eight {
        let ([l0, l1, l2], [u0, u1, u2]) = (self.lower, self.upper);
        [l0.add64(u2.shl64::<12>()).add64(u2.shl64::<10>()), l1.add64(u0.shl64::<8>()), l2.add64(u1.shl64::<8>())]
    }

    /// The limbs after carries, small enough for another multiplication.
    #[inline(always)]
    fn carried(self) -> Eight {
        let [d0, d1, d2] = self.limbs();
        let (mask44, mask42) = (splat(d0, (1 << 44) - 1), splat(d0, (1 << 42) - 1));
        let top = d2.shr64::<42>();
        [
            d0.and(mask44).add64(top.add64(top.shl64::<2>())),
            d1.and(mask44).add64(d0.shr64::<44>()),
            d2.and(mask42).add64(d1.shr64::<44>()),
        ]
    }
}

/// `a * by`, after carries.
#[inline(always)]
fn times(a: Eight, by: &Factor) -> Eight {
    Sums::product(a, by).carried()
}

/// The powers of *r* for the lanes in [`load_last`]'s order, which is 8, 4, 7, 3, 6, 2, 5, 1.
#[inline(always)]
fn powers(token: Ifma512, r: Point) -> Eight {
    let one = each(
        r.element().limbs44(),
        #[inline(always)]
        |limb| V512::splat64(token, limb),
    );
    let square = times(one, &Factor::new(one));
    // The exponents in lanes 0 to 7: 2, 2, 1, 1, 2, 2, 1, 1.
    let low = blend(0b0011_0011, square, one);
    // And now 4, 4, 3, 3, 2, 2, 1, 1.
    let low = blend(0b0000_1111, times(low, &Factor::new(square)), low);
    let high = times(low, &Factor::new(first_everywhere(low)));
    blend(0b0101_0101, high, low)
}

/// Loads the blocks of `src` as the last of a batch, with their 1 bits, and zeros before them. Lane 2*q* has block *q*,
/// lane 2*q* + 1 block *q* + 4.
#[inline(always)]
fn load_last(token: Ifma512, src: &[u8]) -> Eight {
    let (front, back) = src.split_at(src.len().saturating_sub(BATCH / 2));
    // A bit for each block, first in the order of blocks, then in the order of lanes.
    let blocks = 0xffu8 << (LANES - src.len() / 16);
    let lanes =
        (0..4).fold(0, |lanes, q| lanes | (blocks >> q & 1) << (2 * q) | (blocks >> (q + 4) & 1) << (2 * q + 1));
    limbs(V512::load_last(token, front), V512::load_last(token, back), V512::splat64_where(token, lanes, 1 << 40))
}

/// The limbs of eight blocks, with `bit` added to the last limb.
#[inline(always)]
fn limbs(front: Limb, back: Limb, bit: Limb) -> Eight {
    /// The truth table of `(a | b) & c`.
    const OR_AND: i32 = 0xa8;
    let mask = splat(bit, (1 << 44) - 1);
    let (lo, hi) = (front.unpack_low64(back), front.unpack_high64(back));
    [lo.and(mask), lo.shr64::<44>().ternary::<OR_AND>(hi.shl64::<20>(), mask), hi.shr64::<24>().or(bit)]
}

/// Loads a whole batch of eight blocks.
#[inline(always)]
fn load(token: Ifma512, src: &[u8; BATCH]) -> Eight {
    let [front, back] = src.as_chunks::<{ BATCH / 2 }>().0 else { unreachable!("two halves") };
    limbs(V512::load(token, front), V512::load(token, back), V512::splat64(token, 1 << 40))
}

/// The number of bytes in a batch.
const BATCH: usize = 16 * LANES;

/// The factors of the lanes. They do not depend on the message, so they can be computed before it is there.
#[derive(Clone, Copy)]
pub struct Powers {
    by_lane: Eight,
    eighth: Factor,
}

impl Powers {
    #[inline(always)]
    pub(crate) fn new(token: Ifma512, point: Point) -> Self {
        let by_lane = powers(token, point);
        Self { by_lane, eighth: Factor::new(first_everywhere(by_lane)) }
    }

    /// The value after whole blocks, at least one, that continue `value`.
    ///
    /// A long message is absorbed two batches at a time, *h*·*r*¹⁶ + *m*·*r*⁸ + *m*′: the two products are independent
    /// and share the carries. For a few batches, the sixteenth power costs more than it saves.
    #[inline(always)]
    pub(crate) fn absorb(self, value: Element, blocks: &[u8]) -> Element {
        let token = self.by_lane[0].token();
        let (mut h, mut rest) = first_batch(token, value, blocks);
        if rest.len() >= 4 * BATCH {
            let sixteenth = Factor::new(times(self.eighth.r, &self.eighth));
            let (pairs, last) = rest.as_chunks::<{ 2 * BATCH }>();
            rest = last;
            for pair in pairs {
                let [one, two] = pair.as_chunks().0 else { unreachable!("two batches") };
                let sums = Sums::product(load(token, one), &self.eighth).add_product(h, &sixteenth);
                h = plus(sums.carried(), load(token, two));
            }
        }
        for batch in rest.as_chunks().0 {
            h = plus(times(h, &self.eighth), load(token, batch));
        }
        joined(h, self.by_lane)
    }
}

/// The first batch of whole blocks, with the value so far added to its first block, and the remaining blocks.
///
/// If there is a batch that is not full, it is the first: zeros before a message do not change its polynomial.
#[inline(always)]
fn first_batch(token: Ifma512, value: Element, blocks: &[u8]) -> (Eight, &[u8]) {
    let (first, rest) = blocks.split_at((blocks.len() - 1) % BATCH + 1);
    let before = LANES - first.len() / 16;
    let lane = 2 * before % LANES + before / 4;
    let value = each(
        value.limbs44(),
        #[inline(always)]
        |limb| V512::splat64_where(token, 1 << lane, limb),
    );
    (plus(load_last(token, first), value), rest)
}

/// The sum of all lanes, each multiplied by its power.
#[inline(always)]
fn joined(h: Eight, by_lane: Eight) -> Element {
    let sums = Sums::product(h, &Factor::new(by_lane)).limbs();
    Element::from_limbs44(each(
        sums,
        #[inline(always)]
        |limb| limb.sum64(),
    ))
}

/// Absorbs whole blocks, at least one.
pub(super) fn absorb(token: Ifma512, point: Point, value: &mut Element, blocks: &[u8]) {
    token.vectorize(
        #[inline(always)]
        || *value = Powers::new(token, point).absorb(*value, blocks),
    );
}
