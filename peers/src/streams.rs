//! The speed of single instructions: independent streams show how many of them the CPU begins in a given time, and
//! chains show how long each takes.

/// An instruction, or a group of several.
#[derive(Clone, Copy, Debug)]
pub struct Stream {
    /// The name of the instruction or group.
    pub name: &'static str,
    /// The number of bytes that it processes.
    pub width: usize,
    /// Runs it at least as many times as the argument says.
    pub run: fn(usize),
}

impl Stream {
    /// The first of `names` that this CPU has.
    pub fn first(names: &[&str]) -> Option<Self> {
        names.iter().find_map(|name| all().into_iter().find(|stream| stream.name == *name))
    }
}

/// Every stream that this CPU has.
pub fn all() -> Vec<Stream> {
    imp::all()
}

#[cfg(target_arch = "x86_64")]
mod imp {
    use super::Stream;
    use std::{
        arch::{asm, x86_64::*},
        hint::black_box,
    };

    /// Defines a stream of `$lanes` registers, on each of which `$step` is repeated.
    macro_rules! stream {
        ($name:ident: $features:literal, $lanes:literal, $set:ident, |$x:ident, $key:ident| $step:expr) => {
            fn $name(n: usize) {
                #[target_feature(enable = $features)]
                fn run(n: usize) {
                    let $key = $set(black_box(0x5a));
                    let mut lanes = [$set(black_box(1)); $lanes];
                    for _ in 0..n.div_ceil($lanes) {
                        for $x in &mut lanes {
                            *$x = $step;
                        }
                    }
                    black_box(lanes);
                }
                // SAFETY: `all` returns this function only if the CPU has the features.
                unsafe { run(n) }
            }
        };
    }

    stream!(aesenc: "aes,sse2", 12, _mm_set1_epi8, |x, key| _mm_aesenc_si128(*x, key));
    stream!(aesenc_chain: "aes,sse2", 1, _mm_set1_epi8, |x, key| _mm_aesenc_si128(*x, key));
    stream!(vaesenc256: "vaes,avx2", 12, _mm256_set1_epi8, |x, key| _mm256_aesenc_epi128(*x, key));
    stream!(vaesenc512: "vaes,avx512f", 12, _mm512_set1_epi8, |x, key| _mm512_aesenc_epi128(*x, key));
    stream!(pclmul: "pclmulqdq,sse2", 12, _mm_set1_epi8, |x, key| _mm_clmulepi64_si128::<0>(*x, key));
    stream!(vpclmul256: "vpclmulqdq,avx2", 12, _mm256_set1_epi8, |x, key| _mm256_clmulepi64_epi128::<0>(*x, key));
    stream!(vpclmul512: "vpclmulqdq,avx512f", 12, _mm512_set1_epi8, |x, key| _mm512_clmulepi64_epi128::<0>(*x, key));
    stream!(muludq512: "avx512f", 12, _mm512_set1_epi8, |x, key| _mm512_mul_epu32(*x, key));
    stream!(muludq256: "avx2", 12, _mm256_set1_epi8, |x, key| _mm256_mul_epu32(*x, key));
    stream!(madd52: "avx512ifma", 12, _mm512_set1_epi8, |x, key| _mm512_madd52lo_epu64(*x, key, key));
    stream!(sha256_chain: "sha,sse2", 1, _mm_set1_epi8, |x, key| _mm_sha256rnds2_epu32(*x, *x, key));
    // 16 rounds of SHA-256. A kernel takes two messages, and Granite Rapids is slower with three or more. The schedule is not
    // counted, because it runs beside the rounds.
    stream!(sha256_rounds: "sha,sse2", 2, _mm_set1_epi8, |x, key| {
        (0..8).fold(*x, |x, _| _mm_sha256rnds2_epu32(x, x, key))
    });
    stream!(sha1_chain: "sha,sse2", 1, _mm_set1_epi8, |x, key| _mm_sha1rnds4_epu32::<0>(*x, key));

    // A quarter of BLAKE2's G; each of the three operations depends on the one before.
    stream!(blake2_chain: "avx2", 1, _mm256_set1_epi8, |x, key| {
        _mm256_shuffle_epi32::<0xb1>(_mm256_xor_si256(_mm256_add_epi64(*x, key), key))
    });

