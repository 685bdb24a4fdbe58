//! What the supervisor waits for.

use crate::serve::{
    launch,
    leader::{Threads, Watch},
    server::Server,
    sys::{self, Signals},
};
use crate::{Error, Options};
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
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
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

/// Makes this process the parent of the program's orphans. Where Yama restricts tracing, only an ancestor may read their
/// memory; and signals for them come here once the program has ended.
struct Adoption {
    /// It is process 1 of its namespace, to which all orphans come, also those that are not served.
    is_init: bool,
}

impl Adoption {
    fn new() -> Self {
        // Without it (before Linux 3.4) orphans are init's.
        let _ = rustix::process::set_child_subreaper(Pid::from_raw(1));
        Self { is_init: std::process::id() == 1 }
    }

    /// The children of this process that nobody else waits for: neither the programs themselves, for which their owners
    /// wait, nor others that this process has started, which are not under the filter.
    fn orphans(&self) -> Vec<Pid> {
        let programs = launch::programs();
        let own = filters("self");
        let children = children(std::process::id());
        let is_orphan = |child: &u32| !programs.contains(child) && (self.is_init || filters(&child.to_string()) > own);
        children.into_iter().filter(is_orphan).filter_map(|child| Pid::from_raw(child as i32)).collect()
    }

    /// Waits for the orphans that have exited.
    fn reap(&self) {
        if sys::has_exited() {
            for orphan in self.orphans() {
                let _ = rustix::process::waitpid(Some(orphan), WaitOptions::NOHANG);
            }
        }
    }

    /// Sends the orphans a signal.
    fn signal(&self, signal: Signal) {
        for orphan in self.orphans() {
            let _ = rustix::process::kill_process(orphan, signal);
        }
    }
}

/// The processes whose parent is `pid`.
fn children(pid: u32) -> Vec<u32> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let is_child = |child: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
        // The name, in parentheses, may have anything in it; the state and the parent follow.
        let parent = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_ascii_whitespace().nth(1)?.parse().ok());
        parent == Some(pid)
    };
    numbers.filter(is_child).collect()
}

/// How many seccomp filters a process runs under, also when it has exited.
fn filters(pid: &str) -> u32 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let count = status.lines().find_map(|line| line.strip_prefix("Seccomp_filters:"));
    count.and_then(|count| count.trim().parse().ok()).unwrap_or(0)
}

impl Drop for Adoption {
    fn drop(&mut self) {
        let _ = rustix::process::set_child_subreaper(None);
    }
}

pub fn supervise(command: Command, options: &Options) -> Result<ExitStatus, Error> {
    let mut waited_for = PASSED_ON.to_vec();
    waited_for.push(libc::SIGCHLD);
    let signals = Signals::block(&waited_for).map_err(Error::system("signalfd"))?;
    let adoption = Adoption::new();
    // Before the program can do anything. It starts as a copy that is opaque, too, and `exec` ends that.
    let _opaque = Opaque::new();
    let launch::Launched { mut child, listener, ranges, interruptible } = launch::launch(command, &signals, options)?;
    let program = child.id();
    let served = Server::new(program as i32, listener, ranges, interruptible, options)
        .and_then(|server| serve(server, &mut child, &signals, &adoption, options.on_usr1));
    if served.is_err() {
        // It may still run, and nobody would answer its calls.
        let _ = child.kill().and_then(|()| child.wait());
    }
    launch::programs().remove(&program);
    served
}

fn serve(
    server: Arc<Server>,
    child: &mut Child,
    signals: &Signals,
    adoption: &Adoption,
    on_usr1: Option<fn()>,
) -> Result<ExitStatus, Error> {
    let pid = Pid::from_child(child);
    let pidfd = rustix::process::pidfd_open(pid, PidfdFlags::empty()).map_err(Error::system("pidfd_open"))?;
    let epoll = epoll::create(CreateFlags::CLOEXEC).map_err(Error::system("epoll_create1"))?;
    // Of the listener, only its end: notifications are the leader's.
    epoll::add(&epoll, server.listener(), EventData::new_u64(LISTENER), EventFlags::empty())
        .map_err(Error::system("epoll_ctl"))?;
    for (fd, token) in
        [(server.bell(), BELL), (server.hangups(), HANGUPS), (signals.fd(), SIGNAL), (pidfd.as_fd(), EXIT)]
    {
        epoll::add(&epoll, fd, EventData::new_u64(token), EventFlags::IN).map_err(Error::system("epoll_ctl"))?;
    }
    let threads = Threads::new(server.clone())?;
    threads.start()?;
    // The program has been started: it is not its slice that changes.
    let _soon = sys::Soon::new();
    let result = attend(&threads, child, &epoll, pidfd.as_fd(), signals, adoption, on_usr1);
    threads.end();
    server.settle();
    result
}

