//! Key slots added, changed and removed: what opens the volume afterwards, and whatever fails in between.

mod disk;
mod new;

use algkit_volume::{
    Error, Header, Key, Limits, NewKey, ReadAt, Unlocked, Version, WriteAt,
    luks2::Copies,
    reencrypt::{self, Change, Plan, Protection},
    storage::Memory,
};
use disk::{Disk, State};
use new::{alter, change_header, options, quick, random};
use serde_json::json;
use std::ops::Range;

const SIZE: usize = (16 << 20) + 8192;
const VERSIONS: [Version; 2] = [Version::Luks1, Version::Luks2];

fn new(passphrase: &str, slot: Option<u32>) -> NewKey<'_> {
    NewKey { passphrase: passphrase.as_bytes(), kdf: quick(), hash: "sha256", slot }
}

/// A volume with the passphrase `one` in slot 0, `two` in slot 1, and its key.
fn volume(version: Version) -> (Vec<u8>, Key) {
    let disk = Memory::new(vec![0; SIZE]);
    let options = options("aes-xts-plain64", 64, 512);
    let (mut header, unlocked) = Header::format(version, &disk, &options, b"one", &random()).unwrap();
    assert_eq!(header.add_key(&disk, &unlocked, &new("two", None), &random()).unwrap(), 1);
    (disk.into_inner(), unlocked.key)
}

fn open(storage: &dyn ReadAt, passphrase: &str) -> Result<Unlocked, Error> {
    Header::read(storage)?.unlock(storage, passphrase.as_bytes(), None, &Limits::default())
}

fn is_open(storage: &dyn ReadAt, passphrase: &str, key: &Key) -> bool {
    match open(storage, passphrase) {
        Ok(unlocked) => {
            assert_eq!(unlocked.key.bytes(), key.bytes());
            true
        }
        Err(Error::WrongPassphrase) => false,
        Err(error) => panic!("{passphrase}: {error}"),
    }
}

/// The number of key slots in use.
fn slots(header: &Header) -> usize {
    match header {
        Header::Luks1(header) => header.slots.iter().filter(|slot| slot.is_enabled()).count(),
        Header::Luks2(header) => header.metadata.keyslots.len(),
    }
}

/// Passphrases: `always` opens after a loss of power at any time, and one of `either`; `after` opens at the end, and `gone` does not.
#[derive(Default)]
struct Opens<'a> {
    always: &'a [&'a str],
    either: &'a [&'a str],
    after: &'a [&'a str],
    gone: &'a [&'a str],
}

/// The areas of the key slots in use.
fn areas(storage: &dyn ReadAt) -> Vec<Range<usize>> {
    let area = |start: u64, len: u64| start as usize..(start + len) as usize;
    match Header::read(storage).unwrap() {
        Header::Luks1(header) => {
            let in_use = header.slots.iter().filter(|slot| slot.is_enabled());
            in_use.map(|slot| area(u64::from(slot.offset) * 512, 256_000)).collect()
        }
        Header::Luks2(header) => {
            header.metadata.keyslots.values().map(|slot| area(slot.area.offset, slot.area.size)).collect()
        }
    }
}

