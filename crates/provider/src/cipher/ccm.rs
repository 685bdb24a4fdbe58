//! CCM: a message is processed in one call, since its length has to be known first. A message without a text is
//! processed at its end, unless a call had the empty text.

use super::{
    Context, Run,
    record::{self, HEADER},
    shared::{Shared, set_iv, set_key},
};
use crate::{
    abi::*,
    core::{Reason, reason},
    memory,
};
use algkit::{Aead, InOut, ccm_iv};
use std::sync::Arc;

const TAG: usize = 16;
/// In TLS the first 4 bytes of the IV are fixed, and the others are sent in the record (RFC 6655, section 3).
const FIXED_IV: usize = 4;
const EXPLICIT_IV: usize = 8;

#[derive(Clone)]
pub struct Ccm {
    shared: Shared,
    key: Option<Arc<Aead>>,
    iv: [u8; 13],
    iv_len: usize,
    iv_set: bool,
    /// The length of the text, if the caller has set it.
    text_len: Option<usize>,
    assoc: Vec<u8>,
    tag: [u8; TAG],
    tag_len: usize,
    tag_set: bool,
    /// Whether the message was processed; one that was decrypted is authentic.
    done: bool,
    tls_aad: Option<[u8; HEADER]>,
    tls_added: usize,
}

impl Ccm {
    /// Encrypts or decrypts a whole message.
    fn crypt(&mut self, text: InOut<'_>) -> Result<(), Reason> {
        let key = self.key.as_ref().ok_or(PROV_R_NO_KEY_SET)?;
        let iv = ccm_iv(&self.iv[..self.iv_len]).map_err(|_| PROV_R_INVALID_IV_LENGTH)?;
        let tag = &mut self.tag[..self.tag_len];
        let done = if self.shared.encrypt {
            key.encrypt(&iv, &[&self.assoc], text, tag)
        } else {
            key.decrypt(&iv, &[&self.assoc], text, tag)
        };
        self.assoc.clear();
        (self.text_len, self.tag_set) = (None, self.shared.encrypt);
        done.map_err(reason)
    }

    /// Encrypts or decrypts a whole message, if there is all that it needs. The IV is not used again.
    fn message(&mut self, text: InOut<'_>) -> Result<(), Reason> {
        if !self.shared.encrypt && !self.tag_set {
            return Err(PROV_R_TAG_NOT_SET);
        }
        if !self.iv_set {
            return Err(PROV_R_INVALID_IV_LENGTH);
        }
        if self.text_len.is_some_and(|len| len != text.len()) {
            return Err(PROV_R_INVALID_INPUT_LENGTH);
        }
        self.iv_set = false;
        self.crypt(text)?;
        self.done = true;
        Ok(())
    }

    /// A record of TLS: explicit IV, text, tag.
    fn record(&mut self, aad: [u8; HEADER], record: &mut [u8]) -> Result<usize, Reason> {
        let whole = record.len();
        let len = whole.checked_sub(EXPLICIT_IV + self.tag_len).ok_or(PROV_R_INVALID_INPUT_LENGTH)?;
        if self.iv_len != FIXED_IV + EXPLICIT_IV {
            return Err(PROV_R_INVALID_IV_LENGTH);
        }
        let (explicit_iv, rest) = record.split_at_mut(EXPLICIT_IV);
        let (text, tag) = rest.split_at_mut(len);
        if self.shared.encrypt {
            explicit_iv.copy_from_slice(&aad[..EXPLICIT_IV]);
        } else {
            self.tag[..tag.len()].copy_from_slice(tag);
        }
        self.iv[FIXED_IV..12].copy_from_slice(explicit_iv);
        self.assoc.clear();
        self.assoc.extend_from_slice(&aad);
        // A message that is not a record needs another IV.
        self.iv_set = false;
        self.crypt(InOut::from(text))?;
        self.tag_set = false;
        if !self.shared.encrypt {
            return Ok(len);
        }
        tag.copy_from_slice(&self.tag[..tag.len()]);
        Ok(whole)
    }
}

