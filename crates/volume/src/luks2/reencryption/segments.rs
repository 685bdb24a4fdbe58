//! The segments of a header under reencryption, which follow from its position.

use super::{Direction, Mode, Reencryption};
use crate::crypt::UNIT;
use crate::luks2::metadata::{Segment, SegmentSize};
use serde_json::{Value, json};
use std::ops::Range;

/// The flags of segments.
pub(super) const HOT: &str = "in-reencryption";
pub(super) const PREVIOUS: &str = "backup-previous";
pub(super) const FINAL: &str = "backup-final";
pub(super) const MOVED: &str = "backup-moved-segment";

/// Stands for the end of data that reaches to the end of the device.
pub(crate) const TO_THE_END: u64 = u64::MAX;

/// The data as it was, or as it will be.
#[derive(Clone, Debug)]
pub(crate) struct Side {
    /// The backup segment, without its flag.
    pub segment: Segment,
    /// The digest of the key, if this side is encrypted.
    pub digest: Option<u32>,
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

/// A segment of the data as it is now.
pub(crate) struct Piece {
    pub segment: Segment,
    /// The digests that list it, in their order.
    pub digests: Vec<u32>,
    /// Whether the data in it is new.
    pub is_new: bool,
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

impl Reencryption {
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
        let side = Side { segment: moved.clone(), digest: self.old.digest };
        let (front, back) = (range.start..range.end.min(first), range.start.max(first)..range.end);
        let front = side.piece(&front, &[]).filter(|_| !front.is_empty());
        let back = self.old.piece(&back, &[]).filter(|_| !back.is_empty());
        front.into_iter().chain(back).collect()
    }
}

/// A segment as it stands in the metadata.
fn segment_json(segment: &Segment) -> Value {
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
    set_pieces(
        json,
        &[Piece { segment: new.segment.clone(), digests: new.digest.into_iter().collect(), is_new: true }],
    );
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
