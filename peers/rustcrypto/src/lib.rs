//! The RustCrypto crates, with the backends that they choose for themselves.

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
use peers_plugin::{Iv, Op, RawCase, RawWork, Request, Work};
use sha2::Digest;
use std::ffi::{CStr, c_char};

/// # Safety
///
/// The same as for [`peers_plugin::make`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn peer_make(case: *const RawCase, out: *mut RawWork) -> bool {
    // SAFETY: the preconditions are the same.
    unsafe { peers_plugin::make(work, case, out) }
}

/// The versions of the main crates.
pub const VERSION: &CStr = c"aes 0.9, aes-gcm 0.11, sha2 0.11";

/// The versions of the main crates, as a C string.
#[unsafe(no_mangle)]
pub extern "C" fn peer_version() -> *const c_char {
    VERSION.as_ptr()
}

/// RustCrypto's implementation of a request.
pub fn work(request: &Request) -> Option<Work> {
    let &Request { op, key, size, rekey, .. } = request;
    match (request.mode, request.cipher) {
        ("", "chacha20") => Some(Work::one(move |iv, buf, _| {
            let mut chacha = chacha20::ChaCha20::new_from_slices(key, &iv[4..16]).expect("32 and 12 bytes");
            chacha.seek(64_u64);
            chacha.apply_keystream(&mut buf[..size]);
            true
        })),
        ("", "xchacha20") => Some(Work::one(move |iv, buf, _| {
            let mut chacha = chacha20::XChaCha20::new_from_slices(key, &iv[..24]).expect("32 and 24 bytes");
            chacha.apply_keystream(&mut buf[..size]);
            true
        })),
        ("", name) => digest_by_name(name, key, size),
        ("hmac", "sha1") => mac::<hmac::Hmac<sha1::Sha1>>(key, size),
        ("hmac", "sha256") => mac::<hmac::Hmac<sha2::Sha256>>(key, size),
        ("hmac", "sha512") => mac::<hmac::Hmac<sha2::Sha512>>(key, size),
        ("cmac", "aes") if key.len() == 16 => mac::<cmac::Cmac<aes::Aes128>>(key, size),
        ("gcm", "aes") if key.len() == 16 => aead::<aes_gcm::Aes128Gcm>(request, 0),
        ("gcm", "aes") if key.len() == 32 => aead::<aes_gcm::Aes256Gcm>(request, 0),
        ("ccm", "aes") if key.len() == 16 => aead::<ccm::Ccm<aes::Aes128, U16, U13>>(request, 1),
        ("ccm", "aes") if key.len() == 32 => aead::<ccm::Ccm<aes::Aes256, U16, U13>>(request, 1),
        ("rfc7539", _) => aead::<chacha20poly1305::ChaCha20Poly1305>(request, 0),
        (mode, "serpent") => skcipher::<serpent::Serpent>(mode, op, key, size, rekey),
        (mode, "aes") => match if mode == "xts" { key.len() / 2 } else { key.len() } {
            16 => skcipher::<aes::Aes128>(mode, op, key, size, rekey),
            32 => skcipher::<aes::Aes256>(mode, op, key, size, rekey),
            _ => None,
        },
        _ => None,
    }
}

fn iv16(iv: &Iv) -> Array<u8, U16> {
    Array(*iv.first_chunk().expect("16 of 32 bytes"))
}

