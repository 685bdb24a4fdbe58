//! Calls on files that wait.

use crate::serve::{request::Request, target::Target, transfer::Transfer};
use std::time::Instant;

/// A call that waits until the file is ready for it.
#[derive(Debug)]
pub struct Parked {
    /// The stopped call.
    pub request: Request,
    /// The part of the transfer that is left.
    pub transfer: Transfer,
    /// The time at which the call times out (`SO_RCVTIMEO` of a netlink socket).
    pub deadline: Option<Instant>,
    /// Whether a signal for its process was pending at the last look.
    signalled: bool,
}

/// The fate of a call that waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// The call continues to wait.
    Waits,
    /// The call has timed out.
    TimedOut,
    /// A signal ends the call, and the kernel restarts it after the handler if the program has asked for that.
    Restarts,
    /// A signal ends the call.
    Interrupted,
    /// The target does not wait for the call any more.
    Gone,
}

impl Parked {
    /// A call that begins to wait.
    pub fn new(request: Request, transfer: Transfer, deadline: Option<Instant>) -> Self {
        Self { request, transfer, deadline, signalled: false }
    }

    /// The fate of the call at the time `now`. Only with `its_turn` is it checked for signals, which takes long.
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
        // The kernel itself interrupts a call, unless it was asked not to (`SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV`).
        match target.signals() {
            (true, _) => Fate::Restarts,
            // A signal for the whole process interrupts this call if no other thread has taken it before the next look.
            (false, true) if self.signalled => Fate::Interrupted,
            (false, shared) => {
                self.signalled = shared;
                Fate::Waits
            }
        }
    }
}
