//! Commands of README.md and docs/volumes.md that start a server and go on when it is ready, as they are pasted into
//! bash.

mod command;

use command::{
    algkit, foreign, ours, same,
    volume::{Place, QUICK},
};
use std::{fs, path::Path, process::Command};

/// The lines that start with `$ ` in the console block of `page` that contains `line`.
fn commands(page: &str, line: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(page);
    let page = fs::read_to_string(path).expect("the page");
    let block = page.split("```console\n").skip(1).filter_map(|rest| Some(rest.split_once("```")?.0));
    let block = block.filter(|block| block.contains(line)).collect::<Vec<_>>();
    let [block] = block[..] else { panic!("{line:?} is in {} blocks", block.len()) };
    block.lines().filter_map(|line| line.strip_prefix("$ ")).map(|line| format!("{line}\n")).collect()
}

/// Runs commands in a folder; returns what they print.
fn paste(folder: &Path, commands: &str) -> String {
    let bin = algkit().parent().expect("a folder");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").expect("a search path"));
    // If a command fails, the server must not stay: it has our pipes.
    let script = format!("trap 'kill $! 2>/dev/null || :' EXIT\n{commands}");
    let mut bash = Command::new("bash");
    bash.args(["-eo", "pipefail", "-c", &script]).env("PATH", path).current_dir(folder);
    let output = bash.output().expect("bash");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{commands}\n{}\n{said}", output.status);
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn files_of_the_readme() {
    let folder = command::scratch();
    fs::write(folder.path().join("passphrase"), "correct horse").expect("a file");
    fs::write(folder.path().join("message"), "attack at dawn\n").expect("a file");
    let commands = commands("README.md", "volume mount -d passphrase --fs");
    assert!(paste(folder.path(), &commands).lines().any(|line| line == "message"), "{commands}");
    assert_eq!(fs::read_dir(folder.path().join("mnt")).expect("a folder").count(), 0, "it is unmounted");
}

#[test]
fn a_disk_and_a_file_of_the_guide() {
    let place = Place::new();
    let image = place.image("disk.img", 32 << 20);
    ours(&[&["volume", "format", "-d", &place.at("key"), &image][..], &QUICK].concat());
    // A file system that the second block of commands checks.
    let plain = place.image("plain", 16 << 20);
    foreign("e2fsprogs", "/usr/sbin/mke2fs", &["-q", "-t", "ext4", &plain]);
    ours(&["volume", "write", "-d", &place.at("key"), "-i", &plain, &image]);

    let folder = place.folder.path();
    let printed = paste(folder, &commands("docs/volumes.md", "nbdcopy \"$disk\" plain.img           #"));
    assert!(printed.starts_with("nbd+unix:///?socket="), "{printed}");
    same(&folder.join("plain.img"), Path::new(&plain));
    fs::create_dir(folder.join("mnt")).expect("a folder");
    let check = commands("docs/volumes.md", "e2fsck -fp \"$file\"").replace("e2fsck", "/usr/sbin/e2fsck");
    paste(folder, &check);
    assert_eq!(fs::read_dir(folder.join("mnt")).expect("a folder").count(), 0, "it is unmounted");
}
