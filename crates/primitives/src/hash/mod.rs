//! What the hash primitives share: the [`Hash`] trait, the block buffer, the Merkle–Damgård construction, and the
//! hashing of many messages at a time.

mod buffer;
mod bytes;
#[cfg(test)]
pub(crate) mod check;
mod group;
#[cfg(target_arch = "x86_64")]
mod in_lanes;
mod kernel;
mod memory;
mod merkle_damgard;
mod padding;
mod queue;

use crate::cpu::CpuFeatures;
pub use buffer::BlockBuffer;
pub use bytes::{Number, Reader, Writer};
#[cfg(target_arch = "x86_64")]
pub(crate) use in_lanes::{InWords, in_lanes};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) use kernel::SideBySide;
pub use kernel::{Chaining, Tail};
pub(crate) use memory::{copy_short, little_endian, wipe};
pub use merkle_damgard::{Chain, MerkleDamgard};
pub(crate) use merkle_damgard::{Compression, compression};
pub use queue::Queue;
pub(crate) use queue::{SORTED, Stream, Streams, longest_first, take};

/// The chaining value of a hash between two blocks of 64 bytes, for code that absorbs blocks beside other work.
pub enum Words<'a> {
    /// SHA-1.
    Sha1(&'a mut [u32; 5]),
    /// SHA-224 or SHA-256.
    Sha256(&'a mut [u32; 8]),
}

/// The state of an incremental hash, keyed or not.
///
/// A clone continues independently. A state is wiped when it is dropped, except for checksums.
pub trait Hash: Clone + Send + Sync {
    /// The largest number of messages that [`Hash::digest_batch_after`] hashes in parallel on any CPU; 1 if it is never faster.
    const LANES: usize = 1;

    /// The length of the digest in bytes.
    fn digest_size(&self) -> usize;

    /// Absorbs `data`. A message may be split in any way.
    fn update(&mut self, data: &[u8]);

    /// Calls `absorb` with what the hash knows of the CPU and with the chaining value, which is to absorb `len` bytes in
    /// whole blocks. Returns false, as `absorb` does, if nothing was absorbed: also if the hash has no such value, or is
    /// within a block.
    #[must_use]
    fn absorb_by(&mut self, len: usize, absorb: &mut dyn FnMut(CpuFeatures, Words<'_>) -> bool) -> bool {
        let _ = (len, absorb);
        false
    }

    /// Writes the digest of what has been absorbed to `out`. The state must not be used afterwards.
    ///
    /// # Panics
    /// If the length of `out` is not [`Hash::digest_size`].
    fn finish(&mut self, out: &mut [u8]);

    /// Writes the next bytes of the output, for a hash whose output has no end; more data can be absorbed afterwards.
    /// Other hashes return false and leave `out` alone.
    #[must_use]
    fn squeeze(&mut self, out: &mut [u8]) -> bool {
        let _ = out;
        false
    }

    /// Writes the digest of what has been absorbed followed by `message`. The state does not change.
    ///
    /// This is the way for short messages. A hash that has a large key, or that needs no buffer for it, should avoid
    /// copying them.
    ///
    /// # Panics
    /// The same as for [`Hash::finish`].
    #[inline]
    fn digest_whole(&self, message: &[u8], out: &mut [u8]) {
        digest_by_copy(self, &[message], out);
    }

    /// [`Hash::digest_whole`] for a message in pieces.
    ///
    /// # Panics
    /// The same as for [`Hash::finish`].
    #[inline]
    fn digest_after(&self, parts: &[&[u8]], out: &mut [u8]) {
        match parts {
            [message] => self.digest_whole(message, out),
            _ => digest_by_copy(self, parts, out),
        }
    }

    /// Writes the digest of what has been absorbed followed by the first `len` bytes of `data`; `len` is between
    /// `least` and the length of `data`. Neither the time nor the addresses depend on `len`, nor on `data`. The state does not change.
    /// Other hashes than those of the Merkle–Damgård construction return false and leave `out` alone.
    ///
    /// # Panics
    /// The same as for [`Hash::finish`].
    #[must_use]
    fn digest_within(&self, data: &[u8], least: usize, len: usize, out: &mut [u8]) -> bool {
        let _ = (data, least, len, out);
        false
    }

    /// A state under another key that has absorbed nothing, for authenticators whose key serves one message. `None` for
    /// other hashes, and for a key of another length.
    fn under(&self, key: &[u8]) -> Option<Self> {
        let _ = key;
        None
    }

    /// Writes the state of a message in progress. The key, and what depends on the key alone, is not part of it.
    ///
    /// The format belongs to the type, and may differ between builds.
    fn export(&self, to: &mut Writer<'_>);

    /// Replaces a state that has absorbed nothing by the one that was exported; both must have the same key. Returns
    /// `None` if the bytes are no such state; `self` must not be used then.
    #[must_use]
    fn import(&mut self, from: &mut Reader<'_>) -> Option<()>;

    /// [`Hash::digest_after`] for many messages at once, in any order. Afterwards the `out` of a job may be empty.
    ///
    /// # Panics
    /// The same as for [`Hash::finish`].
    fn digest_batch_after(jobs: &mut [Job<'_, Self>]) {
        jobs.iter_mut().for_each(|job| job.state.digest_after(job.parts, job.out));
    }
}

/// A digest to be computed by [`Hash::digest_batch_after`].
pub struct Job<'a, S: ?Sized> {
    /// The state that the message continues.
    pub state: &'a S,
    /// The message, in pieces.
    pub parts: &'a [&'a [u8]],
    /// The buffer for the digest.
    pub out: &'a mut [u8],
}

/// [`Hash::digest_after`] on a copy of the state. It is not inlined, so that the copy takes no space in the stack
/// frames of callers that seldom need it.
#[inline(never)]
pub(crate) fn digest_by_copy<H: Hash>(state: &H, parts: &[&[u8]], out: &mut [u8]) {
    let mut copy = state.clone();
    parts.iter().for_each(|part| copy.update(part));
    copy.finish(out);
}
