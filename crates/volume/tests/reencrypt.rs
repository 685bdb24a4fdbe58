//! Reencryption on a disk that loses what was not synced: whatever fails, the volume opens with every byte, and the reencryption goes on.

mod disk;
mod new;

use algkit_volume::{
    CipherSpec, Error, Header, Limits, NewKey, ReadAt, Unlocked, Version, WriteAt, luks2,
    reencrypt::{self, Change, Interrupted, Plan, Protection, Resume, SHIFT, start_shifted},
    storage::Memory,
};
use disk::{Disk, State};
use new::{alter, options, quick, random};
use serde_json::Value;
use std::{collections::HashSet, ops::Range};

const OFFSET: usize = 16 << 20;

/// Zones and a half: the last one is shorter.
const DATA: usize = 40 << 10;
const ZONE: u64 = 16 << 10;

const PASSPHRASE: &[u8] = b"a passphrase";

fn new_key() -> NewKey<'static> {
    NewKey { passphrase: PASSPHRASE, kdf: quick(), hash: "sha256", slot: None }
}

fn plain() -> Vec<u8> {
    (0..DATA / 8).flat_map(|word| (word as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes()).collect()
}

/// A volume with the plaintext.
fn volume(cipher: &str, key_size: usize, sector_size: u32) -> Vec<u8> {
    let disk = Memory::new(vec![0; OFFSET + DATA]);
    let options = options(cipher, key_size, sector_size);
    let (header, unlocked) = Header::format(Version::Luks2, &disk, &options, PASSPHRASE, &random()).unwrap();
    header.open(&disk, &unlocked.key).unwrap().write_at(0, &plain()).unwrap();
    disk.into_inner()
}

fn luks2(header: Header) -> luks2::Header {
    let Header::Luks2(header) = header else { panic!("{header:?}") };
    *header
}

fn unlock(storage: &dyn ReadAt) -> (Header, Unlocked) {
    let header = Header::read(storage).unwrap();
    let unlocked = header.unlock(storage, PASSPHRASE, None, &Limits::default()).unwrap();
    (header, unlocked)
}

fn read(storage: &dyn ReadAt) -> Result<Vec<u8>, Error> {
    let (header, unlocked) = unlock(storage);
    let volume = header.open_with(storage, None, &unlocked)?;
    let mut bytes = vec![0; volume.size()? as usize];
    volume.read_at(0, &mut bytes)?;
    Ok(bytes)
}

/// Goes on until the end, or for some zones: whether it is done.
fn resume(storage: &dyn WriteAt, zones: usize, lose_torn_zone: bool) -> Result<bool, Error> {
    let (header, unlocked) = unlock(storage);
    let mut left = zones;
    let mut go_on = |done: u64, all: u64| {
        assert!(done <= all && all == DATA as u64);
        left = left.wrapping_sub(1);
        left != usize::MAX
    };
    let options = Resume { hotzone: Some(ZONE), lose_torn_zone };
    reencrypt::resume(&mut luks2(header), storage, storage, &unlocked, &options, &random(), &mut go_on)
}

fn start(storage: &dyn WriteAt, plan: &Plan) -> Result<(), Error> {
    let (header, unlocked) = unlock(storage);
    let keys = [(unlocked.slot, new_key())];
    let keys = if matches!(plan.change, Change::Reencrypt { .. }) { &keys[..] } else { &[] };
    let mut header = luks2(header);
    reencrypt::start(&mut header, storage, storage, unlocked, keys, plan, &random()).map(drop)
}

fn plan(protection: Protection, cipher: &str, key_size: usize, sector_size: u32) -> Plan {
    let cipher = CipherSpec::parse(cipher).unwrap();
    let change = Change::Reencrypt { cipher, key_size, sector_size };
    Plan { change, protection, hash: "sha256".into(), hotzone: Some(ZONE) }
}

/// A volume that is being reencrypted is cut off at every write. It is read, and the reencryption is resumed to its end.
fn survives(before: Vec<u8>, plan: &Plan, disk_sector: usize) {
    let name = format!("{:?} {:?}", plan.change, plan.protection);
    let is_done = |storage: &dyn ReadAt| Header::read(storage).unwrap().reencryption().is_none();
    let disk = Disk::new(before).sectors(disk_sector);
    start(&disk, plan).unwrap();
    assert!(!is_done(&disk));
    assert!(resume(&disk, usize::MAX, false).unwrap());
    let (mut hot, mut torn, mut left) = (0, 0, 0);
    let (end, states) = disk.cut(|step, state: &State<'_>| {
        let (header, _) = unlock(state);
        // As the format has it.
        let metadata = luks2(header.clone()).metadata;
        let digests = |id| metadata.digests.values().filter(|digest| digest.keyslots.contains(id)).count();
        assert!(metadata.keyslots.keys().all(|id| digests(id) == 1), "{name}: step {step}");
        let Some((_, reencryption)) = header.reencryption() else {
            assert!(read(state).unwrap() == plain(), "{name}: step {step}");
            // Every program opens it.
            assert_eq!(slots(state), [1, 1], "{name}: step {step}");
            if reencrypt::is_left_over(&luks2(header)) {
                left += 1;
                let after = Memory::new(state.bytes());
                start(&after, plan).unwrap();
                assert!(resume(&after, usize::MAX, false).unwrap());
                assert_eq!(slots(&after), [1, 1], "{name}: step {step}");
                assert!(!reencrypt::is_left_over(&luks2(Header::read(&after).unwrap())), "{name}: step {step}");
                assert!(read(&after).unwrap() == plain(), "{name}: step {step}");
            }
            return;
        };
        let zone = match read(state) {
            Ok(bytes) => {
                assert!(bytes == plain(), "{name}: step {step}");
                None
            }
            Err(Error::Torn { offset, len }) if plan.protection == Protection::None => Some((offset, len)),
            Err(error) => panic!("{name}: step {step}: {error}"),
        };
        hot += usize::from(reencryption.is_hot());
        torn += usize::from(zone.is_some());
        let after = Memory::new(state.bytes());
        if zone.is_some() {
            assert!(matches!(resume(&after, usize::MAX, false), Err(Error::Torn { .. })), "{name}: step {step}");
        }
        assert!(resume(&after, usize::MAX, zone.is_some()).unwrap(), "{name}: step {step}");
        assert!(is_done(&after));
        let (mut now, mut want) = (read(&after).unwrap(), plain());
        if let Some((offset, len)) = zone {
            let range = offset as usize..(offset + len) as usize;
            now.drain(range.clone());
            want.drain(range);
        }
        assert!(now == want, "{name}: step {step}");
    });
    assert!(states > 100 && hot > 20 && left > 0, "{name}: {states} {hot} {left}");
    assert_eq!(torn > 0, plan.protection == Protection::None);
    assert!(read(&&end[..]).unwrap() == plain());
    assert_eq!(slots(&&end[..]), [1, 1], "{name}");
}

