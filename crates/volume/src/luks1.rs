//! LUKS1: one header of 592 bytes, eight key slots, numbers big-endian ("LUKS On-Disk Format Specification", version 1.2.3, section 4.1).

use crate::{
    CipherSpec, Error, Kdf, Key, Limits, ReadAt, SectorCipher, Unlocked, Volume, VolumeKey, WriteAt,
    crypt::UNIT,
    format::{Options, wipe},
    kdf::pbkdf2,
    slot::Area,
    storage,
    volume::Extent,
};
use algkit::Rng;
use std::ops::Range;
use subtle::ConstantTimeEq;

/// Bytes of the header.
const HEADER: usize = 592;

/// The magic number and the version.
pub(crate) const MAGIC: &[u8] = b"LUKS\xba\xbe\x00\x01";

/// Key slots.
pub const SLOTS: usize = 8;

/// A slot that is in use begins with this number, one that is not with the other.
const ENABLED: u32 = 0x00ac_71f3;
const DISABLED: u32 = 0x0000_dead;

/// The longest key, in bytes.
const MAX_KEY: u32 = 512;

/// The stripes of every key slot.
const STRIPES: u32 = 4000;

/// Where areas begin, and where the data of a new volume begins: multiples of so many bytes, as in cryptsetup.
const ALIGNMENT: u64 = 4096;
const DATA_ALIGNMENT: u64 = 1 << 20;

/// Iterations for the digest of a new volume's key. The key is random: none has to be slowed down who guesses.
const DIGEST_ITERATIONS: u32 = 1000;

/// Bytes that PBKDF2 makes of the volume's key.
const DIGEST: usize = 20;

/// A header, checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    /// The cipher, as `aes`.
    pub cipher: String,
    /// Its mode and IV, as `xts-plain64`.
    pub mode: String,
    /// The hash of PBKDF2 and of the splitter.
    pub hash: String,
    /// Where the data begins, in sectors of 512 bytes. 0 in a detached header.
    pub payload_offset: u32,
    /// Bytes of the volume's key.
    pub key_size: u32,
    /// What PBKDF2 makes of the volume's key.
    pub digest: [u8; DIGEST],
    /// The salt for that.
    pub salt: [u8; 32],
    /// The iterations for that.
    pub iterations: u32,
    /// The volume's UUID.
    pub uuid: String,
    /// The key slots.
    pub slots: [Slot; SLOTS],
}

/// A key slot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slot {
    /// Whether it holds the key.
    pub enabled: bool,
    /// Iterations of PBKDF2.
    pub iterations: u32,
    /// The salt.
    pub salt: [u8; 32],
    /// Where the stripes are, in sectors of 512 bytes.
    pub offset: u32,
    /// How many stripes.
    pub stripes: u32,
}

impl Header {
    /// Reads and checks the header at the beginning of `storage`.
    pub fn read(storage: &(impl ReadAt + ?Sized)) -> Result<Self, Error> {
        let size = storage.size()?;
        let bytes = storage::read(storage, 0, size.min(HEADER as u64) as usize)?;
        if !bytes.starts_with(MAGIC) {
            return Err(Error::NoHeader);
        }
        let damaged = |reason| Error::damaged("LUKS1 header", reason);
        if bytes.len() < HEADER {
            return Err(damaged(format!("it is cut off: the device has {size} bytes")));
        }
        let header = Self::parse(&bytes).map_err(damaged)?;
        header.check(size).map_err(damaged)?;
        Ok(header)
    }

    fn parse(bytes: &[u8]) -> Result<Self, String> {
        let word = |at: usize| u32::from_be_bytes(std::array::from_fn(|i| bytes[at + i]));
        let salt = |at: usize| std::array::from_fn(|i| bytes[at + i]);
        let text = |at: usize, len: usize, name: &str| {
            let field = &bytes[at..at + len];
            let end = field.iter().position(|byte| *byte == 0).ok_or(format!("its {name} does not end"))?;
            String::from_utf8(field[..end].to_vec()).map_err(|_| format!("its {name} is not UTF-8"))
        };
        let mut slots = Vec::with_capacity(SLOTS);
        for number in 0..SLOTS {
            let at = 208 + 48 * number;
            let enabled = match word(at) {
                ENABLED => true,
                DISABLED => false,
                other => return Err(format!("key slot {number} is neither enabled nor disabled: {other:#010x}")),
            };
            slots.push(Slot {
                enabled,
                iterations: word(at + 4),
                salt: salt(at + 8),
                offset: word(at + 40),
                stripes: word(at + 44),
            });
        }
        Ok(Self {
            cipher: text(8, 32, "cipher")?,
            mode: text(40, 32, "mode")?,
            hash: text(72, 32, "hash")?,
            payload_offset: word(104),
            key_size: word(108),
            digest: std::array::from_fn(|i| bytes[112 + i]),
            salt: salt(132),
            iterations: word(164),
            uuid: text(168, 40, "UUID")?,
            slots: slots.try_into().map_err(|_| "it has not eight key slots")?,
        })
    }