    // Half of a ChaCha quarter round. AVX2 rotates by whole bytes with one shuffle, and otherwise with two shifts.
    stream!(half_quarter512: "avx512f", 12, _mm512_set1_epi8, |x, key| {
        let sum = _mm512_rol_epi32::<16>(_mm512_xor_si512(_mm512_add_epi32(*x, key), key));
        _mm512_rol_epi32::<12>(_mm512_xor_si512(_mm512_add_epi32(sum, key), key))
    });
    stream!(half_quarter256: "avx2", 12, _mm256_set1_epi8, |x, key| {
        let sum = _mm256_shuffle_epi8(_mm256_xor_si256(_mm256_add_epi32(*x, key), key), key);
        let sum = _mm256_xor_si256(_mm256_add_epi32(sum, key), key);
        _mm256_or_si256(_mm256_slli_epi32::<12>(sum), _mm256_srli_epi32::<20>(sum))
    });

    /// Defines a stream of instructions in the proportions of an algorithm. There are lists of instructions on `\x` and
    /// a constant `{k}`, each with a number of repetitions. Every instruction is applied to eight registers in turn, so
    /// that none depends on the one before. It is assembly, because a compiler would combine instructions.
    macro_rules! mix {
        ($name:ident: $features:literal, $reg:ident, $set:ident, $($times:literal [$($instruction:literal),+]),+) => {
            fn $name(n: usize) {
                #[target_feature(enable = $features)]
                fn run(n: usize) {
                    let k = $set(black_box(0x5a));
                    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = [$set(black_box(1)); 8];
                    for _ in 0..n.div_ceil(8) {
                        // SAFETY: the instructions compute in registers, and the function is compiled with their
                        // features.
                        unsafe {
                            asm!(
                                $(
                                    concat!(".rept ", $times),
                                    $(".irp x,{a},{b},{c},{d},{e},{f},{g},{h}", $instruction, ".endr",)+
                                    ".endr",
                                )+
                                a = inout($reg) a, b = inout($reg) b, c = inout($reg) c, d = inout($reg) d,
                                e = inout($reg) e, f = inout($reg) f, g = inout($reg) g, h = inout($reg) h,
                                k = in($reg) k,
                                options(pure, nomem, nostack),
                            );
                        }
                    }
                    black_box([a, b, c, d, e, f, g, h]);
                }
                // SAFETY: `all` returns this function only if the CPU has the features.
                unsafe { run(n) }
            }
        };
    }

    /// A value for a general register.
    fn word(n: i8) -> u64 {
        n.cast_unsigned().into()
    }

    // A vector of GCM: the rounds of AES and three carry-less products. They share execution units: on Zen 4, neither
    // runs beside the other at no cost.
    mix!(gcm128_512: "avx512f,vaes,vpclmulqdq", zmm_reg, _mm512_set1_epi8,
        3 ["vaesenc \\x, \\x, {k}", "vpclmulqdq \\x, \\x, {k}, 0", "vaesenc \\x, \\x, {k}", "vaesenc \\x, \\x, {k}"],
        1 ["vaesenc \\x, \\x, {k}"]);
    mix!(gcm256_512: "avx512f,vaes,vpclmulqdq", zmm_reg, _mm512_set1_epi8,
        3 ["vaesenc \\x, \\x, {k}", "vaesenc \\x, \\x, {k}", "vpclmulqdq \\x, \\x, {k}, 0", "vaesenc \\x, \\x, {k}",
            "vaesenc \\x, \\x, {k}"],
        2 ["vaesenc \\x, \\x, {k}"]);
    mix!(gcm128_256: "avx2,vaes,vpclmulqdq", ymm_reg, _mm256_set1_epi8,
        3 ["vaesenc \\x, \\x, {k}", "vpclmulqdq \\x, \\x, {k}, 0", "vaesenc \\x, \\x, {k}", "vaesenc \\x, \\x, {k}"],
        1 ["vaesenc \\x, \\x, {k}"]);
    mix!(gcm256_256: "avx2,vaes,vpclmulqdq", ymm_reg, _mm256_set1_epi8,
        3 ["vaesenc \\x, \\x, {k}", "vaesenc \\x, \\x, {k}", "vpclmulqdq \\x, \\x, {k}, 0", "vaesenc \\x, \\x, {k}",
            "vaesenc \\x, \\x, {k}"],
        2 ["vaesenc \\x, \\x, {k}"]);
    mix!(gcm128_128: "aes,sse2,pclmulqdq", xmm_reg, _mm_set1_epi8,
        3 ["aesenc \\x, {k}", "pclmulqdq \\x, {k}, 0", "aesenc \\x, {k}", "aesenc \\x, {k}"], 1 ["aesenc \\x, {k}"]);
    mix!(gcm256_128: "aes,sse2,pclmulqdq", xmm_reg, _mm_set1_epi8,
        3 ["aesenc \\x, {k}", "aesenc \\x, {k}", "pclmulqdq \\x, {k}, 0", "aesenc \\x, {k}", "aesenc \\x, {k}"],
        2 ["aesenc \\x, {k}"]);

