//! A decrypted header, and the volume that it describes.

use super::{
    Options, Place,
    table::{CHAINS, Chain, Mode},
};
use crate::{
    Error, Key, Limits, ReadAt, Volume,
    crypt::UNIT,
    lookup,
    volume::{Extent, Form, rest},
};
use std::fmt;

/// The length of the salt in bytes, before the encrypted bytes.
pub(super) const SALT: usize = 64;

/// The number of encrypted bytes.
pub(super) const ENCRYPTED: usize = 448;

/// The place of the keys among the encrypted bytes, and that of the checksum of everything before the checksum.
const KEYS: usize = 192;
const CHECKSUM: usize = 188;

/// The number of bytes behind the data of a hidden volume of old versions: its header and what follows.
const OLD_HIDDEN: u64 = 1536;

/// A header that has been decrypted.
pub struct Header {
    /// Whether it is VeraCrypt's.
    pub veracrypt: bool,
    /// The version of the header's format.
    pub version: u16,
    /// The version of the program that is needed.
    pub required: u16,
    /// The size in bytes of a sector of the device on which the volume was made. Sectors that are encrypted have 512 bytes all the same.
    pub sector_size: u32,
    /// Where the data begins, in bytes.
    pub data_offset: u64,
    /// Bytes of a hidden volume; 0 in the header of others.
    pub hidden_size: u64,
    /// Bytes of the volume.
    pub volume_size: u64,
    /// The number of bytes that are encrypted with the header's keys.
    pub encrypted_size: u64,
    /// The hash of the key derivation, by cryptsetup's name.
    pub hash: &'static str,
    chain: &'static Chain,
    keys: Key,
    place: Place,
}

impl fmt::Debug for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Header({} {})", self.hash, self.cipher())
    }
}

impl Header {
    /// Tries to open the header with all combinations of hashes and ciphers that `options` leaves.
    pub fn unlock(storage: &dyn ReadAt, options: &Options<'_>, limits: &Limits) -> Result<Self, Error> {
        super::unlock(storage, options, limits)
    }

    /// A header that was decrypted elsewhere, with a chain of ciphers by its place in the table: for tests of what follows.
    #[doc(hidden)]
    pub fn decrypted(text: &[u8; ENCRYPTED], place: Place, chain: usize) -> Option<Self> {
        let options =
            Options { passphrase: b"", keyfiles: &[], place, veracrypt: true, pim: None, hash: None, cipher: None };
        Self::parse(text, &options, "sha512", CHAINS.get(chain)?)
    }

    /// The fields of a decrypted header; none if the magic number or a checksum is wrong.
    pub(super) fn parse(text: &[u8], options: &Options<'_>, hash: &'static str, chain: &'static Chain) -> Option<Self> {
        let short = |at: usize| u16::from_be_bytes([text[at], text[at + 1]]);
        let word = |at: usize| u32::from_be_bytes(std::array::from_fn(|i| text[at + i]));
        let long = |at: usize| u64::from_be_bytes(std::array::from_fn(|i| text[at + i]));
        let veracrypt = match &text[..4] {
            b"TRUE" => false,
            b"VERA" if options.veracrypt => true,
            _ => return None,
        };
        let version = short(4);
        // Up to version 3, the header has no checksum over its first fields.
        if word(8) != crc32(&text[KEYS..])? || version > 3 && word(CHECKSUM) != crc32(&text[..CHECKSUM])? {
            return None;
        }
        let or_unit = |number: u64| if number == 0 { UNIT } else { number };
        Some(Self {
            veracrypt,
            version,
            required: short(6),
            sector_size: or_unit(u64::from(word(64))) as u32,
            data_offset: or_unit(long(44)),
            hidden_size: long(28),
            volume_size: long(36),
            encrypted_size: long(52),
            hash,
            chain,
            keys: Key::new(text[KEYS..].to_vec()),
            place: options.place,
        })
    }

    /// The ciphers, of which the first encrypts first.
    pub fn cipher(&self) -> String {
        self.chain.name()
    }

