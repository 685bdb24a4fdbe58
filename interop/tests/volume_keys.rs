//! Key slots and whole headers: what `algkit volume` changes, cryptsetup reads, and the reverse.

mod command;

use command::{
    algkit, foreign, ours, outcome,
    run::told,
    volume::{Place, QUICK, patch},
};
use std::{
    fs::{self, File},
    io::Write,
    os::unix::fs::{MetadataExt, PermissionsExt},
    process::{Command, Stdio},
    thread,
    time::Duration,
};

const KINDS: [(&str, u64); 2] = [("luks1", 4 << 20), ("luks2", 20 << 20)];

impl Place {
    /// A volume of cryptsetup with the passphrase `key`; `two` and `three` are further ones.
    fn volume(&self, kind: &str, size: u64) -> String {
        fs::write(self.at("two"), "the second\n").expect("a file");
        fs::write(self.at("three"), b"\0the third\xff").expect("a file");
        let image = self.image(kind, size);
        let pbkdf = ["--pbkdf-force-iterations", "1000", "--pbkdf", "pbkdf2"];
        self.cryptsetup(&[&["luksFormat", "--type", kind, &image, &self.at("key")][..], &pbkdf].concat());
        image
    }

    /// Whether both cryptsetup and algkit open it with the passphrase; they must agree.
    #[track_caller]
    fn opens(&self, key: &str, image: &str) -> bool {
        let (status, said) = self.open_test(key, &[image]);
        assert!(matches!(status, Some(0 | 1)), "{said}");
        let theirs = self.try_cryptsetup(&["open", "--test-passphrase", "--key-file", &self.at(key), image]);
        assert_eq!(theirs.status.success(), status == Some(0), "{key}: {}", told(&theirs));
        status == Some(0)
    }

    /// `algkit volume`, which must fail with 2 and one line.
    #[track_caller]
    fn refused(&self, args: &[&str]) -> String {
        let run = outcome(&[&["volume"], args].concat());
        let said = told(&run);
        assert_eq!((run.status.code(), said.lines().count()), (Some(2), 1), "{args:?}: {said}");
        said
    }
}

/// What other programs have made of a disk is named, and is not formatted unasked.
#[test]
fn what_other_programs_made_stays() {
    let place = Place::new();
    let (ext4, swap) = (place.image("ext4", 64 << 20), place.image("swap", 64 << 20));
    foreign("e2fsprogs", "/usr/sbin/mke2fs", &["-q", "-t", "ext4", &ext4]);
    foreign("util-linux", "/usr/sbin/mkswap", &[&swap]);
    for (image, said) in [(ext4, "ext4 file system"), (swap, "swap space")] {
        let before = fs::read(&image).expect("a file");
        let key = place.at("key");
        let format = [&["format", "-d", &key, &image][..], &QUICK].concat();
        let refused = place.refused(&format);
        assert!(refused.contains(said), "{refused}");
        assert!(fs::read(&image).expect("a file") == before, "{said}");
        ours(&[&["volume"], &format[..], &["-q"]].concat());
    }
}

