//! Names of templates whose parts do not fit, which the kernel binds all the same, to find out when it gets a key.
//!
//! `essiv(cbc(aes),sha1)`: a digest is longer than the cipher's shortest key and shorter than its longest, and no key.
//! `authenc(sha256,cbc(aes))`: the hash takes no key.

use super::{Role, aead, lookup::transform, parent::Lease, skcipher};
use crate::{Errno, abi::Address};
use algkit::{Aead, Cipher, Driver, Hash, Name, Skcipher, Transform, Unkeyed};

/// Something that can be bound and takes no key.
#[derive(Debug)]
pub(super) struct Misfit {
    /// What takes its place where sizes matter.
    inner: Inner,
    /// Bytes of the longest tag of an AEAD.
    max_tag: Option<usize>,
    hash_refuses: bool,
}

#[derive(Debug)]
enum Inner {
    Skcipher(Unkeyed<Skcipher>),
    Aead(Unkeyed<Aead>),
}

impl Inner {
    fn driver(&self) -> &Driver {
        match self {
            Self::Skcipher(inner) => inner.driver(),
            Self::Aead(inner) => inner.driver(),
        }
    }
}

impl Misfit {
    pub(super) fn skcipher(address: &Address<'_>) -> Result<Self, Errno> {
        let (base, [mode, hash]) = parse(address)?;
        let inner = Inner::Skcipher(part(&mode)?);
        let is_bound = base == "essiv" && has_length_between(inner.driver(), &hash);
        is_bound.then_some(Self { inner, max_tag: None, hash_refuses: false }).ok_or(Errno::NOENT)
    }

    pub(super) fn aead(address: &Address<'_>) -> Result<Self, Errno> {
        let (base, [first, second]) = parse(address)?;
        match &base[..] {
            "authenc" | "authencesn" => {
                let hash: Unkeyed<Hash> = part(&first)?;
                let inner = Inner::Skcipher(part(&second)?);
                let shape = &hash.driver().shape;
                let misfit = Self { inner, max_tag: Some(shape.digestsize), hash_refuses: true };
                (shape.keys.max() == 0).then_some(misfit).ok_or(Errno::NOENT)
            }
            "essiv" => {
                let inner = Inner::Aead(part(&first)?);
                let max_tag = Some(inner.driver().shape.tags.max());
                let is_bound = has_length_between(inner.driver(), &second);
                is_bound.then_some(Self { inner, max_tag, hash_refuses: false }).ok_or(Errno::NOENT)
            }
            _ => Err(Errno::NOENT),
        }
    }

    /// What a key is refused with: the kernel's hash without keys knows no such call, if the key can be taken apart.
    pub(super) fn refuse(&self, key: &[u8]) -> Errno {
        let is_blob = self.hash_refuses && algkit::split_authenc_key(key).is_some();
        if is_blob { Errno::NOSYS } else { Errno::INVAL }
    }

    pub(super) fn set_tag_len(&self, len: usize) -> Result<(), Errno> {
        match self.max_tag {
            None => Err(Errno::NOPROTOOPT),
            Some(max) if len > max => Err(Errno::INVAL),
            Some(_) => Ok(()),
        }
    }

    pub(super) fn accept(&self, lease: Lease) -> Role {
        match self.max_tag {
            None => Role::Skcipher(Box::new(skcipher::Operation::new(lease, self.inner.driver(), None))),
            Some(_) => Role::Aead(Box::new(aead::Operation::new(lease, self.inner.driver(), None))),
        }
    }
}

/// A template and its two parameters.
fn parse(address: &Address<'_>) -> Result<(String, [Name; 2]), Errno> {
    let name = str::from_utf8(address.name).ok().and_then(|name| Name::parse(name).ok()).ok_or(Errno::NOENT)?;
    Ok((name.base, name.args.try_into().map_err(|_| Errno::NOENT)?))
}

fn part<T: Transform>(name: &Name) -> Result<Unkeyed<T>, Errno> {
    transform(&name.to_string()).map_err(|_| Errno::NOENT)
}

/// Whether a digest's length lies between those of the shortest and the longest key of the mode's cipher, whose blocks are
/// as long as the mode's IV.
fn has_length_between(mode: &Driver, hash: &Name) -> bool {
    let Ok(name) = Name::parse(&mode.name) else { return false };
    let (Ok(cipher), Ok(hash)) = (part::<Cipher>(name.innermost()), part::<Hash>(hash)) else { return false };
    let (cipher, hash) = (&cipher.driver().shape, &hash.driver().shape);
    let keys = cipher.keys.min()..=cipher.keys.max();
    cipher.blocksize == mode.shape.ivsize && hash.optional_key && keys.contains(&hash.digestsize)
}
