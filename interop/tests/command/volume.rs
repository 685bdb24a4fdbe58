//! Volumes on this host: cryptsetup on files, and `algkit volume`.

use super::{
    ours, outcome,
    run::{Via, output, sample, told, under},
    scratch, text,
};
use std::{
    fs::{self, File},
    os::unix::fs::FileExt,
    path::PathBuf,
    process::Output,
};
use tempfile::TempDir;

/// Options for a key derivation that takes hardly any time.
pub const QUICK: [&str; 4] = ["--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000"];

/// The length of the plaintext in bytes, which is not a multiple of 1 MiB.
pub const LEN: usize = (2 << 20) + 8192;

/// A folder with a plaintext, and the passphrases `key`, `wrong`.
pub struct Place {
    pub folder: TempDir,
    pub plain: PathBuf,
}

impl Place {
    pub fn new() -> Self {
        let folder = scratch();
        fs::write(folder.path().join("key"), "a passphrase").expect("a file");
        fs::write(folder.path().join("wrong"), "a passphrasf").expect("a file");
        let plain = sample(folder.path(), LEN);
        Self { folder, plain }
    }

    pub fn at(&self, name: &str) -> String {
        text(&self.folder.path().join(name)).to_owned()
    }

    /// Makes a file of `len` zero bytes and returns its path.
    pub fn image(&self, name: &str, len: u64) -> String {
        let path = self.at(name);
        File::create(&path).and_then(|file| file.set_len(len)).expect("a file");
        path
    }

    /// Runs cryptsetup.
    pub fn try_cryptsetup(&self, args: &[&str]) -> Output {
        output(under(Via::Preload, "/usr/sbin/cryptsetup").args(["-q"]).args(args))
    }

    /// Runs cryptsetup, which must succeed, and returns its output.
    #[track_caller]
    pub fn cryptsetup(&self, args: &[&str]) -> String {
        let run = self.try_cryptsetup(args);
        assert!(run.status.success(), "cryptsetup {args:?}: {}", told(&run));
        String::from_utf8(run.stdout).expect("UTF-8")
    }

    /// The whole volume, by `algkit volume read`.
    #[track_caller]
    pub fn read(&self, args: &[&str]) -> Vec<u8> {
        ours(&[&["volume", "read", "--key-file", &self.at("key")], args].concat())
    }

    /// Exit status and output of `algkit volume open-test`.
    pub fn open_test(&self, key: &str, args: &[&str]) -> (Option<i32>, String) {
        let run = outcome(&[&["volume", "open-test", "--key-file", &self.at(key)], args].concat());
        (run.status.code(), told(&run))
    }
}

/// Overwrites bytes of a file.
pub fn patch(path: &str, offset: u64, bytes: &[u8]) {
    let file = File::options().write(true).open(path).expect("a file");
    file.write_all_at(bytes, offset).expect("a file");
}
