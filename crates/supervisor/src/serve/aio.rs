//! Asynchronous I/O: requests for served descriptors, and the events that tell of their end.
//!
//! The contexts are the kernel's, and so are requests for other descriptors. A request for a served one is done while
//! it is submitted, as the kernel does most of them; its event waits here until the program asks for it.

use crate::serve::{
    program::Program,
    target::{Request, Target},
};
use algkit_afalg::{Errno, aio::Event};
use std::{
    collections::{HashMap, VecDeque},
    time::Instant,
};

/// Contexts with requests for served descriptors, of one program and in all.
const MAX_CONTEXTS_OF_PROGRAM: usize = 64;
const MAX_CONTEXTS: usize = 1024;

/// Calls of one program that wait for events.
const MAX_WAITING_OF_PROGRAM: usize = 256;

/// Calls whose signals are looked at in one go.
const MAX_LOOKS: usize = 32;

/// Events that wait in one of them.
const MAX_EVENTS: usize = 4096;

/// A context: the process, when it was started, and the address that names the context.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ContextId {
    process: i32,
    started: u64,
    address: u64,
}

/// All contexts, and who waits for events.
#[derive(Default, Debug)]
pub struct Contexts {
    events: HashMap<ContextId, Context>,
    waiting: Vec<Waiting>,
}

/// A context.
#[derive(Debug)]
struct Context {
    /// Whose it is.
    program: Program,
    /// Events that wait.
    events: VecDeque<Event>,
}

/// `io_getevents`.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    /// The call.
    pub request: Request,
    /// Whose it is.
    pub program: Program,
    /// The context.
    pub id: ContextId,
    /// The fewest events to return with.
    pub least: usize,
    /// The most.
    pub most: usize,
    /// Where they go.
    pub to: u64,
    /// When it returns with fewer.
    pub deadline: Option<Instant>,
    /// A signal for its process was pending when it was last looked at.
    signalled: bool,
    /// A thread looks whether the kernel has events for it.
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

/// The start of the ring that the kernel shows a program its events in (`struct aio_ring`).
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

    /// Libraries that read the ring by themselves look for its magic number first.
    fn is_open(&self) -> bool {
        self.word(4) == MAGIC && self.word(7) as usize == self.0.len()
    }
}

impl ContextId {
    /// The context of this process with that address.
    pub fn of(target: &Target<'_>, address: u64) -> Result<Self, Errno> {
        let process = target.process().ok_or(Errno::SRCH)?;
        Ok(Self { process, started: started(process).ok_or(Errno::SRCH)?, address })
    }

    /// Whether the kernel has events in it.
    pub fn has_events(&self, target: &Target<'_>) -> bool {
        Ring::read(target, self.address).is_ok_and(|ring| ring.has_events())
    }

    /// Makes libraries that would read events from the ring by themselves ask the kernel instead, as there are events now that are
    /// not in the ring.
    pub fn take_over(&self, target: &Target<'_>) -> Result<(), Errno> {
        if !Ring::read(target, self.address)?.is_open() {
            return Err(Errno::INVAL);
        }
        target.put(self.address.wrapping_add(MAGIC_AT), 0).map_err(|_| Errno::INVAL)
    }

    fn is_alive(&self) -> bool {
        started(self.process) == Some(self.started)
    }
}

/// When a process was started, in ticks since the machine was.
fn started(process: i32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The second field, a name, may have anything in it; the start is the twenty-second.
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(19)?.parse().ok()
}

impl Contexts {
    /// Whether context `id` has room for one more event; an error if it will have none soon.
    pub fn has_room(&self, id: ContextId) -> Result<bool, Errno> {
        match self.events.get(&id) {
            Some(context) if context.events.len() < MAX_EVENTS => Ok(true),
            Some(_) => Err(Errno::AGAIN),
            None => Ok(false),
        }
    }

    /// A context that has been [taken over](ContextId::take_over), of this program.
    pub fn add(&mut self, id: ContextId, program: Program) -> Result<(), Errno> {
        if self.is_full(program) {
            self.events.retain(|id, _| id.is_alive());
            if self.is_full(program) {
                return Err(Errno::AGAIN);
            }
        }
        self.events.entry(id).or_insert(Context { program, events: VecDeque::new() });
        Ok(())
    }

    fn is_full(&self, program: Program) -> bool {
        let of_program = self.events.values().filter(|context| context.program == program).count();
        of_program >= MAX_CONTEXTS_OF_PROGRAM || self.events.len() >= MAX_CONTEXTS
    }

    /// Whether context `id` has had requests for served descriptors.
    pub fn knows(&self, id: ContextId) -> bool {
        self.events.contains_key(&id)
    }

    /// Whether events wait in context `id`.
    pub fn has_events(&self, id: ContextId) -> bool {
        self.events.get(&id).is_some_and(|context| !context.events.is_empty())
    }

    /// Adds an event.
    pub fn push(&mut self, id: ContextId, event: Event) {
        if let Some(context) = self.events.get_mut(&id) {
            context.events.push_back(event);
        }
    }

    /// The context is gone.
    pub fn remove(&mut self, id: ContextId) {
        self.events.remove(&id);
    }

    /// Lets a call wait, unless as many of its program do already.
    pub fn wait(&mut self, waiting: Waiting) -> Result<(), Errno> {
        if self.waiting.iter().filter(|other| other.program == waiting.program).count() >= MAX_WAITING_OF_PROGRAM {
            return Err(Errno::NOBUFS);
        }
        self.waiting.push(waiting);
        Ok(())
    }

    /// Whether calls wait.
    pub fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Takes out the calls that have what they wait for, or have waited long enough, and their events.
    pub fn due(&mut self) -> Vec<(Waiting, Vec<Event>)> {
        let Self { events, waiting } = self;
        let now = Instant::now();
        let mut due = Vec::new();
        waiting.retain(|call| {
            let queue = events.get_mut(&call.id).map(|context| &mut context.events);
            let there = queue.as_ref().map_or(0, |queue| queue.len());
            let is_late = call.deadline.is_some_and(|deadline| deadline <= now);
            let is_due = there.min(call.most) >= call.least.max(1) || is_late;
            if is_due {
                let taken = queue.map(|queue| queue.drain(..there.min(call.most)).collect());
                due.push((*call, taken.unwrap_or_default()));
            }
            !is_due
        });
        due
    }

    /// Events that could not be delivered.
    pub fn give_back(&mut self, id: ContextId, events: Vec<Event>) {
        if let Some(context) = self.events.get_mut(&id) {
            events.into_iter().rev().for_each(|event| context.events.push_front(event));
        }
    }

    /// Ends the calls that a signal interrupts, of some that wait, and in turn of others. Gives those for which somebody has to look
    /// whether the kernel has events.
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
                // One for the whole process may be another thread's.
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

    /// Somebody has looked; says whether the kernel is to do the call, which does not wait here any more then.
    pub fn looked(&mut self, id: u64, kernel_has_events: bool) -> bool {
        let Some(at) = self.waiting.iter().position(|call| call.request.id == id) else { return false };
        self.waiting[at].looked_at = false;
        if kernel_has_events {
            self.waiting.remove(at);
        }
        kernel_has_events
    }
}
