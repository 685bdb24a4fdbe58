//! The sectors of a volume, encrypted and decrypted as dm-crypt does.

mod elephant;
mod lmk;
mod tcw;

use crate::{
    CipherSpec, Error, Iv, VolumeKey, lookup,
    spec::{RANDOM, STREAM},
};
use algkit::{
    Direction, Driver, Skcipher, Timing, Unkeyed, WeakKeys,
    sectors::{SectorIv, Sectors},
};
use elephant::Elephant;
use lmk::Lmk;
use tcw::Tcw;

pub(crate) use tcw::WHITENING;

/// The unit in bytes in which dm-crypt counts sectors, whatever their size.
pub(crate) const UNIT: u64 = 512;

/// The longest sector, in bytes.
pub const MAX_SECTOR: usize = 4096;

/// A cipher with its key, and the rule that makes a sector's IV of its number.
pub struct SectorCipher {
    engine: Engine,
    spec: CipherSpec,
    sector_size: usize,
    large_ivs: bool,
    /// The next cipher of a cascade, which encrypts again what this one has encrypted.
    next: Option<Box<SectorCipher>>,
}

enum Engine {
    /// All sectors of a request in one call.
    Number(Skcipher, SectorIv),
    Eboiv(Skcipher),
    /// One sector after the other.
    Single(Box<dyn OneSector>),
}

/// A cipher of sectors that is more than a mode whose IV is made of the sector's number.
pub(crate) trait OneSector: Send + Sync {
    /// Encrypts or decrypts a sector in place.
    fn crypt(&self, direction: Direction, number: u64, sector: &mut [u8]) -> Result<(), algkit::Error>;

    /// The drivers that encrypt and decrypt; at least one.
    fn drivers(&self) -> Vec<&Driver>;
}

impl SectorCipher {
    /// A cipher for sectors of `sector_size` bytes: 512, 1024, 2048 or 4096.
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
        // Some algorithms are refused by the sizes of their driver, as a driver's name need not show the mode.
        if shape.blocksize == 1 {
            return Err(spec.error(STREAM));
        }
        if shape.ivsize == 0 {
            return Err(spec.error("the algorithm has no IV: equal sectors show"));
        }
        let engine = match spec.iv() {
            Iv::Number(iv) => Engine::Number(key.cipher(&unkeyed)?, iv),
            Iv::Eboiv if (shape.ivsize, shape.blocksize) != (16, 16) => {
                return Err(spec.error("eboiv needs a mode with an IV of one block of 16 bytes"));
            }
            Iv::Eboiv => Engine::Eboiv(key.cipher(&unkeyed)?),
            Iv::Random => return Err(spec.error(RANDOM)),
            iv => Engine::Single(single(spec, iv, &unkeyed, key, sector_size)?),
        };
        let made = Self { engine, spec: spec.clone(), sector_size, large_ivs: false, next: None };
        // If the mode does not take a sector of this length, that is an error now.
        made.crypt(Direction::Encrypt, 0, &mut vec![0; sector_size])?;
        Ok(made)
    }

    /// The same cipher, with IVs that count sectors instead of units of 512 bytes: dm-crypt's `iv_large_sectors`.
    #[must_use]
    pub fn large_ivs(self) -> Self {
        Self { large_ivs: true, ..self }
    }

    /// A cascade: `next`, which has sectors of the same size, encrypts again what this one has encrypted.
    #[must_use]
    pub(crate) fn then(self, next: Self) -> Self {
        Self { next: Some(Box::new(next)), ..self }
    }

    /// The size of a sector in bytes.
    pub fn sector_size(&self) -> usize {
        self.sector_size
    }

    fn drivers(&self) -> Vec<&Driver> {
        let mut drivers = match &self.engine {
            Engine::Number(cipher, _) | Engine::Eboiv(cipher) => vec![cipher.driver()],
            Engine::Single(single) => single.drivers(),
        };
        drivers.extend(self.next.iter().flat_map(|next| next.drivers()));
        drivers
    }

    /// The name of the driver; of a cascade, of the first that looks up tables, or else of the first.
    pub fn driver(&self) -> &str {
        let drivers = self.drivers();
        let told = drivers.iter().find(|driver| driver.timing == Timing::Table).or(drivers.first());
        told.map_or("", |driver| &driver.driver)
    }

    /// Whether a driver looks up tables at secret addresses.
    pub fn uses_tables(&self) -> bool {
        self.drivers().iter().any(|driver| driver.timing == Timing::Table)
    }

    /// Encrypts or decrypts whole sectors in place. `first` is the number of the first one, in units of 512 bytes.
    pub fn crypt(&self, direction: Direction, first: u64, sectors: &mut [u8]) -> Result<(), Error> {
        match (&self.next, direction) {
            (None, _) => self.crypt_once(direction, first, sectors),
            (Some(next), Direction::Encrypt) => {
                self.crypt_once(direction, first, sectors)?;
                next.crypt(direction, first, sectors)
            }
            (Some(next), Direction::Decrypt) => {
                next.crypt(direction, first, sectors)?;
                self.crypt_once(direction, first, sectors)
            }
        }
    }

    fn crypt_once(&self, direction: Direction, first: u64, sectors: &mut [u8]) -> Result<(), Error> {
        self.check_range(first, sectors.len() as u64)?;
        let (first, step) = self.numbers(first);
        let sectors_of = Sectors::new(first, self.sector_size).step(step);
        match &self.engine {
            Engine::Number(cipher, iv) => sectors_of.iv(*iv).crypt(cipher, direction, sectors)?,
            Engine::Eboiv(cipher) => {
                let mut failed = None;
                sectors_of.crypt_with(cipher, direction, sectors, |number, iv| {
                    failed = failed.take().or(eboiv(cipher, number, self.sector_size, iv).err());
                })?;
                failed.map_or(Ok(()), Err)?;
            }
            Engine::Single(single) => {
                let numbers = std::iter::successors(Some(first), |number| Some(number.wrapping_add(step)));
                for (sector, number) in sectors.chunks_exact_mut(self.sector_size).zip(numbers) {
                    single.crypt(direction, number, sector)?;
                }
            }
        }
        Ok(())
    }

    /// Whether the IVs are `plain`, which repeats.
    pub(crate) fn iv_repeats(&self) -> bool {
        self.spec.iv_repeats()
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
}

