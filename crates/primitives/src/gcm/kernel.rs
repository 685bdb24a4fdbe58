//! Counter mode and GHASH in one pass, over vectors of any width.
//!
//! AES and carry-less multiplication are both pipelined, and only independent work can hide their latencies. The main
//! loop takes `N` vectors at a time through the rounds. Between the rounds, in source order, it hashes `N` vectors of
//! ciphertext: in decryption those of the same batch, in encryption those of the batch before, because the present one
//! is not known yet. Each batch is reduced once. Pins keep that order. Left alone, the compiler gathers the hash in one
//! place and the rounds of each vector in another. The CPU's queues then fill with a chain of waiting rounds before it
//! sees the work that could fill the wait.
//!
//! The main loop leaves at least one byte and at most `N` vectors; a short message is no more than that. These go four
//! vectors at a time. The last one to four of them go together with the block that masks the tag, in as many chains of
//! rounds as there are vectors. Code for what can be hashed meanwhile follows the rounds; there is so little of it that
//! the CPU sees it while the rounds wait. One reduction serves all these products, those of short associated data
//! before them and that of the block of lengths after them. So a packet pays the latency of GHASH once.
//!
//! What a message costs beyond its rounds is latency. The CPU hides it behind the next message, as far as it looks
//! ahead, unless it must wait for a store. A vector load waits if the bytes have just been stored in two halves or with
//! a mask: until that store, and every store before it, has reached the cache. So a text of one block is loaded and
//! stored in vectors of one block.

use super::{GcmToken, Running};
use crate::InOut;
use crate::aes::RoundKeys;
use crate::aes::rounds::OneBlock;
use crate::ghash::ClmulVector;
use crate::ghash::clmul::Product;
use crate::ghash::key::{HashKey, Sum};
use crate::simd::{AesVector, Blocks, anew, each, opaque64};

/// A key, and the token of the CPU that uses it.
pub(super) struct Kernel<'k, T: GcmToken> {
    pub(super) token: T,
    pub(super) hash: &'k HashKey<T::V>,
    pub(super) round_keys: &'k RoundKeys,
}

/// The largest length in bytes of associated data that is hashed in one sum with the text.
pub(super) const SHORT_AAD: usize = 48;

/// The number of vectors that go through the rounds before the last ones, and are hashed beside those.
const EARLY: usize = 4;

/// The counter of the text's first block. The one before it masks the tag (SP 800-38D section 7.1: J0 = IV || 1).
pub(super) const FIRST_COUNTER: u32 = 2;