/// Does `work` to a volume with two key slots, and checks what opens it. A third key slot opens if the header names it, unless there is a choice.
/// An area that the header does not name any more is overwritten.
fn survives(version: Version, work: impl Fn(&mut Header, &Disk), opens: &Opens<'_>) {
    let (bytes, key) = volume(version);
    let disk = Disk::new(bytes.clone());
    work(&mut Header::read(&disk).unwrap(), &disk);
    let is_overwritten = |storage: &dyn ReadAt, area: Range<usize>| {
        let mut now = vec![0; area.len()];
        storage.read_at(area.start as u64, &mut now).unwrap();
        // Every sector is another: of 512 random bytes, so many are never the same.
        bytes[area].chunks(512).zip(now.chunks(512)).all(|(old, now)| old != now)
    };
    let none_is_left = |storage: &dyn ReadAt| {
        let named = areas(storage);
        let mut gone = areas(&&bytes[..]).into_iter().filter(|area| !named.contains(area));
        gone.all(|area| is_overwritten(storage, area))
    };
    let (end, states) = disk.cut(|step, state: &State<'_>| {
        assert!(none_is_left(state), "{version:?}: step {step}");
        let is_open = |passphrase: &&str| is_open(state, passphrase, &key);
        assert!(opens.always.iter().all(is_open), "{version:?}: step {step}");
        if !opens.either.is_empty() {
            assert!(opens.either.iter().any(is_open), "{version:?}: step {step}");
        } else if slots(&Header::read(state).unwrap()) == 3 {
            assert!(opens.after.iter().all(is_open), "{version:?}: step {step}");
        }
    });
    assert!(states > 10, "{states}");
    assert!(none_is_left(&&end[..]), "{version:?}");
    let is_open = |passphrase: &&str| is_open(&&end[..], passphrase, &key);
    assert!(opens.after.iter().all(is_open) && !opens.gone.iter().any(is_open), "{version:?}");
    if let (Header::Luks2(before), Header::Luks2(header)) =
        (Header::read(&&bytes[..]).unwrap(), Header::read(&&end[..]).unwrap())
    {
        assert_eq!(header.copies, Copies::Both);
        assert!(header.binary.sequence > before.binary.sequence);
    }
}

#[test]
fn a_key_is_added() {
    for version in VERSIONS {
        // Slots 6 and 7 of LUKS1 are in the second sector of the header, slot 6 in both.
        for slot in [None, Some(5), Some(6), Some(7)] {
            let add = |header: &mut Header, disk: &Disk| {
                let unlocked = header.unlock(disk, b"two", None, &Limits::default()).unwrap();
                let number = header.add_key(disk, &unlocked, &new("three", slot), &random()).unwrap();
                assert_eq!(number, slot.unwrap_or(2));
            };
            let opens =
                Opens { always: &["one", "two"], after: &["one", "two", "three"], gone: &["four"], ..Opens::default() };
            survives(version, add, &opens);
        }
    }
}

#[test]
fn a_key_is_changed() {
    for version in VERSIONS {
        let change = |header: &mut Header, disk: &Disk| {
            let unlocked = header.unlock(disk, b"two", None, &Limits::default()).unwrap();
            let number = header.change_key(disk, &unlocked, &new("three", None), &random()).unwrap();
            assert_eq!(number, if version == Version::Luks1 { 2 } else { 1 });
        };
        let opens = Opens { always: &["one"], either: &["two", "three"], after: &["one", "three"], gone: &["two"] };
        survives(version, change, &opens);
    }
}

/// A slot that is tried only when it is named, or before all others, stays so.
#[test]
fn a_changed_key_keeps_its_priority() {
    let (mut bytes, _) = volume(Version::Luks2);
    alter(&mut bytes, |json| json["keyslots"]["1"]["priority"] = 0.into());
    let disk = Memory::new(bytes);
    let mut header = Header::read(&disk).unwrap();
    let unlocked = header.unlock(&disk, b"two", Some(1), &Limits::default()).unwrap();
    header.change_key(&disk, &unlocked, &new("three", None), &random()).unwrap();
    let Header::Luks2(header) = Header::read(&disk).unwrap() else { panic!("LUKS1") };
    assert_eq!(header.metadata.keyslots[&1].priority, Some(0));
}

#[test]
fn a_key_is_removed() {
    for version in VERSIONS {
        let remove = |header: &mut Header, disk: &Disk| {
            header.remove_key(disk, 0, false, &random()).unwrap();
            let error = header.remove_key(disk, 1, false, &random()).unwrap_err();
            assert!(matches!(error, Error::LastSlot(1)), "{error}");
        };
        survives(version, remove, &Opens { always: &["two"], after: &["two"], gone: &["one"], ..Opens::default() });
    }
}

