//! A header of either version.

use crate::{
    Error, Key, Limits, ReadAt, SectorCipher, Unlocked, Volume, VolumeKey, WriteAt,
    crypt::is_sector_size,
    format::{Options, wipe_range},
    integrity::Empty,
    kdf::Budget,
    keyslots::{self, Keyslots, NewKey},
    luks1, luks2, reencrypt, storage,
    volume::rest,
};
use algkit::Rng;

/// Versions of LUKS.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Version {
    /// Eight key slots with PBKDF2, sectors of 512 bytes, one header without a checksum.
    Luks1,
    /// Two copies of a header with metadata in JSON.
    Luks2,
}

/// A LUKS header.
#[derive(Clone, Debug)]
pub enum Header {
    /// Version 1.
    Luks1(Box<luks1::Header>),
    /// Version 2.
    Luks2(Box<luks2::Header>),
}

impl Header {
    /// Reads and checks the header that `storage` begins with. Nothing is written: a damaged copy is reported by [`Self::warnings`], and not repaired.
    pub fn read(storage: &dyn ReadAt) -> Result<Self, Error> {
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

    /// Writes a new header with one key slot, and, for a volume with tags, an empty journal, and answers with it and the volume's key. Whatever was in its place is lost; the data is not
    /// touched.
    ///
    /// The old bytes are overwritten first, and the header is written last. So whoever opens the storage after a failure finds no header, or this one.
    pub fn format(
        version: Version,
        storage: &dyn WriteAt,
        options: &Options,
        passphrase: &[u8],
        random: &Rng,
    ) -> Result<(Self, Unlocked), Error> {
        let key = options.new_key(random)?;
        let (sector_size, scheme) = (options.sector_size as usize, options.scheme()?);
        let cipher = match &scheme {
            Some(_) if version == Version::Luks1 => {
                return Err(Error::Unsupported { what: "integrity in LUKS1".to_owned() });
            }
            Some(scheme) => scheme.key(&key, sector_size, 0).map(|_| None)?,
            None => Some(SectorCipher::new(&options.cipher, &key, sector_size)?),
        };
        let mut header = match version {
            Version::Luks1 => Self::Luks1(Box::new(luks1::Header::new(options, &key, random)?)),
            Version::Luks2 => Self::Luks2(Box::new(luks2::Header::new(options, &key, random)?)),
        };
        let (size, data) = (storage.size()?, header.data_offset());
        if size < data + u64::from(options.sector_size) {
            let reason = format!("{size} bytes, and a new {version:?} header takes {data}").replace("Luks", "LUKS");
            return Err(Error::damaged("device", reason));
        }
        cipher.map_or(Ok(()), |cipher| cipher.check_range(0, size - data))?;
        let unlocked = Unlocked { slot: None, key, other: None };
        let slot = NewKey { passphrase, kdf: options.kdf.clone(), hash: &options.hash, slot: None };
        let slot = keyslots::prepare(header.slots(), unlocked.key.bytes().len(), &slot, random)?;
        let empty = scheme.map(|scheme| Empty::new(size, data, &scheme, options.sector_size)).transpose()?;
        // Headers of any kind, and key slots whose passphrases must not open anything any more.
        wipe_range(storage, 0..data)?;
        empty.map_or(Ok(()), |empty| empty.write(storage))?;
        keyslots::add(header.slots_mut(), storage, &unlocked, slot, random)?;
        Ok((header, unlocked))
    }

    /// Bytes of the smallest device on which [`Self::format`] makes a volume with `len` bytes of plaintext, a whole number of sectors. A volume with
    /// tags has as many as the next multiple of 4096 is.
    pub fn device_size(version: Version, options: &Options, len: u64) -> Result<u64, Error> {
        let data = match version {
            Version::Luks1 => luks1::Header::new_data_offset(options.key_size),
            Version::Luks2 => luks2::DATA_OFFSET,
        };
        if !is_sector_size(options.sector_size.into()) {
            return Err(Error::damaged("the new header", format!("sectors of {} bytes", options.sector_size)));
        }
        match options.scheme()? {
            Some(scheme) => Empty::device(len, data, &scheme, options.sector_size),
            None => data.checked_add(len).ok_or_else(|| Error::damaged("device", format!("{len} bytes are too many"))),
        }
    }

    fn slots(&self) -> &dyn Keyslots {
        match self {
            Self::Luks1(header) => &**header,
            Self::Luks2(header) => &**header,
        }
    }

    fn slots_mut(&mut self) -> &mut dyn Keyslots {
        match self {
            Self::Luks1(header) => &mut **header,
            Self::Luks2(header) => &mut **header,
        }
    }

    /// The first byte of the data on the device that the header is on; 0 if the header is on a device of its own.
    pub fn data_offset(&self) -> u64 {
        match self {
            Self::Luks1(header) => header.data_offset(),
            Self::Luks2(header) => header.data_offset(),
        }
    }

    /// The volume's UUID.
    pub fn uuid(&self) -> &str {
        match self {
            Self::Luks1(header) => &header.uuid,
            Self::Luks2(header) => &header.binary.uuid,
        }
    }

    /// The number of bytes that the header and its key slots take at the beginning of the device. A backup consists of these bytes.
    pub fn size(&self) -> u64 {
        match self {
            Self::Luks1(header) => header.size(),
            Self::Luks2(header) => header.size(),
        }
    }

    /// Replaces the header on `storage` by this one, which was read from `backup`. The areas of the key slots are written first. After a failure, the old
    /// header may be there with key slots that open nothing; then the header has to be restored again.
    pub fn restore(&mut self, backup: &dyn ReadAt, storage: &dyn WriteAt, random: &Rng) -> Result<(), Error> {
        self.slots().writable()?;
        let (from, to) = match self {
            Self::Luks1(_) => (luks1::FIRST_AREA, self.size()),
            Self::Luks2(header) => (2 * header.binary.header_size, self.size()),
        };
        let have = storage.size()?;
        if have < to.max(self.data_offset()) {
            let reason = format!("{have} bytes, and the data of this header begins at byte {}", self.data_offset());
            return Err(Error::damaged("device", reason));
        }
        // The copy that is written first serves from then on, also if what it replaces is newer.
        if let (Self::Luks2(header), Ok(Self::Luks2(there))) = (&mut *self, Self::read(storage)) {
            // A forged number near the last one would leave none for later.
            let newer = Some(there.binary.sequence).filter(|number| *number < 1 << 63);
            header.binary.sequence = header.binary.sequence.max(newer.unwrap_or(0));
        }
        copy(backup, storage, from..to)?;
        storage.sync()?;
        self.slots_mut().store(storage, random)
    }

    /// Repairs the header on `storage`, and returns what was repaired. In LUKS2, a copy that is damaged or old is written again from the other one. In
    /// LUKS1, fields of key slots get the values that every program gives them. If nothing is wrong, nothing is written. What has taken the volume's
    /// place ([`Error::Replaced`]) is overwritten only with `replaced`.
    pub fn repair(storage: &dyn WriteAt, replaced: bool, random: &Rng) -> Result<Vec<String>, Error> {
        if storage::read(storage, 0, storage.size()?.min(8) as usize)? == luks1::MAGIC {
            return luks1::Header::repair(storage, random);
        }
        let mut header = Self::read(storage)?;
        let wrong = header.warnings();
        if let (Some(what), false) = (header.replaced(), replaced) {
            return Err(Error::Replaced(what));
        }
        if !wrong.is_empty() {
            header.slots_mut().store(storage, random)?;
        }
        Ok(wrong)
    }

    /// The key of the volume, from the slot that is named, or from the first slot that the passphrase opens. `storage` has the header.
    pub fn unlock(
        &self,
        storage: &dyn ReadAt,
        passphrase: &[u8],
        slot: Option<u32>,
        limits: &Limits,
    ) -> Result<Unlocked, Error> {
        match self.reencryption() {
            Some((header, reencryption)) => reencrypt::unlock(header, &reencryption, storage, passphrase, slot, limits),
            None => keyslots::unlock(self.slots(), storage, passphrase, slot, &mut Budget::new(limits)),
        }
    }

    /// Whether a program has to know more than LUKS2 to write the volume: a reencryption is under way, or there is what is unknown here.
    pub fn requires(&self) -> bool {
        matches!(self, Self::Luks2(header) if !header.metadata.config.requirements.mandatory.is_empty())
    }

    /// The reencryption that is under way, if any.
    pub fn reencryption(&self) -> Option<(&luks2::Header, luks2::Reencryption)> {
        match self {
            Self::Luks1(_) => None,
            Self::Luks2(header) => header.metadata.reencryption().map(|reencryption| (&**header, reencryption)),
        }
    }

    /// The volume on `storage`, as [`Self::open`] opens it, but also if it is under reencryption. `headed` is the device of a detached header. If a zone was
    /// cut off while it was rewritten, the volume can only be read.
    pub fn open_with<S: ReadAt>(
        &self,
        storage: S,
        headed: Option<&dyn ReadAt>,
        unlocked: &Unlocked,
    ) -> Result<Volume<S>, Error> {
        match self.reencryption() {
            Some((header, reencryption)) => reencrypt::open(header, &reencryption, storage, headed, unlocked),
            // A slot that was named may hold another key than that of the data.
            None if unlocked.slot.is_some_and(|slot| !self.slots().bound().contains(&slot)) => Err(Error::WrongKey),
            None => self.open(storage, &unlocked.key),
        }
    }

    /// Checks a key that did not come from a key slot, and returns it if it is the volume's.
    pub fn verify(&self, key: Key, limits: &Limits) -> Result<Unlocked, Error> {
        match self.slots().digest()?.tells(&key, limits)? {
            true => Ok(Unlocked { slot: None, key, other: None }),
            false => Err(Error::WrongKey),
        }
    }

    /// An error if the header on `storage` is not this one any more.
    pub(crate) fn refuse_changed(&self, storage: &dyn ReadAt) -> Result<(), Error> {
        match self {
            Self::Luks1(header) if **header == luks1::Header::read(storage)? => Ok(()),
            Self::Luks1(_) => Err(Error::Changed),
            Self::Luks2(header) => header.refuse_changed(storage),
        }
    }

    /// Adds a key slot with the key that was unlocked, and returns the slot's number. `storage` has the header. If that is another one than was read
    /// ([`Error::Changed`]), nothing is written, here and wherever a header is changed.
    pub fn add_key(
        &mut self,
        storage: &dyn WriteAt,
        unlocked: &Unlocked,
        new: &NewKey<'_>,
        random: &Rng,
    ) -> Result<u32, Error> {
        self.refuse_changed(storage)?;
        let slot = keyslots::prepare(self.slots(), unlocked.key.bytes().len(), new, random)?;
        keyslots::add(self.slots_mut(), storage, unlocked, slot, random)
    }

    /// Replaces the key slot that was unlocked by a new one, and returns the new slot's number, which in LUKS2 is the old number. The old passphrase
    /// then opens nothing. For a while there are both slots, so that one of the passphrases opens the volume whatever fails. So a slot has to be free.
    pub fn change_key(
        &mut self,
        storage: &dyn WriteAt,
        unlocked: &Unlocked,
        new: &NewKey<'_>,
        random: &Rng,
    ) -> Result<u32, Error> {
        self.refuse_changed(storage)?;
        keyslots::change(self.slots_mut(), storage, unlocked, new, random)
    }

    /// Overwrites a key slot and removes it. The last slot is removed only with `last`.
    pub fn remove_key(&mut self, storage: &dyn WriteAt, slot: u32, last: bool, random: &Rng) -> Result<(), Error> {
        self.refuse_changed(storage)?;
        keyslots::remove(self.slots_mut(), storage, slot, last, random)
    }

    /// An error if no key opens the volume on `storage`: it needs what is not supported, the device ends before its data, or its tags are not laid
    /// out as the header says. So nobody is asked for a passphrase in vain.
    pub fn openable(&self, storage: &dyn ReadAt) -> Result<(), Error> {
        match self {
            Self::Luks1(header) => header.spec().map(drop),
            Self::Luks2(header) => header.openable(storage),
        }?;
        if self.reencryption().is_none() {
            rest(storage.size()?, self.data_offset())?;
        }
        Ok(())
    }

    /// The volume on `storage`, which is the device of the data: that of the header, unless the header is detached.
    pub fn open<S: ReadAt>(&self, storage: S, key: &dyn VolumeKey) -> Result<Volume<S>, Error> {
        match self {
            Self::Luks1(header) => header.open(storage, key),
            Self::Luks2(header) => header.open(storage, key),
        }
    }

    /// The volume on `storage`, to be written for the first time: one with tags without its journal, as there is nothing to lose yet.
    pub fn open_without_journal<S: ReadAt>(&self, storage: S, key: &dyn VolumeKey) -> Result<Volume<S>, Error> {
        let mut header = self.clone();
        if let Self::Luks2(luks2) = &mut header {
            luks2.metadata.config.flags.push(luks2::NO_JOURNAL.to_owned());
        }
        header.open(storage, key)
    }

    /// What has taken the volume's place, if anything has: see [`luks2::Copies::Replaced`].
    pub fn replaced(&self) -> Option<&'static str> {
        match self {
            Self::Luks2(header) => header.replaced(),
            Self::Luks1(_) => None,
        }
    }

