//! Plain dm-crypt: a volume without a header. Whoever opens it says its cipher, its key and its place, and nothing shows whether they are right.

use crate::{
    CipherSpec, Error, Key, ReadAt, SectorCipher, Volume, VolumeKey,
    crypt::UNIT,
    lookup,
    volume::{Extent, Form, rest},
};
use zeroize::Zeroizing;

/// The name of no hash at all.
const PLAIN: &str = "plain";

/// The parameters that a header would have.
#[derive(Clone, Debug)]
pub struct Plain {
    /// The cipher.
    pub cipher: CipherSpec,
    /// The size of a sector in bytes.
    pub sector_size: usize,
    /// The first byte of the data on the storage.
    pub offset: u64,
    /// The number of the first sector, in units of 512 bytes: cryptsetup's `--skip`, dm-crypt's `iv_offset`.
    pub skip: u64,
    /// Whether IVs count sectors instead of units of 512 bytes: dm-crypt's `iv_large_sectors`.
    pub large_ivs: bool,
}

impl Plain {
    /// A volume with sectors of 512 bytes that begins where the storage does.
    pub fn new(cipher: CipherSpec) -> Self {
        Self { cipher, sector_size: UNIT as usize, offset: 0, skip: 0, large_ivs: false }
    }

    /// The volume from the offset to the end of `storage`. Bytes behind the last whole sector are left out.
    pub fn open<S: ReadAt>(&self, storage: S, key: &dyn VolumeKey) -> Result<Volume<S>, Error> {
        let cipher = SectorCipher::new(&self.cipher, key, self.sector_size)?;
        let cipher = if self.large_ivs { cipher.large_ivs() } else { cipher };
        let units = self.sector_size as u64 / UNIT;
        if !self.skip.is_multiple_of(units) {
            let reason = format!("{} is not a multiple of {units}, the size of a sector", self.skip);
            return Err(Error::damaged("number of the first sector", reason));
        }
        let offset = self.offset;
        let rest = rest(storage.size()?, offset)?;
        let len = rest - rest % self.sector_size as u64;
        Volume::new(storage, vec![Extent { offset, len, iv_offset: self.skip, form: Form::Encrypted(cipher) }])
    }

    /// An error if no key can be made with `hash`. Asked before a passphrase is read.
    pub fn check_hash(hash: &str) -> Result<(), Error> {
        if hash != PLAIN {
            lookup::hash(hash)?;
        }
        Ok(())
    }

    /// The key of `size` bytes that cryptsetup makes of a passphrase: the digests of the passphrase, of `A` and the passphrase, of `AA` and the
    /// passphrase, and so on, one after the other. With the hash `plain` it is the passphrase itself, with zeros behind it (cryptsetup(8),
    /// "PLAIN MODE"; the letters are those of hashalot, which cryptsetup follows).
    pub fn key(hash: &str, passphrase: &[u8], size: usize) -> Result<Key, Error> {
        let mut key = Key::new(vec![0; size]);
        if hash == PLAIN {
            let len = size.min(passphrase.len());
            key.bytes_mut()[..len].copy_from_slice(&passphrase[..len]);
            return Ok(key);
        }
        let hash = lookup::hash(hash)?;
        let mut digest = Zeroizing::new(vec![0; hash.digest_size()]);
        for (round, piece) in key.bytes_mut().chunks_mut(hash.digest_size()).enumerate() {
            hash.digest_into(&[&b"A".repeat(round), passphrase], &mut digest)?;
            piece.copy_from_slice(&digest[..piece.len()]);
        }
        Ok(key)
    }
}

impl<S: ReadAt> Volume<S> {
    /// All of `storage` as a plain volume.
    pub fn plain(storage: S, spec: &CipherSpec, key: &dyn VolumeKey, sector_size: usize) -> Result<Self, Error> {
        Plain { sector_size, ..Plain::new(spec.clone()) }.open(storage, key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{WriteAt, storage::Memory};
    use hex_literal::hex;

    /// Computed with OpenSSL: `printf passphrase | openssl dgst -sha1`, and of `Apassphrase`.
    #[test]
    fn a_key_longer_than_a_digest() {
        let key = Plain::key("sha1", b"passphrase", 32).unwrap();
        assert_eq!(key.bytes(), hex!("6210274434052f20fcb83e1d0f492204fcb11884 95aff8f34443eee42c09275e"));
        assert_eq!(Plain::key("plain", b"abc", 5).unwrap().bytes(), b"abc\0\0");
        assert_eq!(Plain::key("plain", b"abcdef", 5).unwrap().bytes(), b"abcde");
    }

    #[test]
    fn offset_and_first_sector() {
        let spec = CipherSpec::parse("aes-xts-plain64").unwrap();
        let key = Key::new((0..64).collect());
        let xts = algkit::skcipher("xts(aes)").unwrap().key(key.bytes()).unwrap();
        for (large_ivs, number) in [(false, 16u128), (true, 2)] {
            let plain = Plain { sector_size: 4096, offset: 1536, skip: 8, large_ivs, ..Plain::new(spec.clone()) };
            let volume = plain.open(Memory::new(vec![0; 10_000]), &key).unwrap();
            assert_eq!(volume.size().unwrap(), 8192);
            volume.write_at(4096, &[7; 4096]).unwrap();
            let mut sector = vec![7; 4096];
            xts.encrypt(&mut number.to_le_bytes(), &mut sector[..]).unwrap();
            let mut stored = vec![0; 4096];
            volume.storage().read_at(1536 + 4096, &mut stored).unwrap();
            assert_eq!(stored, sector);
        }
        let memory = || Memory::new(vec![0; 10_000]);
        let plain = Plain { sector_size: 4096, skip: 7, ..Plain::new(spec.clone()) };
        let error = plain.open(memory(), &key).unwrap_err().to_string();
        assert!(error.contains("7 is not a multiple of 8"), "{error}");
        let error = Plain { offset: 10_000, ..Plain::new(spec) }.open(memory(), &key).unwrap_err().to_string();
        assert!(error.contains("begins at byte 10000"), "{error}");
    }
}
