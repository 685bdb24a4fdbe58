//! Running programs under `algkit run`, and the clients in `interop/clients`.

use super::algkit;
use std::{
    ffi::OsStr,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

/// The way in which `algkit run` serves the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Via {
    /// The way that `algkit run` chooses.
    Default,
    /// By a library inside the program.
    Preload,
    /// By a supervisor outside of the program.
    Seccomp,
}

/// `algkit run … -- program`, to which arguments can be added.
pub fn under(via: Via, program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(algkit());
    command.arg("run").env("LC_ALL", "C.UTF-8");
    match via {
        Via::Default => {}
        Via::Preload => drop(command.args(["--via", "preload"])),
        Via::Seccomp => drop(command.args(["--via", "seccomp"])),
    }
    command.arg("--").arg(program);
    command
}

/// The standard output of `command`, which must succeed.
#[track_caller]
pub fn stdout(command: &mut Command) -> Vec<u8> {
    let output = output(command);
    assert!(output.status.success(), "{command:?}: {}\n{}", output.status, told(&output));
    output.stdout
}

/// Status and output of `command`.
pub fn output(command: &mut Command) -> Output {
    command.stdin(Stdio::null()).output().unwrap_or_else(|e| panic!("{command:?}: {e}"))
}

/// Everything that a program has printed.
pub fn told(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// The folder of the clients.
pub fn clients() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("clients")
}

/// Compiles `clients/{name}.c` into `folder`, with `link` as arguments for the linker.
pub fn compile(folder: &Path, name: &str, link: &[&str]) -> PathBuf {
    let program = folder.join(format!("{name}{}", link.concat()));
    let mut gcc = Command::new("gcc");
    gcc.args(["-O2", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&program).arg(clients().join(format!("{name}.c")));
    stdout(gcc.args(link));
    program
}

/// Has another process write a program. A file that a process has open for writing cannot be executed, and while this process writes one,
/// a thread that starts a program passes the open file on to it.
pub fn install(from: &Path, to: &Path) {
    assert!(Command::new("install").args(["-m", "755"]).args([from, to]).status().expect("install runs").success());
}

/// Writes a script, likewise.
pub fn script(path: &Path, text: &str) {
    let written = path.with_extension("text");
    fs::write(&written, text).expect("a file");
    install(&written, path);
}

/// The bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string");
        text
    })
}

/// A file of bytes without a pattern, which are the same every time: a keystream by openssl.
pub fn sample(folder: &Path, len: usize) -> PathBuf {
    let zeros = folder.join("zeros");
    let path = folder.join(format!("sample-{len}"));
    fs::write(&zeros, vec![0; len]).expect("a file");
    let mut openssl = Command::new("openssl");
    openssl.args(["enc", "-aes-128-ctr", "-K", "00112233445566778899aabbccddeeff"]);
    openssl.args(["-iv", "00000000000000000000000000000000", "-in"]).arg(zeros).arg("-out").arg(&path);
    stdout(&mut openssl);
    path
}
