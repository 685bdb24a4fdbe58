//! SHA-1 in 32-bit words.

use super::{Compress, K};
use crate::cpu::Portable;

/// Round t on a state whose words have moved t places: (a, b, c, d, e) = s[-t..], indices modulo 5.
#[inline(always)]
fn round(s: &mut [u32; 5], t: usize, f: impl Fn(u32, u32, u32) -> u32, kw: u32) {
    let at = |i: usize| (i + 4 * t) % 5;
    let sum = s[at(0)].rotate_left(5).wrapping_add(f(s[at(1)], s[at(2)], s[at(3)])).wrapping_add(kw);
    s[at(4)] = s[at(4)].wrapping_add(sum);
    s[at(1)] = s[at(1)].rotate_left(30);
}

/// Rounds t = `from`.. (five of them); after five the state's words are back in their places.
#[inline(always)]
fn rounds5(s: &mut [u32; 5], w: &mut [u32; 16], from: usize, k: u32, f: impl Fn(u32, u32, u32) -> u32 + Copy) {
    for i in 0..5 {
        let t = from + i;
        if t >= 16 {
            w[t % 16] = (w[t % 16] ^ w[(t + 2) % 16] ^ w[(t + 8) % 16] ^ w[(t + 13) % 16]).rotate_left(1);
        }
        round(s, i, f, k.wrapping_add(w[t % 16]));
    }
}

#[inline(always)]
fn rounds20(s: &mut [u32; 5], w: &mut [u32; 16], from: usize, k: u32, f: impl Fn(u32, u32, u32) -> u32 + Copy) {
    rounds5(s, w, from, k, f);
    rounds5(s, w, from + 5, k, f);
    rounds5(s, w, from + 10, k, f);
    rounds5(s, w, from + 15, k, f);
}

impl Compress for Portable {
    #[inline(never)]
    fn compress(self, state: &mut [u32; 5], blocks: &[u8]) {
        for block in blocks.as_chunks::<64>().0 {
            let (words, _) = block.as_chunks::<4>();
            let mut w: [u32; 16] = core::array::from_fn(|i| u32::from_be_bytes(words[i]));
            let mut s = *state;
            rounds20(
                &mut s,
                &mut w,
                0,
                K[0],
                #[inline(always)]
                |b, c, d| d ^ (b & (c ^ d)),
            );
            rounds20(
                &mut s,
                &mut w,
                20,
                K[1],
                #[inline(always)]
                |b, c, d| b ^ c ^ d,
            );
            // The two terms never share a bit, so that majority is a sum, and its halves join the
            // chain of additions one at a time.
            rounds20(
                &mut s,
                &mut w,
                40,
                K[2],
                #[inline(always)]
                |b, c, d| (b & c).wrapping_add(d & (b ^ c)),
            );
            rounds20(
                &mut s,
                &mut w,
                60,
                K[3],
                #[inline(always)]
                |b, c, d| b ^ c ^ d,
            );
            for (state, s) in state.iter_mut().zip(s) {
                *state = state.wrapping_add(s);
            }
        }
    }
}
