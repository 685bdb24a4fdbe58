//! The tokens of AArch64, and their detection.

use super::{
    CpuFeatures, Feature, FeatureSet, Token,
    token::{proof, proves, token},
};

proof!(/// 128-bit vectors: every token of AArch64.
    HasNeon: Token, "neon");
proof!(/// AES and multiplication of 64-bit polynomials.
    HasArmAes: HasNeon, "aes");
proof!(/// SHA-1 and SHA-256 instructions.
    HasArmSha2: HasNeon, "sha2");
proof!(/// SHA-3 and SHA-512 instructions.
    HasArmSha3: HasNeon, "sha3");

token!(/// Advanced SIMD.
    Neon, [Neon], "neon", [HasNeon]);
token!(/// AES and PMULL.
    ArmCe, [Neon, Aes, Pclmul], "neon,aes", [HasNeon, HasArmAes]);
token!(/// SHA-1 and SHA-256 instructions.
    ArmSha2, [Neon, Sha2], "neon,sha2", [HasNeon, HasArmSha2]);
token!(/// AES, SHA-1 and SHA-256 instructions.
    AesSha, [Neon, Aes, Pclmul, Sha2], "neon,aes,sha2", [HasNeon, HasArmAes, HasArmSha2]);
token!(/// SHA-3 and SHA-512 instructions.
    ArmSha3, [Neon, Sha3], "neon,sha3", [HasNeon, HasArmSha3]);

proves! {
    AesSha => ArmCe;
    AesSha => ArmSha2;
}

/// The features by the auxiliary vector's word `AT_HWCAP` (`asm/hwcap.h` of AArch64).
#[cfg(any(target_os = "linux", target_os = "android", test))]
fn features(hwcap: usize) -> FeatureSet {
    use Feature::*;
    // A hypervisor may show a part of what Armv8 groups, so every bit counts: here ASIMD; AES; PMULL; SHA1, SHA2; SHA3, SHA512.
    let groups = [(Neon, 1 << 1), (Aes, 1 << 3), (Pclmul, 1 << 4), (Sha2, 1 << 5 | 1 << 6), (Sha3, 1 << 17 | 1 << 21)];
    let found = groups.into_iter().filter(|(_, bits)| hwcap & bits == *bits);
    found.fold(FeatureSet::NONE, |set, (feature, _)| set.with(feature)).consistent()
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn found() -> FeatureSet {
    // SAFETY: the function reads the auxiliary vector, which does not change.
    let word = unsafe { libc::getauxval(libc::AT_HWCAP) };
    features(word as usize)
}

/// Apple's CPUs have both instructions of each pair, or none. On other systems the program's own target decides.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn found() -> FeatureSet {
    use Feature::*;
    cpufeatures::new!(has_aes, "aes");
    cpufeatures::new!(has_sha2, "sha2");
    cpufeatures::new!(has_sha3, "sha3");
    let groups = [(&[Aes, Pclmul][..], has_aes::get()), (&[Sha2], has_sha2::get()), (&[Sha3], has_sha3::get())];
    let found = groups.into_iter().filter(|(_, has)| *has);
    found.fold(FeatureSet::of(&[Neon]), |set, (group, _)| set.union(FeatureSet::of(group))).consistent()
}

pub(super) fn detect() -> FeatureSet {
    // Programs that are compiled without vector registers, as operating systems are, must not touch them.
    if cfg!(target_feature = "neon") { found() } else { FeatureSet::NONE }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words that QEMU gives programs on these CPUs, and those of CPUs that show a part of a group.
    #[test]
    fn machines() {
        use Feature::*;
        for (machine, hwcap, want) in [
            ("Cortex-A72 without cryptography, as in the Raspberry Pi 4", 0x87, &[Neon][..]),
            ("Cortex-A53", 0x8ff, &[Neon, Aes, Pclmul, Sha2]),
            ("all", 0x22_00fb, &[Neon, Aes, Pclmul, Sha2, Sha3]),
            ("AES without PMULL", 0xef, &[Neon, Aes, Sha2]),
            ("SHA-256 without SHA-1", 0xdf, &[Neon, Aes, Pclmul]),
            ("SHA-3 without SHA-512", 0x2_00ff, &[Neon, Aes, Pclmul, Sha2]),
            ("without vectors", 0xfd, &[]),
        ] {
            assert_eq!(features(hwcap), FeatureSet::of(want), "{machine}");
        }
    }
}
