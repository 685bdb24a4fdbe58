//! The text of a request: one buffer or a list of segments.

use algkit_primitives::InOut;
use std::fmt;
use zeroize::Zeroize;

use crate::Error;

/// The largest granule of a run, in bytes, and the largest tail.
pub(crate) const MAX_GRANULE: usize = 64;

/// The longest run that [`Text::next`] gathers from several segments, in bytes.
const BOUNCE: usize = 128;

/// The text that a request encrypts or decrypts: a source and a destination of equal length, in one piece or in
/// segments with arbitrary boundaries.
///
/// A driver takes it as runs of whole blocks with [`Text::next`]. A block that straddles segments is gathered into
/// a small buffer and written back when the driver asks for the next run.
///
/// ```
/// use algkit::Text;
/// let (mut a, mut b) = ([0u8; 5], [0u8; 27]);
/// let text = Text::segments_in_place([&mut a[..], &mut b[..]]);
/// assert_eq!(text.len(), 32);
/// ```
///
/// A buffer that is changed in place needs no name of its own: a call takes a slice, an array or a vector.
///
/// ```
/// let ctr = algkit::skcipher("ctr(aes)")?.key(&[1; 16])?;
/// let (mut array, mut vector) = ([0; 20], vec![0; 20]);
/// ctr.encrypt(&mut [0; 16], &mut array)?;
/// ctr.encrypt(&mut [0; 16], &mut vector)?;
/// ctr.decrypt(&mut [0; 16], &mut vector[..20])?;
/// assert_eq!((vector, array != [0; 20]), (vec![0; 20], true));
/// # Ok::<(), algkit::Error>(())
/// ```
#[derive(Debug)]
pub struct Text<'a>(Kind<'a>);

/// A text in one piece is two buffers and a count and needs no `drop`, because a short request pays for every word
/// of it.
#[derive(Debug)]
enum Kind<'a> {
    Whole { io: InOut<'a>, left: usize },
    Segments(Box<Segments<'a>>),
}

/// A text in segments and the position of the next run.
#[derive(Debug)]
struct Segments<'a> {
    parts: Vec<InOut<'a>>,
    len: usize,
    left: usize,
    cursor: Cursor,
    bounce: Bounce,
}

/// A position in the list: `offset` bytes into part `part`.
#[derive(Clone, Copy, Default, Debug)]
struct Cursor {
    part: usize,
    offset: usize,
}

/// A run of `filled` bytes that was gathered from several parts. It is written back at `home`.
struct Bounce {
    bytes: [u8; BOUNCE],
    filled: usize,
    home: Cursor,
}

impl fmt::Debug for Bounce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bounce({} bytes)", self.filled)
    }
}

impl Drop for Segments<'_> {
    fn drop(&mut self) {
        self.flush();
    }
}

impl<'a> From<&'a mut [u8]> for Text<'a> {
    #[inline]
    fn from(buf: &'a mut [u8]) -> Self {
        Self::from(InOut::from(buf))
    }
}

impl<'a, const N: usize> From<&'a mut [u8; N]> for Text<'a> {
    #[inline]
    fn from(buf: &'a mut [u8; N]) -> Self {
        Self::from(&mut buf[..])
    }
}

impl<'a> From<&'a mut Vec<u8>> for Text<'a> {
    #[inline]
    fn from(buf: &'a mut Vec<u8>) -> Self {
        Self::from(&mut buf[..])
    }
}

impl<'a> From<InOut<'a>> for Text<'a> {
    #[inline]
    fn from(io: InOut<'a>) -> Self {
        let left = io.len();
        Self(Kind::Whole { io, left })
    }
}

impl<'a> Text<'a> {
    /// A text with source `src` and destination `dst`, which must have the same length.
    #[inline]
    pub fn new(src: &'a [u8], dst: &'a mut [u8]) -> Result<Self, Error> {
        InOut::new(src, dst).map(Self::from).map_err(|e| Error::OutputLength { got: e.dst, want: e.src })
    }

    /// A list of segments, each with its own source and destination.
    pub fn segments(parts: Vec<InOut<'a>>) -> Self {
        let len = parts.iter().map(InOut::len).sum();
        let bounce = Bounce { bytes: [0; BOUNCE], filled: 0, home: Cursor::default() };
        Self(Kind::Segments(Box::new(Segments { parts, len, left: len, cursor: Cursor::default(), bounce })))
    }

