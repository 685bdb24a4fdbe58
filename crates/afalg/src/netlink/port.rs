//! Port numbers of netlink sockets.

use crate::Errno;
use std::{
    collections::BTreeSet,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// The port numbers in use.
static TAKEN: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// A port number, which is released on drop.
#[derive(Debug)]
pub(super) struct Port(u32);

impl Port {
    /// Reserves the number that a client asked for.
    pub(super) fn claim(number: u32) -> Result<Self, Errno> {
        if taken().insert(number) { Ok(Self(number)) } else { Err(Errno::ADDRINUSE) }
    }

    /// Reserves a number as the kernel does: the process ID if it is free, else a negative number.
    pub(super) fn any() -> Self {
        let mut taken = taken();
        let process = std::process::id();
        let number = std::iter::once(process).chain((0..=u32::MAX - 4096).rev()).find(|n| taken.insert(*n));
        Self(number.unwrap_or(process)) // 2^32 sockets do not fit into memory
    }

    pub(super) fn number(&self) -> u32 {
        self.0
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        taken().remove(&self.0);
    }
}

fn taken() -> MutexGuard<'static, BTreeSet<u32>> {
    TAKEN.lock().unwrap_or_else(PoisonError::into_inner)
}
