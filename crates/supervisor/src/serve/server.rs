//! The server: its files, the notifications that it takes, and the threads that carry out requests.

use crate::serve::{
    aio::{Contexts, Waiting},
    bpf::Ranges,
    client,
    closed::Closed,
    handles::{Handles, MAX_HANDLES},
    listings::Listings,
    park::{Fate, Parked},
    pool::{Job, Pool},
    proc,
    program::{Account, MostBytes, Programs},
    served::{Served, State},
    sys,
    target::{Lost, Request, Target},
    transfer::{Completion, Step, Transfer},
};
use crate::{Error, Options};
use algkit_afalg::{Errno, File, aio::Event, cryptodev::Device, proc_crypto, program::Reach, service};
use rustix::{
    event::{
        EventfdFlags, Timespec,
        epoll::{self, CreateFlags, EventData, EventFlags},
        eventfd,
    },
    net::sockopt::{self, Timeout},
    process::{Resource, Rlimit, getrlimit, setrlimit},
};
use std::{
    collections::{HashMap, HashSet},
    fmt,
    mem::MaybeUninit,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Instant,
};

/// The number of descriptors that the supervisor needs for purposes other than files.
pub const SPARE: usize = 128 + MAX_HANDLES;

/// The largest numbers of threads for requests that may take as long as a client likes: in all, and for one program.
const MAX_OWN_THREADS: usize = 32;
const MAX_OWN_THREADS_OF_PROGRAM: usize = 8;

/// The largest number of calls that wait at the files of one program, and the number of waiting calls after which no
/// further file is checked for signals in the same round.
const MAX_PARKED_OF_PROGRAM: usize = 256;
const MAX_LOOKS: usize = 32;

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

/// The files that are served.
#[derive(Default)]
struct Files {
    by_cookie: HashMap<u64, Arc<Served>>,
    cookies: HashMap<u64, u64>,
}

impl Files {
    fn insert(&mut self, served: Arc<Served>) {
        self.cookies.insert(served.inode, served.cookie);
        self.by_cookie.insert(served.cookie, served);
    }

    fn remove(&mut self, cookie: u64) -> Option<Arc<Served>> {
        let served = self.by_cookie.remove(&cookie)?;
        if self.cookies.get(&served.inode) == Some(&cookie) {
            self.cookies.remove(&served.inode);
        }
        Some(served)
    }

    fn of_inode(&self, inode: u64) -> Option<&Arc<Served>> {
        self.by_cookie.get(self.cookies.get(&inode)?)
    }
}

/// The way in which a call may continue.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// A call that has just come and may wait.
    First,
    /// A call that has just come and may not wait.
    Only,
    /// A call that has waited.
    Later,
}

/// The state of a call after it has continued.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Advance {
    /// The call has ended.
    Ended,
    /// The call waits.
    Waits,
    /// The call would have to wait and may not.
    WouldWait,
}

/// A call that has ended and has not been answered. It is answered when the lock of its file has been released, because
/// the target may close the file at once and expect it to be closed.
struct End {
    request: Request,
    completion: Option<Completion>,
    result: Result<i64, Errno>,
    /// Whether the call has waited.
    waited: bool,
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

    /// Lets `job` run for `request` without delaying other requests, on this thread or on another.
    pub fn employ(&self, request: Request, job: impl FnOnce(&Self) + Send + 'static) {
        let job: Job<Self> = Box::new(job);
        if let Some(job) = self.pool.go_away(request, self.programs.of(request.tid), job) {
            job(self);
        }
    }

    /// The file that the target's descriptor refers to. Only numbers in the ranges are looked up.
    pub fn find(&self, target: &Target<'_>, fd: i32) -> Option<Arc<Served>> {
        self.find_with_end(target, fd).map(|(served, _)| served)
    }

