//! Another length of the data, for headers that say how long the data is.

use crate::{
    Error, Header, WriteAt,
    keyslots::Keyslots,
    luks2::{Segment, SegmentSize},
};
use algkit::Rng;

impl Header {
    /// The length of the data in bytes, if the header says it; otherwise the data reaches to the end of the device. It is an error if the length may
    /// not be changed now.
    pub fn fixed_size(&self) -> Result<Option<u64>, Error> {
        let Self::Luks2(header) = self else { return Ok(None) };
        header.writable()?;
        if header.metadata.segments.values().any(|segment| segment.integrity.is_some()) {
            return Err(Error::Unsupported { what: "another length of a volume with integrity".to_owned() });
        }
        let segments = header.metadata.segments.values().filter(|segment| !segment.is_backup());
        let bytes = |segment: &Segment| if let SegmentSize::Bytes(bytes) = segment.size { Some(bytes) } else { None };
        Ok(segments.map(bytes).sum())
    }

    /// The size of a sector in bytes. The length of the data is a multiple of it.
    pub fn sector_size(&self) -> u32 {
        match self {
            Self::Luks1(_) => 512,
            Self::Luks2(header) => {
                header.metadata.segments.values().map(|segment| segment.sector_size()).max().unwrap_or(512)
            }
        }
    }

    /// Writes another length into the header on `storage`, if that header says how long the data is.
    pub fn set_size(&mut self, storage: &dyn WriteAt, size: u64, random: &Rng) -> Result<(), Error> {
        self.refuse_changed(storage)?;
        let now = self.fixed_size()?;
        match self {
            Self::Luks2(header) if now.is_some_and(|now| now != size) => {
                header.set_only_size(size)?;
                header.store(storage, random)
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CipherSpec, Kdf, ReadAt, Version, format::Options, storage::Memory};

    #[test]
    fn a_length_in_the_header() {
        let random = algkit::rng("stdrng").unwrap().key(&[]).unwrap();
        let options = Options {
            cipher: CipherSpec::parse("aes-xts-plain64").unwrap(),
            integrity: None,
            key_size: 64,
            sector_size: 4096,
            kdf: Kdf::Pbkdf2 { hash: "sha256".into(), iterations: 1, salt: vec![] },
            hash: "sha256".into(),
            uuid: None,
            label: String::new(),
            subsystem: String::new(),
        };
        let disk = Memory::new(vec![0; (16 << 20) + (64 << 10)]);
        let (mut header, unlocked) = Header::format(Version::Luks2, &disk, &options, b"x", &random).unwrap();
        assert_eq!((header.fixed_size().unwrap(), header.sector_size()), (None, 4096));
        header.set_size(&disk, 8192, &random).unwrap();
        assert_eq!(Header::read(&disk).unwrap().fixed_size().unwrap(), None);
        let Header::Luks2(luks2) = &mut header else { panic!("{header:?}") };
        luks2.set_only_size(8192).unwrap();
        luks2.store(&disk, &random).unwrap();
        header.set_size(&disk, 12288, &random).unwrap();
        let mut header = Header::read(&disk).unwrap();
        assert_eq!(header.fixed_size().unwrap(), Some(12288));
        assert_eq!(header.open(&disk, &unlocked.key).unwrap().size().unwrap(), 12288);
        assert!(header.set_size(&disk, 1000, &random).is_err());
        assert_eq!(Header::read(&disk).unwrap().fixed_size().unwrap(), Some(12288));
    }
}
