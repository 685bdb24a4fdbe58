//! ESSIV (Fruhwirth 2005): the IV is encrypted under the hash of the key before the inner mode uses it, so that
//! sector numbers become unpredictable IVs. `essiv(cbc(aes),sha256)`.
//!
//! Over an AEAD, `essiv(authenc(hmac(sha256),cbc(aes)),sha256)`, the hash input is the encryption key followed by
//! the authentication key. The IV at the end of the associated data is authenticated in its encrypted form, as
//! dm-crypt expects (kernel crypto/essiv.c).

use super::{Lookup, args, bad, cipher, compose, cut, inner_cipher, skcipher, with_list};
use crate::{
    Error, Name, Text,
    driver::{AeadOps, BadKey, CipherOps, Direction, Driver, HashOps, Keyed, Refusal, SkcipherOps, Type, WeakKeys},
};
use algkit_primitives::{InOut, cpu::CpuFeatures};
use zeroize::Zeroizing;

/// A mode that gets the encrypted IV.
struct Essiv<M: ?Sized> {
    salt: Box<dyn CipherOps>,
    mode: Box<M>,
}

impl<M: ?Sized> Essiv<M> {
    fn encrypted(&self, iv: &[u8]) -> [u8; 16] {
        let mut block = [0; 16];
        block[..iv.len()].copy_from_slice(iv);
        self.salt.encrypt_blocks(InOut::from(&mut block[..iv.len()]));
        block
    }
}

impl SkcipherOps for Essiv<dyn SkcipherOps> {
    fn crypt(&self, direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
        let encrypted = self.encrypted(iv);
        iv.copy_from_slice(&encrypted[..iv.len()]);
        self.mode.crypt(direction, iv, text);
    }
}

impl AeadOps for Essiv<dyn AeadOps> {
    fn check(&self, iv: &[u8], assoc_len: usize, text_len: u64) -> Result<(), Refusal> {
        if assoc_len < iv.len() {
            return Err(Refusal::Assoc("at least the IV's length: it ends in the IV"));
        }
        self.mode.check(iv, assoc_len, text_len)
    }

    fn encrypted_iv(&self, iv: &[u8]) -> Option<[u8; 16]> {
        Some(self.encrypted(iv))
    }

    fn seal(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &mut [u8]) {
        let iv = &self.encrypted(iv)[..iv.len()];
        with_list(cut(assoc, iv.len()).chain([iv]), |assoc| self.mode.seal(iv, assoc, text, tag));
    }

    fn open(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &[u8]) -> bool {
        let iv = &self.encrypted(iv)[..iv.len()];
        with_list(cut(assoc, iv.len()).chain([iv]), |assoc| self.mode.open(iv, assoc, text, tag))
    }
}

/// The cipher whose key is the hash of the concatenated `keys`.
fn salt(
    hash: &Driver,
    inner: &Driver,
    cpu: CpuFeatures,
    keys: &[&[u8]],
    weak: WeakKeys,
) -> Result<Box<dyn CipherOps>, BadKey> {
    let hash_ops: Box<dyn HashOps> = super::hash(hash, cpu, &[], weak)?;
    let mut digest = Zeroizing::new(vec![0; hash.shape.digestsize]);
    hash_ops.digest(keys, &mut digest);
    cipher(inner, cpu, &digest, weak)
}

pub(super) fn build(lookup: &dyn Lookup, name: &Name) -> Result<Driver, Error> {
    let [mode_name, hash_name] = args(name)?;
    let hash = lookup.find(Type::Hash, hash_name)?;
    let (kind, mode) = match lookup.find(Type::Skcipher, mode_name) {
        Err(Error::WrongType { found: Type::Aead, .. }) => (Type::Aead, lookup.find(Type::Aead, mode_name)?),
        mode => (Type::Skcipher, mode?),
    };
    if kind == Type::Aead && !Name::parse(&mode.name)?.is_authenc() {
        return Err(bad(name, "the only AEADs with an IV to encrypt are authenc and authencesn"));
    }
    let cipher_driver = match inner_cipher(lookup, &mode) {
        Err(Error::WrongType { .. }) => return Err(bad(name, "the mode's last parameter is not a block cipher")),
        found => found?,
    };
    if cipher_driver.shape.blocksize != mode.shape.ivsize {
        return Err(bad(name, "the mode's IV is not as long as a block of its cipher"));
    }
    if !hash.shape.optional_key || !cipher_driver.shape.keys.allows(hash.shape.digestsize) {
        return Err(bad(name, "the cipher takes no key of the digest's length"));
    }
    let alg = format!("essiv({},{})", mode.name, hash.name);
    let driver = format!("essiv({},{})", mode.driver, hash.driver);
    let (shape, inner) = (mode.shape.clone(), [mode, hash, cipher_driver]);
    Ok(compose(alg, driver, kind, shape, inner, move |[mode, hash, cipher], cpu, key, weak| {
        let salt = |keys: &[&[u8]]| salt(hash, cipher, cpu, keys, weak);
        if kind == Type::Skcipher {
            let essiv = Essiv { salt: salt(&[key])?, mode: skcipher(mode, cpu, key, weak)? };
            return Ok(Keyed::Skcipher(Box::new(essiv)));
        }
        let (auth_key, enc_key) = super::authenc::split_key(key)?;
        let essiv = Essiv { salt: salt(&[enc_key, auth_key])?, mode: super::aead(mode, cpu, key, weak)? };
        Ok(Keyed::Aead(Box::new(essiv)))
    }))
}
