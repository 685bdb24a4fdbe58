//! CBC with ciphertext stealing (SP 800-38A, addendum): a message is one call.
//!
//! algkit's `cts` is CS3, whose last two blocks are swapped. CS1 never swaps them, and CS2 does where the last is not
//! complete. A swap is a rotation of what the two have in the ciphertext.

use super::{
    Context, Run,
    shared::{Shared, set_iv, set_key},
};
use crate::{abi::*, core::Reason, memory};
use algkit::Skcipher;
use std::{ffi::CStr, sync::Arc};

const BLOCK: usize = 16;

const MODES: [&CStr; 3] = [c"CS1", c"CS2", c"CS3"];

#[derive(Clone)]
pub struct Cts {
    shared: Shared,
    key: Option<Arc<Skcipher>>,
    iv: [u8; BLOCK],
    first_iv: [u8; BLOCK],
    iv_set: bool,
    /// The place of the mode in [`MODES`].
    mode: usize,
    updated: bool,
}

impl Cts {
    /// What lies differently than in CS3: the end of a text, if it does.
    fn swapped<'a>(&self, text: &'a mut [u8]) -> &'a mut [u8] {
        let partial = (text.len() - 1) % BLOCK + 1;
        let swaps = text.len() > BLOCK && (self.mode == 0 || self.mode == 1 && partial == BLOCK);
        let len = if swaps { BLOCK + partial } else { 0 };
        let from = text.len() - len;
        &mut text[from..]
    }
}

impl Context for Cts {
    const CTS: bool = true;
    const GETTABLE: &'static [Param] = &[
        Param::size(OSSL_CIPHER_PARAM_KEYLEN),
        Param::size(OSSL_CIPHER_PARAM_IVLEN),
        Param::uint(OSSL_CIPHER_PARAM_PADDING),
        Param::uint(OSSL_CIPHER_PARAM_NUM),
        Param::octets(OSSL_CIPHER_PARAM_IV),
        Param::octets(OSSL_CIPHER_PARAM_UPDATED_IV),
        Param::utf8(OSSL_CIPHER_PARAM_CTS_MODE),
        Param::END,
    ];
    const SETTABLE: &'static [Param] = &[
        Param::size(OSSL_CIPHER_PARAM_KEYLEN),
        Param::uint(OSSL_CIPHER_PARAM_PADDING),
        Param::utf8(OSSL_CIPHER_PARAM_CTS_MODE),
        Param::END,
    ];

    fn new(shared: Shared) -> Self {
        Self { shared, key: None, iv: [0; BLOCK], first_iv: [0; BLOCK], iv_set: false, mode: 0, updated: false }
    }

    fn shared(&self) -> &Shared {
        &self.shared
    }

    fn shared_mut(&mut self) -> &mut Shared {
        &mut self.shared
    }

    fn init(&mut self, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result<(), Reason> {
        if let Some(iv) = iv {
            set_iv(&mut self.first_iv, iv)?;
            self.iv_set = true;
        }
        (self.iv, self.updated) = (self.first_iv, false);
        key.map_or(Ok(()), |key| set_key(&self.shared, &mut self.key, key))
    }

    unsafe fn update(&mut self, run: Run) -> Result<usize, Reason> {
        let key = self.key.as_ref().ok_or(PROV_R_NO_KEY_SET)?;
        if !self.iv_set {
            return Err(PROV_R_INVALID_IV_LENGTH);
        }
        if run.len < BLOCK || self.updated {
            return Err(PROV_R_INVALID_INPUT_LENGTH);
        }
        if run.len > run.room {
            return Err(PROV_R_OUTPUT_BUFFER_TOO_SMALL);
        }
        // SAFETY: the buffers have this many bytes.
        let mut text = unsafe { memory::in_out(run.src, run.dst, run.len)? };
        text.copy();
        let (text, mut iv) = (text.into_dst(), self.iv);
        let done = if self.shared.encrypt {
            key.encrypt(&mut iv, &mut *text).inspect(|()| {
                let end = self.swapped(text);
                end.rotate_left(end.len().min(BLOCK));
            })
        } else {
            let end = self.swapped(text);
            end.rotate_right(end.len().min(BLOCK));
            key.decrypt(&mut iv, text)
        };
        done.map_err(|_| PROV_R_CIPHER_OPERATION_FAILED)?;
        (self.iv, self.updated) = (iv, true);
        Ok(run.len)
    }

    fn get(&mut self, key: &[u8], param: &mut Param) -> Result<(), Reason> {
        match key {
            OSSL_CIPHER_PARAM_IVLEN => param.put(BLOCK),
            OSSL_CIPHER_PARAM_PADDING => param.put(1),
            OSSL_CIPHER_PARAM_NUM => param.put(0),
            OSSL_CIPHER_PARAM_IV => param.put_bytes(&self.first_iv),
            OSSL_CIPHER_PARAM_UPDATED_IV => param.put_bytes(&self.iv),
            OSSL_CIPHER_PARAM_CTS_MODE => param.put_string(MODES[self.mode]),
            _ => Ok(()),
        }
    }

    fn set(&mut self, key: &[u8], param: &Param) -> Result<(), Reason> {
        if key == OSSL_CIPHER_PARAM_CTS_MODE {
            let name = param.string()?;
            let place = MODES.iter().position(|mode| mode.to_bytes().eq_ignore_ascii_case(name));
            self.mode = place.ok_or(PROV_R_FAILED_TO_SET_PARAMETER)?;
        }
        Ok(())
    }
}
