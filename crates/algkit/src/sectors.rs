//! Consecutive sectors in one call. Each sector is a message with an IV derived from its number.
//!
//! ```
//! use algkit::sectors::{SectorIv, Sectors};
//!
//! let xts = algkit::skcipher("xts(aes)")?.key(&(0..64).collect::<Vec<u8>>())?;
//! let mut image = vec![0; 4 * 512];
//! Sectors::new(100, 512).encrypt(&xts, &mut image)?;
//!
//! // The same as dm-crypt's `aes-xts-plain64`, sector by sector.
//! let mut third = vec![0; 512];
//! xts.encrypt(&mut 102u128.to_le_bytes(), &mut third[..])?;
//! assert_eq!(image[2 * 512..3 * 512], third);
//! # Ok::<(), algkit::Error>(())
//! ```

use crate::{
    Direction, Driver, Error, InOut, Skcipher, Text,
    driver::{MAX_JOBS, SkcipherJob, TextRule},
};
use arrayvec::ArrayVec;
use std::iter::successors;

/// How a sector's IV is derived from its number, with dm-crypt's names
/// (Documentation/admin-guide/device-mapper/dm-crypt.rst). dm-crypt's `essiv` is a template here, used with
/// [`SectorIv::Plain64`]: `essiv(cbc(aes),sha256)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum SectorIv {
    /// All zeros. Equal sectors have equal ciphertexts.
    Null,
    /// The number's low 32 bits, little-endian, then zeros. It repeats after 2^32 sectors.
    Plain,
    /// The number's 64 bits, little-endian, then zeros.
    #[default]
    Plain64,
    /// Zeros, then the number's 64 bits, big-endian.
    Plain64be,
    /// Zeros, then 64 bits, big-endian: the number of the sector's first cipher block, counted from 1, with sectors
    /// of 512 bytes and blocks of the IV's length. For LRW.
    Benbi,
}

impl SectorIv {
    /// Writes the IV of sector number `sector`; returns false if the number does not fit.
    fn fill(self, sector: u64, iv: &mut [u8]) -> bool {
        iv.fill(0);
        let len = iv.len();
        let mut end = |number: u64| {
            let bytes = &number.to_be_bytes()[8 - len.min(8)..];
            iv[len - bytes.len()..].copy_from_slice(bytes);
        };
        match self {
            Self::Null => {}
            Self::Plain64be => end(sector),
            Self::Benbi => {
                let blocks = (512 / len.max(1)) as u64;
                let Some(first) = sector.checked_mul(blocks).and_then(|block| block.checked_add(1)) else {
                    return false;
                };
                end(first);
            }
            Self::Plain => iv.iter_mut().zip((sector as u32).to_le_bytes()).for_each(|(byte, n)| *byte = n),
            Self::Plain64 => iv.iter_mut().zip(sector.to_le_bytes()).for_each(|(byte, n)| *byte = n),
        }
        true
    }
}

/// The error for a cipher that is not for sectors.
fn unfit(cipher: &Skcipher, reason: &'static str) -> Error {
    Error::NotForSectors { name: cipher.driver().name.clone(), reason }
}

/// Whether `width` bytes have room for a little-endian number, followed by a big-endian count of `blocks` blocks.
fn fits_before(number: u64, width: usize, blocks: u64) -> bool {
    let bytes = (u64::BITS - number.leading_zeros()).div_ceil(8) as usize;
    width.checked_sub(bytes).is_some_and(|rest| rest >= 8 || blocks <= 1 << (8 * rest))
}

/// The numbers, the size and the IV rule of the sectors in a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sectors {
    first: u64,
    size: usize,
    step: u64,
    iv: SectorIv,
}

impl Sectors {
    /// Sectors of `size` bytes, numbered from `first` upwards by 1, with the IV rule [`SectorIv::Plain64`].
    pub fn new(first: u64, size: usize) -> Self {
        Self { first, size, step: 1, iv: SectorIv::default() }
    }

