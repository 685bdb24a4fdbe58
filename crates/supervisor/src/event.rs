//! What the supervisor waits for.

use crate::{
    Error, Options, launch,
    server::Server,
    sys::{self, Signals},
    target,
    trace::Ended,
};
use rustix::{
    event::epoll::{self, CreateFlags, Event, EventData, EventFlags},
    io::Errno,
    process::{DumpableBehavior, Pid, PidfdFlags, Signal, WaitOptions},
    time::Timespec,
};
use std::{
    mem::MaybeUninit,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    process::{Child, Command, ExitStatus},
    sync::{Mutex, PoisonError},
};

/// What an event is of.
const LISTENER: u64 = u64::MAX;
const SIGNAL: u64 = u64::MAX - 1;
const EXIT: u64 = u64::MAX - 2;
const BELL: u64 = u64::MAX - 3;
const HANGUPS: u64 = u64::MAX - 4;

/// Signals that are passed on. Those that a key on the terminal sends reach the program anyway.
const PASSED_ON: [i32; 8] = [
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGTERM,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGWINCH,
    libc::SIGCONT,
];

/// How often calls that wait are looked after.
const TICK: Timespec = Timespec { tv_sec: 0, tv_nsec: 10_000_000 };

/// How often orphans are looked after when the program has ended. SIGCHLD alone does not tell of all: it does not reach
/// this thread if another one does not block it, and several of them are one.
const PATROL: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// Makes this process opaque to others of its user, who could otherwise read the keys of the programs it serves.
struct Opaque;

/// How many ask for it, and how it was before the first of them.
static OPAQUE: Mutex<(usize, Option<DumpableBehavior>)> = Mutex::new((0, None));

impl Opaque {
    fn new() -> Self {
        let mut opaque = OPAQUE.lock().unwrap_or_else(PoisonError::into_inner);
        if opaque.0 == 0 {
            let before = rustix::process::dumpable_behavior().ok();
            let set = rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable);
            opaque.1 = before.filter(|_| set.is_ok());
        }
        opaque.0 += 1;
        Self
    }
}

impl Drop for Opaque {
    fn drop(&mut self) {
        let mut opaque = OPAQUE.lock().unwrap_or_else(PoisonError::into_inner);
        opaque.0 -= 1;
        if let (0, Some(before)) = *opaque {
            let _ = rustix::process::set_dumpable_behavior(before);
        }
    }
}

/// Adopts orphans, where only ancestors may read a process's memory.
struct Adoption(bool);

impl Adoption {
    fn new() -> Self {
        let scope = std::fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").unwrap_or_default();
        let needed = !matches!(scope.trim(), "" | "0");
        Self(needed && rustix::process::set_child_subreaper(Pid::from_raw(1)).is_ok())
    }

    /// Waits for those that have exited, but for the programs themselves, for which their owners wait, for those whose
    /// tracers do, and for children of this process that are not under the filter.
    fn reap(&self) {
        if !self.0 {
            return;
        }
        let programs = launch::programs();
        let own = filters("self");
        while let Some(exited) = sys::exited() {
            let traced = target::line(exited, format_args!("status"), "TracerPid").is_some_and(|tracer| tracer != "0");
            let is_orphan = !traced && !programs.contains(&(exited as u32)) && filters(&exited.to_string()) > own;
            let Some(pid) = Pid::from_raw(exited).filter(|_| is_orphan) else { return };
            if rustix::process::waitpid(Some(pid), WaitOptions::NOHANG).is_err() {
                return;
            }
        }
    }
}

/// How many seccomp filters a process runs under, also when it has exited.
fn filters(pid: &str) -> u32 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let count = status.lines().find_map(|line| line.strip_prefix("Seccomp_filters:"));
    count.and_then(|count| count.trim().parse().ok()).unwrap_or(0)
}

impl Drop for Adoption {
    fn drop(&mut self) {
        if self.0 {
            let _ = rustix::process::set_child_subreaper(None);
        }
    }
}

