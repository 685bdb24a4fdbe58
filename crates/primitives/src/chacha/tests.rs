use super::*;
use crate::cpu::CpuFeatures;
use chacha20::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
use proptest::prelude::*;
use std::vec::Vec;

/// Runs `$check::<T>(args)` for every token that this CPU has.
macro_rules! every_token {
    ($check:ident($($arg:expr),*)) => {{
        $check::<Portable>($($arg),*);
        #[cfg(target_arch = "x86_64")]
        {
            use crate::cpu::*;
            $check::<Sse2>($($arg),*);
            $check::<Ssse3>($($arg),*);
            $check::<Avx2>($($arg),*);
            $check::<Avx512>($($arg),*);
        }
        #[cfg(any(target_arch = "aarch64", all(target_arch = "arm", unix)))]
        $check::<crate::cpu::Neon>($($arg),*);
    }};
}

fn row(counter: u32, nonce: &[u8; 12]) -> [u32; 4] {
    let word = |i: usize| u32::from_le_bytes(nonce[i..i + 4].try_into().unwrap());
    [counter, word(0), word(4), word(8)]
}

/// Encryption by RustCrypto's ChaCha of 8, 12 or 20 rounds, from block `counter` on. The counter must not wrap.
fn peer(rounds: usize, key: &[u8; 32], counter: u32, nonce: &[u8; 12], data: &[u8]) -> Vec<u8> {
    fn run<C: KeyIvInit<KeySize = chacha20::cipher::consts::U32, IvSize = chacha20::cipher::consts::U12>>(
        key: &[u8; 32],
        nonce: &[u8; 12],
    ) -> C {
        C::new(key.into(), nonce.into())
    }
    fn apply(mut cipher: impl StreamCipher + StreamCipherSeek, counter: u32, data: &[u8]) -> Vec<u8> {
        let mut out = data.to_vec();
        cipher.seek(64 * u64::from(counter));
        cipher.apply_keystream(&mut out);
        out
    }
    match rounds {
        8 => apply(run::<chacha20::ChaCha8>(key, nonce), counter, data),
        12 => apply(run::<chacha20::ChaCha12>(key, nonce), counter, data),
        _ => apply(run::<chacha20::ChaCha20>(key, nonce), counter, data),
    }
}

fn sample(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * i + 5 * i + 3) as u8).collect()
}

/// RFC 8439 section 2.4.2.
fn rfc_8439<T: ChaChaToken>() {
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    let key: [u8; 32] = core::array::from_fn(|i| i as u8);
    let nonce = [0, 0, 0, 0, 0, 0, 0, 0x4a, 0, 0, 0, 0];
    let text = b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, \
        sunscreen would be it.";
    let want = hex::decode(
        "6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0bf91b65c5524733ab8f593dabcd62b357\
         1639d624e65152ab8f530c359f0861d807ca0dbf500d6a6156a38e088a22b65e52bc514d16ccf806818ce91ab7793736\
         5af90bbf74a35be6b40b8eedf2785e42874d",
    )
    .unwrap();
    let mut out = text.to_vec();
    let mut state = row(1, &nonce);
    ChaCha::new(token, &key, 20).xor(&mut state, InOut::from(&mut out[..]));
    assert_eq!(out, want);
    assert_eq!(state, row(3, &nonce));
}

/// draft-irtf-cfrg-xchacha-03 section 2.2.1.
fn xchacha_draft<T: ChaChaToken>() {
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    let key: [u8; 32] = core::array::from_fn(|i| i as u8);
    let nonce = hex::decode("000000090000004a0000000031415927").unwrap().try_into().unwrap();
    let want = "82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc";
    assert_eq!(hex::encode(hchacha(token, &key, &nonce, 20)), want);
}

#[test]
fn published_vectors() {
    every_token!(rfc_8439());
    every_token!(xchacha_draft());
}

