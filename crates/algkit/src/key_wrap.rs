//! Key wrapping: KW and KWP of SP 800-38F (RFC 3394, RFC 5649), over a cipher with blocks of 16 bytes.
//!
//! A wrapped key is longer than the key by one word of 8 bytes. That word comes first, and each function takes or returns it
//! apart from the rest. `kw(aes)` is KW with the interface of the kernel.
//!
//! ```
//! # #[cfg(feature = "aes")] {
//! use algkit::{Direction::Encrypt, key_wrap};
//!
//! let aes = algkit::cipher("aes")?.key(&[1; 32])?;
//! let (mut key, len) = ([2; 24], 20);
//! let word = key_wrap::wrap_padded(&aes, Encrypt, key_wrap::PADDED_IV, &mut key, len)?;
//! assert_eq!(key_wrap::unwrap_padded(&aes, Encrypt, key_wrap::PADDED_IV, word, &mut key)?, 20);
//! assert_eq!(key[..20], [2; 20]);
//! # }
//! # Ok::<(), algkit::Error>(())
//! ```
//!
//! `forward` is the direction of the cipher that wraps. It is [`Direction::Encrypt`] unless the peer has chosen the
//! cipher's inverse (SP 800-38F, section 5.1).

use crate::{Cipher, Direction, Error, blockwise::xor, wiped::Wiped};
use subtle::{ConstantTimeEq, ConstantTimeLess};
use zeroize::Zeroize;

/// The length of a word in bytes.
pub(crate) const WORD: usize = 8;

/// The IV of KW (RFC 3394, section 2.2.3.1).
pub const IV: [u8; WORD] = [0xa6; WORD];

/// The first half of KWP's IV, whose second half is the length of the key (RFC 5649, section 3).
pub const PADDED_IV: [u8; 4] = [0xa6, 0x59, 0x59, 0xa6];

/// Wraps a key of at least two whole words; returns the word that stands before it.
///
/// # Errors
/// [`Error::TextLength`] for a key of another length.
pub fn wrap(cipher: &Cipher, forward: Direction, iv: [u8; WORD], key: &mut [u8]) -> Result<[u8; WORD], Error> {
    check(cipher, key, 2)?;
    let mut shared = iv;
    wrap_words(|block| crypt(cipher, forward, block), &mut shared, key);
    Ok(shared)
}

/// Unwraps a key. One that is not authentic is wiped.
///
/// # Errors
/// [`Error::TextLength`] for a length that [`wrap`] does not take, [`Error::Authentication`].
pub fn unwrap(
    cipher: &Cipher,
    forward: Direction,
    iv: [u8; WORD],
    word: [u8; WORD],
    key: &mut [u8],
) -> Result<(), Error> {
    check(cipher, key, 2)?;
    let mut shared = word;
    unwrap_words(|block| crypt(cipher, inverse(forward), block), &mut shared, key);
    if bool::from(shared.ct_eq(&iv)) {
        return Ok(());
    }
    key.zeroize();
    Err(Error::Authentication)
}

/// Wraps the first `len` bytes of `key`, which has room for whole words and no more; returns the word that stands before
/// them.
///
/// # Errors
/// [`Error::TextLength`] if `key` has another length, or there is nothing to wrap.
pub fn wrap_padded(
    cipher: &Cipher,
    forward: Direction,
    iv: [u8; 4],
    key: &mut [u8],
    len: usize,
) -> Result<[u8; WORD], Error> {
    check(cipher, key, 1)?;
    let number = u32::try_from(len).ok().filter(|_| len.div_ceil(WORD) == key.len() / WORD);
    let number = number.ok_or_else(|| length(cipher, len))?;
    key[len..].fill(0);
    let mut shared = [0; WORD];
    shared[..4].copy_from_slice(&iv);
    shared[4..].copy_from_slice(&number.to_be_bytes());
    if key.len() > WORD {
        return wrap(cipher, forward, shared, key);
    }
    one_block(|block| crypt(cipher, forward, block), &mut shared, key);
    Ok(shared)
}

