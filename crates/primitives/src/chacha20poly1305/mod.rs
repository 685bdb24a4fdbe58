//! ChaCha20-Poly1305 (RFC 8439 section 2.8), with stream cipher and authenticator interleaved.
//!
//! A message is processed in one call, by [`seal`](ChaCha20Poly1305::seal) or [`open`](ChaCha20Poly1305::open), or in
//! parts by a [`Message`]. `kernel.rs` has the code for both, written once for every width.
//!
//! The caller keeps to the limits of RFC 8439: a message has at most 2³⁸ − 64 bytes, and a nonce is used only once with
//! a key. The caller also compares tags, in constant time.

mod kernel;
#[cfg(test)]
mod tests;

use crate::InOut;
use crate::chacha::columns::Columns;
use crate::chacha::{ChaChaVectors, quad};
use crate::cpu::Token;
use crate::hash::BlockBuffer;
use crate::poly1305::one_time::OneTime;
use kernel::Kernel;
use zeroize::Zeroizing;

/// A token of a CPU that has vectors for ChaCha.
pub trait AeadToken: Token + Into<Self::Cipher> {
    /// The token of ChaCha's vectors.
    type Cipher: ChaChaVectors;

    /// Vectors for the columns of a batch of a long text, beside whose rounds Poly1305 is computed.
    #[doc(hidden)]
    type Batch: Columns<Token = Self::Cipher>;

    /// Whether a batch is hashed after its rounds, and not between them.
    #[doc(hidden)]
    const SEPARATE: bool = false;

    /// Absorbs `bytes`, padded with zeros to a whole block.
    #[doc(hidden)]
    fn hash(self, hash: &mut OneTime, bytes: &[u8]) {
        kernel::hash(self, hash, bytes);
    }

    /// What can be computed for the hash of a short text before the text is there.
    #[doc(hidden)]
    type Ready;

    /// Computes [`AeadToken::Ready`].
    #[doc(hidden)]
    fn ready(self, hash: &OneTime) -> Self::Ready;

    /// Absorbs a short text as [`AeadToken::hash`] does, inlined.
    #[doc(hidden)]
    fn hash_with(self, hash: &mut OneTime, ready: Self::Ready, bytes: &[u8]);
}

