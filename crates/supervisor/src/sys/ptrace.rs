//! `ptrace(2)`, for a thread that has seized others.

use super::{check, last};
use libc::{c_int, c_long, c_ulong};
use rustix::io::Errno;
use std::{
    mem::{MaybeUninit, size_of},
    ptr::null_mut,
};

// The requests, events and options of linux/ptrace.h; the libc crate has them for some C libraries only.
const CONT_TO_SYSCALL: c_long = 24;
const DETACH: c_long = 17;
const GETEVENTMSG: c_long = 0x4201;
const GETREGSET: c_long = 0x4204;
const SETREGSET: c_long = 0x4205;
const SEIZE: c_long = 0x4206;
const INTERRUPT: c_long = 0x4207;
const LISTEN: c_long = 0x4208;
const GET_SYSCALL_INFO: c_long = 0x420e;

/// Marks the stops at system calls: this bit is set in the signal.
const SYSCALL_STOP: c_int = 0x80;

/// SYSGOOD, and FORK, VFORK, CLONE and EXEC: new threads and processes are seized, too.
const OPTIONS: c_ulong = 0x01 | 0x02 | 0x04 | 0x08 | 0x10;

const EVENT_EXEC: c_int = 4;
const EVENT_STOP: c_int = 128;

/// How often a stop is looked for before this thread sleeps. One that has just gone on mostly stops again before another CPU
/// would have woken from idling.
const LOOKS: u32 = 100;

/// `NT_PRSTATUS`: the registers of a program.
const REGISTERS: c_ulong = 1;

/// Why a thread stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// It has ended, with this status.
    Ended(c_int),
    /// It makes a system call, or returns from one.
    Call,
    /// It is another program now.
    Exec,
    /// It was asked to, or has just begun.
    Asked,
    /// Its process was stopped by a signal.
    Group,
    /// It is about to get this signal; 0 is none.
    Signal(c_int),
}

/// The registers of a program.
pub type Registers = libc::user_regs_struct;

/// `struct ptrace_syscall_info` of a stop at a system call's entry.
#[repr(C)]
#[derive(Clone, Copy)]
struct Info {
    op: u8,
    pad: [u8; 3],
    arch: u32,
    ip: u64,
    sp: u64,
    nr: u64,
    args: [u64; 6],
}

/// A call that is about to be made.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// `AUDIT_ARCH_*`.
    pub arch: u32,
    /// The call.
    pub nr: c_long,
    /// Its arguments.
    pub args: [u64; 6],
}

/// A request whose argument is a number.
fn simple(request: c_long, tid: i32, data: c_ulong) -> Result<(), Errno> {
    // SAFETY: the requests that are made so take numbers.
    check(unsafe { libc::syscall(libc::SYS_ptrace, request, tid, 0, data) }).map(drop)
}

/// Makes this thread the tracer of `tid`.
pub fn seize(tid: i32) -> Result<(), Errno> {
    simple(SEIZE, tid, OPTIONS)
}

/// Lets a thread stop as soon as it is between two system calls, or waits in one that a signal would interrupt.
pub fn interrupt(tid: i32) -> Result<(), Errno> {
    simple(INTERRUPT, tid, 0)
}

/// Lets a thread that has stopped run to the next entry into a system call, or return from one.
pub fn resume(tid: i32, signal: c_int) -> Result<(), Errno> {
    simple(CONT_TO_SYSCALL, tid, signal as c_ulong)
}

/// Leaves a thread stopped, as its process is.
pub fn listen(tid: i32) -> Result<(), Errno> {
    simple(LISTEN, tid, 0)
}

/// Lets a thread that has stopped run untraced.
pub fn detach(tid: i32, signal: c_int) -> Result<(), Errno> {
    simple(DETACH, tid, signal as c_ulong)
}

fn message(tid: i32) -> Result<c_ulong, Errno> {
    let mut message: c_ulong = 0;
    // SAFETY: the kernel writes one number.
    check(unsafe { libc::syscall(libc::SYS_ptrace, GETEVENTMSG, tid, 0, &raw mut message) })?;
    Ok(message)
}

/// The number that the thread which is another program now had before.
pub fn former(tid: i32) -> Result<i32, Errno> {
    message(tid).map(|former| former as i32)
}

/// Whether a thread that had stopped is still there.
pub fn has_stopped(tid: i32) -> bool {
    message(tid).is_ok()
}

/// The call that a thread which has stopped for one is about to make; `None` where it returns from one.
pub fn entry(tid: i32) -> Result<Option<Entry>, Errno> {
    let mut info = MaybeUninit::<Info>::zeroed();
    let size = size_of::<Info>();
    // SAFETY: the kernel writes at most `size` bytes.
    check(unsafe { libc::syscall(libc::SYS_ptrace, GET_SYSCALL_INFO, tid, size, info.as_mut_ptr()) })?;
    // SAFETY: any bytes are a value of this structure of integers, and all of them are initialized.
    let info = unsafe { info.assume_init() };
    // PTRACE_SYSCALL_INFO_ENTRY
    Ok((info.op == 1).then_some(Entry { arch: info.arch, nr: info.nr as c_long, args: info.args }))
}

