//! The caller's memory. A [`Buffer`] is an address and a length that were checked, but through which nothing was read
//! or written. It becomes a slice after [`check_disjoint`] has shown that no buffer that is written overlaps another one.

use crate::error::{EFAULT, EINVAL, Failure};
use algkit::{InOut, Text};
use libc::iovec;
use smallvec::SmallVec;
use std::{
    ffi::{CStr, c_char, c_void},
    ptr, slice,
};

/// A list that allocates nothing if it is short, as most lists are.
pub type List<T> = SmallVec<[T; 8]>;

/// A buffer of the caller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Buffer {
    at: *mut u8,
    len: usize,
    written: bool,
}

impl Buffer {
    /// A buffer that is only read.
    pub fn read(at: *const c_void, len: usize) -> Result<Self, Failure> {
        Self::new(at.cast_mut(), len, false)
    }

    /// A buffer that is written, and perhaps read.
    pub fn written(at: *mut c_void, len: usize) -> Result<Self, Failure> {
        Self::new(at, len, true)
    }

    #[inline(always)]
    fn new(at: *mut c_void, len: usize, written: bool) -> Result<Self, Failure> {
        if len == 0 {
            return Ok(Self { at: ptr::dangling_mut(), len, written });
        }
        if at.is_null() || isize::try_from(len).is_err() || at.addr().checked_add(len).is_none() {
            return Err(no_buffer(at.is_null(), len));
        }
        Ok(Self { at: at.cast(), len, written })
    }

    fn end_address(&self) -> usize {
        self.at.addr() + self.len
    }

    /// # Safety
    /// The caller's buffer exists for `'a`, and nobody writes to it meanwhile.
    pub unsafe fn bytes<'a>(self) -> &'a [u8] {
        // SAFETY: the address is not NULL, the length is no more than `isize::MAX`, and the rest is the caller's promise.
        unsafe { slice::from_raw_parts(self.at, self.len) }
    }

    /// # Safety
    /// The caller's buffer exists for `'a`, may be written, and is not used by anybody else meanwhile.
    pub unsafe fn bytes_mut<'a>(self) -> &'a mut [u8] {
        debug_assert!(self.written);
        // SAFETY: as in `bytes`.
        unsafe { slice::from_raw_parts_mut(self.at, self.len) }
    }
}

#[cold]
#[inline(never)]
fn no_buffer(null: bool, len: usize) -> Failure {
    match null {
        true => Failure::new(EFAULT, format!("NULL instead of a buffer of {len} bytes")),
        false => Failure::new(EINVAL, format!("no buffer has {len} bytes")),
    }
}

/// Checks that no buffer that is written overlaps another one. An empty buffer overlaps nothing.
#[inline(always)]
pub fn check_disjoint(buffers: &[Buffer]) -> Result<(), Failure> {
    let clash = |a: &Buffer, b: &Buffer| {
        (a.written | b.written)
            & (a.at.addr() < b.end_address())
            & (b.at.addr() < a.end_address())
            & (a.len > 0)
            & (b.len > 0)
    };
    let each = |(i, a): (usize, &Buffer)| buffers[..i].iter().fold(false, |found, b| found | clash(a, b));
    let found = match buffers.len() {
        // A few comparisons without branches: this is the cost for calls with contiguous buffers.
        ..=FEW => buffers.iter().enumerate().fold(false, |found, one| found | each(one)),
        _ => many_clash(buffers.to_vec()),
    };
    if found { Err(Failure::new(EINVAL, "a buffer that is written overlaps another one")) } else { Ok(()) }
}

/// Up to this many buffers, each is compared with each.
const FEW: usize = 5;

#[inline(never)]
fn many_clash(mut buffers: Vec<Buffer>) -> bool {
    buffers.retain(|buffer| buffer.len > 0);
    buffers.sort_unstable_by_key(|buffer| buffer.at);
    let (mut end_of_all, mut end_of_written) = (0, 0);
    for buffer in &buffers {
        if buffer.at.addr() < if buffer.written { end_of_all } else { end_of_written } {
            return true;
        }
        end_of_all = end_of_all.max(buffer.end_address());
        if buffer.written {
            end_of_written = buffer.end_address();
        }
    }
    false
}

/// A text in one piece.
pub struct Piece {
    src: Buffer,
    dst: Buffer,
}

impl Piece {
    #[inline(always)]
    pub fn new(src: *const c_void, dst: *mut c_void, len: usize) -> Result<Self, Failure> {
        Ok(Self { src: Buffer::read(src, len)?, dst: Buffer::written(dst, len)? })
    }

    /// The buffers that must not overlap any other one. In place, the source is the destination.
    #[inline(always)]
    pub fn buffers(&self) -> [Buffer; 2] {
        let len = if self.src.at == self.dst.at { 0 } else { self.src.len };
        [Buffer { len, ..self.src }, self.dst]
    }

    /// # Safety
    /// The buffers exist for `'a`, are `apart`, and are not used by anybody else meanwhile.
    #[inline(always)]
    pub unsafe fn text<'a>(&self) -> InOut<'a> {
        // SAFETY: as the caller promises; in place, only the destination becomes a slice.
        unsafe {
            if self.src.at == self.dst.at {
                return InOut::from(self.dst.bytes_mut());
            }
            InOut::new(self.src.bytes(), self.dst.bytes_mut()).expect("they have one length")
        }
    }
}

