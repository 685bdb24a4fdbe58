//! What is asked of a library, and the interface of shared objects that answer. It lets builds of the same
//! library, with other compiler flags or of another version, meet in one process.

mod abi;
mod export;
mod load;

use std::ops::Deref;

pub use export::make;
pub use load::Plugin;

#[doc(hidden)]
pub use abi::{Case as RawCase, Work as RawWork};

/// Bytes behind each message, for a tag.
pub const ROOM: usize = 64;

/// An IV or nonce, of which each algorithm takes as many bytes as it needs. It does not lie across two lines
/// of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub struct Iv(pub [u8; 32]);

impl Deref for Iv {
    type Target = [u8; 32];

    fn deref(&self) -> &[u8; 32] {
        &self.0
    }
}

/// Room for a tag or a digest.
pub type Out = [u8; 64];

/// What is done to a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Op {
    /// Encryption, or sealing.
    Encrypt = 0,
    /// Decryption, or opening.
    Decrypt = 1,
    /// A digest or a tag.
    Digest = 2,
}

/// Which instructions may be used.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u32)]
pub enum Level {
    /// All that the CPU has.
    Full = 0,
    /// Vectors of 256 bits: no AVX-512.
    Avx2 = 1,
    /// AES and carry-less products of 128 bits.
    AesNi = 2,
    /// Neither AES nor carry-less products.
    Soft = 3,
}

/// What is asked of a library.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// `gcm`; empty for a hash.
    pub mode: &'static str,
    /// `aes`, `sha256`.
    pub cipher: &'static str,
    /// The key, of as many bytes as it has.
    pub key: &'static [u8],
    /// The associated data of an AEAD.
    pub assoc: &'static [u8],
    /// What is done.
    pub op: Op,
    /// Bytes in a message.
    pub size: usize,
    /// How many messages there are.
    pub messages: usize,
    /// What may be used for it.
    pub level: Level,
    /// Whether the key is set anew before each message.
    pub rekey: bool,
}

impl Request {
    /// Bytes from a message to the next: [`ROOM`] or a little more, so that all begin on a cache line.
    pub fn stride(&self) -> usize {
        (self.size + ROOM).next_multiple_of(64)
    }
}

/// A call with one message: its IV, the message with [`ROOM`] bytes behind it, and where a tag or a digest
/// goes. A message to be opened has its tag behind it. The answer is whether the library accepted it.
pub type One = Box<dyn FnMut(&Iv, &mut [u8], &mut Out) -> bool>;

/// The same for all messages at once.
pub type All = Box<dyn FnMut(&[Iv], &mut [u8], &mut [Out]) -> bool>;

/// A library's way to do what is asked.
pub enum Work {
    /// One message a call.
    One(One),
    /// All messages in a call.
    All(All),
}

impl Work {
    /// A call for one message.
    pub fn one(call: impl FnMut(&Iv, &mut [u8], &mut Out) -> bool + 'static) -> Self {
        Self::One(Box::new(call))
    }

    /// Does all messages, which lie `stride` bytes apart.
    #[inline]
    pub fn run(&mut self, ivs: &[Iv], text: &mut [u8], outs: &mut [Out], stride: usize) -> bool {
        match self {
            Self::All(call) => call(ivs, text, outs),
            Self::One(call) if ivs.len() == 1 => call(&ivs[0], text, &mut outs[0]),
            Self::One(call) => {
                let messages = ivs.iter().zip(text.chunks_exact_mut(stride)).zip(outs);
                messages.fold(true, |ok, ((iv, text), out)| ok & call(iv, text, out))
            }
        }
    }
}
