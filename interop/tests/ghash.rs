//! GHASH and POLYVAL by means of AES-GCM. Without text, the tag is GHASH of the padded associated data and its length,
//! under the key E(K, 0), masked with E(K, nonce ‖ 1) (SP 800-38D, 7.1). POLYVAL is GHASH with the bytes of each block
//! and of the key reversed, and the key multiplied by x (RFC 8452, appendix A).

use algkit::Direction::Encrypt;
use algkit_interop::{Library, drivers, gcrypt::Gcrypt, openssl::OpenSsl};
use proptest::prelude::*;

/// E(K, 0), and GHASH under that key of `assoc`, padded and followed by its length.
fn ghash(library: &dyn Library, key: &[u8; 16], assoc: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let ecb = library.skcipher("ecb(aes)", 16).expect("AES");
    let gcm = library.aead("gcm(aes)", 16).expect("AES-GCM");
    let mask = ecb(Encrypt, key, &[], &[[0; 15].as_slice(), &[1]].concat());
    let tag = gcm(key, &[0; 12], assoc, &[], 16);
    (ecb(Encrypt, key, &[], &[0; 16]), tag.iter().zip(mask).map(|(t, m)| t ^ m).collect())
}

fn message(assoc: &[u8]) -> Vec<u8> {
    let mut message = assoc.to_vec();
    message.resize(assoc.len().next_multiple_of(16), 0);
    message.extend((8 * assoc.len() as u64).to_be_bytes());
    message.extend([0; 8]);
    message
}

fn reversed(blocks: &[u8]) -> Vec<u8> {
    blocks.chunks(16).flat_map(|block| block.iter().rev().copied()).collect()
}

/// The key that, multiplied by x, is the byte-reversed GHASH key `h`. GHASH has the coefficient of x^0 in the highest
/// bit of the first byte, and x^128 = x^7 + x^2 + x + 1.
fn divided_by_x(h: &[u8]) -> u128 {
    const POLYNOMIAL: u128 = 0xe1 << 120;
    let h = u128::from_be_bytes(h.try_into().expect("16 bytes"));
    if h >> 127 == 1 { (h ^ POLYNOMIAL) << 1 | 1 } else { h << 1 }
}

fn check(name: &str, key: &[u8], message: &[u8], want: &[u8]) -> Result<(), TestCaseError> {
    for choice in drivers::of(name) {
        let hash = choice.registry.hash(&choice.driver).and_then(|h| h.key(key)).expect("a 16-byte key");
        prop_assert_eq!(&hash.digest(message), want, "{}", &choice.label);
        let mut state = hash.start();
        message.chunks(33).for_each(|piece| state.update(piece));
        prop_assert_eq!(&state.finish(), want, "{} in pieces", &choice.label);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn through_gcm(key: [u8; 16], assoc in proptest::collection::vec(any::<u8>(), 0..2000)) {
        for library in [&OpenSsl::new() as &dyn Library, &Gcrypt::new()] {
            let (h, digest) = ghash(library, &key, &assoc);
            check("ghash", &h, &message(&assoc), &digest)?;
            let polyval_key = reversed(&divided_by_x(&h).to_be_bytes());
            check("polyval", &polyval_key, &reversed(&message(&assoc)), &reversed(&digest))?;
        }
    }
}
