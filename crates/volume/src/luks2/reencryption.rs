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

use super::metadata::{Area, Keyslot, Metadata, Segment, SegmentSize};
use crate::crypt::{UNIT, is_sector_size};
use serde_json::{Value, json};
use std::ops::Range;

/// The type of a reencryption's key slot.
pub(crate) const KIND: &str = "reencrypt";

/// The flags of segments.
const HOT: &str = "in-reencryption";
const PREVIOUS: &str = "backup-previous";
const FINAL: &str = "backup-final";
const MOVED: &str = "backup-moved-segment";

/// The requirements of a header under reencryption. The second is that of a decryption which moves the data.
const REQUIREMENT: &str = "online-reencrypt-v2";
const REQUIREMENT_3: &str = "online-reencrypt-v3";

/// Stands for the end of data that reaches to the end of the device.
pub(crate) const TO_THE_END: u64 = u64::MAX;

/// What is done to the data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Another key, cipher or sector size.
    Reencrypt,
    /// Plaintext becomes ciphertext.
    Encrypt,
    /// Ciphertext becomes plaintext.
    Decrypt,
}

/// Where a reencryption begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// At the first byte.
    Forward,
    /// At the last byte.
    Backward,
}

/// How the hot zone is protected from a crash.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Resilience {
    /// It is not protected.
    None,
    /// By a copy of the old bytes, in the key slot's area.
    Journal,
    /// By checksums of the old bytes, in the key slot's area. They show which blocks are still old.
    Checksum {
        /// The hash.
        hash: String,
        /// Bytes of a block, which the disk must write as a whole or not at all.
        block: u32,
    },
    /// By a shift of the data: the new bytes are written behind the old ones, to a place whose bytes are not needed any more.
    Datashift {
        /// So many bytes.
        shift: u64,
        /// How the first part of the data is protected that is decrypted where it lies.
        first: Option<Box<Self>>,
    },
}

/// The data as it was, or as it will be.
#[derive(Clone, Debug)]
pub(crate) struct Side {
    /// The backup segment.
    pub segment: Segment,
    /// The digest of the key, if this side is encrypted.
    pub digest: Option<u32>,
}

