//! Sending and receiving, with the waiting that a file itself never does.

use crate::{
    entry::{Entered, Entry},
    iov,
};
use algkit_afalg::{Destination, Errno, File, Message, Received};
use libc::MSG_DONTWAIT;
use smallvec::SmallVec;
use std::{io::IoSlice, os::fd::RawFd};

/// Sends all of `data`, unless the caller does not want to wait.
pub fn send(entry: &'static Entry, fd: RawFd, message: &Message<'_>) -> Result<usize, Errno> {
    let mut entered = entry.enter(fd)?;
    // Taken apart, as a result that is copied as it came is waited for.
    match entered.file()?.send(message) {
        Ok(sent) if sent < iov::total(message.data) && waits(&entered, message.flags) => {
            send_waiting(entry, fd, message, entered, Ok(sent))
        }
        Ok(sent) => {
            entered.leave();
            Ok(sent)
        }
        Err(Errno::AGAIN) if waits(&entered, message.flags) => {
            send_waiting(entry, fd, message, entered, Err(Errno::AGAIN))
        }
        Err(errno) => {
            entered.leave();
            Err(errno)
        }
    }
}

/// Whether a call sleeps until it can be done.
fn waits(entered: &Entered, flags: i32) -> bool {
    flags & MSG_DONTWAIT == 0 && !entered.is_nonblocking()
}

/// Goes on with a message of which there was room for a part, or for nothing.
#[cold]
fn send_waiting(
    entry: &'static Entry,
    fd: RawFd,
    message: &Message<'_>,
    mut entered: Entered,
    mut result: Result<usize, Errno>,
) -> Result<usize, Errno> {
    while result == Err(Errno::AGAIN) && waits(&entered, message.flags) {
        entered.wait()?;
        entered = entry.enter(fd)?;
        result = entered.file()?.send(message);
    }
    let waits = waits(&entered, message.flags);
    entered.leave();
    match result {
        Ok(sent) if sent < iov::total(message.data) && waits => Ok(sent + send_rest(entry, fd, message, sent)),
        result => result,
    }
}

/// Sends what did not fit. What goes wrong here is not told to a caller, part of whose data was taken.
fn send_rest(entry: &'static Entry, fd: RawFd, message: &Message<'_>, sent: usize) -> usize {
    let mut pieces: SmallVec<[IoSlice<'_>; 4]> = message.data.iter().copied().collect();
    let mut rest = pieces.as_mut_slice();
    IoSlice::advance_slices(&mut rest, sent);
    let mut more = 0;
    while !rest.is_empty() {
        let Ok(mut entered) = entry.enter(fd) else { break };
        let room = entered.readiness().writable;
        let result = match entered.file() {
            Ok(File::Alg(socket)) if room => socket.send_rest(&Message { data: rest, control: &[], ..*message }),
            Ok(file) if room => file.send(&Message { data: rest, control: &[], ..*message }),
            Ok(_) => Err(Errno::AGAIN),
            Err(errno) => Err(errno),
        };
        match result {
            Ok(0) | Err(Errno::AGAIN) => {
                if entered.wait().is_err() {
                    break;
                }
            }
            Ok(taken) => {
                entered.leave();
                more += taken;
                IoSlice::advance_slices(&mut rest, taken);
            }
            Err(_) => break,
        }
    }
    more
}

/// Receives what there is, and waits for it unless the caller does not want to.
pub fn recv(entry: &'static Entry, fd: RawFd, into: Destination<'_, '_>, flags: i32) -> Result<Received, Errno> {
    let mut entered = entry.enter(fd)?;
    let result = entered.file()?.recv(Destination { pieces: &mut *into.pieces, lost: into.lost }, flags);
    if matches!(result, Err(Errno::AGAIN)) && waits(&entered, flags) {
        return recv_waiting(entry, fd, into, flags, entered);
    }
    entered.leave();
    result
}

#[cold]
fn recv_waiting(
    entry: &'static Entry,
    fd: RawFd,
    into: Destination<'_, '_>,
    flags: i32,
    mut entered: Entered,
) -> Result<Received, Errno> {
    loop {
        entered.wait()?;
        entered = entry.enter(fd)?;
        let into = Destination { pieces: &mut *into.pieces, lost: into.lost };
        match entered.file()?.recv(into, flags) {
            Err(Errno::AGAIN) if waits(&entered, flags) => {}
            result => {
                entered.leave();
                return result;
            }
        }
    }
}
