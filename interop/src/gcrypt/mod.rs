//! libgcrypt, for legacy ciphers and for algorithms with several digest lengths.

mod sys;

use crate::{Aead, Direction, Hash, Library, Skcipher, split};
use std::{
    ffi::{c_int, c_uint, c_void},
    ptr,
    sync::Once,
};

/// libgcrypt.
pub struct Gcrypt(());

impl Gcrypt {
    /// The library, initialized.
    pub fn new() -> Self {
        static INIT: Once = Once::new();
        // SAFETY: these calls are made once and before any other, in the order that the manual prescribes for
        // initializing the library.
        INIT.call_once(|| unsafe {
            assert!(!sys::gcry_check_version(c"1.10.0".as_ptr()).is_null(), "libgcrypt is older than 1.10");
            check(sys::gcry_control(sys::GCRYCTL_DISABLE_SECMEM, 0 as c_int));
            check(sys::gcry_control(sys::GCRYCTL_INITIALIZATION_FINISHED, 0 as c_int));
        });
        Self(())
    }
}

impl Default for Gcrypt {
    fn default() -> Self {
        Self::new()
    }
}

#[track_caller]
fn check(error: c_uint) {
    assert_eq!(error & 0xffff, 0, "libgcrypt's error code");
}

fn bytes(slice: &[u8]) -> *const c_void {
    slice.as_ptr().cast()
}

fn bytes_mut(slice: &mut [u8]) -> *mut c_void {
    slice.as_mut_ptr().cast()
}

/// A cipher with its mode, key and IV set.
struct Cipher(*mut sys::CipherHandle);

impl Cipher {
    fn open(algo: c_int, mode: c_int, flags: c_uint, key: &[u8]) -> Self {
        let mut handle = ptr::null_mut();
        // SAFETY: open writes `handle`, and `key` is a slice passed with its length.
        unsafe {
            check(sys::gcry_cipher_open(&mut handle, algo, mode, flags));
            // The library reports weak keys of DES and Blowfish, and sets them all the same if it is told to.
            check(sys::gcry_cipher_ctl(handle, sys::GCRYCTL_SET_ALLOW_WEAK_KEY, ptr::null_mut(), 1));
            let weak_key = 43;
            let error = sys::gcry_cipher_setkey(handle, bytes(key), key.len());
            assert!([0, weak_key].contains(&(error & 0xffff)), "the key");
        }
        Self(handle)
    }

    fn iv(self, iv: &[u8]) -> Self {
        // SAFETY: the handle is open, and `iv` is a slice passed with its length.
        check(unsafe { sys::gcry_cipher_setiv(self.0, bytes(iv), iv.len()) });
        self
    }

    fn counter(self, counter: &[u8]) -> Self {
        // SAFETY: the handle is open, and `counter` is a slice passed with its length.
        check(unsafe { sys::gcry_cipher_setctr(self.0, bytes(counter), counter.len()) });
        self
    }

    fn ccm_lengths(self, text: usize, assoc: usize, tag: usize) -> Self {
        let mut lengths = [text as u64, assoc as u64, tag as u64];
        let size = size_of_val(&lengths);
        // SAFETY: the handle is open, and this control reads three 64-bit numbers, which `lengths` has.
        check(unsafe { sys::gcry_cipher_ctl(self.0, sys::GCRYCTL_SET_CCM_LENGTHS, lengths.as_mut_ptr().cast(), size) });
        self
    }

    fn crypt(&self, direction: Direction, text: &[u8]) -> Vec<u8> {
        let mut out = vec![0; text.len()];
        let f = match direction {
            Direction::Encrypt => sys::gcry_cipher_encrypt,
            Direction::Decrypt => sys::gcry_cipher_decrypt,
        };
        // SAFETY: the handle is open, and both slices are passed with their lengths.
        check(unsafe { f(self.0, bytes_mut(&mut out), out.len(), bytes(text), text.len()) });
        out
    }

    fn seal(&self, assoc: &[u8], text: &[u8], tag_len: usize) -> Vec<u8> {
        // SAFETY: the handle is open, and `assoc` is a slice passed with its length.
        check(unsafe { sys::gcry_cipher_authenticate(self.0, bytes(assoc), assoc.len()) });
        let mut out = self.crypt(Direction::Encrypt, text);
        let mut tag = vec![0; tag_len];
        // SAFETY: the handle is open, and `tag` is a slice passed with its length.
        check(unsafe { sys::gcry_cipher_gettag(self.0, bytes_mut(&mut tag), tag.len()) });
        out.extend(tag);
        out
    }
}

impl Drop for Cipher {
    fn drop(&mut self) {
        // SAFETY: the handle is open, and only this function closes it.
        unsafe { sys::gcry_cipher_close(self.0) }
    }
}