    mix!(mul64: "bmi2", reg, word, 1 ["imul \\x, {k}"]);

    // A round: 6 rotations and 4 exclusive ors in the two sums, 3 operations each for choice and majority, and 6
    // additions. The message schedule is not counted, because it runs in vectors.
    mix!(sha512_round: "bmi2", reg, word, 6 ["rorx \\x, \\x, 14", "xor \\x, {k}", "add \\x, {k}"], 4 ["xor \\x, {k}"]);

    // A fifth of a round of Keccak, with each of its 25 lanes in a register of its own. Theta takes 20 exclusive ors
    // for the parities of columns, 5 rotations and 5 exclusive ors for their sums, and 25 exclusive ors to add these.
    // Rho takes 24 rotations. Chi takes two operations for each of 25 lanes, one of which is AND NOT. Iota takes 1.
    // With ternary logic, theta takes 10 operations for the parities, 5 rotations, and 25 operations that add two parities
    // to a lane, and chi takes 25. Without vector rotations, each rotation is two shifts and an OR. Fractions are left out.
    mix!(keccak: "bmi2,bmi1", reg, word,
        5 ["xor \\x, {k}", "rorx \\x, \\x, 14", "xor \\x, {k}", "andn \\x, \\x, {k}", "xor \\x, {k}"],
        1 ["xor \\x, {k}"]);
    mix!(keccak128: "avx512f,avx512vl", xmm_reg, _mm_set1_epi8,
        5 ["vpternlogq \\x, \\x, {k}, 0x96", "vprolq \\x, \\x, 14", "vpternlogq \\x, \\x, {k}, 0xd2"],
        2 ["vpternlogq \\x, \\x, {k}, 0x96"], 1 ["vprolq \\x, \\x, 1"]);
    mix!(keccak256: "avx2", ymm_reg, _mm256_set1_epi8,
        11 ["vpxor \\x, \\x, {k}", "vpsllq \\x, \\x, 14", "vpandn \\x, \\x, {k}"], 4 ["vpxor \\x, \\x, {k}"]);
    mix!(keccak512: "avx512f", zmm_reg, _mm512_set1_epi8,
        5 ["vpternlogq \\x, \\x, {k}, 0x96", "vprolq \\x, \\x, 14", "vpternlogq \\x, \\x, {k}, 0xd2"],
        2 ["vpternlogq \\x, \\x, {k}, 0x96"], 1 ["vprolq \\x, \\x, 1"]);

