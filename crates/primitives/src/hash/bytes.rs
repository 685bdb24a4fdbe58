//! Exported hash states: little-endian numbers, and buffers preceded by their length.

/// Writes a state to a buffer. Bytes that do not fit are counted and not written, so that the caller can retry with
/// more room.
pub struct Writer<'a> {
    out: &'a mut [u8],
    len: usize,
}

impl<'a> Writer<'a> {
    /// A writer that begins at the start of `out`.
    pub fn new(out: &'a mut [u8]) -> Self {
        Self { out, len: 0 }
    }

    /// The number of bytes of the state so far. If that is more than the length of the buffer, the buffer was too
    /// short.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing has been written.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Writes `bytes` without their length, which the reader must know.
    pub fn bytes(&mut self, bytes: &[u8]) {
        let end = self.len.saturating_add(bytes.len());
        if let Some(out) = self.out.get_mut(self.len..end) {
            out.copy_from_slice(bytes);
        }
        self.len = end;
    }

    /// Writes numbers without their count, which the reader must know.
    pub fn numbers<N: Number>(&mut self, numbers: &[N]) {
        numbers.iter().for_each(|number| number.write(self));
    }

    /// Writes the length of `bytes`, which is at most 255, as one byte, then `bytes`.
    pub fn buffered(&mut self, bytes: &[u8]) {
        debug_assert!(bytes.len() <= 255);
        self.bytes(&[bytes.len() as u8]);
        self.bytes(bytes);
    }
}

/// Reads a state. The bytes may come from anywhere; a method returns `None` if too few are left.
pub struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// A reader that begins at the start of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Whether all bytes have been read.
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

    /// Reads as many numbers as `numbers` has elements.
    pub fn numbers<N: Number>(&mut self, numbers: &mut [N]) -> Option<()> {
        numbers.iter_mut().try_for_each(|number| self.number().map(|read| *number = read))
    }

    /// Reads what [`Writer::buffered`] wrote into the beginning of `buffer` and returns its length; `None` if it does
    /// not fit.
    pub fn buffered(&mut self, buffer: &mut [u8]) -> Option<usize> {
        let len = usize::from(self.number::<u8>()?);
        buffer.get_mut(..len)?.copy_from_slice(self.bytes(len)?);
        Some(len)
    }
}

/// A number in an exported state.
pub trait Number: Sized {
    /// Appends the number to `to`.
    fn write(&self, to: &mut Writer<'_>);

    /// Reads a number from `from`; `None` if too few bytes are left.
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
