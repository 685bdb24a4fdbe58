//! LUKS1 to LUKS2 and back: what opens the volume whatever fails in between, and what cannot be converted.

mod disk;
mod new;

use algkit_volume::{Argon2, Error, Header, Kdf, Key, Limits, NewKey, ReadAt, Version, WriteAt, storage::Memory};
use disk::{Disk, State};
use new::{alter, options, quick, random};

const SIZE: usize = (16 << 20) + 8192;

/// A volume with so many passphrases, `0`, `1` and so on, and its key.
fn volume(version: Version, passphrases: usize) -> (Vec<u8>, Key) {
    let disk = Memory::new(vec![0; SIZE]);
    let (mut header, unlocked) =
        Header::format(version, &disk, &options("aes-xts-plain64", 64, 512), b"0", &random()).unwrap();
    for number in 1..passphrases {
        let passphrase = number.to_string();
        let new = NewKey { passphrase: passphrase.as_bytes(), kdf: quick(), hash: "sha256", slot: None };
        header.add_key(&disk, &unlocked, &new, &random()).unwrap();
    }
    let volume = header.open(&disk, &unlocked.key).unwrap();
    volume.write_at(0, b"data").unwrap();
    (disk.into_inner(), unlocked.key)
}

fn other(version: Version) -> Version {
    if version == Version::Luks1 { Version::Luks2 } else { Version::Luks1 }
}

fn is(header: &Header) -> Version {
    match header {
        Header::Luks1(_) => Version::Luks1,
        Header::Luks2(_) => Version::Luks2,
    }
}

/// Every passphrase opens the volume, and the data is where it was.
#[track_caller]
fn check(storage: &dyn ReadAt, passphrases: usize, key: &Key) -> Version {
    let header = Header::read(storage).unwrap();
    for number in 0..passphrases {
        let unlocked =
            header.unlock(storage, number.to_string().as_bytes(), Some(number as u32), &Limits::default()).unwrap();
        assert_eq!(unlocked.key.bytes(), key.bytes());
    }
    let mut data = [0; 4];
    header.open(storage, key).unwrap().read_at(0, &mut data).unwrap();
    assert_eq!(&data, b"data");
    is(&header)
}

#[test]
fn all_passphrases_open_whatever_fails() {
    for version in [Version::Luks1, Version::Luks2] {
        for passphrases in [1, 3] {
            let (bytes, key) = volume(version, passphrases);
            let disk = Disk::new(bytes);
            Header::read(&disk).unwrap().convert(other(version), &disk, &random()).unwrap();
            let mut seen = Vec::new();
            let (end, states) = disk.cut(|_, state: &State<'_>| seen.push(check(state, passphrases, &key)));
            assert!(states > 10, "{states}");
            assert!(seen.contains(&version) && seen.contains(&other(version)));
            assert_eq!(check(&&end[..], passphrases, &key), other(version));

            // And back: the header is one that all programs take.
            let disk = Disk::new(end);
            let header = Header::read(&disk).unwrap();
            assert!(header.warnings().is_empty());
            header.convert(version, &disk, &random()).unwrap();
            let (end, _) = disk.cut(|_, state: &State<'_>| {
                assert!([version, other(version)].contains(&check(state, passphrases, &key)))
            });
            assert_eq!(check(&&end[..], passphrases, &key), version);
            assert!(Header::read(&&end[..]).unwrap().warnings().is_empty());
        }
    }
}

/// The area of a key slot that was moved is overwritten where it was, as its passphrase may be removed later.
#[test]
fn no_second_copy_of_a_key_slot_stays() {
    for slots in [3, 7] {
        no_second_copy(slots);
    }
}

