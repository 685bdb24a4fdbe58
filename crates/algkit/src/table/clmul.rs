//! GHASH and POLYVAL.

use super::row::{Algorithm, Row, keyed_hash};
use crate::{
    Sizes,
    adapters::hashes::{
        Of,
        clmul::{VGhash, VPolyval},
    },
};
#[cfg(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    target_arch = "powerpc64",
    target_arch = "riscv64",
    all(target_arch = "arm", unix)
))]
use algkit_primitives::cpu;
use algkit_primitives::cpu::Portable;

static GHASH: Algorithm = keyed_hash("ghash", 16, 16, Sizes::of(&[16]));
static POLYVAL: Algorithm = keyed_hash("polyval", 16, 16, Sizes::of(&[16]));

pub(super) static ROWS: &[&[Row]] = &[
    &[
        Row::hash::<Of<VGhash, Portable>>(&GHASH, "ghash-generic", 100, "ghash/portable.rs"),
        Row::hash::<Of<VPolyval, Portable>>(&POLYVAL, "polyval-generic", 100, "ghash/portable.rs"),
    ],
    #[cfg(target_arch = "x86_64")]
    &[
        Row::hash::<Of<VGhash, cpu::Pclmul>>(&GHASH, "ghash-pclmul", 300, "ghash/x86.rs"),
        Row::hash::<Of<VPolyval, cpu::Pclmul>>(&POLYVAL, "polyval-pclmul", 300, "ghash/x86.rs"),
        Row::hash::<Of<VGhash, cpu::Vaes256>>(&GHASH, "ghash-vpclmul-avx2", 400, "ghash/x86.rs"),
        Row::hash::<Of<VPolyval, cpu::Vaes256>>(&POLYVAL, "polyval-vpclmul-avx2", 400, "ghash/x86.rs"),
        Row::hash::<Of<VGhash, cpu::Vaes512>>(&GHASH, "ghash-vpclmul-avx512", 500, "ghash/x86.rs"),
        Row::hash::<Of<VPolyval, cpu::Vaes512>>(&POLYVAL, "polyval-vpclmul-avx512", 500, "ghash/x86.rs"),
    ],
    #[cfg(target_arch = "aarch64")]
    &[
        Row::hash::<Of<VGhash, cpu::Neon>>(&GHASH, "ghash-neon", 200, "ghash/neon.rs"),
        Row::hash::<Of<VPolyval, cpu::Neon>>(&POLYVAL, "polyval-neon", 200, "ghash/neon.rs"),
        Row::hash::<Of<VGhash, cpu::ArmCe>>(&GHASH, "ghash-ce", 300, "ghash/aarch64.rs"),
        Row::hash::<Of<VPolyval, cpu::ArmCe>>(&POLYVAL, "polyval-ce", 300, "ghash/aarch64.rs"),
    ],
    #[cfg(all(target_arch = "arm", unix))]
    &[
        Row::hash::<Of<VGhash, cpu::Neon>>(&GHASH, "ghash-neon", 200, "ghash/arm.rs"),
        Row::hash::<Of<VPolyval, cpu::Neon>>(&POLYVAL, "polyval-neon", 200, "ghash/arm.rs"),
        Row::hash::<Of<VGhash, cpu::ArmCe>>(&GHASH, "ghash-ce", 300, "ghash/arm.rs"),
        Row::hash::<Of<VPolyval, cpu::ArmCe>>(&POLYVAL, "polyval-ce", 300, "ghash/arm.rs"),
    ],
    #[cfg(target_arch = "powerpc64")]
    &[
        Row::hash::<Of<VGhash, cpu::Power8>>(&GHASH, "p8_ghash", 300, "ghash/power8.rs"),
        Row::hash::<Of<VPolyval, cpu::Power8>>(&POLYVAL, "p8_polyval", 300, "ghash/power8.rs"),
    ],
    #[cfg(target_arch = "riscv64")]
    &[
        Row::hash::<Of<VGhash, cpu::Zbkc>>(&GHASH, "ghash-riscv64-zbkc", 300, "ghash/riscv.rs"),
        Row::hash::<Of<VPolyval, cpu::Zbkc>>(&POLYVAL, "polyval-riscv64-zbkc", 300, "ghash/riscv.rs"),
    ],
];
