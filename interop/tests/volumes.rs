//! `algkit volume` compared with cryptsetup, and with dm-crypt in a stock kernel (`lab/kernel-lab`).
//!
//! On this host cryptsetup works on plain files, and `algkit run` serves its AF_ALG. It formats volumes, and with AES
//! it fills one by encrypting a file in place. Other ciphers need dm-crypt.

mod command;

use command::{
    foreign, ours, outcome,
    run::{Via, output, told, under},
    text,
    volume::{LEN, Place, QUICK, patch},
};
use std::{fs, path::Path, process::Command};

/// Key derivations of further key slots, whose passphrases are in files of these names.
const ARGON2: [&str; 2] = ["argon2i", "argon2id"];

/// Their costs, which take hardly any time.
const LIGHT: [&str; 6] = ["--pbkdf-force-iterations", "4", "--pbkdf-memory", "64", "--pbkdf-parallel", "1"];

/// A folder with those files.
fn place_with_keys() -> Place {
    let place = Place::new();
    ARGON2.iter().for_each(|kdf| fs::write(place.at(kdf), format!("a passphrase for {kdf}")).expect("a file"));
    place
}

#[test]
fn what_cryptsetup_encrypts_is_read_and_what_is_written_it_decrypts() {
    let place = place_with_keys();
    let plain = fs::read(&place.plain).expect("a file");
    for (number, (cipher, bits, sector)) in [
        ("aes-xts-plain64", "512", "512"),
        ("aes-xts-plain64", "256", "4096"),
        ("aes-xts-plain", "512", "512"),
        ("aes-cbc-essiv:sha256", "256", "512"),
        ("aes-cbc-essiv:sha256", "128", "4096"),
        ("aes-cbc-plain64", "256", "512"),
    ]
    .into_iter()
    .enumerate()
    {
        let (disk, header) = (place.at(&format!("disk{number}")), place.at(&format!("header{number}")));
        fs::copy(&place.plain, &disk).expect("a file");
        let key = place.at("key");
        let made = ["reencrypt", "--encrypt", "--type", "luks2", "-c", cipher, "-s", bits, "--sector-size", sector];
        let where_to = ["--force-offline-reencrypt", "--key-file", &key, "--header", &header, &disk];
        place.cryptsetup(&[&made[..], &QUICK, &where_to].concat());
        assert!(fs::read(&disk).expect("a file") != plain);
        assert!(place.read(&["--header", &header, &disk]) == plain, "{cipher} {sector}");
        for kdf in ARGON2 {
            let add = ["luksAddKey", "--key-file", &key, "--pbkdf", kdf, "--header", &header, &disk, &place.at(kdf)];
            place.cryptsetup(&[&add[..], &LIGHT].concat());
            let read = ours(&["volume", "read", "--key-file", &place.at(kdf), "--header", &header, &disk]);
            assert!(read == plain, "{cipher} {sector} {kdf}");
            place.cryptsetup(&["luksRemoveKey", "--header", &header, &disk, &place.at(kdf)]);
        }
        let range = place.read(&["--header", &header, "--offset", "70001", "--length", "5000", &disk]);
        assert!(range == plain[70001..75001], "{cipher} {sector}");

        // Ranges that begin and end inside of sectors.
        let mut changed = plain.clone();
        for (offset, len) in [(0, 1), (1000, 5000), (1 << 20, 8192), (LEN - 3, 3)] {
            let new: Vec<u8> = changed[offset..offset + len].iter().map(|byte| !byte).collect();
            fs::write(place.at("new"), &new).expect("a file");
            let offset_text = offset.to_string();
            let args = ["volume", "write", "--key-file", &key, "--header", &header, "--offset", &offset_text];
            ours(&[&args[..], &["-i", &place.at("new"), &disk]].concat());
            changed[offset..offset + len].copy_from_slice(&new);
        }
        let back = ["reencrypt", "--decrypt", "--force-offline-reencrypt", "--key-file", &key, "--header", &header];
        place.cryptsetup(&[&back[..], &[&disk]].concat());
        assert!(fs::read(&disk).expect("a file") == changed, "{cipher} {sector}");
    }
}

