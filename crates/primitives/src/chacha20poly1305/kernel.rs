//! ChaCha20 and Poly1305 over one message.
//!
//! Block 0 of the keystream is the key of Poly1305, and the hash cannot begin without it. A message takes one of two
//! ways:
//!
//! * A short text: its keystream is computed by rows and stays in registers. Block 0 is the first of these blocks
//!   ([`ChaChaVectors::KEY_IN_VECTORS`]), or it is computed meanwhile in general registers.
//! * A longer text is cut into batches, whose keystream is computed by columns. Each batch of ciphertext is hashed while
//!   keystream is computed: in encryption that of the next batch, in decryption its own. Block 0 is the first block of
//!   the first batch in encryption, which has nothing to hash beside it. In decryption it is computed before, where
//!   batches are long ([`Kernel::ZERO_IN_BATCH`]). Otherwise it is in the first batch too, and the plaintext of that batch
//!   waits in a buffer until its ciphertext has been hashed, because in place it would overwrite it. In encryption, one or two blocks
//!   after the last batch go by rows, beside which that batch is hashed by halves ([`Kernel::last`]).
//!
//! ChaCha fills the vector units and leaves the integer multiplier idle. So Poly1305 in 64-bit words has its steps
//! between the rounds, one block per step (see [`Steps`]). With a vector multiplier of 52 bits, the hash is so fast that
//! it runs by itself ([`AeadToken::SEPARATE`]). Then a longer text has its first 16 blocks by columns and up to eight more by rows, between
//! whose rounds block 0 is computed in general registers, and its keystream waits in a buffer for the hash of the ciphertext.

use super::AeadToken;
use crate::InOut;
use crate::chacha::columns::{self, Columns};
use crate::chacha::{self, BLOCK, ChaChaVectors, beside, rounds};
use crate::cpu::Token;
use crate::hash::wipe;
use crate::poly1305::one_time::{Halves, OneTime, Steps};
use crate::simd::{align_frame, each};
use crate::words32::{Quads, Words32};

/// Pairs of rounds.
pub(super) const DOUBLE_ROUNDS: usize = 10;

/// The widest vectors of the cipher.
type Wide<T> = <<T as AeadToken>::Cipher as ChaChaVectors>::Wide;

/// The cipher's vectors for the rows of two blocks.
type Row<T> = <<T as AeadToken>::Cipher as ChaChaVectors>::Row;

/// The number of bytes that stay in the first-level cache between two passes, also if another thread of the core uses half of it.
const NEAR: usize = 8 << 10;

/// The number of bytes in the largest first batch whose plaintext waits in a buffer.
const FIRST_BATCH: usize = 8 * BLOCK;

/// The number of blocks of Poly1305 in a half that is absorbed beside the rounds of the last blocks.
const HALF: usize = 16;

/// A key, and the token of the CPU that uses it.
pub(super) struct Kernel<'k, T> {
    pub(super) token: T,
    pub(super) key: &'k [[u32; 4]; 2],
}

/// The last row of ChaCha's matrix: counter and nonce.
#[inline(always)]
pub(super) fn row(nonce: &[u8; 12], counter: u32) -> [u32; 4] {
    let [a, b, c, d, e, f, g, h, i, j, k, l] = *nonce;
    let [x, y, z] = each([[a, b, c, d], [e, f, g, h], [i, j, k, l]], u32::from_le_bytes);
    [counter, x, y, z]
}

/// The last block of the hash: both lengths in bytes, little-endian.
#[inline(always)]
pub(super) fn lengths(aad_len: u64, text_len: u64) -> u128 {
    u128::from(text_len) << 64 | u128::from(aad_len)
}

/// Poly1305 with a key, which is wiped.
#[inline(always)]
fn keyed(key: &mut [u8; 32]) -> OneTime {
    let hash = OneTime::new(key);
    wipe(key);
    hash
}

/// Poly1305 with the key at the beginning of block 0, which is wiped.
#[inline(always)]
fn key_of(block: &mut [u8]) -> OneTime {
    keyed(block.split_first_chunk_mut().expect("block 0").0)
}

/// Poly1305 with the first half of block 0 as the key. The block is wiped.
#[inline(always)]
fn key_in(block: &mut [[u32; 4]; 4]) -> OneTime {
    let mut key = [0; 32];
    for (bytes, word) in key.chunks_exact_mut(4).zip(block.as_flattened()) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    wipe(block);
    keyed(&mut key)
}

/// Xors the vectors of `stream` to `data`; those beyond its end are not used.
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

