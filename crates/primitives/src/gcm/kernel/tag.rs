//! What happens to the tag of a message.

use super::super::{GcmToken, Running};
use super::rounds::Kernel;
use crate::aes::rounds::OneBlock;
use crate::ghash::key::Sum;
use crate::simd::{Blocks, opaque64};

/// What happens to the tag when a pass ends.
pub(crate) enum TagUse<'a> {
    /// There is no tag yet: the message continues from this state.
    Later(&'a mut Running),
    /// The tag of a whole message is written here.
    Write(&'a mut [u8; 16]),
    /// The tag of a whole message is compared with this one.
    Compare(&'a [u8; 16]),
}

impl TagUse<'_> {
    /// Writes or compares the tag of a message that was processed in parts. Returns false if it was compared and
    /// differs.
    pub(crate) fn finish(self, full: [u8; 16]) -> bool {
        match self {
            TagUse::Later(_) => {}
            TagUse::Write(tag) => *tag = full,
            TagUse::Compare(tag) => return is_zero(u128::from_ne_bytes(full) ^ u128::from_ne_bytes(*tag)),
        }
        true
    }
}

/// Whether `difference` is zero. The answer is public, but the positions of set bits are not, so there is one
/// comparison.
#[inline(always)]
fn is_zero(difference: u128) -> bool {
    opaque64(difference as u64 | (difference >> 64) as u64) == 0
}

impl<T: GcmToken> Kernel<'_, T> {
    /// Reduces the sum over a message or a part of its text. Returns false if a tag was compared and differs.
    #[inline(always)]
    pub(super) fn finish(&self, tag_use: TagUse<'_>, sum: Sum<'_, T::V>, mask: OneBlock<T>) -> bool {
        let hash = sum.finish();
        if let TagUse::Later(running) = tag_use {
            running.acc = hash.reverse_bytes().first();
            return true;
        }
        self.answer(tag_use, OneBlock::<T>::load(self.token.narrow(), &hash.first()), mask)
    }

    /// Writes or compares the tag of a whole message. Returns false if it was compared and differs.
    #[inline(always)]
    pub(super) fn answer(&self, tag_use: TagUse<'_>, hash: OneBlock<T>, mask: OneBlock<T>) -> bool {
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
}
