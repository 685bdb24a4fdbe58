//! BLAKE2.

use super::{Of, Variant, family, optional_key};
use crate::Sizes;
use crate::table::row::{Algorithm, Row};
#[cfg(target_arch = "x86_64")]
use algkit_primitives::cpu;
use algkit_primitives::{
    blake2::{Blake2b, Blake2s, Compress},
    cpu::Portable,
};

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

/// BLAKE2b with a digest of `N` bytes.
struct VBlake2b<const N: usize>;

impl<T: Compress<u64>, const N: usize> Variant<T> for VBlake2b<N> {
    type State = Blake2b<T>;

    fn start(token: T, key: &[u8]) -> Blake2b<T> {
        Blake2b::new(token, N, key).expect("at most 64 bytes of each")
    }
}

/// BLAKE2s with a digest of `N` bytes.
struct VBlake2s<const N: usize>;

impl<T: Compress<u32>, const N: usize> Variant<T> for VBlake2s<N> {
    type State = Blake2s<T>;

    fn start(token: T, key: &[u8]) -> Blake2s<T> {
        Blake2s::new(token, N, key).expect("at most 32 bytes of each")
    }
}

macro_rules! blake2 {
    ($token:ty, $cpu:literal, $priority:literal) => {
        family!($token, $cpu, $priority:
            VBlake2b<20>, BLAKE2B_160, "blake2b-160"; VBlake2b<32>, BLAKE2B_256, "blake2b-256";
            VBlake2b<48>, BLAKE2B_384, "blake2b-384"; VBlake2b<64>, BLAKE2B_512, "blake2b-512";
            VBlake2s<16>, BLAKE2S_128, "blake2s-128"; VBlake2s<20>, BLAKE2S_160, "blake2s-160";
            VBlake2s<28>, BLAKE2S_224, "blake2s-224"; VBlake2s<32>, BLAKE2S_256, "blake2s-256";)
    };
}

pub(in crate::table) static ROWS: &[&[Row]] = &[
    blake2!(Portable, "generic", 100),
    #[cfg(target_arch = "x86_64")]
    blake2!(cpu::Avx2, "avx2", 250),
    #[cfg(target_arch = "x86_64")]
    blake2!(cpu::Avx512, "avx512", 290),
];
