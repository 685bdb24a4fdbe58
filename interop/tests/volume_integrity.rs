//! Volumes with integrity that a stock kernel has made, read and written here, and read there again. Of some, one side has left a journal that the
//! other one replays.

mod command;

use command::{
    foreign,
    images::run,
    ours, outcome,
    run::{output, told},
    server::Server,
    text,
    volume::{LEN, Place, QUICK},
};
use std::{
    fs::{self, File},
    ops::Range,
    os::unix::fs::FileExt,
    path::Path,
    process::Command,
};

/// Options of `cryptsetup luksFormat`, and of `open`.
const VOLUMES: [(&str, &str); 7] = [
    ("--integrity hmac-sha256 -c aes-xts-plain64 -s 512", ""),
    ("--integrity hmac-sha256 -c aes-xts-random -s 512", "--integrity-no-journal --persistent"),
    ("--integrity aead -c aes-gcm-random -s 256", ""),
    ("--integrity poly1305 -c chacha20-random -s 256", ""),
    ("--integrity aead -c aegis128-random -s 128 --sector-size 4096", ""),
    ("--integrity hmac-sha256 -c aes-xts-plain64 -s 512", ""),
    ("--integrity hmac-sha256 -c aes-xts-plain64 -s 512 --sector-size 4096", ""),
];

/// Large enough for a journal that one write does not fill.
const SIZE: u64 = 100 << 20;

fn lab(place: &Place, disks: &[&String], script: &str) -> Command {
    let mut boot = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("../lab/kernel-lab"));
    boot.args(["-t", "400", "-s", text(place.folder.path())]).args(disks.iter().flat_map(|disk| ["-d", disk]));
    boot.arg("--").arg(format!("modprobe -a dm-crypt dm-integrity; set -e; {script}"));
    boot
}

