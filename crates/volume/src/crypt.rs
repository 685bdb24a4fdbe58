//! The sectors of a volume, encrypted and decrypted as dm-crypt does.

use crate::{CipherSpec, Error, Iv, VolumeKey, lookup, spec::STREAM};
use algkit::{Direction, Skcipher, Timing, sectors::Sectors};

/// dm-crypt counts in units of so many bytes, whatever the size of a sector.
pub(crate) const UNIT: u64 = 512;

/// The longest sector, in bytes.
pub const MAX_SECTOR: usize = 4096;

/// A cipher with its key, and the way from a sector's number to its IV.
pub struct SectorCipher {
    cipher: Skcipher,
    spec: CipherSpec,
    sector_size: usize,
    large_ivs: bool,
}

impl SectorCipher {
    /// Sectors of `sector_size` bytes: 512, 1024, 2048 or 4096.
    pub fn new(spec: &CipherSpec, key: &dyn VolumeKey, sector_size: usize) -> Result<Self, Error> {
        if !is_sector_size(sector_size as u64) {
            return Err(spec.error(format!("sectors of {sector_size} bytes; expected 512, 1024, 2048 or 4096")));
        }
        let unkeyed = lookup::transform::<Skcipher>(spec.algorithm()).map_err(|error| match error {
            Error::Algkit(algkit::Error::WrongType { found, .. }) => {
                spec.error(format!("`{}` is of type {found}, and sectors need an skcipher", spec.algorithm()))
            }
            other => other,
        })?;
        let shape = &unkeyed.driver().shape;
        // The name of a driver does not say what its sizes do.
        if shape.blocksize == 1 {
            return Err(spec.error(STREAM));
        }
        if shape.ivsize == 0 {
            return Err(spec.error("the algorithm has no IV: equal sectors show"));
        }
        if spec.iv() == Iv::Eboiv && (shape.ivsize, shape.blocksize) != (16, 16) {
            return Err(spec.error("eboiv needs a mode with an IV of one block of 16 bytes"));
        }
        let made = Self { cipher: key.cipher(&unkeyed)?, spec: spec.clone(), sector_size, large_ivs: false };
        // A length that the mode does not take is told of now.
        made.crypt(Direction::Encrypt, 0, &mut vec![0; sector_size])?;
        Ok(made)
    }

    /// The same, with IVs that count sectors instead of units of 512 bytes: dm-crypt's `iv_large_sectors`.
    #[must_use]
    pub fn large_ivs(self) -> Self {
        Self { large_ivs: true, ..self }
    }

    /// Bytes of a sector.
    pub fn sector_size(&self) -> usize {
        self.sector_size
    }

    /// The name of the driver.
    pub fn driver(&self) -> &str {
        &self.cipher.driver().driver
    }

    /// Whether the driver looks up tables at secret addresses.
    pub fn uses_tables(&self) -> bool {
        self.cipher.driver().timing == Timing::Table
    }

    /// Whole sectors in place, the first of which is number `first`, counted in units of 512 bytes.
    pub fn crypt(&self, direction: Direction, first: u64, sectors: &mut [u8]) -> Result<(), Error> {
        self.check_range(first, sectors.len() as u64)?;
        let (first, step) = self.numbers(first);
        let sectors_of = Sectors::new(first, self.sector_size).step(step);
        match self.spec.iv() {
            Iv::Number(iv) => sectors_of.iv(iv).crypt(&self.cipher, direction, sectors)?,
            Iv::Eboiv => {
                let mut failed = None;
                sectors_of.crypt_with(&self.cipher, direction, sectors, |number, iv| {
                    failed = failed.take().or(self.eboiv(number, iv).err());
                })?;
                failed.map_or(Ok(()), Err)?;
            }
        }
        Ok(())
    }

    /// Whether every sector of `len` bytes from number `first` on has an IV of its own.
    pub(crate) fn check_range(&self, first: u64, len: u64) -> Result<(), Error> {
        let (first, step) = self.numbers(first);
        let more = (len / self.sector_size as u64).saturating_sub(1);
        let last = first.saturating_add(more.saturating_mul(step));
        if self.spec.iv_repeats() && last > u64::from(u32::MAX) {
            return Err(self.spec.error("`plain` has 32 bits, which repeat after 2^32 sectors; plain64 is meant"));
        }
        Ok(())
    }

    /// The number that the IV is made of for the sector at `first` units, and the difference to the next.
    fn numbers(&self, first: u64) -> (u64, u64) {
        let units = self.sector_size as u64 / UNIT;
        if self.large_ivs { (first / units, 1) } else { (first, units) }
    }

