//! Key slots in the metadata.

use super::{
    Copies, Header,
    format::digest_json,
    metadata::{self, Digest, Keyslot},
    rules,
};
use crate::{
    CipherSpec, Error, Kdf, Key, WriteAt,
    keyslots::Keyslots,
    slot::{Area, KeyDigest, KeySlot, STRIPES},
};
use algkit::Rng;
use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::{Value, json};
use std::{collections::BTreeMap, ops::Range};

/// The cipher of new key slots, whatever that of the volume is: every program that opens volumes has it.
const AREA_CIPHER: &str = "aes-xts-plain64";
const AREA_KEY: u32 = 64;

/// Areas begin at multiples of this number of bytes.
pub(super) const ALIGNMENT: u64 = 4096;

impl Header {
    fn keyslot(&self, number: u32) -> Result<&Keyslot, Error> {
        self.metadata.keyslots.get(&number).ok_or(Error::NoSlot(number))
    }

    /// The number of the digest that confirms the key of `slot`, or without a slot the volume's key.
    fn digest_of(&self, slot: Option<u32>) -> Result<u32, Error> {
        let is_it = |digest: &Digest| match slot {
            Some(slot) => digest.keyslots.contains(&slot),
            None => !digest.segments.is_empty(),
        };
        let found = self.metadata.digests.iter().find(|(_, digest)| is_it(digest));
        let of = || slot.map_or("metadata".to_owned(), |slot| format!("key slot {slot}"));
        found.map(|(number, _)| *number).ok_or_else(|| Error::damaged(of(), "it has no digest"))
    }

    fn key_digest(&self, slot: Option<u32>) -> Result<KeyDigest, Error> {
        self.digest_numbered(self.digest_of(slot)?)
    }

    /// The digest with this number.
    pub(crate) fn digest_numbered(&self, number: u32) -> Result<KeyDigest, Error> {
        let missing = || Error::damaged(format!("digest {number}"), "it is not there");
        let digest = self.metadata.digests.get(&number).ok_or_else(missing)?;
        let ("pbkdf2", Some(hash), Some(iterations)) = (digest.kind.as_str(), &digest.hash, digest.iterations) else {
            return Err(Error::Unsupported { what: format!("a digest of the type `{}`", digest.kind) });
        };
        let kdf = Kdf::Pbkdf2 { hash: hash.clone(), iterations, salt: digest.salt.clone() };
        Ok(KeyDigest { kdf, digest: digest.digest.clone() })
    }

    /// Replaces the metadata, if the new metadata follows the rules.
    pub(crate) fn replace(&mut self, json: Value) -> Result<(), Error> {
        let refused = |reason| Error::damaged("the new header", reason);
        let metadata = metadata::typed(&json).map_err(refused)?;
        rules::check(&self.binary, &metadata).map_err(refused)?;
        (self.json, self.metadata) = (json, metadata);
        Ok(())
    }

    /// Changes the place of a key slot's area.
    pub(crate) fn move_area(&mut self, number: u32, offset: u64) -> Result<(), Error> {
        let mut json = self.json.clone();
        json["keyslots"][number.to_string()]["area"]["offset"] = offset.to_string().into();
        self.replace(json)
    }

    /// Gives the only segment another length.
    pub(crate) fn set_only_size(&mut self, size: u64) -> Result<(), Error> {
        let mut json = self.json.clone();
        match json["segments"].as_object_mut() {
            Some(segments) if segments.len() == 1 => {
                segments.values_mut().for_each(|segment| segment["size"] = size.to_string().into());
            }
            _ => {
                return Err(Error::Unsupported { what: "another length of a volume with several segments".to_owned() });
            }
        }
        self.replace(json)
    }

    /// Removes a slot from the lists of digests and tokens.
    pub(crate) fn forget(json: &mut Value, number: u32) {
        let number = Value::from(number.to_string());
        for kind in ["digests", "tokens"] {
            for object in json[kind].as_object_mut().into_iter().flat_map(|objects| objects.values_mut()) {
                if let Some(slots) = object.get_mut("keyslots").and_then(Value::as_array_mut) {
                    slots.retain(|slot| *slot != number);
                }
            }
        }
    }

