//! Templates over parts with special properties: one key length, timing=table, generated IVs.

use algkit::{Direction, Error, Policy, Registry, SelfTest, Text, authenc_key, cpu::CpuFeatures};

fn registry() -> Registry {
    Registry::new(CpuFeatures::detect(), Policy::Constant)
}

#[test]
fn authenc_over_macs_with_one_key_size() {
    for name in [
        "authenc(xcbc(aes),cbc(aes))",
        "authenc(cmac(aes),cbc(aes))",
        "authencesn(xcbc(aes),cbc(aes))",
        "authenc(michael_mic,ctr(aes))",
        #[cfg(feature = "legacy")]
        "authenc(hmac(md5),ecb(cipher_null))",
    ] {
        let registry = registry();
        let driver = registry.find_any(name).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(driver.selftest(), SelfTest::Passed, "{name}");
    }
    let aead = registry().aead("authenc(xcbc(aes),cbc(aes))").unwrap();
    assert!(aead.key(&authenc_key(&[1; 20], &[2; 16])).is_err(), "XCBC takes 16 bytes");
    let aead = aead.key(&authenc_key(&[1; 16], &[2; 16])).unwrap();
    let sealed = aead.seal(&[3; 16], b"packet", &[4; 32]).unwrap();
    assert_eq!(aead.open(&[3; 16], b"packet", &sealed).unwrap(), [4; 32]);
}

/// Parts that take keys of one unusual length, or use none.
#[test]
fn authenc_over_parts_with_unusual_keys() {
    let registry = Registry::new(CpuFeatures::detect(), Policy::Table);
    for name in [
        #[cfg(feature = "legacy")]
        "authenc(cmac(des3_ede),cbc(aes))",
        "authenc(digest_null,cbc(cipher_null))",
        "authencesn(digest_null,pcbc(cipher_null))",
    ] {
        let driver = registry.find_any(name).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(driver.selftest(), SelfTest::Passed, "{name}");
    }
}

/// Modes that chain their blocks, so that the first block of the ciphertext is an IV.
#[test]
#[cfg(feature = "rng")]
fn echainiv_over_every_chaining_mode() {
    for mode in ["cbc(aes)", "pcbc(aes)", "cfb(aes)", "ofb(aes)"] {
        let driver = registry().find_any(&format!("echainiv(authenc(hmac(sha256),{mode}))"));
        assert_eq!(driver.unwrap_or_else(|error| panic!("{error}")).selftest(), SelfTest::Passed, "{mode}");
    }
}

/// IPsec without authentication, for which the kernel's ESP asks for `digest_null`.
#[test]
fn authenc_without_authentication() {
    for (name, iv, least_assoc) in [
        ("authenc(digest_null,cbc(aes))", 16, 0),
        ("authencesn(digest_null,cbc(aes))", 16, 8),
        ("authenc(digest_null,rfc3686(ctr(aes)))", 8, 0),
        #[cfg(feature = "legacy")]
        ("authenc(digest_null,ecb(cipher_null))", 0, 0),
    ] {
        let authenc = registry().aead(name).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((authenc.driver().selftest(), authenc.driver().shape.tags.max()), (SelfTest::Passed, 0), "{name}");
        let enc_key = if name.contains("cipher_null") { &[][..] } else { &[2; 20][..if iv == 8 { 20 } else { 16 }] };
        let authenc = authenc.key(&authenc_key(&[], enc_key)).unwrap();
        let sealed = authenc.seal(&vec![3; iv], &vec![0; least_assoc], &[4; 32]).unwrap();
        assert_eq!(authenc.open(&vec![3; iv], &vec![0; least_assoc], &sealed).unwrap(), [4; 32], "{name}");
        if name == "authenc(digest_null,cbc(aes))" {
            let cbc = registry().skcipher("cbc(aes)").unwrap().key(enc_key).unwrap();
            let mut text = [4; 32];
            cbc.encrypt_once(&[3; 16], &mut text[..]).unwrap();
            assert_eq!(sealed, text);
        }
    }
}

#[test]
#[cfg(feature = "legacy")]
fn essiv_of_a_driver_by_name_needs_no_policy() {
    let registry = registry();
    assert!(matches!(registry.skcipher("essiv(cbc(twofish),sha256)"), Err(Error::TableOnly { .. })));
    let essiv = registry.skcipher("essiv(cbc(twofish-generic),sha256)").unwrap();
    assert_eq!(
        essiv.driver().driver,
        format!("essiv(cbc(twofish-generic),{})", registry.hash("sha256").unwrap().driver().driver)
    );
    let essiv = essiv.key(&[1; 32]).unwrap();
    let mut text = [2; 48];
    essiv.encrypt(&mut [3; 16], &mut text[..]).unwrap();
    essiv.decrypt(&mut [3; 16], &mut text[..]).unwrap();
    assert_eq!(text, [2; 48]);
}

