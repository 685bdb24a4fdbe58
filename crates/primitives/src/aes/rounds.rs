//! Keys and rounds for CPUs with AES instructions.

use super::RoundKeys;
use crate::simd::{AesToken, AesVector, Blocks};

/// An AES key, both directions, for the CPUs that `T` stands for.
#[derive(Clone)]
pub struct AesKey<T> {
    pub(crate) token: T,
    pub(crate) enc: RoundKeys,
    pub(crate) dec: RoundKeys,
}

impl<T: AesToken> AesKey<T> {
    /// Expands a key of 16, 24 or 32 bytes; `None` for any other length.
    pub fn new(token: T, key: &[u8]) -> Option<Self> {
        token.vectorize(
            #[inline(always)]
            || {
                // ShiftRows leaves a block of four equal words alone, so the last round is SubBytes.
                let enc = RoundKeys::expand(key, |word| {
                    let block = [word; 4];
                    let block: &[u8; 16] = block.as_flattened().try_into().expect("16 bytes");
                    let [a, b, c, d, ..] = T::V::splat(token, block).enc_last(T::V::zero(token)).first();
                    [a, b, c, d]
                })?;
                let dec = enc.inverted(|k| T::V::splat(token, &k).inv_mix_columns().first());
                Some(Self { token, enc, dec })
            },
        )
    }
}

/// Encrypts `N` vectors of blocks.
#[inline(always)]
pub fn encrypt_blocks<V: AesVector, const N: usize>(token: V::Token, keys: &RoundKeys, blocks: &mut [V; N]) {
    let [first, inner @ .., last] = keys.keys() else { unreachable!("a schedule has at least 11 keys") };
    let key = V::splat(token, first);
    for b in blocks.iter_mut() {
        *b = b.xor(key);
    }
    for k in inner {
        let key = V::splat(token, k);
        for b in blocks.iter_mut() {
            *b = b.enc(key);
        }
    }
    let key = V::splat(token, last);
    for b in blocks.iter_mut() {
        *b = b.enc_last(key);
    }
}

/// Decrypts `N` vectors of blocks with the keys of the equivalent inverse cipher.
#[inline(always)]
pub fn decrypt_blocks<V: AesVector, const N: usize>(token: V::Token, keys: &RoundKeys, blocks: &mut [V; N]) {
    let [first, inner @ .., last] = keys.keys() else { unreachable!("a schedule has at least 11 keys") };
    let key = V::splat(token, first);
    for b in blocks.iter_mut() {
        *b = b.xor(key);
    }
    for k in inner {
        let key = V::splat(token, k);
        for b in blocks.iter_mut() {
            *b = b.dec(key);
        }
    }
    let key = V::splat(token, last);
    for b in blocks.iter_mut() {
        *b = b.dec_last(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::CpuFeatures;

    /// FIPS 197 appendix C: plaintext 00112233…, key 000102….
    fn check<T: AesToken>() {
        let Some(token) = T::detect(CpuFeatures::detect()) else { return };
        let key: [u8; 32] = core::array::from_fn(|i| i as u8);
        let plain: [u8; 16] = core::array::from_fn(|i| 0x11 * i as u8);
        for (len, want) in [
            (16, 0x69c4e0d86a7b0430d8cdb78070b4c55au128),
            (24, 0xdda97ca4864cdfe06eaf70a0ec0d7191),
            (32, 0x8ea2b7ca516745bfeafc49904b496089),
        ] {
            let key = AesKey::new(token, &key[..len]).unwrap();
            token.vectorize(|| {
                let mut block = [T::V::splat(token, &plain)];
                encrypt_blocks(token, &key.enc, &mut block);
                assert_eq!(block[0].first(), want.to_be_bytes());
                decrypt_blocks(token, &key.dec, &mut block);
                assert_eq!(block[0].last(), plain);
            });
        }
        assert!(AesKey::new(token, &key[..15]).is_none());
    }

    #[test]
    fn fips_197() {
        #[cfg(target_arch = "x86_64")]
        {
            check::<crate::cpu::AesNi>();
            check::<crate::cpu::Vaes256>();
            check::<crate::cpu::Vaes512>();
        }
        #[cfg(target_arch = "aarch64")]
        check::<crate::cpu::ArmCe>();
    }
}