/// How many key slots and digests there are.
fn slots(storage: &dyn ReadAt) -> [usize; 2] {
    let metadata = luks2(Header::read(storage).unwrap()).metadata;
    [metadata.keyslots.len(), metadata.digests.len()]
}

#[test]
fn every_write_with_a_journal() {
    survives(volume("aes-xts-plain64", 64, 512), &plan(Protection::Journal, "aes-cbc-essiv:sha256", 32, 4096), 512);
}

#[test]
fn every_write_with_checksums() {
    survives(volume("aes-xts-plain64", 64, 512), &plan(Protection::Checksum, "aes-xts-plain64", 32, 512), 512);
    survives(volume("aes-cbc-plain64", 32, 4096), &plan(Protection::Checksum, "aes-xts-plain64", 64, 512), 4096);
}

#[test]
fn every_write_without_resilience() {
    survives(volume("aes-xts-plain64", 64, 512), &plan(Protection::None, "aes-xts-plain64", 64, 4096), 512);
}

/// Encrypts plain data or decrypts a volume, with a header on another disk, and cuts the power of both after each write to one of them: the
/// other has what was written before.
fn survives_detached(change: &Change, protection: Protection, sector: u32) {
    let name = format!("{change:?} {protection:?}");
    let run = |header: &mut luks2::Header, both: &dyn WriteAt, disk: &dyn WriteAt, unlocked: &Unlocked, lose| {
        let options = Resume { hotzone: Some(ZONE), lose_torn_zone: lose };
        reencrypt::resume(header, disk, both, unlocked, &options, &random(), &mut |_, _| true)
    };
    let all = |disk: &dyn WriteAt, change: &Change| {
        let (header, unlocked) = unlock(disk);
        let (mut header, data) = (luks2(header), Both { split: OFFSET as u64, disk });
        let plan = Plan { change: change.clone(), protection, hash: "sha256".into(), hotzone: Some(ZONE) };
        let unlocked = reencrypt::start(&mut header, disk, &data, unlocked, &[], &plan, &random()).unwrap();
        assert!(run(&mut header, &data, disk, &unlocked, false).unwrap());
    };
    // The header alone; its data is elsewhere.
    let mut before = volume("aes-xts-plain64", 64, sector);
    before.truncate(OFFSET);
    before.extend(plain());
    if matches!(change, Change::Decrypt) {
        let disk = Memory::new(before);
        all(&disk, &Change::Encrypt);
        before = disk.into_inner();
    }
    let disk = Disk::new(before);
    all(&disk, change);
    let mut torn = 0;
    let (end, states) = disk.cut(|step, state| {
        let header = Header::read(state).unwrap();
        let Some((_, reencryption)) = header.reencryption() else { return };
        let unlocked = header.unlock(state, PASSPHRASE, None, &Limits::default()).unwrap();
        let split = Both { split: OFFSET as u64, disk: Memory::new(state.bytes()) };
        let bytes = |headed: &dyn ReadAt| -> Result<Vec<u8>, Error> {
            let volume = header.open_with(&split, Some(headed), &unlocked)?;
            let mut bytes = vec![0; DATA];
            volume.read_at(0, &mut bytes)?;
            Ok(bytes)
        };
        let lost = match bytes(state) {
            Ok(bytes) => {
                assert!(bytes == plain(), "{name}: step {step}");
                0..0
            }
            // A journal that is on another device.
            Err(Error::Reencrypting) if reencryption.is_hot() && protection == Protection::Journal => 0..0,
            Err(Error::Torn { offset, len }) if protection == Protection::None => {
                offset as usize..(offset + len) as usize
            }
            Err(error) => panic!("{name}: step {step}: {error}"),
        };
        torn += usize::from(!lost.is_empty());
        assert!(run(&mut luks2(header), &split, &split.disk, &unlocked, !lost.is_empty()).unwrap());
        assert!(Header::read(&split.disk).unwrap().reencryption().is_none());
        let (mut found, mut want) = (at_the_end(change, &split.disk.into_inner()), plain());
        found.drain(lost.clone());
        want.drain(lost);
        assert!(found == want, "{name}: step {step}");
    });
    assert!(states > 100, "{name}: {states}");
    assert_eq!(torn > 0, protection == Protection::None, "{name}");
    assert!(at_the_end(change, &end) == plain());
}

/// The plaintext, which after a decryption is what the data's device has.
fn at_the_end(change: &Change, disk: &[u8]) -> Vec<u8> {
    let mut bytes = disk[OFFSET..].to_vec();
    if matches!(change, Change::Encrypt) {
        let data = Memory::new(bytes.clone());
        let (header, unlocked) = unlock(&disk);
        header.open(&data, &unlocked.key).unwrap().read_at(0, &mut bytes).unwrap();
    }
    bytes
}

/// What lies behind a byte of a disk, as a device of its own.
struct Both<S> {
    split: u64,
    disk: S,
}

impl<S: ReadAt> ReadAt for Both<S> {
    fn size(&self) -> Result<u64, Error> {
        Ok(self.disk.size()? - self.split)
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), Error> {
        self.disk.read_at(self.split + offset, buf)
    }
}

impl<S: WriteAt> WriteAt for Both<S> {
    fn write_at(&self, offset: u64, data: &[u8]) -> Result<(), Error> {
        self.disk.write_at(self.split + offset, data)
    }

    fn sync(&self) -> Result<(), Error> {
        self.disk.sync()
    }
}

