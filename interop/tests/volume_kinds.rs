//! Volumes that are named and not opened: the images of cryptsetup's own tests.

mod command;

use command::{images, outcome, run::told, text};
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
