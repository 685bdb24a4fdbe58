//! Tests `algkit run`: exit status, output and errors.

mod common;

use common::{Folder, algkit, fails, ok};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use std::{
    path::Path,
    process::{Command, Output},
};

/// Has another process write a program. A file that a process has open for writing cannot be executed, and while this
/// process writes one, a thread that starts a program passes the open file on to it.
fn install(from: &Path, to: &Path) {
    assert!(Command::new("install").args(["-m", "755"]).args([from, to]).status().unwrap().success());
}

/// Runs `algkit run` with these arguments.
fn run(arguments: &[&str]) -> Output {
    algkit().arg("run").args(arguments).output().unwrap()
}

fn status(output: &Output) -> Option<i32> {
    output.status.code()
}

#[test]
fn a_program_is_served_in_both_ways() {
    for via in ["preload", "seccomp"] {
        let output = run(&["--via", via, "--", "cat", "/proc/crypto"]);
        let text = String::from_utf8(ok(&output).to_vec()).unwrap();
        assert!(text.contains("name         : cbc(aes)\n"), "{via}: {text}");
    }
}

#[test]
fn the_status_is_the_programs() {
    assert_eq!(status(&run(&["sh", "-c", "exit 7"])), Some(7));
    assert_eq!(status(&run(&["--via", "seccomp", "sh", "-c", "exit 7"])), Some(7));
    // With preload the program has replaced the process. The supervisor exits with the status that shells use.
    assert_eq!(status(&run(&["sh", "-c", "kill -9 $$"])), None);
    assert_eq!(status(&run(&["--via", "seccomp", "sh", "-c", "kill -9 $$"])), Some(137));
}

/// A program that makes a socket for a hash, and exits with 7.
const HASHES: &str = r#"
    socket(my $socket, 38, 5, 0) or die;
    bind($socket, pack("S a14 L L a64", 38, "hash", 0, 0, "sha256")) or die;
    my $accept = `uname -m` =~ /x86_64/ ? 43 : 202;
    syscall($accept, fileno($socket), 0, 0) >= 0 or die;
    exit 7"#;

#[test]
fn statistics_that_cannot_be_written_leave_the_status_as_it_is() {
    for via in ["preload", "seccomp"] {
        let output = run(&["--via", via, "--stats=/dev/full", "--", "perl", "-e", HASHES]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(status(&output), Some(7), "{via}: {said}");
        assert_eq!(said.lines().count(), 1, "{via}: {said}");
        assert!(said.contains("cannot write"), "{via}: {said}");
    }
}

#[test]
fn what_stands_in_the_supervisors_way_is_named() {
    let limited = "ulimit -n 100; exec \"$0\" run --via seccomp true";
    let output = Command::new("sh").args(["-c", limited]).arg(env!("CARGO_BIN_EXE_algkit")).output().unwrap();
    let line = fails(&output, 2);
    assert_eq!(line, "algkit: cannot serve `true` by --via seccomp: the limit of open files, 100, is too low\n");
}

#[test]
fn a_limit_that_would_not_hold_is_refused() {
    for option in ["--files", "--memory", "--threads"] {
        let line = fails(&run(&["--via", "preload", option, "3", "true"]), 2);
        assert_eq!(line, format!("algkit: {option}: --via preload has no limits; --via seccomp has\n"));
        ok(&run(&["--via", "seccomp", option, "3", "true"]));
    }
}

#[test]
fn arguments_are_passed_on_as_they_are() {
    let output = run(&["printf", "%s|", "-n", "--via", "", "a b"]);
    assert_eq!(ok(&output), b"-n|--via||a b|");
    // Options that algkit has, too, are the program's if they come after its name.
    assert_eq!(ok(&run(&["echo", "--log", "3", "--stats"])), b"--log 3 --stats\n");
}

#[test]
fn a_program_is_tied_only_to_who_has_started_it() {
    use std::os::unix::process::CommandExt;
    let tied = |parent: u32| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_algkit"));
        command.arg0("algkit-tied").args([&parent.to_string(), "/bin/true"]).output().unwrap()
    };
    assert_eq!(tied(std::process::id()).status.code(), Some(0));
    assert!(common::fails(&tied(0), 126).contains("is gone"));
}

#[test]
fn what_cannot_be_run() {
    let folder = Folder::new();
    folder.write("plain", "#!/bin/sh\n");
    let plain = folder.0.path().join("plain");
    let missing = fails(&run(&["--", "no-such-program"]), 127);
    assert_eq!(
        missing,
        "algkit: cannot run `no-such-program`: No such file or directory
"
    );
    let pipe = folder.0.path().join("pipe");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::RWXU, 0).unwrap();
    for file in [plain, pipe] {
        let refused = fails(&run(&[file.to_str().unwrap()]), 126);
        assert!(refused.ends_with(": Permission denied\n"), "{refused}");
    }
    fails(&run(&[]), 2);
    fails(&run(&["--via", "magic", "true"]), 2);
}

