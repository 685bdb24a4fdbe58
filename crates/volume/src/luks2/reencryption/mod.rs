//! The metadata of a reencryption that is under way (section 3 of the specification, "Online reencryption"; cryptsetup 2.4.3 and later, whose
//! requirement is `online-reencrypt-v2`).
//!
//! A key slot of the type `reencrypt` says the mode, the direction and the resilience. Its area has what protects the hot zone, which is the range
//! that is being rewritten. The segment with the flag `backup-previous` says how the data was, and the one with `backup-final` how it will be.
//! The other segments say how the data is now: a part that is done, the hot zone if there is one (`in-reencryption`), and a part that is to do.
//!
//! ```text
//! forward    │ done (new) │ hot zone │ to do (old) │
//! backward   │ to do (old) │ hot zone │ done (new) │
//! ```
//!
//! These other segments follow from the two backup segments and from the position that the reencryption has reached. A header whose segments
//! follow from no position is refused.
//!
//! A decryption that moves the data to the front has another order. Its first part, which was moved as it was to where the header is, is done last:
//!
//! ```text
//! first part (old) │ done (new) │ hot zone │ to do (old)
//! ```

mod kind;
mod segments;

use super::metadata::{Metadata, Segment, SegmentSize};
pub use kind::{Direction, Mode, Resilience};
use kind::{kind, resilience};
use segments::{FINAL, HOT, MOVED, PREVIOUS};
pub(crate) use segments::{Piece, Position, Side, TO_THE_END, set_final_segment, set_segments};
use std::ops::Range;

/// The type of a reencryption's key slot.
pub(crate) const KIND: &str = "reencrypt";

/// The requirements of a header under reencryption. The second is that of a decryption which moves the data.
const REQUIREMENT: &str = "online-reencrypt-v2";
const REQUIREMENT_3: &str = "online-reencrypt-v3";

/// A reencryption that is under way.
#[derive(Clone, Debug)]
pub struct Reencryption {
    /// What is done to the data.
    pub mode: Mode,
    /// The direction.
    pub direction: Direction,
    /// How the hot zone is protected.
    pub resilience: Resilience,
    /// The number of the key slot.
    pub(crate) slot: u32,
    /// The key slot's area.
    pub(crate) area: Range<u64>,
    /// The number in the requirement's name.
    pub(crate) version: u8,
    pub(crate) old: Side,
    pub(crate) new: Side,
    /// The place of the first bytes of the data, if they were moved to make room for the header, or to where the header was.
    pub(crate) moved: Option<Segment>,
    pub(crate) position: Position,
}

/// The version of the requirement of reencryption, if there is one; an error for other requirements.
fn version(required: &[String]) -> Result<Option<u8>, String> {
    match required {
        [] => Ok(None),
        [one] if one == REQUIREMENT => Ok(Some(2)),
        [one] if one == REQUIREMENT_3 => Ok(Some(3)),
        [first, ..] => Err(first.clone()),
    }
}

impl Metadata {
    /// The reencryption that is under way, if any. The metadata follows the rules: what breaks them is told when it is read.
    pub(crate) fn reencryption(&self) -> Option<Reencryption> {
        Reencryption::of(self).ok().flatten()
    }

    /// Whether all of the data has been decrypted, by a decryption that is finished.
    pub fn is_plain(&self) -> bool {
        self.reencryption().is_none()
            && !self.segments.is_empty()
            && self.segments.values().all(|segment| segment.encryption.is_none())
    }
}

