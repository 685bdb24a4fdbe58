//! Poly1305.

use super::row::{Algorithm, Row, keyed_hash};
use crate::{
    Sizes,
    adapters::hashes::{Of, poly1305::VPoly1305},
};
#[cfg(target_arch = "x86_64")]
use algkit_primitives::cpu;
use algkit_primitives::cpu::Portable;

static POLY1305: Algorithm = keyed_hash("poly1305", 16, 16, Sizes::of(&[32]));

pub(super) static ROWS: &[&[Row]] = &[
    &[Row::hash::<Of<VPoly1305, Portable>>(&POLY1305, "poly1305-generic", 100, "poly1305/scalar.rs")],
    #[cfg(target_arch = "x86_64")]
    &[
        Row::hash::<Of<VPoly1305, cpu::Avx2>>(&POLY1305, "poly1305-avx2", 250, "poly1305/x86.rs"),
        Row::hash::<Of<VPoly1305, cpu::Avx512>>(&POLY1305, "poly1305-avx512", 290, "poly1305/x86.rs"),
        Row::hash::<Of<VPoly1305, cpu::Ifma512>>(&POLY1305, "poly1305-ifma", 310, "poly1305/ifma.rs"),
    ],
];
