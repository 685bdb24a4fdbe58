//! ECB and CBC: parts of any length, padding (PKCS #7), and records of TLS.

use super::{
    Context, Run, record,
    shared::{Shared, set_iv, set_key},
};
use crate::{abi::*, core::Reason, memory};
use algkit::{InOut, Skcipher};
use std::sync::Arc;
use subtle::{ConstantTimeEq, ConstantTimeLess};
use zeroize::Zeroize;

/// The longest block in bytes.
const MAX_BLOCK: usize = 16;

#[derive(Clone)]
pub struct Block {
    shared: Shared,
    key: Option<Arc<Skcipher>>,
    iv: [u8; MAX_BLOCK],
    /// The IV that was set, which a new message without one begins with.
    first_iv: [u8; MAX_BLOCK],
    iv_set: bool,
    pad: bool,
    /// A block that is not complete, or one that may be the last and padded.
    buffer: [u8; MAX_BLOCK],
    filled: usize,
    record: record::Cbc,
}

impl Drop for Block {
    fn drop(&mut self) {
        self.buffer.zeroize();
    }
}

impl Block {
    fn crypt(&mut self, text: InOut<'_>) -> Result<(), Reason> {
        let row = self.shared.row();
        let key = self.key.as_ref().ok_or(PROV_R_NO_KEY_SET)?;
        if row.iv > 0 && !self.iv_set {
            return Err(PROV_R_INVALID_IV_LENGTH);
        }
        let iv = &mut self.iv[..row.iv];
        let done = if self.shared.encrypt { key.encrypt(iv, text) } else { key.decrypt(iv, text) };
        done.map_err(|_| PROV_R_CIPHER_OPERATION_FAILED)
    }

    /// Encrypts or decrypts the buffer, and empties it.
    fn crypt_buffer(&mut self) -> Result<[u8; MAX_BLOCK], Reason> {
        let mut block = self.buffer;
        self.crypt(InOut::from(&mut block[..self.shared.row().block]))?;
        self.filled = 0;
        Ok(block)
    }

    /// The number of bytes before the padding of the last block, whose contents do not show in the time.
    fn unpad(&self, block: &[u8]) -> Result<usize, Reason> {
        let (size, pad) = (block.len() as u8, block[block.len() - 1]);
        let mut good = pad.ct_ne(&0) & !size.ct_lt(&pad);
        for (at, byte) in block.iter().rev().enumerate() {
            good &= byte.ct_eq(&pad) | !(at as u8).ct_lt(&pad);
        }
        if bool::from(good) { Ok(usize::from(size - pad)) } else { Err(PROV_R_BAD_DECRYPT) }
    }

    /// # Safety
    /// As for [`Context::update`].
    unsafe fn record(&mut self, run: &Run) -> Result<usize, Reason> {
        let block = self.shared.row().block;
        if run.src != run.dst.cast_const() || run.room < run.len || !self.pad {
            return Err(PROV_R_CIPHER_OPERATION_FAILED);
        }
        let len = if self.shared.encrypt { run.len + block - run.len % block } else { run.len };
        if run.room < len || len % block != 0 {
            return Err(PROV_R_CIPHER_OPERATION_FAILED);
        }
        // SAFETY: the buffer has `room` bytes.
        let text = unsafe { memory::room(run.dst, len) };
        if self.shared.encrypt {
            text[run.len..].fill((len - run.len - 1) as u8);
        }
        self.crypt(InOut::from(&mut text[..]))?;
        if self.shared.encrypt { Ok(len) } else { self.record.open(text, block) }
    }
}

