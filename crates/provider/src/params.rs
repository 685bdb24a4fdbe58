//! Parameters: a list of named values, which ends with an entry without a name.

use crate::{
    abi::{
        ERR_R_PASSED_NULL_PARAMETER, OSSL_PARAM_INTEGER, OSSL_PARAM_OCTET_PTR, OSSL_PARAM_OCTET_STRING,
        OSSL_PARAM_UNSIGNED_INTEGER, OSSL_PARAM_UTF8_PTR, OSSL_PARAM_UTF8_STRING, PROV_R_FAILED_TO_GET_PARAMETER,
        PROV_R_FAILED_TO_SET_PARAMETER, Param,
    },
    core::Reason,
};
use std::{
    ffi::{CStr, c_uint},
    mem::MaybeUninit,
    ptr, slice,
};

/// `OSSL_PARAM_UNMODIFIED`.
const UNMODIFIED: usize = usize::MAX;

/// Calls `set` with each parameter and its name, which includes the final zero byte.
///
/// # Safety
/// `params` is NULL or a list of parameters as libcrypto passes it.
#[inline(always)]
pub unsafe fn each<'a>(
    params: *const Param,
    mut set: impl FnMut(&[u8], &'a Param) -> Result<(), Reason>,
) -> Result<(), Reason> {
    let mut at = params;
    // SAFETY: the list ends with a parameter without a name.
    unsafe {
        while !at.is_null() && !(*at).key.is_null() {
            set(CStr::from_ptr((*at).key).to_bytes_with_nul(), &*at)?;
            at = at.add(1);
        }
    }
    Ok(())
}

/// As [`each`], for parameters that the caller asks for.
///
/// # Safety
/// As for [`each`]; nobody else uses the list.
#[inline(always)]
pub unsafe fn each_mut(
    params: *mut Param,
    mut get: impl FnMut(&[u8], &mut Param) -> Result<(), Reason>,
) -> Result<(), Reason> {
    let mut at = params;
    // SAFETY: the list ends with a parameter without a name.
    unsafe {
        while !at.is_null() && !(*at).key.is_null() {
            get(CStr::from_ptr((*at).key).to_bytes_with_nul(), &mut *at)?;
            at = at.add(1);
        }
    }
    Ok(())
}

/// Whether a name is in a list that is separated by colons. Names are compared as libcrypto does.
pub fn is_among(name: &[u8], names: &str) -> bool {
    names.split(':').any(|other| other.as_bytes().eq_ignore_ascii_case(name))
}

impl Param {
    pub const END: Self =
        Self { key: ptr::null(), data_type: 0, data: ptr::null_mut(), data_size: 0, return_size: UNMODIFIED };

    const fn of(key: &'static [u8], data_type: c_uint, data_size: usize) -> Self {
        Self { key: key.as_ptr().cast(), data_type, data: ptr::null_mut(), data_size, return_size: UNMODIFIED }
    }

    /// Describes a `size_t`.
    pub const fn size(key: &'static [u8]) -> Self {
        Self::of(key, OSSL_PARAM_UNSIGNED_INTEGER, size_of::<usize>())
    }

    /// Describes an `unsigned int`.
    pub const fn uint(key: &'static [u8]) -> Self {
        Self::of(key, OSSL_PARAM_UNSIGNED_INTEGER, size_of::<c_uint>())
    }

    /// Describes an `int`.
    pub const fn int(key: &'static [u8]) -> Self {
        Self::of(key, OSSL_PARAM_INTEGER, size_of::<c_uint>())
    }

    /// Describes bytes.
    pub const fn octets(key: &'static [u8]) -> Self {
        Self::of(key, OSSL_PARAM_OCTET_STRING, 0)
    }

    /// Describes a text.
    pub const fn utf8(key: &'static [u8]) -> Self {
        Self::of(key, OSSL_PARAM_UTF8_STRING, 0)
    }

    /// Describes a pointer to bytes.
    pub const fn pointer(key: &'static [u8]) -> Self {
        Self::of(key, OSSL_PARAM_OCTET_PTR, 0)
    }

    /// Describes a pointer to a text.
    pub const fn text(key: &'static [u8]) -> Self {
        Self::of(key, OSSL_PARAM_UTF8_PTR, 0)
    }

    /// Whether the value is an integer. One without bytes has no value.
    fn is_integer(&self) -> bool {
        matches!(self.data_type, OSSL_PARAM_INTEGER | OSSL_PARAM_UNSIGNED_INTEGER)
            && (1..=isize::MAX as usize).contains(&self.data_size)
    }

    /// A number that is not negative, of any width.
    #[inline]
    pub fn get(&self) -> Result<usize, Reason> {
        if !self.is_integer() || self.data.is_null() {
            return Err(PROV_R_FAILED_TO_GET_PARAMETER);
        }
        // SAFETY: the data has `data_size` bytes.
        let bytes = unsafe { slice::from_raw_parts(self.data.cast(), self.data_size) };
        number(bytes, self.data_type == OSSL_PARAM_INTEGER).ok_or(PROV_R_FAILED_TO_GET_PARAMETER)
    }

