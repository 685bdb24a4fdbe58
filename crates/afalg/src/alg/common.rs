//! A transform that processes have in common.
//!
//! After a `fork`, each process has the transform as it was then. What is done to it from then on is noted in a journal that
//! all of them have in [common](crate::Common), and done by the others before they look at it. Beside the journal stands what each
//! process still has open, as a transform that is in use takes no key.

use super::{
    journal::{self, Journal},
    parent::{Parent, State},
};
use crate::{
    Common, Errno, ProcessId,
    snapshot::{Reader, Writer},
};
use std::{
    fmt, mem,
    ops::{AddAssign, Deref, DerefMut},
    sync::{Arc, MutexGuard, PoisonError},
};

/// Processes that are counted.
const MAX_PROCESSES: usize = 256;
/// From how many on those are looked for that have ended.
const MANY: usize = 16;
/// Bytes of a process's share.
const SHARE_LEN: usize = 40;
/// What the value takes at most.
const ROOM: usize = journal::MAX_LEN + 8 + MAX_PROCESSES * SHARE_LEN;

/// Sockets that were accepted and are open.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Count {
    pub(super) children: usize,
    /// Those of them that have not seen a key.
    pub(super) keyless: usize,
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        self.children = self.children.saturating_add(other.children);
        self.keyless = self.keyless.saturating_add(other.keyless);
    }
}

/// What is in common, and what this process has seen of it.
pub(super) struct Sharing {
    common: Arc<dyn Common>,
    version: u64,
    journal: Journal,
    processes: Vec<(ProcessId, Count)>,
    /// The process that was counted, which may be a parent of this one.
    counted: Option<ProcessId>,
}

impl fmt::Debug for Sharing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sharing(version {}, {:?})", self.version, self.processes)
    }
}

/// The lock on a parent's state, which is then the same in all processes.
pub(super) struct Guard<'a>(MutexGuard<'a, State>);

impl Parent {
    pub(super) fn lock(&self) -> Guard<'_> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.sharing.is_some() {
            state.refresh();
        }
        Guard(state)
    }

    /// [`lock`](Self::lock), for who has to know what is open in all processes.
    pub(super) fn lock_settled(&self) -> Guard<'_> {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let common = state.sharing.as_ref().map(|sharing| sharing.common.clone());
        drop(state);
        if let Some(common) = common {
            common.settle();
        }
        self.lock()
    }

    pub(crate) fn share(&self, common: &mut dyn FnMut(usize) -> Option<Arc<dyn Common>>) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.sharing.is_some() {
            return;
        }
        if let Some(common) = common(ROOM) {
            let (journal, processes) = Default::default();
            state.sharing = Some(Sharing { common, version: 0, journal, processes, counted: None });
            drop(state);
            self.join();
        }
    }

    /// Counts this process, which is what unlocking does.
    pub(crate) fn join(&self) {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = state.sharing.as_ref().is_some_and(|sharing| sharing.counted != Some(sharing.common.process()));
        drop(state);
        if is_new {
            drop(self.lock());
        }
    }
}

impl Deref for Guard<'_> {
    type Target = State;

    fn deref(&self) -> &State {
        &self.0
    }
}

impl DerefMut for Guard<'_> {
    fn deref_mut(&mut self) -> &mut State {
        &mut self.0
    }
}

impl Drop for Guard<'_> {
    #[inline]
    fn drop(&mut self) {
        if self.0.sharing.is_some() {
            self.0.publish();
        }
    }
}

impl State {
    /// What is open in all processes.
    pub(super) fn open(&mut self) -> Count {
        let mut open = self.own;
        if let Some(Sharing { common, processes, .. }) = &mut self.sharing {
            let this = common.process();
            processes.retain(|&(process, _)| process == this || common.is_alive(process));
            let others = processes.iter().filter(|&&(process, _)| process != this);
            others.for_each(|&(_, count)| open += count);
        }
        open
    }

    pub(super) fn note_address(&mut self, address: &[u8]) {
        self.note(|journal| *journal = Journal { address: Some(address.to_vec()), ..Journal::default() });
    }

    pub(super) fn note_tag_len(&mut self, len: usize) {
        self.note(|journal| journal.tag_len = Some(len));
    }

    pub(super) fn note_entropy(&mut self, entropy: &[u8]) {
        self.note(|journal| journal.entropy = Some(entropy.to_vec().into()));
    }

    pub(super) fn note_key(&mut self, key: &[u8]) {
        self.note(|journal| journal.key = Some(key.to_vec().into()));
    }

    fn note(&mut self, note: impl FnOnce(&mut Journal)) {
        if let Some(sharing) = &mut self.sharing {
            note(&mut sharing.journal);
        }
    }

    #[cold]
    fn refresh(&mut self) {
        let Some(sharing) = &mut self.sharing else { return };
        let mut read = None;
        sharing.version = sharing.common.lock(sharing.version, &mut |value| read = Some(load(value)));
        // What makes no sense is as if nobody had written.
        if let Some(Ok((journal, processes))) = read {
            sharing.processes = processes;
            let former = mem::replace(&mut sharing.journal, journal);
            sharing.journal.repeat(&former, &mut self.algorithm);
        }
    }

    #[cold]
    fn publish(&mut self) {
        let own = self.own;
        let Some(Sharing { common, version, journal, processes, counted }) = &mut self.sharing else { return };
        let this = common.process();
        *counted = Some(this);
        match processes.iter_mut().find(|(process, _)| *process == this) {
            Some((_, count)) => *count = own,
            None => {
                // Now and then, as to ask costs more than all else here.
                if processes.len() >= MANY && processes.len().is_power_of_two() {
                    processes.retain(|&(process, _)| common.is_alive(process));
                }
                processes.truncate(MAX_PROCESSES - 1);
                processes.push((this, own));
            }
        }
        *version = common.unlock(&mut |room| {
            let mut to = Writer::new(room);
            journal.save(&mut to)?;
            to.len(processes.len())?;
            processes.iter().try_for_each(|(process, count)| {
                to.number(process.number.into())?;
                to.number(process.seen)?;
                to.number(process.program)?;
                to.len(count.children)?;
                to.len(count.keyless)
            })?;
            Some(to.written())
        });
    }
}

fn load(value: &[u8]) -> Result<(Journal, Vec<(ProcessId, Count)>), Errno> {
    let mut from = Reader::new(value);
    let journal = Journal::load(&mut from)?;
    let mut processes = Vec::new();
    for _ in 0..from.len(MAX_PROCESSES)? {
        let number = u32::try_from(from.number()?).map_err(|_| Errno::IO)?;
        let process = ProcessId { number, seen: from.number()?, program: from.number()? };
        let children = from.len(usize::MAX)?;
        processes.push((process, Count { children, keyless: from.len(children)? }));
    }
    from.end()?;
    Ok((journal, processes))
}