    /// A list of segments, each changed in place.
    pub fn segments_in_place(parts: impl IntoIterator<Item = &'a mut [u8]>) -> Self {
        Self::segments(parts.into_iter().map(InOut::from).collect())
    }

    /// A list of sources and a list of destinations of the same total length; their boundaries need
    /// not coincide.
    pub fn lists(
        src: impl IntoIterator<Item = &'a [u8]>,
        dst: impl IntoIterator<Item = &'a mut [u8]>,
    ) -> Result<Self, Error> {
        let (src, dst): (Vec<_>, Vec<_>) = (src.into_iter().collect(), dst.into_iter().collect());
        // The same source may be there more than once.
        let want = src.iter().fold(0, |sum: usize, s| sum.saturating_add(s.len()));
        let got = dst.iter().map(|d| d.len()).sum();
        if want != got {
            return Err(Error::OutputLength { got, want });
        }
        let mut parts = Vec::with_capacity(src.len() + dst.len());
        let mut dst = dst.into_iter();
        let mut room: &mut [u8] = &mut [];
        for mut s in src {
            while !s.is_empty() {
                while room.is_empty() {
                    room = dst.next().expect("the totals are equal");
                }
                let n = s.len().min(room.len());
                let (from, s_rest) = s.split_at(n);
                let (to, room_rest) = room.split_at_mut(n);
                parts.push(InOut::new(from, to).expect("n bytes each"));
                (s, room) = (s_rest, room_rest);
            }
        }
        Ok(Self::segments(parts))
    }

