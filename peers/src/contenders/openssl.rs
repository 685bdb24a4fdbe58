//! OpenSSL, with contexts that are kept and fetched algorithms, as its manual advises for speed.

use super::{ROOM, Work};
use crate::case::{ASSOC, Case, IV, Op};
use openssl::{
    cipher::Cipher,
    cipher_ctx::CipherCtx,
    md::Md,
    md_ctx::MdCtx,
    pkey::{Id, PKey},
};

/// Its way.
pub fn work(case: &Case, size: usize) -> Option<Work> {
    let bits = case.key_bits;
    let aes = |mode: &str| format!("AES-{}-{mode}", if mode == "XTS" { bits / 2 } else { bits });
    match case.parts() {
        ("", "chacha20") => skcipher(case, "ChaCha20", size),
        (mode @ ("ecb" | "cbc" | "ctr" | "xts"), "aes") => skcipher(case, &aes(&mode.to_uppercase()), size),
        ("gcm", "aes") => aead(case, &aes("GCM"), 12, size),
        ("ccm", "aes") => aead(case, &aes("CCM"), 13, size),
        ("rfc7539", _) => aead(case, "ChaCha20-Poly1305", 12, size),
        ("hmac", inner) => mac(Some(digest_name(inner)?), PKey::hmac(case.key()), size),
        ("", "poly1305") => mac(None, PKey::private_key_from_raw_bytes(case.key(), Id::POLY1305), size),
        ("cmac", _) => mac(None, PKey::cmac(&openssl::symm::Cipher::aes_128_cbc(), case.key()), size),
        ("", name) => digest(digest_name(name)?, size),
        _ => None,
    }
}

fn init(
    ctx: &mut CipherCtx,
    op: Op,
    cipher: Option<&Cipher>,
    key: Option<&[u8]>,
    iv: Option<&[u8]>,
) -> Result<(), openssl::error::ErrorStack> {
    let cipher = cipher.map(|c| &**c);
    if op == Op::Encrypt { ctx.encrypt_init(cipher, key, iv) } else { ctx.decrypt_init(cipher, key, iv) }
}

fn skcipher(case: &Case, name: &str, size: usize) -> Option<Work> {
    let op = case.op;
    let cipher = Cipher::fetch(None, name, None).ok()?;
    let mut ctx = CipherCtx::new().expect("a context");
    init(&mut ctx, op, Some(&cipher), Some(case.key()), None).expect("the key");
    ctx.set_padding(false);
    let iv = (cipher.iv_length() > 0).then_some(&IV[..cipher.iv_length()]);
    Some(Box::new(move |buf, _| {
        init(&mut ctx, op, None, None, iv).expect("the IV");
        let n = ctx.cipher_update_inplace(&mut buf[..size + ROOM], size).expect("a message");
        assert_eq!(n, size);
    }))
}

fn aead(case: &Case, name: &str, nonce_len: usize, size: usize) -> Option<Work> {
    let cipher = Cipher::fetch(None, name, None).ok()?;
    let nonce = &IV[..nonce_len];
    let ccm = name.ends_with("CCM");
    let key = case.key();
    let context = |op| {
        let mut ctx = CipherCtx::new().expect("a context");
        init(&mut ctx, op, Some(&cipher), None, None).expect("the cipher");
        ctx.set_iv_length(nonce_len).expect("the nonce's length");
        if ccm {
            ctx.set_tag_length(16).expect("the tag's length");
        }
        init(&mut ctx, op, None, Some(key), None).expect("the key");
        ctx
    };
    let update = move |ctx: &mut CipherCtx, buf: &mut [u8]| {
        if ccm {
            ctx.set_data_len(size).expect("the length");
        }
        ctx.cipher_update(&ASSOC, None).expect("associated data");
        ctx.cipher_update_inplace(&mut buf[..size + ROOM], size).expect("a message");
    };
    let mut sealing = context(Op::Encrypt);
    let mut seal = move |buf: &mut [u8], tag: &mut [u8]| {
        init(&mut sealing, Op::Encrypt, None, None, Some(nonce)).expect("the nonce");
        update(&mut sealing, buf);
        sealing.cipher_final(&mut [0; 16]).expect("the end");
        sealing.tag(tag).expect("the tag");
    };
    if case.op == Op::Encrypt {
        return Some(Box::new(move |buf, out| seal(buf, &mut out[..16])));
    }
    let mut sealed = vec![7; size + ROOM];
    let mut tag = [0; 16];
    seal(&mut sealed, &mut tag);
    sealed[size..size + 16].copy_from_slice(&tag);
    let mut opening = context(Op::Decrypt);
    Some(Box::new(move |buf, _| {
        buf[..size + 16].copy_from_slice(&sealed[..size + 16]);
        let tag: [u8; 16] = buf[size..size + 16].try_into().expect("a tag");
        if ccm {
            opening.set_tag(&tag).expect("the tag");
        }
        init(&mut opening, Op::Decrypt, None, None, Some(nonce)).expect("the nonce");
        if !ccm {
            opening.set_tag(&tag).expect("the tag");
        }
        update(&mut opening, buf);
        if !ccm {
            opening.cipher_final(&mut [0; 16]).expect("a sealed message");
        }
    }))
}

fn digest_name(name: &str) -> Option<&'static str> {
    Some(match name {
        "sha1" => "SHA1",
        "sha224" => "SHA2-224",
        "sha256" => "SHA2-256",
        "sha384" => "SHA2-384",
        "sha512" => "SHA2-512",
        "sha3-256" => "SHA3-256",
        "sha3-512" => "SHA3-512",
        "blake2b-512" => "BLAKE2B-512",
        "blake2s-256" => "BLAKE2S-256",
        _ => return None,
    })
}

fn digest(name: &str, size: usize) -> Option<Work> {
    let md = Md::fetch(None, name, None).ok()?;
    let mut ctx = MdCtx::new().expect("a context");
    Some(Box::new(move |buf, out| {
        ctx.digest_init(&md).expect("the digest");
        ctx.digest_update(&buf[..size]).expect("a message");
        ctx.digest_final(out).expect("the digest");
    }))
}

fn mac(
    md: Option<&str>,
    key: Result<PKey<openssl::pkey::Private>, openssl::error::ErrorStack>,
    size: usize,
) -> Option<Work> {
    let md = md.map(|name| Md::fetch(None, name, None).expect("a digest"));
    let key = key.expect("a key");
    Some(Box::new(move |buf, out| {
        let mut ctx = MdCtx::new().expect("a context");
        ctx.digest_sign_init(md.as_deref(), &key).expect("the key");
        ctx.digest_sign_update(&buf[..size]).expect("a message");
        ctx.digest_sign_final(Some(out)).expect("the tag");
    }))
}
