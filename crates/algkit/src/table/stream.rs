//! ChaCha, Serpent and Twofish.

use super::row::{Algorithm, Make, Row};
use crate::{
    Sizes, Text,
    driver::{BadKey, CipherOps, Direction, Shape, SkcipherOps, TextRule, Type, WeakKeys},
};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use algkit_primitives::cpu;
use algkit_primitives::{
    InOut,
    chacha::{ChaCha, ChaChaToken, hchacha},
    cpu::Portable,
    serpent::{Serpent, SerpentToken},
    twofish::Twofish,
};
use zeroize::Zeroizing;

const fn stream(name: &'static str, ivsize: usize) -> Algorithm {
    Algorithm { name, kind: Type::Skcipher, shape: Shape::skcipher(1, Sizes::of(&[32]), ivsize, TextRule::Any) }
}

static CHACHA20: Algorithm = stream("chacha20", 16);
static XCHACHA20: Algorithm = stream("xchacha20", 32);
static XCHACHA12: Algorithm = stream("xchacha12", 32);
static SERPENT: Algorithm =
    Algorithm { name: "serpent", kind: Type::Cipher, shape: Shape::cipher(16, Sizes::Between(0, 32)) };
static TWOFISH: Algorithm =
    Algorithm { name: "twofish", kind: Type::Cipher, shape: Shape::cipher(16, Sizes::of(&[16, 24, 32])) };

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

impl<T: SerpentToken> CipherOps for Serpent<T> {
    fn block_size(&self) -> usize {
        16
    }

    fn encrypt_blocks(&self, data: InOut<'_>) {
        self.encrypt_blocks(data);
    }

    fn decrypt_blocks(&self, data: InOut<'_>) {
        self.decrypt_blocks(data);
    }
}

impl<T: SerpentToken> Make for Serpent<T> {
    type Token = T;

    fn make(token: T, key: &[u8], _: WeakKeys) -> Result<Self, BadKey> {
        Self::new(token, key).ok_or(BadKey("a Serpent key has at most 32 bytes"))
    }
}

impl CipherOps for Twofish {
    fn block_size(&self) -> usize {
        16
    }

    fn encrypt_blocks(&self, data: InOut<'_>) {
        self.encrypt_blocks(data);
    }

    fn decrypt_blocks(&self, data: InOut<'_>) {
        self.decrypt_blocks(data);
    }
}

impl Make for Twofish {
    type Token = Portable;

    fn make(_: Portable, key: &[u8], _: WeakKeys) -> Result<Self, BadKey> {
        Self::new(key).ok_or(BadKey("a Twofish key has 16, 24 or 32 bytes"))
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
    &[
        Row::cipher::<Serpent<Portable>>(&SERPENT, "serpent-generic", 100),
        Row::cipher::<Twofish>(&TWOFISH, "twofish-generic", 100).table(),
    ],
    #[cfg(target_arch = "x86_64")]
    chacha!(cpu::Sse2, "sse2", 200),
    #[cfg(target_arch = "x86_64")]
    chacha!(cpu::Ssse3, "ssse3", 210),
    #[cfg(target_arch = "x86_64")]
    chacha!(cpu::Avx2, "avx2", 250),
    #[cfg(target_arch = "x86_64")]
    chacha!(cpu::Avx512, "avx512", 290),
    #[cfg(target_arch = "x86_64")]
    &[
        Row::cipher::<Serpent<cpu::Sse2>>(&SERPENT, "serpent-sse2", 200),
        Row::cipher::<Serpent<cpu::Avx2>>(&SERPENT, "serpent-avx2", 250),
        Row::cipher::<Serpent<cpu::Avx512>>(&SERPENT, "serpent-avx512", 290),
    ],
    #[cfg(target_arch = "aarch64")]
    chacha!(cpu::Neon, "neon", 250),
    #[cfg(target_arch = "aarch64")]
    &[Row::cipher::<Serpent<cpu::Neon>>(&SERPENT, "serpent-neon", 250)],
];
