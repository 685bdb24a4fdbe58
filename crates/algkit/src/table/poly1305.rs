//! Poly1305, and NHPoly1305.

use super::row::{Algorithm, Row, keyed_hash};
use crate::{
    Sizes,
    adapters::hashes::{
        Of,
        poly1305::{VNhPoly1305, VPoly1305},
    },
};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", all(target_arch = "arm", unix)))]
use algkit_primitives::cpu;
use algkit_primitives::{cpu::Portable, nhpoly1305};

static POLY1305: Algorithm = keyed_hash("poly1305", 16, 16, Sizes::of(&[32]));
static NHPOLY1305: Algorithm = keyed_hash("nhpoly1305", 1, 16, Sizes::of(&[nhpoly1305::KEY]));

pub(super) static ROWS: &[&[Row]] = &[
    &[
        Row::hash::<Of<VPoly1305, Portable>>(&POLY1305, "poly1305-generic", 100, "poly1305/scalar.rs"),
        Row::hash::<Of<VNhPoly1305, Portable>>(&NHPOLY1305, "nhpoly1305-generic", 100, "nhpoly1305/mod.rs"),
    ],
    #[cfg(target_arch = "x86_64")]
    &[
        Row::hash::<Of<VPoly1305, cpu::Avx2>>(&POLY1305, "poly1305-avx2", 250, "poly1305/x86.rs"),
        Row::hash::<Of<VPoly1305, cpu::Avx512>>(&POLY1305, "poly1305-avx512", 290, "poly1305/x86.rs"),
        Row::hash::<Of<VPoly1305, cpu::Ifma512>>(&POLY1305, "poly1305-ifma", 310, "poly1305/ifma.rs"),
        Row::hash::<Of<VNhPoly1305, cpu::Sse2>>(&NHPOLY1305, "nhpoly1305-sse2", 200, "nhpoly1305/mod.rs"),
        Row::hash::<Of<VNhPoly1305, cpu::Avx2>>(&NHPOLY1305, "nhpoly1305-avx2", 300, "nhpoly1305/mod.rs"),
        Row::hash::<Of<VNhPoly1305, cpu::Avx512>>(&NHPOLY1305, "nhpoly1305-avx512", 310, "nhpoly1305/mod.rs"),
    ],
    #[cfg(all(target_arch = "arm", unix))]
    &[Row::hash::<Of<VPoly1305, cpu::Neon>>(&POLY1305, "poly1305-neon", 250, "poly1305/arm.rs")],
    #[cfg(target_arch = "aarch64")]
    &[Row::hash::<Of<VNhPoly1305, cpu::Neon>>(&NHPOLY1305, "nhpoly1305-neon", 200, "nhpoly1305/mod.rs")],
];
