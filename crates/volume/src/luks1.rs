//! LUKS1: one header of 592 bytes, eight key slots, numbers big-endian ("LUKS On-Disk Format Specification", version 1.2.3, section 4.1).

use crate::{
    CipherSpec, Error, Kdf, Key, ReadAt, SectorCipher, Volume, VolumeKey, WriteAt,
    crypt::UNIT,
    format::Options,
    keyslots::Keyslots,
    slot::{self, KeyDigest, KeySlot, MAX_KEY, STRIPES},
    storage,
    volume::{Extent, Form, rest},
};
use algkit::Rng;
use std::ops::Range;

/// Bytes of the header.
const HEADER: usize = 592;

/// The magic number and the version.
pub(crate) const MAGIC: &[u8] = b"LUKS\xba\xbe\x00\x01";

/// The number of key slots.
pub const SLOTS: usize = 8;

/// The first field of a key slot says whether the slot is in use.
pub(crate) const ENABLED: u32 = 0x00ac_71f3;
const DISABLED: u32 = 0x0000_dead;

/// The first byte that an area of a key slot may have: behind the header's last sector.
pub(crate) const FIRST_AREA: u64 = 2 * UNIT;

/// In a new volume, areas and the data begin at multiples of these numbers of bytes, as in cryptsetup.
const ALIGNMENT: u64 = 4096;
const DATA_ALIGNMENT: u64 = 1 << 20;

/// Iterations for the digest of a new volume's key. Nobody can guess a random key, so the digest need not be slow.
const DIGEST_ITERATIONS: u32 = 1000;

/// The length in bytes of the digest of the volume's key.
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
    /// The digest of the volume's key, made by PBKDF2.
    pub digest: [u8; DIGEST],
    /// The salt of the digest.
    pub salt: [u8; 32],
    /// The iterations of the digest.
    pub iterations: u32,
    /// The volume's UUID.
    pub uuid: String,
    /// The key slots.
    pub slots: [Slot; SLOTS],
}

/// A key slot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slot {
    /// Whether it is in use: [`Slot::is_enabled`], [`Slot::is_free`], or, if it is damaged, neither.
    pub state: u32,
    /// Iterations of PBKDF2.
    pub iterations: u32,
    /// The salt.
    pub salt: [u8; 32],
    /// The place of the stripes, in sectors of 512 bytes.
    pub offset: u32,
    /// The number of stripes.
    pub stripes: u32,
}

impl Slot {
    /// Whether it holds the key.
    pub fn is_enabled(&self) -> bool {
        self.state == ENABLED
    }

    /// Whether there is room in it for a key.
    pub fn is_free(&self) -> bool {
        self.state == DISABLED
    }
}

impl Default for Slot {
    fn default() -> Self {
        Self { state: DISABLED, iterations: 0, salt: [0; 32], offset: 0, stripes: STRIPES }
    }
}