#[test]
fn the_last_key_goes_if_it_has_to() {
    for version in VERSIONS {
        let (bytes, key) = volume(version);
        let disk = Disk::new(bytes);
        let mut header = Header::read(&disk).unwrap();
        header.remove_key(&disk, 1, false, &random()).unwrap();
        header.remove_key(&disk, 0, true, &random()).unwrap();
        assert!(matches!(open(&disk, "one"), Err(Error::WrongPassphrase)));
        // The key of the volume opens it, and adds a passphrase.
        let wrong = Key::new(vec![1; 64]);
        assert!(matches!(header.verify(wrong, &Limits::default()), Err(Error::WrongKey)));
        let unlocked = header.verify(key.clone(), &Limits::default()).unwrap();
        header.add_key(&disk, &unlocked, &new("again", None), &random()).unwrap();
        assert!(is_open(&disk, "again", &key));
    }
}

/// A slot that is tried only when it is named is a way to the key all the same.
#[test]
fn a_slot_with_priority_0_can_be_the_last() {
    let (bytes, key) = volume(Version::Luks2);
    let disk = Disk::new(bytes);
    let mut header = Header::read(&disk).unwrap();
    header.remove_key(&disk, 0, false, &random()).unwrap();
    let Header::Luks2(luks2) = &mut header else { panic!("{header:?}") };
    luks2.metadata.keyslots.get_mut(&1).unwrap().priority = Some(0);
    assert!(matches!(header.unlock(&disk, b"two", None, &Limits::default()), Err(Error::WrongPassphrase)));
    assert_eq!(header.unlock(&disk, b"two", Some(1), &Limits::default()).unwrap().key.bytes(), key.bytes());
    let error = header.remove_key(&disk, 1, false, &random()).unwrap_err();
    assert!(matches!(error, Error::LastSlot(1)), "{error}");
}

#[test]
fn slots_run_out_and_are_used_again() {
    for (version, slots) in [(Version::Luks1, 8), (Version::Luks2, 32)] {
        let (bytes, key) = volume(version);
        let disk = Disk::new(bytes);
        let mut header = Header::read(&disk).unwrap();
        let unlocked = header.verify(key, &Limits::default()).unwrap();
        for number in 2..slots {
            assert_eq!(header.add_key(&disk, &unlocked, &new("more", None), &random()).unwrap(), number);
        }
        let error = header.add_key(&disk, &unlocked, &new("more", None), &random()).unwrap_err();
        assert!(error.to_string().contains("all") && error.to_string().contains("remove one"), "{error}");
        let error = header.add_key(&disk, &unlocked, &new("more", Some(3)), &random()).unwrap_err();
        assert!(error.to_string().contains("key slot 3 is in use"), "{error}");
        let error = header.add_key(&disk, &unlocked, &new("more", Some(slots)), &random()).unwrap_err();
        assert!(error.to_string().contains(&format!("no key slot {slots}")), "{error}");
        header.remove_key(&disk, 3, false, &random()).unwrap();
        assert_eq!(header.add_key(&disk, &unlocked, &new("three", None), &random()).unwrap(), 3);
        assert_eq!(open(&disk, "three").unwrap().slot, Some(3));
        assert_eq!(open(&disk, "two").unwrap().slot, Some(1));
    }
}

/// A header with one damaged copy is written there first, so that the good one stays until then.
#[test]
fn a_damaged_copy_is_written_first() {
    for damaged in [0u64, 16 << 10] {
        let (bytes, key) = volume(Version::Luks2);
        let disk = Disk::new(bytes);
        disk.write_at(damaged + 4096, b"#").unwrap();
        disk.sync().unwrap();
        let mut header = Header::read(&disk).unwrap();
        assert_eq!(header.warnings().len(), 1);
        let unlocked = open(&disk, "one").unwrap();
        header.add_key(&disk, &unlocked, &new("three", None), &random()).unwrap();
        let (end, _) = disk.cut(|_, state| assert!(is_open(state, "one", &key)));
        assert!(Header::read(&&end[..]).unwrap().warnings().is_empty());
        assert!(is_open(&&end[..], "three", &key));
    }
}

