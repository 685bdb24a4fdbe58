//! Asynchronous I/O: the contexts that have had requests for served descriptors, and the events of these requests.
//!
//! Contexts are the kernel's, and so are requests for other descriptors. A request for a served descriptor is carried
//! out when it is submitted, as the kernel does with most of them. Its event waits here until the program asks for it.

use crate::serve::{proc::started, program::Program, request::Request, target::Target};
use algkit_afalg::{Errno, aio::Event};
use std::{
    collections::{HashMap, VecDeque},
    time::Instant,
};

/// The largest numbers of contexts that have had requests for served descriptors: of one program, and in all.
const MAX_CONTEXTS_OF_PROGRAM: usize = 64;
const MAX_CONTEXTS: usize = 1024;

/// The largest number of calls of one program that wait for events.
const MAX_WAITING_OF_PROGRAM: usize = 256;

/// The number of waiting calls that are checked for signals in one round. Each check reads files in /proc.
const MAX_LOOKS: usize = 32;

/// The largest number of events that wait in one context.
const MAX_EVENTS: usize = 4096;

/// A context: the number of the process, the time when the process was started, and the address that names the context.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ContextId {
    process: i32,
    started: u64,
    address: u64,
}

/// All contexts, and the calls that wait for events.
#[derive(Default, Debug)]
pub struct Contexts {
    events: HashMap<ContextId, Context>,
    waiting: Vec<Waiting>,
}

/// A context that has had requests for served descriptors.
#[derive(Debug)]
struct Context {
    /// The program that the context is counted for.
    program: Program,
    /// The events that the program has not asked for yet, oldest first.
    events: VecDeque<Event>,
}

/// An `io_getevents` that waits for events.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    /// The stopped call.
    pub request: Request,
    /// The program that made the request.
    pub program: Program,
    /// The context that it waits for.
    pub id: ContextId,
    /// The smallest number of events with which the call returns before its deadline.
    pub least: usize,
    /// The largest number of events that it returns.
    pub most: usize,
    /// The address in the target to which the events go.
    pub to: u64,
    /// The time at which the call returns, with any number of events.
    pub deadline: Option<Instant>,
    /// Whether a signal for its process was pending at the last look.
    signalled: bool,
    /// Whether a thread is finding out if the kernel has events for the call.
    looked_at: bool,
}

impl Waiting {
    /// A call that begins to wait.
    pub fn new(
        request: Request,
        program: Program,
        id: ContextId,
        (least, most): (usize, usize),
        to: u64,
        deadline: Option<Instant>,
    ) -> Self {
        Self { request, program, id, least, most, to, deadline, signalled: false, looked_at: false }
    }
}

/// The header of the ring in which the kernel shows events to a program (`struct aio_ring`).
struct Ring([u8; 32]);

const MAGIC: u32 = 0xa10a_10a1;
const MAGIC_AT: u64 = 16;

impl Ring {
    fn read(target: &Target<'_>, address: u64) -> Result<Self, Errno> {
        target.array(address).map(Self).map_err(|_| Errno::INVAL)
    }

    fn word(&self, n: usize) -> u32 {
        self.0[4 * n..].first_chunk().map_or(0, |bytes| u32::from_ne_bytes(*bytes))
    }

    fn has_events(&self) -> bool {
        self.word(2) != self.word(3)
    }

    /// Whether libraries read events from the ring themselves. They check its magic number first.
    fn is_open(&self) -> bool {
        self.word(4) == MAGIC && self.word(7) as usize == self.0.len()
    }
}

impl ContextId {
    /// The context at `address` in the target's process.
    pub fn of(target: &Target<'_>, address: u64) -> Result<Self, Errno> {
        let process = target.process().ok_or(Errno::SRCH)?;
        Ok(Self { process, started: started(process).ok_or(Errno::SRCH)?, address })
    }

    /// Whether there is a context at this address.
    pub fn exists(&self, target: &Target<'_>) -> bool {
        Ring::read(target, self.address).is_ok()
    }

    /// Whether the kernel has events for the context.
    pub fn has_events(&self, target: &Target<'_>) -> bool {
        Ring::read(target, self.address).is_ok_and(|ring| ring.has_events())
    }

    /// Makes libraries ask the kernel for events, instead of reading the ring themselves, because there are events now
    /// that are not in the ring. It overwrites the ring's magic number.
    pub fn take_over(&self, target: &Target<'_>) -> Result<(), Errno> {
        if !Ring::read(target, self.address)?.is_open() {
            return Err(Errno::INVAL);
        }
        target.put(self.address.wrapping_add(MAGIC_AT), 0).map_err(|_| Errno::INVAL)
    }

    /// Whether the context's process is still there.
    pub fn is_alive(&self) -> bool {
        started(self.process) == Some(self.started)
    }
}

impl Contexts {
    /// Whether the context has room for one more event. [`Errno::AGAIN`] if it is full now, and false if it is not
    /// known yet.
    pub fn has_room(&self, id: ContextId) -> Result<bool, Errno> {
        match self.events.get(&id) {
            Some(context) if context.events.len() < MAX_EVENTS => Ok(true),
            Some(_) => Err(Errno::AGAIN),
            None => Ok(false),
        }
    }

    /// Adds a context that `program` uses, and that is to be [taken over](ContextId::take_over).
    ///
    /// # Errors
    /// [`Errno::AGAIN`] if the program, or all programs together, have too many contexts.
    pub fn add(&mut self, id: ContextId, program: Program) -> Result<(), Errno> {
        if self.is_full(program) {
            return Err(Errno::AGAIN);
        }
        self.events.entry(id).or_insert(Context { program, events: VecDeque::new() });
        Ok(())
    }

