//! Volumes that are named and not opened: the images of cryptsetup's own tests.

mod command;

use command::{
    images, ours, outcome,
    run::told,
    text,
    volume::{Place, QUICK, patch},
};
use std::fs;

#[test]
fn bitlocker_and_filevault_are_named() {
    for (folder, name, count) in [("bitlk-images", "BitLocker", 16), ("fvault2-images", "FileVault", 1)] {
        let mut found = 0;
        for entry in fs::read_dir(images::unpacked(folder)).expect("a folder") {
            let path = entry.expect("a file").path();
            if !path.ends_with("small") && path.extension().is_none_or(|extension| extension != "img") {
                continue;
            }
            found += 1;
            for command in ["dump", "open-test"] {
                let run = outcome(&["volume", command, text(&path)]);
                assert_eq!(run.status.code(), Some(2), "{}: {}", path.display(), told(&run));
                let said = told(&run);
                assert!(said.contains(name) && said.contains("not supported"), "{}: {said}", path.display());
                assert_eq!(said.lines().count(), 1, "{said}");
            }
        }
        assert_eq!(found, count, "{folder}");
    }
}

/// What no passphrase opens is refused before one is asked for.
#[test]
fn no_passphrase_is_asked_for_in_vain() {
    let place = Place::new();
    let image = place.image("disk", 4 << 20);
    ours(&[&["volume", "format", "--type", "luks1", "-d", &place.at("key"), &image][..], &QUICK].concat());
    // The mode of the cipher (the header of LUKS1 has no checksum).
    patch(&image, 40, b"ecb\0");
    let run = outcome(&["volume", "open-test", "-d", &place.at("not-there"), &image]);
    assert_eq!(run.status.code(), Some(2));
    let said = told(&run);
    assert!(said.contains("aes-ecb") && !said.contains("not-there"), "{said}");
}
