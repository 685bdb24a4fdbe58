//! Plain volumes: `algkit volume --type plain` compared with cryptsetup and dm-crypt in a stock kernel (`lab/kernel-lab`).

mod command;

use command::{
    algkit, outcome,
    run::{output, told},
    text,
    volume::{LEN, Place},
};
use std::{
    fs::{self, File},
    path::Path,
    process::{Command, Output},
};

/// Where the kernel writes, in bytes; before it, what is written here.
const HALF: usize = 3 << 20;

/// A volume: cryptsetup's options, algkit's, and the file that standard input comes from.
struct Case {
    both: &'static [&'static str],
    theirs: &'static [&'static str],
    ours: &'static [&'static str],
    stdin: &'static str,
}

const CASES: &[Case] = &[
    Case { both: &["-c", "aes-xts-plain64", "-s", "512", "--hash", "sha256"], theirs: &[], ours: &[], stdin: "line" },
    // A key of two digests and a part of a third.
    Case {
        both: &["-c", "aes-xts-plain64", "-s", "512", "--hash", "ripemd160"],
        theirs: &[],
        ours: &[],
        stdin: "line",
    },
    Case {
        both: &["-c", "aes-cbc-essiv:sha256", "-s", "256", "--hash", "sha512", "--skip", "24"],
        theirs: &["--offset", "2048"],
        ours: &["--data-offset", "2048"],
        stdin: "line",
    },
    // A passphrase that is shorter than the key, and not hashed.
    Case { both: &["-c", "aes-cbc-plain64", "-s", "256", "--hash", "plain"], theirs: &[], ours: &[], stdin: "line" },
    // All of standard input, line ends included, is hashed; a key file is not.
    Case {
        both: &["-c", "aes-xts-plain64", "-s", "256", "--hash", "sha256", "--key-file", "-", "--sector-size", "4096"],
        theirs: &[],
        ours: &[],
        stdin: "lines",
    },
    Case {
        both: &["-c", "aes-xts-plain64", "-s", "512", "--sector-size", "4096", "--iv-large-sectors", "--skip", "16"],
        theirs: &["--key-file", "/host/raw", "--keyfile-offset", "3"],
        ours: &["--key-file", "raw", "--keyfile-offset", "3"],
        stdin: "line",
    },
];

#[test]
fn the_kernel_reads_what_is_written_here_and_the_other_way_round() {
    let place = Place::new();
    let plain = fs::read(&place.plain).expect("a file");
    fs::copy(&place.plain, place.at("plain")).expect("a file");
    fs::write(place.at("line"), "a passphrase\n").expect("a file");
    fs::write(place.at("lines"), "a passphrase\nand more\n").expect("a file");
    fs::write(place.at("raw"), &plain[..80]).expect("a file");
    let run = |case: &Case, command: &str, rest: &[&str]| -> Output {
        let mut algkit = Command::new(algkit());
        algkit.args(["volume", command, "--type", "plain"]).args(case.both).args(case.ours).args(rest);
        let stdin = File::open(place.at(case.stdin)).expect("a file");
        let run = algkit.current_dir(place.folder.path()).stdin(stdin).output().expect("algkit");
        assert!(run.status.success(), "{:?}: {}", case.both, told(&run));
        run
    };
    let (mut script, mut disks) = ("set -e; modprobe -a dm-crypt\n".to_owned(), Vec::new());
    for (number, case) in CASES.iter().enumerate() {
        let disk = place.image(&format!("disk{number}"), 8 << 20);
        run(case, "write", &["-i", "plain", &disk]);
        let device = format!("/dev/vd{}", char::from(b'a' + number as u8));
        let (both, theirs, stdin) = (case.both.join(" "), case.theirs.join(" "), case.stdin);
        script += &format!(
            "cryptsetup -q open --type plain {both} {theirs} {device} v < /host/{stdin}
             cmp -n {LEN} /host/plain /dev/mapper/v || echo 'differs: {number}'
             dd if=/host/plain of=/dev/mapper/v bs=1M seek={} 2>/dev/null; sync; cryptsetup close v\n",
            HALF >> 20
        );
        disks.push(disk);
    }
    let lab = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lab/kernel-lab");
    let mut boot = Command::new(lab);
    boot.args(["-t", "300", "-s", text(place.folder.path())]);
    boot.args(disks.iter().flat_map(|disk| ["-d", disk]));
    let booted = output(boot.arg("--").arg(script));
    assert!(booted.status.success() && booted.stdout.is_empty(), "{}", told(&booted));
    for (case, disk) in CASES.iter().zip(&disks) {
        let range = ["--offset", &HALF.to_string(), "--length", &LEN.to_string(), disk];
        let back = run(case, "read", &range).stdout;
        assert!(back == plain, "{:?}", case.both);
    }
}

#[test]
fn what_is_missing_or_means_nothing_is_told() {
    let place = Place::new();
    let (disk, key) = (place.image("disk", 1 << 20), place.at("key"));
    let xts = ["-c", "aes-xts-plain64", "-s", "512"];
    for (args, said) in [
        (&["read", "--type", "plain", &disk][..], "--cipher"),
        (&[&["read", "--type", "plain", &disk][..], &xts].concat(), "--hash"),
        (&[&["read", "--type", "plain", "--hash", "sha256", "-d", &key, &disk][..], &xts].concat(), "is not hashed"),
        // The key file has 12 bytes.
        (&[&["read", "--type", "plain", "-d", &key, &disk][..], &xts].concat(), "has 12 bytes"),
        (&[&["read", "--type", "plain", "--header", &disk, &disk][..], &xts].concat(), "no header"),
        (&[&["read", "--type", "plain", "-S", "1", &disk][..], &xts].concat(), "no key slots"),
        (&[&["read", "--type", "plain", "--hash", "crc32", "-d", "-", &disk][..], &xts].concat(), "crc32"),
        (&["read", "--skip", "8", "-d", &key, &disk], "only with --type plain"),
        (&[&["open-test", "--type", "plain", &disk][..], &xts].concat(), "nothing on a plain volume"),
    ] {
        let run = outcome(&[&["volume"], args].concat());
        assert_eq!(run.status.code(), Some(2), "{args:?}: {}", told(&run));
        assert!(told(&run).contains(said) && told(&run).lines().count() == 1, "{args:?}: {}", told(&run));
    }
}