fn no_second_copy(slots: usize) {
    let (bytes, _) = volume(Version::Luks1, slots);
    // Where LUKS1 has its areas.
    let sectors: Vec<&[u8]> =
        (0..slots).flat_map(|slot| bytes[4096 + slot * 258_048..][..256_000].chunks(512)).collect();
    let check = |after: &[u8]| {
        let mut there: Vec<&[u8]> = after[..2 << 20].chunks(512).filter(|there| sectors.contains(there)).collect();
        there.sort();
        let mut once = sectors.clone();
        once.sort();
        assert!(there == once);
    };
    let disk = Memory::new(bytes.clone());
    Header::read(&disk).unwrap().convert(Version::Luks2, &disk, &random()).unwrap();
    let after = disk.into_inner();
    check(&after);
    let disk = Memory::new(after);
    Header::read(&disk).unwrap().convert(Version::Luks1, &disk, &random()).unwrap();
    let after = disk.into_inner();
    check(&after);
    // LUKS2 leaves nothing behind that its programs would find.
    assert!(after[1024..4096].iter().chain(&after[16 << 10..20 << 10]).all(|byte| *byte == 0));
}

#[test]
fn slots_can_be_added_afterwards() {
    for version in [Version::Luks1, Version::Luks2] {
        let (bytes, key) = volume(version, 2);
        let disk = Memory::new(bytes);
        let mut header = Header::read(&disk).unwrap().convert(other(version), &disk, &random()).unwrap();
        let unlocked = header.verify(key.clone(), &Limits::default()).unwrap();
        for number in 2..8 {
            let passphrase = number.to_string();
            let new = NewKey { passphrase: passphrase.as_bytes(), kdf: quick(), hash: "sha256", slot: None };
            assert_eq!(header.add_key(&disk, &unlocked, &new, &random()).unwrap(), number);
        }
        check(&disk, 8, &key);
    }
}

#[test]
fn what_cannot_be_converted_stays() {
    let refused = |bytes: Vec<u8>, version, said: &str| {
        let disk = Memory::new(bytes.clone());
        let error = Header::read(&disk).unwrap().convert(version, &disk, &random()).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
        assert!(disk.into_inner() == bytes, "{error}");
    };
    let (full, _) = volume(Version::Luks1, 8);
    refused(full.clone(), Version::Luks2, "no room");
    refused(full, Version::Luks1, "LUKS1 already");

    let (good, key) = volume(Version::Luks2, 1);
    let with = |new: &NewKey<'_>| {
        let disk = Memory::new(good.clone());
        let mut header = Header::read(&disk).unwrap();
        let unlocked = header.verify(key.clone(), &Limits::default()).unwrap();
        header.add_key(&disk, &unlocked, new, &random()).unwrap();
        disk.into_inner()
    };
    let new = NewKey { passphrase: b"x", kdf: quick(), hash: "sha256", slot: None };
    let argon2 = Kdf::Argon2 { variant: Argon2::Id, time: 4, memory_kib: 64, cpus: 1, salt: vec![] };
    refused(with(&NewKey { kdf: argon2, ..new.clone() }), Version::Luks1, "argon2id");
    refused(with(&NewKey { hash: "sha512", ..new.clone() }), Version::Luks1, "splitter");
    refused(with(&NewKey { slot: Some(8), ..new }), Version::Luks1, "eight");
    let large = Memory::new(vec![0; SIZE]);
    Header::format(Version::Luks2, &large, &options("aes-xts-plain64", 64, 4096), b"0", &random()).unwrap();
    refused(large.into_inner(), Version::Luks1, "512 bytes");
    for (field, value, said) in [("iv_tweak", "8", "not number 0"), ("size", "4096", "to the end of the device")] {
        let mut other = good.clone();
        alter(&mut other, |json| json["segments"]["0"][field] = value.into());
        refused(other, Version::Luks1, said);
    }
    let mut damaged = good.clone();
    damaged[20_000] ^= 1;
    refused(damaged, Version::Luks1, "repair");
    let disk = Memory::new(good);
    disk.write_at(4096, b"#").unwrap();
    assert!(matches!(
        Header::read(&disk).unwrap().convert(Version::Luks2, &disk, &random()),
        Err(Error::Damaged { .. })
    ));
}
