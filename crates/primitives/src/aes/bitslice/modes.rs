//! Modes whose blocks do not wait for each other: ECB, CTR, XTS, and decryption of CBC.
//!
//! What a mode adds to each block (counters, tweaks) is loaded as a batch of its own and xored before or after the
//! rounds: [`Word::load`] is linear. That costs less than a pass over a buffer of keystream.

use super::word::Word;
use super::{Bitslice, BitsliceToken, SlicedKeys, xor};
use crate::InOut;
use crate::cpu::Token;
use zeroize::optimization_barrier;

impl<T: BitsliceToken> Bitslice<T> {
    /// Encrypts whole blocks of 16 bytes; bytes beyond the last whole block are left alone.
    pub fn encrypt_blocks(&self, data: InOut<'_>) {
        self.run(&mut Ecb::<false>, whole_blocks(data));
    }

    /// Decrypts whole blocks of 16 bytes; bytes beyond the last whole block are left alone.
    pub fn decrypt_blocks(&self, data: InOut<'_>) {
        self.run(&mut Ecb::<true>, whole_blocks(data));
    }

    /// CTR: xors the keystream that starts at `counter` (big-endian) to `data`, which may have any length. `counter`
    /// advances by the blocks used, including a partial one, modulo 2^128.
    pub fn ctr(&self, counter: &mut [u8; 16], data: InOut<'_>) {
        let mut pass = Ctr { counter: u128::from_be_bytes(*counter) };
        self.run(&mut pass, data);
        *counter = pass.counter.to_be_bytes();
    }

    /// XTS encryption (IEEE 1619), beginning with `tweak`, which is the encrypted sector number. Works on whole blocks
    /// and advances `tweak` by them; bytes beyond the last whole block are left alone.
    pub fn xts_encrypt(&self, tweak: &mut [u8; 16], data: InOut<'_>) {
        self.xts::<false>(tweak, data);
    }

    /// XTS decryption; `tweak` and `data` as for [`Bitslice::xts_encrypt`].
    pub fn xts_decrypt(&self, tweak: &mut [u8; 16], data: InOut<'_>) {
        self.xts::<true>(tweak, data);
    }

    fn xts<const DECRYPT: bool>(&self, tweak: &mut [u8; 16], data: InOut<'_>) {
        let mut pass = Xts::<DECRYPT> { tweak: u128::from_le_bytes(*tweak) };
        self.run(&mut pass, whole_blocks(data));
        *tweak = pass.tweak.to_le_bytes();
    }

    /// Decrypts CBC; `iv` becomes the last ciphertext block. Works on whole blocks; bytes beyond the last
    /// one are left alone.
    pub fn cbc_decrypt(&self, iv: &mut [u8; 16], data: InOut<'_>) {
        let mut pass = CbcDecrypt { previous: *iv };
        self.run(&mut pass, whole_blocks(data));
        *iv = pass.previous;
    }

    /// Runs `pass` over whole batches, then over the rest with the narrowest word that holds it.
    #[inline(always)]
    fn run(&self, pass: &mut impl Pass, data: InOut<'_>) {
        let batch = 16 * Self::PARALLEL;
        let whole = data.len() / batch * batch;
        let (whole, rest) = data.split_at(whole);
        if !whole.is_empty() {
            batches::<T::Wide>(self.token, &self.keys, pass, whole, Self::PARALLEL);
        }
        match rest.len().div_ceil(16) {
            0 => {}
            left if left <= T::Quarter::BLOCKS => partial::<T::Quarter>(self.token, &self.keys, pass, rest),
            left if left <= T::Half::BLOCKS => partial::<T::Half>(self.token, &self.keys, pass, rest),
            _ => partial::<T::Wide>(self.token, &self.keys, pass, rest),
        }
    }
}

