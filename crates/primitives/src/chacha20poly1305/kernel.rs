//! Both algorithms over one message.
//!
//! Block 0 of the keystream is the key of Poly1305, and the hash waits for it. A message takes one of two ways:
//!
//! * The keystream of a short text is computed by rows and stays in registers. Block 0 is computed in general registers
//!   meanwhile, where a chain of 20 rounds is shortest.
//! * A longer text is cut into batches, whose keystream is computed by columns. Block 0 is the first block of the first
//!   batch. Each batch of ciphertext is hashed while the keystream of the next is computed. Plaintext that has been
//!   decrypted waits in a buffer until its ciphertext has been hashed, which it may overwrite.
//!
//! ChaCha fills the vector units and leaves the integer multiplier idle. So where Poly1305 is in 64-bit words, its steps
//! stand between the rounds, a block of each of two halves (see [`Halves`]). Where there is a vector multiplier of 52 bits,
//! the hash is so fast that it goes by itself.

use super::AeadToken;
use crate::InOut;
use crate::chacha::columns::{self, Columns};
use crate::chacha::{self, BLOCK, ChaChaToken, rounds};
use crate::cpu::Token;
use crate::poly1305::one_time::{Halves, OneTime, Power};
use crate::simd::{align_frame, each};
use crate::words32::{Quads, Words32};
use zeroize::{Zeroize, optimization_barrier};

/// Rounds, by two.
pub(super) const DOUBLE_ROUNDS: usize = 10;

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

/// Poly1305 under the front half of block 0.
#[inline(always)]
fn key_in(block: &[[u32; 4]; 4]) -> OneTime {
    let mut key = [0; 32];
    for (bytes, word) in key.chunks_exact_mut(4).zip(block.as_flattened()) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    OneTime::new(&key)
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

/// What to call between the rounds: it takes a step of the hash at `of_four` of every four calls, and pins keep the step
/// in its place.
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

/// How far a text has got: `hashed` and then `crypted` bytes of it. Plaintext that has been decrypted waits in a buffer
/// until its ciphertext, which it may overwrite, has been hashed.
struct Progress<'t, const N: usize> {
    encrypt: bool,
    text: InOut<'t>,
    hashed: usize,
    crypted: usize,
    plaintext: [u8; N],
}

impl<const N: usize> Progress<'_, N> {
    /// Bytes that have not been encrypted or decrypted yet.
    #[inline(always)]
    fn left(&self) -> usize {
        self.text.len() - self.crypted
    }

    /// From where and to where the next `n` bytes are encrypted or decrypted.
    #[inline(always)]
    fn next(&mut self, n: usize) -> InOut<'_> {
        let at = self.crypted;
        self.crypted += n;
        if self.encrypt {
            self.text.reborrow().split_at(at).1.split_at(n).0
        } else {
            InOut::new(&self.text.src()[at..at + n], &mut self.plaintext[..n]).expect("both have `n` bytes")
        }
    }

    /// The ciphertext that is to be hashed next.
    #[inline(always)]
    fn ciphertext(&self) -> &[u8] {
        let all = if self.encrypt { self.text.written() } else { self.text.src() };
        &all[self.hashed..self.crypted]
    }

    /// The ciphertext has been hashed.
    #[inline(always)]
    fn release(&mut self) {
        if !self.encrypt {
            let n = self.crypted - self.hashed;
            self.text.dst()[self.hashed..self.crypted].copy_from_slice(&self.plaintext[..n]);
        }
        self.hashed = self.crypted;
    }
}

