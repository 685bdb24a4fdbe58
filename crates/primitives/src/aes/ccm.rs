//! The payload of CCM (SP 800-38C): CTR and CBC-MAC of the plaintext in one pass.
//!
//! CBC-MAC is a chain of rounds that leaves the AES units idle most of the time. CTR fits into the gaps at no cost: the
//! rounds of one MAC block and of the next CTR block are issued together. Decryption needs that order, since a block
//! can be absorbed only when it has been decrypted; encryption loses nothing by it. As in CBC, the last round of a MAC
//! block adds the next plaintext and the first key, so that only rounds are on the chain.

use super::{
    AesKey,
    rounds::{OneBlock, Schedule},
};
use crate::{
    InOut,
    simd::{AesToken, AesVector, Blocks},
};

/// Finishes the CTR of `block`, at most 16 bytes, with the keystream rounds in `stream`, and writes it to the
/// destination. Returns the plaintext, zero-padded.
#[inline(always)]
fn finish_block<V: AesVector, const ENC: bool>(keys: &Schedule<'_, V>, stream: V, block: &mut InOut<'_>) -> V {
    let token = keys.token;
    if block.len() == 16 {
        let input = V::load(token, block.src());
        let output = keys.finish::<true>(stream, keys.last.xor(input));
        output.store(block.dst());
        if ENC { input } else { output }
    } else {
        let input = V::load_partial(token, block.src());
        keys.finish::<true>(stream, keys.last.xor(input)).store_partial(block.dst());
        if ENC { input } else { V::load_partial(token, block.dst()) }
    }
}

impl<T: AesToken> AesKey<T> {
    /// Encrypts `data` with the keystream that starts at `counter`, and absorbs the plaintext,
    /// zero-padded to whole blocks, into the CBC-MAC state `mac`. `counter` advances by the blocks
    /// used, a partial one included.
    pub fn ccm_encrypt(&self, counter: &mut [u8; 16], mac: &mut [u8; 16], data: InOut<'_>) {
        self.ccm::<true>(counter, mac, data);
    }

    /// Decrypts `data` with the same arguments as [`AesKey::ccm_encrypt`]; the plaintext is absorbed here too.
    pub fn ccm_decrypt(&self, counter: &mut [u8; 16], mac: &mut [u8; 16], data: InOut<'_>) {
        self.ccm::<false>(counter, mac, data);
    }