/// The digest of `text`, under `key` if there is one.
fn digest(algo: c_int, key: &[u8], text: &[u8], len: usize) -> Vec<u8> {
    let mut handle = ptr::null_mut();
    // SAFETY: the handle is open between open and close, and slices are passed with their lengths. `gcry_md_read`
    // returns a buffer inside the handle with at least the bytes of the digest.
    unsafe {
        check(sys::gcry_md_open(&mut handle, algo, 0));
        if !key.is_empty() {
            check(sys::gcry_md_setkey(handle, bytes(key), key.len()));
        }
        sys::gcry_md_write(handle, bytes(text), text.len());
        let out = std::slice::from_raw_parts(sys::gcry_md_read(handle, 0), len).to_vec();
        sys::gcry_md_close(handle);
        out
    }
}

/// The MAC of `text`.
fn mac(algo: c_int, key: &[u8], text: &[u8], len: usize) -> Vec<u8> {
    let mut handle = ptr::null_mut();
    let (mut out, mut out_len) = (vec![0; len], len);
    // SAFETY: the handle is open between open and close, and slices are passed with their lengths.
    unsafe {
        check(sys::gcry_mac_open(&mut handle, algo, 0, ptr::null_mut()));
        check(sys::gcry_mac_setkey(handle, bytes(key), key.len()));
        check(sys::gcry_mac_write(handle, bytes(text), text.len()));
        check(sys::gcry_mac_read(handle, bytes_mut(&mut out), &mut out_len));
        sys::gcry_mac_close(handle);
    }
    assert_eq!(out_len, len);
    out
}

/// `enum gcry_cipher_algos`.
fn cipher_number(cipher: &str, key_len: usize) -> Option<c_int> {
    Some(match (cipher, key_len) {
        ("aes", 16) => 7,
        ("aes", 24) => 8,
        ("aes", 32) => 9,
        ("serpent", 16) => 304,
        ("serpent", 24) => 305,
        ("serpent", 32) => 306,
        ("twofish", 16) => 303,
        ("twofish", 32) => 10,
        ("camellia", 16) => 310,
        ("camellia", 24) => 311,
        ("camellia", 32) => 312,
        ("sm4", 16) => 318,
        ("des3_ede", 24) => 2,
        ("des", 8) => 302,
        ("cast5", 16) => 3,
        ("blowfish", 16) => 4,
        _ => return None,
    })
}

/// `enum gcry_cipher_modes`.
fn mode_number(mode: &str) -> Option<c_int> {
    Some(match mode {
        "ecb" => 1,
        "cbc" => 3,
        "ctr" => 6,
        "ccm" => 8,
        "gcm" => 9,
        "xts" => 13,
        _ => return None,
    })
}

const STREAM: c_int = 4;
const CHACHA20: c_int = 316;
const CHACHA20_POLY1305: c_int = 10;
const MAC_POLY1305: c_int = 501;

/// The number in `enum gcry_md_algos`, and the length of the digest in bytes.
fn digest_number(name: &str) -> Option<(c_int, usize)> {
    Some(match name {
        "md5" => (1, 16),
        "sha1" => (2, 20),
        "rmd160" => (3, 20),
        "sha256" => (8, 32),
        "sha384" => (9, 48),
        "sha512" => (10, 64),
        "sha224" => (11, 28),
        "wp512" => (305, 64),
        "wp384" => (305, 48),
        "wp256" => (305, 32),
        "streebog256" => (309, 32),
        "streebog512" => (310, 64),
        "sha3-224" => (312, 28),
        "sha3-256" => (313, 32),
        "sha3-384" => (314, 48),
        "sha3-512" => (315, 64),
        "blake2b-512" => (318, 64),
        "blake2b-384" => (319, 48),
        "blake2b-256" => (320, 32),
        "blake2b-160" => (321, 20),
        "blake2s-256" => (322, 32),
        "blake2s-224" => (323, 28),
        "blake2s-160" => (324, 20),
        "blake2s-128" => (325, 16),
        "sm3" => (326, 32),
        "sha512-256" => (327, 32),
        "sha512-224" => (328, 28),
        _ => return None,
    })
}

/// The HMACs of `enum gcry_mac_algos`.
fn hmac_number(name: &str) -> Option<c_int> {
    Some(match name {
        "sha256" => 101,
        "sha224" => 102,
        "sha512" => 103,
        "sha384" => 104,
        "sha1" => 105,
        "md5" => 106,
        "rmd160" => 108,
        "streebog256" => 112,
        "streebog512" => 113,
        "sha3-224" => 115,
        "sha3-256" => 116,
        "sha3-384" => 117,
        "sha3-512" => 118,
        "sm3" => 128,
        _ => return None,
    })
}

/// The number of a CMAC in `enum gcry_mac_algos`, and the block size in bytes.
fn cmac_number(name: &str) -> Option<(c_int, usize)> {
    Some(match name {
        "aes" => (201, 16),
        "des3_ede" => (202, 8),
        "sm4" => (212, 16),
        _ => return None,
    })
}

const CRC32: c_int = 302;
const CRC32_POLYNOMIAL: u32 = 0xedb8_8320;

