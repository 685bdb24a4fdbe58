//! Several messages in one call: `sendmmsg` and `recvmmsg`.

use super::{single::Single, step::Step};
use crate::serve::{clock::duration, msghdr::HEADER_LEN, target::Target};
use algkit_afalg::{Errno, File, abi::MAX_PIECES};
use std::time::Instant;

/// The length of a `struct mmsghdr`, and the offset of its `msg_len`.
const MANY_LEN: u64 = 64;
const MANY_RESULT: u64 = HEADER_LEN as u64;

/// A `sendmmsg` or `recvmmsg`.
#[derive(Debug)]
pub struct Mmsg {
    vector: u64,
    count: u32,
    done: u32,
    flags: i32,
    sends: bool,
    current: Option<Single>,
    /// For a `recvmmsg` with a timeout: its address, and the time at which no further message is begun.
    until: Option<(u64, Instant)>,
    /// The error that ended the call after some messages.
    error: Option<Errno>,
}

/// The address of a `struct timespec`, and the end of that time; `None` if that is too far away.
fn deadline(target: &Target<'_>, at: u64) -> Result<Option<(u64, Instant)>, Errno> {
    let end = Instant::now().checked_add(duration(target.array(at)?)?);
    Ok(end.map(|end| (at, end)))
}

impl Mmsg {
    /// The arguments of a `sendmmsg` or `recvmmsg`.
    pub fn parse(target: &Target<'_>, sends: bool) -> Result<Self, Errno> {
        let args = target.request.args;
        let count = (args[2] as u32).min(MAX_PIECES as u32);
        let until = if sends || args[4] == 0 { None } else { deadline(target, args[4])? };
        let flags = target.request.int(3);
        Ok(Self { vector: args[1], count, done: 0, flags, sends, current: None, until, error: None })
    }

    /// Whether the call sends.
    pub fn sends(&self) -> bool {
        self.sends
    }

    /// Whether there is more than one message.
    pub fn has_many(&self) -> bool {
        self.count > 1
    }

    /// Whether a `recvmmsg` with `MSG_WAITFORONE` has received a message.
    pub fn has_enough(&self) -> bool {
        self.flags & libc::MSG_WAITFORONE != 0 && self.done > 0
    }

    /// Goes on as far as it can.
    pub fn advance(&mut self, target: &Target<'_>, file: &mut File) -> Step {
        if !self.sends
            && self.done == 0
            && self.current.is_none()
            && let Some(error) = file.take_error()
        {
            return Step::Done(Err(error));
        }
        let mut step = self.messages(target, file);
        if let Step::Done(Ok(_)) = step
            && let Err(error) = self.put_time_left(target)
        {
            step = Step::Done(Err(error));
        }
        if let Some(error) = self.error.filter(|error| !self.sends && *error != Errno::AGAIN) {
            // Told by the next call.
            file.keep_error(error);
        }
        step
    }

    fn messages(&mut self, target: &Target<'_>, file: &mut File) -> Step {
        while self.done < self.count {
            let entry = self.vector.wrapping_add(MANY_LEN * u64::from(self.done));
            let work = match self.current.take() {
                Some(work) => Ok(work),
                None => Single::of_header(target, self.sends, entry, self.flags),
            };
            let mut part = None;
            let step = match work {
                Err(error) => Step::Done(Err(error)),
                Ok(mut work) => {
                    let step = work.advance(target, file);
                    part = work.sent_part();
                    self.current = (step == Step::Wait).then_some(work);
                    step
                }
            };
            let length = match (step, part) {
                (Step::Done(length), _) => length,
                // It counts as a message, whatever ends the call while it waits.
                (Step::Wait, Some(sent)) => Ok(sent as i64),
                (Step::Wait, None) => return Step::Wait,
            };
            if let Err(error) = length.and_then(|n| target.put(entry.wrapping_add(MANY_RESULT), n as u32)) {
                return Step::Done(self.partial(error));
            }
            if step == Step::Wait {
                return Step::Wait;
            }
            self.done += 1;
            // As in the kernel, a message of which only a part was sent is the last.
            if part.is_some() || self.until.is_some_and(|(_, end)| end <= Instant::now()) {
                break;
            }
        }
        Step::Done(Ok(self.done.into()))
    }

    /// Writes the time that is left to a `recvmmsg` that has received messages.
    fn put_time_left(&self, target: &Target<'_>) -> Result<(), Errno> {
        let Some((at, end)) = self.until.filter(|_| self.done > 0) else { return Ok(()) };
        let left = end.saturating_duration_since(Instant::now());
        let words = [left.as_secs(), left.subsec_nanos().into()];
        target.scatter(&[(at, 16)], words.map(u64::to_ne_bytes).as_flattened())
    }

    fn partial(&mut self, error: Errno) -> Result<i64, Errno> {
        if self.done == 0 {
            return Err(error);
        }
        self.error = Some(error);
        Ok(self.done.into())
    }

    /// The result of the call if it ends now with `error`.
    pub fn interrupt(&self, error: Errno) -> Result<i64, Errno> {
        let is_part_sent = self.current.as_ref().is_some_and(|work| work.sent_part().is_some());
        match self.done + u32::from(is_part_sent) {
            0 => Err(error),
            n => Ok(n.into()),
        }
    }
}