/// What happens to the tag when a pass ends.
pub(super) enum TagUse<'a> {
    /// There is no tag yet: the message continues from this state.
    Later(&'a mut Running),
    /// The tag of a whole message is written here.
    Write(&'a mut [u8; 16]),
    /// The tag of a whole message is compared with this one.
    Compare(&'a [u8; 16]),
}

impl TagUse<'_> {
    /// Writes or compares the tag of a message that was processed in parts. Returns false if it was compared and
    /// differs.
    pub(super) fn finish(self, full: [u8; 16]) -> bool {
        match self {
            TagUse::Later(_) => {}
            TagUse::Write(tag) => *tag = full,
            TagUse::Compare(tag) => return is_zero(u128::from_ne_bytes(full) ^ u128::from_ne_bytes(*tag)),
        }
        true
    }
}

/// Whether `difference` is zero. The answer is public, but the positions of set bits are not, so there is one
/// comparison.
#[inline(always)]
fn is_zero(difference: u128) -> bool {
    opaque64(difference as u64 | (difference >> 64) as u64) == 0
}

/// The block `iv` || `counter`.
#[inline(always)]
pub(super) fn counter_block(iv: &[u8; 12], counter: u32) -> [u8; 16] {
    let [a, b, c, d, e, f, g, h, i, j, k, l] = *iv;
    let low = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
    let high = u64::from(u32::from_le_bytes([i, j, k, l])) | u64::from(counter.swap_bytes()) << 32;
    (u128::from(high) << 64 | u128::from(low)).to_le_bytes()
}

/// The last block of GHASH, with its bytes reversed: both lengths in bits.
#[inline(always)]
fn reversed_lengths(aad_len: u64, text_len: u64) -> [u8; 16] {
    (u128::from(aad_len << 3) << 64 | u128::from(text_len << 3)).to_le_bytes()
}

/// The last block of GHASH: both lengths in bits, big-endian.
#[inline(always)]
pub(super) fn length_block(aad_len: u64, text_len: u64) -> [u8; 16] {
    u128::from_le_bytes(reversed_lengths(aad_len, text_len)).to_be_bytes()
}

/// The numbers 0 to 3, each as the last 32-bit word of a block, big-endian.
static CONSECUTIVE: [[u8; 16]; 4] = {
    let mut blocks = [[0; 16]; 4];
    let mut i = 0;
    while i < 4 {
        blocks[i][15] = i as u8;
        i += 1;
    }
    blocks
};

/// The counter blocks of the next vectors, with bytes in the order of AES.
#[derive(Clone, Copy)]
struct Counters<V> {
    next: V,
    /// The lowest byte of the first block's counter.
    low: u8,
}

impl<V: AesVector> Counters<V> {
    /// The counters of a whole message.
    #[inline(always)]
    fn new(token: V::Token, iv: &[u8; 12]) -> Self {
        Self::sum(token, iv, FIRST_COUNTER)
    }

    /// The counters from `counter` on, for a message in parts.
    #[inline(always)]
    fn at(token: V::Token, iv: &[u8; 12], counter: u32) -> Self {
        let low = counter & 3;
        let aligned = Self::sum(token, iv, counter - low);
        // The sum above begins up to three blocks early, because that addition has no carries between bytes.
        let next = aligned.next.reverse_bytes().add32(V::splat(token, &u128::from(low).to_le_bytes()));
        Self { next: next.reverse_bytes(), low: counter as u8 }
    }

    /// The vector that begins with `counter`, if no block's counter carries out of the last byte.
    #[inline(always)]
    fn sum(token: V::Token, iv: &[u8; 12], counter: u32) -> Self {
        let first = V::splat(token, &counter_block(iv, counter));
        Self { next: first.add32(V::load(token, CONSECUTIVE.as_flattened())), low: counter as u8 }
    }

    /// The next `N` vectors, with bytes in the order of AES.
    ///
    /// Usually no counter of these vectors, or of the one after them, carries out of the last byte, and each vector is
    /// one addition. Otherwise bytes are reversed before and after the additions. The shuffles would take a port from
    /// AES: without them, GCM is 1.03 times as fast on Zen 4.
    #[inline(always)]
    fn batch<const N: usize>(&mut self, token: V::Token) -> [V; N] {
        let mut batch = [self.next; N];
        let step = |i: usize, shift: usize| V::splat(token, &(((i * V::BLOCKS) as u128) << shift).to_le_bytes());
        if usize::from(self.low) + (N + 1) * V::BLOCKS <= 256 {
            for (i, b) in batch.iter_mut().enumerate().skip(1) {
                *b = b.add32(step(i, 120));
            }
            self.next = self.next.add32(step(N, 120));
        } else {
            let first = self.next.reverse_bytes();
            for (i, b) in batch.iter_mut().enumerate().skip(1) {
                *b = first.add32(step(i, 0)).reverse_bytes();
            }
            self.next = first.add32(step(N, 0)).reverse_bytes();
        }
        self.low = self.low.wrapping_add((N * V::BLOCKS) as u8);
        batch
    }
}

/// What the end of a text needs.
struct End<'a, V> {
    encrypt: bool,
    iv: &'a [u8; 12],
    /// The bytes that are left of the text.
    n: usize,
    counters: Counters<V>,
    /// Ciphertext before these, which is not hashed yet.
    early: Option<[V; EARLY]>,
}

/// The `i`th of the vectors of `bytes` bytes in `data`.
#[inline(always)]
fn nth(data: &[u8], i: usize, bytes: usize) -> &[u8] {
    &data[i * bytes..(i + 1) * bytes]
}

/// Blocks on their way through AES: `N` vectors and, if `M` is 1, one vector of one block.
struct Chains<T: GcmToken, const N: usize, const M: usize> {
    token: T,
    wide: [T::V; N],
    narrow: [OneBlock<T>; M],
}