#[test]
fn keys_are_added_changed_and_removed_by_both() {
    let place = Place::new();
    let at = |name: &str| place.at(name);
    for (kind, size) in KINDS {
        let image = place.volume(kind, size);
        let plain = ours(&["volume", "read", "--key-file", &at("key"), "--length", "4096", &image]);
        // Ours, by each way of naming files.
        let add = ["volume", "luksAddKey", "-d", &at("key"), "-S", "5", &image, &at("two")];
        ours(&[&add[..], &QUICK].concat());
        assert!(place.opens("key", &image) && place.opens("two", &image));
        // Theirs on what is ours.
        place.cryptsetup(&[&["luksAddKey", "--key-file", &at("two"), &image, &at("three")][..], &QUICK].concat());
        assert!(place.opens("three", &image));
        // A part of a file.
        fs::write(at("padded"), "..a passphrase..").expect("a file");
        let part = ["--keyfile-offset", "2", "--keyfile-size", "12", "-d", &at("padded")];
        let change = ["volume", "change-key", &image, "--new-keyfile", &at("wrong")];
        ours(&[&change[..], &part, &QUICK].concat());
        assert!(place.opens("wrong", &image) && !place.opens("key", &image));
        // Both dump the same.
        let dumped = ours(&["volume", "dump", &image]);
        assert_eq!(String::from_utf8(dumped).expect("UTF-8"), place.cryptsetup(&["luksDump", &image]), "{kind}");

        ours(&["volume", "luksRemoveKey", &image, &at("three")]);
        assert!(!place.opens("three", &image) && place.opens("two", &image));
        let said = place.refused(&["kill-slot", "-d", &at("two"), &image, "5"]);
        assert!(said.contains("key slot 5"), "{said}");
        ours(&["volume", "luksKillSlot", "-d", &at("wrong"), &image, "5"]);
        assert!(!place.opens("two", &image) && place.opens("wrong", &image));
        let said = place.refused(&["remove-key", "-d", &at("wrong"), &image]);
        assert!(said.contains("--last") && said.contains("the last one"), "{said}");
        assert!(place.opens("wrong", &image));
        assert_eq!(place.open_test("key", &[&image]).0, Some(1));
        place.cryptsetup(&[&["luksChangeKey", "--key-file", &at("wrong"), &image, &at("key")][..], &QUICK].concat());
        assert!(place.opens("key", &image));
        let same = ours(&["volume", "read", "--key-file", &at("key"), "--length", "4096", &image]);
        assert!(plain == same);
        ours(&["volume", "remove-key", "--last", "-d", &at("key"), &image]);
        assert!(!place.opens("key", &image));
    }
}

#[test]
fn the_key_of_the_volume_stands_in_for_passphrases() {
    let place = Place::new();
    for (kind, size) in KINDS {
        let image = place.volume(kind, size);
        let (key, dumped) = (place.at("key"), place.at(&format!("{kind}.key")));
        place.cryptsetup(&["luksDump", "--dump-volume-key", "--volume-key-file", &dumped, "--key-file", &key, &image]);
        let plain = ours(&["volume", "read", "--key-file", &key, &image]);
        assert!(ours(&["volume", "read", "--volume-key-file", &dumped, &image]) == plain);
        ours(&["volume", "kill-slot", "-q", "--last", &image, "0"]);
        let add = ["volume", "add-key", "--master-key-file", &dumped, "--new-key-slot", "3", &image, &place.at("two")];
        ours(&[&add[..], &QUICK].concat());
        assert!(place.opens("two", &image));
        let other = place.at("other key");
        fs::write(&other, [7; 64]).expect("a file");
        let wrong = outcome(&["volume", "open-test", "--volume-key-file", &other, &image]);
        assert_eq!(wrong.status.code(), Some(1), "{}", told(&wrong));
    }
}

#[test]
fn passphrases_from_a_pipe() {
    let place = Place::new();
    let image = place.volume("luks2", 20 << 20);
    let mut add = Command::new(command::algkit());
    add.args(["volume", "add-key", &image]).args(QUICK).stdin(Stdio::piped());
    let mut child = add.spawn().expect("algkit");
    child.stdin.take().expect("a pipe").write_all(b"a passphrase\nfrom a pipe\n").expect("a pipe");
    assert!(child.wait().expect("algkit").success());
    fs::write(place.at("piped"), "from a pipe").expect("a file");
    assert!(place.opens("piped", &image) && place.opens("key", &image));
    // Nothing is no passphrase.
    let run = Command::new(command::algkit()).args(["volume", "open-test", &image]).stdin(Stdio::null()).output();
    let run = run.expect("algkit");
    assert_eq!(run.status.code(), Some(2), "{}", told(&run));
}