fn regset<T>(request: c_long, tid: i32, kind: c_ulong, value: *mut T) -> Result<(), Errno> {
    let place = libc::iovec { iov_base: value.cast(), iov_len: size_of::<T>() };
    // SAFETY: the callers pass a value that is theirs, of integers only, and of this size.
    check(unsafe { libc::syscall(libc::SYS_ptrace, request, tid, kind, &raw const place) }).map(drop)
}

/// The registers of a thread that has stopped.
pub fn registers(tid: i32) -> Result<Registers, Errno> {
    let mut registers = MaybeUninit::<Registers>::zeroed();
    regset(GETREGSET, tid, REGISTERS, registers.as_mut_ptr())?;
    // SAFETY: any bytes are a value of this structure of integers, and all of them are initialized.
    Ok(unsafe { registers.assume_init() })
}

/// Changes the registers of a thread that has stopped.
pub fn set_registers(tid: i32, mut registers: Registers) -> Result<(), Errno> {
    regset(SETREGSET, tid, REGISTERS, &raw mut registers)
}

/// Lets a thread that has stopped at the entry into a call not make it.
#[cfg(target_arch = "aarch64")]
pub fn cancel(tid: i32) -> Result<(), Errno> {
    const NT_ARM_SYSTEM_CALL: c_ulong = 0x404;
    let mut none: c_int = -1;
    regset(SETREGSET, tid, NT_ARM_SYSTEM_CALL, &raw mut none)
}

/// Waits until a thread that this one has seized stops or ends; fails with ECHILD when there is none.
pub fn wait() -> Result<(i32, Stop), Errno> {
    for _ in 0..LOOKS {
        if let Some(stop) = take(libc::WNOHANG)? {
            return Ok(stop);
        }
        std::thread::yield_now();
    }
    take(0)?.ok_or(Errno::AGAIN)
}

/// Takes the next stop or end, or, with `WNOHANG`, none.
fn take(flags: c_int) -> Result<Option<(i32, Stop)>, Errno> {
    let mut status = 0;
    // Not for what other threads have seized or started.
    let options = libc::__WALL | libc::__WNOTHREAD | flags;
    // SAFETY: the kernel writes a status.
    match unsafe { libc::wait4(-1, &raw mut status, options, null_mut()) } {
        -1 => Err(last()),
        0 => Ok(None),
        tid => Ok(Some((tid, Stop::of(status)))),
    }
}

impl Stop {
    fn of(status: c_int) -> Self {
        if !libc::WIFSTOPPED(status) {
            return Self::Ended(status);
        }
        let (signal, event) = (status >> 8 & 0xff, status >> 16);
        match (signal, event) {
            (libc::SIGTRAP, EVENT_EXEC) => Self::Exec,
            (libc::SIGTRAP, EVENT_STOP) => Self::Asked,
            (_, EVENT_STOP) => Self::Group,
            (signal, 0) if signal == libc::SIGTRAP | SYSCALL_STOP => Self::Call,
            (signal, 0) => Self::Signal(signal),
            // It has started a thread or a process.
            _ => Self::Signal(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A status as `wait4` gives it for a thread that stopped (`W_STOPCODE`).
    const fn stopped(signal: c_int, event: c_int) -> c_int {
        event << 16 | signal << 8 | 0x7f
    }

    #[test]
    fn what_a_status_says() {
        // The numbers are those of ptrace(2).
        for (status, stop) in [
            (7 << 8, Stop::Ended(7 << 8)),
            (libc::SIGKILL, Stop::Ended(libc::SIGKILL)),
            (stopped(libc::SIGTRAP | 0x80, 0), Stop::Call),
            (stopped(libc::SIGTRAP, 0), Stop::Signal(libc::SIGTRAP)),
            (stopped(libc::SIGSTOP, 0), Stop::Signal(libc::SIGSTOP)),
            (stopped(libc::SIGSTOP, 128), Stop::Group),
            (stopped(libc::SIGTTIN, 128), Stop::Group),
            (stopped(libc::SIGTRAP, 128), Stop::Asked),
            (stopped(libc::SIGTRAP, 4), Stop::Exec),
            (stopped(libc::SIGTRAP, 1), Stop::Signal(0)),
            (stopped(libc::SIGTRAP, 3), Stop::Signal(0)),
        ] {
            assert_eq!(Stop::of(status), stop, "{status:#x}");
        }
    }
}
