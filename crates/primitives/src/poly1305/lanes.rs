//! Poly1305 with the blocks distributed over the lanes of a vector.
//!
//! With *L* lanes, lane *i* takes blocks *i*, *i* + *L*, *i* + 2*L*, … and evaluates their polynomial at *r*ᴸ by
//! Horner's rule; all lanes multiply by the same number. At the end, the lane whose last block is followed by *k*
//! others is multiplied by *r*ᵏ⁺¹, and the lanes are added up. The value of the message so far is added to the first
//! block.
//!
//! A number is five limbs of 26 bits, each in a vector of 64-bit lanes. The vector multiplier takes 32 by 32 bits and
//! gives 64, and the rest of its width holds sums: limbs below 2²⁷ times limbs below 5·2²⁷, summed over five of them
//! and then over eight lanes, stay below 2⁶². The product of limbs *i* and *j* belongs to 2²⁶⁽ⁱ⁺ʲ⁾; where *i* + *j* is
//! 5 or more, 2¹³⁰ ≡ 5 brings it back to limb *i* + *j* − 5, times five.

use super::Accumulator;
use super::scalar::{Element, Point};
use crate::cpu::Token;
use crate::simd::align_frame;
use zeroize::Zeroizing;

/// The number of batches from which on two are absorbed in a step: *h*·*r*²ᴸ + *m*·*r*ᴸ + *m*′. The two products are
/// independent, and one carry serves both.
const PAIRS_FROM: usize = 8;

/// Vectors of `LANES` words of 64 bits.
pub(super) trait Lanes64: Copy {
    /// The token that proves that the CPU has these vectors.
    type Token: Token;

    /// The number of words in a vector, at most 8.
    const LANES: usize;

    /// The same word in every lane.
    fn splat(token: Self::Token, word: u64) -> Self;

    /// `word` in lane 0 and zeros in the others.
    fn first(token: Self::Token, word: u64) -> Self;

    /// The first `LANES` of `words`, zero-extended.
    fn widen(token: Self::Token, words: &[u32; 8]) -> Self;

    /// The lower and the upper halves of `LANES` blocks. Lane 2*q* has block *q*, lane 2*q* + 1 block *q* + `LANES`/2.
    ///
    /// # Panics
    /// If `src` is shorter than `16 * LANES` bytes.
    fn load_blocks(token: Self::Token, src: &[u8]) -> (Self, Self);

    /// Lane-wise sum.
    fn add(self, other: Self) -> Self;

    /// Lane-wise product of the lower 32 bits.
    fn mul32(self, other: Self) -> Self;

    /// `self & other`.
    fn and(self, other: Self) -> Self;

    /// `self | other`.
    fn or(self, other: Self) -> Self;

    /// Lane-wise shift to the left.
    fn shl<const N: i32>(self) -> Self;

    /// Lane-wise shift to the right.
    fn shr<const N: i32>(self) -> Self;

    /// The sum of the lanes.
    fn sum(self) -> u64;
}

/// The powers of *r* for a number of lanes; `limbs[i][l]` is limb *i* of the power for lane *l*.
#[derive(Clone)]
pub(super) struct Powers {
    limbs: Zeroizing<[[u32; 8]; 5]>,
    lanes: usize,
}

impl Powers {
    /// The limbs of the power for lane 0, which is the number of lanes.
    #[cfg(all(target_arch = "arm", unix))]
    pub(super) fn first(&self) -> [u32; 5] {
        self.limbs.map(|limb| limb[0])
    }

    /// The lane that holds block *b* gets *r*ᴸ⁻ᵇ. Lane 0 has block 0, so its power is *r*ᴸ, which all lanes multiply
    /// by.
    #[inline(always)]
    pub(super) fn new(r: Point, lanes: usize) -> Self {
        let mut limbs = Zeroizing::new([[0; 8]; 5]);
        let mut power = r.element();
        for block in (0..lanes).rev() {
            let half = lanes / 2;
            let lane = if block < half { 2 * block } else { 2 * (block - half) + 1 };
            for (row, limb) in limbs.iter_mut().zip(power.limbs()) {
                if let Some(place) = row.get_mut(lane) {
                    *place = limb;
                }
            }
            power = power.times(r);
        }
        Self { limbs, lanes }
    }
}

/// A factor: its limbs, and five times its limbs 1 to 4.
#[derive(Clone, Copy)]
struct Factor<V> {
    limbs: [V; 5],
    by_five: [V; 4],
}

impl<V: Lanes64> Factor<V> {
    #[inline(always)]
    fn new(limbs: [V; 5]) -> Self {
        let [_, a, b, c, d] = limbs;
        Self { limbs, by_five: [times_five(a), times_five(b), times_five(c), times_five(d)] }
    }