    /// The file that the target's descriptor refers to, and the target's end of it, if that can be fetched.
    pub fn find_with_end(&self, target: &Target<'_>, fd: i32) -> Option<(Arc<Served>, Option<OwnedFd>)> {
        if !self.ranges.contains(fd) {
            return None;
        }
        let found = match self.handles.fetch(target.request.tid, fd) {
            Ok(theirs) => {
                let served = lock(&self.files).by_cookie.get(&sockopt::socket_cookie(&theirs).ok()?).cloned();
                (served?, Some(theirs))
            }
            Err(Errno::BADF) => return None,
            // `pidfd_getfd` is forbidden, so the file is found by its inode.
            Err(_) => (lock(&self.files).of_inode(proc::socket(target.request.tid, fd).ok()?).cloned()?, None),
        };
        Some(found).filter(|_| target.valid())
    }

    /// Gives the target a descriptor by `give`, under a number in the ranges that is not below `least`.
    pub fn number<R>(
        &self,
        target: &Target<'_>,
        least: u32,
        give: impl FnOnce(u32) -> Result<R, Errno>,
    ) -> Result<R, Errno> {
        // Two threads must not find the same number, so it is recorded until the descriptor has it. To look for one may take long, and other
        // programs must not wait for that. So whoever comes second looks again, also at whether the first has meanwhile given the number.
        let number = loop {
            let giving = lock(&self.giving).clone();
            let mut number = Err(Errno::MFILE);
            for range in self.ranges.all() {
                let taken = |number| giving.contains(&number);
                number = target.free_number(range.start..range.end, least, taken);
                if number != Err(Errno::MFILE) {
                    break;
                }
            }
            let Ok(found) = number else { break number };
            if !lock(&self.giving).insert(found) {
                continue;
            }
            match target.is_free(found) {
                Ok(true) => break number,
                Ok(false) => _ = lock(&self.giving).remove(&found),
                Err(error) => {
                    lock(&self.giving).remove(&found);
                    break Err(error);
                }
            }
        };
        let number = number.inspect_err(|&error| {
            let reason = match error {
                Errno::MFILE => "no number is free where files are served",
                // The program is not dumpable.
                _ => "the program does not let its descriptors be listed",
            };
            self.tell(target.request, format_args!("refused a file: {reason}"));
        })?;
        let given = give(number);
        lock(&self.giving).remove(&number);
        given
    }

    /// Serves `file`. `give` gives the target the descriptor under a number.
    pub fn serve<R>(
        &self,
        target: &Target<'_>,
        file: File,
        nonblocking: bool,
        give: impl FnOnce(OwnedFd, u32) -> Result<R, Errno>,
    ) -> Result<R, Errno> {
        let account = self.programs.account(self.programs.of(target.request.tid));
        if !Account::take(&account.files, self.most_files_of_program) {
            // Some files may have been closed whose hangups have not been handled.
            self.take_hangups();
            if !Account::take(&account.files, self.most_files_of_program) {
                let most = self.most_files_of_program;
                self.tell(target.request, format_args!("refused a file: the program has {most} open"));
                return Err(Errno::MFILE);
            }
        }
        let (served, theirs) = match Served::new(file, nonblocking, account.clone()) {
            Ok(made) => made,
            Err(error) => {
                account.files.fetch_sub(1, Ordering::Relaxed);
                return Err(error);
            }
        };
        let (cookie, served) = (served.cookie, Arc::new(served));
        {
            let mut files = lock(&self.files);
            if files.by_cookie.len() >= self.most_files {
                drop(files);
                self.take_hangups();
                files = lock(&self.files);
            }
            if files.by_cookie.len() >= self.most_files {
                drop(files);
                self.tell(target.request, format_args!("refused a file: all programs have {} open", self.most_files));
                return Err(Errno::NFILE);
            }
            // epoll always reports hangups.
            epoll::add(&self.hangups, served.socket(), EventData::new_u64(cookie), EventFlags::empty())?;
            files.insert(served);
        }
        // On failure, `theirs` is closed, and the file is removed after the hangup.
        self.number(target, 0, |number| give(theirs, number))
    }

