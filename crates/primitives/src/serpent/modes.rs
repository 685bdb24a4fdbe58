//! Modes of operation over the rounds, and the division of messages into groups of blocks.

use super::rounds::{Keys, crypt};
use super::{BLOCK, SerpentToken};
use crate::InOut;
use crate::cpu::Token;
use crate::words32::{Word, Words32};
use zeroize::Zeroize;

/// The largest number of blocks in a group: four vectors of 512 bits.
const MAX_LANES: usize = 64;

/// The length in bytes of a buffer for a group.
const BUFFER: usize = BLOCK * MAX_LANES;

/// A mode, seen as what it does to groups of blocks. `self` is the state between groups, and between requests.
pub(super) trait Mode {
    /// Processes groups of as many blocks as `V` has lanes, as long as `data` has that many.
    fn groups<V: Words32>(&mut self, token: V::Token, keys: &Keys, data: &mut InOut<'_>);

    /// Processes the rest, at most as many blocks as `V` has lanes.
    fn last<V: Words32>(&mut self, token: V::Token, keys: &Keys, data: InOut<'_>);
}

/// Processes `data`: in long groups as long as it fills one, then in short groups, of which the last may be partial.
pub(super) fn run<T: SerpentToken>(token: T, keys: &Keys, mut data: InOut<'_>, mode: &mut impl Mode) {
    if data.len() >= BLOCK * T::Long::LANES {
        mode.groups::<T::Long>(token, keys, &mut data);
    }
    while data.len() > BLOCK {
        let len = data.len().min(BLOCK * T::Short::LANES);
        match data.take(len) {
            Some(group) => mode.last::<T::Short>(token, keys, group),
            None => break,
        }
    }
    if !data.is_empty() {
        mode.last::<Word<T::Single>>(token.single(), keys, data);
    }
}

/// [`Token::vectorize`], except for a single block. For that, only the rounds are worth a call: arguments that pass
/// through memory would delay a chain of blocks.
#[inline(always)]
fn enter<V: Words32, R>(token: V::Token, body: impl FnOnce() -> R) -> R {
    if V::LANES == 1 { body() } else { token.vectorize(body) }
}

/// The same block in every lane.
#[inline(always)]
fn everywhere<V: Words32>(token: V::Token, block: &[u8; BLOCK]) -> [V; 4] {
    let words = block.as_chunks().0;
    [
        V::splat(token, u32::from_le_bytes(words[0])),
        V::splat(token, u32::from_le_bytes(words[1])),
        V::splat(token, u32::from_le_bytes(words[2])),
        V::splat(token, u32::from_le_bytes(words[3])),
    ]
}

/// ECB: each block by itself.
pub(super) struct Ecb<const ENCRYPT: bool>;

impl<const ENCRYPT: bool> Mode for Ecb<ENCRYPT> {
    #[inline(always)]
    fn groups<V: Words32>(&mut self, token: V::Token, keys: &Keys, data: &mut InOut<'_>) {
        token.vectorize(
            #[inline(always)]
            || {
                while let Some(mut batch) = data.take(BLOCK * V::LANES) {
                    let mut words = V::load_blocks(token, batch.src());
                    crypt::<V, ENCRYPT>(token, keys, &mut words);
                    V::store_blocks(words, batch.dst());
                }
            },
        );
    }

    #[inline(always)]
    fn last<V: Words32>(&mut self, token: V::Token, keys: &Keys, mut data: InOut<'_>) {
        enter::<V, _>(
            token,
            #[inline(always)]
            || {
                let mut words = V::load_partial(token, data.src());
                crypt::<V, ENCRYPT>(token, keys, &mut words);
                V::store_partial(words, data.dst());
            },
        );
    }
}

/// CBC decryption: the previous ciphertext block is xored to each decrypted block. The field is the last ciphertext
/// block of the group before.
pub(super) struct CbcDecrypt<'a>(pub(super) &'a mut [u8; BLOCK]);

impl Mode for CbcDecrypt<'_> {
    #[inline(always)]
    fn groups<V: Words32>(&mut self, token: V::Token, keys: &Keys, data: &mut InOut<'_>) {
        let mut before = [0; BLOCK + BUFFER];
        token.vectorize(
            #[inline(always)]
            || {
                let len = BLOCK * V::LANES;
                before[..BLOCK].copy_from_slice(self.0);
                while let Some(mut batch) = data.take(len) {
                    let mut words = V::load_blocks(token, batch.src());
                    before[BLOCK..BLOCK + len].copy_from_slice(batch.src());
                    crypt::<V, false>(token, keys, &mut words);
                    V::xor_blocks(words, InOut::new(&before[..len], batch.dst()).expect("of one length"));
                    before.copy_within(len..len + BLOCK, 0);
                }
                self.0.copy_from_slice(&before[..BLOCK]);
            },
        );
    }

