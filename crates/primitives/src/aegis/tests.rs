use super::*;
use crate::cpu::CpuFeatures;
use crate::hash::check::Random;
use std::vec::Vec;

fn seal<T: AegisToken>(token: T, key: &[u8; 16], iv: &[u8; 16], assoc: &[&[u8]], text: &[u8]) -> (Vec<u8>, [u8; 16]) {
    let aegis = Aegis128::new(token, key);
    let mut message = aegis.start(iv);
    assoc.iter().for_each(|part| aegis.assoc(&mut message, part));
    let mut out = text.to_vec();
    aegis.crypt::<true>(&mut message, InOut::from(&mut out[..]));
    (out, aegis.finish(message))
}

/// Test vectors of the CAESAR submission, version 1.1, appendix.
fn published<T: AegisToken>() {
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    let hex16 = |text: &str| -> [u8; 16] { hex::decode(text).unwrap().try_into().unwrap() };
    let (out, tag) = seal(token, &[0; 16], &[0; 16], &[], &[0; 16]);
    assert_eq!(hex::encode(out), "951b050fa72b1a2fc16d2e1f01b07d7e");
    assert_eq!(tag, hex16("a7d2a99773249542f422217ee888d5f1"));
    let (out, tag) = seal(token, &[0; 16], &[0; 16], &[&[0; 16]], &[0; 16]);
    assert_eq!(hex::encode(out), "10b0dee65a97d751205c128a992473a1");
    assert_eq!(tag, hex16("46dcb9ee93c46cf13731d41b9646c131"));
    let bytes: Vec<u8> = (0..32).collect();
    let (key, iv) = (hex16("00010000000000000000000000000000"), hex16("00000200000000000000000000000000"));
    let (out, tag) = seal(token, &key, &iv, &[&bytes[..4]], &[0; 16]);
    assert_eq!(hex::encode(out), "2b78f5c1618da39afbb2920f5dae02b0");
    assert_eq!(tag, hex16("74759cd0e19314650d6c635b563d80fd"));
    let (key, iv) = (hex16("10010000000000000000000000000000"), hex16("10000200000000000000000000000000"));
    let (out, tag) = seal(token, &key, &iv, &[&bytes[..8]], &bytes);
    assert_eq!(hex::encode(out), "e08ec10685d63c7364eca78ff6e1a1ddfdfc15d5311a7f2988a0471a13973fd7");
    assert_eq!(tag, hex16("27e84b6c4cc46cb6ece8f1f3e4aa0e78"));
}

/// The lengths of a message that is too long for a test. The expected tag is that of AEGIS-128 as the CAESAR submission
/// defines it, written in Python, which gives the tags above too.
fn long_lengths<T: AegisToken>() {
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    let aegis = Aegis128::new(token, &[0; 16]);
    let mut message = aegis.start(&[0; 16]);
    (message.assoc_len, message.text_len) = ((1 << 61) - 1, 1 << 32);
    assert_eq!(hex::encode(aegis.finish(message)), "3419bde88891edfacc94b94ff1d50f29");
}

/// Compares one call with the text in pieces, with decryption, and with the portable code.
fn agreement<T: AegisToken>() {
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    let mut random = Random(8);
    for len in (0..70).chain([500, 1000]) {
        let key: [u8; 16] = random.bytes(16).try_into().unwrap();
        let iv: [u8; 16] = random.bytes(16).try_into().unwrap();
        let assoc_len = random.below(60);
        let (assoc, text) = (random.bytes(assoc_len), random.bytes(len));
        let (ciphertext, tag) = seal(Portable::new(), &key, &iv, &[&assoc], &text);
        let (front, back) = assoc.split_at(random.below(assoc_len + 1));
        assert_eq!(seal(token, &key, &iv, &[front, back], &text), (ciphertext.clone(), tag), "{len} bytes");

        let aegis = Aegis128::new(token, &key);
        let mut message = aegis.start(&iv);
        aegis.assoc(&mut message, &assoc);
        let mut opened = ciphertext;
        let (front, back) = InOut::from(&mut opened[..]).split_at(len / 2 / 16 * 16);
        aegis.crypt::<false>(&mut message, front);
        aegis.crypt::<false>(&mut message, back);
        assert_eq!((opened, aegis.finish(message)), (text, tag), "{len} bytes");
    }
}

#[test]
fn vectors_and_agreement() {
    published::<Portable>();
    long_lengths::<Portable>();
    agreement::<Portable>();
    #[cfg(target_arch = "x86_64")]
    {
        published::<crate::cpu::AesNi>();
        long_lengths::<crate::cpu::AesNi>();
        agreement::<crate::cpu::AesNi>();
    }
    #[cfg(target_arch = "aarch64")]
    {
        published::<crate::cpu::ArmCe>();
        long_lengths::<crate::cpu::ArmCe>();
        agreement::<crate::cpu::ArmCe>();
    }
}
