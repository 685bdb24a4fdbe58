//! CTR, ChaCha20, OFB and CFB: messages in parts of any length, over a mode whose calls take whole blocks of keystream,
//! except the last.

use super::{
    Context, Run,
    shared::{Keyed, MODE_PARAMS, Shared},
};
use crate::{
    abi::*,
    core::{Reason, reason},
    memory,
};
use algkit::InOut;
use zeroize::Zeroize;

pub const CTR: u8 = 0;
pub const CHACHA: u8 = 1;
pub const OFB: u8 = 2;
pub const CFB: u8 = 3;

#[derive(Clone)]
pub struct Stream<const KIND: u8> {
    shared: Shared,
    keyed: Keyed,
    /// The current block of keystream. The first `used` bytes are used; between blocks, all of them are.
    keystream: [u8; 64],
    used: usize,
}

impl<const KIND: u8> Drop for Stream<KIND> {
    fn drop(&mut self) {
        self.keystream.zeroize();
    }
}

impl<const KIND: u8> Stream<KIND> {
    const BLOCK: usize = if KIND == CHACHA { 64 } else { 16 };

    /// Processes whole blocks.
    fn crypt(&mut self, mut text: InOut<'_>, encrypt: bool) -> Result<(), Reason> {
        let (key, place) = self.keyed.parts(&self.shared)?;
        let place: &mut [u8; 16] = place.try_into().map_err(|_| PROV_R_INVALID_IV_LENGTH)?;
        while !text.is_empty() {
            let mut len = text.len();
            if KIND == CHACHA {
                // The block counter has 32 bits in algkit and 64 bits in OpenSSL, so the text is split where the 32
                // bits wrap.
                let [a, b, c, d, ..] = *place;
                let left = (1 << 32) - u64::from(u32::from_le_bytes([a, b, c, d]));
                len = len.min(usize::try_from(64 * left).unwrap_or(usize::MAX));
            }
            let (run, rest) = text.split_at(len);
            let mut iv = *place;
            let done = if encrypt { key.encrypt(&mut iv, run) } else { key.decrypt(&mut iv, run) };
            done.map_err(reason)?;
            if KIND == CHACHA {
                let counter = u64::from_le_bytes(place[..8].try_into().expect("8 bytes")).wrapping_add(len as u64 / 64);
                iv[..8].copy_from_slice(&counter.to_le_bytes());
            }
            *place = iv;
            text = rest;
        }
        Ok(())
    }

    /// XORs a part of the current block of keystream.
    fn xor(&mut self, mut part: InOut<'_>) -> Result<(), Reason> {
        let used = self.used..self.used + part.len();
        self.used = used.end;
        if KIND != CFB {
            part.xor(&self.keystream[used]);
            return Ok(());
        }
        // In CFB, the ciphertext becomes the chaining value.
        let chain = &mut self.keyed.parts(&self.shared)?.1[used.clone()];
        if !self.shared.encrypt {
            chain.copy_from_slice(part.src());
        }
        part.xor(&self.keystream[used]);
        if self.shared.encrypt {
            chain.copy_from_slice(part.dst());
        }
        Ok(())
    }
}

impl<const KIND: u8> Context for Stream<KIND> {
    const CUSTOM_IV: bool = KIND == CHACHA;
    const GETTABLE: &'static [Param] = MODE_PARAMS;
    const SETTABLE: &'static [Param] =
        &[Param::size(OSSL_CIPHER_PARAM_KEYLEN), Param::uint(OSSL_CIPHER_PARAM_PADDING), Param::END];

    fn new(shared: Shared) -> Self {
        Self { shared, keyed: Keyed::default(), keystream: [0; 64], used: Self::BLOCK }
    }

    fn shared(&mut self) -> &mut Shared {
        &mut self.shared
    }

    fn init(&mut self, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result<(), Reason> {
        // Without a new key or IV, ChaCha20 continues within the block.
        if KIND != CHACHA || key.is_some() || iv.is_some() {
            self.used = Self::BLOCK;
        }
        self.keyed.init(&self.shared, key, iv)
    }

    unsafe fn update(&mut self, run: Run) -> Result<usize, Reason> {
        if run.len > run.room {
            return Err(PROV_R_OUTPUT_BUFFER_TOO_SMALL);
        }
        // SAFETY: the buffers have this many bytes.
        let text = unsafe { memory::in_out(run.src, run.dst, run.len)? };
        let (head, text) = text.split_at(run.len.min(Self::BLOCK - self.used));
        if !head.is_empty() {
            self.xor(head)?;
        }
        let whole = text.len() - text.len() % Self::BLOCK;
        let (whole, tail) = text.split_at(whole);
        self.crypt(whole, KIND != CFB || self.shared.encrypt)?;
        if !tail.is_empty() {
            let mut block = [0; 64];
            self.crypt(InOut::from(&mut block[..Self::BLOCK]), true)?;
            (self.keystream, self.used) = (block, 0);
            block.zeroize();
            self.xor(tail)?;
        }
        Ok(run.len)
    }

    fn get(&mut self, key: &[u8], param: &mut Param) -> Result<(), Reason> {
        match key {
            OSSL_CIPHER_PARAM_PADDING => param.put(1),
            OSSL_CIPHER_PARAM_NUM => param.put(self.used % Self::BLOCK),
            _ => self.keyed.get(&self.shared, key, param),
        }
    }

    fn set(&mut self, key: &[u8], param: &Param) -> Result<(), Reason> {
        match key {
            // 0 ends the current block of keystream. As in OpenSSL, no other place in a block can be set.
            OSSL_CIPHER_PARAM_NUM if KIND != CHACHA => {
                if param.get()? != 0 {
                    return Err(PROV_R_FAILED_TO_GET_PARAMETER);
                }
                self.used = Self::BLOCK;
                Ok(())
            }
            OSSL_CIPHER_PARAM_IVLEN if param.get()? != self.shared.row().iv => Err(PROV_R_INVALID_IV_LENGTH),
            // A stream cipher has no padding, but EVP sets the parameter anyway.
            _ => Ok(()),
        }
    }
}
