//! SHA-3 and Keccak.

use super::row::{Algorithm, Row, extendable_hash, hash};
use crate::adapters::hashes::{
    Of,
    sha3::{VKeccak, VKeccak224, VKeccak256, VKeccak384, VKeccak512, VSha3224, VSha3256, VSha3384, VSha3512},
};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use algkit_primitives::cpu;
use algkit_primitives::cpu::Portable;

static SHA3_224: Algorithm = hash("sha3-224", 144, 28);
static SHA3_256: Algorithm = hash("sha3-256", 136, 32);
static SHA3_384: Algorithm = hash("sha3-384", 104, 48);
static SHA3_512: Algorithm = hash("sha3-512", 72, 64);
/// Keccak with the padding of the SHA-3 competition's submission: at a rate of 1344 bits, and at the rates for
/// digests of 224 to 512 bits.
static KECCAK: Algorithm = extendable_hash("keccak", 168, 64);
static KECCAK_224: Algorithm = extendable_hash("keccak-224", 144, 28);
static KECCAK_256: Algorithm = extendable_hash("keccak-256", 136, 32);
static KECCAK_384: Algorithm = extendable_hash("keccak-384", 104, 48);
static KECCAK_512: Algorithm = extendable_hash("keccak-512", 72, 64);

pub(super) static ROWS: &[&[Row]] = &[
    &[
        Row::hash::<Of<VSha3224, Portable>>(&SHA3_224, "sha3-224-generic", 100, "keccak/mod.rs"),
        Row::hash::<Of<VSha3256, Portable>>(&SHA3_256, "sha3-256-generic", 100, "keccak/mod.rs"),
        Row::hash::<Of<VSha3384, Portable>>(&SHA3_384, "sha3-384-generic", 100, "keccak/mod.rs"),
        Row::hash::<Of<VSha3512, Portable>>(&SHA3_512, "sha3-512-generic", 100, "keccak/mod.rs"),
        Row::hash::<Of<VKeccak, Portable>>(&KECCAK, "keccak-generic", 100, "keccak/mod.rs"),
        Row::hash::<Of<VKeccak224, Portable>>(&KECCAK_224, "keccak-224-generic", 100, "keccak/mod.rs"),
        Row::hash::<Of<VKeccak256, Portable>>(&KECCAK_256, "keccak-256-generic", 100, "keccak/mod.rs"),
        Row::hash::<Of<VKeccak384, Portable>>(&KECCAK_384, "keccak-384-generic", 100, "keccak/mod.rs"),
        Row::hash::<Of<VKeccak512, Portable>>(&KECCAK_512, "keccak-512-generic", 100, "keccak/mod.rs"),
    ],
    #[cfg(target_arch = "x86_64")]
    &[
        Row::hash::<Of<VSha3224, cpu::Avx2>>(&SHA3_224, "sha3-224-avx2", 250, "keccak/x86.rs"),
        Row::hash::<Of<VSha3256, cpu::Avx2>>(&SHA3_256, "sha3-256-avx2", 250, "keccak/x86.rs"),
        Row::hash::<Of<VSha3384, cpu::Avx2>>(&SHA3_384, "sha3-384-avx2", 250, "keccak/x86.rs"),
        Row::hash::<Of<VSha3512, cpu::Avx2>>(&SHA3_512, "sha3-512-avx2", 250, "keccak/x86.rs"),
        Row::hash::<Of<VKeccak, cpu::Avx2>>(&KECCAK, "keccak-avx2", 250, "keccak/x86.rs"),
        Row::hash::<Of<VKeccak224, cpu::Avx2>>(&KECCAK_224, "keccak-224-avx2", 250, "keccak/x86.rs"),
        Row::hash::<Of<VKeccak256, cpu::Avx2>>(&KECCAK_256, "keccak-256-avx2", 250, "keccak/x86.rs"),
        Row::hash::<Of<VKeccak384, cpu::Avx2>>(&KECCAK_384, "keccak-384-avx2", 250, "keccak/x86.rs"),
        Row::hash::<Of<VKeccak512, cpu::Avx2>>(&KECCAK_512, "keccak-512-avx2", 250, "keccak/x86.rs"),
    ],
    #[cfg(target_arch = "x86_64")]
    &[
        Row::hash::<Of<VSha3224, cpu::Avx512>>(&SHA3_224, "sha3-224-avx512", 290, "keccak/x86.rs"),
        Row::hash::<Of<VSha3256, cpu::Avx512>>(&SHA3_256, "sha3-256-avx512", 290, "keccak/x86.rs"),
        Row::hash::<Of<VSha3384, cpu::Avx512>>(&SHA3_384, "sha3-384-avx512", 290, "keccak/x86.rs"),
        Row::hash::<Of<VSha3512, cpu::Avx512>>(&SHA3_512, "sha3-512-avx512", 290, "keccak/x86.rs"),
        Row::hash::<Of<VKeccak, cpu::Avx512>>(&KECCAK, "keccak-avx512", 290, "keccak/x86.rs"),
        Row::hash::<Of<VKeccak224, cpu::Avx512>>(&KECCAK_224, "keccak-224-avx512", 290, "keccak/x86.rs"),
        Row::hash::<Of<VKeccak256, cpu::Avx512>>(&KECCAK_256, "keccak-256-avx512", 290, "keccak/x86.rs"),
        Row::hash::<Of<VKeccak384, cpu::Avx512>>(&KECCAK_384, "keccak-384-avx512", 290, "keccak/x86.rs"),
        Row::hash::<Of<VKeccak512, cpu::Avx512>>(&KECCAK_512, "keccak-512-avx512", 290, "keccak/x86.rs"),
    ],
    #[cfg(target_arch = "aarch64")]
    &[
        Row::hash::<Of<VSha3224, cpu::ArmSha3>>(&SHA3_224, "sha3-224-ce", 300, "keccak/aarch64.rs"),
        Row::hash::<Of<VSha3256, cpu::ArmSha3>>(&SHA3_256, "sha3-256-ce", 300, "keccak/aarch64.rs"),
        Row::hash::<Of<VSha3384, cpu::ArmSha3>>(&SHA3_384, "sha3-384-ce", 300, "keccak/aarch64.rs"),
        Row::hash::<Of<VSha3512, cpu::ArmSha3>>(&SHA3_512, "sha3-512-ce", 300, "keccak/aarch64.rs"),
        Row::hash::<Of<VKeccak, cpu::ArmSha3>>(&KECCAK, "keccak-ce", 300, "keccak/aarch64.rs"),
        Row::hash::<Of<VKeccak224, cpu::ArmSha3>>(&KECCAK_224, "keccak-224-ce", 300, "keccak/aarch64.rs"),
        Row::hash::<Of<VKeccak256, cpu::ArmSha3>>(&KECCAK_256, "keccak-256-ce", 300, "keccak/aarch64.rs"),
        Row::hash::<Of<VKeccak384, cpu::ArmSha3>>(&KECCAK_384, "keccak-384-ce", 300, "keccak/aarch64.rs"),
        Row::hash::<Of<VKeccak512, cpu::ArmSha3>>(&KECCAK_512, "keccak-512-ce", 300, "keccak/aarch64.rs"),
    ],
];
