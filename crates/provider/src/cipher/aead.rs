//! GCM and ChaCha20-Poly1305.
//!
//! EVP decrypts a message in parts, and returns each part before the tag is compared. That is EVP's contract, for which
//! `algkit::Unverified` exists. A record of TLS is one message; its tag is compared before its text is returned.

use super::{
    Context, Run,
    early::Early,
    record::{self, HEADER},
    shared::{Shared, set_key},
};
use crate::{
    abi::*,
    core::{Reason, reason},
    memory,
};
use algkit::{Aead, InOut, Sealing, Unverified};
use std::sync::Arc;

/// The longest IV of GCM in bytes. The limit is OpenSSL's.
const MAX_IV: usize = 128;
const TAG: usize = 16;
/// The length of the explicit IV in a record of GCM.
const EXPLICIT_IV: usize = 8;

/// The progress of a message.
#[derive(Clone, Copy, PartialEq)]
enum Progress {
    /// There is no IV.
    NoIv,
    /// There is an IV, and it was not used.
    Ready,
    /// The parts that came are kept, since they may be the whole message.
    Early,
    /// The message is processed in parts.
    Begun,
    /// The IV is not used again, and no message with it was ended.
    Spent,
    /// The tag was made or compared. The IV is not used again.
    Ended,
}

#[derive(Clone)]
pub struct Authenticated<const GCM: bool> {
    shared: Shared,
    key: Option<Arc<Aead>>,
    /// The state of a message in parts. It is kept as long as the key, so that no message allocates one.
    sealing: Option<Sealing>,
    opening: Option<Unverified>,
    progress: Progress,
    early: Early,
    iv: [u8; MAX_IV],
    iv_len: usize,
    tag: [u8; TAG],
    /// The length of the tag that was set or made.
    tag_len: Option<usize>,
    /// The associated data of the next record, and the number of bytes that EVP reports for it.
    tls_aad: Option<[u8; HEADER]>,
    tls_added: usize,
    /// Whether the IV is one of TLS, whose last 8 bytes are a counter.
    counted_iv: bool,
    /// The number of records that were encrypted.
    records: u64,
}

impl<const GCM: bool> Authenticated<GCM> {
    fn key(&self) -> Result<&Aead, Reason> {
        self.key.as_deref().ok_or(PROV_R_NO_KEY_SET)
    }

    /// Begins a message, unless one has begun. Its first parts are kept, unless its IV has a counter.
    #[inline]
    fn begin(&mut self) -> Result<(), Reason> {
        match self.progress {
            Progress::Early | Progress::Begun => return Ok(()),
            Progress::NoIv if GCM && self.shared.encrypt && self.iv_len >= 12 => {
                // Without an IV, GCM makes a random one (SP 800-38D, section 8.2.2), which the caller can ask for.
                random(&mut self.iv[..self.iv_len])?;
            }
            Progress::NoIv => return Err(PROV_R_INVALID_IV_LENGTH),
            Progress::Spent | Progress::Ended => return Err(PROV_R_INVALID_STATE),
            Progress::Ready => (),
        }
        self.progress = Progress::Early;
        if self.counted_iv { self.go_on() } else { Ok(()) }
    }

    /// Continues a message in parts, beginning with the parts that were kept.
    fn go_on(&mut self) -> Result<(), Reason> {
        if self.progress != Progress::Early {
            return Ok(());
        }
        let iv = &self.iv[..self.iv_len];
        let begun = match (self.shared.encrypt, &mut self.sealing, &mut self.opening) {
            (true, Some(sealing), _) => sealing.restart(iv),
            (false, _, Some(opening)) => opening.restart(iv),
            (true, place, _) => self.key.as_ref().ok_or(PROV_R_NO_KEY_SET)?.start(iv).map(|new| *place = Some(new)),
            (false, _, place) => {
                self.key.as_ref().ok_or(PROV_R_NO_KEY_SET)?.start_unverified(iv).map(|new| *place = Some(new))
            }
        };
        begun.map_err(reason)?;
        self.progress = Progress::Begun;
        let (assoc, text) = self.early.parts();
        let done = match (self.shared.encrypt, &mut self.sealing, &mut self.opening) {
            (true, Some(message), _) => message.assoc(assoc).and_then(|()| message.encrypt(text)),
            (false, _, Some(message)) => message.assoc(assoc).and_then(|()| message.decrypt_unverified(text)),
            _ => return Err(PROV_R_INVALID_STATE),
        };
        done.map_err(reason)?;
        self.early.wipe();
        if self.counted_iv && self.shared.encrypt {
            self.count_iv();
        }
        Ok(())
    }

