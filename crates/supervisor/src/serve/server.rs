//! Files and notifications, and what is done about both.

use crate::serve::{
    aio::{Contexts, Waiting},
    bpf::Ranges,
    calls::{
        self, Reply,
        transfer::{Completion, Step, Transfer},
    },
    client,
    handles::{Handles, MAX_HANDLES},
    park::{Fate, Parked},
    pool::{Job, Pool, Task},
    proc,
    program::{Account, Program, Programs},
    served::{Kind, Served, State},
    sys,
    target::{Lost, Request, Target},
};
use crate::{Error, Options};
use algkit_afalg::{Errno, File, aio::Event, cryptodev::Device, service};
use rustix::{
    event::{
        EventfdFlags, PollFd, PollFlags, Timespec,
        epoll::{self, CreateFlags, EventData, EventFlags},
        eventfd, poll,
    },
    net::sockopt::{self, Timeout},
    process::{Resource, Rlimit, getrlimit, setrlimit},
};
use std::{
    collections::{HashMap, HashSet, VecDeque},
    fmt,
    mem::MaybeUninit,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicI32, AtomicUsize, Ordering},
        mpsc,
    },
    time::{Duration, Instant},
};

/// Descriptors that are left to the supervisor for purposes other than files.
const SPARE: usize = 128 + MAX_HANDLES;

/// Threads that do what takes as long as a client likes: in all, and for one program.
const MAX_APART: usize = 32;
const MAX_APART_OF_PROGRAM: usize = 8;

/// How long the end of a request waits until its eventfd has been told.
const PATIENCE: Duration = Duration::from_millis(100);

/// How often the leader is looked after while there are calls, and how often others that wait.
const LOOK: Duration = Duration::from_millis(1);
const TICK: Duration = Duration::from_millis(10);

/// Looks at a leader that has nothing to do until nobody looks any more.
const LOOKS: u32 = 20;

