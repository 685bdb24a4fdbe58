//! The loop in which the supervisor waits for events.

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
    process::{DumpableBehavior, Pid, PidfdFlags, WaitOptions},
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

/// The sources of events, as the numbers that epoll returns.
const LISTENER: u64 = u64::MAX;
const SIGNAL: u64 = u64::MAX - 1;
const EXIT: u64 = u64::MAX - 2;
const BELL: u64 = u64::MAX - 3;
const HANGUPS: u64 = u64::MAX - 4;
const LISTINGS: u64 = u64::MAX - 5;

/// Signals that are passed on to the program, with those of real time. Signals from keys on the terminal reach it anyway. Those that stop a process
/// stop this one too, as a shell expects.
const PASSED_ON: [i32; 12] = [
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGABRT,
    libc::SIGALRM,
    libc::SIGTERM,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGWINCH,
    libc::SIGCONT,
    libc::SIGIO,
    libc::SIGPWR,
];

/// The interval at which the supervisor looks for orphans after the program has ended. SIGCHLD alone is not enough: it
/// does not reach this thread if another one does not block it, and several of them may be merged into one.
const PATROL: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// As long as this lives, other processes of the same user cannot read this process, which has the keys of the programs
/// that it serves.
struct Opaque;

/// The number of [`Opaque`]s, and the state before the first one was made.
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

/// Makes this process the parent of the program's orphans. Where Yama restricts tracing, only an ancestor may read
/// their memory. Also, signals are passed on to them after the program has ended.
struct Adoption {
    /// Whether this process is process 1 of its namespace, which gets all orphans, including those that are not served.
    is_init: bool,
}

impl Adoption {
    fn new() -> Self {
        // If it fails (before Linux 3.4), orphans go to init.
        let _ = rustix::process::set_child_subreaper(Pid::from_raw(1));
        Self { is_init: std::process::id() == 1 }
    }

    /// Those of these children of this process for which no other code waits. These are neither the programs themselves, whose
    /// owners wait for them, nor other children of this process, which do not run under the filter.
    fn orphans(&self, children: impl IntoIterator<Item = u32>) -> Vec<Pid> {
        let programs = launch::programs();
        let own = filters("self");
        let is_orphan = |child: &u32| !programs.contains(child) && (self.is_init || filters(&child.to_string()) > own);
        children.into_iter().filter(is_orphan).filter_map(|child| Pid::from_raw(child as i32)).collect()
    }

    /// Waits for orphans that have exited. The kernel names one child after the other. Only where it names one that
    /// other code waits for are all processes examined, which takes long if there are many.
    fn reap(&self) {
        let wait = |orphan: Pid| _ = rustix::process::waitpid(Some(orphan), WaitOptions::NOHANG);
        while let Some(child) = sys::exited() {
            match self.orphans([child])[..] {
                [orphan] => wait(orphan),
                _ => return self.orphans(children()).into_iter().for_each(wait),
            }
        }
    }

    /// Sends `signal` to the orphans.
    fn signal(&self, signal: i32) {
        for orphan in self.orphans(children()) {
            sys::kill(orphan, signal);
        }
    }
}

/// The children of this process.
fn children() -> Vec<u32> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let is_child = |child: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
        // The name, in parentheses, may contain anything. The state and the parent follow it.
        let parent = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_ascii_whitespace().nth(1)?.parse().ok());
        parent == Some(std::process::id())
    };
    numbers.filter(is_child).collect()
}

/// The number of seccomp filters that a process runs under, also after it has exited.
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
    waited_for.extend(libc::SIGRTMIN()..=libc::SIGRTMAX());
    waited_for.push(libc::SIGCHLD);
    // A log in a file that is as long as it may be must not end this process. Then writing fails.
    waited_for.push(libc::SIGXFSZ);
    let signals = Signals::block(&waited_for).map_err(Error::system("signalfd"))?;
    let adoption = Adoption::new();
    // It must come before the program can do anything. The program starts as a copy of this process that is opaque as
    // well, and `exec` ends that.
    let _opaque = Opaque::new();
    let launch::Launched { mut child, listener, ranges, interruptible } = launch::launch(command, &signals, options)?;
    let program = child.id();
    let served = Server::new(program as i32, listener, ranges, interruptible, options)
        .and_then(|server| serve(server, &mut child, &signals, &adoption, options.on_usr1));
    if served.is_err() {
        // The program may still run, and nobody would answer its calls.
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
    // For the listener, epoll reports only its end; the leader takes the notifications.
    epoll::add(&epoll, server.listener(), EventData::new_u64(LISTENER), EventFlags::empty())
        .map_err(Error::system("epoll_ctl"))?;
    let sources = [(server.bell(), BELL), (server.hangups(), HANGUPS), (signals.fd(), SIGNAL), (pidfd.as_fd(), EXIT)];
    for (fd, token) in sources.into_iter().chain(server.listings().closed().map(|fd| (fd, LISTINGS))) {
        epoll::add(&epoll, fd, EventData::new_u64(token), EventFlags::IN).map_err(Error::system("epoll_ctl"))?;
    }
    let threads = Threads::new(server.clone())?;
    threads.start()?;
    // It must come after the program has been started, because a child would inherit the slice.
    let _soon = sys::Soon::new();
    let result = attend(&threads, child, &epoll, pidfd.as_fd(), signals, adoption, on_usr1);
    threads.end();
    server.settle();
    result
}

/// Calls `act` on a thread of its own, because it may take long. If it is asked for again before `act` has ended, that
/// thread calls it once more, however often it was asked for. `asked` counts this.
fn on_own_thread(server: &Arc<Server>, asked: &Arc<AtomicUsize>, act: fn()) {
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

/// The exit status of the program, if it has ended.
fn ended(child: &mut Child, server: &Server) -> Result<Option<ExitStatus>, Error> {
    let status = child.try_wait().map_err(|source| Error::System { call: "waitpid", source })?;
    if status.is_some() {
        server.programs.first_has_ended();
    }
    Ok(status)
}

/// Sends a signal to the program, or after its end to the orphans that it has left.
fn pass_on(signal: i32, program: Option<BorrowedFd<'_>>, adoption: &Adoption) {
    match program {
        Some(program) => sys::signal(program, signal),
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
                                on_usr1.into_iter().for_each(|act| on_own_thread(server, &asked, act))
                            }
                            signal => {
                                // The program may have ended a moment ago.
                                if status.is_none() {
                                    status = ended(child, server)?;
                                }
                                pass_on(signal, status.is_none().then_some(pidfd), adoption);
                            }
                        }
                    }
                    adoption.reap();
                }
                EXIT => {
                    status = ended(child, server)?;
                    if status.is_some() {
                        epoll::delete(epoll, pidfd).map_err(Error::system("epoll_ctl"))?;
                    }
                    adoption.reap();
                }
                HANGUPS => server.take_hangups(),
                LISTINGS => server.listings().take_closed(),
                // A worker has something for this thread to do.
                _ => server.answer_bell(),
            }
        }
        if let (true, Some(status)) = (nobody_left, status) {
            return Ok(status);
        }
    }
}
