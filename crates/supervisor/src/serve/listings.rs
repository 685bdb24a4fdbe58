//! The texts of `/proc/crypto` that programs have open.
//!
//! Each is a file in memory that the supervisor has made. The supervisor keeps no descriptor of it, and learns from
//! inotify when the last one has been closed, in whatever process. Until then, its bytes count for the program that has
//! opened it, so that no program can take all memory by opening it again and again.

use crate::serve::program::{Account, MostBytes};
use algkit_afalg::Errno;
use rustix::fs::inotify::{CreateFlags, Reader, WatchFlags, add_watch, init};
use std::{
    collections::HashMap,
    mem::MaybeUninit,
    os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// The texts that are open.
pub struct Listings {
    /// The error, if the user has as many instances of inotify as the kernel allows. Then no text is given out.
    inotify: Result<OwnedFd, Errno>,
    open: Mutex<Open>,
}

/// For each watch, the program that has opened the text, and the length of the text.
type Open = HashMap<i32, (Arc<Account>, usize)>;

impl Listings {
    /// No text is open yet.
    pub fn new() -> Self {
        Self { inotify: init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK), open: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A descriptor that is readable when texts have been closed.
    pub fn closed(&self) -> Option<BorrowedFd<'_>> {
        self.inotify.as_ref().ok().map(OwnedFd::as_fd)
    }

    /// Counts `text` for a program until its last descriptor has been closed. [`Errno::NOMEM`] if files then keep more
    /// than `most` bytes.
    pub fn count(&self, text: &OwnedFd, account: Arc<Account>, most: MostBytes) -> Result<(), Errno> {
        let inotify = self.inotify.as_ref().map_err(|&error| error)?;
        let len = usize::try_from(rustix::fs::fstat(text)?.st_size).map_err(|_| Errno::NOMEM)?;
        let mut open = self.lock();
        if account.bytes.excess(len, most).is_some() {
            forget_closed(inotify, &mut open);
            if account.bytes.excess(len, most).is_some() {
                return Err(Errno::NOMEM);
            }
        }
        let watch = add_watch(inotify, format!("/proc/self/fd/{}", text.as_raw_fd()), WatchFlags::DELETE_SELF)?;
        account.bytes.add(len);
        open.insert(watch, (account, len));
        Ok(())
    }

    /// Counts the texts that have been closed no longer.
    pub fn take_closed(&self) {
        if let Ok(inotify) = &self.inotify {
            forget_closed(inotify, &mut self.lock());
        }
    }
}

fn forget_closed(inotify: &OwnedFd, open: &mut Open) {
    let mut room = [MaybeUninit::uninit(); 4096];
    let mut events = Reader::new(inotify, &mut room);
    while let Ok(event) = events.next() {
        if let Some((account, len)) = open.remove(&event.wd()) {
            account.bytes.subtract(len);
        }
    }
}
