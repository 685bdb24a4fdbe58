//! OpenSSL's libcrypto with its default and legacy providers.

use crate::{Aead, Direction, Hash, Library, Skcipher, split};
use openssl::{
    cipher::Cipher,
    cipher_ctx::CipherCtx,
    md::Md,
    md_ctx::MdCtx,
    pkey::{Id, PKey, Private},
    provider::Provider,
    symm,
};
use std::sync::OnceLock;

/// OpenSSL.
pub struct OpenSsl(());

impl OpenSsl {
    /// The library, with its legacy provider loaded.
    pub fn new() -> Self {
        static LEGACY: OnceLock<Provider> = OnceLock::new();
        LEGACY.get_or_init(|| {
            Provider::try_load(None, "legacy", true).expect("OpenSSL's legacy provider: install Debian's libssl3")
        });
        Self(())
    }
}

impl Default for OpenSsl {
    fn default() -> Self {
        Self::new()
    }
}

/// OpenSSL's name of a cipher with a mode.
fn cipher_name(mode: &str, cipher: &str, key_len: usize) -> Option<String> {
    let bits = 8 * key_len;
    let mode = mode.to_uppercase();
    let sized = |base: &str| Some(format!("{base}-{bits}-{mode}"));
    match (cipher, mode.as_str()) {
        ("aes", "XTS") => Some(format!("AES-{}-XTS", bits / 2)),
        ("aes", "ECB" | "CBC" | "CTR" | "CFB" | "OFB" | "GCM" | "CCM") => sized("AES"),
        ("arc4", "ECB") => Some("RC4".to_owned()),
        ("camellia", "ECB" | "CBC" | "CTR") => sized("CAMELLIA"),
        ("aria", "ECB" | "CBC" | "CTR" | "GCM" | "CCM") => sized("ARIA"),
        ("sm4", "ECB" | "CBC" | "CTR") => Some(format!("SM4-{mode}")),
        ("des", "ECB" | "CBC") => Some(format!("DES-{mode}")),
        ("des3_ede", "ECB" | "CBC") => Some(format!("DES-EDE3-{mode}")),
        ("cast5", "ECB" | "CBC") => Some(format!("CAST5-{mode}")),
        ("blowfish", "ECB" | "CBC") => Some(format!("BF-{mode}")),
        _ => None,
    }
}

fn fetch(name: &str, key_len: usize) -> Option<Cipher> {
    let cipher = Cipher::fetch(None, name, None).ok()?;
    let variable = ["CAST5", "BF", "RC4"].iter().any(|cipher| name.starts_with(cipher));
    (variable || cipher.key_length() == key_len).then_some(cipher)
}

/// A context set up for one message.
fn context(
    cipher: &Cipher,
    direction: Direction,
    key: &[u8],
    iv: &[u8],
    prepare: impl Fn(&mut CipherCtx),
) -> CipherCtx {
    let mut ctx = CipherCtx::new().expect("a context");
    let init = |ctx: &mut CipherCtx, cipher, key, iv| match direction {
        Direction::Encrypt => ctx.encrypt_init(cipher, key, iv),
        Direction::Decrypt => ctx.decrypt_init(cipher, key, iv),
    };
    init(&mut ctx, Some(cipher), None, None).expect("the cipher");
    if ctx.key_length() != key.len() {
        ctx.set_key_length(key.len()).expect("the key's length");
    }
    prepare(&mut ctx);
    init(&mut ctx, None, Some(key), (!iv.is_empty()).then_some(iv)).expect("key and IV");
    ctx.set_padding(false);
    ctx
}

/// Processes the whole text in one call.
fn update(ctx: &mut CipherCtx, text: &[u8]) -> Vec<u8> {
    let mut out = vec![0; text.len() + 64];
    let n = ctx.cipher_update(text, Some(&mut out)).expect("the text");
    let rest = ctx.cipher_final(&mut out[n..]).expect("the end");
    out.truncate(n + rest);
    out
}