    /// `h * self`, before carries.
    #[inline(always)]
    fn times(&self, h: [V; 5]) -> [V; 5] {
        let [r0, r1, r2, r3, r4] = self.limbs;
        let [s1, s2, s3, s4] = self.by_five;
        [
            dot(h, [r0, s4, s3, s2, s1]),
            dot(h, [r1, r0, s4, s3, s2]),
            dot(h, [r2, r1, r0, s4, s3]),
            dot(h, [r3, r2, r1, r0, s4]),
            dot(h, [r4, r3, r2, r1, r0]),
        ]
    }
}

/// The sum of the products of corresponding limbs of `a` and `b`.
#[inline(always)]
fn dot<V: Lanes64>([a0, a1, a2, a3, a4]: [V; 5], [b0, b1, b2, b3, b4]: [V; 5]) -> V {
    a0.mul32(b0).add(a1.mul32(b1)).add(a2.mul32(b2)).add(a3.mul32(b3)).add(a4.mul32(b4))
}

#[inline(always)]
fn times_five<V: Lanes64>(v: V) -> V {
    v.add(v.shl::<2>())
}

#[inline(always)]
fn plus<V: Lanes64>(a: [V; 5], b: [V; 5]) -> [V; 5] {
    [a[0].add(b[0]), a[1].add(b[1]), a[2].add(b[2]), a[3].add(b[3]), a[4].add(b[4])]
}

/// Reduces the limbs to 26 bits, limbs 1 and 4 to a little more. Two chains of carries run in parallel, from limbs 0
/// and 3.
#[inline(always)]
fn carry<V: Lanes64>([mut a, mut b, mut c, mut d, mut e]: [V; 5], mask: V) -> [V; 5] {
    b = b.add(a.shr::<26>());
    e = e.add(d.shr::<26>());
    (a, d) = (a.and(mask), d.and(mask));
    c = c.add(b.shr::<26>());
    a = a.add(times_five(e.shr::<26>()));
    (b, e) = (b.and(mask), e.and(mask));
    d = d.add(c.shr::<26>());
    b = b.add(a.shr::<26>());
    (c, a) = (c.and(mask), a.and(mask));
    e = e.add(d.shr::<26>());
    d = d.and(mask);
    [a, b, c, d, e]
}

/// The limbs of `LANES` blocks, with their 1 bits.
#[inline(always)]
fn load<V: Lanes64>(token: V::Token, src: &[u8], mask: V) -> [V; 5] {
    let (lo, hi) = V::load_blocks(token, src);
    [
        lo.and(mask),
        lo.shr::<26>().and(mask),
        lo.shr::<52>().or(hi.shl::<12>()).and(mask),
        hi.shr::<14>().and(mask),
        hi.shr::<40>().or(V::splat(token, 1 << 24)),
    ]
}

/// Absorbs all whole batches of `LANES` blocks at the front of `blocks`, of which there is at least one, and returns
/// the rest.
#[inline(always)]
pub(super) fn absorb<'a, V: Lanes64>(token: V::Token, accumulator: &mut Accumulator, blocks: &'a [u8]) -> &'a [u8] {
    align_frame();
    let Accumulator { point, powers, value } = accumulator;
    let powers = match powers {
        Some(powers) if powers.lanes == V::LANES => &powers.limbs,
        _ => &powers.insert(Powers::new(*point, V::LANES)).limbs,
    };
    let mask = V::splat(token, (1 << 26) - 1);
    let mut common = [mask; 5];
    let mut by_lane = [mask; 5];
    let mut h = [mask; 5];
    for (i, limb) in value.limbs().into_iter().enumerate() {
        common[i] = V::splat(token, powers[i][0].into());
        by_lane[i] = V::widen(token, &powers[i]);
        h[i] = V::first(token, limb.into());
    }
    let common = Factor::new(common);

    let mut batches = blocks.chunks_exact(16 * V::LANES);
    if let Some(batch) = batches.next() {
        h = plus(h, load(token, batch, mask));
    }
    if batches.len() >= PAIRS_FROM {
        let squared = Factor::new(carry(common.times(common.limbs), mask));
        while batches.len() >= 2 {
            let (Some(one), Some(two)) = (batches.next(), batches.next()) else { break };
            let one = common.times(load(token, one, mask));
            h = plus(carry(plus(squared.times(h), one), mask), load(token, two, mask));
        }
    }
    for batch in &mut batches {
        h = plus(carry(common.times(h), mask), load(token, batch, mask));
    }
    let [a, b, c, d, e] = Factor::new(by_lane).times(h);
    *value = Element::from_limbs([a.sum(), b.sum(), c.sum(), d.sum(), e.sum()]);
    batches.remainder()
}
