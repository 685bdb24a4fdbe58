//! `elephant`, BitLocker's diffuser over CBC with the IV `eboiv` (drivers/md/dm-crypt.c, `crypt_iv_elephant`; N. Ferguson, "AES-CBC +
//! Elephant diffuser", 2006): the text is xored with a key of the sector, then mixed, then encrypted.

use super::{OneSector, eboiv, xor};
use crate::{Error, lookup};
use algkit::{Cipher, Direction, Driver, Skcipher, Unkeyed, WeakKeys};
use zeroize::Zeroizing;

pub(crate) struct Elephant {
    cbc: Skcipher,
    /// Makes the sector keys.
    sector_keys: Cipher,
    sector_size: usize,
}

impl Elephant {
    /// `key` has the key of CBC in its first half, and that of the sector keys in its second.
    pub fn new(cipher: &Unkeyed<Skcipher>, key: &[u8], sector_size: usize) -> Result<Self, Error> {
        let (first, second) = key.split_at(key.len() / 2);
        Ok(Self {
            cbc: cipher.key_with(first, WeakKeys::Allow)?,
            sector_keys: lookup::transform::<Cipher>("aes")?.key(second)?,
            sector_size,
        })
    }

    /// The key of a sector repeats every 32 bytes: its byte offset, encrypted as it is and with its last byte changed.
    fn add_key(&self, number: u64, sector: &mut [u8]) -> Result<(), algkit::Error> {
        let mut key = Zeroizing::new([0; 32]);
        let offset = number.wrapping_mul(self.sector_size as u64).to_le_bytes();
        key[..8].copy_from_slice(&offset);
        key[16..24].copy_from_slice(&offset);
        key[31] = 0x80;
        self.sector_keys.encrypt(&mut key[..])?;
        sector.chunks_mut(32).for_each(|piece| xor(piece, &*key));
        Ok(())
    }
}

impl OneSector for Elephant {
    fn crypt(&self, direction: Direction, number: u64, sector: &mut [u8]) -> Result<(), algkit::Error> {
        let mut iv = [0; 16];
        eboiv(&self.cbc, number, self.sector_size, &mut iv)?;
        match direction {
            Direction::Encrypt => {
                self.add_key(number, sector)?;
                diffuse(sector, direction);
                self.cbc.encrypt_once(&iv, sector)
            }
            Direction::Decrypt => {
                self.cbc.decrypt_once(&iv, &mut *sector)?;
                diffuse(sector, direction);
                self.add_key(number, sector)
            }
        }
    }

    fn drivers(&self) -> Vec<&Driver> {
        vec![self.cbc.driver(), self.sector_keys.driver()]
    }
}

/// Both diffusers. To each word, A adds two of the words before it, and B two of the words behind it; indices wrap around. Adding decrypts;
/// subtracting in the opposite order encrypts.
fn diffuse(sector: &mut [u8], direction: Direction) {
    let bytes = |word: &[u8]| u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
    let mut words: Zeroizing<Vec<u32>> = Zeroizing::new(sector.chunks_exact(4).map(bytes).collect());
    let n = words.len();
    let a = |words: &[u32], i: usize| words[(i + n - 2) % n] ^ words[(i + n - 5) % n].rotate_left([9, 0, 13, 0][i % 4]);
    let b = |words: &[u32], i: usize| words[(i + 2) % n] ^ words[(i + 5) % n].rotate_left([0, 10, 0, 25][i % 4]);
    match direction {
        Direction::Decrypt => {
            for i in (0..3).flat_map(|_| 0..n) {
                words[i] = words[i].wrapping_add(b(&words, i));
            }
            for i in (0..5).flat_map(|_| 0..n) {
                words[i] = words[i].wrapping_add(a(&words, i));
            }
        }
        Direction::Encrypt => {
            for i in (0..5).flat_map(|_| (0..n).rev()) {
                words[i] = words[i].wrapping_sub(a(&words, i));
            }
            for i in (0..3).flat_map(|_| (0..n).rev()) {
                words[i] = words[i].wrapping_sub(b(&words, i));
            }
        }
    }
    sector.chunks_exact_mut(4).zip(words.iter()).for_each(|(bytes, word)| bytes.copy_from_slice(&word.to_le_bytes()));
}