    /// The bytes; `None` if the parameter has a length and no bytes.
    #[inline]
    pub fn bytes(&self) -> Result<Option<&[u8]>, Reason> {
        self.bytes_of(self.data_size)
    }

    /// The bytes; an error if the parameter has a length and no bytes.
    pub fn required(&self) -> Result<&[u8], Reason> {
        match self.bytes()? {
            None if self.data_size > 0 => Err(ERR_R_PASSED_NULL_PARAMETER),
            bytes => Ok(bytes.unwrap_or_default()),
        }
    }

    /// A key. NULL is none, also without a length: taken as an empty key, it would hide that the caller has no key.
    pub fn secret(&self) -> Result<&[u8], Reason> {
        self.bytes()?.ok_or(ERR_R_PASSED_NULL_PARAMETER)
    }

    /// The first `len` bytes, whatever length the parameter has.
    pub fn bytes_of(&self, len: usize) -> Result<Option<&[u8]>, Reason> {
        if self.data_type != OSSL_PARAM_OCTET_STRING || len > isize::MAX as usize {
            return Err(PROV_R_FAILED_TO_GET_PARAMETER);
        }
        // SAFETY: the data has as many bytes.
        Ok((!self.data.is_null()).then(|| unsafe { slice::from_raw_parts(self.data.cast(), len) }))
    }

    /// A text without its final zero byte.
    pub fn string(&self) -> Result<&[u8], Reason> {
        if self.data_type != OSSL_PARAM_UTF8_STRING || self.data.is_null() {
            return Err(PROV_R_FAILED_TO_GET_PARAMETER);
        }
        // SAFETY: the data has as many bytes.
        let text = unsafe { slice::from_raw_parts(self.data.cast::<u8>(), self.data_size) };
        Ok(text.split(|&byte| byte == 0).next().unwrap_or_default())
    }

    /// Answers with a number.
    #[inline]
    pub fn put(&mut self, number: usize) -> Result<(), Reason> {
        if self.data.is_null() && matches!(self.data_type, OSSL_PARAM_INTEGER | OSSL_PARAM_UNSIGNED_INTEGER) {
            self.return_size = size_of::<usize>();
            return Ok(());
        }
        if !self.is_integer() {
            return Err(PROV_R_FAILED_TO_SET_PARAMETER);
        }
        // SAFETY: the data has room for `data_size` bytes, which may be uninitialized, and they are the caller's alone.
        let bytes = unsafe { slice::from_raw_parts_mut(self.data.cast::<MaybeUninit<u8>>(), self.data_size) };
        if !write_number(bytes, self.data_type == OSSL_PARAM_INTEGER, number) {
            return Err(PROV_R_FAILED_TO_SET_PARAMETER);
        }
        self.return_size = self.data_size;
        Ok(())
    }

    /// Answers with bytes, or with a pointer to them. The bytes have to live as long as the context.
    #[inline]
    pub fn put_bytes(&mut self, bytes: &[u8]) -> Result<(), Reason> {
        self.return_size = bytes.len();
        match self.data_type {
            _ if self.data.is_null() => Ok(()),
            OSSL_PARAM_OCTET_PTR => {
                // SAFETY: the data is a pointer.
                unsafe { self.data.cast::<*const u8>().write(bytes.as_ptr()) };
                Ok(())
            }
            OSSL_PARAM_OCTET_STRING if bytes.len() <= self.data_size => {
                // SAFETY: the data has room for `data_size` bytes, and they are the caller's alone.
                unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), self.data.cast(), bytes.len()) };
                Ok(())
            }
            _ => Err(PROV_R_FAILED_TO_SET_PARAMETER),
        }
    }

    /// Answers with a text, which is copied with its final zero byte if there is room for it.
    pub fn put_string(&mut self, text: &CStr) -> Result<(), Reason> {
        self.return_size = text.count_bytes();
        if self.data_type != OSSL_PARAM_UTF8_STRING || (!self.data.is_null() && self.data_size < self.return_size) {
            return Err(PROV_R_FAILED_TO_SET_PARAMETER);
        }
        if !self.data.is_null() {
            let bytes = text.to_bytes_with_nul();
            // SAFETY: the data has room for `data_size` bytes, and they are the caller's alone.
            unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), self.data.cast(), bytes.len().min(self.data_size)) };
        }
        Ok(())
    }

    /// Answers with a constant text.
    pub fn put_text(&mut self, text: &'static CStr) -> Result<(), Reason> {
        if self.data_type != OSSL_PARAM_UTF8_PTR {
            return Err(PROV_R_FAILED_TO_SET_PARAMETER);
        }
        self.return_size = text.count_bytes();
        if !self.data.is_null() {
            // SAFETY: the data is a pointer.
            unsafe { self.data.cast::<*const i8>().write(text.as_ptr().cast()) };
        }
        Ok(())
    }
}

