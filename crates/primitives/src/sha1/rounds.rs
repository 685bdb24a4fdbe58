//! The rounds of SHA-1, for one message or for several messages in lanes.

use super::K;
use crate::lanes::Word;
use crate::simd::each;

/// The function f of b, c and d, which is the same in each quarter of the rounds.
#[derive(Clone, Copy, PartialEq)]
enum Function {
    Choice,
    Parity,
    Majority,
}

/// Round t. The state's words are not moved but renamed: (a, b, c, d, e) = s[-t..], indices modulo 5.
#[inline(always)]
fn round<W: Word>(s: &mut [W; 5], t: usize, f: Function, kw: W) {
    let at = |i: usize| s[(i + 4 * t) % 5];
    let [a, b, c, d, e] = each([0, 1, 2, 3, 4], at);
    let sum = e.add(kw).pin();
    let sum = match f {
        Function::Choice => sum.add_choice(b, c, d),
        Function::Parity => sum.add(b.xor3(c, d)),
        Function::Majority => sum.add(b.majority(c, d)),
    };
    s[(4 + 4 * t) % 5] = sum.add(a.rotr::<27>());
    s[(1 + 4 * t) % 5] = b.rotr::<2>();
}

/// The five rounds from t = `from`. After them the state's words are back in their places.
#[inline(always)]
fn rounds5<W: Word>(s: &mut [W; 5], w: &mut [W; 16], from: usize, f: Function, k: W) {
    macro_rules! rounds {
        ($($i:literal)*) => {$({
            let t = from + $i;
            if t >= 16 {
                w[t % 16] = w[t % 16].xor3(w[(t + 2) % 16], w[(t + 8) % 16]).xor(w[(t + 13) % 16]).rotr::<31>();
            }
            round(s, $i, f, k.add(w[t % 16]));
        })*};
    }
    rounds!(0 1 2 3 4);
}

/// The eighty rounds on a block `w`. The function `k` makes a word, or a vector, of a constant.
#[inline(always)]
pub(super) fn rounds<W: Word>(s: &mut [W; 5], w: &mut [W; 16], k: impl Fn(u32) -> W) {
    macro_rules! quarter {
        ($f:ident, $k:literal: $($from:literal)*) => {
            $(rounds5(s, w, $from, Function::$f, k(K[$k]));)*
        };
    }
    quarter!(Choice, 0: 0 5 10 15);
    quarter!(Parity, 1: 20 25 30 35);
    quarter!(Majority, 2: 40 45 50 55);
    quarter!(Parity, 3: 60 65 70 75);
}
