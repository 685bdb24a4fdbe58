use super::*;
use crate::cpu::{CpuFeatures, Portable};
use core::array::from_fn;
use std::vec::Vec;

/// The lanes of a vector in the order of memory.
fn lanes<V: Quads>(v: V) -> Vec<u32> {
    let mut bytes = [0; 64];
    v.xor_into(InOut::from(&mut bytes[..V::BYTES]));
    bytes[..V::BYTES].chunks_exact(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).collect()
}

fn check<V: Quads>() {
    let Some(t) = V::Token::detect(CpuFeatures::detect()) else { return };
    let n = V::LANES;
    let words = |seed: u32| -> [u32; 16] { from_fn(|i| (seed + i as u32 * 77).wrapping_mul(0x9e37_79b9)) };
    t.vectorize(
        #[inline(always)]
        || {
            let (x, y) = (words(1), words(2));
            let (v, w) = (V::from_words(t, &x), V::from_words(t, &y));
            let each = |f: &dyn Fn(u32, u32) -> u32| -> Vec<u32> { (0..n).map(|i| f(x[i], y[i])).collect() };
            assert_eq!(lanes(v), x[..n]);
            assert_eq!(lanes(v.add(w)), each(&|a, b| a.wrapping_add(b)));
            assert_eq!(lanes(v.xor(w)), each(&|a, b| a ^ b));
            assert_eq!(lanes(v.and(w)), each(&|a, b| a & b));
            assert_eq!(lanes(v.or(w)), each(&|a, b| a | b));
            assert_eq!(lanes(v.not()), each(&|a, _| !a));
            assert_eq!(lanes(v.shl::<7>()), each(&|a, _| a << 7));
            macro_rules! rotations {
                ($($l:literal $r:literal),*) => {
                    $(assert_eq!(lanes(v.rotl::<$l, $r>()), each(&|a, _| a.rotate_left($l)));)*
                };
            }
            rotations!(1 31, 7 25, 8 24, 12 20, 13 19, 16 16, 22 10, 31 1);
            assert_eq!(lanes(V::splat(t, 9)), [9; 16][..n]);
            assert_eq!(lanes(V::splat_quad(t, [1, 2, 3, 4])), [[1, 2, 3, 4]; 4].as_flattened()[..n]);
            assert_eq!(v.first_quad()[..], x[..4]);

            let turned = [v.rotate_quads::<1>(), v.rotate_quads::<2>(), v.rotate_quads::<3>()];
            for (k, v) in turned.into_iter().enumerate() {
                let want: Vec<u32> = (0..n).map(|i| x[i / 4 * 4 + (i + k + 1) % 4]).collect();
                assert_eq!(lanes(v), want);
            }

            let m: [[u32; 16]; 4] = from_fn(|i| words(100 * i as u32));
            let rows = m.map(|m| V::from_words(t, &m));
            for (i, v) in V::transpose(rows).into_iter().enumerate() {
                let want: Vec<u32> = (0..n).map(|l| m[l % 4][l / 4 * 4 + i]).collect();
                assert_eq!(lanes(v), want);
            }
            let blocks: Vec<u32> = V::rows_to_blocks(rows).into_iter().flat_map(lanes).collect();
            let want: Vec<u32> = (0..n / 4).flat_map(|q| m.map(|m| m[4 * q..4 * q + 4].to_vec()).concat()).collect();
            assert_eq!(blocks, want);

            let bytes: Vec<u8> = (0..=255).collect();
            let mut out = [0; 256];
            let loaded = V::load_blocks(t, &bytes);
            for (i, v) in loaded.into_iter().enumerate() {
                let mut got = lanes(v);
                got.sort_unstable_by_key(|w| w.swap_bytes()); // the order of the blocks is the vector's own
                let want: Vec<u32> = bytes[..16 * n]
                    .chunks(16)
                    .map(|b| u32::from_le_bytes(b[4 * i..][..4].try_into().unwrap()))
                    .collect();
                assert_eq!(got, want);
            }
            V::store_blocks(loaded, &mut out);
            assert_eq!(out[..16 * n], bytes[..16 * n]);

            let key: Vec<u8> = lanes(v).into_iter().flat_map(u32::to_le_bytes).collect();
            for len in 0..V::BYTES {
                let mut out = [0xee; 64];
                v.xor_into_partial(InOut::new(&bytes[..len], &mut out[..len]).unwrap());
                assert!((0..len).all(|i| out[i] == bytes[i] ^ key[i]));
                assert!(out[len..].iter().all(|&b| b == 0xee));
            }
        },
    );
}

