//! Processes: what they are told, how they end, and who is left.

use crate::{alone, client::*, is_inside, supervised};
use algkit_supervisor::{Error, Options, Unavailable};
use std::{
    mem::zeroed,
    os::unix::process::ExitStatusExt,
    process::Command,
    ptr,
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

/// Bit `n` is signal `n + 1`.
fn ignored_signals(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("a status");
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).expect("ignored signals");
    u64::from_str_radix(line.trim(), 16).expect("a mask")
}

supervised! {
    fn signals_are_as_they_were() {
        // SAFETY: zero is a value of both structures.
        unsafe {
            let mut mask: libc::sigset_t = zeroed();
            libc::pthread_sigmask(libc::SIG_SETMASK, ptr::null(), &raw mut mask);
            for signal in 1..32 {
                assert_eq!(libc::sigismember(&raw const mask, signal), 0, "signal {signal} is blocked");
            }
            // What the supervisor ignores, by `nohup` or Rust's runtime, its program ignores.
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
