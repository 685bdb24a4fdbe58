//! The places of the ciphers' keys, which are the same in the key that decrypts a header and in the keys that the header has.

use super::{
    cbc::Cbc,
    table::{Chain, Cipher, Mode},
};
use crate::{
    CipherSpec, Error, Key, SectorCipher,
    crypt::{UNIT, WHITENING, xor},
    lookup,
};
use algkit::{Skcipher, WeakKeys};
use zeroize::Zeroizing;

/// The length in bytes of the keys of the longest chain.
pub(super) const KEYS: usize = 192;

/// In LRW and CBC, the secrets that all ciphers share come first, and the ciphers' keys behind them.
const SECRETS: usize = 32;

/// The end of LRW's tweak key, which all ciphers share.
const TWEAK: usize = 16;

/// The place of the header's whitening.
const HEADER_WHITENING: std::ops::Range<usize> = 8..16;

impl Chain {
    /// The key of each cipher. In XTS and LRW it has the tweak key behind it.
    fn keys<'a>(&'a self, all: &'a [u8]) -> impl Iterator<Item = (&'a Cipher, Zeroizing<Vec<u8>>)> {
        let mut at = if self.mode == Mode::Xts { 0 } else { SECRETS };
        self.ciphers.iter().map(move |cipher| {
            let tweak = match self.mode {
                Mode::Xts => &all[at + 32 * self.ciphers.len()..][..cipher.key],
                Mode::Lrw => &all[..TWEAK],
                Mode::Cbc | Mode::OuterCbc => &[],
            };
            let key = Zeroizing::new([&all[at..at + cipher.key], tweak].concat());
            at += cipher.key;
            (cipher, key)
        })
    }

    /// CBC with the keys, one chain after the other.
    fn chains(&self, all: &[u8]) -> Result<Vec<Cbc>, Error> {
        if self.mode == Mode::OuterCbc {
            let cipher = |(cipher, key): (&Cipher, Zeroizing<Vec<u8>>)| -> Result<_, Error> {
                Ok(lookup::transform::<algkit::Cipher>(cipher.algorithm())?.key_with(&key, WeakKeys::Allow)?)
            };
            return Ok(vec![Cbc::Chain(self.keys(all).map(cipher).collect::<Result<_, _>>()?)]);
        }
        self.keys(all)
            .map(|(cipher, key)| {
                let cbc = keyed("cbc", cipher, &key)?;
                Ok(if cipher.little_endian() { Cbc::LittleEndian(cbc) } else { Cbc::Standard(cbc) })
            })
            .collect()
    }

    /// Decrypts a header in place.
    pub fn decrypt_header(&self, key: &[u8], header: &mut [u8]) -> Result<(), Error> {
        match self.mode {
            Mode::Xts | Mode::Lrw => {
                let (mode, iv) = if self.mode == Mode::Xts { ("xts", 0u128) } else { ("lrw", 1) };
                for (cipher, key) in self.keys(key).collect::<Vec<_>>().iter().rev() {
                    keyed(mode, cipher, key)?.decrypt_once(&iv.to_be_bytes(), &mut *header)?;
                }
            }
            Mode::Cbc | Mode::OuterCbc => {
                for (number, cbc) in self.chains(key)?.iter().enumerate().rev() {
                    header.chunks_mut(8).for_each(|eight| xor(eight, &key[HEADER_WHITENING]));
                    cbc.decrypt(&key[..self.ciphers[number].block], header)?;
                }
            }
        }
        Ok(())
    }

    /// The cipher of the volume's sectors. CBC with several ciphers or with Blowfish is refused: no other program at hand decrypts data of such a volume, so
    /// there is nothing to compare with.
    pub fn sectors(&self, keys: &[u8]) -> Result<SectorCipher, Error> {
        let (name, mode) = (self.name(), self.mode_name());
        if mode.ends_with("-tcrypt") {
            return Err(Error::Unsupported { what: format!("the data of a volume with {name} in {mode}") });
        }
        let stage = |(cipher, key): (&Cipher, Zeroizing<Vec<u8>>)| {
            let secrets = if self.mode == Mode::Cbc { &keys[..cipher.block + WHITENING] } else { &[] };
            let spec = CipherSpec::parse(&format!("{}-{mode}", cipher.name))?;
            SectorCipher::new(&spec, &Key::new([&key, secrets].concat()), UNIT as usize)
        };
        let stages = self.keys(keys).map(stage).collect::<Result<Vec<_>, _>>()?;
        let cascade = stages.into_iter().rev().reduce(|next, stage| stage.then(next));
        cascade.ok_or(Error::Unsupported { what: name })
    }

    /// The first cipher of the chain that algkit does not have.
    pub fn missing(&self) -> Option<&'static str> {
        self.ciphers.iter().map(Cipher::algorithm).find(|name| lookup::transform::<algkit::Cipher>(name).is_err())
    }
}

fn keyed(mode: &str, cipher: &Cipher, key: &[u8]) -> Result<Skcipher, Error> {
    let unkeyed = lookup::transform::<Skcipher>(&format!("{mode}({})", cipher.algorithm()))?;
    Ok(unkeyed.key_with(key, WeakKeys::Allow)?)
}