/// A program that keeps a header in memory does not undo what another one has done meanwhile.
#[test]
fn a_header_that_was_changed_meanwhile_is_not_written() {
    for version in VERSIONS {
        let (bytes, key) = volume(version);
        let disk = Memory::new(bytes);
        let unlocked = open(&disk, "one").unwrap();
        let mut old = Header::read(&disk).unwrap();
        let mut header = old.clone();
        header.add_key(&disk, &unlocked, &new("three", None), &random()).unwrap();
        let results = [
            old.add_key(&disk, &unlocked, &new("four", None), &random()).map(drop),
            old.change_key(&disk, &unlocked, &new("four", None), &random()).map(drop),
            old.remove_key(&disk, 1, false, &random()),
            old.set_size(&disk, 4096, &random()),
            old.convert(if version == Version::Luks1 { Version::Luks2 } else { Version::Luks1 }, &disk, &random())
                .map(drop),
        ];
        for result in results {
            assert!(matches!(result, Err(Error::Changed)), "{version:?}: {result:?}");
        }
        for passphrase in ["one", "two", "three"] {
            assert!(is_open(&disk, passphrase, &key), "{version:?} {passphrase}");
        }
        // Who changed it goes on.
        header.remove_key(&disk, 1, false, &random()).unwrap();
    }
}

/// A file system that was made where a volume was leaves the second copy of its header. Whoever calls the library with the old passphrase gets the
/// key, and destroys nothing.
#[test]
fn what_has_taken_a_volumes_place_stays() {
    let (mut bytes, key) = volume(Version::Luks2);
    bytes[..4096].fill(0);
    // The magic number of ext4.
    bytes[1080..1082].copy_from_slice(b"\x53\xef");
    let disk = Memory::new(bytes.clone());
    assert!(is_open(&disk, "one", &key));
    let unlocked = open(&disk, "one").unwrap();
    let new = new("three", None);
    let read = || Header::read(&disk).unwrap();
    let results = [
        read().add_key(&disk, &unlocked, &new, &random()).map(drop),
        read().change_key(&disk, &unlocked, &new, &random()).map(drop),
        read().remove_key(&disk, 1, false, &random()),
        read().set_size(&disk, 4096, &random()),
        Header::repair(&disk, false, &random()).map(drop),
    ];
    for result in results {
        assert!(matches!(result, Err(Error::Replaced(what)) if what.contains("ext4")), "{result:?}");
    }
    assert!(read().warnings()[0].contains("ext4"));
    let now = || {
        let mut now = vec![0; SIZE];
        disk.read_at(0, &mut now).unwrap();
        now
    };
    assert!(now() == bytes);
    assert_eq!(Header::repair(&disk, true, &random()).unwrap().len(), 1);
    assert!(read().warnings().is_empty() && is_open(&disk, "two", &key));
}

/// LUKS1 has one header. Slots that are not where they are usually stay there, if only something else is damaged.
#[test]
fn a_repair_changes_no_more_than_it_has_to() {
    use algkit_volume::storage::Memory;
    let (mut bytes, key) = volume(Version::Luks1);
    // Slots 0 and 1 with their areas exchanged, as another program may place them.
    let place = |slot: usize| 208 + 48 * slot + 40..208 + 48 * slot + 44;
    let area = |bytes: &[u8], slot: usize| {
        let start = u32::from_be_bytes(bytes[place(slot)].try_into().unwrap()) as usize * 512;
        start..start + 256_000
    };
    let (zero, one) = (area(&bytes, 0), area(&bytes, 1));
    let saved = bytes[zero.clone()].to_vec();
    bytes.copy_within(one.clone(), zero.start);
    bytes[one].copy_from_slice(&saved);
    let saved: [u8; 4] = bytes[place(0)].try_into().unwrap();
    bytes.copy_within(place(1), place(0).start);
    bytes[place(1)].copy_from_slice(&saved);
    let disk = Memory::new(bytes.clone());
    assert!(is_open(&disk, "one", &key) && is_open(&disk, "two", &key));
    assert!(Header::repair(&disk, false, &random()).unwrap().is_empty());

    disk.write_at(208 + 44, &[0xff]).unwrap();
    assert!(Header::read(&disk).is_err());
    assert_eq!(Header::repair(&disk, false, &random()).unwrap(), ["key slot 0: its stripes"]);
    assert!(disk.into_inner() == bytes);
}