#[test]
fn headers_are_saved_and_put_back() {
    let place = Place::new();
    for (kind, size) in KINDS {
        let image = place.volume(kind, size);
        let (mine, theirs) = (place.at(&format!("{kind}.mine")), place.at(&format!("{kind}.theirs")));
        ours(&["volume", "luksHeaderBackup", &image, "--header-backup-file", &mine]);
        place.cryptsetup(&["luksHeaderBackup", &image, "--header-backup-file", &theirs]);
        assert!(fs::read(&mine).expect("a file") == fs::read(&theirs).expect("a file"), "{kind}");
        assert_eq!(fs::metadata(&mine).expect("a file").permissions().mode() & 0o077, 0);
        let said = place.refused(&["header-backup", &image, "--header-backup-file", &mine]);
        assert!(said.contains("there already"), "{said}");

        // The key slots of the backup come back, with each program's backup by the other.
        ours(&[&["volume", "add-key", "-d", &place.at("key"), &image, &place.at("two")][..], &QUICK].concat());
        let restore = ["header-restore", &image, "--header-backup-file", &theirs];
        let said = place.refused(&restore);
        assert!(said.contains("-q"), "{said}");
        assert!(place.opens("two", &image));
        ours(&[&["volume"], &restore[..], &["-q"]].concat());
        assert!(place.opens("key", &image) && !place.opens("two", &image));
        let whole = fs::read(&image).expect("a file");
        patch(&image, 0, &[0; 40 << 10]);
        place.cryptsetup(&["luksHeaderRestore", &image, "--header-backup-file", &mine]);
        assert!(place.opens("key", &image));
        patch(&image, 0, &[0; 40 << 10]);
        ours(&["volume", "header-restore", "-q", &image, "--header-backup-file", &mine]);
        assert!(place.opens("key", &image));
        let now = fs::read(&image).expect("a file");
        let data = if kind == "luks1" { 2 << 20 } else { 16 << 20 };
        assert!(now.len() == whole.len() && now[data..] == whole[data..]);

        // A backup that is cut off, and one of a volume whose data is elsewhere.
        let cut = place.at("cut");
        fs::write(&cut, &fs::read(&mine).expect("a file")[..100_000]).expect("a file");
        let before = fs::read(&image).expect("a file");
        place.refused(&["header-restore", "-q", &image, "--header-backup-file", &cut]);
        assert!(fs::read(&image).expect("a file") == before);
    }
    let (first, second) = (place.at("luks1"), place.at("luks2.mine"));
    let said = place.refused(&["header-restore", "-q", &first, "--header-backup-file", &second]);
    assert!(said.contains("another place"), "{said}");
}

#[test]
fn damage_is_mended() {
    let place = Place::new();
    let image = place.volume("luks2", 20 << 20);
    let good = fs::read(&image).expect("a file");
    assert!(String::from_utf8_lossy(&ours(&["volume", "repair", "-q", &image])).contains("Nothing is damaged"));
    assert!(fs::read(&image).expect("a file") == good);
    for at in [0, 300, 5000, 16 << 10, (16 << 10) + 5000] {
        patch(&image, at, b"damage");
        let run = outcome(&["volume", "repair", "-q", &image]);
        assert!(run.status.success() && told(&run).contains("mended"), "{at}: {}", told(&run));
        assert_eq!(place.open_test("key", &[&image]), (Some(0), String::new()), "{at}");
        let said = place.try_cryptsetup(&["luksDump", "--debug", &image]);
        assert!(said.status.success() && !told(&said).to_lowercase().contains("corrupted"), "{at}: {}", told(&said));
    }
    patch(&image, 5000, b"x");
    patch(&image, (16 << 10) + 5000, b"x");
    let before = fs::read(&image).expect("a file");
    assert!(place.refused(&["repair", "-q", &image]).contains("checksum"));
    assert!(fs::read(&image).expect("a file") == before);

    let image = place.volume("luks1", 4 << 20);
    let good = fs::read(&image).expect("a file");
    // Key slot 0's place, slot 1's stripes, slot 2's state.
    for (at, bytes) in [(208 + 40, [9; 4]), (256 + 44, [1; 4]), (304, [2; 4])] {
        patch(&image, at, &bytes);
        assert!(place.refused(&["open-test", "-d", &place.at("key"), &image]).contains("key slot"));
    }
    let run = outcome(&["volume", "repair", "-q", &image]);
    assert!(run.status.success() && told(&run).lines().count() == 3, "{}", told(&run));
    assert!(fs::read(&image).expect("a file") == good);
    // Nothing tells what the cipher was.
    patch(&image, 8, &[b'x'; 32]);
    place.refused(&["repair", "-q", &image]);
}

