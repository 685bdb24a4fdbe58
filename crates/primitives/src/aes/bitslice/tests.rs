use super::*;
use crate::InOut;
use crate::cpu::{CpuFeatures, Portable};
use aes::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use std::vec;
use std::vec::Vec;

/// Deterministic bytes that are not a pattern (xorshift64*).
fn bytes(seed: u64, len: usize) -> Vec<u8> {
    let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let next = |_| {
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        (x.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 56) as u8
    };
    (0..len).map(next).collect()
}

/// The `aes` crate's encryption and decryption.
fn reference(key: &[u8], data: &mut [u8], decrypt: bool) {
    fn run<C: KeyInit + BlockCipherEncrypt + BlockCipherDecrypt>(key: &[u8], data: &mut [u8], decrypt: bool) {
        let cipher = C::new_from_slice(key).unwrap();
        for block in data.chunks_exact_mut(16) {
            let block = block.try_into().unwrap();
            if decrypt { cipher.decrypt_block(block) } else { cipher.encrypt_block(block) }
        }
    }
    match key.len() {
        16 => run::<aes::Aes128>(key, data, decrypt),
        24 => run::<aes::Aes192>(key, data, decrypt),
        _ => run::<aes::Aes256>(key, data, decrypt),
    }
}

/// What every block-cipher driver must do: FIPS 197 appendix C, then agree with the `aes` crate on random
/// keys and 0 to 70 blocks and larger ones, in and out of place; touch nothing beyond whole blocks.
pub(crate) fn check_blocks<K>(
    new: impl Fn(&[u8]) -> Option<K>,
    encrypt: impl Fn(&K, InOut<'_>),
    decrypt: impl Fn(&K, InOut<'_>),
) {
    let key: [u8; 32] = core::array::from_fn(|i| i as u8);
    let plain: [u8; 16] = core::array::from_fn(|i| 0x11 * i as u8);
    for (len, want) in [
        (16, 0x69c4e0d86a7b0430d8cdb78070b4c55au128),
        (24, 0xdda97ca4864cdfe06eaf70a0ec0d7191),
        (32, 0x8ea2b7ca516745bfeafc49904b496089),
    ] {
        let key = new(&key[..len]).unwrap();
        let mut block = plain;
        encrypt(&key, InOut::from(&mut block[..]));
        assert_eq!(block, want.to_be_bytes());
        decrypt(&key, InOut::from(&mut block[..]));
        assert_eq!(block, plain);
    }
    for len in (0..=40).filter(|len| ![16, 24, 32].contains(len)) {
        assert!(new(&bytes(1, len)).is_none());
    }

    for key_len in [16, 24, 32] {
        for blocks in (0..=70).chain([96, 127, 128, 129, 262]) {
            let seed = (key_len * 1000 + blocks) as u64;
            let bytes_of_key = bytes(seed, key_len);
            let key = new(&bytes_of_key).unwrap();
            // A few bytes beyond the last whole block.
            let len = 16 * blocks + blocks % 16;
            let src = bytes(!seed, len);
            for decrypting in [false, true] {
                let mut want = src.clone();
                reference(&bytes_of_key, &mut want[..16 * blocks], decrypting);
                let run = |io: InOut<'_>| if decrypting { decrypt(&key, io) } else { encrypt(&key, io) };
                let mut in_place = src.clone();
                run(InOut::from(&mut in_place[..]));
                assert!(in_place == want, "{key_len}-byte key, {blocks} blocks in place, decrypting: {decrypting}");
                let mut dst = vec![0xee; len];
                run(InOut::new(&src, &mut dst).unwrap());
                assert!(dst[..16 * blocks] == want[..16 * blocks], "{key_len}-byte key, {blocks} blocks");
                assert!(dst[16 * blocks..].iter().all(|&b| b == 0xee));
            }
        }
    }
}

fn check_word<W: Word>(token: W::Token) {
    let len = 16 * W::BLOCKS;
    let on = |f: &dyn Fn([W; 8]) -> [W; 8], src: &[u8]| {
        let mut out = vec![0; len];
        W::store(transpose(token, f(transpose(token, W::load(token, src)))), &mut out);
        out
    };
    // Every S-box input in every lane, both ways.
    for shift in 0..=255u8 {
        let src: Vec<u8> = (0..len).map(|i| (i as u8).wrapping_add(shift)).collect();
        let sub = on(&|s| sub_bytes(s), &src);
        let inv = on(&|s| inv_sub_bytes(s), &src);
        for i in 0..len {
            assert_eq!(sub[i], crate::aes::sbox::SBOX[src[i] as usize] ^ 0x63);
            assert_eq!(inv[i], crate::aes::sbox::INV_SBOX[(src[i] ^ 0x63) as usize]);
        }
    }
    // Moves of positions; a key is the same in all blocks.
    let src = bytes(7, len);
    for rows in 1..=2 {
        for cols in 0..4 {
            let moved = on(&|s| turn(token, s, rows, cols), &src);
            for (i, b) in moved.iter().enumerate() {
                let (block, col, row) = (i / 16, i / 4 % 4, i % 4);
                assert_eq!(*b, src[16 * block + 4 * ((col + cols) % 4) + (row + rows) % 4]);
            }
        }
    }
    let key: [u8; 16] = bytes(8, 16).try_into().unwrap();
    let added = on(&|s| add_key(token, s, &W::slice_key(token, &key)), &src);
    assert!(added.iter().zip(&src).enumerate().all(|(i, (a, b))| a ^ b == key[i % 16]));
}

fn check<T: BitsliceToken>() {
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    check_word::<T::Wide>(token);
    check_word::<T::Half>(token);
    check_word::<T::Quarter>(token);
    check_blocks(|key| Bitslice::new(token, key), Bitslice::encrypt_blocks, Bitslice::decrypt_blocks);
}

#[test]
fn portable() {
    check::<Portable>();
}

#[cfg(target_arch = "x86_64")]
#[test]
fn ssse3() {
    check::<crate::cpu::Ssse3>();
}

#[cfg(target_arch = "x86_64")]
#[test]
fn avx2() {
    check::<crate::cpu::Avx2>();
}

#[cfg(target_arch = "x86_64")]
#[test]
fn avx512() {
    check::<crate::cpu::Avx512>();
}

#[cfg(target_arch = "aarch64")]
#[test]
fn neon() {
    check::<crate::cpu::Neon>();
}
