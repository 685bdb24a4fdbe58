//! Adds a cipher that is not part of the library, XTEA (Needham and Wheeler, 1997). Every template can use it from
//! then on.
//!
//! A driver without a self-test does not serve, so the program also registers known answers.
//!
//! `cargo run --example custom_driver`

use algkit::{
    Driver, InOut, Known, Registry, Sizes, Type, Vector,
    driver::{CipherOps, Keyed, Shape},
};
use hex_literal::hex;
use zeroize::Zeroizing;

const DELTA: u32 = 0x9e37_79b9;
const ROUNDS: u32 = 32;

/// The key as four words. The cipher uses only additions, shifts and XORs, so it is constant-time.
struct Xtea(Zeroizing<[u32; 4]>);

impl Xtea {
    /// The value that one half adds to the other. `sum` selects the key's word.
    fn mix(&self, half: u32, sum: u32, word: u32) -> u32 {
        ((half << 4 ^ half >> 5).wrapping_add(half)) ^ sum.wrapping_add(self.0[word as usize & 3])
    }

    fn encrypt(&self, [mut l, mut r]: [u32; 2]) -> [u32; 2] {
        let mut sum = 0u32;
        for _ in 0..ROUNDS {
            l = l.wrapping_add(self.mix(r, sum, sum));
            sum = sum.wrapping_add(DELTA);
            r = r.wrapping_add(self.mix(l, sum, sum >> 11));
        }
        [l, r]
    }

    fn decrypt(&self, [mut l, mut r]: [u32; 2]) -> [u32; 2] {
        let mut sum = DELTA.wrapping_mul(ROUNDS);
        for _ in 0..ROUNDS {
            r = r.wrapping_sub(self.mix(l, sum, sum >> 11));
            sum = sum.wrapping_sub(DELTA);
            l = l.wrapping_sub(self.mix(r, sum, sum));
        }
        [l, r]
    }
}

/// Calls `f` with each block of `data` as two big-endian words, and stores its result.
fn each_block(mut data: InOut<'_>, f: impl Fn([u32; 2]) -> [u32; 2]) {
    while let Some(mut block) = data.take(8) {
        let halves = [0, 4].map(|at| u32::from_be_bytes(block.get(at)));
        block.put(0, f(halves).map(u32::to_be_bytes).as_flattened());
    }
}

const ANSWERS: &[Vector] = &[
    Vector {
        name: "xtea",
        source: "computed with Crypto++ 8.7",
        known: Known::Cipher { key: KEY, plain: b"ABCDEFGH", cipher: &hex!("497df3d072612cb5") },
    },
    Vector {
        name: "ctr(xtea)",
        source: "computed with Crypto++ 8.7",
        known: Known::Skcipher {
            key: KEY,
            iv: &[0xff; 8],
            plain: b"fourteen bytes",
            cipher: &hex!("e231a04a2e203528c4ad588ccf92"),
        },
    },
];

const KEY: &[u8] = &hex!("000102030405060708090a0b0c0d0e0f");

impl CipherOps for Xtea {
    fn block_size(&self) -> usize {
        8
    }

    fn encrypt_blocks(&self, data: InOut<'_>) {
        each_block(data, |halves| self.encrypt(halves));
    }

    fn decrypt_blocks(&self, data: InOut<'_>) {
        each_block(data, |halves| self.decrypt(halves));
    }
}

fn main() -> Result<(), algkit::Error> {
    let shape = Shape::cipher(8, Sizes::of(&[16]));
    let driver = Driver::new("xtea", "xtea-example", Type::Cipher, shape, |_cpu, key, _weak| {
        let word = |i: usize| u32::from_be_bytes([key[4 * i], key[4 * i + 1], key[4 * i + 2], key[4 * i + 3]]);
        Ok(Keyed::Cipher(Box::new(Xtea([0, 1, 2, 3].map(word).into())))) // the registry has checked the length
    });
    let registry = Registry::default();
    registry.register(driver.with_priority(101))?;
    registry.register_answers(ANSWERS);

    let ctr = registry.skcipher("ctr(xtea)")?.key(&[7; 16])?;
    let mut text = *b"any length goes";
    ctr.encrypt(&mut [0; 8], &mut text[..])?;
    println!("{}: {text:02x?}", ctr.driver().driver);
    ctr.decrypt(&mut [0; 8], &mut text[..])?;
    assert_eq!(&text, b"any length goes");
    Ok(())
}
