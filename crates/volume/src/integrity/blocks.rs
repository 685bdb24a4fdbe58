//! What dm-crypt makes of a block and its number: ciphertext, and a tag, behind which a random IV may stand (drivers/md/dm-crypt.c,
//! `crypt_convert_block_aead`).

use crate::{CipherSpec, Error, VolumeKey, crypt::UNIT, lookup, spec::STREAM};
use algkit::{
    Aead, Direction, Driver, Rng, Unkeyed, WeakKeys, authenc_key,
    batch::{self, Request},
    driver::MAX_JOBS,
};
use zeroize::Zeroizing;

/// Bytes of a sector's number, which stands before the IV in the associated data.
const NUMBER: usize = 8;

/// The AEAD that a cipher string and a kind of integrity name.
pub(crate) struct Scheme {
    cipher: String,
    /// The algorithm without the MAC.
    algorithm: String,
    aead: Unkeyed<Aead>,
    random_ivs: bool,
    /// Bytes at the end of the volume's key that are the MAC's; none if there is one key for both.
    mac_key: Option<usize>,
}

impl Scheme {
    /// `integrity` is `aead`, `poly1305` or `hmac(HASH)`.
    pub fn new(cipher: &str, integrity: &str) -> Result<Self, Error> {
        let refused = |reason: &str| Error::CipherSpec { spec: cipher.to_owned(), reason: reason.to_owned() };
        let (algorithm, iv) = cipher.rsplit_once('-').ok_or_else(|| refused("expected CIPHER-MODE-IV"))?;
        let random_ivs = match iv {
            "plain64" => false,
            "random" => true,
            _ => return Err(refused("this IV is not supported with integrity")),
        };
        let name = match (algorithm.strip_prefix("capi:"), algorithm.split_once('-')) {
            (Some(name), _) => name.to_owned(),
            (None, Some((cipher, mode))) => format!("{mode}({cipher})"),
            (None, None) => algorithm.to_owned(),
        };
        let algorithm = name.clone();
        let (name, mac_key) = match integrity {
            "aead" => (name, None),
            "poly1305" => (format!("rfc7539({name},poly1305)"), None),
            mac if mac.starts_with("hmac(") => {
                let size = lookup::transform::<algkit::Hash>(mac)?.driver().shape.digestsize;
                (format!("authenc({mac},{name})"), Some(size))
            }
            phmac if phmac.starts_with("phmac") => {
                return Err(refused("phmac has keys that only the firmware of mainframes can use"));
            }
            other => return Err(Error::Unsupported { what: format!("integrity `{other}`") }),
        };
        let aead = lookup::transform::<Aead>(&name)?;
        if aead.driver().shape.blocksize == 1 && !random_ivs {
            return Err(refused(STREAM));
        }
        Ok(Self { cipher: cipher.to_owned(), algorithm, aead, random_ivs, mac_key })
    }

    /// The same with a MAC whose key has another length, if it has a key of its own.
    pub fn with_mac_key(self, size: Option<usize>) -> Self {
        Self { mac_key: self.mac_key.map(|digest| size.unwrap_or(digest)), ..self }
    }

    fn refused(&self, reason: &str) -> Error {
        Error::CipherSpec { spec: self.cipher.clone(), reason: reason.to_owned() }
    }

    /// Bytes that are stored for a block besides its text: a tag, and a random IV.
    pub fn stored(&self) -> usize {
        let shape = &self.aead.driver().shape;
        shape.tags.max() + if self.random_ivs { shape.ivsize } else { 0 }
    }

    /// Bytes of key that the MAC has besides the cipher's.
    pub fn mac_key(&self) -> usize {
        self.mac_key.unwrap_or(0)
    }

    /// Blocks of `size` bytes under this key.
    pub fn key(&self, key: &dyn VolumeKey, size: usize, iv_offset: u64) -> Result<Blocks, Error> {
        let bytes = key.bytes_here().ok_or_else(|| self.refused("the key is elsewhere"))?;
        let key = match self.mac_key {
            None => Zeroizing::new(bytes.to_vec()),
            Some(size) => {
                let rest = bytes.len().checked_sub(size);
                let rest = rest.ok_or_else(|| self.refused("the key has no room for that of the MAC"))?;
                authenc_key(&bytes[rest..], &bytes[..rest])
            }
        };
        let aead = self.aead.key_with(&key, WeakKeys::Allow)?;
        let iv = if self.random_ivs { Iv::Random(algkit::rng("stdrng")?.key(&[])?) } else { Iv::Plain64 };
        Ok(Blocks { tag: aead.max_tag_len(), stored: self.stored(), aead, size, iv, iv_offset })
    }
}

