//! ChaCha20-Poly1305 (RFC 8439 section 2.8), the stream cipher and the authenticator side by side.
//!
//! A message goes either through [`seal`](ChaCha20Poly1305::seal) or [`open`](ChaCha20Poly1305::open)
//! in one call, or in parts through a [`Message`]. The text of both is in `kernel.rs`, written once for
//! every width.
//!
//! The caller keeps to the limits of RFC 8439 (a message of at most 2³⁸ − 64 bytes, a nonce never used
//! twice under one key) and compares tags, in constant time.

mod kernel;
#[cfg(test)]
mod tests;

use crate::InOut;
use crate::chacha::{ChaChaToken, quad, rounds};
use crate::hash::BlockBuffer;
use crate::poly1305::one_time::OneTime;
use crate::words32::Quads;
use kernel::Kernel;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// A token whose CPU has vectors for ChaCha and a fast integer multiplier beside them.
pub trait StitchToken: ChaChaToken {
    /// Vectors of the rows of a short message.
    #[doc(hidden)]
    type Row: Quads<Token = Self>;

    /// Whether four groups of row vectors fit the registers.
    #[doc(hidden)]
    const FOUR_ROWS: bool = false;
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::StitchToken;
    use crate::cpu::{Avx2, Avx512, Sse2, Ssse3};
    use crate::words32::{W128, W256};

    impl StitchToken for Sse2 {
        type Row = W128<Self>;
    }
    impl StitchToken for Ssse3 {
        type Row = W128<Self>;
    }
    impl StitchToken for Avx2 {
        type Row = W256<Self>;
    }
    // Eight blocks by rows take 137 ns in vectors of 256 bits and 147 ns in those of 512 (Zen 4).
    impl StitchToken for Avx512 {
        type Row = W256<Self>;
        const FOUR_ROWS: bool = true;
    }
}

#[cfg(target_arch = "aarch64")]
impl StitchToken for crate::cpu::Neon {
    type Row = crate::words32::W128;
}

/// A ChaCha20-Poly1305 key for the CPUs that `T` stands for.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct ChaCha20Poly1305<T: StitchToken> {
    #[zeroize(skip)]
    token: T,
    key: [[u32; 4]; 2],
}

/// A message under way; made by [`ChaCha20Poly1305::start`], to be used with the same key.
#[derive(Clone)]
pub struct Message {
    /// The last row of the next block's matrix: counter and nonce.
    state: [u32; 4],
    hash: OneTime,
    /// Associated data that does not fill a block yet.
    aad: BlockBuffer<16>,
    /// Bytes.
    aad_len: u64,
    /// Bytes.
    text_len: u64,
}

impl<T: StitchToken> ChaCha20Poly1305<T> {
    /// A key.
    pub fn new(token: T, key: &[u8; 32]) -> Self {
        Self { token, key: [quad(key, 0), quad(key, 16)] }
    }

    /// Encrypts a whole message and returns its tag.
    #[inline]
    pub fn seal(&self, nonce: &[u8; 12], aad: &[u8], text: InOut<'_>) -> [u8; 16] {
        self.kernel().whole::<true>(nonce, aad, text)
    }

    /// Decrypts a whole message and returns the tag that it should have.
    ///
    /// The caller compares, and wipes the text if the tag is another.
    #[inline]
    pub fn open(&self, nonce: &[u8; 12], aad: &[u8], text: InOut<'_>) -> [u8; 16] {
        self.kernel().whole::<false>(nonce, aad, text)
    }

    /// Begins a message.
    pub fn start(&self, nonce: &[u8; 12]) -> Message {
        Message {
            state: kernel::row(nonce, 1),
            hash: self.kernel().one_time(nonce),
            aad: BlockBuffer::default(),
            aad_len: 0,
            text_len: 0,
        }
    }

    /// Absorbs associated data, in any number of parts of any length, all before the first text.
    pub fn aad(&self, message: &mut Message, aad: &[u8]) {
        let Message { hash, aad: buffer, aad_len, .. } = message;
        *aad_len = aad_len.wrapping_add(aad.len() as u64);
        buffer.absorb(
            aad,
            #[inline(always)]
            |blocks| self.kernel().hash(hash, blocks),
        );
    }

    /// Encrypts a part of the text.
    ///
    /// Every part but the last has a multiple of 64 bytes.
    pub fn encrypt(&self, message: &mut Message, text: InOut<'_>) {
        self.crypt::<true>(message, text);
    }

    /// Decrypts a part of the text. Nothing of it is authentic before the tag has been compared.
    ///
    /// Every part but the last has a multiple of 64 bytes.
    pub fn decrypt(&self, message: &mut Message, text: InOut<'_>) {
        self.crypt::<false>(message, text);
    }

    /// The tag, all 16 bytes of it.
    pub fn finish(&self, mut message: Message) -> [u8; 16] {
        self.end_aad(&mut message);
        let Message { mut hash, aad_len, text_len, .. } = message;
        hash.absorb_block(kernel::lengths(aad_len, text_len));
        hash.finish()
    }

    #[inline(always)]
    fn kernel(&self) -> Kernel<'_, T> {
        Kernel { token: self.token, key: &self.key }
    }

    /// Pads the associated data, once.
    fn end_aad(&self, message: &mut Message) {
        if !message.aad.pending().is_empty() {
            self.kernel().hash(&mut message.hash, message.aad.pending());
            message.aad = BlockBuffer::default();
        }
    }

    fn crypt<const ENCRYPT: bool>(&self, message: &mut Message, text: InOut<'_>) {
        self.end_aad(message);
        message.text_len = message.text_len.wrapping_add(text.len() as u64);
        self.kernel().part::<ENCRYPT>(&mut message.state, &mut message.hash, text);
    }
}
