//! XTS: each call processes a data unit, with the IV that was set.

use super::{
    Context, Run,
    shared::{Keyed, Shared},
};
use crate::{
    abi::*,
    core::{Reason, reason},
    memory,
};

#[derive(Clone)]
pub struct Xts {
    shared: Shared,
    keyed: Keyed,
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
        Self { shared, keyed: Keyed::default() }
    }

    fn shared(&mut self) -> &mut Shared {
        &mut self.shared
    }

    fn init(&mut self, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result<(), Reason> {
        self.keyed.init(&self.shared, key, iv)
    }

    unsafe fn update(&mut self, run: Run) -> Result<usize, Reason> {
        let (key, iv) = self.keyed.parts(&self.shared)?;
        if run.len > run.room {
            return Err(PROV_R_OUTPUT_BUFFER_TOO_SMALL);
        }
        // SAFETY: the buffers have this many bytes.
        let text = unsafe { memory::in_out(run.src, run.dst, run.len)? };
        let encrypt = self.shared.encrypt;
        let done = if encrypt { key.encrypt_once(iv, text) } else { key.decrypt_once(iv, text) };
        done.map_err(reason)?;
        Ok(run.len)
    }

    fn get(&mut self, key: &[u8], param: &mut Param) -> Result<(), Reason> {
        self.keyed.get(&self.shared, key, param)
    }

    fn set(&mut self, _: &[u8], _: &Param) -> Result<(), Reason> {
        Ok(())
    }
}
