//! Both algorithms over one message.
//!
//! Block 0 of the keystream is the key of Poly1305, and everything of the hash waits for it. How a message begins depends
//! on its length:
//!
//! * Few blocks go by rows, all in one pass, and the keystream stays in registers. From four on, block 0 has vectors of its
//!   own: it is there sooner than the wider ones of the text, and the powers of *r* are made meanwhile.
//! * More go by columns, with block 0 as the first of them, if that saves a pass of the rounds. What is opened must not be
//!   overwritten before it has been hashed, so its keystream waits in a buffer.
//! * Of long texts block 0 is made by itself, if they are being opened, or hashed apart from the rounds.
//!
//! ChaCha fills the vector units and leaves the integer multiplier idle. So where Poly1305 is in 64-bit words, steps of it
//! stand between the rounds of a batch, a block of each of two halves (see [`Halves`]): when opening, of the batch
//! itself, when sealing, of the one before. On Zen 4 a step of two blocks takes 22 cycles of the integer units: half of the
//! operations that one of the four may get are multiplications that no other can do. Five of them are free beside two
//! rounds of 32 blocks, and six cost 20 cycles; but their registers and those of 32 blocks do not fit side by side, and
//! what the compiler then moves costs more than the hash. With the 52-bit multiplier 1024 bytes take 200 cycles, so there
//! each goes by itself.

use super::AeadToken;
use crate::InOut;
use crate::chacha::columns::{self, Columns};
use crate::chacha::{self, BLOCK, ChaChaToken, rounds};
use crate::cpu::Token;
use crate::poly1305::one_time::{Halves, OneTime};
use crate::simd::each;
use crate::words32::{Quads, Words32};
use zeroize::{Zeroize, optimization_barrier};

/// Rounds, by two.
pub(super) const DOUBLE_ROUNDS: usize = 10;

/// The widest vectors.
type Wide<T> = <<T as AeadToken>::Cipher as ChaChaToken>::Wide;

/// Vectors of the rows of two blocks.
type Row<T> = <<T as AeadToken>::Cipher as ChaChaToken>::Row;

/// Columns of more blocks than that.
type Middle<T> = <<T as AeadToken>::Cipher as ChaChaToken>::Middle;

/// Vectors of the rows of one block.
type Narrow<T> = <<T as AeadToken>::Cipher as ChaChaToken>::Narrow;

/// A key, and the proof that this CPU can use it.
pub(super) struct Kernel<'k, T> {
    pub(super) token: T,
    pub(super) key: &'k [[u32; 4]; 2],
}

