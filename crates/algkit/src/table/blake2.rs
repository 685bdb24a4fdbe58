//! BLAKE2.

use super::row::{Algorithm, Row, optional_key};
use crate::{
    Sizes,
    adapters::hashes::{
        Of,
        blake2::{VBlake2b, VBlake2s},
    },
};
#[cfg(target_arch = "x86_64")]
use algkit_primitives::cpu;
use algkit_primitives::cpu::Portable;

const BLAKE2B_KEYS: Sizes = Sizes::Between(0, 64);
const BLAKE2S_KEYS: Sizes = Sizes::Between(0, 32);
static BLAKE2B_160: Algorithm = optional_key("blake2b-160", 128, 20, BLAKE2B_KEYS);
static BLAKE2B_256: Algorithm = optional_key("blake2b-256", 128, 32, BLAKE2B_KEYS);
static BLAKE2B_384: Algorithm = optional_key("blake2b-384", 128, 48, BLAKE2B_KEYS);
static BLAKE2B_512: Algorithm = optional_key("blake2b-512", 128, 64, BLAKE2B_KEYS);
static BLAKE2S_128: Algorithm = optional_key("blake2s-128", 64, 16, BLAKE2S_KEYS);
static BLAKE2S_160: Algorithm = optional_key("blake2s-160", 64, 20, BLAKE2S_KEYS);
static BLAKE2S_224: Algorithm = optional_key("blake2s-224", 64, 28, BLAKE2S_KEYS);
static BLAKE2S_256: Algorithm = optional_key("blake2s-256", 64, 32, BLAKE2S_KEYS);

pub(super) static ROWS: &[&[Row]] = &[
    &[
        Row::hash::<Of<VBlake2b<20>, Portable>>(&BLAKE2B_160, "blake2b-160-generic", 100, "blake2/mod.rs"),
        Row::hash::<Of<VBlake2b<32>, Portable>>(&BLAKE2B_256, "blake2b-256-generic", 100, "blake2/mod.rs"),
        Row::hash::<Of<VBlake2b<48>, Portable>>(&BLAKE2B_384, "blake2b-384-generic", 100, "blake2/mod.rs"),
        Row::hash::<Of<VBlake2b<64>, Portable>>(&BLAKE2B_512, "blake2b-512-generic", 100, "blake2/mod.rs"),
        Row::hash::<Of<VBlake2s<16>, Portable>>(&BLAKE2S_128, "blake2s-128-generic", 100, "blake2/mod.rs"),
        Row::hash::<Of<VBlake2s<20>, Portable>>(&BLAKE2S_160, "blake2s-160-generic", 100, "blake2/mod.rs"),
        Row::hash::<Of<VBlake2s<28>, Portable>>(&BLAKE2S_224, "blake2s-224-generic", 100, "blake2/mod.rs"),
        Row::hash::<Of<VBlake2s<32>, Portable>>(&BLAKE2S_256, "blake2s-256-generic", 100, "blake2/mod.rs"),
    ],
    #[cfg(target_arch = "x86_64")]
    &[
        Row::hash::<Of<VBlake2b<20>, cpu::Avx2>>(&BLAKE2B_160, "blake2b-160-avx2", 250, "blake2/x86.rs").serial(),
        Row::hash::<Of<VBlake2b<32>, cpu::Avx2>>(&BLAKE2B_256, "blake2b-256-avx2", 250, "blake2/x86.rs").serial(),
        Row::hash::<Of<VBlake2b<48>, cpu::Avx2>>(&BLAKE2B_384, "blake2b-384-avx2", 250, "blake2/x86.rs").serial(),
        Row::hash::<Of<VBlake2b<64>, cpu::Avx2>>(&BLAKE2B_512, "blake2b-512-avx2", 250, "blake2/x86.rs").serial(),
        Row::hash::<Of<VBlake2s<16>, cpu::Avx2>>(&BLAKE2S_128, "blake2s-128-avx2", 250, "blake2/x86.rs").serial(),
        Row::hash::<Of<VBlake2s<20>, cpu::Avx2>>(&BLAKE2S_160, "blake2s-160-avx2", 250, "blake2/x86.rs").serial(),
        Row::hash::<Of<VBlake2s<28>, cpu::Avx2>>(&BLAKE2S_224, "blake2s-224-avx2", 250, "blake2/x86.rs").serial(),
        Row::hash::<Of<VBlake2s<32>, cpu::Avx2>>(&BLAKE2S_256, "blake2s-256-avx2", 250, "blake2/x86.rs").serial(),
    ],
    #[cfg(target_arch = "x86_64")]
    &[
        Row::hash::<Of<VBlake2b<20>, cpu::Avx512>>(&BLAKE2B_160, "blake2b-160-avx512", 290, "blake2/x86.rs").serial(),
        Row::hash::<Of<VBlake2b<32>, cpu::Avx512>>(&BLAKE2B_256, "blake2b-256-avx512", 290, "blake2/x86.rs").serial(),
        Row::hash::<Of<VBlake2b<48>, cpu::Avx512>>(&BLAKE2B_384, "blake2b-384-avx512", 290, "blake2/x86.rs").serial(),
        Row::hash::<Of<VBlake2b<64>, cpu::Avx512>>(&BLAKE2B_512, "blake2b-512-avx512", 290, "blake2/x86.rs").serial(),
        Row::hash::<Of<VBlake2s<16>, cpu::Avx512>>(&BLAKE2S_128, "blake2s-128-avx512", 290, "blake2/x86.rs").serial(),
        Row::hash::<Of<VBlake2s<20>, cpu::Avx512>>(&BLAKE2S_160, "blake2s-160-avx512", 290, "blake2/x86.rs").serial(),
        Row::hash::<Of<VBlake2s<28>, cpu::Avx512>>(&BLAKE2S_224, "blake2s-224-avx512", 290, "blake2/x86.rs").serial(),
        Row::hash::<Of<VBlake2s<32>, cpu::Avx512>>(&BLAKE2S_256, "blake2s-256-avx512", 290, "blake2/x86.rs").serial(),
    ],
];
