//! `lmk`, the CBC of loop-AES (drivers/md/dm-crypt.c, `crypt_iv_lmk_one`). It has up to 64 keys, which the sectors use in turn. A sector's IV is the MD5
//! of the sector's text behind the first block, of the sector's number, and of a seed if there is one more key.

use super::{OneSector, xor};
use crate::{Error, lookup};
use algkit::{Direction, Driver, Hash, Skcipher, Unkeyed, WeakKeys};
use zeroize::Zeroizing;

/// Bytes of an IV.
const IV: usize = 16;

/// The number of bytes of the seed in the hash. A shorter seed is followed by zeros.
const SEED: usize = 64;

/// The chaining value that MD5 begins with (RFC 1321, section 3.3).
const MD5_START: [u8; 16] =
    [0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10];

pub(crate) struct Lmk {
    /// One for each key.
    ciphers: Vec<Skcipher>,
    seed: Option<Zeroizing<[u8; SEED]>>,
    md5: Hash,
}

impl Lmk {
    /// The key is `count` keys, which may be followed by one for the seed.
    pub fn new(cipher: &Unkeyed<Skcipher>, count: usize, key: &[u8]) -> Result<Self, Error> {
        let parts = if key.len().is_multiple_of(count) { count } else { count + 1 };
        let wrong = || Error::damaged("key", format!("{} bytes are not {count} or {} keys", key.len(), count + 1));
        if key.is_empty() || !key.len().is_multiple_of(parts) {
            return Err(wrong());
        }
        let (keys, rest) = key.split_at(key.len() / parts * count);
        let one = |key| cipher.key_with(key, WeakKeys::Allow);
        let ciphers = keys.chunks(key.len() / parts).map(one).collect::<Result<_, _>>()?;
        let seed = (parts > count).then(|| {
            let mut seed = Zeroizing::new([0; SEED]);
            seed.iter_mut().zip(rest).take(IV).for_each(|(to, from)| *to = *from);
            seed
        });
        let md5 = lookup::hash("md5")?;
        // With a seed, the input does not end with MD5's padding. So the IV is the chaining value, which is read from the exported state.
        if !md5.start().export()?.starts_with(&MD5_START) {
            return Err(Error::Unsupported { what: format!("lmk with the driver {}", md5.driver().driver) });
        }
        Ok(Self { ciphers, seed, md5 })
    }

    fn iv(&self, number: u64, sector: &[u8]) -> Result<[u8; IV], algkit::Error> {
        let mut state = self.md5.start();
        if let Some(seed) = &self.seed {
            state.update(&**seed);
        }
        state.update(&sector[IV..]);
        // Seven bytes of the number, and MD5's padding of a message without a seed: a bit and the length in bits.
        let mut end = [0; 16];
        end[..8].copy_from_slice(&(number & 0x00ff_ffff_ffff_ffff | 0x8000_0000_0000_0000).to_le_bytes());
        end[8..12].copy_from_slice(&4024u32.to_le_bytes());
        state.update(&end);
        let exported = state.export()?;
        Ok(std::array::from_fn(|i| exported[i]))
    }
}

impl OneSector for Lmk {
    fn crypt(&self, direction: Direction, number: u64, sector: &mut [u8]) -> Result<(), algkit::Error> {
        let cipher = &self.ciphers[(number % self.ciphers.len() as u64) as usize];
        match direction {
            Direction::Encrypt => cipher.encrypt_once(&self.iv(number, sector)?, &mut *sector),
            Direction::Decrypt => {
                // The IV changes only the first block, and is made of the others, so these are decrypted before the IV is known.
                cipher.decrypt_once(&[0; IV], &mut *sector)?;
                let iv = self.iv(number, sector)?;
                xor(&mut sector[..IV], &iv);
                Ok(())
            }
        }
    }

    fn drivers(&self) -> Vec<&Driver> {
        self.ciphers.iter().take(1).map(Skcipher::driver).collect()
    }
}