impl Header {
    /// Reads and checks the header at the beginning of `storage`.
    pub(crate) fn read(storage: &dyn ReadAt) -> Result<Self, Error> {
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
        let word = |at: usize| word(bytes, at);
        let salt = |at: usize| std::array::from_fn(|i| bytes[at + i]);
        let field = |at: usize, len: usize, name: &str| {
            let field = &bytes[at..at + len];
            let end = field.iter().position(|byte| *byte == 0).ok_or(format!("its {name} does not end"))?;
            Ok::<_, String>(field[..end].to_vec())
        };
        let text = |at: usize, len: usize, name: &str| {
            String::from_utf8(field(at, len, name)?).map_err(|_| format!("its {name} is not UTF-8"))
        };
        let mut slots = Vec::with_capacity(SLOTS);
        for number in 0..SLOTS {
            let at = 208 + 48 * number;
            slots.push(Slot {
                state: word(at),
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
            // Nothing depends on it, so a flipped bit there keeps nobody from the data.
            uuid: String::from_utf8_lossy(&field(168, 40, "UUID")?).replace(char::REPLACEMENT_CHARACTER, "?"),
            slots: slots.try_into().map_err(|_| "it has not eight key slots")?,
        })
    }

    pub(crate) fn check(&self, size: u64) -> Result<(), String> {
        if !(1..=MAX_KEY).contains(&self.key_size) {
            return Err(format!("a key of {} bytes", self.key_size));
        }
        if self.iterations == 0 {
            return Err("0 iterations".to_owned());
        }
        let mut areas = Vec::new();
        for (number, slot) in (0..).zip(&self.slots) {
            if slot.stripes != STRIPES {
                return Err(format!("key slot {number}: {} stripes; expected {STRIPES}", slot.stripes));
            }
            let area = self.area(slot);
            if area.start < FIRST_AREA {
                return Err(format!("key slot {number}: its area at byte {} is inside the header", area.start));
            }
            let data = self.data_offset();
            if data != 0 && area.end > data {
                return Err(format!("key slot {number}: its area ends at byte {}, inside the data", area.end));
            }
            if slot.is_enabled() && area.end > size {
                return Err(format!(
                    "key slot {number}: its area ends at byte {}, and the device has {size}",
                    area.end
                ));
            }
            areas.push((area, number));
        }
        slot::check_apart(areas)
    }

    /// The bytes that the stripes of a slot take, in whole sectors.
    pub(crate) fn area(&self, slot: &Slot) -> Range<u64> {
        let start = u64::from(slot.offset) * UNIT;
        start..start + (u64::from(self.key_size) * u64::from(slot.stripes)).next_multiple_of(UNIT)
    }

    /// The cipher string.
    pub fn spec(&self) -> Result<CipherSpec, Error> {
        CipherSpec::parse(&format!("{}-{}", self.cipher, self.mode))
    }

    /// The length in bytes of the header and the areas of all slots.
    pub(crate) fn size(&self) -> u64 {
        let end = self.slots.iter().map(|slot| self.area(slot).end).max();
        end.unwrap_or(FIRST_AREA).next_multiple_of(ALIGNMENT)
    }

    pub(crate) fn data_offset(&self) -> u64 {
        u64::from(self.payload_offset) * UNIT
    }

    /// Gives the slots that are not in use places between the others, before byte `data`. A detached header has `data` 0, which sets no limit.
    pub(crate) fn place_unused(&mut self, data: u64) -> Result<(), Error> {
        let size = u64::from(self.key_size) * u64::from(STRIPES);
        let mut taken: Vec<_> =
            self.slots.iter().filter(|slot| slot.is_enabled()).map(|slot| self.area(slot)).collect();
        for number in 0..SLOTS {
            if self.slots[number].is_enabled() {
                continue;
            }
            taken.sort_by_key(|area| area.start);
            let mut at = ALIGNMENT;
            for area in &taken {
                if area.start >= at + size {
                    break;
                }
                at = at.max(area.end.next_multiple_of(ALIGNMENT));
            }
            let offset = u32::try_from(at / UNIT).ok().filter(|_| data == 0 || at + size <= data);
            self.slots[number].offset = offset.ok_or(Error::NoRoom { size })?;
            taken.push(self.area(&self.slots[number]));
        }
        Ok(())
    }

    pub(crate) fn kdf(&self, iterations: u32, salt: [u8; 32]) -> Kdf {
        Kdf::Pbkdf2 { hash: self.hash.clone(), iterations, salt: salt.to_vec() }
    }

    /// A header without key slots, for a volume with this key.
    pub(crate) fn new(options: &Options, key: &Key, random: &Rng) -> Result<Self, Error> {
        let refused = |reason: String| Error::damaged("the new header", reason);
        let Kdf::Pbkdf2 { hash, .. } = &options.kdf else { return Err(no_kdf()) };
        if u64::from(options.sector_size) != UNIT {
            return Err(refused(format!("LUKS1 has sectors of {UNIT} bytes")));
        }
        // The specification calls what stands before the first hyphen the cipher's name, and what stands behind it the mode.
        let text = options.cipher.to_string();
        let (cipher, mode) = text.split_once('-').ok_or_else(|| refused(format!("`{text}` has no mode")))?;
        let (first, slot_units) = layout(options.key_size as u64);
        let data = Self::new_data_offset(options.key_size);
        let mut salt = [0; 32];
        random.generate(&[], &mut salt)?;
        let mut header = Self {
            cipher: cipher.to_owned(),
            mode: mode.to_owned(),
            hash: hash.clone(),
            payload_offset: (data / UNIT) as u32,
            key_size: options.key_size as u32,
            digest: [0; DIGEST],
            salt,
            iterations: DIGEST_ITERATIONS,
            uuid: options.uuid(random)?,
            slots: std::array::from_fn(|number| Slot {
                offset: (first + number as u64 * slot_units) as u32,
                ..Slot::default()
            }),
        };
        let digest = header.kdf(DIGEST_ITERATIONS, salt).key(key.bytes(), DIGEST)?;
        header.digest.copy_from_slice(digest.bytes());
        header.bytes().map_err(refused)?;
        header.check(data + UNIT).map_err(refused)?;
        Ok(header)
    }

    /// Where the data of a new volume begins whose key has so many bytes.
    pub(crate) fn new_data_offset(key_size: usize) -> u64 {
        let (first, slot_units) = layout(key_size as u64);
        ((first + SLOTS as u64 * slot_units) * UNIT).next_multiple_of(DATA_ALIGNMENT)
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
            put(at, &slot.state.to_be_bytes());
            put(at + 4, &slot.iterations.to_be_bytes());
            put(at + 8, &slot.salt);
            put(at + 40, &slot.offset.to_be_bytes());
            put(at + 44, &slot.stripes.to_be_bytes());
        }
        Ok(bytes)
    }