pub fn supervise(command: Command, options: &Options) -> Result<ExitStatus, Error> {
    let mut waited_for = PASSED_ON.to_vec();
    waited_for.push(libc::SIGCHLD);
    let signals = Signals::block(&waited_for).map_err(Error::system("signalfd"))?;
    let adoption = Adoption::new();
    let launch::Launched { mut child, listener, range, interruptible } = launch::launch(command, &signals, options)?;
    let _opaque = Opaque::new();
    let program = child.id();
    let served = Server::new(program as i32, listener, range, interruptible, options)
        .and_then(|server| serve(&server, &mut child, &signals, &adoption, options));
    if served.is_err() {
        // It may still run, and nobody would answer its calls.
        let _ = child.kill().and_then(|()| child.wait());
    }
    launch::programs().remove(&program);
    served
}

fn serve(
    server: &Server,
    child: &mut Child,
    signals: &Signals,
    adoption: &Adoption,
    options: &Options,
) -> Result<ExitStatus, Error> {
    let pid = Pid::from_child(child);
    let pidfd = rustix::process::pidfd_open(pid, PidfdFlags::empty()).map_err(Error::system("pidfd_open"))?;
    let epoll = epoll::create(CreateFlags::CLOEXEC).map_err(Error::system("epoll_create1"))?;
    for (fd, token) in [
        (server.listener(), LISTENER),
        (server.bell(), BELL),
        (server.hangups(), HANGUPS),
        (signals.fd(), SIGNAL),
        (pidfd.as_fd(), EXIT),
    ] {
        epoll::add(&epoll, fd, EventData::new_u64(token), EventFlags::IN).map_err(Error::system("epoll_ctl"))?;
    }
    std::thread::scope(|scope| {
        for _ in 0..options.workers.max(1) {
            scope.spawn(|| server.work());
        }
        let result = attend(server, child, &epoll, pidfd.as_fd(), signals, adoption);
        server.end();
        result
    })
}

/// Sends a signal to the program, if it is still there.
fn pass_on(program: BorrowedFd<'_>, signal: i32) {
    if let Some(signal) = Signal::from_named_raw(signal) {
        let _ = rustix::process::pidfd_send_signal(program, signal);
    }
}

fn attend(
    server: &Server,
    child: &mut Child,
    epoll: &OwnedFd,
    pidfd: BorrowedFd<'_>,
    signals: &Signals,
    adoption: &Adoption,
) -> Result<ExitStatus, Error> {
    let mut status = None;
    let mut room = [MaybeUninit::<Event>::uninit(); 16];
    loop {
        let timeout = match server.has_parked() {
            true => Some(&TICK),
            false => (adoption.0 && status.is_some()).then_some(&PATROL),
        };
        let events = match epoll::wait(epoll, &mut room, timeout) {
            Ok((events, _)) => events,
            Err(Errno::INTR) => continue,
            Err(errno) => return Err(Error::system("epoll_wait")(errno)),
        };
        if events.is_empty() {
            server.look_after_parked();
            adoption.reap();
        }
        let mut nobody_left = false;
        for event in events.iter() {
            let flags = event.flags;
            match event.data.u64() {
                LISTENER if flags.contains(EventFlags::IN) => server.attend(),
                // The last process under the filter is gone.
                LISTENER => nobody_left = true,
                SIGNAL => {
                    while let Some(arrived) = signals.next() {
                        match arrived.signal {
                            libc::SIGCHLD => {}
                            signal if !arrived.from_kernel => pass_on(pidfd, signal),
                            _ => {}
                        }
                    }
                    adoption.reap();
                }
                EXIT => {
                    status = match server.tracing.ended() {
                        Ended::So(status) => Some(status),
                        // This event comes again until it has.
                        Ended::Soon => None,
                        Ended::Unknown => {
                            child.try_wait().map_err(|source| Error::System { call: "waitpid", source })?
                        }
                    };
                    if status.is_some() {
                        epoll::delete(epoll, pidfd).map_err(Error::system("epoll_ctl"))?;
                    }
                    adoption.reap();
                }
                HANGUPS => server.take_hangups(),
                // A worker has something for this thread to look after, or a tracer has seen somebody's end.
                _ => {
                    server.answer_bell();
                    adoption.reap();
                }
            }
        }
        if let (true, Some(status)) = (nobody_left, status) {
            return Ok(status);
        }
    }
}
