//! The target's descriptors.
//!
//! A thread's number may become another's, so that what is remembered under it has to be a handle of the thread itself: of one that
//! has ended it gives nothing (`ESRCH`), and then a new one is made.

use crate::serve::proc::process;
use algkit_afalg::Errno;
use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};
use std::{
    collections::HashMap,
    os::fd::OwnedFd,
    sync::{Arc, Mutex, PoisonError},
};

/// Handles that are kept.
pub const MAX_HANDLES: usize = 256;

/// `PIDFD_THREAD` (Linux 6.9): of any thread, not only of the first of a process.
const THREAD: PidfdFlags = PidfdFlags::from_bits_retain(libc::O_EXCL as u32);

/// Handles of threads.
pub struct Handles {
    flags: PidfdFlags,
    kept: Mutex<HashMap<i32, Arc<OwnedFd>>>,
}

impl Handles {
    /// None yet.
    pub fn new() -> Self {
        let own = rustix::process::getpid();
        let flags = if pidfd_open(own, THREAD).is_ok() { THREAD } else { PidfdFlags::empty() };
        Self { flags, kept: Mutex::default() }
    }

    /// A copy of descriptor `fd` of thread `tid`.
    pub fn fetch(&self, tid: i32, fd: i32) -> Result<OwnedFd, Errno> {
        let get = |handle: &OwnedFd| pidfd_getfd(handle, fd, PidfdGetfdFlags::empty());
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).get(&tid).cloned();
        if let Some(handle) = kept {
            match get(&handle) {
                Err(Errno::SRCH) => {}
                done => return done,
            }
        }
        match pidfd_open(Pid::from_raw(tid).ok_or(Errno::SRCH)?, self.flags) {
            Ok(handle) => {
                let copy = get(&handle);
                let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
                if kept.len() >= MAX_HANDLES {
                    kept.clear();
                }
                kept.insert(tid, Arc::new(handle));
                copy
            }
            // The thread is not the first of its process, whose handle says nothing of this thread.
            Err(Errno::INVAL | Errno::NOENT) if self.flags.is_empty() => {
                let process = process(tid).and_then(Pid::from_raw).ok_or(Errno::SRCH)?;
                get(&pidfd_open(process, self.flags)?)
            }
            Err(error) => Err(error),
        }
    }
}
