//! The fields that contexts of all shapes have, and the look-up of a row's driver.

use super::Row;
use crate::{
    abi::*,
    core::{Reason, reason},
    digest, drivers,
};
use algkit::{Aead, Cipher, Error, Hash, InOut, Skcipher, Transform, Unkeyed, WeakKeys};
use std::sync::{Arc, OnceLock};

/// The fields that contexts of all shapes have.
#[derive(Clone)]
pub struct Shared {
    row: &'static Row,
    pub encrypt: bool,
}

impl Shared {
    pub fn new(row: &'static Row) -> Self {
        Self { row, encrypt: false }
    }

    #[inline(always)]
    pub fn row(&self) -> &'static Row {
        self.row
    }
}

/// The driver of a row, by the type of its transform.
pub enum Driver {
    Cipher(OnceLock<Unkeyed<Cipher>>),
    Skcipher(OnceLock<Unkeyed<Skcipher>>),
    Aead(OnceLock<Unkeyed<Aead>>),
}

/// A type of transform that a row can have.
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

/// Sets the key of a context. A transform that is shared with a duplicate is replaced; any other is keyed in place.
pub fn set_key<T: Found>(shared: &Shared, transform: &mut Option<Arc<T>>, key: &[u8]) -> Result<(), Reason> {
    if key.len() != shared.row.key {
        return Err(PROV_R_INVALID_KEY_LENGTH);
    }
    // As in OpenSSL, XTS refuses a key with equal halves for encryption, and no other cipher refuses weak keys.
    let xts = shared.row.mode == EVP_CIPH_XTS_MODE && shared.encrypt;
    let weak = if xts { WeakKeys::Refuse } else { WeakKeys::Allow };
    let done = match transform.as_mut().and_then(Arc::get_mut) {
        Some(transform) => transform.set_key(key, weak),
        None => find::<T>(shared.row)
            .and_then(|unkeyed| unkeyed.key_with(key, weak))
            .map(|keyed| *transform = Some(Arc::new(keyed))),
    };
    done.map_err(|error| {
        // After a refused key, the context has no key.
        *transform = None;
        match error {
            Error::BadKey { .. } if xts => PROV_R_XTS_DUPLICATED_KEYS,
            error => reason(error),
        }
    })
}

/// The longest IV of a mode in bytes.
const MAX_IV: usize = 16;

/// The parameters of a mode that EVP can ask for.
pub const MODE_PARAMS: &[Param] = &[
    Param::size(OSSL_CIPHER_PARAM_KEYLEN),
    Param::size(OSSL_CIPHER_PARAM_IVLEN),
    Param::uint(OSSL_CIPHER_PARAM_PADDING),
    Param::uint(OSSL_CIPHER_PARAM_NUM),
    Param::octets(OSSL_CIPHER_PARAM_IV),
    Param::octets(OSSL_CIPHER_PARAM_UPDATED_IV),
    Param::END,
];

/// The key of a mode, its chaining value, and the IV that was set. As in OpenSSL, the first message has an IV of zeros
/// if none was set; only XTS refuses that.
#[derive(Clone, Default)]
pub struct Keyed {
    key: Option<Arc<Skcipher>>,
    iv: [u8; MAX_IV],
    first_iv: [u8; MAX_IV],
    iv_set: bool,
}

impl Keyed {
    pub fn init(&mut self, shared: &Shared, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result<(), Reason> {
        let len = shared.row.iv;
        if let Some(iv) = iv
            && len > 0
        {
            set_iv(&mut self.first_iv[..len], iv)?;
            self.iv_set = true;
        }
        // In these modes, a message without an IV begins with the last IV that was set. In other modes it continues
        // with the chaining value.
        let again = matches!(shared.row.mode, EVP_CIPH_CBC_MODE | EVP_CIPH_CFB_MODE | EVP_CIPH_OFB_MODE) && self.iv_set;
        if iv.is_some() || again {
            self.iv = self.first_iv;
        }
        key.map_or(Ok(()), |key| set_key(shared, &mut self.key, key))
    }

    pub fn key(&self) -> Result<&Skcipher, Reason> {
        self.key.as_deref().ok_or(PROV_R_NO_KEY_SET)
    }

    /// The key, for as long as the caller wants.
    pub fn share(&self) -> Result<Arc<Skcipher>, Reason> {
        self.key.clone().ok_or(PROV_R_NO_KEY_SET)
    }

    /// The key and the chaining value.
    #[inline]
    pub fn parts(&mut self, shared: &Shared) -> Result<(&Skcipher, &mut [u8]), Reason> {
        let key = self.key.as_deref().ok_or(PROV_R_NO_KEY_SET)?;
        if shared.row.mode == EVP_CIPH_XTS_MODE && !self.iv_set {
            return Err(PROV_R_INVALID_IV_LENGTH);
        }
        Ok((key, &mut self.iv[..shared.row.iv]))
    }

    /// Encrypts or decrypts.
    #[inline]
    pub fn crypt(&mut self, shared: &Shared, text: InOut<'_>) -> Result<(), Reason> {
        let (key, iv) = self.parts(shared)?;
        let done = if shared.encrypt { key.encrypt(iv, text) } else { key.decrypt(iv, text) };
        done.map_err(reason)
    }

    /// Answers the parameters that are about the IV.
    pub fn get(&self, shared: &Shared, key: &[u8], param: &mut Param) -> Result<(), Reason> {
        let len = shared.row.iv;
        match key {
            OSSL_CIPHER_PARAM_IVLEN => param.put(len),
            OSSL_CIPHER_PARAM_IV => param.put_bytes(&self.first_iv[..len]),
            OSSL_CIPHER_PARAM_UPDATED_IV => param.put_bytes(&self.iv[..len]),
            _ => Ok(()),
        }
    }
}

/// The HMAC over a digest, with a key.
pub fn hmac(digest: &str, key: &[u8]) -> Result<Arc<Hash>, Reason> {
    digest::named(digest.as_bytes()).ok_or(PROV_R_INVALID_STATE)?.keyed(key).map(Arc::new)
}

/// Copies an IV of the right length.
pub fn set_iv(place: &mut [u8], iv: &[u8]) -> Result<(), Reason> {
    if iv.len() != place.len() {
        return Err(PROV_R_INVALID_IV_LENGTH);
    }
    place.copy_from_slice(iv);
    Ok(())
}
