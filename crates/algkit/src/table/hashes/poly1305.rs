//! Poly1305.

use super::{Of, Variant, key, keyed, variants};
use crate::Sizes;
use crate::table::row::{Algorithm, Row};
#[cfg(target_arch = "x86_64")]
use algkit_primitives::cpu;
use algkit_primitives::{
    cpu::{Portable, Token},
    poly1305::{Poly1305, Poly1305Token},
};

static POLY1305: Algorithm = keyed("poly1305", 16, 16, Sizes::of(&[32]));

variants! {
    VPoly1305<Poly1305Token>: Poly1305<T>, |token, k| Poly1305::new(token, key(k));
}

pub(in crate::table) static ROWS: &[&[Row]] = &[
    &[Row::hash::<Of<VPoly1305, Portable>>(&POLY1305, "poly1305-generic", 100)],
    #[cfg(target_arch = "x86_64")]
    &[
        Row::hash::<Of<VPoly1305, cpu::Avx2>>(&POLY1305, "poly1305-avx2", 250),
        Row::hash::<Of<VPoly1305, cpu::Avx512>>(&POLY1305, "poly1305-avx512", 290),
        Row::hash::<Of<VPoly1305, cpu::Ifma512>>(&POLY1305, "poly1305-ifma", 310),
    ],
];
