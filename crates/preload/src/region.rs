//! Memory that processes have in common after `fork`: a value, a lock on it, and a place to wait for another value.
//!
//! A process may be killed at any point. The lock is a robust one, which the kernel then frees; and a value is written
//! beside the one that counts before it takes its place, so that there is always a whole one.

use algkit_afalg::Errno;
use libc::{pthread_mutex_t, pthread_mutexattr_t};
use rustix::{
    mm::{MapFlags, ProtFlags, mmap_anonymous, munmap},
    thread::futex,
};
use std::{
    cell::UnsafeCell,
    fmt,
    mem::MaybeUninit,
    ptr::{self, NonNull},
    slice,
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// What is at the start of the mapping. Zeros are an empty value of version 0.
#[repr(C)]
struct Header {
    lock: UnsafeCell<pthread_mutex_t>,
    /// How many values there have been. The last bit says in which slot the value is.
    version: AtomicU64,
    /// The value's length, of either slot.
    len: [AtomicUsize; 2],
    /// Goes up when somebody who waits shall look again.
    changes: AtomicU32,
    waiters: AtomicU32,
    /// Those that may have the region mapped.
    processes: AtomicU32,
    /// Those of them that have been made and have not run yet.
    awaited: AtomicU32,
}

/// A mapping, which is this process's own as long as it has not forked. Two slots follow the header.
pub struct Region {
    header: NonNull<Header>,
    room: usize,
}

// SAFETY: the slots are used by who holds the lock, and all else is atomic.
unsafe impl Send for Region {}
// SAFETY: as above.
unsafe impl Sync for Region {}

/// Those that this process has.
static REGIONS: Mutex<Vec<Weak<Region>>> = Mutex::new(Vec::new());

/// How long a new process is waited for, and how often it is looked for.
const PATIENCE: Duration = Duration::from_secs(1);
const LOOK_AGAIN: Duration = Duration::from_micros(100);

/// How the lock was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// The last one to hold it gave it back.
    Free,
    /// The last one to hold it was killed.
    Orphaned,
}

impl Region {
    /// One for values of up to `room` bytes, which `fork` passes on.
    pub fn new(room: usize) -> Option<Arc<Self>> {
        let len = Self::len_for(room)?;
        let flags = MapFlags::SHARED | MapFlags::NORESERVE;
        // SAFETY: a fresh mapping, at an address of the kernel's choice.
        let mapped = unsafe { mmap_anonymous(ptr::null_mut(), len, ProtFlags::READ | ProtFlags::WRITE, flags).ok()? };
        let region = Self { header: NonNull::new(mapped.cast())?, room };
        region.header().processes.store(1, Ordering::Relaxed);
        region.make_lock()?;
        let region = Arc::new(region);
        regions(|regions| regions.push(Arc::downgrade(&region)));
        Some(region)
    }

    /// A `fork` is about to happen.
    pub fn pass_on() {
        regions(|regions| {
            regions.retain(|region| {
                let Some(region) = region.upgrade() else { return false };
                region.header().processes.fetch_add(1, Ordering::Relaxed);
                region.header().awaited.fetch_add(1, Ordering::Relaxed);
                true
            });
        });
    }

    /// This process was made by a `fork` and has [joined](algkit_afalg::File::join) whatever it has.
    pub fn arrive() {
        regions(|regions| {
            for region in regions.iter().filter_map(Weak::upgrade) {
                // Others may have given up waiting.
                let one_less = |awaited: u32| awaited.checked_sub(1);
                let _ = region.header().awaited.fetch_update(Ordering::Release, Ordering::Relaxed, one_less);
            }
        });
    }

    /// Waits for those that a `fork` has just made. One that failed, or whose child was killed at once, is waited for in vain, and only once.
    pub fn settle(&self) {
        let awaited = &self.header().awaited;
        let end = Instant::now() + PATIENCE;
        while awaited.load(Ordering::Acquire) > 0 {
            if Instant::now() > end {
                awaited.store(0, Ordering::Relaxed);
            }
            thread::sleep(LOOK_AGAIN);
        }
    }

    fn len_for(room: usize) -> Option<usize> {
        room.checked_mul(2)?.checked_add(size_of::<Header>())
    }

    fn header(&self) -> &Header {
        // SAFETY: mapped as long as this value lives, page-aligned, and valid as zeros.
        unsafe { self.header.as_ref() }
    }

    fn make_lock(&self) -> Option<()> {
        let mut attributes = MaybeUninit::<pthread_mutexattr_t>::uninit();
        let attributes = attributes.as_mut_ptr();
        // SAFETY: the attributes are initialized by the first call, and nobody has the lock yet.
        let results = unsafe {
            [
                libc::pthread_mutexattr_init(attributes),
                libc::pthread_mutexattr_setpshared(attributes, libc::PTHREAD_PROCESS_SHARED),
                libc::pthread_mutexattr_setrobust(attributes, libc::PTHREAD_MUTEX_ROBUST),
                libc::pthread_mutex_init(self.header().lock.get(), attributes),
                libc::pthread_mutexattr_destroy(attributes),
            ]
        };
        (results == [0; 5]).then_some(())
    }

