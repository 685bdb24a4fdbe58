//! The options of a new volume.

use crate::{CipherSpec, Error, Kdf, Key, WriteAt, integrity::Scheme};
use algkit::Rng;
use std::ops::Range;

/// The options of a new volume.
#[derive(Clone, Debug)]
pub struct Options {
    /// The cipher of the data.
    pub cipher: CipherSpec,
    /// What tags sectors have, as the LUKS2 header says it: `aead`, `poly1305` or `hmac(HASH)`. Then the cipher is [`CipherSpec::with_tags`].
    pub integrity: Option<String>,
    /// Bytes of the cipher's key. A MAC has its own besides.
    pub key_size: usize,
    /// The size of a sector in bytes. In LUKS1 it is 512.
    pub sector_size: u32,
    /// The key derivation of the first key slot. Its salt is replaced by a new one.
    pub kdf: Kdf,
    /// The hash of the anti-forensic splitter.
    pub hash: String,
    /// The UUID. Without it, the volume gets a random one.
    pub uuid: Option<String>,
    /// The label, at most 47 bytes (LUKS2).
    pub label: String,
    /// The second label, at most 47 bytes (LUKS2).
    pub subsystem: String,
}

impl Options {
    /// How sectors get their tags, if they have any.
    pub(crate) fn scheme(&self) -> Result<Option<Scheme>, Error> {
        self.integrity.as_deref().map(|integrity| Scheme::new(&self.cipher.to_string(), integrity)).transpose()
    }

    /// A random key for the volume.
    pub(crate) fn new_key(&self, random: &Rng) -> Result<Key, Error> {
        let mac_key = self.scheme()?.map_or(0, |scheme| scheme.mac_key());
        let mut key = Key::new(vec![0; self.key_size + mac_key]);
        random.generate(&[], key.bytes_mut())?;
        Ok(key)
    }

    /// The UUID that was asked for, or a random one (RFC 9562, section 5.4).
    pub(crate) fn uuid(&self, random: &Rng) -> Result<String, Error> {
        if let Some(uuid) = &self.uuid {
            let is_good = uuid.len() == 36
                && uuid.bytes().enumerate().all(|(at, byte)| match at {
                    8 | 13 | 18 | 23 => byte == b'-',
                    _ => byte.is_ascii_hexdigit(),
                });
            let refused = || Error::damaged("UUID", "not 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12");
            return is_good.then(|| uuid.clone()).ok_or_else(refused);
        }
        let mut bytes = [0; 16];
        random.generate(&[], &mut bytes)?;
        bytes[6] = bytes[6] & 0x0f | 0x40;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let (a, b, c, d, e) = (&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]);
        Ok(format!("{a}-{b}-{c}-{d}-{e}"))
    }
}

/// Overwrites the range with zeros. The first piece is on the storage before the others are written.
pub(crate) fn wipe_range(storage: &dyn WriteAt, range: Range<u64>) -> Result<(), Error> {
    const CHUNK: u64 = 1 << 20;
    let zeros = vec![0; CHUNK as usize];
    for offset in range.clone().step_by(CHUNK as usize) {
        storage.write_at(offset, &zeros[..(range.end - offset).min(CHUNK) as usize])?;
        if offset == range.start {
            storage.sync()?;
        }
    }
    storage.sync()
}
