use super::clmul::{ClmulToken, ClmulVector, dot};
use super::{GHash, Polyval};
use crate::cpu::{CpuFeatures, Portable};
use crate::hash::Hash;
use crate::simd::Blocks;
use ::ghash::universal_hash::UniversalHash;
use std::vec::Vec;

/// Runs `$check::<T>()` for every token; a check returns at once if the CPU lacks the features.
macro_rules! every_token {
    ($check:ident) => {
        $check::<Portable>();
        #[cfg(target_arch = "x86_64")]
        {
            $check::<crate::cpu::Pclmul>();
            $check::<crate::cpu::AesNi>();
            $check::<crate::cpu::Vaes256>();
            $check::<crate::cpu::Vaes512>();
        }
        #[cfg(any(target_arch = "aarch64", all(target_arch = "arm", unix)))]
        {
            $check::<crate::cpu::Neon>();
            $check::<crate::cpu::ArmCe>();
        }
        #[cfg(target_arch = "powerpc64")]
        $check::<crate::cpu::Power8>();
        #[cfg(target_arch = "riscv64")]
        $check::<crate::cpu::Zbkc>();
    };
}

/// Q without x^128, and 1/x mod Q.
const Q: u128 = 1 << 127 | 1 << 126 | 1 << 121 | 1;
const X_INVERSE: u128 = 1 << 127 | 1 << 126 | 1 << 125 | 1 << 120;

fn times_x(a: u128) -> u128 {
    a << 1 ^ if a >> 127 != 0 { Q } else { 0 }
}

fn over_x(a: u128) -> u128 {
    a >> 1 ^ if a & 1 != 0 { X_INVERSE } else { 0 }
}

/// a·b·x^-128 mod Q, bit by bit.
fn dot_by_bits(a: u128, b: u128) -> u128 {
    let mut sum = 0;
    for i in 0..128 {
        sum = over_x(sum ^ if a >> i & 1 != 0 { b } else { 0 });
    }
    sum
}

fn random(seed: u64) -> impl FnMut() -> u128 {
    let mut state = seed;
    let mut next = move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    };
    move || u128::from(next()) << 64 | u128::from(next())
}

fn bytes(n: usize, seed: u64) -> Vec<u8> {
    let mut next = random(seed);
    (0..n).map(|_| next() as u8).collect()
}

/// The dots of vectors made of the first `T::V::BLOCKS` of four numbers each.
fn dots<T: ClmulToken>(token: T, a: [u128; 4], b: [u128; 4]) -> [u128; 4] {
    let [mut a, b] = [a, b].map(|v| v.map(u128::to_le_bytes));
    token.vectorize(
        #[inline(always)]
        || {
            let [x, y] = [&a, &b].map(|v| T::V::load(token, v.as_flattened()));
            dot(token, x, y).store(a.as_flattened_mut());
        },
    );
    a.map(u128::from_le_bytes)
}

#[test]
fn the_reference_knows_the_field() {
    assert_eq!(over_x(1), X_INVERSE);
    assert_eq!(times_x(X_INVERSE), 1);
    // RFC 8452 appendix A: mulX_POLYVAL.
    let a = u128::from_le_bytes(0x9c98c04df9387ded828175a92ba652d8u128.to_be_bytes());
    let b = u128::from_le_bytes(0x3931819bf271fada0503eb52574ca572u128.to_be_bytes());
    assert_eq!(times_x(a), b);
}

/// The product is linear in either factor, so agreement on all pairs of single bits is agreement on all pairs of
/// blocks. (That the portable product is linear is the claim of `dense`.)
fn basis<T: ClmulToken>() {
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    // x^(n-128) for n from 0 to 254.
    let mut powers = [0u128; 255];
    powers[128] = 1;
    for n in (0..128).rev() {
        powers[n] = over_x(powers[n + 1]);
    }
    for n in 129..255 {
        powers[n] = times_x(powers[n - 1]);
    }
    for i in 0..128 {
        for j in 0..128 {
            let a_at: [usize; 4] = core::array::from_fn(|lane| (i + 37 * lane) % 128);
            let b_at: [usize; 4] = core::array::from_fn(|lane| (j + 91 * lane) % 128);
            let got = dots(token, a_at.map(|i| 1 << i), b_at.map(|j| 1 << j));
            for lane in 0..T::V::BLOCKS {
                assert_eq!(got[lane], powers[a_at[lane] + b_at[lane]]);
            }
        }
    }
}

