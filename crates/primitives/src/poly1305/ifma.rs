//! Eight lanes with the 52-bit multiplier of AVX-512 IFMA.
//!
//! `vpmadd52luq` and `vpmadd52huq` multiply numbers of 52 bits and add the lower or the upper 52 bits of the product. A
//! number modulo 2¹³⁰ − 5 is three limbs here, at 2⁰, 2⁴⁴ and 2⁸⁸: nine products where limbs of 26 bits need 25, each in
//! two halves. Two limbs that meet at 2¹³² come back 20 times at 2⁰, as 2¹³² ≡ 4·5, and two at 2¹⁷⁶ so at 2⁴⁴:
//!
//! ```text
//! d₀ = a₀r₀ + a₁·20r₂ + a₂·20r₁
//! d₁ = a₀r₁ + a₁r₀    + a₂·20r₂
//! d₂ = a₀r₂ + a₁r₁    + a₂r₀
//! ```
//!
//! The sum *l* of the lower halves of *dᵢ* belongs to 2⁴⁴ⁱ, that of the upper halves, *u*, to 2⁴⁴ⁱ⁺⁵², which is 2⁸ times
//! the next limb; and 2⁸*u₂* at 2¹³² is 20·2⁸*u₂* = (2¹² + 2¹⁰)·*u₂* at 2⁰. The carries of the three limbs are taken side by
//! side; that from 2¹³⁰ comes back five times.
//!
//! # Bounds
//!
//! What is multiplied has limbs of less than 2⁴⁵, 2⁴⁵ and 2⁴³, blocks and sums of two numbers too. Then 20*r₁* < 2⁴⁹·⁴, all
//! factors are below 2⁵², and an upper half is below 2⁴⁵⁺⁴⁹·⁴⁻⁵² = 2⁴²·⁴. Six products (of two numbers) make *l* < 2⁵⁴·⁶,
//! *u* < 2⁴⁵, and the limbs before the carry are below 2⁵⁴·⁶ + 2⁵⁷ + 2⁵⁵ < 2⁵⁸, 2⁵⁴·⁶ + 2⁵³ < 2⁵⁵ and again 2⁵⁵. Carries are below 2¹⁴, 2¹¹
//! and 2¹³, five of the last below 2¹⁶: the limbs come out below 2⁴⁴ + 2¹⁶, 2⁴⁴ + 2¹⁴ and 2⁴² + 2¹¹, and with those of a block
//! added, below 2⁴⁵, 2⁴⁵ and 2⁴³. The eight lanes of the last product stay below 2⁶¹.

use super::scalar::{Element, Point};
use crate::cpu::{Ifma512, Token};
use crate::simd::{each, from_fn};
use core::arch::x86_64::*;

/// Blocks in a batch.
const LANES: usize = 8;

/// A limb of eight numbers. Exists only where [`Ifma512`] does.
type Limb = __m512i;

/// Eight numbers.
type Eight = [Limb; 3];

/// Numbers to multiply by, with 20 times the upper limbs.
#[derive(Clone, Copy)]
struct Factor {
    r: Eight,
    s1: Limb,
    s2: Limb,
}

/// Sums of the lower and of the upper halves of products.
#[derive(Clone, Copy)]
struct Sums {
    lower: Eight,
    upper: Eight,
}

// SAFETY of every block in this file: all functions are inlined into `absorb`, whose token proves that the CPU has the
// instructions; they read no memory but through the masked loads of `load_last`.

#[inline(always)]
fn splat(word: u64) -> Limb {
    // SAFETY: see above.
    unsafe { _mm512_set1_epi64(word as i64) }
}

#[inline(always)]
fn add(a: Limb, b: Limb) -> Limb {
    // SAFETY: see above.
    unsafe { _mm512_add_epi64(a, b) }
}

#[inline(always)]
fn and(a: Limb, b: Limb) -> Limb {
    // SAFETY: see above.
    unsafe { _mm512_and_si512(a, b) }
}

#[inline(always)]
fn shl<const N: u32>(a: Limb) -> Limb {
    // SAFETY: see above.
    unsafe { _mm512_slli_epi64::<N>(a) }
}

#[inline(always)]
fn shr<const N: u32>(a: Limb) -> Limb {
    // SAFETY: see above.
    unsafe { _mm512_srli_epi64::<N>(a) }
}

/// `a` where `mask` has a 1, else `b`.
#[inline(always)]
fn blend(mask: u8, a: Eight, b: Eight) -> Eight {
    // SAFETY: see above.
    from_fn(
        #[inline(always)]
        |i| unsafe { _mm512_mask_blend_epi64(mask, b[i], a[i]) },
    )
}

/// Lane 0 in all lanes.
#[inline(always)]
fn first_everywhere(a: Eight) -> Eight {
    // SAFETY: see above.
    each(
        a,
        #[inline(always)]
        |limb| unsafe { _mm512_broadcastq_epi64(_mm512_castsi512_si128(limb)) },
    )
}