impl Library for OpenSsl {
    fn name(&self) -> &'static str {
        "OpenSSL"
    }

    fn skcipher(&self, name: &str, key_len: usize) -> Option<Skcipher> {
        let evp = match split(name) {
            Some((mode @ ("ecb" | "cbc" | "ctr" | "cfb" | "ofb" | "xts"), cipher)) => {
                cipher_name(mode, cipher, key_len)?
            }
            None if name == "chacha20" => "ChaCha20".to_owned(),
            _ => return None,
        };
        let cipher = fetch(&evp, key_len)?;
        Some(Box::new(move |direction, key, iv, text| {
            if text.is_empty() {
                return Vec::new();
            }
            update(&mut context(&cipher, direction, key, iv, |_| ()), text)
        }))
    }

    fn aead(&self, name: &str, key_len: usize) -> Option<Aead> {
        let evp = match split(name) {
            Some((mode @ ("gcm" | "ccm"), cipher)) => cipher_name(mode, cipher, key_len)?,
            _ if name == "rfc7539(chacha20,poly1305)" => "ChaCha20-Poly1305".to_owned(),
            _ => return None,
        };
        let ccm = evp.ends_with("CCM");
        let cipher = fetch(&evp, key_len)?;
        Some(Box::new(move |key, iv, assoc, text, tag_len| {
            // The kernel's IV for CCM starts with the size of the length field less 1 and ends in that field.
            let iv = if ccm { &iv[1..15 - usize::from(iv[0])] } else { iv };
            let mut ctx = context(&cipher, Direction::Encrypt, key, iv, |ctx| {
                ctx.set_iv_length(iv.len()).expect("the IV's length");
                if ccm {
                    ctx.set_tag_length(tag_len).expect("the tag's length");
                }
            });
            if ccm {
                ctx.set_data_len(text.len()).expect("the text's length");
            }
            if !assoc.is_empty() {
                ctx.cipher_update(assoc, None).expect("associated data");
            }
            let mut out = update(&mut ctx, text);
            let mut tag = vec![0; tag_len];
            ctx.tag(&mut tag).expect("the tag");
            out.extend(tag);
            out
        }))
    }

    fn hash(&self, name: &str, key_len: usize) -> Option<Hash> {
        match split(name) {
            None if name == "poly1305" && key_len == 32 => Some(Box::new(|key, text| {
                mac(None, &PKey::private_key_from_raw_bytes(key, Id::POLY1305).expect("a Poly1305 key"), text)
            })),
            None if key_len == 0 => digest(name),
            Some(("hmac", inner)) if key_len > 0 => {
                let md = Md::fetch(None, digest_name(inner)?.0, None).expect("the digest of an HMAC");
                Some(Box::new(move |key, text| mac(Some(&md), &PKey::hmac(key).expect("an HMAC key"), text)))
            }
            Some(("cmac", inner)) => {
                let cipher = match (inner, key_len) {
                    ("aes", 16) => symm::Cipher::aes_128_cbc(),
                    ("aes", 24) => symm::Cipher::aes_192_cbc(),
                    ("aes", 32) => symm::Cipher::aes_256_cbc(),
                    ("sm4", 16) => symm::Cipher::sm4_cbc(),
                    ("des3_ede", 24) => symm::Cipher::des_ede3_cbc(),
                    _ => return None,
                };
                Some(Box::new(move |key, text| mac(None, &PKey::cmac(&cipher, key).expect("a CMAC key"), text)))
            }
            _ => None,
        }
    }
}

/// OpenSSL's name of a digest, and its length in bytes.
fn digest_name(name: &str) -> Option<(&'static str, usize)> {
    Some(match name {
        "md4" => ("MD4", 16),
        "md5" => ("MD5", 16),
        "sha1" => ("SHA1", 20),
        "sha224" => ("SHA2-224", 28),
        "sha256" => ("SHA2-256", 32),
        "sha384" => ("SHA2-384", 48),
        "sha512" => ("SHA2-512", 64),
        "sha512-224" => ("SHA2-512/224", 28),
        "sha512-256" => ("SHA2-512/256", 32),
        "sha3-224" => ("SHA3-224", 28),
        "sha3-256" => ("SHA3-256", 32),
        "sha3-384" => ("SHA3-384", 48),
        "sha3-512" => ("SHA3-512", 64),
        "blake2b-512" => ("BLAKE2B-512", 64),
        "blake2s-256" => ("BLAKE2S-256", 32),
        "rmd160" => ("RIPEMD-160", 20),
        "sm3" => ("SM3", 32),
        "wp512" => ("WHIRLPOOL", 64),
        "wp384" => ("WHIRLPOOL", 48),
        "wp256" => ("WHIRLPOOL", 32),
        _ => return None,
    })
}

fn digest(name: &str) -> Option<Hash> {
    let (evp, len) = digest_name(name)?;
    let md = Md::fetch(None, evp, None).expect("a digest of OpenSSL");
    Some(Box::new(move |_, text| {
        let mut ctx = MdCtx::new().expect("a context");
        let mut out = [0; 64];
        ctx.digest_init(&md).expect("the digest");
        ctx.digest_update(text).expect("the text");
        ctx.digest_final(&mut out).expect("the digest");
        out[..len].to_vec()
    }))
}

fn mac(md: Option<&Md>, key: &PKey<Private>, text: &[u8]) -> Vec<u8> {
    let mut ctx = MdCtx::new().expect("a context");
    ctx.digest_sign_init(md.map(|md| &**md), key).expect("the MAC");
    ctx.digest_sign_update(text).expect("the text");
    let mut out = Vec::new();
    ctx.digest_sign_final_to_vec(&mut out).expect("the tag");
    out
}