#[test]
fn volumes_of_the_kernel() {
    let place = Place::new();
    let plain = fs::read(&place.plain).expect("a file");
    fs::copy(&place.plain, place.at("plain")).expect("a file");
    let (mut script, mut disks) = (String::new(), Vec::new());
    let device = |number: usize| format!("/dev/vd{}", char::from(b'a' + number as u8));
    let open =
        |number| format!("cryptsetup open --key-file /host/key {} v{number} {}", device(number), VOLUMES[number].1);
    let small = "--luks2-metadata-size 16k --luks2-keyslots-size 512k --pbkdf pbkdf2 --pbkdf-force-iterations 1000";
    for (number, (options, _)) in VOLUMES.into_iter().enumerate() {
        disks.push(place.image(&format!("disk{number}"), SIZE));
        script += &format!(
            "cryptsetup -q luksFormat --type luks2 {small} --integrity-no-wipe {options} {} /host/key 2>/dev/null
             {}; dd if=/host/plain of=/dev/mapper/v{number} bs=64k 2>/dev/null; sync; cryptsetup close v{number}\n",
            device(number),
            open(number)
        );
    }
    // The blocks 20 and 21 change, and the machine is reset before they are in their place.
    for number in [5, 6] {
        script += &format!(
            "{}; head -c 8192 /host/plain | dd of=/dev/mapper/v{number} bs=4096 seek=20 conv=fsync 2>/dev/null\n",
            open(number)
        );
    }
    let disks: Vec<&String> = disks.iter().collect();
    let reset = output(&mut lab(&place, &disks, &(script + "echo b >/proc/sysrq-trigger; sleep 9")));
    assert!(told(&reset).contains("the guest ended without a status"), "{}", told(&reset));

    let mut changed = plain.clone();
    changed[20 * 4096..22 * 4096].copy_from_slice(&plain[..8192]);
    let read = |disk: &str| {
        let len = LEN.to_string();
        outcome(&["volume", "read", "--key-file", &place.at("key"), "--length", &len, disk])
    };
    for (number, disk) in disks.iter().enumerate() {
        let found = read(disk);
        assert!(found.status.success(), "{number}: {}", told(&found));
        assert!(found.stdout == if number < 5 { &plain[..] } else { &changed }, "{number}");
        // Nothing has been written to the sectors behind, so they have no tags.
        let behind = ["volume", "read", "--key-file", &place.at("key"), "--offset", "4194304", "--length", "1", disk];
        let behind = outcome(&behind);
        assert_eq!(behind.status.code(), Some(2), "{number}");
        assert!(told(&behind).contains("sector 8192: its tag is wrong"), "{number}: {}", told(&behind));
    }
    for number in [5, 6] {
        let damaged = place.at("damaged");
        fs::copy(disks[number], &damaged).expect("a copy");
        let bytes = fs::read(&damaged).expect("a file");
        let superblock = bytes.windows(8).position(|bytes| bytes == b"integrt\0").expect("a superblock");
        // A journal whose commit ID is wrong is not replayed: so it was the journal that had the new text.
        command::volume::patch(&damaged, superblock as u64 + 4096 + 504, &[0xff]);
        assert!(read(&damaged).stdout == plain, "{number}");
    }
    // What is written here: parts of sectors, and sectors that the journal of the kernel has as well. One journal is left to the kernel.
    let (offset, len) = (20 * 4096 - 1000, 700_001);
    let other: Vec<u8> = plain[..len].iter().rev().copied().collect();
    fs::write(place.at("other"), &other).expect("a file");
    let mut written = plain.clone();
    written[offset..offset + len].copy_from_slice(&other);
    let write = |disk: &str| {
        let offset = offset.to_string();
        ours(&["volume", "write", "--key-file", &place.at("key"), "--offset", &offset, "-i", &place.at("other"), disk]);
        assert!(read(disk).stdout == written, "{disk}");
    };
    for (number, disk) in disks.iter().enumerate().filter(|(number, _)| *number != 5) {
        let before = fs::read(disk).expect("a file");
        write(disk);
        // As if the power had failed when the journal was synced, and nothing was in its place.
        if [0, 4].contains(&number) {
            let after = fs::read(disk).expect("a file");
            let journal = journal(&after);
            assert!(before[journal.clone()] != after[journal.clone()], "{number}");
            let mut cut_off = before;
            cut_off[journal.clone()].copy_from_slice(&after[journal]);
            fs::write(disk, cut_off).expect("a file");
            assert!(read(disk).stdout == written, "{number}");
        }
    }
    // The kernel replays the journals and finds the same. Then it writes behind what was written here.
    let script: String = (0..7)
        .map(|number| {
            format!(
                "{}; head -c {LEN} /dev/mapper/v{number} >/host/theirs{number}
                 head -c 8192 /host/plain | dd of=/dev/mapper/v{number} bs=4096 seek=300 conv=fsync 2>/dev/null
                 cryptsetup close v{number}\n",
                open(number)
            )
        })
        .collect();
    run(&mut lab(&place, &disks, &script));
    for (number, disk) in disks.iter().enumerate() {
        let mut want = if number == 5 { changed.clone() } else { written.clone() };
        assert!(fs::read(place.at(&format!("theirs{number}"))).expect("a file") == want, "{number}");
        want[300 * 4096..302 * 4096].copy_from_slice(&plain[..8192]);
        assert!(read(disk).stdout == want, "{number}");
        write_again(&place, disk, &want);
    }
}

/// A volume that the kernel has written after us is written once more.
fn write_again(place: &Place, disk: &str, before: &[u8]) {
    ours(&["volume", "write", "--key-file", &place.at("key"), "-i", &place.at("key"), disk]);
    let len = LEN.to_string();
    let now = ours(&["volume", "read", "--key-file", &place.at("key"), "--length", &len, disk]);
    let key = fs::read(place.at("key")).expect("a file");
    assert!(now[..key.len()] == key && now[key.len()..] == before[key.len()..], "{disk}");
}

/// Where the journal is, by the fields of the superblock (drivers/md/dm-integrity.c, `calculate_journal_section_size`).
fn journal(device: &[u8]) -> Range<usize> {
    let superblock = device.windows(8).position(|bytes| bytes == b"integrt\0").expect("a superblock");
    let field =
        |at: usize, len: usize| device[superblock + at..][..len].iter().rfold(0, |n, byte| n << 8 | *byte as usize);
    let (tag, sections, units) = (field(10, 2), field(12, 4), 1 << field(28, 1));
    let entries = 504 / (8 + 8 * units + tag).next_multiple_of(8) * 8;
    superblock + 4096..superblock + 4096 + sections * (entries * units + 8) * 512
}

/// Options of `format` and of `cryptsetup luksFormat`, and bytes of the device.
const MADE: [(&str, u64); 5] = [
    ("--integrity hmac-sha256", 24 << 20),
    ("--integrity hmac-sha512 -c aes-xts-random -s 256 --sector-size 2048", (21 << 20) + 1536),
    ("--integrity aead -c aes-gcm-random -s 256 --sector-size 4096", 24 << 20),
    ("--integrity poly1305 -c chacha20-random -s 256", (37 << 20) + 512),
    ("--integrity aead -c aegis128-random -s 128 --sector-size 4096 --integrity-no-wipe", 3 << 30),
];