/// The kernel's `crc32`, whose key is the initial register, by means of the CRC-32 of ISO 3309, whose initial register
/// is all ones and whose result is complemented.
///
/// Four bytes before the message can change the register from any value to any other. Stepping the register back over
/// 32 bits from the wanted value gives the sum of all ones and those bytes.
fn crc32(key: &[u8], text: &[u8]) -> Vec<u8> {
    let seed = key.try_into().map_or(0, u32::from_le_bytes);
    let before =
        (0..32).fold(
            seed,
            |register, _| {
                if register >> 31 == 1 { (register ^ CRC32_POLYNOMIAL) << 1 | 1 } else { register << 1 }
            },
        );
    let message = [&(!before).to_le_bytes(), text].concat();
    let big_endian = digest(CRC32, &[], &message, 4);
    big_endian.iter().rev().map(|byte| !byte).collect()
}

impl Library for Gcrypt {
    fn name(&self) -> &'static str {
        "libgcrypt"
    }

    fn skcipher(&self, name: &str, key_len: usize) -> Option<Skcipher> {
        if name == "chacha20" {
            return (key_len == 32).then_some(Box::new(|direction, key, iv, text| {
                Cipher::open(CHACHA20, STREAM, 0, key).iv(iv).crypt(direction, text)
            }));
        }
        let (mode, cipher) = split(name)?;
        if mode == "cts" {
            let algo = cipher_number(cipher.strip_prefix("cbc(")?.strip_suffix(')')?, key_len)?;
            return Some(Box::new(move |direction, key, iv, text| {
                let flags = if text.len() > iv.len() { sys::GCRY_CIPHER_CBC_CTS } else { 0 };
                Cipher::open(algo, 3, flags, key).iv(iv).crypt(direction, text)
            }));
        }
        let mode_number = mode_number(mode).filter(|_| matches!(mode, "ecb" | "cbc" | "ctr" | "xts"))?;
        let keys = if mode == "xts" { 2 } else { 1 };
        let algo = cipher_number(cipher, key_len / keys).filter(|_| key_len.is_multiple_of(keys))?;
        let ctr = mode == "ctr";
        Some(Box::new(move |direction, key, iv, text| {
            let open = Cipher::open(algo, mode_number, 0, key);
            let ready = match (iv, ctr) {
                ([], _) => open,
                (counter, true) => open.counter(counter),
                (iv, false) => open.iv(iv),
            };
            ready.crypt(direction, text)
        }))
    }

    fn aead(&self, name: &str, key_len: usize) -> Option<Aead> {
        if name == "rfc7539(chacha20,poly1305)" {
            return (key_len == 32).then_some(Box::new(|key, iv, assoc, text, tag_len| {
                Cipher::open(CHACHA20, CHACHA20_POLY1305, 0, key).iv(iv).seal(assoc, text, tag_len)
            }));
        }
        let (mode, cipher) = split(name)?;
        let (algo, number) = (cipher_number(cipher, key_len)?, mode_number(mode)?);
        match mode {
            "gcm" => Some(Box::new(move |key, iv, assoc, text, tag_len| {
                Cipher::open(algo, number, 0, key).iv(iv).seal(assoc, text, tag_len)
            })),
            "ccm" => Some(Box::new(move |key, iv, assoc, text, tag_len| {
                let nonce = &iv[1..15 - usize::from(iv[0])];
                let cipher = Cipher::open(algo, number, 0, key).iv(nonce);
                cipher.ccm_lengths(text.len(), assoc.len(), tag_len).seal(assoc, text, tag_len)
            })),
            _ => None,
        }
    }

    fn hash(&self, name: &str, key_len: usize) -> Option<Hash> {
        match split(name) {
            None if name == "crc32" => Some(Box::new(crc32)),
            None if name == "poly1305" && key_len == 32 => Some(Box::new(|key, text| mac(MAC_POLY1305, key, text, 16))),
            None if key_len == 0 || name.starts_with("blake2") => {
                let (algo, len) = digest_number(name)?;
                Some(Box::new(move |key, text| digest(algo, key, text, len)))
            }
            Some(("hmac", inner)) => {
                let (algo, len) = (hmac_number(inner)?, digest_number(inner)?.1);
                Some(Box::new(move |key, text| mac(algo, key, text, len)))
            }
            Some(("cmac", inner)) => {
                cipher_number(inner, key_len)?;
                let (algo, len) = cmac_number(inner)?;
                Some(Box::new(move |key, text| mac(algo, key, text, len)))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openssl::OpenSsl;

    #[test]
    fn a_weak_key_of_blowfish_is_set() {
        // The schedule of this key has the same word twice in an S-box.
        let key = 0x8cad_58b0_fc6a_9019_cb45_21bf_c2ae_f680_u128.to_be_bytes();
        let encrypt = |library: &dyn Library| {
            let ecb = library.skcipher("ecb(blowfish)", key.len()).expect("both libraries have Blowfish");
            ecb(Direction::Encrypt, &key, &[], &[0x5a; 32])
        };
        assert_eq!(encrypt(&Gcrypt::new()), encrypt(&OpenSsl::new()));
    }
}
