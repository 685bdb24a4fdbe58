//! Both algorithms over one message.
//!
//! ChaCha fills the vector units and leaves the integer multiplier idle; Poly1305 in 64-bit words is
//! bound by the latency of that multiplier. So the keystream of a batch is made while the ciphertext
//! of the batch before is hashed: four times in each double round there is a step of the hash, a block
//! of each of two halves (see [`Halves`]), on execution units that the rounds do not use.
//!
//! Block 0 of the keystream is the key of Poly1305. It is the first block of the first batch, whose
//! other blocks serve the text already: a short message takes one pass through the rounds.
//!
//! Decryption must not overwrite a batch before it has been hashed, so its keystream waits for one
//! batch; otherwise the directions are the same.

use super::StitchToken;
use super::rounds;
use crate::InOut;
use crate::chacha::BLOCK;
use crate::poly1305::one_time::{Halves, OneTime};
use crate::words32::{Quads, Words32};
use zeroize::Zeroize;

/// Rounds, by two.
const DOUBLE_ROUNDS: usize = 10;

/// A key, and the proof that this CPU can use it.
pub(super) struct Kernel<'k, T> {
    pub(super) token: T,
    pub(super) key: &'k [[u32; 4]; 2],
}

/// The last row of the matrix.
#[inline(always)]
pub(super) fn row(nonce: &[u8; 12], counter: u32) -> [u32; 4] {
    let [a, b, c, d, e, f, g, h, i, j, k, l] = *nonce;
    let [x, y, z] = [[a, b, c, d], [e, f, g, h], [i, j, k, l]].map(u32::from_le_bytes);
    [counter, x, y, z]
}

/// The block that the hash ends with.
#[inline(always)]
pub(super) fn lengths(aad_len: u64, text_len: u64) -> u128 {
    u128::from(text_len) << 64 | u128::from(aad_len)
}

/// Keystream: up to 16 vectors in the order of memory.
type Stream<V> = [V; 16];

/// What takes vectors into `stream`.
#[inline(always)]
fn into<V: Copy>(stream: &mut Stream<V>) -> impl FnMut(V) -> bool {
    let mut places = stream.iter_mut();
    #[inline(always)]
    move |vector| {
        if let Some(place) = places.next() {
            *place = vector;
        }
        true
    }
}

/// `data` xored with the vectors of `stream`.
#[inline(always)]
fn xor<V: Quads>(stream: &[V], mut data: InOut<'_>) {
    for vector in stream {
        match data.take(V::BYTES) {
            Some(piece) => vector.xor_into(piece),
            None => {
                if !data.is_empty() {
                    vector.xor_into_partial(data);
                }
                return;
            }
        }
    }
}

/// A step of the hash, kept where it is by pins, at so many of four calls.
#[inline(always)]
fn steps<V: Quads>(halves: &mut Halves<'_>, of_four: usize) -> impl FnMut(&mut [V]) {
    let mut call = 0;
    #[inline(always)]
    move |row| {
        row.iter_mut().for_each(|vector| *vector = vector.pin());
        if call % 4 < of_four {
            halves.step();
        }
        call += 1;
    }
}

/// Poly1305 under the key that block 0 is.
#[inline(always)]
fn one_time<V: Quads>(stream: &Stream<V>) -> OneTime {
    let mut block = [0; 64];
    let (first, second) = block.split_at_mut(V::BYTES);
    stream[0].store(first);
    if V::BYTES < 32 {
        stream[1].store(second);
    }
    let (key, _) = block.split_first_chunk_mut::<32>().expect("64 bytes");
    let hash = OneTime::new(key);
    key.zeroize();
    hash
}

