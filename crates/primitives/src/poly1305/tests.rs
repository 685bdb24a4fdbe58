use super::*;
use crate::cpu::CpuFeatures;
use ::poly1305::universal_hash::KeyInit;
use proptest::prelude::*;
use std::string::String;
use std::vec::Vec;

/// Runs `$check::<T>(args)` for every token that this CPU has.
macro_rules! every_token {
    ($check:ident($($arg:expr),*)) => {{
        $check::<Portable>($($arg),*);
        #[cfg(target_arch = "x86_64")]
        {
            $check::<crate::cpu::Avx2>($($arg),*);
            $check::<crate::cpu::Avx512>($($arg),*);
            $check::<crate::cpu::Ifma512>($($arg),*);
        }
        #[cfg(any(target_arch = "aarch64", all(target_arch = "arm", unix)))]
        $check::<crate::cpu::Neon>($($arg),*);
    }};
}

/// The tag of a message that is absorbed in pieces.
fn tag<T: Poly1305Token>(token: T, key: &[u8; 32], pieces: &[&[u8]]) -> [u8; 16] {
    let mut mac = Poly1305::new(token, key);
    for piece in pieces {
        mac.update(piece);
    }
    let mut tag = [0; 16];
    mac.finish(&mut tag);
    tag
}

fn peer(key: &[u8; 32], message: &[u8]) -> [u8; 16] {
    ::poly1305::Poly1305::new(key.into()).compute_unpadded(message).into()
}

fn bytes(hex: &str) -> Vec<u8> {
    hex::decode(hex).unwrap()
}

/// RFC 8439 section 2.5.2, and those vectors of appendix A.3 that reach the corners of the arithmetic. (The others are
/// long prose.)
fn rfc_8439<T: Poly1305Token>() {
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    let zeros = "00000000000000000000000000000000";
    let ones = "ffffffffffffffffffffffffffffffff";
    let one = "01000000000000000000000000000000";
    let two = "02000000000000000000000000000000";

    let cases = [
        // Section 2.5.2.
        (
            ["85d6be7857556d337f4452fe42d506a8", "0103808afb0db2fd4abff6af4149f51b"],
            "43727970746f6772617068696320466f72756d2052657365617263682047726f7570".into(),
            "a8061dc1305136c6c22b8baf0c0127a9",
        ),
        // Appendix A.3, numbers 1 and 7 to 11.
        ([zeros, zeros], [zeros; 4].concat(), zeros),
        ([two, zeros], ones.into(), "03000000000000000000000000000000"),
        ([two, ones], two.into(), "03000000000000000000000000000000"),
        (
            [one, zeros],
            [ones, "f0ffffffffffffffffffffffffffffff", "11000000000000000000000000000000"].concat(),
            "05000000000000000000000000000000",
        ),
        ([one, zeros], [ones, "fbfefefefefefefefefefefefefefefe", "01010101010101010101010101010101"].concat(), zeros),
        ([two, zeros], "fdffffffffffffffffffffffffffffff".into(), "faffffffffffffffffffffffffffffff"),
        (
            ["01000000000000000400000000000000", zeros],
            ["e33594d7505e43b90000000000000000", "3394d7505e4379cd0100000000000000", zeros, one].concat(),
            "14000000000000005500000000000000",
        ),
        (
            ["01000000000000000400000000000000", zeros],
            ["e33594d7505e43b90000000000000000", "3394d7505e4379cd0100000000000000", zeros].concat(),
            "13000000000000000000000000000000",
        ),
    ];
    for (i, (key, message, want)) in cases.iter().enumerate() {
        let key: [u8; 32] = bytes(&key.concat()).try_into().unwrap();
        let message: &String = message;
        assert_eq!(hex::encode(tag(token, &key, &[&bytes(message)])), *want, "case {i}");
    }
}

#[test]
fn published_vectors() {
    every_token!(rfc_8439());
}

fn every_length<T: Poly1305Token>() {
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    let message: Vec<u8> = (0..4200).map(|i| (i * i + 7 * i + 1) as u8).collect();
    let key: [u8; 32] = core::array::from_fn(|i| 250 - 7 * i as u8);
    for len in (0..=1100).chain([1500, 2047, 2048, 2049, 4095, 4096, 4200]) {
        assert_eq!(tag(token, &key, &[&message[..len]]), peer(&key, &message[..len]), "{len} bytes");
    }
}

