//! Operations on key slots, for both versions of the header.
//!
//! A change takes several steps, and each is on the storage before the next begins. So whoever opens the volume after a failure finds either the
//! old header or the new one. The area of a new key slot is written before the header names it. The area of an old key slot is overwritten
//! before the header loses its place.

use crate::{
    Error, Kdf, Key, ReadAt, Unlocked, WriteAt,
    kdf::Budget,
    lookup,
    slot::{Area, KeyDigest, KeySlot},
};
use algkit::Rng;

/// A new key slot.
#[derive(Clone, Debug)]
pub struct NewKey<'a> {
    /// The passphrase.
    pub passphrase: &'a [u8],
    /// The key derivation. Its salt is replaced by a new one.
    pub kdf: Kdf,
    /// The hash of the anti-forensic splitter (LUKS2; LUKS1 has one for all slots).
    pub hash: &'a str,
    /// The number of the key slot; without it, the first that is free is taken.
    pub slot: Option<u32>,
}

/// A header with key slots.
pub(crate) trait Keyslots {
    /// The slots that hold the key of the data.
    fn bound(&self) -> Vec<u32>;

    /// Those of these slots on which a passphrase is tried, in this order, if no slot is named.
    fn candidates(&self) -> Vec<u32> {
        self.bound()
    }

    /// The slot with this number, if it is in use.
    fn slot(&self, number: u32) -> Result<KeySlot, Error>;

    /// The digest that confirms the volume's key.
    fn digest(&self) -> Result<KeyDigest, Error>;

    /// An error if the header may not be changed.
    fn writable(&self) -> Result<(), Error>;

    /// Slot `number` if it is free, or else the first slot that is free, with an area for a key of `key_size` bytes.
    fn free(&self, number: Option<u32>, key_size: usize, kdf: &Kdf, hash: &str) -> Result<(u32, Area), Error>;

    /// Enters a slot into the header in memory. Its key is that of the slot `like`, or without `like` the volume's.
    fn enter(&mut self, number: u32, area: &Area, kdf: &Kdf, like: Option<u32>) -> Result<(), Error>;

    /// Removes a slot from the header in memory.
    fn remove(&mut self, number: u32) -> Result<(), Error>;

    /// Removes the slot `old`, which `new` replaces. Returns the number of the new slot from now on.
    fn supersede(&mut self, old: u32, new: u32) -> Result<u32, Error>;

    /// Writes the header to the storage. A failure at any time leaves the old header or this one.
    fn store(&mut self, storage: &dyn WriteAt, random: &Rng) -> Result<(), Error>;
}

/// Tries the passphrase on the slot, or on all candidates.
pub(crate) fn unlock(
    header: &dyn Keyslots,
    storage: &dyn ReadAt,
    passphrase: &[u8],
    slot: Option<u32>,
    budget: &mut Budget,
) -> Result<Unlocked, Error> {
    if let Some(number) = slot {
        header.slot(number)?;
    }
    // If a slot cannot be tried, the others are tried all the same.
    let mut answer = Error::WrongPassphrase;
    for number in slot.map_or_else(|| header.candidates(), |number| vec![number]) {
        match header.slot(number).and_then(|slot| slot.open(storage, passphrase, budget)) {
            Ok(Some(key)) => return Ok(Unlocked { slot: Some(number), key, other: None }),
            Ok(None) => {}
            Err(error) => answer = error,
        }
    }
    Err(answer)
}

/// A new slot, before it is written.
pub(crate) struct Prepared {
    pub number: u32,
    pub area: Area,
    pub kdf: Kdf,
    derived: Key,
}

impl Prepared {
    /// Writes the area, which no header names yet.
    pub fn seal(&self, storage: &dyn WriteAt, key: &Key, random: &Rng) -> Result<(), Error> {
        self.area.seal(storage, &self.derived, key, random)
    }
}

/// Finds a place for a slot and derives the key of its area. Nothing is written: what may fail, or takes long, comes first.
pub(crate) fn prepare(
    header: &dyn Keyslots,
    key_size: usize,
    new: &NewKey<'_>,
    random: &Rng,
) -> Result<Prepared, Error> {
    header.writable()?;
    let (number, area) = header.free(new.slot, key_size, &new.kdf, new.hash)?;
    // A hash that algkit does not have is refused before anything is written.
    lookup::hash(&area.hash)?;
    let kdf = new.kdf.salted(random)?;
    let derived = kdf.key(new.passphrase, area.cipher_key)?;
    Ok(Prepared { number, area, kdf, derived })
}

/// Adds the slot, whose key is that of `unlocked`. Returns the number of the slot.
pub(crate) fn add(
    header: &mut dyn Keyslots,
    storage: &dyn WriteAt,
    unlocked: &Unlocked,
    new: Prepared,
    random: &Rng,
) -> Result<u32, Error> {
    new.seal(storage, &unlocked.key, random)?;
    storage.sync()?;
    header.enter(new.number, &new.area, &new.kdf, unlocked.slot)?;
    header.store(storage, random)?;
    Ok(new.number)
}

/// Replaces the slot that was unlocked by a new one. For a while there are both, so another slot has to be free.
pub(crate) fn change(
    header: &mut dyn Keyslots,
    storage: &dyn WriteAt,
    unlocked: &Unlocked,
    new: &NewKey<'_>,
    random: &Rng,
) -> Result<u32, Error> {
    let old = unlocked.slot.ok_or(Error::WrongPassphrase)?;
    let before = header.slot(old)?.area;
    let prepared = prepare(header, unlocked.key.bytes().len(), &NewKey { slot: None, ..new.clone() }, random)?;
    let number = add(header, storage, unlocked, prepared, random)?;
    before.wipe(storage, random)?;
    let number = header.supersede(old, number)?;
    header.store(storage, random)?;
    Ok(number)
}

/// Removes a slot. The last slot is removed only with `last`: after that, nothing but the volume's key itself opens the volume.
pub(crate) fn remove(
    header: &mut dyn Keyslots,
    storage: &dyn WriteAt,
    number: u32,
    last: bool,
    random: &Rng,
) -> Result<(), Error> {
    header.writable()?;
    let area = header.slot(number)?.area;
    if !last && header.bound() == [number] {
        return Err(Error::LastSlot(number));
    }
    // If the slot cannot be removed from the header, that is an error before the area is overwritten.
    header.remove(number)?;
    area.wipe(storage, random)?;
    header.store(storage, random)
}