/// The way IVs are made, with the parts of the key that some need.
fn single(
    spec: &CipherSpec,
    iv: Iv,
    cipher: &Unkeyed<Skcipher>,
    key: &dyn VolumeKey,
    sector_size: usize,
) -> Result<Box<dyn OneSector>, Error> {
    let shape = &cipher.driver().shape;
    let bytes = key.bytes_here().ok_or_else(|| spec.error("its IV needs a part of the key, which is elsewhere"))?;
    if !cipher.driver().name.starts_with("cbc(") {
        return Err(spec.error("its IV is one of CBC"));
    }
    if iv != Iv::Elephant && sector_size != UNIT as usize {
        return Err(spec.error(format!("sectors of {sector_size} bytes; this IV has 512")));
    }
    Ok(match iv {
        Iv::Tcw => {
            let rest = bytes
                .len()
                .checked_sub(shape.ivsize + WHITENING)
                .ok_or_else(|| spec.error(format!("a key of {} bytes, which are too few", bytes.len())))?;
            let (key, secrets) = bytes.split_at(rest);
            Box::new(Tcw::new(cipher.key_with(key, WeakKeys::Allow)?, secrets)?)
        }
        _ if shape.blocksize != 16 => return Err(spec.error("this IV is one of blocks of 16 bytes")),
        Iv::Elephant => Box::new(Elephant::new(cipher, bytes, sector_size)?),
        _ => Box::new(Lmk::new(cipher, spec.keys(), bytes)?),
    })
}

/// Adds `other` to `text` by xor, as far as both reach.
pub(crate) fn xor(text: &mut [u8], other: &[u8]) {
    text.iter_mut().zip(other).for_each(|(byte, other)| *byte ^= other);
}

/// The block of zeros, encrypted in CBC with the byte offset as its IV (drivers/md/dm-crypt.c, `crypt_iv_eboiv_gen`).
fn eboiv(cbc: &Skcipher, number: u64, sector_size: usize, iv: &mut [u8]) -> Result<(), algkit::Error> {
    let mut offset = [0; 16];
    offset[..8].copy_from_slice(&number.wrapping_mul(sector_size as u64).to_le_bytes());
    iv.fill(0);
    cbc.encrypt(&mut offset, iv)
}

