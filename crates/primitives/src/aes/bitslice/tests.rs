use super::*;
use crate::InOut;
use crate::cpu::{CpuFeatures, Portable};
use aes::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use std::vec;
use std::vec::Vec;

/// `len` pseudorandom bytes that depend on `seed` (xorshift64*).
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

/// Encrypts or decrypts whole blocks with the `aes` crate.
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

// Trait objects, so that a function that calls one several times does not compile a cipher for each call.
type OnBlocks<'a, K> = &'a dyn Fn(&K, InOut<'_>);
type Mode<'a, T> = &'a dyn Fn(&Bitslice<T>, &mut [u8; 16], InOut<'_>);
type Book<'a> = &'a dyn Fn(&[u8], &mut [u8; 16], &[u8]) -> Vec<u8>;

/// The test that every driver of single blocks must pass: FIPS 197 appendix C, then agreement with the `aes` crate on
/// random keys and 0 to 70 blocks and larger numbers, in and out of place. Bytes beyond whole blocks must stay as they
/// are.
pub(crate) fn check_blocks<K>(
    new: impl Fn(&[u8]) -> Option<K>,
    encrypt: impl Fn(&K, InOut<'_>),
    decrypt: impl Fn(&K, InOut<'_>),
) {
    let (encrypt, decrypt): (OnBlocks<'_, K>, OnBlocks<'_, K>) = (&encrypt, &decrypt);
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

fn check_word<W: Slice>(token: W::Token) {
    let len = 16 * W::BLOCKS;
    let on = |f: &dyn Fn([W; 8]) -> [W; 8], src: &[u8]| {
        let mut out = vec![0; len];
        W::store(transpose(token, f(transpose(token, W::load(token, src)))), &mut out);
        out
    };
    // Every input of the S-box in every lane, in both directions.
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

fn check<T: BitsliceToken<Wide: Slice, Half: Slice, Quarter: Slice>>() {
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    check_word::<T::Wide>(token);
    check_word::<T::Half>(token);
    check_word::<T::Quarter>(token);
    check_driver(token);
}

fn check_driver<T: BitsliceToken>(token: T) {
    check_blocks(|key| Bitslice::new(token, key), Bitslice::encrypt_blocks, Bitslice::decrypt_blocks);
    check_published_modes(token);
    check_modes(token);
}

fn hex<const N: usize>(text: &str) -> [u8; N] {
    hex::decode(text).unwrap().try_into().unwrap()
}

fn check_published_modes<T: BitsliceToken>(token: T) {
    // SP 800-38A, F.5.1 and F.2.2.
    let plain: [u8; 64] = hex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
         30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710");
    let key = Bitslice::new(token, &hex::<16>("2b7e151628aed2a6abf7158809cf4f3c")).unwrap();
    let mut data = plain;
    key.ctr(&mut hex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"), InOut::from(&mut data[..]));
    let want: [u8; 64] = hex("874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff\
         5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee");
    assert_eq!(data, want);
    let mut data: [u8; 64] = hex("7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2\
         73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7");
    key.cbc_decrypt(&mut hex("000102030405060708090a0b0c0d0e0f"), InOut::from(&mut data[..]));
    assert_eq!(data, plain);

    // IEEE 1619 annex B, vector 2.
    let mut tweak = hex("33333333330000000000000000000000");
    Bitslice::new(token, &[0x22; 16]).unwrap().encrypt_blocks(InOut::from(&mut tweak[..]));
    let mut data = [0x44; 32];
    let key = Bitslice::new(token, &[0x11; 16]).unwrap();
    key.xts_encrypt(&mut tweak.clone(), InOut::from(&mut data[..]));
    assert_eq!(data, hex("c454185e6a16936e39334038acef838bfb186fff7480adc4289382ecd6d394f0"));
    key.xts_decrypt(&mut tweak, InOut::from(&mut data[..]));
    assert_eq!(data, [0x44; 32]);
}

/// The modes by their definitions, over the `aes` crate. Each leaves in `iv` what continues the message.
mod by_the_book {
    use super::{Vec, reference};

    fn block(key: &[u8], block: [u8; 16], decrypt: bool) -> [u8; 16] {
        let mut block = block;
        reference(key, &mut block, decrypt);
        block
    }

    fn xor(a: &[u8], b: [u8; 16]) -> Vec<u8> {
        a.iter().zip(b).map(|(a, b)| a ^ b).collect()
    }

    pub(super) fn ctr(key: &[u8], iv: &mut [u8; 16], data: &[u8]) -> Vec<u8> {
        let mut next = || {
            let keystream = block(key, *iv, false);
            for byte in iv.iter_mut().rev() {
                *byte = byte.wrapping_add(1);
                if *byte != 0 {
                    break;
                }
            }
            keystream
        };
        data.chunks(16).flat_map(|chunk| xor(chunk, next())).collect()
    }

    pub(super) fn xts(key: &[u8], tweak: &mut [u8; 16], data: &[u8], decrypt: bool) -> Vec<u8> {
        let next = |chunk: &[u8]| {
            let out = xor(&block(key, xor(chunk, *tweak).try_into().unwrap(), decrypt), *tweak);
            // IEEE 1619, section 5.2.
            let mut carry = 0;
            for byte in tweak.iter_mut() {
                (*byte, carry) = (*byte << 1 | carry, *byte >> 7);
            }
            tweak[0] ^= if carry == 1 { 0x87 } else { 0 };
            out
        };
        data.chunks_exact(16).flat_map(next).collect()
    }

    pub(super) fn cbc_decrypt(key: &[u8], iv: &mut [u8; 16], data: &[u8]) -> Vec<u8> {
        let next = |chunk: &[u8]| {
            let chunk = chunk.try_into().unwrap();
            let out = xor(&block(key, chunk, true), *iv);
            *iv = chunk;
            out
        };
        data.chunks_exact(16).flat_map(next).collect()
    }
}

fn check_modes<T: BitsliceToken>(token: T) {
    let ctr: Mode<'_, T> = &|k, iv, io| k.ctr(iv, io);
    for len in (0..=600).step_by(7).chain((0..=70).map(|n| 16 * n)).chain([1350, 1500, 4096, 4200]) {
        let (raw, iv, src) = (bytes(len as u64, 16 + len % 3 * 8), bytes(!(len as u64), 16), bytes(99, len));
        let iv: [u8; 16] = iv.try_into().unwrap();
        check_mode(token, &raw, iv, &src, ctr, &by_the_book::ctr);
        let whole = &src[..len / 16 * 16];
        for decrypt in [false, true] {
            let run = |k: &Bitslice<T>, iv: &mut _, io: InOut<'_>| {
                if decrypt { k.xts_decrypt(iv, io) } else { k.xts_encrypt(iv, io) }
            };
            check_mode(token, &raw, iv, whole, &run, &|k, iv, src| by_the_book::xts(k, iv, src, decrypt));
        }
        check_mode(token, &raw, iv, whole, &|k, iv, io| k.cbc_decrypt(iv, io), &by_the_book::cbc_decrypt);
    }
    // Carries at every place of a batch.
    for edge in [1 << 32, 1 << 64, 5 << 64, 1 << 96, 0u128] {
        for before in 0..=40u128 {
            let iv = edge.wrapping_sub(before).to_be_bytes();
            check_mode(token, &[7; 16], iv, &bytes(5, 45 * 16 + 3), ctr, &by_the_book::ctr);
        }
    }
}

/// Compares a mode with its definition: in place, out of place and in two parts, and the `iv` afterwards.
fn check_mode<T: BitsliceToken>(token: T, raw: &[u8], iv: [u8; 16], src: &[u8], run: Mode<'_, T>, book: Book<'_>) {
    let key = Bitslice::new(token, raw).unwrap();
    let mut iv_after = iv;
    let want = book(raw, &mut iv_after, src);

    let (mut buf, mut next) = (src.to_vec(), iv);
    run(&key, &mut next, InOut::from(&mut buf[..]));
    assert!(buf == want, "{} bytes in place", src.len());
    assert_eq!(next, iv_after);

    let (mut buf, mut next) = (vec![0; src.len()], iv);
    run(&key, &mut next, InOut::new(src, &mut buf).unwrap());
    assert!(buf == want, "{} bytes out of place", src.len());
    assert_eq!(next, iv_after);

    let (mut buf, mut next) = (src.to_vec(), iv);
    let (head, tail) = InOut::from(&mut buf[..]).split_at(src.len() / 48 * 16);
    run(&key, &mut next, head);
    run(&key, &mut next, tail);
    assert!(buf == want, "{} bytes in two parts", src.len());
    assert_eq!(next, iv_after);
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

/// The words of 32-bit Arm are not [`Slice`]s; `arm.rs` tests their circuits.
#[cfg(all(target_arch = "arm", unix))]
#[test]
fn neon() {
    let Some(token) = crate::cpu::Neon::detect(CpuFeatures::detect()) else { return };
    check_driver(token);
}

/// FIPS 197 appendix C, after each round. A key of which only the first rounds are used ends with that round's values
/// without MixColumns.
fn fewer_rounds<T: BitsliceToken>() {
    use crate::aes::fips197::{PLAINTEXT, each_round, shift_rows, xor};
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    each_round(|example, r, round| {
        let r = r + 1;
        let mut key = Bitslice::new(token, example.key).unwrap();
        key.keys.rounds = r;
        let mut blocks = vec![PLAINTEXT; Bitslice::<T>::PARALLEL];
        key.encrypt_blocks(InOut::from(blocks.as_flattened_mut()));
        for block in &blocks {
            // ShiftRows is put off to the end, where it is done twice or not at all, because complete keys have an even
            // number of rounds.
            let done = if r % 4 == 0 { 0 } else { 2 };
            let block = (0..(r + 4 - done) % 4).fold(*block, |block, _| shift_rows(block));
            assert_eq!(block, xor(round.shift_rows, round.key), "round {r}");
        }
        if r % 2 == 0 {
            key.decrypt_blocks(InOut::from(blocks.as_flattened_mut()));
            assert!(blocks.iter().all(|block| *block == PLAINTEXT), "backwards from round {r}");
        }
    });
}

#[test]
fn rounds_of_fips_197() {
    fewer_rounds::<Portable>();
    #[cfg(target_arch = "x86_64")]
    {
        fewer_rounds::<crate::cpu::Ssse3>();
        fewer_rounds::<crate::cpu::Avx2>();
        fewer_rounds::<crate::cpu::Avx512>();
    }
    #[cfg(any(target_arch = "aarch64", all(target_arch = "arm", unix)))]
    fewer_rounds::<crate::cpu::Neon>();
}
