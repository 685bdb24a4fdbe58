//! Sending and receiving, with the waiting that a file itself never does.

use crate::{
    entry::{Entered, Entry},
    iov,
};
use algkit_afalg::{Destination, Errno, Message, Received};
use libc::MSG_DONTWAIT;
use smallvec::SmallVec;
use std::{io::IoSlice, os::fd::RawFd, time::Instant};

/// Sends all of `data`, waiting for room unless the descriptor or the call is nonblocking.
pub fn send(entry: &'static Entry, fd: RawFd, message: &Message<'_>) -> Result<usize, Errno> {
    let mut entered = entry.enter(fd)?;
    // The result is matched and made anew: a copy of it as a whole would wait for the stores of its parts.
    match entered.file()?.send(message) {
        Ok(sent) if sent < iov::total(message.data) && waits(&entered, message.flags) => {
            send_waiting(message, entered, Ok(sent))
        }
        Ok(sent) => {
            entered.leave_after(true);
            Ok(sent)
        }
        Err(Errno::AGAIN) if waits(&entered, message.flags) => send_waiting(message, entered, Err(Errno::AGAIN)),
        Err(errno) => {
            entered.leave();
            Err(errno)
        }
    }
}

/// Whether the call waits until it can be carried out.
fn waits(entered: &Entered, flags: i32) -> bool {
    flags & MSG_DONTWAIT == 0 && !entered.is_nonblocking()
}

/// Continues with a message of which only a part, or nothing, has been accepted.
#[cold]
fn send_waiting(message: &Message<'_>, mut entered: Entered, mut result: Result<usize, Errno>) -> Result<usize, Errno> {
    while result == Err(Errno::AGAIN) && waits(&entered, message.flags) {
        entered = entered.wait()?;
        result = entered.file()?.send_rest(message);
    }
    match result {
        Ok(sent) if sent < iov::total(message.data) && waits(&entered, message.flags) => {
            entered.state().repeat();
            Ok(sent + entered.reenter().map_or(0, |entered| send_rest(message, entered, sent)))
        }
        result => {
            entered.leave_after(result.is_ok());
            result
        }
    }
}

/// Sends the rest of a message. Errors are not reported, since part of the data has been accepted.
fn send_rest(message: &Message<'_>, mut entered: Entered, sent: usize) -> usize {
    let mut pieces: SmallVec<[IoSlice<'_>; 4]> = message.data.iter().copied().collect();
    let mut rest = pieces.as_mut_slice();
    IoSlice::advance_slices(&mut rest, sent);
    let mut more = 0;
    while !rest.is_empty() {
        let room = entered.readiness().writable;
        let result = match entered.file() {
            Ok(file) if room => file.send_rest(&Message { data: rest, ..*message }),
            Ok(_) => Err(Errno::AGAIN),
            Err(errno) => Err(errno),
        };
        let again = match result {
            Ok(0) | Err(Errno::AGAIN) => entered.wait(),
            Ok(taken) => {
                more += taken;
                IoSlice::advance_slices(&mut rest, taken);
                entered.state().repeat();
                entered.reenter()
            }
            Err(_) => break,
        };
        match again {
            Ok(again) => entered = again,
            Err(_) => break,
        }
    }
    more
}

/// Receives what is available, and waits for it unless the descriptor or the call is nonblocking.
pub fn recv(entry: &'static Entry, fd: RawFd, into: Destination<'_, '_>, flags: i32) -> Result<Received, Errno> {
    let mut entered = entry.enter(fd)?;
    let result = entered.file()?.recv(Destination { pieces: &mut *into.pieces, unwritable: into.unwritable }, flags);
    if matches!(result, Err(Errno::AGAIN)) && waits(&entered, flags) {
        return recv_waiting(into, flags, entered);
    }
    entered.leave_after(result.is_ok());
    result
}

#[cold]
fn recv_waiting(into: Destination<'_, '_>, flags: i32, mut entered: Entered) -> Result<Received, Errno> {
    let deadline = entered.patience().and_then(|patience| Instant::now().checked_add(patience));
    loop {
        entered = entered.wait_until(deadline)?;
        let into = Destination { pieces: &mut *into.pieces, unwritable: into.unwritable };
        match entered.file()?.recv(into, flags) {
            Err(Errno::AGAIN) if waits(&entered, flags) => {}
            result => {
                entered.leave_after(result.is_ok());
                return result;
            }
        }
    }
}
