//! A key slot, which is the same in both versions of LUKS. A key is derived from the passphrase; it decrypts an area; the area's stripes are
//! merged into the volume's key; and a digest confirms that this is the right key.

use crate::{
    CipherSpec, Error, Kdf, Key, Limits, ReadAt, SectorCipher, WriteAt, af, crypt::UNIT, kdf::Budget, storage,
};
use algkit::{Direction, Rng};
use std::ops::Range;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// The number of stripes in every key slot.
pub(crate) const STRIPES: u32 = 4000;

/// The length of the longest key, of a volume or of an area, in bytes.
pub(crate) const MAX_KEY: u32 = 512;

/// An error if areas of key slots overlap, which come with the slots' numbers.
pub(crate) fn check_apart(mut areas: Vec<(Range<u64>, u32)>) -> Result<(), String> {
    areas.sort_by_key(|(area, _)| area.start);
    match areas.windows(2).find(|pair| pair[0].0.end > pair[1].0.start) {
        Some(pair) => Err(format!("the areas of key slots {} and {} overlap", pair[0].1, pair[1].1)),
        None => Ok(()),
    }
}

/// A key slot that is in use.
pub(crate) struct KeySlot {
    /// The name alone of a key derivation that algkit does not have. Such a slot can be removed.
    pub kdf: Result<Kdf, String>,
    pub area: Area,
    pub digest: KeyDigest,
}

impl KeySlot {
    /// The key in the slot, if the passphrase is the slot's.
    pub fn open(&self, storage: &dyn ReadAt, passphrase: &[u8], budget: &mut Budget) -> Result<Option<Key>, Error> {
        let kdf = self
            .kdf
            .as_ref()
            .map_err(|name| Error::Unsupported { what: format!("a key slot with the key derivation `{name}`") })?;
        // Both costs are checked before time goes into one of them.
        budget.take(&self.digest.kdf, self.digest.digest.len())?;
        budget.take(kdf, self.area.cipher_key)?;
        let derived = kdf.bounded_key(passphrase, self.area.cipher_key, &budget.limits)?;
        let key = self.area.open(storage, &derived)?;
        Ok(self.digest.tells(&key, &budget.limits)?.then_some(key))
    }
}

/// The digest that confirms the volume's key.
pub(crate) struct KeyDigest {
    /// PBKDF2, of which the key is the input.
    pub kdf: Kdf,
    /// The output of PBKDF2.
    pub digest: Vec<u8>,
}

impl KeyDigest {
    pub fn tells(&self, key: &Key, limits: &Limits) -> Result<bool, Error> {
        let sum = self.kdf.bounded_key(key.bytes(), self.digest.len(), limits)?;
        Ok(sum.bytes().ct_eq(&self.digest).into())
    }
}

/// The area of a key slot: where the stripes of the key are, and how they are encrypted.
pub(crate) struct Area {
    /// The first byte of the area on the storage.
    pub offset: u64,
    /// The length of the area in bytes.
    pub size: u64,
    /// The cipher of the area.
    pub cipher: CipherSpec,
    /// The length of that cipher's key in bytes.
    pub cipher_key: usize,
    /// The length in bytes of the key that the stripes make.
    pub key_size: usize,
    /// The hash of the splitter.
    pub hash: String,
}

impl Area {
    /// The key that the stripes make, if `derived` is the area's key. With another key, it is other bytes.
    fn open(&self, storage: &dyn ReadAt, derived: &Key) -> Result<Key, Error> {
        let mut sectors = Zeroizing::new(storage::read(storage, self.offset, self.len())?);
        self.crypt(Direction::Decrypt, derived, &mut sectors)?;
        af::merge(&sectors, self.key_size, STRIPES as usize, &self.hash)
    }

    /// Writes the key's stripes.
    pub fn seal(&self, storage: &dyn WriteAt, derived: &Key, key: &Key, random: &Rng) -> Result<(), Error> {
        let (have, end) = (storage.size()?, self.offset + self.size);
        if have < end {
            // Writing would make a file longer, and fail on a block device.
            let reason = format!("the area of the new key slot ends at byte {end}, and the device has {have}");
            return Err(Error::damaged("device", reason));
        }
        let stripes = af::split(key.bytes(), STRIPES as usize, &self.hash, random)?;
        let mut sectors = Zeroizing::new(vec![0; self.len()]);
        sectors[..stripes.len()].copy_from_slice(&stripes);
        self.crypt(Direction::Encrypt, derived, &mut sectors)?;
        storage.write_at(self.offset, &sectors)
    }

    /// Overwrites all of the area.
    pub fn wipe(&self, storage: &dyn WriteAt, random: &Rng) -> Result<(), Error> {
        wipe(storage, self.offset, self.size, random)
    }

    /// The length of the stripes, in whole sectors.
    fn len(&self) -> usize {
        (self.key_size * STRIPES as usize).next_multiple_of(UNIT as usize)
    }

    fn crypt(&self, direction: Direction, derived: &Key, sectors: &mut [u8]) -> Result<(), Error> {
        SectorCipher::new(&self.cipher, derived, UNIT as usize)?.crypt(direction, 0, sectors)
    }
}

/// Overwrites an area with random bytes, so that the key in it is lost. The random bytes are on the storage when this returns.
pub(crate) fn wipe(storage: &dyn WriteAt, offset: u64, size: u64, random: &Rng) -> Result<(), Error> {
    const CHUNK: u64 = 4 << 20;
    let mut noise = vec![0; size.min(CHUNK) as usize];
    for at in (0..size).step_by(CHUNK as usize) {
        let noise = &mut noise[..(size - at).min(CHUNK) as usize];
        random.generate(&[], noise)?;
        storage.write_at(offset + at, noise)?;
    }
    storage.sync()
}