/// A volume that was LUKS2 has key slots in other places than usual. Only the place that is wrong is set.
#[test]
fn a_repair_leaves_the_places_of_good_slots() {
    let (bytes, key) = volume(Version::Luks1);
    let disk = Memory::new(bytes);
    let convert = |to| Header::read(&disk).unwrap().convert(to, &disk, &random()).unwrap();
    let mut header = convert(Version::Luks2);
    let unlocked = open(&disk, "one").unwrap();
    header.change_key(&disk, &unlocked, &new("one", None), &random()).unwrap();
    convert(Version::Luks1);
    let slot_5 = 208 + 48 * 5 + 40;
    disk.write_at(slot_5, &[0; 4]).unwrap();
    assert!(Header::read(&disk).is_err());
    let mended = Header::repair(&disk, false, &random()).unwrap();
    assert_eq!(mended.last().unwrap(), "key slot 5: its place");
    assert!(is_open(&disk, "one", &key) && is_open(&disk, "two", &key), "{mended:?}");
}

/// Nothing depends on the UUID of LUKS1, and no checksum covers it.
#[test]
fn a_damaged_uuid_keeps_nobody_out() {
    let (mut bytes, key) = volume(Version::Luks1);
    bytes[170] |= 0x80;
    let disk = Memory::new(bytes);
    assert!(is_open(&disk, "one", &key));
    let mut header = Header::read(&disk).unwrap();
    assert_eq!(header.uuid().find('?'), Some(2));
    let unlocked = open(&disk, "one").unwrap();
    header.add_key(&disk, &unlocked, &new("three", None), &random()).unwrap();
    assert!(is_open(&disk, "three", &key));
}

/// A slot that is neither enabled nor disabled opens nothing, as in cryptsetup, and no key is written over the one that it may have.
#[test]
fn a_damaged_state_of_a_slot_keeps_nobody_else_out() {
    let (mut bytes, key) = volume(Version::Luks1);
    bytes[208] ^= 0x40;
    let damaged = bytes[208..256].to_vec();
    let disk = Memory::new(bytes);
    assert!(!is_open(&disk, "one", &key) && is_open(&disk, "two", &key));
    let mut header = Header::read(&disk).unwrap();
    assert_eq!(header.warnings(), ["key slot 0 is not used: it is neither enabled nor disabled"]);
    let unlocked = open(&disk, "two").unwrap();
    assert_eq!(header.add_key(&disk, &unlocked, &new("three", None), &random()).unwrap(), 2);
    let mut slot = [0; 48];
    disk.read_at(208, &mut slot).unwrap();
    assert_eq!(slot[..], damaged);
    // cryptsetup converts it, and loses the slot.
    assert!(header.convert(Version::Luks2, &disk, &random()).is_err());
    assert_eq!(Header::repair(&disk, false, &random()).unwrap(), ["key slot 0: its state"]);
    assert!(["one", "two", "three"].iter().all(|passphrase| is_open(&disk, passphrase, &key)));
    assert!(Header::repair(&disk, false, &random()).unwrap().is_empty());
}

/// A label may be in any encoding (`cryptsetup config --label`), and stays as it is.
#[test]
fn a_label_that_is_not_utf8_keeps_nobody_out() {
    let (mut bytes, key) = volume(Version::Luks2);
    change_header(&mut bytes, |copy| {
        copy[24..30].copy_from_slice(b"M\xfcller");
        copy[208] = 0xff;
    });
    let disk = Memory::new(bytes);
    let unlocked = open(&disk, "one").unwrap();
    Header::read(&disk).unwrap().add_key(&disk, &unlocked, &new("three", None), &random()).unwrap();
    assert!(is_open(&disk, "three", &key));
    let Header::Luks2(header) = Header::read(&disk).unwrap() else { panic!() };
    assert_eq!((&header.binary.label[..], &header.binary.subsystem[..]), (&b"M\xfcller"[..], &b"\xff"[..]));
}

