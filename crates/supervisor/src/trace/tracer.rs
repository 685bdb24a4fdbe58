//! A thread that traces others.

use super::{
    Expected, MAX_NUMBERS, MAX_TRACERS,
    registers::{self, Rest, Values},
    threads,
};
use crate::{
    server::Server,
    sys::ptrace::{self, Stop},
    target,
};
use algkit_afalg::Errno;
use std::{
    collections::{BTreeSet, HashMap},
    path::Path,
    sync::{Arc, Weak, atomic::Ordering},
};

/// How often the threads of a process are listed until no new one is found.
const MAX_LOOKS: usize = 64;

/// The threads that this one traces.
pub struct Tracer {
    server: Weak<Server>,
    tracees: HashMap<i32, Tracee>,
}

/// A thread that is traced.
struct Tracee {
    process: i32,
    /// It has not stopped yet. A thread that it was starting when it was seized may not be traced.
    fresh: bool,
    /// The call that it makes, if there is something to do when it returns.
    call: Option<Call>,
    /// What it asked for by a call that it is about to make again.
    again: Option<Expected>,
}

#[derive(Clone, Copy)]
struct Call {
    /// Registers to bring in order.
    rest: Option<Rest>,
    /// It may have closed a number.
    closes: bool,
}

impl Tracee {
    fn new(process: i32, fresh: bool) -> Self {
        Self { process, fresh, call: None, again: None }
    }
}

impl Tracer {
    /// One for the calling thread, or one that it starts, unless there are too many.
    pub fn new(server: &Arc<Server>) -> Option<Self> {
        let tracer = Self { server: Arc::downgrade(server), tracees: HashMap::new() };
        // Given back when it is dropped.
        let before = server.tracing.tracers.fetch_add(1, Ordering::Relaxed);
        (before < MAX_TRACERS).then_some(tracer)
    }

    /// Seizes all threads of a process that are not traced already.
    pub fn seize(&mut self, server: &Server, pid: i32) -> Result<(), Errno> {
        for _ in 0..MAX_LOOKS {
            let mut new = false;
            for tid in threads(pid)? {
                new |= self.seize_one(server, pid, tid)?;
            }
            if !new {
                return Ok(());
            }
        }
        Err(Errno::AGAIN)
    }

    fn seize_one(&mut self, server: &Server, pid: i32, tid: i32) -> Result<bool, Errno> {
        let mut table = server.tracing.lock();
        let process = table.processes.get_mut(&pid).ok_or(Errno::SRCH)?;
        if process.threads.contains(&tid) {
            return Ok(false);
        }
        match ptrace::seize(tid) {
            Ok(()) => {
                // From its next stop on, it stops at system calls. Whoever finds it here may rely on that.
                let _ = ptrace::interrupt(tid);
                process.threads.insert(tid);
                drop(table);
                self.tracees.insert(tid, Tracee::new(pid, true));
                Ok(true)
            }
            // It has ended, or it is new, and has the tracer of the thread that started it.
            Err(error) => {
                if is_left_alone(tid) {
                    Ok(false)
                } else {
                    Err(error)
                }
            }
        }
    }

    /// The call that asked for a number has been answered. Before Linux 5.19, that its thread was seized may have ended it
    /// first; it starts again, and until it has returned the number is expected.
    pub fn settle(&mut self, server: &Server, expected: Expected) {
        if let Some(tracee) = self.tracees.get_mut(&expected.tid)
            && server.file_of(expected.tid, expected.number).is_none()
        {
            tracee.again = Some(expected);
        }
    }

    /// Traces until nobody is left.
    pub fn attend(mut self) {
        loop {
            match ptrace::wait() {
                Ok((tid, stop)) => {
                    // Without a server, nobody is served, and the kernel lets go of them when this thread ends.
                    let Some(server) = self.server.upgrade() else { return };
                    self.step(&server, tid, stop);
                }
                Err(Errno::INTR | Errno::AGAIN) => {}
                Err(_) => return,
            }
        }
    }

    /// If a thread is killed in the meantime, the next stop is its end, and whatever fails here is of no interest.
    fn step(&mut self, server: &Server, tid: i32, stop: Stop) {
        if let Stop::Ended(status) = stop {
            let pid = self.tracees.remove(&tid).map_or(tid, |tracee| tracee.process);
            server.tracing.end(pid, tid, status);
            server.ring();
            return;
        }
        if stop == Stop::Exec {
            self.exec(server, tid);
        }
        if !self.tracees.contains_key(&tid) {
            self.meet(server, tid);
        }
        if let Some(tracee) = self.tracees.get_mut(&tid)
            && std::mem::take(&mut tracee.fresh)
        {
            let pid = tracee.process;
            let _ = self.seize(server, pid);
        }
        if stop == Stop::Call {
            self.call(server, tid);
        }
        let signal = if let Stop::Signal(signal) = stop { signal } else { 0 };
        if self.let_go(server, tid, signal) {
            return;
        }
        let _ = match stop {
            Stop::Group => ptrace::listen(tid),
            _ => ptrace::resume(tid, signal),
        };
    }

