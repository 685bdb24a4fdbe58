//! Files, notifications, and the threads that work on both.

use crate::{
    Error, Options,
    aio::Contexts,
    bpf::Range,
    calls::{
        self, Reply,
        transfer::{Completion, Step, Transfer},
    },
    park::{Fate, Parked},
    served::{Kind, Served, State},
    sys,
    target::{self, Lost, Request, Target},
};
use algkit_afalg::{Errno, File, aio::Event};
use rustix::{
    event::{
        EventfdFlags, Timespec,
        epoll::{self, CreateFlags, EventData, EventFlags},
        eventfd,
    },
    net::sockopt::{self, Timeout},
    process::{Resource, getrlimit},
};
use std::{
    collections::{HashMap, VecDeque},
    mem::MaybeUninit,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    time::{Duration, Instant},
};

/// Descriptors that are left to the supervisor for purposes other than files.
const SPARE: usize = 128;

/// Threads that do what takes as long as a client likes.
const MAX_APART: usize = 32;

/// How long the end of a request waits until its eventfd has been told.
const PATIENCE: Duration = Duration::from_millis(100);

/// Bytes of their stacks.
const STACK: usize = 256 << 10;

type Job = Box<dyn FnOnce(&Server) + Send>;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What serves the targets of one supervisor.
pub struct Server {
    /// Where descriptors that are served are.
    pub range: Range,
    listener: OwnedFd,
    lost: Option<Lost>,
    /// Hangups of files, by inode.
    hangups: OwnedFd,
    bell: OwnedFd,
    files: Mutex<HashMap<u64, Arc<Served>>>,
    most_files: usize,
    numbering: Mutex<()>,
    contexts: Mutex<Contexts>,
    parked: AtomicUsize,
    jobs: Mutex<Jobs>,
    work: Condvar,
    apart: AtomicUsize,
    own: Weak<Self>,
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

#[derive(Default)]
struct Jobs {
    queue: VecDeque<(Option<Request>, Job)>,
    over: bool,
}

impl Server {
    /// One that answers `listener`.
    pub fn new(listener: OwnedFd, range: Range, interruptible: bool, options: &Options) -> Result<Arc<Self>, Error> {
        sys::wake_on_this_cpu(listener.as_fd());
        let hangups = epoll::create(CreateFlags::CLOEXEC).map_err(Error::system("epoll_create1"))?;
        let bell = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).map_err(Error::system("eventfd2"))?;
        let limit = getrlimit(Resource::Nofile).current.and_then(|limit| usize::try_from(limit).ok());
        let room = limit.map_or(usize::MAX, |limit| limit.saturating_sub(SPARE));
        Ok(Arc::new_cyclic(|own| Self {
            range,
            listener,
            lost: interruptible.then(Lost::default),
            hangups,
            bell,
            files: Mutex::default(),
            most_files: options.files.min(room),
            numbering: Mutex::default(),
            contexts: Mutex::default(),
            parked: AtomicUsize::new(0),
            jobs: Mutex::default(),
            work: Condvar::new(),
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
        Target::new(request, self.listener.as_fd(), self.lost.as_ref())
    }

    /// Takes a notification, and answers it or passes it on.
    pub fn attend(&self) {
        let Ok(notification) = sys::receive(self.listener.as_fd()) else { return };
        let (tid, nr) = (notification.pid as i32, notification.data.nr.into());
        let request = Request { id: notification.id, tid, nr, args: notification.data.args };
        if self.lost.as_ref().is_some_and(|lost| lost.answer(&self.target(request))) {
            return;
        }
        // What this thread of the target closed before, is closed, also as far as the call can see.
        if calls::asks_who_is_there(request.nr) {
            self.take_hangups();
        }
        self.guard(Some(request), || calls::handle(self, request));
    }

    /// Answers with EIO where `work` panics, so that a defect costs one call and not the whole program.
    pub fn guard(&self, request: Option<Request>, work: impl FnOnce()) {
        let done = catch_unwind(AssertUnwindSafe(work));
        if let (Err(_), Some(request)) = (done, request) {
            self.target(request).answer(Err(Errno::IO));
        }
    }

    /// The file that the target's descriptor is. Only numbers in the range are looked at.
    pub fn find(&self, target: &Target<'_>, fd: i32) -> Option<Arc<Served>> {
        if !self.range.contains(fd) {
            return None;
        }
        let inode = target::socket(target.request.tid, fd).ok()?;
        lock(&self.files).get(&inode).cloned().filter(|_| target.valid())
    }

    /// Whoever gives the target a number holds this, so that no number is given twice.
    pub fn numbering(&self) -> MutexGuard<'_, ()> {
        lock(&self.numbering)
    }

    /// Serves `file`. `give` gives the target the descriptor under the number.
    pub fn serve<R>(
        &self,
        target: &Target<'_>,
        file: File,
        kind: Option<Kind>,
        nonblocking: bool,
        give: impl FnOnce(BorrowedFd<'_>, u32) -> Result<R, Errno>,
    ) -> Result<R, Errno> {
        let (served, theirs) = Served::new(file, kind, nonblocking)?;
        let (inode, served) = (served.inode, Arc::new(served));
        {
            let mut files = lock(&self.files);
            if files.len() >= self.most_files {
                // Some may have been closed, and the news may be on its way.
                files.retain(|_, served| !served.is_hung_up());
            }
            if files.len() >= self.most_files {
                return Err(Errno::NFILE);
            }
            // A hangup is always reported.
            epoll::add(&self.hangups, served.end(), EventData::new_u64(inode), EventFlags::empty())?;
            files.insert(inode, served);
        }
        // If this fails, `theirs` closes, and the file goes with the hangup.
        let _one_at_a_time = self.numbering();
        let number = target.free_number(self.range)?;
        give(theirs.as_fd(), number)
    }

    /// Closes the files that the target has closed.
    pub fn take_hangups(&self) {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let mut room = [MaybeUninit::<epoll::Event>::uninit(); 64];
        while let Ok((events, _)) = epoll::wait(&self.hangups, &mut room, Some(&now)) {
            if events.is_empty() {
                break;
            }
            events.iter().for_each(|event| self.hang_up(event.data.u64()));
        }
    }

    fn hang_up(&self, inode: u64) {
        let Some(served) = lock(&self.files).remove(&inode) else { return };
        let _ = epoll::delete(&self.hangups, served.end());
        let parked = {
            // A worker may be busy with it; the calls that wait end when it has done.
            let Some(mut state) = served.try_lock() else {
                self.employ(None, move |server| server.close(&served));
                return;
            };
            state.closed = true;
            std::mem::take(&mut state.parked)
        };
        self.refuse(parked);
    }

    fn close(&self, served: &Served) {
        let parked = {
            let mut state = served.lock();
            state.closed = true;
            std::mem::take(&mut state.parked)
        };
        self.refuse(parked);
    }

    fn refuse(&self, parked: Vec<Parked>) {
        self.parked.fetch_sub(parked.len(), Ordering::Relaxed);
        for parked in parked {
            self.target(parked.request).answer(parked.transfer.interrupt(Errno::BADF));
        }
    }

    /// Contexts of asynchronous I/O.
    pub fn contexts(&self) -> MutexGuard<'_, Contexts> {
        lock(&self.contexts)
    }

    /// Whether anything is served.
    pub fn has_files(&self) -> bool {
        !lock(&self.files).is_empty()
    }

    /// An asynchronous request. It waits, and the call with it, only where `may_wait` says so.
    pub fn submit(&self, target: &Target<'_>, served: &Served, transfer: Transfer, may_wait: bool) -> Advance {
        let mut state = served.lock();
        let parked = Parked::new(target.request, transfer, None);
        let advance = self.advance(served, &mut state, parked, if may_wait { Turn::First } else { Turn::Only });
        self.resume(served, &mut state);
        advance
    }

    /// Tells of the end of an asynchronous request.
    fn complete(&self, completion: Completion, result: Result<i64, Errno>) {
        let Completion { id, data, iocb, event_fd } = completion;
        let result = result.map(|n| usize::try_from(n).unwrap_or(0));
        let mut contexts = self.contexts();
        contexts.push(id, Event { data, iocb, result });
        contexts.answer(|request| self.target(request), false);
        drop(contexts);
        if let Some(event_fd) = event_fd {
            // It is told before the call returns; but the target may have filled it, and then telling takes as long as
            // it likes.
            let (told, done) = mpsc::channel();
            let tell = move |_: &Self| {
                let _ = rustix::io::write(event_fd, &1u64.to_ne_bytes());
                let _ = told.send(());
            };
            if self.apart(None, tell).is_ok() {
                let _ = done.recv_timeout(PATIENCE);
            }
        }
    }

    /// A call that sends or receives.
    pub fn transfer(&self, target: &Target<'_>, served: Arc<Served>) -> Result<Reply, Errno> {
        let transfer = Transfer::parse(target).unwrap_or(Err(Errno::OPNOTSUPP))?;
        target.check()?;
        let request = target.request;
        // A signal may end the call before its answer where `lost` is kept. This thread is through with it then before it
        // sees the same call again; a worker may not be.
        if self.lost.is_none() && transfer.is_heavy() || served.try_lock().is_none() {
            self.employ(Some(request), move |server| server.go_on(&served, request, transfer));
        } else {
            self.go_on(&served, request, transfer);
        }
        Ok(Reply::Taken)
    }

    /// Goes on with a call, and with those that wait for it.
    pub fn go_on(&self, served: &Served, request: Request, transfer: Transfer) {
        let mut state = served.lock();
        self.advance(served, &mut state, Parked::new(request, transfer, None), Turn::First);
        self.resume(served, &mut state);
    }

    /// Does something to a file, and goes on with the calls that wait for that. `fd` is the target's descriptor.
    pub fn operate<R>(&self, served: &Served, target: &Target<'_>, fd: i32, work: impl FnOnce(&mut File) -> R) -> R {
        let mut state = served.lock();
        let result = work(&mut state.file);
        served.show(&mut state, target, fd);
        self.resume(served, &mut state);
        result
    }

    fn resume(&self, served: &Served, state: &mut State) {
        // What one call did may be what others wait for. Each may in turn help those before it.
        let mut left = state.parked.len();
        while left > 0 && !state.parked.is_empty() {
            let parked = state.parked.remove(0);
            self.parked.fetch_sub(1, Ordering::Relaxed);
            left = match self.advance(served, state, parked, Turn::Later) {
                Advance::Ended => state.parked.len(),
                _ => left - 1,
            };
        }
    }

    /// Goes on with a call, and ends it or lets it wait.
    fn advance(&self, served: &Served, state: &mut State, mut parked: Parked, turn: Turn) -> Advance {
        let target = self.target(parked.request);
        let step = parked.transfer.advance(&target, state);
        served.show(state, &target, parked.transfer.fd);
        let result = match step {
            Step::Done(result) => result,
            Step::Wait if state.closed => parked.transfer.interrupt(Errno::BADF),
            Step::Wait if parked.transfer.has_enough() => parked.transfer.interrupt(Errno::AGAIN),
            Step::Wait if turn != Turn::Later && !self.may_wait(&target, &mut parked) => {
                parked.transfer.interrupt(Errno::AGAIN)
            }
            // Bytes of an asynchronous request that have gone out cannot be sent again.
            Step::Wait if turn == Turn::Only => match parked.transfer.interrupt(Errno::AGAIN) {
                Err(_) => return Advance::WouldWait,
                done => done,
            },
            Step::Wait => {
                state.parked.push(parked);
                if self.parked.fetch_add(1, Ordering::Relaxed) == 0 {
                    self.ring();
                }
                return Advance::Waits;
            }
        };
        self.finish(&target, parked.transfer, result, turn);
        Advance::Ended
    }

    /// Answers a call, or tells of the end of an asynchronous request, and answers the call that waited for that.
    fn finish(&self, target: &Target<'_>, transfer: Transfer, result: Result<i64, Errno>, turn: Turn) {
        match transfer.completion {
            None => _ = target.answer(result),
            Some(completion) => {
                self.complete(completion, result);
                if turn == Turn::Later {
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

    /// Whether any call waits.
    pub fn has_parked(&self) -> bool {
        self.parked.load(Ordering::Relaxed) > 0 || self.contexts().has_waiting()
    }

    /// Ends calls that have waited long enough, or that a signal interrupts.
    pub fn look_after_parked(&self) {
        self.contexts().answer(|request| self.target(request), true);
        if self.parked.load(Ordering::Relaxed) == 0 {
            return;
        }
        let files: Vec<_> = lock(&self.files).values().cloned().collect();
        let now = Instant::now();
        for served in files {
            let Some(mut state) = served.try_lock() else { continue };
            let before = state.parked.len();
            state.parked.retain_mut(|parked| {
                let target = self.target(parked.request);
                match parked.fate(&target, now) {
                    Fate::Waits => return true,
                    Fate::Gone => {}
                    Fate::TimedOut => _ = target.answer(parked.transfer.interrupt(Errno::AGAIN)),
                    Fate::Interrupted => _ = target.answer(parked.transfer.interrupt(Errno::INTR)),
                    Fate::Restarts => match parked.transfer.interrupt(Errno::INTR) {
                        Err(_) => _ = target.restart(),
                        done => _ = target.answer(done),
                    },
                }
                false
            });
            self.parked.fetch_sub(before - state.parked.len(), Ordering::Relaxed);
        }
    }

    /// Itself, to be kept.
    pub fn own(&self) -> Option<Arc<Self>> {
        self.own.upgrade()
    }

    /// Lets a worker do `job`, which is for `request`.
    pub fn employ(&self, request: Option<Request>, job: impl FnOnce(&Self) + Send + 'static) {
        lock(&self.jobs).queue.push_back((request, Box::new(job)));
        self.work.notify_one();
    }

    /// Lets a thread of its own do `job`, which may take as long as a client likes.
    pub fn apart(&self, request: Option<Request>, job: impl FnOnce(&Self) + Send + 'static) -> Result<(), Errno> {
        let server = self.own().ok_or(Errno::AGAIN)?;
        if self.apart.fetch_add(1, Ordering::Relaxed) >= MAX_APART {
            self.apart.fetch_sub(1, Ordering::Relaxed);
            return Err(Errno::AGAIN);
        }
        let work = move || {
            server.guard(request, || job(&server));
            server.apart.fetch_sub(1, Ordering::Relaxed);
        };
        match std::thread::Builder::new().stack_size(STACK).spawn(work) {
            Ok(_) => Ok(()),
            Err(_) => {
                self.apart.fetch_sub(1, Ordering::Relaxed);
                Err(Errno::AGAIN)
            }
        }
    }

    /// A worker's life.
    pub fn work(&self) {
        loop {
            let mut jobs = lock(&self.jobs);
            let (request, job) = loop {
                if jobs.over {
                    return;
                }
                match jobs.queue.pop_front() {
                    Some(job) => break job,
                    None => jobs = self.work.wait(jobs).unwrap_or_else(PoisonError::into_inner),
                }
            };
            drop(jobs);
            self.guard(request, || job(self));
        }
    }

    /// Lets the workers go.
    pub fn end(&self) {
        lock(&self.jobs).over = true;
        self.work.notify_all();
    }
}