/// How far a reencryption has come, as ranges of the plaintext.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Position {
    /// The range that is still old. It is empty at the end.
    pub to_do: Range<u64>,
    /// The range that is being rewritten.
    pub hot: Option<Range<u64>>,
    /// The end of the data, or [`TO_THE_END`].
    pub end: u64,
}

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
            Ok(Side { segment: segment.clone(), digest })
        };
        let (old, new, moved) = (side(PREVIOUS)?, side(FINAL)?, flagged(MOVED)?.map(|(_, segment)| segment.clone()));
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
                        let like_old = Segment { flags: Vec::new(), ..self.old.segment.clone() };
                        let there = Segment { offset: to, size: moved.size, ..like_old };
                        let is_there = Segment { flags: Vec::new(), ..moved.clone() } == there;
                        is_there && to == 0 && from == *shift && protection.is_some() && self.version == 3
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
        let sectors = u64::from(self.old.segment.sector_size().max(self.new.segment.sector_size()));
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

    /// The segments that follow from a position, with the digests of their keys.
    pub(crate) fn pieces(&self, position: &Position) -> Vec<Piece> {
        let Position { to_do, hot, end } = position;
        if let Some(first) = self.first_is_last() {
            return self.pieces_of_a_move(first, position);
        }
        let done = match self.direction {
            Direction::Forward => 0..hot.as_ref().map_or(to_do.start, |hot| hot.start),
            Direction::Backward => hot.as_ref().map_or(to_do.end, |hot| hot.end)..*end,
        };
        let old = self.old_pieces(to_do);
        let new = self.new_piece(&done, &[]).filter(|_| !done.is_empty());
        let zone = hot.as_ref().and_then(|hot| self.new_piece(hot, &[HOT])).map(|mut piece| {
            if self.mode == Mode::Reencrypt {
                piece.digests.extend(self.old.digest);
                piece.digests.sort_unstable();
                piece.digests.dedup();
            }
            piece
        });
        match self.direction {
            Direction::Forward => new.into_iter().chain(zone).chain(old).collect(),
            Direction::Backward => old.into_iter().chain(zone).chain(new).collect(),
        }
    }

    /// The segments of a decryption whose first part is done last.
    fn pieces_of_a_move(&self, first: u64, position: &Position) -> Vec<Piece> {
        let Position { to_do, hot, end } = position;
        let new = |range: Range<u64>| self.new_piece(&range, &[]).filter(|_| !range.is_empty());
        let zone = hot.as_ref().and_then(|hot| self.new_piece(hot, &[HOT]));
        if to_do.is_empty() && hot.is_none() {
            return new(0..*end).into_iter().collect();
        }
        if self.is_at_first(position) {
            return self.old_pieces(to_do).into_iter().chain(zone).chain(new(first..*end)).collect();
        }
        let done = first..hot.as_ref().map_or(to_do.start, |hot| hot.start);
        let before = self.old_pieces(&(0..first)).into_iter().chain(new(done));
        before.chain(zone).chain(self.old_pieces(to_do)).collect()
    }

    fn new_piece(&self, range: &Range<u64>, flags: &[&str]) -> Option<Piece> {
        self.new.piece(range, flags).map(|piece| Piece { is_new: true, ..piece })
    }

    /// The places of old data. It is in one piece, unless its first bytes were moved.
    pub(crate) fn old_pieces(&self, range: &Range<u64>) -> Vec<Piece> {
        if range.is_empty() {
            return Vec::new();
        }
        let Some(moved) = &self.moved else { return self.old.piece(range, &[]).into_iter().collect() };
        let first = match moved.size {
            SegmentSize::Bytes(size) => size,
            SegmentSize::Dynamic => 0,
        };
        let digest = self.old.digest;
        let side = Side { segment: Segment { flags: Vec::new(), ..moved.clone() }, digest };
        let (front, back) = (range.start..range.end.min(first), range.start.max(first)..range.end);
        let front = side.piece(&front, &[]).filter(|_| !front.is_empty());
        let back = self.old.piece(&back, &[]).filter(|_| !back.is_empty());
        front.into_iter().chain(back).collect()
    }

    /// The length that a hot zone is a multiple of: the larger sector of the two sides, or the block of a checksum if that is larger.
    pub(crate) fn granule(&self) -> u64 {
        let sectors = u64::from(self.old.segment.sector_size().max(self.new.segment.sector_size()));
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

/// A segment of the data as it is now.
pub(crate) struct Piece {
    pub segment: Segment,
    /// The digests that list it, in their order.
    pub digests: Vec<u32>,
    /// Whether the data in it is new.
    pub is_new: bool,
}

impl Side {
    /// The segment of a range of the plaintext; none if it would begin behind 2^64 bytes.
    fn piece(&self, range: &Range<u64>, flags: &[&str]) -> Option<Piece> {
        let segment = Segment {
            offset: self.segment.offset.checked_add(range.start)?,
            size: match range.end {
                TO_THE_END => SegmentSize::Dynamic,
                end => SegmentSize::Bytes(end.checked_sub(range.start)?),
            },
            iv_tweak: match self.segment.iv_tweak {
                Some(tweak) => Some(tweak.checked_add(range.start / UNIT)?),
                None => None,
            },
            flags: flags.iter().map(|flag| (*flag).to_owned()).collect(),
            ..self.segment.clone()
        };
        Some(Piece { segment, digests: self.digest.into_iter().collect(), is_new: false })
    }
}

fn kind(slot: &Keyslot) -> Result<(Mode, Direction), String> {
    let mode = match slot.mode.as_deref() {
        Some("reencrypt") => Mode::Reencrypt,
        Some("encrypt") => Mode::Encrypt,
        Some("decrypt") => Mode::Decrypt,
        other => return Err(format!("its mode is `{}`", other.unwrap_or_default())),
    };
    let direction = match slot.direction.as_deref() {
        Some("forward") => Direction::Forward,
        Some("backward") => Direction::Backward,
        other => return Err(format!("its direction is `{}`", other.unwrap_or_default())),
    };
    Ok((mode, direction))
}

fn resilience(slot: &Keyslot) -> Result<Resilience, String> {
    let area = &slot.area;
    of_kind(area, &area.kind)
}

fn of_kind(area: &Area, kind: &str) -> Result<Resilience, String> {
    match kind {
        "none" => Ok(Resilience::None),
        "journal" => Ok(Resilience::Journal),
        "checksum" => {
            let (Some(hash), Some(block)) = (&area.hash, area.sector_size) else {
                return Err("its area's hash or sector_size is missing".to_owned());
            };
            match is_sector_size(u64::from(block)) {
                true => Ok(Resilience::Checksum { hash: hash.clone(), block }),
                false => Err(format!("checksums of {block} bytes; expected 512, 1024, 2048 or 4096")),
            }
        }
        "datashift" | "datashift-checksum" | "datashift-journal" => match area.shift_size {
            Some(shift) if shift > 0 && shift.is_multiple_of(UNIT) => {
                let first = kind.strip_prefix("datashift-").map(|kind| of_kind(area, kind).map(Box::new));
                Ok(Resilience::Datashift { shift, first: first.transpose()? })
            }
            shift => Err(format!("the data is shifted by {} bytes", shift.unwrap_or(0))),
        },
        other => Err(format!("the resilience `{other}` is not supported")),
    }
}

impl Mode {
    /// The name in the metadata.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reencrypt => "reencrypt",
            Self::Encrypt => "encrypt",
            Self::Decrypt => "decrypt",
        }
    }
}

