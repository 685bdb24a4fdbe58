//! ECB and CBC: messages in parts of any length, padding (PKCS #7), and records of TLS.

use super::{
    Context, Run, pipes, record,
    shared::{Keyed, Shared},
};
use crate::{abi::*, core::Reason, memory};
use algkit::{
    InOut,
    batch::{self, Request},
};
use std::array;
use subtle::{ConstantTimeEq, ConstantTimeLess};
use zeroize::Zeroize;

/// The number of chains that are computed in parallel.
const CHAINS: usize = 16;

/// The longest block in bytes.
const MAX_BLOCK: usize = 16;

#[derive(Clone)]
pub struct Block {
    shared: Shared,
    keyed: Keyed,
    pad: bool,
    /// A block that is not complete, or that may be the last one and have padding.
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
        self.keyed.crypt(&self.shared, text)
    }

    /// Encrypts or decrypts the buffer, and empties it.
    fn crypt_buffer(&mut self) -> Result<[u8; MAX_BLOCK], Reason> {
        let mut block = self.buffer;
        self.crypt(InOut::from(&mut block[..self.shared.row().block]))?;
        self.filled = 0;
        Ok(block)
    }

    /// Returns the number of bytes before the padding of the last block. The time does not depend on the contents of
    /// the block.
    fn unpad(&self, block: &[u8]) -> Result<usize, Reason> {
        let (size, pad) = (block.len() as u8, block[block.len() - 1]);
        let mut good = pad.ct_ne(&0) & !size.ct_lt(&pad);
        for (at, byte) in block.iter().rev().enumerate() {
            good &= byte.ct_eq(&pad) | !(at as u8).ct_lt(&pad);
        }
        if bool::from(good) { Ok(usize::from(size - pad)) } else { Err(PROV_R_BAD_DECRYPT) }
    }

    /// Takes a part of a message to encrypt: completes the block that was begun, and keeps the bytes of the last block
    /// if it is not complete. Returns the whole blocks between, and adds to `written`.
    ///
    /// # Safety
    /// As for [`Context::update`].
    unsafe fn whole_blocks<'a>(&mut self, run: &Run, written: &mut usize) -> Result<InOut<'a>, Reason> {
        let block = self.shared.row().block;
        let head = if self.filled > 0 { run.len.min(block - self.filled) } else { 0 };
        // SAFETY: as the caller promises; the parts lie in the buffers.
        unsafe {
            let begun = self.update(Run { len: head, ..*run })?;
            let (src, dst) = (run.src.wrapping_add(head), run.dst.wrapping_add(begun));
            let (whole, tail) = ((run.len - head) / block * block, (run.len - head) % block);
            if whole > run.room - begun {
                return Err(PROV_R_OUTPUT_BUFFER_TOO_SMALL);
            }
            let text = memory::in_out(src, dst, whole)?;
            if tail > 0 {
                self.update(Run { src: src.wrapping_add(whole), dst, len: tail, room: 0 })?;
            }
            *written = begun + whole;
            Ok(text)
        }
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
    const PIPES: bool = true;
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
            keyed: Keyed::default(),
            pad: true,
            buffer: [0; MAX_BLOCK],
            filled: 0,
            record: record::Cbc::default(),
        }
    }

    fn shared(&mut self) -> &mut Shared {
        &mut self.shared
    }

    fn init(&mut self, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result<(), Reason> {
        self.filled = 0;
        self.keyed.init(&self.shared, key, iv)
    }

    unsafe fn update(&mut self, run: Run) -> Result<usize, Reason> {
        if self.record.is_on() {
            // SAFETY: as the caller promises.
            return unsafe { self.record(&run) };
        }
        let Run { mut src, mut dst, mut len, room } = run;
        let (block, mut written) = (self.shared.row().block, 0);
        // If a message to decrypt may have padding, its last complete block is kept until more follows or the message
        // ends.
        let holds = self.pad && !self.shared.encrypt;
        if self.filled > 0 {
            let taken = len.min(block - self.filled);
            // SAFETY: the source has `len` bytes.
            let head = unsafe { memory::source(src, taken)? };
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
            // If the destination lies ahead of the source, the bytes to keep are read before they are overwritten.
            self.buffer[..tail].copy_from_slice(memory::source(last, tail)?);
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

    unsafe fn update_many(pipes: &mut [Self], runs: &[Run], written: &mut [usize]) -> Result<(), Reason> {
        let Some(first) = pipes.first() else { return Ok(()) };
        if !first.shared.encrypt || first.shared.row().iv == 0 || first.record.is_on() {
            // The blocks of one message do not wait for each other.
            // SAFETY: as the caller promises.
            return unsafe { pipes::one_by_one(pipes, runs, written) };
        }
        let key = first.keyed.share()?;
        for ((pipes, runs), written) in
            pipes.chunks_mut(CHAINS).zip(runs.chunks(CHAINS)).zip(written.chunks_mut(CHAINS))
        {
            let count = pipes.len();
            let mut texts: [InOut<'_>; CHAINS] = array::from_fn(|_| InOut::from(&mut [][..]));
            for (((pipe, run), written), text) in pipes.iter_mut().zip(runs).zip(written).zip(&mut texts) {
                pipe.keyed.parts(&pipe.shared)?;
                // SAFETY: as the caller promises.
                *text = unsafe { pipe.whole_blocks(run, written)? };
            }
            let (mut pipes, mut texts) = (pipes.iter_mut(), texts.into_iter());
            let mut requests: [Request<'_>; CHAINS] = array::from_fn(|_| {
                let iv = pipes.next().and_then(|pipe| pipe.keyed.parts(&pipe.shared).ok());
                let text = texts.next().unwrap_or_else(|| InOut::from(&mut [][..]));
                Request::encrypt(&key, iv.map_or(&mut [][..], |(_, iv)| iv), text)
            });
            let requests = &mut requests[..count];
            batch::run(requests).check().map_err(|_| PROV_R_CIPHER_OPERATION_FAILED)?;
        }
        Ok(())
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
        match key {
            OSSL_CIPHER_PARAM_PADDING => param.put(usize::from(self.pad)),
            OSSL_CIPHER_PARAM_NUM => param.put(0),
            OSSL_CIPHER_PARAM_TLS_MAC => param.put_bytes(self.record.mac()),
            _ => self.keyed.get(&self.shared, key, param),
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
