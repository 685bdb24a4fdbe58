//! SHA-2 in general registers.

use super::word::Word;
use super::{Compress256, Compress512};
use crate::cpu::Portable;

/// Round t on a state whose words have moved t places: (a, …, h) = s[-t..], indices modulo 8.
/// `kw` is k(t) + w(t).
#[inline(always)]
pub(super) fn round<W: Word>(s: &mut [W; 8], t: usize, kw: W) {
    let at = |i: usize| (i + 7 * t) % 8;
    let [a, b, c, d, e, f, g, h] = [0, 1, 2, 3, 4, 5, 6, 7].map(at);
    // The a ^ b of a round is the b ^ c of the next, and the compiler keeps it.
    let maj = s[b] ^ ((s[a] ^ s[b]) & (s[b] ^ s[c]));
    // The terms of ch never share a bit, so that it is a sum; ~e & g is one instruction on many CPUs.
    let t1 = s[h].add(kw).add(!s[e] & s[g]).add(s[e] & s[f]).add(s[e].big_sigma1());
    s[d] = s[d].add(t1);
    s[h] = t1.add(maj).add(s[a].big_sigma0());
}

/// Sixteen copies of `body`, with `i` = 0, …, 15.
macro_rules! times16 {
    ($i:ident => $body:expr) => {
        times16!(@ $i => $body; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    (@ $i:ident => $body:expr; $($n:literal)*) => {$({
        const $i: usize = $n;
        $body;
    })*};
}
#[cfg(target_arch = "x86_64")]
pub(super) use times16;

#[inline(always)]
fn compress<W: Word>(state: &mut [W; 8], block: &[u8]) {
    let mut w: [W; 16] = core::array::from_fn(|i| W::load(block, i));
    let mut s = *state;
    let (first, rest) = W::K.split_at(16);
    times16!(I => round(&mut s, I, w[I].add(first[I])));
    for k in rest.as_chunks::<16>().0 {
        times16!(I => {
            w[I] = w[I].add(w[(I + 14) % 16].small_sigma1()).add(w[(I + 9) % 16]).add(w[(I + 1) % 16].small_sigma0());
            round(&mut s, I, w[I].add(k[I]));
        });
    }
    for (state, s) in state.iter_mut().zip(s) {
        *state = state.add(s);
    }
}

impl Compress256 for Portable {
    #[inline(never)]
    fn compress(self, state: &mut [u32; 8], blocks: &[u8]) {
        for block in blocks.as_chunks::<64>().0 {
            compress(state, block);
        }
    }
}

impl Compress512 for Portable {
    #[inline(never)]
    fn compress(self, state: &mut [u64; 8], blocks: &[u8]) {
        for block in blocks.as_chunks::<128>().0 {
            compress(state, block);
        }
    }
}
