//! A key slot, the same in both versions of LUKS: a passphrase becomes a key, the key decrypts an area, the area's stripes are the volume's
//! key, and a digest tells whether they are.

use crate::{CipherSpec, Error, Kdf, Key, Limits, ReadAt, SectorCipher, WriteAt, af, crypt::UNIT, storage};
use algkit::{Direction, Rng};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// The stripes of every key slot.
pub(crate) const STRIPES: u32 = 4000;

/// The longest key of a volume, and of an area, in bytes.
pub(crate) const MAX_KEY: u32 = 512;

/// A key slot that is in use.
pub(crate) struct KeySlot {
    pub kdf: Kdf,
    pub area: Area,
    pub digest: KeyDigest,
}

impl KeySlot {
    /// The key in the slot, if the passphrase is its.
    pub fn open(&self, storage: &dyn ReadAt, passphrase: &[u8], limits: &Limits) -> Result<Option<Key>, Error> {
        // What the digest costs is known to be allowed before the costly part begins.
        self.digest.kdf.allowed(limits)?;
        let derived = self.kdf.bounded_key(passphrase, self.area.cipher_key, limits)?;
        let key = self.area.open(storage, &derived)?;
        Ok(self.digest.tells(&key, limits)?.then_some(key))
    }
}

/// What tells whether a key is the volume's.
pub(crate) struct KeyDigest {
    /// PBKDF2 of the key.
    pub kdf: Kdf,
    /// What it gives.
    pub digest: Vec<u8>,
}

impl KeyDigest {
    pub fn tells(&self, key: &Key, limits: &Limits) -> Result<bool, Error> {
        let sum = self.kdf.bounded_key(key.bytes(), self.digest.len(), limits)?;
        Ok(sum.bytes().ct_eq(&self.digest).into())
    }
}

/// Where a key's stripes are, and how they are made.
pub(crate) struct Area {
    /// Where it begins, in bytes.
    pub offset: u64,
    /// How many bytes belong to it.
    pub size: u64,
    /// Its cipher.
    pub cipher: CipherSpec,
    /// Bytes of the key of that cipher.
    pub cipher_key: usize,
    /// Bytes of the key that is in it.
    pub key_size: usize,
    /// The hash of the splitter.
    pub hash: String,
}

impl Area {
    /// The key in it, if `derived` is the right key of the area; else other bytes.
    fn open(&self, storage: &dyn ReadAt, derived: &Key) -> Result<Key, Error> {
        let mut sectors = Zeroizing::new(storage::read(storage, self.offset, self.len())?);
        self.crypt(Direction::Decrypt, derived, &mut sectors)?;
        af::merge(&sectors, self.key_size, STRIPES as usize, &self.hash)
    }

    /// Writes the key's stripes.
    pub fn seal(&self, storage: &dyn WriteAt, derived: &Key, key: &Key, random: &Rng) -> Result<(), Error> {
        let (have, end) = (storage.size()?, self.offset + self.size);
        if have < end {
            // A file would grow, and a device refuse.
            let reason = format!("the area of the new key slot ends at byte {end}, and the device has {have}");
            return Err(Error::damaged("device", reason));
        }
        let stripes = af::split(key.bytes(), STRIPES as usize, &self.hash, random)?;
        let mut sectors = Zeroizing::new(vec![0; self.len()]);
        sectors[..stripes.len()].copy_from_slice(&stripes);
        self.crypt(Direction::Encrypt, derived, &mut sectors)?;
        storage.write_at(self.offset, &sectors)
    }

    /// Overwrites all of it.
    pub fn wipe(&self, storage: &dyn WriteAt, random: &Rng) -> Result<(), Error> {
        wipe(storage, self.offset, self.size, random)
    }

    /// Whole sectors.
    fn len(&self) -> usize {
        (self.key_size * STRIPES as usize).next_multiple_of(UNIT as usize)
    }

    fn crypt(&self, direction: Direction, derived: &Key, sectors: &mut [u8]) -> Result<(), Error> {
        SectorCipher::new(&self.cipher, derived, UNIT as usize)?.crypt(direction, 0, sectors)
    }
}

/// Overwrites an area with random bytes, as one bit of a key slot that is lost loses the key. It is on the storage when this returns.
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
