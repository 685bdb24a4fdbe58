//! The rules of the specification for metadata (sections 2.2, 2.5 and 3): every offset is inside its bounds, no two areas overlap, and what is
//! referred to exists.

use super::{
    binary::{BINARY, Binary},
    metadata::{Digest, Keyslot, Metadata, Segment, SegmentSize},
    reencryption::Reencryption,
};
use crate::{
    crypt::{UNIT, is_sector_size},
    slot::{MAX_KEY, STRIPES, check_apart},
};

/// The largest number of bytes for key slots (section 2.2).
pub(super) const MAX_KEYSLOTS: u64 = 128 << 20;

/// The largest number of objects of a kind (section 3: 32 key slots, 32 tokens).
pub(super) const MAX_OBJECTS: usize = 32;

pub(super) fn check(binary: &Binary, metadata: &Metadata) -> Result<(), String> {
    let config = &metadata.config;
    let json_size = binary.header_size - BINARY as u64;
    if config.json_size != json_size {
        return Err(format!("json_size is {}, and the JSON area has {json_size} bytes", config.json_size));
    }
    if !config.keyslots_size.is_multiple_of(4096) || config.keyslots_size > MAX_KEYSLOTS {
        return Err(format!("keyslots_size is {}", config.keyslots_size));
    }
    for (what, count) in [
        ("key slots", metadata.keyslots.len()),
        ("tokens", metadata.tokens.len()),
        ("segments", metadata.segments.len()),
        ("digests", metadata.digests.len()),
    ] {
        if count > MAX_OBJECTS {
            return Err(format!("{count} {what}, at most {MAX_OBJECTS} are allowed"));
        }
    }
    let bounds = 2 * binary.header_size..2 * binary.header_size + config.keyslots_size;
    let mut areas = Vec::new();
    for (id, keyslot) in &metadata.keyslots {
        areas.push((check_keyslot(keyslot, &bounds).map_err(|reason| format!("key slot {id}: {reason}"))?, *id));
    }
    check_apart(areas)?;
    // With a detached header the data may begin at byte 0, and parts of it anywhere while it is reencrypted.
    let is_final = |segment: &&Segment| segment.flags.iter().any(|flag| flag == "backup-final");
    let elsewhere = metadata.segments.values().filter(is_final).any(|segment| segment.offset == 0);
    let header_end = if elsewhere { 0 } else { bounds.end };
    for (id, segment) in &metadata.segments {
        check_segment(segment, header_end).map_err(|reason| format!("segment {id}: {reason}"))?;
    }
    let mut parts = metadata.segments.values().filter(|segment| !segment.is_backup());
    let end = parts.try_fold(0u64, |end, part| match part.size {
        SegmentSize::Bytes(size) => end.checked_add(size),
        SegmentSize::Dynamic => Some(end),
    });
    if end.is_none() {
        return Err("its segments are longer together than any device".to_owned());
    }
    for (id, digest) in &metadata.digests {
        check_digest(digest, metadata).map_err(|reason| format!("digest {id}: {reason}"))?;
    }
    for id in metadata.keyslots.keys() {
        if metadata.digests.values().filter(|digest| digest.keyslots.contains(id)).count() > 1 {
            return Err(format!("key slot {id} has several digests"));
        }
    }
    Reencryption::of(metadata)?;
    Ok(())
}

fn check_keyslot(keyslot: &Keyslot, bounds: &std::ops::Range<u64>) -> Result<std::ops::Range<u64>, String> {
    let area = &keyslot.area;
    let end = area.offset.checked_add(area.size).filter(|end| *end <= bounds.end && area.offset >= bounds.start);
    let end = end.ok_or_else(|| {
        format!(
            "its area of {} bytes at byte {} is not inside {} to {}",
            area.size, area.offset, bounds.start, bounds.end
        )
    })?;
    if keyslot.priority.is_some_and(|priority| priority > 2) {
        return Err("its priority is not 0, 1 or 2".to_owned());
    }
    if !(1..=MAX_KEY).contains(&keyslot.key_size) {
        return Err(format!("a key of {} bytes", keyslot.key_size));
    }
    if keyslot.kind == "luks2" {
        let (Some(_), Some(af), Some(_), Some(area_key)) = (&keyslot.kdf, &keyslot.af, &area.encryption, area.key_size)
        else {
            return Err("its kdf, its af or a part of its area is missing".to_owned());
        };
        if !(1..=MAX_KEY).contains(&area_key) {
            return Err(format!("an area's key of {area_key} bytes"));
        }
        if af.kind != "luks1" || af.stripes != STRIPES {
            return Err(format!("`{}` with {} stripes; expected luks1 with {STRIPES}", af.kind, af.stripes));
        }
        let need = (u64::from(keyslot.key_size) * u64::from(af.stripes)).next_multiple_of(UNIT);
        if need > area.size {
            return Err(format!("its area has {} bytes, and its key needs {need}", area.size));
        }
    }
    Ok(area.offset..end)
}

fn check_segment(segment: &Segment, header_end: u64) -> Result<(), String> {
    let sector = u64::from(segment.sector_size());
    if segment.offset != 0 && segment.offset < header_end && !segment.is_backup() {
        return Err(format!("begins at byte {}, inside the header", segment.offset));
    }
    if !is_sector_size(sector) {
        return Err(format!("sectors of {sector} bytes; expected 512, 1024, 2048 or 4096"));
    }
    if !segment.offset.is_multiple_of(UNIT) {
        return Err(format!("begins at byte {}, which is not a multiple of {UNIT}", segment.offset));
    }
    if let SegmentSize::Bytes(size) = segment.size
        && (size == 0 || !size.is_multiple_of(sector) || segment.offset.checked_add(size).is_none())
    {
        return Err(format!("a length of {size} bytes"));
    }
    if segment.kind == "crypt"
        && (segment.encryption.is_none() || segment.iv_tweak.is_none() || segment.sector_size.is_none())
    {
        return Err("encryption, iv_tweak or sector_size is missing".to_owned());
    }
    Ok(())
}

fn check_digest(digest: &Digest, metadata: &Metadata) -> Result<(), String> {
    if let Some(id) = digest.keyslots.iter().find(|id| !metadata.keyslots.contains_key(id)) {
        return Err(format!("key slot {id} is not there"));
    }
    if let Some(id) = digest.segments.iter().find(|id| !metadata.segments.contains_key(id)) {
        return Err(format!("segment {id} is not there"));
    }
    if digest.kind == "pbkdf2" && (digest.hash.is_none() || digest.iterations.is_none()) {
        return Err("hash or iterations is missing".to_owned());
    }
    // A short digest would confirm many keys.
    if !(20..=64).contains(&digest.digest.len()) {
        return Err(format!("{} bytes long", digest.digest.len()));
    }
    Ok(())
}
