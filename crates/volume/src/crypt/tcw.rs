//! `tcw`, the whitened CBC of TrueCrypt before version 4.1 (drivers/md/dm-crypt.c, `crypt_iv_tcw_gen`): the IV is a secret
//! seed xor the sector's number, and the ciphertext is xored with eight bytes that depend on a second secret and that number.

use super::{OneSector, xor};
use crate::lookup;
use algkit::{Direction, Driver, Error, Hash, Skcipher};
use zeroize::Zeroizing;

/// Bytes of the second secret.
pub(crate) const WHITENING: usize = 16;

pub(crate) struct Tcw {
    cbc: Skcipher,
    seed: Zeroizing<Vec<u8>>,
    whitening: Zeroizing<[u8; WHITENING]>,
    /// CRC-32 that begins with 0 and has no final inversion.
    crc32: Hash,
}

impl Tcw {
    /// `secrets` is a seed as long as a block, and the second secret.
    pub fn new(cbc: Skcipher, secrets: &[u8]) -> Result<Self, crate::Error> {
        let (seed, whitening) = secrets.split_at(secrets.len().saturating_sub(WHITENING));
        let mut second = Zeroizing::new([0; WHITENING]);
        second.iter_mut().zip(whitening).for_each(|(to, from)| *to = *from);
        Ok(Self {
            cbc,
            seed: Zeroizing::new(seed.to_vec()),
            whitening: second,
            crc32: lookup::seeded("crc32", &[0; 4])?,
        })
    }

    /// Two sums of four: each of the CRCs of a quarter of the second secret and of the number.
    fn whiten(&self, number: &[u8; 8], sector: &mut [u8]) -> Result<(), Error> {
        let mut sums = self.whitening.clone();
        for half in sums.chunks_exact_mut(8) {
            xor(half, number);
        }
        for quarter in sums.chunks_exact_mut(4) {
            let word = Zeroizing::new([quarter[0], quarter[1], quarter[2], quarter[3]]);
            self.crc32.digest_into(&[&*word], quarter)?;
        }
        let (pad, others) = sums.split_at_mut(8);
        xor(&mut pad[..4], &others[4..]);
        xor(&mut pad[4..], &others[..4]);
        sector.chunks_mut(8).for_each(|eight| xor(eight, pad));
        Ok(())
    }
}

impl OneSector for Tcw {
    fn crypt(&self, direction: Direction, number: u64, sector: &mut [u8]) -> Result<(), Error> {
        let number = number.to_le_bytes();
        let mut iv = self.seed.clone();
        iv.chunks_mut(8).for_each(|eight| xor(eight, &number));
        match direction {
            Direction::Encrypt => {
                self.cbc.encrypt_once(&iv, &mut *sector)?;
                self.whiten(&number, sector)
            }
            Direction::Decrypt => {
                self.whiten(&number, sector)?;
                self.cbc.decrypt_once(&iv, sector)
            }
        }
    }

    fn drivers(&self) -> Vec<&Driver> {
        vec![self.cbc.driver()]
    }
}
