//! Functions without a name return what the name stands for, and still work when the registry has no driver.
#![cfg(all(feature = "aes", feature = "chacha", feature = "sha"))]

use algkit::{Error, Registry};
use hex_literal::hex;

/// A single test, because it ends with a global registry that lacks drivers.
#[test]
fn they_are_what_their_names_stand_for() {
    let registry = Registry::global().unwrap();
    let hashes = [
        (algkit::sha256(), "sha256"),
        (algkit::sha384(), "sha384"),
        (algkit::sha512(), "sha512"),
        (algkit::hmac_sha256(b""), "hmac(sha256)"),
        (algkit::hmac_sha384(&[1; 300]), "hmac(sha384)"),
        (algkit::hmac_sha512(b"key"), "hmac(sha512)"),
    ];
    for (hash, name) in hashes {
        assert_eq!(hash.driver().driver, registry.hash(name).unwrap().driver().driver);
    }
    // FIPS 180-2, "abc"; RFC 4231, test case 2.
    assert_eq!(algkit::sha384().digest(b"abc")[..8], hex!("cb00753f45a35e8b"));
    assert_eq!(algkit::sha512().digest(b"abc")[..8], hex!("ddaf35a193617aba"));
    let question = b"what do ya want for nothing?";
    assert_eq!(algkit::hmac_sha256(b"Jefe").digest(question)[..8], hex!("5bdcc146bf60754e"));
    assert_eq!(algkit::hmac_sha384(b"Jefe").digest(question)[..8], hex!("af45d2e376484031"));
    assert_eq!(algkit::hmac_sha512(b"Jefe").digest(question)[..8], hex!("164b7a7bfcf819e2"));

    // McGrew and Viega 2005, GCM test cases 2 and 14.
    let sealed = algkit::aes_128_gcm(&[0; 16]).seal(&[0; 12], b"", &[0; 16]).unwrap();
    assert_eq!(sealed, hex!("0388dace60b6a392f328c2b971b2fe78 ab6e47d42cec13bdf53a67b21257bddf"));
    let sealed = algkit::aes_256_gcm(&[0; 32]).seal(&[0; 12], b"", &[0; 16]).unwrap();
    assert_eq!(sealed, hex!("cea7403d4d606b6e074ec5d3baf39d18 d0d1c8a799996bf0265b98b5d48ab919"));
    // RFC 8439, section 2.8.2: the first bytes of the ciphertext, which do not depend on the associated data.
    let key: [u8; 32] = std::array::from_fn(|i| 0x80 + i as u8);
    let nonce = hex!("070000004041424344454647");
    let text = b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.";
    let sealed = algkit::chacha20_poly1305(&key).seal(&nonce, &hex!("50515253c0c1c2c3c4c5c6c7"), text).unwrap();
    assert_eq!(sealed[..16], hex!("d31a8d34648e60db7b86afbc53ef7ec2"));
    assert_eq!(sealed[text.len()..], hex!("1ae10b594f09e26a7e902ecbd0600691"));

    // FIPS 197, appendices C.1 and C.3.
    let key: [u8; 32] = std::array::from_fn(|i| i as u8);
    let plain: [u8; 16] = std::array::from_fn(|i| (i * 0x11) as u8);
    let mut block = plain;
    algkit::aes_128(key.first_chunk().unwrap()).encrypt(&mut block[..]).unwrap();
    assert_eq!(block, hex!("69c4e0d86a7b0430d8cdb78070b4c55a"));
    block = plain;
    algkit::aes_256(&key).encrypt(&mut block[..]).unwrap();
    assert_eq!(block, hex!("8ea2b7ca516745bfeafc49904b496089"));
    // RFC 8439, section 2.3.2: block 1 of the key stream.
    let mut text = [0; 16];
    algkit::chacha20(&key).encrypt_once(&hex!("01000000 000000090000004a00000000"), &mut text[..]).unwrap();
    assert_eq!(text, hex!("10f1e7e4d13b5915500fdd1fa32071c4"));

    // IEEE 1619-2007, vector 2; and its key with equal halves, vector 1.
    let key: [u8; 32] = std::array::from_fn(|i| if i < 16 { 0x11 } else { 0x22 });
    let mut text = [0x44; 32];
    algkit::aes_128_xts(&key).unwrap().encrypt(&mut 0x33_3333_3333u128.to_le_bytes(), &mut text[..]).unwrap();
    assert_eq!(text, hex!("c454185e6a16936e39334038acef838bfb186fff7480adc4289382ecd6d394f0"));
    assert!(matches!(algkit::aes_128_xts(&[0; 32]), Err(Error::BadKey { .. })));
    assert!(matches!(algkit::aes_256_xts(&[7; 64]), Err(Error::BadKey { .. })));

    they_are_there_when_the_registry_is_without(registry);
}

fn they_are_there_when_the_registry_is_without(registry: &Registry) {
    let before = algkit::sha384().driver().driver.clone();
    for driver in registry.drivers_of("sha384").unwrap() {
        registry.unregister(&driver.driver).unwrap();
    }
    assert_eq!(registry.hash("sha384").unwrap_err(), Error::Unknown("sha384".into()));
    assert_eq!(algkit::sha384().driver().driver, before);
    assert_eq!(algkit::sha384().digest(b"abc")[..8], hex!("cb00753f45a35e8b"));
}