    /// The text of `/proc/crypto`, counted for the target's program.
    pub fn list(&self, target: &Target<'_>) -> Result<OwnedFd, Errno> {
        let text = proc_crypto::file()?;
        let account = self.programs.account(self.programs.of(target.request.tid));
        self.listings.count(&text, account, self.most_bytes).inspect_err(|&error| match error {
            Errno::NOMEM => self.tell(target.request, format_args!("refused /proc/crypto: files keep too many bytes")),
            _ => self.tell(target.request, format_args!("refused /proc/crypto: inotify: {error}")),
        })?;
        Ok(text)
    }

    /// The texts of `/proc/crypto` that programs have open.
    pub fn listings(&self) -> &Listings {
        &self.listings
    }

    /// Closes the files that the target has closed.
    pub fn take_hangups(&self) {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let mut room = [MaybeUninit::<epoll::Event>::uninit(); 64];
        let mut closed = Closed::default();
        // A second thread finds no event here and must wait until the first one has closed these files.
        let mut closing = lock(&self.closing);
        closing.retain(|served| !self.close(served, &mut closed));
        while let Ok((events, _)) = epoll::wait(&self.hangups, &mut room, Some(&now)) {
            if events.is_empty() {
                break;
            }
            for event in events.iter() {
                let Some(served) = lock(&self.files).remove(event.data.u64()) else { continue };
                let _ = epoll::delete(&self.hangups, served.socket());
                if !self.close(&served, &mut closed) {
                    closing.push(served);
                    self.ring();
                }
            }
        }
    }

    /// Closes the files on which a thread worked when the target closed them. Returns whether one still does.
    pub fn close_left(&self) -> bool {
        let mut closed = Closed::default();
        let mut closing = lock(&self.closing);
        closing.retain(|served| !self.close(served, &mut closed));
        !closing.is_empty()
    }

    /// Ends the calls that wait at a closed file, whose contents go to `closed`. Returns false if a thread works on the file.
    fn close(&self, served: &Served, closed: &mut Closed) -> bool {
        let Some(mut state) = served.try_lock() else { return false };
        state.closed = true;
        // Another thread may keep the file for a moment, so its contents are taken now.
        closed.push(std::mem::replace(&mut state.file, File::Device(Device::new())));
        let parked = std::mem::take(&mut state.parked);
        self.count_parked(served, &state);
        drop(state);
        for parked in parked {
            self.target(parked.request).answer(parked.transfer.interrupt(Errno::BADF));
        }
        true
    }

    /// Updates the count of calls that wait at a file, and returns the previous count of all files.
    fn count_parked(&self, served: &Served, state: &State) -> usize {
        let (now, before) = (state.parked.len(), served.parked.swap(state.parked.len(), Ordering::Relaxed));
        // The difference may be negative, so it wraps around, as the sums do.
        let more = now.wrapping_sub(before);
        served.account.parked.fetch_add(more, Ordering::Relaxed);
        self.parked.fetch_add(more, Ordering::Relaxed)
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

    /// Adds the statistics of all files to the totals, except for files that a thread works on.
    pub fn settle(&self) {
        let files: Vec<_> = lock(&self.files).by_cookie.values().cloned().collect();
        files.iter().filter_map(|served| served.try_lock()).for_each(|mut state| state.file.settle());
    }

    /// The contexts of asynchronous I/O.
    pub fn contexts(&self) -> MutexGuard<'_, Contexts> {
        lock(&self.contexts)
    }

    /// Whether any file is served.
    pub fn has_files(&self) -> bool {
        !lock(&self.files).by_cookie.is_empty()
    }

    /// Carries out an asynchronous request. With `may_wait`, it may wait, and the call with it.
    pub fn submit(&self, target: &Target<'_>, served: &Served, transfer: Transfer, may_wait: bool) -> Advance {
        let parked = Parked::new(target.request, transfer, None);
        self.go_on(served, parked, if may_wait { Turn::First } else { Turn::Only }, None)
    }