    /// The volume on `storage`, which is the device of the data, with its key.
    pub(crate) fn open<S: ReadAt>(&self, storage: S, key: &dyn VolumeKey) -> Result<Volume<S>, Error> {
        let offset = self.data_offset();
        let rest = rest(storage.size()?, offset)?;
        let form = Form::Encrypted(SectorCipher::new(&self.spec()?, key, UNIT as usize)?);
        Volume::new(storage, vec![Extent { offset, len: rest - rest % UNIT, iv_offset: 0, form }])
    }
}

/// The number at byte `at` of a header.
fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(std::array::from_fn(|i| bytes[at + i]))
}

/// The place of the first area, and the distance from one area to the next, in sectors. They are the same in every program, so they are known
/// without the header.
fn layout(key_size: u64) -> (u64, u64) {
    (ALIGNMENT / UNIT, (u64::from(STRIPES) * key_size).next_multiple_of(ALIGNMENT) / UNIT)
}

impl Header {
    /// What is wrong with the key slots, a line for each.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let damaged = |slot: &Slot| !slot.is_enabled() && !slot.is_free();
        let damaged = self.slots.iter().enumerate().filter(|(_, slot)| damaged(slot));
        damaged
            .map(|(number, _)| format!("key slot {number} is not used: it is neither enabled nor disabled"))
            .collect()
    }

    /// Repairs the key slots of a damaged header. A slot that is neither enabled nor disabled is enabled if it has a salt: at worst, no passphrase opens
    /// it. The number of stripes is set to the usual one. If the header is still wrong, so are the places of as few slots as make it right, if possible
    /// of slots that are not in use: in a header that was LUKS2, good places are not the usual ones.
    pub(crate) fn repair(storage: &dyn WriteAt, random: &Rng) -> Result<Vec<String>, Error> {
        let size = storage.size()?;
        let bytes = storage::read(storage, 0, size.min(HEADER as u64) as usize)?;
        if bytes.len() < HEADER {
            return Self::read(storage).map(|_| Vec::new());
        }
        let enabled = |number: &usize| Self::state(&bytes, 208 + 48 * number) == ENABLED;
        let in_use = (0..SLOTS).filter(enabled).fold(0u8, |set, number| set | 1 << number);
        let mut places: Vec<u8> = (0..=u8::MAX).collect();
        places.sort_by_key(|places| ((places & in_use).count_ones(), places.count_ones()));
        for places in places {
            let (bytes, mended) = Self::mended(bytes.clone(), places);
            if let Ok(mut header) = Self::parse(&bytes)
                && header.check(size).is_ok()
            {
                if !mended.is_empty() {
                    header.store(storage, random)?;
                }
                return Ok(mended);
            }
        }
        // Outside of the key slots, nothing says what the right bytes are.
        Self::read(storage).map(|_| Vec::new())
    }

    /// The state of the key slot that begins at byte `at`, or its likely state.
    fn state(bytes: &[u8], at: usize) -> u32 {
        let has_salt = bytes[at + 8..at + 40].iter().any(|byte| *byte != 0);
        match word(bytes, at) {
            state @ (ENABLED | DISABLED) => state,
            _ if has_salt && word(bytes, at + 4) > 0 => ENABLED,
            _ => DISABLED,
        }
    }

    /// The header with the usual values in its key slots, for the places of those slots that are bits of `places`, and the names of the fields that were
    /// changed.
    fn mended(mut bytes: Vec<u8>, places: u8) -> (Vec<u8>, Vec<String>) {
        let (first, units) = layout(u64::from(word(&bytes, 108).min(MAX_KEY)));
        let mut mended = Vec::new();
        for number in 0..SLOTS {
            let at = 208 + 48 * number;
            let state = Self::state(&bytes, at);
            let place = match places >> number & 1 {
                0 => word(&bytes, at + 40),
                _ => (first + number as u64 * units) as u32,
            };
            for (field, value, name) in [(0, state, "state"), (40, place, "place"), (44, STRIPES, "stripes")] {
                if word(&bytes, at + field) != value {
                    bytes[at + field..at + field + 4].copy_from_slice(&value.to_be_bytes());
                    mended.push(format!("key slot {number}: its {name}"));
                }
            }
        }
        (bytes, mended)
    }
}

