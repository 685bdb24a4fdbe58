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
//! What is left after the last batch goes four vectors and then one at a time. The steps do not wait
//! for each other: the CPU overlaps them as far as it looks ahead. Their products, those of the associated
//! data before them if it is short, and that of the block of lengths behind them, share one
//! reduction, so that a packet pays the latency of GHASH once.

use crate::InOut;
use crate::aes::RoundKeys;
use crate::ghash::ClmulVector;
use crate::ghash::clmul::Product;
use crate::ghash::key::{HashKey, Sum};
use crate::simd::{AesVector, anew};

/// A key, and the proof that this CPU can use it.
pub(super) struct Kernel<'k, V: ClmulVector> {
    pub(super) token: V::Token,
    pub(super) hash: &'k HashKey<V>,
    pub(super) round_keys: &'k RoundKeys,
}

/// The counter block that masks the tag (SP 800-38D section 7.1: J0 = IV || 1), as a big-endian
/// integer. The text begins with the next one.
#[inline(always)]
pub(super) fn first_counter(iv: &[u8; 12]) -> u128 {
    let [a, b, c, d, e, f, g, h, i, j, k, l] = *iv;
    let high = u64::from_be_bytes([a, b, c, d, e, f, g, h]);
    let low = u32::from_be_bytes([i, j, k, l]);
    u128::from(high) << 64 | u128::from(low) << 32 | 1
}

/// `counter` advanced by `blocks`: inc32 of SP 800-38D section 6.2, which wraps within 32 bits.
#[inline(always)]
fn advanced(counter: u128, blocks: usize) -> u128 {
    let low = (counter as u32).wrapping_add(blocks as u32);
    counter >> 32 << 32 | u128::from(low)
}

/// The block that GHASH ends with, its bytes reversed.
#[inline(always)]
fn lengths(aad_len: u64, text_len: u64) -> [u8; 16] {
    (u128::from(aad_len << 3) << 64 | u128::from(text_len << 3)).to_le_bytes()
}

/// The first four numbers, each as the first word of a block.
static CONSECUTIVE: [[u8; 16]; 4] = {
    let mut blocks = [[0; 16]; 4];
    let mut i = 0;
    while i < 4 {
        blocks[i][0] = i as u8;
        i += 1;
    }
    blocks
};

