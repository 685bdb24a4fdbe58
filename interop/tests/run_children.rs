//! Programs that are started by a program under `algkit run --via preload`. Each is served, or it runs as without
//! algkit and a line says that it is not served.

mod command;

use command::run::{self, Via, compile, output, stdout, told, under};
use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// A folder that every user may read.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("ours");
    folder
}

/// `child.c`, compiled by a compiler of Debian's `package`.
fn child(folder: &Path, name: &str, package: &str, compiler: &[&str]) -> PathBuf {
    let program = folder.join(name);
    let source = command::run::clients().join("child.c");
    let mut compile = Command::new(compiler[0]);
    compile.args(&compiler[1..]).arg("-o").arg(&program).arg(source);
    let done = compile.output().unwrap_or_else(|e| panic!("{}: {e}; install Debian's {package}", compiler[0]));
    assert!(done.status.success(), "{}", told(&done));
    program
}

/// Asserts that a program ran without being served, and that one line says so.
#[track_caller]
fn assert_alone(output: &Output, name: &str, reason: &str) {
    assert!(output.status.success(), "{}", told(output));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "alone\n", "{name}");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(errors.lines().count(), 1, "{errors}");
    assert!(errors.starts_with("algkit: `") && errors.contains(name) && errors.contains(reason), "{errors}");
}

const WAYS: [&str; 13] = [
    "execve",
    "execv",
    "execvp",
    "execvpe",
    "execl",
    "execlp",
    "execle",
    "fexecve",
    "execveat",
    "syscall",
    "posix_spawn",
    "posix_spawnp",
    "vfork",
];

#[test]
fn every_way_to_start_a_program() {
    let folder = folder();
    let starts = compile(folder.path(), "starts", &[]);
    let served = child(folder.path(), "served", "gcc", &["gcc"]);
    let fixed = child(folder.path(), "fixed", "gcc", &["gcc", "-static"]);
    for way in WAYS {
        let run = |program: &Path| output(under(Via::Preload, &starts).arg(way).arg(program));
        let one = run(&served);
        assert_eq!(told(&one), "served\n", "{way}");
        assert_alone(&run(&fixed), "fixed", "statically linked");
    }
}

#[test]
fn errors_are_the_kernels() {
    let folder = folder();
    let starts = compile(folder.path(), "starts", &[]);
    let bare = stdout(Command::new(&starts).arg("errors").env("LC_ALL", "C.UTF-8"));
    let ours = stdout(under(Via::Preload, &starts).arg("errors"));
    assert_eq!(String::from_utf8_lossy(&ours), String::from_utf8_lossy(&bare));
}

#[test]
fn what_cannot_load_the_library() {
    let folder = folder();
    let starts = compile(folder.path(), "starts", &[]);
    for (name, package, compiler, reason) in [
        (
            "musl",
            "musl-tools",
            &["musl-gcc", "-idirafter", "/usr/include", "-idirafter", "/usr/include/x86_64-linux-gnu"][..],
            "C library",
        ),
        ("asan", "gcc", &["gcc", "-fsanitize=address"], "AddressSanitizer"),
        ("pie", "gcc", &["gcc", "-static-pie"], "statically linked"),
    ] {
        let program = child(folder.path(), name, package, compiler);
        // With an environment that has the library's name, and with an empty one.
        for ours in [
            output(under(Via::Preload, "sh").arg("-c").arg(format!("{}; exit $?", program.display()))),
            output(under(Via::Preload, &starts).arg("execve").arg(&program)),
        ] {
            assert_alone(&ours, name, reason);
        }
        // For a script, its interpreter counts.
        let script = folder.path().join(format!("{name}-script"));
        run::script(&script, &format!("#!{}\n", program.display()));
        assert_alone(&output(under(Via::Preload, "env").arg("-i").arg(&script)), name, reason);
        // Another library in `LD_PRELOAD` stays there.
        let other = format!("LD_PRELOAD=/no/such/library.so:$LD_PRELOAD {}; :", program.display());
        let other = output(under(Via::Preload, "sh").arg("-c").arg(other));
        assert!(other.status.success(), "{}", told(&other));
    }
}

