//! The description of a driver for C.

use crate::{
    error::{EINVAL, Failure},
    fork,
};
use algkit::{Driver, Error, Registry, SelfTest, Timing, Transform, Type, Unkeyed};
use std::{
    ffi::{CString, c_char, c_int, c_uint},
    ptr,
};

#[repr(C)]
pub struct algkit_info {
    name: *const c_char,
    driver: *const c_char,
    r#type: *const c_char,
    priority: c_uint,
    constant_time: c_int,
    usable: c_int,
    selftest: c_int,
    block_size: usize,
    min_key_size: usize,
    max_key_size: usize,
    iv_size: usize,
    max_tag_size: usize,
    digest_size: usize,
}

/// An `algkit_info` and the names that it points to.
pub struct Info {
    shown: algkit_info,
    _names: [CString; 2],
}

// SAFETY: the pointers are to `_names` and to constants, which nobody changes.
unsafe impl Send for Info {}
// SAFETY: as for `Send`.
unsafe impl Sync for Info {}

impl Info {
    pub fn of(driver: &Driver) -> Result<Self, Failure> {
        let text = |name: &str| CString::new(name).map_err(|_| Failure::new(EINVAL, "a name with a zero in it"));
        let names = [text(&driver.name)?, text(&driver.driver)?];
        let shape = &driver.shape;
        let kind = match driver.kind {
            Type::Cipher => c"cipher",
            Type::Skcipher => c"skcipher",
            Type::Aead => c"aead",
            Type::Hash => c"hash",
            Type::Rng => c"rng",
            _ => c"",
        };
        let shown = algkit_info {
            name: names[0].as_ptr(),
            driver: names[1].as_ptr(),
            r#type: kind.as_ptr(),
            priority: driver.priority(),
            constant_time: (driver.timing == Timing::Constant).into(),
            usable: Registry::global()?.is_usable(driver).into(),
            selftest: match driver.selftest() {
                SelfTest::Passed => 1,
                SelfTest::Untested => 0,
                SelfTest::Failed(_) => -1,
            },
            block_size: shape.blocksize,
            min_key_size: if shape.optional_key { 0 } else { shape.keys.min() },
            max_key_size: shape.keys.max(),
            iv_size: shape.ivsize,
            max_tag_size: shape.tags.max(),
            digest_size: shape.digestsize,
        };
        Ok(Self { shown, _names: names })
    }

    pub fn shown(&self) -> *const algkit_info {
        ptr::from_ref(&self.shown)
    }
}

/// A transform and the description of its driver.
pub struct Described<T> {
    pub tfm: T,
    pub info: Info,
}

impl<T: Transform> Described<T> {
    pub fn new(name: &str, key: &[u8]) -> Result<Self, Failure> {
        Self::with(name, |unkeyed| unkeyed.key(key))
    }

    pub fn with(name: &str, key: impl FnOnce(&Unkeyed<T>) -> Result<T, Error>) -> Result<Self, Failure> {
        let _guard = fork::kept_away();
        let unkeyed = Registry::global()?.transform::<T>(name)?;
        Ok(Self { info: Info::of(unkeyed.driver())?, tfm: key(&unkeyed)? })
    }
}
