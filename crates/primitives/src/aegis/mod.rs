//! AEGIS-128 (Wu, Preneel: "AEGIS: a fast authenticated encryption algorithm", version 1.1 of the CAESAR submission).
//!
//! The state *S* is five blocks. Each block *m* of the message updates it by five rounds of AES, which are independent
//! of each other. *R* is a round without its key:
//!
//! ```text
//! S₀ ← R(S₄) ^ S₀ ^ m     S₁ ← R(S₀) ^ S₁     S₂ ← R(S₁) ^ S₂     S₃ ← R(S₂) ^ S₃     S₄ ← R(S₃) ^ S₄
//! ```
//!
//! The message block is encrypted by xoring *S*₁ ^ *S*₄ ^ (*S*₂ & *S*₃). The associated data update the state in the
//! same way and are not encrypted. Both are padded with zeros to a whole block. The tag is the sum of the state's
//! blocks after seven more updates with the two lengths.

mod portable;

use crate::InOut;
use crate::cpu::{Portable, Token};
use crate::hash::{BlockBuffer, wipe};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::simd::AesToken;
use crate::simd::{AesVector, Blocks};
use portable::Bytes;
use zeroize::Zeroizing;

/// A token of a CPU that has code for AEGIS.
pub trait AegisToken: Token {
    /// The type of a block, in a register where the CPU has AES instructions.
    #[doc(hidden)]
    type Block: Block<Token = Self>;
}

impl AegisToken for Portable {
    type Block = Bytes;
}

#[cfg(target_arch = "x86_64")]
impl AegisToken for crate::cpu::AesNi {
    type Block = <Self as AesToken>::V;
}

#[cfg(target_arch = "aarch64")]
impl AegisToken for crate::cpu::ArmCe {
    type Block = <Self as AesToken>::V;
}

/// A block that a round of AES can be applied to.
#[doc(hidden)]
pub trait Block: Copy {
    /// The token that proves that the CPU has the instructions.
    type Token: Token;

    /// Loads a block.
    fn from_bytes(token: Self::Token, bytes: &[u8; 16]) -> Self;

    /// The block as bytes.
    fn to_bytes(self) -> [u8; 16];

    /// `self ^ other`.
    fn xor(self, other: Self) -> Self;

    /// `self & other`.
    fn and(self, other: Self) -> Self;

    /// One round of AES on each of five blocks, each with its own key.
    fn rounds(blocks: [Self; 5], keys: [Self; 5]) -> [Self; 5];
}

/// One-block vectors of a CPU with AES instructions.
impl<V: AesVector> Block for V {
    type Token = V::Token;

    #[inline(always)]
    fn from_bytes(token: V::Token, bytes: &[u8; 16]) -> Self {
        const { assert!(V::BLOCKS == 1) }
        V::load(token, bytes)
    }

    #[inline(always)]
    fn to_bytes(self) -> [u8; 16] {
        self.first()
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Blocks::xor(self, other)
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        AesVector::and(self, other)
    }

    #[inline(always)]
    fn rounds([a, b, c, d, e]: [Self; 5], [ka, kb, kc, kd, ke]: [Self; 5]) -> [Self; 5] {
        [a.enc(ka), b.enc(kb), c.enc(kc), d.enc(kd), e.enc(ke)]
    }
}

/// The Fibonacci sequence modulo 256, its first 32 numbers in two blocks.
const CONSTANTS: [[u8; 16]; 2] = [
    [0x00, 0x01, 0x01, 0x02, 0x03, 0x05, 0x08, 0x0d, 0x15, 0x22, 0x37, 0x59, 0x90, 0xe9, 0x79, 0x62],
    [0xdb, 0x3d, 0x18, 0x55, 0x6d, 0xc2, 0x2f, 0xf1, 0x20, 0x11, 0x31, 0x42, 0x73, 0xb5, 0x28, 0xdd],
];

/// An AEGIS-128 key.
#[derive(Clone)]
pub struct Aegis128<T: Token> {
    token: T,
    key: Zeroizing<[u8; 16]>,
}

/// A message in progress: first its associated data, then its text.
pub struct Message {
    state: [[u8; 16]; 5],
    assoc: BlockBuffer<16>,
    assoc_len: u64,
    text_len: u64,
}

impl Drop for Message {
    fn drop(&mut self) {
        wipe(&mut self.state);
    }
}

/// The state in registers.
#[derive(Clone, Copy)]
struct State<B>([B; 5]);

impl<B: Block> State<B> {
    #[inline(always)]
    fn load(token: B::Token, [a, b, c, d, e]: &[[u8; 16]; 5]) -> Self {
        let load = |bytes| B::from_bytes(token, bytes);
        Self([load(a), load(b), load(c), load(d), load(e)])
    }

    #[inline(always)]
    fn store(self, state: &mut [[u8; 16]; 5]) {
        for (bytes, block) in state.iter_mut().zip(self.0) {
            *bytes = block.to_bytes();
        }
    }

