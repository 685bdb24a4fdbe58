//! Hash states as bytes: numbers, little-endian, and buffers behind their length.

/// Where the bytes of a state go. What does not fit any more is counted, so that a second try can make room.
pub struct Writer<'a> {
    out: &'a mut [u8],
    len: usize,
}

impl<'a> Writer<'a> {
    /// Writes to `out`, from its beginning.
    pub fn new(out: &'a mut [u8]) -> Self {
        Self { out, len: 0 }
    }

    /// Bytes written, or that would have been if there were room: all are there if that is no more than the room.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Writes `bytes`, whose number the reader knows.
    pub fn bytes(&mut self, bytes: &[u8]) {
        let end = self.len.saturating_add(bytes.len());
        if let Some(out) = self.out.get_mut(self.len..end) {
            out.copy_from_slice(bytes);
        }
        self.len = end;
    }

    /// Writes numbers; the reader knows how many.
    pub fn numbers<N: Number>(&mut self, numbers: &[N]) {
        numbers.iter().for_each(|number| number.write(self));
    }

    /// Writes what is buffered, at most 255 bytes, and how much that is.
    pub fn buffered(&mut self, bytes: &[u8]) {
        debug_assert!(bytes.len() <= 255);
        self.bytes(&[bytes.len() as u8]);
        self.bytes(bytes);
    }
}

/// The bytes of a state. They may be anything: whatever is not there is `None`.
pub struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// Reads `bytes`, from their beginning.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Whether all has been read.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next `len` bytes.
    pub fn bytes(&mut self, len: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(bytes)
    }

    /// The next number.
    pub fn number<N: Number>(&mut self) -> Option<N> {
        N::read(self)
    }

    /// As many numbers as there is room for.
    pub fn numbers<N: Number>(&mut self, numbers: &mut [N]) -> Option<()> {
        numbers.iter_mut().try_for_each(|number| self.number().map(|read| *number = read))
    }

    /// Reads buffered bytes into the beginning of `buffer` and returns their number; `None` if they do not fit.
    pub fn buffered(&mut self, buffer: &mut [u8]) -> Option<usize> {
        let len = usize::from(self.number::<u8>()?);
        buffer.get_mut(..len)?.copy_from_slice(self.bytes(len)?);
        Some(len)
    }
}

/// A number that a state is made of.
pub trait Number: Sized {
    /// Appends the number to `to`.
    fn write(&self, to: &mut Writer<'_>);

    /// Takes a number from `from`; `None` if too few bytes are left.
    fn read(from: &mut Reader<'_>) -> Option<Self>;
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Number for $number {
            fn write(&self, to: &mut Writer<'_>) {
                to.bytes(&self.to_le_bytes());
            }

            fn read(from: &mut Reader<'_>) -> Option<Self> {
                Some(Self::from_le_bytes(from.bytes(size_of::<Self>())?.try_into().ok()?))
            }
        }
    )*};
}

numbers!(u8, u32, u64, u128);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read() {
        let mut out = [0; 64];
        let mut to = Writer::new(&mut out);
        assert!(to.is_empty());
        to.numbers(&[1u32, 2]);
        to.numbers(&[u128::MAX - 1]);
        to.buffered(b"held");
        to.bytes(b"x");
        let len = to.len();
        assert_eq!(len, 4 + 4 + 16 + 1 + 4 + 1);
        assert_eq!(out[..8], [1, 0, 0, 0, 2, 0, 0, 0]);

        for cut in 0..=len {
            let mut from = Reader::new(&out[..cut]);
            let (mut words, mut held) = ([0u32; 2], [0; 4]);
            let all = (|| {
                from.numbers(&mut words)?;
                Some((from.number::<u128>()?, from.buffered(&mut held)?, from.bytes(1)?, from.is_empty()))
            })();
            assert_eq!(all, (cut == len).then_some((u128::MAX - 1, 4, &b"x"[..], true)), "{cut} of {len} bytes");
            assert!(all.is_none() || (words, &held) == ([1, 2], b"held"));
        }
    }

    #[test]
    fn a_buffer_that_is_too_small_takes_nothing() {
        let mut from = Reader::new(&[3, 1, 2, 3]);
        let mut buffer = [9; 2];
        assert_eq!(from.buffered(&mut buffer), None);
        assert_eq!(buffer, [9; 2]);
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let mut out = [7; 6];
        let mut to = Writer::new(&mut out);
        to.numbers(&[1u32, 2]);
        assert_eq!((to.len(), out), (8, [1, 0, 0, 0, 7, 7]));
    }
}
