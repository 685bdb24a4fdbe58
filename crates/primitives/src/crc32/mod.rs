//! CRC-32 with the polynomials of IEEE 802.3 and of Castagnoli (CRC-32C): checksums, not hashes.
//!
//! A message is a polynomial over GF(2), and its CRC is the remainder of x^32 times the message modulo P. Both variants
//! are reflected: the least significant bit of a byte, and of the register, is the coefficient of the *highest* power,
//! so that bit i of a 32-bit register stands for x^(31-i).
//!
//! Conventions are those of the Linux crypto API, which differ between the two:
//!
//! | name | default seed | digest, 4 bytes little-endian |
//! | --- | --- | --- |
//! | `crc32c` | 0xffffffff | the complement of the register |
//! | `crc32` | 0 | the register itself |
//!
//! The seed is the initial value of the register; as a key it is 4 bytes, little-endian. zlib's CRC is the complement
//! of `crc32` with a seed of 0xffffffff.
//!
//! The portable driver looks bytes up in tables, at addresses that depend on the message, so its timing is `table`. The
//! other drivers are constant-time.

mod table;

#[cfg(target_arch = "x86_64")]
mod fold;
#[cfg(target_arch = "x86_64")]
mod instruction;

use crate::cpu::Token;
use crate::hash::{Hash, Reader, Writer, digest_by_copy};
use core::marker::PhantomData;

/// The polynomial of a CRC, and its convention in the Linux crypto API.
pub trait Polynomial: Clone + Send + Sync + 'static {
    /// P without its leading term; bit i stands for x^(31-i).
    const REFLECTED: u32;

    /// The value that is xored to the register to give the digest.
    const XOR_OUT: u32;

    /// The [`SLICES`](table::SLICES) lookup tables of the portable driver.
    #[doc(hidden)]
    fn tables() -> &'static table::Tables;
}

/// x^32 + x^26 + x^23 + x^22 + x^16 + x^12 + x^11 + x^10 + x^8 + x^7 + x^5 + x^4 + x^2 + x + 1.
#[derive(Clone, Debug)]
pub struct Ieee;

/// x^32 + x^28 + x^27 + x^26 + x^25 + x^23 + x^22 + x^20 + x^19 + x^18 + x^14 + x^13 + x^11 + x^10 +
/// x^9 + x^8 + x^6 + 1.
#[derive(Clone, Debug)]
pub struct Castagnoli;

impl Polynomial for Ieee {
    const REFLECTED: u32 = 0xedb8_8320;
    const XOR_OUT: u32 = 0;

    #[inline(always)]
    fn tables() -> &'static table::Tables {
        static TABLES: table::Tables = table::tables(Ieee::REFLECTED);
        &TABLES
    }
}

impl Polynomial for Castagnoli {
    const REFLECTED: u32 = 0x82f6_3b78;
    const XOR_OUT: u32 = !0;

    #[inline(always)]
    fn tables() -> &'static table::Tables {
        static TABLES: table::Tables = table::tables(Castagnoli::REFLECTED);
        &TABLES
    }
}

/// The Linux crypto API's `crc32`, with a digest of 4 bytes.
pub type Crc32<T> = Crc<Ieee, T>;

/// The Linux crypto API's `crc32c`, with a digest of 4 bytes.
pub type Crc32c<T> = Crc<Castagnoli, T>;

/// A token of a CPU that has code for the CRC of polynomial `P`.
pub trait Update<P: Polynomial>: Token {
    /// The register after `data`, from the register `crc`.
    fn update(self, crc: u32, data: &[u8]) -> u32;
}

/// A 32-bit CRC with a digest of 4 bytes.
#[derive(Clone)]
pub struct Crc<P: Polynomial, T: Update<P>> {
    token: T,
    crc: u32,
    polynomial: PhantomData<P>,
}

impl<P: Polynomial, T: Update<P>> Crc<P, T> {
    /// An empty message, with `seed` as the initial value of the register.
    #[inline]
    pub fn new(token: T, seed: u32) -> Self {
        Self { token, crc: seed, polynomial: PhantomData }
    }
}

impl<P: Polynomial, T: Update<P>> Hash for Crc<P, T> {
    fn digest_size(&self) -> usize {
        4
    }

    #[inline]
    fn update(&mut self, data: &[u8]) {
        self.crc = self.token.update(self.crc, data);
    }

    #[inline]
    fn finish(&mut self, out: &mut [u8]) {
        out.copy_from_slice(&(self.crc ^ P::XOR_OUT).to_le_bytes());
    }

    #[inline]
    fn digest_whole(&self, message: &[u8], out: &mut [u8]) {
        let Ok(digest) = <&mut [u8; 4]>::try_from(&mut *out) else {
            return digest_by_copy(self, &[message], out);
        };
        *digest = (self.token.update(self.crc, message) ^ P::XOR_OUT).to_le_bytes();
    }

    fn export(&self, to: &mut Writer<'_>) {
        to.numbers(&[self.crc]);
    }

    fn import(&mut self, from: &mut Reader<'_>) -> Option<()> {
        self.crc = from.number()?;
        Some(())
    }
}

/// a(x) x modulo P.
const fn times_x(a: u32, reflected: u32) -> u32 {
    (a >> 1) ^ (reflected & (a & 1).wrapping_neg())
}

/// x^n modulo P.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
const fn power_of_x(n: usize, reflected: u32) -> u32 {
    let mut a = 1 << 31;
    let mut i = 0;
    while i < n {
        a = times_x(a, reflected);
        i += 1;
    }
    a
}

#[cfg(test)]
mod tests;
