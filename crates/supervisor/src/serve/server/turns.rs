//! Calls that send or receive: one goes on until it ends or has to wait, and its effect lets others go on.

use super::Server;
use crate::serve::{
    aio::Waiting,
    park::Parked,
    request::Request,
    served::{Served, State},
    target::Target,
    transfer::{Completion, Step, Transfer},
};
use algkit_afalg::{Errno, File, aio::Event};
use rustix::net::sockopt::{self, Timeout};
use std::{
    os::fd::{AsFd, OwnedFd},
    sync::{Arc, atomic::Ordering},
    time::Instant,
};

/// The largest number of calls that wait at the files of one program.
const MAX_PARKED_OF_PROGRAM: usize = 256;

/// The way in which a call may continue.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// A call that has just come and may wait.
    First,
    /// A call that has just come and may not wait.
    Only,
    /// A call that has waited.
    Later,
}

/// The state of a call after it has continued.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Advance {
    /// The call has ended.
    Ended,
    /// The call waits.
    Waits,
    /// The call would have to wait and may not.
    WouldWait,
}

/// A call that has ended and has not been answered. It is answered when the lock of its file has been released, because
/// the target may close the file at once and expect it to be closed.
struct End {
    request: Request,
    completion: Option<Completion>,
    result: Result<i64, Errno>,
    /// Whether the call has waited.
    waited: bool,
}

impl Server {
    /// Carries out an asynchronous request. With `may_wait`, it may wait, and the call with it.
    pub fn submit(&self, target: &Target<'_>, served: &Served, transfer: Transfer, may_wait: bool) -> Advance {
        let parked = Parked::new(target.request, transfer, None);
        self.go_on(served, parked, if may_wait { Turn::First } else { Turn::Only }, None)
    }

    /// Carries out a call that sends or receives. `theirs` is the target's end of the file.
    pub fn transfer(&self, target: &Target<'_>, served: Arc<Served>, theirs: Option<OwnedFd>) -> Result<(), Errno> {
        // `parse` checks that the memory was the caller's before anything is done with it.
        let transfer = Transfer::parse(target).unwrap_or(Err(Errno::OPNOTSUPP))?;
        let request = target.request;
        let is_heavy = transfer.is_heavy();
        let parked = Parked::new(request, transfer, None);
        if is_heavy || served.try_lock().is_none() {
            // No copy of the target's end waits with the request for a thread: descriptors are limited.
            drop(theirs);
            self.employ(request, move |server| _ = server.go_on(&served, parked, Turn::First, None));
        } else {
            self.go_on(&served, parked, Turn::First, theirs);
        }
        Ok(())
    }

    /// Applies `work` to a file, and continues with the calls that wait for its effect. `fd` is the target's
    /// descriptor.
    pub fn operate<R>(
        &self,
        served: &Served,
        target: &Target<'_>,
        fd: i32,
        work: impl FnOnce(&mut File) -> Result<R, Errno>,
    ) -> Result<R, Errno> {
        let (mut state, mut ends) = (served.lock(), Vec::new());
        let result = if state.closed { Err(Errno::BADF) } else { work(&mut state.file) };
        served.show(&mut state, target, fd, None);
        if result.is_ok() {
            served.repeat(&state, target, fd);
        }
        self.resume(served, &mut state, &mut ends);
        drop(state);
        ends.into_iter().for_each(|end| self.finish(end));
        result
    }

    /// Continues with a call, and then with the calls that wait for it.
    fn go_on(&self, served: &Served, parked: Parked, turn: Turn, theirs: Option<OwnedFd>) -> Advance {
        let (mut state, mut others) = (served.lock(), Vec::new());
        let result = self.advance(served, &mut state, parked, turn, theirs);
        self.resume(served, &mut state, &mut others);
        drop(state);
        let advance = match result {
            Ok(end) => {
                self.finish(end);
                Advance::Ended
            }
            Err(advance) => advance,
        };
        others.into_iter().for_each(|end| self.finish(end));
        advance
    }

    fn resume(&self, served: &Served, state: &mut State, ends: &mut Vec<End>) {
        // The effect of one call may be what others wait for, including those before it.
        let mut left = state.parked.len();
        while left > 0 && !state.parked.is_empty() {
            let parked = state.parked.remove(0);
            self.count_parked(served, state);
            left = match self.advance(served, state, parked, Turn::Later, None) {
                Ok(end) => {
                    ends.push(end);
                    state.parked.len()
                }
                Err(_) => left - 1,
            };
        }
    }