#[test]
fn every_write_with_a_header_elsewhere() {
    for change in [Change::Encrypt, Change::Decrypt] {
        survives_detached(&change, Protection::Checksum, 512);
        survives_detached(&change, Protection::Journal, 4096);
        survives_detached(&change, Protection::None, 512);
    }
}

/// The header is written over the first part of the data, which was moved before; then zone by zone.
#[test]
fn every_write_of_an_encryption_that_shifts() {
    let data = SHIFT as usize + (40 << 10);
    let text: Vec<u8> = plain().into_iter().cycle().take(data).collect();
    let disk = Disk::new([&text[..], &vec![0; 2 * SHIFT as usize]].concat());
    let options = options("aes-xts-plain64", 64, 4096);
    let zone = Resume { hotzone: Some(9 << 20), lose_torn_zone: false };
    let go_on = |storage: &dyn WriteAt| {
        let (header, unlocked) = unlock(storage);
        reencrypt::resume(&mut luks2(header), storage, storage, &unlocked, &zone, &random(), &mut |_, _| true).unwrap()
    };
    let same = |storage: &dyn ReadAt| read(storage).unwrap()[..data] == text;
    start_shifted(&disk, &options, PASSPHRASE, &random()).unwrap();
    assert!(same(&disk));
    assert!(go_on(&disk));
    // The second word of a sector tells whether it may be plain.
    let word = |sector: &[u8]| u64::from_le_bytes(std::array::from_fn(|i| sector[8 + i]));
    let words: HashSet<u64> = text.chunks(512).map(word).collect();
    let no_plaintext = |disk: &[u8]| disk.chunks(512).all(|sector| !words.contains(&word(sector)));
    let (mut states, mut plain, mut interrupted, mut under_way, mut left) = (0, 0, 0, 0, 0);
    let (end, _) = disk.cut(|step, state| {
        // Every write is cut, and of the ways in which it is cut every fifth is looked at.
        states += 1;
        if states % 5 != 0 {
            return;
        }
        let after = Memory::new(state.bytes());
        if Header::read(&after).is_ok() {
            under_way += 1;
        } else if let Some(found) = Interrupted::find(&after).unwrap() {
            assert!(matches!(found.go_on(&after, b"wrong", &Limits::default()), Err(Error::WrongPassphrase)));
            let found = Interrupted::find(&after).unwrap().unwrap();
            found.go_on(&after, PASSPHRASE, &Limits::default()).unwrap();
            interrupted += 1;
        } else {
            let mut bytes = vec![0; data];
            after.read_at(0, &mut bytes).unwrap();
            assert!(bytes == text, "step {step}");
            plain += 1;
            return;
        }
        assert!(same(&after), "step {step}");
        let header = luks2(Header::read(&after).unwrap());
        let ended = header.metadata.config.requirements.mandatory.is_empty();
        if ended {
            // What the same command does then.
            if reencrypt::is_left_over(&header) {
                assert!(go_on(&after), "step {step}");
                left += 1;
            }
        } else if states % 3 == 0 {
            assert!(go_on(&after), "step {step}");
        }
        if ended || states % 3 == 0 {
            assert!(same(&after), "step {step}");
            assert!(no_plaintext(&after.into_inner()), "step {step}: plaintext is left");
        }
    });
    assert!(plain > 10 && interrupted > 10 && under_way > 10 && left > 0, "{plain} {interrupted} {under_way} {left}");
    assert!(same(&&end[..]));
    assert!(no_plaintext(&end));
}

/// The header goes to a file of its own, and the data to where it was.
fn survives_a_move(protection: Protection, sector: u32) {
    let name = format!("{protection:?} {sector}");
    let image = volume("aes-xts-plain64", 64, sector);
    let (file, _) = detached(&image);
    let both = Both { split: OFFSET as u64, disk: Disk::new([file.into_inner(), image].concat()) };
    let plan = Plan { change: Change::Decrypt, protection, hash: "sha256".into(), hotzone: Some(ZONE) };
    let run = |image: &dyn WriteAt, file: &dyn WriteAt| -> Result<bool, Error> {
        let (header, unlocked) = unlock(file);
        let mut header = luks2(header);
        if reencrypt::is_detached(&header) {
            reencrypt::start_moving(&mut header, file, image, &unlocked, &plan, &random())?;
        }
        let options = Resume { hotzone: Some(ZONE), lose_torn_zone: false };
        reencrypt::resume(&mut header, file, image, &unlocked, &options, &random(), &mut |_, _| true)
    };
    let is_plain = |disk: &dyn ReadAt| {
        let mut bytes = vec![0; DATA];
        disk.read_at(OFFSET as u64, &mut bytes).unwrap();
        bytes == plain()
    };
    assert!(run(&both, &both.disk).unwrap());
    let (mut states, mut begun, mut hot_first) = (0, 0, 0);
    let (end, _) = both.disk.cut(|step, state| {
        // Every write is cut, and of the ways in which it is cut every third is looked at.
        states += 1;
        if states % 3 != 0 {
            return;
        }
        let header = Header::read(state).unwrap();
        let Header::Luks2(luks2) = &header else { panic!("{header:?}") };
        if header.reencryption().is_none() && !reencrypt::is_detached(luks2) {
            assert!(is_plain(state), "{name}: step {step}");
            return;
        }
        begun += usize::from(header.reencryption().is_none());
        let after = Both { split: OFFSET as u64, disk: Memory::new(state.bytes()) };
        let unlocked = header.unlock(state, PASSPHRASE, None, &Limits::default()).unwrap();
        let mut bytes = vec![0; DATA];
        match header.open_with(&after, Some(state), &unlocked).and_then(|volume| volume.read_at(0, &mut bytes)) {
            Ok(()) => assert!(bytes == plain(), "{name}: step {step}"),
            // A journal that is on another device.
            Err(Error::Reencrypting) if protection == Protection::Journal => hot_first += 1,
            Err(error) => panic!("{name}: step {step}: {error}"),
        }
        assert!(run(&after, &after.disk).unwrap(), "{name}: step {step}");
        assert!(is_plain(&after.disk), "{name}: step {step}");
    });
    assert!(states > 100 && begun > 0, "{name}: {states} {begun}");
    assert_eq!(hot_first > 0, protection == Protection::Journal, "{name}");
    assert!(is_plain(&&end[..]));
}

