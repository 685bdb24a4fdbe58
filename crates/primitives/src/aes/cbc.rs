//! CBC (SP 800-38A section 6.2).
//!
//! # Encryption
//!
//! Each block depends on the one before, so the speed is the latency of the rounds and of whatever else lies between
//! them. Let P' be the next plaintext block, and W' the next input of the rounds, after the first key has been added:
//! W' = C ^ P' ^ K0. The last round of one block can compute W' itself:
//!
//! ```text
//! W' = last_round(…, K_last ^ P' ^ K0)        C = W' ^ P' ^ K0
//! ```
//!
//! So nothing but rounds is on the chain. The ciphertext is recovered from W' beside it.
//!
//! # Decryption
//!
//! `P[i] = D(C[i]) ^ C[i - 1]`, all blocks in parallel. The vector of previous ciphertext is an unaligned load, one block
//! back in the source. In place, it must be read before it is overwritten, so a batch is written from its end. The
//! block before the batch is kept in a register.

use super::{
    AesKey, RoundKeys,
    pass::{MEDIUM, Pass, SHORT, load, store},
    rounds::{OneBlock, Schedule},
};
use crate::{
    InOut, Turns,
    cpu::CpuFeatures,
    hash::Words,
    simd::{AesToken, AesVector, Blocks},
};

struct CbcDecrypt<'a, V: AesVector> {
    keys: Schedule<'a, V>,
    /// The ciphertext vector before this batch, of which only the last block is used.
    previous: V,
}

impl<V: AesVector> Pass<V> for CbcDecrypt<'_, V> {
    const RAGGED: bool = false;
    /// Not in twelves: with twelve, and keys read again in each batch, messages of 16 and 64 bytes took 15 and 17.5 ns in place of 13
    /// (Zen 5, 128 bits).
    const LONG: bool = false;

    #[inline(always)]
    fn batch<const N: usize, const WHOLE: bool>(&mut self, mut data: InOut<'_>) {
        let token = self.keys.token;
        let mut blocks = [V::zero(token); N];
        for (i, b) in blocks.iter_mut().enumerate() {
            *b = load::<V, WHOLE>(token, &data, i);
        }
        let (cipher, mut before) = (blocks, self.previous);
        self.previous = blocks[N - 1];
        self.keys.rounds::<false, N>(&mut blocks, self.keys.first);
        // The last round adds the previous ciphertext block together with the last key, so no xor follows the rounds.
        let finish = |block: V, before: V| self.keys.finish::<false>(block, self.keys.last.xor(before));
        if V::BLOCKS == 4 || N <= 4 {
            for i in 0..N {
                store::<V, WHOLE>(finish(blocks[i], cipher[i].after(before)), &mut data, i);
                before = cipher[i];
            }
            return;
        }
        let before = cipher[0].after(before);
        for i in (1..N).rev() {
            let before = V::load(token, &data.src()[i * V::BYTES - 16..]);
            store::<V, WHOLE>(finish(blocks[i], before), &mut data, i);
        }
        store::<V, WHOLE>(finish(blocks[0], before), &mut data, 0);
    }
}

#[cold]
#[inline(never)]
fn ragged() -> ! {
    panic!("CBC works on whole blocks")
}

impl<T: AesToken> AesKey<T> {
    /// Encrypts `data`; `iv` becomes the last ciphertext block.
    ///
    /// # Panics
    /// If the length of `data` is not a multiple of 16 bytes.
    #[inline(never)]
    pub fn cbc_encrypt(&self, iv: &mut [u8; 16], mut data: InOut<'_>) {
        if !data.len().is_multiple_of(16) {
            ragged()
        }
        let token = self.token.narrow();
        self.token.vectorize_with(
            &self.enc,
            iv,
            &mut data,
            #[inline(always)]
            move |keys, iv, data| {
                let mut keys = Schedule::<OneBlock<T>>::new(token, keys);
                if keys.in_chains() {
                    return encrypt_in_chains(&keys, iv, data.in_registers());
                }
                let zero = Blocks::zero(token);
                let mut blocks = data.in_registers().chunks::<16>();
                let Some(mut block) = blocks.next() else { return };
                let mut chain = [keys.first.xor3(Blocks::load(token, iv), Blocks::load(token, block.src()))];
                for next in blocks {
                    let share = keys.first.xor(Blocks::load(token, next.src()));
                    keys.reread();
                    keys.rounds::<true, 1>(&mut chain, zero);
                    chain[0] = keys.finish::<true>(chain[0], keys.last.xor(share));
                    chain[0].xor(share).store(block.dst());
                    block = next;
                }
                keys.rounds::<true, 1>(&mut chain, zero);
                chain[0] = keys.finish::<true>(chain[0], keys.last);
                chain[0].store(block.dst());
                chain[0].store(iv);
            },
        );
    }

    /// Encrypts and hashes; `iv` becomes the last ciphertext block. Returns false and does nothing if the CPU is not
    /// known to have the instructions of SHA, by `cpu` or by what the key knows of it, or if there is no code for it.
    #[must_use]
    pub fn cbc_encrypt_beside(
        &self,
        iv: &mut [u8; 16],
        turns: &mut Turns<'_>,
        cpu: CpuFeatures,
        words: Words<'_>,
    ) -> bool {
        let cpu = cpu.and(self.token.cpu());
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        return super::cbc_sha::encrypt_beside(cpu, &self.enc, iv, turns, words);
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        return false;
    }