    /// A new text over the same buffers, from the beginning.
    pub(crate) fn reborrow(&mut self) -> Text<'_> {
        match &mut self.0 {
            Kind::Whole { io, .. } => Text::from(io.reborrow()),
            Kind::Segments(segments) => {
                segments.flush();
                Text::segments(segments.parts.iter_mut().map(InOut::reborrow).collect())
            }
        }
    }

    /// The length in bytes.
    #[inline]
    pub fn len(&self) -> usize {
        match &self.0 {
            Kind::Whole { io, .. } => io.len(),
            Kind::Segments(segments) => segments.len,
        }
    }

    /// Whether the length is 0.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of bytes that [`Text::next`] has not given out yet.
    #[inline]
    pub fn left(&self) -> usize {
        match &self.0 {
            Kind::Whole { left, .. } => *left,
            Kind::Segments(segments) => segments.left,
        }
    }

    /// Whether [`Text::whole`] would return a text.
    #[inline]
    pub(crate) fn is_whole(&self) -> bool {
        matches!(&self.0, Kind::Whole { io, left } if *left == io.len())
    }

    /// The whole text, if it is in one piece and none of it has been given out.
    #[inline]
    pub fn whole(&mut self) -> Option<InOut<'_>> {
        match &mut self.0 {
            Kind::Whole { io, left } if *left == io.len() => {
                *left = 0;
                Some(io.reborrow().split_at(0).1) // rebuilt from its fields, as in `next`
            }
            _ => None,
        }
    }

    /// Like [`Text::whole`], but with the text's own lifetime. If it is not whole, the text is returned unchanged.
    #[inline(always)]
    pub(crate) fn into_whole(self) -> Result<InOut<'a>, Self> {
        match self.0 {
            Kind::Whole { io, left } if left == io.len() => Ok(io),
            kind => Err(Self(kind)),
        }
    }

    /// The next run of the text; `None` after the last.
    ///
    /// Every run but the last is a multiple of `granule` bytes and leaves at least `tail` bytes for the last. A text in one
    /// piece is one run.
    ///
    /// # Panics
    /// It may, unless `granule` is 1 to 64 and `tail` at most 64.
    #[inline]
    pub fn next(&mut self, granule: usize, tail: usize) -> Option<InOut<'_>> {
        debug_assert!((1..=MAX_GRANULE).contains(&granule) && tail <= MAX_GRANULE);
        match &mut self.0 {
            Kind::Whole { io, left } => {
                let at = io.len() - std::mem::take(left);
                (at < io.len()).then(|| io.reborrow().split_at(at).1)
            }
            // `split_at` rebuilds the run from its fields. The result of `next_run` lives in memory. If the
            // returned run shared that memory, it would be copied by vector loads of fields that were just stored
            // one by one, which stalls a short request by 5 to 20 ns.
            Kind::Segments(segments) => segments.next_run(granule, tail).map(|run| run.split_at(0).1),
        }
    }

    /// Starts again at the beginning, for modes that pass over the text twice.
    ///
    /// In place, the second pass reads what the first has written.
    pub fn rewind(&mut self) {
        match &mut self.0 {
            Kind::Whole { io, left } => *left = io.len(),
            Kind::Segments(segments) => {
                segments.flush();
                segments.cursor = Cursor::default();
                segments.left = segments.len;
            }
        }
    }

    /// The source of each segment, in order.
    pub fn sources(&mut self) -> impl Iterator<Item = &[u8]> {
        self.parts().iter().map(InOut::src)
    }

    /// The destination of each segment, in order, with what has been written so far.
    pub fn destinations(&mut self) -> impl Iterator<Item = &[u8]> {
        self.parts().iter().map(InOut::written)
    }

    /// Splits the text after `mid` bytes. For segments this allocates two lists.
    ///
    /// # Panics
    /// If the text is shorter than `mid`.
    pub(crate) fn split_at(&mut self, mid: usize) -> (Text<'_>, Text<'_>) {
        match &mut self.0 {
            Kind::Whole { io, .. } => {
                let (front, back) = io.reborrow().split_at(mid);
                (Text::from(front), Text::from(back))
            }
            Kind::Segments(segments) => {
                segments.flush();
                let (mut front, mut back, mut rest) = (Vec::new(), Vec::new(), mid);
                for part in &mut segments.parts {
                    let at = part.len().min(rest);
                    let (before, behind) = part.reborrow().split_at(at);
                    rest -= at;
                    front.push(before);
                    back.push(behind);
                }
                assert_eq!(rest, 0, "split past the end");
                (Text::segments(front), Text::segments(back))
            }
        }
    }

    /// The destination as a text to be changed in place.
    pub(crate) fn destination(&mut self) -> Text<'_> {
        match &mut self.0 {
            Kind::Whole { io, .. } => Text::from(io.dst()),
            Kind::Segments(segments) => {
                segments.flush();
                Text::segments_in_place(segments.parts.iter_mut().map(InOut::dst))
            }
        }
    }

    /// Copies the source to `bytes`, which must have the same length.
    pub(crate) fn read(&mut self, bytes: &mut [u8]) {
        let mut at = 0;
        for part in self.sources() {
            bytes[at..at + part.len()].copy_from_slice(part);
            at += part.len();
        }
    }

    /// Writes `bytes`, which must have the same length, to the destination.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        let mut at = 0;
        for part in self.parts() {
            let len = part.len();
            part.put(0, &bytes[at..at + len]);
            at += len;
        }
    }

    /// Copies the source to the destination.
    pub fn copy(&mut self) {
        self.parts().iter_mut().for_each(InOut::copy);
    }

    /// Overwrites the destination with zeros.
    pub fn wipe(&mut self) {
        self.parts().iter_mut().for_each(|part| part.dst().zeroize());
    }

    /// All segments, after a gathered run was written back.
    fn parts(&mut self) -> &mut [InOut<'a>] {
        match &mut self.0 {
            Kind::Whole { io, .. } => std::slice::from_mut(io),
            Kind::Segments(segments) => {
                segments.flush();
                &mut segments.parts
            }
        }
    }
}

impl Segments<'_> {
    fn next_run(&mut self, granule: usize, tail: usize) -> Option<InOut<'_>> {
        self.flush();
        if self.left == 0 {
            return None;
        }
        let parts = &mut self.parts;
        while self.cursor.offset == parts[self.cursor.part].len() {
            self.cursor = Cursor { part: self.cursor.part + 1, offset: 0 };
        }
        let here = parts[self.cursor.part].len() - self.cursor.offset;
        let before_tail = self.left.saturating_sub(tail.max(1)) / granule * granule;
        let direct = if here == self.left { here } else { before_tail.min(here / granule * granule) };
        if direct > 0 {
            let Cursor { part, offset } = self.cursor;
            self.cursor.offset += direct;
            self.left -= direct;
            return Some(parts[part].reborrow().split_at(offset).1.split_at(direct).0);
        }
        // The run straddles parts: one granule, or whatever the last run is.
        let n = if before_tail == 0 { self.left } else { granule };
        let home = self.cursor;
        let bounce = &mut self.bounce;
        self.cursor = for_pieces(parts, home, n, |piece, at| {
            bounce.bytes[at..at + piece.len()].copy_from_slice(piece.src());
        });
        (bounce.filled, bounce.home) = (n, home);
        self.left -= n;
        Some(InOut::from(&mut bounce.bytes[..n]))
    }

    /// Writes a gathered run back to its segments.
    fn flush(&mut self) {
        let bounce = &mut self.bounce;
        let n = std::mem::take(&mut bounce.filled);
        for_pieces(&mut self.parts, bounce.home, n, |mut piece, at| {
            let len = piece.len();
            piece.dst().copy_from_slice(&bounce.bytes[at..at + len]);
        });
        bounce.bytes[..n].zeroize();
    }
}

