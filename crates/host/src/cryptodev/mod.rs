//! `/dev/crypto` of cryptodev-linux: a session is a transform, and a request is one ioctl.

mod ioctl;

use crate::{HostTransform, MAX_TEXT, cipher::HostCipher, driver as host_driver, hash::HostHash, listing::Listed, own};
use algkit::{Direction, Driver, Registry, Type};
use ioctl::{Kind, MAX_DIGEST, Session};
use std::io;
use zeroize::Zeroizing;

/// The device's ciphers and hashes that this library may have too, with their numbers.
const ALGORITHMS: &[(&str, Kind)] = &[
    ("cbc(des3_ede)", Kind::Cipher(2)),
    ("cbc(blowfish)", Kind::Cipher(3)),
    ("cbc(cast5)", Kind::Cipher(4)),
    ("cbc(aes)", Kind::Cipher(11)),
    ("ctr(aes)", Kind::Cipher(21)),
    ("xts(aes)", Kind::Cipher(22)),
    ("ecb(aes)", Kind::Cipher(23)),
    ("cbc(camellia)", Kind::Cipher(101)),
    ("hmac(md5)", Kind::Mac(6)),
    ("hmac(sha1)", Kind::Mac(7)),
    ("hmac(rmd160)", Kind::Mac(8)),
    ("md5", Kind::Mac(13)),
    ("sha1", Kind::Mac(14)),
    ("hmac(sha256)", Kind::Mac(18)),
    ("hmac(sha384)", Kind::Mac(19)),
    ("hmac(sha512)", Kind::Mac(20)),
    ("rmd160", Kind::Mac(102)),
    ("sha224", Kind::Mac(103)),
    ("sha256", Kind::Mac(104)),
    ("sha384", Kind::Mac(105)),
    ("sha512", Kind::Mac(106)),
    ("hmac(sha224)", Kind::Mac(107)),
];

/// The priority of drivers that /proc/crypto does not list.
const PRIORITY: u32 = 100;

/// The drivers that the device has, with their priorities in `listed`.
pub(crate) fn drivers(registry: &Registry, listed: &[Listed]) -> Vec<Driver> {
    ALGORITHMS.iter().filter_map(|(name, kind)| driver(registry, listed, name, *kind)).collect()
}

fn driver(registry: &Registry, listed: &[Listed], name: &str, kind: Kind) -> Option<Driver> {
    let type_ = if matches!(kind, Kind::Cipher(_)) { Type::Skcipher } else { Type::Hash };
    let own = own(registry, type_, name)?;
    // Any key serves to check whether the algorithm exists. This one is neither weak nor too short.
    let len = if own.shape.optional_key { 0 } else { own.shape.keys.max().min(32) };
    let probe: Vec<u8> = (1..=len as u8).collect();
    let session = Session::open(kind, &probe).ok()?;
    let driver = session.driver(kind).unwrap_or_else(|| name.to_owned());
    let priority = listed.iter().find(|l| l.driver == driver).map_or(PRIORITY, |l| l.priority);
    let digest_size = own.shape.digestsize;
    let key = move |key: &[u8]| {
        let session = Session::open(kind, key)?;
        Ok(match kind {
            Kind::Cipher(_) => HostTransform::Cipher(Box::new(Transform(session))),
            Kind::Mac(_) => HostTransform::Hash(Box::new(HashTransform { session, digest_size })),
        })
    };
    Some(host_driver(own, format!("cryptodev:{driver}"), priority, key))
}

/// A keyed cipher.
struct Transform(Session);

impl HostCipher for Transform {
    fn crypt(&self, direction: Direction, iv: &[u8], src: &[u8], dst: &mut [u8]) -> io::Result<()> {
        self.0.crypt(direction == Direction::Decrypt, iv, src, dst)
    }
}

/// A keyed hash.
struct HashTransform {
    session: Session,
    digest_size: usize,
}

impl HostHash for HashTransform {
    /// One ioctl takes the whole message, which limits its length.
    fn digest(&self, parts: &[&[u8]], out: &mut [u8]) -> io::Result<()> {
        let len = parts.iter().map(|part| part.len()).sum::<usize>();
        if out.len() != self.digest_size || out.len() > MAX_DIGEST || len > MAX_TEXT {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let mut digest = Zeroizing::new([0; MAX_DIGEST]);
        self.session.digest(&Zeroizing::new(parts.concat()), &mut digest)?;
        out.copy_from_slice(&digest[..out.len()]);
        Ok(())
    }
}
