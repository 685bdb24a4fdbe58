//! AES-GCM (NIST SP 800-38D): counter mode and GHASH in one pass.
//!
//! [`GcmKey`] holds the round keys and the powers of the hash key. A message with an IV of 12 bytes is processed in one
//! call, by [`seal`](GcmKey::seal) or [`open`](GcmKey::open). Messages in parts, and those with IVs of other lengths,
//! go through a [`GcmState`]. `kernel` has the code for both, written once for every width.
//!
//! The caller keeps to the limits of SP 800-38D: a message has less than 2^36 - 32 bytes, and an IV is used only once
//! with a key. The caller of [`unseal`](GcmKey::unseal) and [`finish`](GcmKey::finish) compares tags, in constant time.

mod kernel;
#[cfg(test)]
mod tests;

use crate::aes::key::expanded_in_place;
use crate::aes::rounds::{OneBlock, expand};
use crate::aes::{RoundKeys, encrypt_blocks};
use crate::ghash::key::HashKey;
use crate::ghash::{ClmulVector, absorb};
use crate::hash::BlockBuffer;
use crate::simd::{AesToken, Blocks};
use crate::{InOut, Packet};
use kernel::{Kernel, TagUse};
use zeroize::{ZeroizeOnDrop, optimization_barrier};

/// A token of a CPU that has both AES and carry-less multiplication, on vectors of its own width and on vectors of one
/// block.
pub trait GcmToken: AesToken<V: ClmulVector, Narrow: AesToken<V: ClmulVector>> {}

impl<T: AesToken<V: ClmulVector, Narrow: AesToken<V: ClmulVector>>> GcmToken for T {}

/// An AES-GCM key, for CPUs with the features of `T`.
#[derive(Clone)]
pub struct GcmKey<T: GcmToken> {
    token: T,
    hash: HashKey<T::V>,
    round_keys: RoundKeys,
}

/// A message in progress. [`GcmKey::start`] makes it, and all calls for it must use the same key.
#[derive(Clone)]
pub struct GcmState {
    zeroth: Zeroth,
    running: Running,
    /// Associated data that does not fill a block of 16 bytes yet.
    aad: BlockBuffer<16>,
    /// Length of the associated data so far, in bytes.
    aad_len: u64,
    /// Length of the text so far, in bytes.
    text_len: u64,
}

/// J0, the block that masks the tag. It is wiped, because that of an IV that was hashed is a polynomial of the hash key.
#[derive(Clone)]
struct Zeroth {
    /// The first 12 bytes of every counter block.
    iv: [u8; 12],
    counter: u32,
}

impl Drop for Zeroth {
    fn drop(&mut self) {
        (self.iv, self.counter) = ([0; 12], 0);
        optimization_barrier(self);
    }
}

/// The part of the state that changes with each part of the text.
#[derive(Clone)]
struct Running {
    /// The counter of the next block.
    counter: u32,
    /// The state of GHASH.
    acc: [u8; 16],
}

impl Drop for Running {
    fn drop(&mut self) {
        (self.counter, self.acc) = (0, [0; 16]);
        optimization_barrier(self);
    }
}

impl ZeroizeOnDrop for GcmState {}

impl<T: GcmToken> GcmKey<T> {
    expanded_in_place!("16, 24 or 32");

    /// A place for a key. It would encrypt with round keys of zeros, so the function is not public.
    #[inline(always)]
    pub(crate) fn unset(token: T) -> Self {
        Self { token, hash: HashKey::unset(), round_keys: RoundKeys::unset() }
    }

    /// Expands a key of 16, 24 or 32 bytes in place of the previous one; returns whether `key` has one of these
    /// lengths.
    #[must_use]
    pub fn set(&mut self, key: &[u8]) -> bool {
        let token = self.token;
        if !expand(token, &mut self.round_keys, key) {
            return false;
        }
        token.vectorize_with(
            &mut self.hash,
            &self.round_keys,
            (),
            #[inline(always)]
            move |hash, round_keys, ()| {
                let mut h = [Blocks::zero(token.narrow())];
                encrypt_blocks::<OneBlock<T>, 1>(token.narrow(), round_keys, &mut h);
                hash.set_ghash(token, &h[0].first());
            },
        );
        true
    }