#[inline(always)]
fn whole_blocks(data: InOut<'_>) -> InOut<'_> {
    let whole = data.len() & !15;
    data.split_at(whole).0
}

/// A mode, with its state in the middle of a message.
trait Pass {
    /// Transforms the first `blocks` blocks of a batch and advances the state by as many.
    fn batch<W: Word>(&mut self, token: W::Token, keys: &SlicedKeys<W::Key>, data: InOut<'_>, blocks: usize);
}

/// Runs `pass` over batches of `W`, of which the first `blocks` blocks each are used.
#[inline(never)]
fn batches<W: Word>(
    token: W::Token,
    keys: &SlicedKeys<W::Key>,
    pass: &mut impl Pass,
    mut data: InOut<'_>,
    blocks: usize,
) {
    token.vectorize(
        #[inline(always)]
        || {
            while let Some(batch) = data.take(16 * W::BLOCKS) {
                pass.batch::<W>(token, keys, batch, blocks);
            }
        },
    );
}

/// Runs `pass` over at most one batch, which is padded if it is shorter.
#[inline(always)]
fn partial<W: Word>(token: W::Token, keys: &SlicedKeys<W::Key>, pass: &mut impl Pass, mut data: InOut<'_>) {
    let len = data.len();
    if len == 16 * W::BLOCKS {
        return batches::<W>(token, keys, pass, data, W::BLOCKS);
    }
    let mut pad = W::PAD;
    let pad = pad.as_mut();
    pad[..len].copy_from_slice(data.src());
    batches::<W>(token, keys, pass, pad.into(), len.div_ceil(16));
    data.dst().copy_from_slice(&pad[..len]);
    clear(pad);
}

/// Zeroes bytes that held text or tweaks, also where the compiler sees nobody read them again.
#[inline(always)]
fn clear(bytes: &mut [u8]) {
    bytes.fill(0);
    optimization_barrier(bytes);
}

struct Ecb<const DECRYPT: bool>;

impl<const DECRYPT: bool> Pass for Ecb<DECRYPT> {
    #[inline(always)]
    fn batch<W: Word>(&mut self, token: W::Token, keys: &SlicedKeys<W::Key>, mut data: InOut<'_>, _: usize) {
        let state = W::load(token, data.src());
        W::store(crypt::<W, DECRYPT>(token, keys, state), data.dst());
    }
}

struct Ctr {
    counter: u128,
}

impl Pass for Ctr {
    #[inline(always)]
    fn batch<W: Word>(&mut self, token: W::Token, keys: &SlicedKeys<W::Key>, mut data: InOut<'_>, blocks: usize) {
        let keystream = W::encrypt(token, keys, W::counters(token, self.counter));
        W::store(xor(keystream, W::load(token, data.src())), data.dst());
        self.counter = self.counter.wrapping_add(blocks as u128);
    }
}

/// XTS: block `j` is whitened with `tweak·xʲ`, in GF(2¹²⁸) modulo `x¹²⁸ + x⁷ + x² + x + 1`, low byte first.
struct Xts<const DECRYPT: bool> {
    tweak: u128,
}

impl<const DECRYPT: bool> Pass for Xts<DECRYPT> {
    #[inline(always)]
    fn batch<W: Word>(&mut self, token: W::Token, keys: &SlicedKeys<W::Key>, mut data: InOut<'_>, blocks: usize) {
        let mut stored = W::PAD;
        let stored = stored.as_mut();
        let mut next = self.tweak;
        for (i, tweak) in stored.as_chunks_mut().0.iter_mut().enumerate() {
            *tweak = next.to_le_bytes();
            let reduce = ((next as i128) >> 127) as u128 & 0x87;
            next = (next << 1) ^ reduce;
            if i + 1 == blocks {
                self.tweak = next;
            }
        }
        let tweaks = W::load(token, stored);
        clear(stored);
        let state = xor(tweaks, W::load(token, data.src()));
        W::store(xor(tweaks, crypt::<W, DECRYPT>(token, keys, state)), data.dst());
    }
}

struct CbcDecrypt {
    previous: [u8; 16],
}

impl Pass for CbcDecrypt {
    #[inline(always)]
    fn batch<W: Word>(&mut self, token: W::Token, keys: &SlicedKeys<W::Key>, mut data: InOut<'_>, blocks: usize) {
        let len = 16 * W::BLOCKS;
        let mut previous = W::PAD;
        let previous = previous.as_mut();
        previous[..16].copy_from_slice(&self.previous);
        previous[16..].copy_from_slice(&data.src()[..len - 16]);
        self.previous = data.get(16 * (blocks - 1));
        let state = W::load(token, data.src());
        W::store(xor(W::decrypt(token, keys, state), W::load(token, previous)), data.dst());
    }
}

#[inline(always)]
fn crypt<W: Word, const DECRYPT: bool>(token: W::Token, keys: &SlicedKeys<W::Key>, state: [W; 8]) -> [W; 8] {
    if DECRYPT { W::decrypt(token, keys, state) } else { W::encrypt(token, keys, state) }
}
