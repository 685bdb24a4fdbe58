use super::*;
use crate::cpu::CpuFeatures;
use ::poly1305::universal_hash::{KeyInit, UniversalHash};
use chacha20::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
use proptest::prelude::*;
use std::vec::Vec;

/// Runs `$check::<T>(args)` for every token that this CPU has.
macro_rules! every_token {
    ($check:ident($($arg:expr),*)) => {{
        #[cfg(target_arch = "x86_64")]
        {
            use crate::cpu::*;
            $check::<Sse2>($($arg),*);
            $check::<Ssse3>($($arg),*);
            $check::<Avx2>($($arg),*);
            $check::<Avx512>($($arg),*);
            $check::<Ifma512>($($arg),*);
        }
        #[cfg(target_arch = "aarch64")]
        $check::<crate::cpu::Neon>($($arg),*);
    }};
}

/// RustCrypto's ChaCha20 and Poly1305, put together as RFC 8439 section 2.8 says.
fn peer(key: &[u8; 32], nonce: &[u8; 12], aad: &[u8], text: &[u8]) -> (Vec<u8>, [u8; 16]) {
    let mut cipher = chacha20::ChaCha20::new(key.into(), nonce.into());
    let mut poly_key = [0u8; 32];
    cipher.apply_keystream(&mut poly_key);
    let mut ciphertext = text.to_vec();
    cipher.seek(64u64);
    cipher.apply_keystream(&mut ciphertext);
    let mut mac = ::poly1305::Poly1305::new((&poly_key).into());
    mac.update_padded(aad);
    mac.update_padded(&ciphertext);
    let mut lengths = [0; 16];
    lengths[..8].copy_from_slice(&(aad.len() as u64).to_le_bytes());
    lengths[8..].copy_from_slice(&(text.len() as u64).to_le_bytes());
    mac.update(&[lengths.into()]);
    (ciphertext, mac.finalize().into())
}

fn bytes(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * i + 5 * i + 3) as u8).collect()
}

/// RFC 8439 section 2.8.2.
fn rfc_8439<T: AeadToken>() {
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    let key: [u8; 32] = core::array::from_fn(|i| 0x80 + i as u8);
    let nonce: [u8; 12] = hex::decode("070000004041424344454647").unwrap().try_into().unwrap();
    let aad = hex::decode("50515253c0c1c2c3c4c5c6c7").unwrap();
    let text = b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, \
        sunscreen would be it.";
    let want = "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b\
        1a71de0a9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc3ff4def0\
        8e4b7a9de576d26586cec64b6116";
    let mut buf = text.to_vec();
    let tag = ChaCha20Poly1305::new(token, &key).seal(&nonce, &aad, InOut::from(&mut buf[..]));
    assert_eq!(hex::encode(&buf), want);
    assert_eq!(hex::encode(tag), "1ae10b594f09e26a7e902ecbd0600691");
}

#[test]
fn published_vector() {
    every_token!(rfc_8439());
}

