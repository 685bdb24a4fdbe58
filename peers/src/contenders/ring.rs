//! ring, and those functions of AWS-LC that have ring's interface.

/// Defines the implementation of requests by a library with ring's interface.
macro_rules! ring_like {
    ($library:ident) => {
        use peers_plugin::{Op, Request, Work};
        use $library::{aead, digest, hmac};

        fn ring_work(request: &Request) -> Option<Work> {
            match (request.mode, request.cipher, request.key.len()) {
                ("gcm", "aes", 16) => Some(seal_or_open(request, &aead::AES_128_GCM)),
                ("gcm", "aes", 32) => Some(seal_or_open(request, &aead::AES_256_GCM)),
                ("rfc7539", _, _) => Some(seal_or_open(request, &aead::CHACHA20_POLY1305)),
                ("hmac", "sha1", _) => Some(tag(request, hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY)),
                ("hmac", "sha256", _) => Some(tag(request, hmac::HMAC_SHA256)),
                ("hmac", "sha512", _) => Some(tag(request, hmac::HMAC_SHA512)),
                ("", name, _) => {
                    let (algorithm, size) = (digest_algorithm(name)?, request.size);
                    Some(Work::one(move |_, buf, out| {
                        let digest = digest::digest(algorithm, &buf[..size]);
                        out[..digest.as_ref().len()].copy_from_slice(digest.as_ref());
                        true
                    }))
                }
                _ => None,
            }
        }

        fn tag(request: &Request, algorithm: hmac::Algorithm) -> Work {
            let (key, size) = (hmac::Key::new(algorithm, request.key), request.size);
            Work::one(move |_, buf, out| {
                let tag = hmac::sign(&key, &buf[..size]);
                out[..tag.as_ref().len()].copy_from_slice(tag.as_ref());
                true
            })
        }

        fn seal_or_open(request: &Request, algorithm: &'static aead::Algorithm) -> Work {
            let &Request { key, assoc, size, .. } = request;
            let key = aead::LessSafeKey::new(aead::UnboundKey::new(algorithm, key).expect("a key"));
            let nonce = |iv: &peers_plugin::Iv| aead::Nonce::try_assume_unique_for_key(&iv[..12]).expect("12 bytes");
            match request.op {
                _ if request.rekey => {
                    let key = request.key;
                    Work::one(move |iv, buf, out| {
                        let key = aead::LessSafeKey::new(aead::UnboundKey::new(algorithm, key).expect("a key"));
                        let sealed =
                            key.seal_in_place_separate_tag(nonce(iv), aead::Aad::from(assoc), &mut buf[..size]);
                        sealed.map(|tag| out[..16].copy_from_slice(tag.as_ref())).is_ok()
                    })
                }
                Op::Encrypt => Work::one(move |iv, buf, out| {
                    let sealed = key.seal_in_place_separate_tag(nonce(iv), aead::Aad::from(assoc), &mut buf[..size]);
                    sealed.map(|tag| out[..16].copy_from_slice(tag.as_ref())).is_ok()
                }),
                _ => Work::one(move |iv, buf, _| {
                    key.open_in_place(nonce(iv), aead::Aad::from(assoc), &mut buf[..size + 16]).is_ok()
                }),
            }
        }
    };
}
#[cfg(feature = "from-source")]
pub(super) use ring_like;

ring_like!(ring);

/// ring's implementation of a request.
pub fn work(request: &Request) -> Option<Work> {
    ring_work(request)
}

fn digest_algorithm(name: &str) -> Option<&'static digest::Algorithm> {
    Some(match name {
        "sha1" => &digest::SHA1_FOR_LEGACY_USE_ONLY,
        "sha256" => &digest::SHA256,
        "sha384" => &digest::SHA384,
        "sha512" => &digest::SHA512,
        _ => return None,
    })
}
