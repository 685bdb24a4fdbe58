//! The kernel's constructions, built from a library's ciphers and hashes by their specifications.

use crate::{Aead, Direction, Hash, Library, Skcipher, split};

/// A cipher with a mode that `library` implements, or for which it has the parts.
pub fn skcipher(library: &dyn Library, name: &str, key_len: usize) -> Option<Skcipher> {
    if let Some(direct) = library.skcipher(name, key_len) {
        return Some(direct);
    }
    if name == "xchacha20" {
        return xchacha20(library, key_len);
    }
    let (base, arg) = split(name)?;
    match base {
        "rfc3686" => {
            let ctr = skcipher(library, arg, key_len.checked_sub(4)?)?;
            Some(Box::new(move |direction, key, iv, text| {
                let (key, nonce) = key.split_at(key.len() - 4);
                ctr(direction, key, &[nonce, iv, &[0, 0, 0, 1]].concat(), text)
            }))
        }
        "essiv" => {
            let (mode, hash_name) = arg.rsplit_once(',')?;
            let cbc = skcipher(library, mode, key_len)?;
            let essiv = Essiv::new(library, hash_name)?;
            Some(Box::new(move |direction, key, iv, text| cbc(direction, key, &essiv.iv(&[key], iv), text)))
        }
        "pcbc" => {
            let ecb = skcipher(library, &format!("ecb({arg})"), key_len)?;
            Some(Box::new(move |direction, key, iv, text| {
                let mut chain = iv.to_vec();
                let block = |input: &[u8]| {
                    let output = match direction {
                        Direction::Encrypt => ecb(direction, key, &[], &xor(input, &chain)),
                        Direction::Decrypt => xor(&ecb(direction, key, &[], input), &chain),
                    };
                    chain = xor(input, &output);
                    output
                };
                text.chunks(iv.len()).flat_map(block).collect()
            }))
        }
        _ => None,
    }
}

/// An AEAD that `library` implements, or for which it has the parts.
pub fn aead(library: &dyn Library, name: &str, key_len: usize) -> Option<Aead> {
    if let Some(direct) = library.aead(name, key_len) {
        return Some(direct);
    }
    let (base, arg) = split(name)?;
    match base {
        "rfc4106" => {
            let gcm = aead(library, arg, key_len.checked_sub(4)?)?;
            Some(Box::new(move |key, iv, assoc, text, tag_len| {
                let (key, salt) = key.split_at(key.len() - 4);
                gcm(key, &[salt, iv].concat(), &assoc[..assoc.len() - 8], text, tag_len)
            }))
        }
        "rfc4309" => {
            let ccm = aead(library, arg, key_len.checked_sub(3)?)?;
            Some(Box::new(move |key, iv, assoc, text, tag_len| {
                let (key, salt) = key.split_at(key.len() - 3);
                ccm(key, &[&[3], salt, iv, &[0; 4]].concat(), &assoc[..assoc.len() - 8], text, tag_len)
            }))
        }
        "rfc4543" => {
            let gcm = aead(library, arg, key_len.checked_sub(4)?)?;
            Some(Box::new(move |key, iv, assoc, text, tag_len| {
                let (key, salt) = key.split_at(key.len() - 4);
                let tag = gcm(key, &[salt, iv].concat(), &[assoc, text].concat(), &[], tag_len);
                [text, &tag].concat()
            }))
        }
        "rfc7539esp" => {
            let inner = aead(library, &format!("rfc7539({arg})"), key_len.checked_sub(4)?)?;
            Some(Box::new(move |key, iv, assoc, text, tag_len| {
                let (key, salt) = key.split_at(key.len() - 4);
                inner(key, &[salt, iv].concat(), &assoc[..assoc.len() - 8], text, tag_len)
            }))
        }
        "authenc" | "authencesn" => {
            let (mac_name, mode) = arg.split_once(',')?;
            let mac = hash(library, mac_name, AUTH_KEY)?;
            let cipher = skcipher(library, mode, key_len)?;
            let esn = base == "authencesn";
            Some(Box::new(move |key, iv, assoc, text, tag_len| {
                let (auth_key, enc_key) = split_authenc(key);
                let mut out = cipher(Direction::Encrypt, enc_key, iv, text);
                let mut tag = if esn {
                    // RFC 4303, 2.2.1: the high half of the sequence number comes last.
                    let (spi, high, low) = (&assoc[..4], &assoc[4..8], &assoc[8..]);
                    mac(auth_key, &[spi, low, &out, high].concat())
                } else {
                    mac(auth_key, &[assoc, &out].concat())
                };
                tag.truncate(tag_len);
                out.extend(tag);
                out
            }))
        }
        "essiv" => {
            let (mode, hash_name) = arg.rsplit_once(',')?;
            let inner = aead(library, mode, key_len)?;
            let essiv = Essiv::new(library, hash_name)?;
            Some(Box::new(move |key, iv, assoc, text, tag_len| {
                let (auth_key, enc_key) = split_authenc(key);
                let iv = essiv.iv(&[enc_key, auth_key], iv);
                let assoc = [&assoc[..assoc.len() - iv.len()], &iv].concat();
                inner(key, &iv, &assoc, text, tag_len)
            }))
        }
        _ => None,
    }
}