/// All limbs as large as possible: every bit of the message is set, and every bit of r that may be.
fn saturated<T: Poly1305Token>() {
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    let message = [0xff; 4200];
    for r in [[0xff; 16], [0; 16], core::array::from_fn(|i| (i == 0) as u8)] {
        let mut key = [0xff; 32];
        key[..16].copy_from_slice(&r);
        for len in (16..=512).step_by(16).chain([1024, 1040, 4096, 4200]) {
            assert_eq!(tag(token, &key, &[&message[..len]]), peer(&key, &message[..len]), "{len} bytes");
        }
    }
}

#[test]
fn agrees_with_rustcrypto_at_every_length() {
    every_token!(every_length());
    every_token!(saturated());
}

/// Updates of very different lengths in turn, with the same powers.
fn long_and_short<T: Poly1305Token>() {
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    let message: Vec<u8> = (0..20_000).map(|i| (i * i + 3 * i) as u8).collect();
    let key: [u8; 32] = core::array::from_fn(|i| 8 * i as u8 + 3);
    let mut at = 0;
    let pieces: Vec<&[u8]> = [1000, 5000, 200, 4096, 16, 17, 700, 8192, 779]
        .iter()
        .map(|n| {
            at += n;
            &message[at - n..at]
        })
        .collect();
    assert_eq!(at, message.len());
    assert_eq!(tag(token, &key, &pieces), peer(&key, &message));
}

#[test]
fn mixes_long_and_short_updates() {
    every_token!(long_and_short());
}

/// Values near p = 2^130 - 5 and above 2^130, which a message has by chance only; `low + top * 2^128` is imported. The
/// tags are Python's `(top * 2**128 + low) % (2**130 - 5) % 2**128`.
#[test]
fn a_value_is_reduced_at_the_end() {
    for (top, low, tag) in [
        (3, u128::MAX - 5, u128::MAX - 5),
        (3, u128::MAX - 4, 0),
        (3, u128::MAX, 4),
        (4, 0, 5),
        (4, 7, 12),
        (4, u128::MAX, 4),
    ] {
        let mut mac = Poly1305::new(Portable::new(), &[0; 32]);
        let state = |top: u64| [&u128::to_le_bytes(low)[..], &top.to_le_bytes(), &[0]].concat();
        mac.import(&mut Reader::new(&state(top))).unwrap();
        let mut out = [0; 16];
        mac.finish(&mut out);
        assert_eq!(u128::from_le_bytes(out), tag, "{top}, {low}");
        assert!(mac.import(&mut Reader::new(&state(5))).is_none());
    }
}

fn one_case<T: Poly1305Token>(key: &[u8; 32], message: &[u8], cuts: [usize; 2]) {
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    let want = peer(key, message);
    assert_eq!(tag(token, key, &[message]), want);
    let (a, b) = message.split_at(cuts[0].min(message.len()));
    let (b, c) = b.split_at(cuts[1].min(b.len()));
    assert_eq!(tag(token, key, &[a, b, c]), want);
}

proptest! {
    #[test]
    fn agrees_with_rustcrypto(
        key: [u8; 32],
        message in prop::collection::vec(any::<u8>(), 0..4200),
        cuts: [u16; 2],
    ) {
        every_token!(one_case(&key, &message, cuts.map(|c| usize::from(c) % 2100)));
    }

    /// Bytes of 0x00 and 0xff make many carries occur.
    #[test]
    fn carries_run_as_in_rustcrypto(
        key in prop::collection::vec(prop::sample::select(std::vec![0u8, 1, 0xfe, 0xff]), 32),
        message in prop::collection::vec(prop::sample::select(std::vec![0u8, 1, 0xfe, 0xff]), 0..1200),
        cuts: [u8; 2],
    ) {
        every_token!(one_case(key[..].try_into().unwrap(), &message, cuts.map(|c| 4 * usize::from(c))));
    }
}
