//! Which process this is: the one that made the entries, its child with a copy of them, or a child that
//! still runs in the parent's memory.
//!
//! Between `vfork` and `exec` a child has descriptors of its own and the parent's memory. What it closes
//! and duplicates must leave no trace in the table.

use crate::vfork;
use algkit_afalg::{Errno, ProcessId};
use libc::timespec;
use rustix::{
    fs::{Mode, OFlags, open},
    io::read,
    mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous},
    process::{Pid, getpid, test_kill_process},
};
use std::{
    ptr,
    sync::{
        OnceLock,
        atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering},
    },
};

/// The owner's number, in a page that the kernel clears in a child with memory of its own.
static OWNER: OnceLock<Option<&'static AtomicI32>> = OnceLock::new();

static GENERATION: AtomicU32 = AtomicU32::new(0);

const PAGE: usize = 4096;

/// Remembers the process, when it makes its first entry.
pub fn claim() {
    OWNER.get_or_init(|| {
        // SAFETY: a fresh mapping, at an address of the kernel's choice.
        let page = unsafe {
            mmap_anonymous(ptr::null_mut(), PAGE, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE).ok()?
        };
        // SAFETY: the mapping made above; the advice takes effect in children only.
        unsafe { madvise(page, PAGE, Advice::LinuxWipeOnFork).ok()? };
        // SAFETY: page-aligned, zeroed, never unmapped, and accessed in no other way.
        let owner = unsafe { &*page.cast::<AtomicI32>() };
        owner.store(getpid().as_raw_nonzero().get(), Ordering::Relaxed);
        Some(owner)
    });
}

/// Whether the memory is another process's, which waits for this one to `exec`.
pub fn borrows_memory() -> bool {
    let Some(Some(owner)) = OWNER.get() else { return false };
    match owner.load(Ordering::Relaxed) {
        0 => {
            owner.store(getpid().as_raw_nonzero().get(), Ordering::Relaxed);
            GENERATION.fetch_add(1, Ordering::Relaxed);
            false
        }
        owner => vfork::is_possible() && owner != getpid().as_raw_nonzero().get(),
    }
}

/// A number that differs between a process and the children that copied its memory.
pub fn generation() -> u32 {
    borrows_memory();
    GENERATION.load(Ordering::Relaxed)
}

/// This process, as others know it.
pub fn this() -> ProcessId {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    static SEEN: AtomicU64 = AtomicU64::new(0);
    // The same in all children.
    static STACK: OnceLock<u64> = OnceLock::new();
    let number = getpid().as_raw_nonzero().get().unsigned_abs();
    if NUMBER.load(Ordering::Acquire) != number {
        SEEN.store(ticks(), Ordering::Relaxed);
        NUMBER.store(number, Ordering::Release);
    }
    let program = *STACK.get_or_init(|| stat(number).map_or(0, |stat| stat.stack));
    ProcessId { number, seen: SEEN.load(Ordering::Relaxed), program }
}

/// Whether a process is there that can use the descriptors it had. One that was started later only has its number.
pub fn is_alive(process: ProcessId) -> bool {
    match stat(process.number) {
        Some(Stat { start, has_ended, stack }) => {
            let is_same_program = stack == process.program || stack == 0 || process.program == 0;
            !has_ended && start <= process.seen && is_same_program
        }
        // Without /proc there is its number.
        None => {
            let pid = i32::try_from(process.number).ok().and_then(Pid::from_raw);
            pid.is_some_and(|pid| test_kill_process(pid) != Err(Errno::SRCH))
        }
    }
}

/// The time since the machine was started, in the unit of [`Stat::start`].
fn ticks() -> u64 {
    let mut time = timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: room for a time.
    unsafe { libc::clock_gettime(libc::CLOCK_BOOTTIME, &raw mut time) };
    // Hundredths of a second, on every CPU that Linux has 64 bits for (`USER_HZ`).
    time.tv_sec.unsigned_abs() * 100 + time.tv_nsec.unsigned_abs() / 10_000_000
}

/// What `/proc` tells of a process.
struct Stat {
    /// When it was started.
    start: u64,
    /// Whether it has ended and waits to be waited for.
    has_ended: bool,
    /// Where the program's stack starts, which is another place after `exec`; 0 if that is not told.
    stack: u64,
}

/// Fields 22, 3 and 28 of `/proc/PID/stat`, as proc(5) counts them.
fn stat(process: u32) -> Option<Stat> {
    let path = format!("/proc/{process}/stat");
    let file = open(path.as_str(), OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()?;
    let mut text = [0; 1024];
    let len = read(&file, &mut text).ok()?;
    // The name in front is whatever the program says it is.
    let text = str::from_utf8(text.get(..len)?.rsplit(|&byte| byte == b')').next()?).ok()?;
    let mut fields = text.split_ascii_whitespace();
    let has_ended = matches!(fields.next()?, "Z" | "X");
    let mut number = |skip: usize| fields.nth(skip)?.parse().ok();
    Some(Stat { has_ended, start: number(18)?, stack: number(5)? })
}
