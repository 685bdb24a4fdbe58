//! Drivers to be examined, of any type, and valid inputs for them.

use algkit::{
    Aead, Cipher, Direction, Driver, DriverRef, Hash, Name, Registry, Sizes, Skcipher, Text, Type, Unkeyed, WeakKeys,
    authenc_key, batch,
    driver::{Shape, TextRule},
};

/// The length of associated data in bytes, which IPsec's templates take.
pub const ASSOC_LEN: usize = 20;

/// The longest IV, in bytes.
const MAX_IV: usize = 32;

/// A driver to be examined.
pub struct Subject {
    driver: DriverRef,
    unkeyed: AnyUnkeyed,
}

enum AnyUnkeyed {
    Cipher(Unkeyed<Cipher>),
    Skcipher(Unkeyed<Skcipher>),
    Aead(Unkeyed<Aead>),
    Hash(Unkeyed<Hash>),
}

/// A keyed instance of a driver.
pub enum Keyed {
    /// A block cipher.
    Cipher(Cipher),
    /// A mode of a cipher.
    Skcipher(Skcipher),
    /// An AEAD.
    Aead(Aead),
    /// A hash.
    Hash(Hash),
}

/// The public part of a request.
pub struct Request<'a> {
    /// The direction; hashes have only one.
    pub direction: Direction,
    /// The initialization vector.
    pub iv: &'a [u8],
    /// The associated data of an AEAD.
    pub assoc: &'a [u8],
    /// The position in the text where it is cut in two; `None` for a text in one piece.
    pub split: Option<usize>,
}

impl Subject {
    /// The driver that serves `name`, or has that name. `None` for a random number generator and for drivers that
    /// compute nothing of their own.
    pub fn find(registry: &Registry, name: &str) -> Result<Option<Self>, algkit::Error> {
        let driver = registry.find_any(name)?;
        let unkeyed = match driver.kind {
            Type::Cipher => AnyUnkeyed::Cipher(registry.cipher(name)?),
            Type::Skcipher => AnyUnkeyed::Skcipher(registry.skcipher(name)?),
            Type::Aead => AnyUnkeyed::Aead(registry.aead(name)?),
            Type::Hash => AnyUnkeyed::Hash(registry.hash(name)?),
            // A generator does with its secrets only what the hash or the cipher does that it is built on.
            _ => return Ok(None),
        };
        // These only put an IV before the text of the AEAD that they are built on, which is examined by its own name.
        let makes_ivs = driver.name.starts_with("seqiv(") || driver.name.starts_with("echainiv(");
        // These do not compute anything.
        let is_null = matches!(&*driver.name, "cipher_null" | "ecb(cipher_null)" | "digest_null");
        if makes_ivs || is_null {
            return Ok(None);
        }
        Ok(Some(Self { driver, unkeyed }))
    }

    /// The driver.
    pub fn driver(&self) -> &Driver {
        &self.driver
    }

    /// Whether the driver processes secrets. Checksums do not.
    pub fn is_secret(&self) -> bool {
        !matches!(&*self.driver.name, "crc32" | "crc32c" | "xxhash64")
    }

    /// A keyed instance. Weak keys are not looked for, because that ends in a public answer.
    pub fn key(&self, key: &[u8]) -> Result<Keyed, algkit::Error> {
        Ok(match &self.unkeyed {
            AnyUnkeyed::Cipher(unkeyed) => Keyed::Cipher(unkeyed.key_with(key, WeakKeys::Allow)?),
            AnyUnkeyed::Skcipher(unkeyed) => Keyed::Skcipher(unkeyed.key_with(key, WeakKeys::Allow)?),
            AnyUnkeyed::Aead(unkeyed) => Keyed::Aead(unkeyed.key_with(key, WeakKeys::Allow)?),
            AnyUnkeyed::Hash(unkeyed) => Keyed::Hash(unkeyed.key_with(key, WeakKeys::Allow)?),
        })
    }

