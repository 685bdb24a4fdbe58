//! The tokens of 64-bit PowerPC, and their detection.
//!
//! The drivers are inline assembly, which Rust has for PowerPC since 1.95.

use super::{CpuFeatures, Feature, FeatureSet, Token, token::assembly_token};

assembly_token!(/// AltiVec, as in the PowerPC 970 and the Cell.
    Altivec, [Altivec]);
assembly_token!(/// The AES and polynomial instructions of POWER8 and later.
    Power8, [Altivec, Vcrypto]);

/// The features by the auxiliary vector's words `AT_HWCAP` and `AT_HWCAP2` (`asm/cputable.h`).
#[cfg(any(target_os = "linux", test))]
fn features(hwcap: u64, hwcap2: u64) -> FeatureSet {
    const HAS_ALTIVEC: u64 = 0x1000_0000;
    const HAS_VEC_CRYPTO: u64 = 0x0200_0000;
    let mut found = FeatureSet::NONE;
    if hwcap & HAS_ALTIVEC != 0 {
        found = found.with(Feature::Altivec);
    }
    if hwcap2 & HAS_VEC_CRYPTO != 0 {
        found = found.with(Feature::Vcrypto);
    }
    found.consistent()
}

#[cfg(target_os = "linux")]
pub(super) fn detect() -> FeatureSet {
    // SAFETY: the function reads the auxiliary vector, which does not change.
    let word = |kind| unsafe { libc::getauxval(kind) };
    features(word(libc::AT_HWCAP), word(libc::AT_HWCAP2))
}

/// Other systems have other ways to ask, and stable Rust does not say what the program is compiled for.
#[cfg(not(target_os = "linux"))]
pub(super) fn detect() -> FeatureSet {
    FeatureSet::NONE
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words that QEMU gives programs on these CPUs, and those of a POWER8 whose vectors are switched off.
    #[test]
    fn machines() {
        let [altivec, both] = [&[Feature::Altivec][..], &[Feature::Altivec, Feature::Vcrypto]].map(FeatureSet::of);
        for (machine, hwcap, hwcap2, want) in [
            ("POWER5+", 0x4800_0000, 0, FeatureSet::NONE),
            ("PowerPC 970", 0x5800_0000, 0, altivec),
            ("e6500", 0x5800_0000, 0x0800_0000, altivec),
            ("POWER7", 0x5800_0580, 0x0800_0000, altivec),
            ("POWER8", 0x5800_0580, 0x8e00_0000, both),
            ("POWER9", 0x5800_0580, 0x8ee0_0000, both),
            ("POWER8 without vectors", 0x4800_0500, 0x8e00_0000, FeatureSet::NONE),
        ] {
            assert_eq!(features(hwcap, hwcap2), want, "{machine}");
        }
    }
}