/// A token of another program stays as it is to the byte, whatever is done to the key slots.
fn token_stays(token: &[u8]) {
    let (mut bytes, key) = volume(Version::Luks2);
    let has = |copy: &[u8], part: &[u8]| copy.windows(part.len()).position(|window| window == part);
    change_header(&mut bytes, |copy| {
        let before = b"\"tokens\":{}";
        let at = has(copy, before).unwrap();
        copy.copy_within(at + before.len()..copy.len() - token.len(), at + before.len() - 2 + token.len());
        copy[at + before.len() - 2..][..token.len()].copy_from_slice(token);
    });
    let disk = Memory::new(bytes);
    let unlocked = open(&disk, "one").unwrap();
    Header::read(&disk).unwrap().add_key(&disk, &unlocked, &new("three", None), &random()).unwrap();
    assert!(is_open(&disk, "three", &key));
    change_header(&mut disk.into_inner(), |copy| assert!(has(copy, token).is_some()));
}

/// Strings of tokens may be in any encoding (`cryptsetup token import`), and stay as they are. So do the characters that stand for such bytes meanwhile.
#[test]
fn a_token_that_is_not_utf8_keeps_nobody_out() {
    token_stays(b"{\"0\":{\"keyslots\":[],\"type\":\"x\",\"\xfc\":\"caf\xe9 \xc3\xa9 \xf4\x8f\xbf\xa9 \xed\xa0\x80 \xf4\x8f\"}}");
}

/// `cryptsetup token import` takes numbers that no type of a machine has, and some that JSON does not have.
#[test]
fn a_token_with_any_number_keeps_nobody_out() {
    token_stays(
        br#"{"0":{"\\":[NaN,-Infinity,Infinity,1.],"a":-.5,"b":007.5,"c":"\"1.,\\","d":01e5,"keyslots":[],"type":"x"}}"#,
    );
    token_stays(b"{\"0\":{\"a\":1e+400,\"b\":0.10,\"c\":-0,\"d\":123456789012345678901234567890,\"keyslots\":[],\"type\":\"x\"}}");
}

/// An image that is cut off is not made longer.
#[test]
fn nothing_is_written_behind_the_end() {
    for (version, len) in VERSIONS.into_iter().flat_map(|version| [(version, 20_000), (version, 540_000)]) {
        let (bytes, key) = volume(version);
        let file = tempfile::tempfile().unwrap();
        file.write_at(0, &bytes[..len]).unwrap();
        let Ok(mut header) = Header::read(&file) else { continue };
        let unlocked = header.verify(key, &Limits::default()).unwrap();
        let error = header.add_key(&file, &unlocked, &new("three", None), &random()).unwrap_err();
        assert!(error.to_string().starts_with("device: "), "{error}");
        if version == Version::Luks1 {
            let error = header.convert(Version::Luks2, &file, &random()).unwrap_err();
            assert!(error.to_string().starts_with("device: "), "{error}");
        }
        if len < 32 << 10 {
            let error = Header::repair(&file, false, &random()).unwrap_err();
            assert!(error.to_string().starts_with("device: "), "{error}");
        }
        assert_eq!(file.size().unwrap(), len as u64);
    }
}

/// Once the header of a backup is there, in one copy or both, its key slots open. A backup has a lower sequence number than the header that it replaces,
/// of which the second copy is there a little longer.
#[test]
fn a_restored_header_serves_when_its_first_copy_is_written() {
    for version in VERSIONS {
        let (backup, key) = volume(version);
        let disk = Memory::new(backup.clone());
        let unlocked = open(&disk, "one").unwrap();
        Header::read(&disk).unwrap().change_key(&disk, &unlocked, &new("three", None), &random()).unwrap();
        let disk = Disk::new(disk.into_inner());
        Header::read(&&backup[..]).unwrap().restore(&&backup[..], &disk, &random()).unwrap();
        // The last steps are the second copy and a sync.
        let last = disk.steps() - 2;
        let mut states = 0;
        let (end, _) = disk.cut(|step, state| {
            let is_there = areas(state) == areas(&&backup[..]);
            if is_there || version == Version::Luks2 && step >= last {
                assert!(is_open(state, "one", &key) && !is_open(state, "three", &key), "{version:?}: step {step}");
                states += 1;
            }
        });
        assert!(states > 0);
        assert!(is_open(&&end[..], "one", &key));
    }
}