#[test]
fn all_pairs_of_bits() {
    every_token!(basis);
}

/// The unreduced products of single bits, in either half and in both, against the portable ones.
fn unreduced<T: ClmulToken>() {
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    fn parts<T: ClmulToken>(token: T, [a, b]: [u128; 2]) -> [[u8; 16]; 3] {
        let [a, b] = [a, b].map(u128::to_le_bytes);
        let mut out = [[0; 16]; 3];
        token.vectorize(
            #[inline(always)]
            || {
                let b = T::V::splat(token, &b);
                let parts = T::V::splat(token, &a).multiply(b, b.add_halves());
                out.iter_mut().zip(parts).for_each(|(out, part)| *out = part.first());
            },
        );
        out
    }
    for i in 0..64 {
        for j in 0..64 {
            for ends in [0, 1, 1 << 64, 1 << 64 | 1] {
                let factors = [ends << i, (1 << 64 | 1) << j];
                assert_eq!(parts(token, factors), parts(Portable::new(), factors), "{factors:x?}");
            }
        }
    }
}

#[test]
fn products_of_bits() {
    every_token!(unreduced);
}

/// Factors with as many bits as possible, where carries would reach beyond their holes.
fn dense<T: ClmulToken>() {
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    let mut next = random(1);
    let fourth = 0x1111_1111_1111_1111_1111_1111_1111_1111u128;
    let mut factors: Vec<u128> = (0..4).map(|i| fourth << i).collect();
    factors.extend([0, 1, !0, !0 << 64, !0 >> 64, !0 << 60, !0 >> 4]);
    factors.extend((0..40).map(|_| next()));
    factors.extend((0..20).map(|_| next() | next() | next()));
    for &a in &factors {
        for &b in &factors {
            let got = dots(token, [a, !a, b, !b], [b, b, !a, a]);
            let want = [dot_by_bits(a, b), dot_by_bits(!a, b), dot_by_bits(b, !a), dot_by_bits(!b, a)];
            let n = T::V::BLOCKS;
            assert_eq!(got[..n], want[..n], "{a:x} {b:x}");
        }
    }
}

#[test]
fn dense_factors() {
    every_token!(dense);
}

fn shapes<T: ClmulToken>() {
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    let data = bytes(64, 2);
    let n = T::V::BYTES;
    token.vectorize(
        #[inline(always)]
        || {
            let v = T::V::load(token, &data);
            let mut out = [0xee; 64];
            for keep in 0..=n {
                v.keep(keep).store(&mut out);
                assert_eq!(out[..keep], data[..keep]);
                assert!(out[keep..n].iter().all(|&b| b == 0));
            }
            for len in 0..=n {
                T::V::load_partial(token, &data[..len]).store(&mut out);
                assert_eq!(out[..len], data[..len]);
                assert!(out[len..n].iter().all(|&b| b == 0));
                out.fill(0xee);
                v.store_partial(&mut out[..len]);
                assert_eq!(out[..len], data[..len]);
                assert!(out[len..].iter().all(|&b| b == 0xee));
            }
            v.sum_blocks().store(&mut out);
            for (i, &sum) in out[..16].iter().enumerate() {
                assert_eq!(sum, data[..n].iter().skip(i).step_by(16).fold(0, |sum, b| sum ^ b));
            }
            assert!(out[16..n].iter().all(|&b| b == 0));
            T::V::load_first(token, data.first_chunk().unwrap()).store(&mut out);
            assert_eq!(out[..16], data[..16]);
            assert!(out[16..n].iter().all(|&b| b == 0));

            v.reverse_bytes().store(&mut out);
            for (a, b) in out[..n].chunks(16).zip(data.chunks(16)) {
                assert!(a.iter().eq(b.iter().rev()));
            }
            let ones = T::V::splat(token, &[0xff; 16]);
            v.add32(ones).store(&mut out);
            for (a, b) in out[..n].as_chunks().0.iter().zip(data.as_chunks().0) {
                assert_eq!(u32::from_le_bytes(*a), u32::from_le_bytes(*b).wrapping_sub(1));
            }
            v.add64(ones).store(&mut out);
            for (a, b) in out[..n].as_chunks().0.iter().zip(data.as_chunks().0) {
                assert_eq!(u64::from_le_bytes(*a), u64::from_le_bytes(*b).wrapping_sub(1));
            }
            assert_eq!(v.last()[..], data[n - 16..n]);
        },
    );
}