#[test]
fn every_write_of_a_decryption_that_moves() {
    survives_a_move(Protection::Checksum, 512);
    survives_a_move(Protection::Journal, 4096);
}

/// The header of a decrypted volume has no key slots, and its segment is plain.
#[test]
fn every_write_of_a_decryption() {
    for (protection, sector) in [(Protection::Checksum, 512), (Protection::Journal, 4096)] {
        let disk = Disk::new(volume("aes-xts-plain64", 64, sector));
        let plan = Plan { change: Change::Decrypt, protection, hash: "sha256".into(), hotzone: Some(ZONE) };
        start(&disk, &plan).unwrap();
        assert!(resume(&disk, usize::MAX, false).unwrap());
        let is_plain = |storage: &dyn ReadAt| {
            let header = luks2(Header::read(storage).unwrap());
            let mut bytes = vec![0; DATA];
            storage.read_at(OFFSET as u64, &mut bytes).unwrap();
            header.metadata.segments[&0].kind == "linear"
                && Header::read(storage).unwrap().reencryption().is_none()
                && bytes == plain()
        };
        let (end, states) = disk.cut(|step, state| {
            if is_plain(state) {
                return;
            }
            assert!(read(state).unwrap() == plain(), "{protection:?}: step {step}");
            if Header::read(state).unwrap().reencryption().is_some() {
                let after = Memory::new(state.bytes());
                assert!(resume(&after, usize::MAX, false).unwrap());
                assert!(is_plain(&after), "{protection:?}: step {step}");
            }
        });
        assert!(states > 100);
        assert!(is_plain(&&end[..]));
        assert!(luks2(Header::read(&&end[..]).unwrap()).metadata.keyslots.is_empty());
    }
}

/// A recovery that fails is repeated.
#[test]
fn every_write_of_a_recovery() {
    for protection in [Protection::Journal, Protection::Checksum] {
        let disk = Disk::new(volume("aes-xts-plain64", 64, 512));
        start(&disk, &plan(protection, "aes-xts-plain64", 64, 512)).unwrap();
        assert!(!resume(&disk, 1, false).unwrap());
        let mut crashed = Vec::new();
        disk.cut(|step, state| {
            let hot = Header::read(state).unwrap().reencryption().is_some_and(|(_, it)| it.is_hot());
            if hot && step % 2 == 0 {
                crashed.push(state.bytes());
            }
        });
        assert!(!crashed.is_empty());
        for bytes in crashed.into_iter().rev().take(4) {
            let disk = Disk::new(bytes);
            // The recovery, and no zone more.
            assert!(!resume(&disk, 0, false).unwrap());
            let (_, states) = disk.cut(|step, state| {
                assert!(read(state).unwrap() == plain(), "{protection:?}: step {step}");
                let after = Memory::new(state.bytes());
                assert!(resume(&after, usize::MAX, false).unwrap());
                assert!(read(&after).unwrap() == plain(), "{protection:?}: step {step}");
            });
            assert!(states > 5);
        }
    }
}

/// Between two zones the volume is read and written as any other.
/// A file system that was made over a volume under reencryption leaves the second copy of its header.
#[test]
fn what_has_taken_a_volumes_place_is_not_reencrypted() {
    let mut bytes = volume("aes-xts-plain64", 64, 512);
    let taken = |bytes: &mut [u8]| bytes[1078..1082].copy_from_slice(b"\0\0\x53\xef");
    let plan = plan(Protection::Journal, "aes-xts-plain64", 64, 512);
    let disk = Memory::new(bytes.clone());
    start(&disk, &plan).unwrap();
    let mut begun = disk.into_inner();
    for bytes in [&mut bytes, &mut begun] {
        taken(bytes);
    }
    let refused = |result: Result<(), Error>| assert!(matches!(result, Err(Error::Replaced(_))), "{result:?}");
    for change in [plan.change.clone(), Change::Decrypt] {
        let disk = Memory::new(bytes.clone());
        refused(start(&disk, &Plan { change, ..plan.clone() }));
        assert!(disk.into_inner() == bytes);
    }
    let disk = Memory::new(begun.clone());
    refused(resume(&disk, usize::MAX, false).map(drop));
    assert!(disk.into_inner() == begun);
}

/// A program that has kept the header while another one went on rewrites no zone a second time.
#[test]
fn a_header_of_another_time_is_not_resumed() {
    let disk = Memory::new(volume("aes-xts-plain64", 64, 512));
    let (before, unlocked) = unlock(&disk);
    let plan = plan(Protection::Journal, "aes-xts-plain64", 64, 512);
    start(&disk, &plan).unwrap();
    let keys = [(unlocked.slot, new_key())];
    let started = reencrypt::start(&mut luks2(before), &disk, &disk, unlocked, &keys, &plan, &random());
    assert!(matches!(started, Err(Error::Changed)));
    let (old, unlocked) = unlock(&disk);
    assert!(!resume(&disk, 1, false).unwrap());
    let options = Resume { hotzone: Some(ZONE), lose_torn_zone: false };
    let resumed = reencrypt::resume(&mut luks2(old), &disk, &disk, &unlocked, &options, &random(), &mut |_, _| true);
    assert!(matches!(resumed, Err(Error::Changed)), "{resumed:?}");
    assert!(read(&disk).unwrap() == plain());
}

#[test]
fn a_half_finished_volume_is_read_and_written() {
    let disk = Memory::new(volume("aes-xts-plain64", 64, 512));
    start(&disk, &plan(Protection::Checksum, "aes-cbc-essiv:sha256", 32, 4096)).unwrap();
    assert!(!resume(&disk, 1, false).unwrap());
    let (header, unlocked) = unlock(&disk);
    assert!(matches!(header.open(&disk, &unlocked.key), Err(Error::Reencrypting)));
    let volume = header.open_with(&disk, None, &unlocked).unwrap();
    let mut want = plain();
    // Across the border of old and new.
    let (at, text) = (ZONE as usize - 1000, [0x5a; 3000]);
    volume.write_at(at as u64, &text).unwrap();
    want[at..at + text.len()].copy_from_slice(&text);
    assert!(read(&disk).unwrap() == want);
    assert!(resume(&disk, usize::MAX, false).unwrap());
    assert!(read(&disk).unwrap() == want);
    assert!(matches!(resume(&disk, usize::MAX, false), Err(Error::NotReencrypting)));
}

