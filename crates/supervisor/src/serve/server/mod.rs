//! The server of the processes under one filter.

mod files;
mod threads;
mod turns;
mod waits;

use crate::serve::{
    aio::Contexts,
    bpf::Ranges,
    client,
    handles::{Handles, MAX_HANDLES},
    listings::Listings,
    lost::Lost,
    pool::Pool,
    program::{MostBytes, Programs},
    request::Request,
    served::Served,
    sys,
    target::Target,
};
use crate::{Error, Options};
use algkit_afalg::{program::Reach, service};
use files::Files;
use rustix::{
    event::{
        EventfdFlags,
        epoll::{self, CreateFlags},
        eventfd,
    },
    process::{Resource, Rlimit, getrlimit, setrlimit},
};
use std::{
    collections::HashSet,
    fmt,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicU64, AtomicUsize},
    },
};
pub use turns::Advance;

/// The number of descriptors that the supervisor needs for purposes other than files.
pub const SPARE: usize = 128 + MAX_HANDLES;

/// The number of executables of which it is remembered that the user has been told that they are not served.
const MAX_TOLD: usize = 256;

/// The stack size of the threads in bytes. The self-tests of all drivers, which run when `/proc/crypto` is opened, take
/// 40 KiB in a release build and more than 2 MiB in one without optimization.
pub const STACK: usize = 256 << 10;

pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The server of the processes under one filter.
pub struct Server {
    /// The numbers of descriptors that are served.
    pub ranges: Ranges,
    listener: OwnedFd,
    handles: Handles,
    /// The answers that signals have lost; `None` if signals do not end a call that has been taken.
    pub lost: Option<Lost>,
    /// An epoll descriptor that reports hangups of files, with the file's cookie.
    hangups: OwnedFd,
    bell: OwnedFd,
    files: Mutex<Files>,
    listings: Listings,
    /// Files that the target has closed while a thread works on them.
    closing: Mutex<Vec<Arc<Served>>>,
    most_files: usize,
    most_files_of_program: usize,
    most_bytes: MostBytes,
    pub programs: Programs,
    /// Numbers that are being given to descriptors, in any process: two programs may share one table of descriptors.
    giving: Mutex<HashSet<u32>>,
    /// The paths of the executables of which the user has been told that they are not served.
    told: Mutex<HashSet<String>>,
    contexts: Mutex<Contexts>,
    parked: AtomicUsize,
    /// The cookie of the file whose calls were the last to be checked for signals.
    last_looked: AtomicU64,
    pub pool: Pool<Self>,
    own_threads: AtomicUsize,
    /// Signals the eventfds of asynchronous requests.
    pub signaller: sys::Signaller,
    own: Weak<Self>,
}

impl Server {
    /// A server that answers `listener`, for the process `first` and its descendants.
    pub fn new(
        first: i32,
        listener: OwnedFd,
        ranges: Ranges,
        interruptible: bool,
        options: &Options,
    ) -> Result<Arc<Self>, Error> {
        sys::wake_on_this_cpu(listener.as_fd());
        let hangups = epoll::create(CreateFlags::CLOEXEC).map_err(Error::system("epoll_create1"))?;
        let bell = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).map_err(Error::system("eventfd2"))?;
        Ok(Arc::new_cyclic(|own| Self {
            ranges,
            listener,
            handles: Handles::new(),
            lost: interruptible.then(Lost::default),
            hangups,
            bell,
            files: Mutex::default(),
            listings: Listings::new(),
            closing: Mutex::default(),
            most_files: options.files.min(room()),
            most_files_of_program: options.files_of_program,
            most_bytes: MostBytes { of_program: options.memory_of_program, in_all: options.memory },
            programs: Programs::new(first),
            giving: Mutex::default(),
            told: Mutex::default(),
            contexts: Mutex::default(),
            parked: AtomicUsize::new(0),
            last_looked: AtomicU64::new(0),
            pool: Pool::new(options.threads, options.threads_of_program),
            own_threads: AtomicUsize::new(0),
            signaller: sys::Signaller::default(),
            own: own.clone(),
        }))
    }

    /// The descriptor from which notifications are taken.
    pub fn listener(&self) -> BorrowedFd<'_> {
        self.listener.as_fd()
    }

    /// A descriptor that is readable when files have hung up.
    pub fn hangups(&self) -> BorrowedFd<'_> {
        self.hangups.as_fd()
    }

    /// A descriptor that is readable when a worker has something for the thread that handles events.
    pub fn bell(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }

    /// Wakes the thread that handles events.
    pub fn ring(&self) {
        let _ = rustix::io::write(&self.bell, &1u64.to_ne_bytes());
    }

    /// Resets the bell after it has woken the thread.
    pub fn answer_bell(&self) {
        let _ = rustix::io::read(&self.bell, &mut [0u8; 8]);
    }

    /// The thread that made the call of `request`.
    pub fn target(&self, request: Request) -> Target<'_> {
        Target::new(request, self.listener.as_fd(), &self.handles, self.lost.as_ref())
    }

    /// Reports that a limit refuses a request.
    pub fn tell(&self, request: Request, line: fmt::Arguments<'_>) {
        service::log_of(|| client::of(request.tid), 1, line);
    }

    /// Tells the user, once for each executable, that the program that made this call is not served.
    pub fn tell_unserved(&self, target: &Target<'_>, reach: Reach) {
        let (Ok(path), Some(reason)) = (target.link(format_args!("exe")), reach.reason()) else { return };
        let path = String::from_utf8_lossy(&path).into_owned();
        let mut told = lock(&self.told);
        if told.len() >= MAX_TOLD {
            told.clear();
        }
        if told.insert(path.clone()) {
            service::log_of(String::new, 0, format_args!("`{path}` is not served: {reason}; no mode serves it"));
        }
    }

    /// The contexts of asynchronous I/O.
    pub fn contexts(&self) -> MutexGuard<'_, Contexts> {
        lock(&self.contexts)
    }
}

/// The number of files for which there are descriptors, after raising the limit as far as possible.
fn room() -> usize {
    let limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    }
    let limit = getrlimit(Resource::Nofile).current.and_then(|limit| usize::try_from(limit).ok());
    limit.map_or(usize::MAX, |limit| limit.saturating_sub(SPARE))
}