/// Argon2 fills memory, so one process waits for the other; PBKDF2 fills none.
#[test]
fn argon2_in_one_process_after_the_other() {
    let place = Place::new();
    let runtime = place.folder.path().join("runtime");
    fs::create_dir(&runtime).expect("a folder");
    fs::set_permissions(&runtime, fs::Permissions::from_mode(0o700)).expect("permissions");
    let argon2 = ["--pbkdf", "argon2id", "--pbkdf-memory", "64", "--pbkdf-force-iterations", "4"];
    let open = |name: &str, kdf: &[&str]| {
        let image = place.image(name, 20 << 20);
        ours(&[&["volume", "format", "-d", &place.at("key"), &image], kdf].concat());
        let mut open = Command::new(algkit());
        open.args(["volume", "open-test", "-d", &place.at("key"), &image]).env("XDG_RUNTIME_DIR", &runtime);
        open
    };
    let lock = File::create(runtime.join("algkit-argon2.lock")).expect("a file");
    lock.lock().expect("a lock");
    assert!(open("without", &QUICK).status().expect("algkit").success());
    let mut waiting = open("with", &argon2).spawn().expect("algkit");
    thread::sleep(Duration::from_millis(500));
    assert!(waiting.try_wait().expect("a process").is_none());
    drop(lock);
    assert!(waiting.wait().expect("a process").success());
}

#[test]
fn what_a_new_volume_is_refused_for() {
    let place = Place::new();
    let (key, image) = (place.at("key"), place.image("disk", 3 << 40));
    let before = fs::metadata(&image).expect("a file").blocks();
    for (options, said) in [
        (&["-c", "aes-xts-plain"][..], "plain64 is meant"),
        (&["--uuid", "nonsense"], "UUID: not 32 hexadecimal digits"),
        (&["--label", "a label of more than the forty-seven bytes it may have"], "at most 47 bytes"),
    ] {
        let refused = place.refused(&[&["format", "-d", &key, &image][..], options, &QUICK].concat());
        assert!(refused.contains(said), "{refused}");
    }
    assert_eq!(fs::metadata(&image).expect("a file").blocks(), before);
    // On a small device `plain` works, and whoever opens it is told.
    let small = place.image("small", 20 << 20);
    ours(&[&["volume", "format", "-d", &key, "-c", "aes-xts-plain", &small][..], &QUICK].concat());
    let (status, said) = place.open_test("key", &[&small]);
    assert!(status == Some(0) && said.contains("warning") && said.contains("plain64 is meant"), "{said}");
    // A pipe is no volume, and nobody waits for what comes through it.
    let pipe = place.at("pipe");
    foreign("coreutils", "mkfifo", &[&pipe]);
    assert!(place.refused(&["dump", &pipe]).contains("cannot read"));
}

#[test]
fn a_slot_with_another_key_does_not_open_the_data() {
    let place = Place::new();
    let image = place.volume("luks2", 20 << 20);
    let add = ["luksAddKey", "--unbound", "--key-size", "512", "-S", "5", &image, &place.at("two")];
    place.cryptsetup(&[&add[..], &QUICK].concat());
    let before = fs::read(&image).expect("a file");
    for args in [&["write", "-i", &place.at("key")][..], &["read"], &["reencrypt", "--drop-other-keys"]] {
        let run = outcome(&[&["volume"], args, &["-S", "5", "-d", &place.at("two"), &image]].concat());
        assert_eq!(run.status.code(), Some(1), "{args:?}: {}", told(&run));
        assert!(told(&run).contains("not the key of the volume"), "{args:?}: {}", told(&run));
        assert!(fs::read(&image).expect("a file") == before, "{args:?}");
    }
}