/// A token of a CPU where the hash is computed with 64-bit words: there is nothing to compute for it before the text is there.
macro_rules! words {
    ($Batch:ty) => {
        type Cipher = Self;
        type Batch = $Batch;
        type Ready = ();

        #[inline(always)]
        fn ready(self, _: &OneTime) {}

        #[inline(always)]
        fn hash_with(self, hash: &mut OneTime, (): (), bytes: &[u8]) {
            hash.absorb_short(bytes);
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{AeadToken, OneTime};
    use crate::cpu::{Avx2, Avx512, Ifma512, Sse2, Ssse3};
    use crate::poly1305::ifma::Powers;
    use crate::simd::x86::{V128, V256, V512};
    use crate::words32::Pair;

    impl AeadToken for Sse2 {
        words!(V128<Self>);
    }
    impl AeadToken for Ssse3 {
        words!(V128<Self>);
    }
    impl AeadToken for Avx2 {
        words!(Pair<V256<Self>>);
    }
    impl AeadToken for Avx512 {
        words!(V512<Self>);
    }
    impl AeadToken for Ifma512 {
        type Cipher = Avx512;
        type Batch = V512<Avx512>;
        const SEPARATE: bool = true;

        fn hash(self, hash: &mut OneTime, bytes: &[u8]) {
            hash.absorb_wide(self, bytes);
        }

        type Ready = Powers;

        #[inline(always)]
        fn ready(self, hash: &OneTime) -> Powers {
            hash.powers(self)
        }

        #[inline(always)]
        fn hash_with(self, hash: &mut OneTime, powers: Powers, bytes: &[u8]) {
            hash.absorb_with(&powers, bytes);
        }
    }
}

#[cfg(target_arch = "aarch64")]
impl AeadToken for crate::cpu::Neon {
    words!(crate::simd::aarch64::V128<Self>);
}

/// A ChaCha20-Poly1305 key, for CPUs with the features of `T`.
#[derive(Clone)]
pub struct ChaCha20Poly1305<T: AeadToken> {
    token: T,
    key: Zeroizing<[[u32; 4]; 2]>,
}

/// A message in progress. [`ChaCha20Poly1305::start`] makes it, and all calls for it must use the same key.
#[derive(Clone)]
pub struct Message {
    /// The last row of the next block's matrix: counter and nonce.
    state: [u32; 4],
    hash: OneTime,
    /// Associated data that does not fill a block of 16 bytes yet.
    aad: BlockBuffer<16>,
    /// Length of the associated data so far, in bytes.
    aad_len: u64,
    /// Length of the text so far, in bytes.
    text_len: u64,
}

impl<T: AeadToken> ChaCha20Poly1305<T> {
    /// A key of 32 bytes, stored as the words of the matrix.
    pub fn new(token: T, key: &[u8; 32]) -> Self {
        Self { token, key: [quad(key, 0), quad(key, 16)].into() }
    }

    /// The token that the key was made with.
    pub fn token(&self) -> T {
        self.token
    }

    /// Encrypts a whole message and returns its tag of 16 bytes.
    #[inline]
    pub fn seal(&self, nonce: &[u8; 12], aad: &[u8], text: InOut<'_>) -> [u8; 16] {
        Kernel { token: self.token, key: &self.key }.whole(true, nonce, aad, text)
    }

    /// Decrypts a whole message and returns the tag that an authentic message has.
    ///
    /// The caller compares it with the message's tag, in constant time, and wipes the text if they differ.
    #[inline]
    pub fn open(&self, nonce: &[u8; 12], aad: &[u8], text: InOut<'_>) -> [u8; 16] {
        Kernel { token: self.token, key: &self.key }.whole(false, nonce, aad, text)
    }

    /// Begins a message with a nonce of 12 bytes.
    pub fn start(&self, nonce: &[u8; 12]) -> Message {
        Message {
            state: kernel::row(nonce, 1),
            hash: kernel::one_time(self.token.into(), &self.key, nonce),
            aad: BlockBuffer::default(),
            aad_len: 0,
            text_len: 0,
        }
    }

    /// Absorbs associated data: any number of parts of any length, before the first part of the text.
    pub fn aad(&self, message: &mut Message, aad: &[u8]) {
        let Message { hash, aad: buffer, aad_len, .. } = message;
        *aad_len = aad_len.wrapping_add(aad.len() as u64);
        buffer.absorb(
            aad,
            #[inline(always)]
            |blocks| self.token.hash(hash, blocks),
        );
    }

    /// Encrypts a part of the text.
    ///
    /// The length of every part but the last must be a multiple of 64 bytes.
    pub fn encrypt(&self, message: &mut Message, text: InOut<'_>) {
        self.crypt(true, message, text);
    }

    /// Decrypts a part of the text. It is not authenticated before the tag has been compared.
    ///
    /// The length of every part but the last must be a multiple of 64 bytes.
    pub fn decrypt(&self, message: &mut Message, text: InOut<'_>) {
        self.crypt(false, message, text);
    }

    /// Ends the message and returns its tag of 16 bytes.
    pub fn finish(&self, mut message: Message) -> [u8; 16] {
        self.end_aad(&mut message);
        let Message { mut hash, aad_len, text_len, .. } = message;
        hash.absorb_block(kernel::lengths(aad_len, text_len));
        hash.finish()
    }

    /// Pads and absorbs what is left of the associated data.
    fn end_aad(&self, message: &mut Message) {
        if !message.aad.pending().is_empty() {
            self.token.hash(&mut message.hash, message.aad.pending());
            message.aad = BlockBuffer::default();
        }
    }

    fn crypt(&self, encrypt: bool, message: &mut Message, text: InOut<'_>) {
        self.end_aad(message);
        let Message { state, hash, text_len, .. } = message;
        *text_len = text_len.wrapping_add(text.len() as u64);
        Kernel { token: self.token, key: &self.key }.part(encrypt, state, hash, text);
    }
}