    /// Locks, in all processes. Whoever asks holds the lock of what the region is for in this one.
    pub fn acquire(&self) -> Result<Found, Errno> {
        let lock = self.header().lock.get();
        // SAFETY: made by `make_lock`.
        match unsafe { libc::pthread_mutex_lock(lock) } {
            0 => Ok(Found::Free),
            libc::EOWNERDEAD => {
                // SAFETY: this thread has it.
                unsafe { libc::pthread_mutex_consistent(lock) };
                Ok(Found::Orphaned)
            }
            error => Err(Errno::from_raw_os_error(error)),
        }
    }

    /// Unlocks.
    pub fn release(&self) {
        // SAFETY: made by `make_lock`; if this thread does not have it, that is an error and no more.
        unsafe { libc::pthread_mutex_unlock(self.header().lock.get()) };
    }

    /// The version of the value. Changes only under the lock.
    pub fn version(&self) -> u64 {
        self.header().version.load(Ordering::Acquire)
    }

    /// The value, for who has the lock.
    pub fn value(&self) -> &[u8] {
        self.slot(self.version())
    }

    fn len(&self, version: u64) -> usize {
        self.header().len[usize::from(version % 2 == 1)].load(Ordering::Relaxed).min(self.room)
    }

    fn slot_start(&self, version: u64) -> *mut u8 {
        let start = size_of::<Header>() + if version % 2 == 1 { self.room } else { 0 };
        // SAFETY: within the mapping.
        unsafe { self.header.as_ptr().byte_add(start).cast() }
    }

    fn slot(&self, version: u64) -> &[u8] {
        // SAFETY: within the mapping; other processes write under the lock, which the caller has.
        unsafe { slice::from_raw_parts(self.slot_start(version), self.len(version)) }
    }

    /// Makes what `write` makes the value, unless it is; tells whether it was not. Called by who has the lock.
    pub fn publish(&self, write: impl FnOnce(&mut [u8]) -> Option<usize>) -> bool {
        let header = self.header();
        let version = self.version();
        let next = version.wrapping_add(1);
        // SAFETY: within the mapping; the slot is nobody's value, and others write under the lock, which the caller has.
        let slot = unsafe { slice::from_raw_parts_mut(self.slot_start(next), self.room) };
        let Some(len) = write(slot).filter(|&len| len <= self.room) else { return false };
        let is_new = slot[..len] != *self.slot(version);
        header.len[usize::from(next % 2 == 1)].store(len, Ordering::Relaxed);
        if is_new {
            header.version.store(next, Ordering::Release);
        }
        // Texts and keys do not stay where they are of no use any more.
        self.wipe(if is_new { version } else { next });
        is_new
    }

    fn wipe(&self, version: u64) {
        let (start, len) = (self.slot_start(version), self.len(version));
        // SAFETY: within the mapping, and under the lock.
        zeroize::optimization_barrier(unsafe {
            let slot = slice::from_raw_parts_mut(start, len);
            slot.fill(0);
            &*slot
        });
    }

    /// Says that one waits; from what on, [`Region::wait`] is to be told.
    pub fn begin_wait(&self) -> u32 {
        self.header().waiters.fetch_add(1, Ordering::Relaxed);
        self.header().changes.load(Ordering::Relaxed)
    }

    /// Waits until somebody has woken the region since `seen`.
    pub fn wait(&self, seen: u32) -> Result<(), Errno> {
        let woken = futex::wait(&self.header().changes, futex::Flags::empty(), seen, None);
        self.header().waiters.fetch_sub(1, Ordering::Relaxed);
        match woken {
            Err(Errno::INTR) => Err(Errno::INTR),
            _ => Ok(()),
        }
    }

    /// Wakes those who wait, in all processes.
    pub fn wake(&self) {
        if self.header().waiters.load(Ordering::Relaxed) > 0 {
            self.header().changes.fetch_add(1, Ordering::Relaxed);
            let _ = futex::wake(&self.header().changes, futex::Flags::empty(), i32::MAX as u32);
        }
    }
}

fn regions(body: impl FnOnce(&mut Vec<Weak<Region>>)) {
    body(&mut REGIONS.lock().unwrap_or_else(PoisonError::into_inner));
}

impl Drop for Region {
    fn drop(&mut self) {
        // Exact unless processes were killed, or ended without closing; then the kernel frees what nobody has mapped.
        if self.header().processes.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.wipe(self.version());
        }
        if let Some(len) = Self::len_for(self.room) {
            // SAFETY: the mapping is this value's, and nobody has a reference to it.
            let _ = unsafe { munmap(self.header.as_ptr().cast(), len) };
        }
    }
}

impl fmt::Debug for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Region(version {})", self.version())
    }
}