/// The index of the byte with significance `i` in an integer of `len` bytes, in the byte order of this CPU.
fn place(i: usize, len: usize) -> usize {
    if cfg!(target_endian = "big") { len - 1 - i } else { i }
}

/// The value of an integer, if it is not negative and not too great. The widths of `unsigned int` and `size_t` have
/// cases of their own, of which the compiler makes single loads.
#[inline]
fn number(bytes: &[u8], signed: bool) -> Option<usize> {
    match bytes.len() {
        4 => sum(&bytes[..4], signed),
        8 => sum(&bytes[..8], signed),
        _ => sum(bytes, signed),
    }
}

#[inline(always)]
fn sum(bytes: &[u8], signed: bool) -> Option<usize> {
    let len = bytes.len();
    let digit = |i| bytes[place(i, len)];
    if signed && digit(len - 1) >> 7 == 1 {
        return None;
    }
    let low = len.min(size_of::<usize>());
    let fits = (low..len).all(|i| digit(i) == 0);
    fits.then(|| (0..low).rev().fold(0, |number, i| number << 8 | usize::from(digit(i))))
}

/// Writes an integer, if it fits. If it does not, nothing is written. The cases are those of [`number`].
#[inline]
fn write_number(bytes: &mut [MaybeUninit<u8>], signed: bool, number: usize) -> bool {
    match bytes.len() {
        4 => write_digits(&mut bytes[..4], signed, number),
        8 => write_digits(&mut bytes[..8], signed, number),
        _ => write_digits(bytes, signed, number),
    }
}

#[inline(always)]
fn write_digits(bytes: &mut [MaybeUninit<u8>], signed: bool, number: usize) -> bool {
    let len = bytes.len();
    let digits = number.to_le_bytes();
    let digit = |i| digits.get(i).copied().unwrap_or(0);
    if digits.iter().skip(len).any(|&digit| digit > 0) || signed && digit(len - 1) >> 7 == 1 {
        return false;
    }
    (0..len).for_each(|i| bytes[place(i, len)] = MaybeUninit::new(digit(i)));
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An integer of `width` bytes; bytes beyond the 16 of `i128` repeat its sign.
    fn bytes(value: i128, width: usize) -> Vec<u8> {
        let sign = if value < 0 { 0xff } else { 0 };
        let mut bytes: Vec<u8> = value.to_le_bytes().into_iter().chain([sign; 8]).take(width).collect();
        if cfg!(target_endian = "big") {
            bytes.reverse();
        }
        bytes
    }

    fn param(data_type: c_uint, data: &mut [u8]) -> Param {
        Param { data: data.as_mut_ptr().cast(), data_size: data.len(), ..Param::of(b"x\0", data_type, 0) }
    }

    const KINDS: [(c_uint, u32); 2] = [(OSSL_PARAM_INTEGER, 1), (OSSL_PARAM_UNSIGNED_INTEGER, 0)];

    #[test]
    fn integers_have_any_width_and_their_range_is_checked() {
        let values = [0, 1, 5, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0xffff, 0x12345, (1 << 31) - 1, 1 << 31, (1 << 32) - 1];
        for width in (1..=24).filter(|_| usize::BITS == 64) {
            for (data_type, signed) in KINDS {
                for value in values.into_iter().chain([1 << 32, i128::from(i64::MAX), i128::from(u64::MAX)]) {
                    let bits = 8 * width as u32 - signed;
                    let fits = bits >= 64 || value >> bits == 0;
                    let mut data = vec![0x55; width];
                    let put = param(data_type, &mut data).put(value as usize);
                    assert_eq!(put.is_ok(), fits, "{value:#x} in {width} bytes");
                    assert_eq!(data, if fits { bytes(value, width) } else { vec![0x55; width] }, "{value:#x}");
                    if fits {
                        assert_eq!(param(data_type, &mut data).get().ok(), Some(value as usize), "{value:#x}");
                    }
                }
                let mut wide = bytes(1 << 64, width);
                assert_eq!(param(data_type, &mut wide).get().is_ok(), width <= 8, "2^64 in {width} bytes");
                let mut negative = bytes(-1, width);
                let read = param(data_type, &mut negative).get();
                assert_eq!(read.is_ok(), signed == 0 && width <= 8, "-1 in {width} bytes");
            }
        }
    }

    #[test]
    fn what_is_no_integer_is_refused() {
        let mut data = [1; 8];
        for data_type in [OSSL_PARAM_UTF8_STRING, OSSL_PARAM_OCTET_STRING, OSSL_PARAM_OCTET_PTR, 3, 0] {
            assert!(param(data_type, &mut data).get().is_err() && param(data_type, &mut data).put(1).is_err());
        }
        for (data_type, _) in KINDS {
            let mut none = param(data_type, &mut []);
            assert!(none.get().is_err() && none.put(0).is_err());
            let mut null = Param::of(b"x\0", data_type, 1);
            assert!(null.get().is_err() && null.put(1000).is_ok());
            assert_eq!(null.return_size, size_of::<usize>());
        }
    }
}
