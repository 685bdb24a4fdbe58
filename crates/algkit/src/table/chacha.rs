//! ChaCha.

use super::row::{Algorithm, Make, Row};
use crate::{
    Sizes, Text,
    driver::{BadKey, Direction, Shape, SkcipherOps, TextRule, Type, WeakKeys},
};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use algkit_primitives::cpu;
use algkit_primitives::{
    chacha::{ChaCha, ChaChaToken, hchacha},
    cpu::Portable,
};
use zeroize::Zeroizing;

const fn stream(name: &'static str, ivsize: usize) -> Algorithm {
    Algorithm { name, kind: Type::Skcipher, shape: Shape::skcipher(1, Sizes::of(&[32]), ivsize, TextRule::Any) }
}

static CHACHA20: Algorithm = stream("chacha20", 16);
static XCHACHA20: Algorithm = stream("xchacha20", 32);
static XCHACHA12: Algorithm = stream("xchacha12", 32);

fn words(bytes: &[u8]) -> [u32; 4] {
    std::array::from_fn(|i| u32::from_le_bytes(bytes[4 * i..4 * i + 4].try_into().expect("four bytes")))
}

fn key32(key: &[u8]) -> Result<&[u8; 32], BadKey> {
    key.try_into().map_err(|_| BadKey("a ChaCha key has 32 bytes"))
}

/// ChaCha20: the IV is the little-endian block counter, 4 bytes, and the nonce of RFC 8439, 12 bytes.
/// It stays as it is.
struct ChaCha20<T: ChaChaToken>(ChaCha<T>);

impl<T: ChaChaToken> SkcipherOps for ChaCha20<T> {
    fn crypt(&self, _direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
        let mut state = words(iv);
        while let Some(run) = text.next(64, 0) {
            self.0.xor(&mut state, run);
        }
    }
}

impl<T: ChaChaToken> Make for ChaCha20<T> {
    type Token = T;

    fn make(token: T, key: &[u8], _: WeakKeys) -> Result<Self, BadKey> {
        Ok(Self(ChaCha::new(token, key32(key)?, 20)))
    }
}

/// XChaCha: the IV is the 24-byte nonce and an 8-byte little-endian block counter, as the kernel lays
/// it out. It stays as it is.
struct XChaCha<T, const ROUNDS: usize> {
    token: T,
    key: Zeroizing<[u8; 32]>,
}

impl<T: ChaChaToken, const ROUNDS: usize> SkcipherOps for XChaCha<T, ROUNDS> {
    fn crypt(&self, _direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
        let (nonce, rest) = iv.split_first_chunk::<16>().expect("the IV has 32 bytes");
        let subkey = Zeroizing::new(hchacha(self.token, &self.key, nonce, ROUNDS));
        let chacha = ChaCha::new(self.token, &subkey, ROUNDS);
        // A counter of 64 bits, then the last 8 bytes of the nonce.
        let [n0, n1, c0, c1] = words(rest);
        let mut state = [c0, c1, n0, n1];
        while let Some(run) = text.next(64, 0) {
            chacha.xor(&mut state, run);
        }
    }
}

impl<T: ChaChaToken, const ROUNDS: usize> Make for XChaCha<T, ROUNDS> {
    type Token = T;

    fn make(token: T, key: &[u8], _: WeakKeys) -> Result<Self, BadKey> {
        Ok(Self { token, key: Zeroizing::new(*key32(key)?) })
    }
}

macro_rules! chacha {
    ($token:ty, $cpu:literal, $priority:literal) => {
        &[
            Row::skcipher::<ChaCha20<$token>>(&CHACHA20, concat!("chacha20-", $cpu), $priority),
            Row::skcipher::<XChaCha<$token, 20>>(&XCHACHA20, concat!("xchacha20-", $cpu), $priority),
            Row::skcipher::<XChaCha<$token, 12>>(&XCHACHA12, concat!("xchacha12-", $cpu), $priority),
        ]
    };
}

pub(super) static ROWS: &[&[Row]] = &[
    chacha!(Portable, "generic", 100),
    #[cfg(target_arch = "x86_64")]
    chacha!(cpu::Sse2, "sse2", 200),
    #[cfg(target_arch = "x86_64")]
    chacha!(cpu::Ssse3, "ssse3", 210),
    #[cfg(target_arch = "x86_64")]
    chacha!(cpu::Avx2, "avx2", 250),
    #[cfg(target_arch = "x86_64")]
    chacha!(cpu::Avx512, "avx512", 290),
    #[cfg(target_arch = "aarch64")]
    chacha!(cpu::Neon, "neon", 250),
];
