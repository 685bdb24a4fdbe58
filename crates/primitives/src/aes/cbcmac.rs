//! CBC-MAC (the core of CMAC, SP 800-38B, and of CCM, SP 800-38C): CBC encryption whose ciphertext
//! is kept but for the last block. The chain is that of CBC.

use super::{
    AesKey,
    rounds::{OneBlock, Schedule},
};
use crate::{
    cpu::Token,
    simd::{AesToken, Blocks},
};

impl<T: AesToken> AesKey<T> {
    /// Absorbs whole blocks: for each, `state` = E(`state` ^ block).
    ///
    /// # Panics
    /// If `blocks` is not whole blocks.
    pub fn cbc_mac(&self, state: &mut [u8; 16], blocks: &[u8]) {
        let (blocks, []) = blocks.as_chunks::<16>() else { panic!("CBC-MAC works on whole blocks") };
        let token = self.token.narrow();
        token.vectorize(
            #[inline(always)]
            || {
                let [block, rest @ ..] = blocks else { return };
                let keys = Schedule::<OneBlock<T>>::new(token, &self.enc);
                let zero = Blocks::zero(token);
                let mut chain = [Blocks::load(token, state)];
                chain[0] = keys.first.xor3(chain[0], Blocks::load(token, block));
                for next in rest {
                    let share = keys.first.xor(Blocks::load(token, next));
                    keys.rounds::<true, 1>(&mut chain, zero);
                    chain[0] = keys.finish::<true>(chain[0], keys.last.xor(share));
                }
                keys.rounds::<true, 1>(&mut chain, zero);
                *state = keys.finish::<true>(chain[0], keys.last).first();
            },
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        aes::testing::{block, bytes, each_token, with_aes},
        cpu::CpuFeatures,
    };
    use aes::cipher::{BlockCipherEncrypt, KeyInit};

    /// The definition, over RustCrypto's block cipher.
    fn check<T: AesToken>() {
        let Some(token) = T::detect(CpuFeatures::detect()) else { return };
        for size in [16, 24, 32] {
            let raw = bytes(8, size);
            let key = AesKey::new(token, &raw).unwrap();
            for n in 0..40 {
                let (data, start) = (bytes(n as u64, 16 * n), block(n as u64 + 1));
                let mut want = start;
                with_aes!(size, C => {
                    let cipher = C::new_from_slice(&raw).unwrap();
                    for b in data.chunks(16) {
                        want.iter_mut().zip(b).for_each(|(w, b)| *w ^= b);
                        cipher.encrypt_block((&mut want).into());
                    }
                });
                for cut in [0, n / 2] {
                    let mut state = start;
                    key.cbc_mac(&mut state, &data[..16 * cut]);
                    key.cbc_mac(&mut state, &data[16 * cut..]);
                    assert_eq!(state, want);
                }
            }
        }
    }

    #[test]
    fn definition_over_rustcrypto() {
        each_token!(check);
    }
}