    /// Decrypts `data`; `iv` becomes the last ciphertext block.
    ///
    /// # Panics
    /// If the length of `data` is not a multiple of 16 bytes.
    #[inline(never)]
    pub fn cbc_decrypt(&self, iv: &mut [u8; 16], mut data: InOut<'_>) {
        if !data.len().is_multiple_of(16) {
            ragged()
        }
        let Some(dec) = self.dec.made() else { return self.inverted(|key| key.cbc_decrypt(iv, data)) };
        if data.len() <= SHORT {
            decrypt(self.token.narrow(), dec, iv, &mut data);
        } else if data.len() <= MEDIUM {
            decrypt(self.token.two_blocks(), dec, iv, &mut data);
        } else {
            decrypt(self.token, dec, iv, &mut data);
        }
    }
}

/// Encryption where vectors are in memory between two calls, and each call has much to load. A block's result lacks the
/// last key, which is added to what the next block begins with.
#[inline(always)]
fn encrypt_in_chains<V: AesVector>(keys: &Schedule<'_, V>, iv: &mut [u8; 16], mut data: InOut<'_>) {
    let token = keys.token;
    let mut state = V::load(token, iv).xor(keys.last);
    let mut blocks = [state; 8];
    while !data.is_empty() {
        let Some(mut batch) = data.take(data.len().min(8 * 16)) else { return };
        let blocks = &mut blocks[..batch.len() / 16];
        for (block, src) in blocks.iter_mut().zip(batch.src().as_chunks::<16>().0) {
            *block = V::load(token, src);
        }
        keys.chain(blocks, state, keys.first.xor(keys.last));
        for (block, dst) in blocks.iter().zip(batch.dst().as_chunks_mut::<16>().0) {
            block.xor(keys.last).store(dst);
            state = *block;
        }
    }
    state.xor(keys.last).store(iv);
}

#[inline(always)]
fn decrypt<T: AesToken>(token: T, keys: &RoundKeys, iv: &mut [u8; 16], data: &mut InOut<'_>) {
    token.vectorize_with(
        keys,
        iv,
        data,
        #[inline(always)]
        move |keys, iv, data| {
            let Some(&last) = data.src().last_chunk::<16>() else { return };
            let keys = Schedule::<T::V>::new(token, keys);
            CbcDecrypt { keys, previous: Blocks::splat(token, iv) }.run(data.in_registers());
            *iv = last;
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        aes::testing::{apply, block, bytes, each_token, hex, lengths, with_aes},
        cpu::CpuFeatures,
    };
    use aes::cipher::{BlockModeEncrypt, KeyIvInit};

    fn check<T: AesToken>() {
        let Some(token) = T::detect(CpuFeatures::detect()) else { return };
        // SP 800-38A, F.2.1 and F.2.5.
        let plain: [u8; 64] = hex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
                                   30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710");
        let iv: [u8; 16] = hex("000102030405060708090a0b0c0d0e0f");
        let key = AesKey::new(token, &hex::<16>("2b7e151628aed2a6abf7158809cf4f3c")).unwrap();
        let want: [u8; 64] = hex("7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2\
                                  73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7");
        assert_eq!(apply(&plain, |io| key.cbc_encrypt(&mut iv.clone(), io)), want);
        assert_eq!(apply(&want, |io| key.cbc_decrypt(&mut iv.clone(), io)), plain);
        let key =
            AesKey::new(token, &hex::<32>("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")).unwrap();
        let want: [u8; 64] = hex("f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d\
                                  39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b");
        assert_eq!(apply(&plain, |io| key.cbc_encrypt(&mut iv.clone(), io)), want);
        assert_eq!(apply(&want, |io| key.cbc_decrypt(&mut iv.clone(), io)), plain);

        for size in [16, 24, 32] {
            let raw = bytes(6, size);
            let key = AesKey::new(token, &raw).unwrap();
            for n in lengths().filter(|n| n % 16 == 0) {
                let (plain, iv) = (bytes(n as u64, n), block(n as u64 + 1));
                let mut want = plain.clone();
                with_aes!(size, C => {
                    let mut cbc = cbc::Encryptor::<C>::new_from_slices(&raw, &iv).unwrap();
                    want.as_chunks_mut::<16>().0.iter_mut().for_each(|b| cbc.encrypt_block(b.into()));
                });
                let next = want.last_chunk().copied().unwrap_or(iv);
                let cut = n / 3 / 16 * 16;
                let encrypt = |io: InOut<'_>| {
                    let mut iv = iv;
                    key.cbc_encrypt(&mut iv, io);
                    assert_eq!(iv, next);
                };
                assert!(apply(&plain, encrypt) == want, "{n} bytes");
                let encrypt = |io: InOut<'_>| {
                    let (mut iv, (head, tail)) = (iv, io.split_at(cut));
                    key.cbc_encrypt(&mut iv, head);
                    key.cbc_encrypt(&mut iv, tail);
                };
                assert!(apply(&plain, encrypt) == want, "{n} bytes in parts");
                let decrypt = |io: InOut<'_>| {
                    let mut iv = iv;
                    key.cbc_decrypt(&mut iv, io);
                    assert_eq!(iv, next);
                };
                assert!(apply(&want, decrypt) == plain, "{n} bytes");
                let decrypt = |io: InOut<'_>| {
                    let (mut iv, (head, tail)) = (iv, io.split_at(cut));
                    key.cbc_decrypt(&mut iv, head);
                    key.cbc_decrypt(&mut iv, tail);
                };
                assert!(apply(&want, decrypt) == plain, "{n} bytes in parts");
            }
        }
    }

    #[test]
    fn nist_vectors_and_rustcrypto() {
        each_token!(check);
    }
}
