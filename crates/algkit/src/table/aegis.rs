//! AEGIS-128.

use super::row::{Algorithm, Row};
use crate::{
    Sizes,
    adapters::aegis::Aegis,
    driver::{Shape, Type},
};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use algkit_primitives::cpu;
use algkit_primitives::cpu::Portable;

static AEGIS128: Algorithm =
    Algorithm { name: "aegis128", kind: Type::Aead, shape: Shape::aead(Sizes::of(&[16]), 16, Sizes::Between(8, 16)) };

pub(super) static ROWS: &[&[Row]] = &[
    &[Row::aead::<Aegis<Portable>>(&AEGIS128, "aegis128-generic", 100, "aegis/portable.rs")],
    #[cfg(target_arch = "x86_64")]
    &[Row::aead::<Aegis<cpu::AesNi>>(&AEGIS128, "aegis128-aesni", 400, "aegis/mod.rs")],
    #[cfg(target_arch = "aarch64")]
    &[Row::aead::<Aegis<cpu::ArmCe>>(&AEGIS128, "aegis128-ce", 400, "aegis/mod.rs")],
];
