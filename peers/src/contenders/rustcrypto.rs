//! The RustCrypto crates, with the backends that they choose by themselves.

use super::Work;
use crate::case::{ASSOC, Case, IV, Op};
use aes_gcm::aead::{
    AeadInOut,
    consts::{U13, U16},
};
use cipher::{
    Array, BlockCipherDecrypt, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt, BlockSizeUser, InnerIvInit,
    KeyInit, KeyIvInit, StreamCipher, StreamCipherCoreWrapper, StreamCipherSeek,
};
use ctr::{CtrCore, flavors::Ctr128BE};
use ghash::universal_hash::UniversalHash;
use hmac::Mac;
use sha2::Digest;

/// Its way.
pub fn work(case: &Case, size: usize) -> Option<Work> {
    let (op, key) = (case.op, case.key());
    match case.parts() {
        ("", "chacha20") => {
            let nonce = &IV[4..16];
            let block = u32::from_le_bytes(IV[..4].try_into().ok()?);
            Some(Box::new(move |buf, _| {
                let mut chacha = chacha20::ChaCha20::new_from_slices(key, nonce).expect("32 and 12 bytes");
                chacha.seek(u64::from(block) * 64);
                chacha.apply_keystream(&mut buf[..size]);
            }))
        }
        ("", "xchacha20") => Some(Box::new(move |buf, _| {
            let mut chacha = chacha20::XChaCha20::new_from_slices(key, &IV[..24]).expect("32 and 24 bytes");
            chacha.apply_keystream(&mut buf[..size]);
        })),
        ("", name) => digest_by_name(name, key, size),
        ("hmac", "sha1") => mac::<hmac::Hmac<sha1::Sha1>>(key, size),
        ("hmac", "sha256") => mac::<hmac::Hmac<sha2::Sha256>>(key, size),
        ("hmac", "sha512") => mac::<hmac::Hmac<sha2::Sha512>>(key, size),
        ("cmac", "aes") => mac::<cmac::Cmac<aes::Aes128>>(key, size),
        ("gcm", _) if case.key_bits == 128 => aead::<aes_gcm::Aes128Gcm>(op, key, &IV[..12], size),
        ("gcm", _) => aead::<aes_gcm::Aes256Gcm>(op, key, &IV[..12], size),
        ("ccm", _) => aead::<ccm::Ccm<aes::Aes128, U16, U13>>(op, key, &IV[..13], size),
        ("rfc7539", _) => aead::<chacha20poly1305::ChaCha20Poly1305>(op, key, &IV[..12], size),
        (mode, "serpent") => skcipher::<serpent::Serpent>(mode, op, key, size),
        (mode, "aes") => match if mode == "xts" { case.key_bits / 2 } else { case.key_bits } {
            128 => skcipher::<aes::Aes128>(mode, op, key, size),
            _ => skcipher::<aes::Aes256>(mode, op, key, size),
        },
        _ => None,
    }
}

