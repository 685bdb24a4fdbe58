//! Access to the target's descriptors.
//!
//! The number of a thread that has ended may be given to another thread. So for each number, a handle of the thread is
//! kept. The handle of an ended thread gives `ESRCH`, and then a new one is made.

use crate::serve::proc::process;
use algkit_afalg::Errno;
use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};
use std::{
    collections::HashMap,
    os::fd::OwnedFd,
    sync::{Arc, Mutex, PoisonError},
};

/// The largest number of handles that are kept.
pub const MAX_HANDLES: usize = 256;

/// The flag `PIDFD_THREAD` (Linux 6.9), for a handle of any thread and not only of the first of a process.
const THREAD: PidfdFlags = PidfdFlags::from_bits_retain(libc::O_EXCL as u32);

/// Handles of the target's threads.
pub struct Handles {
    flags: PidfdFlags,
    kept: Mutex<HashMap<i32, Arc<OwnedFd>>>,
}

impl Handles {
    /// An empty set of handles.
    pub fn new() -> Self {
        let own = rustix::process::getpid();
        let flags = if pidfd_open(own, THREAD).is_ok() { THREAD } else { PidfdFlags::empty() };
        Self { flags, kept: Mutex::default() }
    }

    /// A copy of the descriptor `fd` of thread `tid`.
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
            // The thread is not the first of its process. A handle of the process does not tell whether the thread
            // lives, so it is not kept.
            Err(Errno::INVAL | Errno::NOENT) if self.flags.is_empty() => {
                let process = process(tid).and_then(Pid::from_raw).ok_or(Errno::SRCH)?;
                get(&pidfd_open(process, self.flags)?)
            }
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_so_many_handles_are_kept() {
        let (handles, own) = (Handles::new(), rustix::process::getpid());
        let handle = Arc::new(pidfd_open(own, PidfdFlags::empty()).expect("a handle"));
        // No thread has such a number.
        handles.kept.lock().expect("unlocked").extend((1..=MAX_HANDLES as i32).map(|tid| (-tid, handle.clone())));
        handles.fetch(own.as_raw_nonzero().get(), 0).expect("a copy of standard input");
        assert_eq!(handles.kept.lock().expect("unlocked").len(), 1);
    }
}