/// What the digest covers cannot be changed without the keys; key slots do not change meanwhile.
#[test]
fn forged_metadata_is_refused() {
    let disk = Memory::new(volume("aes-xts-plain64", 64, 512));
    start(&disk, &plan(Protection::Journal, "aes-xts-plain64", 64, 512)).unwrap();
    assert!(!resume(&disk, 1, false).unwrap());
    let (mut header, unlocked) = unlock(&disk);
    let error = header.add_key(&disk, &unlocked, &new_key(), &random()).unwrap_err();
    assert!(matches!(error, Error::Reencrypting), "{error}");
    // Both follow every other rule.
    let no_journal = |json: &mut Value| {
        let mut slots = json["keyslots"].as_object_mut().unwrap().values_mut();
        let area = &mut slots.find(|slot| slot["type"] == "reencrypt").unwrap()["area"];
        assert_eq!(area["type"], "journal");
        area["type"] = "none".into();
    };
    let another_cipher = |json: &mut Value| {
        for segment in json["segments"].as_object_mut().unwrap().values_mut() {
            segment["encryption"] = "aes-xts-plain".into();
        }
    };
    let bytes = disk.into_inner();
    for forge in [&no_journal as &dyn Fn(&mut Value), &another_cipher] {
        let mut bytes = bytes.clone();
        alter(&mut bytes, forge);
        let disk = Memory::new(bytes);
        assert!(matches!(read(&disk), Err(Error::ForgedReencryption)));
        assert!(matches!(resume(&disk, usize::MAX, false), Err(Error::ForgedReencryption)));
    }
}

/// A crash at the end leaves areas that no key slot has any more. They are overwritten later, and key slots are not: neither one that was made to hold
/// another key (`cryptsetup luksAddKey --unbound`), nor one that was made since.
#[test]
fn what_is_overwritten_at_the_end_has_no_key_slot() {
    const AREA: usize = 8 << 20;
    const LATER: &[u8] = b"a later one";
    let mut before = volume("aes-xts-plain64", 64, 512);
    alter(&mut before, |json| {
        json["keyslots"]["5"] = json["keyslots"]["0"].clone();
        json["keyslots"]["5"]["area"]["offset"] = AREA.to_string().into();
        json["digests"]["3"] = json["digests"]["0"].clone();
        json["digests"]["3"]["keyslots"] = serde_json::json!(["5"]);
        json["digests"]["3"]["segments"] = serde_json::json!([]);
    });
    before[AREA..AREA + 4096].fill(0x5a);
    let before = Memory::new(before);
    let (mut header, unlocked) = unlock(&before);
    header.add_key(&before, &unlocked, &new_key(), &random()).unwrap();
    let before = before.into_inner();
    let plan = plan(Protection::Checksum, "aes-xts-plain64", 64, 512);
    let disk = Disk::new(before);
    start(&disk, &plan).unwrap();
    let area = |slot: &luks2::Keyslot| slot.area.offset..slot.area.offset + slot.area.size;
    let begun = luks2(Header::read(&disk).unwrap()).metadata.keyslots;
    let gone: Vec<_> =
        begun.iter().filter(|(id, slot)| **id < 2 || slot.kind == "reencrypt").map(|(_, it)| area(it)).collect();
    assert!(resume(&disk, usize::MAX, false).unwrap());
    let mut left = 0;
    disk.cut(|step, state| {
        if !reencrypt::is_left_over(&luks2(Header::read(state).unwrap())) {
            return;
        }
        left += 1;
        for has_later in [false, true] {
            let after = Memory::new(state.bytes());
            let (mut header, unlocked) = unlock(&after);
            if has_later {
                header.add_key(&after, &unlocked, &NewKey { passphrase: LATER, ..new_key() }, &random()).unwrap();
            }
            let before = bytes_of(&after);
            reencrypt::sweep(&mut luks2(header), &after, &random()).unwrap();
            let header = Header::read(&after).unwrap();
            assert_eq!(header.unlock(&after, LATER, None, &Limits::default()).is_ok(), has_later, "step {step}");
            assert!(read(&after).unwrap() == plain(), "step {step}");
            let (now, after) = (luks2(header).metadata, after.into_inner());
            // The new one and the other key's. The later one has the old one's place.
            assert!(now.keyslots.contains_key(&5) && now.digests.contains_key(&3), "step {step}");
            let all = (now.keyslots.len(), now.digests.len(), now.tokens.len());
            assert_eq!(all, (2 + usize::from(has_later), 2, 0), "step {step}");
            for at in (32 << 10..OFFSET).step_by(4096) {
                let is_in = |area: Range<u64>| area.contains(&(at as u64));
                let overwritten = gone.iter().cloned().any(is_in) && !now.keyslots.values().map(area).any(is_in);
                assert_eq!(before[at..at + 4096] != after[at..at + 4096], overwritten, "step {step}: byte {at}");
            }
        }
        // What begins another reencryption does it first.
        let (before, after) = (state.bytes(), Memory::new(state.bytes()));
        start(&after, &plan).unwrap();
        let (now, after) = (luks2(Header::read(&after).unwrap()).metadata.keyslots, after.into_inner());
        let mut places = gone.iter().flat_map(|area| area.clone().step_by(4096));
        assert!(places.clone().any(|at| !now.values().map(area).any(|area| area.contains(&at))));
        assert!(places.all(|at| before[at as usize..][..4096] != after[at as usize..][..4096]), "step {step}");
    });
    assert!(left > 0);
}