impl Reencryption {
    /// Reads and checks the metadata's part that tells of a reencryption.
    pub(super) fn of(metadata: &Metadata) -> Result<Option<Self>, String> {
        // A requirement that is not known is refused where it matters: such a header can be printed.
        let Ok(version) = version(&metadata.config.requirements.mandatory) else { return Ok(None) };
        let without_flags = |segment: &Segment| Segment { flags: Vec::new(), ..segment.clone() };
        let flagged = |flag: &str| {
            let mut found = metadata.segments.iter().filter(|(_, segment)| segment.flags.iter().any(|f| f == flag));
            match (found.next(), found.next()) {
                (found, None) => Ok(found),
                (_, Some((id, _))) => Err(format!("segment {id}: another one has the flag {flag}")),
            }
        };
        let hot = flagged(HOT)?;
        let Some(version) = version else {
            return match hot {
                None => Ok(None),
                Some((id, _)) => Err(format!("segment {id} is in reencryption, and the requirement is missing")),
            };
        };
        let mut slots = metadata.keyslots.iter().filter(|(_, slot)| slot.kind == KIND);
        let (Some((slot, keyslot)), None) = (slots.next(), slots.next()) else {
            return Err(format!("it is under reencryption, and has not one key slot of the type {KIND}"));
        };
        let within = |reason: String| format!("key slot {slot}: {reason}");
        let (mode, direction) = kind(keyslot).map_err(within)?;
        let resilience = resilience(keyslot).map_err(within)?;
        let side = |flag| {
            let (id, segment) = flagged(flag)?.ok_or_else(|| format!("the segment {flag} is missing"))?;
            let mut digests = metadata.digests.iter().filter(|(_, digest)| digest.segments.contains(id));
            let digest = match (segment.kind.as_str(), digests.next(), digests.next()) {
                ("crypt", Some((digest, _)), None) => Some(*digest),
                ("linear", None, None) => None,
                _ => return Err(format!("segment {id}: neither plain nor encrypted with one key")),
            };
            if segment.integrity.is_some() {
                return Err(format!("segment {id}: sectors with tags cannot be reencrypted"));
            }
            Ok(Side { segment: without_flags(segment), digest })
        };
        let (old, new, moved) = (side(PREVIOUS)?, side(FINAL)?, flagged(MOVED)?.map(|(_, it)| without_flags(it)));
        let expected = match mode {
            Mode::Reencrypt => (true, true),
            Mode::Encrypt => (false, true),
            Mode::Decrypt => (true, false),
        };
        if (old.digest.is_some(), new.digest.is_some()) != expected {
            return Err(format!("the backup segments are not those of the mode {mode:?}").to_lowercase());
        }
        let sectors = old.segment.sector_size().max(new.segment.sector_size());
        if let Some((_, block)) = resilience.checksum()
            && block < sectors
        {
            return Err(format!("key slot {slot}: checksums of {block} bytes, and sectors have {sectors}"));
        }
        let area = keyslot.area.offset..keyslot.area.offset + keyslot.area.size;
        let position = Position { to_do: 0..0, hot: None, end: 0 };
        let mut made = Self { mode, direction, resilience, slot: *slot, area, version, old, new, moved, position };
        made.check_shift()?;
        made.position = made.place(metadata, hot.map(|(id, _)| *id))?;
        Ok(Some(made))
    }