    /// The same sectors with another IV rule.
    #[must_use]
    pub fn iv(self, iv: SectorIv) -> Self {
        Self { iv, ..self }
    }

    /// The same sectors with numbers that grow by `step`. dm-crypt counts in units of 512 bytes whatever the sector
    /// size, unless `iv_large_sectors` is set: a sector of 4096 bytes has a step of 8 there.
    #[must_use]
    pub fn step(self, step: u64) -> Self {
        Self { step, ..self }
    }

    /// Encrypts whole sectors in place.
    pub fn encrypt(&self, cipher: &Skcipher, buffer: &mut [u8]) -> Result<(), Error> {
        self.crypt(cipher, Direction::Encrypt, buffer)
    }

    /// Decrypts whole sectors in place.
    pub fn decrypt(&self, cipher: &Skcipher, buffer: &mut [u8]) -> Result<(), Error> {
        self.crypt(cipher, Direction::Decrypt, buffer)
    }

    /// Encrypts or decrypts whole sectors in place. Errors are found before anything is written: a length that is
    /// no multiple of the sector size, a sector size that the mode does not accept, numbers beyond 64 bits, which would
    /// wrap and repeat IVs, or a cipher that is [not for sectors](Error::NotForSectors).
    pub fn crypt(&self, cipher: &Skcipher, direction: Direction, buffer: &mut [u8]) -> Result<(), Error> {
        let last = self.last(cipher, buffer.len())?;
        if self.step == 0 && buffer.len() > self.size && self.iv != SectorIv::Null && cipher.driver().shape.ivsize > 0 {
            return Err(unfit(cipher, "with a step of 0, all sectors have the same number"));
        }
        if last.is_some_and(|last| self.shares_key_stream(cipher, last)) {
            return Err(unfit(cipher, "with these IVs, sectors would share their key stream"));
        }
        if let Some(last) = last
            && !self.iv.fill(last, &mut vec![0; cipher.driver().shape.ivsize])
        {
            return Err(Error::SectorNumber { first: self.first, sectors: buffer.len() / self.size });
        }
        self.each(cipher, direction, buffer, |sector, iv| {
            self.iv.fill(sector, iv);
        })
    }

    /// Like [`Sectors::crypt`], but with an IV from the caller: `fill` gets a sector's number and the IV buffer to
    /// write. The buffer holds zeros or the remains of another sector's IV.
    pub fn crypt_with(
        &self,
        cipher: &Skcipher,
        direction: Direction,
        buffer: &mut [u8],
        fill: impl FnMut(u64, &mut [u8]),
    ) -> Result<(), Error> {
        self.last(cipher, buffer.len())?;
        self.each(cipher, direction, buffer, fill)
    }

    /// Whether the cipher is a key stream, and two sectors with numbers up to `last` would use the same part of it.
    fn shares_key_stream(&self, cipher: &Skcipher, last: u64) -> bool {
        let Driver { name, shape, .. } = cipher.driver();
        let width = shape.ivsize;
        if shape.text != TextRule::Any {
            return false;
        }
        let is = |mode| name.starts_with(mode);
        match self.iv {
            _ if width == 0 => true,
            SectorIv::Null => true,
            SectorIv::Plain if last > u32::MAX.into() => true,
            // Number and count are combined by XOR, so two sectors use the same blocks in another order.
            SectorIv::Plain | SectorIv::Plain64 if is("xctr(") => true,
            // The low half of the number is where the count begins, and the count does not carry into the high half.
            SectorIv::Plain | SectorIv::Plain64 if name == "chacha20" => {
                let blocks = self.blocks(64);
                let numbers = successors(Some(self.first), |number| number.checked_add(self.step));
                let carries = |number: u64| u64::from(number as u32) + blocks > 1 << 32;
                self.step < blocks || numbers.take_while(|number| *number <= last).any(carries)
            }
            // The number's low bytes come first, and the count's low bytes last.
            SectorIv::Plain | SectorIv::Plain64 if is("ctr(") => !fits_before(last, width, self.blocks(width)),
            SectorIv::Plain64be if is("ctr(") => self.meet(self.step, last, width),
            SectorIv::Benbi if is("ctr(") => {
                let each = (512 / width) as u64;
                self.meet(self.step.saturating_mul(each), last.saturating_mul(each).saturating_add(1), width)
            }
            // The high half of the number is where the count begins.
            SectorIv::Plain64be | SectorIv::Benbi if is("xchacha") => {
                let number =
                    if self.iv == SectorIv::Benbi { last.saturating_mul(512 / 32).saturating_add(1) } else { last };
                !fits_before(number >> 32, 4, self.blocks(64))
            }
            _ => false,
        }
    }

