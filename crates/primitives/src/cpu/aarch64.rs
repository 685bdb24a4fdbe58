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

// "aes" asks for both AES and PMULL, "sha2" for SHA-1 and SHA-256, "sha3" for SHA-3 and SHA-512.
cpufeatures::new!(has_aes, "aes");
cpufeatures::new!(has_sha2, "sha2");
cpufeatures::new!(has_sha3, "sha3");

pub(super) fn detect() -> FeatureSet {
    use Feature::*;
    // Programs that are compiled without vector registers, as operating systems are, must not touch them.
    if !cfg!(target_feature = "neon") {
        return FeatureSet::NONE;
    }
    let groups = [
        (FeatureSet::of(&[Aes, Pclmul]), has_aes::get()),
        (FeatureSet::of(&[Sha2]), has_sha2::get()),
        (FeatureSet::of(&[Sha3]), has_sha3::get()),
    ];
    let found = groups.iter().filter(|(_, has)| *has);
    found.fold(FeatureSet::of(&[Neon]), |set, (group, _)| set.union(*group)).consistent()
}
