//! Running algkit and other programs on files.

// Each test file uses only a part of this module.
#![allow(dead_code)]

pub mod images;
pub mod run;
pub mod server;
pub mod volume;

use std::{
    env, fs,
    fs::File,
    io::{BufReader, Read},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::OnceLock,
};
use wait4::Wait4;

/// The path of the `algkit` command: that in `ALGKIT_BIN`, or one built from this repository.
pub fn algkit() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        if let Some(given) = env::var_os("ALGKIT_BIN") {
            let given = PathBuf::from(given);
            assert!(given.is_file(), "ALGKIT_BIN={} is no file", given.display());
            return given;
        }
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository");
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("algkit");
        let mut cargo = Command::new(env!("CARGO"));
        cargo
            .args(["build", "--quiet", "--release", "-p", "algkit-cli", "--target-dir"])
            .arg(&target)
            .current_dir(root);
        assert!(cargo.status().expect("cargo").success(), "algkit does not build");
        target.join("release/algkit")
    })
}

/// The command, which SIGINT ends as if it had been started at a terminal. A job in the background inherits the signal as ignored, and the command leaves it so.
pub fn interruptible() -> Command {
    let mut command = Command::new("env");
    command.arg("--default-signal=INT").arg(algkit());
    command
}

/// The length of the large files in bytes: 64 MiB and a little, or 1 GiB and a little with `ALGKIT_BIG=1`.
pub fn large() -> usize {
    let mib = if env::var_os("ALGKIT_BIG").is_some_and(|v| v == "1") { 1024 } else { 64 };
    (mib << 20) + 4123
}

/// The large file, and one whose length is a multiple of 4096.
pub fn large_files() -> &'static [PathBuf; 2] {
    static FILES: OnceLock<[PathBuf; 2]> = OnceLock::new();
    FILES.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let lengths = [large(), large() / 4096 * 4096];
        lengths.map(|len| {
            let path = folder.join(format!("large-{len}"));
            // The contents are a keystream by openssl, which has no pattern and is the same every time.
            let key = ["-K", "000102030405060708090a0b0c0d0e0f", "-iv", "00000000000000000000000000000000"];
            let mut zeros = Command::new("head");
            zeros.args(["-c", &len.to_string(), "/dev/zero"]).stdout(Stdio::piped());
            let zeros = zeros.spawn().expect("head: install Debian's coreutils").stdout.expect("a pipe");
            let mut openssl = Command::new("openssl");
            openssl.args(["enc", "-aes-128-ctr"]).args(key).arg("-out").arg(&path).stdin(zeros);
            assert!(openssl.status().expect("openssl: install Debian's openssl").success());
            assert_eq!(fs::metadata(&path).expect("the file").len(), len as u64);
            path
        })
    })
}

/// A temporary folder on the disk with the build.
pub fn scratch() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder")
}

/// Runs a program of Debian's `package`, which must succeed, and returns its standard output.
pub fn foreign(package: &str, program: &str, args: &[&str]) -> Vec<u8> {
    let run = Command::new(program).args(args).output();
    let output = run.unwrap_or_else(|e| panic!("{program}: {e}; install Debian's {package}"));
    assert!(output.status.success(), "{program} {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Sends the child a signal.
pub fn signal(child: &Child, name: &str) {
    foreign("procps", "kill", &["-s", name, &child.id().to_string()]);
}

/// Runs `algkit`, which must succeed, and returns its standard output.
pub fn ours(args: &[&str]) -> Vec<u8> {
    let output = outcome(args);
    assert!(output.status.success(), "algkit {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Runs `algkit` and returns status and output.
pub fn outcome(args: &[&str]) -> Output {
    Command::new(algkit()).args(args).output().expect("algkit runs")
}

/// Runs `algkit`, which must succeed, and returns its peak memory in bytes.
pub fn peak_memory(args: &[&str]) -> u64 {
    let child = Command::new(algkit()).args(args).spawn().expect("algkit runs");
    let used = child.wait4().expect("its resources");
    assert!(used.status.success(), "algkit {args:?}");
    assert!(used.rusage.maxrss > 0);
    used.rusage.maxrss
}

/// Fails unless the files have the same contents.
#[track_caller]
pub fn same(a: &Path, b: &Path) {
    let mut b_file = BufReader::new(File::open(b).expect("a file"));
    let mut at = 0;
    chunks(a, 1 << 20, |chunk| {
        let mut other = vec![0; chunk.len()];
        b_file.read_exact(&mut other).unwrap_or_else(|_| panic!("{} is shorter than {}", b.display(), a.display()));
        assert!(chunk == other, "{} and {} differ within 1 MiB after {at}", a.display(), b.display());
        at += chunk.len();
    });
    assert_eq!(b_file.read(&mut [0]).expect("a file"), 0, "{} is longer than {}", b.display(), a.display());
}

/// Calls `f` with the file's contents, `size` bytes at a time; the last chunk may be shorter.
pub fn chunks(path: &Path, size: usize, mut f: impl FnMut(&[u8])) {
    let mut file = File::open(path).expect("a file");
    let mut buf = Vec::new();
    loop {
        buf.clear();
        (&mut file).take(size as u64).read_to_end(&mut buf).expect("a file");
        if buf.is_empty() {
            return;
        }
        f(&buf);
    }
}

/// A path as an argument.
pub fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

/// The bytes of a hexadecimal string.
pub fn unhex(digits: &str) -> Vec<u8> {
    (0..digits.len()).step_by(2).map(|i| u8::from_str_radix(&digits[i..i + 2], 16).expect("hex")).collect()
}