    /// The number of blocks of a sector.
    fn blocks(&self, block: usize) -> u64 {
        self.size.div_ceil(block) as u64
    }

    /// Whether two sectors use the same count, if each counts its blocks from its own number on. The numbers are `distance`
    /// apart and go up to `last`. The count has `width` bytes, and so has a block. The count of the last sector must not wrap.
    fn meet(&self, distance: u64, last: u64, width: usize) -> bool {
        let blocks = self.blocks(width);
        let room = 1u128 << (8 * width.min(8));
        distance < blocks || width <= 8 && u128::from(last) + u128::from(blocks) > room
    }

    /// The number of the last sector in `len` bytes; `None` if `len` is 0.
    fn last(&self, cipher: &Skcipher, len: usize) -> Result<Option<u64>, Error> {
        if cipher.checks_integrity() {
            return Err(unfit(cipher, "a wrapped key is longer than the key"));
        }
        if self.size == 0 || !len.is_multiple_of(self.size) {
            let name = cipher.driver().name.clone();
            return Err(Error::TextLength { name, got: len as u64, want: format!("whole sectors of {}", self.size) });
        }
        let sectors = len / self.size;
        let Some(more) = sectors.checked_sub(1) else { return Ok(None) };
        cipher.check(&vec![0; cipher.driver().shape.ivsize], self.size)?;
        let last = (more as u64).checked_mul(self.step).and_then(|more| self.first.checked_add(more));
        last.map(Some).ok_or(Error::SectorNumber { first: self.first, sectors })
    }

    /// Passes the sectors to the driver in lists, so that a mode with dependent blocks (CBC encryption) processes
    /// several side by side.
    fn each(
        &self,
        cipher: &Skcipher,
        direction: Direction,
        buffer: &mut [u8],
        mut fill: impl FnMut(u64, &mut [u8]),
    ) -> Result<(), Error> {
        /// The longest IV in bytes of any driver of this crate.
        const MAX_IV: usize = 32;
        let ivsize = cipher.driver().shape.ivsize;
        let mut number = self.first;
        if ivsize > MAX_IV {
            let mut iv = vec![0; ivsize];
            for sector in buffer.chunks_exact_mut(self.size) {
                fill(number, &mut iv);
                cipher.crypt(direction, &mut iv, &mut Text::from(sector))?;
                number = number.wrapping_add(self.step);
            }
            return Ok(());
        }
        let ops = cipher.ops();
        let mut ivs = [[0; MAX_IV]; MAX_JOBS];
        for list in buffer.chunks_mut(self.size.saturating_mul(MAX_JOBS)) {
            let mut jobs = ArrayVec::<SkcipherJob<'_>, MAX_JOBS>::new();
            for (sector, iv) in list.chunks_exact_mut(self.size).zip(&mut ivs) {
                let iv = &mut iv[..ivsize];
                fill(number, iv);
                jobs.push(SkcipherJob { ops, iv, text: InOut::from(sector) });
                number = number.wrapping_add(self.step);
            }
            match jobs.as_mut_slice() {
                [one] => one.run(direction),
                jobs => ops.crypt_batch(direction, jobs),
            }
        }
        Ok(())
    }
}