    /// Processes a text that may be the last one together with the tag. Returns whether that was possible.
    #[inline]
    fn whole(&mut self, text: &mut InOut<'_>) -> Result<bool, Reason> {
        if self.progress != Progress::Early || self.early.done || (!self.shared.encrypt && self.tag_len.is_none()) {
            return Ok(false);
        }
        if !self.early.keep_text(text.src()) {
            return Ok(false);
        }
        let (key, iv) = (self.key.as_deref().ok_or(PROV_R_NO_KEY_SET)?, &self.iv[..self.iv_len]);
        let assoc = &[self.early.assoc()];
        let done = if self.shared.encrypt {
            key.encrypt(iv, assoc, text.reborrow(), &mut self.tag)
        } else {
            key.decrypt(iv, assoc, text.reborrow(), &self.tag[..self.tag_len.unwrap_or_default()])
        };
        self.early.done = done.is_ok();
        if self.early.done {
            return Ok(true);
        }
        if self.shared.encrypt {
            return Err(PROV_R_CIPHER_OPERATION_FAILED);
        }
        // The text is not authentic, or not the whole message. EVP reports that at the end.
        text.dst().copy_from_slice(self.early.text());
        self.early.forget_text();
        self.go_on()?;
        let message = self.opening.as_mut().ok_or(PROV_R_INVALID_STATE)?;
        message.decrypt_unverified(InOut::from(text.dst())).map_err(reason)?;
        Ok(true)
    }

    /// Sets the header of a record. The length in it is that of the record as it is sent, but without the tag if it is
    /// to be encrypted.
    fn set_tls_aad(&mut self, header: &[u8]) -> Result<(), Reason> {
        let more = if GCM { EXPLICIT_IV } else { 0 } + if self.shared.encrypt { 0 } else { TAG };
        (self.tls_aad, self.tls_added) = (Some(record::header_of_text(header, more)?), TAG);
        Ok(())
    }

    fn set_fixed_iv(&mut self, fixed: &[u8]) -> Result<(), Reason> {
        if GCM && self.iv_len < EXPLICIT_IV {
            // There is no room for the counter.
            return Err(PROV_R_INVALID_IV_LENGTH);
        }
        if GCM && fixed.len() == self.iv_len {
            self.iv[..fixed.len()].copy_from_slice(fixed);
        } else if GCM {
            // At least 4 bytes are fixed. At least 8 bytes are a counter, which starts at a random number.
            if fixed.len() < 4 || fixed.len() + EXPLICIT_IV > self.iv_len {
                return Err(PROV_R_INVALID_IV_LENGTH);
            }
            if self.shared.encrypt {
                let iv_len = self.iv_len;
                random(&mut self.iv[fixed.len()..iv_len])?;
            }
            self.iv[..fixed.len()].copy_from_slice(fixed);
        } else {
            super::shared::set_iv(&mut self.iv[..12], fixed)?;
        }
        (self.counted_iv, self.progress) = (true, Progress::Ready);
        self.early.wipe();
        Ok(())
    }

    fn count_iv(&mut self) {
        let counter = &mut self.iv[self.iv_len - EXPLICIT_IV..self.iv_len];
        let next = u64::from_be_bytes((&*counter).try_into().expect("8 bytes")).wrapping_add(1);
        counter.copy_from_slice(&next.to_be_bytes());
    }

