//! New headers: what is made opens, and a failure at any write leaves no header that is damaged.

mod new;

use algkit_volume::{
    Argon2, Error, Header, Kdf, Limits, ReadAt, Version, WriteAt, format::Options, luks2, storage::Memory,
};
use new::{quick, random};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

const SIZE: usize = (16 << 20) + 8192;

fn options(cipher: &str, key_size: usize, sector_size: u32, kdf: Kdf) -> Options {
    Options { kdf, label: "a label".into(), ..new::options(cipher, key_size, sector_size) }
}

fn format(version: u8, storage: &dyn WriteAt, options: &Options) -> Result<(), Error> {
    let version = if version == 1 { Version::Luks1 } else { Version::Luks2 };
    Header::format(version, storage, options, b"a passphrase", &random()).map(drop)
}

#[test]
fn what_is_made_opens() {
    let argon2 = |variant| Kdf::Argon2 { variant, time: 4, memory_kib: 64, cpus: 2, salt: vec![] };
    for (version, options) in [
        (1, options("aes-xts-plain64", 64, 512, quick())),
        (1, options("aes-cbc-essiv:sha256", 32, 512, quick())),
        (2, options("aes-xts-plain64", 64, 4096, argon2(Argon2::Id))),
        (2, options("serpent-xts-plain64", 64, 512, argon2(Argon2::I))),
        (2, options("xchacha12,aes-adiantum-plain64", 32, 4096, quick())),
    ] {
        let storage = Memory::new(vec![0; SIZE]);
        format(version, &storage, &options).unwrap();
        let header = Header::read(&storage).unwrap();
        assert!(header.warnings().is_empty());
        let wrong = header.unlock(&storage, b"another", None, &Limits::default());
        assert!(matches!(wrong, Err(Error::WrongPassphrase)));
        let unlocked = header.unlock(&storage, b"a passphrase", None, &Limits::default()).unwrap();
        let volume = header.open(&storage, &unlocked.key).unwrap();
        volume.write_at(100, b"text").unwrap();
        let mut back = [0; 4];
        volume.read_at(100, &mut back).unwrap();
        assert_eq!(&back, b"text");
    }
}

/// A storage that takes so many writes and no more.
struct Failing {
    memory: Memory,
    left: AtomicUsize,
}

impl ReadAt for Failing {
    fn size(&self) -> Result<u64, Error> {
        self.memory.size()
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), Error> {
        self.memory.read_at(offset, buf)
    }
}

impl WriteAt for Failing {
    fn write_at(&self, offset: u64, data: &[u8]) -> Result<(), Error> {
        let left = self.left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1));
        left.map_err(|_| Error::Write { offset, len: data.len(), source: std::io::ErrorKind::Other.into() })?;
        self.memory.write_at(offset, data)
    }

    fn sync(&self) -> Result<(), Error> {
        Ok(())
    }
}

#[test]
fn a_failure_at_any_write() {
    for version in [1, 2] {
        let options = options("aes-xts-plain64", 64, 512, quick());
        let old = Memory::new(vec![0; SIZE]);
        format(3 - version, &old, &options).unwrap();
        let old = old.into_inner();
        let mut writes = 0;
        loop {
            let storage = Failing { memory: Memory::new(old.clone()), left: writes.into() };
            let done = format(version, &storage, &options).is_ok();
            match Header::read(&storage) {
                // The old header, or the new one; of LUKS2 perhaps in one copy.
                Ok(Header::Luks1(_)) => assert!(if version == 1 { done } else { writes == 0 }),
                Ok(Header::Luks2(header)) => {
                    assert!(if version == 1 { writes == 0 } else { done || header.copies != luks2::Copies::Both })
                }
                Err(Error::NoHeader) => assert!(!done),
                Err(error) => panic!("after {writes} writes: {error}"),
            }
            if done {
                break;
            }
            writes += 1;
        }
        assert!(writes >= 2);
    }
}

#[test]
fn what_cannot_be_made() {
    let small = Memory::new(vec![0; 1 << 20]);
    let error = format(2, &small, &options("aes-xts-plain64", 64, 512, quick())).unwrap_err();
    assert!(error.to_string().contains("LUKS2 header takes 16777216"), "{error}");
    for (version, options, reason) in [
        (1, options("aes-xts-plain64", 64, 4096, quick()), "sectors of 512"),
        (2, options("aes-xts-plain64", 63, 512, quick()), "key of 63 bytes"),
        (2, options("aes-xts-plain64", 64, 520, quick()), "520 bytes"),
        (2, Options { label: "x".repeat(48), ..options("aes-xts-plain64", 64, 512, quick()) }, "at most 47 bytes"),
    ] {
        let storage = Memory::new(vec![5; SIZE]);
        let error = format(version, &storage, &options).unwrap_err();
        assert!(error.to_string().contains(reason), "{error}");
        assert!(storage.into_inner().iter().all(|byte| *byte == 5), "nothing is written: {reason}");
    }
}
