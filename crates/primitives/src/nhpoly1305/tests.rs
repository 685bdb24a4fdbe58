use super::*;
use crate::cpu::CpuFeatures;
use crate::hash::check;
use ::poly1305::universal_hash::KeyInit;
use std::vec::Vec;

/// NHPoly1305 by its definition: NH word by word, and Poly1305 by RustCrypto.
fn peer(key: &[u8; KEY], message: &[u8]) -> Vec<u8> {
    let word = |bytes: &[u8], i: usize| u32::from_le_bytes(bytes[4 * i..4 * i + 4].try_into().unwrap());
    let mut hashed = Vec::new();
    for chunk in message.chunks(CHUNK) {
        let mut chunk = chunk.to_vec();
        chunk.resize(chunk.len().next_multiple_of(UNIT), 0);
        for pass in 0..PASSES {
            let mut sum = 0u64;
            for i in (0..chunk.len() / 4).step_by(4) {
                let m = |j: usize| u64::from(word(&chunk, i + j).wrapping_add(word(&key[16..], i + 4 * pass + j)));
                sum = sum.wrapping_add(m(0).wrapping_mul(m(2))).wrapping_add(m(1).wrapping_mul(m(3)));
            }
            hashed.extend_from_slice(&sum.to_le_bytes());
        }
    }
    let mut poly1305 = [0; 32];
    poly1305[..16].copy_from_slice(&key[..16]);
    ::poly1305::Poly1305::new(&poly1305.into()).compute_unpadded(&hashed).to_vec()
}

fn definition<T: ChaChaVectors>() {
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    for key in [check::Random(3).bytes(KEY), std::vec![0xff; KEY]] {
        let key: [u8; KEY] = key.try_into().unwrap();
        check::against(|| NhPoly1305::new(token, &key), |message| peer(&key, message));
        let ones = [0xff; 4096];
        assert_eq!(check::digest(NhPoly1305::new(token, &key), &ones), peer(&key, &ones));
    }
}

#[test]
fn the_definition_over_another_poly1305() {
    definition::<Portable>();
    #[cfg(target_arch = "x86_64")]
    {
        definition::<crate::cpu::Sse2>();
        definition::<crate::cpu::Avx2>();
        definition::<crate::cpu::Avx512>();
    }
    #[cfg(target_arch = "aarch64")]
    definition::<crate::cpu::Neon>();
}

#[test]
fn a_state_that_cannot_be_is_refused() {
    let new = || NhPoly1305::new(Portable::new(), &[7; KEY]);
    let mut state = new();
    state.update(&[1; 1064]);
    let mut out = [0; 100];
    let mut to = Writer::new(&mut out);
    state.export(&mut to);
    let len = to.len();
    assert!(new().import(&mut Reader::new(&out[..len])).is_some());
    // Invalid numbers of bytes in `sums`, which stand behind the value (24 bytes) and the sums (32 bytes).
    for at in [8u32, 1024, u32::MAX] {
        out[56..60].copy_from_slice(&at.to_le_bytes());
        assert!(new().import(&mut Reader::new(&out[..len])).is_none(), "{at}");
    }
}
