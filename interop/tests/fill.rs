//! `algkit volume fill` and `convert`: what they make, compared with cryptsetup and in a stock kernel.

mod command;

use command::{
    algkit, foreign, ours, outcome,
    run::{output, told},
    signal, text,
    volume::{LEN, Place, QUICK},
};
use std::{
    fs,
    io::Write,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::Duration,
};

fn tree(place: &Place) -> PathBuf {
    let folder = place.folder.path().join("tree");
    fs::create_dir_all(folder.join("a folder")).expect("a folder");
    fs::copy(&place.plain, folder.join("a folder/sample")).expect("a file");
    fs::write(folder.join("script"), "#!/bin/sh\n").expect("a file");
    fs::set_permissions(folder.join("script"), fs::Permissions::from_mode(0o751)).expect("permissions");
    symlink("a folder/sample", folder.join("link")).expect("a link");
    fs::hard_link(folder.join("script"), folder.join("again")).expect("a link");
    folder
}

/// Runs a command where /dev has nothing but /dev/null. `$0` names a folder for that.
const CONTAINER: &str = "mkdir -p $0; mount -t tmpfs none $0; touch $0/null; mount --bind /dev/null $0/null
    mount --rbind $0 /dev; [ \"$(ls /dev)\" = null ]; exec \"$@\"";

/// Without root's rights and /dev/fuse, as in a container; the result is mounted by a stock kernel.
#[test]
fn a_folder_becomes_a_volume_that_the_kernel_mounts() {
    let place = Place::new();
    let (tree, image, key) = (tree(&place), place.at("disk"), place.at("key"));
    let (tagged, devices) = (place.at("tagged"), place.at("devices"));
    for (image, options) in [(&image, "--sector-size=4096"), (&tagged, "--integrity=hmac-sha256")] {
        let fill =
            ["-r", "-m", "sh", "-ec", CONTAINER, &devices, text(algkit()), "volume", "fill", "-d", &key, options];
        foreign("util-linux", "unshare", &[&fill[..], &[text(&tree), image], &QUICK].concat());
        assert_eq!(fs::metadata(image).expect("the image").permissions().mode() & 0o777, 0o600);
        let raw = place.at("raw");
        ours(&["volume", "read", "-d", &key, "-o", &raw, image]);
        foreign("e2fsprogs", "/usr/sbin/e2fsck", &["-fn", &raw]);
    }
    // All of it is read: each sector has a tag.
    let script = "set -e; modprobe -a dm-crypt dm-integrity ext4
        for disk in a b; do
            cryptsetup open --key-file /host/key /dev/vd$disk v; cat /dev/mapper/v >/dev/null; mount -r /dev/mapper/v /tmp; cd /tmp
            cmp '/host/tree/a folder/sample' 'a folder/sample'; cmp /host/tree/script again
            stat -c '%a %h' script; readlink link; cd /; umount /tmp; cryptsetup close v
        done";
    let lab = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lab/kernel-lab");
    let mut boot = Command::new(lab);
    boot.env("LAB_MODS", "ext4").args(["-t", "300", "-s", text(place.folder.path())]);
    let run = output(boot.args(["-d", &image, "-d", &tagged, "--", script]));
    assert!(run.status.success(), "{}", told(&run));
    assert_eq!(String::from_utf8_lossy(&run.stdout), "751 2\na folder/sample\n".repeat(2));
}

#[test]
fn images_and_pipes() {
    let place = Place::new();
    let (key, plain) = (place.at("key"), fs::read(&place.plain).expect("a file"));
    let fill = |rest: &[&str]| -> Vec<String> {
        let args = [&["volume", "fill", "-d", &key][..], &QUICK, rest].concat();
        args.into_iter().map(str::to_owned).collect()
    };
    let done = |args: Vec<String>| drop(ours(&args.iter().map(String::as_str).collect::<Vec<_>>()));
    for kind in ["luks1", "luks2"] {
        let image = place.at(kind);
        done(fill(&["--type", kind, "--size", "3M", text(&place.plain), &image]));
        let back = place.read(&[&image]);
        assert!(back.len() == 3 << 20 && back[..LEN] == plain && back[LEN..].iter().all(|byte| *byte == 0), "{kind}");
        place.cryptsetup(&["open", "--test-passphrase", "--key-file", &key, &image]);
    }
    let run = |args: &[String], text: &[u8]| {
        let mut child = Command::new(algkit());
        let child = child.args(args).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = child.expect("algkit");
        // Whoever refuses the arguments does not read it.
        let _ = child.stdin.take().expect("a pipe").write_all(text);
        child.wait_with_output().expect("algkit")
    };
    let piped = place.at("piped");
    let filled = run(&fill(&["--size", "3M", "-", &piped]), &plain);
    assert!(filled.status.success(), "{}", told(&filled));
    assert!(place.read(&["--length", &LEN.to_string(), &piped]) == plain);
    let tagged = place.at("tagged");
    let aead = ["--integrity", "aead", "-c", "aes-gcm-random", "--sector-size", "4096", "--size", "2105345"];
    let filled = run(&fill(&[&aead[..], &["-", &tagged]].concat()), &plain);
    assert!(filled.status.success(), "{}", told(&filled));
    let back = place.read(&[&tagged]);
    assert!(back.len() == LEN + 4096 && back[..LEN] == plain && back[LEN..].iter().all(|byte| *byte == 0));

    let new = place.at("new");
    for (args, text, said) in [
        (fill(&["-", &new]), &plain[..], "--size"),
        (fill(&["--size", "1M", "-", &new]), &plain, "the source has"),
        (fill(&["--size", "1M", text(&place.plain), &new]), b"", "the source has"),
        (fill(&["--fs", "ext2", text(&place.plain), &new]), b"", "--fs"),
        (fill(&[text(&place.plain), &piped]), b"", "there already"),
        (["volume", "fill", "--size", "1M", "-", &new].map(str::to_owned).to_vec(), b"", "--key-file"),
        (
            fill(&["--size", "1K", place.folder.path().to_str().expect("UTF-8"), &new]),
            b"",
            "mke2fs failed: mke2fs: Device size reported to be zero",
        ),
    ] {
        let run = run(&args, text);
        assert_eq!(run.status.code(), Some(2), "{args:?}: {}", told(&run));
        assert!(told(&run).contains(said) && told(&run).lines().count() == 1, "{args:?}: {}", told(&run));
        assert!(!Path::new(&new).exists(), "{args:?}");
    }
}

#[test]
fn whoever_is_interrupted_leaves_nothing() {
    let place = Place::new();
    let (key, folder) = (place.at("key"), place.folder.path().join("empty"));
    fs::create_dir(&folder).expect("a folder");
    let image = folder.join("disk");
    let mut fill = Command::new(algkit());
    fill.args(["volume", "fill", "-d", &key, "--size", "64M"]).args(QUICK).arg("-").arg(&image);
    let mut child = fill.stdin(Stdio::piped()).spawn().expect("algkit");
    child.stdin.as_ref().expect("a pipe").write_all(&[7; 3 << 20]).expect("a pipe");
    thread::sleep(Duration::from_millis(300));
    // Not SIGINT, which a job in the background inherits as ignored.
    signal(&child, "TERM");
    assert!(!child.wait().expect("a child").success());
    assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 0);
}

