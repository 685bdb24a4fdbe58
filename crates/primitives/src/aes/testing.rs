//! Helpers that the tests of the modes share.

use crate::InOut;
use std::{vec, vec::Vec};

/// Runs `$check::<T>()` for every token of this architecture. A check returns at once if the CPU lacks the features.
macro_rules! each_token {
    ($check:ident) => {{
        #[cfg(target_arch = "x86_64")]
        {
            $check::<crate::cpu::AesNi>();
            $check::<crate::cpu::Vaes256>();
            $check::<crate::cpu::Vaes512>();
        }
        #[cfg(target_arch = "aarch64")]
        {
            $check::<crate::cpu::Neon>();
            $check::<crate::cpu::ArmCe>();
        }
        #[cfg(all(target_arch = "arm", unix))]
        $check::<crate::cpu::ArmCe>();
        #[cfg(target_arch = "powerpc64")]
        {
            $check::<crate::cpu::Altivec>();
            $check::<crate::cpu::Power8>();
        }
        #[cfg(target_arch = "riscv64")]
        $check::<crate::cpu::Zkned>();
    }};
}

/// Evaluates `$body` with `$C` as RustCrypto's AES for a key of `$len` bytes.
macro_rules! with_aes {
    ($len:expr, $C:ident => $body:expr) => {
        match $len {
            16 => {
                type $C = aes::Aes128;
                $body
            }
            24 => {
                type $C = aes::Aes192;
                $body
            }
            _ => {
                type $C = aes::Aes256;
                $body
            }
        }
    };
}

pub(crate) use {each_token, with_aes};

/// `n` pseudorandom bytes that depend on `seed` (SplitMix64).
pub(crate) fn bytes(seed: u64, n: usize) -> Vec<u8> {
    let words = (1..=n.div_ceil(8) as u64).flat_map(|i| {
        let mut z = (seed << 32).wrapping_add(i.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)).to_le_bytes()
    });
    words.take(n).collect()
}

/// A pseudorandom block that depends on `seed`.
pub(crate) fn block(seed: u64) -> [u8; 16] {
    bytes(seed, 16).try_into().unwrap()
}

/// The bytes of a hexadecimal string.
pub(crate) fn hex<const N: usize>(digits: &str) -> [u8; N] {
    hex::decode(digits).unwrap().try_into().unwrap()
}

/// Every length up to 600, and some up to 4200.
pub(crate) fn lengths() -> impl Iterator<Item = usize> {
    let more = bytes(4200, 80);
    let more: Vec<_> = more.chunks(2).map(|b| 600 + usize::from(u16::from_le_bytes([b[0], b[1]])) % 3600).collect();
    (0..=600).chain(more)
}

/// The result of `run` on `src`, which must be the same in place and out of place, at an odd address. Nothing but the
/// destination may change.
pub(crate) fn apply(src: &[u8], mut run: impl FnMut(InOut<'_>)) -> Vec<u8> {
    // As a trait object, so that the rest is compiled once.
    apply_dyn(src, &mut run)
}

fn apply_dyn(src: &[u8], run: &mut dyn FnMut(InOut<'_>)) -> Vec<u8> {
    let n = src.len();
    let mut framed = vec![0xa5; n + 129];
    run(InOut::new(src, &mut framed[65..65 + n]).unwrap());
    let out_of_place = framed[65..65 + n].to_vec();
    framed[65..65 + n].copy_from_slice(src);
    run(InOut::from(&mut framed[65..65 + n]));
    assert!(framed[65..65 + n] == out_of_place, "in place and out of place differ at {n} bytes");
    assert!(framed[..65].iter().chain(&framed[65 + n..]).all(|&b| b == 0xa5), "wrote outside at {n} bytes");
    out_of_place
}
