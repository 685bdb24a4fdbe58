//! TrueCrypt and VeraCrypt: the images of cryptsetup's own tests, in the orig archive of Debian's source package. Their passphrases, and
//! the UUIDs of their file systems, are those of its tests/tcrypt-compat-test; the images of cascades in CBC and of Blowfish have no data
//! there. Some are compared with dm-crypt in a stock kernel.

mod command;

use command::{
    algkit,
    images::{self, run},
    run::told,
    scratch, text,
};
use std::{
    collections::BTreeSet,
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::LazyLock,
};

const PASSPHRASE: &str = "aaaaaaaaaaaa";
const HIDDEN: &str = "bbbbbbbbbbbb";
const LONG: &str = "aaaaaaaaaaaabbbbbbbbbbbbccccccccccccddddddddddddeeeeeeeeeeeeffffffffffff";

/// The folder with the images.
static IMAGES: LazyLock<PathBuf> = LazyLock::new(|| images::unpacked("tcrypt-images"));

/// Runs `algkit volume` in the folder of the images, with a passphrase on standard input.
fn ours(args: &[&str], passphrase: &str) -> Output {
    let mut command = Command::new(algkit());
    command.arg("volume").args(args).current_dir(&*IMAGES);
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().expect("algkit runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    // A command that refuses its options reads no passphrase.
    let _ = writeln!(stdin, "{passphrase}");
    drop(stdin);
    child.wait_with_output().expect("its output")
}

/// An image: what its name says, and what opens it.
struct Image {
    name: String,
    hash: String,
    mode: String,
    /// In cryptsetup's order, which is not that of names.
    chain: String,
    passphrase: &'static str,
    options: Vec<&'static str>,
}

impl Image {
    fn new(name: &str) -> Self {
        let mut parts = name.split('-').map(str::to_owned);
        let kind = parts.next().expect("a kind");
        let (hash, mode) = (parts.next().expect("a hash"), parts.next().expect("a mode"));
        let mut ciphers: Vec<_> = parts.filter(|part| part != "hidden").collect();
        ciphers.reverse();
        let mut options = vec!["--type", "tcrypt"];
        if kind.starts_with("sys") {
            options.push("--tcrypt-system");
        }
        if kind.starts_with("vcpim") {
            options.extend(["--veracrypt-pim", "1234"]);
        }
        if kind.starts_with("tck") || kind.starts_with("vck") {
            options.extend(["-d", "keyfile1", "-d", "keyfile2"]);
        }
        let passphrase = match kind.as_str() {
            "vck_1_nopw" => "",
            "vck_1_pw72" => LONG,
            _ => PASSPHRASE,
        };
        let chain = ciphers.join("-").replace("blowfish", "blowfish_le");
        Self { name: name.to_owned(), hash, mode, chain, passphrase, options }
    }

    /// Options that leave one hash and few ciphers to try.
    fn quick(&self) -> Vec<&str> {
        let first = self.chain.split('-').next().expect("a cipher");
        [&self.options[..], &["--hash", &self.hash, "-c", first]].concat()
    }

    fn has_data(&self) -> bool {
        self.mode != "cbc" || !self.chain.contains('-') && self.chain != "blowfish_le"
    }
}

fn all() -> Vec<Image> {
    let names = fs::read_dir(&*IMAGES).expect("a folder").map(|entry| entry.expect("a file").file_name());
    let names: BTreeSet<_> = names.map(|name| name.into_string().expect("UTF-8")).collect();
    let is_image = |name: &&String| name.starts_with("tc") || name.starts_with("vc") || name.starts_with("sys_");
    names.iter().filter(is_image).map(|name| Image::new(name)).collect()
}

/// The first sector has FAT's serial number at byte 39.
#[track_caller]
fn assert_serial(name: &str, run: &Output, serial: u32) {
    assert!(run.status.success(), "{name}: {}", told(run));
    assert_eq!(run.stdout.len(), 512, "{name}");
    assert_eq!(run.stdout[39..43], serial.to_le_bytes(), "{name}");
}

#[test]
fn every_image_of_cryptsetup() {
    let images = all();
    assert_eq!(images.len(), 84);
    let mut unsupported = 0;
    for image in &images {
        let (name, quick) = (image.name.as_str(), image.quick());
        let opened = |command: &[&str], passphrase| ours(&[command, &quick, &[name]].concat(), passphrase);
        if name.contains("kuznyechik") {
            // With `-c` there is nothing else to try, or only what does not open it.
            let dump = opened(&["dump"], image.passphrase);
            assert!(!dump.status.success() && told(&dump).contains("kuznyechik"), "{name}: {}", told(&dump));
            unsupported += 1;
            continue;
        }
        // VeraCrypt derives a key in half a second. Where data show that it was the right one, this is done once.
        if name.starts_with("tc") || !image.has_data() {
            let said = String::from_utf8(opened(&["dump"], image.passphrase).stdout).expect("UTF-8");
            for line in [
                format!("PBKDF2 hash:\t{}\n", image.hash),
                format!("Cipher chain:\t{}\n", image.chain),
                format!("Cipher mode:\t{}", image.mode),
            ] {
                assert!(said.contains(&line), "{name}: {line}: {said}");
            }
        }
        let sector = ["read", "--length", "512"];
        let read = opened(&sector, image.passphrase);
        if image.has_data() {
            assert_serial(name, &read, 0xdead_babe);
        } else {
            assert!(told(&read).contains("is not supported"), "{name}: {}", told(&read));
        }
        if name.ends_with("hidden") {
            let hidden = opened(&[&sector[..], &["--tcrypt-hidden"]].concat(), HIDDEN);
            if image.has_data() {
                assert_serial(name, &hidden, 0xcafe_babe);
            } else {
                assert!(told(&hidden).contains("is not supported"), "{name}: {}", told(&hidden));
            }
        }
        if name.starts_with("vc_") {
            assert_eq!(opened(&["dump", "--disable-veracrypt", "--hash", "sha512"], PASSPHRASE).status.code(), Some(2));
        }
    }
    assert_eq!(unsupported, 3);
}

#[test]
fn what_does_not_open() {
    let image = Image::new("tc_5-sha512-xts-aes");
    let wrong = ours(&[&["open-test", &image.name][..], &image.quick()].concat(), "aaaaaaaaaaab");
    assert_eq!(wrong.status.code(), Some(1), "{}", told(&wrong));
    assert!(told(&wrong).contains("no TrueCrypt or VeraCrypt volume opens"), "{}", told(&wrong));
    for (options, reason) in [
        (&["--hash", "xxxx"][..], "xxxx"),
        (&["-c", "xxx"], "xxx"),
        (&["-S", "1"], "no key slots"),
        (&["--header", "keyfile1"], "on the volume"),
    ] {
        let refused = ours(&[&["open-test", "--type", "tcrypt", &image.name], options].concat(), PASSPHRASE);
        assert_eq!(refused.status.code(), Some(2), "{options:?}: {}", told(&refused));
        assert!(told(&refused).contains(reason), "{options:?}: {}", told(&refused));
    }
    // To VeraCrypt a PIM of 0 is none.
    let none = ours(&[&["open-test", "--veracrypt-pim", "0", &image.name][..], &image.quick()].concat(), PASSPHRASE);
    assert!(none.status.success(), "{}", told(&none));
    let luks = ours(&["open-test", "--tcrypt-hidden", &image.name], PASSPHRASE);
    assert_eq!(luks.status.code(), Some(2), "{}", told(&luks));
}

/// Every hash and every chain is tried where no option names them. The other header, a VeraCrypt one near the end, is tried with `-c`.
#[test]
fn all_combinations_and_backups() {
    let name = "vc_1-ripemd160-xts-aes";
    assert_serial(name, &ours(&["read", "--type", "tcrypt", "--length", "512", name], PASSPHRASE), 0xdead_babe);
    for name in ["tc_5-sha512-xts-aes-hidden", "vc_1-sha512-xts-aes-hidden"] {
        let quick = Image::new(name);
        let args = [&["read", "--length", "512", "--tcrypt-backup", name][..], &quick.quick()].concat();
        assert_serial(name, &ours(&args, PASSPHRASE), 0xdead_babe);
        assert_serial(name, &ours(&[&args[..], &["--tcrypt-hidden"]].concat(), HIDDEN), 0xcafe_babe);
    }
}

/// Images of which dm-crypt gets one copy to fill and one that was filled here.
const KERNEL: [&str; 6] = [
    "tc_1-sha1-cbc-cast5",
    "tc_2-ripemd160-cbc-aes",
    "tc_2-ripemd160-lrw-aes-twofish-serpent",
    "tc_5-sha512-xts-serpent-twofish-aes",
    "tc_4-sha512-xts-aes-hidden",
    "sys_vc_1-sha256-xts-aes",
];

#[test]
fn data_of_the_kernel() {
    let folder = scratch();
    let at = |name: String| text(&folder.path().join(name)).to_owned();
    let plain: Vec<u8> = (0..1u32 << 17).flat_map(|i| i.wrapping_mul(0x9e37_79b9).to_le_bytes()).collect();
    fs::write(at("plain".to_owned()), &plain).expect("a file");
    let mut script = "set -e; modprobe -a dm-crypt\n".to_owned();
    let mut disks = Vec::new();
    for (number, image) in KERNEL.iter().map(|name| Image::new(name)).enumerate() {
        let (theirs, written) = (at(format!("theirs{number}")), at(format!("ours{number}")));
        for copy in [&theirs, &written] {
            fs::copy(IMAGES.join(&image.name), copy).expect("a copy");
        }
        let size = ours(&[&["read", &written][..], &image.quick()].concat(), image.passphrase).stdout.len();
        assert!(size > 0, "{}", image.name);
        let part = at("part".to_owned());
        fs::write(&part, &plain[..size]).expect("a file");
        let write = [&["write", "-i", &part, &written][..], &image.quick()].concat();
        let run = ours(&write, image.passphrase);
        assert!(run.status.success(), "{}: {}", image.name, told(&run));
        let options = image.quick()[2..].join(" ").replace("--hash", "-h");
        let device = |n: usize| format!("/dev/vd{}", char::from(b'a' + 2 * number as u8 + n as u8));
        script += &format!(
            "echo {PASSPHRASE} | cryptsetup open --type tcrypt {options} {} v
             head -c {size} /host/plain >/dev/mapper/v; blockdev --getsize64 /dev/mapper/v; sync; cryptsetup close v
             echo {PASSPHRASE} | cryptsetup open --type tcrypt {options} {} w
             cmp -n {size} /host/plain /dev/mapper/w; cryptsetup close w\n",
            device(0),
            device(1)
        );
        disks.extend([(image.name, size, theirs), (String::new(), size, written)]);
    }
    let lab = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lab/kernel-lab");
    let mut boot = Command::new(lab);
    boot.args(["-t", "500", "-s", text(folder.path())]).args(disks.iter().flat_map(|(.., disk)| ["-d", disk]));
    let said = run(boot.arg("--").arg(script));
    let sizes: Vec<usize> = said.lines().map(|line| line.parse().expect("a size")).collect();
    let filled: Vec<_> = disks.iter().filter(|(name, ..)| !name.is_empty()).collect();
    assert_eq!(sizes.len(), filled.len());
    for ((name, size, _), theirs) in filled.iter().zip(sizes) {
        // To cryptsetup a system goes on to the end of the disk; here it ends where the header says.
        assert!(*size == theirs || name.starts_with("sys_") && *size < theirs, "{name}: {size} {theirs}");
    }
    for (name, size, disk) in filled {
        let image = Image::new(name);
        let read = ours(&[&["read", disk][..], &image.quick()].concat(), image.passphrase).stdout;
        assert!(read == plain[..*size], "{name}");
    }
}
