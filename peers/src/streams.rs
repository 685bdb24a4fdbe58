//! Instructions by themselves: independent streams show how many the CPU starts in a given time, chains how
//! long each takes.

/// An instruction, or a few that belong together.
#[derive(Clone, Copy, Debug)]
pub struct Stream {
    /// What it is.
    pub name: &'static str,
    /// Bytes that it works on.
    pub width: usize,
    /// Runs so many.
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

    /// `$lanes` registers of which each takes `$step` again and again.
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
                // SAFETY: `all` gives this function out only where the CPU has the features.
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
    stream!(madd52: "avx512ifma", 12, _mm512_set1_epi8, |x, key| _mm512_madd52lo_epu64(*x, key, key));
    stream!(sha256_chain: "sha,sse2", 1, _mm_set1_epi8, |x, key| _mm_sha256rnds2_epu32(*x, *x, key));
    stream!(sha1_chain: "sha,sse2", 1, _mm_set1_epi8, |x, key| _mm_sha1rnds4_epu32::<0>(*x, key));

    // Half of ChaCha's quarter round. AVX2 rotates by bytes with a shuffle, and otherwise with two shifts.
    stream!(half_quarter512: "avx512f", 12, _mm512_set1_epi8, |x, key| {
        let sum = _mm512_rol_epi32::<16>(_mm512_xor_si512(_mm512_add_epi32(*x, key), key));
        _mm512_rol_epi32::<12>(_mm512_xor_si512(_mm512_add_epi32(sum, key), key))
    });
    stream!(half_quarter256: "avx2", 12, _mm256_set1_epi8, |x, key| {
        let sum = _mm256_shuffle_epi8(_mm256_xor_si256(_mm256_add_epi32(*x, key), key), key);
        let sum = _mm256_xor_si256(_mm256_add_epi32(sum, key), key);
        _mm256_or_si256(_mm256_slli_epi32::<12>(sum), _mm256_srli_epi32::<20>(sum))
    });

    /// A rotation, an exclusive or and an addition of 64 bits: what SHA-512 is made of. In assembly, because
    /// the compiler would take vectors.
    fn scalar(n: usize) {
        let mut lanes = [1_u64; 6];
        for _ in 0..n.div_ceil(18) {
            let [a, b, c, d, e, f] = &mut lanes;
            // SAFETY: arithmetic in registers; `all` asks for BMI2.
            unsafe {
                asm!(
                    "rorx {a}, {a}, 14", "rorx {b}, {b}, 14", "rorx {c}, {c}, 14",
                    "rorx {d}, {d}, 14", "rorx {e}, {e}, 14", "rorx {f}, {f}, 14",
                    "xor {a}, {k}", "xor {b}, {k}", "xor {c}, {k}", "xor {d}, {k}", "xor {e}, {k}", "xor {f}, {k}",
                    "add {a}, {k}", "add {b}, {k}", "add {c}, {k}", "add {d}, {k}", "add {e}, {k}", "add {f}, {k}",
                    a = inout(reg) *a, b = inout(reg) *b, c = inout(reg) *c,
                    d = inout(reg) *d, e = inout(reg) *e, f = inout(reg) *f,
                    k = in(reg) 0x5a5a_5a5a_u64,
                    options(pure, nomem, nostack),
                );
            }
        }
        black_box(lanes);
    }

    macro_rules! has {
        ($($feature:tt),*) => { $(is_x86_feature_detected!($feature))&&* };
    }

    pub fn all() -> Vec<Stream> {
        type Row = (bool, &'static str, usize, fn(usize));
        let list: [Row; 13] = [
            (has!("avx512f", "vaes"), "vaesenc zmm", 64, vaesenc512),
            (has!("avx2", "vaes"), "vaesenc ymm", 32, vaesenc256),
            (has!("aes"), "aesenc xmm", 16, aesenc),
            (has!("aes"), "aesenc xmm, chained", 16, aesenc_chain),
            (has!("avx512f", "vpclmulqdq"), "vpclmulqdq zmm", 64, vpclmul512),
            (has!("avx2", "vpclmulqdq"), "vpclmulqdq ymm", 32, vpclmul256),
            (has!("pclmulqdq"), "pclmulqdq xmm", 16, pclmul),
            (has!("avx512ifma"), "vpmadd52 zmm", 64, madd52),
            (has!("avx512f"), "ChaCha half quarter round zmm", 64, half_quarter512),
            (has!("avx2"), "ChaCha half quarter round ymm", 32, half_quarter256),
            (has!("sha"), "sha1rnds4, chained", 16, sha1_chain),
            (has!("sha"), "sha256rnds2, chained", 16, sha256_chain),
            (has!("bmi2"), "64-bit rorx, xor, add", 8, scalar),
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
