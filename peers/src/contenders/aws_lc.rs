//! AWS-LC, through aws-lc-rs.

use aws_lc_rs::{
    cipher::{AES_128, AES_256, DecryptingKey, DecryptionContext, EncryptingKey, EncryptionContext, UnboundCipherKey},
    cmac,
    iv::FixedLength,
};
use peers_plugin::Iv;

super::ring::ring_like!(aws_lc_rs);

/// AWS-LC's implementation of a request.
pub fn work(request: &Request) -> Option<Work> {
    let &Request { key, op, size, .. } = request;
    let algorithm = match key.len() {
        16 => &AES_128,
        _ => &AES_256,
    };
    let unbound = || UnboundCipherKey::new(algorithm, key).expect("a key");
    if request.rekey && matches!(request.mode, "cbc" | "ctr") {
        let keyed = if request.mode == "cbc" { EncryptingKey::cbc } else { EncryptingKey::ctr };
        return Some(Work::one(move |iv, buf, _| {
            let key = UnboundCipherKey::new(algorithm, key).and_then(keyed).expect("a key");
            key.less_safe_encrypt(&mut buf[..size], iv128(iv)).is_ok()
        }));
    }
    match (request.mode, request.cipher, op) {
        ("ecb", "aes", Op::Encrypt) => Some(encrypt(EncryptingKey::ecb(unbound()).ok()?, no_iv, size)),
        ("ecb", "aes", _) => {
            let key = DecryptingKey::ecb(unbound()).ok()?;
            Some(Work::one(move |_, buf, _| key.decrypt(&mut buf[..size], DecryptionContext::None).is_ok()))
        }
        ("cbc", "aes", Op::Encrypt) => Some(encrypt(EncryptingKey::cbc(unbound()).ok()?, iv128, size)),
        ("cbc", "aes", _) => {
            let key = DecryptingKey::cbc(unbound()).ok()?;
            Some(Work::one(move |iv, buf, _| {
                key.decrypt(&mut buf[..size], DecryptionContext::Iv128(fixed(iv))).is_ok()
            }))
        }
        ("ctr", "aes", _) => Some(encrypt(EncryptingKey::ctr(unbound()).ok()?, iv128, size)),
        ("cmac", "aes", _) => {
            let key = cmac::Key::new(cmac::AES_128, key).ok()?;
            Some(Work::one(move |_, buf, out| cmac::sign_to_buffer(&key, &buf[..size], &mut out[..16]).is_ok()))
        }
        _ => ring_work(request),
    }
}

fn fixed(iv: &Iv) -> FixedLength<16> {
    FixedLength::from(iv.first_chunk().expect("16 of 32 bytes"))
}

fn iv128(iv: &Iv) -> EncryptionContext {
    EncryptionContext::Iv128(fixed(iv))
}

fn no_iv(_: &Iv) -> EncryptionContext {
    EncryptionContext::None
}

fn encrypt(key: EncryptingKey, context: fn(&Iv) -> EncryptionContext, size: usize) -> Work {
    Work::one(move |iv, buf, _| key.less_safe_encrypt(&mut buf[..size], context(iv)).is_ok())
}

fn digest_algorithm(name: &str) -> Option<&'static digest::Algorithm> {
    Some(match name {
        "sha1" => &digest::SHA1_FOR_LEGACY_USE_ONLY,
        "sha224" => &digest::SHA224,
        "sha256" => &digest::SHA256,
        "sha384" => &digest::SHA384,
        "sha512" => &digest::SHA512,
        "sha3-256" => &digest::SHA3_256,
        "sha3-512" => &digest::SHA3_512,
        _ => return None,
    })
}
