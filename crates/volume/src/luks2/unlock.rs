//! From a passphrase to the volume's key.

use super::{Header, metadata::Keyslot};
use crate::{
    CipherSpec, Error, Key, Limits, ReadAt, Unlocked,
    kdf::{self, Kdf},
    slot::Area,
};
use subtle::ConstantTimeEq;

impl Header {
    /// Tries the passphrase on the slot, or on every one by its priority. `storage` holds the header.
    pub fn unlock(
        &self,
        storage: &(impl ReadAt + ?Sized),
        passphrase: &[u8],
        slot: Option<u32>,
        limits: &Limits,
    ) -> Result<Unlocked, Error> {
        let candidates = match slot {
            Some(id) => vec![(id, self.metadata.keyslots.get(&id).ok_or(Error::NoSlot(id))?)],
            None => self.candidates(),
        };
        // A slot that cannot be tried does not keep others from opening.
        let mut answer = Error::WrongPassphrase;
        for (slot, keyslot) in candidates {
            match self.try_slot(storage, slot, keyslot, passphrase, limits) {
                Ok(Some(key)) => return Ok(Unlocked { slot, key }),
                Ok(None) => {}
                Err(error) => answer = error,
            }
        }
        Err(answer)
    }

    /// The slots with the key of a segment, those with the highest priority first; none with priority 0.
    fn candidates(&self) -> Vec<(u32, &Keyslot)> {
        let for_data = |id: &u32| {
            let mut digests = self.metadata.digests.values().filter(|digest| digest.keyslots.contains(id));
            digests.any(|digest| !digest.segments.is_empty())
        };
        let slots = self.metadata.keyslots.iter().map(|(id, slot)| (*id, slot));
        let usable = slots.filter(|(id, slot)| slot.kind == "luks2" && slot.priority != Some(0) && for_data(id));
        let mut usable: Vec<_> = usable.collect();
        usable.sort_by_key(|(id, slot)| (std::cmp::Reverse(slot.priority.unwrap_or(1)), *id));
        usable
    }

    /// The key in the slot, if the passphrase is its.
    fn try_slot(
        &self,
        storage: &(impl ReadAt + ?Sized),
        id: u32,
        keyslot: &Keyslot,
        passphrase: &[u8],
        limits: &Limits,
    ) -> Result<Option<Key>, Error> {
        let (Some(kdf), Some(af), Some(encryption), Some(area_key)) =
            (&keyslot.kdf, &keyslot.af, &keyslot.area.encryption, keyslot.area.key_size)
        else {
            return Err(Error::Unsupported { what: format!("a key slot of the type `{}`", keyslot.kind) });
        };
        let digest = self.metadata.digests.values().find(|digest| digest.keyslots.contains(&id));
        let digest = digest.ok_or_else(|| Error::damaged(format!("key slot {id}"), "it has no digest"))?;
        let (Some(digest_hash), Some(iterations)) = (&digest.hash, digest.iterations) else {
            return Err(Error::Unsupported { what: format!("a digest of the type `{}`", digest.kind) });
        };
        // What the digest costs is known to be allowed before the costly part begins.
        let digest_kdf = Kdf::Pbkdf2 { hash: digest_hash.clone(), iterations, salt: digest.salt.clone() };
        digest_kdf.allowed(limits)?;

        let derived = kdf.bounded_key(passphrase, area_key as usize, limits)?;
        let spec = CipherSpec::parse(encryption)?;
        let area = Area { spec: &spec, offset: keyslot.area.offset, stripes: af.stripes, hash: &af.hash };
        let key = area.open(storage, &derived, keyslot.key_size as usize)?;

        let mut sum = vec![0; digest.digest.len()];
        kdf::pbkdf2(digest_hash, &key, &digest.salt, iterations, &mut sum)?;
        Ok(bool::from(sum.ct_eq(&digest.digest)).then(|| Key::new(key.to_vec())))
    }
}
