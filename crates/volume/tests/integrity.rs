//! Volumes with integrity: written at any offset, with a journal and without one, and on a disk that loses what was not synced.

mod disk;
mod new;

use algkit_volume::{
    CipherSpec, Error, Header, Key, Limits, ReadAt, Unlocked, Version, Volume, WriteAt, format::Options, luks2,
    storage::Memory,
};
use disk::Disk;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A volume of the kernel's form, of which nothing is written yet.
#[derive(Clone, Copy)]
struct Form {
    cipher: &'static str,
    integrity: &'static str,
    /// Bytes of key, and of what is stored for a block.
    key: usize,
    tag: usize,
    block: usize,
    sections: usize,
    /// Sectors of data, in areas of 32.
    sectors: usize,
    journal: bool,
}

const HMAC: Form = Form {
    cipher: "aes-xts-plain64",
    integrity: "hmac(sha512)",
    key: 128,
    tag: 64,
    block: 512,
    sections: 3,
    sectors: 72,
    journal: true,
};

const GCM: Form = Form {
    cipher: "aes-gcm-random",
    integrity: "aead",
    key: 32,
    tag: 28,
    block: 4096,
    sections: 2,
    sectors: 128,
    ..HMAC
};

impl Form {
    /// The superblock and an empty journal as drivers/md/dm-integrity.c has them (`initialize_superblock`, `init_journal`).
    fn device(&self) -> Vec<u8> {
        let units = self.block / 512;
        let entry = (8 + 8 * units + self.tag).next_multiple_of(8);
        let entries = 504 / entry * 8;
        let section = 512 * (8 + entries * units);
        let area = (self.tag * 32 / units).next_multiple_of(4096) + 32 * 512;
        let mut device = vec![0; 4096 + self.sections * section + self.sectors.div_ceil(32) * area];
        device[..12].copy_from_slice(b"integrt\0\x04\x05\0\0");
        device[10] = self.tag as u8;
        device[12] = self.sections as u8;
        device[16] = self.sectors as u8;
        device[24] = 8;
        device[28] = units.ilog2() as u8;
        for (number, section) in device[4096..].chunks_exact_mut(section).take(self.sections).enumerate() {
            for entry_number in 0..entries {
                let at = entry_number % 8 * 512 + entry_number / 8 * entry;
                section[at + 4..at + 8].fill(0xff);
            }
            for (place, sector) in section.chunks_exact_mut(512).enumerate() {
                let id = 0x1111_1111_1111_1111 ^ (number << 32 ^ place) as u64;
                sector[504..].copy_from_slice(&id.to_le_bytes());
            }
        }
        device
    }

    fn open<S: ReadAt>(&self, storage: S) -> Result<Volume<S>, Error> {
        let key = Key::new((0..self.key as u8).collect());
        Volume::with_tags(storage, self.cipher, self.integrity, 0, self.block as u32, &key, self.journal)
    }

    fn len(&self) -> usize {
        self.sectors * 512
    }
}

fn read(volume: &impl ReadAt) -> Result<Vec<u8>, Error> {
    let mut bytes = vec![0; volume.size()? as usize];
    volume.read_at(0, &mut bytes)?;
    Ok(bytes)
}

/// Numbers that look random, the same every time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit
    }
}

