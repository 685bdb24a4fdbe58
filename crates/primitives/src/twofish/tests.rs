use super::{
    tables::{multiply, rs_remainder},
    *,
};
use ::twofish::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use proptest::prelude::*;
use std::vec::Vec;

/// The permutations begin as the tables of the submission's reference code.
#[test]
fn permutations() {
    assert_eq!(Q[0][..8], [0xa9, 0x67, 0xb3, 0xe8, 0x04, 0xfd, 0xa3, 0x76]);
    assert_eq!(Q[1][..8], [0x75, 0xf3, 0xc6, 0xf4, 0xdb, 0x7b, 0xfb, 0xc8]);
    for q in &Q {
        let mut sorted = *q;
        sorted.sort_unstable();
        assert!(sorted.iter().enumerate().all(|(i, &x)| i == x as usize));
    }
}

/// Both functions are linear, so agreement on every byte in every place, with zeros elsewhere, proves them equal.
#[test]
fn the_remainder_is_the_product_with_the_printed_matrix() {
    const RS: [[u8; 8]; 4] = [
        [0x01, 0xa4, 0x55, 0x87, 0x5a, 0x58, 0xdb, 0x9e],
        [0xa4, 0x56, 0x82, 0xf3, 0x1e, 0xc6, 0x68, 0xe5],
        [0x02, 0xa1, 0xfc, 0xc1, 0x47, 0xae, 0x3d, 0x19],
        [0xa4, 0x55, 0x87, 0x5a, 0x58, 0xdb, 0x9e, 0x03],
    ];
    for i in 0..8 {
        for x in 0..=255 {
            let mut bytes = [0; 8];
            bytes[i] = x;
            assert_eq!(rs_remainder(&bytes), RS.map(|row| multiply(x, row[i], 0x14d)), "byte {i} = {x:#x}");
        }
    }
    let key: [u8; 8] = core::array::from_fn(|i| 0x31 + 29 * i as u8);
    let sum = (0..8)
        .fold([0; 4], |sum: [u8; 4], i| core::array::from_fn(|row| sum[row] ^ multiply(key[i], RS[row][i], 0x14d)));
    assert_eq!(rs_remainder(&key), sum);
}

fn encrypted(key: &[u8], block: [u8; 16]) -> [u8; 16] {
    let twofish = Twofish::new(key).unwrap();
    let mut out = block;
    twofish.encrypt_blocks(InOut::from(&mut out[..]));
    let mut back = out;
    twofish.decrypt_blocks(InOut::from(&mut back[..]));
    assert_eq!(back, block);
    out
}

/// The full encryptions of the submission's appendix A.
#[test]
fn published_vectors() {
    let key: [u8; 32] = [
        0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10, //
        0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff,
    ];
    let cases: [(&[u8], u128); 3] = [
        (&[0; 16], 0x9f589f5cf6122c32b6bfec2f2ae8c35a),
        (&key[..24], 0xcfd1d2e5a9be9cdf501f13b892bd2248),
        (&key, 0x37527be0052334b89f0cfccae87cfa20),
    ];
    for (key, want) in cases {
        assert_eq!(encrypted(key, [0; 16]), want.to_be_bytes(), "key of {} bytes", key.len());
    }
}

/// The submission's chain of 49 encryptions (appendix A), beginning with zeros. Each plaintext is the previous
/// ciphertext. Each key is the previous plaintext, followed by as much of the previous key as fits.
#[test]
fn published_chain() {
    let cases = [
        (
            16,
            [
                0x9f589f5cf6122c32b6bfec2f2ae8c35a,
                0xd491db16e7b1c39e86cb086b789f5419,
                0x5d9d4eeffa9151575524f115815a12e0,
            ],
        ),
        (
            24,
            [
                0xefa71f788965bd4453f860178fc19101,
                0x88b2b2706b105e36b446bb6d731a1e88,
                0xe75449212beef9f4a390bd860a640941,
            ],
        ),
        (
            32,
            [
                0x57ff739d4dc92c1bd7fc01700cc8216f,
                0xd43bb7556ea32e46f2a282b7d45b4e0d,
                0x37fe26ff1cf66175f5ddf4c33b97a205,
            ],
        ),
    ];
    for (len, [first, second, last]) in cases {
        let (mut key, mut plain) = ([0; 48], [0; 16]);
        let mut chain = Vec::new();
        for _ in 0..49 {
            let cipher = encrypted(&key[..len], plain);
            key.copy_within(..32, 16);
            key[..16].copy_from_slice(&plain);
            plain = cipher;
            chain.push(u128::from_be_bytes(cipher));
        }
        assert_eq!([chain[0], chain[1], chain[48]], [first, second, last], "key of {len} bytes");
    }
}

#[test]
fn lengths_of_keys() {
    for len in 0..=40 {
        assert_eq!(Twofish::new(&[7; 40][..len]).is_some(), matches!(len, 16 | 24 | 32), "{len} bytes");
    }
}

/// The whole blocks of `src`, encrypted or decrypted by RustCrypto.
fn peer(key: &[u8], src: &[u8], encrypt: bool) -> Vec<u8> {
    let twofish = ::twofish::Twofish::new_from_slice(key).unwrap();
    let mut out = src.to_vec();
    for block in out.chunks_exact_mut(16) {
        let block = block.try_into().unwrap();
        if encrypt { twofish.encrypt_block(block) } else { twofish.decrypt_block(block) }
    }
    out
}

proptest! {
    /// Any number of blocks, with and without bytes beyond the last, in place and out of place.
    #[test]
    fn agrees_with_rustcrypto(
        key in prop::sample::select(&[16usize, 24, 32][..]).prop_flat_map(|n| prop::collection::vec(any::<u8>(), n)),
        src in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let twofish = Twofish::new(&key).unwrap();
        let whole = src.len() - src.len() % 16;
        for encrypt in [true, false] {
            let run = |data: InOut<'_>| if encrypt { twofish.encrypt_blocks(data) } else { twofish.decrypt_blocks(data) };
            let want = peer(&key, &src, encrypt);
            let mut out = src.clone();
            run(InOut::from(&mut out[..]));
            prop_assert_eq!(&out, &want, "in place");

            let mut out = std::vec![0xee; src.len()];
            run(InOut::new(&src, &mut out).unwrap());
            prop_assert_eq!(&out[..whole], &want[..whole], "out of place");
            prop_assert!(out[whole..].iter().all(|&b| b == 0xee), "no more than whole blocks");
        }
    }
}
