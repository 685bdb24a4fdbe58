//! CTR and ChaCha20: parts of any length, from a mode that takes whole blocks of keystream and a last part.

use super::{
    Context, Run,
    shared::{Shared, set_iv, set_key},
};
use crate::{abi::*, core::Reason, memory};
use algkit::{InOut, Skcipher};
use std::sync::Arc;
use zeroize::Zeroize;

#[derive(Clone)]
pub struct Stream<const CHACHA: bool> {
    shared: Shared,
    key: Option<Arc<Skcipher>>,
    iv: [u8; 16],
    first_iv: [u8; 16],
    iv_set: bool,
    /// The current block of keystream, of which the first `used` bytes are used. All are between blocks.
    keystream: [u8; 64],
    used: usize,
}

impl<const CHACHA: bool> Drop for Stream<CHACHA> {
    fn drop(&mut self) {
        self.keystream.zeroize();
    }
}

impl<const CHACHA: bool> Stream<CHACHA> {
    const BLOCK: usize = if CHACHA { 64 } else { 16 };

    /// Whole blocks.
    fn crypt(&mut self, mut text: InOut<'_>) -> Result<(), Reason> {
        let key = self.key.as_ref().ok_or(PROV_R_NO_KEY_SET)?;
        if !self.iv_set {
            return Err(PROV_R_INVALID_IV_LENGTH);
        }
        while !text.is_empty() {
            let mut len = text.len();
            if CHACHA {
                // The block counter has 32 bits in algkit and 64 in OpenSSL, so the text is cut where the first wraps.
                let [a, b, c, d, ..] = self.iv;
                let left = (1 << 32) - u64::from(u32::from_le_bytes([a, b, c, d]));
                len = len.min(usize::try_from(64 * left).unwrap_or(usize::MAX));
            }
            let (run, rest) = text.split_at(len);
            let mut iv = self.iv;
            key.encrypt(&mut iv, run).map_err(|_| PROV_R_CIPHER_OPERATION_FAILED)?;
            if CHACHA {
                let counter =
                    u64::from_le_bytes(self.iv[..8].try_into().expect("8 bytes")).wrapping_add(len as u64 / 64);
                iv[..8].copy_from_slice(&counter.to_le_bytes());
            }
            self.iv = iv;
            text = rest;
        }
        Ok(())
    }

    /// XORs a part of the current block of keystream.
    fn xor(&mut self, mut part: InOut<'_>) {
        let (from, len) = (self.used, part.len());
        part.xor(&self.keystream[from..from + len]);
        self.used += len;
    }
}

impl<const CHACHA: bool> Context for Stream<CHACHA> {
    const CUSTOM_IV: bool = CHACHA;
    const GETTABLE: &'static [Param] = &[
        Param::size(OSSL_CIPHER_PARAM_KEYLEN),
        Param::size(OSSL_CIPHER_PARAM_IVLEN),
        Param::uint(OSSL_CIPHER_PARAM_PADDING),
        Param::uint(OSSL_CIPHER_PARAM_NUM),
        Param::octets(OSSL_CIPHER_PARAM_IV),
        Param::octets(OSSL_CIPHER_PARAM_UPDATED_IV),
        Param::END,
    ];
    const SETTABLE: &'static [Param] =
        &[Param::size(OSSL_CIPHER_PARAM_KEYLEN), Param::uint(OSSL_CIPHER_PARAM_PADDING), Param::END];

    fn new(shared: Shared) -> Self {
        Self { shared, key: None, iv: [0; 16], first_iv: [0; 16], iv_set: false, keystream: [0; 64], used: Self::BLOCK }
    }

    fn shared(&self) -> &Shared {
        &self.shared
    }

    fn shared_mut(&mut self) -> &mut Shared {
        &mut self.shared
    }

    fn init(&mut self, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result<(), Reason> {
        self.used = Self::BLOCK;
        if let Some(iv) = iv {
            set_iv(&mut self.first_iv, iv)?;
            (self.iv, self.iv_set) = (self.first_iv, true);
        }
        key.map_or(Ok(()), |key| set_key(&self.shared, &mut self.key, key))
    }

    unsafe fn update(&mut self, run: Run) -> Result<usize, Reason> {
        if run.len > run.room {
            return Err(PROV_R_OUTPUT_BUFFER_TOO_SMALL);
        }
        // SAFETY: the buffers have this many bytes.
        let text = unsafe { memory::in_out(run.src, run.dst, run.len)? };
        let (head, text) = text.split_at(run.len.min(Self::BLOCK - self.used));
        self.xor(head);
        let whole = text.len() - text.len() % Self::BLOCK;
        let (whole, tail) = text.split_at(whole);
        self.crypt(whole)?;
        if !tail.is_empty() {
            let mut block = [0; 64];
            self.crypt(InOut::from(&mut block[..Self::BLOCK]))?;
            (self.keystream, self.used) = (block, 0);
            block.zeroize();
            self.xor(tail);
        }
        Ok(run.len)
    }

    fn get(&mut self, key: &[u8], param: &mut Param) -> Result<(), Reason> {
        match key {
            OSSL_CIPHER_PARAM_IVLEN => param.put(self.iv.len()),
            OSSL_CIPHER_PARAM_PADDING => param.put(1),
            OSSL_CIPHER_PARAM_NUM => param.put(self.used % Self::BLOCK),
            OSSL_CIPHER_PARAM_IV => param.put_bytes(&self.first_iv),
            OSSL_CIPHER_PARAM_UPDATED_IV => param.put_bytes(&self.iv),
            _ => Ok(()),
        }
    }

    fn set(&mut self, key: &[u8], param: &Param) -> Result<(), Reason> {
        match key {
            OSSL_CIPHER_PARAM_IVLEN if param.get()? != self.iv.len() => Err(PROV_R_INVALID_IV_LENGTH),
            // A stream has no padding; EVP sets it all the same.
            _ => Ok(()),
        }
    }
}
