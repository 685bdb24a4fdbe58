//! Runs the built command for tests.

#![allow(dead_code, reason = "each test file uses a part of it")]

use rustix::process::{Pid, Signal, kill_process};
use std::{
    ffi::OsStr,
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Output, Stdio},
    thread,
};

/// The options of a new key slot, which take hardly any time.
pub const QUICK: [&str; 4] = ["--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000"];

/// The command with a clean environment.
pub fn algkit() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_algkit"));
    command.env_remove("ALGKIT_CPU").env_remove("ALGKIT_TIMING").stdin(Stdio::null());
    command
}

/// Runs the command to its end.
pub fn run<S: AsRef<OsStr>>(args: &[S]) -> Output {
    algkit().args(args).output().unwrap()
}

/// Runs the command with `input` on standard input.
pub fn pipe<S: AsRef<OsStr>>(args: &[S], input: &[u8]) -> Output {
    let mut child =
        algkit().args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    thread::scope(|scope| {
        // The command may stop reading early; it has then reported why.
        scope.spawn(move || {
            let _ = stdin.write_all(input);
        });
        child.wait_with_output().unwrap()
    })
}

/// The standard output of a successful run, which must print nothing on standard error.
pub fn ok(output: &Output) -> &[u8] {
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), error.as_ref()), (Some(0), ""));
    &output.stdout
}

/// The single error line of a run that fails with `status`.
pub fn fails(output: &Output, status: i32) -> String {
    let error = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(status), "{error}");
    assert!(error.starts_with("algkit: ") && error.ends_with('\n'), "{error:?}");
    assert_eq!(error.lines().count(), 1, "{error}");
    assert!(!error.contains("panicked"), "{error}");
    error
}

/// A command that serves until it is ended. It ends with the test, also if the test fails.
pub struct Server(pub Child);

impl Server {
    /// Asks it to end, and waits for that.
    pub fn end(&mut self) -> ExitStatus {
        kill_process(Pid::from_child(&self.0), Signal::TERM).unwrap();
        self.0.wait().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A temporary folder for a test.
pub struct Folder(pub tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The path of a file as an argument.
    pub fn arg(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> String {
        fs::write(self.path(name), contents).unwrap();
        self.arg(name)
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// The names of the files, sorted.
    pub fn names(&self) -> Vec<String> {
        names(self.0.path())
    }
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Text without short periods.
pub fn text(len: usize) -> Vec<u8> {
    let mut state = 1u64;
    let next = |state: &mut u64| {
        *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*state >> 56) as u8
    };
    (0..len).map(|_| next(&mut state)).collect()
}

/// `len` distinct bytes in hex.
pub fn hex(len: usize) -> String {
    (0..len).map(|i| format!("{:02x}", (i * 7 + 3) % 256)).collect()
}