/// Calls `f` with each piece of the `n` bytes that start at `cursor`, and with the piece's offset in the run.
/// Returns the position after the last piece.
fn for_pieces(parts: &mut [InOut<'_>], mut cursor: Cursor, n: usize, mut f: impl FnMut(InOut<'_>, usize)) -> Cursor {
    let mut at = 0;
    while at < n {
        let part = &mut parts[cursor.part];
        let len = (part.len() - cursor.offset).min(n - at);
        f(part.reborrow().split_at(cursor.offset).1.split_at(len).0, at);
        at += len;
        cursor.offset += len;
        if at < n {
            cursor = Cursor { part: cursor.part + 1, offset: 0 };
        }
    }
    cursor
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds 1 to every byte, run by run, and checks the promises about runs.
    fn add_one(mut text: Text<'_>, granule: usize, tail: usize) {
        while let Some(mut run) = text.next(granule, tail) {
            let out: Vec<u8> = run.src().iter().map(|b| b + 1).collect();
            run.put(0, &out);
            let len = run.len();
            assert!(text.left() == 0 || (len.is_multiple_of(granule) && text.left() >= tail.max(1)));
        }
    }

    #[test]
    fn segments_of_any_size() {
        let src: Vec<u8> = (0..150).collect();
        let want: Vec<u8> = src.iter().map(|b| b + 1).collect();
        for step in 1..80 {
            for (granule, tail) in [(1, 0), (16, 0), (16, 32), (8, 16), (64, 0), (64, 64)] {
                let mut buf = src.clone();
                add_one(Text::segments_in_place(buf.chunks_mut(step)), granule, tail);
                assert_eq!(buf, want, "in place, {step} {granule} {tail}");

                let mut dst = vec![0; 150];
                add_one(Text::lists(src.chunks(step), dst.chunks_mut(80 - step)).unwrap(), granule, tail);
                assert_eq!(dst, want, "lists, {step} {granule} {tail}");
            }
        }
    }

    #[test]
    fn halves_of_a_text_are_texts() {
        let src: Vec<u8> = (0..50).collect();
        for step in 1..60 {
            for mid in [0, 1, 16, 33, 50] {
                let mut dst = vec![0; 50];
                let mut text = Text::lists(src.chunks(step), dst.chunks_mut(60 - step)).unwrap();
                let (mut front, mut back) = text.split_at(mid);
                assert_eq!((front.len(), back.len()), (mid, 50 - mid));
                let mut bytes = vec![0; mid];
                front.read(&mut bytes);
                assert_eq!(bytes, src[..mid]);
                front.write(&src[50 - mid..]);
                back.copy();
                drop((front, back));
                add_one(text.destination(), 16, 0);
                drop(text);
                let want: Vec<u8> = src[50 - mid..].iter().chain(&src[mid..]).map(|b| b + 1).collect();
                assert_eq!(dst, want, "{step} {mid}");
            }
        }
    }

    #[test]
    fn empty_segments_and_texts() {
        let (mut a, mut b) = ([1u8; 3], [1u8; 30]);
        add_one(Text::segments_in_place([&mut [], &mut a[..], &mut [], &mut b[..], &mut []]), 16, 0);
        assert_eq!((a, b), ([2; 3], [2; 30]));
        assert!(Text::segments(vec![]).next(16, 0).is_none());
        assert!(Text::from(&mut [][..]).next(16, 0).is_none());
        assert!(Text::lists([&a[..]], [&mut b[..]]).is_err());
    }
}
