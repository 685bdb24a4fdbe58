//! Processes: their signals, their exit, and orphans.

use crate::{alone, client::*, is_inside, supervised};
use algkit_supervisor::{Error, Options, Unavailable};
use std::{
    mem::zeroed,
    os::unix::process::ExitStatusExt,
    process::{Command, Output},
    ptr,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

fn shell(script: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", script]);
    command
}

fn run(command: Command) -> Result<std::process::ExitStatus, Error> {
    alone(command, &Options::default())
}

#[test]
fn its_status_is_the_programs() {
    assert_eq!(run(shell("exit 7")).expect("run").code(), Some(7));
    assert_eq!(run(shell("kill -9 $$")).expect("run").signal(), Some(9));
}

#[test]
fn a_program_that_is_not_there() {
    match run(Command::new("/nonesuch/program")) {
        Err(Error::Spawn { program, source }) => {
            assert_eq!(program, "/nonesuch/program");
            assert_eq!(source.raw_os_error(), Some(libc::ENOENT));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn orphans_are_served_to_the_end() {
    let start = Instant::now();
    let status = run(shell("(sleep 0.3; exec head -c 16 /proc/crypto >/dev/null) & exit 3")).expect("run");
    assert_eq!(status.code(), Some(3));
    assert!(start.elapsed() >= Duration::from_millis(300));
}

#[test]
fn one_supervisor_is_all() {
    if !is_inside() {
        let status = crate::start("process::one_supervisor_is_all", &Options::default());
        assert!(status.success(), "{status}");
        return;
    }
    match run(shell("exit 0")) {
        Err(Error::Unavailable(Unavailable::Supervised)) => {}
        other => panic!("{other:?}"),
    }
}

/// The mask of ignored signals, in which bit `n` is signal `n + 1`.
fn ignored_signals(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("a status");
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).expect("ignored signals");
    u64::from_str_radix(line.trim(), 16).expect("a mask")
}

supervised! {
    fn signals_are_as_they_were() {
        // SAFETY: zeros are a valid value of both structures, which the calls fill.
        unsafe {
            let mut mask: libc::sigset_t = zeroed();
            libc::pthread_sigmask(libc::SIG_SETMASK, ptr::null(), &raw mut mask);
            for signal in 1..32 {
                assert_eq!(libc::sigismember(&raw const mask, signal), 0, "signal {signal} is blocked");
            }
            // The program inherits the signals that the supervisor ignores, because of `nohup` or of Rust's runtime.
            let ignored = ignored_signals(std::os::unix::process::parent_id());
            for signal in (1..32).filter(|signal| ![libc::SIGSEGV, libc::SIGBUS].contains(signal)) {
                let mut action: libc::sigaction = zeroed();
                libc::sigaction(signal, ptr::null(), &raw mut action);
                let expected = if ignored >> (signal - 1) & 1 == 1 { libc::SIG_IGN } else { libc::SIG_DFL };
                assert_eq!(action.sa_sigaction, expected, "signal {signal}");
            }
        }
    }
}

supervised! {
    fn nothing_of_the_supervisor_is_inherited() {
        let names: Vec<_> = std::fs::read_dir("/proc/self/fd")
            .expect("a folder")
            .filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok())
            .collect();
        assert!(!names.iter().any(|name| name.to_string_lossy().contains("seccomp")), "{names:?}");
    }
}

supervised! {
    fn threads_have_sockets_of_their_own() {
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        let socket = hash("sha256");
                        send(&socket, b"abc", 0).expect("sent");
                        assert_eq!(digest(&socket), ABC);
                    }
                });
            }
        });
    }
}

supervised! {
    fn a_tree_of_processes() {
        let depth = |levels: i32| {
            fn descend(levels: i32) -> i32 {
                let socket = hash("sha256");
                send(&socket, b"abc", 0).expect("sent");
                let right = digest(&socket) == ABC;
                if levels == 0 || !right { i32::from(!right) } else { fork(|| descend(levels - 1)) }
            }
            descend(levels)
        };
        assert_eq!(depth(10), 0);
    }
}

/// The path of this crate's example: a supervisor without other threads, as in the command.
fn supervisor() -> std::path::PathBuf {
    let tests = std::env::current_exe().expect("a path");
    let example = tests.ancestors().nth(2).expect("a build folder").join("examples/supervise");
    assert!(example.exists(), "{} is built by cargo test without --test", example.display());
    example
}

