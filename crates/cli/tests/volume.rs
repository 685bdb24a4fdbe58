//! `algkit volume` and headers that somebody has altered: one line, an exit status, and an image that stays as it was.

mod common;

use common::{Folder, QUICK, algkit, fails, ok, run};
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, prlimit};
use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    os::unix::{
        fs::{FileExt, PermissionsExt, symlink},
        net::UnixStream,
        process::ExitStatusExt,
    },
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

/// The length of a copy of the header, and where its JSON begins.
const COPY: usize = 16 << 10;
const JSON: usize = 4096;

/// An image with two key slots, and its bytes.
fn image(folder: &Folder) -> (String, Vec<u8>) {
    let (key, new) = (folder.write("key", "a passphrase"), folder.write("new key", "another"));
    let image = folder.write("image", "");
    fs::File::options().write(true).open(&image).unwrap().set_len(20 << 20).unwrap();
    let quick = ["-d", &key, "--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000", &image];
    ok(&run(&[&["volume", "format", "-q"][..], &quick].concat()));
    ok(&run(&[&["volume", "add-key"][..], &quick, &[&new]].concat()));
    let bytes = folder.read("image");
    (image, bytes)
}

/// Changes both copies of a header, and makes their checksums right.
fn change_header(bytes: &mut [u8], change: impl Fn(&mut [u8])) {
    for copy in bytes[..2 * COPY].chunks_exact_mut(COPY) {
        change(copy);
        copy[448..512].fill(0);
        let sum = algkit::sha256().digest(&*copy);
        copy[448..480].copy_from_slice(&sum);
    }
}

/// Replaces text in the JSON of both copies.
fn altered(good: &[u8], from: &str, to: &str) -> Vec<u8> {
    let mut bytes = good.to_vec();
    change_header(&mut bytes, |copy| {
        let end = JSON + copy[JSON..].iter().position(|byte| *byte == 0).unwrap();
        let json = String::from_utf8(copy[JSON..end].to_vec()).unwrap();
        assert!(json.contains(from), "{from} in {json}");
        let json = json.replacen(from, to, 1);
        copy[JSON..].fill(0);
        copy[JSON..JSON + json.len()].copy_from_slice(json.as_bytes());
    });
    bytes
}

