//! CBC-MAC, the core of CMAC (SP 800-38B) and of CCM (SP 800-38C): CBC encryption of which only the last block is kept.
//! The chain of rounds is that of CBC.

use super::{
    AesKey,
    rounds::{OneBlock, Schedule},
};
use crate::simd::{AesToken, Blocks, each, load_partial_block};

impl<T: AesToken> AesKey<T> {
    /// Absorbs whole blocks: for each, `state` = E(`state` ^ block).
    ///
    /// # Panics
    /// If the length of `blocks` is not a multiple of 16 bytes.
    pub fn cbc_mac(&self, state: &mut [u8; 16], blocks: &[u8]) {
        let (blocks, []) = blocks.as_chunks::<16>() else { panic!("CBC-MAC works on whole blocks") };
        if let [blocks @ .., last] = blocks {
            *state = self.absorb(state, blocks, u128::from_le_bytes(*last));
        }
    }

    /// The MAC of a message in one piece whose last block is masked. A whole last block is xored with the first of
    /// `masks`. If the last block is partial or there is none, a 1 bit and zeros complete it, and it is xored with the
    /// second. With their masks, this is CMAC (SP 800-38B section 6.2) and XCBC (RFC 3566).
    #[must_use]
    pub fn masked_mac(&self, masks: &[[u8; 16]; 2], message: &[u8]) -> [u8; 16] {
        let (blocks, last) = message.split_at(message.len().saturating_sub(1) / 16 * 16);
        let [whole, partial] = each(*masks, u128::from_le_bytes);
        let last = match last.first_chunk() {
            Some(block) => u128::from_le_bytes(*block) ^ whole,
            None => (load_partial_block(last) | 0x80 << (8 * last.len())) ^ partial,
        };
        self.absorb(&[0; 16], blocks.as_chunks().0, last)
    }

    /// The state after absorbing `blocks` and then `last`.
    #[inline(always)]
    fn absorb(&self, state: &[u8; 16], blocks: &[[u8; 16]], last: u128) -> [u8; 16] {
        let token = self.token.narrow();
        self.token.vectorize_with(
            (&self.enc, state),
            blocks,
            last,
            #[inline(always)]
            move |(keys, state), blocks, last| {
                let mut keys = Schedule::<OneBlock<T>>::new(token, keys);
                let zero = Blocks::zero(token);
                let last: OneBlock<T> = Blocks::load(token, &last.to_le_bytes());
                let mut chain = [keys.first.xor(Blocks::load(token, state))];
                if let [block, rest @ ..] = blocks {
                    chain[0] = chain[0].xor(Blocks::load(token, block));
                    for next in rest {
                        let share = keys.first.xor(Blocks::load(token, next));
                        keys.reread();
                        keys.rounds::<true, 1>(&mut chain, zero);
                        chain[0] = keys.finish::<true>(chain[0], keys.last.xor(share));
                    }
                    keys.rounds::<true, 1>(&mut chain, zero);
                    chain[0] = keys.finish::<true>(chain[0], keys.last.xor3(keys.first, last));
                } else {
                    chain[0] = chain[0].xor(last);
                }
                keys.rounds::<true, 1>(&mut chain, zero);
                keys.finish::<true>(chain[0], keys.last).first()
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        InOut,
        aes::testing::{block, bytes, each_token, hex, with_aes},
        cpu::CpuFeatures,
    };
    use aes::cipher::{BlockCipherEncrypt, KeyInit};

    /// CBC-MAC by its definition, over RustCrypto's block cipher.
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

    /// RFC 4493 section 4, and RustCrypto's CMAC at every length.
    fn check_masked<T: AesToken>() {
        let Some(token) = T::detect(CpuFeatures::detect()) else { return };
        let key = AesKey::new(token, &hex::<16>("2b7e151628aed2a6abf7158809cf4f3c")).unwrap();
        let masks = [hex("fbeed618357133667c85e08f7236a8de"), hex("f7ddac306ae266ccf90bc11ee46d513b")];
        let message: [u8; 40] = hex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411");
        for (len, want) in [
            (0, "bb1d6929e95937287fa37d129b756746"),
            (16, "070a16b46b4d4144f79bdd9dd04a287c"),
            (40, "dfa66747de9ae63030ca32611497c827"),
        ] {
            assert_eq!(key.masked_mac(&masks, &message[..len]), hex(want));
        }
        for size in [16, 24, 32] {
            let raw = bytes(9, size);
            let key = AesKey::new(token, &raw).unwrap();
            let mut zero = [0; 16];
            key.ecb_encrypt(InOut::from(&mut zero[..]));
            let double = |v: u128| (v << 1) ^ ((v >> 127) * 0x87);
            let k1 = double(u128::from_be_bytes(zero));
            let masks = [k1.to_be_bytes(), double(k1).to_be_bytes()];
            for n in 0..100 {
                let message = bytes(n as u64, n);
                with_aes!(size, C => {
                    use cmac::{KeyInit, Mac};
                    let mut mac = <cmac::Cmac<C>>::new_from_slice(&raw).unwrap();
                    mac.update(&message);
                    assert_eq!(key.masked_mac(&masks, &message), *mac.finalize().into_bytes(), "{n} bytes");
                });
            }
        }
    }

    #[test]
    fn masked_is_cmac() {
        each_token!(check_masked);
    }
}