#[inline(always)]
fn plus(a: Eight, b: Eight) -> Eight {
    [add(a[0], b[0]), add(a[1], b[1]), add(a[2], b[2])]
}

/// Of less than 2⁵².
#[inline(always)]
fn times_twenty(a: Limb) -> Limb {
    // SAFETY: see above.
    unsafe { _mm512_madd52lo_epu64(splat(0), a, splat(20)) }
}

impl Factor {
    #[inline(always)]
    fn new(r: Eight) -> Self {
        Self { r, s1: times_twenty(r[1]), s2: times_twenty(r[2]) }
    }
}

impl Sums {
    #[inline(always)]
    fn zero() -> Self {
        let zero = [splat(0); 3];
        Self { lower: zero, upper: zero }
    }

    /// Adds `a * by`. What is `a`'s limb 0 comes first, which is the last to be ready in the chain of batches.
    #[inline(always)]
    fn add_product(mut self, a: Eight, by: &Factor) -> Self {
        let Factor { r: [r0, r1, r2], s1, s2 } = *by;
        for (limb, factors) in [(2, [s1, s2, r0]), (1, [s2, r0, r1]), (0, [r0, r1, r2])] {
            for (i, factor) in factors.into_iter().enumerate() {
                // SAFETY: see above.
                unsafe {
                    self.lower[i] = _mm512_madd52lo_epu64(self.lower[i], a[limb], factor);
                    self.upper[i] = _mm512_madd52hi_epu64(self.upper[i], a[limb], factor);
                }
            }
        }
        self
    }

    /// The limbs, before carries.
    #[inline(always)]
    fn limbs(self) -> Eight {
        let ([l0, l1, l2], [u0, u1, u2]) = (self.lower, self.upper);
        [add(add(l0, shl::<12>(u2)), shl::<10>(u2)), add(l1, shl::<8>(u0)), add(l2, shl::<8>(u1))]
    }

    /// The limbs, ready to be multiplied.
    #[inline(always)]
    fn carried(self) -> Eight {
        let [d0, d1, d2] = self.limbs();
        let (mask44, mask42) = (splat((1 << 44) - 1), splat((1 << 42) - 1));
        let top = shr::<42>(d2);
        [
            add(and(d0, mask44), add(top, shl::<2>(top))),
            add(and(d1, mask44), shr::<44>(d0)),
            add(and(d2, mask42), shr::<44>(d1)),
        ]
    }
}

/// `a * by`.
#[inline(always)]
fn times(a: Eight, by: &Factor) -> Eight {
    Sums::zero().add_product(a, by).carried()
}

/// The powers of *r* from the eighth down, in the order of [`load_last`]'s lanes: 8, 4, 7, 3, 6, 2, 5, 1.
#[inline(always)]
fn powers(r: Point) -> Eight {
    let one = each(r.element().limbs44(), splat);
    let square = times(one, &Factor::new(one));
    // 2, 2, 1, 1, 2, 2, 1, 1
    let low = blend(0b0011_0011, square, one);
    // 4, 4, 3, 3, 2, 2, 1, 1
    let low = blend(0b0000_1111, times(low, &Factor::new(square)), low);
    let high = times(low, &Factor::new(first_everywhere(low)));
    blend(0b0101_0101, high, low)
}

/// The last `count` blocks of a batch, with their 1 bits, and zeros in front of them. Lane 2*q* has block *q*, lane 2*q* + 1
/// block *q* + 4.
#[inline(always)]
fn load_last(src: &[u8], count: usize) -> Eight {
    assert!(0 < count && count <= LANES && src.len() == 16 * count);
    let missing = LANES - count;
    let words = 0xffffu16 << (2 * missing);
    let start = src.as_ptr().wrapping_sub(16 * missing);
    // SAFETY: see above. The words of the mask are those of `src`; no others are read.
    unsafe {
        let front = _mm512_maskz_loadu_epi64(words as u8, start.cast());
        let back = _mm512_maskz_loadu_epi64((words >> 8) as u8, start.wrapping_add(64).cast());
        // The mask of words is that of blocks, twice each: one of each pair, in the order of the lanes.
        let lanes = (words as u8 & 0x55) | ((words >> 8) as u8 & 0xaa);
        limbs(front, back, _mm512_maskz_set1_epi64(lanes, 1 << 40))
    }
}

/// Eight blocks, with `bit` at 2¹²⁸.
#[inline(always)]
fn limbs(front: __m512i, back: __m512i, bit: __m512i) -> Eight {
    /// The table of `(a | b) & c`.
    const OR_AND: i32 = 0xa8;
    let mask = splat((1 << 44) - 1);
    // SAFETY: see above.
    unsafe {
        let (lo, hi) = (_mm512_unpacklo_epi64(front, back), _mm512_unpackhi_epi64(front, back));
        [
            and(lo, mask),
            _mm512_ternarylogic_epi64::<OR_AND>(shr::<44>(lo), shl::<20>(hi), mask),
            _mm512_or_si512(shr::<24>(hi), bit),
        ]
    }
}