/// Steps of Poly1305 between the rounds of a batch: in every four calls `of_four`, evenly spread. Pins keep the compiler from moving
/// them.
struct Between<'s, 'a> {
    steps: &'s mut Steps<'a>,
    of_four: usize,
    call: usize,
}

impl rounds::Between for Between<'_, '_> {
    #[inline(always)]
    fn call<V: Words32>(&mut self, row: &mut [V]) {
        row.iter_mut().for_each(|vector| *vector = vector.pin());
        if self.call * self.of_four % 4 < self.of_four {
            for _ in 0..self.of_four.div_ceil(4) {
                self.steps.step();
            }
        }
        self.call += 1;
    }
}

/// The progress of a text: its first `hashed` bytes are hashed, and its first `crypted` bytes are encrypted or decrypted.
struct Progress<'t> {
    encrypt: bool,
    text: InOut<'t>,
    /// The last row of the matrix of the text's first block.
    first: [u32; 4],
    hashed: usize,
    crypted: usize,
}

impl Progress<'_> {
    /// The number of bytes that have not been encrypted or decrypted yet.
    #[inline(always)]
    fn left(&self) -> usize {
        self.text.len() - self.crypted
    }

    /// The source and the destination of the next `n` bytes to be encrypted or decrypted.
    #[inline(always)]
    fn next(&mut self, n: usize) -> InOut<'_> {
        let at = self.crypted;
        self.crypted += n;
        self.text.reborrow().split_at(at).1.split_at(n).0
    }

    /// The number of bytes that are encrypted and not hashed yet.
    #[inline(always)]
    fn pending(&self) -> usize {
        self.crypted - self.hashed
    }

    /// The last row of the matrix of the next block.
    #[inline(always)]
    fn row(&self) -> [u32; 4] {
        let [counter, x, y, z] = self.first;
        [counter.wrapping_add((self.crypted / BLOCK) as u32), x, y, z]
    }

    /// The ciphertext before `end` that is not hashed yet.
    #[inline(always)]
    fn ciphertext(&mut self, end: usize) -> &[u8] {
        let begin = core::mem::replace(&mut self.hashed, end);
        &(if self.encrypt { self.text.written() } else { self.text.src() })[begin..end]
    }
}

