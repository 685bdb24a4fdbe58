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
        ("echainiv(authenc(hmac(sha1),cfb(aes)))", authenc_key(&[7; 20], &[8; 32]).to_vec(), 8, 16, 5),
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
            let opened = side.open(&vec![0xee; iv_len], &assoc, &sealed).unwrap();
            assert_eq!(
                opened,
                [&sealed[..room], &plain[room..]].concat(),
                "{name}: the IV stays, and the text is opened"
            );
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
    assert_eq!(algkit::batch::run(&mut requests).check(), Err(Error::Authentication));
}

/// A key that was wrapped with another IV is authentic but for one bit of the check value.
#[test]
fn every_bit_of_the_check_value_of_a_wrapped_key_counts() {
    use algkit::key_wrap::{IV, unwrap, wrap};
    let kw = registry().skcipher("kw(aes)").unwrap().key(&[1; 16]).unwrap();
    let aes = registry().cipher("aes").unwrap().key(&[1; 16]).unwrap();
    for bit in 0..64 {
        let (mut iv, mut key) = (IV, [2; 24]);
        iv[bit / 8] ^= 1 << (bit % 8);
        let mut word = wrap(&aes, Direction::Encrypt, iv, &mut key).unwrap();
        assert_eq!(unwrap(&aes, Direction::Encrypt, IV, word, &mut { key }), Err(Error::Authentication), "bit {bit}");
        assert_eq!(kw.decrypt(&mut word, &mut key), Err(Error::Authentication), "bit {bit}");
    }
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

/// More of NH's chunks than any vector has, and a length in bits that exceeds two bytes. The digests are those of a
/// program in Python that follows the paper and gives the kernel's vectors.
#[test]
fn a_long_text_of_adiantum() {
    for (name, digest) in [
        ("adiantum(xchacha12,aes)", "64b20e96863133e0093404471e29a32df3888b3610c6f2132282a56ab76e0daa"),
        ("adiantum(xchacha20,aes)", "3fc485b6511d7c8b99595a840627059dc18cda37d5ef643dd96e48adc1ce38e2"),
    ] {
        let key: Vec<u8> = (0..64).collect();
        let mut text: Vec<u8> = (0..9000).map(|i| (i * 7 + i / 251) as u8).collect();
        registry().skcipher(name).unwrap().key(&key[..32]).unwrap().encrypt_once(&key[32..], &mut text).unwrap();
        assert_eq!(algkit::hash("sha256").unwrap().digest(&text).unwrap(), unhex(digest), "{name}");
    }
}

fn unhex(digits: &str) -> Vec<u8> {
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()).collect()
}

/// The salt is odd, so that no number's factor is lost: every salt times 2^63 is 2^63. The first block of the ciphertext
/// is the encryption of the product.
#[test]
#[cfg(feature = "rng")]
fn different_numbers_have_different_products() {
    use aes::cipher::{BlockCipherEncrypt, KeyInit};
    let aead = registry().aead("echainiv(authenc(hmac(sha256),cbc(aes)))").unwrap();
    let mut want = [0; 16];
    want.as_chunks_mut().0.fill((1u64 << 63).to_ne_bytes());
    aes::Aes128::new(&[8; 16].into()).encrypt_block((&mut want).into());
    let mut number = [0; 16];
    number[8] = 0x80;
    for _ in 0..10 {
        let sender = aead.key(&authenc_key(&[7; 32], &[8; 16])).unwrap();
        assert_eq!(sender.seal(&number, b"", &[0; 16]).unwrap()[..16], want);
    }
}