/// Whether sectors may have this size.
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

    /// What dm-crypt of Linux 6.1 made of 512 lines `line 000…N` from sector 78187493528 on, as SHA-256: `dmsetup create` with
    /// `0 32 crypt CIPHER KEY 78187493528 DEVICE 0`, where byte N of the key is N mod 251.
    #[test]
    fn as_the_kernel() {
        let plain: Vec<u8> = (0..512).flat_map(|n| format!("line {n:027}").into_bytes()).collect();
        for (spec, key, sector, want) in [
            ("aes-cbc-elephant", 32, 512, hex!("b75c3577ce13a85f9137d6b0de533b1f8067ae6a088ee9eea29c00b3bde8e901")),
            ("aes-cbc-elephant", 64, 512, hex!("001e49aef97904a38f6fe3e89371d31eb145447ba8fc8b7b34af34308a4066c3")),
            ("aes-cbc-elephant", 32, 4096, hex!("81c45efad095a618d8dcbd55299c36d3bd98afa1a2d09ca4e0d13e0eb8495041")),
            ("aes:64-cbc-lmk", 1024, 512, hex!("73c564a6b856b6af43d2a77dd027634ab645827c87c54f3d385e14a67c67db91")),
            ("aes:64-cbc-lmk", 2080, 512, hex!("48804bed63e889ccb2deef15424b787a2f614a9ce44fae3bb39702391193b2ce")),
            ("aes-cbc-lmk", 16, 512, hex!("89a18c1d0e2ef4dd9fad8de6a75afc62653844eae0ddcfba2bac917bf48f86df")),
            ("aes-cbc-tcw", 48, 512, hex!("569c8453fcf132ecd64cdcfb0bf7769433d92203be1622c1e17a9b990f4ab15d")),
            ("des3_ede-cbc-tcw", 48, 512, hex!("42a3a7423c9b622d8a8f3f04503fc079e230048db26e674bae43c5d8894b7e90")),
            ("aes-xts-plain64", 64, 512, hex!("6059a4cdd25332beeefc7f237fd3d4e013285f4ceb253e452862bd7dbe314a08")),
        ] {
            let key = Key::new((0..key).map(|n: u32| (n % 251) as u8).collect());
            let cipher = SectorCipher::new(&CipherSpec::parse(spec).unwrap(), &key, sector).unwrap();
            let mut text = plain.clone();
            cipher.crypt(Direction::Encrypt, 78_187_493_528, &mut text).unwrap();
            assert_eq!(algkit::hash("sha256").unwrap().key(&[]).unwrap().digest(&text), want, "{spec} {sector}");
            cipher.crypt(Direction::Decrypt, 78_187_493_528, &mut text).unwrap();
            assert!(text == plain, "{spec} {sector}");
        }
    }

    #[test]
    fn a_cascade_is_undone_from_its_end() {
        let of = || cipher("aes-xts-plain64", 64, 512).unwrap();
        let other = || cipher("serpent-xts-plain64", 32, 512).unwrap();
        let (mut both, mut one) = ([7; 1024], [7; 1024]);
        of().then(other()).crypt(Direction::Encrypt, 5, &mut both).unwrap();
        of().crypt(Direction::Encrypt, 5, &mut one).unwrap();
        other().crypt(Direction::Encrypt, 5, &mut one).unwrap();
        assert_eq!(both, one);
        of().then(other()).crypt(Direction::Decrypt, 5, &mut both).unwrap();
        assert_eq!(both, [7; 1024]);
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
            ("aes-cbc-lmk", 16, 4096, "this IV has 512"),
            ("aes:64-cbc-lmk", 63, 512, "63 bytes"),
            ("aes-xts-lmk", 64, 512, "CBC"),
            ("des3_ede-cbc-lmk", 24, 512, "16 bytes"),
            ("aes-cbc-tcw", 31, 512, "31 bytes"),
            ("aes-cbc-elephant", 31, 512, "key of"),
            ("capi:ctr-aes-u64bs-plain64", 16, 512, "stream"),
            ("capi:sha256-plain64", 16, 512, "type hash"),
            ("nosuch-xts-plain64", 64, 512, "nosuch"),
        ] {
            let error = cipher(spec, key, sector).err().expect(spec).to_string();
            assert!(error.contains(reason), "{spec}: {error}");
        }
    }
}
