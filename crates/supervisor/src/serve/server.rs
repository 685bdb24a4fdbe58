//! Files and notifications, and what is done about both.

use crate::serve::{
    aio::{Contexts, Waiting},
    bpf::Ranges,
    client,
    handles::{Handles, MAX_HANDLES},
    park::{Fate, Parked},
    pool::{Job, Pool},
    proc,
    program::{Account, Program, Programs},
    served::{Served, State},
    sys,
    target::{Lost, Request, Target},
    transfer::{Completion, Step, Transfer},
};
use crate::{Error, Options};
use algkit_afalg::{Errno, File, aio::Event, cryptodev::Device, program::Reach, service};
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
        mpsc,
    },
    time::{Duration, Instant},
};

/// Descriptors that are left to the supervisor for purposes other than files.
const SPARE: usize = 128 + MAX_HANDLES;

/// Threads that do what takes as long as a client likes: in all, and for one program.
const MAX_APART: usize = 32;
const MAX_APART_OF_PROGRAM: usize = 8;

/// Calls that wait at the files of one program, and how many of all are looked after in one go, but for those at one file.
const MAX_PARKED_OF_PROGRAM: usize = 256;
const MAX_LOOKS: usize = 32;

/// Programs that are not served and of which it is remembered that the user was told.
const MAX_TOLD: usize = 256;

/// How long the end of a request waits until its eventfd has been told.
const PATIENCE: Duration = Duration::from_millis(100);

/// Bytes of the threads' stacks. The self-tests of all drivers, which `/proc/crypto` asks for, take 40 KiB in a release build; without
/// optimization they take over 2 MiB.
pub const STACK: usize = 256 << 10;

pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What serves the targets of one supervisor.
pub struct Server {
    /// Where descriptors that are served are.
    pub ranges: Ranges,
    listener: OwnedFd,
    handles: Handles,
    /// Answers that signals lost, where they end calls.
    pub lost: Option<Lost>,
    /// Hangups of files, by cookie.
    hangups: OwnedFd,
    bell: OwnedFd,
    files: Mutex<Files>,
    /// Files that nobody has any more, and that a thread is busy with.
    closing: Mutex<Vec<Arc<Served>>>,
    most_files: usize,
    most_files_of_program: usize,
    most_bytes_of_program: usize,
    pub programs: Programs,
    /// Numbers that are being given.
    giving: Mutex<HashSet<(Program, u32)>>,
    /// Programs that are not served, and whose user was told.
    told: Mutex<HashSet<String>>,
    contexts: Mutex<Contexts>,
    parked: AtomicUsize,
    /// The file whose calls were looked after last.
    last_looked: AtomicU64,
    pub pool: Pool<Self>,
    apart: AtomicUsize,
    own: Weak<Self>,
}

/// What is served.
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

/// Whose turn it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// A call that has just come, and may wait.
    First,
    /// One that may not.
    Only,
    /// One that has waited.
    Later,
}

/// What became of a call that went on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Advance {
    /// It has ended.
    Ended,
    /// It waits.
    Waits,
    /// It would wait, and may not.
    WouldWait,
}

/// A call that has ended and was not told so. It is told when its file's lock is released: the target may close the file at once, and
/// count on its being closed.
struct End {
    request: Request,
    completion: Option<Completion>,
    result: Result<i64, Errno>,
    /// It had waited.
    waited: bool,
}