/// Each program opens what the other has converted, and converts it back.
#[test]
fn headers_are_converted_as_by_cryptsetup() {
    let place = Place::new();
    let (key, plain) = (place.at("key"), fs::read(&place.plain).expect("a file"));
    fs::write(place.at("two"), "another").expect("a file");
    let image = |name: &str, kind: &str| {
        let image = place.at(name);
        let fill =
            ["volume", "fill", "-d", &key, "--type", kind, "--pbkdf-force-iterations", "1000", "--pbkdf", "pbkdf2"];
        ours(&[&fill[..], &[text(&place.plain), &image]].concat());
        ours(&[&["volume", "add-key", "-d", &key, &image, &place.at("two")][..], &QUICK].concat());
        image
    };
    let check = |image: &str, version: &str| {
        for file in ["key", "two"] {
            assert_eq!(place.open_test(file, &[image]), (Some(0), String::new()), "{image}");
            place.cryptsetup(&["open", "--test-passphrase", "--key-file", &place.at(file), image]);
        }
        assert!(place.read(&[image]) == plain, "{image}");
        let dumped = place.cryptsetup(&["luksDump", image]);
        assert!(dumped.contains(&format!("Version:       \t{version}")), "{dumped}");
        assert_eq!(String::from_utf8_lossy(&ours(&["volume", "dump", image])), dumped);
    };
    for (kind, version, other, then) in [("luks1", "1", "luks2", "2"), ("luks2", "2", "luks1", "1")] {
        // Here and back by cryptsetup, by cryptsetup and back here, and both ways here.
        for (name, here_first, here_then) in [("a", true, false), ("b", false, true), ("c", true, true)] {
            let image = image(&format!("{kind}{name}"), kind);
            let convert = |here: bool, to: &str| match here {
                true => drop(ours(&["volume", "convert", "-q", "--type", to, &image])),
                false => drop(place.cryptsetup(&["convert", "--type", to, &image])),
            };
            check(&image, version);
            convert(here_first, other);
            check(&image, then);
            convert(here_then, kind);
            check(&image, version);
        }
    }
    // A header with more metadata, behind which the key slots begin later.
    let image = place.image("large", 20 << 20);
    let large = ["--type", "luks2", "--luks2-metadata-size", "64k", "--sector-size", "512"];
    place.cryptsetup(&[&["luksFormat", &image, &key][..], &large, &QUICK].concat());
    ours(&[&["volume", "add-key", "-d", &key, &image, &place.at("two")][..], &QUICK].concat());
    ours(&["volume", "write", "-d", &key, "-i", text(&place.plain), &image]);
    for (to, version) in [("luks1", "1"), ("luks2", "2")] {
        ours(&["volume", "convert", "-q", "--type", to, &image]);
        for file in ["key", "two"] {
            assert_eq!(place.open_test(file, &[&image]), (Some(0), String::new()), "{to}");
            place.cryptsetup(&["open", "--test-passphrase", "--key-file", &place.at(file), &image]);
        }
        assert!(place.cryptsetup(&["luksDump", &image]).contains(&format!("Version:       \t{version}")));
        assert!(place.read(&["--length", &LEN.to_string(), &image]) == plain, "{to}");
    }
    // What cryptsetup refuses as well.
    let argon2 = place.image("argon2", 20 << 20);
    ours(&["volume", "format", "-d", &key, "--pbkdf-memory", "64", "--pbkdf-force-iterations", "4", &argon2]);
    assert!(!place.try_cryptsetup(&["convert", "--type", "luks1", &argon2]).status.success());
    let run = outcome(&["volume", "convert", "-q", "--type", "luks1", &argon2]);
    assert!(run.status.code() == Some(2) && told(&run).contains("argon2id"), "{}", told(&run));
}