    /// Random keys of every length, or of typical ones. The number beside each key says how many bytes at its start are
    /// public.
    pub fn keys(&self) -> Vec<(Vec<u8>, usize)> {
        if has_authenc(&self.driver.name) {
            // The header, which says where the second key begins, is public.
            let blob = |n: &usize| authenc_key(&random(32), &random(*n)).to_vec();
            let keys = [8, 16, 24, 32, 48, 64].iter().map(blob);
            return keys.filter(|key| self.key(key).is_ok()).map(|key| (key, 8)).collect();
        }
        let lengths = match &self.driver.shape.keys {
            Sizes::OneOf(list) => list.to_vec(),
            Sizes::EvenBetween(min, max) => vec![*min, 32.clamp(*min, *max), *max],
            Sizes::Between(min, max) => {
                let mut list = vec![*min, 16.clamp(*min, *max), 32.clamp(*min, *max), 131.clamp(*min, *max)];
                list.dedup();
                list
            }
        };
        let mut keys: Vec<_> = lengths.into_iter().map(|len| (random(len), 0)).collect();
        if self.driver.name.starts_with("vmac64(") {
            // The nonce before the cipher's key has 127 bits and is public.
            keys.iter_mut().for_each(|(key, public)| (key[0], *public) = (key[0] & 0x7f, 16));
        }
        keys
    }

    /// A random IV that the algorithm accepts.
    pub fn iv(&self) -> Vec<u8> {
        let mut iv = random(self.driver.shape.ivsize);
        if self.driver.name.starts_with("ccm(") {
            iv[0] = 3; // the length field has 4 bytes
        }
        iv
    }

    /// Whether the IV after encryption is a part of the ciphertext, as with `kw`.
    pub fn keeps_iv(&self) -> bool {
        self.driver.shape.text == TextRule::Wrapped
    }

    /// The length of tag or digest in bytes.
    pub fn tag_len(&self) -> usize {
        let Shape { tags, digestsize, .. } = &self.driver.shape;
        tags.max().max(*digestsize)
    }

    /// The length nearest to `len` that the algorithm takes.
    pub fn fit(&self, len: usize) -> usize {
        self.driver.shape.fit(len)
    }
}

impl Keyed {
    /// Transforms `text` in place and returns the IV that follows. A hash, or an AEAD that encrypts, writes `tag`; an
    /// AEAD that decrypts compares it.
    pub fn run(&self, request: &Request<'_>, text: &mut [u8], tag: &mut [u8]) -> Result<[u8; MAX_IV], algkit::Error> {
        let direction = request.direction;
        let mut chain = [0; MAX_IV];
        let iv = &mut chain[..request.iv.len()];
        iv.copy_from_slice(request.iv);
        let split = request.split.unwrap_or(text.len());
        let cut = |text| -> Text<'_> {
            let (a, b): (&mut [u8], &mut [u8]) = <[u8]>::split_at_mut(text, split);
            if request.split.is_some() { Text::segments_in_place([a, b]) } else { a.into() }
        };
        match (self, direction) {
            (Self::Cipher(cipher), Direction::Encrypt) => cipher.encrypt(text),
            (Self::Cipher(cipher), Direction::Decrypt) => cipher.decrypt(text),
            (Self::Skcipher(cipher), _) => cipher.crypt(direction, iv, &mut cut(text)),
            (Self::Aead(aead), Direction::Encrypt) => aead.encrypt(iv, &[request.assoc], cut(text), tag),
            (Self::Aead(aead), Direction::Decrypt) => aead.decrypt(iv, &[request.assoc], cut(text), tag),
            (Self::Hash(hash), _) => {
                let (a, b) = text.split_at(split);
                let mut state = hash.start();
                state.update(a);
                state.update(b);
                state.finish_into(tag)
            }
        }?;
        Ok(chain)
    }
}

impl Keyed {
    /// The same as [`Keyed::run`], as a request of a batch. Block ciphers have no batches.
    pub fn batched<'a>(
        &'a self,
        direction: Direction,
        iv: &'a mut [u8],
        assoc: &'a [u8],
        text: &'a mut [u8],
        tag: &'a mut [u8],
    ) -> Option<batch::Request<'a>> {
        Some(match (self, direction) {
            (Self::Cipher(_), _) => return None,
            (Self::Skcipher(cipher), _) => batch::Request::crypt(cipher, direction, iv, text),
            (Self::Aead(aead), Direction::Encrypt) => batch::Request::seal(aead, iv, assoc, text, tag),
            (Self::Aead(aead), Direction::Decrypt) => batch::Request::open(aead, iv, assoc, text, tag),
            (Self::Hash(hash), _) => batch::Request::digest(hash, &*text, tag),
        })
    }
}

fn has_authenc(name: &str) -> bool {
    fn any(name: &Name) -> bool {
        matches!(&*name.base, "authenc" | "authencesn") || name.args.iter().any(any)
    }
    Name::parse(name).is_ok_and(|name| any(&name))
}

/// `len` random bytes.
pub fn random(len: usize) -> Vec<u8> {
    std::iter::repeat_with(|| fastrand::u8(..)).take(len).collect()
}