    #[inline(always)]
    fn last<V: Words32>(&mut self, token: V::Token, keys: &Keys, mut data: InOut<'_>) {
        let mut before = [0; BLOCK + BUFFER];
        enter::<V, _>(
            token,
            #[inline(always)]
            || {
                let len = data.len();
                let mut words = V::load_partial(token, data.src());
                before[..BLOCK].copy_from_slice(self.0);
                before[BLOCK..BLOCK + len].copy_from_slice(data.src());
                crypt::<V, false>(token, keys, &mut words);
                V::store_partial(words, data.dst());
                InOut::from(data.dst()).xor(&before[..len]);
                self.0.copy_from_slice(&before[len..len + BLOCK]);
            },
        );
    }
}

/// CTR: the encrypted counter is xored to the text. The field is the next counter, a whole big-endian block.
pub(super) struct Ctr<'a>(pub(super) &'a mut [u8; BLOCK]);

impl Ctr<'_> {
    /// Advances the counter by `n` blocks.
    #[inline(always)]
    fn advance(&mut self, n: usize) {
        *self.0 = u128::from_be_bytes(*self.0).wrapping_add(n as u128).to_be_bytes();
    }

    /// The counters of the next `LANES` blocks. If the last byte of none of them wraps, they differ only in that byte.
    #[inline(always)]
    fn counters<V: Words32>(&self, token: V::Token, numbers: V) -> [V; 4] {
        if usize::from(self.0[15]) + V::LANES <= 256 {
            let [a, b, c, d] = everywhere::<V>(token, self.0);
            return [a, b, c, d.add(numbers.shl::<24>())];
        }
        let mut blocks = [0; BUFFER];
        let first = u128::from_be_bytes(*self.0);
        for (i, block) in blocks.as_chunks_mut().0.iter_mut().take(V::LANES).enumerate() {
            *block = first.wrapping_add(i as u128).to_be_bytes();
        }
        V::load_blocks(token, &blocks)
    }
}

impl Mode for Ctr<'_> {
    #[inline(always)]
    fn groups<V: Words32>(&mut self, token: V::Token, keys: &Keys, data: &mut InOut<'_>) {
        token.vectorize(
            #[inline(always)]
            || {
                let numbers = V::load_blocks(token, NUMBERS.as_flattened())[0];
                while let Some(batch) = data.take(BLOCK * V::LANES) {
                    let mut words = self.counters(token, numbers);
                    crypt::<V, true>(token, keys, &mut words);
                    V::xor_blocks(words, batch);
                    self.advance(V::LANES);
                }
            },
        );
    }

    #[inline(always)]
    fn last<V: Words32>(&mut self, token: V::Token, keys: &Keys, mut data: InOut<'_>) {
        let mut keystream = [0; BUFFER];
        enter::<V, _>(
            token,
            #[inline(always)]
            || {
                let blocks = data.len().div_ceil(BLOCK);
                let mut words = if blocks == 1 {
                    V::load_partial(token, self.0)
                } else {
                    self.counters(token, V::load_blocks(token, NUMBERS.as_flattened())[0])
                };
                crypt::<V, true>(token, keys, &mut words);
                V::store_partial(words, &mut keystream[..BLOCK * blocks]);
                data.xor(&keystream);
                self.advance(blocks);
                keystream[..BLOCK * blocks].zeroize();
            },
        );
    }
}

/// XTS: the tweak is xored before and after encryption, and multiplied by x in GF(2^128) from block to block. The field
/// is the tweak of the next block.
pub(super) struct Xts<'a, const ENCRYPT: bool>(pub(super) &'a mut [u8; BLOCK]);

/// The tweaks times `x^n`, for `n` from 1 to 16. A tweak has 128 bits from the lowest word up, and x^128 = x^7 + x^2 +
/// x + 1.
macro_rules! times {
    ($n:literal, $left:literal, $tweaks:expr) => {{
        let [a, b, c, d] = $tweaks;
        let out = d.shr::<$left>();
        let back = out.xor(out.shl::<1>()).xor(out.shl::<2>()).xor(out.shl::<7>());
        [
            a.shl::<$n>().xor(back),
            b.shl::<$n>().xor(a.shr::<$left>()),
            c.shl::<$n>().xor(b.shr::<$left>()),
            d.shl::<$n>().xor(c.shr::<$left>()),
        ]
    }};
}

/// The tweaks of the next group: these times `x^LANES`.
#[inline(always)]
fn next<V: Words32>(tweaks: [V; 4]) -> [V; 4] {
    match V::LANES {
        1 => times!(1, 31, tweaks),
        2 => times!(2, 30, tweaks),
        4 => times!(4, 28, tweaks),
        8 => times!(8, 24, tweaks),
        16 => times!(16, 16, tweaks),
        32 => times_word(tweaks),
        _ => times_word(times_word(tweaks)),
    }
}

/// The tweaks times `x^32`: a whole word is shifted out at the top, and its product reaches into the second word.
#[inline(always)]
fn times_word<V: Words32>([a, b, c, d]: [V; 4]) -> [V; 4] {
    let low = d.xor(d.shl::<1>()).xor(d.shl::<2>()).xor(d.shl::<7>());
    let high = d.shr::<31>().xor(d.shr::<30>()).xor(d.shr::<25>());
    [low, a.xor(high), b, c]
}

