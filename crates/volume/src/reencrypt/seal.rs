//! The digest over what a reencryption does. Only the owner of the keys can make it.
//!
//! It is one of the metadata's digests, the one that lists the reencryption's key slot (cryptsetup 2.4.3, lib/luks2/luks2_reencrypt_digest.c): PBKDF2
//! of `v`, the version's digit, the old key, the new key unless it is the same, the fields of the key slot, and the segments `backup-previous`,
//! `backup-final` and `backup-moved-segment`. Texts are covered as they are, numbers in big-endian order, and `dynamic` as a text.

use super::Keys;
use crate::{Error, Key, Limits, luks2};
use algkit::Rng;
use luks2::{Reencryption, Resilience, Segment, SegmentSize};

/// The length of the longest text that is covered.
const MAX_TEXT: usize = 64;

/// Whether the header has the right digest of the reencryption, computed with these keys.
pub(super) fn holds(
    header: &luks2::Header,
    reencryption: &Reencryption,
    keys: &Keys<'_>,
    limits: &Limits,
) -> Result<bool, Error> {
    let digests = &header.metadata.digests;
    let Some((number, _)) = digests.iter().find(|(_, digest)| digest.keyslots.contains(&reencryption.slot)) else {
        return Ok(false);
    };
    header.digest_numbered(*number)?.tells(&covered(reencryption, keys)?, limits)
}

/// Replaces the digest of the header's reencryption by the right one.
pub(super) fn renew(
    header: &mut luks2::Header,
    reencryption: &Reencryption,
    keys: &Keys<'_>,
    random: &Rng,
) -> Result<(), Error> {
    let slot = serde_json::Value::from(reencryption.slot.to_string());
    let lists = |digest: &serde_json::Value| digest["keyslots"].as_array().is_some_and(|slots| slots.contains(&slot));
    let mut json = header.json.clone();
    if let Some(digests) = json["digests"].as_object_mut() {
        digests.retain(|_, digest| !lists(digest));
    }
    header.replace(json)?;
    let number = header.enter_digest(&covered(reencryption, keys)?, random)?;
    let mut json = header.json.clone();
    json["digests"][number.to_string()]["keyslots"] = vec![slot].into();
    header.replace(json)
}

/// The bytes that PBKDF2 gets.
fn covered(reencryption: &Reencryption, keys: &Keys<'_>) -> Result<Key, Error> {
    let version = [b'v', b'0' + reencryption.version];
    let new = keys.new.filter(|_| reencryption.old.digest != reencryption.new.digest);
    let mut bytes = Bytes::default();
    bytes.text(reencryption.mode.name())?;
    bytes.text(reencryption.direction.name())?;
    bytes.text(reencryption.resilience.name())?;
    bytes.long(reencryption.area.start);
    bytes.long(reencryption.area.end - reencryption.area.start);
    if let Some((hash, block)) = reencryption.resilience.checksum() {
        bytes.text(hash)?;
        bytes.0.extend(block.to_be_bytes());
    }
    if let Resilience::Datashift { shift, .. } = &reencryption.resilience {
        bytes.long(*shift);
    }
    let sides = [&reencryption.old.segment, &reencryption.new.segment];
    for segment in sides.into_iter().chain(&reencryption.moved) {
        bytes.segment(segment)?;
    }
    // All at once: bytes that grow leave copies of the keys behind.
    let [old, new] = [keys.old, new].map(|key| key.map_or(&[][..], Key::bytes));
    Ok(Key::new([&version, old, new, &bytes.0].concat()))
}

/// What is covered besides the keys.
#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn text(&mut self, text: &str) -> Result<(), Error> {
        if text.is_empty() || text.len() > MAX_TEXT {
            return Err(Error::damaged("reencryption", format!("`{text}` has to have 1 to {MAX_TEXT} bytes")));
        }
        self.0.extend(text.as_bytes());
        Ok(())
    }

    fn long(&mut self, number: u64) {
        self.0.extend(number.to_be_bytes());
    }

    fn segment(&mut self, segment: &Segment) -> Result<(), Error> {
        self.text(&segment.kind)?;
        self.long(segment.offset);
        match segment.size {
            SegmentSize::Dynamic => self.text("dynamic")?,
            SegmentSize::Bytes(size) => self.long(size),
        }
        if let (Some(encryption), Some(tweak)) = (&segment.encryption, segment.iv_tweak) {
            self.long(tweak);
            self.text(encryption)?;
            self.0.extend(segment.sector_size().to_be_bytes());
        }
        Ok(())
    }
}