/// Each side has its own salt and opens what the other has sealed.
#[test]
#[cfg(feature = "rng")]
fn ivs_that_are_made_are_understood_by_the_other_side() {
    for (name, key, assoc_len, room, rest) in [
        ("seqiv(rfc4106(gcm(aes)))", vec![7; 20], 8, 8, 100),
        ("seqiv(rfc7539esp(chacha20,poly1305))", vec![7; 36], 12, 8, 0),
        ("echainiv(authenc(hmac(sha256),cbc(aes)))", authenc_key(&[7; 32], &[8; 16]).to_vec(), 8, 16, 64),
        ("echainiv(authencesn(hmac(sha1),cbc(aes)))", authenc_key(&[7; 20], &[8; 32]).to_vec(), 12, 16, 16),
    ] {
        let unkeyed = registry().aead(name).unwrap();
        let (one, other) = (unkeyed.key(&key).unwrap(), unkeyed.key(&key).unwrap());
        let iv_len = unkeyed.driver().shape.ivsize;
        let (assoc, plain) = (vec![9; assoc_len], vec![5; room + rest]);
        let mut number = vec![0; iv_len];
        number[iv_len - 1] = 1;
        let sealed = one.seal(&number, &assoc, &plain).unwrap();
        assert_ne!(sealed, other.seal(&number, &assoc, &plain).unwrap(), "{name}: each transform has a salt");
        number[iv_len - 1] = 2;
        assert_ne!(sealed[..room], one.seal(&number, &assoc, &plain).unwrap()[..room], "{name}: each number has an IV");
        for side in [&one, &other] {
            assert_eq!(side.open(&vec![0xee; iv_len], &assoc, &sealed).unwrap()[room..], plain[room..], "{name}");
        }
        let mut forged = sealed;
        forged[0] ^= 1;
        assert_eq!(other.open(&number, &assoc, &forged), Err(Error::Authentication), "{name}: the IV is authenticated");
        assert!(one.seal(&number, &assoc, &plain[..room - 1]).is_err(), "{name}: room for the IV");
    }
}

#[test]
fn a_wrapped_key_that_was_changed_is_wiped() {
    let registry = registry();
    let kw = registry.skcipher("kw(aes)").unwrap().key(&[1; 16]).unwrap();
    let (mut iv, mut text) = ([0; 8], [2; 24]);
    kw.encrypt(&mut iv, &mut text[..]).unwrap();
    let (mut forged, mut check) = (text, iv);
    forged[23] ^= 1;
    assert_eq!(kw.decrypt(&mut check, &mut forged[..]), Err(Error::Authentication));
    assert_eq!((forged, check), ([0; 24], [0; 8]));
    let (front, back) = text.split_at_mut(5);
    kw.crypt(Direction::Decrypt, &mut iv, &mut Text::segments_in_place([front, back])).unwrap();
    assert_eq!(text, [2; 24]);
    for len in [0, 8, 17] {
        assert!(kw.encrypt(&mut [0; 8], &mut vec![0; len][..]).is_err(), "{len} bytes");
    }
    let mut request = forged;
    let mut requests = [algkit::batch::Request::decrypt(&kw, &mut iv, &mut request[..])];
    algkit::batch::run(&mut requests);
    assert_eq!(requests[0].result(), Err(Error::Authentication));
}

/// In wide-block modes a change of any bit of the text or tweak changes every block.
#[test]
fn every_bit_of_a_sector_changes_all_of_it() {
    let registry = registry();
    for name in ["adiantum(xchacha12,aes)", "adiantum(xchacha20,aes)", "hctr2(aes)"] {
        let mode = registry.skcipher(name).unwrap().key(&[1; 32]).unwrap();
        let encrypt = |iv: [u8; 32], mut text: Vec<u8>| {
            mode.encrypt_once(&iv, &mut text[..]).unwrap();
            text
        };
        let want = encrypt([2; 32], vec![3; 100]);
        let mut tweak = [2; 32];
        tweak[31] ^= 0x80;
        let mut others = vec![encrypt(tweak, vec![3; 100])];
        for at in [0, 50, 99] {
            let mut text = vec![3; 100];
            text[at] ^= 1;
            others.push(encrypt([2; 32], text));
        }
        for other in others {
            assert!(other.chunks(16).zip(want.chunks(16)).all(|(a, b)| a != b), "{name}");
        }
        assert!(mode.encrypt_once(&[0; 32], &mut [0; 15][..]).is_err(), "{name}: less than a block");
    }
}