    /// Reports the end of an asynchronous request.
    fn complete(&self, completion: Completion, result: Result<i64, Errno>) {
        let Completion { id, data, iocb, event_fd } = completion;
        let result = result.map(|n| usize::try_from(n).unwrap_or(0));
        let due = {
            let mut contexts = self.contexts();
            contexts.push(id, Event { data, iocb, result });
            contexts.due(Some(id))
        };
        due.into_iter().for_each(|(waiting, events)| self.deliver(waiting, events));
        if let Some(event_fd) = event_fd {
            self.signaller.signal(event_fd.as_fd(), self.bell());
        }
    }

    /// Ends a call with the events that it has waited for.
    pub fn deliver(&self, waiting: Waiting, events: Vec<Event>) {
        let target = self.target(waiting.request);
        let bytes: Vec<u8> = events.iter().flat_map(Event::to_bytes).collect();
        match target.scatter(&[(waiting.to, bytes.len())], &bytes) {
            Ok(()) => _ = target.answer(Ok(events.len() as i64)),
            Err(error) => {
                self.contexts().give_back(waiting.id, events);
                target.answer(Err(error));
            }
        }
    }

    /// Carries out a call that sends or receives. `theirs` is the target's end of the file.
    pub fn transfer(&self, target: &Target<'_>, served: Arc<Served>, theirs: Option<OwnedFd>) -> Result<(), Errno> {
        // `parse` checks that the memory was the caller's before anything is done with it.
        let transfer = Transfer::parse(target).unwrap_or(Err(Errno::OPNOTSUPP))?;
        let request = target.request;
        let is_heavy = transfer.is_heavy();
        let parked = Parked::new(request, transfer, None);
        if is_heavy || served.try_lock().is_none() {
            // No copy of the target's end waits with the request for a thread: descriptors are limited.
            drop(theirs);
            self.employ(request, move |server| _ = server.go_on(&served, parked, Turn::First, None));
        } else {
            self.go_on(&served, parked, Turn::First, theirs);
        }
        Ok(())
    }

    /// Continues with a call, and then with the calls that wait for it.
    fn go_on(&self, served: &Served, parked: Parked, turn: Turn, theirs: Option<OwnedFd>) -> Advance {
        let (mut state, mut others) = (served.lock(), Vec::new());
        let result = self.advance(served, &mut state, parked, turn, theirs);
        self.resume(served, &mut state, &mut others);
        drop(state);
        let advance = match result {
            Ok(end) => {
                self.finish(end);
                Advance::Ended
            }
            Err(advance) => advance,
        };
        others.into_iter().for_each(|end| self.finish(end));
        advance
    }

    /// Applies `work` to a file, and continues with the calls that wait for its effect. `fd` is the target's
    /// descriptor.
    pub fn operate<R>(
        &self,
        served: &Served,
        target: &Target<'_>,
        fd: i32,
        work: impl FnOnce(&mut File) -> Result<R, Errno>,
    ) -> Result<R, Errno> {
        let (mut state, mut ends) = (served.lock(), Vec::new());
        let result = work(&mut state.file);
        served.show(&mut state, target, fd, None);
        if result.is_ok() {
            served.repeat(&state, target, fd);
        }
        self.resume(served, &mut state, &mut ends);
        drop(state);
        ends.into_iter().for_each(|end| self.finish(end));
        result
    }

    fn resume(&self, served: &Served, state: &mut State, ends: &mut Vec<End>) {
        // The effect of one call may be what others wait for, including those before it.
        let mut left = state.parked.len();
        while left > 0 && !state.parked.is_empty() {
            let parked = state.parked.remove(0);
            self.count_parked(served, state);
            left = match self.advance(served, state, parked, Turn::Later, None) {
                Ok(end) => {
                    ends.push(end);
                    state.parked.len()
                }
                Err(_) => left - 1,
            };
        }
    }

