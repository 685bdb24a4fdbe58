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

use super::AeadToken;
use crate::InOut;
use crate::chacha::{self, BLOCK, ChaChaToken, rounds};
use crate::cpu::Token;
use crate::poly1305::one_time::{Halves, OneTime};
use crate::words32::{Quads, Words32};
use core::mem;
use zeroize::Zeroize;

/// Rounds, by two.
pub(super) const DOUBLE_ROUNDS: usize = 10;

/// Bytes of the largest batch.
const LARGEST: usize = 1024;

/// The widest vectors.
type Wide<T> = <<T as AeadToken>::Cipher as ChaChaToken>::Wide;

/// Vectors of the rows of two blocks.
type Row<T> = <<T as AeadToken>::Cipher as ChaChaToken>::Row;

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

/// Poly1305 under the key that block 0 is, which is overwritten.
#[inline(always)]
fn key_of(block: &mut [u8]) -> OneTime {
    let (key, _) = block.split_first_chunk_mut().expect("block 0");
    let hash = OneTime::new(key);
    key.zeroize();
    hash
}

/// `data` xored with the vectors of `stream`.
#[inline(always)]
fn xor_vectors<V: Quads>(stream: &[V], mut data: InOut<'_>) {
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

/// `data` xored with the front of `stream`, which has whole vectors.
#[inline(always)]
fn xor<V: Quads>(token: V::Token, stream: &[u8], mut data: InOut<'_>) {
    for keystream in stream.chunks_exact(V::BYTES) {
        let keystream = V::load(token, keystream);
        match data.take(V::BYTES) {
            Some(piece) => keystream.xor_into(piece),
            None => {
                if !data.is_empty() {
                    keystream.xor_into_partial(data);
                }
                return;
            }
        }
    }
}

/// What takes vectors into `stream`.
#[inline(always)]
fn into<V: Quads>(stream: &mut [u8]) -> impl FnMut(V) -> bool {
    let mut places = stream.chunks_exact_mut(V::BYTES);
    #[inline(always)]
    move |vector| {
        if let Some(place) = places.next() {
            vector.store(place);
        }
        true
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

impl<T: AeadToken> Kernel<'_, T> {
    /// Bytes of a batch.
    const BATCH: usize = BLOCK * Wide::<T>::LANES;

    /// Blocks of 16 bytes that a batch hashes in the later of its two halves.
    const HALF: usize = 2 * Wide::<T>::LANES;

    /// Steps of the hash at every four of the 42 calls between the rounds: of vectors of 4, 8 and 16
    /// lanes. They make up a half.
    const STEPS: usize = [0, 1, 2, 0, 3][Wide::<T>::LANES / 4];

    /// A whole message; the result is its tag.
    #[inline]
    pub(super) fn whole<const ENCRYPT: bool>(&self, nonce: &[u8; 12], aad: &[u8], text: InOut<'_>) -> [u8; 16] {
        // A short message does not pay for the stack of a long one.
        let cipher: T::Cipher = self.token.into();
        if text.len() <= BLOCK {
            cipher.vectorize(
                #[inline(always)]
                || {
                    if Row::<T>::QUADS == 1 {
                        self.few::<Row<T>, 2, ENCRYPT>(nonce, aad, text)
                    } else {
                        self.few::<Row<T>, 1, ENCRYPT>(nonce, aad, text)
                    }
                },
            )
        } else if text.len() <= 3 * BLOCK && Wide::<T>::QUADS > 1 {
            cipher.vectorize(
                #[inline(always)]
                || {
                    if Wide::<T>::QUADS == 2 {
                        self.few::<Wide<T>, 2, ENCRYPT>(nonce, aad, text)
                    } else {
                        self.few::<Wide<T>, 1, ENCRYPT>(nonce, aad, text)
                    }
                },
            )
        } else if text.len() < T::LONG.min(8 * BLOCK + 1) {
            self.short::<{ 9 * BLOCK }, ENCRYPT>(nonce, aad, text)
        } else if text.len() < T::LONG {
            self.short::<LARGEST, ENCRYPT>(nonce, aad, text)
        } else {
            self.long::<ENCRYPT>(nonce, aad, text)
        }
    }

    /// A message of less than `G` groups of blocks, in registers.
    #[inline(always)]
    fn few<V: Quads<Token = T::Cipher>, const G: usize, const ENCRYPT: bool>(
        &self,
        nonce: &[u8; 12],
        aad: &[u8],
        mut text: InOut<'_>,
    ) -> [u8; 16] {
        let cipher: T::Cipher = self.token.into();
        let mut stream = [V::splat(cipher, 0); 8];
        let mut places = stream.iter_mut();
        rounds::rows::<V, G>(
            cipher,
            self.key,
            row(nonce, 0),
            DOUBLE_ROUNDS,
            #[inline(always)]
            |_| {},
            #[inline(always)]
            |vector| places.next().map(|place| *place = vector).is_some(),
        );
        let mut block = [0; BLOCK];
        for (piece, vector) in block.chunks_exact_mut(V::BYTES).zip(stream).take(32usize.div_ceil(V::BYTES)) {
            vector.store(piece);
        }
        let mut hash = key_of(&mut block);
        hash.absorb_padded(aad);
        let lengths = lengths(aad.len() as u64, text.len() as u64);
        if !ENCRYPT {
            hash.absorb_padded(text.src());
        }
        xor_vectors(&stream[BLOCK / V::BYTES..4 * G], text.reborrow());
        if ENCRYPT {
            hash.absorb_padded(text.written());
        }
        hash.absorb_block(lengths);
        hash.finish()
    }

    /// The first keystream.
    #[inline(always)]
    fn keystream(&self, state: &mut [u32; 4], stream: &mut [u8]) {
        chacha::xor_or_nine(self.token.into(), self.key, state, DOUBLE_ROUNDS, InOut::from(stream));
    }

    /// `data` xored with the next keystream.
    #[inline(always)]
    fn crypt(&self, state: &mut [u32; 4], data: InOut<'_>) {
        if !data.is_empty() {
            chacha::xor(self.token.into(), self.key, state, DOUBLE_ROUNDS, data);
        }
    }

    /// `data` xored with `stream`.
    #[inline(always)]
    fn xor(&self, stream: &[u8], data: InOut<'_>) {
        let token: T::Cipher = self.token.into();
        token.vectorize(
            #[inline(always)]
            || xor::<Wide<T>>(token, stream, data),
        );
    }

    /// The hash under the key that block 0 in `stream` is, with the associated data in it.
    #[inline(always)]
    fn hash(&self, stream: &mut [u8], aad: &[u8]) -> OneTime {
        let mut hash = key_of(stream);
        self.token.hash(&mut hash, aad);
        hash
    }

    /// Keystream for block 0 and as much of the text as there is room for; then the text, in one piece, and the hash.
    fn short<const N: usize, const ENCRYPT: bool>(
        &self,
        nonce: &[u8; 12],
        aad: &[u8],
        mut text: InOut<'_>,
    ) -> [u8; 16] {
        let lengths = lengths(aad.len() as u64, text.len() as u64);
        let mut state = row(nonce, 0);
        let mut stream = [0; N];
        let first = text.len().min(N - BLOCK);
        self.keystream(&mut state, &mut stream[..BLOCK + first]);
        let mut hash = self.hash(&mut stream, aad);
        if !ENCRYPT {
            self.token.hash(&mut hash, text.src());
        }
        let (front, back) = text.reborrow().split_at(first);
        self.xor(&stream[BLOCK..], front);
        self.crypt(&mut state, back);
        if ENCRYPT {
            self.token.hash(&mut hash, text.written());
        }
        hash.absorb_block(lengths);
        hash.finish()
    }

    /// The keystream for `n` bytes, at most a batch.
    #[inline(always)]
    fn batch(&self, state: [u32; 4], n: usize, between: impl FnMut(&mut [Wide<T>]), sink: impl FnMut(Wide<T>) -> bool) {
        let cipher = self.token.into();
        let few = 2 * Wide::<T>::QUADS * BLOCK;
        if T::LEFT < few && n <= few {
            rounds::rows::<Wide<T>, 2>(cipher, self.key, state, DOUBLE_ROUNDS, between, sink);
        } else {
            rounds::columns::<Wide<T>>(cipher, self.key, state, DOUBLE_ROUNDS, between, sink);
        }
    }

    /// A message of several batches.
    fn long<const ENCRYPT: bool>(&self, nonce: &[u8; 12], aad: &[u8], mut text: InOut<'_>) -> [u8; 16] {
        let cipher: T::Cipher = self.token.into();
        let len = text.len();
        let mut state = row(nonce, 0);
        let (mut buffer, mut other) = ([0; LARGEST], [0; LARGEST]);
        let (mut stream, mut next) = (&mut buffer, &mut other);
        self.keystream(&mut state, &mut stream[..Self::BATCH]);
        let mut hash = self.hash(stream, aad);
        // What of `stream` has been used; how much of the text has keystream, and how much has been hashed.
        let (mut used, mut crypted, mut hashed) = (BLOCK, Self::BATCH - BLOCK, 0);
        if ENCRYPT {
            self.xor(&stream[used..Self::BATCH], text.reborrow().split_at(crypted).0);
        }
        cipher.vectorize(
            #[inline(always)]
            || {
                // Borrowed, not moved.
                let (stream, next) = (&mut stream, &mut next);
                let power = hash.power(Self::HALF);
                while len - crypted > T::LEFT {
                    let (before, batch) = text.reborrow().split_at(crypted);
                    let (_, before) = before.split_at(hashed);
                    let n = batch.len().min(Self::BATCH);
                    let mut halves =
                        Halves::new(&hash, Self::HALF, if ENCRYPT { before.written() } else { before.src() });
                    let between = steps(&mut halves, Self::STEPS);
                    if ENCRYPT {
                        self.batch(state, n, between, rounds::xor_into(batch.split_at(n).0));
                    } else {
                        self.batch(state, n, between, into(&mut next[..Self::BATCH]));
                    }
                    state[0] = state[0].wrapping_add(n.div_ceil(BLOCK) as u32);
                    halves.join(&mut hash, &power);
                    if !ENCRYPT {
                        xor::<Wide<T>>(cipher, &stream[used..Self::BATCH], before);
                        mem::swap(stream, next);
                        used = 0;
                    }
                    (hashed, crypted) = (crypted, crypted + n);
                }
            },
        );
        if !ENCRYPT {
            self.token.hash(&mut hash, &text.src()[hashed..]);
            let (before, _) = text.reborrow().split_at(crypted);
            self.xor(&stream[used..Self::BATCH], before.split_at(hashed).1);
        }
        self.crypt(&mut state, text.reborrow().split_at(crypted).1);
        if ENCRYPT {
            self.token.hash(&mut hash, &text.written()[hashed..]);
        }
        hash.absorb_block(lengths(aad.len() as u64, len as u64));
        hash.finish()
    }
}

/// Poly1305 under block 0.
pub(super) fn one_time<T: ChaChaToken>(token: T, key: &[[u32; 4]; 2], nonce: &[u8; 12]) -> OneTime {
    let mut block = [0; BLOCK];
    chacha::xor(token, key, &mut row(nonce, 0), DOUBLE_ROUNDS, InOut::from(&mut block[..]));
    key_of(&mut block)
}

/// Absorbs `bytes`, with zeros behind them up to a whole block, with 64-bit words.
#[inline(always)]
pub(super) fn hash<T: Token>(token: T, hash: &mut OneTime, bytes: &[u8]) {
    // From here on halves are worth the powers of r.
    const FROM: usize = 256;
    if bytes.len() < FROM {
        return token.vectorize(
            #[inline(always)]
            || hash.absorb_padded(bytes),
        );
    }
    token.vectorize(
        #[inline(always)]
        || {
            if bytes.len() < 2048 {
                hash.absorb_short(bytes);
            } else {
                let power = hash.power(32);
                hash.absorb_long(&power, bytes);
            }
        },
    );
}
