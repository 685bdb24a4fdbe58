//! Serpent.

use super::row::{Algorithm, Make, Row};
use crate::{
    Sizes,
    driver::{BadKey, CipherOps, Direction, Shape, Type, WeakKeys},
};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use algkit_primitives::cpu;
use algkit_primitives::{
    InOut,
    cpu::Portable,
    serpent::{Serpent, SerpentToken},
};

static SERPENT: Algorithm =
    Algorithm { name: "serpent", kind: Type::Cipher, shape: Shape::cipher(16, Sizes::Between(0, 32)) };

/// An IV.
fn block(iv: &mut [u8]) -> &mut [u8; 16] {
    iv.try_into().expect("the IV is a block")
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

    fn cbc_encrypt(&self, iv: &mut [u8], run: InOut<'_>) {
        self.cbc_encrypt(block(iv), run);
    }

    fn cbc_decrypt(&self, iv: &mut [u8], run: InOut<'_>) {
        self.cbc_decrypt(block(iv), run);
    }

    fn ctr(&self, counter: &mut [u8], run: InOut<'_>) {
        self.ctr(block(counter), run);
    }

    fn xts(&self, direction: Direction, tweak: &mut [u8; 16], run: InOut<'_>) {
        match direction {
            Direction::Encrypt => self.xts_encrypt(tweak, run),
            Direction::Decrypt => self.xts_decrypt(tweak, run),
        }
    }
}

impl<T: SerpentToken> Make for Serpent<T> {
    type Token = T;

    fn make(token: T, key: &[u8], _: WeakKeys) -> Result<Self, BadKey> {
        Self::new(token, key).ok_or(BadKey("a Serpent key has at most 32 bytes"))
    }
}

pub(super) static ROWS: &[&[Row]] = &[
    &[Row::cipher::<Serpent<Portable>>(&SERPENT, "serpent-generic", 100)],
    #[cfg(target_arch = "x86_64")]
    &[
        Row::cipher::<Serpent<cpu::Sse2>>(&SERPENT, "serpent-sse2", 200),
        Row::cipher::<Serpent<cpu::Avx2>>(&SERPENT, "serpent-avx2", 250),
        Row::cipher::<Serpent<cpu::Avx512>>(&SERPENT, "serpent-avx512", 290),
    ],
    #[cfg(target_arch = "aarch64")]
    &[Row::cipher::<Serpent<cpu::Neon>>(&SERPENT, "serpent-neon", 250)],
];