#[test]
fn parts_that_a_template_would_misuse_are_refused() {
    for name in [
        "authenc(poly1305,ctr(aes))",
        "authenc(ghash,ctr(aes))",
        "authenc(polyval,ctr(aes))",
        "authenc(vmac64(aes),ctr(aes))",
        "authenc(crc32c,ctr(aes))",
        "authencesn(xxhash64,cbc(aes))",
        "echainiv(authenc(hmac(sha256),xts(aes)))",
        "echainiv(authenc(hmac(sha256),cts(cbc(aes))))",
        "echainiv(echainiv(authenc(hmac(sha256),cbc(aes))))",
        "echainiv(authenc(hmac(sha256),ctr(aes)))",
        "echainiv(authenc(hmac(sha256),lrw(aes)))",
        "echainiv(authenc(hmac(sha256),essiv(cbc(aes),sha256)))",
        "echainiv(essiv(authenc(hmac(sha256),cbc(aes)),sha256))",
        "echainiv(rfc4106(gcm(aes)))",
        "echainiv(ccm(aes))",
        "echainiv(aegis128)",
        "essiv(ccm(aes),sha256)",
        "essiv(aegis128,sha256)",
        "essiv(echainiv(authenc(hmac(sha256),cbc(aes))),sha256)",
        "essiv(essiv(authenc(hmac(sha256),cbc(aes)),sha256),sha256)",
        "rfc7539(lrw(serpent),poly1305)",
        "rfc7539esp(xctr(aes),poly1305)",
    ] {
        let error = registry().aead(name).map(drop).unwrap_err();
        assert!(matches!(error, Error::BadParameters { .. }), "{name}: {error}");
    }
}

#[test]
fn a_text_of_which_runs_were_taken_is_encrypted_whole() {
    let (ctr, gcm) = (algkit::skcipher("ctr(aes)").unwrap(), algkit::aead("gcm(aes)").unwrap());
    let (ctr, gcm) = (ctr.key(&[1; 16]).unwrap(), gcm.key(&[1; 16]).unwrap());
    let (mut once, mut buffer, mut tag, mut same) = ([0; 100], [0; 100], [0; 16], [0; 16]);
    ctr.encrypt(&mut [2; 16], &mut once).unwrap();
    // Encrypting twice with the same key stream gives the text back.
    let mut text = Text::from(&mut buffer);
    ctr.crypt(Direction::Encrypt, &mut [2; 16], &mut text).unwrap();
    ctr.crypt(Direction::Encrypt, &mut [2; 16], &mut text).unwrap();
    drop(text);
    assert_eq!(buffer, [0; 100]);
    let mut iv = [2; 16];
    for batch in [false, true] {
        let mut text = Text::from(&mut buffer);
        text.next(16, 0);
        if batch {
            let mut requests = [algkit::batch::Request::encrypt(&ctr, &mut iv, text)];
            algkit::batch::run(&mut requests);
            requests[0].result().unwrap();
        } else {
            ctr.encrypt(&mut [2; 16], text).unwrap();
        }
        assert_eq!(buffer, once);
        buffer = [0; 100];
    }
    let mut text = Text::from(&mut buffer);
    text.next(16, 0);
    gcm.encrypt(&[3; 12], &[], text, &mut tag).unwrap();
    once = [0; 100];
    gcm.encrypt(&[3; 12], &[], &mut once, &mut same).unwrap();
    assert_eq!((buffer, tag), (once, same));
}

#[test]
fn what_has_no_chaining_value_is_not_encrypted_in_turns() {
    for (name, key, iv) in
        [("kw(aes)", 16, 8), ("chacha20", 32, 16), ("xts(aes)", 64, 16), ("rfc3686(ctr(aes))", 20, 8)]
    {
        let key: Vec<u8> = (0..key).collect();
        let cipher = algkit::skcipher(name).unwrap().key(&key).unwrap();
        let mut state = algkit::hash("sha256").unwrap().unkeyed().unwrap().start();
        let mut buffer = [5; 512];
        let mut turns = algkit::Turns::new(&mut buffer, 0, 0, 8).unwrap();
        assert!(
            matches!(cipher.encrypt_hashing(&mut vec![0; iv], &mut turns, &mut state), Err(Error::NotInParts(_))),
            "{name}"
        );
        assert_eq!(buffer, [5; 512], "{name}");
    }
}

/// The salt's cipher of ESSIV, and the block of HCTR2, are in no name.
#[test]
fn what_is_built_on_a_hidden_part_goes_with_it() {
    for name in ["essiv(cbc(aes),sha256)", "hctr2(aes)"] {
        let registry = registry();
        let built = registry.skcipher(name).unwrap().driver().driver.clone();
        let block = registry.cipher("aes").unwrap().driver().driver.clone();
        let there = || registry.drivers().iter().any(|driver| driver.driver == built);
        assert!(there(), "{name}");
        registry.unregister(&block).unwrap();
        assert!(!there(), "{built} is built on {block}");
    }
}