    /// Begins a message with an IV of 12 bytes.
    pub fn start(&self, iv: &[u8; 12]) -> GcmState {
        Self::start_at(iv, kernel::FIRST_COUNTER - 1)
    }

    /// Begins a message with an IV of any length. If it does not have 12 bytes, J0 is its hash (section 7.1, step 2):
    /// GHASH(IV ‖ zeros up to a block ‖ 64 zero bits ‖ length of the IV in bits, 64 bits).
    pub fn start_any(&self, iv: &[u8]) -> GcmState {
        if let Ok(iv) = iv.try_into() {
            return self.start(iv);
        }
        let (blocks, rest) = iv.as_chunks::<16>();
        let mut j0 = [0; 16];
        self.hash(&mut j0, blocks.as_flattened());
        if !rest.is_empty() {
            let mut last = [0; 16];
            last[..rest.len()].copy_from_slice(rest);
            self.hash(&mut j0, &last);
        }
        self.hash(&mut j0, &kernel::length_block(0, iv.len() as u64));
        let (prefix, counter) = j0.split_last_chunk().expect("a block has more than 4 bytes");
        let state = Self::start_at(prefix.try_into().expect("12 bytes are left"), u32::from_be_bytes(*counter));
        j0 = [0; 16];
        optimization_barrier(&j0);
        state
    }

    fn start_at(iv: &[u8; 12], zeroth: u32) -> GcmState {
        let running = Running { counter: zeroth.wrapping_add(1), acc: [0; 16] };
        let zeroth = Zeroth { iv: *iv, counter: zeroth };
        GcmState { zeroth, running, aad: BlockBuffer::default(), aad_len: 0, text_len: 0 }
    }

    /// Absorbs associated data: any number of parts of any length, before the first part of the text.
    pub fn aad(&self, state: &mut GcmState, aad: &[u8]) {
        let GcmState { running: Running { acc, .. }, aad: buffer, aad_len, .. } = state;
        *aad_len = aad_len.wrapping_add(aad.len() as u64);
        buffer.absorb(
            aad,
            #[inline(always)]
            |blocks| self.hash(acc, blocks),
        );
    }

    /// Encrypts a part of the text.
    ///
    /// The length of every part but the last must be a multiple of 16 bytes.
    pub fn encrypt(&self, state: &mut GcmState, text: InOut<'_>) {
        self.crypt(true, state, text);
    }

    /// Decrypts a part of the text. It is not authenticated before the tag has been compared.
    ///
    /// The length of every part but the last must be a multiple of 16 bytes.
    pub fn decrypt(&self, state: &mut GcmState, text: InOut<'_>) {
        self.crypt(false, state, text);
    }

    /// Ends the message and returns its tag of 16 bytes.
    pub fn finish(&self, mut state: GcmState) -> [u8; 16] {
        self.end_aad(&mut state);
        self.hash(&mut state.running.acc, &kernel::length_block(state.aad_len, state.text_len));
        self.token.vectorize(
            #[inline(always)]
            || self.kernel().mask(&kernel::counter_block(&state.zeroth.iv, state.zeroth.counter), &state.running.acc),
        )
    }

    /// Encrypts a whole message and writes its tag.
    #[inline(always)]
    pub fn seal(&self, iv: &[u8; 12], packet: &mut Packet<'_>, tag: &mut [u8; 16]) {
        self.whole::<true>(iv, packet, TagUse::Write(tag));
    }

