//! ECB: each block by itself (SP 800-38A section 6.1).

use super::{
    AesKey, RoundKeys,
    pass::{MEDIUM, Pass, SHORT, load, store},
    rounds::Schedule,
};
use crate::{
    InOut,
    simd::{AesToken, AesVector},
};

struct Ecb<'a, V: AesVector, const ENC: bool> {
    keys: Schedule<'a, V>,
}

impl<V: AesVector, const ENC: bool> Pass<V> for Ecb<'_, V, ENC> {
    const RAGGED: bool = false;

    #[inline(always)]
    fn batch<const N: usize, const WHOLE: bool>(&mut self, mut data: InOut<'_>) {
        let token = self.keys.token;
        self.keys.reread();
        let mut blocks = [V::zero(token); N];
        for (i, b) in blocks.iter_mut().enumerate() {
            *b = load::<V, WHOLE>(token, &data, i);
        }
        self.keys.crypt::<ENC, N>(&mut blocks);
        for (i, b) in blocks.iter().enumerate() {
            store::<V, WHOLE>(*b, &mut data, i);
        }
    }
}

#[inline(always)]
pub(super) fn ecb<T: AesToken, const ENC: bool>(token: T, keys: &RoundKeys, data: InOut<'_>) {
    token.vectorize_with(
        keys,
        data,
        (),
        #[inline(always)]
        move |keys, data, ()| Ecb::<T::V, ENC> { keys: Schedule::new(token, keys) }.run(data),
    );
}

impl<T: AesToken> AesKey<T> {
    /// Encrypts each block of `data`.
    ///
    /// # Panics
    /// If the length of `data` is not a multiple of 16 bytes.
    pub fn ecb_encrypt(&self, data: InOut<'_>) {
        self.ecb::<true>(&self.enc, data);
    }

    /// Decrypts each block of `data`.
    ///
    /// # Panics
    /// If the length of `data` is not a multiple of 16 bytes.
    pub fn ecb_decrypt(&self, data: InOut<'_>) {
        match self.dec.made() {
            Some(dec) => self.ecb::<false>(dec, data),
            None => self.inverted(|key| key.ecb_decrypt(data)),
        }
    }

    #[inline(always)]
    fn ecb<const ENC: bool>(&self, keys: &RoundKeys, data: InOut<'_>) {
        assert!(data.len().is_multiple_of(16), "ECB works on whole blocks");
        if data.len() <= SHORT {
            ecb::<T::Narrow, ENC>(self.token.narrow(), keys, data);
        } else if data.len() <= MEDIUM {
            ecb::<T::TwoBlocks, ENC>(self.token.two_blocks(), keys, data);
        } else {
            ecb::<T, ENC>(self.token, keys, data);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        aes::testing::{apply, bytes, each_token, hex, lengths, with_aes},
        cpu::CpuFeatures,
    };
    use aes::cipher::{BlockCipherEncrypt, KeyInit};

    fn check<T: AesToken>() {
        let Some(token) = T::detect(CpuFeatures::detect()) else { return };
        // SP 800-38A, F.1.1 and F.1.5.
        let plain: [u8; 64] = hex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
                                   30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710");
        let key = AesKey::new(token, &hex::<16>("2b7e151628aed2a6abf7158809cf4f3c")).unwrap();
        let want: [u8; 64] = hex("3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf\
                                  43b1cd7f598ece23881b00e3ed0306887b0c785e27e8ad3f8223207104725dd4");
        assert_eq!(apply(&plain, |io| key.ecb_encrypt(io)), want);
        let key =
            AesKey::new(token, &hex::<32>("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")).unwrap();
        let want: [u8; 64] = hex("f3eed1bdb5d2a03c064b5a7e3db181f8591ccb10d410ed26dc5ba74a31362870\
                                  b6ed21b99ca6f4f9f153e7b1beafed1d23304b7a39f9f3ff067d8d8f9e24ecc7");
        assert_eq!(apply(&plain, |io| key.ecb_encrypt(io)), want);

        for size in [16, 24, 32] {
            let raw = bytes(1, size);
            let key = AesKey::new(token, &raw).unwrap();
            for n in lengths().filter(|n| n % 16 == 0) {
                let plain = bytes(n as u64, n);
                let mut want = plain.clone();
                with_aes!(size, C => {
                    let cipher = C::new_from_slice(&raw).unwrap();
                    want.as_chunks_mut::<16>().0.iter_mut().for_each(|b| cipher.encrypt_block(b.into()));
                });
                assert!(apply(&plain, |io| key.ecb_encrypt(io)) == want, "{n} bytes");
                assert!(apply(&want, |io| key.ecb_decrypt(io)) == plain, "{n} bytes");
            }
        }
    }

    #[test]
    fn nist_vectors_and_rustcrypto() {
        each_token!(check);
    }
}