#[test]
fn parts_that_a_template_would_misuse_are_refused() {
    for name in [
        "authenc(poly1305,ctr(aes))",
        "authenc(ghash,ctr(aes))",
        "authenc(polyval,ctr(aes))",
        "authenc(vmac64(aes),ctr(aes))",
        "authenc(nhpoly1305,ctr(aes))",
        "authenc(hmac(sha256),kw(aes))",
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
        "seqiv(seqiv(rfc4106(gcm(aes))))",
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
    for name in [
        "adiantum(chacha20,aes)",
        "adiantum(xchacha12,aes,poly1305)",
        "essiv(cbc(aes),hmac(sha256))",
        "essiv(rfc3686(ctr(aes)),sha256)",
    ] {
        let error = registry().skcipher(name).map(drop).unwrap_err();
        assert!(matches!(error, Error::BadParameters { .. }), "{name}: {error}");
    }
}

/// IPsec's associated data ends in the IV, or holds a sequence number of 8 bytes: what is shorter is refused.
#[test]
fn the_shortest_associated_data() {
    let authenc = authenc_key(&[1; 32], &[2; 16]);
    for (name, key, iv, least) in [
        ("essiv(authenc(hmac(sha256),cbc(aes)),sha256)", &authenc[..], 16, 16),
        ("authencesn(hmac(sha256),cbc(aes))", &authenc, 16, 8),
        ("rfc7539esp(chacha20,poly1305)", &[3; 36], 8, 8),
    ] {
        let aead = registry().aead(name).unwrap().key(key).unwrap();
        assert!(aead.seal(&vec![4; iv], &vec![5; least], &[6; 16]).is_ok(), "{name}");
        let short = aead.seal(&vec![4; iv], &vec![5; least - 1], &[6; 16]);
        assert!(matches!(short, Err(Error::AssocLength { .. })), "{name}: {short:?}");
    }
    let tags = &registry().aead("authencesn(hmac(sha256),cbc(aes))").unwrap().driver().shape.tags.clone();
    assert!(tags.allows(4) && !tags.allows(3), "room for half of the sequence number");
}

/// The kernel's attribute: its length and its type are checked.
#[test]
fn a_key_of_authenc_begins_with_its_header() {
    let key = authenc_key(&[1; 20], &[2; 16]);
    assert_eq!(algkit::split_authenc_key(&key), Some((&[1; 20][..], &[2; 16][..])));
    for at in 0..4 {
        let mut other = key.clone();
        other[at] ^= 2;
        assert_eq!(algkit::split_authenc_key(&other), None, "byte {at}");
    }
}

/// RFC 3962, section 5: the next IV is the ciphertext's last block but one, for both sides.
#[test]
fn ciphertext_stealing_hands_on_the_last_block_but_one() {
    let cts = registry().skcipher("cts(cbc(aes))").unwrap().key(&[1; 16]).unwrap();
    for (len, at) in [(17, 0), (32, 0), (33, 16), (100, 80)] {
        let (mut text, mut sent, mut received) = (vec![2; len], [3; 16], [3; 16]);
        cts.encrypt(&mut sent, &mut text).unwrap();
        assert_eq!(sent, text[at..at + 16], "{len} bytes");
        cts.decrypt(&mut received, &mut text).unwrap();
        assert_eq!(received, sent, "{len} bytes, decrypted");
    }
}

/// The key of VMAC begins with a nonce whose first bit is 0.
#[test]
fn a_nonce_of_vmac_has_127_bits() {
    let vmac = registry().hash("vmac64(aes)").unwrap();
    assert!(vmac.key(&[0x7f; 32]).is_ok() && vmac.key(&[0x80; 32]).is_err());
}

/// CAST6 takes keys of 20 bytes, which are no whole words of 8 bytes.
#[test]
#[cfg(feature = "legacy")]
fn halves_of_an_xts_key_that_differ_at_the_end_differ() {
    let xts = Registry::new(CpuFeatures::detect(), Policy::Table).skcipher("xts(cast6)").unwrap();
    let mut key = [1; 40];
    assert!(matches!(xts.key(&key), Err(Error::BadKey { .. })));
    key[39] = 2;
    assert!(xts.key(&key).is_ok());
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
            algkit::batch::run(&mut requests).check().unwrap();
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
