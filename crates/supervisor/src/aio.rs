//! Asynchronous I/O: requests for served descriptors, and the events that tell of their end.
//!
//! The contexts are the kernel's, and so are requests for other descriptors. A request for a served one is done while
//! it is submitted, as the kernel does most of them; its event waits here until the program asks for it.

use crate::target::{Request, Target};
use algkit_afalg::{
    Errno,
    aio::{EVENT_LEN, Event},
};
use std::{
    collections::{HashMap, VecDeque},
    time::Instant,
};

/// Contexts with requests for served descriptors.
const MAX_CONTEXTS: usize = 256;

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
    events: HashMap<ContextId, VecDeque<Event>>,
    waiting: Vec<Waiting>,
}

/// `io_getevents`.
#[derive(Debug)]
pub struct Waiting {
    /// The call.
    pub request: Request,
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
    pub signalled: bool,
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
    /// Makes room for one more event of context `id`.
    pub fn prepare(&mut self, target: &Target<'_>, id: ContextId) -> Result<(), Errno> {
        if let Some(events) = self.events.get(&id) {
            return if events.len() < MAX_EVENTS { Ok(()) } else { Err(Errno::AGAIN) };
        }
        if self.events.len() >= MAX_CONTEXTS {
            self.events.retain(|id, _| id.is_alive());
            if self.events.len() >= MAX_CONTEXTS {
                return Err(Errno::AGAIN);
            }
        }
        // There are events now that are not in the ring: whoever looks for the magic number asks the kernel instead.
        if !Ring::read(target, id.address)?.is_open() {
            return Err(Errno::INVAL);
        }
        target.put(id.address.wrapping_add(MAGIC_AT), 0).map_err(|_| Errno::INVAL)?;
        self.events.insert(id, VecDeque::new());
        Ok(())
    }

    /// Whether context `id` has had requests for served descriptors.
    pub fn knows(&self, id: ContextId) -> bool {
        self.events.contains_key(&id)
    }

    /// Adds an event.
    pub fn push(&mut self, id: ContextId, event: Event) {
        if let Some(events) = self.events.get_mut(&id) {
            events.push_back(event);
        }
    }

    /// The context is gone.
    pub fn remove(&mut self, id: ContextId) {
        self.events.remove(&id);
    }

    /// Lets a call wait.
    pub fn wait(&mut self, waiting: Waiting) {
        self.waiting.push(waiting);
    }

    /// Whether calls wait.
    pub fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Answers the calls that have what they wait for, or have waited long enough; with `look`, also those that a
    /// signal ends or that the kernel has events for.
    pub fn answer<'a>(&mut self, target: impl Fn(Request) -> Target<'a>, look: bool) {
        let Self { events, waiting } = self;
        let now = Instant::now();
        waiting.retain_mut(|call| {
            let target = target(call.request);
            let there = events.get(&call.id).map_or(0, VecDeque::len);
            let due = call.deadline.is_some_and(|deadline| deadline <= now);
            if there.min(call.most) >= call.least.max(usize::from(!due)) || due {
                target.answer(deliver(events.get_mut(&call.id), &target, call));
                return false;
            }
            if !look {
                return true;
            }
            if !target.valid() {
                return false;
            }
            if there == 0 && Ring::read(&target, call.id.address).is_ok_and(|ring| ring.has_events()) {
                target.proceed();
                return false;
            }
            match target.signals() {
                (false, false) => call.signalled = false,
                // One for the whole process may be another thread's.
                (false, true) if !call.signalled => call.signalled = true,
                _ => {
                    target.answer(Err(Errno::INTR));
                    return false;
                }
            }
            true
        });
    }
}

fn deliver(events: Option<&mut VecDeque<Event>>, target: &Target<'_>, call: &Waiting) -> Result<i64, Errno> {
    let Some(events) = events else { return Ok(0) };
    let count = events.len().min(call.most);
    let bytes: Vec<u8> = events.iter().take(count).flat_map(Event::to_bytes).collect();
    target.scatter(&[(call.to, count * EVENT_LEN)], &bytes)?;
    events.drain(..count);
    Ok(count as i64)
}
