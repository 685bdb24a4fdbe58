//! Memory layouts of a text: in place or from one buffer to another, in one piece or in many, aligned or not. Guard
//! bytes around every piece reveal writes beyond its ends.

use crate::Text;
use std::ops::Range;

/// One way to lay out a text.
pub(super) struct Layout {
    /// The description in error messages, as in "encrypting, in place, failed".
    pub(super) name: &'static str,
    /// The position of the source.
    src: Pieces,
    /// The position of the destination; `None` for a text in place.
    dst: Option<Pieces>,
}

/// The position of one side of a text.
struct Pieces {
    /// The lengths of the pieces, repeated as often as needed; empty for a single piece.
    cuts: &'static [usize],
    /// The distance of the first piece from a 64-byte boundary, in bytes.
    offset: usize,
}

const fn one(offset: usize) -> Pieces {
    Pieces { cuts: &[], offset }
}

const fn cut(cuts: &'static [usize], offset: usize) -> Pieces {
    Pieces { cuts, offset }
}

/// The layouts under test. The first two are the simplest; a short test takes turns with the others.
pub(super) static LAYOUTS: &[Layout] = &[
    Layout { name: "out of place", src: one(0), dst: Some(one(0)) },
    Layout { name: "in place", src: one(0), dst: None },
    Layout { name: "in place, in odd pieces", src: cut(&[5, 33, 17, 0, 1, 100, 15], 0), dst: None },
    Layout { name: "out of place, misaligned", src: one(3), dst: Some(one(13)) },
    Layout {
        name: "out of place, cut differently",
        src: cut(&[7, 64, 129], 1),
        dst: Some(cut(&[19, 1, 130, 0, 31], 8)),
    },
    Layout { name: "in place, misaligned", src: one(1), dst: None },
    Layout { name: "in place, in whole blocks and a rest", src: cut(&[16, 48, 128, 512], 32), dst: None },
    Layout { name: "out of place, in long odd pieces", src: cut(&[257, 1], 0), dst: Some(one(0)) },
    Layout { name: "in place, byte by byte", src: cut(&[1], 63), dst: None },
];

/// The simplest layout: one source and one destination, both aligned.
pub(super) static PLAINEST: &Layout = &LAYOUTS[0];

/// The value of every byte outside the pieces.
const GUARD: u8 = 0xa5;

/// The number of guard bytes between pieces, and the least at the ends. It is odd, so that pieces are aligned
/// differently.
const GAP: usize = 19;

impl Layout {
    /// Lays out `input`, calls `f` with it, and returns what `f` has written.
    pub(super) fn pass(&self, input: &[u8], f: impl FnOnce(&mut Text<'_>)) -> Result<Vec<u8>, String> {
        let mut src = Buffer::new(&self.src, input.len());
        src.fill(input);
        let output = match &self.dst {
            None => {
                f(&mut Text::segments_or_one(src.pieces_mut()));
                src.gather()
            }
            Some(pieces) => {
                let mut dst = Buffer::new(pieces, input.len());
                f(&mut lists(src.pieces(), dst.pieces_mut()));
                if src.gather() != input {
                    return Err(format!("{}: the source was written to", self.name));
                }
                if !dst.guards_hold() {
                    return Err(format!("{}: something was written around the destination", self.name));
                }
                dst.gather()
            }
        };
        if src.guards_hold() {
            Ok(output)
        } else {
            Err(format!("{}: something was written around the text", self.name))
        }
    }

    /// The pieces of `data`, cut like the source.
    pub(super) fn cut<'d>(&self, data: &'d [u8]) -> Vec<&'d [u8]> {
        let mut rest = data;
        lengths(self.src.cuts, data.len())
            .map(|len| {
                let (piece, after) = rest.split_at(len);
                rest = after;
                piece
            })
            .collect()
    }
}

fn lists<'a>(src: Vec<&'a [u8]>, dst: Vec<&'a mut [u8]>) -> Text<'a> {
    match (<[_; 1]>::try_from(src), <[_; 1]>::try_from(dst)) {
        (Ok([src]), Ok([dst])) => Text::new(src, dst),
        (src, dst) => {
            let src = src.map_or_else(|list| list, Vec::from);
            Text::lists(src, dst.map_or_else(|list| list, Vec::from))
        }
    }
    .expect("source and destination have the same length")
}

impl<'a> Text<'a> {
    /// A text in place. A list of one piece becomes a text in one piece.
    fn segments_or_one(pieces: Vec<&'a mut [u8]>) -> Self {
        match <[_; 1]>::try_from(pieces) {
            Ok([piece]) => Self::from(piece),
            Err(pieces) => Self::segments_in_place(pieces),
        }
    }
}