/// A header that says that all has been decrypted would have what is written to the volume written as plaintext.
#[test]
fn a_forged_end_of_a_decryption_is_refused() {
    let mut bytes = volume("aes-xts-plain64", 64, 512);
    alter(&mut bytes, |json| {
        let segment = json["segments"]["0"].clone();
        let flagged = |segment: &Value, flag: &str| {
            let mut segment = segment.clone();
            segment["flags"] = serde_json::json!([flag]);
            segment
        };
        let linear = serde_json::json!({"type": "linear", "offset": segment["offset"], "size": "dynamic"});
        json["segments"] = serde_json::json!({
            "0": linear,
            "1": flagged(&segment, "backup-previous"),
            "2": flagged(&linear, "backup-final"),
            // The passphrase opens the key slot of a digest with a segment, whatever that is for.
            "3": flagged(&segment, "backup-other"),
        });
        json["digests"]["1"] = json["digests"]["0"].clone();
        json["digests"]["0"]["segments"] = serde_json::json!(["3"]);
        // The digest of a key that nobody has.
        json["digests"]["1"]["keyslots"] = serde_json::json!([]);
        json["digests"]["1"]["segments"] = serde_json::json!(["1"]);
        json["digests"]["1"]["digest"] = format!("{}=", "A".repeat(43)).into();
        json["keyslots"]["1"] = serde_json::json!({
            "type": "reencrypt", "key_size": 1, "mode": "decrypt", "direction": "forward",
            "area": {"type": "none", "offset": "8388608", "size": "4096"},
        });
        json["config"]["requirements"] = serde_json::json!({"mandatory": ["online-reencrypt-v2"]});
    });
    let disk = Memory::new(bytes);
    assert!(matches!(read(&disk), Err(Error::ForgedReencryption)));
    assert!(matches!(resume(&disk, usize::MAX, false), Err(Error::ForgedReencryption)));
}

/// The slot of the new key has the priority of the old one. If that is 0, both are tried when one is named.
#[test]
fn a_slot_that_is_not_tried_unasked_is_named() {
    let mut bytes = volume("aes-xts-plain64", 64, 512);
    alter(&mut bytes, |json| json["keyslots"]["0"]["priority"] = 0.into());
    let disk = Memory::new(bytes);
    let named = |disk: &dyn ReadAt, slot| {
        let header = Header::read(disk).unwrap();
        let unlocked = header.unlock(disk, PASSPHRASE, slot, &Limits::default());
        unlocked.map(|unlocked| (luks2(header), unlocked))
    };
    assert!(matches!(named(&disk, None), Err(Error::WrongPassphrase)));
    let (mut header, unlocked) = named(&disk, Some(0)).unwrap();
    let plan = plan(Protection::Checksum, "aes-xts-plain64", 64, 512);
    reencrypt::start(&mut header, &disk, &disk, unlocked, &[(Some(0), new_key())], &plan, &random()).unwrap();
    let (header, unlocked) = named(&disk, Some(0)).unwrap();
    let slots = header.metadata.keyslots.values().filter(|slot| slot.kind == "luks2");
    assert_eq!(slots.map(|slot| slot.priority).collect::<Vec<_>>(), [Some(0), Some(0)]);
    let volume = Header::Luks2(Box::new(header)).open_with(&disk, None, &unlocked).unwrap();
    let mut bytes = vec![0; DATA];
    volume.read_at(0, &mut bytes).unwrap();
    assert!(bytes == plain());
}

/// A device that says that it is long, and is not written.
struct Long(u64);

impl ReadAt for Long {
    fn size(&self) -> Result<u64, Error> {
        Ok(self.0)
    }

    fn read_at(&self, _: u64, buf: &mut [u8]) -> Result<(), Error> {
        buf.fill(0);
        Ok(())
    }
}

impl WriteAt for Long {
    fn write_at(&self, offset: u64, _: &[u8]) -> Result<(), Error> {
        panic!("byte {offset} is written")
    }

