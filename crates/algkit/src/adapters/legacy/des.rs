//! The weak keys of DES (FIPS 74 section 3.6, SP 800-67 section 3.3.2) and triple DES (RFC 2451
//! section 2.2).
//!
//! DES splits the 56 bits of its key into two registers C and D and rotates them for each round. If each register
//! is all zeros, all ones or alternating, the round keys are the same in both directions (four weak keys), or those
//! of one key are those of another in reverse (twelve semi-weak keys). As bytes without the parity in the lowest
//! bit, these are the sixteen keys `a b a b a' b' a' b'` where each of `a a'` and `b b'` is `00 00`, `1e 0e`, `e0
//! f0` or `fe fe`.

use super::ciphers::KeyRule;

/// The bits of a DES key other than parity.
const KEY_BITS: u64 = 0xfefe_fefe_fefe_fefe;

/// The byte pairs of weak keys: the first is repeated in the key's first half, the second in its second half.
const REPEATED: [(u64, u64); 4] = [(0x00, 0x00), (0x1e, 0x0e), (0xe0, 0xf0), (0xfe, 0xfe)];

fn is_weak(key: u64) -> bool {
    let pairs = || REPEATED.into_iter();
    let equals = |(a, a2): (u64, u64), (b, b2): (u64, u64)| {
        key == (a << 56 | b << 48 | a << 40 | b << 32 | a2 << 24 | b2 << 16 | a2 << 8 | b2)
    };
    pairs().flat_map(|a| pairs().map(move |b| (a, b))).fold(false, |weak, (a, b)| weak | equals(a, b))
}

/// The DES keys in `key`, without parity.
fn subkeys(key: &[u8]) -> impl Iterator<Item = u64> {
    key.chunks(8).map(|k| k.iter().fold(0, |v, &b| v << 8 | u64::from(b)) & KEY_BITS)
}

/// The rule for DES.
pub(crate) struct Single;

impl KeyRule for Single {
    fn objection(key: &[u8]) -> Option<&'static str> {
        subkeys(key).any(is_weak).then_some("a weak or semi-weak key of DES")
    }
}

/// The rule for triple DES: with two equal adjacent keys it is single DES.
pub(crate) struct Triple;

impl KeyRule for Triple {
    fn objection(key: &[u8]) -> Option<&'static str> {
        let (first, second) = (subkeys(key), subkeys(key).skip(1));
        first.zip(second).any(|(a, b)| a == b).then_some("two successive keys of triple DES are equal")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Error, Policy, Registry, WeakKeys};
    use ::des::cipher::{Array, BlockCipherEncrypt, KeyInit};
    use hex_literal::hex;

    /// The keys printed in SP 800-67 revision 2, section 3.3.2, with odd parity.
    const PRINTED: [[u8; 8]; 16] = [
        hex!("0101010101010101"),
        hex!("fefefefefefefefe"),
        hex!("e0e0e0e0f1f1f1f1"),
        hex!("1f1f1f1f0e0e0e0e"),
        hex!("011f011f010e010e"),
        hex!("1f011f010e010e01"),
        hex!("01e001e001f101f1"),
        hex!("e001e001f101f101"),
        hex!("01fe01fe01fe01fe"),
        hex!("fe01fe01fe01fe01"),
        hex!("1fe01fe00ef10ef1"),
        hex!("e01fe01ff10ef10e"),
        hex!("1ffe1ffe0efe0efe"),
        hex!("fe1ffe1ffe0efe0e"),
        hex!("e0fee0fef1fef1fe"),
        hex!("fee0fee0fef1fef1"),
    ];

    #[test]
    fn the_sixteen_keys_with_any_parity_and_no_neighbour() {
        for key in PRINTED {
            for parity in 0..=255u8 {
                let flipped: [u8; 8] = std::array::from_fn(|i| key[i] ^ (parity >> i & 1));
                assert!(Single::objection(&flipped).is_some(), "{flipped:02x?}");
            }
            for bit in (0..64).filter(|bit| bit % 8 != 0) {
                let mut other = key;
                other[bit / 8] ^= 1 << (bit % 8);
                assert!(Single::objection(&other).is_none(), "{other:02x?}");
            }
        }
    }

    #[test]
    fn two_weak_keys_undo_each_other() {
        for key in PRINTED {
            let swapped = if key[0] == key[1] { key } else { [1, 0, 3, 2, 5, 4, 7, 6].map(|i: usize| key[i]) };
            let mut block = Array([0, 1, 2, 3, 4, 5, 6, 7]);
            ::des::Des::new(&Array(key)).encrypt_block(&mut block);
            ::des::Des::new(&Array(swapped)).encrypt_block(&mut block);
            assert_eq!(block.0, [0, 1, 2, 3, 4, 5, 6, 7], "{key:02x?}");
        }
    }

    #[test]
    fn refused_unless_allowed() {
        let registry = Registry::new(Default::default(), Policy::Table);
        let refused = |name: &str, key: &[u8]| {
            registry.cipher(name).unwrap().key_with(key, WeakKeys::Allow).unwrap();
            match registry.cipher(name).unwrap().key(key) {
                Ok(_) => false,
                Err(Error::BadKey { name: n, .. }) => n == name,
                Err(other) => panic!("{other}"),
            }
        };
        let (k1, k2, k3) = (*b"\x12one\x01\x02\x03\x04", *b"\x12two\x01\x02\x03\x04", *b"\x12six\x01\x02\x03\x04");
        assert!(refused("des", &PRINTED[5]) && !refused("des", &k1));
        for (keys, weak) in [
            ([k1, k2, k3], false),
            ([k1, k2, k1], false),
            ([k1, k1, k3], true),
            ([k1, k2, k2], true),
            ([k1, k1.map(|b| b ^ 1), k3], true),
            ([PRINTED[0], PRINTED[1], PRINTED[2]], false),
        ] {
            assert_eq!(refused("des3_ede", keys.as_flattened()), weak, "{keys:02x?}");
        }
    }
}
