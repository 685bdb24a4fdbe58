//! Both algorithms over one message.
//!
//! Block 0 of the keystream is the key of Poly1305. What a message costs is how long things wait for each other, so there
//! are three ways to begin.
//!
//! * A short text takes one pass of the rounds, by rows: block 0 in vectors of its own, which are done sooner than the
//!   wider ones of the text. The keystream stays in registers, and of an arriving text the hash begins before it is there.
//! * A longer one takes a pass by columns, block 0 first. What is sealed is hashed when it has been written. What is
//!   opened waits for the hash in a buffer, if it is short, ...
//! * From then on, batches. ChaCha fills the vector units and leaves the integer multiplier idle; Poly1305 in 64-bit words
//!   is bound by the latency of that multiplier. So between the rounds of a batch stand steps of the hash, a block of each
//!   of two halves (see [`Halves`]): when opening, of the batch itself, which is overwritten after its rounds, and when sealing,
//!   of the batch before.

use super::AeadToken;
use crate::InOut;
use crate::chacha::columns::{self, Columns};
use crate::chacha::{self, BLOCK, ChaChaToken, rounds};
use crate::cpu::Token;
use crate::poly1305::one_time::{Halves, OneTime, Power};
use crate::words32::{Quads, Words32};
use zeroize::Zeroize;

/// Rounds, by two.
pub(super) const DOUBLE_ROUNDS: usize = 10;

/// The widest vectors.
type Wide<T> = <<T as AeadToken>::Cipher as ChaChaToken>::Wide;

/// Vectors of the rows of two blocks.
type Row<T> = <<T as AeadToken>::Cipher as ChaChaToken>::Row;

/// Vectors of the rows of one block.
type Narrow<T> = <<T as AeadToken>::Cipher as ChaChaToken>::Narrow;

/// Columns of a batch.
type Bulk<T> = <<T as AeadToken>::Cipher as ChaChaToken>::Bulk;

/// Columns of the end of a text.
type Middle<T> = <<T as AeadToken>::Cipher as ChaChaToken>::Middle;

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

