//! Checksums. Their keys are seeds, not secrets.

#[cfg(target_arch = "x86_64")]
use super::family;
use super::{Of, Variant, optional_key, variants};
use crate::Sizes;
use crate::table::row::{Algorithm, Row};
#[cfg(target_arch = "x86_64")]
use algkit_primitives::cpu;
use algkit_primitives::{
    cpu::{Portable, Token},
    crc32::{Castagnoli, Crc32, Crc32c, Ieee, Update},
    xxhash::{Stripes, XxHash64},
};

static CRC32: Algorithm = optional_key("crc32", 1, 4, Sizes::of(&[4]));
static CRC32C: Algorithm = optional_key("crc32c", 1, 4, Sizes::of(&[4]));
static XXHASH64: Algorithm = optional_key("xxhash64", 32, 8, Sizes::of(&[8]));

/// A little-endian seed of four bytes, or the default.
fn seed(key: &[u8], default: u32) -> u32 {
    key.try_into().map_or(default, u32::from_le_bytes)
}

variants! {
    VCrc32<Update<Ieee>>: Crc32<T>, |token, key| Crc32::new(token, seed(key, 0));
    VCrc32c<Update<Castagnoli>>: Crc32c<T>, |token, key| Crc32c::new(token, seed(key, !0));
    VXxHash64<Stripes>: XxHash64<T>, |token, key| XxHash64::new(token, key.try_into().map_or(0, u64::from_le_bytes));
}

#[cfg(target_arch = "x86_64")]
macro_rules! crc32 {
    ($token:ty, $cpu:literal, $priority:literal) => {
        family!($token, $cpu, $priority: VCrc32, CRC32, "crc32"; VCrc32c, CRC32C, "crc32c";)
    };
}

pub(in crate::table) static ROWS: &[&[Row]] = &[
    &[
        Row::hash::<Of<VXxHash64, Portable>>(&XXHASH64, "xxhash64-generic", 100),
        Row::hash::<Of<VCrc32, Portable>>(&CRC32, "crc32-generic", 100).table(),
        Row::hash::<Of<VCrc32c, Portable>>(&CRC32C, "crc32c-generic", 100).table(),
    ],
    #[cfg(target_arch = "x86_64")]
    &[Row::hash::<Of<VXxHash64, cpu::Avx512Mullq>>(&XXHASH64, "xxhash64-avx512", 300)],
    #[cfg(target_arch = "x86_64")]
    &[Row::hash::<Of<VCrc32c, cpu::Sse42>>(&CRC32C, "crc32c-sse42", 350)],
    #[cfg(target_arch = "x86_64")]
    crc32!(cpu::Pclmul, "pclmul", 300),
    #[cfg(target_arch = "x86_64")]
    crc32!(cpu::Vpclmul256, "vpclmul-avx2", 400),
    #[cfg(target_arch = "x86_64")]
    crc32!(cpu::Vpclmul512, "vpclmul-avx512", 500),
];
