//! Texts in random memory layouts, with bytes around them that nobody may touch.

use super::super::common::{Random, cut};
use algkit::{InOut, Text};

/// A call with a text, and what it left behind.
pub struct Outcome<R> {
    pub result: R,
    /// What the destination holds.
    pub output: Vec<u8>,
    /// Whether the destination holds what it held before.
    pub untouched: bool,
}

const MARGIN: u8 = 0xa5;

/// A buffer with a margin around it.
struct Guarded {
    bytes: Vec<u8>,
    start: usize,
    len: usize,
}

impl Guarded {
    fn new(contents: &[u8], random: &mut Random) -> Self {
        let start = 16 + random.below(64);
        let mut bytes = vec![MARGIN; start + contents.len() + 80];
        bytes[start..start + contents.len()].copy_from_slice(contents);
        Self { bytes, start, len: contents.len() }
    }

    fn get(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + self.len]
    }

    /// The contents, if the margin is as it was.
    fn into_contents(mut self) -> Vec<u8> {
        let contents = self.get().to_vec();
        self.get().fill(MARGIN);
        assert!(self.bytes.iter().all(|&byte| byte == MARGIN), "something was written around a buffer");
        contents
    }
}

/// Calls `f` with `input` in place, apart, or in segments of both kinds. Some runs of the text may have been taken before.
pub fn call<R>(random: &mut Random, input: &[u8], f: impl FnOnce(Text<'_>) -> R) -> Outcome<R> {
    let before = random.bytes(input.len());
    let (mut src, mut dst) = (Guarded::new(input, random), Guarded::new(&before, random));
    let (pieces, others) = (random.pieces(input.len()), random.pieces(input.len()));
    let (one, kind) = (vec![input.len()], random.below(6));
    let pieces = if kind < 2 { one } else { pieces };
    let in_place: Vec<bool> =
        pieces.iter().map(|_| if kind < 4 { kind % 2 == 0 } else { random.below(2) == 0 }).collect();
    let taken = random.below(8) == 0;
    let (granule, tail) = (1 + random.below(64), random.below(65));

    let (apart, want) = (kind == 5, input.to_vec());
    let result = {
        let mut text = if apart {
            let sources = cut(src.get(), &pieces).into_iter().map(|piece| &*piece);
            Text::lists(sources, cut(dst.get(), &others)).unwrap()
        } else {
            let both = cut(src.get(), &pieces).into_iter().zip(cut(dst.get(), &pieces)).zip(&in_place);
            let mut list: Vec<InOut<'_>> = both
                .map(|((src, dst), in_place)| if *in_place { src.into() } else { InOut::new(src, dst).unwrap() })
                .collect();
            match list.len() {
                1 if random.below(4) > 0 => Text::from(list.remove(0)),
                _ => Text::segments(list),
            }
        };
        if taken {
            text.next(granule, tail);
        }
        f(text)
    };
    let (src, dst) = (src.into_contents(), dst.into_contents());
    let (mut output, mut untouched, mut at) = (Vec::new(), true, 0);
    for (len, in_place) in pieces.into_iter().zip(in_place) {
        let piece = at..at + len;
        at += len;
        let in_place = in_place && !apart;
        assert!(in_place || src[piece.clone()] == want[piece.clone()], "a source was written to");
        let (now, then) = if in_place { (&src, &want) } else { (&dst, &before) };
        untouched &= now[piece.clone()] == then[piece.clone()];
        assert!(!in_place || dst[piece.clone()] == before[piece.clone()], "another buffer was written to");
        output.extend_from_slice(&now[piece]);
    }
    // Whoever takes a run and does not write it has it copied.
    Outcome { result, output, untouched: untouched || taken }
}
