//! CMAC, XCBC and CBC-MAC over AES instructions.

use super::{KEY_LENGTH, block16};
use crate::{
    adapters::{Make, MakeHash},
    driver::{BadKey, Fresh, HashOps, WeakKeys},
    templates::mac::{self, Chain, InProgress, Last},
};
use algkit_primitives::{
    aes::{AesKey, MacJob, cbc_mac_batch},
    simd::{AesToken, Blocks},
};
use std::marker::PhantomData;

impl<T: AesToken> Chain for AesKey<T> {
    const LANES: usize = 8 * T::V::BLOCKS;

    fn block(&self) -> usize {
        16
    }

    fn absorb(&self, state: &mut [u8], blocks: &[u8]) {
        self.cbc_mac(block16(state), blocks);
    }

    #[inline(always)]
    fn masked_mac(&self, masks: &[[u8; 16]; 2], message: &[u8]) -> Option<[u8; 16]> {
        Some(AesKey::masked_mac(self, masks, message))
    }

    fn absorb_batch(jobs: &mut [MacJob<'_, Self>]) {
        cbc_mac_batch(jobs);
    }
}

macro_rules! macs {
    ($($(#[$doc:meta])* $name:ident: |$key:ident| $keyed:expr;)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name<T>(PhantomData<T>);

        impl<T: AesToken> MakeHash for $name<T> {
            type Token = T;

            const SIZE: usize = size_of::<InProgress<AesKey<T>>>();

            fn boxed_hash(token: T, key: &[u8], weak: WeakKeys) -> Result<Box<dyn HashOps>, BadKey> {
                let $key = AesKey::make(token, key, weak)?;
                let (chain, last) = $keyed;
                Ok(Box::new(Fresh(InProgress::new(chain, last))))
            }
        }
    )*};
}

macs! {
    /// CMAC over AES instructions.
    Cmac: |key| {
        let last = mac::cmac_last(&key);
        (key, last)
    };
    /// XCBC over AES instructions.
    Xcbc: |key| mac::xcbc(&key, |k1| AesKey::new(key.token(), k1).ok_or(KEY_LENGTH))?;
    /// CBC-MAC over AES instructions.
    Cbcmac: |key| (key, Last::ZeroPad);
}