    /// The requirement in the header.
    pub(crate) fn requirement(&self) -> &'static str {
        if self.version == 3 { REQUIREMENT_3 } else { REQUIREMENT }
    }

    /// Whether a zone was being written.
    pub fn is_hot(&self) -> bool {
        self.position.hot.is_some()
    }

    /// Checks that data is moved by the shift, if there is one, and not at all if there is none.
    fn check_shift(&self) -> Result<(), String> {
        let (from, to) = (self.old.segment.offset, self.new.segment.offset);
        let unknown = || Err("data is moved in a way that is not known".to_owned());
        match (&self.resilience, &self.moved) {
            (Resilience::Datashift { shift, first: protection }, Some(moved)) => {
                let first = match moved.size {
                    SegmentSize::Bytes(size) => size,
                    SegmentSize::Dynamic => return unknown(),
                };
                let shifts = match (self.mode, self.direction) {
                    (Mode::Encrypt, Direction::Backward) => {
                        moved.kind == "linear" && from == 0 && to == *shift && protection.is_none()
                    }
                    (Mode::Decrypt, Direction::Forward) => {
                        let there = Segment { offset: to, size: moved.size, ..self.old.segment.clone() };
                        *moved == there && to == 0 && from == *shift && protection.is_some() && self.version == 3
                    }
                    _ => false,
                };
                if shifts && first <= *shift { Ok(()) } else { unknown() }
            }
            (Resilience::Datashift { .. }, None) | (_, Some(_)) => unknown(),
            (_, None) if from != to => unknown(),
            (_, None) => Ok(()),
        }
    }

    /// The position from which the header's segments follow.
    fn place(&self, metadata: &Metadata, hot: Option<u32>) -> Result<Position, String> {
        let now: Vec<(u32, &Segment)> =
            metadata.segments.iter().filter(|(_, s)| !s.is_backup()).map(|(id, s)| (*id, s)).collect();
        let mut ends = vec![0u64];
        for (id, segment) in &now {
            let from = ends[ends.len() - 1];
            ends.push(match segment.size {
                SegmentSize::Dynamic => TO_THE_END,
                SegmentSize::Bytes(size) => {
                    from.checked_add(size).filter(|_| from != TO_THE_END).ok_or(format!("segment {id}: no end"))?
                }
            });
        }
        let end = ends[ends.len() - 1];
        let fits = |position: &Position| {
            let pieces = self.pieces(position);
            let digests = |id| -> Vec<u32> {
                metadata.digests.iter().filter(|(_, digest)| digest.segments.contains(&id)).map(|(id, _)| *id).collect()
            };
            let same = |(piece, (id, segment)): (&Piece, &(u32, &Segment))| {
                piece.segment == **segment && piece.digests == digests(*id)
            };
            now.iter().enumerate().all(|(place, (id, _))| place == *id as usize)
                && pieces.len() == now.len()
                && pieces.iter().zip(&now).all(same)
        };
        let candidates: Vec<Position> = match hot {
            Some(id) => {
                let place = now.iter().position(|(number, _)| *number == id).ok_or("a backup is in reencryption")?;
                let zone = ends[place]..ends[place + 1];
                if zone.end == TO_THE_END {
                    return Err(format!("segment {id}: the hot zone has no end"));
                }
                vec![self.position(zone.clone(), zone.end, end)]
            }
            None => ends.iter().map(|at| self.position(*at..*at, *at, end)).chain(self.only_first_left(end)).collect(),
        };
        let found = candidates.into_iter().find(fits);
        let sectors = self.sector();
        let cut = found.iter().flat_map(|found| found.hot.clone().map(|zone| [zone.start, zone.end])).flatten();
        if cut.into_iter().any(|at| !at.is_multiple_of(sectors)) {
            return Err("the hot zone cuts a sector".to_owned());
        }
        let hot = found.as_ref().and_then(|found| found.hot.as_ref());
        if let (Some(first), Some(zone)) = (self.first_is_last(), hot)
            && (zone.start < first) != (*zone == (0..first))
        {
            return Err("the hot zone is across the end of the first part".to_owned());
        }
        found.ok_or_else(|| "its segments are not those of any place that the reencryption can have reached".to_owned())
    }

    /// The place of the first part of the data if that is plain, and was moved to make room for the header.
    pub(crate) fn moved_plain(&self) -> Option<&Segment> {
        self.moved.as_ref().filter(|_| self.first_is_last().is_none())
    }

    /// The length of the first part of the data if it is done last, where it lies.
    pub(crate) fn first_is_last(&self) -> Option<u64> {
        match &self.moved {
            Some(Segment { size: SegmentSize::Bytes(size), .. }) if self.mode == Mode::Decrypt => Some(*size),
            _ => None,
        }
    }

    /// The position when the first part is left, if it is done last.
    fn only_first_left(&self, end: u64) -> Option<Position> {
        self.first_is_last().map(|first| Position { to_do: 0..first, hot: None, end })
    }

    /// Whether the position is one of a decryption whose first part is all that is left, or hot.
    fn is_at_first(&self, position: &Position) -> bool {
        let starts = |range: &Range<u64>| range.start == 0 && !range.is_empty();
        position.hot.as_ref().map_or(starts(&position.to_do), starts)
    }

    /// What protects a zone.
    pub(crate) fn protection(&self, zone: &Range<u64>) -> &Resilience {
        match &self.resilience {
            Resilience::Datashift { first: Some(first), .. } if zone.start == 0 => first,
            other => other,
        }
    }

    /// The position with the hot zone `zone`, which may be empty, in data that ends at byte `end`; behind the zone, byte `after` is the next.
    fn position(&self, zone: Range<u64>, after: u64, end: u64) -> Position {
        let to_do = match self.direction {
            Direction::Forward if self.first_is_last().is_some() && zone.start == 0 => 0..0,
            Direction::Forward => after..end,
            Direction::Backward => 0..zone.start,
        };
        Position { to_do, hot: Some(zone).filter(|zone| !zone.is_empty()), end }
    }

    /// The position with the hot zone `zone`. A zone that reaches to the end of the `size` bytes has nothing behind it.
    pub(crate) fn heated(&self, zone: Range<u64>, end: u64, size: u64) -> Position {
        self.position(zone.clone(), zone.end, if zone.end == size { size } else { end })
    }

    /// The position when the hot zone is done.
    pub(crate) fn cooled(&self, end: u64) -> Position {
        let Position { to_do, hot, .. } = &self.position;
        match self.only_first_left(end) {
            Some(left) if to_do.is_empty() && hot.as_ref().is_some_and(|hot| hot.start > 0) => left,
            _ => Position { hot: None, end, ..self.position.clone() },
        }
    }

    /// The larger sector of the two sides, in bytes.
    fn sector(&self) -> u64 {
        u64::from(self.old.segment.sector_size().max(self.new.segment.sector_size()))
    }

    /// The length that a hot zone is a multiple of: the larger sector of the two sides, or the block of a checksum if that is larger.
    pub(crate) fn granule(&self) -> u64 {
        let sectors = self.sector();
        match self.protection(&(0..0)) {
            Resilience::Checksum { block, .. } => sectors.max(u64::from(*block)),
            _ => sectors,
        }
    }

    /// Bytes of data on a device of `device` bytes whose end is its end.
    pub(crate) fn room(&self, device: u64) -> u64 {
        device.saturating_sub(self.old.segment.offset.max(self.new.segment.offset))
    }
}
