//! `algkit run` changes nothing for programs that do not use AF_ALG.

mod command;

use command::run::{Via, output, under};
use std::{
    env,
    os::unix::process::ExitStatusExt,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// The outputs of a script under `algkit run` and without it.
fn both(via: Via, script: &str) -> [std::process::Output; 2] {
    let mut bare = Command::new("sh");
    [output(under(via, "sh").args(["-c", script])), output(bare.env("LC_ALL", "C.UTF-8").args(["-c", script]))]
}

#[test]
fn output_status_and_signals() {
    for via in [Via::Preload, Via::Seccomp] {
        for script in [
            "echo out; echo err >&2; exit 7",
            "cat /proc/self/cmdline | tr '\\0' ' '",
            "pwd; umask; ulimit -n; id",
            "trap 'echo caught; exit 3' TERM; kill -TERM $$; exit 4",
            "yes | head -3",
            "python3 -c 'import socket; a, b = socket.socketpair(); a.send(b\"x\"); print(b.recv(9), b.fileno())'",
            "printf %s \"$LD_LIBRARY_PATH|$HOME\"; env | grep -v -e LD_PRELOAD -e ALGKIT -e ^_= | sort",
            "no-such-program; echo $?",
        ] {
            let [ours, bare] = both(via, script);
            assert_eq!(ours.status.code(), bare.status.code(), "{script} by {via:?}");
            assert_eq!(
                (String::from_utf8_lossy(&ours.stdout), String::from_utf8_lossy(&ours.stderr)),
                (String::from_utf8_lossy(&bare.stdout), String::from_utf8_lossy(&bare.stderr)),
                "{script} by {via:?}"
            );
        }
    }
}

#[test]
fn a_signal_that_kills() {
    let [ours, bare] = both(Via::Preload, "kill -KILL $$");
    assert_eq!((ours.status.signal(), bare.status.signal()), (Some(9), Some(9)));
    // The supervisor's command ends by the same signal, or with the status that a shell gives it.
    let [ours, _] = both(Via::Seccomp, "kill -KILL $$");
    assert!(ours.status.signal() == Some(9) || ours.status.code() == Some(128 + 9), "{}", ours.status);
}

#[test]
fn no_descriptor_is_inherited() {
    for via in [Via::Preload, Via::Seccomp] {
        let [ours, bare] = both(via, "ls /proc/self/fd | wc -l");
        assert_eq!(ours.stdout, bare.stdout, "by {via:?}");
    }
}

#[test]
fn standard_input_is_the_programs() {
    for via in [Via::Preload, Via::Seccomp] {
        let mut echo = Command::new("echo").arg("through").stdout(Stdio::piped()).spawn().expect("echo");
        let cat = under(via, "cat").stdin(echo.stdout.take().expect("a pipe")).output().expect("algkit runs");
        assert_eq!(cat.stdout, b"through\n");
        assert!(echo.wait().expect("echo").success());
    }
}

#[test]
fn programs_that_cannot_be_run() {
    for (program, status) in [("/no/such/program", 127), ("/etc/passwd", 126)] {
        let run = output(&mut under(Via::Preload, program));
        assert_eq!(run.status.code(), Some(status), "{program}");
    }
    assert_eq!(output(Command::new(command::algkit()).arg("run")).status.code(), Some(2));
}

/// The cost is printed and not asserted, because machines differ.
#[test]
fn cost_of_a_start() {
    let time = |command: &mut Command| {
        (0..30)
            .map(|_| {
                let start = Instant::now();
                assert!(command.status().expect("it runs").success());
                start.elapsed()
            })
            .min()
            .unwrap_or(Duration::ZERO)
    };
    let bare = time(&mut Command::new("true"));
    for via in [Via::Preload, Via::Seccomp] {
        let ours = time(&mut under(via, "true"));
        println!("`true` by {via:?}: {:?} more than {bare:?}", ours.saturating_sub(bare));
    }
    assert!(env::var_os("LD_PRELOAD").is_none_or(|value| value.is_empty()), "measured under another library");
}

/// AddressSanitizer refuses to start behind another library.
#[test]
fn a_program_with_address_sanitizer() {
    let folder = command::scratch();
    let (source, program) = (folder.path().join("a.c"), folder.path().join("a"));
    std::fs::write(&source, "#include <stdio.h>\nint main(void) { return puts(\"started\") < 0; }\n").expect("a file");
    let mut gcc = Command::new("gcc");
    command::run::stdout(gcc.args(["-fsanitize=address", "-o"]).arg(&program).arg(&source));
    let said = command::run::stdout(&mut under(Via::Default, &program));
    assert_eq!(String::from_utf8_lossy(&said), "started\n");
}