impl CipherSpec {
    /// The cipher string of a volume whose sectors have tags. `integrity` says how they are made, as the LUKS2 header does: `aead`, `poly1305` or
    /// `hmac(HASH)`.
    ///
    /// ```
    /// let spec = algkit_volume::CipherSpec::with_tags("aes-gcm-random", "aead")?;
    /// assert_eq!(spec.algorithm(), "gcm(aes)");
    /// # Ok::<(), algkit_volume::Error>(())
    /// ```
    pub fn with_tags(text: &str, integrity: &str) -> Result<Self, Error> {
        let scheme = Scheme::new(text, integrity)?;
        Ok(Self::stored(text, scheme.algorithm, scheme.random_ivs))
    }
}

enum Iv {
    /// The number of the sector.
    Plain64,
    /// Made anew for each write, and stored with the tag.
    Random(Rng),
}

/// The AEAD with its key.
pub(crate) struct Blocks {
    aead: Aead,
    /// Bytes of a tag.
    tag: usize,
    /// Bytes that are stored for a block besides its text.
    stored: usize,
    /// Bytes of a block.
    size: usize,
    iv: Iv,
    iv_offset: u64,
}

impl Blocks {
    pub fn driver(&self) -> &Driver {
        self.aead.driver()
    }

    /// Encrypts blocks in place and makes their tags, or decrypts blocks whose tags are right. `first` is the sector that they begin with.
    pub fn crypt(&self, direction: Direction, first: u64, blocks: &mut [u8], tags: &mut [u8]) -> Result<(), Error> {
        let units = self.size / UNIT as usize;
        let groups = blocks.chunks_mut(MAX_JOBS * self.size).zip(tags.chunks_mut(MAX_JOBS * self.stored));
        for ((blocks, tags), first) in groups.zip((first..).step_by(MAX_JOBS * units)) {
            if direction == Direction::Encrypt {
                self.new_ivs(tags)?;
            }
            let assoc = self.associated_data((first..).step_by(units), tags);
            let each = assoc.chunks_exact(NUMBER + self.iv_size());
            let each = each.zip(blocks.chunks_exact_mut(self.size)).zip(tags.chunks_exact_mut(self.stored));
            let requests = each.map(|((assoc, block), tag)| {
                let (iv, tag) = (&assoc[NUMBER..], &mut tag[..self.tag]);
                match direction {
                    Direction::Encrypt => Request::seal(&self.aead, iv, assoc, block, tag),
                    Direction::Decrypt => Request::open(&self.aead, iv, assoc, block, tag),
                }
            });
            let mut number = first;
            batch::each(requests, |result| {
                let sector = number;
                number += units as u64;
                result.map_err(|error| match error {
                    algkit::Error::Authentication => Error::Integrity { sector },
                    error => error.into(),
                })
            })?;
        }
        Ok(())
    }

    fn iv_size(&self) -> usize {
        self.aead.driver().shape.ivsize
    }

    fn new_ivs(&self, tags: &mut [u8]) -> Result<(), Error> {
        let Iv::Random(random) = &self.iv else { return Ok(()) };
        let mut ivs = vec![0; tags.len() / self.stored * self.iv_size()];
        random.generate(&[], &mut ivs)?;
        for (tag, iv) in tags.chunks_exact_mut(self.stored).zip(ivs.chunks_exact(self.iv_size())) {
            tag[self.tag..].copy_from_slice(iv);
        }
        Ok(())
    }

    /// For each block, the sector's number and the IV.
    fn associated_data(&self, numbers: impl Iterator<Item = u64>, tags: &[u8]) -> Vec<u8> {
        let mut assoc = vec![0; tags.len() / self.stored * (NUMBER + self.iv_size())];
        let each = assoc.chunks_exact_mut(NUMBER + self.iv_size()).zip(tags.chunks_exact(self.stored));
        for ((assoc, tag), number) in each.zip(numbers) {
            let (place, iv) = assoc.split_at_mut(NUMBER);
            place.copy_from_slice(&number.to_le_bytes());
            match self.iv {
                Iv::Random(_) => iv.copy_from_slice(&tag[self.tag..]),
                Iv::Plain64 => {
                    let bytes = number.wrapping_add(self.iv_offset).to_le_bytes();
                    iv.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
                }
            }
        }
        assoc
    }
}