    fn check(&self, size: u64) -> Result<(), String> {
        if !(1..=MAX_KEY).contains(&self.key_size) {
            return Err(format!("a key of {} bytes", self.key_size));
        }
        if self.iterations == 0 {
            return Err("0 iterations".to_owned());
        }
        let mut areas = Vec::new();
        for (number, slot) in self.slots.iter().enumerate() {
            if slot.stripes != STRIPES {
                return Err(format!("key slot {number}: {} stripes; expected {STRIPES}", slot.stripes));
            }
            let area = self.area(slot);
            if area.start < HEADER as u64 {
                return Err(format!("key slot {number}: its area at byte {} is inside the header", area.start));
            }
            let data = u64::from(self.payload_offset) * UNIT;
            if data != 0 && area.end > data {
                return Err(format!("key slot {number}: its area ends at byte {}, inside the data", area.end));
            }
            if slot.enabled && area.end > size {
                return Err(format!(
                    "key slot {number}: its area ends at byte {}, and the device has {size}",
                    area.end
                ));
            }
            areas.push((area, number));
        }
        areas.sort_by_key(|(area, _)| area.start);
        for pair in areas.windows(2) {
            if pair[0].0.end > pair[1].0.start {
                return Err(format!("the areas of key slots {} and {} overlap", pair[0].1, pair[1].1));
            }
        }
        Ok(())
    }

    /// A slot's stripes, in whole sectors.
    fn area(&self, slot: &Slot) -> Range<u64> {
        let start = u64::from(slot.offset) * UNIT;
        start..start + (u64::from(self.key_size) * u64::from(slot.stripes)).next_multiple_of(UNIT)
    }

    /// The cipher string.
    pub fn spec(&self) -> Result<CipherSpec, Error> {
        CipherSpec::parse(&format!("{}-{}", self.cipher, self.mode))
    }

    /// Tries the passphrase on the slot, or on every one in turn.
    pub fn unlock(
        &self,
        storage: &(impl ReadAt + ?Sized),
        passphrase: &[u8],
        slot: Option<u32>,
        limits: &Limits,
    ) -> Result<Unlocked, Error> {
        let is_asked = |number: u32| slot.is_none_or(|slot| slot == number);
        let enabled = (0u32..).zip(&self.slots).filter(|(number, slot)| slot.enabled && is_asked(*number));
        let enabled: Vec<_> = enabled.collect();
        if let (Some(slot), true) = (slot, enabled.is_empty()) {
            return Err(Error::NoSlot(slot));
        }
        let mut answer = Error::WrongPassphrase;
        for (number, slot) in enabled {
            match self.try_slot(storage, slot, passphrase, limits) {
                Ok(Some(key)) => return Ok(Unlocked { slot: number, key }),
                Ok(None) => {}
                Err(error) => answer = error,
            }
        }
        Err(answer)
    }

    fn try_slot(
        &self,
        storage: &(impl ReadAt + ?Sized),
        slot: &Slot,
        passphrase: &[u8],
        limits: &Limits,
    ) -> Result<Option<Key>, Error> {
        let kdf = |iterations, salt: [u8; 32]| Kdf::Pbkdf2 { hash: self.hash.clone(), iterations, salt: salt.to_vec() };
        kdf(self.iterations, self.salt).allowed(limits)?;
        let key_size = self.key_size as usize;
        let derived = kdf(slot.iterations, slot.salt).bounded_key(passphrase, key_size, limits)?;
        let spec = self.spec()?;
        let area = Area { spec: &spec, offset: self.area(slot).start, stripes: slot.stripes, hash: &self.hash };
        let key = area.open(storage, &derived, key_size)?;
        let mut digest = [0; DIGEST];
        pbkdf2(&self.hash, &key, &self.salt, self.iterations, &mut digest)?;
        Ok(bool::from(digest.ct_eq(&self.digest)).then(|| Key::new(key.to_vec())))
    }