/// Names of formats, sizes of images, and cryptsetup's options.
const FORMATS: &[(&str, u64, &[&str])] = &[
    ("luks1", 4 << 20, &["--type", "luks1", "--pbkdf-force-iterations", "1000"]),
    ("luks1-sha1", 4 << 20, &["--type", "luks1", "-h", "sha1", "-s", "256", "--pbkdf-force-iterations", "1000"]),
    ("pbkdf2", 20 << 20, &["--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000", "--hash", "sha512"]),
    ("argon2i", 20 << 20, &["--pbkdf", "argon2i", "--pbkdf-force-iterations", "4", "--pbkdf-memory", "64"]),
    (
        "argon2id",
        20 << 20,
        &["--pbkdf", "argon2id", "--pbkdf-force-iterations", "5", "--pbkdf-memory", "1000", "--pbkdf-parallel", "2"],
    ),
    (
        "labels",
        20 << 20,
        &[
            "--label",
            "a label",
            "--subsystem",
            "sub",
            "--luks2-metadata-size",
            "64k",
            "--sector-size",
            "512",
            "-c",
            "aes-cbc-essiv:sha256",
            "--pbkdf",
            "pbkdf2",
            "--pbkdf-force-iterations",
            "1000",
        ],
    ),
];

#[test]
fn headers_of_cryptsetup() {
    let place = Place::new();
    for (name, size, options) in FORMATS {
        let image = place.image(name, *size);
        place.cryptsetup(&[&["luksFormat", &image, &place.at("key")][..], options].concat());
        assert_eq!(place.open_test("key", &[&image]), (Some(0), String::new()), "{name}");
        let (status, said) = place.open_test("wrong", &[&image]);
        assert_eq!(status, Some(1), "{name}: {said}");
        assert!(said.contains("no key slot opens") && said.lines().count() == 1, "{name}: {said}");
        // Both programs print the same.
        let dumped = ours(&["volume", "dump", &image]);
        assert_eq!(String::from_utf8(dumped).expect("UTF-8"), place.cryptsetup(&["luksDump", &image]), "{name}");
        let json = String::from_utf8(ours(&["volume", "luksDump", "--json", &image])).expect("UTF-8");
        assert!(json.contains("\"keyslots\""), "{json}");
    }
}

#[test]
fn slots_priorities_and_tokens() {
    let place = Place::new();
    let image = place.image("disk", 20 << 20);
    let key = place.at("key");
    fs::write(place.at("second"), "another one\n").expect("a file");
    place.cryptsetup(&[&["luksFormat", &image, &key][..], &QUICK].concat());
    place.cryptsetup(
        &[&["luksAddKey", "--key-file", &key, "-S", "5", &image, &place.at("second")][..], &QUICK].concat(),
    );
    place.cryptsetup(&["token", "add", "--key-description", "a description", "--key-slot", "5", &image]);
    place.cryptsetup(&["config", "--priority", "prefer", "-S", "5", &image]);
    let dumped = String::from_utf8(ours(&["volume", "dump", &image])).expect("UTF-8");
    // cryptsetup prints the contents of a token whose type it knows.
    let theirs = place.cryptsetup(&["luksDump", &image]);
    let theirs: String = theirs.split_inclusive('\n').filter(|line| !line.contains("Key description")).collect();
    assert_eq!(dumped, theirs);
    assert_eq!(place.open_test("second", &[&image]).0, Some(0));
    assert_eq!(place.open_test("second", &["-S", "0", &image]).0, Some(1));
    assert_eq!(place.open_test("key", &["-S", "0", &image]).0, Some(0));
    assert_eq!(place.open_test("key", &["-S", "1", &image]).0, Some(2));
    place.cryptsetup(&["config", "--priority", "ignore", "-S", "5", &image]);
    assert_eq!(place.open_test("second", &[&image]).0, Some(1));
    assert_eq!(place.open_test("second", &["-S", "5", &image]).0, Some(0));
}

#[test]
fn damaged_headers() {
    let place = Place::new();
    let image = place.image("disk", 20 << 20);
    let key = place.at("key");
    place.cryptsetup(&[&["luksFormat", &image, &key][..], &QUICK].concat());
    let good = fs::read(&image).expect("a file");
    // Damages in the first copy: in its magic, its checksum, its JSON.
    for offset in [0, 450, 5000] {
        patch(&image, offset, &[0xff]);
        let before = fs::read(&image).expect("a file");
        let (status, said) = place.open_test("key", &[&image]);
        assert_eq!(status, Some(0), "{offset}: {said}");
        assert!(said.contains("warning") && said.contains("first LUKS2 header"), "{said}");
        assert!(fs::read(&image).expect("a file") == before, "nothing is repaired by opening");
        fs::write(&image, &good).expect("a file");
    }
    let one_line = |what: &str| {
        let (status, said) = place.open_test("key", &[&image]);
        assert_eq!(status, Some(2), "{what}: {said}");
        assert_eq!(said.lines().count(), 1, "{what}: {said}");
        said
    };
    patch(&image, 5000, b"x");
    patch(&image, (16 << 10) + 5000, b"x");
    assert!(one_line("both copies").contains("checksum"));
    fs::write(&image, &good[..good.len() / 2]).expect("a file");
    assert!(one_line("cut off").contains("device"));
    fs::write(&image, &good[..3 << 10]).expect("a file");
    assert!(one_line("cut off").contains("cut off"));
    fs::write(&image, "").expect("a file");
    assert!(one_line("empty").contains("no LUKS header"));
}

