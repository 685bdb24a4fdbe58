//! The datagrams that wait for the client.

use std::collections::VecDeque;

/// The capacity of a socket in bytes, as the kernel accounts for it (`net.core.rmem_default`).
const ROOM: usize = 212_992;

/// A queue of datagrams with a limited capacity.
#[derive(Default, Debug)]
pub(super) struct Queue {
    datagrams: VecDeque<Vec<u8>>,
    used: usize,
    /// Set when a datagram did not fit. Nothing more is queued until the client has read everything.
    congested: bool,
}

/// The error for a datagram that did not fit and was lost.
#[derive(Debug)]
pub(super) struct Overrun {
    /// Whether it is the first loss since the queue was last empty.
    pub(super) first: bool,
}

impl Queue {
    /// Appends a datagram if there is room.
    pub(super) fn push(&mut self, datagram: Vec<u8>) -> Result<(), Overrun> {
        let used = self.used + cost(&datagram);
        if self.congested || used > ROOM {
            return Err(Overrun { first: !std::mem::replace(&mut self.congested, true) });
        }
        self.used = used;
        self.datagrams.push_back(datagram);
        Ok(())
    }

    /// Appends a datagram even if there is no room, for dumps that were announced.
    pub(super) fn push_anyway(&mut self, datagram: Vec<u8>) {
        self.used += cost(&datagram);
        self.datagrams.push_back(datagram);
    }

    pub(super) fn front(&self) -> Option<&[u8]> {
        self.datagrams.front().map(Vec::as_slice)
    }

    pub(super) fn pop(&mut self) {
        if let Some(datagram) = self.datagrams.pop_front() {
            self.used -= cost(&datagram);
        }
        self.congested &= !self.datagrams.is_empty();
    }

    pub(super) fn used(&self) -> usize {
        self.used
    }

    pub(super) fn is_empty(&self) -> bool {
        self.datagrams.is_empty()
    }

    /// Whether at least half of the capacity is free, so that a dump can continue.
    pub(super) fn is_half_free(&self) -> bool {
        self.used <= ROOM / 2
    }
}

/// The bytes that the kernel charges for a datagram: an allocation for the data and the structure after it, and the
/// socket buffer's descriptor.
fn cost(datagram: &[u8]) -> usize {
    (datagram.len() + 320).next_power_of_two() + 256
}
