//! The interface between hashes and the kernels that hash several messages at a time.
#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]

use super::{Reader, Writer};
use crate::lanes::Runs;

/// The chaining value of a hash, which one block passes to the next.
pub trait Chaining: Clone + Send + Sync + 'static {
    /// A value of zeros.
    const ZERO: Self;

    /// Room for the padded end of a message.
    type Tail: Tail;

    /// Writes the first `out.len()` bytes of the digest that the chaining value encodes.
    fn write(&self, out: &mut [u8]);

    /// Overwrites the chaining value.
    fn wipe(&mut self);

    /// Writes the chaining value in the format of an exported state.
    fn export(&self, to: &mut Writer<'_>);

    /// Reads what [`Chaining::export`] wrote.
    #[must_use]
    fn import(&mut self, from: &mut Reader<'_>) -> Option<()>;
}

/// An array of bytes whose length depends on the hash.
pub trait Tail {
    /// An array of zeros.
    const ZERO: Self;

    /// The whole array, to be written.
    fn bytes(&mut self) -> &mut [u8];

    /// The first `len` bytes.
    fn first(&self, len: usize) -> &[u8];
}

impl<const N: usize> Tail for [u8; N] {
    const ZERO: Self = [0; N];

    #[inline(always)]
    fn bytes(&mut self) -> &mut [u8] {
        self
    }

    #[inline(always)]
    fn first(&self, len: usize) -> &[u8] {
        &self[..len]
    }
}

/// A kernel that absorbs blocks of several messages at a time.
pub(crate) trait SideBySide<C> {
    /// The number of lanes, at most [`MOST`](crate::lanes::MOST).
    const LANES: usize;

    /// Whether the kernel hashes a [group](super::Queue::with_group). A driver whose messages form groups begins with such
    /// a kernel, which has as many lanes as the driver. The other kernels need no code for groups.
    const IN_STEP: bool = false;

    /// Returns the chaining value in a lane.
    fn get(&self, lane: usize) -> C;

    /// Writes the digest of the message in a lane. It is not inlined, because the compiler unrolls loops over lanes.
    #[inline(never)]
    fn write(&self, lane: usize, out: &mut [u8])
    where
        C: Chaining,
    {
        let mut last = self.get(lane);
        last.write(out);
        last.wipe();
    }

    /// Copies the chaining value in a lane to `chain`. It is not inlined, for the same reason.
    #[inline(never)]
    fn save(&self, lane: usize, chain: &mut C)
    where
        C: Chaining,
    {
        let mut its = self.get(lane);
        chain.clone_from(&its);
        its.wipe();
    }

    /// Sets the chaining value in a lane.
    fn set(&mut self, lane: usize, chain: &C);

    /// Absorbs a run in each lane, in whole blocks of `block` bytes.
    fn absorb(&mut self, runs: &Runs<'_>, block: usize);

    /// Overwrites the chaining values.
    fn wipe(&mut self);
}