fn every_length<T: ChaChaToken>() {
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    let key: [u8; 32] = core::array::from_fn(|i| 255 - 7 * i as u8);
    let nonce: [u8; 12] = core::array::from_fn(|i| 3 * i as u8);
    let src = sample(4200);
    let want = peer(20, &key, 7, &nonce, &src);
    let cipher = ChaCha::new(token, &key, 20);
    for len in (0..=1100).chain([1500, 2047, 2048, 2049, 4095, 4096, 4097, 4200]) {
        let mut out = src[..len].to_vec();
        let mut state = row(7, &nonce);
        cipher.xor(&mut state, InOut::from(&mut out[..]));
        assert!(out == want[..len], "{len} bytes in place");
        assert_eq!(state, row(7 + len.div_ceil(64) as u32, &nonce));

        let mut out = std::vec![0xee; len + 64];
        cipher.xor(&mut row(7, &nonce), InOut::new(&src[..len], &mut out[..len]).unwrap());
        assert!(out[..len] == want[..len], "{len} bytes out of place");
        assert!(out[len..].iter().all(|&b| b == 0xee), "{len} bytes, and no more");
    }
}

#[test]
fn agrees_with_rustcrypto_at_every_length() {
    every_token!(every_length());
}

/// The counter wraps at block `wrap` of the message, and the nonce stays.
fn wraps<T: ChaChaToken>() {
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    let (key, nonce) = ([0x42; 32], [0xff; 12]);
    let cipher = ChaCha::new(token, &key, 20);
    let from_zero = peer(20, &key, 0, &nonce, &[0; 64 * 40]);
    for wrap in 1..40 {
        let mut out = [0u8; 64 * 40];
        let mut state = row(0u32.wrapping_sub(wrap as u32), &nonce);
        cipher.xor(&mut state, InOut::from(&mut out[..]));
        assert_eq!(state, row(40 - wrap as u32, &nonce));
        assert!(out[64 * wrap..] == from_zero[..64 * (40 - wrap)]);
        let mut before = [0u8; 64];
        cipher.xor(&mut row(u32::MAX, &nonce), InOut::from(&mut before[..]));
        assert!(out[64 * (wrap - 1)..64 * wrap] == before);
    }
}

#[test]
fn counter_wraps_within_32_bits() {
    every_token!(wraps());
}

fn one_case<T: ChaChaToken>(rounds: usize, key: &[u8; 32], counter: u32, nonce: &[u8; 12], src: &[u8], cut: usize) {
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    let cipher = ChaCha::new(token, key, rounds);
    let want = peer(rounds, key, counter, nonce, src);
    // A later call begins with a new block, so messages are cut at blocks.
    let cut = cut / 64 * 64;
    let mut out = src.to_vec();
    let mut state = row(counter, nonce);
    let (head, tail) = InOut::from(&mut out[..]).split_at(cut.min(src.len()));
    cipher.xor(&mut state, head);
    cipher.xor(&mut state, tail);
    assert_eq!(out, want);
}

/// HChaCha as XChaCha uses it: RustCrypto's XChaCha must equal ours, composed by hand.
fn xchacha<T: ChaChaToken>(key: &[u8; 32], nonce: &[u8; 24], src: &[u8]) {
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    let mut want = src.to_vec();
    chacha20::XChaCha20::new(key.into(), nonce.into()).apply_keystream(&mut want);
    let subkey = hchacha(token, key, nonce[..16].try_into().unwrap(), 20);
    let mut inner = [0; 12];
    inner[4..].copy_from_slice(&nonce[16..]);
    let mut out = src.to_vec();
    ChaCha::new(token, &subkey, 20).xor(&mut row(0, &inner), InOut::from(&mut out[..]));
    assert_eq!(out, want);
}

proptest! {
    #[test]
    fn agrees_with_rustcrypto(
        rounds in prop::sample::select(std::vec![8usize, 12, 20]),
        key: [u8; 32],
        counter in 0u32..0xffff_ff00,
        nonce: [u8; 12],
        src in prop::collection::vec(any::<u8>(), 0..4200),
        cut in 0usize..4200,
    ) {
        every_token!(one_case(rounds, &key, counter, &nonce, &src, cut));
    }

    #[test]
    fn xchacha_agrees_with_rustcrypto(
        key: [u8; 32],
        nonce: [u8; 24],
        src in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        every_token!(xchacha(&key, &nonce, &src));
    }
}