impl<T: AeadToken> Kernel<'_, T> {
    /// Whether block 0 is in the first batch in decryption too. Then neither the rounds of that batch nor the hash of its text
    /// overlaps with anything. Where batches have four blocks, that costs less than block 0 by itself, except on x86-64: there, a
    /// block by itself takes some 80 ns, and a batch of four with SSSE3 156.
    const ZERO_IN_BATCH: bool = Wide::<T>::LANES < 8 && cfg!(not(target_arch = "x86_64"));

    /// The largest number of bytes that [`Self::last`] encrypts, or 0 if it is not used: batches have to be as long as its two halves. Shorter ones
    /// are not enough to hash, and kernels with longer ones have no room for more code.
    const LAST: usize = if Wide::<T>::LANES * BLOCK == 2 * HALF * 16 { BLOCK * Row::<T>::QUADS } else { 0 };

    /// Encrypts or decrypts a whole message and returns its tag.
    pub(super) fn whole(&self, encrypt: bool, nonce: &[u8; 12], aad: &[u8], text: InOut<'_>) -> [u8; 16] {
        let blocks = text.len().div_ceil(BLOCK);
        let rows = if T::Cipher::KEY_IN_VECTORS { 3 * Row::<T>::QUADS } else { 1 + Row::<T>::QUADS };
        if blocks < rows {
            return match blocks / Row::<T>::QUADS {
                _ if !T::Cipher::KEY_IN_VECTORS => self.by_one_and_rows::<Row<T>, 1>(encrypt, nonce, aad, text),
                0 => self.by_rows::<Row<T>, 1>(encrypt, nonce, aad, text),
                1 => self.by_rows::<Row<T>, 2>(encrypt, nonce, aad, text),
                _ => self.by_rows::<Row<T>, 3>(encrypt, nonce, aad, text),
            };
        }
        // Where rows are the widest vectors, the code above has taken every such text. The compiler knows that by the first condition.
        if 2 * Wide::<T>::QUADS >= rows && blocks <= 2 * Wide::<T>::QUADS {
            if T::Cipher::KEY_IN_VECTORS && blocks < 2 * Wide::<T>::QUADS {
                return self.by_rows::<Wide<T>, 2>(encrypt, nonce, aad, text);
            }
            return self.by_one_and_rows::<Wide<T>, 2>(encrypt, nonce, aad, text);
        }
        if !T::SEPARATE {
            return self.by_columns(encrypt, nonce, aad, text);
        }
        // Rows where other columns would have idle halves. So what is left fills more than half of the columns that it takes.
        let (columns, more) = (blocks / Wide::<T>::LANES, blocks % Wide::<T>::LANES);
        if columns > 0 && (1..=2 * Wide::<T>::QUADS).contains(&more) {
            self.by_one_and_columns::<2>(encrypt, nonce, aad, text)
        } else {
            self.by_one_and_columns::<0>(encrypt, nonce, aad, text)
        }
    }

    /// A message of at most `G` groups of blocks, of which the first block is block 0.
    fn by_rows<V: Quads<Token = T::Cipher>, const G: usize>(
        &self,
        encrypt: bool,
        nonce: &[u8; 12],
        aad: &[u8],
        text: InOut<'_>,
    ) -> [u8; 16] {
        self.token.vectorize(
            #[inline(always)]
            || {
                let stream =
                    rounds::keystream::<V, G>(self.token.into(), self.key, row(nonce, 0), DOUBLE_ROUNDS, || ());
                let (zero, stream) = stream.as_flattened().split_at(BLOCK / V::BYTES);
                let mut block = [0; BLOCK];
                block.chunks_exact_mut(V::BYTES).zip(zero).for_each(|(bytes, vector)| vector.store(bytes));
                self.with_keystream(encrypt, key_of(&mut block), stream, aad, text)
            },
        )
    }

    /// A message whose text is at most `G` groups of blocks.
    fn by_one_and_rows<V: Quads<Token = T::Cipher>, const G: usize>(
        &self,
        encrypt: bool,
        nonce: &[u8; 12],
        aad: &[u8],
        text: InOut<'_>,
    ) -> [u8; 16] {
        self.token.vectorize(
            #[inline(always)]
            || {
                let (mut zero, stream) =
                    rounds::one_and_rows::<V, G>(self.token.into(), self.key, row(nonce, 0), DOUBLE_ROUNDS);
                let hash = key_in(&mut zero);
                self.with_keystream(encrypt, hash, stream.as_flattened(), aad, text)
            },
        )
    }

    /// A message whose text begins with four groups of blocks by columns and `G` by rows.
    fn by_one_and_columns<const G: usize>(
        &self,
        encrypt: bool,
        nonce: &[u8; 12],
        aad: &[u8],
        text: InOut<'_>,
    ) -> [u8; 16] {
        self.token.vectorize(
            #[inline(always)]
            || {
                align_frame();
                let (mut zero, stream) =
                    beside::one_and_columns::<Wide<T>, G>(self.token.into(), self.key, row(nonce, 0), DOUBLE_ROUNDS);
                let hash = key_in(&mut zero);
                let stream = stream[..4 + G].as_flattened();
                if text.len() > stream.len() * Wide::<T>::BYTES {
                    return self.long(encrypt, hash, stream, nonce, aad, text);
                }
                self.with_keystream(encrypt, hash, stream, aad, text)
            },
        )
    }

    /// A message with its keystream, which is as long as the text or longer.
    #[inline(always)]
    fn with_keystream<V: Quads>(
        &self,
        encrypt: bool,
        mut hash: OneTime,
        stream: &[V],
        aad: &[u8],
        mut text: InOut<'_>,
    ) -> [u8; 16] {
        // For so short a text, 64-bit words are faster than the powers that vectors need.
        if stream.len() * V::BYTES > 5 * BLOCK {
            return self.medium(encrypt, &mut hash, stream, aad, text);
        }
        hash.absorb_padded(aad);
        let lengths = lengths(aad.len() as u64, text.len() as u64);
        if encrypt {
            xor_vectors(stream, text.reborrow());
        }
        let ciphertext = if encrypt { text.written() } else { text.src() };
        if stream.len() * V::BYTES < 4 * BLOCK {
            hash.absorb_padded(ciphertext);
        } else {
            hash.absorb_short(ciphertext);
        }
        if !encrypt {
            xor_vectors(stream, text);
        }
        hash.absorb_block(lengths);
        hash.finish()
    }

    /// [`Self::with_keystream`] for a longer text: one function for all lengths of keystream.
    #[inline(never)]
    fn medium<V: Quads>(
        &self,
        encrypt: bool,
        hash: &mut OneTime,
        stream: &[V],
        aad: &[u8],
        mut text: InOut<'_>,
    ) -> [u8; 16] {
        self.token.vectorize(
            #[inline(always)]
            || {
                let ready = self.token.ready(hash);
                hash.absorb_padded(aad);
                let lengths = lengths(aad.len() as u64, text.len() as u64);
                if encrypt {
                    xor_vectors(stream, text.reborrow());
                }
                self.token.hash_with(hash, ready, if encrypt { text.written() } else { text.src() });
                if !encrypt {
                    xor_vectors(stream, text);
                }
                hash.absorb_block(lengths);
                hash.finish()
            },
        )
    }

    /// A message with the keystream of its front. Its hash and its cipher do not overlap.
    fn long(
        &self,
        encrypt: bool,
        mut hash: OneTime,
        stream: &[Wide<T>],
        nonce: &[u8; 12],
        aad: &[u8],
        mut text: InOut<'_>,
    ) -> [u8; 16] {
        let lengths = lengths(aad.len() as u64, text.len() as u64);
        let crypted = stream.len() * Wide::<T>::BYTES;
        let hashed = if encrypt { 0 } else { text.len().min(NEAR) };
        self.token.hash(&mut hash, aad);
        self.token.hash(&mut hash, &text.src()[..hashed]);
        let front = text.reborrow().split_at(crypted).0;
        self.token.vectorize(
            #[inline(always)]
            || xor_vectors(stream, front),
        );
        self.separately(&mut Progress { encrypt, text, first: row(nonce, 1), hashed, crypted }, &mut hash);
        hash.absorb_block(lengths);
        hash.finish()
    }

    /// A message of any length.
    fn by_columns(&self, encrypt: bool, nonce: &[u8; 12], aad: &[u8], mut text: InOut<'_>) -> [u8; 16] {
        let lengths = lengths(aad.len() as u64, text.len() as u64);
        let first = BLOCK * if encrypt { Self::first_lanes(text.len()) } else { Wide::<T>::LANES } - BLOCK;
        let first = text.len().min(first);
        let (mut hash, hashed, crypted) = if encrypt {
            (self.first_batch(nonce, aad, text.reborrow().split_at(first).0), 0, first)
        } else if Self::ZERO_IN_BATCH {
            let mut plaintext = [0; FIRST_BATCH];
            let front = InOut::new(&text.src()[..first], &mut plaintext[..first]).expect("both have as many bytes");
            let mut hash = self.first_batch(nonce, aad, front);
            self.token.hash(&mut hash, &text.src()[..first]);
            text.dst()[..first].copy_from_slice(&plaintext[..first]);
            wipe(&mut plaintext);
            (hash, first, first)
        } else {
            let mut hash = one_time(self.token.into(), self.key, nonce);
            self.token.hash(&mut hash, aad);
            (hash, 0, 0)
        };
        self.rest(Progress { encrypt, text, first: row(nonce, 1), hashed, crypted }, &mut hash);
        hash.absorb_block(lengths);
        hash.finish()
    }

    /// The number of blocks in the first batch in encryption, with block 0: as many as in the batches after it, if these leave only what
    /// [`Self::last`] takes, or fill most of another one.
    fn first_lanes(text_len: usize) -> usize {
        let batch = BLOCK * T::Batch::LANES;
        let fits = (text_len + BLOCK + batch * 3 / 8) % batch <= batch / 2;
        if text_len >= 2 * batch && fits { T::Batch::LANES } else { Wide::<T>::LANES }
    }

    /// Encrypts or decrypts the front of a text by the first batch of keystream. Returns the hash after the associated data.
    fn first_batch(&self, nonce: &[u8; 12], aad: &[u8], front: InOut<'_>) -> OneTime {
        let mut zero = [0; BLOCK];
        chacha::xor_after(self.token.into(), self.key, row(nonce, 0), DOUBLE_ROUNDS, &mut zero, front);
        let mut hash = key_of(&mut zero);
        self.token.hash(&mut hash, aad);
        hash
    }

    /// Encrypts or decrypts a part of a text, and hashes it. `state` is the last row of the matrix of its first block, and
    /// then that of the next block. Only the last part may end within a block.
    pub(super) fn part(&self, encrypt: bool, state: &mut [u32; 4], hash: &mut OneTime, text: InOut<'_>) {
        let progress = Progress { encrypt, first: *state, hashed: 0, crypted: 0, text };
        state[0] = state[0].wrapping_add(progress.text.len().div_ceil(BLOCK) as u32);
        self.rest(progress, hash);
    }

    /// Encrypts or decrypts the rest of a text, and hashes what of it is not hashed.
    fn rest(&self, mut progress: Progress<'_>, hash: &mut OneTime) {
        if !T::SEPARATE {
            let wide = BLOCK * Wide::<T>::LANES;
            // In encryption, the first batch of `Wide` after those of `Batch` has more to hash than it can beside its rounds. A few of `Batch`
            // do not make up for that, unless the first batch is as long as they are.
            let many = |progress: &Progress<'_>| match progress.pending() {
                pending if pending > wide => wide + 1,
                _ => BLOCK * T::Batch::LANES * if progress.encrypt { 4 } else { 1 },
            };
            while progress.left() >= many(&progress) {
                self.together::<T::Batch>(&mut progress, hash);
            }
            // In encryption, the ciphertext of the batch before is to be hashed in any case.
            let few = |progress: &Progress<'_>| if progress.pending() > 0 { Self::LAST + 1 } else { wide / 2 };
            while progress.left() >= few(&progress) {
                self.together::<Wide<T>>(&mut progress, hash);
            }
            if Self::LAST > 0 && progress.left() > 0 && progress.pending() >= 2 * HALF * 16 {
                self.last(&mut progress, hash);
            }
        }
        self.separately(&mut progress, hash);
    }

    /// Encrypts or decrypts the rest of a text and hashes all of it, one after the other.
    fn separately(&self, progress: &mut Progress<'_>, hash: &mut OneTime) {
        let mut state = progress.row();
        loop {
            let n = progress.left().min(NEAR);
            let end = progress.crypted + n;
            if !progress.encrypt {
                self.token.hash(hash, progress.ciphertext(end));
            }
            chacha::xor(self.token.into(), self.key, &mut state, DOUBLE_ROUNDS, progress.next(n));
            if progress.encrypt {
                self.token.hash(hash, progress.ciphertext(end));
            }
            if progress.left() == 0 {
                return;
            }
        }
    }

    /// Encrypts the last blocks by rows, and hashes the batch before in two halves beside their rounds. The rounds of one vector are a single chain of
    /// dependences, and leave most of the CPU to the hash. A text of a power of two needs it, because block 0 leaves it one block for the end.
    fn last(&self, progress: &mut Progress<'_>, hash: &mut OneTime) {
        let cipher: T::Cipher = self.token.into();
        cipher.vectorize(
            #[inline(always)]
            || {
                let state = progress.row();
                let k = if progress.pending() >= 4 * HALF * 16 { 2 * HALF } else { HALF };
                let power = hash.power(k);
                let end = progress.hashed + 32 * k;
                let mut halves = Halves::new(hash, &power, progress.ciphertext(end));
                let stream = rounds::keystream::<Row<T>, 1>(
                    cipher,
                    self.key,
                    state,
                    DOUBLE_ROUNDS,
                    #[inline(always)]
                    || (0..k / 8).for_each(|_| _ = halves.step()),
                );
                halves.finish(hash, &power);
                let n = progress.left();
                xor_vectors(stream.as_flattened(), progress.next(n));
            },
        );
    }

    /// Encrypts or decrypts a batch, and hashes beside its rounds: in encryption the batch before, in decryption this
    /// one.
    fn together<C: Columns<Token = T::Cipher>>(&self, progress: &mut Progress<'_>, hash: &mut OneTime) {
        let cipher: T::Cipher = self.token.into();
        cipher.vectorize(
            #[inline(always)]
            || {
                align_frame();
                let state = progress.row();
                let n = progress.left().min(BLOCK * C::LANES);
                let end = progress.crypted + if progress.encrypt { 0 } else { n };
                let ciphertext = progress.ciphertext(end);
                let mut m = columns::matrix::<C>(cipher, self.key, state);
                let mut steps = Steps::new(hash, ciphertext);
                C::rounds(&mut m, DOUBLE_ROUNDS, &mut Between { steps: &mut steps, of_four: C::STEPS, call: 0 });
                steps.finish(hash);
                // Only the end of a text is no whole block.
                let rest = ciphertext.as_chunks::<16>().1;
                if !rest.is_empty() {
                    self.token.hash(hash, rest);
                }
                C::finish(cipher, m, self.key, state, &mut progress.next(n).into());
            },
        );
    }
}

/// Poly1305 with the key from block 0.
pub(super) fn one_time<T: ChaChaVectors>(token: T, key: &[[u32; 4]; 2], nonce: &[u8; 12]) -> OneTime {
    let mut block = [0; BLOCK];
    chacha::xor(token, key, &mut row(nonce, 0), DOUBLE_ROUNDS, InOut::from(&mut block[..]));
    key_of(&mut block)
}

/// Absorbs `bytes`, padded with zeros to a whole block, by arithmetic on 64-bit words.
#[inline(always)]
pub(super) fn hash<T: Token>(token: T, hash: &mut OneTime, bytes: &[u8]) {
    // The length in bytes from which on two halves save more than the powers of r cost.
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
