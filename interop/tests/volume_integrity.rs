//! Volumes with integrity that a stock kernel has made; the last one when it was cut off with a journal that is not replayed.

mod command;

use command::{
    images::run,
    outcome,
    run::{output, told},
    text,
    volume::{LEN, Place},
};
use std::{fs, path::Path, process::Command};

/// Options of `cryptsetup luksFormat`, and of `open`.
const VOLUMES: [(&str, &str); 7] = [
    ("--integrity hmac-sha256 -c aes-xts-plain64 -s 512", ""),
    ("--integrity hmac-sha256 -c aes-xts-random -s 512", "--integrity-no-journal"),
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
        let write = ["volume", "write", "--key-file", &place.at("key"), "-i", &place.at("key"), disk];
        assert!(told(&outcome(&write)).contains("not supported"), "{number}");
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
    // The kernel replays the journals and finds the same.
    let script: String = (5..7)
        .map(|number| {
            format!(
                "{}; head -c {LEN} /dev/mapper/v{number} >/host/theirs{number}; cryptsetup close v{number}\n",
                open(number)
            )
        })
        .collect();
    run(&mut lab(&place, &disks, &script));
    for number in [5, 6] {
        assert!(fs::read(place.at(&format!("theirs{number}"))).expect("a file") == changed, "{number}");
        assert!(read(disks[number]).stdout == changed, "{number}");
    }
}
