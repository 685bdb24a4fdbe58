//! Starting the target under the filter.

use crate::serve::{
    bpf::{Ranges, filter},
    proc,
    server::SPARE,
    sys::{self, Signals},
};
use crate::{Error, Options, Unavailable};
use rustix::{
    io::Errno,
    net::{
        AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
        SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
    },
    process::{Resource, getrlimit},
};
use std::{
    collections::BTreeSet,
    io::{self, IoSlice, IoSliceMut},
    mem::MaybeUninit,
    os::{
        fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd},
        unix::process::CommandExt,
    },
    process::{Child, Command},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// A program that runs under the filter.
pub struct Launched {
    pub child: Child,
    pub listener: OwnedFd,
    /// The numbers of descriptors that are served.
    pub ranges: Ranges,
    /// Whether a signal ends a call that waits for its answer.
    pub interruptible: bool,
}

/// The code by which the child reports success with a filter whose calls signals interrupt.
const INTERRUPTIBLE: i32 = -1;

/// The smallest limit of open files that leaves numbers for served descriptors, and the smallest hard limit that leaves
/// descriptors for files to the supervisor.
const FEWEST_FILES: u64 = 32;
const FEWEST_FILES_OF_SUPERVISOR: u64 = SPARE as u64 + 16;

/// Checks whether this kernel supports supervision, and whether `/proc` tells what a supervisor has to know.
pub fn check() -> Result<(), Unavailable> {
    if !sys::knows_notification() {
        return Err(Unavailable::Kernel("SECCOMP_RET_USER_NOTIF"));
    }
    if !sys::sizes_fit() {
        return Err(Unavailable::Kernel("seccomp notification of a size that is known"));
    }
    if !proc::is_ours() {
        return Err(Unavailable::Proc);
    }
    Ok(())
}

/// The programs that this process supervises. Only their supervisors may wait for them.
static PROGRAMS: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// The set of supervised programs. While it is locked, no program is added or is being started.
pub fn programs() -> MutexGuard<'static, BTreeSet<u32>> {
    PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts `command` under the filter, with the signal mask from before `signals`.
pub fn launch(mut command: Command, signals: &Signals, options: &Options) -> Result<Launched, Error> {
    check().map_err(Error::Unavailable)?;
    let limits = getrlimit(Resource::Nofile);
    let [limit, hard] = [limits.current, limits.maximum].map(|limit| limit.unwrap_or(u64::MAX));
    for (limit, fewest) in [(limit, FEWEST_FILES), (hard, FEWEST_FILES_OF_SUPERVISOR)] {
        if limit < fewest {
            return Err(Error::Unavailable(Unavailable::Files(limit)));
        }
    }
    let ranges = Ranges::below(limit, hard);
    let program = filter(ranges);

    let flags = SocketFlags::CLOEXEC;
    let (ours, theirs) =
        socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None).map_err(Error::system("socketpair"))?;
    // The child sends on this socket under the filter, so its number must not be in the ranges.
    if ranges.contains(theirs.as_raw_fd()) {
        return Err(Error::Unavailable(Unavailable::Files(limit)));
    }
    let name = command.get_program().to_owned();
    let fd = theirs.as_raw_fd();
    let (mask, interruptible) = (signals.mask_before(), options.interruptible);
    let confine = move || {
        sys::set_mask(&mask);
        // SAFETY: the parent keeps `theirs` open until the child has been made, and the child has a copy.
        confine(&program, interruptible, unsafe { BorrowedFd::borrow_raw(fd) })
    };
    // SAFETY: `confine` makes system calls on memory that exists before, which is all that is allowed between fork and
    // exec.
    unsafe { command.pre_exec(confine) };
    let mut programs = programs();
    let spawned = command.spawn();
    programs.extend(spawned.as_ref().map(Child::id));
    drop(programs);
    drop((command, theirs));
    let received = receive(ours.as_fd());
    let mut child = match (spawned, &received) {
        (Ok(child), _) => child,
        (Err(_), Ok(Err(Errno::BUSY))) => return Err(Error::Unavailable(Unavailable::Supervised)),
        (Err(_), Ok(Err(errno))) => return Err(Error::Unavailable(Unavailable::Refused((*errno).into()))),
        (Err(source), _) => return Err(Error::Spawn { program: name, source }),
    };
    match received {
        Ok(Ok((listener, interruptible))) => Ok(Launched { child, listener, ranges, interruptible }),
        failed => {
            // The program runs, and nobody would answer its calls.
            let _ = child.kill().and_then(|()| child.wait());
            Err(match failed {
                Err(errno) => Error::system("recvmsg")(errno),
                Ok(failed) => Error::Unavailable(Unavailable::Refused(failed.err().unwrap_or(Errno::IO).into())),
            })
        }
    }
}

/// In the child: installs the filter and sends the listener, or the error, to the parent. It is async-signal-safe.
fn confine(program: &[libc::sock_filter], interruptible: bool, parent: BorrowedFd<'_>) -> io::Result<()> {
    // Without SPEC_ALLOW, Linux before 5.16 enables mitigations that slow the program down.
    let listen = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER | libc::SECCOMP_FILTER_FLAG_SPEC_ALLOW;
    let uninterruptible = match interruptible {
        true => Err(Errno::INVAL),
        false => sys::install(program, listen | libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV),
    };
    let (installed, success) = match uninterruptible {
        // The kernel is older than Linux 5.19.
        Err(Errno::INVAL) => (sys::install(program, listen), INTERRUPTIBLE),
        installed => (installed, 0),
    };
    let code = installed.as_ref().map_or_else(|errno| errno.raw_os_error(), |_| success).to_ne_bytes();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let listener;
    if let Ok(fd) = &installed {
        listener = [fd.as_fd()];
        control.push(SendAncillaryMessage::ScmRights(&listener));
    }
    sendmsg(parent, &[IoSlice::new(&code)], &mut control, SendFlags::NOSIGNAL)?;
    installed.map(drop).map_err(Into::into)
}

/// Receives what [`confine`] has sent. The outer error says that nothing was received.
fn receive(from: BorrowedFd<'_>) -> Result<Result<(OwnedFd, bool), Errno>, Errno> {
    let mut code = [0; 4];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let got = recvmsg(from, &mut [IoSliceMut::new(&mut code)], &mut control, RecvFlags::CMSG_CLOEXEC)?;
    if got.bytes != code.len() {
        return Err(Errno::PIPE);
    }
    let listener = control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut fds) => fds.next(),
        _ => None,
    });
    Ok(match (listener, i32::from_ne_bytes(code)) {
        (Some(listener), code) => Ok((listener, code == INTERRUPTIBLE)),
        (None, 0) => return Err(Errno::MFILE),
        (None, errno) => Err(Errno::from_raw_os_error(errno)),
    })
}