    /// Writes a new header with one key slot, and answers with it and the volume's key. Whatever was in its place is lost; the data is not touched.
    ///
    /// What was there goes first, and the header is written last: whoever opens the storage after a failure finds no header, or this one.
    pub fn format(
        storage: &(impl WriteAt + ?Sized),
        options: &Options,
        passphrase: &[u8],
        random: &Rng,
    ) -> Result<(Self, Key), Error> {
        let refused = |reason: String| Error::damaged("the new header", reason);
        let Kdf::Pbkdf2 { hash, iterations, .. } = &options.kdf else {
            return Err(refused("LUKS1 has no other key derivation than pbkdf2".to_owned()));
        };
        if options.sector_size as u64 != UNIT {
            return Err(refused(format!("LUKS1 has sectors of {UNIT} bytes")));
        }
        // The specification's names: what stands before the first hyphen, and what behind it.
        let text = options.cipher.to_string();
        let (cipher, mode) = text.split_once('-').ok_or_else(|| refused(format!("`{text}` has no mode")))?;
        let key = options.new_key(random)?;
        SectorCipher::new(&options.cipher, &key, UNIT as usize)?;
        let mut salts = [[0; 32]; 2];
        salts.iter_mut().try_for_each(|salt| random.generate(&[], salt))?;
        let slot_units = (u64::from(STRIPES) * options.key_size as u64).next_multiple_of(ALIGNMENT) / UNIT;
        let first = ALIGNMENT / UNIT;
        let data = ((first + SLOTS as u64 * slot_units) * UNIT).next_multiple_of(DATA_ALIGNMENT);
        let size = storage.size()?;
        if size < data + UNIT {
            return Err(Error::damaged("device", format!("{size} bytes, and this LUKS1 header takes {data}")));
        }
        let mut digest = [0; DIGEST];
        pbkdf2(hash, key.bytes(), &salts[0], DIGEST_ITERATIONS, &mut digest)?;
        let header = Self {
            cipher: cipher.to_owned(),
            mode: mode.to_owned(),
            hash: hash.clone(),
            payload_offset: (data / UNIT) as u32,
            key_size: options.key_size as u32,
            digest,
            salt: salts[0],
            iterations: DIGEST_ITERATIONS,
            uuid: options.uuid(random)?,
            slots: std::array::from_fn(|number| Slot {
                enabled: number == 0,
                iterations: if number == 0 { *iterations } else { 0 },
                salt: if number == 0 { salts[1] } else { [0; 32] },
                offset: (first + number as u64 * slot_units) as u32,
                stripes: STRIPES,
            }),
        };
        let bytes = header.bytes().map_err(refused)?;
        header.check(size).map_err(refused)?;
        let slot = Kdf::Pbkdf2 { hash: hash.clone(), iterations: *iterations, salt: salts[1].to_vec() };
        let derived = slot.key(passphrase, options.key_size)?;
        let area = Area { spec: &options.cipher, offset: first * UNIT, stripes: STRIPES, hash };
        wipe(storage, data)?;
        area.seal(storage, &derived, &key, random)?;
        storage.sync()?;
        storage.write_at(0, &bytes)?;
        storage.sync()?;
        Ok((header, key))
    }

    /// The header as it is stored.
    fn bytes(&self) -> Result<Vec<u8>, String> {
        let mut bytes = vec![0; HEADER];
        bytes[..8].copy_from_slice(MAGIC);
        for (at, len, text) in
            [(8, 32, &self.cipher), (40, 32, &self.mode), (72, 32, &self.hash), (168, 40, &self.uuid)]
        {
            // The last byte is the zero that ends the text.
            if text.len() >= len || text.contains('\0') {
                return Err(format!("`{text}` is no text of at most {} bytes", len - 1));
            }
            bytes[at..at + text.len()].copy_from_slice(text.as_bytes());
        }
        let mut put = |at: usize, field: &[u8]| bytes[at..at + field.len()].copy_from_slice(field);
        put(104, &self.payload_offset.to_be_bytes());
        put(108, &self.key_size.to_be_bytes());
        put(112, &self.digest);
        put(132, &self.salt);
        put(164, &self.iterations.to_be_bytes());
        for (number, slot) in self.slots.iter().enumerate() {
            let at = 208 + 48 * number;
            put(at, &(if slot.enabled { ENABLED } else { DISABLED }).to_be_bytes());
            put(at + 4, &slot.iterations.to_be_bytes());
            put(at + 8, &slot.salt);
            put(at + 40, &slot.offset.to_be_bytes());
            put(at + 44, &slot.stripes.to_be_bytes());
        }
        Ok(bytes)
    }

    /// The volume on `storage`, which is the device of the data, with its key.
    pub fn open<S: ReadAt>(&self, storage: S, key: &dyn VolumeKey) -> Result<Volume<S>, Error> {
        let device = storage.size()?;
        let offset = u64::from(self.payload_offset) * UNIT;
        let rest = device.checked_sub(offset).filter(|rest| *rest > 0).ok_or_else(|| {
            Error::damaged("device", format!("the data begins at byte {offset}, and the device has {device}"))
        })?;
        let cipher = Some(SectorCipher::new(&self.spec()?, key, UNIT as usize)?);
        Volume::new(storage, vec![Extent { offset, len: rest - rest % UNIT, iv_offset: 0, cipher }])
    }
}
