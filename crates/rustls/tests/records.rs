//! Records as rustls hands them over, beside those of ring with the same keys, and what is no record.

use algkit_rustls::{ALL_CIPHER_SUITES, cipher_suite::*};
use rustls::{
    ContentType, Error, ProtocolVersion, SupportedCipherSuite,
    crypto::{
        cipher::{
            AeadKey, InboundOpaqueMessage, Iv, MessageDecrypter, MessageEncrypter, OutboundChunks, OutboundPlainMessage,
        },
        ring,
    },
};

/// Keys of 16 bytes can only be made by rustls itself; the tests of connections have them.
const KEY_256: [SupportedCipherSuite; 4] = [
    TLS13_AES_256_GCM_SHA384,
    TLS13_CHACHA20_POLY1305_SHA256,
    TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
    TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
];

const EXTRA: [u8; 8] = [0xf0, 0xe1, 0xd2, 0xc3, 0xb4, 0xa5, 0x96, 0x87];

fn of_ring(suite: SupportedCipherSuite) -> SupportedCipherSuite {
    *ring::ALL_CIPHER_SUITES.iter().find(|other| other.suite() == suite.suite()).unwrap()
}

fn sides(suite: SupportedCipherSuite) -> (Box<dyn MessageEncrypter>, Box<dyn MessageDecrypter>) {
    let key = || AeadKey::from(std::array::from_fn(|i| i as u8));
    match suite {
        SupportedCipherSuite::Tls13(suite) => {
            let iv = || Iv::from(std::array::from_fn(|i| 0x80 + i as u8));
            (suite.aead_alg.encrypter(key(), iv()), suite.aead_alg.decrypter(key(), iv()))
        }
        SupportedCipherSuite::Tls12(suite) => {
            let shape = suite.aead_alg.key_block_shape();
            let iv: Vec<u8> = (0x40..).take(shape.fixed_iv_len).collect();
            let encrypter = suite.aead_alg.encrypter(key(), &iv, &EXTRA[..shape.explicit_nonce_len]);
            (encrypter, suite.aead_alg.decrypter(key(), &iv))
        }
    }
}

fn sealed(encrypter: &mut dyn MessageEncrypter, text: OutboundChunks<'_>, seq: u64) -> Vec<u8> {
    let message =
        OutboundPlainMessage { typ: ContentType::ApplicationData, version: ProtocolVersion::TLSv1_2, payload: text };
    let expected = encrypter.encrypted_payload_len(message.payload.len());
    let record = encrypter.encrypt(message, seq).unwrap().encode();
    assert_eq!(record.len(), 5 + expected);
    record[5..].to_vec()
}

fn opened(decrypter: &mut dyn MessageDecrypter, record: &mut [u8], seq: u64) -> Result<Vec<u8>, Error> {
    let message = InboundOpaqueMessage::new(ContentType::ApplicationData, ProtocolVersion::TLSv1_2, record);
    decrypter.decrypt(message, seq).map(|plain| plain.payload.to_vec())
}

#[test]
fn records_are_those_of_ring() {
    for suite in KEY_256 {
        let ((mut ours, mut our_reader), (mut rings, mut ring_reader)) = (sides(suite), sides(of_ring(suite)));
        for (len, seq) in
            [(0, 0), (1, 1), (15, 2), (16, 255), (1350, 256), (16_384, u64::from(u32::MAX) + 1), (100, u64::MAX)]
        {
            let text: Vec<u8> = (0..len).map(|i| (i * 7) as u8).collect();
            let record = sealed(&mut *ours, OutboundChunks::Single(&text), seq);
            assert_eq!(record, sealed(&mut *rings, OutboundChunks::Single(&text), seq), "{suite:?}, {len}");
            let (front, back) = text.split_at(text.len() / 3);
            assert_eq!(record, sealed(&mut *ours, OutboundChunks::new(&[front, back]), seq), "{suite:?}, {len}");
            assert_eq!(opened(&mut *our_reader, &mut record.clone(), seq).unwrap(), text);
            assert_eq!(opened(&mut *ring_reader, &mut record.clone(), seq).unwrap(), text);
            // Another number, and any changed byte.
            assert_eq!(opened(&mut *our_reader, &mut record.clone(), seq ^ 1).unwrap_err(), Error::DecryptError);
            for place in [0, record.len() / 2, record.len() - 1] {
                let mut forged = record.clone();
                forged[place] ^= 0x10;
                assert_eq!(opened(&mut *our_reader, &mut forged, seq).unwrap_err(), Error::DecryptError);
            }
        }
    }
}