/// Every operation of `Words32` on blocks in memory, compared with the language's own operators.
fn check_words<V: Words32>() {
    let Some(t) = V::Token::detect(CpuFeatures::detect()) else { return };
    let size = 16 * V::LANES;
    let bytes: Vec<u8> = (0..2 * size).map(|i| (i * i * 31 + 7 * i) as u8).collect();
    let (x, y) = bytes.split_at(size);
    t.vectorize(
        #[inline(always)]
        || {
            macro_rules! op {
                (|$a:ident, $b:ident: $ty:ident| $result:expr, $plain:expr) => {{
                    fn vector<$ty: Words32>($a: $ty, $b: $ty) -> $ty {
                        $result
                    }
                    let (v, w) = (V::load_blocks(t, x), V::load_blocks(t, y));
                    let mut got = std::vec![0; size];
                    V::store_blocks(from_fn(|i| vector(v[i], w[i])), &mut got);
                    let words = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap());
                    let want: Vec<u8> = (x.chunks(4).zip(y.chunks(4)))
                        .flat_map(|(x, y)| {
                            let ($a, $b) = (words(x), words(y));
                            u32::to_le_bytes($plain)
                        })
                        .collect();
                    assert_eq!(got, want);
                }};
            }
            op!(|a, _b: W| a, a);
            op!(|a, b: W| a.add(b), a.wrapping_add(b));
            op!(|a, b: W| a.xor(b), a ^ b);
            op!(|a, b: W| a.and(b), a & b);
            op!(|a, b: W| a.and_not(b), a & !b);
            op!(|a, b: W| a.or(b), a | b);
            op!(|a, _b: W| a.not(), !a);
            op!(|a, _b: W| a.shl::<3>(), a << 3);
            op!(|a, _b: W| a.shr::<3>(), a >> 3);
            op!(|a, _b: W| a.shl::<0>().xor(a.shr::<31>()), a ^ (a >> 31));
            op!(|a, _b: W| a.rotl::<22, 10>(), a.rotate_left(22));
            let mut splat = std::vec![0; size];

            let words = || from_fn(|i| V::load_blocks(t, x)[i].xor(V::splat(t, 5)));
            let want: Vec<u8> = x.chunks(4).flat_map(|w| [w[0] ^ 5, w[1], w[2], w[3]]).collect();
            let mut got = std::vec![0; size];
            V::xor_blocks(words(), InOut::new(y, &mut got).unwrap());
            assert!(got.iter().zip(&want).zip(y).all(|((got, want), y)| *got == want ^ y));
            for len in (16..=size).step_by(16) {
                let part = V::load_partial(t, &x[..len]);
                let mut got = std::vec![0xee; len];
                V::store_partial(from_fn(|i| part[i].xor(V::splat(t, 5))), &mut got);
                assert_eq!(got, want[..len]);
                V::store_partial(words(), &mut got);
                assert_eq!(got, want[..len], "a part has the places that it has in the whole");
            }
            V::store_blocks([V::splat(t, 0x0403_0201); 4], &mut splat);
            assert!(splat.chunks(4).all(|word| word == [1, 2, 3, 4]));
        },
    );
}

#[test]
fn every_width() {
    check::<Quad>();
    check_words::<Quad>();
    check_words::<Word<Portable>>();
    check_words::<Pair<Word<Portable>>>();
    #[cfg(target_arch = "x86_64")]
    {
        use crate::cpu::*;
        use crate::simd::x86::{V128, V256, V512};
        check_words::<Word<Avx512>>();
        check_words::<Pair<V128<Sse2>>>();
        check_words::<Pair<V256<Avx2>>>();
        check_words::<Pair<V512<Avx512>>>();
        check_words::<Pair<V256<Avx512>>>();
        check_words::<Pair<Pair<V512<Avx512>>>>();
        check_words::<V256<Avx512>>();
    }
    #[cfg(target_arch = "aarch64")]
    check_words::<Pair<crate::simd::aarch64::V128<crate::cpu::Neon>>>();
    #[cfg(target_arch = "x86_64")]
    {
        use crate::cpu::*;
        use crate::simd::x86::{V128, V256, V512};
        check::<V128<Sse2>>();
        check::<V128<Ssse3>>();
        check::<V128<Avx2>>();
        check::<V128<Avx512>>();
        check::<V256<Avx2>>();
        check::<V256<Avx512>>();
        check::<V512<Avx512>>();
    }
    #[cfg(target_arch = "aarch64")]
    check::<crate::simd::aarch64::V128<crate::cpu::Neon>>();
}
