//! Locks that know which thread has them, and whether this thread is in the middle of a request.
//!
//! A signal handler may run at any place in this library, and call it. A lock that the interrupted request has can never
//! become free while the handler runs, so that a handler must not wait for one: [`Inside`] tells it so, and the call
//! fails with `EBUSY`. A `fork` in a handler leaves the locks of the interrupted request alone, which goes on in both
//! processes.

use algkit_afalg::Errno;
use rustix::thread::futex;
use std::{
    cell::{Cell, UnsafeCell},
    marker::PhantomData,
    ops::{Deref, DerefMut},
    sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering},
};

/// A value, and a lock on it.
#[derive(Default)]
pub struct Lock<T> {
    /// The thread that has the lock, or 0.
    owner: AtomicUsize,
    waiters: AtomicU32,
    /// Goes up when the lock becomes free while somebody waits.
    turns: AtomicU32,
    /// Whether the owner has it for the time of a `fork`.
    is_for_fork: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: the value is used by the thread that has the lock.
unsafe impl<T: Send> Sync for Lock<T> {}

/// The lock, until this is dropped.
pub struct Guard<'a, T> {
    lock: &'a Lock<T>,
    /// It belongs to this thread.
    not_send: PhantomData<*mut T>,
}

/// How long the locks of other threads are waited for where a handler forks: one of them may wait for what the interrupted
/// request has.
const PATIENCE: futex::Timespec = futex::Timespec { tv_sec: 0, tv_nsec: 10_000_000 };

/// A number that no other thread of this process has; the thread keeps it in the child of a `fork`.
#[inline]
fn this_thread() -> usize {
    // SAFETY: there is nothing that this could do wrong.
    unsafe { libc::pthread_self() as usize }
}

impl<T> Lock<T> {
    /// A lock that is free.
    pub const fn new(value: T) -> Self {
        Self {
            owner: AtomicUsize::new(0),
            waiters: AtomicU32::new(0),
            turns: AtomicU32::new(0),
            is_for_fork: AtomicBool::new(false),
            value: UnsafeCell::new(value),
        }
    }

    /// Waits for the lock, which this thread does not have.
    #[inline]
    pub fn lock(&self) -> Guard<'_, T> {
        if !self.try_take() {
            self.take(None);
        }
        Guard { lock: self, not_send: PhantomData }
    }

    #[inline]
    fn try_take(&self) -> bool {
        self.owner.compare_exchange(0, this_thread(), Ordering::SeqCst, Ordering::Relaxed).is_ok()
    }

    /// Waits for the lock, each time no longer than this; whether it was got.
    #[cold]
    fn take(&self, patience: Option<&futex::Timespec>) -> bool {
        loop {
            if self.try_take() {
                return true;
            }
            self.waiters.fetch_add(1, Ordering::SeqCst);
            let seen = self.turns.load(Ordering::SeqCst);
            let woken = match self.owner.load(Ordering::SeqCst) {
                0 => Ok(()),
                _ => futex::wait(&self.turns, futex::Flags::PRIVATE, seen, patience),
            };
            self.waiters.fetch_sub(1, Ordering::SeqCst);
            if woken == Err(Errno::TIMEDOUT) {
                return self.try_take();
            }
        }
    }

    #[inline]
    fn release(&self) {
        self.owner.swap(0, Ordering::SeqCst);
        if self.waiters.load(Ordering::SeqCst) > 0 {
            self.turns.fetch_add(1, Ordering::SeqCst);
            let _ = futex::wake(&self.turns, futex::Flags::PRIVATE, 1);
        }
    }

    /// Before a `fork`: locks, unless the interrupted request of this thread has the lock.
    pub fn hold(&self) {
        if self.owner.load(Ordering::Relaxed) == this_thread() {
            return;
        }
        let patience = Inside::begin().is_err().then_some(&PATIENCE);
        if self.take(patience) {
            self.is_for_fork.store(true, Ordering::Relaxed);
        }
    }

    /// After a `fork`, in both processes: unlocks what [`hold`](Self::hold) has locked.
    pub fn let_go(&self) {
        let is_mine = self.owner.load(Ordering::Relaxed) == this_thread();
        if is_mine && self.is_for_fork.swap(false, Ordering::Relaxed) {
            self.release();
        }
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: this thread has the lock.
        unsafe { &*self.lock.value.get() }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: this thread has the lock, and there is one guard.
        unsafe { &mut *self.lock.value.get() }
    }
}

impl<T> Drop for Guard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.lock.release();
    }
}

thread_local! {
    static IS_INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// The thread is in the middle of a request, and has locks, those of the layers below included.
pub struct Inside(PhantomData<*mut ()>);

impl Inside {
    /// Begins a request. [`Errno::BUSY`] if a signal handler interrupts another one to make this one.
    #[inline]
    pub fn begin() -> Result<Self, Errno> {
        match IS_INSIDE.replace(true) {
            true => Err(Errno::BUSY),
            false => Ok(Self(PhantomData)),
        }
    }

    /// Whether a request could begin.
    pub fn check() -> Result<(), Errno> {
        Self::begin().map(drop)
    }
}

impl Drop for Inside {
    #[inline]
    fn drop(&mut self) {
        IS_INSIDE.set(false);
    }
}