/// The error that LUKS1 does not have the key derivation function.
fn no_kdf() -> Error {
    Error::damaged("the new key slot", "LUKS1 has no other key derivation than pbkdf2")
}

impl Header {
    pub(crate) fn place(&self, slot: &Slot) -> Result<slot::Area, Error> {
        let Range { start, end } = self.area(slot);
        let key_size = self.key_size as usize;
        Ok(slot::Area {
            offset: start,
            size: end - start,
            cipher: self.spec()?,
            cipher_key: key_size,
            key_size,
            hash: self.hash.clone(),
        })
    }

    fn in_use(&self, number: u32) -> Result<&Slot, Error> {
        self.slots.get(number as usize).filter(|slot| slot.is_enabled()).ok_or(Error::NoSlot(number))
    }
}

impl Keyslots for Header {
    fn bound(&self) -> Vec<u32> {
        (0u32..).zip(&self.slots).filter(|(_, slot)| slot.is_enabled()).map(|(number, _)| number).collect()
    }

    fn slot(&self, number: u32) -> Result<KeySlot, Error> {
        let slot = self.in_use(number)?;
        Ok(KeySlot { kdf: Ok(self.kdf(slot.iterations, slot.salt)), area: self.place(slot)?, digest: self.digest()? })
    }

    fn digest(&self) -> Result<KeyDigest, Error> {
        Ok(KeyDigest { kdf: self.kdf(self.iterations, self.salt), digest: self.digest.to_vec() })
    }

    fn writable(&self) -> Result<(), Error> {
        Ok(())
    }

    fn free(&self, number: Option<u32>, _: usize, kdf: &Kdf, _: &str) -> Result<(u32, slot::Area), Error> {
        if !matches!(kdf, Kdf::Pbkdf2 { hash, .. } if *hash == self.hash) {
            return Err(match kdf {
                Kdf::Pbkdf2 { .. } => {
                    Error::damaged("the new key slot", format!("the hash of this header is {}", self.hash))
                }
                Kdf::Argon2 { .. } => no_kdf(),
            });
        }
        let is_free = |number: &u32| self.slots.get(*number as usize).is_some_and(Slot::is_free);
        let found = match number {
            Some(number) => Some(number).filter(is_free),
            None => (0..SLOTS as u32).find(is_free),
        };
        let number = found.ok_or(Error::NoFreeSlot { asked: number, slots: SLOTS })?;
        Ok((number, self.place(&self.slots[number as usize])?))
    }

    fn enter(&mut self, number: u32, _: &slot::Area, kdf: &Kdf, _: Option<u32>) -> Result<(), Error> {
        let Kdf::Pbkdf2 { iterations, salt, .. } = kdf else { return Err(no_kdf()) };
        let slot = &mut self.slots[number as usize];
        (slot.state, slot.iterations) = (ENABLED, *iterations);
        slot.salt.copy_from_slice(salt);
        Ok(())
    }

    fn remove(&mut self, number: u32) -> Result<(), Error> {
        self.in_use(number)?;
        let slot = &mut self.slots[number as usize];
        *slot = Slot { offset: slot.offset, ..Slot::default() };
        Ok(())
    }

    fn supersede(&mut self, old: u32, new: u32) -> Result<u32, Error> {
        self.remove(old).map(|()| new)
    }

    /// The header has two sectors and no checksum. The second sector is written first; the first sector, which has the magic number and the marks of
    /// slots 0 to 6, is written last. Half of slot 6's salt is in the second sector: nothing uses it until the first sector marks the slot as in use.
    fn store(&mut self, storage: &dyn WriteAt, _: &Rng) -> Result<(), Error> {
        let bytes = self.bytes().map_err(|reason| Error::damaged("the new header", reason))?;
        let (first, second) = bytes.split_at(UNIT as usize);
        for (offset, sector) in [(UNIT, second), (0, first)] {
            storage.write_at(offset, sector)?;
            storage.sync()?;
        }
        Ok(())
    }
}