/// Every write is compared with the same write to plain bytes, and the volume is opened again now and then.
fn like_plain_bytes(form: &Form) {
    let disk = Memory::new(form.device());
    let mut volume = form.open(&disk).unwrap();
    let name = format!("{} {} {}", form.cipher, form.block, form.journal);
    let error = volume.read_at(0, &mut [0]).unwrap_err();
    assert!(matches!(error, Error::Integrity { sector: 0 }), "{name}: {error}");
    let mut plain: Vec<u8> = (0..form.len()).map(|i| (i / 7) as u8).collect();
    volume.write_at(0, &plain).unwrap();
    let mut numbers = Numbers(1);
    for round in 0..300 {
        let offset = numbers.below(plain.len());
        let len = numbers.below((plain.len() - offset).min(5 * form.block) + 1);
        let data = vec![round as u8; len];
        volume.write_at(offset as u64, &data).unwrap();
        plain[offset..offset + len].copy_from_slice(&data);
        let offset = numbers.below(plain.len());
        let mut back = vec![0; numbers.below(plain.len() - offset + 1)];
        volume.read_at(offset as u64, &mut back).unwrap();
        assert!(back == plain[offset..offset + back.len()], "{name} {round}");
        if numbers.below(10) == 0 {
            volume.sync().unwrap();
            assert!(read(&form.open(&disk).unwrap()).unwrap() == plain, "{name} {round}");
        }
        if numbers.below(30) == 0 {
            volume.sync().unwrap();
            volume = form.open(&disk).unwrap();
        }
    }
    // A block that the storage has dropped would have a wrong tag, so it stays.
    volume.sync().unwrap();
    let file = tempfile::tempfile().unwrap();
    file.write_at(0, &disk.into_inner()).unwrap();
    let volume = form.open(&file).unwrap();
    volume.discard(0, form.len() as u64).unwrap();
    assert!(read(&volume).unwrap() == plain, "{name}");
}

#[test]
fn any_offset_and_any_length() {
    let hmac = Form { integrity: "hmac(sha256)", key: 96, tag: 32, ..HMAC };
    for form in [
        HMAC,
        GCM,
        Form { sections: 1, ..HMAC },
        Form { sections: 7, block: 1024, ..HMAC },
        Form { block: 2048, ..hmac },
        Form { cipher: "aes-xts-random", tag: 48, block: 4096, ..hmac },
        Form { block: 512, sectors: 80, ..GCM },
        Form { cipher: "aegis128-random", key: 16, tag: 32, ..GCM },
        Form { cipher: "chacha20-random", integrity: "poly1305", block: 1024, ..GCM },
    ] {
        like_plain_bytes(&form);
        like_plain_bytes(&Form { journal: false, ..form });
    }
}

#[test]
fn two_threads_at_once() {
    let disk = Memory::new(HMAC.device());
    let volume = HMAC.open(&disk).unwrap();
    volume.write_at(0, &vec![0; HMAC.len()]).unwrap();
    let half = HMAC.len() as u64 / 2;
    std::thread::scope(|scope| {
        for thread in [0, 1] {
            let volume = &volume;
            scope.spawn(move || {
                let mut back = vec![0; half as usize];
                for value in 1..100 {
                    volume.write_at(thread * half, &vec![value; half as usize]).unwrap();
                    volume.read_at(thread * half, &mut back).unwrap();
                    assert!(back.iter().all(|byte| *byte == value), "{thread} {value}");
                    if value % 16 == 0 {
                        volume.sync().unwrap();
                    }
                }
            });
        }
    });
    volume.sync().unwrap();
    assert!(read(&HMAC.open(&disk).unwrap()).unwrap().iter().all(|byte| *byte == 99));
}

