//! GMAC: GCM with associated data and no text.

use super::Context;
use crate::{
    abi::*,
    cipher::{self, Row},
    core::{Reason, reason},
    drivers, memory,
};
use algkit::{Aead, Sealing};
use std::{ptr, sync::Arc};

/// The longest IV in bytes. The limit is OpenSSL's.
const MAX_IV: usize = 128;
const TAG: usize = 16;

#[derive(Clone)]
pub struct Gmac {
    cipher: Option<&'static Row>,
    key: Option<Arc<Aead>>,
    /// The message in progress, for which the IV was used.
    message: Option<Sealing>,
    iv: [u8; MAX_IV],
    iv_len: usize,
    /// Whether the IV was not used yet.
    fresh_iv: bool,
    ended: bool,
}

impl Gmac {
    fn message(&mut self) -> Result<&mut Sealing, Reason> {
        let key = self.key.as_ref().ok_or(PROV_R_NO_KEY_SET)?;
        if self.fresh_iv {
            let iv = &self.iv[..self.iv_len];
            let begun = match &mut self.message {
                Some(message) => message.restart(iv),
                place => key.start(iv).map(|new| *place = Some(new)),
            };
            begun.map_err(reason)?;
            (self.fresh_iv, self.ended) = (false, false);
        }
        self.message.as_mut().filter(|_| !self.ended).ok_or(PROV_R_INVALID_STATE)
    }
}

impl Context for Gmac {
    const SIZE: Option<usize> = Some(TAG);
    const SETTABLE: &'static [Param] = &[
        Param::utf8(OSSL_MAC_PARAM_CIPHER),
        Param::utf8(OSSL_MAC_PARAM_PROPERTIES),
        Param::octets(OSSL_MAC_PARAM_KEY),
        Param::octets(OSSL_MAC_PARAM_IV),
        Param::END,
    ];

    fn new() -> Self {
        Self { cipher: None, key: None, message: None, iv: [0; MAX_IV], iv_len: 0, fresh_iv: false, ended: false }
    }

    fn choose(&mut self, key: &[u8], param: &Param) -> Result<(), Reason> {
        if key == OSSL_MAC_PARAM_CIPHER {
            let cipher = cipher::named(param.string()?, EVP_CIPH_GCM_MODE).ok_or(PROV_R_INVALID_MODE)?;
            if !self.cipher.is_some_and(|old| ptr::eq(old, cipher)) {
                (self.cipher, self.key, self.message) = (Some(cipher), None, None);
            }
        }
        Ok(())
    }

    fn set(&mut self, key: &[u8], param: &Param) -> Result<(), Reason> {
        if key == OSSL_MAC_PARAM_IV {
            let iv = param.bytes()?.filter(|iv| (1..=MAX_IV).contains(&iv.len())).ok_or(PROV_R_INVALID_IV_LENGTH)?;
            self.iv[..iv.len()].copy_from_slice(iv);
            (self.iv_len, self.fresh_iv) = (iv.len(), true);
        }
        Ok(())
    }

    fn set_key(&mut self, key: &[u8]) -> Result<(), Reason> {
        let cipher = self.cipher.ok_or(PROV_R_MISSING_CIPHER)?;
        (self.key, self.message) = (None, None);
        if key.len() != cipher.key {
            return Err(PROV_R_INVALID_KEY_LENGTH);
        }
        self.key = Some(Arc::new(drivers::keyed(cipher.aead()?, || cipher.name.into(), key)?));
        Ok(())
    }

    fn begin(&mut self, _: bool) -> Result<(), Reason> {
        // A message that was not ended cannot be continued, and its IV is not used again.
        self.ended = true;
        self.key.as_ref().map(|_| ()).ok_or(PROV_R_NO_KEY_SET)
    }

    unsafe fn update(&mut self, data: *const u8, len: usize) -> Result<(), Reason> {
        // SAFETY: as the caller promises.
        let data = unsafe { memory::source(data, len)? };
        self.message()?.assoc(data).map_err(reason)
    }

    fn finish(&mut self, out: &mut [u8]) -> Result<usize, Reason> {
        let out = out.get_mut(..TAG).ok_or(PROV_R_OUTPUT_BUFFER_TOO_SMALL)?;
        self.message()?.finish(out).map_err(reason)?;
        self.ended = true;
        Ok(TAG)
    }

    fn sizes(&self) -> (usize, usize) {
        (TAG, 16)
    }
}
