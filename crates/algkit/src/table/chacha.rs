//! ChaCha, and ChaCha20-Poly1305 in one pass.

use super::row::{Algorithm, Row};
use crate::{
    Sizes,
    adapters::chacha::{ChaCha20, Stitched, XChaCha},
    driver::{Shape, TextRule, Type},
};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", all(target_arch = "arm", unix)))]
use algkit_primitives::cpu;
use algkit_primitives::cpu::Portable;

const fn stream(name: &'static str, ivsize: usize) -> Algorithm {
    Algorithm { name, kind: Type::Skcipher, shape: Shape::skcipher(1, Sizes::of(&[32]), ivsize, TextRule::Any) }
}

static CHACHA20: Algorithm = stream("chacha20", 16);
static XCHACHA20: Algorithm = stream("xchacha20", 32);
static XCHACHA12: Algorithm = stream("xchacha12", 32);

const fn aead(name: &'static str, salt: usize) -> Algorithm {
    let keys: &[usize] = if salt == 0 { &[32] } else { &[36] };
    Algorithm { name, kind: Type::Aead, shape: Shape::aead(Sizes::of(keys), 12 - salt, Sizes::of(&[16])) }
}

static RFC7539: Algorithm = aead("rfc7539(chacha20,poly1305)", 0);
static RFC7539ESP: Algorithm = aead("rfc7539esp(chacha20,poly1305)", 4);

