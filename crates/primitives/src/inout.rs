//! [`InOut`]: the buffers of an operation that works in place or from one buffer to another.

use core::{fmt, marker::PhantomData, slice};

/// The input and output buffers of an operation have different lengths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnequalLengths {
    /// Bytes in the source.
    pub src: usize,
    /// Bytes in the destination.
    pub dst: usize,
}

impl fmt::Display for UnequalLengths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "source has {} bytes, destination {}", self.src, self.dst)
    }
}

impl core::error::Error for UnequalLengths {}

/// A source and a destination of the same length: one buffer, or two that do not overlap.
///
/// After a byte has been written, reading the same byte of the source gives the new value in place and the old value
/// out of place. So code reads each part of the source before it writes that part.
pub struct InOut<'a> {
    src: *const u8,
    dst: *mut u8,
    len: usize,
    lifetime: PhantomData<&'a mut [u8]>,
}

// SAFETY: an `InOut` is a `&[u8]` and a `&mut [u8]` (or the latter alone), both of which are `Send`.
unsafe impl Send for InOut<'_> {}

impl<'a> From<&'a mut [u8]> for InOut<'a> {
    #[inline(always)]
    fn from(buf: &'a mut [u8]) -> Self {
        let (dst, len) = (buf.as_mut_ptr(), buf.len());
        Self { src: dst, dst, len, lifetime: PhantomData }
    }
}

impl<'a> InOut<'a> {
    /// Reads from `src` and writes to `dst`.
    ///
    /// # Errors
    /// [`UnequalLengths`] if the two lengths differ.
    #[inline]
    pub fn new(src: &'a [u8], dst: &'a mut [u8]) -> Result<Self, UnequalLengths> {
        if src.len() != dst.len() {
            return Err(UnequalLengths { src: src.len(), dst: dst.len() });
        }
        Ok(Self { src: src.as_ptr(), dst: dst.as_mut_ptr(), len: src.len(), lifetime: PhantomData })
    }

    /// The length of each of the two buffers, in bytes.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the length is zero.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether source and destination are the same buffer.
    #[inline]
    pub fn is_in_place(&self) -> bool {
        core::ptr::eq(self.src, self.dst)
    }

    /// The source. In place, it shows what has been written so far.
    #[inline(always)]
    pub fn src(&self) -> &[u8] {
        // SAFETY: `src` points to `len` readable bytes for 'a; while the result lives, `self` is
        // borrowed, so `dst` cannot be written through it.
        unsafe { slice::from_raw_parts(self.src, self.len) }
    }

    /// The destination. In place, it holds the source where nothing has been written yet.
    #[inline(always)]
    pub fn dst(&mut self) -> &mut [u8] {
        // SAFETY: `dst` points to `len` writable bytes for 'a, borrowed through `&mut self` alone.
        unsafe { slice::from_raw_parts_mut(self.dst, self.len) }
    }

    /// The addresses of source and destination, for code that uses both at once. In place, a `&[u8]` and a `&mut [u8]`
    /// would alias.
    #[inline(always)]
    pub(crate) fn as_ptrs(&mut self) -> (*const u8, *mut u8) {
        (self.src, self.dst)
    }

    /// The destination, for reading back what has been written.
    #[inline(always)]
    pub fn written(&self) -> &[u8] {
        // SAFETY: `dst` points to `len` bytes for 'a, which cannot be written while `self` is borrowed.
        unsafe { slice::from_raw_parts(self.dst, self.len) }
    }

