//! A LUKS1 header as one of LUKS2, and the other way round. Nothing is read or written here.

use super::{
    Header, SegmentSize,
    format::{Contents, HEADER_SIZE},
    metadata::{Digest, Keyslot, Segment},
    rules::MAX_KEYSLOTS,
    slots::{ALIGNMENT, slot_json},
};
use crate::{
    Error, Kdf,
    luks1::{self, SLOTS, Slot},
    slot::{Area, STRIPES},
};
use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::{Map, json};

/// Where the areas of key slots begin in a converted header.
pub(crate) const FIRST_AREA: u64 = 2 * HEADER_SIZE;

/// The reason why a header cannot be converted.
fn refused(reason: impl Into<String>) -> Error {
    Error::damaged("conversion", reason)
}

impl Header {
    /// The LUKS2 header of the same volume as a LUKS1 header. The areas of key slots in use lie between [`FIRST_AREA`] and byte `end`, and stay there.
    pub(crate) fn of_luks1(old: &luks1::Header, end: u64) -> Result<Self, Error> {
        let mut keyslots = Map::new();
        let in_use = old.slots.iter().enumerate().filter(|(_, slot)| slot.is_enabled());
        for (number, slot) in in_use {
            let place = old.place(slot)?;
            let area = Area { size: place.size.next_multiple_of(ALIGNMENT), ..place };
            keyslots.insert(number.to_string(), slot_json(&area, &old.kdf(slot.iterations, slot.salt)));
        }
        let numbers: Vec<&String> = keyslots.keys().collect();
        let room = end.saturating_sub(FIRST_AREA).min(MAX_KEYSLOTS);
        let digest = json!({
            "type": "pbkdf2",
            "keyslots": numbers,
            "segments": ["0"],
            "hash": old.hash,
            "iterations": old.iterations,
            "salt": BASE64_STANDARD.encode(old.salt),
            "digest": BASE64_STANDARD.encode(old.digest),
        });
        let contents = Contents {
            keyslots: keyslots.into(),
            digest,
            offset: old.data_offset(),
            cipher: &old.spec()?,
            integrity: None,
            sector_size: 512,
            room: room - room % ALIGNMENT,
        };
        contents.header(1, old.uuid.clone()).map_err(refused)
    }

    /// The LUKS1 header of the same volume, if LUKS1 can express it. The areas of key slots in use stay where they are. Slots that are not in use get
    /// places between them.
    pub(crate) fn to_luks1(&self) -> Result<luks1::Header, Error> {
        let metadata = &self.metadata;
        metadata.refuse_requirements()?;
        if let Some(token) = metadata.tokens.keys().next() {
            return Err(refused(format!("token {token} would be lost: LUKS1 has none")));
        }
        let (segment, digest) = (self.only_segment()?, self.only_digest()?);
        let text = segment.encryption.as_deref().unwrap_or_default();
        let (cipher, mode) = text
            .split_once('-')
            .filter(|_| !text.starts_with("capi:"))
            .ok_or_else(|| refused(format!("LUKS1 cannot say `{text}`")))?;
        let (Some(hash), Some(iterations)) = (&digest.hash, digest.iterations) else {
            return Err(refused(format!("the digest is of the type `{}`, and not pbkdf2", digest.kind)));
        };
        let Some(key_size) = metadata.keyslots.values().map(|slot| slot.key_size).next() else {
            return Err(refused("no key slot is in use"));
        };
        let field = |bytes: &[u8], what: &str| -> Result<[u8; 32], Error> {
            bytes.try_into().map_err(|_| refused(format!("the salt of {what} has {} bytes; LUKS1 has 32", bytes.len())))
        };
        let mut slots: [Slot; SLOTS] = Default::default();
        let units =
            |offset: u64| u32::try_from(offset / 512).map_err(|_| refused(format!("byte {offset} is too far away")));
        for (number, slot) in &metadata.keyslots {
            let reason = unlike_luks1(slot, key_size, hash, text);
            let reason = reason.or((!digest.keyslots.contains(number)).then(|| "it holds another key".to_owned()));
            if let Some(reason) = reason {
                return Err(refused(format!("key slot {number}: {reason}")));
            }
            let place = slots.get_mut(*number as usize);
            let place = place.ok_or_else(|| refused(format!("key slot {number}: LUKS1 has eight")))?;
            let Some(Ok(Kdf::Pbkdf2 { iterations, salt, .. })) = &slot.kdf else { continue };
            let salt = field(salt, &format!("key slot {number}"))?;
            *place = Slot {
                state: luks1::ENABLED,
                iterations: *iterations,
                salt,
                offset: units(slot.area.offset)?,
                stripes: STRIPES,
            };
        }
        let mut digest_field = [0; 20];
        let len = digest_field.len();
        // PBKDF2's first bytes do not depend on how many are asked for, so a longer digest can be cut.
        digest_field.copy_from_slice(&digest.digest[..len]);
        let mut header = luks1::Header {
            cipher: cipher.to_owned(),
            mode: mode.to_owned(),
            hash: hash.clone(),
            payload_offset: units(segment.offset)?,
            key_size,
            digest: digest_field,
            salt: field(&digest.salt, "the digest")?,
            iterations,
            uuid: self.binary.uuid.clone(),
            slots,
        };
        header.place_unused(segment.offset)?;
        Ok(header)
    }