    #[inline(always)]
    fn ccm<const ENC: bool>(&self, counter: &mut [u8; 16], mac: &mut [u8; 16], data: InOut<'_>) {
        let token = self.token.narrow();
        self.token.vectorize_with(
            (&self.enc, counter),
            mac,
            data,
            #[inline(always)]
            move |(keys, counter), mac, mut data| {
                let n = data.len().min(16);
                let Some(mut block) = data.take(n).filter(
                    #[inline(always)]
                    |b| !b.is_empty(),
                ) else {
                    return;
                };
                let mut keys = Schedule::<OneBlock<T>>::new(token, keys);
                let zero = Blocks::zero(token);
                let start = u128::from_be_bytes(*counter);
                let mut count = start;
                let mut stream = [Blocks::load(token, &count.to_be_bytes())];
                keys.rounds::<true, 1>(&mut stream, keys.first);
                let plain = finish_block::<_, ENC>(&keys, stream[0], &mut block);
                let mut chain = plain.xor3(Blocks::load(token, mac), keys.first);
                while !data.is_empty() {
                    let n = data.len().min(16);
                    let Some(mut block) = data.take(n) else { return };
                    count = count.wrapping_add(1);
                    let next = keys.first.xor(Blocks::load(token, &count.to_be_bytes()));
                    let mut both = [chain, next];
                    keys.reread();
                    keys.rounds::<true, 2>(&mut both, zero);
                    let plain = finish_block::<_, ENC>(&keys, both[1], &mut block);
                    chain = keys.finish::<true>(both[0], plain.xor3(keys.last, keys.first));
                }
                let mut chain = [chain];
                keys.rounds::<true, 1>(&mut chain, zero);
                *mac = keys.finish::<true>(chain[0], keys.last).first();
                *counter = count.wrapping_add(1).to_be_bytes();
            },
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        aes::testing::{apply, bytes, each_token, hex, lengths, with_aes},
        cpu::CpuFeatures,
    };
    use ccm::{
        KeyInit,
        aead::{Aead, Payload},
        consts::{U13, U16},
    };
    use std::{vec, vec::Vec};

    /// CCM encryption by SP 800-38C appendix A, for associated data of at most 30 bytes.
    fn seal<T: AesToken>(key: &AesKey<T>, nonce: &[u8], aad: &[u8], plain: &[u8], tag: usize) -> Vec<u8> {
        let mut sealed = apply(plain, |io| {
            crypt::<T, true>(key, nonce, aad, tag, io);
        });
        let mut copy = plain.to_vec();
        sealed.extend_from_slice(&crypt::<T, true>(key, nonce, aad, tag, InOut::from(&mut copy[..]))[..tag]);
        sealed
    }

    fn crypt<T: AesToken, const ENC: bool>(
        key: &AesKey<T>,
        nonce: &[u8],
        aad: &[u8],
        tag: usize,
        data: InOut<'_>,
    ) -> [u8; 16] {
        let q = 15 - nonce.len();
        let mut head = [0; 48];
        head[0] = (0x40 + (tag - 2) / 2 * 8 + q - 1) as u8;
        head[1..=nonce.len()].copy_from_slice(nonce);
        head[14..16].copy_from_slice(&(data.len() as u16).to_be_bytes());
        head[16..18].copy_from_slice(&(aad.len() as u16).to_be_bytes());
        head[18..18 + aad.len()].copy_from_slice(aad);
        let mut mac = [0; 16];
        key.cbc_mac(&mut mac, &head[..16 + (2 + aad.len()).next_multiple_of(16)]);

        let mut counter = [0; 16];
        counter[0] = (q - 1) as u8;
        counter[1..=nonce.len()].copy_from_slice(nonce);
        let mut mask = counter;
        key.ecb_encrypt(InOut::from(&mut mask[..]));
        counter[15] = 1;
        let blocks = data.len().div_ceil(16) as u16;
        if ENC {
            key.ccm_encrypt(&mut counter, &mut mac, data)
        } else {
            key.ccm_decrypt(&mut counter, &mut mac, data)
        }
        assert_eq!(counter[14..], (1 + blocks).to_be_bytes());
        mac.iter_mut().zip(mask).for_each(|(m, k)| *m ^= k);
        mac
    }

    fn check<T: AesToken>() {
        let Some(token) = T::detect(CpuFeatures::detect()) else { return };
        // SP 800-38C, examples 1 to 3.
        let key = AesKey::new(token, &hex::<16>("404142434445464748494a4b4c4d4e4f")).unwrap();
        let (nonce, text): ([u8; 12], [u8; 56]) =
            (core::array::from_fn(|i| 0x10 + i as u8), core::array::from_fn(|i| i as u8));
        for (nonce_len, aad_len, len, tag, want) in [
            (7, 8, 4, 4, "7162015b4dac255d"),
            (8, 16, 16, 6, "d2a1f0e051ea5f62081a7792073d593d1fc64fbfaccd"),
            (12, 20, 24, 8, "e3b201a9f5b71a7a9b1ceaeccd97e70b6176aad9a4428aa5484392fbc1b09951"),
        ] {
            let sealed = seal(&key, &nonce[..nonce_len], &text[..aad_len], &text[32..32 + len], tag);
            assert_eq!(hex::encode(sealed), want);
        }

        for size in [16, 24, 32] {
            let raw = bytes(9, size);
            let key = AesKey::new(token, &raw).unwrap();
            for n in lengths() {
                let (plain, nonce, aad) = (bytes(n as u64, n), bytes(n as u64 + 1, 13), bytes(n as u64 + 2, 11));
                let payload = Payload { msg: &plain, aad: &aad };
                let nonce_array: [u8; 13] = nonce.clone().try_into().unwrap();
                let want = with_aes!(size, C => {
                    ccm::Ccm::<C, U16, U13>::new_from_slice(&raw).unwrap().encrypt(&nonce_array.into(), payload).unwrap()
                });
                assert!(seal(&key, &nonce, &aad, &plain, 16) == want, "{n} bytes");
                let (sealed, tag) = want.split_at(n);
                let mut tags = vec![];
                let opened = apply(sealed, |io| tags.push(crypt::<T, false>(&key, &nonce, &aad, 16, io)));
                assert!(opened == plain, "{n} bytes");
                assert!(tags.iter().all(|t| t == tag), "{n} bytes");
            }
        }
    }

    #[test]
    fn nist_vectors_and_rustcrypto() {
        each_token!(check);
    }
}