impl<T: StitchToken> Kernel<'_, T> {
    /// Blocks of 16 bytes that a batch hashes in the later of its two halves.
    const HALF: usize = 2 * T::Wide::LANES;

    /// Steps of the hash at every four of the 42 calls between the rounds: of vectors of 4, 8 and 16
    /// lanes. They make up a half.
    const STEPS: usize = [0, 1, 2, 0, 3][T::Wide::LANES / 4];

    /// A whole message; the result is its tag.
    #[inline(always)]
    pub(super) fn whole<const ENCRYPT: bool>(&self, nonce: &[u8; 12], aad: &[u8], text: InOut<'_>) -> [u8; 16] {
        let blocks = 1 + text.len().div_ceil(BLOCK);
        // Each is a function of its own, with the stack that it needs.
        if blocks <= T::Row::QUADS {
            self.token.vectorize(
                #[inline(always)]
                || self.short::<1, ENCRYPT>(nonce, aad, text),
            )
        } else if blocks <= 2 * T::Row::QUADS {
            self.token.vectorize(
                #[inline(always)]
                || self.short::<2, ENCRYPT>(nonce, aad, text),
            )
        } else if T::FOUR_ROWS && blocks <= 3 * T::Row::QUADS {
            self.token.vectorize(
                #[inline(always)]
                || self.short::<3, ENCRYPT>(nonce, aad, text),
            )
        } else if T::FOUR_ROWS && blocks <= 4 * T::Row::QUADS {
            self.token.vectorize(
                #[inline(always)]
                || self.short::<4, ENCRYPT>(nonce, aad, text),
            )
        } else {
            self.token.vectorize(
                #[inline(always)]
                || self.long::<ENCRYPT>(nonce, aad, text),
            )
        }
    }

    /// A message whose text takes fewer than `G` groups of blocks.
    #[inline(always)]
    fn short<const G: usize, const ENCRYPT: bool>(
        &self,
        nonce: &[u8; 12],
        aad: &[u8],
        mut text: InOut<'_>,
    ) -> [u8; 16] {
        let mut stream = [T::Row::splat(self.token, 0); 16];
        rounds::rows::<T::Row, G>(
            self.token,
            self.key,
            row(nonce, 0),
            DOUBLE_ROUNDS,
            #[inline(always)]
            |_| {},
            into(&mut stream),
        );
        let lengths = lengths(aad.len() as u64, text.len() as u64);
        let mut hash = one_time(&stream);
        hash.absorb_padded(aad);
        let stream = &stream[BLOCK / T::Row::BYTES..4 * G];
        if ENCRYPT {
            xor(stream, text.reborrow());
            hash.absorb_short(text.written());
        } else {
            hash.absorb_short(text.src());
            xor(stream, text);
        }
        hash.absorb_block(lengths);
        hash.finish()
    }

    /// The keystream of the next `blocks`, at most a batch, while `halves` are hashed.
    #[inline(always)]
    fn stream(&self, state: &mut [u32; 4], blocks: usize, halves: &mut Halves<'_>) -> Stream<T::Wide> {
        let mut stream = [T::Wide::splat(self.token, 0); 16];
        let between = steps(halves, Self::STEPS);
        if blocks <= 2 * T::Wide::QUADS {
            let sink = into(&mut stream);
            rounds::rows::<T::Wide, 2>(self.token, self.key, *state, DOUBLE_ROUNDS, between, sink);
        } else {
            let sink = into(&mut stream);
            rounds::columns::<T::Wide>(self.token, self.key, *state, DOUBLE_ROUNDS, between, sink);
        }
        state[0] = state[0].wrapping_add(blocks as u32);
        stream
    }

    /// A message of any length.
    #[inline(always)]
    fn long<const ENCRYPT: bool>(&self, nonce: &[u8; 12], aad: &[u8], mut text: InOut<'_>) -> [u8; 16] {
        let lengths = lengths(aad.len() as u64, text.len() as u64);
        let mut state = row(nonce, 0);
        let mut stream = self.stream(&mut state, T::Wide::LANES, &mut Halves::none());
        let mut hash = one_time(&stream);
        self.hash_long(&mut hash, aad);
        let mut used = BLOCK / T::Wide::BYTES;
        let mut pending = text.take(text.len().min((T::Wide::LANES - 1) * BLOCK)).expect("no more than there is");
        if ENCRYPT {
            xor(&stream[used..], pending.reborrow());
        }
        if text.is_empty() {
            hash.absorb_short(if ENCRYPT { pending.written() } else { pending.src() });
        } else {
            let power = hash.power(Self::HALF);
            while !text.is_empty() {
                let mut batch = text.take(text.len().min(T::Wide::LANES * BLOCK)).expect("no more than there is");
                let mut halves =
                    Halves::new(&hash, Self::HALF, if ENCRYPT { pending.written() } else { pending.src() });
                let next = self.stream(&mut state, batch.len().div_ceil(BLOCK), &mut halves);
                halves.join(&mut hash, &power);
                if ENCRYPT {
                    xor(&next, batch.reborrow());
                } else {
                    xor(&stream[used..], pending);
                }
                (stream, used, pending) = (next, 0, batch);
            }
            hash.absorb_long(&power, if ENCRYPT { pending.written() } else { pending.src() });
        }
        if !ENCRYPT {
            xor(&stream[used..], pending);
        }
        hash.absorb_block(lengths);
        hash.finish()
    }

    /// A part of a message.
    pub(super) fn part<const ENCRYPT: bool>(&self, state: &mut [u32; 4], hash: &mut OneTime, mut text: InOut<'_>) {
        if !ENCRYPT {
            self.hash(hash, text.src());
        }
        crate::chacha::xor(self.token, self.key, state, DOUBLE_ROUNDS, text.reborrow());
        if ENCRYPT {
            self.hash(hash, text.written());
        }
    }

    /// Block 0.
    pub(super) fn one_time(&self, nonce: &[u8; 12]) -> OneTime {
        self.token.vectorize(
            #[inline(always)]
            || {
                let mut stream = [T::Row::splat(self.token, 0); 16];
                rounds::rows::<T::Row, 1>(
                    self.token,
                    self.key,
                    row(nonce, 0),
                    DOUBLE_ROUNDS,
                    #[inline(always)]
                    |_| {},
                    into(&mut stream),
                );
                one_time(&stream)
            },
        )
    }

    /// Absorbs `bytes`, with zeros behind them up to a whole block.
    pub(super) fn hash(&self, hash: &mut OneTime, bytes: &[u8]) {
        self.token.vectorize(
            #[inline(always)]
            || self.hash_long(hash, bytes),
        );
    }

    /// The same, inlined.
    #[inline(always)]
    fn hash_long(&self, hash: &mut OneTime, bytes: &[u8]) {
        if bytes.len() < 64 * Self::HALF {
            hash.absorb_short(bytes);
        } else {
            let power = hash.power(Self::HALF);
            hash.absorb_long(&power, bytes);
        }
    }
}