/// The lengths of the pieces of a text of `total` bytes.
fn lengths(cuts: &[usize], total: usize) -> impl Iterator<Item = usize> {
    let mut cuts = cuts.iter().cycle();
    let mut left = Some(total);
    std::iter::from_fn(move || {
        let len = cuts.next().map_or(left?, |&cut| cut.min(left.unwrap_or(0)));
        left = left?.checked_sub(len).filter(|&rest| rest > 0);
        Some(len)
    })
}

/// Memory that contains pieces and guard bytes around them.
struct Buffer {
    bytes: Vec<u8>,
    pieces: Vec<Range<usize>>,
}

impl Buffer {
    fn new(layout: &Pieces, len: usize) -> Self {
        let lengths: Vec<usize> = lengths(layout.cuts, len).collect();
        let bytes = vec![GUARD; len + GAP * (lengths.len() + 1) + 3 * 64];
        let boundary = (bytes.as_ptr() as usize + GAP).wrapping_neg() % 64;
        let mut at = GAP + boundary + layout.offset;
        let pieces = lengths.into_iter().map(|len| {
            let piece = at..at + len;
            at = piece.end + GAP;
            piece
        });
        Self { pieces: pieces.collect(), bytes }
    }

    fn pieces(&self) -> Vec<&[u8]> {
        self.pieces.iter().map(|piece| &self.bytes[piece.clone()]).collect()
    }

    fn pieces_mut(&mut self) -> Vec<&mut [u8]> {
        let (mut rest, mut at) = (&mut self.bytes[..], 0);
        let mut pieces = Vec::with_capacity(self.pieces.len());
        for Range { start, end } in self.pieces.iter().cloned() {
            let (front, back) = rest.split_at_mut(end - at);
            pieces.push(&mut front[start - at..]);
            (rest, at) = (back, end);
        }
        pieces
    }

    fn fill(&mut self, mut data: &[u8]) {
        for piece in self.pieces_mut() {
            let (front, rest) = data.split_at(piece.len());
            piece.copy_from_slice(front);
            data = rest;
        }
    }

    fn gather(&self) -> Vec<u8> {
        self.pieces().concat()
    }

    fn guards_hold(&self) -> bool {
        let ends = self.pieces.iter().map(|piece| piece.end);
        let starts = self.pieces.iter().map(|piece| piece.start).chain([self.bytes.len()]);
        [0].into_iter().chain(ends).zip(starts).all(|(from, to)| self.bytes[from..to].iter().all(|&b| b == GUARD))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add_one(text: &mut Text<'_>) {
        while let Some(mut run) = text.next(1, 0) {
            let sum: Vec<u8> = run.src().iter().map(|b| b.wrapping_add(1)).collect();
            run.put(0, &sum);
        }
    }

    #[test]
    fn what_goes_in_comes_out_changed() {
        for len in (0..70).chain([500, 1111]) {
            let input: Vec<u8> = (0..len).map(|i| i as u8).collect();
            let want: Vec<u8> = input.iter().map(|b| b.wrapping_add(1)).collect();
            for layout in LAYOUTS {
                assert_eq!(layout.pass(&input, add_one).as_ref(), Ok(&want), "{} {len}", layout.name);
                assert_eq!(layout.cut(&input).concat(), input);
            }
        }
    }

    #[test]
    fn pieces_are_as_declared() {
        let of = |cuts, total| lengths(cuts, total).collect::<Vec<_>>();
        assert_eq!(of(&[], 7), [7]);
        assert_eq!(of(&[], 0), [0]);
        assert_eq!(of(&[5, 0, 3], 7), [5, 0, 2]);
        assert_eq!(of(&[5, 0, 3], 14), [5, 0, 3, 5, 0, 1]);
        let buffer = Buffer::new(&cut(&[1], 63), 3);
        assert_eq!(buffer.pieces.len(), 3);
        assert_eq!((buffer.bytes.as_ptr() as usize + buffer.pieces[0].start) % 64, 63);
    }

    #[test]
    fn a_stray_byte_is_seen() {
        let mut buffer = Buffer::new(&cut(&[4, 2], 5), 9);
        assert!(buffer.guards_hold());
        for at in [0, buffer.pieces[0].end, buffer.pieces[2].start - 1, buffer.bytes.len() - 1] {
            buffer.bytes[at] ^= 1;
            assert!(!buffer.guards_hold(), "{at}");
            buffer.bytes[at] ^= 1;
        }
    }
}
