//! The request that a library is measured with, and the interface of shared objects that carry it out. By this
//! interface, builds of one library with different compiler flags, or different versions of it, can be loaded into one
//! process.

mod abi;
mod export;
mod load;

use std::ops::Deref;

pub use export::make;
pub use load::Plugin;

#[doc(hidden)]
pub use abi::{Case as RawCase, Work as RawWork};

/// The number of bytes behind each message, with room for a tag.
pub const ROOM: usize = 64;

/// An IV or nonce, of which each algorithm takes as many bytes as it needs. Its alignment keeps it within one cache
/// line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub struct Iv(pub [u8; 32]);

impl Deref for Iv {
    type Target = [u8; 32];

    fn deref(&self) -> &[u8; 32] {
        &self.0
    }
}

/// A buffer for a tag or a digest.
pub type Out = [u8; 64];

/// The operation on a message.
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

/// The instructions that a library may use.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u32)]
pub enum Level {
    /// All instructions that the CPU has.
    Full = 0,
    /// Vectors of 256 bits: no AVX-512.
    Avx2 = 1,
    /// AES and carry-less products on vectors of 128 bits.
    AesNi = 2,
    /// Neither AES nor carry-less products.
    Soft = 3,
}

/// What a library is asked to do.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// The mode, such as `gcm`; empty for a hash.
    pub mode: &'static str,
    /// The cipher or hash, such as `aes` or `sha256`.
    pub cipher: &'static str,
    /// The key, in the length that the case has.
    pub key: &'static [u8],
    /// The associated data of an AEAD.
    pub assoc: &'static [u8],
    /// The operation.
    pub op: Op,
    /// The length of a message in bytes.
    pub size: usize,
    /// The number of messages.
    pub messages: usize,
    /// The instructions that may be used.
    pub level: Level,
    /// Whether the key is set again before each message.
    pub rekey: bool,
}

impl Request {
    /// The distance in bytes from one message to the next: the message and [`ROOM`], rounded up so that each message
    /// begins on a cache line.
    pub fn stride(&self) -> usize {
        (self.size + ROOM).next_multiple_of(64)
    }
}

/// A call for one message: its IV, the message with [`ROOM`] bytes behind it, and the buffer for a tag or a digest. A
/// message to be opened has its tag behind it. Returns whether the library accepted the message.
pub type One = Box<dyn FnMut(&Iv, &mut [u8], &mut Out) -> bool>;

/// A call for all messages at once.
pub type All = Box<dyn FnMut(&[Iv], &mut [u8], &mut [Out]) -> bool>;

/// A library's implementation of a request.
pub enum Work {
    /// One call per message.
    One(One),
    /// One call for all messages.
    All(All),
}

impl Work {
    /// An implementation with one call per message.
    pub fn one(call: impl FnMut(&Iv, &mut [u8], &mut Out) -> bool + 'static) -> Self {
        Self::One(Box::new(call))
    }

    /// Processes all messages, which lie `stride` bytes apart. Returns whether the library accepted all.
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
