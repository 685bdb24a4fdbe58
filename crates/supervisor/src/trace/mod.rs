//! Descriptors with numbers outside the range.
//!
//! `dup2` may ask for any number, and the filter cannot tell such a number from others. So the process that asks is
//! traced from then on, by a thread that stops it at every system call and gives those on served descriptors a number
//! that the filter knows ([`crate::numbers`]). Its children are traced as long as they have such a number, too, and
//! when the last one is closed the threads are let go, each the next time that it stops.
//!
//! A process has one entry here, whoever traces its threads: a thread that was let go may have to be seized again, by
//! another tracer.

mod process;
mod registers;
mod tracer;

use crate::{
    numbers,
    server::{STACK, Server},
    sys::NoStops,
    target::Target,
};
use algkit_afalg::Errno;
use process::Process;
use std::{
    collections::{BTreeSet, HashMap},
    fmt::Write as _,
    os::{
        fd::{AsFd, OwnedFd},
        unix::process::ExitStatusExt,
    },
    process::ExitStatus,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak, atomic::AtomicUsize},
};
use tracer::Tracer;

/// Numbers outside the range that one process can have served.
const MAX_NUMBERS: usize = 64;

/// Processes that are traced.
const MAX_PROCESSES: usize = 64;

/// Threads that trace.
const MAX_TRACERS: usize = 64;

/// All that is traced.
pub struct Tracing {
    /// The program itself, which is a child of this process: its tracer gets to know how it ended.
    program: i32,
    table: Mutex<Table>,
    tracers: AtomicUsize,
    quiet: OnceLock<Option<NoStops>>,
}

#[derive(Default)]
struct Table {
    processes: HashMap<i32, Process>,
    /// Numbers that any process has been given. A child has a copy of those that its parent had.
    given: BTreeSet<i32>,
    ended: Option<ExitStatus>,
}

/// What is known of how the program ended.
pub enum Ended {
    /// It has ended so.
    So(ExitStatus),
    /// Its tracer will say, very soon.
    Soon,
    /// It is not traced.
    Unknown,
}

impl Table {
    /// Remembers a number for the children of whoever is given it.
    fn give(&mut self, number: i32) {
        if self.given.len() >= MAX_NUMBERS * MAX_PROCESSES {
            self.given = self.processes.values().flat_map(|process| &process.numbers).copied().collect();
        }
        self.given.insert(number);
    }

    /// The process, if it is one that is traced or one more can be.
    fn process(&mut self, pid: i32) -> Option<&mut Process> {
        if !self.processes.contains_key(&pid) && self.processes.len() >= MAX_PROCESSES {
            return None;
        }
        Some(self.processes.entry(pid).or_default())
    }

    /// A thread is not traced any more.
    fn leave(&mut self, pid: i32, tid: i32) {
        if let Some(process) = self.processes.get_mut(&pid) {
            process.threads.remove(&tid);
        }
        self.tidy(pid);
    }

    fn tidy(&mut self, pid: i32) {
        if self.processes.get(&pid).is_some_and(|process| process.coming.is_empty() && process.threads.is_empty()) {
            self.processes.remove(&pid);
        }
    }
}

impl Tracing {
    /// Nothing yet, of `program` and its descendants.
    pub fn new(program: i32) -> Self {
        Self { program, table: Mutex::default(), tracers: AtomicUsize::new(0), quiet: OnceLock::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether any process may have a number outside the range.
    pub fn is_used(&self) -> bool {
        !self.lock().processes.is_empty()
    }

    /// How the program ended.
    pub fn ended(&self) -> Ended {
        let table = self.lock();
        match table.ended {
            Some(status) => Ended::So(status),
            None if table.processes.get(&self.program).is_some_and(|p| p.threads.contains(&self.program)) => {
                Ended::Soon
            }
            None => Ended::Unknown,
        }
    }

    /// A traced thread has ended.
    fn end(&self, pid: i32, tid: i32, status: i32) {
        let mut table = self.lock();
        if tid == self.program {
            table.ended = Some(ExitStatus::from_raw(status));
        }
        table.leave(pid, tid);
    }

    /// Process `pid` is about to get `number`.
    fn expect(&self, pid: i32, number: i32) -> Result<(), Errno> {
        let mut table = self.lock();
        let process = table.process(pid).ok_or(Errno::BADF)?;
        if process.numbers.len() >= MAX_NUMBERS && !process.numbers.contains(&number) {
            return Err(Errno::BADF);
        }
        process.numbers.insert(number);
        process.coming.push(number);
        table.give(number);
        Ok(())
    }
}

/// A number that a process is about to get; dropped when it has got it, or not.
struct Expected {
    server: Weak<Server>,
    number: i32,
    pid: i32,
    /// The thread that asked.
    tid: i32,
}

impl Drop for Expected {
    fn drop(&mut self) {
        let Some(server) = self.server.upgrade() else { return };
        let mut table = server.tracing.lock();
        if let Some(process) = table.processes.get_mut(&self.pid) {
            if let Some(at) = process.coming.iter().position(|&number| number == self.number) {
                process.coming.swap_remove(at);
            }
            process.stale = true;
        }
        table.tidy(self.pid);
    }
}

/// `dup2` and `dup3` of what `copy` is a descriptor of to a number outside the range. Whatever is in the way, to trace
/// the process or to give it the number, it is EBADF.
pub fn duplicate(server: &Server, target: &Target<'_>, copy: OwnedFd, to: i32, cloexec: bool) -> Result<(), Errno> {
    let number = numbers::biased(to).and(u32::try_from(to).ok()).ok_or(Errno::BADF)?;
    let (server, request) = (server.own().ok_or(Errno::BADF)?, target.request);
    let pid = target.process().ok_or(Errno::BADF)?;
    target.check()?;
    server.tracing.quiet.get_or_init(NoStops::new);
    let mut tracer = Tracer::new(&server).ok_or(Errno::BADF)?;
    server.tracing.expect(pid, to)?;
    let expected = Expected { server: Arc::downgrade(&server), number: to, pid, tid: request.tid };
    // Stops are told to the thread that has seized who stops, so it lives as long as it traces anybody.
    let trace = move || {
        server.guard(Some(request), || {
            let target = server.target(request);
            let given =
                tracer.seize(&server, pid).and_then(|()| target.answer_with(copy.as_fd(), Some(number), cloexec));
            if given.is_err() {
                target.answer(Err(Errno::BADF));
            }
        });
        tracer.settle(&server, expected);
        drop((server, copy));
        tracer.attend();
    };
    std::thread::Builder::new().stack_size(STACK).spawn(trace).map(drop).map_err(|_| Errno::BADF)
}

/// The threads of a process.
fn threads(pid: i32) -> Result<Vec<i32>, Errno> {
    let mut path = String::with_capacity(40);
    let _ = write!(path, "/proc/{pid}/task");
    let folder = std::fs::read_dir(path).map_err(|_| Errno::SRCH)?;
    Ok(folder.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect())
}