/// The tweak times `x^i` in the lane of block `i`. For each bit of `i` that is set, the lane is multiplied by the
/// corresponding power.
#[inline(always)]
fn first<V: Words32>(token: V::Token, tweak: &[u8; BLOCK]) -> [V; 4] {
    let mut tweaks = everywhere::<V>(token, tweak);
    let bits = V::load_blocks(token, LOW_BITS.as_flattened());
    let [_, bit4, bit5, _] = V::load_blocks(token, NUMBERS.as_flattened());
    macro_rules! step {
        ($n:literal, $mask:expr, $times:expr) => {
            if V::LANES > $n {
                let [a, b, c, d] = masked::<V>($times, tweaks);
                let mask = $mask;
                tweaks = masked(tweaks, [a.and(mask), b.and(mask), c.and(mask), d.and(mask)]);
            }
        };
    }
    step!(1, bits[0], times!(1, 31, tweaks));
    step!(2, bits[1], times!(2, 30, tweaks));
    step!(4, bits[2], times!(4, 28, tweaks));
    step!(8, bits[3], times!(8, 24, tweaks));
    step!(16, bit4, times!(16, 16, tweaks));
    step!(32, bit5, times_word(tweaks));
    tweaks
}

/// The number of each block in a group, and bits 4 and 5 of it, each of these in all bits of a word.
static NUMBERS: [[u8; BLOCK]; MAX_LANES] = table(false);

/// Bits 0 to 3 of the number of each block in a group, each in all bits of a word.
static LOW_BITS: [[u8; BLOCK]; MAX_LANES] = table(true);

/// Computes [`LOW_BITS`] or [`NUMBERS`].
const fn table(low_bits: bool) -> [[u8; BLOCK]; MAX_LANES] {
    let mut table = [[0; BLOCK]; MAX_LANES];
    let mut i = 0;
    while i < MAX_LANES {
        let mut byte = 0;
        while byte < BLOCK {
            let bit = if low_bits { byte / 4 } else { byte / 4 + 3 };
            let all = if i >> bit & 1 == 1 { 0xff } else { 0 };
            table[i][byte] = match byte {
                0 if !low_bits => i as u8,
                1..4 | 12.. if !low_bits => 0,
                _ => all,
            };
            byte += 1;
        }
        i += 1;
    }
    table
}

/// Xors the words of blocks with masks.
#[inline(always)]
fn masked<V: Words32>([a, b, c, d]: [V; 4], masks: [V; 4]) -> [V; 4] {
    [a.xor(masks[0]), b.xor(masks[1]), c.xor(masks[2]), d.xor(masks[3])]
}

impl<const ENCRYPT: bool> Mode for Xts<'_, ENCRYPT> {
    #[inline(always)]
    fn groups<V: Words32>(&mut self, token: V::Token, keys: &Keys, data: &mut InOut<'_>) {
        token.vectorize(
            #[inline(always)]
            || {
                let mut tweaks = first(token, self.0);
                while let Some(mut batch) = data.take(BLOCK * V::LANES) {
                    let mut words = masked::<V>(V::load_blocks(token, batch.src()), tweaks);
                    crypt::<V, ENCRYPT>(token, keys, &mut words);
                    V::store_blocks(masked(words, tweaks), batch.dst());
                    tweaks = next(tweaks);
                }
                V::store_partial(tweaks, self.0);
            },
        );
    }

    #[inline(always)]
    fn last<V: Words32>(&mut self, token: V::Token, keys: &Keys, mut data: InOut<'_>) {
        enter::<V, _>(
            token,
            #[inline(always)]
            || {
                let blocks = data.len() / BLOCK;
                let tweaks = if blocks == 1 { V::load_partial(token, self.0) } else { first(token, self.0) };
                let mut words = masked::<V>(V::load_partial(token, data.src()), tweaks);
                crypt::<V, ENCRYPT>(token, keys, &mut words);
                V::store_partial(masked(words, tweaks), data.dst());
                let tweak = u128::from_le_bytes(*self.0);
                // Times x^blocks: x^128 is x^7 + x^2 + x + 1, and what is shifted out has 64 bits at most.
                let out = tweak >> (128 - blocks);
                *self.0 = ((tweak << blocks) ^ out ^ (out << 1) ^ (out << 2) ^ (out << 7)).to_le_bytes();
            },
        );
    }
}

/// CBC encryption, one block after the other. `chain` is the previous ciphertext block.
pub(super) fn cbc_encrypt<T: SerpentToken>(token: T, keys: &Keys, chain: &mut [u8; BLOCK], mut data: InOut<'_>) {
    let token = token.single();
    token.vectorize(
        #[inline(always)]
        || {
            let mut words = Word::<T::Single>::load_partial(token, chain);
            while let Some(mut block) = data.take(BLOCK) {
                words = masked(words, Word::<T::Single>::load_partial(token, block.src()));
                crypt::<Word<T::Single>, true>(token, keys, &mut words);
                Word::<T::Single>::store_partial(words, block.dst());
            }
            Word::<T::Single>::store_partial(words, chain);
        },
    );
}