impl<T: AeadToken> Kernel<'_, T> {
    /// A whole message; the result is its tag.
    pub(super) fn whole(&self, encrypt: bool, nonce: &[u8; 12], aad: &[u8], text: InOut<'_>) -> [u8; 16] {
        let blocks = text.len().div_ceil(BLOCK);
        if blocks <= Row::<T>::QUADS {
            self.token.vectorize(
                #[inline(always)]
                || self.by_rows::<Row<T>, 1>(encrypt, nonce, aad, text),
            )
        } else if blocks <= 2 * Wide::<T>::QUADS {
            self.token.vectorize(
                #[inline(always)]
                || self.by_rows::<Wide<T>, 2>(encrypt, nonce, aad, text),
            )
        } else if T::SEPARATE {
            self.by_columns::<{ 24 * BLOCK }>(encrypt, nonce, aad, text)
        } else {
            self.by_columns::<{ 16 * BLOCK }>(encrypt, nonce, aad, text)
        }
    }

    /// A message of at most `G` vectors of blocks.
    #[inline(always)]
    fn by_rows<V: Quads<Token = T::Cipher>, const G: usize>(
        &self,
        encrypt: bool,
        nonce: &[u8; 12],
        aad: &[u8],
        mut text: InOut<'_>,
    ) -> [u8; 16] {
        let (zero, stream) = rounds::one_and_rows::<V, G>(self.token.into(), self.key, row(nonce, 0), DOUBLE_ROUNDS);
        let stream = stream.as_flattened();
        let mut hash = key_in(&zero);
        let ready = if G * V::QUADS <= 2 { None } else { Some(self.token.ready(&hash, text.len())) };
        hash.absorb_padded(aad);
        let lengths = lengths(aad.len() as u64, text.len() as u64);
        if encrypt {
            xor_vectors(stream, text.reborrow());
        }
        let ciphertext = if encrypt { text.written() } else { text.src() };
        match ready {
            Some(ready) => self.token.hash_with(&mut hash, ready, ciphertext),
            None => hash.absorb_padded(ciphertext),
        }
        if !encrypt {
            xor_vectors(stream, text);
        }
        hash.absorb_block(lengths);
        hash.finish()
    }

    /// A message of any length; `N` bytes have room for a batch.
    fn by_columns<const N: usize>(&self, encrypt: bool, nonce: &[u8; 12], aad: &[u8], text: InOut<'_>) -> [u8; 16] {
        let mut zero = [0; BLOCK];
        let lengths = lengths(aad.len() as u64, text.len() as u64);
        let mut progress = Progress { encrypt, text, hashed: 0, crypted: 0, plaintext: [0; N] };
        let first = progress.left().min(BLOCK * (T::Batch::LANES - 1));
        let state = row(nonce, 0);
        chacha::xor_after(self.token.into(), self.key, state, DOUBLE_ROUNDS, &mut zero, progress.next(first));
        let mut hash = key_of(&mut zero);
        self.token.hash(&mut hash, aad);
        if T::SEPARATE {
            self.separately(&mut progress, nonce, &mut hash);
        } else if progress.left() > 0 {
            let power = hash.power(Self::HALF);
            while progress.left() > 0 {
                if progress.left() > BLOCK * Wide::<T>::LANES {
                    self.together::<T::Batch, N>(&mut progress, nonce, &mut hash, &power);
                } else {
                    self.together::<Wide<T>, N>(&mut progress, nonce, &mut hash, &power);
                }
            }
        }
        self.token.hash(&mut hash, progress.ciphertext());
        progress.release();
        if !encrypt {
            progress.plaintext.fill(0);
            optimization_barrier(&progress.plaintext);
        }
        hash.absorb_block(lengths);
        hash.finish()
    }

    /// The cipher of the rest of a text, and the hash of all of it, one after the other.
    fn separately<const N: usize>(&self, progress: &mut Progress<'_, N>, nonce: &[u8; 12], hash: &mut OneTime) {
        /// Bytes that are still in the nearest cache when they are read or written again.
        const NEAR: usize = 16 << 10;
        let mut state = row(nonce, 1 + (progress.crypted / BLOCK) as u32);
        while progress.left() > 0 {
            let end = progress.crypted + progress.left().min(NEAR);
            if !progress.encrypt {
                self.token.hash(hash, &progress.text.src()[progress.hashed..end]);
                progress.release();
            }
            let text = progress.text.reborrow().split_at(end).0.split_at(progress.crypted).1;
            chacha::xor(self.token.into(), self.key, &mut state, DOUBLE_ROUNDS, text);
            if progress.encrypt {
                self.token.hash(hash, &progress.text.written()[progress.hashed..end]);
            }
            (progress.hashed, progress.crypted) = (end, end);
        }
    }

    /// Blocks of 16 bytes that are hashed in the later of two halves, beside the rounds of a batch.
    const HALF: usize = 2 * T::Batch::LANES;

    /// The cipher of a batch, by the columns `C`, beside the hash of the one before, which is of whole blocks.
    fn together<C: Columns<Token = T::Cipher>, const N: usize>(
        &self,
        progress: &mut Progress<'_, N>,
        nonce: &[u8; 12],
        hash: &mut OneTime,
        power: &Power,
    ) {
        let cipher: T::Cipher = self.token.into();
        cipher.vectorize(
            #[inline(always)]
            || {
                align_frame();
                let state = row(nonce, 1 + (progress.crypted / BLOCK) as u32);
                let mut m = columns::matrix::<C>(cipher, self.key, state);
                let mut halves = Halves::new(hash, Self::HALF, progress.ciphertext());
                {
                    let mut between = steps(&mut halves, T::Batch::LANES / 4);
                    for _ in 0..DOUBLE_ROUNDS {
                        columns::double_round(&mut m, &mut between);
                    }
                }
                halves.join(hash, power);
                progress.release();
                let n = progress.left().min(BLOCK * C::LANES);
                C::finish(cipher, m, self.key, state, &mut progress.next(n).into());
            },
        );
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
            let mut rest = bytes;
            if bytes.len() >= 2048 {
                let power = hash.power(32);
                rest = hash.by_halves(&power, rest);
            }
            hash.absorb_short(rest);
        },
    );
}
