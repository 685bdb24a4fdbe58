//! The tokens of 32-bit Arm, and their detection.
//!
//! Stable Rust has neither intrinsics for its vectors nor functions that are compiled for them. So the drivers are inline
//! assembly. Each block of it names the instruction set that it is written in (`.fpu`), and works on memory.
//!
//! A block lists the registers d0 to d15 by these names, and not as q0 to q7. The compiler knows the latter only where the
//! program is compiled for vectors, and otherwise ignores them: it then saves none of d8 to d15, which belong to the caller. Where a
//! program is compiled without registers for floating-point numbers, it knows none of these, so no feature is found there.

use super::{CpuFeatures, Feature, FeatureSet, Token, token::assembly_token};

assembly_token!(/// Advanced SIMD, as in most CPUs since the Cortex-A8.
    Neon, [Neon]);
assembly_token!(/// The AES instructions and PMULL of 32-bit programs on Armv8.
    ArmCe, [Neon, Aes, Pclmul]);

/// The lines at the beginning and at the end of assembly for Armv8. The last instruction set that an object file's
/// assembly was written in is what the file says that it needs, and linkers pass that on to the program.
macro_rules! armv8 {
    (begin) => {
        ".arch armv8-a\n.fpu crypto-neon-fp-armv8"
    };
    (end) => {
        ".fpu neon\n.arch armv7-a"
    };
}
pub(crate) use armv8;

/// The features by the auxiliary vector's words `AT_HWCAP` and `AT_HWCAP2` (`asm/hwcap.h` of 32-bit Arm).
#[cfg(any(target_os = "linux", target_os = "android", test))]
fn features(hwcap: usize, hwcap2: usize) -> FeatureSet {
    const HAS_NEON: usize = 1 << 12;
    const HAS_AES: usize = 1 << 0;
    const HAS_PMULL: usize = 1 << 1;
    let mut found = FeatureSet::NONE;
    // The code takes the order of bytes in memory for that of lanes. And the compiler has to know the registers.
    if cfg!(target_endian = "big") || !cfg!(any(target_abi = "eabihf", target_os = "android")) {
        return found;
    }
    if hwcap & HAS_NEON != 0 {
        found = found.with(Feature::Neon);
    }
    if hwcap2 & HAS_AES != 0 {
        found = found.with(Feature::Aes);
    }
    if hwcap2 & HAS_PMULL != 0 {
        found = found.with(Feature::Pclmul);
    }
    found.consistent()
}

#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn detect() -> FeatureSet {
    // SAFETY: the function reads the auxiliary vector, which does not change.
    let word = |kind| unsafe { libc::getauxval(kind) } as usize;
    features(word(libc::AT_HWCAP), word(libc::AT_HWCAP2))
}

/// Other systems have other ways to ask, and stable Rust does not say what the program is compiled for.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn detect() -> FeatureSet {
    FeatureSet::NONE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        InOut,
        aes::{AesKey, Bitslice},
        chacha::ChaCha,
        ghash::GHash,
        hash::Hash,
        poly1305::Poly1305,
    };
    use std::hint::black_box;

    /// Numbers that the compiler keeps in registers during a call come out of it as they were.
    #[test]
    fn registers_of_the_caller_are_kept() {
        fn kept(what: &str, call: impl FnOnce()) {
            #[inline(never)]
            fn called(call: impl FnOnce()) {
                call();
            }
            let numbers: [f64; 8] = black_box([1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5]);
            let doubled = numbers.map(|x| x + x);
            called(call);
            for (x, two) in numbers.iter().zip(doubled) {
                assert_eq!(two - x, *x, "{what}");
            }
        }
        let cpu = CpuFeatures::detect();
        let mut data = [1; 1024];
        if let Some(token) = Neon::detect(cpu) {
            let key = Bitslice::new(token, &[3; 16]).expect("a length of key");
            kept("AES", || key.ctr(&mut [7; 16], InOut::from(&mut data[..])));
            let mut ghash = GHash::new(token, &[3; 16]);
            kept("GHASH", || ghash.update(&data));
            let mut poly1305 = Poly1305::new(token, &[3; 32]);
            kept("Poly1305", || poly1305.update(&data));
            let chacha = ChaCha::new(token, &[3; 32], 20);
            kept("ChaCha", || chacha.xor(&mut [0; 4], InOut::from(&mut data[..])));
        }
        if let Some(token) = ArmCe::detect(cpu) {
            let key = AesKey::new(token, &[3; 16]).expect("a length of key");
            kept("AES instructions", || key.ctr(&mut [7; 16], InOut::from(&mut data[..])));
            let mut ghash = GHash::new(token, &[3; 16]);
            kept("PMULL", || ghash.update(&data));
        }
    }

    /// The words that QEMU gives programs on these CPUs, `neon=off` among them.
    #[test]
    fn machines() {
        use Feature::{Aes, Neon, Pclmul};
        for (machine, hwcap, hwcap2, want) in [
            ("Cortex-A9", 0x0008_b8d7, 0, &[Neon][..]),
            ("Cortex-A15", 0x001f_b8d7, 0, &[Neon]),
            ("max", 0x001f_b0d7, 0x1f, &[Neon, Aes, Pclmul]),
            ("Cortex-A9 without vectors", 0x0008_a8d7, 0, &[]),
            ("max without vectors", 0x001f_a0d7, 0x10, &[]),
            ("a kernel that hides vectors alone", 0x001f_a0d7, 0x1f, &[]),
        ] {
            assert_eq!(features(hwcap, hwcap2), FeatureSet::of(want), "{machine}");
        }
    }
}