    /// The gaps between the areas of key slots, in their order.
    pub(crate) fn gaps(&self) -> Vec<Range<u64>> {
        let mut areas: Vec<_> = self.metadata.keyslots.values().map(|slot| &slot.area).collect();
        areas.sort_by_key(|area| area.offset);
        let mut at = 2 * self.binary.header_size;
        let mut gaps = Vec::new();
        for area in areas {
            gaps.push(at..area.offset.max(at));
            at = (area.offset + area.size).next_multiple_of(ALIGNMENT);
        }
        gaps.push(at..self.size().max(at));
        gaps
    }

    /// The first gap with room for `size` bytes.
    fn gap(&self, size: u64) -> Option<u64> {
        self.gaps().into_iter().find(|gap| gap.end - gap.start >= size).map(|gap| gap.start)
    }

    /// The largest gap, cut to a multiple of 4096 bytes.
    pub(crate) fn largest_gap(&self) -> Result<Range<u64>, Error> {
        let whole = |gap: Range<u64>| gap.start..gap.end - (gap.end - gap.start) % ALIGNMENT;
        let gaps = self.gaps().into_iter().map(whole).filter(|gap| !gap.is_empty());
        gaps.max_by_key(|gap| gap.end - gap.start).ok_or(Error::NoRoom { size: ALIGNMENT })
    }

    /// The first number that no key slot has.
    pub(crate) fn free_number(&self) -> Result<u32, Error> {
        free(&self.metadata.keyslots).ok_or(Error::NoFreeSlot { asked: None, slots: rules::MAX_OBJECTS })
    }

    /// The first number that no token has.
    pub(crate) fn free_token(&self) -> Option<u32> {
        free(&self.metadata.tokens)
    }

    /// Enters a digest of `secret`, which belongs to no key slot and no segment yet. Returns its number.
    pub(crate) fn enter_digest(&mut self, secret: &Key, random: &Rng) -> Result<u32, Error> {
        let number = free(&self.metadata.digests)
            .ok_or_else(|| Error::damaged("the new header", "it has 32 digests already"))?;
        let mut json = self.json.clone();
        json["digests"][number.to_string()] = digest_json(secret, random)?;
        self.replace(json)?;
        Ok(number)
    }

    /// Enters a key slot for the key that this digest confirms.
    pub(crate) fn enter_under(&mut self, number: u32, area: &Area, kdf: &Kdf, digest: u32) -> Result<(), Error> {
        let mut json = self.json.clone();
        json["keyslots"][number.to_string()] = slot_json(area, kdf);
        if let Some(slots) = json["digests"][digest.to_string()]["keyslots"].as_array_mut() {
            slots.push(number.to_string().into());
        }
        self.replace(json)
    }
}

impl Keyslots for Header {
    fn bound(&self) -> Vec<u32> {
        let for_data = |id: &u32| {
            let mut digests = self.metadata.digests.values().filter(|digest| digest.keyslots.contains(id));
            digests.any(|digest| !digest.segments.is_empty())
        };
        let slots = self.metadata.keyslots.iter().filter(|(id, slot)| slot.kind == "luks2" && for_data(id));
        slots.map(|(id, _)| *id).collect()
    }

    /// Slots with the highest priority come first. A slot with priority 0 is tried only if it is named.
    fn candidates(&self) -> Vec<u32> {
        let priority = |id: &u32| self.metadata.keyslots[id].priority.unwrap_or(1);
        let mut slots = self.bound();
        slots.retain(|id| priority(id) != 0);
        slots.sort_by_key(|id| (std::cmp::Reverse(priority(id)), *id));
        slots
    }

    fn slot(&self, number: u32) -> Result<KeySlot, Error> {
        let slot = self.keyslot(number)?;
        let (Some(kdf), Some(af), Some(cipher), Some(cipher_key)) =
            (&slot.kdf, &slot.af, &slot.area.encryption, slot.area.key_size)
        else {
            return Err(Error::Unsupported { what: format!("a key slot of the type `{}`", slot.kind) });
        };
        let area = Area {
            offset: slot.area.offset,
            size: slot.area.size,
            cipher: CipherSpec::parse(cipher)?,
            cipher_key: cipher_key as usize,
            key_size: slot.key_size as usize,
            hash: af.hash.clone(),
        };
        Ok(KeySlot { kdf: kdf.clone(), area, digest: self.key_digest(Some(number))? })
    }

    fn digest(&self) -> Result<KeyDigest, Error> {
        self.key_digest(None)
    }

    fn writable(&self) -> Result<(), Error> {
        self.refuse_replaced()?;
        self.metadata.refuse_requirements()
    }