    /// All contexts.
    pub fn ids(&self) -> Vec<ContextId> {
        self.events.keys().copied().collect()
    }

    /// Whether the program, or all programs together, have too many contexts for one more.
    pub fn is_full(&self, program: Program) -> bool {
        let of_program = self.events.values().filter(|context| context.program == program).count();
        of_program >= MAX_CONTEXTS_OF_PROGRAM || self.events.len() >= MAX_CONTEXTS
    }

    /// Whether context `id` has had requests for served descriptors.
    pub fn knows(&self, id: ContextId) -> bool {
        self.events.contains_key(&id)
    }

    /// Whether events wait in the context.
    pub fn has_events(&self, id: ContextId) -> bool {
        self.events.get(&id).is_some_and(|context| !context.events.is_empty())
    }

    /// Appends an event to the context's queue.
    pub fn push(&mut self, id: ContextId, event: Event) {
        if let Some(context) = self.events.get_mut(&id) {
            context.events.push_back(event);
        }
    }

    /// Removes a context. Calls that wait for it go on waiting for the kernel's events.
    pub fn remove(&mut self, id: ContextId) {
        self.events.remove(&id);
    }

    /// Removes a context that the program destroys, and returns the calls that wait for it.
    pub fn destroy(&mut self, id: ContextId) -> Vec<Waiting> {
        self.remove(id);
        self.waiting.extract_if(.., |call| call.id == id).collect()
    }

    /// Adds a call that waits for events.
    ///
    /// # Errors
    /// [`Errno::NOBUFS`] if too many calls of its program wait already.
    pub fn wait(&mut self, waiting: Waiting) -> Result<(), Errno> {
        if self.waiting.iter().filter(|other| other.program == waiting.program).count() >= MAX_WAITING_OF_PROGRAM {
            return Err(Errno::NOBUFS);
        }
        self.waiting.push(waiting);
        Ok(())
    }

    /// Whether any call waits for events.
    pub fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Removes and returns the calls that have enough events or whose time is over, each with its events: those that wait for the context `of`, or
    /// all. To write to a program's memory may take long, so a thread that serves one program takes the calls of that one's context.
    pub fn due(&mut self, of: Option<ContextId>) -> Vec<(Waiting, Vec<Event>)> {
        let Self { events, waiting } = self;
        let now = Instant::now();
        let mut due = Vec::new();
        waiting.retain(|call| {
            let queue = events.get_mut(&call.id).map(|context| &mut context.events);
            let there = queue.as_ref().map_or(0, |queue| queue.len());
            let is_late = call.deadline.is_some_and(|deadline| deadline <= now);
            let is_due = of.is_none_or(|id| id == call.id) && (there.min(call.most) >= call.least || is_late);
            if is_due {
                let taken = queue.map(|queue| queue.drain(..there.min(call.most)).collect());
                due.push((*call, taken.unwrap_or_default()));
            }
            !is_due
        });
        due
    }

    /// Puts back events that could not be written to the target.
    pub fn give_back(&mut self, id: ContextId, events: Vec<Event>) {
        if let Some(context) = self.events.get_mut(&id) {
            events.into_iter().rev().for_each(|event| context.events.push_front(event));
        }
    }

    /// Checks some of the waiting calls, and others the next time, and ends those that a signal interrupts. Returns the
    /// calls for which a thread must find out whether the kernel has events.
    pub fn look<'a>(&mut self, target: impl Fn(Request) -> Target<'a>) -> Vec<Waiting> {
        let Self { events, waiting } = self;
        let mut look = Vec::new();
        let turn: Vec<_> = waiting.drain(..waiting.len().min(MAX_LOOKS)).collect();
        for mut call in turn {
            let target = target(call.request);
            if !target.valid() {
                continue;
            }
            match target.signals() {
                (false, false) => call.signalled = false,
                // A signal for the whole process may go to another of its threads.
                (false, true) if !call.signalled => call.signalled = true,
                _ => {
                    target.answer(Err(Errno::INTR));
                    continue;
                }
            }
            if !call.looked_at && events.get(&call.id).is_none_or(|context| context.events.is_empty()) {
                call.looked_at = true;
                look.push(call);
            }
            waiting.push(call);
        }
        look
    }

    /// Called when a thread has found out if the kernel has events for call `id`. If so, the call is removed, and the
    /// result tells the thread to leave it to the kernel.
    pub fn looked(&mut self, id: u64, kernel_has_events: bool) -> bool {
        let Some(at) = self.waiting.iter().position(|call| call.request.id == id) else { return false };
        self.waiting[at].looked_at = false;
        if kernel_has_events {
            self.waiting.remove(at);
        }
        kernel_has_events
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::program::Programs;

    #[test]
    fn a_context_has_only_so_many_events_and_a_program_so_many_calls_that_wait() {
        let (program, id) = (Programs::new(0).of(1), ContextId { process: 1, started: 1, address: 4096 });
        let mut contexts = Contexts::default();
        contexts.add(id, program).expect("room");
        for _ in 0..MAX_EVENTS {
            assert_eq!(contexts.has_room(id), Ok(true));
            contexts.push(id, Event { data: 0, iocb: 0, result: Ok(0) });
        }
        assert_eq!(contexts.has_room(id), Err(Errno::AGAIN));
        let request = Request { id: 1, tid: 1, nr: libc::SYS_io_getevents, args: [0; 6], is_native: true };
        let mut wait = || contexts.wait(Waiting::new(request, program, id, (1, 1), 0, None));
        assert!((0..MAX_WAITING_OF_PROGRAM).all(|_| wait().is_ok()));
        assert_eq!(wait(), Err(Errno::NOBUFS));
    }
}