impl Direction {
    /// The name in the metadata.
    pub fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Backward => "backward",
        }
    }
}

impl Resilience {
    /// The name in the metadata.
    pub fn name(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Journal => "journal",
            Self::Checksum { .. } => "checksum",
            Self::Datashift { first, .. } => match first.as_deref() {
                Some(Self::Checksum { .. }) => "datashift-checksum",
                Some(Self::Journal) => "datashift-journal",
                _ => "datashift",
            },
        }
    }

    /// The hash and the block of checksums, also of those that protect a first part alone.
    pub(crate) fn checksum(&self) -> Option<(&str, u32)> {
        match self {
            Self::Checksum { hash, block } => Some((hash, *block)),
            Self::Datashift { first, .. } => first.as_ref().and_then(|first| first.checksum()),
            Self::None | Self::Journal => None,
        }
    }

    /// The key slot's area.
    pub(crate) fn area(&self, range: &Range<u64>) -> Value {
        let mut area = json!({
            "type": self.name(),
            "offset": range.start.to_string(),
            "size": (range.end - range.start).to_string(),
        });
        if let Some((hash, block)) = self.checksum() {
            area["hash"] = hash.into();
            area["sector_size"] = block.into();
        }
        if let Self::Datashift { shift, .. } = self {
            area["shift_size"] = shift.to_string().into();
        }
        area
    }
}

/// A segment as it stands in the metadata.
pub(crate) fn segment_json(segment: &Segment) -> Value {
    let mut json = json!({
        "type": segment.kind,
        "offset": segment.offset.to_string(),
        "size": match segment.size {
            SegmentSize::Dynamic => "dynamic".to_owned(),
            SegmentSize::Bytes(size) => size.to_string(),
        },
    });
    if let (Some(encryption), Some(tweak)) = (&segment.encryption, segment.iv_tweak) {
        json["encryption"] = encryption.as_str().into();
        json["iv_tweak"] = tweak.to_string().into();
        json["sector_size"] = segment.sector_size().into();
    }
    if !segment.flags.is_empty() {
        json["flags"] = segment.flags.clone().into();
    }
    json
}

/// The JSON of segments and of the digests' lists for a reencryption at its position: `segments` is made anew, and every digest loses
/// the segments that it had.
pub(crate) fn set_segments(json: &mut Value, reencryption: &Reencryption) {
    let flagged = |segment: &Segment, flag: &str| Segment { flags: vec![flag.to_owned()], ..segment.clone() };
    let mut all = reencryption.pieces(&reencryption.position);
    for (side, flag) in [(&reencryption.old, PREVIOUS), (&reencryption.new, FINAL)] {
        all.push(Piece {
            segment: flagged(&side.segment, flag),
            digests: side.digest.into_iter().collect(),
            is_new: false,
        });
    }
    let moved = reencryption.moved.iter().map(|moved| flagged(moved, MOVED));
    let digests: Vec<u32> = reencryption.old.digest.into_iter().collect();
    all.extend(moved.map(|segment| Piece { segment, digests: digests.clone(), is_new: false }));
    set_pieces(json, &all);
}

/// The JSON of segments and of the digests' lists when all is done.
pub(crate) fn set_final_segment(json: &mut Value, reencryption: &Reencryption) {
    let new = &reencryption.new;
    let segment = Segment { flags: Vec::new(), ..new.segment.clone() };
    set_pieces(json, &[Piece { segment, digests: new.digest.into_iter().collect(), is_new: true }]);
}

/// The JSON of segments and of the digests' lists.
fn set_pieces(json: &mut Value, pieces: &[Piece]) {
    let numbered = || pieces.iter().enumerate();
    json["segments"] = numbered().map(|(id, piece)| (id.to_string(), segment_json(&piece.segment))).collect();
    for (number, digest) in json["digests"].as_object_mut().into_iter().flatten() {
        let number: Option<u32> = number.parse().ok();
        let of_it = numbered().filter(|(_, piece)| number.is_some_and(|number| piece.digests.contains(&number)));
        digest["segments"] = of_it.map(|(id, _)| id.to_string()).collect();
    }
}