#[test]
fn a_script_is_served_through_its_interpreter() {
    let folder = Folder::new();
    folder.write("text", "#!/bin/sh\ntest -c /dev/crypto && echo it is there\n");
    let script = folder.0.path().join("script");
    install(&folder.0.path().join("text"), &script);
    assert_eq!(ok(&run(&[script.to_str().unwrap()])), b"it is there\n");
}

#[test]
fn the_library_stands_before_others() {
    let output =
        algkit().args(["run", "sh", "-c", "echo $LD_PRELOAD"]).env("LD_PRELOAD", "libm.so.6").output().unwrap();
    let value = String::from_utf8(ok(&output).to_vec()).unwrap();
    let (ours, others) = value.trim_end().split_once(':').unwrap();
    assert!(ours.starts_with('/') && ours.ends_with("/libalgkit_preload.so"), "{value}");
    assert_eq!(others, "libm.so.6");
}

#[test]
fn the_library_has_to_be_there() {
    let folder = Folder::new();
    let absent = folder.0.path().join("absent.so");
    let output = algkit().args(["run", "true"]).env("ALGKIT_PRELOAD", &absent).output().unwrap();
    assert!(fails(&output, 2).contains(absent.to_str().unwrap()));

    folder.write("with space.so", "");
    let spaced = folder.0.path().join("with space.so");
    let output = algkit().args(["run", "true"]).env("ALGKIT_PRELOAD", &spaced).output().unwrap();
    assert!(fails(&output, 2).contains("no spaces"));
}

/// The state after `cargo install`, which installs no library.
#[test]
fn a_command_without_its_library_serves_by_seccomp() {
    let folder = Folder::new();
    install(env!("CARGO_BIN_EXE_algkit").as_ref(), folder.path("algkit").as_ref());
    let alone = |arguments: &[&str]| Command::new(folder.path("algkit")).args(arguments).output().unwrap();
    let output = alone(&["run", "--", "cat", "/proc/crypto"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("name         : cbc(aes)\n"));
    assert!(fails(&output, 0).contains("serving by seccomp"));
    // An explicit request for the library fails.
    assert!(fails(&alone(&["run", "--via", "preload", "true"]), 2).contains("libalgkit_preload.so is not in "));
    assert!(ok(&alone(&["run", "--via", "seccomp", "true"])).is_empty());
}

#[test]
fn a_broken_pipe_is_ignored_if_it_was() {
    for (via, trap, ignored) in
        [("preload", "trap '' PIPE", true), ("seccomp", "trap '' PIPE", true), ("seccomp", ":", false)]
    {
        let script = format!("{trap}; exec \"$0\" run --via {via} -- grep SigIgn /proc/self/status");
        let output = Command::new("sh").args(["-c", &script, env!("CARGO_BIN_EXE_algkit")]).output().unwrap();
        let mask = String::from_utf8(ok(&output).to_vec()).unwrap();
        let mask = u64::from_str_radix(mask.trim_start_matches("SigIgn:").trim(), 16).unwrap();
        assert_eq!(mask >> 12 & 1 == 1, ignored, "{via}, {trap}: {mask:x}");
    }
}

/// Also signals of real time, which containers are stopped by, and those of watchdogs.
#[test]
fn signals_reach_the_program() {
    for signal in ["15", "6", "35"] {
        let folder = Folder::new();
        let ready = folder.arg("ready");
        let script = format!("trap 'exit 7' {signal}; : >\"$0\"; while :; do sleep 0.05; done");
        let mut program = algkit().args(["run", "--via", "seccomp", "sh", "-c", &script, &ready]).spawn().unwrap();
        while !folder.path("ready").exists() {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        assert!(
            Command::new("kill").args([&format!("-{signal}"), &program.id().to_string()]).status().unwrap().success()
        );
        assert_eq!(program.wait().unwrap().code(), Some(7), "signal {signal}");
    }
}

#[test]
fn statistics_go_to_the_file_that_was_there_at_the_start() {
    let folder = Folder::new();
    let (stats, other) = (folder.arg("stats"), folder.write("other", "stays"));
    let script = "cat /proc/crypto >/dev/null; mv \"$0\" \"$0.moved\"; ln -s \"$1\" \"$0\"";
    ok(&run(&["--via", "seccomp", &format!("--stats={stats}"), "sh", "-c", script, &stats, &other]));
    assert_eq!(folder.read("other"), b"stays");
    assert!(folder.path("stats.moved").exists());
}