    /// Continues with a call, and ends it or lets it wait.
    fn advance(
        &self,
        served: &Served,
        state: &mut State,
        mut parked: Parked,
        turn: Turn,
        theirs: Option<OwnedFd>,
    ) -> Result<End, Advance> {
        let target = self.target(parked.request);
        if let (File::Netlink(_), true) = (&state.file, parked.transfer.sends()) {
            // The request may ask who uses an algorithm.
            self.take_hangups();
        }
        let step = if state.closed {
            Step::Done(parked.transfer.interrupt(Errno::BADF))
        } else if parked.transfer.sends() && self.keeps_too_much(served, parked.request, "to send") {
            Step::Done(parked.transfer.interrupt(Errno::NOBUFS))
        } else {
            parked.transfer.advance(&target, &mut state.file)
        };
        served.show(state, &target, parked.transfer.fd, theirs);
        let result = match step {
            Step::Done(result) => result,
            Step::Wait if parked.transfer.has_enough() => parked.transfer.interrupt(Errno::AGAIN),
            Step::Wait if turn != Turn::Later && !self.may_wait(&target, &mut parked, &state.file) => {
                parked.transfer.interrupt(Errno::AGAIN)
            }
            // If a part of an asynchronous request has been sent, the call ends with that part.
            Step::Wait if turn == Turn::Only => match parked.transfer.interrupt(Errno::AGAIN) {
                Err(_) => return Err(Advance::WouldWait),
                done => done,
            },
            Step::Wait if served.account.parked.load(Ordering::Relaxed) >= MAX_PARKED_OF_PROGRAM => {
                self.tell(
                    parked.request,
                    format_args!("refused to wait: {MAX_PARKED_OF_PROGRAM} calls wait at the program's files"),
                );
                parked.transfer.interrupt(Errno::NOBUFS)
            }
            Step::Wait => {
                state.parked.push(parked);
                if self.count_parked(served, state) == 0 {
                    self.ring();
                }
                return Err(Advance::Waits);
            }
        };
        let Parked { request, transfer, .. } = parked;
        if result.is_ok() {
            served.repeat(state, &target, transfer.fd);
        }
        Ok(End { request, completion: transfer.completion, result, waited: turn == Turn::Later })
    }

    /// Whether files keep more bytes than they may, so that `what` is refused.
    pub fn keeps_too_much(&self, served: &Served, request: Request, what: &str) -> bool {
        let excess = served.account.bytes.excess(0, self.most_bytes);
        if let Some(excess) = &excess {
            self.tell(request, format_args!("refused {what}: {excess}"));
        }
        excess.is_some()
    }

    /// Whether the client wants to wait; sets the deadline.
    fn may_wait(&self, target: &Target<'_>, parked: &mut Parked, file: &File) -> bool {
        let fd = parked.transfer.fd;
        if parked.transfer.impatient || target.flags(fd).contains(rustix::fs::OFlags::NONBLOCK) {
            return false;
        }
        // AF_ALG has no timeouts.
        if let File::Netlink(_) = file {
            let timeout = target.fetch(fd).and_then(|socket| sockopt::socket_timeout(socket, Timeout::Recv));
            parked.deadline = timeout.ok().flatten().and_then(|timeout| Instant::now().checked_add(timeout));
        }
        true
    }

    /// Answers a call; or reports the end of an asynchronous request, and answers the call that has waited for it.
    fn finish(&self, end: End) {
        let target = self.target(end.request);
        match end.completion {
            None => _ = target.answer(end.result),
            Some(completion) => {
                self.complete(completion, end.result);
                if end.waited {
                    target.answer(Ok(1));
                }
            }
        }
    }

    /// Reports the end of an asynchronous request.
    fn complete(&self, completion: Completion, result: Result<i64, Errno>) {
        let Completion { id, data, iocb, event_fd } = completion;
        let result = result.map(|n| usize::try_from(n).unwrap_or(0));
        let due = {
            let mut contexts = self.contexts();
            contexts.push(id, Event { data, iocb, result });
            contexts.due(Some(id))
        };
        due.into_iter().for_each(|(waiting, events)| self.deliver(waiting, events));
        if let Some(event_fd) = event_fd {
            self.signaller.signal(event_fd.as_fd(), self.bell());
        }
    }

    /// Ends a call with the events that it has waited for.
    pub fn deliver(&self, waiting: Waiting, events: Vec<Event>) {
        let target = self.target(waiting.request);
        let bytes: Vec<u8> = events.iter().flat_map(Event::to_bytes).collect();
        match target.scatter(&[(waiting.to, bytes.len())], &bytes) {
            Ok(()) => _ = target.answer(Ok(events.len() as i64)),
            Err(error) => {
                self.contexts().give_back(waiting.id, events);
                target.answer(Err(error));
            }
        }
    }
}
