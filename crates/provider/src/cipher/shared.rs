//! What contexts of all shapes have, and the way from a row to a driver.

use super::Row;
use crate::{
    abi::{
        EVP_CIPH_XTS_MODE, PROV_R_CIPHER_OPERATION_FAILED, PROV_R_INVALID_IV_LENGTH, PROV_R_INVALID_KEY_LENGTH,
        PROV_R_XTS_DUPLICATED_KEYS,
    },
    core::{Core, Reason},
    drivers,
};
use algkit::{Aead, Cipher, Error, Skcipher, Transform, Unkeyed, WeakKeys};
use std::{
    ptr,
    sync::{Arc, OnceLock},
};

/// What contexts of all shapes have.
#[derive(Clone)]
pub struct Shared {
    core: *const Core,
    row: &'static Row,
    pub encrypt: bool,
}

impl Shared {
    pub fn new(core: &Core, row: &'static Row) -> Self {
        Self { core: ptr::from_ref(core), row, encrypt: false }
    }

    #[inline(always)]
    pub fn core(&self) -> *const Core {
        self.core
    }

    #[inline(always)]
    pub fn row(&self) -> &'static Row {
        self.row
    }
}

/// The driver of a row, of its type.
pub enum Driver {
    Cipher(OnceLock<Unkeyed<Cipher>>),
    Skcipher(OnceLock<Unkeyed<Skcipher>>),
    Aead(OnceLock<Unkeyed<Aead>>),
}

/// A transform that a row may stand for.
pub trait Found: Transform + 'static {
    fn place(driver: &Driver) -> Option<&OnceLock<Unkeyed<Self>>>;
    fn set_key(&mut self, key: &[u8], weak: WeakKeys) -> Result<(), Error>;
}

impl Found for Cipher {
    fn place(driver: &Driver) -> Option<&OnceLock<Unkeyed<Self>>> {
        if let Driver::Cipher(place) = driver { Some(place) } else { None }
    }

    fn set_key(&mut self, key: &[u8], weak: WeakKeys) -> Result<(), Error> {
        self.set_key_with(key, weak)
    }
}

impl Found for Skcipher {
    fn place(driver: &Driver) -> Option<&OnceLock<Unkeyed<Self>>> {
        if let Driver::Skcipher(place) = driver { Some(place) } else { None }
    }

    fn set_key(&mut self, key: &[u8], weak: WeakKeys) -> Result<(), Error> {
        self.set_key_with(key, weak)
    }
}

impl Found for Aead {
    fn place(driver: &Driver) -> Option<&OnceLock<Unkeyed<Self>>> {
        if let Driver::Aead(place) = driver { Some(place) } else { None }
    }

    fn set_key(&mut self, key: &[u8], weak: WeakKeys) -> Result<(), Error> {
        self.set_key_with(key, weak)
    }
}

fn find<T: Found>(row: &'static Row) -> Result<&'static Unkeyed<T>, Error> {
    drivers::find(T::place(&row.driver).expect("a row's shape has its type"), || row.name.into())
}

/// Sets the key of a context: in place, unless the transform is shared with a duplicate.
pub fn set_key<T: Found>(shared: &Shared, transform: &mut Option<Arc<T>>, key: &[u8]) -> Result<(), Reason> {
    if key.len() != shared.row.key {
        return Err(PROV_R_INVALID_KEY_LENGTH);
    }
    // As OpenSSL does: XTS refuses equal halves where it encrypts, and nothing else refuses weak keys.
    let xts = shared.row.mode == EVP_CIPH_XTS_MODE && shared.encrypt;
    let weak = if xts { WeakKeys::Refuse } else { WeakKeys::Allow };
    let done = match transform.as_mut().and_then(Arc::get_mut) {
        Some(transform) => transform.set_key(key, weak),
        None => find::<T>(shared.row)
            .and_then(|unkeyed| unkeyed.key_with(key, weak))
            .map(|keyed| *transform = Some(Arc::new(keyed))),
    };
    done.map_err(|error| {
        // After a key that was refused none is set.
        *transform = None;
        match error {
            Error::BadKey { .. } if xts => PROV_R_XTS_DUPLICATED_KEYS,
            _ => PROV_R_CIPHER_OPERATION_FAILED,
        }
    })
}

/// Copies an IV of the right length.
pub fn set_iv(place: &mut [u8], iv: &[u8]) -> Result<(), Reason> {
    if iv.len() != place.len() {
        return Err(PROV_R_INVALID_IV_LENGTH);
    }
    place.copy_from_slice(iv);
    Ok(())
}
