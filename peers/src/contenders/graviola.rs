//! graviola.

use graviola::{
    aead::{AesGcm, ChaCha20Poly1305},
    hashing::{Hash, Sha256, Sha384, Sha512, hmac::Hmac, sha3::Sha3_256Context},
};
use peers_plugin::{Op, Request, Work};

/// graviola's implementation of a request.
pub fn work(request: &Request) -> Option<Work> {
    let &Request { key, size, .. } = request;
    match (request.mode, request.cipher) {
        ("gcm", _) if request.rekey => {
            let assoc = request.assoc;
            Some(Work::one(move |iv, buf, out| {
                let (nonce, tag) = (iv.first_chunk().expect("12 bytes"), out.first_chunk_mut().expect("16 bytes"));
                AesGcm::new(key).encrypt(nonce, assoc, &mut buf[..size], tag);
                true
            }))
        }
        ("gcm", _) => Some(aead!(request, AesGcm::new(key))),
        ("rfc7539", _) => Some(aead!(request, ChaCha20Poly1305::new(key.try_into().ok()?))),
        ("", "sha256") => digest::<Sha256>(size),
        ("", "sha384") => digest::<Sha384>(size),
        ("", "sha512") => digest::<Sha512>(size),
        ("", "sha3-256") => Some(Work::one(move |_, buf, out| {
            let mut sha3 = Sha3_256Context::new();
            sha3.update(&buf[..size]);
            out[..32].copy_from_slice(&sha3.finish());
            true
        })),
        ("hmac", "sha256") => hmac::<Sha256>(key, size),
        ("hmac", "sha512") => hmac::<Sha512>(key, size),
        _ => None,
    }
}

/// The AEADs have the same methods and no common trait.
macro_rules! aead {
    ($request:ident, $aead:expr) => {{
        let &Request { size, assoc, .. } = $request;
        let aead = $aead;
        match $request.op {
            Op::Encrypt => Work::one(move |iv, buf, out| {
                let (nonce, tag) = (iv.first_chunk().expect("12 bytes"), out.first_chunk_mut().expect("16 bytes"));
                aead.encrypt(nonce, assoc, &mut buf[..size], tag);
                true
            }),
            _ => Work::one(move |iv, buf, _| {
                let (text, rest) = buf.split_at_mut(size);
                aead.decrypt(iv.first_chunk().expect("12 bytes"), assoc, text, &rest[..16]).is_ok()
            }),
        }
    }};
}
use aead;

fn digest<H: Hash>(size: usize) -> Option<Work> {
    Some(Work::one(move |_, buf, out| {
        let digest = H::hash(&buf[..size]);
        out[..digest.as_ref().len()].copy_from_slice(digest.as_ref());
        true
    }))
}

fn hmac<H: Hash + 'static>(key: &'static [u8], size: usize) -> Option<Work> {
    Some(Work::one(move |_, buf, out| {
        let mut hmac = Hmac::<H>::new(key); // a keyed state cannot be cloned
        hmac.update(&buf[..size]);
        let tag = hmac.finish();
        out[..tag.as_ref().len()].copy_from_slice(tag.as_ref());
        true
    }))
}