/// The buffers of a list of segments.
///
/// # Safety
/// `list` points to `count` segments, or is NULL.
pub unsafe fn list(list: *const iovec, count: usize, written: bool) -> Result<List<Buffer>, Failure> {
    if count == 0 {
        return Ok(List::new());
    }
    if list.is_null() {
        return Err(Failure::new(EFAULT, format!("NULL instead of {count} segments")));
    }
    if !list.is_aligned() || count > isize::MAX as usize / size_of::<iovec>() {
        return Err(Failure::new(EINVAL, format!("no list has {count} segments there")));
    }
    // SAFETY: the pointer is aligned and not NULL, and the caller has so many segments there.
    let segments = unsafe { slice::from_raw_parts(list, count) };
    let mut total = 0usize;
    let mut buffers = List::with_capacity(count);
    for segment in segments {
        let buffer = Buffer::new(segment.iov_base, segment.iov_len, written)?;
        let sum = total.checked_add(buffer.len).filter(|&sum| isize::try_from(sum).is_ok());
        total = sum.ok_or_else(|| Failure::new(EINVAL, "the segments are longer than memory"))?;
        buffers.push(buffer);
    }
    Ok(buffers)
}

/// A text in segments.
pub struct Segments {
    src: List<Buffer>,
    dst: List<Buffer>,
}

impl Segments {
    /// # Safety
    /// Each list is NULL or has as many segments as its count says.
    pub unsafe fn new(
        src: *const iovec,
        src_count: usize,
        dst: *const iovec,
        dst_count: usize,
    ) -> Result<Self, Failure> {
        // SAFETY: the caller promises the same.
        unsafe { Ok(Self { src: list(src, src_count, false)?, dst: list(dst, dst_count, true)? }) }
    }

    fn is_in_place(&self) -> bool {
        let same = |(src, dst): (&Buffer, &Buffer)| (src.at, src.len) == (dst.at, dst.len);
        self.src.len() == self.dst.len() && self.src.iter().zip(&self.dst).all(same)
    }

    /// The buffers that must not overlap any other one. In place, the source is the destination.
    pub fn buffers(&self) -> impl Iterator<Item = Buffer> {
        let src = if self.is_in_place() { &[] } else { &self.src[..] };
        src.iter().chain(&self.dst).copied()
    }

    /// # Safety
    /// The buffers exist for `'a`, are `apart`, and are not used by anybody else meanwhile.
    pub unsafe fn text<'a>(&self) -> Result<Text<'a>, Failure> {
        // SAFETY: as the caller promises; in place, only the destination becomes slices.
        unsafe {
            let dst = self.dst.iter().map(|dst| dst.bytes_mut());
            if self.is_in_place() {
                return Ok(Text::segments_in_place(dst));
            }
            Ok(Text::lists(self.src.iter().map(|src| src.bytes()), dst)?)
        }
    }
}

/// The name of an algorithm or driver.
///
/// # Safety
/// `name` is NULL or a string of C, which nobody changes for `'a`.
pub unsafe fn name<'a>(name: *const c_char) -> Result<&'a str, Failure> {
    if name.is_null() {
        return Err(Failure::new(EFAULT, "NULL instead of a name"));
    }
    // SAFETY: it is a string of C.
    let name = unsafe { CStr::from_ptr(name) };
    name.to_str().map_err(|_| Failure::new(EINVAL, format!("{name:?} is no name: it is not UTF-8")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Buffers at made-up addresses, which nothing reads.
    fn buffers(of: &[(usize, usize, bool)]) -> Vec<Buffer> {
        of.iter()
            .map(|&(at, len, written)| Buffer::new(ptr::without_provenance_mut(at), len, written).unwrap())
            .collect()
    }

    #[test]
    fn what_is_written_overlaps_nothing() {
        for (good, of) in [
            (true, &[(100, 10, true), (110, 10, true), (90, 10, false)][..]),
            (true, &[(100, 10, false), (100, 10, false), (105, 100, false), (205, 1, true)]),
            (true, &[(100, 0, true), (100, 10, true), (105, 0, true)]),
            (false, &[(100, 10, true), (109, 10, false)]),
            (false, &[(100, 10, false), (109, 10, true)]),
            (false, &[(100, 100, false), (120, 1, false), (130, 1, true)]),
            (false, &[(100, 100, true), (120, 1, false), (130, 1, false)]),
            (false, &[(100, 10, true), (100, 10, true)]),
            (false, &[(100, 10, true), (100, 10, false)]),
        ] {
            // By themselves, in reverse order, and among so many others that `apart` sorts them.
            let (few, mut many) =
                (buffers(of), buffers(&[(1000, 1, true), (10, 1, true), (300, 1, false), (1001, 8, true)]));
            many.extend(&few);
            many.extend(buffers(&[(10_000, 1, true)]));
            assert_eq!(check_disjoint(&few).is_ok(), good, "{of:?}");
            assert_eq!(check_disjoint(&few.into_iter().rev().collect::<Vec<_>>()).is_ok(), good, "{of:?} in reverse");
            assert!(many.len() > FEW);
            assert_eq!(check_disjoint(&many).is_ok(), good, "{of:?} among others");
        }
    }

    #[test]
    fn no_buffer_is_longer_than_memory() {
        assert!(Buffer::read(ptr::null(), 0).is_ok());
        assert!(Buffer::read(ptr::null(), 1).is_err());
        assert!(Buffer::read(ptr::without_provenance(16), isize::MAX as usize + 1).is_err());
        assert!(Buffer::read(ptr::without_provenance(usize::MAX - 9), 11).is_err());
    }
}
