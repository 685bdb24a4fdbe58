//! The threads that serve, and which of them leads.
//!
//! The leader takes notifications one after the other, and does what each asks for. What may take long it does after it has
//! given the lead to another thread ([`Pool::go_away`]). What took long without a warning (a page of the target's that somebody has
//! to bring first, a file's lock) costs it the lead: [`Pool::depose`] is called by a thread that never waits for a target.
//! A short request passes through no other thread, which would double its time.
//!
//! Threads that are away are counted for the program that they are busy with. What comes beyond its number waits, untouched,
//! and is [given back](Pool::expire) when it has waited too long.

use crate::serve::{program::Program, target::Request};
use std::{
    collections::{HashMap, VecDeque},
    sync::{
        Condvar, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicI32, AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

/// Something to do for a request, on the server `S`.
pub type Job<S> = Box<dyn FnOnce(&S) + Send>;

/// How long a request waits for a thread.
const PATIENCE: Duration = Duration::from_secs(1);

/// What a thread does next.
pub enum Task<S> {
    /// Take notifications.
    Lead,
    /// This, for a program that is to be [released](Pool::release) afterwards.
    Do(Waiting<S>),
    /// Nothing, ever again.
    End,
}

/// A request that waits for a thread.
pub struct Waiting<S> {
    /// Whose it is.
    pub program: Program,
    /// The request.
    pub request: Request,
    /// What is to be done for it.
    pub job: Job<S>,
    since: Instant,
}

/// The threads.
pub struct Pool<S> {
    most: usize,
    most_of_program: usize,
    state: Mutex<State<S>>,
    wake: Condvar,
    spawn: OnceLock<Box<dyn Fn() -> bool + Send + Sync>>,
    /// The notification that the leader is busy with; 0 while it waits for one.
    turn: AtomicU64,
    /// The thread that made that call.
    caller: AtomicI32,
    /// Notifications that leaders have taken.
    taken: AtomicU64,
    /// Somebody looks after the leader.
    watched: AtomicBool,
    /// Programs that have all the threads that they may have.
    crowded: AtomicUsize,
}

struct State<S> {
    /// A thread leads.
    led: bool,
    over: bool,
    threads: usize,
    /// Threads that wait for something to do, or will when they have started.
    idle: usize,
    loads: HashMap<Program, Load<S>>,
    /// By notification: threads that lost the lead over it, or gave it away, and for whom.
    away: HashMap<u64, Program>,
    /// What threads may begin with. It is counted for its program already.
    ready: VecDeque<Waiting<S>>,
}

/// What a program keeps busy.
struct Load<S> {
    threads: usize,
    queue: VecDeque<Waiting<S>>,
}

/// A notification as a value of `turn`.
fn number(request: &Request) -> u64 {
    request.id.max(1)
}

impl<S> Pool<S> {
    /// At most `most` threads, `most_of_program` of which are away for one program.
    pub fn new(most: usize, most_of_program: usize) -> Self {
        let state = State {
            led: false,
            over: false,
            threads: 0,
            idle: 0,
            loads: HashMap::new(),
            away: HashMap::new(),
            ready: VecDeque::new(),
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

    /// Starts the first threads. `spawn` starts one, which calls [`enter`](Self::enter) and does what
    /// [`next`](Self::next) says; it says whether it could.
    pub fn start(&self, spawn: impl Fn() -> bool + Send + Sync + 'static) -> bool {
        let _ = self.spawn.set(Box::new(spawn));
        let mut state = self.lock();
        // The second one is there when the first goes away.
        self.add_thread(&mut state) && self.add_thread(&mut state)
    }

    fn add_thread(&self, state: &mut State<S>) -> bool {
        let added = state.threads < self.most && self.spawn.get().is_some_and(|spawn| spawn());
        state.threads += usize::from(added);
        state.idle += usize::from(added);
        added
    }

    /// Wakes or starts threads for what there is to do.
    fn provide(&self, state: &mut State<S>) {
        let wanted = usize::from(!state.led) + state.ready.len();
        while state.idle < wanted && self.add_thread(state) {}
        for _ in 0..wanted.min(state.idle) {
            self.wake.notify_one();
        }
    }

    /// A thread has started.
    pub fn enter(&self) {
        self.lock().idle -= 1;
    }

    /// What this thread does next. Waits for it.
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

    /// The leader begins with a request; true if nobody watches it yet.
    pub fn begin(&self, request: &Request) -> bool {
        self.caller.store(request.tid, Ordering::Relaxed);
        self.taken.fetch_add(1, Ordering::Relaxed);
        self.turn.store(number(request), Ordering::SeqCst);
        !self.watched.load(Ordering::SeqCst) && !self.watched.swap(true, Ordering::SeqCst)
    }

    /// It has done what can be done now; false if it does not lead any more.
    pub fn end(&self, request: &Request) -> bool {
        let still_leads = self.turn.compare_exchange(number(request), 0, Ordering::SeqCst, Ordering::SeqCst).is_ok();
        if !still_leads {
            let mut state = self.lock();
            if let Some(program) = state.away.remove(&number(request)) {
                self.subtract(&mut state, program);
            }
        }
        still_leads
    }

    /// Leaders that have ended lead no more.
    pub fn abdicate(&self) {
        let mut state = self.lock();
        state.led = false;
        self.provide(&mut state);
    }

    /// Does `job` where it holds up nobody: gives it back if that is this thread, now that it does not lead; otherwise a
    /// thread will do it.
    pub fn go_away(&self, request: Request, program: Program, job: Job<S>) -> Option<Job<S>> {
        let mut state = self.lock();
        if self.turn.load(Ordering::SeqCst) != number(&request) {
            // It was deposed, or never led.
            return Some(job);
        }
        let waiting = Waiting { program, request, job, since: Instant::now() };
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

    /// Takes the lead from who has been busy with notification `turn` for long, with a request of `program`.
    pub fn depose(&self, turn: u64, program: Program) {
        let mut state = self.lock();
        if self.turn.compare_exchange(turn, 0, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
            state.led = false;
            self.add(&mut state, program);
            state.away.insert(turn, program);
            self.provide(&mut state);
        }
    }

    /// A thread may do `job`.
    pub fn employ(&self, request: Request, program: Program, job: Job<S>) {
        let mut state = self.lock();
        let waiting = Waiting { program, request, job, since: Instant::now() };
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

    /// One more thread is away for `program`.
    fn add(&self, state: &mut State<S>, program: Program) {
        let load = state.loads.entry(program).or_insert(Load { threads: 0, queue: VecDeque::new() });
        load.threads += 1;
        if load.threads == self.most_of_program {
            self.crowded.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// One less; what waits for that comes next.
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

    /// A thread has done what [`next`](Self::next) gave it.
    pub fn release(&self, program: Program) {
        self.subtract(&mut self.lock(), program);
    }

    /// Whether any program has all the threads that it may have.
    pub fn is_crowded(&self) -> bool {
        self.crowded.load(Ordering::Relaxed) > 0
    }

    /// Whether this one has. (Deposed leaders count, so that it may have one more.)
    pub fn is_full(&self, program: Program) -> bool {
        !self.has_room(&self.lock(), program)
    }

    /// What the leader is busy with, and for which thread; and how many notifications were taken.
    pub fn watch(&self) -> (u64, i32, u64) {
        let turn = self.turn.load(Ordering::SeqCst);
        (turn, self.caller.load(Ordering::Relaxed), self.taken.load(Ordering::Relaxed))
    }

    /// Nobody looks after the leader any more; false if it has begun with something in that moment.
    pub fn look_away(&self) -> bool {
        self.watched.store(false, Ordering::SeqCst);
        self.turn.load(Ordering::SeqCst) == 0 || self.watched.swap(true, Ordering::SeqCst)
    }

    /// Whether nobody leads, and nobody can.
    pub fn is_exhausted(&self) -> bool {
        let state = self.lock();
        !state.led && state.idle == 0
    }

    /// Whether requests wait for threads.
    pub fn has_waiting(&self) -> bool {
        let state = self.lock();
        !state.ready.is_empty() || state.loads.values().any(|load| !load.queue.is_empty())
    }

    /// Takes out what has waited too long.
    pub fn expire(&self) -> Vec<Request> {
        let now = Instant::now();
        let is_late = |waiting: &Waiting<S>| now.duration_since(waiting.since) >= PATIENCE;
        let mut state = self.lock();
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

    /// Lets the threads go, and waits for them, but not for those that a target keeps for long.
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
