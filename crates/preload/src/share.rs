//! One state for the processes that `fork` makes, as the kernel has one open file description.
//!
//! From the `fork` on, what the entry's lock protects in this process is a copy of what a [`Region`] holds. Who locks the
//! entry locks the region too, and brings the copy up to date; who has changed it puts it there before unlocking.

use crate::{
    entry::{Entry, State},
    process,
    region::{Found, Region},
    table,
};
use algkit_afalg::{Common, Errno, File, ProcessId};
use std::sync::Arc;

/// What the copy is one of.
pub struct Shared {
    region: Arc<Region>,
    /// The version of the copy.
    version: u64,
}

/// Bytes of what stands in front of the file in a snapshot.
const FRONT: usize = 18;

impl Shared {
    /// Where the state is.
    pub fn region(&self) -> &Arc<Region> {
        &self.region
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // Those that wait in other threads find out that there is nothing to wait for.
        self.region.wake();
    }
}

/// Brings all that this process shares up to date, where `entry` is shared: whether a transform takes a key depends on whether the
/// sockets accepted from it have seen one, in whatever process.
pub fn catch_up(entry: &'static Entry) {
    if entry.lock().shared.is_none() {
        return;
    }
    for other in &table::lock().all {
        let mut state = other.lock();
        if state.shared.is_some() && state.refresh().is_ok() {
            state.publish();
        }
    }
}

impl State {
    /// Before a `fork`: from now on the state is in a region, if there is memory for one and a socket that the processes have
    /// in common. If not, the child gets a copy. Tells whether that is new.
    pub fn share(&mut self) -> bool {
        let Some(file) = &self.file else { return false };
        file.share_transform(&mut |room| Region::new(room).map(|region| -> Arc<dyn Common> { region }));
        if self.shared.is_some() {
            return false;
        }
        let region = file.snapshot_room().and_then(|room| Region::new(FRONT + room));
        let Some(region) = region.filter(|_| self.mirror.join(&self.fds).is_ok()) else { return false };
        let is_written = region.publish(|room| self.snapshot(room));
        if is_written {
            self.shared = Some(Shared { version: region.version(), region });
        } else {
            self.mirror.part();
        }
        is_written
    }

    /// Locks the region, and brings the copy up to date.
    #[cold]
    pub fn refresh(&mut self) -> Result<(), Errno> {
        let Some(Shared { region, version }) = &mut self.shared else { return Ok(()) };
        let region = region.clone();
        let found = region.acquire()?;
        let former = std::mem::replace(version, region.version());
        // Of a process that was killed, the socket may show what never came to be.
        let is_newer = former != region.version() || found == Found::Orphaned;
        let restored = if is_newer { self.restore(region.value()) } else { Ok(()) };
        if restored.is_err() {
            region.release();
        } else if found == Found::Orphaned {
            self.mirror.forget_shown(&self.fds);
            self.reflect();
        }
        restored
    }

    /// Puts the copy into the region, unlocks that and wakes who waits, if something has changed.
    #[cold]
    pub fn publish(&mut self) {
        let Some(Shared { region, .. }) = &self.shared else { return };
        let region = region.clone();
        let is_new = region.publish(|room| self.snapshot(room));
        if let Some(shared) = &mut self.shared {
            shared.version = region.version();
        }
        region.release();
        if is_new {
            region.wake();
        }
    }

    fn snapshot(&mut self, into: &mut [u8]) -> Option<usize> {
        let (front, rest) = into.split_first_chunk_mut::<FRONT>()?;
        front[0] = u8::from(self.is_nonblocking);
        front[1] = self.mirror.to_byte();
        front[2..].copy_from_slice(&self.options.to_bytes());
        self.file.as_mut()?.snapshot(rest).map(|len| FRONT + len)
    }

    fn restore(&mut self, from: &[u8]) -> Result<(), Errno> {
        let (&[is_nonblocking, mirror, ref options @ ..], rest) = from.split_first_chunk::<FRONT>().ok_or(Errno::IO)?;
        self.is_nonblocking = is_nonblocking != 0;
        self.mirror.set_from_byte(mirror);
        self.options.set_from_bytes(options);
        self.file.as_mut().ok_or(Errno::IO)?.restore(rest)
    }

    /// After a `fork`, in the child.
    pub fn join(&self) {
        self.file.iter().for_each(File::join);
    }
}

impl Common for Region {
    fn lock(&self, seen: u64, read: &mut dyn FnMut(&[u8])) -> u64 {
        let _ = self.acquire();
        let version = self.version();
        if version != seen {
            read(self.value());
        }
        version
    }

    fn unlock(&self, write: &mut dyn FnMut(&mut [u8]) -> Option<usize>) -> u64 {
        self.publish(write);
        let version = self.version();
        self.release();
        version
    }

    fn settle(&self) {
        Region::settle(self);
    }

    fn process(&self) -> ProcessId {
        process::this()
    }

    fn is_alive(&self, process: ProcessId) -> bool {
        process::is_alive(process)
    }
}