    /// A record: explicit IV (GCM), text, tag.
    fn record(&mut self, aad: [u8; HEADER], record: &mut [u8]) -> Result<usize, Reason> {
        let explicit = if GCM { EXPLICIT_IV } else { 0 };
        // libssl sets the IV of ChaCha20-Poly1305 together with the key.
        let has_iv = if GCM { self.counted_iv } else { self.progress != Progress::NoIv };
        if !has_iv || record.len() < explicit + TAG {
            return Err(PROV_R_INVALID_STATE);
        }
        let len = record.len() - explicit - TAG;
        let (explicit_iv, rest) = record.split_at_mut(explicit);
        let (text, tag) = rest.split_at_mut(len);
        let encrypt = self.shared.encrypt;
        let mut iv = [0; 12];
        if GCM {
            if self.iv_len != iv.len() {
                return Err(PROV_R_INVALID_IV_LENGTH);
            }
            if encrypt {
                self.records = self.records.checked_add(1).ok_or(PROV_R_TOO_MANY_RECORDS)?;
                explicit_iv.copy_from_slice(&self.iv[4..12]);
                iv.copy_from_slice(&self.iv[..12]);
                self.count_iv();
            } else {
                self.iv[4..12].copy_from_slice(explicit_iv);
                iv.copy_from_slice(&self.iv[..12]);
            }
        } else {
            // RFC 7905, section 2: the number of the record is XORed into the end of the IV.
            iv.copy_from_slice(&self.iv[..12]);
            iv[4..].iter_mut().zip(&aad[..8]).for_each(|(iv, number)| *iv ^= number);
        }
        // A message that is not a record needs another IV.
        self.progress = Progress::Spent;
        let key = self.key()?;
        let done = if encrypt { key.encrypt(&iv, &[&aad], text, tag) } else { key.decrypt(&iv, &[&aad], text, tag) };
        done.map_err(reason)?;
        Ok(if encrypt { record.len() } else { len })
    }
}

fn random(bytes: &mut [u8]) -> Result<(), Reason> {
    getrandom::fill(bytes).map_err(|_| PROV_R_CIPHER_OPERATION_FAILED)
}