    /// Decrypts a whole message and writes the tag that an authentic message has.
    ///
    /// The caller compares it with the message's tag, in constant time, and wipes the text if they differ.
    #[inline(always)]
    pub fn unseal(&self, iv: &[u8; 12], packet: &mut Packet<'_>, tag: &mut [u8; 16]) {
        self.whole::<false>(iv, packet, TagUse::Write(tag));
    }

    /// Decrypts a whole message and returns whether `tag` is its tag. The time does not depend on where the tags
    /// differ.
    ///
    /// The caller wipes the text if the answer is false.
    #[inline(always)]
    #[must_use]
    pub fn open(&self, iv: &[u8; 12], packet: &mut Packet<'_>, tag: &[u8; 16]) -> bool {
        self.whole::<false>(iv, packet, TagUse::Compare(tag))
    }

    #[inline(always)]
    fn whole<const ENCRYPT: bool>(&self, iv: &[u8; 12], packet: &mut Packet<'_>, tag_use: TagUse<'_>) -> bool {
        // Text and associated data are at most a block each. With one-block vectors, the general way is as fast.
        let short = T::V::BLOCKS > 1 && packet.text.len().wrapping_sub(1) < 16 && packet.assoc.len() <= 16;
        if short {
            return self.token.vectorize_with(
                self,
                (iv, packet),
                tag_use,
                #[inline(always)]
                |key, (iv, packet), tag_use| {
                    key.kernel().one_block::<ENCRYPT>(iv, packet.assoc, packet.text.in_registers(), tag_use)
                },
            );
        }
        if packet.assoc.len() > kernel::SHORT_AAD {
            return self.pieces(ENCRYPT, iv, packet, tag_use);
        }
        self.pass(ENCRYPT, iv, packet, tag_use)
    }

    /// A whole message whose associated data is longer than [`kernel::SHORT_AAD`].
    #[inline(never)]
    fn pieces(&self, encrypt: bool, iv: &[u8; 12], packet: &mut Packet<'_>, tag_use: TagUse<'_>) -> bool {
        let mut state = self.start(iv);
        self.aad(&mut state, packet.assoc);
        self.crypt(encrypt, &mut state, packet.text.reborrow());
        tag_use.finish(self.finish(state))
    }

    #[inline(always)]
    fn kernel(&self) -> Kernel<'_, T> {
        Kernel { token: self.token, hash: &self.hash, round_keys: &self.round_keys }
    }

    fn hash(&self, acc: &mut [u8; 16], blocks: &[u8]) {
        let before = *acc;
        absorb::<T::V, true>(self.token, &self.hash, &before, blocks, acc);
    }

    /// Pads and absorbs what is left of the associated data.
    fn end_aad(&self, state: &mut GcmState) {
        if !state.aad.pending().is_empty() {
            self.hash(&mut state.running.acc, state.aad.pending());
            state.aad = BlockBuffer::default();
        }
    }

    #[inline(never)]
    fn crypt(&self, encrypt: bool, state: &mut GcmState, text: InOut<'_>) {
        self.end_aad(state);
        if text.is_empty() {
            return;
        }
        state.text_len = state.text_len.wrapping_add(text.len() as u64);
        let counter = state.running.counter.wrapping_add(text.len().div_ceil(16) as u32);
        self.pass(encrypt, &state.zeroth.iv, &mut Packet { assoc: &[], text }, TagUse::Later(&mut state.running));
        state.running.counter = counter;
    }

    /// The only caller of the kernel. The kernel is as large as it is fast, so it must exist once. All arguments are
    /// passed in registers.
    #[inline(always)]
    fn pass(&self, encrypt: bool, iv: &[u8; 12], packet: &mut Packet<'_>, tag_use: TagUse<'_>) -> bool {
        self.token.vectorize_with(
            (self, encrypt),
            (iv, packet),
            tag_use,
            #[inline(always)]
            |(key, encrypt), (iv, packet), tag_use| {
                key.kernel().pass(encrypt, iv, packet.assoc, packet.text.in_registers(), tag_use)
            },
        )
    }
}