/// Does `act` on a thread of its own, as it may take long; and once more, however often it is asked for meanwhile.
fn apart(server: &Arc<Server>, asked: &Arc<AtomicUsize>, act: fn()) {
    if asked.fetch_add(1, Ordering::SeqCst) > 0 {
        return;
    }
    let (server, all) = (server.clone(), asked.clone());
    let work = move || {
        loop {
            let before = all.load(Ordering::SeqCst);
            server.settle();
            act();
            if all.compare_exchange(before, 0, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
                break;
            }
        }
    };
    if std::thread::Builder::new().spawn(work).is_err() {
        asked.store(0, Ordering::SeqCst);
    }
}

/// How the program ended, if it has.
fn ended(child: &mut Child) -> Result<Option<ExitStatus>, Error> {
    child.try_wait().map_err(|source| Error::System { call: "waitpid", source })
}

/// Sends a signal to the program, and when it has ended to the orphans that it has left.
fn pass_on(signal: i32, program: Option<BorrowedFd<'_>>, adoption: &Adoption) {
    let Some(signal) = Signal::from_named_raw(signal) else { return };
    match program {
        Some(program) => _ = rustix::process::pidfd_send_signal(program, signal),
        None => adoption.signal(signal),
    }
}

fn attend(
    threads: &Threads,
    child: &mut Child,
    epoll: &OwnedFd,
    pidfd: BorrowedFd<'_>,
    signals: &Signals,
    adoption: &Adoption,
    on_usr1: Option<fn()>,
) -> Result<ExitStatus, Error> {
    let server = &threads.server;
    let (mut status, mut watch) = (None, Watch::default());
    let asked = Arc::new(AtomicUsize::new(0));
    let mut room = [MaybeUninit::<Event>::uninit(); 16];
    loop {
        let timeout = threads.watch(&mut watch).or_else(|| status.is_some().then_some(PATROL));
        let events = match epoll::wait(epoll, &mut room, timeout.as_ref()) {
            Ok((events, _)) => events,
            Err(Errno::INTR) => continue,
            Err(errno) => return Err(Error::system("epoll_wait")(errno)),
        };
        if events.is_empty() && status.is_some() {
            adoption.reap();
        }
        let mut nobody_left = false;
        for event in events.iter() {
            match event.data.u64() {
                // The last process under the filter is gone.
                LISTENER => nobody_left = true,
                SIGNAL => {
                    while let Some(arrived) = signals.next() {
                        match arrived.signal {
                            libc::SIGCHLD => {}
                            _ if arrived.from_kernel => {}
                            libc::SIGUSR1 if on_usr1.is_some() => {
                                on_usr1.into_iter().for_each(|act| apart(server, &asked, act))
                            }
                            signal => {
                                // It may have ended a moment ago.
                                if status.is_none() {
                                    status = ended(child)?;
                                }
                                pass_on(signal, status.is_none().then_some(pidfd), adoption);
                            }
                        }
                    }
                    adoption.reap();
                }
                EXIT => {
                    status = ended(child)?;
                    if status.is_some() {
                        epoll::delete(epoll, pidfd).map_err(Error::system("epoll_ctl"))?;
                    }
                    adoption.reap();
                }
                HANGUPS => server.take_hangups(),
                // A worker has something for this thread to look after.
                _ => server.answer_bell(),
            }
        }
        if let (true, Some(status)) = (nobody_left, status) {
            return Ok(status);
        }
    }
}