/// A hash that `library` implements, or for which it has the parts.
pub fn hash(library: &dyn Library, name: &str, key_len: usize) -> Option<Hash> {
    if let Some(direct) = library.hash(name, key_len) {
        return Some(direct);
    }
    let (base, arg) = split(name)?;
    let cbc = skcipher(library, &format!("cbc({arg})"), key_len).filter(|_| arg == "aes")?;
    let last = |text: Vec<u8>| text.last_chunk::<16>().copied().unwrap_or_default();
    match base {
        "cbcmac" => Some(Box::new(move |key, text| {
            let mut padded = text.to_vec();
            padded.resize(text.len().next_multiple_of(16), 0);
            last(cbc(Direction::Encrypt, key, &[0; 16], &padded)).to_vec()
        })),
        // XCBC by RFC 3566, for keys of 16 bytes.
        "xcbc" if key_len == 16 => Some(Box::new(move |key, text| {
            let subkey = |i: u8| cbc(Direction::Encrypt, key, &[0; 16], &[i; 16]);
            let mut padded = text.to_vec();
            let mask = if !text.is_empty() && text.len().is_multiple_of(16) {
                subkey(2)
            } else {
                padded.push(0x80);
                padded.resize(padded.len().next_multiple_of(16), 0);
                subkey(3)
            };
            let at = padded.len() - 16;
            let masked = xor(&padded[at..], &mask);
            padded[at..].copy_from_slice(&masked);
            last(cbc(Direction::Encrypt, &subkey(1), &[0; 16], &padded)).to_vec()
        })),
        _ => None,
    }
}

/// The length in bytes of the authentication key in cases for `authenc`.
pub const AUTH_KEY: usize = 20;

/// The two keys in the kernel's encoding for `authenc`: authentication key, then encryption key.
fn split_authenc(blob: &[u8]) -> (&[u8], &[u8]) {
    let (header, keys) = blob.split_first_chunk::<8>().expect("a header");
    assert_eq!(header[..4], [[8, 0], [1, 0]].concat(), "a little-endian rtattr header");
    let enc_len = u32::from_be_bytes(header[4..].try_into().expect("four bytes")) as usize;
    keys.split_at(keys.len() - enc_len)
}

/// ESSIV: the encryption of IVs by AES under a hash of the key.
struct Essiv {
    hash: Hash,
    ecb: Skcipher,
}

impl Essiv {
    fn new(library: &dyn Library, hash_name: &str) -> Option<Self> {
        Some(Self { hash: library.hash(hash_name, 0)?, ecb: library.skcipher("ecb(aes)", 32)? })
    }

    fn iv(&self, keys: &[&[u8]], iv: &[u8]) -> Vec<u8> {
        (self.ecb)(Direction::Encrypt, &(self.hash)(&[], &keys.concat()), &[], iv)
    }
}

/// XChaCha20 (draft-irtf-cfrg-xchacha). HChaCha20 is a block of ChaCha20 without the addition of the initial state,
/// restricted to the words of the constants and of the nonce.
fn xchacha20(library: &dyn Library, key_len: usize) -> Option<Skcipher> {
    let chacha = library.skcipher("chacha20", key_len)?;
    Some(Box::new(move |direction, key, iv, text| {
        // The kernel's IV: the 24-byte nonce, then a 64-bit block counter.
        let (nonce, counter) = iv.split_at(24);
        let block = chacha(Direction::Encrypt, key, &nonce[..16], &[0; 64]);
        let initial = [&b"expand 32-byte k"[..], &nonce[..16]].concat();
        let words = |bytes: &[u8]| -> Vec<u32> {
            bytes.chunks(4).map(|w| u32::from_le_bytes(w.try_into().expect("four bytes"))).collect()
        };
        let added = words(&[&block[..16], &block[48..]].concat());
        let subkey: Vec<u8> =
            added.iter().zip(words(&initial)).flat_map(|(a, b)| a.wrapping_sub(b).to_le_bytes()).collect();
        chacha(direction, &subkey, &[counter, &nonce[16..]].concat(), text)
    }))
}

fn xor(a: &[u8], b: &[u8]) -> Vec<u8> {
    a.iter().zip(b).map(|(a, b)| a ^ b).collect()
}