    /// Continues with a call, and ends it or lets it wait.
    fn advance(
        &self,
        served: &Served,
        state: &mut State,
        mut parked: Parked,
        turn: Turn,
        theirs: Option<OwnedFd>,
    ) -> Result<End, Advance> {
        let target = self.target(parked.request);
        let step = match parked.transfer.sends() && self.keeps_too_much(served, parked.request, "to send") {
            true => Step::Done(parked.transfer.interrupt(Errno::NOBUFS)),
            false => parked.transfer.advance(&target, &mut state.file),
        };
        served.show(state, &target, parked.transfer.fd, theirs);
        let result = match step {
            Step::Done(result) => result,
            Step::Wait if state.closed => parked.transfer.interrupt(Errno::BADF),
            Step::Wait if parked.transfer.has_enough() => parked.transfer.interrupt(Errno::AGAIN),
            Step::Wait if turn != Turn::Later && !self.may_wait(&target, &mut parked, &state.file) => {
                parked.transfer.interrupt(Errno::AGAIN)
            }
            // If a part of an asynchronous request has been sent, the call ends with that part.
            Step::Wait if turn == Turn::Only => match parked.transfer.interrupt(Errno::AGAIN) {
                Err(_) => return Err(Advance::WouldWait),
                done => done,
            },
            Step::Wait if served.account.parked.load(Ordering::Relaxed) >= MAX_PARKED_OF_PROGRAM => {
                self.tell(
                    parked.request,
                    format_args!("refused to wait: {MAX_PARKED_OF_PROGRAM} calls wait at the program's files"),
                );
                parked.transfer.interrupt(Errno::NOBUFS)
            }
            Step::Wait => {
                state.parked.push(parked);
                if self.count_parked(served, state) == 0 {
                    self.ring();
                }
                return Err(Advance::Waits);
            }
        };
        let Parked { request, transfer, .. } = parked;
        if result.is_ok() {
            served.repeat(state, &target, transfer.fd);
        }
        Ok(End { request, completion: transfer.completion, result, waited: turn == Turn::Later })
    }

    /// Whether files keep more bytes than they may, so that `what` is refused.
    pub fn keeps_too_much(&self, served: &Served, request: Request, what: &str) -> bool {
        let excess = served.account.bytes.excess(0, self.most_bytes);
        if let Some(excess) = &excess {
            self.tell(request, format_args!("refused {what}: {excess}"));
        }
        excess.is_some()
    }

    /// Answers a call; or reports the end of an asynchronous request, and answers the call that has waited for it.
    fn finish(&self, end: End) {
        let target = self.target(end.request);
        match end.completion {
            None => _ = target.answer(end.result),
            Some(completion) => {
                self.complete(completion, end.result);
                if end.waited {
                    target.answer(Ok(1));
                }
            }
        }
    }

    /// Whether the client wants to wait; sets the deadline.
    fn may_wait(&self, target: &Target<'_>, parked: &mut Parked, file: &File) -> bool {
        let fd = parked.transfer.fd;
        if parked.transfer.impatient || target.flags(fd).contains(rustix::fs::OFlags::NONBLOCK) {
            return false;
        }
        // AF_ALG has no timeouts.
        if let File::Netlink(_) = file {
            let timeout = target.fetch(fd).and_then(|socket| sockopt::socket_timeout(socket, Timeout::Recv));
            parked.deadline = timeout.ok().flatten().and_then(|timeout| Instant::now().checked_add(timeout));
        }
        true
    }

    /// Whether any call waits, at a file or for events.
    pub fn has_waiting(&self) -> bool {
        self.parked.load(Ordering::Relaxed) > 0 || self.contexts().has_waiting()
    }

    /// Ends the waiting calls that have timed out, or that a signal interrupts.
    pub fn look_after_calls(&self) {
        self.look_after_waiting();
        self.look_after_parked();
    }

