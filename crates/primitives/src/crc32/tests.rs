use super::*;
use crate::cpu::{self, CpuFeatures};
use crate::hash::check;
use std::vec;

/// zlib's CRC with `seed` as the initial register: crc32fast complements the register before and after.
fn ieee(seed: u32, message: &[u8]) -> u32 {
    let mut hash = crc32fast::Hasher::new_with_initial(!seed);
    hash.update(message);
    !hash.finalize()
}

fn driver32<T: Update<Ieee>>() {
    let Some(t) = T::detect(CpuFeatures::detect()) else { return };
    // The catalogue's check value of CRC-32/ISO-HDLC for "123456789" is 0xcbf43926.
    assert_eq!(check::digest(Crc32::new(t, !0), b"123456789"), (!0xcbf4_3926u32).to_le_bytes());
    for seed in [0, !0, 0x1234_5678] {
        check::against(|| Crc32::new(t, seed), |m| ieee(seed, m).to_le_bytes().to_vec());
    }
    linear(|seed, m| t.update(seed, m), ieee);
}

fn driver32c<T: Update<Castagnoli>>() {
    let Some(t) = T::detect(CpuFeatures::detect()) else { return };
    // RFC 3720, appendix B.4, and the catalogue's check value 0xe3069283.
    assert_eq!(check::digest(Crc32c::new(t, !0), b"123456789"), 0xe306_9283u32.to_le_bytes());
    assert_eq!(check::digest(Crc32c::new(t, !0), &[0; 32]), [0xaa, 0x36, 0x91, 0x8a]);
    assert_eq!(check::digest(Crc32c::new(t, !0), &[0xff; 32]), [0x43, 0xab, 0xa8, 0x62]);
    for seed in [0, !0, 0x1234_5678] {
        check::against(|| Crc32c::new(t, seed), |m| crc32c::crc32c_append(!seed, m).to_le_bytes().to_vec());
    }
    linear(|seed, m| t.update(seed, m), |seed, m| !crc32c::crc32c_append(!seed, m));
    // Where longer parts begin: three of 296 bytes, and three of 1352.
    let message = check::Random(5).bytes(4056);
    for len in [887, 888, 4055, 4056] {
        assert_eq!(t.update(0, &message[..len]), !crc32c::crc32c_append(!0, &message[..len]), "{len} bytes");
    }
}

/// A CRC is linear over GF(2) in the seed and the message together. So agreement on every message of one bit, and on
/// every seed of one bit, is agreement on all messages of that length.
fn linear(update: impl Fn(u32, &[u8]) -> u32, peer: impl Fn(u32, &[u8]) -> u32) {
    for len in [1, 3, 4, 15, 16, 17, 63, 64, 100, 200, 300, 520, 1100] {
        let mut message = vec![0; len];
        for bit in 0..32 {
            assert_eq!(update(1 << bit, &message), peer(1 << bit, &message));
        }
        for bit in 0..8 * len {
            message[bit / 8] = 1 << (bit % 8);
            assert_eq!(update(0, &message), peer(0, &message), "bit {bit} of {len} bytes");
            message[bit / 8] = 0;
        }
    }
}

/// The tables follow the definition of the polynomials, one bit at a time.
#[test]
fn tables_follow_the_definition() {
    fn bitwise<P: Polynomial>(mut crc: u32, byte: u8) -> u32 {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ P::REFLECTED } else { crc >> 1 };
        }
        crc
    }
    for byte in 0..=255 {
        let t = cpu::Portable::new();
        assert_eq!(Update::<Ieee>::update(t, 0x8765_4321, &[byte]), bitwise::<Ieee>(0x8765_4321, byte));
        assert_eq!(Update::<Castagnoli>::update(t, 0x8765_4321, &[byte]), bitwise::<Castagnoli>(0x8765_4321, byte));
    }
}

#[test]
fn every_driver() {
    driver32::<cpu::Portable>();
    driver32c::<cpu::Portable>();
    #[cfg(target_arch = "x86_64")]
    {
        driver32::<cpu::Pclmul>();
        driver32::<cpu::Vpclmul256>();
        driver32::<cpu::Vpclmul512>();
        driver32c::<cpu::Sse42>();
        driver32c::<cpu::Pclmul>();
        driver32c::<cpu::Vpclmul256>();
        driver32c::<cpu::Vpclmul512>();
    }
}