#[test]
fn a_limit_of_files_that_leaves_none_to_serve_is_told() {
    if is_inside() {
        let socket = hash("sha256");
        send(&socket, b"abc", 0).expect("sent");
        assert_eq!(digest(&socket), ABC);
        return;
    }
    for (limit, expected) in [("-n 399", 2), ("-n 400", 0), ("-S -n 31", 2), ("-S -n 32", 0)] {
        let name = "process::a_limit_of_files_that_leaves_none_to_serve_is_told";
        let said = after(&mut Command::new("sh"), &format!("ulimit {limit}"), name);
        assert_eq!(said.status.code(), Some(expected), "ulimit {limit}: {said:?}");
    }
}

/// Runs test `name` of this program under the example, after `shell` has carried out `script`.
fn after(shell: &mut Command, script: &str, name: &str) -> Output {
    let tests = std::env::current_exe().expect("a path");
    shell.args(["-c", &format!("{script} && exec \"$@\""), "sh"]).arg(supervisor()).arg(tests);
    shell.args(["--exact", name, "--quiet"]).env(crate::INSIDE, "1").output().expect("it runs")
}

#[test]
fn a_limit_on_the_length_of_files_ends_nobody() {
    if is_inside() {
        assert_eq!(errno(std::fs::File::open("/proc/crypto")), libc::EFBIG);
        let socket = hash("sha256");
        send(&socket, b"abc", 0).expect("sent");
        assert_eq!(digest(&socket), ABC);
        return;
    }
    let said = after(&mut Command::new("sh"), "ulimit -f 1", "process::a_limit_on_the_length_of_files_ends_nobody");
    assert!(said.status.success(), "{said:?}");
}

#[test]
fn no_call_fails_because_the_supervisor_was_stopped() {
    if is_inside() {
        // SAFETY: the calls take no pointers. The parent is the supervisor, which continues after two seconds.
        let signal = |signal| assert_eq!(unsafe { libc::kill(libc::getppid(), signal) }, 0);
        let (text, over) = (vec![0; 1 << 20], AtomicBool::new(false));
        // More threads than a program has in the supervisor, so that some calls wait for one.
        std::thread::scope(|scope| {
            for _ in 0..40 {
                scope.spawn(|| {
                    let socket = hash("sha256");
                    while !over.load(Ordering::Relaxed) {
                        send(&socket, &text, 0).expect("sent");
                    }
                });
            }
            std::thread::sleep(Duration::from_millis(300));
            signal(libc::SIGSTOP);
            std::thread::sleep(Duration::from_secs(2));
            signal(libc::SIGCONT);
            std::thread::sleep(Duration::from_millis(300));
            over.store(true, Ordering::Relaxed);
        });
        return;
    }
    let said = after(&mut Command::new("sh"), "true", "process::no_call_fails_because_the_supervisor_was_stopped");
    assert!(said.status.success(), "{said:?}");
}

/// `unshare` with these arguments, and with a user namespace where only root may do without.
fn unshare(args: &[&str]) -> Command {
    let mut unshare = Command::new("unshare");
    // SAFETY: the call takes no pointers.
    if unsafe { libc::geteuid() } != 0 {
        unshare.args(["--user", "--map-root-user"]);
    }
    unshare.args(args);
    unshare
}

#[test]
fn a_proc_that_is_missing_or_another_namespaces_is_told() {
    let script = "mount -t tmpfs none /proc && exec \"$@\"";
    let cases: [&[&str]; 2] = [&["--pid", "--fork"], &["--mount", "sh", "-c", script, "sh"]];
    for args in cases {
        let said = unshare(args).arg(supervisor()).arg("true").output().expect("util-linux");
        assert_eq!(said.status.code(), Some(2), "{args:?}: {said:?}");
        assert!(String::from_utf8_lossy(&said.stderr).contains("/proc is not mounted"), "{said:?}");
    }
}

#[test]
fn when_proc_goes_no_descriptor_is_replaced() {
    if is_inside() {
        let socket = hash("sha256");
        let (kind, path) = (c"tmpfs".as_ptr(), c"/proc".as_ptr());
        // SAFETY: the arguments are C strings, or null. The supervisor is in the same mount namespace.
        assert_eq!(unsafe { libc::mount(kind, path, kind, 0, ptr::null()) }, 0);
        assert_eq!(errno(bound("hash", "sha256")), libc::EACCES);
        send(&socket, b"abc", 0).expect("sent");
        assert_eq!(digest(&socket), ABC);
        return;
    }
    let said = after(&mut unshare(&["--mount", "sh"]), "true", "process::when_proc_goes_no_descriptor_is_replaced");
    assert!(said.status.success(), "{said:?}");
}

