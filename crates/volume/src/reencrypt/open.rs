//! Opens a volume whose reencryption is not finished. Nothing is written: a hot zone that was cut off is read as recovery would leave it.

use super::{
    Keys,
    zone::{Block, Ciphers, Sums, Torn, bytes_of, cipher},
};
use crate::{
    Error, Key, Limits, ReadAt, Unlocked, Volume,
    crypt::UNIT,
    kdf::Budget,
    keyslots::{self, Keyslots},
    luks2, storage,
    volume::Extent,
};
use luks2::{
    Reencryption, Resilience,
    reencryption::{Piece, Side},
};
use std::ops::Range;

/// The largest number of parts, alternately old and new, that a hot zone may have. A crash leaves a few.
const MAX_PARTS: usize = 4096;

/// The number of bytes that are read at a time to find out which blocks are old.
const CHUNK: u64 = 4 << 20;

/// The two keys of a volume under reencryption, which one passphrase has to open.
pub(crate) fn unlock(
    header: &luks2::Header,
    reencryption: &Reencryption,
    headed: &dyn ReadAt,
    passphrase: &[u8],
    slot: Option<u32>,
    limits: &Limits,
) -> Result<Unlocked, Error> {
    let mut budget = Budget::new(limits);
    let first = keyslots::unlock(header, headed, passphrase, slot, &mut budget)?;
    let digests = &header.metadata.digests;
    let holds = |digest: u32, slot: u32| digests.get(&digest).is_some_and(|digest| digest.keyslots.contains(&slot));
    let opened = |digest: &u32| first.slot.is_some_and(|slot| holds(*digest, slot));
    let mut other = [reencryption.new.digest, reencryption.old.digest].into_iter().flatten().filter(|d| !opened(d));
    let Some(other) = other.next() else { return Ok(first) };
    // The slot of the new key has the priority of the old one's. If that is 0, it is no candidate, and tried because the other one is named.
    let numbers = if slot.is_some() { header.bound() } else { header.candidates() };
    for number in numbers.into_iter().filter(|number| holds(other, *number)) {
        if let Ok(Some(key)) = header.slot(number).and_then(|slot| slot.open(headed, passphrase, &mut budget)) {
            return Ok(Unlocked { other: Some(key), ..first });
        }
    }
    // One key is enough if no old data is left.
    if reencryption.is_done() && reencryption.old.digest == Some(other) { Ok(first) } else { Err(Error::OneKey) }
}

/// The volume on `storage`, which is the device of the data. `headed` is the device of the header, if that is another one.
pub(crate) fn open<S: ReadAt>(
    header: &luks2::Header,
    reencryption: &Reencryption,
    storage: S,
    headed: Option<&dyn ReadAt>,
    unlocked: &Unlocked,
) -> Result<Volume<S>, Error> {
    let keys = Keys::of(header, reencryption, unlocked, &Limits::default())?;
    let mut extents = Vec::new();
    for piece in reencryption.pieces(&reencryption.position) {
        let is_hot = !piece.segment.flags.is_empty();
        match &reencryption.position.hot {
            Some(zone) if is_hot => extents.extend(hot(reencryption, &keys, &storage, headed, zone)?),
            _ => extents.push(cold(&keys, &piece, storage.size()?)?),
        }
    }
    if reencryption.first_is_last().is_some() {
        // Behind the data is what lay at its end before it was moved.
        let mut left = reencryption.size(storage.size()?)?;
        for extent in &mut extents {
            extent.len = extent.len.min(left);
            left -= extent.len;
        }
    }
    let volume = Volume::new(storage, extents)?;
    Ok(if reencryption.position.hot.is_some() { volume.only_to_be_read() } else { volume })
}

/// A part that is either old or new.
fn cold(keys: &Keys<'_>, piece: &Piece, device: u64) -> Result<Extent, Error> {
    let key = if piece.is_new { keys.new } else { keys.old };
    // A plain part needs no key.
    luks2::extent(&piece.segment, device, key.unwrap_or(&Key::new(Vec::new())))
}

/// The hot zone, as recovery would leave it.
fn hot(
    reencryption: &Reencryption,
    keys: &Keys<'_>,
    storage: &dyn ReadAt,
    headed: Option<&dyn ReadAt>,
    zone: &Range<u64>,
) -> Result<Vec<Extent>, Error> {
    let device = storage.size()?;
    let len = zone.end - zone.start;
    match reencryption.protection(zone) {
        Resilience::None => Err(Error::Torn { offset: zone.start, len }),
        Resilience::Datashift { .. } => {
            reencryption.old_pieces(zone).iter().map(|piece| cold(keys, piece, device)).collect()
        }
        Resilience::Journal if headed.is_some() => Err(Error::Reencrypting),
        Resilience::Journal => {
            if len > reencryption.area.end - reencryption.area.start {
                return Err(Error::damaged("hot zone", format!("the journal has no room for its {len} bytes")));
            }
            Ok(vec![extent(&reencryption.old, keys.old, zone, reencryption.area.start)?])
        }
        Resilience::Checksum { hash, block } => {
            let sums = Sums::new(hash, *block)?;
            let ciphers = Ciphers::new(reencryption, keys)?;
            let saved = sums.read(headed.unwrap_or(storage), &reencryption.area, zone)?;
            let mut torn = Torn::default();
            let mut parts: Vec<(bool, Range<u64>)> = Vec::new();
            for at in (zone.start..zone.end).step_by(CHUNK as usize) {
                let place = bytes_of(&luks2::Segment {
                    offset: reencryption.new.segment.offset.saturating_add(at),
                    size: luks2::SegmentSize::Bytes((zone.end - at).min(CHUNK)),
                    ..reencryption.new.segment.clone()
                })?;
                if place.end > device {
                    return Err(Error::damaged("device", "the hot zone is cut off"));
                }
                let bytes = storage::read(storage, place.start, (place.end - place.start) as usize)?;
                let blocks = sums.blocks(&saved, zone, at, &bytes, &ciphers)?;
                torn.note(at, *block, &blocks);
                for (number, what) in blocks.into_iter().enumerate() {
                    let is_old = what == Block::Old;
                    let from = at + number as u64 * u64::from(*block);
                    match parts.last_mut() {
                        Some((last, range)) if *last == is_old => range.end += u64::from(*block),
                        _ => parts.push((is_old, from..from + u64::from(*block))),
                    }
                }
                if parts.len() > MAX_PARTS {
                    return Err(Error::Reencrypting);
                }
            }
            torn.none()?;
            let side = |is_old: bool| match is_old {
                true => (&reencryption.old, keys.old),
                false => (&reencryption.new, keys.new),
            };
            // Old and new blocks lie in the same place.
            let extents = parts.into_iter().map(|(is_old, range)| {
                let (side, key) = side(is_old);
                extent(side, key, &range, reencryption.new.segment.offset.saturating_add(range.start))
            });
            extents.collect()
        }
    }
}

/// A range of the data at some place of the device, either old or new.
fn extent(side: &Side, key: Option<&Key>, range: &Range<u64>, offset: u64) -> Result<Extent, Error> {
    let iv_offset = side.segment.iv_tweak.unwrap_or(0).wrapping_add(range.start / UNIT);
    Ok(Extent { offset, len: range.end - range.start, iv_offset, form: cipher(side, key)?.into() })
}
