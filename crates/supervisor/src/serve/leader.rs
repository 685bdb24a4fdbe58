//! The main functions of the threads: taking calls from the listener and carrying them out, and checking on the leader,
//! which is the thread that takes them.

use crate::Error;
use crate::serve::{
    bpf::is_native,
    calls, client,
    pool::Task,
    request::Request,
    server::{STACK, Server, lock},
    sys,
};
use algkit_afalg::Errno;
use libc::seccomp_notif;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use std::{
    collections::VecDeque,
    os::fd::OwnedFd,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex,
        atomic::{AtomicI32, Ordering},
    },
    time::{Duration, Instant},
};

/// The interval at which the leader is checked while there are calls, and that at which waiting calls are checked.
const LOOK: Duration = Duration::from_millis(1);
const TICK: Duration = Duration::from_millis(10);

/// The number of checks that find an idle leader before checking stops.
const LOOKS: u32 = 20;

/// The threads that take calls and carry them out.
pub struct Threads {
    /// The server whose requests the threads carry out.
    pub server: Arc<Server>,
    receive_ends: bool,
    /// An eventfd that becomes readable when the leader is to stop.
    stop: OwnedFd,
    /// Calls that have been taken and not begun.
    taken: Mutex<VecDeque<Request>>,
    /// The thread that made the last call that was taken.
    last_caller: AtomicI32,
}

/// What the thread that checks on the leader remembers between two checks.
#[derive(Default)]
pub struct Watch {
    turn: u64,
    taken: u64,
    idle: u32,
    last_look: Option<Instant>,
    last_tick: Option<Instant>,
}

