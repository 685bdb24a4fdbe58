use super::*;
use crate::cpu::{self, CpuFeatures};
use crate::hash::check;
use blake2::digest::{FixedOutput, KeyInit, Update, consts};
use blake2::{Blake2bMac512, Blake2sMac256, Digest};
use std::vec::Vec;

fn keyed<M: KeyInit + Update + FixedOutput>(key: &[u8], message: &[u8]) -> Vec<u8> {
    let mut mac = <M as KeyInit>::new_from_slice(key).expect("key");
    mac.update(message);
    mac.finalize_fixed().to_vec()
}

/// The self-test of RFC 7693, appendix E: the hash of hashes over many lengths, with and without a key.
fn self_test(digests: [usize; 4], inputs: [usize; 6], hash: impl Fn(usize, &[u8], &[u8]) -> Vec<u8>) -> Vec<u8> {
    /// "Deterministic sequences (Fibonacci generator)".
    fn sequence(len: usize, seed: u32) -> Vec<u8> {
        let (mut a, mut b) = (0xdead_4badu32.wrapping_mul(seed), 1u32);
        (0..len)
            .map(|_| {
                let t = a.wrapping_add(b);
                (a, b) = (b, t);
                (t >> 24) as u8
            })
            .collect()
    }
    let mut all = Vec::new();
    for digest in digests {
        for input in inputs {
            let message = sequence(input, input as u32);
            all.extend(hash(digest, &[], &message));
            let key = sequence(digest, digest as u32);
            all.extend(hash(digest, &key, &message));
        }
    }
    hash(32, &[], &all)
}

fn driver_b<T: Compress<u64>>() {
    let Some(t) = T::detect(CpuFeatures::detect()) else { return };
    let hash = |len, key: &[u8], message: &[u8]| check::digest(Blake2b::new(t, len, key).expect("lengths"), message);
    // RFC 7693, appendices A and E.
    assert_eq!(
        hex::encode(hash(64, b"", b"abc")),
        "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1\
         7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"
    );
    assert_eq!(
        hex::encode(self_test([20, 32, 48, 64], [0, 3, 128, 129, 255, 1024], hash)),
        "c23a7800d98123bd10f506c61e29da5603d763b8bbad2e737f5e765a7bccd475"
    );
    let new = |len| Blake2b::new(t, len, b"").expect("length");
    check::against(|| new(1), |m| blake2::Blake2b::<consts::U1>::digest(m).to_vec());
    check::against(|| new(20), |m| blake2::Blake2b::<consts::U20>::digest(m).to_vec());
    check::against(|| new(63), |m| blake2::Blake2b::<consts::U63>::digest(m).to_vec());
    check::against(|| new(64), |m| blake2::Blake2b512::digest(m).to_vec());
    check::beyond_32_bits(
        new(64),
        &[
            "fd58bb429e93f51ee8cc09be7a8febd759c5c28bf7b862ef68ff94e446fa6d2f306ff073fa037ef26510f79721d5c2d8172e\
             3e7eeb9229321ae1f28bd87f884000ffffff0000000080",
            &"00".repeat(128),
        ]
        .concat(),
        "02a6a0a3801b69671e23ff841c47d04bd5b6db019231016356c615401dcfed1a7f9732bd477dfa62c49a0b87a6f2d517ff74\
         5de01eff381cc5e41b091539fdb2",
    );
    for key in [&b"k"[..], &[7; 33], &[9; 64]] {
        check::against(|| Blake2b::new(t, 64, key).expect("lengths"), |m| keyed::<Blake2bMac512>(key, m));
    }
    assert!(Blake2b::new(t, 0, b"").is_none() && Blake2b::new(t, 65, b"").is_none());
    assert!(Blake2b::new(t, 64, &[0; 65]).is_none());
}

fn driver_s<T: Compress<u32>>() {
    let Some(t) = T::detect(CpuFeatures::detect()) else { return };
    let hash = |len, key: &[u8], message: &[u8]| check::digest(Blake2s::new(t, len, key).expect("lengths"), message);
    // RFC 7693, appendices B and E.
    assert_eq!(hex::encode(hash(32, b"", b"abc")), "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982");
    assert_eq!(
        hex::encode(self_test([16, 20, 28, 32], [0, 3, 64, 65, 255, 1024], hash)),
        "6a411f08ce25adcdfb02aba641451cec53c598b24f4fc787fbdc88797f4c1dfe"
    );
    let new = |len| Blake2s::new(t, len, b"").expect("length");
    check::against(|| new(1), |m| blake2::Blake2s::<consts::U1>::digest(m).to_vec());
    check::against(|| new(19), |m| blake2::Blake2s::<consts::U19>::digest(m).to_vec());
    check::against(|| new(32), |m| blake2::Blake2s256::digest(m).to_vec());
    check::beyond_32_bits(
        new(32),
        &["acd7b7ebadebe47efeb96f6b70d28c8a98bcfdd2dd661d71e30447f378b1e6fd40ffffff0000000040", &"00".repeat(64)]
            .concat(),
        "988c1105a0e2274b844388759c32025d209108db0e4b969699d25004041ac205",
    );
    for key in [&b"k"[..], &[7; 17], &[9; 32]] {
        check::against(|| Blake2s::new(t, 32, key).expect("lengths"), |m| keyed::<Blake2sMac256>(key, m));
    }
    assert!(Blake2s::new(t, 0, b"").is_none() && Blake2s::new(t, 33, b"").is_none());
    assert!(Blake2s::new(t, 32, &[0; 33]).is_none());
}

#[test]
fn every_driver() {
    driver_b::<cpu::Portable>();
    driver_s::<cpu::Portable>();
    #[cfg(target_arch = "x86_64")]
    {
        driver_b::<cpu::Avx2>();
        driver_b::<cpu::Avx512>();
        driver_s::<cpu::Avx2>();
        driver_s::<cpu::Avx512>();
    }
}
