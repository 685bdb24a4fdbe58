//! graviola.

use super::Work;
use crate::case::{ASSOC, Case, IV, Op};
use graviola::{
    aead::{AesGcm, ChaCha20Poly1305},
    hashing::{Hash, Sha256, Sha384, Sha512, hmac::Hmac, sha3::Sha3_256Context},
};

/// Its way.
pub fn work(case: &Case, size: usize) -> Option<Work> {
    let nonce: &'static [u8; 12] = IV.first_chunk().expect("12 bytes");
    match case.parts() {
        ("gcm", _) => {
            let gcm = AesGcm::new(case.key());
            let sealed =
                (case.op == Op::Decrypt).then(|| sealed(size, |text, tag| gcm.encrypt(nonce, &ASSOC, text, tag)));
            Some(match sealed {
                None => Box::new(move |buf, out| {
                    gcm.encrypt(nonce, &ASSOC, &mut buf[..size], out.first_chunk_mut().expect("16 bytes"));
                }),
                Some(sealed) => Box::new(move |buf, _| {
                    buf[..size + 16].copy_from_slice(&sealed);
                    let (text, rest) = buf.split_at_mut(size);
                    gcm.decrypt(nonce, &ASSOC, text, &rest[..16]).expect("a sealed message");
                }),
            })
        }
        ("rfc7539", _) => {
            let aead = ChaCha20Poly1305::new(case.key().try_into().ok()?);
            let sealed =
                (case.op == Op::Decrypt).then(|| sealed(size, |text, tag| aead.encrypt(nonce, &ASSOC, text, tag)));
            Some(match sealed {
                None => Box::new(move |buf, out| {
                    aead.encrypt(nonce, &ASSOC, &mut buf[..size], out.first_chunk_mut().expect("16 bytes"));
                }),
                Some(sealed) => Box::new(move |buf, _| {
                    buf[..size + 16].copy_from_slice(&sealed);
                    let (text, rest) = buf.split_at_mut(size);
                    aead.decrypt(nonce, &ASSOC, text, &rest[..16]).expect("a sealed message");
                }),
            })
        }
        ("", "sha256") => digest::<Sha256>(size),
        ("", "sha384") => digest::<Sha384>(size),
        ("", "sha512") => digest::<Sha512>(size),
        ("", "sha3-256") => Some(Box::new(move |buf, out| {
            let mut sha3 = Sha3_256Context::new();
            sha3.update(&buf[..size]);
            out[..32].copy_from_slice(&sha3.finish());
        })),
        ("hmac", "sha256") => hmac::<Sha256>(case.key(), size),
        ("hmac", "sha512") => hmac::<Sha512>(case.key(), size),
        _ => None,
    }
}

/// A sealed message of `size` bytes and its tag.
fn sealed(size: usize, seal: impl Fn(&mut [u8], &mut [u8; 16])) -> Vec<u8> {
    let (mut text, mut tag) = (vec![7; size], [0; 16]);
    seal(&mut text, &mut tag);
    text.extend(tag);
    text
}

fn digest<H: Hash>(size: usize) -> Option<Work> {
    Some(Box::new(move |buf, out| {
        let digest = H::hash(&buf[..size]);
        out[..digest.as_ref().len()].copy_from_slice(digest.as_ref());
    }))
}

fn hmac<H: Hash + 'static>(key: &'static [u8], size: usize) -> Option<Work> {
    Some(Box::new(move |buf, out| {
        let mut hmac = Hmac::<H>::new(key);
        hmac.update(&buf[..size]);
        let tag = hmac.finish();
        out[..tag.as_ref().len()].copy_from_slice(tag.as_ref());
    }))
}
