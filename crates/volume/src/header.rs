//! A header of either version.

use crate::{Error, Limits, ReadAt, Unlocked, Volume, VolumeKey, luks1, luks2, storage};

/// A LUKS header.
#[derive(Clone, Debug)]
pub enum Header {
    /// Version 1.
    Luks1(Box<luks1::Header>),
    /// Version 2.
    Luks2(Box<luks2::Header>),
}

impl Header {
    /// Reads and checks the header that `storage` begins with. Nothing is written: a damaged copy is told of, not repaired.
    pub fn read(storage: &(impl ReadAt + ?Sized)) -> Result<Self, Error> {
        let size = storage.size()?;
        let start = storage::read(storage, 0, size.min(1024) as usize)?;
        if start.starts_with(luks1::MAGIC) {
            return luks1::Header::read(storage).map(Box::new).map(Self::Luks1);
        }
        match luks2::Header::read(storage) {
            Ok(header) => Ok(Self::Luks2(Box::new(header))),
            Err(Error::NoHeader) => Err(match start.get(6..8) {
                Some([0, 2]) if start.starts_with(b"LUKS\xba\xbe") => {
                    Error::damaged("LUKS2 header", format!("it is cut off: the device has {size} bytes"))
                }
                Some(version) if start.starts_with(b"LUKS\xba\xbe") => Error::Unsupported {
                    what: format!("LUKS version {}", u16::from_be_bytes([version[0], version[1]])),
                },
                _ => other_kind(&start).map_or(Error::NoHeader, Error::OtherKind),
            }),
            Err(error) => Err(error),
        }
    }

    /// The key of the volume, from the slot or from the first that the passphrase opens. `storage` holds the header.
    pub fn unlock(
        &self,
        storage: &(impl ReadAt + ?Sized),
        passphrase: &[u8],
        slot: Option<u32>,
        limits: &Limits,
    ) -> Result<Unlocked, Error> {
        match self {
            Self::Luks1(header) => header.unlock(storage, passphrase, slot, limits),
            Self::Luks2(header) => header.unlock(storage, passphrase, slot, limits),
        }
    }

    /// The volume on `storage`, which is the device of the data: that of the header, unless the header is detached.
    pub fn open<S: ReadAt>(&self, storage: S, key: &dyn VolumeKey) -> Result<Volume<S>, Error> {
        match self {
            Self::Luks1(header) => header.open(storage, key),
            Self::Luks2(header) => header.open(storage, key),
        }
    }

    /// What a user should know about the header, one line each.
    pub fn warnings(&self) -> Vec<String> {
        let Self::Luks2(header) = self else { return Vec::new() };
        match &header.copies {
            luks2::Copies::Both => Vec::new(),
            luks2::Copies::First(reason) => vec![format!("the second LUKS2 header is not used: {reason}")],
            luks2::Copies::Second(reason) => vec![format!("the first LUKS2 header is not used: {reason}")],
        }
    }
}

/// Other encrypted volumes by what they begin with.
fn other_kind(start: &[u8]) -> Option<&'static str> {
    let at = |offset: usize, magic: &[u8]| start.get(offset..).is_some_and(|rest| rest.starts_with(magic));
    // The OEM identifier of the boot sector.
    if at(3, b"-FVE-FS-") || at(3, b"MSWIN4.1") && at(0x1a8, b"\x3b\xd6\x67\x49\x29\x2e\xd8\x4a") {
        Some("BitLocker")
    } else if at(88, b"CS") && at(0, &[]) && start.get(8..10) == Some(&[1, 0]) {
        Some("FileVault (CoreStorage)")
    } else {
        None
    }
}
