//! ring, and AWS-LC, which has ring's interface.

/// The work of a library with ring's interface.
macro_rules! ring_like {
    ($library:ident) => {
        use super::Work;
        use crate::case::{ASSOC, Case, IV, Op};
        use $library::{aead, digest, hmac};

        /// Its way.
        pub fn work(case: &Case, size: usize) -> Option<Work> {
            let seal_or_open = |algorithm| Some(seal_or_open(case, algorithm, size));
            let tag = |algorithm| Some(tag(case, algorithm, size));
            match (case.name, case.key_bits) {
                ("gcm(aes)", 128) => seal_or_open(&aead::AES_128_GCM),
                ("gcm(aes)", 256) => seal_or_open(&aead::AES_256_GCM),
                ("rfc7539(chacha20,poly1305)", _) => seal_or_open(&aead::CHACHA20_POLY1305),
                ("hmac(sha1)", _) => tag(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY),
                ("hmac(sha256)", _) => tag(hmac::HMAC_SHA256),
                ("hmac(sha512)", _) => tag(hmac::HMAC_SHA512),
                (name, _) => {
                    let algorithm = digest_algorithm(name)?;
                    Some(Box::new(move |buf, out| {
                        let digest = digest::digest(algorithm, &buf[..size]);
                        out[..digest.as_ref().len()].copy_from_slice(digest.as_ref());
                    }))
                }
            }
        }

        fn tag(case: &Case, algorithm: hmac::Algorithm, size: usize) -> Work {
            let key = hmac::Key::new(algorithm, case.key());
            Box::new(move |buf, out| {
                let tag = hmac::sign(&key, &buf[..size]);
                out[..tag.as_ref().len()].copy_from_slice(tag.as_ref());
            })
        }

        fn seal_or_open(case: &Case, algorithm: &'static aead::Algorithm, size: usize) -> Work {
            let key = aead::LessSafeKey::new(aead::UnboundKey::new(algorithm, case.key()).expect("a key"));
            let nonce = || aead::Nonce::try_assume_unique_for_key(&IV[..12]).expect("12 bytes");
            if case.op == Op::Encrypt {
                return Box::new(move |buf, out| {
                    let sealed = key.seal_in_place_separate_tag(nonce(), aead::Aad::from(ASSOC), &mut buf[..size]);
                    out[..16].copy_from_slice(sealed.expect("a message").as_ref());
                });
            }
            let mut sealed = vec![7; size];
            key.seal_in_place_append_tag(nonce(), aead::Aad::from(ASSOC), &mut sealed).expect("a message");
            Box::new(move |buf, _| {
                buf[..size + 16].copy_from_slice(&sealed);
                key.open_in_place(nonce(), aead::Aad::from(ASSOC), &mut buf[..size + 16]).expect("a sealed message");
            })
        }
    };
}

#[cfg(feature = "aws-lc")]
pub(super) use ring_like;

ring_like!(ring);

fn digest_algorithm(name: &str) -> Option<&'static digest::Algorithm> {
    Some(match name {
        "sha1" => &digest::SHA1_FOR_LEGACY_USE_ONLY,
        "sha256" => &digest::SHA256,
        "sha384" => &digest::SHA384,
        "sha512" => &digest::SHA512,
        _ => return None,
    })
}