#[test]
fn an_altered_header_is_refused_in_one_line_and_stays() {
    let folder = Folder::new();
    let (image, good) = image(&folder);
    let open = |bytes: &[u8]| {
        fs::write(&image, bytes).unwrap();
        let output = run(&["volume", "open-test", "-d", &folder.arg("key"), &image]);
        assert!(folder.read("image") == bytes, "an image is not written");
        output
    };
    ok(&open(&good));
    let first = r#""offset":"32768""#;
    let derivation = r#""kdf":{"hash":"sha256","iterations":1000,"#;
    let days = r#""kdf":{"hash":"sha256","iterations":4294967295,"#;
    for (what, from, to, said) in [
        ("areas that overlap", r#""offset":"290816""#, r#""offset":"32768""#, "overlap"),
        ("an area in the header", first, r#""offset":"4096""#, "area"),
        ("an area behind the device", first, r#""offset":"1099511627776""#, "area"),
        ("an area that wraps", first, r#""offset":"18446744073709551104""#, "area"),
        ("data in the header", r#""offset":"16777216""#, r#""offset":"4096""#, "inside the header"),
        ("PBKDF2 for days", derivation, days, "iterations"),
        ("a requirement", r#""keyslots_size""#, r#""requirements":{"mandatory":["magic"]},"keyslots_size""#, "magic"),
        ("JSON that ends early", r#""tokens":{}}"#, r#""tokens":{"#, "JSON"),
    ] {
        let output = open(&altered(&good, from, to));
        let line = fails(&output, 2);
        assert!(line.contains(said), "{what}: {line}");
    }
    // In the second slot, Argon2 in place of PBKDF2, with costs that nobody pays.
    let at = good[JSON..COPY].windows(derivation.len()).rposition(|text| text == derivation.as_bytes()).unwrap();
    let old = String::from_utf8(good[JSON + at..].iter().copied().take_while(|byte| *byte != b'}').collect()).unwrap();
    let salt = old.split(r#""salt":""#).nth(1).unwrap().split('"').next().unwrap();
    let costs = r#""cpus":4,"memory":4294967295,"time":4294967295"#;
    let argon2 = format!(r#""kdf":{{{costs},"salt":"{salt}","type":"argon2id""#);
    let both = altered(&altered(&good, &old, &argon2), derivation, days);
    assert!(fails(&open(&both), 2).contains("KiB"), "costs of Argon2");

    // A header that is right, and a passphrase that is not.
    fs::write(folder.path("key"), "a wrong one").unwrap();
    let line = fails(&open(&good), 1);
    assert!(line.contains("no key slot opens"), "{line}");
}

#[test]
fn a_header_alone_is_not_taken_for_its_volume() {
    let folder = Folder::new();
    let key = folder.write("key", "a passphrase");
    let (image, text) = (folder.write("image", common::text(1 << 20)), folder.write("text", "plain"));
    let header = folder.arg("header");
    ok(&run(&[&["volume", "encrypt", "-d", &key, "--header", &header, &image][..], &QUICK].concat()));
    let before = folder.read("header");
    let new = folder.arg("new");
    for args in [
        &["write", "-i", &text, "-d", &key][..],
        &["serve", "-d", &key, "--socket", &new],
        &["reencrypt", "-d", &key],
        &["encrypt", "-d", &key],
        &["decrypt", "-q", "-d", &key, "--header", &new],
        &["resize", "-q", "--size", "4096"],
    ] {
        let line = fails(&run(&[&["volume"], args, &[&header]].concat()), 2);
        assert!(line.contains("header"), "{args:?}: {line}");
        assert!(folder.read("header") == before && !folder.path("new").exists(), "{args:?}");
    }
    // With its image, and to try a passphrase, it is good.
    ok(&run(&["volume", "open-test", "-d", &key, &header]));
    ok(&run(&["volume", "write", "-i", &text, "-d", &key, "--header", &header, &image]));
}

#[test]
fn no_header_is_restored_over_an_unfinished_reencryption() {
    let folder = Folder::new();
    let (image, _) = image(&folder);
    let (key, backup) = (folder.arg("key"), folder.arg("backup"));
    ok(&run(&["volume", "header-backup", "--header-backup-file", &backup, &image]));
    let begin = ["volume", "reencrypt", "--init-only", "--drop-other-keys", "-d", &key, &image];
    ok(&run(&[&begin[..], &QUICK].concat()));
    let begun = folder.read("image");
    fails(&run(&[&begin[..], &QUICK].concat()), 2);
    assert!(folder.read("image") == begun);
    let line = fails(&run(&["volume", "header-restore", "-q", "--header-backup-file", &backup, &image]), 2);
    assert!(line.contains("reencrypted"), "{line}");
    assert!(folder.read("image") == begun);
}

/// The data would be decrypted from another place, or with a part of its key.
#[test]
fn no_header_of_another_layout_is_restored() {
    let folder = Folder::new();
    let (image, good) = image(&folder);
    let key = folder.arg("key");
    for other in [["--type", "luks1"], ["-s", "256"]] {
        let (from, backup) = (folder.write("other", &good), folder.arg(other[1]));
        ok(&run(&[&["volume", "format", "-q", "-d", &key, &from][..], &QUICK, &other].concat()));
        ok(&run(&["volume", "header-backup", "--header-backup-file", &backup, &from]));
        let line = fails(&run(&["volume", "header-restore", "-q", "--header-backup-file", &backup, &image]), 2);
        assert!(line.contains("another place or another key size"), "{line}");
        assert!(folder.read("image") == good, "{other:?}");
    }
}

#[test]
fn the_passphrase_that_is_left_does_not_remove_itself() {
    let folder = Folder::new();
    let (image, good) = image(&folder);
    let key = folder.arg("key");
    let line = fails(&run(&["volume", "kill-slot", "-d", &key, &image, "0"]), 2);
    assert!(line.contains("it is that of key slot 0"), "{line}");
    assert!(folder.read("image") == good);
    // Nor does a passphrase open another slot than the one that it is for.
    let add = ["volume", "add-key", "-d", &key, "--new-key-slot", "3", &image, &key];
    fails(&run(&[&add[..], &QUICK, &["-S", "1"]].concat()), 1);
    assert!(folder.read("image") == good);
    ok(&run(&[&add[..], &QUICK, &["-S", "0"]].concat()));
    ok(&run(&["volume", "kill-slot", "-d", &key, &image, "1"]));
    ok(&run(&["volume", "open-test", "-d", &key, &image]));
}

#[test]
fn key_slots_of_luks1_have_the_hash_of_its_header() {
    let folder = Folder::new();
    let (image, _) = image(&folder);
    let (key, new) = (folder.arg("key"), folder.arg("new key"));
    let format = ["volume", "format", "-q", "--type", "luks1", "--hash", "sha512", "-d", &key, &image];
    ok(&run(&[&format[..], &QUICK].concat()));
    ok(&run(&[&["volume", "add-key", "-d", &key, &image, &new][..], &QUICK].concat()));
    ok(&run(&["volume", "open-test", "-d", &new, &image]));
}

#[test]
fn what_does_not_open_a_volume_is_answered_by_no() {
    let folder = Folder::new();
    let (image, _) = image(&folder);
    let wrong = folder.write("wrong", common::text(64));
    for option in ["--key-file", "--volume-key-file"] {
        fails(&run(&["volume", "open-test", option, &wrong, &image]), 1);
    }
}

#[test]
fn behind_a_source_that_ends_early_there_are_zeros() {
    let folder = Folder::new();
    let (key, filled) = (folder.write("key", "a passphrase"), folder.arg("filled"));
    // Longer than what is encrypted at a time.
    let mut text = common::text((1 << 20) + 5);
    let source = folder.write("source", &text);
    ok(&run(&[&["volume", "fill", "-d", &key, "--size", "2M", &source, &filled][..], &QUICK].concat()));
    text.resize(2 << 20, 0);
    assert!(ok(&run(&["volume", "read", "-d", &key, &filled])) == text);
}

#[test]
fn a_damaged_volume_is_not_taken_for_none() {
    let folder = Folder::new();
    let (image, good) = image(&folder);
    let damaged = altered(&good, r#""offset":"290816""#, r#""offset":"32768""#);
    fs::write(&image, &damaged).unwrap();
    let (key, header) = (folder.arg("key"), folder.arg("header"));
    for args in [&["format"][..], &["encrypt", "--header", &header], &["encrypt", "--reduce-device-size", "32M"]] {
        let line = fails(&run(&[&["volume"], args, &QUICK, &["-d", &key, &image]].concat()), 2);
        assert!(line.contains("overlap"), "{args:?}: {line}");
        assert!(folder.read("image") == damaged, "{args:?}");
    }
    ok(&run(&[&["volume", "format", "-q"][..], &QUICK, &["-d", &key, &image]].concat()));
}

#[test]
fn nothing_in_a_pipe_is_no_passphrase() {
    let folder = Folder::new();
    let (image, _) = image(&folder);
    let line = fails(&common::pipe(&["volume", "format", "-q", "-d", "-", &image], b""), 2);
    assert!(line.contains("ended before the first byte"), "{line}");
    // An empty file is an empty passphrase.
    let empty = folder.write("empty", "");
    ok(&run(&[&["volume", "format", "-q", "-d", &empty, &image][..], &QUICK].concat()));
}

#[test]
fn what_is_behind_a_volume_stays() {
    let folder = Folder::new();
    let (image, good) = image(&folder);
    // A header with a length of its own, and an image that goes on behind that.
    let mut bytes = altered(&good, r#""size":"dynamic""#, r#""size":"1048576""#);
    bytes[17 << 20..].fill(0x5a);
    fs::write(&image, &bytes).unwrap();
    for size in ["2M", "1M"] {
        ok(&run(&["volume", "resize", "-q", "--size", size, &image]));
        let now = folder.read("image");
        assert!(now.len() == 20 << 20 && now[17 << 20..] == bytes[17 << 20..], "{size}");
    }
    // With the volume's end, the image ends.
    fs::write(&image, &good).unwrap();
    ok(&run(&["volume", "resize", "-q", "--size", "1M", &image]));
    assert_eq!(folder.read("image").len(), 17 << 20);
}

#[test]
fn a_header_that_changes_is_not_copied() {
    let folder = Folder::new();
    let (image, _) = image(&folder);
    let changing = fs::File::open(&image).unwrap();
    changing.lock().unwrap();
    let line = fails(&run(&["volume", "header-backup", "--header-backup-file", &folder.arg("backup"), &image]), 2);
    assert!(line.contains("another program uses its header"), "{line}");
}

#[test]
fn a_key_file_that_ends_before_its_key_is_no_empty_passphrase() {
    let folder = Folder::new();
    let (image, before) = image(&folder);
    let (key, short) = (folder.arg("key"), folder.write("short", "12345"));
    let add = [&["volume", "add-key", "-d", &key][..], &QUICK].concat();
    for (offset, size, said) in [("5", "", "no byte from byte 5"), ("1T", "", "no byte"), ("3", "3", "has 2 bytes")] {
        let new = ["--new-keyfile-offset", offset, &image, &short];
        let sized = if size.is_empty() { vec![] } else { vec!["--new-keyfile-size", size] };
        let line = fails(&run(&[&add[..], &sized, &new].concat()), 2);
        assert!(line.contains(said), "{offset}: {line}");
    }
    // A pipe cannot be asked how long it is.
    let line = fails(&common::pipe(&[&add[..], &["--new-keyfile-offset", "9", &image, "-"]].concat(), b"12345678"), 2);
    assert!(line.contains("no byte from byte 9"), "{line}");
    let plain = folder.write("plain", common::text(1 << 20));
    let encrypt =
        ["volume", "encrypt", "-d", &short, "--keyfile-offset", "5", "--header", &folder.arg("header"), &plain];
    assert!(fails(&run(&[&encrypt[..], &QUICK].concat()), 2).contains("no byte from byte 5"));
    assert!(folder.read("image") == before && folder.read("plain") == common::text(1 << 20));
    // As in cryptsetup, 0 bytes are all.
    ok(&run(&["volume", "open-test", "-d", &key, "--keyfile-size", "0", &image]));
    // What is there is taken, from a file and from a pipe.
    ok(&run(&[&add[..], &["--new-keyfile-offset", "4", &image, &short]].concat()));
    ok(&common::pipe(&["volume", "open-test", "-d", "-", "--keyfile-offset", "2", &image], b"ab5"));
}

#[test]
fn what_follows_a_passphrase_line_is_for_whoever_reads_next() {
    let folder = Folder::new();
    let (image, _) = image(&folder);
    let both = |command: &str, input: &[u8]| {
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", command, "sh", env!("CARGO_BIN_EXE_algkit"), &image]);
        let mut child = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        ok(&child.wait_with_output().unwrap()).to_vec()
    };
    assert_eq!(both(r#""$1" volume open-test "$2" && cat"#, b"a passphrase\nrest\n"), b"rest\n");
    // The old passphrase is a line, the new one is what follows, to the end.
    let quick = QUICK.join(" ");
    let add = format!(r#""$1" volume add-key {quick} --new-keyfile - "$2""#);
    both(&add, b"a passphrase\n\0bytes\nof a key");
    ok(&run(&["volume", "open-test", "-d", &folder.write("new", "\0bytes\nof a key"), &image]));
    // Three lines: the old one, the new one, and one for another program.
    let change = format!(r#""$1" volume add-key {quick} "$2" && cat"#);
    assert_eq!(both(&change, b"a passphrase\nsecond\nthird\n"), b"third\n");
    ok(&common::pipe(&["volume", "open-test", &image], b"second\n"));
}

#[test]
fn what_is_on_a_disk_is_not_formatted_unasked() {
    let folder = Folder::new();
    let key = folder.write("key", "a passphrase");
    let image = folder.arg("image");
    let format = [&["volume", "format", "-d", &key, &image][..], &QUICK].concat();
    for (what, at, bytes, said) in [
        ("ext4", 1080, &b"\x53\xef"[..], "ext4 file system"),
        ("swap", 4086, b"SWAPSPACE2", "swap space"),
        ("GPT", 512, b"EFI PART", "partition table (GPT)"),
        ("LVM", 512, b"LABELONE", "LVM"),
        ("a second header", 16 << 10, b"SKUL\xba\xbe", "left of a LUKS2 volume"),
        ("text", 0, b"#!/bin/sh", "data at byte 0"),
        ("one byte, where a key slot may be", (16 << 20) - 1, b"\x01", "data at byte 16777215"),
    ] {
        let mut disk = vec![0; 17 << 20];
        disk[at..at + bytes.len()].copy_from_slice(bytes);
        fs::write(&image, &disk).unwrap();
        let line = fails(&run(&format), 2);
        assert!(line.contains(said) && line.contains("-q"), "{what}: {line}");
        assert!(folder.read("image") == disk, "{what}");
    }
    // Without anything, nobody is asked; and whoever says that all may go is not asked either.
    fs::write(&image, vec![0; 17 << 20]).unwrap();
    ok(&run(&format));
    assert!(fails(&run(&format), 2).contains("a LUKS volume"));
    ok(&run(&[&format[..], &["-q"]].concat()));
}

#[test]
fn all_sizes_take_the_same_units() {
    let folder = Folder::new();
    let key = folder.write("key", "a passphrase");
    let image = folder.write("image", "");
    fs::File::options().write(true).open(&image).unwrap().set_len(20 << 20).unwrap();
    let memory = ["--pbkdf", "argon2id", "--pbkdf-memory", "64K", "--pbkdf-force-iterations", "4"];
    ok(&run(&[&["volume", "format", "-d", &key, "--sector-size", "4K", &image][..], &memory].concat()));
    let dump = String::from_utf8(ok(&run(&["volume", "dump", &image])).to_vec()).unwrap();
    let has = |name: &str, value: &str| {
        dump.lines().any(|line| {
            line.split_whitespace().collect::<Vec<_>>() == [&[name], &*value.split(' ').collect::<Vec<_>>()].concat()
        })
    };
    assert!(has("sector:", "4096 [bytes]") && has("Memory:", "64"), "{dump}");
    let open = ["--keyfile-size", "12B", "--max-memory", "1G", "-d", &key, &image];
    ok(&run(&[&["volume", "open-test", "--keyfile-offset", "0K"][..], &open].concat()));
    ok(&run(&[&["volume", "read", "--offset", "1m", "--length", "2KiB"][..], &open].concat()));
    let plain = ["--type", "plain", "-c", "aes-xts-plain64", "-s", "256", "--hash", "sha256"];
    let read = |offset| {
        let place = ["volume", "read", "--sector-size", "4K", "--data-offset", offset, "--length", "4K", &image];
        ok(&common::pipe(&[&place[..], &plain].concat(), b"x\n")).to_vec()
    };
    assert_eq!(read("2048"), read("1M"));
    for (option, limit) in [("--max-memory", "32K"), ("--max-iterations", "3")] {
        let line = fails(&run(&["volume", "open-test", option, limit, "-d", &key, &image]), 2);
        assert!(line.contains("limit"), "{line}");
    }
    // Whoever opens a volume with Argon2 waits for others in a folder where nobody else can hold the lock.
    for (mode, locks) in [(0o777, false), (0o700, true)] {
        let runtime = folder.path("runtime");
        fs::create_dir_all(&runtime).unwrap();
        fs::set_permissions(&runtime, fs::Permissions::from_mode(mode)).unwrap();
        let mut command = algkit();
        command.args(["volume", "open-test", "-d", &key, &image]).env("XDG_RUNTIME_DIR", &runtime);
        ok(&command.output().unwrap());
        assert_eq!(fs::read_dir(&runtime).unwrap().next().is_some(), locks);
    }
    for option in ["--offset", "--length"] {
        let line = fails(&run(&["volume", "read", option, "1MB", &image]), 2);
        assert!(line.contains("4096, 16K, 1M or 1G"), "{line}");
    }
}

#[test]
fn what_means_nothing_is_refused() {
    let folder = Folder::new();
    let (image, before) = image(&folder);
    let key = folder.arg("key");
    let plain = ["--type", "plain", "-c", "aes-xts-plain64", "-s", "256", "--keyfile-size", "12"];
    for (args, said) in [
        (&["read", "--offset", "4193793", "--length", "512", "-d", &key, &image][..], "the volume has 4194304"),
        (&[&["read", "-d", &key, &image][..], &plain].concat(), "--keyfile-size: 12"),
        (&["open-test", "--tcrypt-hidden", "-d", &key, &image], "only with --type tcrypt"),
        (&["format", "-q", "-s", "257", "-d", &key, &image], "257 is not a multiple of 8"),
        (&["change-key", "--volume-key-file", &key, &image], "has to be given the old one"),
        (&["resize", "--size", "1M", &image], "-q"),
        (&["serve", "--tcp", "0.0.0.0:0", "-d", &key, &folder.arg("missing")], "other machines reach 0.0.0.0"),
    ] {
        let line = fails(&run(&[&["volume"], args].concat()), 2);
        assert!(line.contains(said), "{line}");
    }
    assert!(folder.read("image") == before);
    // A change is not taken for another one.
    let (header, decrypt) = (folder.arg("header"), ["volume", "decrypt", "-q", "--init-only", "-d", &key, "--header"]);
    ok(&run(&[&decrypt[..], &[&header, &image]].concat()));
    let line = fails(&run(&["volume", "encrypt", "-d", &key, "--header", &header, &image]), 2);
    assert!(line.contains("another change is under way"), "{line}");
}

#[test]
fn a_damaged_copy_of_a_header_is_told_of() {
    let folder = Folder::new();
    let (image, mut bytes) = image(&folder);
    bytes[COPY + 100] ^= 1;
    fs::write(&image, bytes).unwrap();
    let opened = run(&["volume", "open-test", "-d", &folder.arg("key"), &image]);
    let said = String::from_utf8(opened.stderr).unwrap();
    assert!(opened.status.success() && said.starts_with("algkit: warning: "), "{said}");
}

/// A client's flags, and the option by which it chooses the only export (NBD_OPT_EXPORT_NAME).
const CHOOSE: [u8; 20] = *b"\0\0\0\x03IHAVEOPT\0\0\0\x01\0\0\0\0";

/// A server that has begun, and its URI.
fn serving(folder: &Folder, args: &[&str]) -> (common::Server, String) {
    let mut command = common::algkit();
    command.args(["volume", "serve", "-d", &folder.arg("key")]).args(args).stdout(Stdio::piped());
    let mut server = common::Server(command.spawn().unwrap());
    let mut uri = String::new();
    BufReader::new(server.0.stdout.as_mut().unwrap()).read_line(&mut uri).unwrap();
    (server, uri.trim().to_owned())
}

/// NBD's transmission flags: bit 1 for read only, bit 5 for discards.
#[test]
fn the_export_says_what_clients_may_do() {
    let folder = Folder::new();
    let (image, _) = image(&folder);
    for (options, flags) in [(&[][..], 0), (&["--read-only"], 2), (&["--allow-discards"], 32)] {
        let (mut server, _) = serving(&folder, &[&["--socket", &folder.arg("socket"), &image], options].concat());
        let mode = fs::metadata(folder.path("socket")).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0);
        let (mut client, mut reply) = (UnixStream::connect(folder.path("socket")).unwrap(), [0; 10]);
        client.read_exact(&mut [0; 18]).unwrap();
        client.write_all(&CHOOSE).unwrap();
        client.read_exact(&mut reply).unwrap();
        assert_eq!(reply[9] & 34, flags, "{options:?}");
        drop(client);
        assert!(server.end().success());
    }
}

/// A reader that leaves early is answered as by cat: SIGPIPE ends the command, so that a shell with pipefail learns of it.
#[test]
fn a_reader_that_leaves_is_no_success() {
    let folder = Folder::new();
    let (image, _) = image(&folder);
    let mut command = common::algkit();
    command.args(["volume", "read", "-d", &folder.arg("key"), &image]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdout.take().unwrap().read_exact(&mut [0; 512]).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.signal(), output.stderr), (Some(signal_hook::consts::SIGPIPE), vec![]));
}

#[test]
fn a_server_that_cannot_say_where_it_is_ends() {
    let folder = Folder::new();
    let (image, _) = image(&folder);
    let socket = folder.arg("socket");
    let serve = |stdout: Stdio| {
        let mut command = common::algkit();
        command.args(["volume", "serve", "-d", &folder.arg("key"), "--socket", &socket, &image]);
        let mut child = command.stdout(stdout).stderr(Stdio::piped()).spawn().unwrap();
        let begun = Instant::now();
        while child.try_wait().unwrap().is_none() {
            if begun.elapsed() > Duration::from_secs(60) {
                child.kill().unwrap();
                panic!("it serves, and nobody knows where");
            }
            thread::sleep(Duration::from_millis(20));
        }
        let line = fails(&child.wait_with_output().unwrap(), 2);
        assert!(line.contains("standard output") && !folder.path("socket").exists(), "{line}");
    };
    serve(fs::File::options().write(true).open("/dev/full").unwrap().into());
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    serve(writer.into());
}

#[test]
fn copies_of_headers_and_new_volumes_are_their_owners_alone() {
    let folder = Folder::new();
    let (image, _) = image(&folder);
    let source = folder.write("source", common::text(1 << 20));
    let (backup, filled) = (folder.arg("backup"), folder.arg("filled"));
    ok(&run(&["volume", "header-backup", "--header-backup-file", &backup, &image]));
    ok(&run(&[&["volume", "fill", "-d", &folder.arg("key"), &source, &filled][..], &QUICK].concat()));
    let encrypt =
        ["volume", "encrypt", "--init-only", "-d", &folder.arg("key"), "--header", &folder.arg("header"), &source];
    ok(&run(&[&encrypt[..], &QUICK].concat()));
    for name in ["backup", "filled", "header"] {
        assert_eq!(fs::metadata(folder.path(name)).unwrap().permissions().mode() & 0o777, 0o600, "{name}");
    }
}

/// A key derivation may take minutes. Until something is written, a signal ends it.
#[test]
fn a_long_key_derivation_can_be_ended() {
    let folder = Folder::new();
    let (image, before) = image(&folder);
    let key = folder.arg("key");
    let long = ["--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "134217728"];
    for args in [&["format", "-q", "-d", &key, &image][..], &["add-key", "-d", &key, &image, &folder.arg("new key")]] {
        let mut command = common::algkit();
        let mut child = command.arg("volume").args(args).args(long).stderr(Stdio::piped()).spawn().unwrap();
        thread::sleep(Duration::from_millis(500));
        let begun = Instant::now();
        rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::TERM).unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(signal_hook::consts::SIGTERM), "{args:?}");
        assert!(begun.elapsed() < Duration::from_secs(5) && folder.read("image") == before, "{args:?}");
    }
}

/// A volume that opens only with higher limits would lock its user out.
#[test]
fn a_key_derivation_beyond_the_limits_is_refused() {
    let folder = Folder::new();
    let (image, before) = image(&folder);
    let key = folder.arg("key");
    for (costs, said) in [
        (&["--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "134217729"][..], "268435458 iterations"),
        (&["--pbkdf", "pbkdf2", "--iter-time", "18446744073709551615"], "8589934590 iterations"),
        (&["--pbkdf-force-iterations", "4", "--pbkdf-memory", "5G"], "memory"),
    ] {
        let line = fails(&run(&[&["volume", "format", "-q", "-d", &key, &image][..], costs].concat()), 2);
        assert!(line.contains(said) && line.contains("limit"), "{line}");
    }
    assert!(folder.read("image") == before);
}

/// A command whose output nobody takes yet, after it has begun to write.
struct Stuck(Child);

impl Stuck {
    fn begun(args: &[&str]) -> Self {
        let mut child = algkit().args(args).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        Self(child)
    }
}

impl Drop for Stuck {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// Whoever reads with keys that a reencryption takes away would read noise, without an error.
#[test]
fn readers_and_new_keys_keep_each_other_off() {
    let folder = Folder::new();
    let (image, _) = image(&folder);
    let key = folder.arg("key");
    let text = folder.write("text", "plain");
    let read = ["volume", "read", "-d", &key, &image];
    let write = ["volume", "write", "-i", &text, "-d", &key, &image];
    let again = ["volume", "reencrypt", "--drop-other-keys", "-d", &key, &image];
    let again = [&again[..], &QUICK].concat();
    {
        let _reader = Stuck::begun(&read);
        for args in [&again[..], &["volume", "encrypt", "-d", &key, &image]] {
            let line = fails(&run(args), 2);
            assert!(line.contains("another program reads its data"), "{args:?}: {line}");
        }
        // Readers do not keep each other off, nor writers of data.
        assert_eq!(ok(&run(&read)).len(), 4 << 20);
        ok(&run(&write));
        ok(&run(&["volume", "open-test", "-d", &key, &image]));
    }
    ok(&run(&again));
    assert_eq!(&ok(&run(&read))[..5], b"plain");

    // A new header's key takes minutes, and until then nothing is written.
    let slow = ["volume", "format", "-q", "-d", &key, "--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "134217728"];
    let mut format = algkit().args(slow).arg(&image).spawn().unwrap();
    // A command that looked whether it has its lock might keep the lock from it. The kernel tells (proc(5), fdinfo): `lock: 1: OFDLCK ADVISORY WRITE …`.
    let locks = || -> String {
        let open = fs::read_dir(format!("/proc/{}/fdinfo", format.id())).into_iter().flatten().flatten();
        open.filter_map(|info| fs::read_to_string(info.path()).ok()).collect()
    };
    let start = Instant::now();
    let far = (1u64 << 62).to_string();
    while !locks().lines().any(|line| line.contains("WRITE") && line.ends_with(&far)) {
        assert!(start.elapsed() < Duration::from_secs(60), "{}", locks());
        thread::sleep(Duration::from_millis(10));
    }
    let (refused, written) = (run(&read), run(&write));
    let tested = run(&["volume", "open-test", "-d", &key, &image]);
    format.kill().unwrap();
    format.wait().unwrap();
    for output in [refused, written] {
        let line = fails(&output, 2);
        assert!(line.contains("gets other keys") && line.contains("wait until"), "{line}");
    }
    ok(&tested);
    assert_eq!(&ok(&run(&read))[..5], b"plain");
}

/// Each would write over what the other one has written.
#[test]
fn writers_keep_each_other_off() {
    let folder = Folder::new();
    let (image, before) = image(&folder);
    let (key, text) = (folder.arg("key"), folder.write("text", "plain"));
    let serve = ["volume", "serve", "-d", &key, "--socket", &folder.arg("socket"), &image];
    let mut server = common::Server(algkit().args(serve).stdout(Stdio::piped()).spawn().unwrap());
    BufReader::new(server.0.stdout.as_mut().unwrap()).read_line(&mut String::new()).unwrap();
    let line = fails(&run(&["volume", "write", "-i", &text, "-d", &key, &image]), 2);
    assert!(line.contains("another program uses its data"), "{line}");
    assert!(server.end().success() && folder.read("image") == before);
}

#[test]
fn an_image_is_not_its_own_detached_header() {
    let folder = Folder::new();
    let (image, good) = image(&folder);
    let key = folder.arg("key");
    let link = folder.arg("link");
    fs::hard_link(&image, &link).unwrap();
    let text = folder.write("text", "plain");
    for args in [
        &["reencrypt", "-d", &key][..],
        &["encrypt", "-d", &key],
        &["decrypt", "-q", "-d", &key],
        &["write", "-d", &key, "-i", &text],
        &["resize", "-q", "--size", "1M"],
    ] {
        for header in [&image, &link] {
            let line = fails(&run(&[&["volume"], args, &["--header", header, &image]].concat()), 2);
            assert!(line.contains("--header") && line.contains("is the image itself"), "{args:?}: {line}");
        }
    }
    assert!(folder.read("image") == good);
}

#[test]
fn plaintext_overwrites_nothing_that_opens_the_volume() {
    let folder = Folder::new();
    let key = folder.write("key", "a passphrase");
    let (image, header) = (folder.write("image", common::text(1 << 20)), folder.arg("header"));
    ok(&run(&[&["volume", "encrypt", "-d", &key, "--header", &header, &image][..], &QUICK].concat()));
    let (link, other) = (folder.arg("link"), folder.arg("other"));
    symlink(&key, &link).unwrap();
    fs::hard_link(&header, &other).unwrap();
    let before = ["key", "image", "header"].map(|name| folder.read(name));
    for (output, said) in [
        (&key, "a key file"),
        (&link, "a key file"),
        (&header, "the volume's header"),
        (&other, "the volume's header"),
        (&image, "input"),
    ] {
        let line = fails(&run(&["volume", "read", "-d", &key, "--header", &header, "-o", output, &image]), 2);
        assert!(line.contains(said), "{output}: {line}");
    }
    // As the shell's >> opens it.
    let appended = fs::File::options().append(true).open(&key).unwrap();
    let read = ["volume", "read", "-d", &key, "--header", &header, &image];
    let line = fails(&algkit().args(read).stdout(appended).output().unwrap(), 2);
    assert!(line.contains("a key file"), "{line}");
    assert!(["key", "image", "header"].map(|name| folder.read(name)) == before);
    ok(&run(&[&read[..], &["-o", &folder.arg("new")]].concat()));
    assert_eq!(folder.read("new"), common::text(1 << 20));
    assert_eq!(fs::metadata(folder.path("new")).unwrap().permissions().mode() & 0o777, 0o600);
}

/// A terminal takes some characters for commands, and a header may come from anybody.
#[test]
fn what_a_header_says_is_printed_without_control_characters() {
    let folder = Folder::new();
    let (image, good) = image(&folder);
    let hostile = "\\u001b[31m\\u007f\\u009b2J\\u202e\\ud83d\\udd11";
    let label = "\u{1b}[0m\u{9b}K\u{7f}\n";
    let token = format!(r#""tokens":{{"0":{{"type":"{hostile}","keyslots":[],"{hostile}":"{hostile}"}}}}"#);
    let mut bytes = altered(&good, r#""tokens":{}"#, &token);
    change_header(&mut bytes, |copy| {
        // The label and the subsystem.
        for at in [24, 208] {
            copy[at..at + label.len()].copy_from_slice(label.as_bytes());
        }
    });
    fs::write(&image, &bytes).unwrap();
    for args in [&["volume", "dump", &image][..], &["volume", "dump", "--json", &image]] {
        let text = String::from_utf8(ok(&run(args)).to_vec()).unwrap();
        let control = text.chars().find(|c| (c.is_control() && !"\n\t".contains(*c)) || *c == '\u{202e}');
        assert_eq!(control, None, "{args:?}");
        if let Ok(json) = serde_json::from_str::<serde_json::Value>(&text) {
            assert_eq!(json["label"], label);
            assert_eq!(json["metadata"]["tokens"]["0"]["type"], "\u{1b}[31m\u{7f}\u{9b}2J\u{202e}🔑");
        } else {
            assert!(!args.contains(&"--json"), "{text}");
        }
    }
}

#[test]
fn data_of_an_odd_length_is_not_encrypted_in_part() {
    let folder = Folder::new();
    let key = folder.write("key", "a passphrase");
    for (len, sector, shifted) in
        [(100_001, "512", false), (1 << 20 | 512, "4096", false), ((48 << 20) + 1, "512", true)]
    {
        let image = folder.write("image", vec![7; len]);
        let header = folder.arg("header");
        let place = if shifted { ["--reduce-device-size", "32M"] } else { ["--header", &header] };
        let encrypt = ["volume", "encrypt", "-d", &key, "--sector-size", sector, &image];
        let line = fails(&run(&[&encrypt[..], &place, &QUICK].concat()), 2);
        assert!(line.contains("no whole number of sectors"), "{line}");
        assert!(folder.read("image") == vec![7; len] && !folder.path("header").exists());
    }
}

#[test]
fn the_same_command_does_what_is_left_of_an_encryption() {
    let folder = Folder::new();
    let key = folder.write("key", "a passphrase");
    let image = folder.write("image", vec![7; 48 << 20]);
    let encrypt = ["volume", "encrypt", "-d", &key, "--reduce-device-size", "32M", &image];
    let encrypt = [&encrypt[..], &QUICK].concat();
    ok(&run(&encrypt));
    let token = r#""tokens":{"7":{"type":"algkit-overwrite","keyslots":[]}}"#;
    fs::write(&image, altered(&folder.read("image"), r#""tokens":{}"#, token)).unwrap();
    ok(&run(&encrypt));
    let dumped = String::from_utf8(ok(&run(&["volume", "dump", "--json", &image])).to_vec()).unwrap();
    assert!(!dumped.contains("algkit-overwrite"), "{dumped}");
    assert!(fails(&run(&encrypt), 2).contains("LUKS volume already"));
    assert!(ok(&run(&["volume", "read", "-d", &key, &image]))[..16 << 20].iter().all(|byte| *byte == 7));
}

/// Runs the command, which gets the passphrase through a pipe and may write no file beyond byte `most`. A write that goes on there ends it as a kill does.
fn cut_off(args: &[&str], most: u64) {
    let mut child = algkit().args(args).args(QUICK).stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    for (resource, most) in [(Resource::Fsize, most), (Resource::Core, 0)] {
        let limit = Rlimit { current: Some(most), maximum: Some(most) };
        prlimit(Some(Pid::from_child(&child)), resource, limit).unwrap();
    }
    child.stdin.take().unwrap().write_all(b"a passphrase\n").unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(signal_hook::consts::SIGXFSZ), "{args:?}");
}

/// Data whose header is elsewhere.
fn encrypted(folder: &Folder, len: usize) -> ([String; 3], Vec<u8>) {
    let (key, plain) = (folder.write("key", "a passphrase"), common::text(len));
    let (image, header) = (folder.write("image", &plain), folder.arg("header"));
    ok(&run(&[&["volume", "encrypt", "-d", &key, "--header", &header, &image][..], &QUICK].concat()));
    ([key, header, image], plain)
}

/// Without resilience a zone that was cut off is lost, and only a command that says so goes on.
#[test]
fn the_command_that_was_cut_off_does_not_lose_a_zone_when_it_is_given_again() {
    let folder = Folder::new();
    let ([key, header, image], plain) = encrypted(&folder, 6 << 20);
    let again = ["volume", "reencrypt", "--resilience", "none", "--hotzone-size", "4M", "--header", &header, &image];
    cut_off(&again, 3 << 20);
    let before = folder.read("image");
    let line = fails(&run(&[&again[..], &["-d", &key]].concat()), 2);
    assert!(line.contains("--resume-only --resilience none"), "{line}");
    assert!(folder.read("image") == before);
    ok(&run(&[&again[..], &["-d", &key, "--resume-only"]].concat()));
    let now = ok(&run(&["volume", "read", "-d", &key, "--header", &header, &image])).to_vec();
    // The rest of the zone.
    assert!(now[..3 << 20] == plain[..3 << 20] && now[4 << 20..] == plain[4 << 20..] && now != plain);
}

/// What is cut off at the end leaves a header that is complete, and `--resume-only` does the rest.
#[test]
fn an_end_that_was_cut_off_is_done_later() {
    let folder = Folder::new();
    let ([key, header, image], plain) = encrypted(&folder, 2 << 20);
    let reencrypt = ["volume", "reencrypt", "--header", &header, &image];
    cut_off(&reencrypt, 4 << 20);
    let text = |args: &[&str]| String::from_utf8(ok(&run(args)).to_vec()).unwrap();
    let dumped = text(&["volume", "dump", &header]);
    assert!(
        dumped.contains("algkit-overwrite") && !dumped.contains("reencrypt") && !dumped.contains("Requirements"),
        "{dumped}"
    );
    assert!(ok(&run(&["volume", "read", "-d", &key, "--header", &header, &image])) == plain);
    ok(&run(&[&reencrypt[..], &["-d", &key, "--resume-only"]].concat()));
    let dumped = text(&["volume", "dump", &header]);
    assert!(!dumped.contains("algkit-overwrite"), "{dumped}");
    assert!(ok(&run(&["volume", "read", "-d", &key, "--header", &header, &image])) == plain);
}

/// A reencryption that nothing could finish is not begun.
#[test]
fn a_hash_that_is_not_there_begins_nothing() {
    let folder = Folder::new();
    let (image, _) = image(&folder);
    let unknown =
        ["volume", "reencrypt", "--drop-other-keys", "--resilience-hash", "sha257", "-d", &folder.arg("key"), &image];
    assert!(fails(&run(&[&unknown[..], &QUICK].concat()), 2).contains("sha257"));
    let dumped = String::from_utf8(ok(&run(&["volume", "dump", &image])).to_vec()).unwrap();
    assert!(!dumped.contains("Requirements"), "{dumped}");
}

/// The command, begun with SIGHUP and SIGINT ignored, as `nohup` and a shell's `&` in a script begin it.
fn deaf(args: &[&str]) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", r#"trap '' HUP INT; exec "$0" "$@""#, env!("CARGO_BIN_EXE_algkit")]).args(args);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Sends SIGHUP and SIGINT to a process as soon as it has a handler for SIGTERM.
fn hang_up(child: &mut Child) {
    let start = Instant::now();
    loop {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap().trim();
        if u64::from_str_radix(caught, 16).unwrap() >> (Signal::TERM.as_raw() - 1) & 1 == 1 {
            break;
        }
        assert!(start.elapsed() < Duration::from_secs(60) && child.try_wait().unwrap().is_none(), "{status}");
        thread::sleep(Duration::from_millis(1));
    }
    for signal in [Signal::HUP, Signal::INT] {
        kill_process(Pid::from_child(child), signal).unwrap();
    }
}

#[test]
fn signals_that_were_ignored_stay_ignored() {
    let folder = Folder::new();
    let ([key, header, image], plain) = encrypted(&folder, 4 << 20);
    // A thousand zones, each of which is synced.
    let zones = ["volume", "reencrypt", "-d", &key, "--hotzone-size", "4096", "--header", &header, &image];
    let mut child = deaf(&[&zones[..], &QUICK].concat()).spawn().unwrap();
    hang_up(&mut child);
    ok(&child.wait_with_output().unwrap());
    let read = ["volume", "read", "-d", &key, "--header", &header, &image];
    assert!(ok(&run(&read)) == plain);

    let socket = folder.arg("socket");
    let mut server = deaf(&["volume", "serve", "-d", &key, "--header", &header, "--socket", &socket, &image]);
    let mut server = common::Server(server.spawn().unwrap());
    hang_up(&mut server.0);
    thread::sleep(Duration::from_millis(500));
    assert!(server.0.try_wait().unwrap().is_none(), "it does not serve any more");
    assert!(server.end().success());
}

/// Whether the kernel asks from time to time if the other end is still there. It may wait for an answer to something else first.
fn is_kept_alive(local: u16, remote: u16) -> bool {
    let ports = [local, remote].map(|port| format!(":{port:04X}"));
    (0..100).any(|_| {
        thread::sleep(Duration::from_millis(20));
        let table = fs::read_to_string("/proc/net/tcp").unwrap();
        table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>()).any(|line| {
            // Timer 2 (Documentation/networking/proc_net_tcp.rst).
            line[1].ends_with(&ports[0]) && line[2].ends_with(&ports[1]) && line[5].starts_with("02:")
        })
    })
}

/// Clients that connect and do not choose the export keep nobody out, however many there are.
#[test]
fn clients_that_do_not_choose_give_way() {
    let folder = Folder::new();
    let (image, _) = image(&folder);
    let (mut server, uri) = serving(&folder, &["--tcp", "0", &image]);
    let address = uri.strip_prefix("nbd://").unwrap();
    // A client that has been greeted; `None` for one that was refused.
    let greeted = || {
        let mut client = TcpStream::connect(address).unwrap();
        client.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        client.read_exact(&mut [0; 18]).is_ok().then_some(client)
    };
    let choose = |client: &mut TcpStream| {
        client.write_all(&CHOOSE).unwrap();
        client.read_exact(&mut [0; 10])
    };
    let mut first = greeted().unwrap();
    choose(&mut first).unwrap();
    let port = first.peer_addr().unwrap().port();
    assert!(
        is_kept_alive(port, first.local_addr().unwrap().port()),
        "a client that has lost power would keep its place"
    );
    let silent: Vec<_> = (0..40).map(|_| greeted().unwrap()).collect();
    let others: Vec<_> = (1..16).map(|_| greeted().map(|mut client| choose(&mut client).map(|()| client))).collect();
    assert!(others.iter().all(|client| matches!(client, Some(Ok(_)))), "{others:?}");
    // All who have a place have chosen.
    assert!(greeted().is_none());
    let read = [&0x2560_9513u32.to_be_bytes()[..], &[0; 20], &512u32.to_be_bytes()].concat();
    first.write_all(&read).unwrap();
    first.read_exact(&mut [0; 16 + 512]).unwrap();
    drop(silent);
    assert!(server.end().success());
}

/// A server with few descriptors needs one for each client, and the silent ones give way for it.
#[test]
fn silent_clients_do_not_use_up_the_descriptors() {
    let folder = Folder::new();
    let (image, _) = image(&folder);
    let (mut server, uri) = serving(&folder, &["--tcp", "0", &image]);
    let open = fs::read_dir(format!("/proc/{}/fd", server.0.id())).unwrap().count() as u64;
    let limit = Rlimit { current: Some(open + 4), maximum: Some(open + 4) };
    prlimit(Pid::from_raw(server.0.id() as i32), Resource::Nofile, limit).unwrap();
    let connect = || {
        let client = TcpStream::connect(uri.strip_prefix("nbd://").unwrap()).unwrap();
        client.set_read_timeout(Some(Duration::from_secs(15))).unwrap();
        client
    };
    let silent: Vec<_> = (0..8).map(|_| connect()).collect();
    let greeted = connect().read_exact(&mut [0; 18]);
    assert!(greeted.is_ok(), "{greeted:?}");
    drop(silent);
    assert!(server.end().success());
}

/// While another program writes the header, its two copies differ. Readers wait for it, and say nothing.
#[test]
fn a_header_that_is_being_written_gives_no_warning() {
    let folder = Folder::new();
    let (image, old) = image(&folder);
    let third = folder.write("third", "a third");
    ok(&run(&[&["volume", "add-key", "-d", &folder.arg("key"), &image, &third][..], &QUICK].concat()));
    let new = folder.read("image");
    let mut half = new.clone();
    half[COPY..2 * COPY].copy_from_slice(&old[COPY..2 * COPY]);
    for args in [&["volume", "open-test", "-d", &third][..], &["volume", "read", "-d", &third], &["volume", "dump"]] {
        fs::write(&image, &half).unwrap();
        let file = fs::File::options().write(true).open(&image).unwrap();
        file.lock().unwrap();
        let mut command = algkit();
        let reader = command.args(args).arg(&image).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        thread::sleep(Duration::from_millis(300));
        file.write_all_at(&new[..2 * COPY], 0).unwrap();
        drop(file);
        let output = reader.wait_with_output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{args:?}: {output:?}");
    }
    // If nobody writes, they are told of it.
    fs::write(&image, &half).unwrap();
    let output = run(&["volume", "open-test", "-d", &third, &image]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("the second LUKS2 header is not used"), "{output:?}");
}

/// A server that ends does not remove the socket of another one, which has got the path in the meantime.
#[test]
fn the_socket_of_another_server_stays() {
    let folder = Folder::new();
    let (image, bytes) = image(&folder);
    let (other, socket) = (folder.write("other", &bytes), folder.arg("socket"));
    let serve = |image: &str| serving(&folder, &["--socket", &socket, image]).0;
    let mut first = serve(&image);
    fs::remove_file(&socket).unwrap();
    let mut second = serve(&other);
    assert!(first.end().success());
    UnixStream::connect(&socket).unwrap();
    assert!(second.end().success());
    assert!(!folder.path("socket").exists());
}

/// A volume's place that has been given to something else keeps a second copy of the header, if that is not written over.
#[test]
fn what_has_taken_the_place_of_a_volume_is_not_overwritten() {
    let folder = Folder::new();
    let (image, good) = image(&folder);
    let (key, new) = (folder.arg("key"), folder.arg("new key"));
    let backup = folder.arg("backup");
    ok(&run(&["volume", "header-backup", "--header-backup-file", &backup, &image]));
    // As mke2fs does it, which clears the boot block and writes the superblock.
    let mut bytes = good.clone();
    bytes[..4096].fill(0);
    bytes[1080..1082].copy_from_slice(&0xef53_u16.to_le_bytes());
    fs::write(&image, &bytes).unwrap();
    let text = folder.write("text", "plain");
    for args in [
        &[&["add-key", "-d", &key, &image, &new][..], &QUICK].concat()[..],
        &["remove-key", "-d", &key, &image],
        &["kill-slot", "-q", &image, "1"],
        &["write", "-d", &key, "-i", &text, &image],
        &[&["reencrypt", "-d", &key, "--drop-other-keys", &image][..], &QUICK].concat(),
        &["convert", "-q", "--type", "luks1", &image],
        &["resize", "-q", "--size", "1M", &image],
        &["repair", &image],
        &["header-restore", "--header-backup-file", &backup, &image],
    ] {
        let line = fails(&run(&[&["volume"], args].concat()), 2);
        let next = if matches!(args[0], "repair" | "header-restore") { "-q" } else { "volume repair" };
        assert!(line.contains("ext4 file system") && line.contains(next), "{args:?}: {line}");
        assert!(folder.read("image") == bytes, "{args:?}");
    }
    // It can be read, and be had back.
    let read = run(&["volume", "read", "-d", &key, "--length", "512", &image]);
    assert_eq!((read.status.code(), read.stdout.len()), (Some(0), 512));
    assert_eq!(run(&["volume", "repair", "-q", &image]).status.code(), Some(0));
    ok(&run(&["volume", "open-test", "-d", &key, &image]));

    // A first copy with a damage of another kind is no reason to refuse.
    let mut bytes = good;
    bytes[JSON] ^= 1;
    fs::write(&image, &bytes).unwrap();
    let killed = run(&["volume", "kill-slot", "-q", &image, "1"]);
    assert_eq!(killed.status.code(), Some(0), "{killed:?}");
}

/// A key slot with a key derivation that is not there stays as it is, and keeps nobody with another passphrase out.
#[test]
fn a_key_slot_of_an_unknown_kind_keeps_nobody_out() {
    let folder = Folder::new();
    let (image, good) = image(&folder);
    let (key, new, third) = (folder.arg("key"), folder.arg("new key"), folder.write("third", "a third"));
    let slot = || {
        let dump = run(&["volume", "dump", "--json", &image]);
        let json: serde_json::Value = serde_json::from_slice(ok(&dump)).unwrap();
        json["metadata"]["keyslots"]["0"].clone()
    };
    let kdf = slot()["kdf"].to_string();
    fs::write(&image, altered(&good, &kdf, r#"{"type":"scrypt","cost":15}"#)).unwrap();
    let unknown = slot();
    assert_eq!(unknown["kdf"]["cost"], 15);
    let dump = run(&["volume", "dump", &image]);
    assert!(String::from_utf8_lossy(ok(&dump)).contains("\tPBKDF:      scrypt\n"));

    ok(&run(&["volume", "open-test", "-d", &new, &image]));
    let line = fails(&run(&["volume", "open-test", "-d", &key, &image]), 2);
    assert!(line.contains("key derivation `scrypt` is not supported"), "{line}");
    ok(&run(&[&["volume", "add-key", "-d", &new, &image, &third][..], &QUICK].concat()));
    ok(&run(&[&["volume", "change-key", "-d", &new, &image, &key][..], &QUICK].concat()));
    ok(&run(&["volume", "remove-key", "-d", &third, &image]));
    assert_eq!(slot(), unknown);
    // Another key for the data needs every passphrase that is to stay.
    let line = fails(&run(&[&["volume", "reencrypt", "-d", &key, &image][..], &QUICK].concat()), 2);
    assert!(line.contains("key slot 0 would be lost; name a file with its passphrase by --other-key-file"), "{line}");
    ok(&run(&["volume", "kill-slot", "-d", &key, &image, "0"]));
    assert!(slot().is_null());
    ok(&run(&["volume", "open-test", "-d", &key, &image]));
}

/// What `algkit volume` says, with the passphrase in a pipe, if no file can be written beyond byte `most`.
fn full(args: &[&str], most: u64) -> Output {
    let mut shell = Command::new("sh");
    // Without that signal's default action, writing fails there.
    shell.args(["-c", r#"trap '' XFSZ; exec "$0" "$@""#, env!("CARGO_BIN_EXE_algkit"), "volume"]).args(args);
    let mut child = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let limit = Rlimit { current: Some(most), maximum: Some(most) };
    prlimit(Some(Pid::from_child(&child)), Resource::Fsize, limit).unwrap();
    child.stdin.take().unwrap().write_all(b"a passphrase\n").unwrap();
    child.wait_with_output().unwrap()
}

/// A volume with tags fails again when it is synced after a failure. That says nothing of the reason.
#[test]
fn the_first_failure_of_a_write_is_told() {
    let folder = Folder::new();
    let (key, text) = (folder.write("key", "a passphrase"), folder.write("text", common::text(1 << 20)));
    let image = folder.write("image", "");
    fs::File::options().write(true).open(&image).unwrap().set_len(40 << 20).unwrap();
    let format = ["volume", "format", "-q", "--integrity", "hmac-sha256", "--integrity-no-wipe", "-d", &key, &image];
    ok(&run(&[&format[..], &QUICK].concat()));
    // Now all of the journal is about the volume's beginning.
    ok(&run(&["volume", "write", "-d", &key, "-i", &text, &image]));
    let line = fails(&full(&["write", "--offset", "16M", "-i", &text, &image], 24 << 20), 2);
    assert!(line.contains("cannot write") && line.contains("File too large"), "{line}");
    ok(&run(&["volume", "write", "-d", &key, "--offset", "16M", "-i", &text, &image]));
}

/// A header in a file of its own may be on a disk that is full. The message names that file, and not the data.
#[test]
fn a_header_that_cannot_be_written_is_named() {
    let folder = Folder::new();
    let plain = common::text(1 << 20);
    let (image, header) = (folder.write("image", &plain), folder.arg("header"));
    let resilience = ["--resilience", "journal"];
    // The data ends at byte 2^20, and the journal goes on behind it.
    let fails_behind_the_data = |args: &[&str]| {
        let line = fails(&full(&[args, &resilience, &["--header", &header, &image]].concat(), 1 << 20), 2);
        assert!(line.contains(&format!("`{header}`: cannot write")), "{line}");
    };
    let key = folder.write("key", "a passphrase");
    let on = ["-d", &key, "--header", &header, &image];
    ok(&run(&[&["volume", "encrypt", "--init-only"][..], &resilience, &on, &QUICK].concat()));
    fails_behind_the_data(&["encrypt"]);
    ok(&run(&[&["volume", "encrypt"][..], &on].concat()));
    fails_behind_the_data(&["decrypt", "-q"]);
    ok(&run(&[&["volume", "decrypt", "-q"][..], &on].concat()));
    assert!(folder.read("image") == plain);
}

/// The limit of 512 bytes is that of a passphrase which is typed.
#[test]
fn a_line_of_a_pipe_may_be_long() {
    let folder = Folder::new();
    let (image, _) = image(&folder);
    let long = "long".repeat(1000);
    let new = folder.write("long", &long);
    ok(&run(&[&["volume", "add-key", "-d", &folder.arg("key"), &image, &new][..], &QUICK].concat()));
    ok(&common::pipe(&["volume", "open-test", &image], format!("{long}\n").as_bytes()));
}

/// A backup is good if a passphrase opens it, which shows without the volume.
#[test]
fn a_passphrase_is_tried_on_a_backup() {
    let folder = Folder::new();
    let (image, good) = image(&folder);
    let (key, backup) = (folder.arg("key"), folder.arg("backup"));
    ok(&run(&["volume", "header-backup", "--header-backup-file", &backup, &image]));
    let tried = run(&["volume", "open-test", "-d", &key, &backup]);
    assert_eq!(tried.status.code(), Some(0), "{tried:?}");
    assert!(String::from_utf8_lossy(&tried.stderr).contains("a header without data"));
    fails(&run(&["volume", "open-test", "-d", &folder.write("wrong", "wrong"), &backup]), 1);
    // No data is there to be read, and no other part of an image is a backup.
    fails(&run(&["volume", "read", "-d", &key, &backup]), 2);
    fails(&run(&["volume", "open-test", "-d", &key, &folder.write("part", &good[..1 << 20])]), 2);
}
