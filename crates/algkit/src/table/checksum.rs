//! Checksums. Their keys are seeds, not secrets.

use super::row::{Algorithm, Row, optional_key};
use crate::{
    Sizes,
    adapters::hashes::{
        Of,
        checksum::{VCrc32, VCrc32c, VXxHash64},
    },
};
#[cfg(target_arch = "x86_64")]
use algkit_primitives::cpu;
use algkit_primitives::cpu::Portable;

static CRC32: Algorithm = optional_key("crc32", 1, 4, Sizes::of(&[4]));
static CRC32C: Algorithm = optional_key("crc32c", 1, 4, Sizes::of(&[4]));
static XXHASH64: Algorithm = optional_key("xxhash64", 32, 8, Sizes::of(&[8]));

pub(super) static ROWS: &[&[Row]] = &[
    &[
        Row::hash::<Of<VXxHash64, Portable>>(&XXHASH64, "xxhash64-generic", 100, "xxhash/mod.rs"),
        Row::hash::<Of<VCrc32, Portable>>(&CRC32, "crc32-generic", 100, "crc32/table.rs").table(),
        Row::hash::<Of<VCrc32c, Portable>>(&CRC32C, "crc32c-generic", 100, "crc32/table.rs").table(),
    ],
    #[cfg(target_arch = "x86_64")]
    &[Row::hash::<Of<VCrc32c, cpu::Sse42>>(&CRC32C, "crc32c-sse42", 350, "crc32/instruction.rs")],
    #[cfg(target_arch = "x86_64")]
    &[
        Row::hash::<Of<VCrc32, cpu::Pclmul>>(&CRC32, "crc32-pclmul", 300, "crc32/fold.rs"),
        Row::hash::<Of<VCrc32c, cpu::Pclmul>>(&CRC32C, "crc32c-pclmul", 300, "crc32/fold.rs"),
        Row::hash::<Of<VCrc32, cpu::Vpclmul256>>(&CRC32, "crc32-vpclmul-avx2", 400, "crc32/fold.rs"),
        Row::hash::<Of<VCrc32c, cpu::Vpclmul256>>(&CRC32C, "crc32c-vpclmul-avx2", 400, "crc32/fold.rs"),
        Row::hash::<Of<VCrc32, cpu::Vpclmul512>>(&CRC32, "crc32-vpclmul-avx512", 500, "crc32/fold.rs"),
        Row::hash::<Of<VCrc32c, cpu::Vpclmul512>>(&CRC32C, "crc32c-vpclmul-avx512", 500, "crc32/fold.rs"),
    ],
];
