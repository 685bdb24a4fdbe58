//! HMAC, and HKDF on it.

use algkit::Hash;
use rustls::crypto::{
    hmac::{Hmac, Key, Tag},
    tls13::{Hkdf as RustlsHkdf, HkdfExpander, HkdfUsingHmac, OkmBlock},
};
use zeroize::Zeroizing;

pub(crate) static HMAC_SHA256: HmacSha2 = HmacSha2 { len: 32, key: algkit::hmac_sha256 };
pub(crate) static HMAC_SHA384: HmacSha2 = HmacSha2 { len: 48, key: algkit::hmac_sha384 };

pub(crate) struct HmacSha2 {
    len: usize,
    key: fn(&[u8]) -> Hash,
}

impl Hmac for HmacSha2 {
    fn with_key(&self, key: &[u8]) -> Box<dyn Key> {
        Box::new(HmacKey((self.key)(key)))
    }

    fn hash_output_len(&self) -> usize {
        self.len
    }
}

struct HmacKey(Hash);

impl Key for HmacKey {
    fn sign_concat(&self, first: &[u8], middle: &[&[u8]], last: &[u8]) -> Tag {
        let mut state = self.0.start();
        state.update(first);
        middle.iter().for_each(|part| state.update(part));
        state.update(last);
        // Tags of the key schedule are keys.
        Tag::new(&Zeroizing::new(state.finish()))
    }

    fn tag_len(&self) -> usize {
        self.0.digest_size()
    }
}

/// HKDF (RFC 5869). rustls has HKDF over any HMAC. Extraction is written here, because that of rustls does not wipe the extracted key.
pub(crate) struct Hkdf(pub(crate) &'static HmacSha2);

impl RustlsHkdf for Hkdf {
    fn extract_from_zero_ikm(&self, salt: Option<&[u8]>) -> Box<dyn HkdfExpander> {
        self.extract_from_secret(salt, &[0; OkmBlock::MAX_LEN][..self.0.len])
    }

    fn extract_from_secret(&self, salt: Option<&[u8]>, secret: &[u8]) -> Box<dyn HkdfExpander> {
        // HMAC pads its key with zeros, so an empty salt is the salt of zeros that RFC 5869 asks for.
        let extracted = self.0.with_key(salt.unwrap_or_default()).sign(&[secret]);
        self.expander_for_okm(&OkmBlock::new(extracted.as_ref()))
    }

    fn expander_for_okm(&self, okm: &OkmBlock) -> Box<dyn HkdfExpander> {
        HkdfUsingHmac(self.0).expander_for_okm(okm)
    }

    fn hmac_sign(&self, key: &OkmBlock, message: &[u8]) -> Tag {
        HkdfUsingHmac(self.0).hmac_sign(key, message)
    }
}
