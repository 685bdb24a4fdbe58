//! The speed of the instructions themselves: nothing made of them can be faster.
//!
//! Independent streams show how many an instruction the CPU starts in a given time, a chain how long
//! one takes. For a mode of AES the bound is the rounds of its blocks, 10, 12 or 14 for 16 bytes, on
//! the widest vectors; for modes where each block waits for the one before, the chain.

use crate::{
    case::{Case, Op},
    contenders::Contender,
    measure::take_turns,
};
use std::time::Duration;

/// An instruction, and how long one of many takes.
#[derive(Debug)]
pub struct Stream {
    /// What it is.
    pub name: &'static str,
    /// Bytes that an instruction works on.
    pub width: usize,
    /// Nanoseconds an instruction.
    pub ns: f64,
}

/// Times every stream that this CPU has.
pub fn streams(rounds: usize, slice: Duration) -> Vec<Stream> {
    const N: usize = 12 * 256;
    let list = imp::streams();
    let contender = |&(name, _, run): &(&'static str, usize, fn(usize))| {
        Contender::new("limit", name, Box::new(move |_: &mut [u8], _: &mut [u8; 64]| run(N)))
    };
    let mut contenders: Vec<Contender> = list.iter().map(contender).collect();
    let scores = take_turns(&mut contenders, 64, rounds, slice);
    let stream = |(&(name, width, _), score): (&(&'static str, usize, _), &crate::measure::Score)| Stream {
        name,
        width,
        ns: score.fastest / N as f64,
    };
    list.iter().zip(&scores).map(stream).collect()
}

/// The AES instructions of `case` on `size` bytes, without anything else.
pub fn bound(case: &Case, size: usize) -> Option<Contender> {
    let (mode, cipher) = case.parts();
    if cipher != "aes" || size < 1024 {
        return None; // in short messages, starting and ending is all there is
    }
    let key_bits = if mode == "xts" { case.key_bits / 2 } else { case.key_bits };
    let rounds = key_bits / 32 + 6;
    let serial = matches!((mode, case.op), ("cbc", Op::Encrypt) | ("cmac" | "ccm", _));
    let (name, width, run) = if serial { imp::chain()? } else { imp::widest()? };
    let instructions = size.div_ceil(width) * rounds;
    Some(Contender::new("limit", name, Box::new(move |_: &mut [u8], _: &mut [u8; 64]| run(instructions))))
}

#[cfg(target_arch = "x86_64")]
mod imp {
    use std::{arch::x86_64::*, hint::black_box};

    type Entry = (&'static str, usize, fn(usize));

    macro_rules! stream {
        ($(#[$doc:meta])* $name:ident: $features:literal, $lanes:literal, $set:ident, |$x:ident, $key:ident| $step:expr) => {
            $(#[$doc])*
            fn $name(instructions: usize) {
                #[target_feature(enable = $features)]
                fn run(instructions: usize) {
                    let $key = $set(black_box(0x5a));
                    let mut lanes = [$set(black_box(1)); $lanes];
                    for _ in 0..instructions.div_ceil($lanes) {
                        for $x in &mut lanes {
                            *$x = $step;
                        }
                    }
                    black_box(lanes);
                }
                // SAFETY: `streams`, `widest` and `chain` give this function out only where the CPU
                // has the features.
                unsafe { run(instructions) }
            }
        };
    }

    stream!(aesenc: "aes,sse2", 12, _mm_set1_epi8, |x, key| _mm_aesenc_si128(*x, key));
    stream!(aesenc_chain: "aes,sse2", 1, _mm_set1_epi8, |x, key| _mm_aesenc_si128(*x, key));
    stream!(vaesenc256: "vaes,avx2", 12, _mm256_set1_epi8, |x, key| _mm256_aesenc_epi128(*x, key));
    stream!(vaesenc512: "vaes,avx512f", 12, _mm512_set1_epi8, |x, key| _mm512_aesenc_epi128(*x, key));
    stream!(pclmulqdq: "pclmulqdq,sse2", 12, _mm_set1_epi8, |x, key| _mm_clmulepi64_si128::<0>(*x, key));
    stream!(vpclmulqdq256: "vpclmulqdq,avx2", 12, _mm256_set1_epi8, |x, key| _mm256_clmulepi64_epi128::<0>(*x, key));
    stream!(vpclmulqdq512: "vpclmulqdq,avx512f", 12, _mm512_set1_epi8, |x, key| {
        _mm512_clmulepi64_epi128::<0>(*x, key)
    });

    /// Every stream, wider ones first.
    pub fn streams() -> Vec<Entry> {
        let mut list: Vec<Entry> = Vec::new();
        let avx512 = is_x86_feature_detected!("avx512f");
        let avx2 = is_x86_feature_detected!("avx2");
        if avx512 && is_x86_feature_detected!("vaes") {
            list.push(("vaesenc zmm", 64, vaesenc512));
        }
        if avx2 && is_x86_feature_detected!("vaes") {
            list.push(("vaesenc ymm", 32, vaesenc256));
        }
        if is_x86_feature_detected!("aes") {
            list.push(("aesenc xmm", 16, aesenc));
            list.push(("aesenc xmm, chained", 16, aesenc_chain));
        }
        if avx512 && is_x86_feature_detected!("vpclmulqdq") {
            list.push(("vpclmulqdq zmm", 64, vpclmulqdq512));
        }
        if avx2 && is_x86_feature_detected!("vpclmulqdq") {
            list.push(("vpclmulqdq ymm", 32, vpclmulqdq256));
        }
        if is_x86_feature_detected!("pclmulqdq") {
            list.push(("pclmulqdq xmm", 16, pclmulqdq));
        }
        list
    }

    /// The widest AES round.
    pub fn widest() -> Option<Entry> {
        streams().into_iter().find(|(name, ..)| name.contains("aesenc"))
    }

    /// An AES round that waits for the one before.
    pub fn chain() -> Option<Entry> {
        streams().into_iter().find(|(name, ..)| name.contains("chained"))
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod imp {
    type Entry = (&'static str, usize, fn(usize));

    pub fn streams() -> Vec<Entry> {
        Vec::new()
    }

    pub fn widest() -> Option<Entry> {
        None
    }

    pub fn chain() -> Option<Entry> {
        None
    }
}