/// A header with the last sequence number could not be changed any more.
#[test]
fn a_forged_sequence_number_is_not_taken_over() {
    let (backup, key) = volume(Version::Luks2);
    let mut bytes = backup.clone();
    change_header(&mut bytes, |copy| copy[16..24].copy_from_slice(&(u64::MAX - 1).to_be_bytes()));
    let disk = Memory::new(bytes);
    let mut header = Header::read(&&backup[..]).unwrap();
    header.restore(&&backup[..], &disk, &random()).unwrap();
    let unlocked = open(&disk, "one").unwrap();
    header.add_key(&disk, &unlocked, &new("three", None), &random()).unwrap();
    assert!(is_open(&disk, "three", &key));
}

/// A backup that was made during a reencryption tells of a place that the data has left, and on a short device the data would not begin.
#[test]
fn what_is_not_restored() {
    for version in VERSIONS {
        let (backup, _) = volume(version);
        let header = Header::read(&&backup[..]).unwrap();
        let refused = |mut header: Header, len: usize, reason: &str| {
            let disk = Memory::new(vec![7; len]);
            let error = header.restore(&&backup[..], &disk, &random()).unwrap_err();
            assert!(error.to_string().contains(reason), "{version:?}: {error}");
            assert!(disk.into_inner().iter().all(|byte| *byte == 7), "{version:?}: {reason}");
        };
        refused(header.clone(), header.data_offset() as usize - 1, "data of this header begins");
        if let Header::Luks2(mut header) = header {
            header.metadata.config.requirements.mandatory.push("online-reencrypt-v2".to_owned());
            refused(Header::Luks2(header), SIZE, "reencrypt");
        }
    }
}

/// A slot that is named may hold another key (`cryptsetup luksAddKey --unbound`), which would make noise of the data.
#[test]
fn the_key_of_a_slot_that_is_not_the_datas_opens_nothing() {
    let (mut bytes, _) = volume(Version::Luks2);
    alter(&mut bytes, |json| {
        let mut unbound = json["digests"]["0"].clone();
        (unbound["keyslots"], unbound["segments"]) = (json!(["1"]), json!([]));
        json["digests"]["0"]["keyslots"] = json!(["0"]);
        json["digests"]["1"] = unbound;
    });
    let disk = Memory::new(bytes);
    let mut header = Header::read(&disk).unwrap();
    let opened = |header: &Header, passphrase: &[u8], slot| {
        let unlocked = header.unlock(&disk, passphrase, Some(slot), &Limits::default()).unwrap();
        header.open_with(&disk, None, &unlocked).map(|_| unlocked)
    };
    assert!(opened(&header, b"one", 0).is_ok());
    assert!(matches!(opened(&header, b"two", 1), Err(Error::WrongKey)));
    // A slot that is added with that key has it, too.
    let unlocked = header.unlock(&disk, b"two", Some(1), &Limits::default()).unwrap();
    header.add_key(&disk, &unlocked, &new("three", None), &random()).unwrap();
    assert!(matches!(opened(&header, b"three", 2), Err(Error::WrongKey)));
    let Header::Luks2(mut header) = header else { panic!("{header:?}") };
    let plan = Plan { change: Change::Decrypt, protection: Protection::Journal, hash: "sha256".into(), hotzone: None };
    let begun = reencrypt::start(&mut header, &disk, &disk, unlocked, &[], &plan, &random());
    assert!(matches!(begun, Err(Error::WrongKey)), "{begun:?}");
}
