//! SHA-1 and SHA-2.

use super::{Of, Variant, family, hash, variants};
use crate::table::row::{Algorithm, Row};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use algkit_primitives::cpu;
use algkit_primitives::{
    cpu::{Portable, Token},
    sha1::{self, Sha1},
    sha2::{Compress256, Compress512, Sha256, Sha512},
};

static SHA1: Algorithm = hash("sha1", 64, 20);
static SHA224: Algorithm = hash("sha224", 64, 28);
static SHA256: Algorithm = hash("sha256", 64, 32);
static SHA384: Algorithm = hash("sha384", 128, 48);
static SHA512: Algorithm = hash("sha512", 128, 64);

variants! {
    VSha1<sha1::Compress>: Sha1<T>, |token, _| Sha1::new(token);
    VSha224<Compress256>: Sha256<T>, |token, _| Sha256::new_224(token);
    VSha256<Compress256>: Sha256<T>, |token, _| Sha256::new(token);
    VSha384<Compress512>: Sha512<T>, |token, _| Sha512::new_384(token);
    VSha512<Compress512>: Sha512<T>, |token, _| Sha512::new(token);
}

macro_rules! sha256 {
    ($token:ty, $cpu:literal, $priority:literal) => {
        family!($token, $cpu, $priority: VSha224, SHA224, "sha224"; VSha256, SHA256, "sha256";)
    };
}

macro_rules! sha512 {
    ($token:ty, $cpu:literal, $priority:literal) => {
        family!($token, $cpu, $priority: VSha384, SHA384, "sha384"; VSha512, SHA512, "sha512";)
    };
}

pub(in crate::table) static ROWS: &[&[Row]] = &[
    &[Row::hash::<Of<VSha1, Portable>>(&SHA1, "sha1-generic", 100)],
    sha256!(Portable, "generic", 100),
    sha512!(Portable, "generic", 100),
    // One message takes the same way in both drivers with SHA instructions; many are a matter of lanes.
    #[cfg(target_arch = "x86_64")]
    &[
        Row::hash::<Of<VSha1, cpu::Avx2>>(&SHA1, "sha1-avx2", 250),
        Row::hash::<Of<VSha1, cpu::Avx512>>(&SHA1, "sha1-avx512", 290),
        Row::hash::<Of<VSha1, cpu::ShaNi>>(&SHA1, "sha1-ni", 300),
        Row::hash::<Of<VSha1, cpu::ShaNiAvx512>>(&SHA1, "sha1-ni-avx512", 310),
    ],
    #[cfg(target_arch = "x86_64")]
    sha256!(cpu::Avx2, "avx2", 250),
    #[cfg(target_arch = "x86_64")]
    sha256!(cpu::Avx512, "avx512", 290),
    #[cfg(target_arch = "x86_64")]
    sha256!(cpu::ShaNi, "ni", 300),
    #[cfg(target_arch = "x86_64")]
    sha256!(cpu::ShaNiAvx512, "ni-avx512", 310),
    #[cfg(target_arch = "x86_64")]
    sha512!(cpu::Avx2, "avx2", 250),
    #[cfg(target_arch = "x86_64")]
    sha512!(cpu::Avx512, "avx512", 290),
    #[cfg(target_arch = "aarch64")]
    &[Row::hash::<Of<VSha1, cpu::ArmSha2>>(&SHA1, "sha1-ce", 300)],
    #[cfg(target_arch = "aarch64")]
    sha256!(cpu::ArmSha2, "ce", 300),
    #[cfg(target_arch = "aarch64")]
    sha512!(cpu::ArmSha3, "ce", 300),
];