pub(super) static ROWS: &[&[Row]] = &[
    &[
        Row::skcipher::<ChaCha20<Portable>>(&CHACHA20, "chacha20-generic", 100, "chacha/rounds.rs"),
        Row::skcipher::<XChaCha<Portable, 20>>(&XCHACHA20, "xchacha20-generic", 100, "chacha/rounds.rs"),
        Row::skcipher::<XChaCha<Portable, 12>>(&XCHACHA12, "xchacha12-generic", 100, "chacha/rounds.rs"),
    ],
    #[cfg(target_arch = "x86_64")]
    &[
        Row::skcipher::<ChaCha20<cpu::Sse2>>(&CHACHA20, "chacha20-sse2", 200, "chacha/rounds.rs"),
        Row::skcipher::<XChaCha<cpu::Sse2, 20>>(&XCHACHA20, "xchacha20-sse2", 200, "chacha/rounds.rs"),
        Row::skcipher::<XChaCha<cpu::Sse2, 12>>(&XCHACHA12, "xchacha12-sse2", 200, "chacha/rounds.rs"),
    ],
    #[cfg(target_arch = "x86_64")]
    &[
        Row::skcipher::<ChaCha20<cpu::Ssse3>>(&CHACHA20, "chacha20-ssse3", 210, "chacha/rounds.rs"),
        Row::skcipher::<XChaCha<cpu::Ssse3, 20>>(&XCHACHA20, "xchacha20-ssse3", 210, "chacha/rounds.rs"),
        Row::skcipher::<XChaCha<cpu::Ssse3, 12>>(&XCHACHA12, "xchacha12-ssse3", 210, "chacha/rounds.rs"),
    ],
    #[cfg(target_arch = "x86_64")]
    &[
        Row::skcipher::<ChaCha20<cpu::Avx2>>(&CHACHA20, "chacha20-avx2", 250, "chacha/rounds.rs"),
        Row::skcipher::<XChaCha<cpu::Avx2, 20>>(&XCHACHA20, "xchacha20-avx2", 250, "chacha/rounds.rs"),
        Row::skcipher::<XChaCha<cpu::Avx2, 12>>(&XCHACHA12, "xchacha12-avx2", 250, "chacha/rounds.rs"),
    ],
    #[cfg(target_arch = "x86_64")]
    &[
        Row::skcipher::<ChaCha20<cpu::Avx512>>(&CHACHA20, "chacha20-avx512", 290, "chacha/rounds.rs"),
        Row::skcipher::<XChaCha<cpu::Avx512, 20>>(&XCHACHA20, "xchacha20-avx512", 290, "chacha/rounds.rs"),
        Row::skcipher::<XChaCha<cpu::Avx512, 12>>(&XCHACHA12, "xchacha12-avx512", 290, "chacha/rounds.rs"),
    ],
    #[cfg(target_arch = "aarch64")]
    &[
        Row::skcipher::<ChaCha20<cpu::Neon>>(&CHACHA20, "chacha20-neon", 250, "chacha/rounds.rs"),
        Row::skcipher::<XChaCha<cpu::Neon, 20>>(&XCHACHA20, "xchacha20-neon", 250, "chacha/rounds.rs"),
        Row::skcipher::<XChaCha<cpu::Neon, 12>>(&XCHACHA12, "xchacha12-neon", 250, "chacha/rounds.rs"),
    ],
    #[cfg(all(target_arch = "arm", unix))]
    &[
        Row::skcipher::<ChaCha20<cpu::Neon>>(&CHACHA20, "chacha20-neon", 250, "chacha/arm.rs"),
        Row::skcipher::<XChaCha<cpu::Neon, 20>>(&XCHACHA20, "xchacha20-neon", 250, "chacha/arm.rs"),
        Row::skcipher::<XChaCha<cpu::Neon, 12>>(&XCHACHA12, "xchacha12-neon", 250, "chacha/arm.rs"),
    ],
    #[cfg(target_arch = "x86_64")]
    &[
        Row::aead::<Stitched<cpu::Sse2, 0>>(
            &RFC7539,
            "rfc7539-chacha20-poly1305-sse2",
            400,
            "chacha20poly1305/kernel.rs",
        ),
        Row::aead::<Stitched<cpu::Sse2, 4>>(
            &RFC7539ESP,
            "rfc7539esp-chacha20-poly1305-sse2",
            400,
            "chacha20poly1305/kernel.rs",
        ),
    ],
    #[cfg(target_arch = "x86_64")]
    &[
        Row::aead::<Stitched<cpu::Ssse3, 0>>(
            &RFC7539,
            "rfc7539-chacha20-poly1305-ssse3",
            410,
            "chacha20poly1305/kernel.rs",
        ),
        Row::aead::<Stitched<cpu::Ssse3, 4>>(
            &RFC7539ESP,
            "rfc7539esp-chacha20-poly1305-ssse3",
            410,
            "chacha20poly1305/kernel.rs",
        ),
    ],
    #[cfg(target_arch = "x86_64")]
    &[
        Row::aead::<Stitched<cpu::Avx2, 0>>(
            &RFC7539,
            "rfc7539-chacha20-poly1305-avx2",
            450,
            "chacha20poly1305/kernel.rs",
        ),
        Row::aead::<Stitched<cpu::Avx2, 4>>(
            &RFC7539ESP,
            "rfc7539esp-chacha20-poly1305-avx2",
            450,
            "chacha20poly1305/kernel.rs",
        ),
    ],
    #[cfg(target_arch = "x86_64")]
    &[
        Row::aead::<Stitched<cpu::Avx512, 0>>(
            &RFC7539,
            "rfc7539-chacha20-poly1305-avx512",
            490,
            "chacha20poly1305/kernel.rs",
        ),
        Row::aead::<Stitched<cpu::Avx512, 4>>(
            &RFC7539ESP,
            "rfc7539esp-chacha20-poly1305-avx512",
            490,
            "chacha20poly1305/kernel.rs",
        ),
    ],
    #[cfg(target_arch = "x86_64")]
    &[
        Row::aead::<Stitched<cpu::Ifma512, 0>>(
            &RFC7539,
            "rfc7539-chacha20-poly1305-ifma",
            510,
            "chacha20poly1305/kernel.rs",
        ),
        Row::aead::<Stitched<cpu::Ifma512, 4>>(
            &RFC7539ESP,
            "rfc7539esp-chacha20-poly1305-ifma",
            510,
            "chacha20poly1305/kernel.rs",
        ),
    ],
    #[cfg(target_arch = "aarch64")]
    &[
        Row::aead::<Stitched<cpu::Neon, 0>>(
            &RFC7539,
            "rfc7539-chacha20-poly1305-neon",
            450,
            "chacha20poly1305/kernel.rs",
        ),
        Row::aead::<Stitched<cpu::Neon, 4>>(
            &RFC7539ESP,
            "rfc7539esp-chacha20-poly1305-neon",
            450,
            "chacha20poly1305/kernel.rs",
        ),
    ],
];
