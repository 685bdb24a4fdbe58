//! The pool of threads that serve requests, one of which is the leader.
//!
//! The leader takes notifications one after the other and carries out each request. Before a request that may take
//! long, it gives the lead to another thread ([`Pool::go_away`]). A request may also take long unexpectedly: a page of
//! the target must be loaded first, or a file is locked. Then another thread, which never waits for a target, takes the
//! lead from it ([`Pool::depose`]). A short request is carried out by the leader alone, because passing it to another
//! thread would double its time.
//!
//! A thread that works on a long request is *away*, and is counted for the program that made the request. Requests
//! beyond a program's number of threads wait in a queue, and are [returned](Pool::expire) when they have waited too
//! long.

use crate::serve::{program::Program, request::Request};
use std::{
    collections::{HashMap, VecDeque},
    mem,
    sync::{
        Condvar, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicI32, AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

/// A function that carries out a request on the server `S`.
pub type Job<S> = Box<dyn FnOnce(&S) + Send>;

/// How long a request waits for a thread.
const PATIENCE: Duration = Duration::from_secs(1);

/// The most time between two checks that counts as waiting. If it was more, this process was stopped (Ctrl-Z) or the machine stood still, and no
/// thread could become free.
const GAP: Duration = Duration::from_millis(100);

/// The next task of a thread.
pub enum Task<S> {
    /// To lead: to take notifications.
    Lead,
    /// To carry out this request, and to [release](Pool::release) its program afterwards.
    Do(Waiting<S>),
    /// To end.
    End,
}

/// A request that waits for a thread.
pub struct Waiting<S> {
    /// The program that made the request.
    pub program: Program,
    /// The stopped call.
    pub request: Request,
    /// The function that carries it out.
    pub job: Job<S>,
    /// When it began to wait, by the pool's clock.
    since: Duration,
}

/// The pool of threads.
pub struct Pool<S> {
    most: usize,
    most_of_program: usize,
    state: Mutex<State<S>>,
    wake: Condvar,
    spawn: OnceLock<Box<dyn Fn() -> bool + Send + Sync>>,
    /// The notification that the leader works on; 0 while it waits for one.
    turn: AtomicU64,
    /// The thread that made the call of that notification.
    caller: AtomicI32,
    /// The number of notifications that leaders have taken.
    taken: AtomicU64,
    /// Whether a thread checks that the leader is not stuck.
    watched: AtomicBool,
    /// The number of programs that have all the threads that they may have.
    crowded: AtomicUsize,
}

struct State<S> {
    /// Whether a thread leads.
    led: bool,
    over: bool,
    threads: usize,
    /// The number of threads that wait for a task, or will do so when they have started.
    idle: usize,
    loads: HashMap<Program, Load<S>>,
    /// For each notification over which a thread has lost or given away the lead: the program that the thread is
    /// counted for.
    away: HashMap<u64, Program>,
    /// The requests that threads may begin with. Each is already counted for its program.
    ready: VecDeque<Waiting<S>>,
    /// The pool's clock. Each check advances it by the time since the last one, but by at most [`GAP`].
    clock: Duration,
    checked: Instant,
}

/// The threads that a program occupies, and its requests that wait for one.
struct Load<S> {
    threads: usize,
    queue: VecDeque<Waiting<S>>,
}

/// The value of `turn` for a notification.
fn number(request: &Request) -> u64 {
    request.id.max(1)
}

impl<S> Pool<S> {
    /// A pool of at most `most` threads, of which at most `most_of_program` are away for one program.
    pub fn new(most: usize, most_of_program: usize) -> Self {
        let state = State {
            led: false,
            over: false,
            threads: 0,
            idle: 0,
            loads: HashMap::new(),
            away: HashMap::new(),
            ready: VecDeque::new(),
            clock: Duration::ZERO,
            checked: Instant::now(),
        };
        Self {
            most: most.max(2),
            most_of_program: most_of_program.max(1),
            state: Mutex::new(state),
            wake: Condvar::new(),
            spawn: OnceLock::new(),
            turn: AtomicU64::new(0),
            caller: AtomicI32::new(0),
            taken: AtomicU64::new(0),
            watched: AtomicBool::new(false),
            crowded: AtomicUsize::new(0),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<S>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the first two threads. `spawn` starts a thread, which must call [`enter`](Self::enter) and then carry out
    /// the tasks of [`next`](Self::next); it returns whether it could. Returns whether both have started.
    pub fn start(&self, spawn: impl Fn() -> bool + Send + Sync + 'static) -> bool {
        let _ = self.spawn.set(Box::new(spawn));
        let mut state = self.lock();
        // The second thread takes the lead when the first one goes away.
        self.add_thread(&mut state) && self.add_thread(&mut state)
    }

    fn add_thread(&self, state: &mut State<S>) -> bool {
        let added = state.threads < self.most && self.spawn.get().is_some_and(|spawn| spawn());
        state.threads += usize::from(added);
        state.idle += usize::from(added);
        added
    }

    /// Wakes or starts as many threads as there are tasks.
    fn provide(&self, state: &mut State<S>) {
        let wanted = usize::from(!state.led) + state.ready.len();
        while state.idle < wanted && self.add_thread(state) {}
        for _ in 0..wanted.min(state.idle) {
            self.wake.notify_one();
        }
    }

    /// Called by a thread when it has started.
    pub fn enter(&self) {
        self.lock().idle -= 1;
    }

    /// Waits for the next task of this thread.
    pub fn next(&self) -> Task<S> {
        let mut state = self.lock();
        loop {
            if state.over {
                state.threads -= 1;
                self.wake.notify_all();
                return Task::End;
            }
            if !state.led {
                state.led = true;
                return Task::Lead;
            }
            if let Some(waiting) = state.ready.pop_front() {
                return Task::Do(waiting);
            }
            state.idle += 1;
            state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
    }

    /// Called by the leader before it works on a request. Returns true if no thread checks on the leader yet.
    pub fn begin(&self, request: &Request) -> bool {
        self.caller.store(request.tid, Ordering::Relaxed);
        self.taken.fetch_add(1, Ordering::Relaxed);
        self.turn.store(number(request), Ordering::SeqCst);
        !self.watched.load(Ordering::SeqCst) && !self.watched.swap(true, Ordering::SeqCst)
    }

    /// Called by the leader after it has worked on a request. Returns false if it has lost the lead.
    pub fn finish(&self, request: &Request) -> bool {
        let still_leads = self.turn.compare_exchange(number(request), 0, Ordering::SeqCst, Ordering::SeqCst).is_ok();
        if !still_leads {
            let mut state = self.lock();
            if let Some(program) = state.away.remove(&number(request)) {
                self.subtract(&mut state, program);
            }
        }
        still_leads
    }

    /// Called by a leader that stops taking notifications: another thread may lead.
    pub fn abdicate(&self) {
        let mut state = self.lock();
        state.led = false;
        self.provide(&mut state);
    }

    /// Lets `job` run where it delays no other request. Returns `job` if this thread shall run it, because it does not
    /// lead or has just given the lead away. Otherwise another thread will run it.
    pub fn go_away(&self, request: Request, program: Program, job: Job<S>) -> Option<Job<S>> {
        let mut state = self.lock();
        if self.turn.load(Ordering::SeqCst) != number(&request) {
            // This thread has lost the lead, or never had it.
            return Some(job);
        }
        let waiting = Waiting { program, request, job, since: state.clock };
        if !self.has_room(&state, program) {
            self.queue(&mut state, waiting);
            return None;
        }
        self.add(&mut state, program);
        if state.idle <= state.ready.len() && !self.add_thread(&mut state) {
            state.ready.push_back(waiting);
            return None;
        }
        self.turn.store(0, Ordering::SeqCst);
        state.led = false;
        state.away.insert(number(&request), program);
        self.provide(&mut state);
        Some(waiting.job)
    }

    /// Takes the lead from the thread that has worked on notification `turn` for long, which is a request of `program`.
    pub fn depose(&self, turn: u64, program: Program) {
        let mut state = self.lock();
        if self.turn.compare_exchange(turn, 0, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
            state.led = false;
            self.add(&mut state, program);
            state.away.insert(turn, program);
            self.provide(&mut state);
        }
    }

    /// Lets another thread run `job`.
    pub fn employ(&self, request: Request, program: Program, job: Job<S>) {
        let mut state = self.lock();
        let waiting = Waiting { program, request, job, since: state.clock };
        if self.has_room(&state, program) {
            self.add(&mut state, program);
            state.ready.push_back(waiting);
            self.provide(&mut state);
        } else {
            self.queue(&mut state, waiting);
        }
    }

    fn has_room(&self, state: &State<S>, program: Program) -> bool {
        state.loads.get(&program).is_none_or(|load| load.threads < self.most_of_program)
    }

    fn queue(&self, state: &mut State<S>, waiting: Waiting<S>) {
        if let Some(load) = state.loads.get_mut(&waiting.program) {
            load.queue.push_back(waiting);
        }
    }

    /// Counts one more thread that is away for `program`.
    fn add(&self, state: &mut State<S>, program: Program) {
        let load = state.loads.entry(program).or_insert(Load { threads: 0, queue: VecDeque::new() });
        load.threads += 1;
        if load.threads == self.most_of_program {
            self.crowded.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts one thread less for `program`. If one of its requests waits, that comes next instead.
    fn subtract(&self, state: &mut State<S>, program: Program) {
        let Some(load) = state.loads.get_mut(&program) else { return };
        if let Some(waiting) = load.queue.pop_front() {
            state.ready.push_back(waiting);
            self.provide(state);
            return;
        }
        if load.threads == self.most_of_program {
            self.crowded.fetch_sub(1, Ordering::Relaxed);
        }
        load.threads -= 1;
        if load.threads == 0 {
            state.loads.remove(&program);
        }
    }

    /// Called by a thread when it has carried out a task from [`next`](Self::next).
    pub fn release(&self, program: Program) {
        self.subtract(&mut self.lock(), program);
    }

    /// Whether any program has all the threads that it may have.
    pub fn is_crowded(&self) -> bool {
        self.crowded.load(Ordering::Relaxed) > 0
    }

    /// Whether `program` has all the threads that it may have. (Deposed leaders count, so it may have one more.)
    pub fn is_full(&self, program: Program) -> bool {
        !self.has_room(&self.lock(), program)
    }

    /// The notification that the leader works on, the thread that made its call, and the number of notifications that
    /// were taken.
    pub fn watch(&self) -> (u64, i32, u64) {
        let turn = self.turn.load(Ordering::SeqCst);
        (turn, self.caller.load(Ordering::Relaxed), self.taken.load(Ordering::Relaxed))
    }

    /// Called by the thread that checks on the leader, to stop doing so. Returns false if the leader has begun with a
    /// request at that moment.
    pub fn look_away(&self) -> bool {
        self.watched.store(false, Ordering::SeqCst);
        self.turn.load(Ordering::SeqCst) == 0 || self.watched.swap(true, Ordering::SeqCst)
    }

    /// Whether no thread leads, and none is free to lead.
    pub fn is_exhausted(&self) -> bool {
        let state = self.lock();
        !state.led && state.idle == 0
    }

    /// Whether requests wait for threads.
    pub fn has_waiting(&self) -> bool {
        let state = self.lock();
        !state.ready.is_empty() || state.loads.values().any(|load| !load.queue.is_empty())
    }

    /// Removes and returns the requests that have waited too long.
    pub fn expire(&self) -> Vec<Request> {
        let mut state = self.lock();
        let now = Instant::now();
        let passed = now.duration_since(mem::replace(&mut state.checked, now));
        state.clock += passed.min(GAP);
        let clock = state.clock;
        let is_late = |waiting: &Waiting<S>| clock - waiting.since >= PATIENCE;
        let mut late = Vec::new();
        while state.ready.front().is_some_and(is_late)
            && let Some(waiting) = state.ready.pop_front()
        {
            late.push(waiting.request);
            self.subtract(&mut state, waiting.program);
        }
        for load in state.loads.values_mut() {
            while load.queue.front().is_some_and(is_late)
                && let Some(waiting) = load.queue.pop_front()
            {
                late.push(waiting.request);
            }
        }
        late
    }

    /// Ends the threads and waits for them, but not for those that a target keeps busy for long.
    pub fn stop(&self) {
        let mut state = self.lock();
        state.over = true;
        state.led = true;
        self.wake.notify_all();
        let deadline = Instant::now() + PATIENCE;
        while state.threads > 0
            && let Some(left) = deadline.checked_duration_since(Instant::now())
        {
            state = self.wake.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}