#[test]
fn a_program_is_told_of_once() {
    let folder = folder();
    let fixed = child(folder.path(), "fixed", "gcc", &["gcc", "-static"]);
    let fixed = fixed.display();
    let ours = output(under(Via::Preload, "sh").arg("-c").arg(format!("for i in 1 2 3 4; do {fixed}; done")));
    assert_eq!(String::from_utf8_lossy(&ours.stdout), "alone\n".repeat(4));
    assert_eq!(String::from_utf8_lossy(&ours.stderr).lines().count(), 1, "{}", told(&ours));
    // If standard error is closed or takes nothing, the line is lost, and no program is killed by that.
    for there in ["2>&-", "2>/dev/full", "2>&1 | true"] {
        let script = format!("trap '' USR1; ({fixed} 2>&1 1>&3 | exec true) 3>&1; {fixed} {there}");
        assert!(output(under(Via::Preload, "sh").arg("-c").arg(script)).status.success(), "{there}");
    }
}

#[test]
fn a_program_that_gains_privileges() {
    let folder = folder();
    // The library is copied to where an ordinary user can read it.
    let library = folder.path().join("libalgkit_preload.so");
    let built = command::algkit().parent().expect("a folder").join("deps/libalgkit_preload.so");
    fs::copy(built, &library).expect("the library that is built beside the command");
    let script = "su --version; su --version";
    let is_root = fs::metadata("/proc/self").expect("/proc").uid() == 0;
    let mut ours = match is_root {
        true => {
            let mut ours = under(Via::Preload, "setpriv");
            ours.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all", "sh"]);
            ours
        }
        false => under(Via::Preload, "sh"),
    };
    let ours = output(ours.env("ALGKIT_PRELOAD", &library).args(["-c", script]));
    assert!(ours.status.success() && String::from_utf8_lossy(&ours.stdout).contains("util-linux"), "{}", told(&ours));
    let errors = String::from_utf8_lossy(&ours.stderr);
    let lines: Vec<_> = errors.lines().filter(|line| line.starts_with("algkit")).collect();
    assert_eq!(lines.len(), 1, "{errors}");
    assert!(lines[0].contains("su` is not served: it gains privileges"), "{errors}");
    // A program that has the privileges already does not gain any.
    if is_root {
        assert!(!told(&output(under(Via::Preload, "env").args(["-i", "/usr/bin/su", "--version"]))).contains("algkit"));
    }
}

#[test]
fn scripts_and_interpreters() {
    let folder = folder();
    let served = child(folder.path(), "served", "gcc", &["gcc"]);
    let path = served.display();
    let script = folder.path().join("script");
    run::script(&script, &format!("#!/usr/bin/env -S -i {path}\n"));
    assert_eq!(told(&output(&mut under(Via::Preload, &script))), "served\n");
    for python in [
        format!("import subprocess as s; s.run(['{path}'], env={{}})"),
        format!("import subprocess as s; s.run(['{path}'], env={{}}, close_fds=False)"),
        format!("import os; os.posix_spawn('{path}', ['x'], {{}}); os.wait()"),
        format!("import os; os.execle('{path}', 'x', {{}})"),
    ] {
        assert_eq!(told(&output(under(Via::Preload, "python3").args(["-c", &python]))), "served\n", "{python}");
    }
    // The program is started by one that is not served itself. The loader, which gets the program's name, is not a
    // static program.
    let loader = "/lib64/ld-linux-x86-64.so.2";
    assert_eq!(told(&output(under(Via::Preload, "sh").arg("-c").arg(format!("{loader} {path}; :")))), "served\n");
    // An empty variable says that no library is wanted.
    let refused = format!("LD_PRELOAD= {path}; env -i LD_PRELOAD= {path}");
    assert_eq!(told(&output(under(Via::Preload, "sh").arg("-c").arg(refused))), "alone\nalone\n");
}

#[test]
fn what_was_asked_for_holds_for_children_without_an_environment() {
    let folder = folder();
    let served = child(folder.path(), "served", "gcc", &["gcc"]);
    let mut denied = Command::new(command::algkit());
    denied.args(["run", "--via", "preload", "--deny", "keccak*", "--log", "1", "env", "-i"]).arg(&served);
    let denied = output(&mut denied);
    assert_eq!(denied.stdout, b"alone\n");
    assert!(String::from_utf8_lossy(&denied.stderr).contains("keccak-256"), "{}", told(&denied));
}