impl<T: GcmToken, const N: usize, const M: usize> Chains<T, N, M> {
    #[inline(always)]
    fn add(&mut self, round_key: &[u8; 16]) {
        let (wide, narrow) = (T::V::splat(self.token, round_key), Blocks::splat(self.token.narrow(), round_key));
        for b in self.wide.iter_mut() {
            *b = b.xor(wide);
        }
        for b in self.narrow.iter_mut() {
            *b = b.xor(narrow);
        }
    }

    /// One round. Pins keep it apart from the next.
    #[inline(always)]
    fn round(&mut self, round_key: &[u8; 16]) {
        let (wide, narrow) = (T::V::splat(self.token, round_key), Blocks::splat(self.token.narrow(), round_key));
        for b in self.wide.iter_mut() {
            *b = b.enc(wide).pin();
        }
        for b in self.narrow.iter_mut() {
            *b = b.enc(narrow).pin();
        }
    }
}

impl<T: GcmToken> Kernel<'_, T> {
    /// All rounds of AES except the last, whose key is returned.
    ///
    /// `between` is called with the numbers 0 to 8, between the last ten rounds.
    #[inline(always)]
    fn rounds<const N: usize, const M: usize>(
        &self,
        chains: &mut Chains<T, N, M>,
        mut between: impl FnMut(usize),
    ) -> &[u8; 16] {
        let (first, extra, [nine @ .., last]) = anew(self.round_keys).by_tens();
        chains.add(first);
        if let [a, b, longest @ ..] = extra {
            chains.round(a);
            chains.round(b);
            if let [a, b] = longest {
                chains.round(a);
                chains.round(b);
            }
        }
        // Written out, because the compiler does not unroll a loop of this size, and the vectors would be kept in
        // memory.
        between(0);
        chains.round(&nine[0]);
        between(1);
        chains.round(&nine[1]);
        between(2);
        chains.round(&nine[2]);
        between(3);
        chains.round(&nine[3]);
        between(4);
        chains.round(&nine[4]);
        between(5);
        chains.round(&nine[5]);
        between(6);
        chains.round(&nine[6]);
        between(7);
        chains.round(&nine[7]);
        between(8);
        chains.round(&nine[8]);
        last
    }

    /// Encrypts or decrypts `N` vectors. Between the rounds, it calls `between` with the numbers 0 to 8 and the source.
    #[inline(always)]
    fn xor<const N: usize>(
        &self,
        counters: &mut Counters<T::V>,
        text: &mut InOut<'_>,
        mut between: impl FnMut(usize, &[u8]),
    ) {
        let mut chains = Chains { token: self.token, wide: counters.batch::<N>(self.token), narrow: [] };
        let src = text.src();
        let last = self.rounds(
            &mut chains,
            #[inline(always)]
            |i| between(i, src),
        );
        let last = T::V::splat(self.token, last);
        let mut blocks = chains.wide;
        for (i, b) in blocks.iter_mut().enumerate() {
            *b = b.enc_last(last.xor(T::V::load(self.token, nth(src, i, T::V::BYTES))));
        }
        let dst = text.dst();
        for (i, b) in blocks.into_iter().enumerate() {
            b.store(&mut dst[i * T::V::BYTES..(i + 1) * T::V::BYTES]);
        }
    }

    /// Adds vector `i` of a batch of `N`, times its powers of the key, to `product`.
    #[inline(always)]
    fn hash_step<const N: usize>(&self, product: &mut Product<T::V>, acc: T::V, ciphertext: &[u8], i: usize) {
        let x = T::V::load(self.token, nth(ciphertext, i, T::V::BYTES)).reverse_bytes();
        let x = if i == 0 { x.xor(acc) } else { x };
        self.hash.multiply(self.token, product, x, (N - i) * T::V::BLOCKS);
        if i % 2 == 1 {
            product.pin();
        }
    }

    /// Processes batches of `N` vectors as long as `text` has something after them; at least one, and `N` is at most 8.
    ///
    /// `sum` holds what is hashed before the first batch, and counts that batch too. The first result is the hash. The
    /// second, in encryption, is the ciphertext of the next [`EARLY`] vectors, if there are more than those. They go
    /// through the rounds beside the products of the last batch, which would otherwise have no rounds beside them (on
    /// Zen 4, 1350 bytes took 440 cycles).
    #[inline(always)]
    fn batches<const ENCRYPT: bool, const N: usize>(
        &self,
        counters: &mut Counters<T::V>,
        sum: Sum<'_, T::V>,
        text: &mut InOut<'_>,
    ) -> (T::V, Option<[T::V; EARLY]>) {
        let bytes = N * T::V::BYTES;
        // The state that the first batch continues.
        let (mut acc, mut product) = sum.unfinished();
        // Ciphertext that has been written and is not hashed yet.
        let mut before: &[u8] = &[];
        if ENCRYPT {
            let mut batch = text.take(bytes).expect("there is more");
            self.xor::<N>(
                counters,
                &mut batch,
                #[inline(always)]
                |_, _| {},
            );
            before = batch.into_dst();
        }
        while text.len() > bytes {
            let mut batch = text.take(bytes).expect("there is more");
            self.xor::<N>(
                counters,
                &mut batch,
                #[inline(always)]
                |i, src| {
                    if i < N {
                        self.hash_step::<N>(&mut product, acc, if ENCRYPT { before } else { src }, i);
                    } else if i == N {
                        acc = product.reduce().sum_blocks();
                        product = Product::zero(self.token);
                    }
                },
            );
            if ENCRYPT {
                before = batch.into_dst();
            }
        }
        let mut early = None;
        if ENCRYPT && text.len() > EARLY * T::V::BYTES {
            let mut four = text.take(EARLY * T::V::BYTES).expect("there is more");
            self.xor::<EARLY>(
                counters,
                &mut four,
                #[inline(always)]
                |i, _| {
                    if i < N {
                        self.hash_step::<N>(&mut product, acc, before, i);
                    } else if i == N {
                        acc = product.reduce().sum_blocks();
                    }
                },
            );
            let mut vectors = [T::V::zero(self.token); EARLY];
            for (i, vector) in vectors.iter_mut().enumerate() {
                *vector = T::V::load(self.token, nth(four.written(), i, T::V::BYTES));
            }
            early = Some(vectors);
        } else if ENCRYPT {
            let mut sum = Sum::new(self.token, self.hash, acc, N * T::V::BLOCKS).with(product);
            sum.vectors::<true>(before);
            acc = sum.finish();
        }
        (acc, early)
    }

    /// Processes batches of `text`, of the size that suits the CPU's registers.
    #[inline(always)]
    fn main<const ENCRYPT: bool>(
        &self,
        counters: &mut Counters<T::V>,
        sum: Sum<'_, T::V>,
        text: &mut InOut<'_>,
    ) -> (T::V, Option<[T::V; EARLY]>) {
        const { assert!(T::V::BATCH == 6 || T::V::BATCH == 8, "GCM takes six or eight vectors at once") }
        match T::V::BATCH {
            6 => self.batches::<ENCRYPT, 6>(counters, sum, text),
            _ => self.batches::<ENCRYPT, 8>(counters, sum, text),
        }
    }

    /// The tag from the hash of a message. `zeroth` is J0, the counter block before the text's first.
    #[inline(always)]
    pub(super) fn mask(&self, zeroth: &[u8; 16], hash: &[u8; 16]) -> [u8; 16] {
        let token = self.token.narrow();
        let zeroth = OneBlock::<T>::splat(token, zeroth);
        let mut chains = Chains { token: self.token, wide: [], narrow: [zeroth] };
        let last = self.rounds(
            &mut chains,
            #[inline(always)]
            |_| {},
        );
        let hash = OneBlock::<T>::load(token, hash);
        chains.narrow[0].enc_last(hash.xor(OneBlock::<T>::splat(token, last))).first()
    }

    /// Processes a whole message, with at most [`SHORT_AAD`] bytes of associated data, or a part of a message's text,
    /// without any.
    ///
    /// Returns false if a tag was compared and differs.
    #[inline(always)]
    pub(super) fn pass(
        &self,
        encrypt: bool,
        iv: &[u8; 12],
        aad: &[u8],
        mut text: InOut<'_>,
        tag_use: TagUse<'_>,
    ) -> bool {
        let (token, bytes) = (self.token, T::V::BYTES);
        let lengths = reversed_lengths(aad.len() as u64, text.len() as u64);
        // A zero vector, not zeros loaded from memory: those have just been stored in pieces.
        let (mut counters, hash, whole) = match &tag_use {
            TagUse::Later(running) => {
                (Counters::at(token, iv, running.counter), T::V::load_first(token, &running.acc).reverse_bytes(), false)
            }
            _ => (Counters::new(token, iv), T::V::zero(token), true),
        };
        let long = text.len() > T::V::BATCH * bytes;
        const { assert!(T::V::BATCH * T::V::BLOCKS + SHORT_AAD / 16 < HashKey::<T::V>::POWERS) }
        let last = usize::from(whole);
        let behind = if long { T::V::BATCH * T::V::BLOCKS } else { text.len().div_ceil(16) + last };
        let mut sum = Sum::new(token, self.hash, hash, aad.len().div_ceil(16) + behind);
        if T::V::BYTES > SHORT_AAD && !aad.is_empty() {
            sum.add(T::V::load_partial(token, aad).reverse_bytes(), aad.len().div_ceil(16));
        } else if !aad.is_empty() {
            sum.bytes::<true>(aad);
        }
        let reaches_back = text.len() >= 16;
        let (mut early, mut left) = (None, text.reborrow());
        if long {
            let hash;
            (hash, early) = match encrypt {
                true => self.main::<true>(&mut counters, sum, &mut left),
                false => self.main::<false>(&mut counters, sum, &mut left),
            };
            let before = if early.is_some() { EARLY * T::V::BLOCKS } else { 0 };
            sum = Sum::new(token, self.hash, hash, before + left.len().div_ceil(16) + last);
        }
        if whole {
            sum.add_last(T::V::load_first(token, &lengths));
        }

        if left.len() > EARLY * bytes {
            let mut four = left.take(EARLY * bytes).expect("there is more");
            let mut vectors = [T::V::zero(token); EARLY];
            for (i, src) in vectors.iter_mut().enumerate() {
                *src = T::V::load(token, nth(four.src(), i, bytes));
            }
            let mut chains = Chains { token, wide: counters.batch::<EARLY>(self.token), narrow: [] };
            let last = self.rounds(
                &mut chains,
                #[inline(always)]
                |_| {},
            );
            let last = T::V::splat(token, last);
            for (i, src) in vectors.iter_mut().enumerate() {
                let dst = chains.wide[i].enc_last(last.xor(*src));
                dst.store(&mut four.dst()[i * bytes..(i + 1) * bytes]);
                *src = if encrypt { dst } else { *src };
            }
            if encrypt {
                early = Some(vectors);
            } else {
                for x in vectors {
                    sum.add(x.reverse_bytes(), T::V::BLOCKS);
                }
            }
        }

        if T::V::OVERLAPS && reaches_back {
            let end = End { encrypt, iv, n: left.len(), counters, early };
            // Two decisions, whatever the length.
            let mask = if left.len() <= 32 {
                if left.len() <= 16 {
                    self.last_blocks::<1>(end, text, &mut sum)
                } else {
                    self.last_blocks::<2>(end, text, &mut sum)
                }
            } else if left.len() <= 48 {
                self.last_blocks::<3>(end, text, &mut sum)
            } else {
                self.last_blocks::<4>(end, text, &mut sum)
            };
            return self.finish(tag_use, sum, mask);
        }
        // Vectors that overlap are blocks, and a text below 16 bytes is less than one.
        let whole = if T::V::OVERLAPS { 0 } else { left.len().saturating_sub(1) / bytes };
        let (mut before, mut rest) = left.split_at(whole * bytes);
        let n = rest.len();
        let full = n == bytes;
        // An empty text is neither loaded nor stored; `block` says why.
        let src = match n {
            0 => T::V::zero(token),
            _ if full => T::V::load(token, rest.src()),
            _ => T::V::load_partial(token, rest.src()),
        };
        let (others, dst, mask) = match whole {
            0 => self.last_vectors::<1>(encrypt, iv, counters, &mut before, src),
            1 => self.last_vectors::<2>(encrypt, iv, counters, &mut before, src),
            2 => self.last_vectors::<3>(encrypt, iv, counters, &mut before, src),
            _ => self.last_vectors::<4>(encrypt, iv, counters, &mut before, src),
        };
        if full {
            dst.store(rest.dst());
        } else if n > 0 {
            dst.store_partial(rest.dst());
        }
        if let Some(early) = early {
            for x in early {
                sum.add(x.reverse_bytes(), T::V::BLOCKS);
            }
        }
        for (i, x) in others.into_iter().enumerate() {
            if i < whole {
                sum.add(x.reverse_bytes(), T::V::BLOCKS);
            }
        }
        if n > 0 {
            let last = if !encrypt {
                src
            } else if full {
                dst
            } else {
                dst.keep(n)
            };
            sum.add(last.reverse_bytes(), n.div_ceil(16));
        }
        self.finish(tag_use, sum, mask)
    }

    /// Reduces the sum over a message or a part of its text. Returns false if a tag was compared and differs.
    #[inline(always)]
    fn finish(&self, tag_use: TagUse<'_>, sum: Sum<'_, T::V>, mask: OneBlock<T>) -> bool {
        let hash = sum.finish();
        if let TagUse::Later(running) = tag_use {
            running.acc = hash.reverse_bytes().first();
            return true;
        }
        self.answer(tag_use, OneBlock::<T>::load(self.token.narrow(), &hash.first()), mask)
    }

    /// Encrypts or decrypts the last `N` blocks of `text`, and hashes them. Vectors are one block each.
    ///
    /// The last block is the last 16 bytes of the text, of which those before it are shuffled away. So a part of a block
    /// takes the way of a whole one. The result is the block that masks the tag.
    #[inline(always)]
    fn last_blocks<const N: usize>(
        &self,
        end: End<'_, T::V>,
        mut text: InOut<'_>,
        sum: &mut Sum<'_, T::V>,
    ) -> OneBlock<T> {
        let (token, mut counters) = (self.token, end.counters);
        let n = (end.n.wrapping_sub(1) & 15) + 1;
        let mut blocks = [T::V::load_end(token, text.src(), n); N];
        let zeroth = OneBlock::<T>::splat(token.narrow(), &counter_block(end.iv, 1));
        let mut chains = Chains { token, wide: counters.batch::<N>(token), narrow: [zeroth] };
        let last_key = self.rounds(
            &mut chains,
            #[inline(always)]
            |_| {},
        );
        let mask = chains.narrow[0].enc_last(Blocks::splat(token.narrow(), last_key)).pin();
        let last_key = T::V::splat(token, last_key);
        if let Some(early) = end.early {
            sum.add_all(each(early, T::V::reverse_bytes));
        }
        let start = text.len() - n;
        let before = text.reborrow().split_at(start).0;
        let start = before.len().wrapping_sub(16 * (N - 1));
        let mut before = before.split_at(start).1;
        for (i, block) in blocks.iter_mut().enumerate().take(N - 1) {
            let src = T::V::load(token, nth(before.src(), i, 16));
            let dst = chains.wide[i].enc_last(last_key.xor(src));
            dst.store(&mut before.dst()[i * 16..(i + 1) * 16]);
            *block = if end.encrypt { dst } else { src };
        }
        let dst = chains.wide[N - 1].enc_last(last_key.xor(blocks[N - 1]));
        dst.store_end(text.dst(), n);
        if end.encrypt {
            blocks[N - 1] = dst.keep(n);
        }
        sum.add_all(each(blocks, T::V::reverse_bytes));
        mask
    }

    /// Writes or compares the tag of a whole message. Returns false if it was compared and differs.
    #[inline(always)]
    fn answer(&self, tag_use: TagUse<'_>, hash: OneBlock<T>, mask: OneBlock<T>) -> bool {
        let full = hash.reverse_bytes().xor(mask);
        match tag_use {
            TagUse::Compare(tag) => {
                is_zero(u128::from_ne_bytes(full.xor(OneBlock::<T>::load(self.token.narrow(), tag)).first()))
            }
            TagUse::Write(tag) => {
                full.store(tag);
                true
            }
            TagUse::Later(_) => unreachable!("a part has no tag"),
        }
    }

    /// Encrypts or decrypts the last `N` vectors: `text` holds all but the last, and `last` is the last.
    ///
    /// The results are the ciphertext of those in `text`, the result for `last`, and the block that masks the tag.
    #[inline(always)]
    fn last_vectors<const N: usize>(
        &self,
        encrypt: bool,
        iv: &[u8; 12],
        mut counters: Counters<T::V>,
        text: &mut InOut<'_>,
        last: T::V,
    ) -> ([T::V; 3], T::V, OneBlock<T>) {
        let (token, bytes) = (self.token, T::V::BYTES);
        let zeroth = OneBlock::<T>::splat(token.narrow(), &counter_block(iv, 1));
        let mut chains = Chains { token, wide: counters.batch::<N>(token), narrow: [zeroth] };
        let last_key = self.rounds(
            &mut chains,
            #[inline(always)]
            |_| {},
        );
        let mask = chains.narrow[0].enc_last(Blocks::splat(token.narrow(), last_key)).pin();
        let last_key = T::V::splat(token, last_key);
        let mut others = [T::V::zero(token); 3];
        for (i, other) in others.iter_mut().enumerate().take(N - 1) {
            let src = T::V::load(token, nth(text.src(), i, bytes));
            let dst = chains.wide[i].enc_last(last_key.xor(src));
            dst.store(&mut text.dst()[i * bytes..(i + 1) * bytes]);
            *other = if encrypt { dst } else { src };
        }
        (others, chains.wide[N - 1].enc_last(last_key.xor(last)), mask)
    }

    /// Processes a whole message whose text has 1 to 16 bytes and whose associated data has at most 16.
    #[inline(always)]
    pub(super) fn one_block<const ENCRYPT: bool>(
        &self,
        iv: &[u8; 12],
        aad: &[u8],
        mut text: InOut<'_>,
        tag_use: TagUse<'_>,
    ) -> bool {
        let token = self.token.narrow();
        let zeroth = OneBlock::<T>::splat(token, &counter_block(iv, 1));
        let counters = [zeroth, OneBlock::<T>::splat(token, &counter_block(iv, FIRST_COUNTER))];
        let src = self.block(text.src());
        let mut chains = Chains { token: self.token, wide: [], narrow: counters };
        let last = self.rounds(
            &mut chains,
            #[inline(always)]
            |_| {},
        );
        let last = OneBlock::<T>::splat(token, last);
        let [mask, dst] = chains.narrow;
        let (mask, dst) = (mask.enc_last(last).pin(), dst.enc_last(last.xor(src)));
        let n = text.len();
        match n {
            16 => dst.store(text.dst()),
            _ => T::V::load_first(self.token, &dst.first()).store_partial(text.dst()),
        }
        let ciphertext = match ENCRYPT {
            true if n < 16 => dst.keep(n),
            true => dst,
            false => src,
        };
        let (wide, lengths) = (self.token, reversed_lengths(aad.len() as u64, n as u64));
        let (aad, ciphertext) = (self.block(aad).reverse_bytes().first(), ciphertext.reverse_bytes().first());
        let mut sum = Sum::new(wide, self.hash, T::V::zero(wide), 3);
        let aad = T::V::load_first(wide, &aad);
        if T::V::BLOCKS > 2 {
            sum.add(aad.with(wide, 2, &lengths).with(wide, 1, &ciphertext), 3);
        } else {
            sum.add(aad, 1);
            sum.add(T::V::load_first(wide, &ciphertext).with(wide, 1, &lengths), 2);
        }
        self.answer(tag_use, OneBlock::<T>::load(token, &sum.finish().first()), mask)
    }

    /// Up to 16 bytes, then zeros.
    ///
    /// An empty slice is not loaded. Its address is usually one where nothing is mapped, and a load there takes the CPU
    /// 45 ns even if the mask excludes every byte.
    #[inline(always)]
    fn block(&self, bytes: &[u8]) -> OneBlock<T> {
        let token = self.token.narrow();
        match bytes.len() {
            0 => OneBlock::<T>::zero(token),
            16 => OneBlock::<T>::load(token, bytes),
            _ => OneBlock::<T>::load(token, &T::V::load_partial(self.token, bytes).first()),
        }
    }
}