#[test]
fn loads_sums_and_masks() {
    every_token!(shapes);
}

fn digest(mut state: impl Hash, parts: &[&[u8]]) -> [u8; 16] {
    let [mut out, mut kept] = [[0; 16]; 2];
    assert_eq!(state.digest_size(), 16);
    state.digest_after(parts, &mut kept);
    for part in parts {
        state.update(part);
    }
    state.finish(&mut out);
    assert_eq!(out, kept, "another digest where the state is kept");
    out
}

fn block(hex: &str) -> [u8; 16] {
    hex::decode(hex).unwrap().try_into().unwrap()
}

fn vectors<T: ClmulToken>() {
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    // RFC 8452 appendix A.
    let h = block("25629347589242761d31f826ba4b757b");
    let x = hex::decode("4f4f95668c83dfb6401762bb2d01a262d1a24ddd2721d006bbe45f20d3c9f362").unwrap();
    assert_eq!(digest(Polyval::new(token, &h), &[&x]), block("f7a3b47b846119fae5b7866cf5e5b77e"));
    assert_eq!(digest(GHash::new(token, &h), &[&x]), block("bd9b3997046731fb96251b91f9c99d7a"));
    // RFC 8452 appendix C.1: record authentication key, POLYVAL input, POLYVAL result.
    let h = block("d9b360279694941ac5dbc6987ada7377");
    for (x, want) in [
        ("0100000000000000000000000000000000000000000000004000000000000000", "eb93b7740962c5e49d2a90a7dc5cec74"),
        ("0100000000000000000000000000000000000000000000006000000000000000", "48eb6c6c5a2dbe4a1dde508fee06361b"),
        ("0100000000000000000000000000000000000000000000008000000000000000", "20806c26e3c1de019e111255708031d6"),
    ] {
        assert_eq!(digest(Polyval::new(token, &h), &[&hex::decode(x).unwrap()]), block(want));
    }
    // The GCM specification of McGrew and Viega, test case 2.
    let h = block("66e94bd4ef8a2c3b884cfa59ca342b2e");
    let x = hex::decode("0388dace60b6a392f328c2b971b2fe7800000000000000000000000000000080").unwrap();
    assert_eq!(digest(GHash::new(token, &h), &[&x]), block("f38cbb1ad69223dcc3457ae5b6b0f885"));
    assert_eq!(digest(GHash::new(token, &h), &[]), [0; 16]);
}

#[test]
fn published_vectors() {
    every_token!(vectors);
}

fn peers<T: ClmulToken>() {
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    let data = bytes(4200, 3);
    let mut next = random(4);
    for i in 0..=1260 {
        let len = if i <= 1200 { i } else { next() as usize % 4201 };
        let (key, data) = (next().to_le_bytes(), &data[4200 - len..]);
        let mut cut = || if len == 0 { 0 } else { next() as usize % (len + 1) };
        let (a, b) = (cut(), cut());
        let (a, b) = (a.min(b), a.max(b));
        let parts = [&data[..a], &data[a..b], &data[b..]];

        let mut peer = ::ghash::GHash::new(&key.into());
        peer.update_padded(data);
        let want: [u8; 16] = peer.finalize().into();
        assert_eq!(digest(GHash::new(token, &key), &[data]), want, "{len} bytes");
        assert_eq!(digest(GHash::new(token, &key), &parts), want, "{len} bytes at {a}, {b}");

        let mut peer = ::polyval::Polyval::new(&key.into());
        peer.update_padded(data);
        let want: [u8; 16] = peer.finalize().into();
        assert_eq!(digest(Polyval::new(token, &key), &[data]), want, "{len} bytes");
        assert_eq!(digest(Polyval::new(token, &key), &parts), want, "{len} bytes at {a}, {b}");
    }
}

#[test]
fn rustcrypto() {
    every_token!(peers);
}
