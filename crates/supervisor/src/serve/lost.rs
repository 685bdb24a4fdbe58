//! Answers that came too late.

use crate::serve::{proc, request::Request, sys::Piece};
use std::{
    collections::{HashMap, HashSet},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};

/// The largest number of answers that are kept. Those of threads that were killed are never asked for.
const MAX_LOST: usize = 64;

/// Answers that came too late.
///
/// Before Linux 5.19, a signal ends a call that waits for its answer, and the program makes the call again after the
/// handler. By then the supervisor has carried it out, and must not do so twice. It must not begin with it either while
/// another thread still works on the interrupted call.
#[derive(Default, Debug)]
pub struct Lost {
    answers: Mutex<Answers>,
    done: Condvar,
}

#[derive(Default, Debug)]
struct Answers {
    /// For each thread: its interrupted call, and the answer to it.
    lost: HashMap<i32, (Request, Answer)>,
    /// For each notification: the bytes that could not be written.
    owed: HashMap<u64, Vec<Write>>,
    /// The threads with a call that is being worked on.
    busy: HashSet<i32>,
}

/// The answer to an interrupted call.
#[derive(Debug)]
pub struct Answer {
    /// When the thread was started: its number may be another's later, which must not get what was read for this one.
    started: u64,
    /// The result of the call.
    pub value: i64,
    /// The bytes that were still to be written.
    pub owed: Vec<Write>,
}

/// Bytes, and the pieces of the target's memory that they are for.
type Write = (Vec<Piece>, Vec<u8>);

impl Lost {
    fn lock(&self) -> MutexGuard<'_, Answers> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until no other call of this thread is being worked on.
    pub fn begin(&self, request: &Request) {
        let mut answers = self.lock();
        while !answers.busy.insert(request.tid) {
            answers = self.done.wait(answers).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Records that no call of this thread is being worked on.
    pub fn leave(&self, request: &Request) {
        self.lock().busy.remove(&request.tid);
        self.done.notify_all();
    }

    /// Keeps bytes that could not be written.
    pub fn owe(&self, request: &Request, pieces: &[Piece], bytes: &[u8]) {
        let owed = &mut self.lock().owed;
        if owed.len() >= MAX_LOST {
            owed.clear();
        }
        owed.entry(request.id).or_default().push((pieces.to_vec(), bytes.to_vec()));
    }

    /// Records the end of a call. `lost` is its result if the answer came too late.
    pub fn end(&self, request: &Request, lost: Option<i64>) {
        let started = lost.and_then(|_| proc::started(request.tid));
        let Answers { lost: answers, owed, .. } = &mut *self.lock();
        let owed = owed.remove(&request.id).unwrap_or_default();
        // A thread that was killed asks no more.
        let Some((value, started)) = lost.zip(started) else { return };
        if answers.len() >= MAX_LOST {
            answers.clear();
        }
        answers.insert(request.tid, (*request, Answer { started, value, owed }));
    }

    /// The answer to a call that repeats the last call of its thread that got no answer. Calls that a signal handler
    /// makes in between are ignored.
    pub fn take(&self, request: &Request) -> Option<Answer> {
        let (_, answer) = {
            let lost = &mut self.lock().lost;
            let (call, _) = lost.get(&request.tid)?;
            if (call.nr, call.args) != (request.nr, request.args) {
                return None;
            }
            lost.remove(&request.tid)?
        };
        (proc::started(request.tid) == Some(answer.started)).then_some(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_answer_is_for_the_same_call_of_the_same_thread() {
        let lost = Lost::default();
        let tid = std::process::id() as i32;
        let call = |fd| Request { id: 1, tid, nr: libc::SYS_read, args: [fd, 0, 0, 0, 0, 0], is_native: true };
        lost.end(&call(3), Some(7));
        assert!(lost.take(&call(4)).is_none(), "a call of a signal handler");
        assert_eq!(lost.take(&call(3)).map(|answer| answer.value), Some(7));
        assert!(lost.take(&call(3)).is_none(), "it was taken");
        // Meanwhile, the thread has ended, and another one has its number.
        lost.end(&call(3), Some(7));
        lost.lock().lost.get_mut(&tid).expect("an answer").1.started += 1;
        assert!(lost.take(&call(3)).is_none());
    }
}