impl Threads {
    /// No threads yet; [`start`](Self::start) makes them.
    ///
    /// # Errors
    /// [`Error::System`] if the kernel makes no eventfd.
    pub fn new(server: Arc<Server>) -> Result<Arc<Self>, Error> {
        let stop = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).map_err(Error::system("eventfd2"))?;
        let (taken, last_caller) = (Mutex::default(), AtomicI32::new(0));
        Ok(Arc::new(Self { server, receive_ends: sys::receive_ends(), stop, taken, last_caller }))
    }

    /// Starts the first threads. The pool starts more when it needs them.
    ///
    /// # Errors
    /// [`Error::System`] if the kernel starts no thread.
    pub fn start(self: &Arc<Self>) -> Result<(), Error> {
        let threads = Arc::downgrade(self);
        let spawn = move || {
            let Some(threads) = threads.upgrade() else { return false };
            std::thread::Builder::new().stack_size(STACK).spawn(move || threads.work()).is_ok()
        };
        if self.server.pool.start(spawn) { Ok(()) } else { Err(Error::system("clone")(rustix::io::Errno::AGAIN)) }
    }

    /// The main function of these threads.
    fn work(&self) {
        let _soon = sys::Soon::new();
        self.server.pool.enter();
        loop {
            match self.server.pool.next() {
                Task::Lead => self.lead(),
                Task::Do(waiting) => {
                    self.guard(waiting.request, || (waiting.job)(&self.server));
                    self.server.pool.release(waiting.program);
                }
                Task::End => return,
            }
        }
    }

    /// Takes notifications until another thread leads.
    fn lead(&self) {
        while let Some(request) = self.next() {
            if self.server.pool.begin(&request) {
                self.server.ring();
            }
            if self.server.pool.is_crowded() && self.server.pool.is_full(self.server.programs.of(request.tid)) {
                // The request might keep this thread busy as well, so it waits for a thread of its program.
                let program = self.server.programs.of(request.tid);
                self.server.pool.employ(request, program, Box::new(move |server| attend(server, request)));
            } else {
                self.guard(request, || attend(&self.server, request));
            }
            if !self.server.pool.finish(&request) {
                return;
            }
        }
        self.server.pool.abdicate();
    }

    /// The next call; `None` when the leader is to stop. A signal ends a call that has not been taken. So if several
    /// threads make calls, all pending calls are taken before the first is begun.
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
        let listener = self.server.listener();
        let mut news = [PollFd::new(&listener, PollFlags::IN)];
        poll(&mut news, Some(&now)).is_ok() && news[0].revents().contains(PollFlags::IN)
    }

    /// Waits for the next notification; `None` when the leader is to stop. A signal ends a call that has not been
    /// taken, so the call is taken without a `poll` before it, if the kernel ends that wait when the last process under
    /// the filter has ended. `poll` is used and not `epoll`, which does not wake this thread on the caller's CPU
    /// (`SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP`).
    fn receive(&self) -> Option<Request> {
        let listener = self.server.listener();
        loop {
            if self.receive_ends
                && let Some(request) = self.take()
            {
                return Some(request);
            }
            let mut sources = [PollFd::new(&listener, PollFlags::IN), PollFd::new(&self.stop, PollFlags::IN)];
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
                // The last process under the filter has ended. The thread that handles events signals when to stop.
                let _ = poll(&mut [PollFd::new(&self.stop, PollFlags::IN)], None);
            }
        }
    }

    fn take(&self) -> Option<Request> {
        let seccomp_notif { id, pid, data, .. } = sys::receive(self.server.listener()).ok()?;
        let is_native = is_native(data.arch, data.nr);
        Some(Request { id, tid: pid as i32, nr: data.nr.into(), args: data.args, is_native })
    }

    /// Calls `work`, and answers with EIO if it panics, so that a defect costs one call and not the whole program.
    fn guard(&self, request: Request, work: impl FnOnce()) {
        client::set(request.tid);
        if let Some(lost) = &self.server.lost {
            lost.begin(&request);
        }
        if catch_unwind(AssertUnwindSafe(work)).is_err() {
            self.server.target(request).answer(Err(Errno::IO));
        }
        if let Some(lost) = &self.server.lost {
            lost.leave(&request);
        }
    }

    /// Checks on the leader and on calls that wait. It does not wait for the lock of a file, and reads no memory of a
    /// target. Returns the time after which it must be called again, or `None` if nothing waits.
    pub fn watch(&self, watch: &mut Watch) -> Option<Timespec> {
        self.watch_leader(watch);
        if self.server.pool.is_exhausted() {
            self.turn_away();
        }
        for request in self.server.pool.expire() {
            self.refuse_request(request);
        }
        let now = Instant::now();
        let waits = self.server.has_waiting();
        if waits && watch.last_tick.is_none_or(|last| now.duration_since(last) >= TICK) {
            watch.last_tick = Some(now);
            self.server.look_after_calls();
        }
        let some_are_left = self.server.close_left();
        let timeout = |time: Duration| Timespec { tv_sec: 0, tv_nsec: time.subsec_nanos().into() };
        let is_busy = watch.is_busy() || self.server.pool.has_waiting() || self.server.pool.is_exhausted();
        if is_busy || some_are_left { Some(timeout(LOOK)) } else { waits.then(|| timeout(TICK)) }
    }

    fn watch_leader(&self, watch: &mut Watch) {
        let now = Instant::now();
        // This thread may have been woken early by other events, or by a leader that has begun with a request.
        if watch.last_look.is_some_and(|last| now.duration_since(last) < LOOK) {
            watch.idle = 0;
            return;
        }
        let (turn, caller, taken) = self.server.pool.watch();
        if turn != 0 && turn == watch.turn {
            self.server.pool.depose(turn, self.server.programs.of(caller));
        }
        let idle = if turn == 0 && taken == watch.taken { watch.idle.saturating_add(1) } else { 0 };
        *watch = Watch { turn, taken, idle, last_look: Some(now), ..*watch };
        if watch.idle == LOOKS && !self.server.pool.look_away() {
            watch.idle = 0;
        }
    }

    /// Refuses the calls for which no thread is free.
    fn turn_away(&self) {
        while self.server.pool.is_exhausted() {
            let before = lock(&self.taken).pop_front();
            let Some(request) = before.or_else(|| self.is_called().then(|| self.take())?) else { break };
            self.refuse_request(request);
        }
    }

    /// Ends a call for which no thread is free: with ENOBUFS if a descriptor has a number of served ones, whatever it
    /// refers to. This thread cannot find out, because to look at a descriptor it would have to wait for a process that
    /// is in the middle of an `exec`. The kernel carries out any other call.
    fn refuse_request(&self, request: Request) {
        let target = self.server.target(request);
        let is_ours = match calls::descriptors(&request) {
            _ if !request.is_native => false,
            Some(fds) => fds.iter().any(|&fd| self.server.ranges.contains(fd)),
            None => !calls::is_open(request.nr),
        };
        if is_ours {
            self.server
                .tell(request, format_args!("refused call {}: no thread was free for it in a second", request.nr));
            target.answer(Err(Errno::NOBUFS));
        } else {
            target.proceed();
        }
    }

    /// Tells the threads to end.
    pub fn end(&self) {
        let _ = rustix::io::write(&self.stop, &1u64.to_ne_bytes());
        self.server.pool.stop();
    }
}

impl Watch {
    /// Whether the leader was busy at one of the last checks.
    fn is_busy(&self) -> bool {
        self.idle < LOOKS
    }
}

/// Answers a notification, or lets another thread do so.
fn attend(server: &Server, request: Request) {
    if server.target(request).answer_again() {
        return;
    }
    // Files that this thread of the target has closed before must be closed for this call.
    if calls::asks_who_is_there(request.nr) {
        server.take_hangups();
    }
    calls::handle(server, request);
}
