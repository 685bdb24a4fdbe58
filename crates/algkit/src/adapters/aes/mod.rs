//! Adapters for `primitives::aes` and `primitives::gcm`.

mod bitslice;
mod ccm;
mod gcm;
mod macs;
mod modes;
mod xts;

pub(crate) use bitslice::{SlicedCbc, SlicedCtr};
pub(crate) use ccm::FusedCcm;
pub(crate) use macs::{Cbcmac, Cmac, Xcbc};
pub(crate) use modes::{FusedCbc, FusedCtr, FusedEcb, FusedXctr};

use super::Make;
use crate::driver::{BadKey, CipherOps, WeakKeys};
use algkit_primitives::{
    InOut,
    aes::{AesFixedTime, AesGeneric, AesKey},
    cpu::Portable,
    simd::AesToken,
};

/// The error for a key length that the table should have refused.
const KEY_LENGTH: BadKey = BadKey("an AES key has 16, 24 or 32 bytes");

#[inline(always)]
fn block16(iv: &mut [u8]) -> &mut [u8; 16] {
    match iv.try_into() {
        Ok(iv) => iv,
        Err(_) => wrong_iv(),
    }
}

#[inline(always)]
fn same16(iv: &[u8]) -> &[u8; 16] {
    match iv.try_into() {
        Ok(iv) => iv,
        Err(_) => wrong_iv(),
    }
}

/// Not reachable: the transform has checked the IV's length.
#[cold]
#[inline(never)]
fn wrong_iv() -> ! {
    panic!("the IV has 16 bytes")
}

impl<T: AesToken> CipherOps for AesKey<T> {
    fn block_size(&self) -> usize {
        16
    }

    fn encrypt_blocks(&self, data: InOut<'_>) {
        self.ecb_encrypt(data);
    }

    fn decrypt_blocks(&self, data: InOut<'_>) {
        self.ecb_decrypt(data);
    }

    fn set_key(&mut self, key: &[u8], _: WeakKeys) -> bool {
        self.set(key)
    }
}

impl<T: AesToken> Make for AesKey<T> {
    type Token = T;

    fn make(token: T, key: &[u8], _: WeakKeys) -> Result<Self, BadKey> {
        Self::new(token, key).ok_or(KEY_LENGTH)
    }
}

macro_rules! by_table {
    ($name:ident) => {
        impl CipherOps for $name {
            fn block_size(&self) -> usize {
                16
            }

            fn encrypt_blocks(&self, data: InOut<'_>) {
                self.encrypt_blocks(data);
            }

            fn decrypt_blocks(&self, data: InOut<'_>) {
                self.decrypt_blocks(data);
            }
        }

        impl Make for $name {
            type Token = Portable;

            fn make(_: Portable, key: &[u8], _: WeakKeys) -> Result<Self, BadKey> {
                Self::new(key).ok_or(KEY_LENGTH)
            }
        }
    };
}

by_table!(AesGeneric);
by_table!(AesFixedTime);