    /// A thread that is new, or the first of a process that is.
    fn meet(&mut self, server: &Server, tid: i32) {
        let Some(pid) = target::process(tid) else { return };
        let mut table = server.tracing.lock();
        if !table.processes.contains_key(&pid) {
            let served = |fd: &i32| server.file_of(tid, *fd).is_some();
            let numbers: BTreeSet<i32> = table.given.iter().copied().filter(served).take(MAX_NUMBERS).collect();
            if let Some(process) = table.process(pid) {
                process.numbers = numbers;
            }
        }
        if let Some(process) = table.processes.get_mut(&pid) {
            process.threads.insert(tid);
        }
        self.tracees.insert(tid, Tracee::new(pid, false));
    }

    /// Lets go of a thread whose calls are of no interest any more; says whether it does.
    fn let_go(&mut self, server: &Server, tid: i32, signal: i32) -> bool {
        let pid = match self.tracees.get(&tid) {
            // It has to come by once more.
            Some(Tracee { call: Some(_), .. }) => return false,
            Some(tracee) => tracee.process,
            None => {
                let _ = ptrace::detach(tid, signal);
                return true;
            }
        };
        // As long as this is held, no number is given to it.
        let mut table = server.tracing.lock();
        if let Some(process) = table.processes.get_mut(&pid) {
            process.look(server, tid);
            if !process.numbers.is_empty() {
                return false;
            }
        }
        let _ = ptrace::detach(tid, signal);
        table.leave(pid, tid);
        drop(table);
        self.tracees.remove(&tid);
        true
    }

    /// The thread is another program: all others of its process have ended, and it has the number of the first.
    fn exec(&mut self, server: &Server, tid: i32) {
        let former = ptrace::former(tid).unwrap_or(tid);
        if let Some(tracee) = self.tracees.remove(&former) {
            self.tracees.insert(tid, Tracee { call: None, ..tracee });
        }
        let mut table = server.tracing.lock();
        if let Some(process) = table.processes.get_mut(&tid) {
            process.threads.remove(&former);
            process.threads.insert(tid);
            process.stale = true;
        }
    }

    /// A thread makes a call, or returns from one.
    fn call(&mut self, server: &Server, tid: i32) {
        let Some(tracee) = self.tracees.get_mut(&tid) else { return };
        match (ptrace::entry(tid), tracee.call.take()) {
            (Ok(Some(entry)), _) => {
                let mut table = server.tracing.lock();
                let Some(process) = table.processes.get_mut(&tracee.process) else { return };
                let values = process.translate(server, tid, &entry);
                let closes = process.may_lose(&entry);
                drop(table);
                let rest = if values == Values::default() { None } else { registers::change(tid, values).ok() };
                tracee.call = (closes || rest.is_some()).then_some(Call { rest, closes });
            }
            (Ok(None), call) => {
                tracee.again = None;
                let Some(Call { rest, closes }) = call else { return };
                if let Some(rest) = rest {
                    let _ = registers::finish(tid, rest);
                }
                if closes && let Some(process) = server.tracing.lock().processes.get_mut(&tracee.process) {
                    process.stale = true;
                }
            }
            (Err(_), _) => {}
        }
    }
}

impl Drop for Tracer {
    fn drop(&mut self) {
        let Some(server) = self.server.upgrade() else { return };
        server.tracing.tracers.fetch_sub(1, Ordering::Relaxed);
        let tracees = std::mem::take(&mut self.tracees);
        let mut table = server.tracing.lock();
        for (&tid, tracee) in &tracees {
            table.leave(tracee.process, tid);
        }
    }
}

/// Whether a thread that could not be seized need not be.
fn is_left_alone(tid: i32) -> bool {
    let field = |name| target::line(tid, format_args!("status"), name);
    let Some(state) = field("State") else { return true };
    let tracer = field("TracerPid").unwrap_or_default();
    state.starts_with(['Z', 'X']) || tracer != "0" && Path::new(&format!("/proc/self/task/{tracer}")).exists()
}
