//! CBC with ciphertext stealing (SP 800-38A, addendum): a message is processed in one call.
//!
//! algkit's `cts` is CS3, which always swaps the last two blocks of the ciphertext. CS1 never swaps them, and CS2 swaps
//! them if the last block is not complete. To swap the two blocks, the end of the ciphertext is rotated.

use super::{
    Context, Run,
    shared::{Keyed, Shared},
};
use crate::{
    abi::*,
    core::{Reason, reason},
    memory,
};
use std::ffi::CStr;

const BLOCK: usize = 16;

const MODES: [&CStr; 3] = [c"CS1", c"CS2", c"CS3"];

#[derive(Clone)]
pub struct Cts {
    shared: Shared,
    keyed: Keyed,
    /// The index of the mode in [`MODES`].
    mode: usize,
    updated: bool,
}

impl Cts {
    /// The end of a text that has another order than in CS3; empty if the order is the same.
    fn swapped(mode: usize, text: &mut [u8]) -> &mut [u8] {
        let partial = (text.len() - 1) % BLOCK + 1;
        let swaps = text.len() > BLOCK && (mode == 0 || mode == 1 && partial == BLOCK);
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
        Self { shared, keyed: Keyed::default(), mode: 0, updated: false }
    }

    fn shared(&mut self) -> &mut Shared {
        &mut self.shared
    }

    fn init(&mut self, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result<(), Reason> {
        self.updated = false;
        self.keyed.init(&self.shared, key, iv)
    }

    unsafe fn update(&mut self, run: Run) -> Result<usize, Reason> {
        let (key, iv) = self.keyed.parts(&self.shared)?;
        if run.len < BLOCK || self.updated {
            return Err(PROV_R_INVALID_INPUT_LENGTH);
        }
        if run.len > run.room {
            return Err(PROV_R_OUTPUT_BUFFER_TOO_SMALL);
        }
        // SAFETY: the buffers have this many bytes.
        let mut text = unsafe { memory::in_out(run.src, run.dst, run.len)? };
        text.copy();
        let text = text.into_dst();
        let done = if self.shared.encrypt {
            key.encrypt(iv, &mut *text).inspect(|()| {
                let end = Self::swapped(self.mode, text);
                end.rotate_left(end.len().min(BLOCK));
            })
        } else {
            let end = Self::swapped(self.mode, text);
            end.rotate_right(end.len().min(BLOCK));
            key.decrypt(iv, text)
        };
        done.map_err(reason)?;
        self.updated = true;
        Ok(run.len)
    }

    fn get(&mut self, key: &[u8], param: &mut Param) -> Result<(), Reason> {
        match key {
            OSSL_CIPHER_PARAM_PADDING => param.put(1),
            OSSL_CIPHER_PARAM_NUM => param.put(0),
            OSSL_CIPHER_PARAM_CTS_MODE => param.put_string(MODES[self.mode]),
            _ => self.keyed.get(&self.shared, key, param),
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
