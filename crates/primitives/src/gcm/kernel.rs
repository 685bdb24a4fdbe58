//! Counter mode and GHASH in one pass, over vectors of any width.
//!
//! AES and carry-less multiplication are both pipelined, with latencies that only independent work
//! can fill. The main loop takes `N` vectors at a time through the rounds, and in source order
//! between the rounds it hashes `N` vectors of ciphertext: when decrypting, the ciphertext of the
//! same batch; when encrypting, that of the batch before, as the present one is not known yet. Each
//! batch is reduced once. Pins hold the order: left alone, the compiler gathers the hash in one place
//! and the rounds of each vector in another, and the CPU's queues fill with a chain of waiting rounds
//! before the work that could fill the wait comes into sight.
//!
//! The main loop leaves at least one byte and at most `N` vectors, which are all of a short message.
//! These go four vectors at a time, and the last one to four of them with the block that masks the tag, in as many
//! chains of rounds as there are vectors. Behind the rounds comes what can be hashed meanwhile; it is little
//! enough for the CPU to see it while the rounds wait. The products of all of them, those of the associated data
//! before them if it is short, and that of the block of lengths behind them, share one reduction, so that a
//! packet pays the latency of GHASH once.
//!
//! What a message costs beyond its rounds is latency, and the next message hides it, as far as the CPU looks ahead and
//! unless it has to wait for a store: a vector loaded where two halves, or a masked vector, have just been stored
//! waits until the store has left the CPU, and everything before it. So a text of one block is loaded and
//! stored as such, in vectors of one block.

use super::{GcmToken, Running};
use crate::InOut;
use crate::aes::RoundKeys;
use crate::aes::rounds::OneBlock;
use crate::ghash::ClmulVector;
use crate::ghash::clmul::Product;
use crate::ghash::key::{HashKey, Sum};
use crate::simd::{AesVector, Blocks, anew, opaque};

/// A key, and the proof that this CPU can use it.
pub(super) struct Kernel<'k, T: GcmToken> {
    pub(super) token: T,
    pub(super) hash: &'k HashKey<T::V>,
    pub(super) round_keys: &'k RoundKeys,
}

/// Bytes of associated data that a message may have whose text is in the same sum.
pub(super) const SHORT_AAD: usize = 48;

/// Vectors that go through the rounds ahead of the last ones, and are hashed beside those.
const EARLY: usize = 4;

/// The counter of the text's first block. The one before it masks the tag (SP 800-38D section 7.1: J0 = IV || 1).
pub(super) const FIRST_COUNTER: u32 = 2;

