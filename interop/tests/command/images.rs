//! The images of cryptsetup's own tests, in the orig archive of Debian's source package.

use super::{
    run::{output, told},
    text,
};
use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::Command,
};

const ARCHIVE: &str = "cryptsetup_2.6.1.orig.tar.gz";
const SHA256: &str = "b8adeb071bb396a1a8515f1d54b4cc8901a536d0da3f5970971beb2ec8427c17";

/// The standard output of a command, which must succeed.
#[track_caller]
pub fn run(command: &mut Command) -> String {
    let run = output(command);
    assert!(run.status.success(), "{command:?}: {}", told(&run));
    String::from_utf8(run.stdout).expect("UTF-8")
}

/// The folder that `tests/NAME.tar.xz` holds. The archive is fetched once, from where apt has the package.
pub fn unpacked(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cryptsetup");
    fs::create_dir_all(&folder).expect("a folder");
    let lock = File::create(folder.join("lock")).expect("a file");
    lock.lock().expect("a lock");
    let archive = folder.join(ARCHIVE);
    if !archive.exists() {
        let uris = run(Command::new("apt-get").args(["download", "--print-uris", "cryptsetup-bin"]));
        let uri = uris.split('\'').nth(1).expect("a URI");
        let (pool, _) = uri.rsplit_once('/').expect("a folder");
        let part = folder.join("part");
        run(Command::new("curl").args(["-sSfL", "-o", text(&part), &format!("{pool}/{ARCHIVE}")]));
        fs::rename(part, &archive).expect("a file");
    }
    let sum = run(Command::new("sha256sum").arg(&archive));
    assert!(sum.starts_with(SHA256), "{ARCHIVE} is another one: {sum}");
    if !folder.join(name).exists() {
        let inner = format!("*/tests/{name}.tar.xz");
        let unpack = ["-xzf", text(&archive), "--wildcards", "--strip-components=2", &inner];
        run(Command::new("tar").args(unpack).current_dir(&folder));
        run(Command::new("tar").args(["-xJf", &format!("{name}.tar.xz")]).current_dir(&folder));
    }
    folder.join(name)
}
