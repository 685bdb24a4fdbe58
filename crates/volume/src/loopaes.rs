//! loop-AES: a volume without a header, whose key file has 1, 64 or 65 keys in lines (cryptsetup's lib/loopaes/loopaes.c). A key file that
//! gpg has encrypted is decrypted by gpg first.

use crate::{
    CipherSpec, Error, Key, ReadAt, SectorCipher, Volume,
    crypt::UNIT,
    lookup,
    volume::{Extent, Form, rest},
};
use zeroize::Zeroizing;

/// The parameters of a volume, from its key file and from the caller.
#[derive(Clone, Debug)]
pub struct LoopAes {
    /// The cipher, with the number of keys that sectors use in turn.
    pub cipher: CipherSpec,
    /// All keys.
    pub key: Key,
    /// The first byte of the data on the storage.
    pub offset: u64,
    /// The number of the first sector.
    pub skip: u64,
}

impl LoopAes {
    /// Parses a key file, for keys of `key_size` bytes and `cipher`, such as `aes`. Without `hash`, it is the one that loop-AES has for keys of that size.
    pub fn new(cipher: &str, key_size: usize, hash: Option<&str>, keyfile: &[u8]) -> Result<Self, Error> {
        let refused = |reason: String| Error::damaged("loop-AES key file", reason);
        if keyfile[..keyfile.len().min(100)].windows(17).any(|text| text == b"BEGIN PGP MESSAGE") {
            return Err(refused("gpg has encrypted it; give what gpg --decrypt writes".to_owned()));
        }
        let hash = match (hash, key_size) {
            (Some(hash), _) => hash,
            (None, 16) => "sha256",
            (None, 24) => "sha384",
            (None, 32) => "sha512",
            (None, size) => return Err(refused(format!("keys of {size} bytes have no hash of their own; name one"))),
        };
        let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r' | 0);
        if !keyfile.last().is_some_and(is_end) {
            return Err(refused("its last line does not end".to_owned()));
        }
        // A line may end with several of these; only the first may not be empty.
        let lines: Vec<&[u8]> =
            keyfile.split(is_end).enumerate().filter(|(n, l)| *n == 0 || !l.is_empty()).map(|(_, l)| l).collect();
        let len = lines[0].len();
        if len == 0 || lines.iter().any(|line| line.len() != len) {
            return Err(refused("its lines are not of one length".to_owned()));
        }
        // The first byte tells the versions of loop-AES apart.
        let (spec, mark) = match lines.len() {
            1 => (format!("{cipher}-cbc-plain64"), 0),
            64 => (format!("{cipher}:64-cbc-lmk"), 0x55),
            65 => (format!("{cipher}:64-cbc-lmk"), 0xf4),
            n => return Err(refused(format!("{n} lines; expected 1, 64 or 65"))),
        };
        let hash = lookup::hash(hash)?;
        if hash.digest_size() < key_size {
            return Err(refused(format!("the hash has {} bytes, and a key {key_size}", hash.digest_size())));
        }
        let mut keys = Vec::with_capacity(lines.len() * key_size);
        for line in lines {
            let mut digest = Zeroizing::new(vec![0; hash.digest_size()]);
            hash.digest_into(&[line], &mut digest)?;
            digest[0] ^= mark;
            keys.extend_from_slice(&digest[..key_size]);
        }
        Ok(Self { cipher: CipherSpec::parse(&spec)?, key: Key::new(keys), offset: 0, skip: 0 })
    }

    /// The volume on `storage`.
    pub fn open<S: ReadAt>(&self, storage: S) -> Result<Volume<S>, Error> {
        let cipher = SectorCipher::new(&self.cipher, &self.key, UNIT as usize)?;
        let offset = self.offset;
        let rest = rest(storage.size()?, offset)?;
        let len = rest - rest % UNIT;
        Volume::new(storage, vec![Extent { offset, len, iv_offset: self.skip, form: Form::Encrypted(cipher) }])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_files() {
        let lines = |n: usize, line: &str| format!("{line}\n").repeat(n);
        for (n, bytes) in [(1, 16), (64, 16 * 64), (65, 16 * 65)] {
            let made = LoopAes::new("aes", 16, None, lines(n, "0123456789").as_bytes()).unwrap();
            assert_eq!(made.key.bytes().len(), bytes);
            made.open(&[0u8; 4096][..]).unwrap();
        }
        // `printf 0123456789 | sha256sum`
        let made = LoopAes::new("aes", 16, None, b"0123456789\r\n").unwrap();
        assert_eq!(made.key.bytes(), hex_literal::hex!("84d89877f0d4041efb6bf91a16f0248f"));
        for (text, reason) in [
            (lines(1, "0123456789").trim_end().to_owned(), "does not end"),
            (String::new(), "does not end"),
            (lines(2, "01"), "2 lines"),
            (lines(64, "01") + "012\n", "one length"),
            ("\n01\n".to_owned(), "one length"),
            ("-----BEGIN PGP MESSAGE-----\n".to_owned(), "gpg"),
        ] {
            let error = LoopAes::new("aes", 16, None, text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(reason), "{text:?}: {error}");
        }
        assert!(LoopAes::new("aes", 20, None, lines(1, "01").as_bytes()).is_err());
        assert!(LoopAes::new("aes", 32, Some("md5"), lines(1, "01").as_bytes()).is_err());
    }
}