    /// What a user should know about the header, a line for each.
    pub fn warnings(&self) -> Vec<String> {
        let header = match self {
            Self::Luks1(header) => return header.warnings(),
            Self::Luks2(header) => header,
        };
        match &header.copies {
            luks2::Copies::Both => Vec::new(),
            luks2::Copies::First(reason) => vec![format!("the second LUKS2 header is not used: {reason}")],
            luks2::Copies::Second(reason) => vec![format!("the first LUKS2 header is not used: {reason}")],
            luks2::Copies::Replaced(what) => {
                vec![format!("the first LUKS2 header is not used: {what} has taken its place")]
            }
        }
    }
}

fn copy(from: &dyn ReadAt, to: &dyn WriteAt, range: std::ops::Range<u64>) -> Result<(), Error> {
    const CHUNK: u64 = 1 << 20;
    for at in range.clone().step_by(CHUNK as usize) {
        to.write_at(at, &storage::read(from, at, (range.end - at).min(CHUNK) as usize)?)?;
    }
    Ok(())
}

/// The name of an encrypted volume of another kind, which its first bytes show.
fn other_kind(start: &[u8]) -> Option<&'static str> {
    let at = |offset: usize, magic: &[u8]| start.get(offset..).is_some_and(|rest| rest.starts_with(magic));
    // The OEM identifier of the boot sector.
    if at(3, b"-FVE-FS-") || at(3, b"MSWIN4.1") && at(0x1a8, b"\x3b\xd6\x67\x49\x29\x2e\xd8\x4a") {
        Some("BitLocker")
    } else if at(88, b"CS") && start.get(8..10) == Some(&[1, 0]) {
        Some("FileVault (CoreStorage)")
    } else {
        None
    }
}
