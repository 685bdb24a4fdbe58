//! AES-CBC with an HMAC of the ciphertext, by OpenSSL 4.0's names for encrypt-then-MAC. A message is processed in one
//! call, and has whole blocks. The tag is the HMAC of the ciphertext only: the caller has to authenticate the IV and
//! all other data.
//!
//! A message is decrypted after its tag was compared. A tag serves one message. A message without a text is processed
//! at its end.

use super::{
    Context, Run,
    shared::{Keyed, Shared, hmac},
};
use crate::{
    abi::*,
    core::{Reason, reason},
    memory,
};
use algkit::{Hash, InOut};
use std::{mem, sync::Arc};
use subtle::ConstantTimeEq;

const BLOCK: usize = 16;

/// `MAC` is the length of the MAC, which determines its hash.
#[derive(Clone)]
pub struct Etm<const MAC: usize> {
    shared: Shared,
    keyed: Keyed,
    mac_key: Option<Arc<Hash>>,
    tag: [u8; MAC],
    /// The length of the tag that was made, or is expected; 0 if there is none.
    tag_len: usize,
    /// Whether the message was processed; one that was decrypted is authentic.
    done: bool,
}

impl<const MAC: usize> Etm<MAC> {
    const DIGEST: &'static str = match MAC {
        20 => "SHA1",
        32 => "SHA256",
        _ => "SHA512",
    };

    fn message(&mut self, mut text: InOut<'_>) -> Result<(), Reason> {
        let mac_key = self.mac_key.as_deref().ok_or(PROV_R_NO_KEY_SET)?;
        let mut mac = [0; MAC];
        self.done = false;
        if self.shared.encrypt {
            self.keyed.crypt(&self.shared, text.reborrow())?;
            mac_key.digest_into(&[text.dst()], &mut mac).map_err(reason)?;
            (self.tag, self.tag_len) = (mac, MAC);
        } else {
            let tag_len = mem::take(&mut self.tag_len);
            if tag_len == 0 {
                return Err(PROV_R_TAG_NOT_SET);
            }
            mac_key.digest_into(&[text.src()], &mut mac).map_err(reason)?;
            if !bool::from(mac[..tag_len].ct_eq(&self.tag[..tag_len])) {
                return Err(PROV_R_INVALID_TAG);
            }
            self.keyed.crypt(&self.shared, text)?;
        }
        self.done = true;
        Ok(())
    }
}

impl<const MAC: usize> Context for Etm<MAC> {
    const ENCRYPT_THEN_MAC: bool = true;
    const GETTABLE: &'static [Param] = &[
        Param::size(OSSL_CIPHER_PARAM_KEYLEN),
        Param::size(OSSL_CIPHER_PARAM_IVLEN),
        Param::octets(OSSL_CIPHER_PARAM_IV),
        Param::octets(OSSL_CIPHER_PARAM_UPDATED_IV),
        Param::octets(OSSL_CIPHER_PARAM_AEAD_TAG),
        Param::END,
    ];
    const SETTABLE: &'static [Param] = &[
        Param::size(OSSL_CIPHER_PARAM_KEYLEN),
        Param::octets(OSSL_CIPHER_PARAM_AEAD_MAC_KEY),
        Param::octets(OSSL_CIPHER_PARAM_AEAD_TAG),
        Param::END,
    ];

    fn new(shared: Shared) -> Self {
        Self { shared, keyed: Keyed::default(), mac_key: None, tag: [0; MAC], tag_len: 0, done: false }
    }

    fn shared(&mut self) -> &mut Shared {
        &mut self.shared
    }

    fn init(&mut self, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result<(), Reason> {
        (self.tag_len, self.done) = (0, false);
        self.keyed.init(&self.shared, key, iv)
    }

    unsafe fn update(&mut self, run: Run) -> Result<usize, Reason> {
        if run.len == 0 {
            return Ok(0);
        }
        if run.len > run.room {
            return Err(PROV_R_OUTPUT_BUFFER_TOO_SMALL);
        }
        if !run.len.is_multiple_of(BLOCK) {
            return Err(PROV_R_INVALID_INPUT_LENGTH);
        }
        // SAFETY: the buffers have this many bytes.
        self.message(unsafe { memory::in_out(run.src, run.dst, run.len)? })?;
        Ok(run.len)
    }

    fn finish(&mut self, _: &mut [u8]) -> Result<usize, Reason> {
        if !self.done {
            self.message(InOut::from(&mut [][..]))?;
        }
        Ok(0)
    }

    fn get(&mut self, key: &[u8], param: &mut Param) -> Result<(), Reason> {
        if key != OSSL_CIPHER_PARAM_AEAD_TAG {
            return self.keyed.get(&self.shared, key, param);
        }
        let len = param.data_size;
        if !self.shared.encrypt || len == 0 || len > self.tag_len {
            return Err(PROV_R_INVALID_TAG);
        }
        param.put_bytes(&self.tag[..len])
    }

    fn set(&mut self, key: &[u8], param: &Param) -> Result<(), Reason> {
        match key {
            OSSL_CIPHER_PARAM_AEAD_MAC_KEY => {
                self.mac_key = None;
                self.mac_key = Some(hmac(Self::DIGEST, param.required()?)?);
            }
            OSSL_CIPHER_PARAM_AEAD_TAG => {
                let tag = param.bytes()?.filter(|tag| (1..=MAC).contains(&tag.len())).ok_or(PROV_R_INVALID_TAG)?;
                if self.shared.encrypt {
                    return Err(PROV_R_TAG_NOT_NEEDED);
                }
                self.tag[..tag.len()].copy_from_slice(tag);
                (self.tag_len, self.done) = (tag.len(), false);
            }
            _ => (),
        }
        Ok(())
    }
}
