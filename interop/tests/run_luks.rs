//! cryptsetup on files with LUKS volumes, under `algkit run` and without device-mapper.

mod command;

use command::{
    run::{Via, output, told, under},
    scratch,
};
use std::fs;

#[test]
fn luks_files() {
    let folder = scratch();
    let at = |name: &str| folder.path().join(name).to_str().expect("a name").to_owned();
    for (name, text) in [("one", "first"), ("two", "second"), ("three", "third")] {
        fs::write(at(name), text).expect("a file");
    }
    fs::File::create(at("disk")).and_then(|file| file.set_len(40 << 20)).expect("a file");
    let quick = ["-q", "--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000"];
    let cryptsetup = |args: &[&str]| {
        let mut run = under(Via::Preload, "/usr/sbin/cryptsetup");
        // Options that only some actions accept.
        let makes_key = ["luksFormat", "luksAddKey", "luksChangeKey", "reencrypt"].contains(&args[0]);
        let run = output(run.args(args).args(if makes_key { &quick[..] } else { &quick[..1] }));
        (run.status.code(), told(&run))
    };
    let (disk, [one, two, three]) = (at("disk"), ["one", "two", "three"].map(at));
    let opens = |key: &str| cryptsetup(&["open", "--test-passphrase", "--key-file", key, &disk]).0;
    for step in [
        &["luksFormat", "--type", "luks2", &disk, &one][..],
        &["luksAddKey", "--key-file", &one, &disk, &two],
        &["luksChangeKey", "--key-file", &two, &disk, &three],
    ] {
        let (status, said) = cryptsetup(step);
        assert_eq!(status, Some(0), "{step:?}: {said}");
    }
    assert_eq!([&one, &two, &three].map(|key| opens(key)), [Some(0), Some(2), Some(0)]);
    let (status, said) = cryptsetup(&["luksRemoveKey", &disk, &three]);
    assert_eq!(status, Some(0), "{said}");
    let again = ["reencrypt", "--key-file", &one, "--key-slot", "0", "--force-offline-reencrypt", &disk];
    let (status, said) = cryptsetup(&again);
    assert_eq!(status, Some(0), "{said}");
    assert_eq!(opens(&one), Some(0));
    // A cipher specification that only device-mapper could use.
    let capi = ["luksFormat", "--type", "luks2", "-c", "capi:xts(aes)-plain64", &disk, &one];
    let (status, said) = cryptsetup(&capi);
    assert_ne!(status, Some(0), "{said}");
}
