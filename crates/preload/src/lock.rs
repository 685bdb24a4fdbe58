//! Locks that know which thread holds them, and a mark of threads that are in the middle of a request.
//!
//! A signal handler may run at any point in this library and call it. A lock that the interrupted request holds cannot
//! become free while the handler runs, so the handler must not wait for it. [`Inside`] tells it so, and its call fails
//! with `EBUSY`. A `fork` in a handler leaves the locks of the interrupted request alone, because that request
//! continues in both processes. A `fork` takes all other locks, and is marked like a request.

use algkit_afalg::Errno;
use rustix::thread::futex;
use std::{
    cell::{Cell, UnsafeCell},
    marker::PhantomData,
    ops::{Deref, DerefMut},
    sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering},
};

/// A value and the lock that protects it.
#[derive(Default)]
pub struct Lock<T> {
    /// The thread that holds the lock, or 0.
    owner: AtomicUsize,
    waiters: AtomicU32,
    /// Incremented when the lock becomes free while threads wait for it.
    turns: AtomicU32,
    /// Whether the owner holds it for the duration of a `fork`.
    is_for_fork: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: only the thread that holds the lock accesses the value.
unsafe impl<T: Send> Sync for Lock<T> {}

/// A held lock, which is released when this is dropped.
pub struct Guard<'a, T> {
    lock: &'a Lock<T>,
    /// The lock belongs to this thread, so the guard must not move to another one.
    not_send: PhantomData<*mut T>,
}

/// How long a handler that forks waits for each lock of another thread. That thread may wait for a lock of the
/// interrupted request, and never release its own.
const PATIENCE: futex::Timespec = futex::Timespec { tv_sec: 0, tv_nsec: 10_000_000 };

/// A number that no other thread of this process has. The thread keeps it in the child of a `fork`.
#[inline]
fn this_thread() -> usize {
    // SAFETY: `pthread_self` has no preconditions.
    unsafe { libc::pthread_self() as usize }
}

impl<T> Lock<T> {
    /// A lock that is free, around `value`.
    pub const fn new(value: T) -> Self {
        Self {
            owner: AtomicUsize::new(0),
            waiters: AtomicU32::new(0),
            turns: AtomicU32::new(0),
            is_for_fork: AtomicBool::new(false),
            value: UnsafeCell::new(value),
        }
    }

    /// Waits for the lock, which this thread must not hold.
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

    /// Waits for the lock, each time no longer than `patience`. Returns whether it was taken.
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

    /// Takes the lock before a `fork`, unless the interrupted request of this thread holds it.
    pub fn hold(&self, found: Found) {
        if self.owner.load(Ordering::Relaxed) == this_thread() {
            return;
        }
        let patience = (found == Found::Inside).then_some(&PATIENCE);
        if self.take(patience) {
            self.is_for_fork.store(true, Ordering::Relaxed);
        }
    }

    /// After a `fork`, in both processes: releases a lock that [`hold`](Self::hold) has taken.
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
        // SAFETY: the guard exists, so this thread holds the lock.
        unsafe { &*self.lock.value.get() }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the guard exists, so this thread holds the lock, and it is the only guard.
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
    /// Whether a `fork` of this thread has set the mark.
    static IS_FORKS: Cell<bool> = const { Cell::new(false) };
}

/// Where a `fork` finds its thread.
#[derive(Clone, Copy, PartialEq)]
pub enum Found {
    Outside,
    /// In a signal handler that interrupts a request.
    Inside,
}

/// Marks the thread before a `fork`, as it is about to hold all locks: a handler that comes meanwhile must not wait for them either.
pub fn begin_fork() -> Found {
    match IS_INSIDE.replace(true) {
        true => Found::Inside,
        false => {
            IS_FORKS.set(true);
            Found::Outside
        }
    }
}

/// Removes the mark of [`begin_fork`] after the locks have been released.
pub fn end_fork() {
    if IS_FORKS.replace(false) {
        IS_INSIDE.set(false);
    }
}

/// A mark that the thread is in the middle of a request and may hold locks, here or in the layers below.
pub struct Inside(PhantomData<*mut ()>);

impl Inside {
    /// Begins a request. [`Errno::BUSY`] in a signal handler that interrupts another request of its thread.
    #[inline]
    pub fn begin() -> Result<Self, Errno> {
        match IS_INSIDE.replace(true) {
            true => Err(Errno::BUSY),
            false => Ok(Self(PhantomData)),
        }
    }

    /// [`Errno::BUSY`] if a request cannot begin now.
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