fn skcipher<C>(mode: &str, op: Op, key: &'static [u8], size: usize) -> Option<Work>
where
    C: BlockCipherEncrypt + BlockCipherDecrypt + BlockSizeUser<BlockSize = U16> + KeyInit + 'static,
{
    let new = |key: &[u8]| C::new_from_slice(key).expect("a key");
    let iv: Array<u8, U16> = Array::try_from(&IV[..16]).expect("16 bytes");
    if mode == "xts" {
        let (data, tweak) = key.split_at(key.len() / 2);
        let xts = xts_mode::Xts128::new(new(data), new(tweak));
        return Some(match op {
            Op::Encrypt => Box::new(move |buf, _| xts.encrypt_sector(&mut buf[..size], iv)),
            _ => Box::new(move |buf, _| xts.decrypt_sector(&mut buf[..size], iv)),
        });
    }
    let cipher = new(key);
    fn blocks(buf: &mut [u8]) -> &mut [Array<u8, U16>] {
        Array::slice_as_chunks_mut(buf).0
    }
    Some(match (mode, op) {
        ("ecb", Op::Encrypt) => Box::new(move |buf, _| cipher.encrypt_blocks(blocks(&mut buf[..size]))),
        ("ecb", _) => Box::new(move |buf, _| cipher.decrypt_blocks(blocks(&mut buf[..size]))),
        ("cbc", Op::Encrypt) => Box::new(move |buf, _| {
            cbc::Encryptor::inner_iv_init(&cipher, &iv).encrypt_blocks(blocks(&mut buf[..size]));
        }),
        ("cbc", _) => Box::new(move |buf, _| {
            cbc::Decryptor::inner_iv_init(&cipher, &iv).decrypt_blocks(blocks(&mut buf[..size]));
        }),
        ("ctr", _) => Box::new(move |buf, _| {
            let core = CtrCore::<&C, Ctr128BE>::inner_iv_init(&cipher, &iv);
            StreamCipherCoreWrapper::from_core(core).apply_keystream(&mut buf[..size]);
        }),
        _ => return None,
    })
}

fn aead<A: AeadInOut + KeyInit + 'static>(op: Op, key: &[u8], nonce: &'static [u8], size: usize) -> Option<Work> {
    let aead = A::new_from_slice(key).expect("a key");
    let nonce = Array::try_from(nonce).expect("a nonce");
    if op == Op::Encrypt {
        return Some(Box::new(move |buf, out| {
            let tag = aead.encrypt_inout_detached(&nonce, &ASSOC, (&mut buf[..size]).into()).expect("a message");
            out[..16].copy_from_slice(&tag);
        }));
    }
    let mut sealed = vec![7; size];
    let tag = aead.encrypt_inout_detached(&nonce, &ASSOC, (&mut sealed[..]).into()).expect("a message");
    sealed.extend_from_slice(&tag);
    Some(Box::new(move |buf, _| {
        buf[..size + 16].copy_from_slice(&sealed);
        let (text, rest) = buf.split_at_mut(size);
        let tag = Array::try_from(&rest[..16]).expect("a tag");
        aead.decrypt_inout_detached(&nonce, &ASSOC, text.into(), &tag).expect("a sealed message");
    }))
}

fn mac<M: Mac + KeyInit + Clone + 'static>(key: &[u8], size: usize) -> Option<Work> {
    let fresh = M::new_from_slice(key).expect("a key");
    Some(Box::new(move |buf, out| {
        let mut mac = fresh.clone();
        mac.update(&buf[..size]);
        let tag = mac.finalize().into_bytes();
        out[..tag.len()].copy_from_slice(&tag);
    }))
}

fn digest<D: Digest + 'static>(size: usize) -> Option<Work> {
    Some(Box::new(move |buf, out| {
        let digest = D::digest(&buf[..size]);
        out[..digest.len()].copy_from_slice(&digest);
    }))
}

fn digest_by_name(name: &str, key: &'static [u8], size: usize) -> Option<Work> {
    match name {
        "sha1" => digest::<sha1::Sha1>(size),
        "sha224" => digest::<sha2::Sha224>(size),
        "sha256" => digest::<sha2::Sha256>(size),
        "sha384" => digest::<sha2::Sha384>(size),
        "sha512" => digest::<sha2::Sha512>(size),
        "sha3-256" => digest::<sha3::Sha3_256>(size),
        "sha3-512" => digest::<sha3::Sha3_512>(size),
        "blake2b-512" => digest::<blake2::Blake2b512>(size),
        "blake2s-256" => digest::<blake2::Blake2s256>(size),
        "poly1305" => Some(Box::new(move |buf, out| {
            let poly = poly1305::Poly1305::new_from_slice(key).expect("a key");
            out[..16].copy_from_slice(&poly.compute_unpadded(&buf[..size]));
        })),
        "ghash" => {
            let fresh = ghash::GHash::new_from_slice(key).expect("a key");
            Some(Box::new(move |buf, out| {
                let mut ghash = fresh.clone();
                ghash.update_padded(&buf[..size]);
                out[..16].copy_from_slice(&ghash.finalize());
            }))
        }
        _ => None,
    }
}
