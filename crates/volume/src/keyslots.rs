//! What is done with key slots, whatever the version of the header.
//!
//! Every change is a row of steps, and each is on the storage before the next begins. Whoever opens the volume after a failure between any
//! two finds the header of before or that of after: a new key slot's area is written before the header names it, and an old one's is
//! overwritten before the header forgets where it is.

use crate::{
    Error, Kdf, Key, Limits, ReadAt, Unlocked, WriteAt, lookup,
    slot::{Area, KeyDigest, KeySlot},
};
use algkit::Rng;

/// A new key slot.
#[derive(Clone, Debug)]
pub struct NewKey<'a> {
    /// The passphrase.
    pub passphrase: &'a [u8],
    /// The key derivation; its salt is made anew.
    pub kdf: Kdf,
    /// The hash of the anti-forensic splitter (LUKS2; LUKS1 has one for all slots).
    pub hash: &'a str,
    /// The number, or the first that is free.
    pub slot: Option<u32>,
}

/// A header with key slots.
pub(crate) trait Keyslots {
    /// The slots that hold the key of the data.
    fn bound(&self) -> Vec<u32>;

    /// Those of them that a passphrase is tried on if no slot is named, in their order.
    fn candidates(&self) -> Vec<u32> {
        self.bound()
    }

    /// A slot in use.
    fn slot(&self, number: u32) -> Result<KeySlot, Error>;

    /// What tells the volume's key.
    fn digest(&self) -> Result<KeyDigest, Error>;

    /// An error if the header may not be changed.
    fn writable(&self) -> Result<(), Error>;

    /// The slot if it is free, or the first that is, with room for a key of `key_size` bytes.
    fn free(&self, number: Option<u32>, key_size: usize, kdf: &Kdf, hash: &str) -> Result<(u32, Area), Error>;

    /// Enters a slot. It holds the same key as the slot `like`, or the volume's.
    fn enter(&mut self, number: u32, area: &Area, kdf: &Kdf, like: Option<u32>) -> Result<(), Error>;

    /// Removes a slot.
    fn remove(&mut self, number: u32) -> Result<(), Error>;

    /// Removes the slot `old`, whose place `new` takes: the number that the key has from now on.
    fn supersede(&mut self, old: u32, new: u32) -> Result<u32, Error>;

    /// Writes the header, so that a failure at any time leaves the one of before or this one.
    fn store(&mut self, storage: &dyn WriteAt, random: &Rng) -> Result<(), Error>;
}

/// Tries the passphrase on the slot, or on all candidates.
pub(crate) fn unlock(
    header: &dyn Keyslots,
    storage: &dyn ReadAt,
    passphrase: &[u8],
    slot: Option<u32>,
    limits: &Limits,
) -> Result<Unlocked, Error> {
    if let Some(number) = slot {
        header.slot(number)?;
    }
    // A slot that cannot be tried does not keep others from opening.
    let mut answer = Error::WrongPassphrase;
    for number in slot.map_or_else(|| header.candidates(), |number| vec![number]) {
        match header.slot(number).and_then(|slot| slot.open(storage, passphrase, limits)) {
            Ok(Some(key)) => return Ok(Unlocked { slot: Some(number), key, other: None }),
            Ok(None) => {}
            Err(error) => answer = error,
        }
    }
    Err(answer)
}

/// A slot that is not on the storage yet.
pub(crate) struct Prepared {
    pub number: u32,
    pub area: Area,
    pub kdf: Kdf,
    derived: Key,
}

impl Prepared {
    /// Writes the area. No header names it yet.
    pub fn seal(&self, storage: &dyn WriteAt, key: &Key, random: &Rng) -> Result<(), Error> {
        self.area.seal(storage, &self.derived, key, random)
    }
}

/// Finds a place for the slot and derives its key: what can fail or takes long, before anything is written.
pub(crate) fn prepare(
    header: &dyn Keyslots,
    key_size: usize,
    new: &NewKey<'_>,
    random: &Rng,
) -> Result<Prepared, Error> {
    header.writable()?;
    let (number, area) = header.free(new.slot, key_size, &new.kdf, new.hash)?;
    // A hash that is not there is told of now.
    lookup::hash(&area.hash)?;
    let kdf = new.kdf.salted(random)?;
    let derived = kdf.key(new.passphrase, area.cipher_key)?;
    Ok(Prepared { number, area, kdf, derived })
}

/// Adds the slot, which holds the same key as `unlocked`: its number.
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

/// Puts a new slot in the place of the one that was unlocked. There are two slots for a while, so one has to be free.
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

/// Removes a slot. With `last`, also the last one: then nothing opens the volume any more but its key.
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
    // A header that cannot lose the slot is told of before the area is lost.
    header.remove(number)?;
    area.wipe(storage, random)?;
    header.store(storage, random)
}
