//! Serpent.

use super::row::{Algorithm, Row};
use crate::{
    Sizes,
    driver::{Shape, Type},
};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use algkit_primitives::cpu;
use algkit_primitives::{cpu::Portable, serpent::Serpent};

static SERPENT: Algorithm =
    Algorithm { name: "serpent", kind: Type::Cipher, shape: Shape::cipher(16, Sizes::Between(0, 32)) };

pub(super) static ROWS: &[&[Row]] = &[
    &[Row::cipher::<Serpent<Portable>>(&SERPENT, "serpent-generic", 100, "serpent/rounds.rs")],
    #[cfg(target_arch = "x86_64")]
    &[
        Row::cipher::<Serpent<cpu::Sse2>>(&SERPENT, "serpent-sse2", 200, "serpent/rounds.rs"),
        Row::cipher::<Serpent<cpu::Avx2>>(&SERPENT, "serpent-avx2", 250, "serpent/rounds.rs"),
        Row::cipher::<Serpent<cpu::Avx512>>(&SERPENT, "serpent-avx512", 290, "serpent/rounds.rs"),
    ],
    #[cfg(target_arch = "aarch64")]
    &[Row::cipher::<Serpent<cpu::Neon>>(&SERPENT, "serpent-neon", 250, "serpent/rounds.rs")],
];