    fn free(&self, number: Option<u32>, key_size: usize, _: &Kdf, hash: &str) -> Result<(u32, Area), Error> {
        let slots = rules::MAX_OBJECTS;
        let is_free = |number: &u32| (*number as usize) < slots && !self.metadata.keyslots.contains_key(number);
        let found = match number {
            Some(number) => Some(number).filter(is_free),
            None => (0..slots as u32).find(is_free),
        };
        let number = found.ok_or(Error::NoFreeSlot { asked: number, slots })?;
        let size = (u64::from(STRIPES) * key_size as u64).next_multiple_of(ALIGNMENT);
        let offset = self.gap(size).ok_or(Error::NoRoom { size })?;
        let cipher = CipherSpec::parse(AREA_CIPHER)?;
        Ok((number, Area { offset, size, cipher, cipher_key: AREA_KEY as usize, key_size, hash: hash.to_owned() }))
    }

    fn enter(&mut self, number: u32, area: &Area, kdf: &Kdf, like: Option<u32>) -> Result<(), Error> {
        self.enter_under(number, area, kdf, self.digest_of(like)?)
    }

    fn remove(&mut self, number: u32) -> Result<(), Error> {
        self.keyslot(number)?;
        let mut json = self.json.clone();
        // A number with leading zeros is another key of the JSON object.
        let removed = json["keyslots"].as_object_mut().and_then(|slots| slots.remove(&number.to_string()));
        removed.ok_or_else(|| Error::damaged(format!("key slot {number}"), "its number is spelt in another way"))?;
        Self::forget(&mut json, number);
        self.replace(json)
    }

    /// The new slot takes over the old number, with its priority and its tokens.
    fn supersede(&mut self, old: u32, new: u32) -> Result<u32, Error> {
        let mut json = self.json.clone();
        Self::forget(&mut json, new);
        if let Some(slots) = json["keyslots"].as_object_mut()
            && let Some(mut slot) = slots.remove(&new.to_string())
        {
            if let Some(priority) = self.keyslot(old)?.priority {
                slot["priority"] = priority.into();
            }
            slots.insert(old.to_string(), slot);
        }
        self.replace(json)?;
        Ok(old)
    }

    /// If a copy is damaged or old, it is written before the other; else the first copy is. So one copy is good at any time.
    fn store(&mut self, storage: &dyn WriteAt, random: &Rng) -> Result<(), Error> {
        let (have, end) = (storage.size()?, 2 * self.binary.header_size);
        if have < end {
            return Err(Error::damaged("device", format!("the header ends at byte {end}, and the device has {have}")));
        }
        let sequence = self.binary.sequence.checked_add(1);
        self.binary.sequence =
            sequence.ok_or_else(|| Error::damaged("LUKS2 header", "its sequence number is the last"))?;
        let (first, second) = (0, self.binary.header_size);
        let order = if matches!(self.copies, Copies::First(_)) { [second, first] } else { [first, second] };
        let copies = [self.bytes(order[0], random)?, self.bytes(order[1], random)?];
        for (offset, copy) in order.into_iter().zip(copies) {
            storage.write_at(offset, &copy)?;
            storage.sync()?;
        }
        self.copies = Copies::Both;
        Ok(())
    }
}

/// The first number that no object has.
fn free<T>(objects: &BTreeMap<u32, T>) -> Option<u32> {
    (0..rules::MAX_OBJECTS as u32).find(|number| !objects.contains_key(number))
}

/// A key slot as it stands in the metadata.
pub(super) fn slot_json(area: &Area, kdf: &Kdf) -> Value {
    json!({
        "type": "luks2",
        "key_size": area.key_size,
        "af": {"type": "luks1", "stripes": STRIPES, "hash": area.hash},
        "area": {
            "type": "raw",
            "offset": area.offset.to_string(),
            "size": area.size.to_string(),
            "encryption": area.cipher.to_string(),
            "key_size": area.cipher_key,
        },
        "kdf": kdf_json(kdf),
    })
}

fn kdf_json(kdf: &Kdf) -> Value {
    match kdf {
        Kdf::Pbkdf2 { hash, iterations, salt } => json!({
            "type": kdf.name(), "hash": hash, "iterations": iterations, "salt": BASE64_STANDARD.encode(salt),
        }),
        Kdf::Argon2 { time, memory_kib, cpus, salt, .. } => json!({
            "type": kdf.name(), "time": time, "memory": memory_kib, "cpus": cpus, "salt": BASE64_STANDARD.encode(salt),
        }),
    }
}
