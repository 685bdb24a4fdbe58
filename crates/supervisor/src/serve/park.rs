//! Calls that wait.

use crate::serve::{
    target::{Request, Target},
    transfer::Transfer,
};
use std::time::Instant;

/// A call that waits until it can go on.
#[derive(Debug)]
pub struct Parked {
    /// The call.
    pub request: Request,
    /// What is left of it.
    pub transfer: Transfer,
    /// When it gives up (`SO_RCVTIMEO`, `SO_SNDTIMEO`).
    pub deadline: Option<Instant>,
    /// A signal for its process was pending when it was last looked at.
    signalled: bool,
}

/// What becomes of a call that waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It goes on waiting.
    Waits,
    /// It has waited long enough.
    TimedOut,
    /// A signal ends it, after which it starts again if the program wants that.
    Restarts,
    /// A signal ends it.
    Interrupted,
    /// Nobody waits for it.
    Gone,
}

impl Parked {
    /// A call that begins to wait.
    pub fn new(request: Request, transfer: Transfer, deadline: Option<Instant>) -> Self {
        Self { request, transfer, deadline, signalled: false }
    }

    /// What becomes of it now. Signals, which take long to look at, are looked at if it is its turn.
    pub fn fate(&mut self, target: &Target<'_>, now: Instant, its_turn: bool) -> Fate {
        if !target.valid() {
            return Fate::Gone;
        }
        if self.deadline.is_some_and(|deadline| deadline <= now) {
            return Fate::TimedOut;
        }
        if !its_turn {
            return Fate::Waits;
        }
        // The kernel interrupts the call itself, unless it was asked not to (`SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV`).
        match target.signals() {
            (true, _) => Fate::Restarts,
            // One for the whole process is this thread's if nobody else has taken it by the next look.
            (false, true) if self.signalled => Fate::Interrupted,
            (false, shared) => {
                self.signalled = shared;
                Fate::Waits
            }
        }
    }
}
