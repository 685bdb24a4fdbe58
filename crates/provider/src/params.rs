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

    /// A number that is not negative.
    #[inline]
    pub fn get(&self) -> Result<usize, Reason> {
        let known = matches!(self.data_type, OSSL_PARAM_INTEGER | OSSL_PARAM_UNSIGNED_INTEGER);
        if !known || self.data.is_null() {
            return Err(PROV_R_FAILED_TO_GET_PARAMETER);
        }
        let negative = self.data_type == OSSL_PARAM_INTEGER;
        // SAFETY: the data has `data_size` bytes.
        unsafe {
            match self.data_size {
                4 => Some(self.data.cast::<u32>().read_unaligned())
                    .filter(|&n| !(negative && n >> 31 == 1))
                    .map(u64::from),
                8 => Some(self.data.cast::<u64>().read_unaligned()).filter(|&n| !(negative && n >> 63 == 1)),
                _ => None,
            }
        }
        .and_then(|number| number.try_into().ok())
        .ok_or(PROV_R_FAILED_TO_GET_PARAMETER)
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
        if !matches!(self.data_type, OSSL_PARAM_INTEGER | OSSL_PARAM_UNSIGNED_INTEGER) {
            return Err(PROV_R_FAILED_TO_SET_PARAMETER);
        }
        let signed = u32::from(self.data_type == OSSL_PARAM_INTEGER);
        if self.data.is_null() {
            self.return_size = size_of::<usize>();
            return Ok(());
        }
        // SAFETY: the data has room for `data_size` bytes.
        unsafe {
            match self.data_size {
                4 if number as u64 >> (32 - signed) == 0 => self.data.cast::<u32>().write_unaligned(number as u32),
                8 => self.data.cast::<u64>().write_unaligned(number as u64),
                _ => return Err(PROV_R_FAILED_TO_SET_PARAMETER),
            }
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
