use super::*;
use crate::cpu::CpuFeatures;
use std::vec;

fn check<T: AesToken>() {
    let Some(t) = T::detect(CpuFeatures::detect()) else { return };
    let bytes: vec::Vec<u8> = (0..64u8).map(|i| i.wrapping_mul(37).wrapping_add(11)).collect();
    t.vectorize(
        #[inline(always)]
        || {
            let v = T::V::load(t, &bytes);
            let n = T::V::BYTES;
            let mut out = vec![0; n];
            for len in 0..=n {
                T::V::load_partial(t, &bytes[..len]).store(&mut out);
                assert_eq!(out[..len], bytes[..len]);
                assert!(out[len..].iter().all(|&b| b == 0));
                out.fill(0xee);
                v.store_partial(&mut out[..len]);
                assert_eq!(out[..len], bytes[..len]);
                assert!(out[len..].iter().all(|&b| b == 0xee));
            }
            for len in 0..64 {
                let text = &bytes[..len];
                for end in 0..=n.min(len) {
                    T::V::load_end(t, text, end).store(&mut out);
                    assert_eq!(out[..end], text[len - end..], "the last {end} of {len} bytes");
                    assert!(out[end..].iter().all(|&b| b == 0), "the last {end} of {len} bytes");
                    let mut changed = text.to_vec();
                    v.store_end(&mut changed, end);
                    assert_eq!(changed, [&text[..len - end], &bytes[..end]].concat(), "the last {end} of {len} bytes");
                }
            }
            v.reverse_bytes().store(&mut out);
            for (a, b) in out.chunks(16).zip(bytes.chunks(16)) {
                assert!(a.iter().eq(b.iter().rev()));
            }
            assert_eq!(v.first()[..], bytes[..16]);
            assert_eq!(v.last()[..], bytes[n - 16..n]);
            v.xor3(T::V::zero(t), v).store(&mut out);
            assert!(out.iter().all(|&b| b == 0));
            let other: vec::Vec<u8> = bytes.iter().map(|b| !b).collect();
            for len in 0..=16 {
                let overlaid = v.overlaid(t, &other[..len]).first();
                assert_eq!((&overlaid[..len], &overlaid[len..]), (&other[..len], &bytes[len..16]));
            }
            v.after(T::V::load(t, &other)).store(&mut out);
            assert_eq!(out[..16], other[n - 16..n]);
            assert_eq!(out[16..], bytes[..n - 16]);
            // FIPS 197, appendix B: the state after round 1 of the example.
            let start: [u8; 16] = 0x193de3bea0f4e22b9ac68d2ae9f84808u128.to_be_bytes();
            let key: [u8; 16] = 0xa0fafe1788542cb123a339392a6c7605u128.to_be_bytes();
            let next: [u8; 16] = 0xa49c7ff2689f352b6b5bea43026a5049u128.to_be_bytes();
            let (start, key) = (T::V::splat(t, &start), T::V::splat(t, &key));
            assert_eq!(start.enc(key).last(), next);
            let back = start.enc(T::V::zero(t)).inv_mix_columns().dec_last(T::V::zero(t));
            assert_eq!(back.last(), start.last());
        },
    );
}

#[test]
fn every_width() {
    #[cfg(target_arch = "x86_64")]
    {
        check::<crate::cpu::AesNi>();
        check::<crate::cpu::Vaes256>();
        check::<crate::cpu::Vaes512>();
    }
    #[cfg(target_arch = "aarch64")]
    check::<crate::cpu::ArmCe>();
    #[cfg(all(target_arch = "arm", unix))]
    check::<crate::cpu::ArmCe>();
    #[cfg(target_arch = "powerpc64")]
    {
        check::<crate::cpu::Altivec>();
        check::<crate::cpu::Power8>();
    }
    #[cfg(target_arch = "riscv64")]
    check::<crate::cpu::Zkned>();
}