    /// Ends the calls for events that have enough of them or have timed out, or that a signal interrupts.
    fn look_after_waiting(&self) {
        let due = self.contexts().due(None);
        for (waiting, events) in due {
            let deliver = move |server: &Self| server.deliver(waiting, events);
            self.pool.employ(waiting.request, self.programs.of(waiting.request.tid), Box::new(deliver));
        }
        let look = self.contexts().look(|request| self.target(request));
        for waiting in look {
            let look = move |server: &Self| {
                let sees_kernels = waiting.id.has_events(&server.target(waiting.request));
                if server.contexts().looked(waiting.request.id, sees_kernels) {
                    server.target(waiting.request).proceed();
                }
            };
            self.pool.employ(waiting.request, self.programs.of(waiting.request.tid), Box::new(look));
        }
    }

    /// Ends the calls at files that have timed out, or that a signal interrupts.
    fn look_after_parked(&self) {
        if self.parked.load(Ordering::Relaxed) == 0 {
            return;
        }
        // Files without waiting calls are left alone, because even a short lock can make another call fail with EBUSY.
        let waits = |served: &&Arc<Served>| served.parked.load(Ordering::Relaxed) > 0;
        let mut files: Vec<_> = lock(&self.files).by_cookie.values().filter(waits).cloned().collect();
        let now = Instant::now();
        // The files are checked in the order of their cookies, beginning after the last one that was checked.
        let last = self.last_looked.load(Ordering::Relaxed);
        files.sort_unstable_by_key(|served| (served.cookie <= last, served.cookie));
        let mut looks = 0;
        for served in files {
            // Another thread works on the file, and continues with the calls that wait at it.
            let Some(mut state) = served.try_lock() else { continue };
            let mut over = Vec::new();
            let its_turn = looks < MAX_LOOKS;
            if its_turn {
                looks += state.parked.len();
                self.last_looked.store(served.cookie, Ordering::Relaxed);
            }
            for mut parked in std::mem::take(&mut state.parked) {
                match parked.fate(&self.target(parked.request), now, its_turn) {
                    Fate::Waits => state.parked.push(parked),
                    fate => over.push((parked, fate)),
                }
            }
            self.count_parked(&served, &state);
            drop(state);
            for (parked, fate) in over {
                let target = self.target(parked.request);
                match fate {
                    Fate::Waits | Fate::Gone => {}
                    Fate::TimedOut => _ = target.answer(parked.transfer.interrupt(Errno::AGAIN)),
                    Fate::Interrupted => _ = target.answer(parked.transfer.interrupt(Errno::INTR)),
                    Fate::Restarts => match parked.transfer.interrupt(Errno::INTR) {
                        Err(_) => _ = target.restart(),
                        done => _ = target.answer(done),
                    },
                }
            }
        }
    }

    /// Runs `job`, which answers the request, on a thread of its own, because it may take as long as a client likes.
    pub fn on_own_thread(&self, request: Request, job: impl FnOnce(&Self) + Send + 'static) -> Result<(), Errno> {
        let server = self.own.upgrade().ok_or(Errno::AGAIN)?;
        let account = self.programs.account(self.programs.of(request.tid));
        let refused = |whose: &str| {
            self.tell(request, format_args!("refused to wait for a pipe: {whose} threads for that wait"));
            Errno::AGAIN
        };
        if !Account::take(&self.own_threads, MAX_OWN_THREADS) {
            return Err(refused("all"));
        }
        if !Account::take(&account.threads, MAX_OWN_THREADS_OF_PROGRAM) {
            self.own_threads.fetch_sub(1, Ordering::Relaxed);
            return Err(refused("all of the program's"));
        }
        let count = account.clone();
        let work = move || {
            client::set(request.tid);
            if catch_unwind(AssertUnwindSafe(|| job(&server))).is_err() {
                server.target(request).answer(Err(Errno::IO));
            }
            count.threads.fetch_sub(1, Ordering::Relaxed);
            server.own_threads.fetch_sub(1, Ordering::Relaxed);
        };
        std::thread::Builder::new().stack_size(STACK).spawn(work).map(drop).map_err(|_| {
            account.threads.fetch_sub(1, Ordering::Relaxed);
            self.own_threads.fetch_sub(1, Ordering::Relaxed);
            Errno::AGAIN
        })
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