/// What a block has in a version.
fn text(form: &Form, block: usize, version: usize) -> Vec<u8> {
    let word = ((block as u64) << 32 | version as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes();
    word.repeat(form.block / 8)
}

/// A device whose blocks have version 0.
fn first_version(form: &Form) -> Vec<u8> {
    let disk = Memory::new(form.device());
    let volume = form.open(&disk).unwrap();
    let texts: Vec<u8> = (0..form.len() / form.block).flat_map(|block| text(form, block, 0)).collect();
    volume.write_at(0, &texts).unwrap();
    volume.sync().unwrap();
    disk.into_inner()
}

/// What was done to a volume: how many steps the disk had done when it began, or, of a sync, when it returned.
enum Done {
    Write { begun: usize, block: usize, version: usize },
    Sync { returned: usize },
}

/// Whatever the power leaves, each block is the last that was synced, or one that was written later. Then the volume is written to, and whatever
/// the power leaves of that, no other block changes.
fn survives(form: &Form) {
    let blocks = form.len() / form.block;
    let disk = Disk::new(first_version(form));
    let volume = form.open(&disk).unwrap();
    let (mut done, mut numbers) = (Vec::new(), Numbers(2));
    for version in 1..12 {
        let first = numbers.below(blocks);
        let count = 1 + numbers.below((blocks - first).min(1 + blocks / 3));
        let texts: Vec<u8> = (first..first + count).flat_map(|block| text(form, block, version)).collect();
        let begun = disk.steps();
        done.extend((first..first + count).map(|block| Done::Write { begun, block, version }));
        volume.write_at((first * form.block) as u64, &texts).unwrap();
        if numbers.below(3) == 0 || version == 11 {
            volume.sync().unwrap();
            done.push(Done::Sync { returned: disk.steps() });
        }
    }
    drop(volume);
    disk.sync().unwrap();
    let (mut number, mut newer) = (0, 0);
    let (_, states) = disk.cut(|step, state| {
        let now = read(&form.open(state).unwrap()).unwrap_or_else(|error| panic!("step {step}: {error}"));
        for (block, found) in now.chunks_exact(form.block).enumerate() {
            let mut allowed = vec![0];
            let mut synced = 1;
            for event in &done {
                match event {
                    Done::Write { begun, block: its, version } if *its == block && *begun <= step => {
                        allowed.push(*version)
                    }
                    Done::Sync { returned } if *returned <= step => {
                        allowed.drain(..allowed.len() - 1);
                        synced = allowed.len();
                    }
                    _ => {}
                }
            }
            let version = allowed.iter().position(|version| text(form, block, *version) == found);
            let version = version.unwrap_or_else(|| panic!("step {step}: block {block} is none of {allowed:?}"));
            newer += usize::from(version >= synced);
        }
        number += 1;
        if number % 101 == 0 {
            survives_again(form, state.bytes(), &now);
        }
    });
    assert!(states > 500 && newer > 100, "{states} {newer}");
}

/// The first write to a volume that was cut off replays its journal. No part of that harms a block.
fn survives_again(form: &Form, device: Vec<u8>, before: &[u8]) {
    let disk = Disk::new(device);
    let volume = form.open(&disk).unwrap();
    volume.write_at(form.block as u64, &text(form, 1, 99)).unwrap();
    volume.sync().unwrap();
    drop(volume);
    disk.sync().unwrap();
    let mut after = before.to_vec();
    after[form.block..2 * form.block].copy_from_slice(&text(form, 1, 99));
    let (end, _) = disk.cut(|step, state| {
        let now = read(&form.open(state).unwrap()).unwrap_or_else(|error| panic!("step {step}: {error}"));
        assert!(now == before || now == after, "step {step}");
    });
    assert!(read(&form.open(&end[..]).unwrap()).unwrap() == after);
}

#[test]
fn every_write_is_cut_off() {
    for sections in [1, 2, 3, 5] {
        survives(&Form { sections, ..HMAC });
    }
    survives(&GCM);
}

/// Without a journal, blocks that are being written may be lost, but no journal of before makes others old.
#[test]
fn an_old_journal_is_not_replayed_over_what_was_written_without_one() {
    for form in [HMAC, GCM] {
        let disk = Disk::new(first_version(&form));
        let volume = Form { journal: false, ..form }.open(&disk).unwrap();
        let all: Vec<u8> = (0..form.len() / form.block).flat_map(|block| text(&form, block, 1)).collect();
        volume.write_at(0, &all).unwrap();
        volume.sync().unwrap();
        let synced = disk.steps();
        volume.write_at(0, &text(&form, 0, 2)).unwrap();
        volume.sync().unwrap();
        drop(volume);
        disk.sync().unwrap();
        let mut states = 0;
        disk.cut(|step, state| {
            if step >= synced {
                let mut now = vec![0; form.len() - form.block];
                form.open(state).unwrap().read_at(form.block as u64, &mut now).unwrap();
                assert!(now == all[form.block..], "{step}");
                states += 1;
            }
        });
        assert!(states > 0);
    }
}

#[test]
fn an_overwritten_journal_is_not_written() {
    let mut device = first_version(&HMAC);
    device[4096 + 504] ^= 1;
    let disk = Memory::new(device);
    let volume = HMAC.open(&disk).unwrap();
    read(&volume).unwrap();
    let error = volume.writable().unwrap_err();
    assert!(error.to_string().contains("integrity journal"), "{error}");
    assert!(volume.write_at(0, &[0]).is_err());
}

const HEADER: usize = 16 << 20;

fn made(disk: &Memory, options: &Options) -> Result<(Header, Unlocked), Error> {
    Header::format(Version::Luks2, disk, options, b"a passphrase", &new::random())
}

fn with_tags(cipher: &str, integrity: &str, key_size: usize, sector_size: u32) -> Options {
    let cipher = CipherSpec::with_tags(cipher, integrity).unwrap();
    Options { cipher, integrity: Some(integrity.into()), ..new::options("aes-xts-plain64", key_size, sector_size) }
}

#[test]
fn what_is_made_is_written() {
    for options in [
        with_tags("aes-xts-plain64", "hmac(sha256)", 64, 512),
        with_tags("aes-xts-random", "hmac(sha1)", 32, 4096),
        with_tags("aes-gcm-random", "aead", 32, 1024),
        with_tags("chacha20-random", "poly1305", 32, 2048),
    ] {
        let disk = Memory::new(vec![0xa5; HEADER + (4 << 20)]);
        made(&disk, &options).unwrap();
        let header = Header::read(&disk).unwrap();
        let unlocked = header.unlock(&disk, b"a passphrase", None, &Limits::default()).unwrap();
        let open = || header.open(&disk, &unlocked.key).unwrap();
        assert!(matches!(open().read_at(0, &mut [0]), Err(Error::Integrity { sector: 0 })));
        let journal = || {
            let mut bytes = vec![0; 16 << 10];
            disk.read_at(HEADER as u64 + 4096, &mut bytes).unwrap();
            bytes
        };
        let empty = journal();
        let volume = header.open_without_journal(&disk, &unlocked.key).unwrap();
        let size = volume.size().unwrap();
        assert!(size > 2 << 20, "{size}");
        volume.write_at(0, &vec![0; size as usize]).unwrap();
        volume.sync().unwrap();
        assert!(journal() == empty);
        assert!(read(&open()).unwrap().iter().all(|byte| *byte == 0));
        let volume = open();
        volume.write_at(1000, b"some text").unwrap();
        volume.sync().unwrap();
        assert!(journal() != empty);
        let now = read(&open()).unwrap();
        assert!(&now[1000..1009] == b"some text" && now[..1000].iter().all(|byte| *byte == 0));
        assert!(header.fixed_size().unwrap_err().to_string().contains("another length"));
    }
}

#[test]
fn a_device_is_as_long_as_its_plaintext_needs() {
    for (version, options, len, size) in [
        (Version::Luks1, new::options("aes-xts-plain64", 64, 512), 1536, 1536),
        (Version::Luks2, new::options("aes-xts-plain64", 64, 4096), 12288, 12288),
        (Version::Luks2, with_tags("aes-xts-plain64", "hmac(sha256)", 64, 512), 1536, 4096),
        (Version::Luks2, with_tags("aes-gcm-random", "aead", 32, 4096), 40960, 40960),
        (Version::Luks2, with_tags("aes-xts-random", "hmac(sha512)", 64, 2048), 30 << 20, 30 << 20),
    ] {
        let device = Header::device_size(version, &options, len).unwrap();
        let disk = Memory::new(vec![0; device as usize]);
        let (header, unlocked) = Header::format(version, &disk, &options, b"x", &new::random()).unwrap();
        let volume = header.open(&disk, &unlocked.key).unwrap();
        assert_eq!(volume.size().unwrap(), size, "{version:?} {options:?}");
        volume.write_at(0, &vec![7; size as usize]).unwrap();
        assert!(read(&volume).unwrap().iter().all(|byte| *byte == 7));
        for (sector_size, len) in [(0, 4096), (513, 4096), (options.sector_size, u64::MAX)] {
            assert!(Header::device_size(version, &Options { sector_size, ..options.clone() }, len).is_err());
        }
    }
}

/// The header of a volume of cryptsetup 2.8 may say how long the key of its MAC is.
#[test]
fn a_mac_key_of_another_length() {
    let options = with_tags("aes-xts-plain64", "hmac(sha256)", 64, 512);
    let disk = Memory::new(vec![0; Header::device_size(Version::Luks2, &options, 8192).unwrap() as usize]);
    let (header, _) = made(&disk, &options).unwrap();
    // HMAC appends zeros to a short key (RFC 2104, section 2), so these keys are one.
    let short = Key::new((0..80).collect());
    let long = Key::new([short.bytes(), &[0; 16]].concat());
    let volume = header.open(&disk, &long).unwrap();
    volume.write_at(0, &[7; 8192]).unwrap();
    volume.sync().unwrap();
    let Header::Luks2(mut luks2) = header else { panic!("{header:?}") };
    let integrity = luks2.metadata.segments.get_mut(&0).unwrap().integrity.as_mut().unwrap();
    integrity["key_size"] = 16.into();
    assert!(read(&Header::Luks2(luks2).open(&disk, &short).unwrap()).unwrap() == [7; 8192]);
}

/// What no superblock could make readable is refused by its name, where there is none.
#[test]
fn what_is_refused_by_name() {
    let disk = Memory::new(vec![0; HEADER + (4 << 20)]);
    let (header, unlocked) = made(&disk, &with_tags("aes-xts-plain64", "hmac(sha256)", 64, 512)).unwrap();
    disk.write_at(HEADER as u64, &[0; 4096]).unwrap();
    let Header::Luks2(luks2) = header else { panic!("{header:?}") };
    let refused = |change: &dyn Fn(&mut luks2::Metadata), reason: &str| {
        let mut luks2 = luks2.clone();
        change(&mut luks2.metadata);
        let header = Header::Luks2(luks2);
        let error = header.open(&disk, &unlocked.key).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
        assert_eq!(header.openable(&disk).unwrap_err().to_string(), error);
    };
    let integrity = |field: &'static str, value: &'static str| {
        move |metadata: &mut luks2::Metadata| {
            metadata.segments.get_mut(&0).unwrap().integrity.as_mut().unwrap()[field] = value.into();
        }
    };
    refused(&|_| {}, "integrity superblock: it is not there");
    refused(&integrity("type", "phmac(sha256)"), "firmware of mainframes");
    refused(&integrity("type", "crc32c"), "integrity `crc32c`");
    refused(&integrity("journal_integrity", "hmac(sha256)"), "journal_integrity `hmac(sha256)`");
    let inline = |metadata: &mut luks2::Metadata| metadata.config.requirements.mandatory.push("inline-hw-tags".into());
    refused(&inline, "no file has such sectors");
    let plain64 = |metadata: &mut luks2::Metadata| {
        metadata.segments.get_mut(&0).unwrap().encryption = Some("aes-ctr-plain64".into());
    };
    refused(&plain64, "same key stream");
}

#[test]
fn flags_of_the_superblock() {
    for (flag, reason) in [
        (1, "a journal with a MAC"),
        (2, "tags to compute again"),
        (4, "tags to compute again"),
        (32, "no file has such sectors"),
    ] {
        let mut device = first_version(&HMAC);
        device[24] |= flag;
        let error = HMAC.open(&device[..]).unwrap_err().to_string();
        assert!(error.contains(reason), "{flag}: {error}");
    }
}

/// A disk that fails when it is written or synced for the n-th time, of whose last write a sector is there.
struct Failing {
    disk: Memory,
    left: AtomicUsize,
}

impl Failing {
    fn step(&self) -> Result<(), Error> {
        let left = self.left.load(Ordering::Relaxed);
        self.left.store(left.saturating_sub(1), Ordering::Relaxed);
        let source = || std::io::Error::other("unplugged");
        if left == 0 { Err(Error::Storage { what: "the test", source: source() }) } else { Ok(()) }
    }
}

impl ReadAt for Failing {
    fn size(&self) -> Result<u64, Error> {
        self.disk.size()
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), Error> {
        self.disk.read_at(offset, buf)
    }
}

impl WriteAt for Failing {
    fn write_at(&self, offset: u64, data: &[u8]) -> Result<(), Error> {
        let step = self.step();
        let len = if step.is_ok() { data.len() } else { data.len().min(512) };
        self.disk.write_at(offset, &data[..len])?;
        step
    }

    fn sync(&self) -> Result<(), Error> {
        self.step()
    }
}

/// Whichever write or sync of the disk fails: the volume says why it is not written any more, and when it is opened again, each block is old or new.
#[test]
fn a_disk_that_fails() {
    for form in [HMAC, GCM] {
        let (first, blocks) = (first_version(&form), form.len() / form.block);
        let all: Vec<u8> = (0..blocks).flat_map(|block| text(&form, block, 1)).collect();
        let mut steps = 0;
        loop {
            let disk = Failing { disk: Memory::new(first.clone()), left: steps.into() };
            let volume = form.open(&disk).unwrap();
            let written = volume.write_at(0, &all).and_then(|()| volume.sync());
            let Err(error) = written else { break };
            assert!(error.to_string().contains("unplugged"), "{error}");
            disk.left.store(usize::MAX, Ordering::Relaxed);
            let again = volume.write_at(0, &all).unwrap_err().to_string();
            assert!(again.contains("failed while the journal was written; open the volume again"), "{again}");
            let now = read(&form.open(&disk.disk).unwrap()).unwrap();
            for (block, found) in now.chunks(form.block).enumerate() {
                assert!([0, 1].iter().any(|version| text(&form, block, *version) == found), "step {steps}: {block}");
            }
            steps += 1;
        }
        assert!(steps > 10, "{steps}");
    }
}

#[test]
fn what_cannot_be_made() {
    for (cipher, integrity, reason) in [
        ("aes-gcm-plain64", "aead", "same key stream"),
        ("aes-ctr-plain64", "hmac(sha256)", "same key stream"),
        ("aes-cbc-essiv:sha256", "hmac(sha256)", "this IV"),
        ("aes-xts-plain64", "phmac(sha256)", "firmware"),
        ("aes-xts-plain64", "crc32", "integrity `crc32`"),
    ] {
        let error = CipherSpec::with_tags(cipher, integrity).unwrap_err().to_string();
        assert!(error.contains(reason), "{cipher}: {error}");
    }
    let hmac = with_tags("aes-xts-plain64", "hmac(sha256)", 64, 512);
    for (options, len, reason) in [
        (with_tags("aes-gcm-random", "aead", 33, 512), 1 << 20, "33 bytes"),
        (with_tags("aes-gcm-random", "aead", 32, 513), 1 << 20, "513 bytes"),
        (hmac.clone(), 64 << 10, "no room"),
    ] {
        let disk = Memory::new(vec![5; HEADER + len]);
        let error = made(&disk, &options).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
        assert!(disk.into_inner().iter().all(|byte| *byte == 5), "{reason}");
    }
    let disk = Memory::new(vec![0; HEADER]);
    let error = Header::format(Version::Luks1, &disk, &hmac, b"x", &new::random()).unwrap_err();
    assert!(error.to_string().contains("integrity in LUKS1"), "{error}");
}

/// Neither the superblock nor the journal is authenticated.
#[test]
fn a_forged_superblock_or_journal_opens_nothing() {
    let refused = |form: &Form, at: usize, bytes: &[u8], reason: &str| {
        let mut device = form.device();
        device[at..at + bytes.len()].copy_from_slice(bytes);
        let error = form.open(Memory::new(device)).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    };
    // A shorter tag would be easier to guess.
    refused(&HMAC, 10, &[63], "tags of 63 bytes, and the cipher has 64");
    refused(&GCM, 28, &[2], "blocks of 2048 bytes");
    // The first entry is for the sector behind the last, and for a part of a block.
    refused(&HMAC, 4096, &72u64.to_le_bytes(), "an entry for sector 72");
    refused(&GCM, 4096, &4u64.to_le_bytes(), "an entry for sector 4");
}
