//! Key wrapping, with and without padding: each call wraps or unwraps a key. A call without a destination asks for the
//! length of the result.
//!
//! Callers of EVP may pass buffers that overlap, as OpenSSL's own code accepts them. So the key is moved before it is
//! processed.

use super::{
    Context, Run,
    shared::{MODE_PARAMS, Shared, set_iv, set_key},
};
use crate::{
    abi::*,
    core::{Reason, reason},
    memory,
};
use algkit::{Cipher, Direction, Error, key_wrap};
use std::{ptr, sync::Arc};

const WORD: usize = 8;

/// `INVERSE` is for the algorithms whose wrapping uses the cipher's decryption (SP 800-38F, section 5.1).
#[derive(Clone)]
pub struct Wrap<const PADDED: bool, const INVERSE: bool> {
    shared: Shared,
    key: Option<Arc<Cipher>>,
    iv: [u8; WORD],
    iv_set: bool,
}

impl<const PADDED: bool, const INVERSE: bool> Wrap<PADDED, INVERSE> {
    const IV_LEN: usize = if PADDED { 4 } else { WORD };
    const FORWARD: Direction = if INVERSE { Direction::Decrypt } else { Direction::Encrypt };

    /// Wraps the first `len` bytes of `key`, or unwraps all of it. Returns the word that precedes the wrapped key, and
    /// the length of the key.
    fn run(&self, cipher: &Cipher, word: [u8; WORD], key: &mut [u8], len: usize) -> Result<([u8; WORD], usize), Error> {
        let (iv, mut first) = (if self.iv_set { self.iv } else { key_wrap::IV }, key_wrap::PADDED_IV);
        if self.iv_set {
            first.copy_from_slice(&iv[..4]);
        }
        match (self.shared.encrypt, PADDED) {
            (true, false) => Ok((key_wrap::wrap(cipher, Self::FORWARD, iv, key)?, key.len())),
            (true, true) => Ok((key_wrap::wrap_padded(cipher, Self::FORWARD, first, key, len)?, key.len())),
            (false, false) => key_wrap::unwrap(cipher, Self::FORWARD, iv, word, key).map(|()| (word, key.len())),
            (false, true) => Ok((word, key_wrap::unwrap_padded(cipher, Self::FORWARD, first, word, key)?)),
        }
    }
}

impl<const PADDED: bool, const INVERSE: bool> Context for Wrap<PADDED, INVERSE> {
    const CUSTOM_IV: bool = true;
    const ONCE: bool = false;
    const GETTABLE: &'static [Param] = MODE_PARAMS;
    const SETTABLE: &'static [Param] = &[Param::size(OSSL_CIPHER_PARAM_KEYLEN), Param::END];

    fn new(shared: Shared) -> Self {
        Self { shared, key: None, iv: [0; WORD], iv_set: false }
    }

    fn shared(&mut self) -> &mut Shared {
        &mut self.shared
    }

    fn init(&mut self, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result<(), Reason> {
        if let Some(iv) = iv {
            set_iv(&mut self.iv[..Self::IV_LEN], iv)?;
            self.iv_set = true;
        }
        key.map_or(Ok(()), |key| set_key(&self.shared, &mut self.key, key))
    }

    unsafe fn update(&mut self, run: Run) -> Result<usize, Reason> {
        let Run { src, dst, len, .. } = run;
        let wraps = self.shared.encrypt;
        if len == 0 {
            return Ok(0);
        }
        let whole = len.is_multiple_of(WORD) || (wraps && PADDED);
        let least = if wraps { 1 } else { 2 * WORD };
        if src.is_null() || !whole || len < least || len > u32::MAX as usize {
            return Err(PROV_R_INVALID_INPUT_LENGTH);
        }
        // The wrapped key is preceded by a word.
        let (before_src, before_dst) = if wraps { (0, WORD) } else { (WORD, 0) };
        let key_len = (len - before_src).next_multiple_of(WORD);
        if dst.is_null() {
            return Ok(before_dst + key_len);
        }
        let cipher = self.key.as_deref().ok_or(PROV_R_NO_KEY_SET)?;
        // SAFETY: the source has `len` bytes. The destination has as many as a call without one says; that is the rule
        // of EVP for these ciphers, which counts one block more than `len` as the room, even where padding needs more.
        let (word, key) = unsafe {
            let mut word = [0; WORD];
            word[..before_src].copy_from_slice(memory::bytes(src, before_src));
            let at = dst.wrapping_add(before_dst);
            ptr::copy(src.wrapping_add(before_src), at, len - before_src);
            (word, memory::room(at, key_len))
        };
        let (word, written) = self.run(cipher, word, key, len).map_err(|error| match error {
            // There is no tag: the key itself has the mark that is missing.
            Error::Authentication => PROV_R_BAD_DECRYPT,
            error => reason(error),
        })?;
        // SAFETY: as above.
        unsafe { memory::room(dst, before_dst) }.copy_from_slice(&word[..before_dst]);
        Ok(before_dst + written)
    }

    fn get(&mut self, key: &[u8], param: &mut Param) -> Result<(), Reason> {
        match key {
            OSSL_CIPHER_PARAM_IVLEN => param.put(Self::IV_LEN),
            OSSL_CIPHER_PARAM_PADDING => param.put(usize::from(PADDED)),
            OSSL_CIPHER_PARAM_NUM => param.put(0),
            OSSL_CIPHER_PARAM_IV | OSSL_CIPHER_PARAM_UPDATED_IV => param.put_bytes(&self.iv[..Self::IV_LEN]),
            _ => Ok(()),
        }
    }

    fn set(&mut self, _: &[u8], _: &Param) -> Result<(), Reason> {
        Ok(())
    }
}