    // SHA-2 in lanes. A round is 6 rotations, 7 additions, and with ternary logic 4 operations for the sums, choice and
    // majority. A word of the schedule is 6 rotations and shifts, 3 additions and 2 operations; 48 of 64 rounds need
    // one, or 64 of 80. So 4 rounds of SHA-256 are 42 rotations, 22 operations and 37 additions, and 5 rounds of
    // SHA-512 are 54, 28 and 47. A round of SHA-1 is 2 rotations, 4 additions and 1 operation; its schedule is a
    // rotation and 2 operations, 64 times in 80 rounds. So 5 rounds are 14, 20 and 13.
    mix!(sha1_lanes512: "avx512f", zmm_reg, _mm512_set1_epi8,
        9 ["vpaddd \\x, \\x, {k}", "vpternlogd \\x, \\x, {k}, 0x96", "vpaddd \\x, \\x, {k}", "vprold \\x, \\x, 5"],
        2 ["vpaddd \\x, \\x, {k}", "vpxord \\x, \\x, {k}", "vprold \\x, \\x, 5"],
        2 ["vpxord \\x, \\x, {k}", "vprold \\x, \\x, 5"], 1 ["vprold \\x, \\x, 5"]);
    mix!(sha256_lanes512: "avx512f", zmm_reg, _mm512_set1_epi8,
        18 ["vprord \\x, \\x, 6", "vpternlogd \\x, \\x, {k}, 0x96", "vpaddd \\x, \\x, {k}", "vprord \\x, \\x, 11",
            "vpaddd \\x, \\x, {k}"],
        4 ["vprord \\x, \\x, 6", "vpternlogd \\x, \\x, {k}, 0xca"],
        2 ["vprord \\x, \\x, 7"], 1 ["vpaddd \\x, \\x, {k}"]);
    mix!(sha512_lanes512: "avx512f", zmm_reg, _mm512_set1_epi8,
        20 ["vprorq \\x, \\x, 14", "vpternlogq \\x, \\x, {k}, 0x96", "vpaddq \\x, \\x, {k}", "vprorq \\x, \\x, 18",
            "vpaddq \\x, \\x, {k}"],
        7 ["vprorq \\x, \\x, 41", "vpternlogq \\x, \\x, {k}, 0xca", "vprorq \\x, \\x, 1", "vpaddq \\x, \\x, {k}"],
        1 ["vpternlogq \\x, \\x, {k}, 0x96"]);
    // The same with two shifts and an OR for each rotation, and with logic of two operands: 100 shifts, 107 operations
    // and 47 additions.
    mix!(sha512_lanes256: "avx2", ymm_reg, _mm256_set1_epi8,
        47 ["vpsrlq \\x, \\x, 14", "vpxor \\x, \\x, {k}", "vpsllq \\x, \\x, 50", "vpand \\x, \\x, {k}",
            "vpaddq \\x, \\x, {k}"],
        6 ["vpsrlq \\x, \\x, 7", "vpor \\x, \\x, {k}"], 7 ["vpxor \\x, \\x, {k}"]);

    // Two rounds of Serpent. Each is an S-box, 4 exclusive ors with the key, 6 rotations, 2 shifts and 8 exclusive ors,
    // which are 4 with ternary logic; the last round has no linear transformation. Osvik's S-boxes have 17.25 gates on
    // average, or 7.25 with ternary logic.
    mix!(serpent512: "avx512f", zmm_reg, _mm512_set1_epi8,
        11 ["vpternlogd \\x, \\x, {k}, 0x96", "vprold \\x, \\x, 13", "vpternlogd \\x, \\x, {k}, 0x2d"],
        1 ["vpternlogd \\x, \\x, {k}, 0x96"], 4 ["vpslld \\x, \\x, 3", "vpxord \\x, \\x, {k}", "vpxord \\x, \\x, {k}"]);
    mix!(serpent256: "avx2", ymm_reg, _mm256_set1_epi8,
        27 ["vpxor \\x, \\x, {k}", "vpslld \\x, \\x, 13", "vpand \\x, \\x, {k}"], 15 ["vpxor \\x, \\x, {k}"]);

    // A round of bit-sliced AES: an S-box of 113 gates, 8 exclusive ors with the key, 16 byte shuffles for the two
    // neighbours of each byte in MixColumns, and 27 exclusive ors, or 19 of three inputs (see algkit's
    // `aes::bitslice`). With ternary logic, as a compiler combines the gates, 81 remain.
    mix!(bitslice512: "avx512f,avx512bw", zmm_reg, _mm512_set1_epi8,
        16 ["vpternlogd \\x, \\x, {k}, 0x96", "vpshufb \\x, \\x, {k}", "vpternlogd \\x, \\x, {k}, 0x96",
            "vpternlogd \\x, \\x, {k}, 0x78", "vpandd \\x, \\x, {k}"],
        44 ["vpxord \\x, \\x, {k}"]);
    mix!(bitslice256: "avx2", ymm_reg, _mm256_set1_epi8,
        16 ["vpxor \\x, \\x, {k}", "vpshufb \\x, \\x, {k}", "vpand \\x, \\x, {k}", "vpxor \\x, \\x, {k}"],
        50 ["vpxor \\x, \\x, {k}", "vpxor \\x, \\x, {k}"]);