impl Context for Block {
    const GETTABLE: &'static [Param] = &[
        Param::size(OSSL_CIPHER_PARAM_KEYLEN),
        Param::size(OSSL_CIPHER_PARAM_IVLEN),
        Param::uint(OSSL_CIPHER_PARAM_PADDING),
        Param::uint(OSSL_CIPHER_PARAM_NUM),
        Param::octets(OSSL_CIPHER_PARAM_IV),
        Param::octets(OSSL_CIPHER_PARAM_UPDATED_IV),
        Param::pointer(OSSL_CIPHER_PARAM_TLS_MAC),
        Param::END,
    ];
    const SETTABLE: &'static [Param] = &[
        Param::size(OSSL_CIPHER_PARAM_KEYLEN),
        Param::uint(OSSL_CIPHER_PARAM_PADDING),
        Param::uint(OSSL_CIPHER_PARAM_NUM),
        Param::uint(OSSL_CIPHER_PARAM_TLS_VERSION),
        Param::size(OSSL_CIPHER_PARAM_TLS_MAC_SIZE),
        Param::END,
    ];

    fn new(shared: Shared) -> Self {
        Self {
            shared,
            key: None,
            iv: [0; MAX_BLOCK],
            first_iv: [0; MAX_BLOCK],
            iv_set: false,
            pad: true,
            buffer: [0; MAX_BLOCK],
            filled: 0,
            record: record::Cbc::default(),
        }
    }

    fn shared(&self) -> &Shared {
        &self.shared
    }

    fn shared_mut(&mut self) -> &mut Shared {
        &mut self.shared
    }

    fn init(&mut self, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result<(), Reason> {
        self.filled = 0;
        let len = self.shared.row().iv;
        if let Some(iv) = iv
            && len > 0
        {
            set_iv(&mut self.first_iv[..len], iv)?;
            self.iv_set = true;
        }
        self.iv = self.first_iv;
        key.map_or(Ok(()), |key| set_key(&self.shared, &mut self.key, key))
    }

    unsafe fn update(&mut self, run: Run) -> Result<usize, Reason> {
        if self.record.is_on() {
            // SAFETY: as the caller promises.
            return unsafe { self.record(&run) };
        }
        let Run { mut src, mut dst, mut len, room } = run;
        let (block, mut written) = (self.shared.row().block, 0);
        // While a message is decrypted that may be padded, its last complete block waits for what follows.
        let holds = self.pad && !self.shared.encrypt;
        if self.filled > 0 {
            let taken = len.min(block - self.filled);
            // SAFETY: the source has `len` bytes.
            let head = unsafe { memory::bytes(src, taken) };
            self.buffer[self.filled..][..taken].copy_from_slice(head);
            self.filled += taken;
            (src, len) = (src.wrapping_add(taken), len - taken);
            if self.filled == block && (len > 0 || !holds) {
                if room < block {
                    return Err(PROV_R_OUTPUT_BUFFER_TOO_SMALL);
                }
                let done = self.crypt_buffer()?;
                // SAFETY: the destination has `room` bytes.
                unsafe { memory::room(dst, block) }.copy_from_slice(&done[..block]);
                (dst, written) = (dst.wrapping_add(block), block);
            }
        }
        if len == 0 {
            return Ok(written);
        }
        let tail = match len % block {
            0 if holds => block,
            tail => tail,
        };
        let whole = len - tail;
        if whole > room - written {
            return Err(PROV_R_OUTPUT_BUFFER_TOO_SMALL);
        }
        // SAFETY: the buffers have this many bytes.
        unsafe {
            let last = src.wrapping_add(whole);
            let text = memory::in_out(src, dst, whole)?;
            // Where the destination lies ahead of the source, what is kept is read before it is written over.
            self.buffer[..tail].copy_from_slice(memory::bytes(last, tail));
            if whole > 0 {
                self.crypt(text)?;
            }
        }
        self.filled = tail;
        Ok(written + whole)
    }

    unsafe fn once(&mut self, run: Run) -> Result<usize, Reason> {
        if !run.len.is_multiple_of(self.shared.row().block) {
            return Err(PROV_R_WRONG_FINAL_BLOCK_LENGTH);
        }
        if run.room < run.len {
            return Err(PROV_R_OUTPUT_BUFFER_TOO_SMALL);
        }
        // SAFETY: the buffers have this many bytes.
        self.crypt(unsafe { memory::in_out(run.src, run.dst, run.len)? })?;
        Ok(run.len)
    }

    fn finish(&mut self, out: &mut [u8]) -> Result<usize, Reason> {
        let block = self.shared.row().block;
        if self.record.is_on() {
            return Err(PROV_R_CIPHER_OPERATION_FAILED);
        }
        if self.filled == 0 && !self.pad {
            return Ok(0);
        }
        if self.pad && self.shared.encrypt {
            self.buffer[self.filled..block].fill((block - self.filled) as u8);
        } else if self.filled != block {
            return Err(PROV_R_WRONG_FINAL_BLOCK_LENGTH);
        }
        let mut last = self.crypt_buffer()?;
        let len = if self.pad && !self.shared.encrypt { self.unpad(&last[..block])? } else { block };
        let done = match out.get_mut(..len) {
            Some(out) => {
                out.copy_from_slice(&last[..len]);
                Ok(len)
            }
            None => Err(PROV_R_OUTPUT_BUFFER_TOO_SMALL),
        };
        last.zeroize();
        done
    }

    fn get(&mut self, key: &[u8], param: &mut Param) -> Result<(), Reason> {
        let len = self.shared.row().iv;
        match key {
            OSSL_CIPHER_PARAM_IVLEN => param.put(len),
            OSSL_CIPHER_PARAM_PADDING => param.put(usize::from(self.pad)),
            OSSL_CIPHER_PARAM_NUM => param.put(0),
            OSSL_CIPHER_PARAM_IV => param.put_bytes(&self.first_iv[..len]),
            OSSL_CIPHER_PARAM_UPDATED_IV => param.put_bytes(&self.iv[..len]),
            OSSL_CIPHER_PARAM_TLS_MAC => param.put_bytes(self.record.mac()),
            _ => Ok(()),
        }
    }

    fn set(&mut self, key: &[u8], param: &Param) -> Result<(), Reason> {
        match key {
            OSSL_CIPHER_PARAM_PADDING => self.pad = param.get()? != 0,
            OSSL_CIPHER_PARAM_TLS_VERSION => self.record.set_version(param.get()?)?,
            OSSL_CIPHER_PARAM_TLS_MAC_SIZE => self.record.set_mac_size(param.get()?)?,
            _ => (),
        }
        Ok(())
    }
}