    /// The destination, for the whole lifetime `'a`.
    pub fn into_dst(self) -> &'a mut [u8] {
        // SAFETY: `dst` points to `len` writable bytes for 'a, and `self`, the only other way to them, is consumed.
        unsafe { slice::from_raw_parts_mut(self.dst, self.len) }
    }

    /// A shorter-lived view of the same buffers, whose fields the compiler must have in registers here.
    ///
    /// Without this, the compiler copies two pointers that it has just stored one by one with one vector load. Such a
    /// load cannot be forwarded from two stores: it waits until both have reached the cache, which costs a short
    /// message 10 ns.
    #[inline(always)]
    #[allow(clippy::pointers_in_nomem_asm_block, reason = "the addresses pass through; nothing is read in between")]
    pub(crate) fn in_registers(&mut self) -> InOut<'_> {
        let Self { mut src, mut dst, len, lifetime } = *self;
        // SAFETY: the assembly is a comment; it changes no register and no memory.
        #[cfg(not(miri))]
        unsafe {
            core::arch::asm!("/* {0} {1} */", inout(reg) src, inout(reg) dst, options(nomem, nostack, preserves_flags))
        };
        InOut { src, dst, len, lifetime }
    }

    /// A view of the same buffers for a shorter lifetime.
    #[inline(always)]
    pub fn reborrow(&mut self) -> InOut<'_> {
        InOut { src: self.src, dst: self.dst, len: self.len, lifetime: PhantomData }
    }

    /// Splits both buffers after `mid` bytes.
    ///
    /// # Panics
    /// If `mid` is greater than the length.
    #[inline(always)]
    pub fn split_at(self, mid: usize) -> (Self, Self) {
        assert!(mid <= self.len, "split past the end");
        // SAFETY: `mid` is within both buffers, and the halves do not overlap.
        let (src, dst) = unsafe { (self.src.add(mid), self.dst.add(mid)) };
        (
            Self { src: self.src, dst: self.dst, len: mid, lifetime: PhantomData },
            Self { src, dst, len: self.len - mid, lifetime: PhantomData },
        )
    }

    /// Splits the first `n` bytes off, or returns `None` if there are fewer.
    ///
    /// If `n` is a constant, the compiler knows the length of the result and drops the bounds checks on it.
    #[inline(always)]
    pub fn take(&mut self, n: usize) -> Option<InOut<'a>> {
        if self.len < n {
            return None;
        }
        let front = InOut { src: self.src, dst: self.dst, len: n, lifetime: PhantomData };
        // SAFETY: `n` is within both buffers, and `front` does not overlap what is left.
        unsafe {
            self.src = self.src.add(n);
            self.dst = self.dst.add(n);
        }
        self.len -= n;
        Some(front)
    }

    /// The buffers in chunks of `N` bytes; a shorter rest is left out.
    ///
    /// The iterator counts one index for both buffers, where [`InOut::take`] updates two pointers and a length.
    #[inline(always)]
    pub(crate) fn chunks<const N: usize>(self) -> impl Iterator<Item = InOut<'a>> {
        (0..self.len / N).map(
            #[inline(always)]
            move |i| {
                // SAFETY: `i` is less than `len / N`, so the chunk is within both buffers; no two chunks overlap.
                let (src, dst) = unsafe { (self.src.add(i * N), self.dst.add(i * N)) };
                InOut { src, dst, len: N, lifetime: PhantomData }
            },
        )
    }

    /// Splits everything off that is left.
    #[inline(always)]
    pub fn take_all(&mut self) -> InOut<'a> {
        let n = self.len;
        self.take(n).expect("len bytes are there")
    }

    /// Copies the source to the destination. In place, there is nothing to do.
    pub fn copy(&mut self) {
        if !self.is_in_place() {
            // SAFETY: both have `len` bytes, and out of place they do not overlap.
            unsafe { core::ptr::copy_nonoverlapping(self.src, self.dst, self.len) }
        }
    }

    /// Writes `source ^ keystream` to the destination. Of `keystream`, as many bytes are used as the buffer has.
    ///
    /// # Panics
    /// If `keystream` is shorter than the buffer.
    #[inline(always)]
    pub fn xor(&mut self, keystream: &[u8]) {
        let (wide, rest) = keystream[..self.len].as_chunks::<64>();
        let mut at = 0;
        for k in wide {
            self.xor_at(at, k);
            at += 64;
        }
        let (blocks, rest) = rest.as_chunks::<16>();
        for k in blocks {
            self.xor_at(at, k);
            at += 16;
        }
        for k in rest {
            self.xor_at(at, &[*k]);
            at += 1;
        }
    }

    #[inline(always)]
    fn xor_at<const N: usize>(&mut self, at: usize, k: &[u8; N]) {
        let mut bytes: [u8; N] = self.get(at);
        for (b, k) in bytes.iter_mut().zip(k) {
            *b ^= k;
        }
        self.put(at, &bytes);
    }

    /// The `N` source bytes at offset `at`.
    ///
    /// # Panics
    /// If the range is not within the buffer.
    #[inline(always)]
    pub fn get<const N: usize>(&self, at: usize) -> [u8; N] {
        self.src()[at..at + N].try_into().expect("N bytes")
    }

    /// Writes `bytes` to the destination at offset `at`.
    ///
    /// # Panics
    /// If the range is not within the buffer.
    #[inline(always)]
    pub fn put(&mut self, at: usize, bytes: &[u8]) {
        self.dst()[at..at + bytes.len()].copy_from_slice(bytes);
    }
}

/// A request of an AEAD whose associated data and text are each in one piece.
///
/// It is passed by reference from the caller down to the kernel. A copy of it on each level would be noticeable in
/// short messages.
#[derive(Debug)]
pub struct Packet<'a> {
    /// Data that is authenticated and not encrypted, of any length.
    pub assoc: &'a [u8],
    /// The text to be encrypted or decrypted.
    pub text: InOut<'a>,
}

impl fmt::Debug for InOut<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = if self.is_in_place() { "in place" } else { "out of place" };
        write!(f, "InOut({} bytes, {how})", self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_and_writes_both_ways() {
        let src = [1u8, 2, 3, 4, 5];
        let mut dst = [0u8; 5];
        let mut io = InOut::new(&src, &mut dst).unwrap();
        io.take(2).unwrap().xor(&[0xff; 2]);
        assert!(io.take(4).is_none());
        io.take_all().copy();
        assert_eq!(dst, [0xfe, 0xfd, 3, 4, 5]);

        let mut buf = [7u8; 4];
        let mut io = InOut::from(&mut buf[..]);
        let b: [u8; 2] = io.get(1);
        io.put(2, &b.map(|x| x + 1));
        assert_eq!(buf, [7, 7, 8, 8]);
        assert!(InOut::new(&[0; 3], &mut [0; 2]).is_err());
    }
}