    macro_rules! has {
        ($($feature:tt),*) => { $(is_x86_feature_detected!($feature))&&* };
    }

    pub fn all() -> Vec<Stream> {
        let list = [
            (has!("avx512f", "vaes"), "vaesenc zmm", 64, vaesenc512 as fn(usize)),
            (has!("avx2", "vaes"), "vaesenc ymm", 32, vaesenc256),
            (has!("aes"), "aesenc xmm", 16, aesenc),
            (has!("aes"), "aesenc xmm, chained", 16, aesenc_chain),
            (has!("avx512f", "vpclmulqdq"), "vpclmulqdq zmm", 64, vpclmul512),
            (has!("avx2", "vpclmulqdq"), "vpclmulqdq ymm", 32, vpclmul256),
            (has!("pclmulqdq"), "pclmulqdq xmm", 16, pclmul),
            (has!("avx512f", "vaes", "vpclmulqdq"), "AES-128-GCM zmm", 64, gcm128_512),
            (has!("avx2", "vaes", "vpclmulqdq"), "AES-128-GCM ymm", 32, gcm128_256),
            (has!("aes", "pclmulqdq"), "AES-128-GCM xmm", 16, gcm128_128),
            (has!("avx512f", "vaes", "vpclmulqdq"), "AES-256-GCM zmm", 64, gcm256_512),
            (has!("avx2", "vaes", "vpclmulqdq"), "AES-256-GCM ymm", 32, gcm256_256),
            (has!("aes", "pclmulqdq"), "AES-256-GCM xmm", 16, gcm256_128),
            (has!("avx512ifma"), "vpmadd52 zmm", 64, madd52),
            (has!("avx512f"), "vpmuludq zmm", 64, muludq512),
            (has!("avx2"), "vpmuludq ymm", 32, muludq256),
            (has!("bmi2"), "imul r64", 8, mul64),
            (has!("avx512f"), "ChaCha half quarter round zmm", 64, half_quarter512),
            (has!("avx2"), "ChaCha half quarter round ymm", 32, half_quarter256),
            (has!("sha"), "sha1rnds4, chained", 16, sha1_chain),
            (has!("sha"), "sha256rnds2, chained", 16, sha256_chain),
            (has!("avx512f"), "SHA-1 lanes zmm", 64, sha1_lanes512),
            (has!("avx512f"), "SHA-256 lanes zmm", 64, sha256_lanes512),
            (has!("sha"), "SHA-256 rounds, two messages", 16, sha256_rounds),
            (has!("bmi2"), "SHA-512 round", 0, sha512_round),
            (has!("avx512f"), "SHA-512 lanes zmm", 64, sha512_lanes512),
            (has!("avx2"), "SHA-512 lanes ymm", 32, sha512_lanes256),
            (has!("avx512f", "avx512vl"), "Keccak plane xmm", 40, keccak128),
            (has!("bmi1", "bmi2"), "Keccak plane", 40, keccak),
            (has!("avx512f"), "Keccak plane zmm", 320, keccak512),
            (has!("avx2"), "Keccak plane ymm", 160, keccak256),
            (has!("avx2"), "BLAKE2 add, xor, rotate, chained", 32, blake2_chain),
            (has!("avx512f"), "Serpent, two rounds zmm", 256, serpent512),
            (has!("avx2"), "Serpent, two rounds ymm", 128, serpent256),
            (has!("avx512bw"), "AES on bits, a round zmm", 512, bitslice512),
            (has!("avx2"), "AES on bits, a round ymm", 256, bitslice256),
        ];
        let usable = list.into_iter().filter(|(usable, ..)| *usable);
        usable.map(|(_, name, width, run)| Stream { name, width, run }).collect()
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod imp {
    pub fn all() -> Vec<super::Stream> {
        Vec::new()
    }
}