fn skcipher<C>(mode: &str, op: Op, key: &'static [u8], size: usize, rekey: bool) -> Option<Work>
where
    C: BlockCipherEncrypt + BlockCipherDecrypt + BlockSizeUser<BlockSize = U16> + KeyInit + 'static,
{
    let new = |key: &[u8]| C::new_from_slice(key).expect("a key");
    if mode == "xts" {
        let (data, tweak) = key.split_at(key.len() / 2);
        let xts = xts_mode::Xts128::new(new(data), new(tweak));
        if rekey {
            return Some(Work::one(move |iv, buf, _| {
                let (data, tweak) = key.split_at(key.len() / 2);
                let xts = xts_mode::Xts128::new(new(data), new(tweak));
                xts.encrypt_sector(&mut buf[..size], iv16(iv));
                true
            }));
        }
        return Some(Work::one(move |iv, buf, _| {
            match op {
                Op::Encrypt => xts.encrypt_sector(&mut buf[..size], iv16(iv)),
                _ => xts.decrypt_sector(&mut buf[..size], iv16(iv)),
            }
            true
        }));
    }
    let cipher = new(key);
    fn blocks(buf: &mut [u8]) -> &mut [Array<u8, U16>] {
        Array::slice_as_chunks_mut(buf).0
    }
    fn work<C: 'static>(
        cipher: C,
        size: usize,
        crypt: impl Fn(&C, Array<u8, U16>, &mut [u8]) + 'static,
    ) -> Option<Work> {
        Some(Work::one(move |iv, buf, _| {
            crypt(&cipher, iv16(iv), &mut buf[..size]);
            true
        }))
    }
    match (mode, op) {
        ("cbc", _) if rekey => Some(Work::one(move |iv, buf, _| {
            cbc::Encryptor::inner_iv_init(new(key), &iv16(iv)).encrypt_blocks(blocks(&mut buf[..size]));
            true
        })),
        ("ctr", _) if rekey => Some(Work::one(move |iv, buf, _| {
            let core = CtrCore::<C, Ctr128BE>::inner_iv_init(new(key), &iv16(iv));
            StreamCipherCoreWrapper::from_core(core).apply_keystream(&mut buf[..size]);
            true
        })),
        ("ecb", Op::Encrypt) => work(cipher, size, |cipher, _, buf| cipher.encrypt_blocks(blocks(buf))),
        ("ecb", _) => work(cipher, size, |cipher, _, buf| cipher.decrypt_blocks(blocks(buf))),
        ("cbc", Op::Encrypt) => work(cipher, size, |cipher, iv, buf| {
            cbc::Encryptor::inner_iv_init(cipher, &iv).encrypt_blocks(blocks(buf));
        }),
        ("cbc", _) => work(cipher, size, |cipher, iv, buf| {
            cbc::Decryptor::inner_iv_init(cipher, &iv).decrypt_blocks(blocks(buf));
        }),
        ("ctr", _) => work(cipher, size, |cipher, iv, buf| {
            let core = CtrCore::<&C, Ctr128BE>::inner_iv_init(cipher, &iv);
            StreamCipherCoreWrapper::from_core(core).apply_keystream(buf);
        }),
        _ => None,
    }
}

/// An AEAD whose nonce begins at byte `iv_at` of the IV.
fn aead<A: AeadInOut + KeyInit + 'static>(request: &Request, iv_at: usize) -> Option<Work> {
    let &Request { op, size, assoc, .. } = request;
    let &Request { key, rekey, .. } = request;
    let aead = A::new_from_slice(key).expect("a key");
    let nonce_len = Array::<u8, A::NonceSize>::default().len();
    Some(Work::one(move |iv, buf, out| {
        let nonce = Array::try_from(&iv[iv_at..iv_at + nonce_len]).expect("a nonce");
        let (text, rest) = buf.split_at_mut(size);
        if rekey {
            let aead = A::new_from_slice(key).expect("a key");
            let tag = aead.encrypt_inout_detached(&nonce, assoc, text.into()).expect("a message");
            out[..16].copy_from_slice(&tag);
            return true;
        }
        if op == Op::Encrypt {
            let tag = aead.encrypt_inout_detached(&nonce, assoc, text.into()).expect("a message");
            out[..16].copy_from_slice(&tag);
            return true;
        }
        let tag = Array::try_from(&rest[..16]).expect("a tag");
        aead.decrypt_inout_detached(&nonce, assoc, text.into(), &tag).is_ok()
    }))
}

fn mac<M: Mac + KeyInit + Clone + 'static>(key: &[u8], size: usize) -> Option<Work> {
    let fresh = M::new_from_slice(key).expect("a key");
    Some(Work::one(move |_, buf, out| {
        let mut mac = fresh.clone();
        mac.update(&buf[..size]);
        let tag = mac.finalize().into_bytes();
        out[..tag.len()].copy_from_slice(&tag);
        true
    }))
}

fn universal<H: UniversalHash + KeyInit + Clone + 'static>(key: &[u8], size: usize) -> Option<Work> {
    let fresh = H::new_from_slice(key).expect("a key");
    Some(Work::one(move |_, buf, out| {
        let mut hash = fresh.clone();
        hash.update_padded(&buf[..size]);
        out[..16].copy_from_slice(&hash.finalize());
        true
    }))
}

fn digest<D: Digest + 'static>(size: usize) -> Option<Work> {
    Some(Work::one(move |_, buf, out| {
        let digest = D::digest(&buf[..size]);
        out[..digest.len()].copy_from_slice(&digest);
        true
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
        "poly1305" => Some(Work::one(move |_, buf, out| {
            let poly = poly1305::Poly1305::new_from_slice(key).expect("a key");
            out[..16].copy_from_slice(&poly.compute_unpadded(&buf[..size]));
            true
        })),
        "ghash" => universal::<ghash::GHash>(key, size),
        "polyval" => universal::<polyval::Polyval>(key, size),
        _ => None,
    }
}