#[test]
fn short_and_oversized_records_are_refused() {
    for suite in KEY_256 {
        let (mut encrypter, mut decrypter) = sides(suite);
        for len in 0..40 {
            assert_eq!(opened(&mut *decrypter, &mut vec![0; len], 0).unwrap_err(), Error::DecryptError);
        }
        let mut record = sealed(&mut *encrypter, OutboundChunks::Single(&[1; (1 << 14) + 1]), 0);
        assert_eq!(opened(&mut *decrypter, &mut record, 0).unwrap_err(), Error::PeerSentOversizedRecord);
    }
}

/// RFC 5288, section 3: the explicit part of the nonce is the sender's choice, and never the same twice under a key.
#[test]
fn gcm_of_tls_1_2_shows_a_nonce_that_counts() {
    let (mut encrypter, mut decrypter) = sides(TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384);
    let first = u64::from_be_bytes(EXTRA);
    for seq in [0, 1, 2, 1 << 40, u64::MAX] {
        let record = sealed(&mut *encrypter, OutboundChunks::Single(b"text"), seq);
        assert_eq!(u64::from_be_bytes(record[..8].try_into().unwrap()), first ^ seq);
    }
    // A peer that counts otherwise is understood: ring's sides with another first nonce.
    let SupportedCipherSuite::Tls12(suite) = of_ring(TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384) else { unreachable!() };
    let key = AeadKey::from(std::array::from_fn(|i| i as u8));
    let mut other = suite.aead_alg.encrypter(key, &[0x40, 0x41, 0x42, 0x43], &[9; 8]);
    let mut record = sealed(&mut *other, OutboundChunks::Single(b"text"), 5);
    assert_eq!(opened(&mut *decrypter, &mut record, 5).unwrap(), b"text");
}

#[test]
fn hkdf() {
    // RFC 5869, A.1 and A.3.
    let hkdf = TLS13_AES_128_GCM_SHA256.tls13().unwrap().hkdf_provider;
    let expanded = |salt: Option<&[u8]>, info: &[&[u8]]| {
        let mut out = [0; 42];
        hkdf.extract_from_secret(salt, &[0x0b; 22]).expand_slice(info, &mut out).unwrap();
        hex::encode(out)
    };
    let salt: Vec<u8> = (0..=0x0c).collect();
    assert_eq!(
        expanded(Some(&salt), &[&[0xf0, 0xf1, 0xf2], &[0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9]]),
        "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
    );
    let without_salt = "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8";
    assert_eq!(expanded(Some(&[]), &[]), without_salt);
    assert_eq!(expanded(None, &[]), without_salt);
}

/// The hash of a transcript goes on after each look at it. FIPS 180-2, appendices B and D: "abc".
#[test]
fn transcripts() {
    let digests = [
        (TLS13_AES_128_GCM_SHA256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            TLS13_AES_256_GCM_SHA384,
            "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7",
        ),
    ];
    for (suite, abc) in digests {
        let hash = suite.tls13().unwrap().common.hash_provider;
        let mut transcript = hash.start();
        transcript.update(b"ab");
        let mut fork = transcript.fork();
        transcript.update(b"c");
        assert_eq!(hex::encode(transcript.fork_finish()), abc);
        transcript.update(b"d");
        fork.update(b"c");
        assert_eq!(hex::encode(fork.finish()), abc);
        assert_eq!(hex::encode(hash.hash(b"abc")), abc);
        assert_eq!(hash.output_len() * 2, abc.len());
        assert_ne!(hex::encode(transcript.finish()), abc);
    }
}

/// What a program leaves out of its provider stays out.
#[test]
fn the_choice_of_suites_is_that_of_the_base() {
    let ours = algkit_rustls::provider(ring::default_provider());
    assert_eq!(ours.cipher_suites, ring::default_provider().cipher_suites);
    assert_eq!(ours.cipher_suites, ALL_CIPHER_SUITES);
    let mut base = ring::default_provider();
    base.cipher_suites.retain(|suite| suite.tls13().is_some());
    base.cipher_suites.reverse();
    assert_eq!(algkit_rustls::provider(base.clone()).cipher_suites, base.cipher_suites);
    // Suites are equal when their numbers are. That these are not ring's shows in what they are made of.
    for (own, base) in ours.cipher_suites.iter().zip(ring::ALL_CIPHER_SUITES) {
        match (own, base) {
            (SupportedCipherSuite::Tls13(own), SupportedCipherSuite::Tls13(base)) => {
                assert!(!std::ptr::eq(*own, *base))
            }
            (SupportedCipherSuite::Tls12(own), SupportedCipherSuite::Tls12(base)) => {
                assert!(!std::ptr::eq(*own, *base))
            }
            _ => panic!("another version"),
        }
    }
}