/// A whole batch.
#[inline(always)]
fn load(src: &[u8; BATCH]) -> Eight {
    // SAFETY: see above; the array has both vectors.
    unsafe {
        let front = _mm512_loadu_si512(src.as_ptr().cast());
        let back = _mm512_loadu_si512(src.as_ptr().add(64).cast());
        limbs(front, back, splat(1 << 40))
    }
}

/// Bytes of a batch.
const BATCH: usize = 16 * LANES;

/// What the lanes of a short message are multiplied by. It does not depend on the message, so that it can be ready before
/// the message is.
#[derive(Clone, Copy)]
pub struct Powers {
    by_lane: Eight,
    eighth: Factor,
}

impl Powers {
    #[inline(always)]
    pub(crate) fn new(_: Ifma512, point: Point) -> Self {
        let by_lane = powers(point);
        Self { by_lane, eighth: Factor::new(first_everywhere(by_lane)) }
    }

    /// The value after whole blocks, one at least, behind `value`; batch by batch, as few are not worth the sixteenth power.
    #[inline(always)]
    pub(crate) fn absorb(self, value: Element, blocks: &[u8]) -> Element {
        let (mut h, rest) = first_batch(value, blocks);
        for batch in rest.as_chunks().0 {
            h = plus(times(h, &self.eighth), load(batch));
        }
        joined(h, self.by_lane)
    }
}

/// The first batch of whole blocks, with the value so far in its first block, and the rest.
///
/// A batch that is not full is the first: zeros in front of a message do not change its polynomial.
#[inline(always)]
fn first_batch(value: Element, blocks: &[u8]) -> (Eight, &[u8]) {
    let (first, rest) = blocks.split_at((blocks.len() - 1) % BATCH + 1);
    let before = LANES - first.len() / 16;
    let lane = 2 * before % LANES + before / 4;
    let value = each(
        value.limbs44(),
        #[inline(always)]
        // SAFETY: see above.
        |limb| unsafe { _mm512_maskz_set1_epi64(1 << lane, limb as i64) },
    );
    (plus(load_last(first, LANES - before), value), rest)
}

/// The sum of the lanes, each times its power.
#[inline(always)]
fn joined(h: Eight, by_lane: Eight) -> Element {
    let sums = Sums::zero().add_product(h, &Factor::new(by_lane)).limbs();
    Element::from_limbs44(each(
        sums,
        #[inline(always)]
        // SAFETY: see above.
        |limb| unsafe { _mm512_reduce_add_epi64(limb) as u64 },
    ))
}

/// The polynomial under way: the sum of the lanes, each times its power of *r*.
pub(crate) struct Chain {
    h: Eight,
    by_lane: Eight,
    eighth: Factor,
    sixteenth: Factor,
}

impl Chain {
    /// Begins with whole blocks, one at least, after `value`.
    #[inline(always)]
    pub(crate) fn begin(_: Ifma512, point: Point, value: Element, blocks: &[u8]) -> Self {
        let (h, rest) = first_batch(value, blocks);
        let by_lane = powers(point);
        let eighth = Factor::new(first_everywhere(by_lane));
        let sixteenth = Factor::new(times(eighth.r, &eighth));
        let mut this = Self { h, by_lane, eighth, sixteenth };
        let rest = this.pairs(rest);
        if let Some(batch) = rest.first_chunk() {
            this.h = plus(times(this.h, &this.eighth), load(batch));
        }
        this
    }

    /// Pairs of batches; returns the rest.
    #[inline(always)]
    pub(crate) fn pairs<'a>(&mut self, src: &'a [u8]) -> &'a [u8] {
        let (pairs, rest) = src.as_chunks();
        for pair in pairs {
            self.two(pair);
        }
        rest
    }

    /// Two batches, *h*·*r*¹⁶ + *m*·*r*⁸ + *m*′: the second product does not wait for the first, and they share the carries.
    #[inline(always)]
    pub(crate) fn two(&mut self, src: &[u8; 2 * BATCH]) {
        let Some((one, two)) = src.split_first_chunk() else { return };
        let Some(two) = two.first_chunk() else { return };
        let sums = Sums::zero().add_product(load(one), &self.eighth);
        self.h = plus(sums.add_product(self.h, &self.sixteenth).carried(), load(two));
    }

    /// The value.
    #[inline(always)]
    pub(crate) fn end(self) -> Element {
        joined(self.h, self.by_lane)
    }
}

/// Absorbs whole blocks, one at least.
pub(super) fn absorb(token: Ifma512, point: Point, value: &mut Element, blocks: &[u8]) {
    token.vectorize(
        #[inline(always)]
        || *value = Chain::begin(token, point, *value, blocks).end(),
    );
}
