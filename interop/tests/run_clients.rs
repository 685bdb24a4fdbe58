//! Clients that were written for these tests: some on libraries over AF_ALG, a static one, one in Go, one of
//! `/dev/crypto`, and one that misbehaves.

mod command;

use command::{
    run::{Via, clients, compile, output, stdout, told, under},
    scratch,
};
use std::process::Command;

#[track_caller]
fn checks(name: &str, link: &[&str], ways: &[Via]) {
    let folder = scratch();
    let program = compile(folder.path(), name, link);
    for &via in ways {
        let said = String::from_utf8(stdout(&mut under(via, &program))).expect("text");
        let count: u32 = said.trim().strip_suffix(" checks").expect("a count").parse().expect("a number");
        assert!(count > 20, "{name} by {via:?} checked {count} times");
    }
}

#[test]
fn libkcapi_every_call() {
    checks("kcapi", &["-lkcapi"], &[Via::Default, Via::Preload, Via::Seccomp]);
}

#[test]
fn libell_checksums_ciphers_and_aeads() {
    checks("ell", &["-lell"], &[Via::Default, Via::Preload, Via::Seccomp]);
}

#[test]
fn a_client_of_its_own() {
    checks("plain", &[], &[Via::Default, Via::Preload, Via::Seccomp]);
}

#[test]
fn a_static_client() {
    checks("plain", &["-static"], &[Via::Default, Via::Seccomp]);
}

#[test]
fn a_client_of_dev_crypto() {
    checks("cryptodev", &[], &[Via::Preload, Via::Seccomp]);
}

#[test]
fn errors_of_one_thread_leave_the_others_alone() {
    checks("misbehaving", &["-pthread"], &[Via::Preload, Via::Seccomp]);
}

#[test]
fn requests_fit_a_stack_of_64_kilobytes() {
    checks("stack", &["-pthread"], &[Via::Preload]);
}

#[test]
fn a_client_in_go() {
    let folder = scratch();
    let program = folder.path().join("client");
    let mut go = Command::new("go");
    go.current_dir(clients().join("go")).env("CGO_ENABLED", "0").args(["build", "-o"]).arg(&program);
    stdout(&mut go);
    // Without an option, `algkit run` chooses the way that serves a program without libc.
    for via in [Via::Default, Via::Seccomp] {
        assert_eq!(stdout(&mut under(via, &program)), b"equal\n");
    }
}

#[test]
fn what_the_library_does_not_see_fails() {
    let folder = scratch();
    stdout(&mut under(Via::Preload, compile(folder.path(), "ring", &[])));
}

#[test]
fn preload_says_that_it_cannot_reach_a_static_program() {
    let folder = scratch();
    let program = compile(folder.path(), "plain", &["-static"]);
    let refused = output(&mut under(Via::Preload, &program));
    assert!(!refused.status.success(), "{}", told(&refused));
}