/// Seals and opens a message in place, out of place and in parts, and compares with RustCrypto.
fn one_case<T: AeadToken>(key: &[u8; 32], nonce: &[u8; 12], aad: &[u8], text: &[u8], cuts: [usize; 2]) {
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    let (ciphertext, tag) = peer(key, nonce, aad, text);
    let what = || std::format!("{} bytes behind {}", text.len(), aad.len());
    let key = ChaCha20Poly1305::new(token, key);

    let mut buf = text.to_vec();
    assert_eq!(key.seal(nonce, aad, InOut::from(&mut buf[..])), tag, "{}", what());
    assert!(buf == ciphertext, "{}", what());
    assert_eq!(key.open(nonce, aad, InOut::from(&mut buf[..])), tag, "{}", what());
    assert!(buf == text, "{}", what());

    let mut out = std::vec![0xee; text.len() + 64];
    let (room, behind) = out.split_at_mut(text.len());
    assert_eq!(key.seal(nonce, aad, InOut::new(text, room).unwrap()), tag, "{}", what());
    assert!(room == ciphertext && behind.iter().all(|&b| b == 0xee), "{}", what());
    assert_eq!(key.open(nonce, aad, InOut::new(&ciphertext, room).unwrap()), tag, "{}", what());
    assert!(room == text && behind.iter().all(|&b| b == 0xee), "{}", what());

    let mut buf = text.to_vec();
    let (a, b) = aad.split_at(cuts[0].min(aad.len()));
    let cut = (cuts[1] / 64 * 64).min(text.len());
    let mut message = key.start(nonce);
    key.aad(&mut message, a);
    key.aad(&mut message, b);
    key.encrypt(&mut message, InOut::from(&mut buf[..cut]));
    key.encrypt(&mut message, InOut::from(&mut buf[cut..]));
    assert_eq!(key.finish(message), tag, "{}", what());
    assert!(buf == ciphertext, "{}", what());
    let mut message = key.start(nonce);
    key.aad(&mut message, aad);
    key.decrypt(&mut message, InOut::from(&mut buf[..cut]));
    key.decrypt(&mut message, InOut::from(&mut buf[cut..]));
    assert_eq!(key.finish(message), tag, "{}", what());
    assert!(buf == text, "{}", what());

    // Many parts, out of place: the first has `cut` bytes, and each of the others is longer than the one before it.
    for (encrypt, source, want) in [(true, text, &ciphertext[..]), (false, &ciphertext[..], text)] {
        let mut message = key.start(nonce);
        key.aad(&mut message, aad);
        let (mut at, mut next) = (0, cut);
        while at < source.len() {
            let end = (at + next).min(source.len());
            let part = InOut::new(&source[at..end], &mut out[at..end]).unwrap();
            if encrypt {
                key.encrypt(&mut message, part)
            } else {
                key.decrypt(&mut message, part)
            }
            (at, next) = (end, next + 64);
        }
        assert_eq!(key.finish(message), tag, "{}", what());
        let (done, behind) = out.split_at(source.len());
        assert!(done == want && behind.iter().all(|&b| b == 0xee), "{}", what());
    }
}

#[test]
fn agrees_with_rustcrypto_at_every_length() {
    let (text, aad) = (bytes(20000), bytes(3000));
    let key: [u8; 32] = core::array::from_fn(|i| 255 - 7 * i as u8);
    let nonce: [u8; 12] = core::array::from_fn(|i| 3 * i as u8);
    for len in
        (0..=1300).chain((1301..9000).step_by(61)).chain([4032, 4096, 4097, 8128, 8191, 8192, 16384, 17920, 20000])
    {
        let aad = &aad[..len * 7 % 40];
        every_token!(one_case(&key, &nonce, aad, &text[..len], [len % 20, len / 2]));
    }
    for len in (0..=70).chain([255, 256, 511, 512, 527, 1023, 1024, 1040, 2047, 2048, 2049, 3000]) {
        every_token!(one_case(&key, &nonce, &aad[..len], &text[..len % 90], [len / 2, 64]));
    }
}

proptest! {
    #[test]
    fn agrees_with_rustcrypto(
        key: [u8; 32],
        nonce: [u8; 12],
        aad in prop::collection::vec(any::<u8>(), 0..600),
        text in prop::collection::vec(any::<u8>(), 0..4200),
        cuts: [u16; 2],
    ) {
        every_token!(one_case(&key, &nonce, &aad, &text, cuts.map(|c| usize::from(c) % 4200)));
    }
}

/// The block of lengths of a message that is too long for a test. The expected tag is computed by RustCrypto's ChaCha20
/// and Poly1305.
fn long_lengths<T: AeadToken>() {
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    let mut one_time = [0; 32];
    chacha20::ChaCha20::new(&[7; 32].into(), &[9; 12].into()).apply_keystream(&mut one_time);
    let lengths = hex::decode("ffffffffffffffffc0ffffff3f000000").unwrap();
    let want = ::poly1305::Poly1305::new(&one_time.into()).compute_unpadded(&lengths);

    let key = ChaCha20Poly1305::new(token, &[7; 32]);
    let mut message = key.start(&[9; 12]);
    (message.aad_len, message.text_len) = (u64::MAX, (1 << 38) - 64);
    assert_eq!(key.finish(message), want[..]);
}

#[test]
fn lengths_have_64_bits() {
    every_token!(long_lengths());
}
