//! SHA-1 and SHA-2.

use super::row::{Algorithm, Row, hash};
use crate::adapters::hashes::{
    Of,
    sha::{VSha1, VSha224, VSha256, VSha384, VSha512, VSha512Cut224, VSha512Cut256},
};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))]
use algkit_primitives::cpu;
use algkit_primitives::cpu::Portable;

static SHA1: Algorithm = hash("sha1", 64, 20);
static SHA224: Algorithm = hash("sha224", 64, 28);
static SHA256: Algorithm = hash("sha256", 64, 32);
static SHA384: Algorithm = hash("sha384", 128, 48);
static SHA512_224: Algorithm = hash("sha512-224", 128, 28);
static SHA512_256: Algorithm = hash("sha512-256", 128, 32);
static SHA512: Algorithm = hash("sha512", 128, 64);

// All drivers with SHA instructions hash a single message with the same code. In batches, some use lanes of AVX-512, and
// for SHA-1 of AVX2, which are slower than its instructions on CPUs whose vector operations take two cycles.
pub(super) static ROWS: &[&[Row]] = &[
    &[
        Row::hash::<Of<VSha1, Portable>>(&SHA1, "sha1-generic", 100, "sha1/portable.rs"),
        Row::hash::<Of<VSha224, Portable>>(&SHA224, "sha224-generic", 100, "sha2/portable.rs"),
        Row::hash::<Of<VSha256, Portable>>(&SHA256, "sha256-generic", 100, "sha2/portable.rs"),
        Row::hash::<Of<VSha384, Portable>>(&SHA384, "sha384-generic", 100, "sha2/portable.rs"),
        Row::hash::<Of<VSha512Cut224, Portable>>(&SHA512_224, "sha512-224-generic", 100, "sha2/portable.rs"),
        Row::hash::<Of<VSha512Cut256, Portable>>(&SHA512_256, "sha512-256-generic", 100, "sha2/portable.rs"),
        Row::hash::<Of<VSha512, Portable>>(&SHA512, "sha512-generic", 100, "sha2/portable.rs"),
    ],
    #[cfg(target_arch = "x86_64")]
    &[
        Row::hash::<Of<VSha1, cpu::Avx2>>(&SHA1, "sha1-avx2", 250, "sha1/lanes.rs"),
        Row::hash::<Of<VSha1, cpu::Avx512>>(&SHA1, "sha1-avx512", 290, "sha1/lanes.rs"),
        Row::hash::<Of<VSha1, cpu::ShaNi>>(&SHA1, "sha1-ni", 300, "sha1/x86.rs"),
        Row::hash::<Of<VSha1, cpu::ShaNiAvx2>>(&SHA1, "sha1-ni-avx2", 305, "sha1/x86.rs").serial(),
        Row::hash::<Of<VSha1, cpu::ShaNiAvx512>>(&SHA1, "sha1-ni-avx512", 310, "sha1/x86.rs"),
    ],
    #[cfg(target_arch = "x86_64")]
    &[
        Row::hash::<Of<VSha224, cpu::Avx2>>(&SHA224, "sha224-avx2", 250, "sha2/lanes.rs"),
        Row::hash::<Of<VSha256, cpu::Avx2>>(&SHA256, "sha256-avx2", 250, "sha2/lanes.rs"),
        Row::hash::<Of<VSha224, cpu::Avx512>>(&SHA224, "sha224-avx512", 290, "sha2/lanes.rs"),
        Row::hash::<Of<VSha256, cpu::Avx512>>(&SHA256, "sha256-avx512", 290, "sha2/lanes.rs"),
        Row::hash::<Of<VSha224, cpu::ShaNi>>(&SHA224, "sha224-ni", 300, "sha2/x86.rs"),
        Row::hash::<Of<VSha256, cpu::ShaNi>>(&SHA256, "sha256-ni", 300, "sha2/x86.rs"),
        Row::hash::<Of<VSha224, cpu::ShaNiAvx512>>(&SHA224, "sha224-ni-avx512", 310, "sha2/x86.rs"),
        Row::hash::<Of<VSha256, cpu::ShaNiAvx512>>(&SHA256, "sha256-ni-avx512", 310, "sha2/x86.rs"),
    ],
    #[cfg(target_arch = "x86_64")]
    &[
        Row::hash::<Of<VSha384, cpu::Avx2>>(&SHA384, "sha384-avx2", 250, "sha2/sha512_x86.rs"),
        Row::hash::<Of<VSha512Cut224, cpu::Avx2>>(&SHA512_224, "sha512-224-avx2", 250, "sha2/sha512_x86.rs"),
        Row::hash::<Of<VSha512Cut256, cpu::Avx2>>(&SHA512_256, "sha512-256-avx2", 250, "sha2/sha512_x86.rs"),
        Row::hash::<Of<VSha512, cpu::Avx2>>(&SHA512, "sha512-avx2", 250, "sha2/sha512_x86.rs"),
        Row::hash::<Of<VSha384, cpu::Avx512>>(&SHA384, "sha384-avx512", 290, "sha2/sha512_x86.rs"),
        Row::hash::<Of<VSha512Cut224, cpu::Avx512>>(&SHA512_224, "sha512-224-avx512", 290, "sha2/sha512_x86.rs"),
        Row::hash::<Of<VSha512Cut256, cpu::Avx512>>(&SHA512_256, "sha512-256-avx512", 290, "sha2/sha512_x86.rs"),
        Row::hash::<Of<VSha512, cpu::Avx512>>(&SHA512, "sha512-avx512", 290, "sha2/sha512_x86.rs"),
    ],
    #[cfg(target_arch = "aarch64")]
    &[
        Row::hash::<Of<VSha1, cpu::ArmSha2>>(&SHA1, "sha1-ce", 300, "sha1/aarch64.rs"),
        Row::hash::<Of<VSha224, cpu::ArmSha2>>(&SHA224, "sha224-ce", 300, "sha2/aarch64.rs"),
        Row::hash::<Of<VSha256, cpu::ArmSha2>>(&SHA256, "sha256-ce", 300, "sha2/aarch64.rs"),
        Row::hash::<Of<VSha384, cpu::ArmSha3>>(&SHA384, "sha384-ce", 300, "sha2/aarch64.rs"),
        Row::hash::<Of<VSha512Cut224, cpu::ArmSha3>>(&SHA512_224, "sha512-224-ce", 300, "sha2/aarch64.rs"),
        Row::hash::<Of<VSha512Cut256, cpu::ArmSha3>>(&SHA512_256, "sha512-256-ce", 300, "sha2/aarch64.rs"),
        Row::hash::<Of<VSha512, cpu::ArmSha3>>(&SHA512, "sha512-ce", 300, "sha2/aarch64.rs"),
    ],
    #[cfg(target_arch = "riscv64")]
    &[
        Row::hash::<Of<VSha224, cpu::Zknh>>(&SHA224, "sha224-riscv64-zknh", 300, "sha2/riscv.rs"),
        Row::hash::<Of<VSha256, cpu::Zknh>>(&SHA256, "sha256-riscv64-zknh", 300, "sha2/riscv.rs"),
        Row::hash::<Of<VSha384, cpu::Zknh>>(&SHA384, "sha384-riscv64-zknh", 300, "sha2/riscv.rs"),
        Row::hash::<Of<VSha512Cut224, cpu::Zknh>>(&SHA512_224, "sha512-224-riscv64-zknh", 300, "sha2/riscv.rs"),
        Row::hash::<Of<VSha512Cut256, cpu::Zknh>>(&SHA512_256, "sha512-256-riscv64-zknh", 300, "sha2/riscv.rs"),
        Row::hash::<Of<VSha512, cpu::Zknh>>(&SHA512, "sha512-riscv64-zknh", 300, "sha2/riscv.rs"),
    ],
];