/// The last row of the matrix.
#[inline(always)]
pub(super) fn row(nonce: &[u8; 12], counter: u32) -> [u32; 4] {
    let [a, b, c, d, e, f, g, h, i, j, k, l] = *nonce;
    let [x, y, z] = each([[a, b, c, d], [e, f, g, h], [i, j, k, l]], u32::from_le_bytes);
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

/// Poly1305 under block 0, of which `vectors` are the front.
#[inline(always)]
fn key_in<V: Quads>(vectors: &[V]) -> OneTime {
    let mut block = [0; BLOCK];
    for (piece, vector) in block.chunks_exact_mut(V::BYTES).zip(vectors).take(32usize.div_ceil(V::BYTES)) {
        vector.store(piece);
    }
    key_of(&mut block)
}

/// `data` xored with the front of `stream`.
#[inline(always)]
fn xor<V: Quads>(token: V::Token, stream: &[u8], mut data: InOut<'_>) {
    let (whole, rest) = stream.split_at(stream.len() - stream.len() % V::BYTES);
    for keystream in whole.chunks_exact(V::BYTES) {
        if let Some(piece) = data.take(V::BYTES) {
            V::load(token, keystream).xor_into(piece);
        }
    }
    data.xor(rest);
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

/// A step of the hash, kept where it is by pins, at so many of four calls.
#[inline(always)]
fn steps<V: Words32>(halves: &mut Halves<'_>, of_four: usize) -> impl FnMut(&mut [V]) {
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
        let blocks = text.len().div_ceil(BLOCK);
        let token = self.token;
        if blocks <= 1 {
            token.vectorize(
                #[inline(always)]
                || {
                    if Row::<T>::QUADS == 1 {
                        self.few::<Row<T>, 2, ENCRYPT>(nonce, aad, text)
                    } else {
                        self.few::<Row<T>, 1, ENCRYPT>(nonce, aad, text)
                    }
                },
            )
        } else if blocks < 4 && Wide::<T>::QUADS > 1 {
            token.vectorize(
                #[inline(always)]
                || {
                    if Wide::<T>::QUADS == 2 {
                        self.few::<Wide<T>, 2, ENCRYPT>(nonce, aad, text)
                    } else {
                        self.few::<Wide<T>, 1, ENCRYPT>(nonce, aad, text)
                    }
                },
            )
        } else if blocks <= Wide::<T>::QUADS {
            token.vectorize(
                #[inline(always)]
                || self.some::<1, ENCRYPT>(nonce, aad, text),
            )
        } else if blocks <= 2 * Wide::<T>::QUADS {
            token.vectorize(
                #[inline(always)]
                || self.some::<2, ENCRYPT>(nonce, aad, text),
            )
        } else if T::APART {
            self.apart::<ENCRYPT>(nonce, aad, text)
        } else {
            self.many::<ENCRYPT>(nonce, aad, text)
        }
    }

    /// A message of less than `G` groups of blocks, with block 0 in the first.
    #[inline(always)]
    fn few<V: Quads<Token = T::Cipher>, const G: usize, const ENCRYPT: bool>(
        &self,
        nonce: &[u8; 12],
        aad: &[u8],
        text: InOut<'_>,
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
            |vector| places.next().map(|place| *place = vector).is_some(),
        );
        self.end::<V, true, ENCRYPT>(key_in(&stream), aad, &stream[BLOCK / V::BYTES..4 * G], text)
    }

    /// A message of at most `G` groups of blocks, besides block 0.
    #[inline(always)]
    fn some<const G: usize, const ENCRYPT: bool>(&self, nonce: &[u8; 12], aad: &[u8], text: InOut<'_>) -> [u8; 16] {
        let cipher: T::Cipher = self.token.into();
        let (zero, stream) =
            rounds::one_and_rows::<Narrow<T>, Wide<T>, G>(cipher, self.key, row(nonce, 0), DOUBLE_ROUNDS);
        self.end::<Wide<T>, false, ENCRYPT>(key_in(&zero), aad, stream.as_flattened(), text)
    }

    /// The hash of a message whose keystream is there; a `SHORT` one is not worth powers.
    #[inline(always)]
    fn end<V: Quads, const SHORT: bool, const ENCRYPT: bool>(
        &self,
        mut hash: OneTime,
        aad: &[u8],
        stream: &[V],
        mut text: InOut<'_>,
    ) -> [u8; 16] {
        let ready = if SHORT { None } else { Some(self.token.ready(&hash, text.len())) };
        hash.absorb_padded(aad);
        let lengths = lengths(aad.len() as u64, text.len() as u64);
        if ENCRYPT {
            xor_vectors(stream, text.reborrow());
        }
        let ciphertext = if ENCRYPT { text.written() } else { text.src() };
        match ready {
            Some(ready) => self.token.hash_with(&mut hash, ready, ciphertext),
            None => hash.absorb_padded(ciphertext),
        }
        if !ENCRYPT {
            xor_vectors(stream, text);
        }
        hash.absorb_block(lengths);
        hash.finish()
    }

    /// A message of more blocks than that, whose hash goes by itself.
    fn apart<const ENCRYPT: bool>(&self, nonce: &[u8; 12], aad: &[u8], mut text: InOut<'_>) -> [u8; 16] {
        /// Bytes that are still in the nearest cache when they are read or written again.
        const NEAR: usize = 16 << 10;
        let (cipher, len) = (self.token.into(), text.len());
        let mut hash = if len <= Self::WITH_KEY {
            let mut hash = self.with_key::<{ 24 * BLOCK }, ENCRYPT>(nonce, aad, text.reborrow());
            if ENCRYPT {
                self.token.hash(&mut hash, text.written());
            }
            hash
        } else {
            let mut hash = self.key_alone(nonce, aad);
            let mut state = row(nonce, 1);
            let mut rest = text.reborrow();
            while !rest.is_empty() {
                let mut near = rest.take(rest.len().min(NEAR)).expect("no more than there is");
                if !ENCRYPT {
                    self.token.hash(&mut hash, near.src());
                }
                chacha::xor(cipher, self.key, &mut state, DOUBLE_ROUNDS, near.reborrow());
                if ENCRYPT {
                    self.token.hash(&mut hash, near.written());
                }
            }
            hash
        };
        hash.absorb_block(lengths(aad.len() as u64, len as u64));
        hash.finish()
    }

    /// Block 0 and at most [`Self::WITH_KEY`] bytes of text in one pass; `N` bytes have room for the keystream of that.
    /// What is opened is hashed.
    fn with_key<const N: usize, const ENCRYPT: bool>(
        &self,
        nonce: &[u8; 12],
        aad: &[u8],
        mut text: InOut<'_>,
    ) -> OneTime {
        let (cipher, state, mut zero) = (self.token.into(), row(nonce, 0), [0; BLOCK]);
        if ENCRYPT {
            chacha::xor_after(cipher, self.key, state, DOUBLE_ROUNDS, &mut zero, text.reborrow());
            let mut hash = key_of(&mut zero);
            self.token.hash(&mut hash, aad);
            return hash;
        }
        let mut keystream = [0; N];
        let keystream = &mut keystream[..text.len()];
        chacha::xor_after(cipher, self.key, state, DOUBLE_ROUNDS, &mut zero, InOut::from(&mut *keystream));
        let mut hash = key_of(&mut zero);
        self.token.hash(&mut hash, aad);
        self.token.hash(&mut hash, text.src());
        cipher.vectorize(
            #[inline(always)]
            || xor::<Wide<T>>(cipher, keystream, text),
        );
        keystream.fill(0);
        optimization_barrier(keystream);
        hash
    }

    /// Block 0 by itself.
    fn key_alone(&self, nonce: &[u8; 12], aad: &[u8]) -> OneTime {
        let mut hash = one_time(self.token.into(), self.key, nonce);
        self.token.hash(&mut hash, aad);
        hash
    }

    /// As many bytes of text go with block 0.
    const WITH_KEY: usize = BLOCK * (if T::APART { Middle::<T>::LANES } else { Wide::<T>::LANES } - 1);

    /// A message of more blocks than that, hashed beside the rounds: what is opened in its own batch, before it is
    /// overwritten, what is sealed in the next.
    fn many<const ENCRYPT: bool>(&self, nonce: &[u8; 12], aad: &[u8], mut text: InOut<'_>) -> [u8; 16] {
        let (cipher, len): (T::Cipher, _) = (self.token.into(), text.len());
        let mut crypted = if ENCRYPT || len <= Self::WITH_KEY { len.min(Self::WITH_KEY) } else { 0 };
        let mut hash = if crypted > 0 {
            self.with_key::<{ 16 * BLOCK }, ENCRYPT>(nonce, aad, text.reborrow().split_at(crypted).0)
        } else {
            self.key_alone(nonce, aad)
        };
        let mut hashed = if ENCRYPT { 0 } else { crypted };
        if crypted < len {
            let mut state = row(nonce, 1 + (crypted / BLOCK) as u32);
            cipher.vectorize(
                #[inline(always)]
                || {
                    let power = hash.power(Self::HALF);
                    while crypted < len {
                        let (before, batch) = text.reborrow().split_at(crypted);
                        let (_, before) = before.split_at(hashed);
                        let (mut batch, _) = {
                            let n = batch.len().min(Self::BATCH);
                            batch.split_at(n)
                        };
                        let n = batch.len();
                        let bytes = if ENCRYPT { before.written() } else { batch.src() };
                        let mut m = columns::matrix::<Wide<T>>(cipher, self.key, state);
                        if bytes.len() < 16 * Self::HALF {
                            self.token.hash(&mut hash, bytes);
                            for _ in 0..DOUBLE_ROUNDS {
                                columns::double_round(&mut m, &mut rounds::nothing);
                            }
                        } else {
                            let mut halves = Halves::new(&hash, Self::HALF, bytes);
                            {
                                let mut between = steps(&mut halves, Self::STEPS);
                                for _ in 0..DOUBLE_ROUNDS {
                                    columns::double_round(&mut m, &mut between);
                                }
                            }
                            halves.join(&mut hash, &power);
                            hash.absorb_padded(&bytes[bytes.len() / 16 * 16..]);
                        }
                        Columns::finish(cipher, m, self.key, state, &mut batch.reborrow().into());
                        (hashed, crypted) = (if ENCRYPT { crypted } else { crypted + n }, crypted + n);
                        state[0] = state[0].wrapping_add(n.div_ceil(BLOCK) as u32);
                    }
                },
            );
        }
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
