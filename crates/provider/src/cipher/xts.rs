//! XTS: each call is a data unit, under the IV that was set.

use super::{
    Context, Run,
    shared::{Shared, set_iv, set_key},
};
use crate::{abi::*, core::Reason, memory};
use algkit::Skcipher;
use std::sync::Arc;

#[derive(Clone)]
pub struct Xts {
    shared: Shared,
    key: Option<Arc<Skcipher>>,
    iv: [u8; 16],
    iv_set: bool,
}

impl Context for Xts {
    const CUSTOM_IV: bool = true;
    const GETTABLE: &'static [Param] = &[
        Param::size(OSSL_CIPHER_PARAM_KEYLEN),
        Param::size(OSSL_CIPHER_PARAM_IVLEN),
        Param::octets(OSSL_CIPHER_PARAM_IV),
        Param::octets(OSSL_CIPHER_PARAM_UPDATED_IV),
        Param::END,
    ];
    const SETTABLE: &'static [Param] = &[Param::size(OSSL_CIPHER_PARAM_KEYLEN), Param::END];

    fn new(shared: Shared) -> Self {
        Self { shared, key: None, iv: [0; 16], iv_set: false }
    }

    fn shared(&self) -> &Shared {
        &self.shared
    }

    fn shared_mut(&mut self) -> &mut Shared {
        &mut self.shared
    }

    fn init(&mut self, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result<(), Reason> {
        if let Some(iv) = iv {
            set_iv(&mut self.iv, iv)?;
            self.iv_set = true;
        }
        key.map_or(Ok(()), |key| set_key(&self.shared, &mut self.key, key))
    }

    unsafe fn update(&mut self, run: Run) -> Result<usize, Reason> {
        let key = self.key.as_ref().ok_or(PROV_R_NO_KEY_SET)?;
        if !self.iv_set {
            return Err(PROV_R_INVALID_IV_LENGTH);
        }
        if run.len > run.room {
            return Err(PROV_R_OUTPUT_BUFFER_TOO_SMALL);
        }
        // SAFETY: the buffers have this many bytes.
        let text = unsafe { memory::in_out(run.src, run.dst, run.len)? };
        let encrypt = self.shared.encrypt;
        let done = if encrypt { key.encrypt_once(&self.iv, text) } else { key.decrypt_once(&self.iv, text) };
        done.map_err(|_| PROV_R_INVALID_INPUT_LENGTH)?;
        Ok(run.len)
    }

    fn get(&mut self, key: &[u8], param: &mut Param) -> Result<(), Reason> {
        match key {
            OSSL_CIPHER_PARAM_IVLEN => param.put(self.iv.len()),
            OSSL_CIPHER_PARAM_IV | OSSL_CIPHER_PARAM_UPDATED_IV => param.put_bytes(&self.iv),
            _ => Ok(()),
        }
    }

    fn set(&mut self, _: &[u8], _: &Param) -> Result<(), Reason> {
        Ok(())
    }
}