    /// The block of zeros, encrypted in CBC with the byte offset as its IV (drivers/md/dm-crypt.c, `crypt_iv_eboiv_gen`).
    fn eboiv(&self, number: u64, iv: &mut [u8]) -> Result<(), algkit::Error> {
        let mut offset = [0; 16];
        offset[..8].copy_from_slice(&number.wrapping_mul(self.sector_size as u64).to_le_bytes());
        iv.fill(0);
        self.cipher.encrypt(&mut offset, iv)
    }
}

/// Whether sectors have this size.
pub(crate) fn is_sector_size(size: u64) -> bool {
    (UNIT..=MAX_SECTOR as u64).contains(&size) && size.is_power_of_two()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Key;
    use hex_literal::hex;

    fn cipher(spec: &str, key: usize, sector: usize) -> Result<SectorCipher, Error> {
        SectorCipher::new(&CipherSpec::parse(spec)?, &Key::new((0..key as u8).collect()), sector)
    }

    /// The IV of sector 3 of aes-cbc-essiv:sha256 under the key 00 01 … 0f is AES-256, keyed with that key's SHA-256, of the number 3 as 64
    /// bits, little-endian, and zeros: computed with OpenSSL,
    /// `openssl enc -aes-256-ecb -nopad -K $(printf 000102030405060708090a0b0c0d0e0f | xxd -r -p | sha256sum | cut -c-64)`
    /// of `03000000000000000000000000000000`.
    #[test]
    fn essiv_by_hand() {
        const IV: [u8; 16] = hex!("565532e8b72d206b08dc67c445b1a7d0");
        let essiv = cipher("aes-cbc-essiv:sha256", 16, 512).unwrap();
        let mut sector = [0x5a; 512];
        essiv.crypt(Direction::Encrypt, 3, &mut sector).unwrap();
        // CBC's first plaintext block is the IV xor what the block cipher makes of the ciphertext.
        let aes = algkit::cipher("aes").unwrap().key(&(0..16).collect::<Vec<u8>>()).unwrap();
        let block = &mut sector[..16];
        aes.decrypt(&mut *block).unwrap();
        block.iter_mut().for_each(|byte| *byte ^= 0x5a);
        assert_eq!(*block, IV);
    }

    #[test]
    fn units_and_large_ivs() {
        // The second sector of 4096 bytes has the IV 8, or 1 where sectors are counted.
        let xts = algkit::skcipher("xts(aes)").unwrap().key(&(0..64).collect::<Vec<u8>>()).unwrap();
        for (large, number) in [(false, 8u128), (true, 1)] {
            let ours = cipher("aes-xts-plain64", 64, 4096).unwrap();
            let ours = if large { ours.large_ivs() } else { ours };
            let (mut sectors, mut second) = ([7; 8192], [7; 4096]);
            ours.crypt(Direction::Encrypt, 0, &mut sectors).unwrap();
            xts.encrypt(&mut number.to_le_bytes(), &mut second[..]).unwrap();
            assert_eq!(sectors[4096..], second);
        }
    }

    #[test]
    fn eboiv_is_the_encrypted_byte_offset() {
        let ours = cipher("aes-cbc-eboiv", 16, 512).unwrap();
        let key: Vec<u8> = (0..16).collect();
        let mut iv = [0; 16];
        iv[..8].copy_from_slice(&(5u64 * 512).to_le_bytes());
        algkit::cipher("aes").unwrap().key(&key).unwrap().encrypt(&mut iv[..]).unwrap();
        let (mut sector, mut want) = ([9; 512], [9; 512]);
        ours.crypt(Direction::Encrypt, 5, &mut sector).unwrap();
        algkit::skcipher("cbc(aes)").unwrap().key(&key).unwrap().encrypt(&mut iv, &mut want[..]).unwrap();
        assert_eq!(sector, want);
    }

    #[test]
    fn plain_ends_at_two_tib() {
        let plain = cipher("aes-cbc-plain", 16, 512).unwrap();
        let mut two = [0; 1024];
        plain.crypt(Direction::Encrypt, u64::from(u32::MAX) - 1, &mut two).unwrap();
        let error = plain.crypt(Direction::Encrypt, u64::from(u32::MAX), &mut two).unwrap_err();
        assert!(error.to_string().contains("plain64"), "{error}");
    }

    #[test]
    fn what_is_no_cipher_for_sectors() {
        for (spec, key, sector, reason) in [
            ("aes-xts-plain64", 64, 520, "520 bytes"),
            ("aes-xts-plain64", 64, 8192, "8192 bytes"),
            ("aes-xts-plain64", 63, 512, "key of 63 bytes"),
            ("capi:ctr-aes-u64bs-plain64", 16, 512, "stream"),
            ("capi:sha256-plain64", 16, 512, "type hash"),
            ("nosuch-xts-plain64", 64, 512, "nosuch"),
        ] {
            let error = cipher(spec, key, sector).err().expect(spec).to_string();
            assert!(error.contains(reason), "{spec}: {error}");
        }
    }
}
