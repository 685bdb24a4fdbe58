//! Tests `ALGKIT_CPU` and `ALGKIT_TIMING` in child processes: this test program itself, which prints what it got.
#![cfg(unix)]

use algkit::{CPU_VARIABLE, Registry, TIMING_VARIABLE};
use std::{
    fs,
    os::unix::{fs::PermissionsExt, process::CommandExt},
    path::Path,
    process::Command,
};

/// What the child prints: the policy and whether the CPU is masked, or the error.
fn ask(program: &Path, variables: &[(&str, &str)], user: Option<u32>) -> String {
    let mut command = Command::new(program);
    command.args(["--exact", "the_child", "--nocapture", "--ignored"]).env_clear().envs(variables.iter().copied());
    if let Some(user) = user {
        command.uid(user).gid(user);
    }
    let output = command.output().expect("the child starts");
    let text = String::from_utf8(output.stdout).expect("text");
    let line = text.lines().find_map(|line| line.split_once("says: "));
    line.unwrap_or_else(|| panic!("{text}")).1.to_owned()
}

/// The variable that tells the child to remove a malformed setting and to ask again.
const MEND: &str = "ALGKIT_TEST_MEND";

/// The program that the other tests start; not a test itself.
#[test]
#[ignore = "the others start it"]
fn the_child() {
    // This function works whatever the variables say.
    #[cfg(feature = "sha")]
    assert_eq!(algkit::sha256().digest(b"abc")[0], 0xba);
    let found = Registry::global();
    if found.is_err() && std::env::var_os(MEND).is_some() {
        // SAFETY: no other test of this process reads or writes the environment.
        unsafe { std::env::remove_var(CPU_VARIABLE) };
    }
    match found.or_else(|error| if std::env::var_os(MEND).is_some() { Registry::global() } else { Err(error) }) {
        Ok(registry) => {
            let masked = registry.cpu() != algkit::cpu::CpuFeatures::detect();
            println!("says: {:?}, masked: {masked}", registry.policy());
        }
        Err(error) => println!("says: {error}"),
    }
}

#[cfg(target_arch = "x86_64")]
const HIDE: &str = "-sse2";
#[cfg(not(target_arch = "x86_64"))]
const HIDE: &str = "-neon";

#[test]
fn variables_are_obeyed_or_named() {
    let this = std::env::current_exe().expect("this program");
    assert_eq!(ask(&this, &[], None), "Constant, masked: false");
    assert_eq!(ask(&this, &[(CPU_VARIABLE, HIDE), (TIMING_VARIABLE, "table")], None), "Table, masked: true");
    let error = ask(&this, &[(CPU_VARIABLE, "-nosuch")], None);
    assert!(error.contains("ALGKIT_CPU") && error.contains("`nosuch`"), "{error}");
    let mended = [(CPU_VARIABLE, "-nosuch"), (TIMING_VARIABLE, "table"), (MEND, "")];
    assert_eq!(ask(&this, &mended, None), "Table, masked: false");
}

/// A set-user-ID program that is started by another user, who must not choose its drivers. Only root can set one
/// up; `.ci/run` does. For other users only the tests of `settings::secure` cover this.
#[test]
#[ignore = "wants root"]
fn a_program_of_set_user_id_obeys_neither() {
    const NOBODY: u32 = 65534;
    let owner = fs::metadata("/proc/self").map(|own| std::os::unix::fs::MetadataExt::uid(&own)).expect("/proc");
    assert_eq!(owner, 0, "only root can make a program of set-user-ID that others start");
    let folder = std::env::temp_dir().join(format!("algkit-set-user-id-{}", std::process::id()));
    fs::create_dir(&folder).expect("a folder");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).expect("a folder for all");
    let program = folder.join("program");
    fs::copy(std::env::current_exe().expect("this program"), &program).expect("a copy");
    let variables = [(CPU_VARIABLE, HIDE), (TIMING_VARIABLE, "table")];
    let mode = |mode| fs::set_permissions(&program, fs::Permissions::from_mode(mode)).expect("the mode");
    mode(0o755);
    let plain = ask(&program, &variables, Some(NOBODY));
    mode(0o4755);
    let set_user_id = ask(&program, &variables, Some(NOBODY));
    let malformed = ask(&program, &[(CPU_VARIABLE, "-nosuch")], Some(NOBODY));
    fs::remove_dir_all(&folder).expect("the folder goes");
    assert_eq!(plain, "Table, masked: true", "the copy obeys where nobody's rights change");
    assert_eq!(set_user_id, "Constant, masked: false");
    assert_eq!(malformed, "Constant, masked: false");
}