#[test]
fn volumes_become_longer_and_shorter() {
    let place = Place::new();
    let (key, plain) = (place.at("key"), fs::read(&place.plain).expect("a file"));
    for kind in ["luks1", "luks2"] {
        let image = place.at(kind);
        let fill = ["volume", "fill", "-d", &key, "--type", kind, text(&place.plain), &image];
        ours(&[&fill[..], &QUICK].concat());
        for (size, len) in [("4M", 4 << 20), ("1M", 1 << 20), ("1536", 1536)] {
            ours(&["volume", "resize", "-q", "--size", size, &image]);
            let back = place.read(&[&image]);
            let same = len.min(LEN).min(back.len());
            assert!(back.len() == len && back[..same.min(1536)] == plain[..same.min(1536)], "{kind} {size}");
            place.cryptsetup(&["open", "--test-passphrase", "--key-file", &key, &image]);
        }
        let before = fs::read(&image).expect("a file");
        for (args, said) in [(&["--size", "1000"][..], "multiple of 512"), (&["--size", "512"], "-q")] {
            let run = outcome(&[&["volume", "resize"], args, &[&image]].concat());
            assert!(run.status.code() == Some(2) && told(&run).contains(said), "{}", told(&run));
        }
        assert!(fs::read(&image).expect("a file") == before);
    }
}