/// The first of these numbers for a vector of that many blocks, each as the first word of a block: the
/// vector's last is 0, the others count from 1.
static MASK_LAST: [&[[u8; 16]]; 3] = {
    const fn number(n: u8) -> [u8; 16] {
        [n, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    }
    [&[number(0)], &[number(1), number(0)], &[number(1), number(2), number(3), number(0)]]
};

/// The counter blocks of the vectors to come, their bytes reversed, so that the 32-bit counter is a
/// little-endian word.
struct Counters<V> {
    next: V,
    /// The number of blocks in a vector.
    step: V,
}

impl<V: AesVector> Counters<V> {
    #[inline(always)]
    fn new(token: V::Token, counter: u128) -> Self {
        Self {
            next: V::splat(token, &counter.to_le_bytes()).add32(V::load(token, CONSECUTIVE.as_flattened())),
            step: V::splat(token, &(V::BLOCKS as u128).to_le_bytes()),
        }
    }

    #[inline(always)]
    fn take(&mut self) -> V {
        let now = self.next;
        self.next = now.add32(self.step);
        now.reverse_bytes()
    }

    #[inline(always)]
    fn batch<const N: usize>(&mut self) -> [V; N] {
        let mut batch = [self.next; N];
        for b in batch.iter_mut() {
            *b = self.take();
        }
        batch
    }
}

/// Vector `i` of `data`, in vectors of `bytes` bytes.
#[inline(always)]
fn nth(data: &[u8], i: usize, bytes: usize) -> &[u8] {
    &data[i * bytes..(i + 1) * bytes]
}

impl<V: AesVector + ClmulVector> Kernel<'_, V> {
    /// A round of AES on `N` vectors, kept apart from the next by pins if there are several.
    #[inline(always)]
    fn round<const N: usize>(&self, blocks: &mut [V; N], round_key: &[u8; 16]) {
        let key = V::splat(self.token, round_key);
        for b in blocks.iter_mut() {
            *b = b.enc(key);
            if N > 1 {
                *b = b.pin();
            }
        }
    }

    /// AES of `N` vectors, the last round key of each xored with a vector of text.
    ///
    /// Between the last ten rounds, `between` is called with the numbers 0 to 8.
    #[inline(always)]
    fn encrypt<const N: usize>(
        &self,
        mut blocks: [V; N],
        text: impl Fn(usize) -> V,
        mut between: impl FnMut(usize),
    ) -> [V; N] {
        let [first, inner @ .., last] = anew(self.round_keys).keys() else {
            unreachable!("a schedule has at least 11 keys")
        };
        let Some((extra, nine)) = inner.split_last_chunk::<9>() else { unreachable!("and at most 15") };
        let key = V::splat(self.token, first);
        for b in blocks.iter_mut() {
            *b = b.xor(key);
        }
        if let [a, b, longest @ ..] = extra {
            self.round(&mut blocks, a);
            self.round(&mut blocks, b);
            if let [a, b] = longest {
                self.round(&mut blocks, a);
                self.round(&mut blocks, b);
            }
        }
        // By hand, as a loop of this size would stay a loop, and the vectors would go to memory.
        between(0);
        self.round(&mut blocks, &nine[0]);
        between(1);
        self.round(&mut blocks, &nine[1]);
        between(2);
        self.round(&mut blocks, &nine[2]);
        between(3);
        self.round(&mut blocks, &nine[3]);
        between(4);
        self.round(&mut blocks, &nine[4]);
        between(5);
        self.round(&mut blocks, &nine[5]);
        between(6);
        self.round(&mut blocks, &nine[6]);
        between(7);
        self.round(&mut blocks, &nine[7]);
        between(8);
        self.round(&mut blocks, &nine[8]);
        let key = V::splat(self.token, last);
        for (i, b) in blocks.iter_mut().enumerate() {
            *b = b.enc_last(key.xor(text(i)));
        }
        blocks
    }

    /// AES of one vector, xored with `text`.
    #[inline(always)]
    fn encrypt_one(&self, block: V, text: V) -> V {
        let [out] = self.encrypt(
            [block],
            #[inline(always)]
            |_| text,
            #[inline(always)]
            |_| {},
        );
        out
    }

    /// Encrypts or decrypts `N` vectors; meanwhile calls `between` with the numbers 0 to 8 and
    /// the source.
    #[inline(always)]
    fn xor<const N: usize>(
        &self,
        counters: &mut Counters<V>,
        text: &mut InOut<'_>,
        mut between: impl FnMut(usize, &[u8]),
    ) {
        let blocks = counters.batch::<N>();
        let src = text.src();
        let blocks = self.encrypt(
            blocks,
            #[inline(always)]
            |i| V::load(self.token, nth(src, i, V::BYTES)),
            #[inline(always)]
            |i| between(i, src),
        );
        let dst = text.dst();
        for (i, b) in blocks.into_iter().enumerate() {
            b.store(&mut dst[i * V::BYTES..(i + 1) * V::BYTES]);
        }
    }

    /// Vector `i` of a batch of `N`: its product with the powers of the key.
    #[inline(always)]
    fn hash_step<const N: usize>(&self, product: &mut Product<V>, acc: V, ciphertext: &[u8], i: usize) {
        let x = V::load(self.token, nth(ciphertext, i, V::BYTES)).reverse_bytes();
        let x = if i == 0 { x.xor(acc) } else { x };
        self.hash.multiply(self.token, product, x, (N - i) * V::BLOCKS);
        if i % 2 == 1 {
            product.pin();
        }
    }

    /// As many batches of `N` vectors as `text` has; `N` is at most 8.
    #[inline(always)]
    fn batches<const ENCRYPT: bool, const N: usize>(
        &self,
        counters: &mut Counters<V>,
        mut acc: V,
        text: &mut InOut<'_>,
    ) -> V {
        // Encrypted, but not hashed yet.
        let mut before = InOut::from(&mut [][..]);
        if ENCRYPT {
            let Some(mut batch) = text.take(N * V::BYTES) else { return acc };
            self.xor::<N>(
                counters,
                &mut batch,
                #[inline(always)]
                |_, _| {},
            );
            before = batch;
        }
        while let Some(mut batch) = text.take(N * V::BYTES) {
            let mut product = Product::zero(self.token);
            self.xor::<N>(
                counters,
                &mut batch,
                #[inline(always)]
                |i, src| {
                    if i < N {
                        let ciphertext = if ENCRYPT { &*before.dst() } else { src };
                        self.hash_step::<N>(&mut product, acc, ciphertext, i);
                    } else if i == N {
                        acc = product.reduce().sum_blocks();
                    }
                },
            );
            before = batch;
        }
        if ENCRYPT {
            let mut product = Product::zero(self.token);
            for i in 0..N {
                self.hash_step::<N>(&mut product, acc, before.dst(), i);
            }
            acc = product.reduce().sum_blocks();
        }
        acc
    }

    /// As many batches as `text` has, of the size that suits the CPU's registers.
    #[inline(always)]
    fn main<const ENCRYPT: bool>(&self, counters: &mut Counters<V>, acc: V, text: &mut InOut<'_>) -> V {
        const { assert!(V::BATCH == 6 || V::BATCH == 8) }
        match V::BATCH {
            6 => self.batches::<ENCRYPT, 6>(counters, acc, text),
            _ => self.batches::<ENCRYPT, 8>(counters, acc, text),
        }
    }

    /// What is left, four vectors and then one at a time.
    #[inline(always)]
    fn rest<const ENCRYPT: bool>(&self, counters: &mut Counters<V>, sum: &mut Sum<'_, V>, mut text: InOut<'_>) {
        while let Some(mut text) = text.take(4 * V::BYTES) {
            let mut src = [V::zero(self.token); 4];
            for (i, s) in src.iter_mut().enumerate() {
                *s = V::load(self.token, nth(text.src(), i, V::BYTES));
            }
            self.xor::<4>(
                counters,
                &mut text,
                #[inline(always)]
                |_, _| {},
            );
            for (i, s) in src.into_iter().enumerate() {
                let ciphertext = if ENCRYPT { V::load(self.token, nth(text.dst(), i, V::BYTES)) } else { s };
                sum.add(ciphertext.reverse_bytes(), V::BLOCKS);
            }
        }
        while let Some(mut text) = text.take(V::BYTES) {
            let src = V::load(self.token, text.src());
            let dst = self.encrypt_one(counters.take(), src);
            dst.store(text.dst());
            sum.add(if ENCRYPT { dst } else { src }.reverse_bytes(), V::BLOCKS);
        }
        let n = text.len();
        if n > 0 {
            let src = V::load_partial(self.token, text.src());
            let dst = self.encrypt_one(counters.take(), src);
            dst.store_partial(text.dst());
            sum.add(if ENCRYPT { dst.keep(n) } else { src }.reverse_bytes(), n.div_ceil(16));
        }
    }

    /// A part of a message.
    #[inline(always)]
    pub(super) fn part<const ENCRYPT: bool>(&self, counter: &mut u128, acc: &mut [u8; 16], mut text: InOut<'_>) {
        let mut counters = Counters::new(self.token, *counter);
        *counter = advanced(*counter, text.len().div_ceil(16));
        let mut hash = V::load_first(self.token, acc);
        hash = self.main::<ENCRYPT>(&mut counters, hash, &mut text);
        if !text.is_empty() {
            let mut sum = Sum::new(self.token, self.hash, hash, text.len().div_ceil(16));
            self.rest::<ENCRYPT>(&mut counters, &mut sum, text);
            hash = sum.finish();
        }
        *acc = hash.first();
    }

    /// The tag of a message whose associated data and text are in `acc`.
    #[inline(always)]
    pub(super) fn tag(&self, first_counter: u128, acc: &[u8; 16], aad_len: u64, text_len: u64) -> [u8; 16] {
        let mask = self.mask(first_counter);
        let mut sum = Sum::new(self.token, self.hash, V::load_first(self.token, acc), 1);
        sum.add(V::load_first(self.token, &lengths(aad_len, text_len)), 1);
        sum.finish().reverse_bytes().xor(mask).first()
    }

    /// The first counter block, encrypted.
    #[inline(always)]
    fn mask(&self, first_counter: u128) -> V {
        let block = V::splat(self.token, &first_counter.to_be_bytes());
        self.encrypt_one(block, V::zero(self.token))
    }

    /// A whole message; the result is its tag.
    #[inline(always)]
    pub(super) fn whole<const ENCRYPT: bool>(&self, iv: &[u8; 12], aad: &[u8], text: InOut<'_>) -> [u8; 16] {
        if text.len() <= V::BYTES - 16 && aad.len() <= 16 * (HashKey::<V>::POWERS - V::BLOCKS) {
            self.short::<ENCRYPT>(iv, aad, text)
        } else {
            self.long::<ENCRYPT>(iv, aad, text)
        }
    }

    /// A whole message whose text leaves a block of a vector free. The block that masks the tag takes it,
    /// so that one vector goes through the rounds.
    #[inline(always)]
    fn short<const ENCRYPT: bool>(&self, iv: &[u8; 12], aad: &[u8], mut text: InOut<'_>) -> [u8; 16] {
        let first = V::splat(self.token, &first_counter(iv).to_le_bytes());
        let counters = first.add32(V::load(self.token, MASK_LAST[V::BLOCKS / 2].as_flattened()));
        let n = text.len();
        let src = V::load_partial(self.token, text.src());
        let dst = self.encrypt_one(counters.reverse_bytes(), src);
        dst.store_partial(text.dst());
        let (aad_blocks, text_blocks) = (aad.len().div_ceil(16), n.div_ceil(16));
        let mut sum = Sum::new(self.token, self.hash, V::zero(self.token), aad_blocks + text_blocks + 1);
        sum.bytes::<true>(aad);
        sum.add(if ENCRYPT { dst.keep(n) } else { src }.reverse_bytes(), text_blocks);
        sum.add(V::load_first(self.token, &lengths(aad.len() as u64, n as u64)), 1);
        sum.finish().reverse_bytes().xor(V::load_first(self.token, &dst.last())).first()
    }

    #[inline(always)]
    fn long<const ENCRYPT: bool>(&self, iv: &[u8; 12], aad: &[u8], mut text: InOut<'_>) -> [u8; 16] {
        let first = first_counter(iv);
        // Early, for its rounds to overlap with what follows.
        let mask = self.mask(first);
        let lengths = lengths(aad.len() as u64, text.len() as u64);
        let mut counters = Counters::new(self.token, advanced(first, 1));
        let mut acc = V::zero(self.token);
        let mut aad = aad;
        if aad.len().div_ceil(16) + text.len().div_ceil(16) + 1 > HashKey::<V>::POWERS {
            acc = self.hash.hash::<true>(self.token, acc, aad);
            aad = &[];
            acc = self.main::<ENCRYPT>(&mut counters, acc, &mut text);
        }
        let blocks = aad.len().div_ceil(16) + text.len().div_ceil(16) + 1;
        let mut sum = Sum::new(self.token, self.hash, acc, blocks);
        sum.bytes::<true>(aad);
        self.rest::<ENCRYPT>(&mut counters, &mut sum, text);
        sum.add(V::load_first(self.token, &lengths), 1);
        sum.finish().reverse_bytes().xor(mask).first()
    }
}