    /// The segment, if LUKS1 can express it.
    fn only_segment(&self) -> Result<&Segment, Error> {
        let mut segments = self.metadata.segments.values();
        let (Some(segment), None) = (segments.next(), segments.next()) else {
            return Err(refused(format!("{} segments; LUKS1 has one", self.metadata.segments.len())));
        };
        for (is_it, what) in [
            (segment.kind != "crypt" || segment.integrity.is_some(), "the data is not only encrypted"),
            (segment.sector_size() != 512, "LUKS1 has sectors of 512 bytes"),
            (segment.size != SegmentSize::Dynamic, "the data does not extend to the end of the device"),
            (segment.iv_tweak.is_some_and(|tweak| tweak != 0), "the first sector is not number 0"),
            (!segment.flags.is_empty(), "the segment has flags"),
        ] {
            if is_it {
                return Err(refused(what));
            }
        }
        Ok(segment)
    }

    /// The digest, if LUKS1 has room for it.
    fn only_digest(&self) -> Result<&Digest, Error> {
        let mut digests = self.metadata.digests.values();
        match (digests.next(), digests.next()) {
            (Some(digest), None) if digest.digest.len() >= 20 => Ok(digest),
            _ => Err(refused(format!("{} digests; LUKS1 has one", self.metadata.digests.len()))),
        }
    }
}

/// Why LUKS1 cannot have the key slot, if it cannot. In LUKS1 all key slots have the same hash, and the cipher and the key size of the data.
fn unlike_luks1(slot: &Keyslot, key_size: u32, hash: &str, cipher: &str) -> Option<String> {
    let kdf_hash = match (&slot.kdf, slot.kdf_name()) {
        (Some(Ok(Kdf::Pbkdf2 { hash, .. })), _) => hash,
        (_, Some(name)) => {
            return Some(format!("its key derivation is {name}, and LUKS1 has pbkdf2 (change-key --pbkdf)"));
        }
        (_, None) => return Some(format!("it is of the type `{}`", slot.kind)),
    };
    let area_cipher = slot.area.encryption.as_deref().unwrap_or_default();
    if kdf_hash != hash {
        Some(format!("its hash is {kdf_hash}, and that of the digest {hash}"))
    } else if slot.af.as_ref().is_none_or(|af| af.hash != hash) {
        Some(format!("the hash of its splitter is not {hash}"))
    } else if area_cipher != cipher || slot.area.key_size != Some(key_size) {
        Some(format!("its area is encrypted with {area_cipher}, and the data with {cipher}"))
    } else if slot.key_size != key_size {
        Some(format!("its key has {} bytes, and another {key_size}", slot.key_size))
    } else {
        None
    }
}