    /// The mode and the IV, by cryptsetup's name.
    pub fn mode(&self) -> &'static str {
        self.chain.mode_name()
    }

    /// Bytes of key.
    pub fn key_size(&self) -> usize {
        self.chain.key_size()
    }

    /// The volume on `storage`.
    pub fn open<S: ReadAt>(&self, storage: S) -> Result<Volume<S>, Error> {
        if !u64::from(self.sector_size).is_multiple_of(UNIT) {
            return Err(Error::Unsupported { what: format!("a volume with sectors of {} bytes", self.sector_size) });
        }
        let size = storage.size()?;
        let hidden = matches!(self.place, Place::Hidden | Place::HiddenBackup);
        let offset = self.offset(hidden, size)?;
        let room = rest(size - size % UNIT, offset)?;
        let len = match self.place {
            Place::System => self.encrypted_size,
            _ if hidden => self.hidden_size,
            _ => self.volume_size,
        };
        // Old headers do not say a size: the volume reaches to the end.
        let len = if len == 0 { room } else { len };
        let number = match self.chain.mode {
            Mode::Xts => offset,
            Mode::Lrw => 0,
            Mode::Cbc | Mode::OuterCbc => self.data_offset,
        };
        let cipher = self.chain.sectors(self.keys.bytes())?;
        let extent = Extent { offset, len: len - len % UNIT, iv_offset: number / UNIT, form: Form::Encrypted(cipher) };
        Volume::new(storage, vec![extent])
    }

    fn offset(&self, hidden: bool, size: u64) -> Result<u64, Error> {
        let offset = match self.chain.mode {
            _ if self.place == Place::System => self.data_offset,
            Mode::Xts if self.version < 3 => UNIT,
            Mode::Xts if self.version > 3 => self.data_offset,
            // The data of an old hidden volume ends before its header.
            _ if hidden => {
                size.checked_sub(OLD_HIDDEN).and_then(|end| end.checked_sub(self.hidden_size)).ok_or_else(|| {
                    Error::damaged(
                        "device",
                        format!("{} bytes of a hidden volume, and the device has {size}", self.hidden_size),
                    )
                })?
            }
            _ => self.data_offset,
        };
        Ok(offset - offset % UNIT)
    }
}

/// CRC-32 as in zip files.
fn crc32(bytes: &[u8]) -> Option<u32> {
    let sum = lookup::seeded("crc32", &[0xff; 4]).ok()?.digest(bytes);
    Some(!u32::from_le_bytes(*sum.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::Memory;

    /// A header of VeraCrypt with the right checksums, before `spoil`: the hidden volume has 1 sector, the volume 2, and 3 are encrypted.
    fn header(version: u8, place: Place, spoil: impl Fn(&mut [u8; ENCRYPTED])) -> Option<Header> {
        let mut text: [u8; ENCRYPTED] = std::array::from_fn(|i| if i < KEYS { 0 } else { i as u8 });
        text[..4].copy_from_slice(b"VERA");
        text[5] = version;
        for (at, number) in [(28, 512u64), (36, 1024), (44, 4096), (52, 1536)] {
            text[at..at + 8].copy_from_slice(&number.to_be_bytes());
        }
        let sum = crc32(&text[KEYS..])?;
        text[8..12].copy_from_slice(&sum.to_be_bytes());
        let sum = crc32(&text[..CHECKSUM])?;
        text[CHECKSUM..KEYS].copy_from_slice(&sum.to_be_bytes());
        spoil(&mut text);
        Header::decrypted(&text, place, 0)
    }

    #[test]
    fn both_checksums_count() {
        assert!(header(5, Place::Standard, |_| {}).is_some());
        assert!(header(5, Place::Standard, |text| text[KEYS] ^= 1).is_none());
        assert!(header(5, Place::Standard, |text| text[47] ^= 1).is_none());
        assert!(header(3, Place::Standard, |text| text[47] ^= 1).is_some());
    }

    #[test]
    fn each_place_has_its_length() {
        for (place, size) in
            [(Place::Standard, 1024), (Place::Hidden, 512), (Place::HiddenBackup, 512), (Place::System, 1536)]
        {
            let volume = header(5, place, |_| {}).unwrap().open(Memory::new(vec![0; 1 << 16])).unwrap();
            assert_eq!(volume.size().unwrap(), size, "{place:?}");
        }
    }
}
