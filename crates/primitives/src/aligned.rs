//! Places that begin where a cache line does.

use core::ops::{Deref, DerefMut};

/// A value that begins where a cache line does.
///
/// A block that is padded on the stack cost 20 ns more in every other process, as the stack happened to begin. The
/// reason is inferred: a store of 32 bytes that lies in two lines is not forwarded to loads of its bytes
/// (docs/laboratory.md).
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Aligned<T>(pub T);

impl<T> Deref for Aligned<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Aligned<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}