/// Names, sizes of images, and options of `algkit volume format`.
const MADE: &[(&str, u64, &[&str])] = &[
    ("luks1", 4 << 20, &["--type", "luks1"]),
    ("luks1-essiv", 4 << 20, &["--type", "luks1", "-v", "-y", "-c", "aes-cbc-essiv:sha256", "--hash", "sha1"]),
    ("argon2id", 20 << 20, &["--pbkdf", "argon2id", "--pbkdf-memory", "64", "--sector-size", "4096"]),
    ("argon2i", 20 << 20, &["--pbkdf", "argon2i", "--pbkdf-memory", "64", "--pbkdf-parallel", "1"]),
    ("pbkdf2", 20 << 20, &["--pbkdf", "pbkdf2", "--hash", "sha512", "--label", "a label", "-s", "256"]),
];

#[test]
fn cryptsetup_takes_what_is_made_here() {
    let place = Place::new();
    let plain = fs::read(&place.plain).expect("a file");
    let key = place.at("key");
    for (name, size, options) in MADE {
        let image = place.image(name, *size);
        let iterations = if options.contains(&"--pbkdf-memory") { "4" } else { "1000" };
        let made = ["volume", "luksFormat", "-d", &key, "--pbkdf-force-iterations", iterations, &image];
        ours(&[&made[..], options].concat());
        assert_eq!(place.open_test("key", &[&image]), (Some(0), String::new()), "{name}");
        let dumped = ours(&["volume", "dump", &image]);
        assert_eq!(String::from_utf8(dumped).expect("UTF-8"), place.cryptsetup(&["luksDump", &image]), "{name}");
        place.cryptsetup(&["open", "--test-passphrase", "--key-file", &key, &image]);
        let wrong = ["open", "--test-passphrase", "--key-file", &place.at("wrong"), &image];
        assert_eq!(output(under(Via::Preload, "/usr/sbin/cryptsetup").args(wrong)).status.code(), Some(2), "{name}");
        // cryptsetup continues to work on the volume that was made.
        fs::write(place.at("second"), "another").expect("a file");
        place.cryptsetup(&[&["luksAddKey", "--key-file", &key, &image, &place.at("second")][..], &QUICK].concat());
        assert_eq!(place.open_test("second", &[&image]), (Some(0), String::new()), "{name}");
        // An image with a volume is not formatted again.
        let again = outcome(&[&made[..], options].concat());
        assert_eq!(again.status.code(), Some(2), "{name}: {}", told(&again));
        if *name == "luks1" {
            let fits = &plain[..1 << 20];
            fs::write(place.at("part"), fits).expect("a file");
            ours(&["volume", "write", "--key-file", &key, "-i", &place.at("part"), &image]);
            let secret = format!("secret,id=s,file={key}");
            let disk = format!("driver=luks,key-secret=s,file.filename={image}");
            let raw = place.at("raw");
            let mut convert = Command::new("qemu-img");
            convert.args(["convert", "--object", &secret, "--image-opts", &disk, "-O", "raw", &raw]);
            let run = output(&mut convert);
            assert!(run.status.success(), "install Debian's qemu-utils: {}", told(&run));
            assert!(fs::read(&raw).expect("a file")[..fits.len()] == *fits);
            let copy = format!("nbdcopy \"$uri\" {}", place.at("copy"));
            let file = ["--filter=luks", "file", &image, &format!("passphrase=+{key}"), "--run", &copy];
            foreign("nbdkit", "nbdkit", &[&["-U", "-"][..], &file].concat());
            assert!(fs::read(place.at("copy")).expect("a file")[..fits.len()] == *fits);
        }
    }
}