    /// Updates the state with a block of the message.
    #[inline(always)]
    fn update(&mut self, message: B) {
        let [a, b, c, d, e] = self.0;
        self.0 = B::rounds([e, a, b, c, d], [a.xor(message), b, c, d, e]);
    }

    #[inline(always)]
    fn keystream(&self) -> B {
        let [_, b, c, d, e] = self.0;
        b.xor(e).xor(c.and(d))
    }

    /// Encrypts or decrypts. A partial last block is padded with zeros for the state.
    #[inline(always)]
    fn crypt<const ENC: bool>(&mut self, token: B::Token, mut data: InOut<'_>) {
        while let Some(mut block) = data.take(16) {
            let from = B::from_bytes(token, &block.get(0));
            let to = from.xor(self.keystream());
            block.put(0, &to.to_bytes());
            self.update(if ENC { from } else { to });
        }
        if data.is_empty() {
            return;
        }
        let len = data.len();
        let mut from = [0; 16];
        from[..len].copy_from_slice(data.src());
        let mut to = B::from_bytes(token, &from).xor(self.keystream()).to_bytes();
        to[len..].fill(0);
        data.put(0, &to[..len]);
        self.update(B::from_bytes(token, if ENC { &from } else { &to }));
        wipe(&mut from);
        wipe(&mut to);
    }
}

impl<T: AegisToken> Aegis128<T> {
    /// A key of 16 bytes.
    pub fn new(token: T, key: &[u8; 16]) -> Self {
        Self { token, key: (*key).into() }
    }

    /// Begins a message with an IV of 16 bytes.
    pub fn start(&self, iv: &[u8; 16]) -> Message {
        let mut state = [[0; 16]; 5];
        self.token.vectorize_with(
            &mut state,
            &self.key,
            iv,
            #[inline(always)]
            |bytes, key, iv| {
                let load = |bytes| T::Block::from_bytes(self.token, bytes);
                let (key, iv, [zero, one]) = (load(key), load(iv), [load(&CONSTANTS[0]), load(&CONSTANTS[1])]);
                let masked = key.xor(iv);
                let mut state = State([masked, one, zero, key.xor(zero), key.xor(one)]);
                for _ in 0..5 {
                    state.update(key);
                    state.update(masked);
                }
                state.store(bytes);
            },
        );
        Message { state, assoc: BlockBuffer::default(), assoc_len: 0, text_len: 0 }
    }

    /// Absorbs associated data: any number of parts of any length, before the first part of the text.
    pub fn assoc(&self, message: &mut Message, data: &[u8]) {
        let Message { state, assoc, assoc_len, .. } = message;
        *assoc_len = assoc_len.wrapping_add(data.len() as u64);
        assoc.absorb(data, |blocks| self.absorb(state, blocks));
    }

    fn absorb(&self, state: &mut [[u8; 16]; 5], blocks: &[u8]) {
        self.token.vectorize_with(
            state,
            blocks,
            (),
            #[inline(always)]
            |bytes, blocks, ()| {
                let mut state = State::load(self.token, bytes);
                for block in blocks.as_chunks().0 {
                    state.update(T::Block::from_bytes(self.token, block));
                }
                state.store(bytes);
            },
        );
    }

    /// Pads and absorbs what is left of the associated data.
    fn end_assoc(&self, message: &mut Message) {
        let pending = message.assoc.pending();
        if !pending.is_empty() {
            let mut last = [0; 16];
            last[..pending.len()].copy_from_slice(pending);
            self.absorb(&mut message.state, &last);
            message.assoc = BlockBuffer::default();
        }
    }

    /// Encrypts (`ENC`) or decrypts a part of the text. The length of every part but the last must be a multiple of 16
    /// bytes.
    pub fn crypt<const ENC: bool>(&self, message: &mut Message, data: InOut<'_>) {
        self.end_assoc(message);
        message.text_len = message.text_len.wrapping_add(data.len() as u64);
        self.token.vectorize_with(
            &mut message.state,
            data,
            (),
            #[inline(always)]
            |bytes, data, ()| {
                let mut state = State::<T::Block>::load(self.token, bytes);
                state.crypt::<ENC>(self.token, data);
                state.store(bytes);
            },
        );
    }

    /// Ends the message and returns its tag of 16 bytes.
    pub fn finish(&self, mut message: Message) -> [u8; 16] {
        self.end_assoc(&mut message);
        let bits = |bytes: u64| u128::from(bytes.wrapping_mul(8));
        let lengths = (bits(message.assoc_len) | bits(message.text_len) << 64).to_le_bytes();
        let mut tag = [0; 16];
        self.token.vectorize_with(
            &message.state,
            &lengths,
            &mut tag,
            #[inline(always)]
            |bytes, lengths, tag| {
                let mut state = State::<T::Block>::load(self.token, bytes);
                let last = state.0[3].xor(T::Block::from_bytes(self.token, lengths));
                for _ in 0..7 {
                    state.update(last);
                }
                let [a, b, c, d, e] = state.0;
                *tag = a.xor(b).xor(c.xor(d)).xor(e).to_bytes();
            },
        );
        tag
    }
}

#[cfg(test)]
mod tests;