    fn sync(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// What is begun cannot be taken back, and what cannot be finished would stay half done.
#[test]
fn what_could_not_be_finished_is_not_begun() {
    let xts = |hash: &str| Plan { hash: hash.into(), ..plan(Protection::Checksum, "aes-xts-plain64", 64, 512) };
    let of = |change| Plan { change, ..xts("sha256") };
    let (short, long) = ((OFFSET + DATA) as u64, 3 << 40);
    for (old, device, plan, reason) in [
        ("aes-xts-plain64", short, Plan { hotzone: None, ..xts("sha257") }, "sha257"),
        ("aes-xts-plain64", short, Plan { hotzone: None, ..xts("crc32c") }, "crc32c"),
        ("aes-xts-plain64", long, plan(Protection::Journal, "aes-cbc-plain", 32, 512), "2^32 sectors"),
        ("aes-cbc-plain", long, plan(Protection::Journal, "aes-cbc-essiv:sha256", 32, 512), "2^32 sectors"),
        ("aes-cbc-plain", long, of(Change::Encrypt), "2^32 sectors"),
        ("aes-cbc-plain", long, of(Change::Decrypt), "2^32 sectors"),
    ] {
        let disk = Memory::new(volume(old, 32, 512));
        let (header, unlocked) = unlock(&disk);
        let keys = [(unlocked.slot, new_key())];
        let mut header = luks2(header);
        let begun = reencrypt::start(&mut header, &disk, &Long(device), unlocked, &keys, &plan, &random());
        let error = begun.expect_err(reason).to_string();
        assert!(error.contains(reason), "{error}");
        assert!(Header::read(&disk).unwrap().reencryption().is_none(), "{reason}");
    }
    // The header says more than the device has.
    let mut bytes = volume("aes-xts-plain64", 64, 512);
    alter(&mut bytes, |json| json["segments"]["0"]["size"] = (DATA + 512).to_string().into());
    let disk = Memory::new(bytes);
    assert!(start(&disk, &xts("sha256")).unwrap_err().to_string().contains("cut off"));
    assert!(Header::read(&disk).unwrap().reencryption().is_none());

    let options = options("aes-cbc-plain", 32, 512);
    let error = start_shifted(&Long(long), &options, PASSPHRASE, &random()).unwrap_err();
    assert!(error.to_string().contains("2^32 sectors"), "{error}");
    let (file, unlocked) = detached(&volume("aes-cbc-plain", 32, 512));
    let mut header = luks2(Header::read(&file).unwrap());
    let plan = of(Change::Decrypt);
    let error = reencrypt::start_moving(&mut header, &file, &Long(long), &unlocked, &plan, &random()).unwrap_err();
    assert!(error.to_string().contains("2^32 sectors"), "{error}");
}

/// The header of a volume in a file of its own, where [`reencrypt::detach`] has put it.
fn detached(image: &[u8]) -> (Memory, Unlocked) {
    let (header, unlocked) = unlock(&image);
    let file = Memory::new(vec![0; OFFSET]);
    reencrypt::detach(&luks2(header), &image, &file, &unlocked, &decryption(), &random()).unwrap();
    (file, unlocked)
}

fn decryption() -> Plan {
    Plan { change: Change::Decrypt, protection: Protection::Checksum, hash: "sha256".into(), hotzone: None }
}

/// A decryption takes a key slot and an area, and what cannot begin leaves no copy of the header.
#[test]
fn a_decryption_without_a_key_slot_copies_nothing() {
    let image = Memory::new(volume("aes-xts-plain64", 64, 512));
    let (mut header, unlocked) = unlock(&image);
    for _ in 1..32 {
        header.add_key(&image, &unlocked, &new_key(), &random()).unwrap();
    }
    let (header, file) = (luks2(header), Memory::new(vec![0; OFFSET]));
    let error = reencrypt::detach(&header, &image, &file, &unlocked, &decryption(), &random()).unwrap_err();
    assert!(error.to_string().contains("32"), "{error}");
    assert!(file.into_inner().iter().all(|byte| *byte == 0));
}

/// Between the copy of the header and the rest of a decryption that moves the data, the data may have got another key.
#[test]
fn a_copy_of_a_header_that_is_another_by_now_decrypts_nothing() {
    let image = Disk::new(volume("aes-xts-plain64", 64, 512));
    let (file, unlocked) = detached(&bytes_of(&image));
    let moved = plan(Protection::Checksum, "aes-xts-plain64", 64, 512);
    let decryption = Plan { change: Change::Decrypt, ..moved.clone() };
    let begin = || {
        let mut header = luks2(Header::read(&file).unwrap());
        reencrypt::start_moving(&mut header, &file, &image, &unlocked, &decryption, &random())
    };
    start(&image, &moved).unwrap();
    for done in [false, true] {
        assert_eq!(resume(&image, if done { usize::MAX } else { 1 }, false).unwrap(), done);
        let steps = image.steps();
        let error = begin().unwrap_err().to_string();
        assert!(error.contains("another one by now") && image.steps() == steps, "{error}");
        assert!(read(&image).unwrap() == plain());
    }
}

fn bytes_of(storage: &dyn ReadAt) -> Vec<u8> {
    let mut bytes = vec![0; storage.size().unwrap() as usize];
    storage.read_at(0, &mut bytes).unwrap();
    bytes
}

/// A disk tears blocks that are longer than its sectors. Such a block is told, and nothing is written.
#[test]
fn torn_blocks_are_told() {
    let disk = Disk::new(volume("aes-xts-plain64", 64, 512));
    start(&disk, &plan(Protection::Checksum, "aes-xts-plain64", 64, 4096)).unwrap();
    assert!(resume(&disk, usize::MAX, false).unwrap());
    let last = disk.steps();
    let (mut whole, mut told) = (0, 0);
    disk.cut(|step, state| {
        if step == last || Header::read(state).unwrap().reencryption().is_none_or(|(_, it)| !it.is_hot()) {
            return;
        }
        let bytes = state.bytes();
        let after = Memory::new(bytes.clone());
        match read(state) {
            Ok(now) => {
                assert!(now == plain(), "step {step}");
                assert!(resume(&after, usize::MAX, false).unwrap());
                assert!(read(&after).unwrap() == plain(), "step {step}");
                whole += 1;
            }
            Err(Error::TornBlocks { offset, len, blocks }) => {
                assert_eq!((offset % 4096, len, blocks), (0, 4096, 1), "step {step}");
                let again = resume(&after, usize::MAX, false);
                assert!(matches!(again, Err(Error::TornBlocks { offset: at, .. }) if at == offset), "step {step}");
                let after = after.into_inner();
                assert!(after == bytes, "step {step}: it was written");
                // What is not torn is not lost.
                let after = Memory::new(after);
                assert!(resume(&after, usize::MAX, true).unwrap());
                let (mut now, mut want) = (read(&after).unwrap(), plain());
                assert!(now != want, "step {step}");
                let range = offset as usize..(offset + len) as usize;
                now.drain(range.clone());
                want.drain(range);
                assert!(now == want, "step {step}");
                told += 1;
            }
            Err(error) => panic!("step {step}: {error}"),
        }
    });
    assert!(whole > 20 && told > 0, "{whole} {told}");
}

/// Data whose last sector is not whole would keep a plain end, or lose it.
#[test]
fn an_odd_length_is_refused() {
    for (len, sector, change) in [(DATA + 1, 512, Change::Encrypt), (DATA + 512, 4096, Change::Encrypt)] {
        let bytes = vec![7; len];
        let disk = Memory::new(volume("aes-xts-plain64", 64, sector)[..OFFSET].to_vec());
        let (header, unlocked) = unlock(&disk);
        let plan = Plan { change, protection: Protection::Journal, hash: "sha256".into(), hotzone: Some(ZONE) };
        let begun = reencrypt::start(&mut luks2(header), &disk, &&bytes[..], unlocked, &[], &plan, &random());
        assert!(begun.unwrap_err().to_string().contains("no whole number of sectors"), "{len}");
        assert!(Header::read(&disk).unwrap().reencryption().is_none());
    }
    let disk = Disk::new(vec![7; 3 * SHIFT as usize + 1]);
    let error = start_shifted(&disk, &options("aes-xts-plain64", 64, 512), PASSPHRASE, &random()).unwrap_err();
    assert!(error.to_string().contains("no whole number of sectors") && disk.steps() == 0, "{error}");
}

/// A volume whose reencryption was stopped after two zones, and the same when it was cut off in the first.
fn stopped() -> (Vec<u8>, Vec<u8>) {
    let disk = Disk::new(volume("aes-xts-plain64", 64, 512));
    start(&disk, &plan(Protection::Journal, "aes-xts-plain64", 64, 4096)).unwrap();
    assert!(!resume(&disk, 2, false).unwrap());
    let mut hot = None;
    let (cold, _) = disk.cut(|_, state| {
        if hot.is_none() && Header::read(state).unwrap().reencryption().is_some_and(|(_, it)| it.is_hot()) {
            hot = Some(state.bytes());
        }
    });
    (cold, hot.unwrap())
}

/// Whoever goes on with data that is cut off would finish it, and lose the old key of the rest.
#[test]
fn data_of_another_length_is_not_finished() {
    let refused = |bytes: &[u8], reason: &str| {
        let disk = Memory::new(bytes.to_vec());
        let error = resume(&disk, usize::MAX, false).unwrap_err();
        assert!(error.to_string().contains(reason), "{error}");
        assert!(disk.into_inner() == bytes, "it was written: {error}");
    };
    let (mut cold, hot) = stopped();
    refused(&cold[..OFFSET + ZONE as usize], "cut off");
    refused(&hot[..OFFSET + 4096], "cut off");
    cold.extend([0; 512]);
    refused(&cold, "no whole number of sectors");
}

/// The zone will be written again from the journal.
#[test]
fn what_is_written_to_a_hot_zone_would_be_lost() {
    let (_, hot) = stopped();
    let disk = Memory::new(hot.clone());
    let (header, unlocked) = unlock(&disk);
    let volume = header.open_with(&disk, None, &unlocked).unwrap();
    for refused in [volume.writable(), volume.write_at(0, &[1]), volume.discard(0, ZONE)] {
        assert!(matches!(refused, Err(Error::Reencrypting)), "{refused:?}");
    }
    assert!(disk.into_inner() == hot);
}

/// A zone that is longer than what saves it could not be recovered.
#[test]
fn a_zone_is_as_long_as_its_protection_allows() {
    let longest = |disk: &dyn WriteAt| {
        let (header, unlocked) = unlock(disk);
        let mut steps = Vec::new();
        let mut go_on = |done, _| {
            steps.push(done);
            true
        };
        let options = Resume::default();
        assert!(reencrypt::resume(&mut luks2(header), disk, disk, &unlocked, &options, &random(), &mut go_on).unwrap());
        steps.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap()
    };
    // With checksums, the smallest area has room for those of more than all of the data.
    let disk = Memory::new(volume("aes-xts-plain64", 64, 512));
    start(&disk, &plan(Protection::Journal, "aes-xts-plain64", 64, 512)).unwrap();
    assert_eq!(longest(&disk), ZONE);
    assert!(read(&disk).unwrap() == plain());
    let disk = Memory::new(vec![7; 5 * SHIFT as usize]);
    start_shifted(&disk, &options("aes-xts-plain64", 64, 4096), PASSPHRASE, &random()).unwrap();
    assert_eq!(longest(&disk), SHIFT);
}

/// The header is longest while a zone is hot. What has no room then would be stopped half way.
#[test]
fn metadata_without_room_for_a_hot_zone_begins_nothing() {
    let bytes = volume("aes-xts-plain64", 64, 512);
    let plan = plan(Protection::Journal, "aes-xts-plain64", 64, 512);
    let with_token = |len: usize| {
        let mut bytes = bytes.clone();
        alter(&mut bytes, |json| json["tokens"]["0"] = serde_json::json!({"type": "x".repeat(len), "keyslots": []}));
        Memory::new(bytes)
    };
    let begun = |len| {
        let disk = with_token(len);
        match start(&disk, &plan) {
            Ok(()) => Some(disk),
            Err(error) => {
                assert!(error.to_string().contains("there is room for"), "{error}");
                None
            }
        }
    };
    assert!(resume(&longest(begun), usize::MAX, false).unwrap());

    let plan = Plan { hotzone: Some(ZONE), ..decryption() };
    let (file, image, unlocked) = longest(|len| {
        let image = with_token(len);
        let (header, unlocked) = unlock(&image);
        let file = Memory::new(vec![0; OFFSET]);
        let detached = reencrypt::detach(&luks2(header), &image, &file, &unlocked, &plan, &random());
        detached.is_ok().then_some((file, image, unlocked))
    });
    let mut header = luks2(Header::read(&file).unwrap());
    reencrypt::start_moving(&mut header, &file, &image, &unlocked, &plan, &random()).unwrap();
    let zones = Resume { hotzone: Some(ZONE), lose_torn_zone: false };
    assert!(reencrypt::resume(&mut header, &file, &image, &unlocked, &zones, &random(), &mut |_, _| true).unwrap());
}

/// What `begun` makes of the longest token with which it makes anything.
fn longest<T>(begun: impl Fn(usize) -> Option<T>) -> T {
    let (mut fits, mut is_too_long) = (0, 12 << 10);
    while is_too_long - fits > 1 {
        let middle = (fits + is_too_long) / 2;
        *if begun(middle).is_some() { &mut fits } else { &mut is_too_long } = middle;
    }
    begun(fits).unwrap()
}

/// The beginning of an encryption that was cut off is done again over the bytes that were there then, and over no others, as its header says it.
#[test]
fn a_beginning_is_not_done_again_over_what_was_written_since() {
    let disk = Memory::new(vec![7; 3 * SHIFT as usize]);
    start_shifted(&disk, &options("aes-xts-plain64", 64, 512), PASSPHRASE, &random()).unwrap();
    let mut bytes = disk.into_inner();
    // The data has the length of its first part.
    let copy = SHIFT as usize;
    bytes[..32 << 10].fill(7);
    assert!(Interrupted::find(&&bytes[..]).unwrap().is_some());
    let mut written = bytes.clone();
    written[1 << 20] ^= 1;
    let error = Interrupted::find(&&written[..]).unwrap_err();
    assert!(error.to_string().contains("was written since"), "{error}");
    alter(&mut bytes[copy..], |json| {
        let segments = json["segments"].as_object_mut().unwrap().values_mut();
        segments.filter(|it| it["type"] == "crypt").for_each(|it| it["encryption"] = "aes-xts-plain".into());
    });
    let disk = Memory::new(bytes.clone());
    let forged = Interrupted::find(&disk).unwrap().unwrap().go_on(&disk, PASSPHRASE, &Limits::default());
    assert!(matches!(forged, Err(Error::ForgedReencryption)), "{forged:?}");
    assert!(disk.into_inner() == bytes);
}
