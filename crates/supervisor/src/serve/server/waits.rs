//! Calls that wait: they end when they have waited long enough, or when a signal comes.

use super::{Server, lock};
use crate::serve::{park::Fate, served::Served};
use algkit_afalg::Errno;
use std::{
    sync::{Arc, atomic::Ordering},
    time::Instant,
};

/// The number of waiting calls after which no further file is checked for signals in the same round.
const MAX_LOOKS: usize = 32;

impl Server {
    /// Whether any call waits, at a file or for events.
    pub fn has_waiting(&self) -> bool {
        self.parked.load(Ordering::Relaxed) > 0 || self.contexts().has_waiting()
    }

    /// Ends the waiting calls that have timed out, or that a signal interrupts.
    pub fn look_after_calls(&self) {
        self.look_after_waiting();
        self.look_after_parked();
    }

    /// Ends the calls for events that have enough of them or have timed out, or that a signal interrupts.
    fn look_after_waiting(&self) {
        let due = self.contexts().due(None);
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

    /// Ends the calls at files that have timed out, or that a signal interrupts.
    fn look_after_parked(&self) {
        if self.parked.load(Ordering::Relaxed) == 0 {
            return;
        }
        // Files without waiting calls are left alone, because even a short lock can make another call fail with EBUSY.
        let waits = |served: &&Arc<Served>| served.parked.load(Ordering::Relaxed) > 0;
        let mut files: Vec<_> = lock(&self.files).by_cookie.values().filter(waits).cloned().collect();
        let now = Instant::now();
        // The files are checked in the order of their cookies, beginning after the last one that was checked.
        let last = self.last_looked.load(Ordering::Relaxed);
        files.sort_unstable_by_key(|served| (served.cookie <= last, served.cookie));
        let mut looks = 0;
        for served in files {
            // Another thread works on the file, and continues with the calls that wait at it.
            let Some(mut state) = served.try_lock() else { continue };
            let mut over = Vec::new();
            let its_turn = looks < MAX_LOOKS;
            if its_turn {
                looks += state.parked.len();
                self.last_looked.store(served.cookie, Ordering::Relaxed);
            }
            for mut parked in std::mem::take(&mut state.parked) {
                match parked.fate(&self.target(parked.request), now, its_turn) {
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
}