/// What becomes of the tag when a pass ends.
pub(super) enum TagUse<'a> {
    /// There is none yet: the message goes on, from this state.
    Later(&'a mut Running),
    /// The tag of a whole message is written.
    Write(&'a mut [u8; 16]),
    /// The tag of a whole message is compared.
    Compare(&'a [u8; 16]),
}

impl TagUse<'_> {
    /// Writes or compares the tag of a message that went in parts; whether it is the right one.
    pub(super) fn finish(self, full: [u8; 16]) -> bool {
        match self {
            TagUse::Later(_) => {}
            TagUse::Write(tag) => *tag = full,
            TagUse::Compare(tag) => return is_zero(u128::from_ne_bytes(full) ^ u128::from_ne_bytes(*tag)),
        }
        true
    }
}

/// The answer is public, but where bits are set is not: one comparison with all of them.
#[inline(always)]
fn is_zero(difference: u128) -> bool {
    opaque((difference as u64 | (difference >> 64) as u64) as usize) == 0
}

/// The block `iv` || `counter`.
#[inline(always)]
pub(super) fn counter_block(iv: &[u8; 12], counter: u32) -> [u8; 16] {
    let [a, b, c, d, e, f, g, h, i, j, k, l] = *iv;
    let low = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
    let high = u64::from(u32::from_le_bytes([i, j, k, l])) | u64::from(counter.swap_bytes()) << 32;
    (u128::from(high) << 64 | u128::from(low)).to_le_bytes()
}

/// The block that GHASH ends with, its bytes reversed.
#[inline(always)]
fn reversed_lengths(aad_len: u64, text_len: u64) -> [u8; 16] {
    (u128::from(aad_len << 3) << 64 | u128::from(text_len << 3)).to_le_bytes()
}

/// The block that GHASH ends with.
#[inline(always)]
pub(super) fn length_block(aad_len: u64, text_len: u64) -> [u8; 16] {
    u128::from_le_bytes(reversed_lengths(aad_len, text_len)).to_be_bytes()
}

/// The first four numbers, each as the last word of a block, big-endian.
static CONSECUTIVE: [[u8; 16]; 4] = {
    let mut blocks = [[0; 16]; 4];
    let mut i = 0;
    while i < 4 {
        blocks[i][15] = i as u8;
        i += 1;
    }
    blocks
};

/// The counter blocks of the vectors to come, as AES takes them.
#[derive(Clone, Copy)]
struct Counters<V> {
    next: V,
    /// The last byte of the first block.
    low: u8,
}

impl<V: AesVector> Counters<V> {
    /// Those of a whole message.
    #[inline(always)]
    fn new(token: V::Token, iv: &[u8; 12]) -> Self {
        Self::sum(token, iv, FIRST_COUNTER)
    }

    /// Those behind a part of a message.
    #[inline(always)]
    fn at(token: V::Token, iv: &[u8; 12], counter: u32) -> Self {
        let low = counter & 3;
        let aligned = Self::sum(token, iv, counter - low);
        // Up to three blocks too early, for want of an addition with carries.
        let next = aligned.next.reverse_bytes().add32(V::splat(token, &u128::from(low).to_le_bytes()));
        Self { next: next.reverse_bytes(), low: counter as u8 }
    }

    /// The vector from `counter` on, if no carry leaves the last byte on the way.
    #[inline(always)]
    fn sum(token: V::Token, iv: &[u8; 12], counter: u32) -> Self {
        let first = V::splat(token, &counter_block(iv, counter));
        Self { next: first.add32(V::load(token, CONSECUTIVE.as_flattened())), low: counter as u8 }
    }

    /// The next `N` vectors, in the order of bytes that AES takes.
    ///
    /// Most of the time no carry leaves the last byte, in these and in the vector behind them, and all are sums. Else the
    /// additions are of words whose bytes are put in order before and afterwards; the shuffles take a port from AES (Zen 4:
    /// without them, GCM is 1.03 times as fast).
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

/// Vector `i` of `data`, in vectors of `bytes` bytes.
#[inline(always)]
fn nth(data: &[u8], i: usize, bytes: usize) -> &[u8] {
    &data[i * bytes..(i + 1) * bytes]
}

/// Blocks on their way through AES: `N` vectors and, if `M` is 1, one that has one block.
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

    /// A round, kept apart from the next by pins.
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
    /// AES but for the last round, whose key is the result.
    ///
    /// Between the last ten rounds, `between` is called with the numbers 0 to 8.
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
        // By hand, as a loop of this size would stay a loop, and the vectors would go to memory.
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

    /// Encrypts or decrypts `N` vectors; meanwhile calls `between` with the numbers 0 to 8 and
    /// the source.
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

    /// Vector `i` of a batch of `N`: its product with the powers of the key.
    #[inline(always)]
    fn hash_step<const N: usize>(&self, product: &mut Product<T::V>, acc: T::V, ciphertext: &[u8], i: usize) {
        let x = T::V::load(self.token, nth(ciphertext, i, T::V::BYTES)).reverse_bytes();
        let x = if i == 0 { x.xor(acc) } else { x };
        self.hash.multiply(self.token, product, x, (N - i) * T::V::BLOCKS);
        if i % 2 == 1 {
            product.pin();
        }
    }

    /// As many batches of `N` vectors as `text` has with something behind them, at least one; `N` is at most 8.
    ///
    /// `sum` is of what is before the first batch, and of that. The results are the hash; and, when encrypting, the
    /// ciphertext of the next [`EARLY`] vectors if there are more than those: they go through the rounds beside the
    /// products of the last batch, which would have none beside them (Zen 4: 1350 bytes took 440 cycles).
    #[inline(always)]
    fn batches<const ENCRYPT: bool, const N: usize>(
        &self,
        counters: &mut Counters<T::V>,
        sum: Sum<'_, T::V>,
        text: &mut InOut<'_>,
    ) -> (T::V, Option<[T::V; EARLY]>) {
        let bytes = N * T::V::BYTES;
        // Of what the first batch continues.
        let (mut acc, mut product) = sum.unfinished();
        // Encrypted, but not hashed yet.
        let mut before: &[u8] = &[];
        if ENCRYPT {
            let mut batch = text.take(bytes).expect("there is more");
            let mut half = 0;
            while half < 2 {
                let mut batch = batch.reborrow().split_at(half * (bytes / 2)).1.split_at(bytes / 2).0;
                // One text for both halves: it runs once a message.
                match N / 2 {
                    3 => self.xor::<3>(
                        counters,
                        &mut batch,
                        #[inline(always)]
                        |_, _| {},
                    ),
                    _ => self.xor::<4>(
                        counters,
                        &mut batch,
                        #[inline(always)]
                        |_, _| {},
                    ),
                }
                half = opaque(half + 1);
            }
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

    /// As many batches as `text` has, of the size that suits the CPU's registers.
    #[inline(always)]
    fn main<const ENCRYPT: bool>(
        &self,
        counters: &mut Counters<T::V>,
        sum: Sum<'_, T::V>,
        text: &mut InOut<'_>,
    ) -> (T::V, Option<[T::V; EARLY]>) {
        const { assert!(T::V::BATCH == 6 || T::V::BATCH == 8) }
        match T::V::BATCH {
            6 => self.batches::<ENCRYPT, 6>(counters, sum, text),
            _ => self.batches::<ENCRYPT, 8>(counters, sum, text),
        }
    }

    /// The tag of a message that has been hashed; `zeroth` is J0, the block before the text's first.
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

    /// A whole message, with its associated data, at most [`SHORT_AAD`] bytes; or a part of the text of one, with none.
    ///
    /// The answer is whether the tag is the right one, where there is one to compare.
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
        // Not 0 out of memory, which has just been written in whatever pieces.
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
        let mut early = None;
        if long {
            let hash;
            (hash, early) = match encrypt {
                true => self.main::<true>(&mut counters, sum, &mut text),
                false => self.main::<false>(&mut counters, sum, &mut text),
            };
            let before = if early.is_some() { EARLY * T::V::BLOCKS } else { 0 };
            sum = Sum::new(token, self.hash, hash, before + text.len().div_ceil(16) + last);
        }
        if whole {
            sum.add_last(T::V::load_first(token, &lengths));
        }

        if text.len() > EARLY * bytes {
            let mut four = text.take(EARLY * bytes).expect("there is more");
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

        let n = text.len();
        let whole = n.saturating_sub(1) / bytes;
        let (mut before, mut rest) = text.split_at(whole * bytes);
        let n = rest.len();
        let full = n == bytes;
        // An empty text is neither loaded nor stored: see `block`.
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
        let hash = sum.finish();
        if let TagUse::Later(running) = tag_use {
            running.acc = hash.reverse_bytes().first();
            return true;
        }
        self.answer(tag_use, OneBlock::<T>::load(token.narrow(), &hash.first()), mask)
    }

    /// Writes or compares the tag of a whole message.
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

    /// Encrypts or decrypts the last `N` vectors, of which `text` is all but the last and `last` is that.
    ///
    /// The results are the ciphertext of the former; the last, encrypted or decrypted; the block that masks the tag.
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

    /// A whole message whose associated data and text are at most a block each, the text at least a byte.
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
    /// No bytes are not loaded: the address of nothing is most often one where nothing is mapped, and a load that is
    /// masked out there costs the CPU 45 ns.
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
