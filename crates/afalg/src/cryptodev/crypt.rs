//! `CIOCCRYPT`: a cipher, a hash, or a cipher with a hash of the plaintext.

use super::{
    abi::{
        COP_DECRYPT, COP_ENCRYPT, COP_FLAG_FINAL, COP_FLAG_NO_ZC, COP_FLAG_RESET, COP_FLAG_UPDATE, COP_FLAG_WRITE_IV,
        CRYPT_OP_LEN, CryptOp, EALG_MAX_BLOCK_LEN,
    },
    session::{Digest, Session},
};
use crate::{Errno, Memory, secret::Secret};
use algkit::Direction;
use zeroize::Zeroizing;

/// The number of bytes processed at a time, where that does not affect the result.
const PIECE: usize = 1 << 16;

/// The number of bytes processed at a time with `COP_FLAG_NO_ZC`. Each piece is a separate request, which affects
/// the result of XTS.
const PAGE: usize = 4096;

/// The longest text in bytes for modes that must process it as a whole. All of it is held in memory.
pub(super) const WHOLE: usize = 1 << 24;

/// The longest text in bytes that needs no allocation.
const SHORT: usize = 512;

/// An operation: the client's request and its results.
pub(super) struct Operation {
    raw: [u8; CRYPT_OP_LEN],
    request: CryptOp,
    iv: [u8; EALG_MAX_BLOCK_LEN],
    iv_len: usize,
    digest: Option<Digest>,
}

/// The direction for a value of `op`.
pub(super) fn direction(op: u16) -> Result<Direction, Errno> {
    match op {
        COP_ENCRYPT => Ok(Direction::Encrypt),
        COP_DECRYPT => Ok(Direction::Decrypt),
        _ => Err(Errno::INVAL),
    }
}

impl Operation {
    /// Reads the request's session and IV.
    pub(super) fn read<'s>(
        raw: [u8; CRYPT_OP_LEN],
        session: impl FnOnce(u32) -> Option<&'s mut Session>,
        memory: &dyn Memory,
    ) -> Result<(Self, &'s mut Session), Errno> {
        let request = CryptOp::parse(&raw);
        let session = session(request.ses).ok_or(Errno::INVAL)?;
        let mut operation = Self { raw, request, iv: Default::default(), iv_len: 0, digest: None };
        if request.iv != 0
            && let Some(cipher) = &session.cipher
        {
            operation.iv_len = cipher.iv_size();
            memory.read(request.iv, &mut operation.iv[..operation.iv_len])?;
        }
        Ok((operation, session))
    }

    /// Whether the client set `COP_FLAG_NO_ZC`, which asynchronous operations do not support.
    pub(super) fn disables_zero_copy(&self) -> bool {
        self.request.flags & COP_FLAG_NO_ZC != 0
    }

    /// Adds the operation to the session's usage counts.
    pub(super) fn count(&self, session: &mut Session) {
        if let Some(usage) = &mut session.usage {
            usage.request();
            usage.bytes(self.request.len as usize);
        }
    }

    /// Processes the text and writes the result.
    pub(super) fn run(&mut self, session: &mut Session, memory: &mut dyn Memory) -> Result<(), Errno> {
        let CryptOp { op, flags, len, .. } = self.request;
        let direction = direction(op)?;
        if let Some(hash) = &mut session.hash
            && (flags == 0 || flags & COP_FLAG_RESET != 0)
        {
            hash.reset();
        }
        if let Some(cipher) = &mut session.cipher {
            if !(len as usize).is_multiple_of(cipher.block_size()) {
                return Err(Errno::INVAL);
            }
            cipher.iv()[..self.iv_len].copy_from_slice(&self.iv[..self.iv_len]);
        }
        self.process(direction, session, memory)?;
        if let Some(cipher) = &mut session.cipher {
            self.iv[..self.iv_len].copy_from_slice(&cipher.iv()[..self.iv_len]);
        }
        if let Some(hash) = &mut session.hash
            && (flags & COP_FLAG_FINAL != 0 || flags & COP_FLAG_UPDATE == 0 || len == 0)
        {
            self.digest = Some(hash.finish()?);
        }
        Ok(())
    }

    fn process(&self, direction: Direction, session: &mut Session, memory: &mut dyn Memory) -> Result<(), Errno> {
        let CryptOp { flags, len, src, dst, .. } = self.request;
        let len = len as usize;
        let limit = match &session.cipher {
            _ if flags & COP_FLAG_NO_ZC != 0 => PAGE,
            Some(cipher) if !cipher.chains() => WHOLE,
            _ => PIECE,
        };
        if limit == WHOLE && len > WHOLE {
            return Err(Errno::INVAL);
        }
        let (mut short, mut long) = (Zeroizing::new([0; SHORT]), Secret::default());
        let buffer = if len <= SHORT {
            &mut short[..len]
        } else {
            long.resize(len.min(limit), 0);
            &mut long[..]
        };
        let mut at = 0;
        while at < len {
            let piece = &mut buffer[..(len - at).min(limit)];
            memory.read(offset(src, at)?, piece)?;
            if direction == Direction::Encrypt
                && let Some(hash) = &mut session.hash
            {
                hash.update(piece);
            }
            if let Some(cipher) = &mut session.cipher {
                cipher.crypt(direction, piece)?;
            }
            if direction == Direction::Decrypt
                && let Some(hash) = &mut session.hash
            {
                hash.update(piece);
            }
            if session.cipher.is_some() {
                memory.write(offset(dst, at)?, piece)?;
            }
            at += piece.len();
        }
        Ok(())
    }

    /// Writes everything except the text: the digest, the IV if requested, and the request itself to `argument`.
    pub(super) fn deliver(&self, argument: u64, memory: &mut dyn Memory) -> Result<(), Errno> {
        if let Some(digest) = &self.digest {
            memory.write(self.request.mac, digest.bytes())?;
        }
        if self.iv_len > 0 && self.request.flags & COP_FLAG_WRITE_IV != 0 {
            memory.write(self.request.iv, &self.iv[..self.iv_len])?;
        }
        memory.write(argument, &self.raw)
    }
}

/// `address + at`; an error if that overflows.
fn offset(address: u64, at: usize) -> Result<u64, Errno> {
    address.checked_add(at as u64).ok_or(Errno::FAULT)
}