/// Poly1305 under block 0, of which `vectors` are the front.
#[inline(always)]
fn key_in<V: Quads>(vectors: &[V]) -> OneTime {
    let mut block = [0; BLOCK];
    for (piece, vector) in block.chunks_exact_mut(V::BYTES).zip(vectors).take(32usize.div_ceil(V::BYTES)) {
        vector.store(piece);
    }
    key_of(&mut block)
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

impl<T: AeadToken> Kernel<'_, T> {
    /// Bytes of a batch.
    const BATCH: usize = BLOCK * Bulk::<T>::LANES;

    /// A whole message; the result is its tag.
    #[inline]
    pub(super) fn whole<const ENCRYPT: bool>(&self, nonce: &[u8; 12], aad: &[u8], text: InOut<'_>) -> [u8; 16] {
        let blocks = text.len().div_ceil(BLOCK);
        let cipher: T::Cipher = self.token.into();
        if blocks <= 1 {
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
        } else if blocks <= Wide::<T>::QUADS {
            cipher.vectorize(
                #[inline(always)]
                || self.some::<1, ENCRYPT>(nonce, aad, text),
            )
        } else if blocks <= 2 * Wide::<T>::QUADS {
            cipher.vectorize(
                #[inline(always)]
                || self.some::<2, ENCRYPT>(nonce, aad, text),
            )
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
        self.end::<V, ENCRYPT>(key_in(&stream), aad, &stream[BLOCK / V::BYTES..4 * G], text)
    }

    /// A message of at most `G` groups of blocks, besides block 0.
    #[inline(always)]
    fn some<const G: usize, const ENCRYPT: bool>(&self, nonce: &[u8; 12], aad: &[u8], text: InOut<'_>) -> [u8; 16] {
        let cipher: T::Cipher = self.token.into();
        let (zero, stream) =
            rounds::one_and_rows::<Narrow<T>, Wide<T>, G>(cipher, self.key, row(nonce, 0), DOUBLE_ROUNDS);
        self.end::<Wide<T>, ENCRYPT>(key_in(&zero), aad, stream.as_flattened(), text)
    }

    /// The hash of a message whose keystream is there.
    #[inline(always)]
    fn end<V: Quads, const ENCRYPT: bool>(
        &self,
        mut hash: OneTime,
        aad: &[u8],
        stream: &[V],
        mut text: InOut<'_>,
    ) -> [u8; 16] {
        hash.absorb_padded(aad);
        let lengths = lengths(aad.len() as u64, text.len() as u64);
        if !ENCRYPT {
            hash.absorb_short(text.src());
        }
        xor_vectors(stream, text.reborrow());
        if ENCRYPT {
            hash.absorb_short(text.written());
        }
        hash.absorb_block(lengths);
        hash.finish()
    }

    /// A message of more blocks than that.
    fn many<const ENCRYPT: bool>(&self, nonce: &[u8; 12], aad: &[u8], mut text: InOut<'_>) -> [u8; 16] {
        let len = text.len();
        let beside_key = Self::BATCH - BLOCK;
        let (front, mut hash);
        if T::KEY_FIRST && (!ENCRYPT || len > beside_key) {
            front = 0;
            hash = one_time(self.token.into(), self.key, nonce);
            self.token.hash(&mut hash, aad);
        } else {
            front = len.min(beside_key);
            hash = self.with_key::<ENCRYPT>(nonce, aad, text.reborrow().split_at(front).0);
        }
        let mut hashed = if ENCRYPT { 0 } else { front };
        if front < len {
            hashed = self.batches::<ENCRYPT>(&mut hash, nonce, text.reborrow(), front);
        }
        if ENCRYPT {
            self.token.hash(&mut hash, &text.written()[hashed..]);
        }
        hash.absorb_block(lengths(aad.len() as u64, len as u64));
        hash.finish()
    }

    /// Block 0 and text in one pass; the text is hashed if it is being opened.
    fn with_key<const ENCRYPT: bool>(&self, nonce: &[u8; 12], aad: &[u8], mut text: InOut<'_>) -> OneTime {
        let (cipher, state, mut zero) = (self.token.into(), row(nonce, 0), [0; BLOCK]);
        if ENCRYPT {
            chacha::xor_after(cipher, self.key, state, DOUBLE_ROUNDS, &mut zero, text);
            let mut hash = key_of(&mut zero);
            self.token.hash(&mut hash, aad);
            return hash;
        }
        let mut keystream = [0; 7 * BLOCK];
        let keystream = &mut keystream[..text.len()];
        chacha::xor_after(cipher, self.key, state, DOUBLE_ROUNDS, &mut zero, InOut::from(&mut *keystream));
        let mut hash = key_of(&mut zero);
        self.token.hash(&mut hash, aad);
        self.token.hash(&mut hash, text.src());
        text.xor(keystream);
        hash
    }

    /// A batch of at most `LANES` blocks, and beside its rounds the hash of `before`, or of `data` before it is
    /// overwritten.
    #[inline(always)]
    fn batch<C: Columns<Token = T::Cipher>, const S: usize>(
        &self,
        state: [u32; 4],
        hash: &mut OneTime,
        power: &Power,
        before: Option<&[u8]>,
        data: InOut<'_>,
    ) {
        let cipher = self.token.into();
        let mut halves = Halves::new(hash, power, before.unwrap_or(data.src()));
        let mut m = columns::matrix::<C>(cipher, self.key, state);
        let beside = halves.times::<S>().min(DOUBLE_ROUNDS);
        for _ in 0..beside {
            let [front, back] = halves.next::<S>();
            let mut call = 0;
            columns::double_round(
                &mut m,
                #[inline(always)]
                |row| {
                    // Kept where they are by pins.
                    row.iter_mut().for_each(|vector| *vector = vector.pin());
                    for i in call * S / 4..(call + 1) * S / 4 {
                        halves.step(&front[i], &back[i]);
                    }
                    call += 1;
                },
            );
        }
        for _ in beside..DOUBLE_ROUNDS {
            columns::double_round(&mut m, rounds::nothing);
        }
        halves.join(hash, power);
        C::finish(cipher, m, self.key, state, &mut data.into());
    }

    /// The text from `crypted` on, in batches. What is opened is hashed; of what is sealed, the result says how much.
    fn batches<const ENCRYPT: bool>(
        &self,
        hash: &mut OneTime,
        nonce: &[u8; 12],
        mut text: InOut<'_>,
        mut crypted: usize,
    ) -> usize {
        let cipher: T::Cipher = self.token.into();
        let mut hashed = 0;
        let mut state = row(nonce, 1 + (crypted / BLOCK) as u32);
        cipher.vectorize(
            #[inline(always)]
            || {
                let power = hash.power(half::<Bulk<T>>());
                while text.len() - crypted > T::Cipher::BULK_ABOVE * BLOCK {
                    let (before, batch) = text.reborrow().split_at(crypted);
                    let n = batch.len().min(Self::BATCH);
                    let before = if ENCRYPT { Some(&before.written()[hashed..]) } else { None };
                    self.batch::<Bulk<T>, 6>(state, hash, &power, before, batch.split_at(n).0);
                    (hashed, crypted) = (crypted, crypted + n);
                    state[0] = state[0].wrapping_add(n.div_ceil(BLOCK) as u32);
                }
            },
        );
        let left = text.len() - crypted;
        if Middle::<T>::LANES < Bulk::<T>::LANES && left > Row::<T>::LANES * BLOCK {
            cipher.vectorize(
                #[inline(always)]
                || {
                    let power = hash.power(half::<Middle<T>>());
                    let (before, batch) = text.reborrow().split_at(crypted);
                    let before = if ENCRYPT { Some(&before.written()[hashed..]) } else { None };
                    self.batch::<Middle<T>, 5>(state, hash, &power, before, batch);
                },
            );
            return crypted;
        }
        if left > 0 {
            let (_, batch) = text.split_at(crypted);
            if !ENCRYPT {
                self.token.hash(hash, batch.src());
            }
            chacha::xor(cipher, self.key, &mut state, DOUBLE_ROUNDS, batch);
        }
        hashed
    }
}

/// Blocks of 16 bytes that a batch hashes in the later of its halves: a power of two.
const fn half<C: Columns>() -> usize {
    1 << (2 * C::LANES).ilog2()
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