/// Where data begins.
const DATA: usize = 16 << 20;

#[test]
fn volumes_made_here() {
    let place = Place::new();
    let plain = fs::read(&place.plain).expect("a file");
    fs::copy(&place.plain, place.at("plain")).expect("a file");
    let (mut script, mut disks) = (String::new(), Vec::new());
    for (number, (options, size)) in MADE.into_iter().enumerate() {
        let disk = place.image(&format!("disk{number}"), size);
        let options: Vec<&str> = options.split(' ').collect();
        let format = [&["volume", "format", "--key-file", &place.at("key")], &options[..], &QUICK, &[&disk]];
        ours(&format.concat());
        if number == 0 {
            let server = Server::start(&place, &[&disk]);
            foreign("libnbd-bin", "nbdcopy", &[text(&place.plain), &server.uri]);
            server.end("TERM");
        } else {
            ours(&["volume", "write", "--key-file", &place.at("key"), "-i", text(&place.plain), &disk]);
        }
        script += &format!(
            "cryptsetup open --key-file /host/key /dev/vd{} v{number}
             head -c {LEN} /dev/mapper/v{number} >/host/theirs{number}
             head -c 8192 /host/plain | dd of=/dev/mapper/v{number} bs=4096 seek=20 conv=fsync 2>/dev/null\n",
            char::from(b'a' + number as u8)
        );
        // Every sector has a tag.
        if !options.contains(&"--integrity-no-wipe") {
            script += &format!("tail -c +{} /dev/mapper/v{number} | tr -d '\\0' >/host/behind{number}\n", LEN + 1);
        }
        script +=
            &format!("blockdev --getsize64 /dev/mapper/v{number} >/host/size{number}; cryptsetup close v{number}\n");
        disks.push(disk);
    }
    // A new volume of the kernel's has the same superblock.
    let small = "--pbkdf pbkdf2 --pbkdf-force-iterations 1000 --integrity-no-wipe";
    for (number, (options, size)) in MADE.into_iter().enumerate() {
        let options = options.replace("--integrity-no-wipe", "");
        disks.push(place.image(&format!("kernel{number}"), size));
        let device = char::from(b'a' + (MADE.len() + number) as u8);
        script += &format!("cryptsetup -q luksFormat {small} {options} /dev/vd{device} /host/key 2>/dev/null\n");
    }
    let superblock = |disk: &String| {
        let mut bytes = [0; 512];
        File::open(disk).and_then(|file| file.read_exact_at(&mut bytes, DATA as u64)).expect("a superblock");
        bytes
    };
    let before: Vec<_> = disks[..MADE.len()].iter().map(superblock).collect();
    run(&mut lab(&place, &disks.iter().collect::<Vec<_>>(), &script));
    let mut changed = plain.clone();
    changed[20 * 4096..22 * 4096].copy_from_slice(&plain[..8192]);
    let len = LEN.to_string();
    for (number, before) in before.iter().enumerate() {
        let (disk, kernels) = (&disks[number], &disks[MADE.len() + number]);
        assert!(superblock(disk) == *before, "{number}: {:?} {before:?}", superblock(disk));
        assert!(superblock(kernels) == *before, "{number}: {:?} {before:?}", superblock(kernels));
        assert!(fs::read(place.at(&format!("theirs{number}"))).expect("a file") == plain, "{number}");
        if number < 4 {
            assert_eq!(fs::metadata(place.at(&format!("behind{number}"))).expect("a file").len(), 0, "{number}");
            let size: u64 =
                fs::read_to_string(place.at(&format!("size{number}"))).expect("a file").trim().parse().unwrap();
            assert_eq!(place.read(&[disk]).len() as u64, size, "{number}");
        }
        assert!(place.read(&["--length", &len, disk]) == changed, "{number}");
        let integrity = |disk: &str| {
            let json: Vec<u8> = ours(&["volume", "dump", "--json", disk]);
            let json = String::from_utf8(json).expect("UTF-8");
            json[json.find("\"integrity\"").expect("a segment with integrity")..].chars().take(150).collect::<String>()
        };
        assert_eq!(integrity(disk), integrity(kernels), "{number}");
    }
}