impl Server {
    /// One that answers `listener`, for the process `first` and its descendants.
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
            closing: Mutex::default(),
            most_files: options.files.min(room()),
            most_files_of_program: options.files_of_program,
            most_bytes_of_program: options.memory_of_program,
            programs: Programs::new(first),
            giving: Mutex::default(),
            told: Mutex::default(),
            contexts: Mutex::default(),
            parked: AtomicUsize::new(0),
            last_looked: AtomicU64::new(0),
            pool: Pool::new(options.threads, options.threads_of_program),
            apart: AtomicUsize::new(0),
            own: own.clone(),
        }))
    }

    /// Where notifications come from.
    pub fn listener(&self) -> BorrowedFd<'_> {
        self.listener.as_fd()
    }

    /// What becomes readable when files hang up.
    pub fn hangups(&self) -> BorrowedFd<'_> {
        self.hangups.as_fd()
    }

    /// What becomes readable when a worker has left something to look after.
    pub fn bell(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }

    /// Gives the thread that looks after everything something to look after.
    pub fn ring(&self) {
        let _ = rustix::io::write(&self.bell, &1u64.to_ne_bytes());
    }

    /// Quiets the bell.
    pub fn answer_bell(&self) {
        let _ = rustix::io::read(&self.bell, &mut [0u8; 8]);
    }

    /// The thread that made `request`.
    pub fn target(&self, request: Request) -> Target<'_> {
        Target::new(request, self.listener.as_fd(), &self.handles, self.lost.as_ref())
    }

    /// Does `job` for `request` without holding up others, here or on another thread.
    pub fn employ(&self, request: Request, job: impl FnOnce(&Self) + Send + 'static) {
        let job: Job<Self> = Box::new(job);
        if let Some(job) = self.pool.go_away(request, self.programs.of(request.tid), job) {
            job(self);
        }
    }

    /// The file that the target's descriptor is. Only numbers in the ranges are looked at.
    pub fn find(&self, target: &Target<'_>, fd: i32) -> Option<Arc<Served>> {
        self.find_with_end(target, fd).map(|(served, _)| served)
    }

    /// The file that the target's descriptor is, and the target's end of it, where that can be had.
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
            // `pidfd_getfd` is forbidden.
            Err(_) => (lock(&self.files).of_inode(proc::socket(target.request.tid, fd).ok()?).cloned()?, None),
        };
        Some(found).filter(|_| target.valid())
    }

    /// Gives the target, by `give`, a descriptor under a number in the ranges, not below `least`.
    pub fn number<R>(
        &self,
        target: &Target<'_>,
        least: u32,
        give: impl FnOnce(u32) -> Result<R, Errno>,
    ) -> Result<R, Errno> {
        let program = self.programs.of(target.request.tid);
        // Held while a number is looked for, so that two threads of a process do not find the same one.
        let mut giving = lock(&self.giving);
        let mut number = Err(Errno::MFILE);
        for range in self.ranges.all() {
            let taken = |number| giving.contains(&(program, number));
            number = target.free_number(range.start..range.end, least, taken);
            if number != Err(Errno::MFILE) {
                break;
            }
        }
        let number = number.inspect_err(|_| {
            self.tell(target.request, format_args!("refused a file: no number is free where files are served"));
        })?;
        giving.insert((program, number));
        drop(giving);
        let given = give(number);
        lock(&self.giving).remove(&(program, number));
        given
    }

    /// Serves `file`. `give` gives the target the descriptor under the number.
    pub fn serve<R>(
        &self,
        target: &Target<'_>,
        file: File,
        nonblocking: bool,
        give: impl FnOnce(OwnedFd, u32) -> Result<R, Errno>,
    ) -> Result<R, Errno> {
        let account = self.programs.account(self.programs.of(target.request.tid));
        if !Account::take(&account.files, self.most_files_of_program) {
            // Some may have been closed, and the news may be on its way.
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
                let gone: Vec<_> = files.by_cookie.values().filter(|f| f.is_hung_up()).map(|f| f.cookie).collect();
                gone.iter().for_each(|&cookie| _ = files.remove(cookie));
            }
            if files.by_cookie.len() >= self.most_files {
                drop(files);
                self.tell(target.request, format_args!("refused a file: all programs have {} open", self.most_files));
                return Err(Errno::NFILE);
            }
            // A hangup is always reported.
            epoll::add(&self.hangups, served.end(), EventData::new_u64(cookie), EventFlags::empty())?;
            files.insert(served);
        }
        // If this fails, `theirs` closes, and the file goes with the hangup.
        self.number(target, 0, |number| give(theirs, number))
    }

    /// Closes the files that the target has closed.
    pub fn take_hangups(&self) {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let mut room = [MaybeUninit::<epoll::Event>::uninit(); 64];
        // Whoever comes second finds no event, and has to know that what there was is closed.
        let mut closing = lock(&self.closing);
        closing.retain(|served| !self.close(served));
        while let Ok((events, _)) = epoll::wait(&self.hangups, &mut room, Some(&now)) {
            if events.is_empty() {
                break;
            }
            for event in events.iter() {
                let Some(served) = lock(&self.files).remove(event.data.u64()) else { continue };
                let _ = epoll::delete(&self.hangups, served.end());
                if !self.close(&served) {
                    closing.push(served);
                    self.ring();
                }
            }
        }
    }

    /// Closes the files that a thread was busy with when the target closed them, and is no longer; whether some are left.
    pub fn close_left(&self) -> bool {
        let mut closing = lock(&self.closing);
        closing.retain(|served| !self.close(served));
        !closing.is_empty()
    }

    /// Ends the calls that wait at a file which nobody has any more; false if a thread is busy with it.
    fn close(&self, served: &Served) -> bool {
        let Some(mut state) = served.try_lock() else { return false };
        state.closed = true;
        // Other threads may still have the file in hand for a moment; what it stood for is gone now.
        state.file = File::Device(Device::new());
        let parked = std::mem::take(&mut state.parked);
        self.count_parked(served, &state);
        drop(state);
        for parked in parked {
            self.target(parked.request).answer(parked.transfer.interrupt(Errno::BADF));
        }
        true
    }

    /// Calls have begun or ceased to wait at a file.
    fn count_parked(&self, served: &Served, state: &State) -> usize {
        let (now, before) = (state.parked.len(), served.parked.swap(state.parked.len(), Ordering::Relaxed));
        // The difference, which may be negative: both counts wrap around.
        let more = now.wrapping_sub(before);
        served.account.parked.fetch_add(more, Ordering::Relaxed);
        self.parked.fetch_add(more, Ordering::Relaxed)
    }

    /// Tells that a limit refuses something.
    pub fn tell(&self, request: Request, line: fmt::Arguments<'_>) {
        service::log_of(|| client::of(request.tid), 1, line);
    }

    /// Tells, once, that the program of this call is not served.
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

    /// Adds what the files have done to the totals, but for those that a thread is busy with.
    pub fn settle(&self) {
        let files: Vec<_> = lock(&self.files).by_cookie.values().cloned().collect();
        files.iter().filter_map(|served| served.try_lock()).for_each(|mut state| state.file.settle());
    }

    /// Contexts of asynchronous I/O.
    pub fn contexts(&self) -> MutexGuard<'_, Contexts> {
        lock(&self.contexts)
    }

    /// Whether anything is served.
    pub fn has_files(&self) -> bool {
        !lock(&self.files).by_cookie.is_empty()
    }

    /// An asynchronous request. It waits, and the call with it, only where `may_wait` says so.
    pub fn submit(&self, target: &Target<'_>, served: &Served, transfer: Transfer, may_wait: bool) -> Advance {
        let parked = Parked::new(target.request, transfer, None);
        self.go_on(served, parked, if may_wait { Turn::First } else { Turn::Only }, None)
    }

    /// Tells of the end of an asynchronous request.
    fn complete(&self, target: &Target<'_>, completion: Completion, result: Result<i64, Errno>) {
        let Completion { id, data, iocb, event_fd } = completion;
        let result = result.map(|n| usize::try_from(n).unwrap_or(0));
        let due = {
            let mut contexts = self.contexts();
            contexts.push(id, Event { data, iocb, result });
            contexts.due()
        };
        due.into_iter().for_each(|(waiting, events)| self.deliver(waiting, events));
        if let Some(event_fd) = event_fd {
            // It is told before the call returns; but the target may have filled it, and then telling takes as long as
            // it likes.
            let (told, done) = mpsc::channel();
            let tell = move |_: &Self| {
                let _ = rustix::io::write(event_fd, &1u64.to_ne_bytes());
                let _ = told.send(());
            };
            if self.apart(target.request, false, tell).is_ok() {
                let _ = done.recv_timeout(PATIENCE);
            }
        }
    }

    /// Ends a call with the events that it waited for.
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

    /// A call that sends or receives. `theirs` is the target's end of the file.
    pub fn transfer(&self, target: &Target<'_>, served: Arc<Served>, theirs: Option<OwnedFd>) -> Result<(), Errno> {
        // Whether it was the caller's memory is asked before anything is done with it.
        let transfer = Transfer::parse(target).unwrap_or(Err(Errno::OPNOTSUPP))?;
        let request = target.request;
        let is_heavy = transfer.is_heavy();
        let parked = Parked::new(request, transfer, None);
        if is_heavy || served.try_lock().is_none() {
            self.employ(request, move |server| _ = server.go_on(&served, parked, Turn::First, theirs));
        } else {
            self.go_on(&served, parked, Turn::First, theirs);
        }
        Ok(())
    }

    /// Goes on with a call, and with those that wait for it.
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

    /// Does something to a file, and goes on with the calls that wait for that. `fd` is the target's descriptor.
    pub fn operate<R>(&self, served: &Served, target: &Target<'_>, fd: i32, work: impl FnOnce(&mut File) -> R) -> R {
        let (mut state, mut ends) = (served.lock(), Vec::new());
        let result = work(&mut state.file);
        served.show(&mut state, target, fd, None);
        self.resume(served, &mut state, &mut ends);
        drop(state);
        ends.into_iter().for_each(|end| self.finish(end));
        result
    }

    fn resume(&self, served: &Served, state: &mut State, ends: &mut Vec<End>) {
        // What one call did may be what others wait for. Each may in turn help those before it.
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

    /// Goes on with a call, and ends it or lets it wait.
    fn advance(
        &self,
        served: &Served,
        state: &mut State,
        mut parked: Parked,
        turn: Turn,
        theirs: Option<OwnedFd>,
    ) -> Result<End, Advance> {
        let target = self.target(parked.request);
        let is_over = served.account.bytes.load(Ordering::Relaxed) > self.most_bytes_of_program;
        let step = match parked.transfer.sends() && is_over {
            true => {
                let most = self.most_bytes_of_program;
                self.tell(parked.request, format_args!("refused to send: the program's files keep {most} bytes"));
                Step::Done(parked.transfer.interrupt(Errno::NOBUFS))
            }
            false => parked.transfer.advance(&target, &mut state.file),
        };
        served.show(state, &target, parked.transfer.fd, theirs);
        let result = match step {
            Step::Done(result) => result,
            Step::Wait if state.closed => parked.transfer.interrupt(Errno::BADF),
            Step::Wait if parked.transfer.has_enough() => parked.transfer.interrupt(Errno::AGAIN),
            Step::Wait if turn != Turn::Later && !self.may_wait(&target, &mut parked) => {
                parked.transfer.interrupt(Errno::AGAIN)
            }
            // Bytes of an asynchronous request that have gone out cannot be sent again.
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
        Ok(End { request, completion: transfer.completion, result, waited: turn == Turn::Later })
    }

    /// Answers a call, or tells of the end of an asynchronous request, and answers the call that waited for that.
    fn finish(&self, end: End) {
        let target = self.target(end.request);
        match end.completion {
            None => _ = target.answer(end.result),
            Some(completion) => {
                self.complete(&target, completion, end.result);
                if end.waited {
                    target.answer(Ok(1));
                }
            }
        }
    }

    /// Whether the client wants to wait, and until when.
    fn may_wait(&self, target: &Target<'_>, parked: &mut Parked) -> bool {
        let fd = parked.transfer.fd;
        if parked.transfer.impatient || target.flags(fd).contains(rustix::fs::OFlags::NONBLOCK) {
            return false;
        }
        let timeout = if parked.transfer.sends() { Timeout::Send } else { Timeout::Recv };
        let timeout = target.fetch(fd).and_then(|socket| sockopt::socket_timeout(socket, timeout)).ok().flatten();
        parked.deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        true
    }

    /// Whether calls wait.
    pub fn has_waiting(&self) -> bool {
        self.parked.load(Ordering::Relaxed) > 0 || self.contexts().has_waiting()
    }

    /// Ends calls that have waited long enough, or that a signal interrupts.
    pub fn look_after_calls(&self) {
        self.look_after_waiting();
        self.look_after_parked();
    }

    /// Ends calls that wait for events and have waited long enough, or that a signal interrupts.
    fn look_after_waiting(&self) {
        let due = self.contexts().due();
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

    /// Ends calls that have waited long enough, or that a signal interrupts.
    fn look_after_parked(&self) {
        if self.parked.load(Ordering::Relaxed) == 0 {
            return;
        }
        // Others are left alone: a lock that is held for a moment can make a call EBUSY.
        let waits = |served: &&Arc<Served>| served.parked.load(Ordering::Relaxed) > 0;
        let mut files: Vec<_> = lock(&self.files).by_cookie.values().filter(waits).cloned().collect();
        let now = Instant::now();
        // Those after the last one that had its turn come first.
        let last = self.last_looked.load(Ordering::Relaxed);
        files.sort_unstable_by_key(|served| (served.cookie <= last, served.cookie));
        let mut looks = 0;
        for served in files {
            // Another thread is busy with it, and looks after those that wait.
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

    /// Lets a thread of its own do `job`, which may take as long as a client likes, and answers the request if `answers` says so.
    pub fn apart(
        &self,
        request: Request,
        answers: bool,
        job: impl FnOnce(&Self) + Send + 'static,
    ) -> Result<(), Errno> {
        let server = self.own.upgrade().ok_or(Errno::AGAIN)?;
        let account = self.programs.account(self.programs.of(request.tid));
        let refused = |whose: &str| {
            self.tell(request, format_args!("refused to wait for a pipe or an eventfd: {whose} threads for that wait"));
            Errno::AGAIN
        };
        if !Account::take(&self.apart, MAX_APART) {
            return Err(refused("all"));
        }
        if !Account::take(&account.threads, MAX_APART_OF_PROGRAM) {
            self.apart.fetch_sub(1, Ordering::Relaxed);
            return Err(refused("all of the program's"));
        }
        let count = account.clone();
        let work = move || {
            client::set(request.tid);
            if catch_unwind(AssertUnwindSafe(|| job(&server))).is_err() && answers {
                server.target(request).answer(Err(Errno::IO));
            }
            count.threads.fetch_sub(1, Ordering::Relaxed);
            server.apart.fetch_sub(1, Ordering::Relaxed);
        };
        std::thread::Builder::new().stack_size(STACK).spawn(work).map(drop).map_err(|_| {
            account.threads.fetch_sub(1, Ordering::Relaxed);
            self.apart.fetch_sub(1, Ordering::Relaxed);
            Errno::AGAIN
        })
    }
}

/// How many files there may be, as far as descriptors go: as many as the limit can be raised to.
fn room() -> usize {
    let limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    }
    let limit = getrlimit(Resource::Nofile).current.and_then(|limit| usize::try_from(limit).ok());
    limit.map_or(usize::MAX, |limit| limit.saturating_sub(SPARE))
}