/// Unwraps a key and finds its length. One that is not authentic is wiped.
///
/// # Errors
/// [`Error::TextLength`] for a length that [`wrap_padded`] does not take, [`Error::Authentication`].
pub fn unwrap_padded(
    cipher: &Cipher,
    forward: Direction,
    iv: [u8; 4],
    word: [u8; WORD],
    key: &mut [u8],
) -> Result<usize, Error> {
    check(cipher, key, 1)?;
    let mut shared = word;
    let back = |block: &mut [u8; 2 * WORD]| crypt(cipher, inverse(forward), block);
    if key.len() > WORD {
        unwrap_words(back, &mut shared, key);
    } else {
        one_block(back, &mut shared, key);
    }
    let (start, number) = shared.split_at(4);
    let len = u32::from_be_bytes(number.try_into().expect("4 bytes")) as usize;
    // The padding lies in the last word. Its length is a secret until the whole was found to be authentic.
    let pad = (key.len() as u64).wrapping_sub(len as u64);
    let mut good = start.ct_eq(&iv) & pad.ct_lt(&(WORD as u64));
    for (at, byte) in (0..WORD as u64).zip(key.iter().rev()) {
        good &= byte.ct_eq(&0) | !at.ct_lt(&pad);
    }
    if bool::from(good) {
        return Ok(len);
    }
    key.zeroize();
    Err(Error::Authentication)
}

fn check(cipher: &Cipher, key: &[u8], least: usize) -> Result<(), Error> {
    let driver = cipher.driver();
    if driver.shape.blocksize != 2 * WORD {
        let reason = "key wrapping needs a cipher with blocks of 16 bytes".into();
        return Err(Error::BadParameters { name: driver.name.clone(), reason });
    }
    let fits = key.len().is_multiple_of(WORD) && key.len() >= least * WORD;
    if fits { Ok(()) } else { Err(length(cipher, key.len())) }
}

fn length(cipher: &Cipher, got: usize) -> Error {
    let want = format!("whole words of {WORD} bytes, which the key fills");
    Error::TextLength { name: cipher.driver().name.clone(), got: got as u64, want }
}

fn inverse(direction: Direction) -> Direction {
    match direction {
        Direction::Encrypt => Direction::Decrypt,
        Direction::Decrypt => Direction::Encrypt,
    }
}

fn crypt(cipher: &Cipher, direction: Direction, block: &mut [u8; 2 * WORD]) {
    let done = match direction {
        Direction::Encrypt => cipher.encrypt(&mut block[..]),
        Direction::Decrypt => cipher.decrypt(&mut block[..]),
    };
    done.expect("it is a whole block");
}

/// A key of one word is encrypted together with the IV.
fn one_block(block: impl Fn(&mut [u8; 2 * WORD]), shared: &mut [u8], word: &mut [u8]) {
    let mut both = Wiped::<{ 2 * WORD }>::default();
    both[..WORD].copy_from_slice(shared);
    both[WORD..].copy_from_slice(word);
    block(&mut both);
    shared.copy_from_slice(&both[..WORD]);
    word.copy_from_slice(&both[WORD..]);
}

/// Six rounds of steps *t*: each encrypts the shared word together with one word of the key, and XORs *t* onto the
/// shared word.
pub(crate) fn wrap_words(block: impl Fn(&mut [u8; 2 * WORD]), shared: &mut [u8], words: &mut [u8]) {
    let mut t = 0u64;
    for _ in 0..6 {
        for word in words.chunks_exact_mut(WORD) {
            t += 1;
            one_block(&block, shared, word);
            xor(shared, &t.to_be_bytes());
        }
    }
}

/// Undoes [`wrap_words`].
pub(crate) fn unwrap_words(block: impl Fn(&mut [u8; 2 * WORD]), shared: &mut [u8], words: &mut [u8]) {
    let mut t = 6 * (words.len() / WORD) as u64;
    for _ in 0..6 {
        for word in words.chunks_exact_mut(WORD).rev() {
            xor(shared, &t.to_be_bytes());
            t -= 1;
            one_block(&block, shared, word);
        }
    }
}

#[cfg(all(test, feature = "aes"))]
mod tests {
    use super::*;
    use hex_literal::hex;

    fn aes(key: &[u8]) -> Cipher {
        crate::cipher("aes").unwrap().key(key).unwrap()
    }