impl Context for Ccm {
    const AEAD: bool = true;
    const CUSTOM_IV: bool = true;
    const GETTABLE: &'static [Param] = &[
        Param::size(OSSL_CIPHER_PARAM_KEYLEN),
        Param::size(OSSL_CIPHER_PARAM_IVLEN),
        Param::size(OSSL_CIPHER_PARAM_AEAD_TAGLEN),
        Param::octets(OSSL_CIPHER_PARAM_IV),
        Param::octets(OSSL_CIPHER_PARAM_UPDATED_IV),
        Param::octets(OSSL_CIPHER_PARAM_AEAD_TAG),
        Param::size(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD),
        Param::END,
    ];
    const SETTABLE: &'static [Param] = &[
        Param::size(OSSL_CIPHER_PARAM_KEYLEN),
        Param::size(OSSL_CIPHER_PARAM_IVLEN),
        Param::octets(OSSL_CIPHER_PARAM_AEAD_TAG),
        Param::octets(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD),
        Param::octets(OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED),
        Param::END,
    ];

    fn new(shared: Shared) -> Self {
        Self {
            shared,
            key: None,
            iv: [0; 13],
            iv_len: 7,
            iv_set: false,
            text_len: None,
            assoc: Vec::new(),
            tag: [0; TAG],
            tag_len: 12,
            tag_set: false,
            done: false,
            tls_aad: None,
            tls_added: 0,
        }
    }

    fn shared(&mut self) -> &mut Shared {
        &mut self.shared
    }

    fn init(&mut self, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result<(), Reason> {
        self.assoc.clear();
        self.done = false;
        if let Some(iv) = iv {
            set_iv(&mut self.iv[..self.iv_len], iv)?;
            self.iv_set = true;
        }
        key.map_or(Ok(()), |key| set_key(&self.shared, &mut self.key, key))
    }

    unsafe fn update(&mut self, run: Run) -> Result<usize, Reason> {
        if let Some(aad) = self.tls_aad.take() {
            if run.src != run.dst.cast_const() || run.len > run.room {
                return Err(PROV_R_CIPHER_OPERATION_FAILED);
            }
            // SAFETY: the buffer has `len` bytes.
            return self.record(aad, unsafe { memory::room(run.dst, run.len) });
        }
        if self.key.is_none() {
            return Err(PROV_R_NO_KEY_SET);
        }
        match (run.src.is_null(), run.dst.is_null()) {
            (true, false) if run.len == 0 => return self.finish(&mut []),
            (true, false) => return Err(ERR_R_PASSED_NULL_PARAMETER),
            _ if !self.iv_set => return Err(PROV_R_INVALID_IV_LENGTH),
            (true, true) => self.text_len = Some(run.len),
            (false, true) => {
                // SAFETY: the source has `len` bytes.
                self.assoc.extend_from_slice(unsafe { memory::bytes(run.src, run.len) });
            }
            (false, false) => {
                if run.len > run.room {
                    return Err(PROV_R_OUTPUT_BUFFER_TOO_SMALL);
                }
                // SAFETY: the buffers have this many bytes.
                self.message(unsafe { memory::in_out(run.src, run.dst, run.len)? })?;
            }
        }
        Ok(run.len)
    }

    unsafe fn once(&mut self, run: Run) -> Result<usize, Reason> {
        if run.src.is_null() && run.len == 0 {
            return self.finish(&mut []);
        }
        // SAFETY: as the caller promises.
        unsafe { self.update(run) }
    }

    fn finish(&mut self, _: &mut [u8]) -> Result<usize, Reason> {
        if self.key.is_none() {
            return Err(PROV_R_NO_KEY_SET);
        }
        if !self.done {
            self.message(InOut::from(&mut [][..]))?;
        }
        Ok(0)
    }

    fn get(&mut self, key: &[u8], param: &mut Param) -> Result<(), Reason> {
        match key {
            OSSL_CIPHER_PARAM_IVLEN => param.put(self.iv_len),
            OSSL_CIPHER_PARAM_AEAD_TAGLEN => param.put(self.tag_len),
            OSSL_CIPHER_PARAM_IV | OSSL_CIPHER_PARAM_UPDATED_IV => param.put_bytes(&self.iv[..self.iv_len]),
            OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD => param.put(self.tls_added),
            OSSL_CIPHER_PARAM_AEAD_TAG => {
                if !self.shared.encrypt || !self.tag_set || param.data_size != self.tag_len {
                    return Err(PROV_R_TAG_NOT_SET);
                }
                self.tag_set = false;
                param.put_bytes(&self.tag[..self.tag_len])
            }
            _ => Ok(()),
        }
    }

    fn set(&mut self, key: &[u8], param: &Param) -> Result<(), Reason> {
        match key {
            OSSL_CIPHER_PARAM_AEAD_TAG => {
                let len = param.data_size;
                if len % 2 == 1 || !(4..=TAG).contains(&len) {
                    return Err(PROV_R_INVALID_TAG_LENGTH);
                }
                if let Some(tag) = param.bytes()? {
                    if self.shared.encrypt {
                        return Err(PROV_R_TAG_NOT_NEEDED);
                    }
                    self.tag[..len].copy_from_slice(tag);
                    (self.tag_set, self.done) = (true, false);
                }
                self.tag_len = len;
            }
            OSSL_CIPHER_PARAM_IVLEN => {
                let len = param.get()?;
                if !(7..=13).contains(&len) {
                    return Err(PROV_R_INVALID_IV_LENGTH);
                }
                if len != self.iv_len {
                    (self.iv_len, self.iv_set) = (len, false);
                }
            }
            OSSL_CIPHER_PARAM_AEAD_TLS1_AAD => {
                let more = EXPLICIT_IV + if self.shared.encrypt { 0 } else { self.tag_len };
                let aad = record::header_of_text(param.required()?, more)?;
                (self.tls_aad, self.tls_added) = (Some(aad), self.tag_len);
            }
            OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED => {
                set_iv(&mut self.iv[..FIXED_IV], param.required()?)?;
            }
            _ => (),
        }
        Ok(())
    }
}
