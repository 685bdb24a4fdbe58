//! `syscall`: system calls by number.
//!
//! A call that concerns a served descriptor, family or path goes to the function of the same name in this library.
//! Every other call goes on to libc.

// The names of system calls are libc's.
#![allow(non_upper_case_globals)]

use crate::{aio, confine, errno, interpose::real, process, reserve, table, vfork};
use algkit_afalg::abi::serves;
use libc::{
    PR_SET_SECCOMP, SYS_accept, SYS_accept4, SYS_bind, SYS_clone, SYS_clone3, SYS_close, SYS_close_range, SYS_connect,
    SYS_dup, SYS_dup3, SYS_epoll_ctl, SYS_eventfd2, SYS_execve, SYS_execveat, SYS_fcntl, SYS_getpeername,
    SYS_getsockname, SYS_getsockopt, SYS_io_destroy, SYS_io_getevents, SYS_io_setup, SYS_io_submit, SYS_ioctl,
    SYS_listen, SYS_openat, SYS_ppoll, SYS_prctl, SYS_preadv2, SYS_prlimit64, SYS_pselect6, SYS_pwritev2, SYS_read,
    SYS_readv, SYS_recvfrom, SYS_recvmmsg, SYS_recvmsg, SYS_seccomp, SYS_sendfile, SYS_sendmmsg, SYS_sendmsg,
    SYS_sendto, SYS_setsockopt, SYS_shutdown, SYS_socket, SYS_splice, SYS_write, SYS_writev, c_int, c_long, c_uint,
    c_void, sigset_t,
};
use std::ptr;

/// If a caller passes fewer arguments, the others are whatever their registers hold; no system call reads them.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn syscall(
    number: c_long,
    a: c_long,
    b: c_long,
    c: c_long,
    d: c_long,
    e: c_long,
    f: c_long,
) -> c_long {
    // SAFETY: the arguments are the caller's, for the system call of this number.
    if let Some(result) = unsafe { served(number, [a, b, c, d, e, f]) } {
        return result;
    }
    // SAFETY: the arguments are the caller's, for the system call of this number.
    match unsafe { real_call(number, [a, b, c, d, e, f]) } {
        Some(result) => result,
        None => crate::errno::answer(|| Err(algkit_afalg::Errno::NOSYS)),
    }
}

unsafe fn real_call(number: c_long, [a, b, c, d, e, f]: [c_long; 6]) -> Option<c_long> {
    let real = real!(fn syscall(c_long, c_long, c_long, c_long, c_long, c_long, c_long) -> c_long)?;
    // SAFETY: the arguments are the caller's, for the system call of this number.
    Some(unsafe { real(number, a, b, c, d, e, f) })
}

/// The number of `io_pgetevents`.
const SYS_IO_PGETEVENTS: c_long = if cfg!(target_arch = "x86_64") { 333 } else { 292 };

/// An argument that is a pointer.
fn at<T>(argument: c_long) -> *mut T {
    ptr::with_exposed_provenance_mut(argument as usize)
}