    /// RFC 3394, section 4.6, and with the cipher's inverse what OpenSSL 3.0's AES-256-WRAP-INV makes of the same.
    #[test]
    fn kw() {
        let aes = aes(&hex!("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"));
        let plain = hex!("00112233445566778899aabbccddeeff000102030405060708090a0b0c0d0e0f");
        for (forward, wrapped) in [
            (
                Direction::Encrypt,
                hex!("28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21"),
            ),
            (
                Direction::Decrypt,
                hex!("cba01acbdb4c7c39fa59babb383c485f318837208731a81c735b5be6ba710375a1159e26a9b57228"),
            ),
        ] {
            let mut key = plain;
            let word = wrap(&aes, forward, IV, &mut key).unwrap();
            assert_eq!((&word[..], &key[..]), wrapped.split_at(WORD));
            unwrap(&aes, forward, IV, word, &mut key).unwrap();
            assert_eq!(key, plain);
            key[31] ^= 1;
            assert_eq!(unwrap(&aes, forward, IV, word, &mut key), Err(Error::Authentication));
            assert_eq!(key, [0; 32], "wiped");
        }
        for len in [0, 8, 15, 17] {
            let refused = |done| assert!(matches!(done, Err(Error::TextLength { .. })), "{len} bytes");
            refused(wrap(&aes, Direction::Encrypt, IV, &mut { plain }[..len]).map(drop));
            refused(unwrap(&aes, Direction::Encrypt, IV, IV, &mut { plain }[..len]));
        }
    }

    /// RFC 5649, section 6: keys of 20 bytes and of 7.
    #[test]
    fn kwp() {
        let aes = aes(&hex!("5840df6e29b02af1ab493b705bf16ea1ae8338f4dcc176a8"));
        let twenty = hex!("c37b7e6492584340bed12207808941155068f738");
        let wrapped = hex!("138bdeaa9b8fa7fc61f97742e72248ee5ae6ae5360d1ae6a5f54f373fa543b6a");
        for (plain, wrapped) in
            [(&twenty[..], &wrapped[..]), (&hex!("466f7250617369"), &hex!("afbeb0f07dfbf5419200f2ccb50bb24f"))]
        {
            let mut key = plain.to_vec();
            key.resize(wrapped.len() - WORD, 0x55);
            let word = wrap_padded(&aes, Direction::Encrypt, PADDED_IV, &mut key, plain.len()).unwrap();
            assert_eq!((&word[..], &key[..]), wrapped.split_at(WORD));
            let len = unwrap_padded(&aes, Direction::Encrypt, PADDED_IV, word, &mut key).unwrap();
            assert_eq!(&key[..len], plain);
        }
        for (room, len) in [(8, 0), (8, 9), (16, 8), (16, 17), (15, 15), (0, 0)] {
            assert!(wrap_padded(&aes, Direction::Encrypt, PADDED_IV, &mut [1; 20][..room], len).is_err());
        }
    }

    /// Keys around 256 bytes, against RustCrypto's KWP.
    #[test]
    fn kwp_of_long_keys() {
        use ::aes::cipher::KeyInit;
        let (aes, peer) = (aes(&[3; 32]), aes_kw::KwpAes256::new(&[3; 32].into()));
        for len in 240..=300usize {
            let plain: Vec<u8> = (0..len).map(|i| i as u8).collect();
            let mut wrapped = [0; 312];
            let wrapped = peer.wrap_key(&plain, &mut wrapped).unwrap();
            let mut key = plain.clone();
            key.resize(len.next_multiple_of(WORD), 0x55);
            let word = wrap_padded(&aes, Direction::Encrypt, PADDED_IV, &mut key, len).unwrap();
            assert_eq!((&word[..], &key[..]), wrapped.split_at(WORD), "{len} bytes");
            assert_eq!(unwrap_padded(&aes, Direction::Encrypt, PADDED_IV, word, &mut key), Ok(len));
            assert_eq!(key[..len], plain);
        }
    }

    /// Lengths and padding that nobody wraps, made by KW with an IV of choice.
    #[test]
    fn wrong_padding() {
        let aes = aes(&[1; 16]);
        for (len, last, good) in
            [(16, 7, true), (15, 0, true), (15, 7, false), (9, 0, true), (8, 0, false), (0, 0, false), (17, 0, false)]
        {
            let mut key = [0; 16];
            key[15] = last;
            let iv = [0xa6, 0x59, 0x59, 0xa6, 0, 0, 0, len];
            let word = wrap(&aes, Direction::Encrypt, iv, &mut key).unwrap();
            let got = unwrap_padded(&aes, Direction::Encrypt, PADDED_IV, word, &mut key);
            assert_eq!(got, if good { Ok(usize::from(len)) } else { Err(Error::Authentication) }, "{len} {last}");
            assert!(good || key == [0; 16], "wiped");
        }
        let (mut key, des) = ([0; 16], crate::cipher("des3_ede"));
        if let Ok(des) = des {
            assert!(wrap(&des.key(&[1; 24]).unwrap(), Direction::Encrypt, IV, &mut key).is_err());
        }
    }
}