/// Bytes of the threads' stacks. The self-tests of all drivers, which `/proc/crypto` asks for, take 40 KiB in a release build; without
/// optimization they take over 2 MiB.
const STACK: usize = 256 << 10;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What serves the targets of one supervisor.
pub struct Server {
    /// Where descriptors that are served are.
    pub ranges: Ranges,
    listener: OwnedFd,
    handles: Handles,
    lost: Option<Lost>,
    receive_ends: bool,
    /// Hangups of files, by cookie.
    hangups: OwnedFd,
    bell: OwnedFd,
    /// Becomes readable when the leader is to stop.
    stop: OwnedFd,
    files: Mutex<Files>,
    /// Files that nobody has any more, and that a thread is busy with.
    closing: Mutex<Vec<Arc<Served>>>,
    most_files: usize,
    most_files_of_program: usize,
    most_bytes_of_program: usize,
    programs: Programs,
    /// Numbers that are being given.
    giving: Mutex<HashSet<(Program, u32)>>,
    contexts: Mutex<Contexts>,
    parked: AtomicUsize,
    /// Calls that were taken and not begun with.
    taken: Mutex<VecDeque<Request>>,
    /// The thread whose call was taken last.
    last_caller: AtomicI32,
    pool: Pool<Self>,
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

/// What the thread that attends to everything else remembers of the leader between two looks.
#[derive(Default)]
pub struct Watch {
    turn: u64,
    taken: u64,
    idle: u32,
    last_look: Option<Instant>,
    last_tick: Option<Instant>,
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
        let flag = || eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).map_err(Error::system("eventfd2"));
        let (bell, stop) = (flag()?, flag()?);
        Ok(Arc::new_cyclic(|own| Self {
            ranges,
            listener,
            handles: Handles::new(),
            lost: interruptible.then(Lost::default),
            receive_ends: sys::receive_ends(),
            hangups,
            bell,
            stop,
            files: Mutex::default(),
            closing: Mutex::default(),
            most_files: options.files.min(room()),
            most_files_of_program: options.files_of_program,
            most_bytes_of_program: options.memory_of_program,
            programs: Programs::new(first),
            giving: Mutex::default(),
            contexts: Mutex::default(),
            parked: AtomicUsize::new(0),
            taken: Mutex::default(),
            last_caller: AtomicI32::new(0),
            pool: Pool::new(options.threads, options.threads_of_program),
            apart: AtomicUsize::new(0),
            own: own.clone(),
        }))
    }

    /// Starts the threads that serve.
    pub fn start(self: &Arc<Self>) -> Result<(), Error> {
        let server = Arc::downgrade(self);
        let spawn = move || {
            let Some(server) = server.upgrade() else { return false };
            std::thread::Builder::new().stack_size(STACK).spawn(move || server.work()).is_ok()
        };
        if self.pool.start(spawn) { Ok(()) } else { Err(Error::system("clone")(rustix::io::Errno::AGAIN)) }
    }

    /// A thread's life.
    fn work(&self) {
        let _soon = sys::Soon::new();
        self.pool.enter();
        loop {
            match self.pool.next() {
                Task::Lead => self.lead(),
                Task::Do(waiting) => {
                    self.guard(waiting.request, || (waiting.job)(self));
                    self.pool.release(waiting.program);
                }
                Task::End => return,
            }
        }
    }

    /// Takes notifications until another thread leads.
    fn lead(&self) {
        while let Some(request) = self.next() {
            if self.pool.begin(&request) {
                self.ring();
            }
            if self.pool.is_crowded() && self.pool.is_full(self.programs.of(request.tid)) {
                // It would be the next to keep this thread.
                self.pool.employ(
                    request,
                    self.programs.of(request.tid),
                    Box::new(move |server| server.attend(request)),
                );
            } else {
                self.guard(request, || self.attend(request));
            }
            if !self.pool.end(&request) {
                return;
            }
        }
        self.pool.abdicate();
    }

    /// The next call. Signals end calls that were not taken: so where several threads of programs call, all that there are, are taken
    /// before the first is begun with.
    fn next(&self) -> Option<Request> {
        let before = lock(&self.taken).pop_front();
        let request = match before {
            Some(request) => request,
            None => self.receive()?,
        };
        if self.last_caller.swap(request.tid, Ordering::Relaxed) != request.tid {
            while self.is_called()
                && let Some(another) = self.take()
            {
                lock(&self.taken).push_back(another);
            }
        }
        Some(request)
    }

    /// Whether a call waits to be taken.
    fn is_called(&self) -> bool {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let mut listener = [PollFd::new(&self.listener, PollFlags::IN)];
        poll(&mut listener, Some(&now)).is_ok() && listener[0].revents().contains(PollFlags::IN)
    }

    /// The next notification; none when it is over. Until it is taken, signals end the call, so that no time is lost: where taking
    /// it ends with the last process, nothing is asked before. `epoll` would not pass on that the caller waits on this CPU
    /// (`SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP`).
    fn receive(&self) -> Option<Request> {
        loop {
            if self.receive_ends
                && let Some(request) = self.take()
            {
                return Some(request);
            }
            let mut sources = [PollFd::new(&self.listener, PollFlags::IN), PollFd::new(&self.stop, PollFlags::IN)];
            match poll(&mut sources, None) {
                Ok(_) | Err(Errno::INTR | Errno::AGAIN) => {}
                Err(_) => return None,
            }
            let (news, stop) = (sources[0].revents(), sources[1].revents());
            if !stop.is_empty() {
                return None;
            }
            if news.contains(PollFlags::IN) {
                if let Some(request) = self.take() {
                    return Some(request);
                }
            } else if !news.is_empty() {
                // The last process under the filter is gone. The thread that attends to that says when to stop.
                let _ = poll(&mut [PollFd::new(&self.stop, PollFlags::IN)], None);
            }
        }
    }

    fn take(&self) -> Option<Request> {
        let notification = sys::receive(self.listener.as_fd()).ok()?;
        let (tid, nr) = (notification.pid as i32, notification.data.nr.into());
        Some(Request { id: notification.id, tid, nr, args: notification.data.args })
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

    /// Answers a notification, or passes it on.
    fn attend(&self, request: Request) {
        if self.lost.as_ref().is_some_and(|lost| lost.answer(&self.target(request))) {
            return;
        }
        // What this thread of the target closed before, is closed, also as far as the call can see.
        if calls::asks_who_is_there(request.nr) {
            self.take_hangups();
        }
        calls::handle(self, request);
    }

    /// Answers with EIO where `work` panics, so that a defect costs one call and not the whole program.
    fn guard(&self, request: Request, work: impl FnOnce()) {
        client::set(request.tid);
        if let Some(lost) = &self.lost {
            lost.begin(&request);
        }
        if catch_unwind(AssertUnwindSafe(work)).is_err() {
            self.target(request).answer(Err(Errno::IO));
        }
        if let Some(lost) = &self.lost {
            lost.leave(&request);
        }
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
        kind: Option<Kind>,
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
        let (served, theirs) = match Served::new(file, kind, nonblocking, account.clone()) {
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

    /// Closes the files that a thread was busy with when the target closed them, and is no longer.
    fn close_left(&self) {
        lock(&self.closing).retain(|served| !self.close(served));
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
        if now >= before {
            self.parked.fetch_add(now - before, Ordering::Relaxed)
        } else {
            self.parked.fetch_sub(before - now, Ordering::Relaxed)
        }
    }

    /// Tells that a limit refuses something.
    fn tell(&self, request: Request, line: fmt::Arguments<'_>) {
        service::log_of(|| client::of(request.tid), 1, line);
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
    pub fn transfer(&self, target: &Target<'_>, served: Arc<Served>, theirs: Option<OwnedFd>) -> Result<Reply, Errno> {
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
        Ok(Reply::Taken)
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
            false => parked.transfer.advance(&target, state),
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

    /// Looks after the leader, and after calls that wait. Takes no file's lock and reads no target's memory. Says how long nothing
    /// has to be looked after again.
    pub fn watch(&self, watch: &mut Watch) -> Option<Timespec> {
        self.watch_leader(watch);
        if self.pool.is_exhausted() {
            self.turn_away();
        }
        for request in self.pool.expire() {
            self.refuse_request(request);
        }
        let now = Instant::now();
        let waits = self.parked.load(Ordering::Relaxed) > 0 || self.contexts().has_waiting();
        if waits && watch.last_tick.is_none_or(|last| now.duration_since(last) >= TICK) {
            watch.last_tick = Some(now);
            self.look_after_waiting();
            self.look_after_parked();
        }
        self.close_left();
        let timeout = |time: Duration| Timespec { tv_sec: 0, tv_nsec: time.subsec_nanos().into() };
        if watch.is_busy() || self.pool.has_waiting() || self.pool.is_exhausted() || !lock(&self.closing).is_empty() {
            Some(timeout(LOOK))
        } else {
            waits.then(|| timeout(TICK))
        }
    }

    fn watch_leader(&self, watch: &mut Watch) {
        let now = Instant::now();
        // Other events may have woken this thread in between, or the leader, which has begun with something.
        if watch.last_look.is_some_and(|last| now.duration_since(last) < LOOK) {
            watch.idle = 0;
            return;
        }
        let (turn, caller, taken) = self.pool.watch();
        if turn != 0 && turn == watch.turn {
            self.pool.depose(turn, self.programs.of(caller));
        }
        let idle = if turn == 0 && taken == watch.taken { watch.idle.saturating_add(1) } else { 0 };
        *watch = Watch { turn, taken, idle, last_look: Some(now), ..*watch };
        if watch.idle == LOOKS && !self.pool.look_away() {
            watch.idle = 0;
        }
    }

    /// Answers calls that no thread is there to do.
    fn turn_away(&self) {
        while self.pool.is_exhausted() {
            let before = lock(&self.taken).pop_front();
            let Some(request) = before.or_else(|| self.is_called().then(|| self.take())?) else { break };
            self.refuse_request(request);
        }
    }

    /// Ends a call for which there is no thread: the kernel does what is not served, as far as that can be told without reading the
    /// target's memory.
    fn refuse_request(&self, request: Request) {
        let target = self.target(request);
        let is_ours = match calls::descriptors(&request) {
            Some(fds) => fds.iter().any(|&fd| self.find(&target, fd).is_some()),
            None => !calls::is_open(request.nr),
        };
        if is_ours {
            self.tell(request, format_args!("refused call {}: no thread was free for it in a second", request.nr));
            target.answer(Err(Errno::NOBUFS));
        } else {
            target.proceed();
        }
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
        let files: Vec<_> = lock(&self.files).by_cookie.values().filter(waits).cloned().collect();
        let now = Instant::now();
        for served in files {
            // Another thread is busy with it, and looks after those that wait.
            let Some(mut state) = served.try_lock() else { continue };
            let mut over = Vec::new();
            for mut parked in std::mem::take(&mut state.parked) {
                match parked.fate(&self.target(parked.request), now) {
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

    /// Lets the threads go.
    pub fn end(&self) {
        let _ = rustix::io::write(&self.stop, &1u64.to_ne_bytes());
        self.pool.stop();
    }
}

impl Watch {
    /// Whether the leader was busy lately.
    fn is_busy(&self) -> bool {
        self.idle < LOOKS
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