impl<const GCM: bool> Context for Authenticated<GCM> {
    const AEAD: bool = true;
    const ENDS_WITHOUT_SOURCE: bool = true;
    const CUSTOM_IV: bool = true;
    const GETTABLE: &'static [Param] = &[
        Param::size(OSSL_CIPHER_PARAM_KEYLEN),
        Param::size(OSSL_CIPHER_PARAM_IVLEN),
        Param::size(OSSL_CIPHER_PARAM_AEAD_TAGLEN),
        Param::octets(OSSL_CIPHER_PARAM_IV),
        Param::octets(OSSL_CIPHER_PARAM_UPDATED_IV),
        Param::octets(OSSL_CIPHER_PARAM_AEAD_TAG),
        Param::size(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD),
        Param::octets(OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN),
        Param::END,
    ];
    const SETTABLE: &'static [Param] = &[
        Param::size(OSSL_CIPHER_PARAM_KEYLEN),
        Param::size(OSSL_CIPHER_PARAM_IVLEN),
        Param::octets(OSSL_CIPHER_PARAM_AEAD_TAG),
        Param::octets(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD),
        Param::octets(OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED),
        Param::octets(OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV),
        Param::END,
    ];

    fn new(shared: Shared) -> Self {
        let iv_len = shared.row().iv;
        Self {
            shared,
            key: None,
            sealing: None,
            opening: None,
            progress: Progress::NoIv,
            early: Early::default(),
            iv: [0; MAX_IV],
            iv_len,
            tag: [0; TAG],
            tag_len: None,
            tls_aad: None,
            tls_added: 0,
            counted_iv: false,
            records: 0,
        }
    }

    fn shared(&mut self) -> &mut Shared {
        &mut self.shared
    }

    fn init(&mut self, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result<(), Reason> {
        self.early.wipe();
        if let Some(iv) = iv {
            let fits = if GCM { (1..=MAX_IV).contains(&iv.len()) } else { iv.len() == 12 };
            if !fits {
                return Err(PROV_R_INVALID_IV_LENGTH);
            }
            self.iv[..iv.len()].copy_from_slice(iv);
            (self.iv_len, self.progress, self.counted_iv) = (iv.len(), Progress::Ready, false);
        } else if matches!(self.progress, Progress::Early | Progress::Begun) {
            // A message that was not ended cannot be continued, and its IV is not used again.
            self.progress = Progress::Spent;
        }
        if let Some(key) = key {
            (self.sealing, self.opening, self.records) = (None, None, 0);
            set_key(&self.shared, &mut self.key, key)?;
            if matches!(self.progress, Progress::Spent | Progress::Ended) {
                self.progress = Progress::NoIv;
            }
        }
        Ok(())
    }

    unsafe fn update(&mut self, run: Run) -> Result<usize, Reason> {
        if let Some(aad) = self.tls_aad.take() {
            if run.src != run.dst.cast_const() || run.len > run.room {
                return Err(PROV_R_CIPHER_OPERATION_FAILED);
            }
            // SAFETY: the buffer has `len` bytes.
            return self.record(aad, unsafe { memory::room(run.dst, run.len) });
        }
        self.key()?;
        if run.len == 0 {
            return Ok(0);
        }
        if !run.dst.is_null() && run.len > run.room {
            return Err(PROV_R_OUTPUT_BUFFER_TOO_SMALL);
        }
        self.begin()?;
        if run.dst.is_null() {
            // SAFETY: the source has `len` bytes.
            let assoc = unsafe { memory::source(run.src, run.len)? };
            if self.progress == Progress::Early && !self.early.done && self.early.keep_assoc(assoc) {
                return Ok(run.len);
            }
            self.go_on()?;
            let done = match (self.shared.encrypt, &mut self.sealing, &mut self.opening) {
                (true, Some(message), _) => message.assoc(assoc),
                (false, _, Some(message)) => message.assoc(assoc),
                _ => return Err(PROV_R_INVALID_STATE),
            };
            done.map_err(reason)?;
            return Ok(run.len);
        }
        // SAFETY: the buffers have this many bytes.
        let mut text = unsafe { memory::in_out(run.src, run.dst, run.len)? };
        if self.whole(&mut text)? {
            return Ok(run.len);
        }
        self.go_on()?;
        let done = match (self.shared.encrypt, &mut self.sealing, &mut self.opening) {
            (true, Some(message), _) => message.encrypt(text),
            (false, _, Some(message)) => message.decrypt_unverified(text),
            _ => return Err(PROV_R_INVALID_STATE),
        };
        done.map_err(reason)?;
        Ok(run.len)
    }

    fn finish(&mut self, _: &mut [u8]) -> Result<usize, Reason> {
        self.key()?;
        let tag_len = if self.shared.encrypt { TAG } else { self.tag_len.ok_or(PROV_R_TAG_NOT_SET)? };
        self.begin()?;
        if self.early.done {
            self.early.wipe();
            (self.progress, self.tag_len) = (Progress::Ended, Some(tag_len));
            return Ok(0);
        }
        self.go_on()?;
        self.progress = Progress::Ended;
        let done = match (self.shared.encrypt, &mut self.sealing, &mut self.opening) {
            (true, Some(message), _) => message.finish(&mut self.tag),
            (false, _, Some(message)) => message.verify(&self.tag[..tag_len]),
            _ => return Err(PROV_R_INVALID_STATE),
        };
        done.map_err(reason)?;
        self.tag_len = Some(tag_len);
        Ok(0)
    }

    fn get(&mut self, key: &[u8], param: &mut Param) -> Result<(), Reason> {
        match key {
            OSSL_CIPHER_PARAM_IVLEN => param.put(self.iv_len),
            OSSL_CIPHER_PARAM_AEAD_TAGLEN => param.put(self.tag_len.unwrap_or(if GCM { TAG } else { 0 })),
            OSSL_CIPHER_PARAM_IV | OSSL_CIPHER_PARAM_UPDATED_IV if GCM => {
                if self.progress == Progress::NoIv {
                    Err(PROV_R_INVALID_STATE)
                } else {
                    param.put_bytes(&self.iv[..self.iv_len])
                }
            }
            OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD => param.put(self.tls_added),
            OSSL_CIPHER_PARAM_AEAD_TAG => {
                let len = param.data_size;
                if !self.shared.encrypt || self.progress != Progress::Ended || len == 0 || len > TAG {
                    return Err(PROV_R_INVALID_TAG);
                }
                param.put_bytes(&self.tag[..len])
            }
            OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN => {
                if !GCM || !self.counted_iv {
                    return Err(PROV_R_INVALID_STATE);
                }
                // The length 0, which is −1 or 0 in `EVP_CIPHER_CTX_ctrl`, means the whole IV.
                let given = param.data_size;
                let wanted = if given == 0 { self.iv_len } else { given.min(self.iv_len) };
                param.data_size = wanted;
                let put = param.put_bytes(&self.iv[self.iv_len - wanted..self.iv_len]);
                param.data_size = given;
                put?;
                self.progress = Progress::Ready;
                self.begin()?;
                if !self.shared.encrypt {
                    self.count_iv();
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn set(&mut self, key: &[u8], param: &Param) -> Result<(), Reason> {
        match key {
            OSSL_CIPHER_PARAM_AEAD_TAG => {
                if self.early.done {
                    // The text was compared with another tag, which does not say that this tag is right.
                    self.go_on()?;
                }
                let len = param.data_size;
                match param.bytes()? {
                    _ if len == 0 || len > TAG => return Err(PROV_R_INVALID_TAG_LENGTH),
                    Some(_) if self.shared.encrypt => return Err(PROV_R_TAG_NOT_NEEDED),
                    Some(tag) => self.tag[..len].copy_from_slice(tag),
                    None if GCM => return Err(PROV_R_INVALID_TAG),
                    None => (),
                }
                self.tag_len = Some(len);
            }
            OSSL_CIPHER_PARAM_IVLEN => {
                let len = param.get()?;
                let fits = if GCM { (1..=MAX_IV).contains(&len) } else { len == 12 };
                if !fits {
                    return Err(PROV_R_INVALID_IV_LENGTH);
                }
                if len != self.iv_len {
                    // An IV that was set has the wrong length now, and a message that has begun with it cannot be
                    // continued.
                    let unset = self.progress == Progress::NoIv;
                    self.progress = if unset { Progress::NoIv } else { Progress::Spent };
                    (self.iv_len, self.counted_iv) = (len, false);
                    self.early.wipe();
                }
            }
            OSSL_CIPHER_PARAM_AEAD_TLS1_AAD => self.set_tls_aad(param.required()?)?,
            OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED if GCM && param.data_size == usize::MAX => {
                // This length, which is −1 in `EVP_CIPHER_CTX_ctrl`, means the whole IV.
                let iv = param.bytes_of(self.iv_len)?.ok_or(PROV_R_FAILED_TO_GET_PARAMETER)?;
                self.set_fixed_iv(iv)?;
            }
            OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED => self.set_fixed_iv(param.required()?)?,
            OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV => {
                let explicit = param.required()?;
                let from = self.iv_len.checked_sub(explicit.len()).ok_or(PROV_R_INVALID_IV_LENGTH)?;
                if !GCM || !self.counted_iv || self.shared.encrypt || self.key.is_none() {
                    return Err(PROV_R_INVALID_STATE);
                }
                self.iv[from..self.iv_len].copy_from_slice(explicit);
                self.progress = Progress::Ready;
            }
            _ => (),
        }
        Ok(())
    }
}