/// Volumes whose ciphers need dm-crypt: type, cipher, length of the key in bits, length of a sector in bytes.
const KERNEL: &[(&str, &str, &str, &str)] = &[
    ("luks1", "aes-xts-plain64", "512", "512"),
    ("luks2", "serpent-xts-plain64", "512", "512"),
    ("luks2", "twofish-xts-plain64", "512", "512"),
    ("luks2", "capi:xts(aes)-plain64", "512", "512"),
    ("luks2", "xchacha12,aes-adiantum-plain64", "256", "4096"),
];

/// Volumes that are made here only, as cryptsetup fills such ones without a kernel.
const MORE: [(&str, &str, &str, &str); 4] = [
    ("luks2", "aes-xts-plain64", "512", "4096"),
    ("luks2", "aes-cbc-essiv:sha256", "256", "4096"),
    ("luks2", "aes-cbc-plain64", "256", "512"),
    ("luks1", "aes-cbc-essiv:sha256", "256", "512"),
];

/// In one boot of a stock kernel, it makes volumes that are read here, and compares those that were written here.
#[test]
fn volumes_of_the_kernel() {
    let place = place_with_keys();
    let plain = fs::read(&place.plain).expect("a file");
    fs::copy(&place.plain, place.at("plain")).expect("a file");
    let small = ["--luks2-metadata-size", "16k", "--luks2-keyslots-size", "1m"];
    let (mut script, mut disks) = ("set -e; modprobe -a dm-crypt; k=/host/key\n".to_owned(), Vec::new());
    for (number, (kind, cipher, bits, sector)) in KERNEL.iter().enumerate() {
        disks.push(place.image(&format!("disk{number}"), 8 << 20));
        let device = format!("/dev/vd{}", char::from(b'a' + number as u8));
        let layout = if *kind == "luks2" {
            format!("{} --pbkdf pbkdf2 --sector-size {sector}", small.join(" "))
        } else {
            String::new()
        };
        let add = |kdf: &str| {
            let light = LIGHT.join(" ");
            format!("cryptsetup luksAddKey --key-file $k --pbkdf {kdf} {light} {device} /host/{kdf}\n")
        };
        let more = if *kind == "luks2" { ARGON2.map(add).concat() } else { String::new() };
        script += &format!(
            "cryptsetup -q luksFormat --type {kind} {layout} -c '{cipher}' -s {bits} --pbkdf-force-iterations 1000 {device} $k
             {more}cryptsetup open --key-file $k {device} v; dd if=/host/plain of=/dev/mapper/v bs=64k 2>/dev/null; sync; cryptsetup close v\n"
        );
    }
    // Volumes that are made and written here.
    for &(kind, cipher, bits, sector) in KERNEL.iter().chain(&MORE) {
        let made = place.image(&format!("made{}", disks.len()), 24 << 20);
        let format = ["volume", "format", "--type", kind, "-c", cipher, "-s", bits, "--sector-size", sector];
        ours(&[&format[..], &[&made, &place.at("key")], &QUICK].concat());
        ours(&["volume", "write", "--key-file", &place.at("key"), "-i", text(&place.plain), &made]);
        let device = format!("/dev/vd{}", char::from(b'a' + disks.len() as u8));
        script += &format!(
            "cryptsetup open --key-file $k {device} w; cmp -n {LEN} /host/plain /dev/mapper/w; cryptsetup close w\n"
        );
        // The other slots hold the same volume key, which cryptsetup compares with the header's digest.
        if kind == "luks2" {
            for kdf in ARGON2 {
                let add = ["volume", "add-key", "-d", &place.at("key"), "--pbkdf", kdf, &made, &place.at(kdf)];
                ours(&[&add[..], &LIGHT].concat());
                script += &format!("cryptsetup open --test-passphrase --key-file /host/{kdf} {device}\n");
            }
        }
        disks.push(made);
    }

    let lab = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lab/kernel-lab");
    let mut boot = Command::new(lab);
    boot.args(["-t", "300", "-s", text(place.folder.path())]);
    boot.args(disks.iter().flat_map(|disk| ["-d", disk]));
    let run = output(boot.arg("--").arg(script));
    assert!(run.status.success(), "{}", told(&run));
    for (number, (kind, cipher, ..)) in KERNEL.iter().enumerate() {
        for key in if *kind == "luks2" { &["key", ARGON2[0], ARGON2[1]][..] } else { &["key"] } {
            let read = ["volume", "read", "-d", &place.at(key), "--length", &LEN.to_string(), &disks[number]];
            assert!(ours(&read) == plain, "{kind} {cipher} {key}");
        }
    }
}
