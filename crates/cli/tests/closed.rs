//! Standard descriptors that are closed when the command begins. Rust's runtime opens /dev/null in their places, and takes them for an empty input and
//! for an output that has worked.

mod common;

use common::{Folder, fails, hex, ok};
use std::process::{Command, Output};

/// Runs the command with a redirection of the shell's.
fn redirected(redirection: &str, args: &[&str]) -> Output {
    let script = format!("exec \"$0\" \"$@\" {redirection}");
    Command::new("sh").args(["-c", &script, env!("CARGO_BIN_EXE_algkit")]).args(args).output().unwrap()
}

#[test]
fn a_closed_output_is_an_error() {
    let folder = Folder::new();
    let (file, key) = (folder.write("text", "text"), hex(16));
    let commands: [&[&str]; 5] = [
        &["list"],
        &["--help"],
        &["completions", "bash"],
        &["dgst", "-c", "sha256", &file],
        &["enc", "-c", "gcm(aes)", "-k", &key, "-i", &file],
    ];
    for command in commands {
        let error = fails(&redirected(">&-", command), 2);
        assert!(error.contains("standard output: Bad file descriptor"), "{command:?}: {error}");
    }
    // Neither has the other name of the output anything behind it.
    let error = fails(&redirected(">&-", &[commands[4], &["-o", "/dev/stdout"]].concat()), 2);
    assert!(error.contains("`/dev/stdout`: No such device"), "{error}");
    // What prints nothing needs none.
    let output = folder.arg("sealed");
    ok(&redirected(">&-", &["enc", "-c", "gcm(aes)", "-k", &key, "-i", &file, "-o", &output]));
    assert_eq!(folder.read("sealed").len(), 12 + 4 + 16);
}

#[test]
fn a_closed_input_is_not_an_empty_one() {
    let key = hex(16);
    let commands: [&[&str]; 4] = [
        &["dgst", "-c", "sha256"],
        &["dgst", "-c", "sha256", "--check"],
        &["enc", "-c", "gcm(aes)", "-k", &key],
        &["enc", "-c", "gcm(aes)", "-k", &key, "--stream"],
    ];
    for command in commands {
        let error = fails(&redirected("<&-", command), 2);
        assert!(error.contains("standard input: Bad file descriptor"), "{command:?}: {error}");
    }
    for command in [&["dgst", "-c", "sha256", "/dev/stdin"][..], &[commands[2], &["-i", "/dev/stdin"]].concat()] {
        let error = fails(&redirected("<&-", command), 2);
        assert!(error.contains("`/dev/stdin`: No such device"), "{command:?}: {error}");
    }
}

#[test]
fn a_program_gets_what_the_command_has() {
    for via in ["preload", "seccomp"] {
        for closed in 0..3 {
            let script = "test ! -e /proc/$$/fd/$0 || exit 5";
            let args = ["run", "--via", via, "--", "sh", "-c", script, &closed.to_string()];
            let output = redirected(&format!("{closed}>&-"), &args);
            assert_eq!(output.status.code(), Some(0), "{via}, {closed}");
        }
    }
}