#[test]
fn as_process_one_it_reaps_orphans() {
    let script =
        "for i in 1 2 3 4; do (true & true & exit); done; sleep 0.3; ! grep -q '^State:.Z' /proc/[0-9]*/status";
    let mut unshare = unshare(&["--pid", "--fork", "--mount-proc"]);
    let status = unshare.arg(supervisor()).args(["sh", "-c", script]).status().expect("util-linux");
    assert!(status.success(), "there are zombies");
}

#[test]
fn after_the_program_signals_go_to_its_orphans() {
    let start = Instant::now();
    let mut supervisor =
        Command::new(supervisor()).args(["sh", "-c", "(exec sleep 60) & exit 3"]).spawn().expect("it runs");
    // The supervisor becomes the parent of the program's orphans.
    let parent = format!("PPid:\t{}\n", supervisor.id());
    let is_orphan = |path: std::path::PathBuf| {
        let status = std::fs::read_to_string(path.join("status")).unwrap_or_default();
        status.starts_with("Name:\tsleep\n") && status.contains(&parent)
    };
    while !std::fs::read_dir("/proc").expect("a folder").any(|entry| entry.is_ok_and(|entry| is_orphan(entry.path()))) {
        assert!(start.elapsed() < Duration::from_secs(30), "no orphan");
        std::thread::sleep(Duration::from_millis(5));
    }
    // SAFETY: the child has not been waited for, so its number is still its own.
    assert_eq!(unsafe { libc::kill(supervisor.id() as i32, libc::SIGTERM) }, 0);
    assert_eq!(supervisor.wait().expect("it ends").code(), Some(3));
    assert!(start.elapsed() < Duration::from_secs(50), "the orphan slept on");
}

/// Runs `act` in a process that is in the background of a terminal with `stty tostop`. Returns whether it stopped there.
fn stops_in_the_background(act: impl FnOnce(&mut std::fs::File)) -> bool {
    use std::os::fd::FromRawFd;
    let (mut terminal, mut keyboard) = (0, 0);
    let null = std::ptr::null_mut();
    // SAFETY: the numbers are written to local variables, and the other pointers may be null.
    assert_eq!(unsafe { libc::openpty(&raw mut keyboard, &raw mut terminal, null, null.cast(), null.cast()) }, 0);
    // SAFETY: the descriptor is new, so nothing else owns it.
    let mut file = unsafe { std::fs::File::from_raw_fd(terminal) };
    let session = || {
        // SAFETY: the calls change this process and its terminal, and write to local variables.
        unsafe {
            assert!(libc::setsid() > 0);
            assert_eq!(libc::ioctl(terminal, libc::TIOCSCTTY, 0), 0);
            let mut modes: libc::termios = std::mem::zeroed();
            assert_eq!(libc::tcgetattr(terminal, &raw mut modes), 0);
            modes.c_lflag |= libc::TOSTOP;
            assert_eq!(libc::tcsetattr(terminal, libc::TCSANOW, &raw const modes), 0);
            let job = libc::fork();
            if job == 0 {
                libc::setpgid(0, 0);
                act(&mut file);
                libc::_exit(0);
            }
            let mut status = 0;
            assert_eq!(libc::waitpid(job, &raw mut status, libc::WUNTRACED), job);
            let stopped = libc::WIFSTOPPED(status) && libc::WSTOPSIG(status) == libc::SIGTTOU;
            libc::kill(job, libc::SIGKILL);
            i32::from(stopped)
        }
    };
    let stopped = crate::client::fork(session);
    // SAFETY: the number is that of the terminal's other end.
    unsafe { libc::close(keyboard) };
    stopped == 1
}

#[test]
fn its_own_lines_do_not_stop_it_in_the_background() {
    use std::io::Write;
    assert!(stops_in_the_background(|terminal| terminal.write_all(b"line\n").expect("written")));
    assert!(!stops_in_the_background(|terminal| {
        algkit_supervisor::without_stopping(|| terminal.write_all(b"line\n").expect("written"));
    }));
}