unsafe fn served(number: c_long, arguments: [c_long; 6]) -> Option<c_long> {
    use crate::{descriptor as fd, exec, ioctl, message, open, poll, select, socket, splice};

    let [a, b, c, d, e, f] = arguments;
    let [int_a, int_b, int_c, int_d] = [a, b, c, d].map(|argument| argument as c_int);
    let ours = |fd: c_int| table::entry(fd).is_some();
    // SAFETY: the arguments are the caller's, for the system call of this number, and the function takes the same.
    Some(unsafe {
        match number {
            SYS_socket if serves(int_a, int_c) => socket::socket(int_a, int_b, int_c).into(),
            SYS_openat => open::by_number(int_a, at(b), int_c, || real_call(number, arguments))?,
            #[cfg(target_arch = "x86_64")]
            libc::SYS_open => open::by_number(libc::AT_FDCWD, at(a), int_b, || real_call(number, arguments))?,
            SYS_io_setup if reserve::is_filtered() => answered(|| aio::set_up(a, at(b))),
            SYS_eventfd2 if reserve::gives_event(int_b) => answered(|| reserve::take_event(a as c_uint)),
            SYS_seccomp => errno::answer(|| confine::confine(number, [a, b, c, d, e])),
            SYS_prctl if int_a == PR_SET_SECCOMP => errno::answer(|| confine::confine(number, [a, b, c, d, e])),
            SYS_prlimit64 if c != 0 => {
                confine::before_limit(b as c_uint);
                return None;
            }
            SYS_io_submit if aio::concerns(b, at(c)) => answered(|| aio::submit(a as u64, b, at(c))),
            SYS_io_getevents if aio::is_known(a as u64) => answered(|| aio::get_events(a as u64, b, c, at(d), at(e))),
            SYS_IO_PGETEVENTS if aio::is_known(a as u64) => {
                answered(|| aio::masked(mask(f), || aio::get_events(a as u64, b, c, at(d), at(e))))
            }
            SYS_io_destroy if aio::is_known(a as u64) => answered(|| aio::destroy(a as u64)),
            SYS_ppoll if poll::serves(at(a), b) => {
                poll::ppoll(at(a), b as libc::nfds_t, at(c), at::<sigset_t>(d)).into()
            }
            #[cfg(target_arch = "x86_64")]
            libc::SYS_poll if poll::serves(at(a), b) => poll::poll(at(a), b as libc::nfds_t, int_c).into(),
            SYS_pselect6 if select::serves(int_a, [b, c, d].map(at)) => {
                select::pselect(int_a, at(b), at(c), at(d), at(e), mask(f)).into()
            }
            #[cfg(target_arch = "x86_64")]
            libc::SYS_select if select::serves(int_a, [b, c, d].map(at)) => {
                select::select(int_a, at(b), at(c), at(d), at(e)).into()
            }
            SYS_close_range if fd::serves(a as c_uint, b as c_uint) => {
                fd::close_range(a as c_uint, b as c_uint, int_c).into()
            }
            SYS_epoll_ctl if ours(int_c) => poll::epoll_ctl(int_a, int_b, int_c, at(d)).into(),
            SYS_dup3 if fd::concerns(int_a, int_b) => fd::dup3(int_a, int_b, int_c).into(),
            #[cfg(target_arch = "x86_64")]
            libc::SYS_dup2 if fd::concerns(int_a, int_b) => fd::dup2(int_a, int_b).into(),
            SYS_splice if ours(int_a) || ours(int_c) => {
                splice::splice(int_a, at(b), int_c, at(d), e as usize, f as c_uint) as c_long
            }
            SYS_sendfile if ours(int_a) || ours(int_b) => splice::sendfile(int_a, int_b, at(c), d as usize) as c_long,
            SYS_close if table::knows(int_a) => fd::close(int_a).into(),
            SYS_execve => exec::execve(at(a), at(b), at(c)).into(),
            SYS_execveat => exec::execveat(int_a, at(b), at(c), at(d), e as c_int).into(),
            SYS_clone3 => return pass_on_child(),
            SYS_clone if vfork::lends(a) => return pass_on_child(),
            _ if !ours(int_a) => return None,
            SYS_bind => socket::bind(int_a, at(b), int_c as u32).into(),
            SYS_connect => socket::connect(int_a, at(b), int_c as u32).into(),
            SYS_listen => socket::listen(int_a, int_b).into(),
            SYS_shutdown => socket::shutdown(int_a, int_b).into(),
            SYS_accept => socket::accept(int_a, at(b), at(c)).into(),
            SYS_accept4 => socket::accept4(int_a, at(b), at(c), int_d).into(),
            SYS_getsockname => socket::getsockname(int_a, at(b), at(c)).into(),
            SYS_getpeername => socket::getpeername(int_a, at(b), at(c)).into(),
            SYS_setsockopt => socket::setsockopt(int_a, int_b, int_c, at::<c_void>(d), e as u32).into(),
            SYS_getsockopt => socket::getsockopt(int_a, int_b, int_c, at(d), at(e)).into(),
            SYS_sendto => message::sendto(int_a, at::<c_void>(b), c as usize, int_d, at(e), f as u32) as c_long,
            SYS_sendmsg => message::sendmsg(int_a, at(b), int_c) as c_long,
            SYS_sendmmsg => message::sendmmsg(int_a, at(b), c as c_uint, int_d).into(),
            SYS_write => message::write(int_a, at::<c_void>(b), c as usize) as c_long,
            SYS_writev => message::writev(int_a, at(b), int_c) as c_long,
            SYS_recvfrom => message::recvfrom(int_a, at(b), c as usize, int_d, at(e), at(f)) as c_long,
            SYS_recvmsg => message::recvmsg(int_a, at(b), int_c) as c_long,
            SYS_recvmmsg => message::recvmmsg(int_a, at(b), c as c_uint, int_d, at(e)).into(),
            SYS_read => message::read(int_a, at(b), c as usize) as c_long,
            SYS_readv => message::readv(int_a, at(b), int_c) as c_long,
            SYS_pwritev2 => message::pwritev2(int_a, at(b), int_c, d, f as c_int) as c_long,
            SYS_preadv2 => message::preadv2(int_a, at(b), int_c, d, f as c_int) as c_long,
            SYS_dup => fd::dup(int_a).into(),
            SYS_fcntl => fd::fcntl(int_a, int_b, c).into(),
            SYS_ioctl => ioctl::ioctl(int_a, b as libc::Ioctl, at(c)).into(),
            _ => return None,
        }
    })
}

/// Records that a child may run in this process's memory; the call then goes on.
fn pass_on_child() -> Option<c_long> {
    process::share_memory();
    None
}

fn answered(body: impl FnOnce() -> Result<c_int, algkit_afalg::Errno>) -> c_long {
    crate::errno::answer(body).into()
}

/// The signal mask, which some calls pass as a pointer to mask and size.
unsafe fn mask(argument: c_long) -> *const sigset_t {
    // SAFETY: the pointer is null or points to a mask and its size, as the system call demands of the caller.
    unsafe { at::<*const sigset_t>(argument).as_ref() }.copied().unwrap_or(ptr::null())
}
