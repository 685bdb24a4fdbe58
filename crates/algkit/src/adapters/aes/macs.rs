//! CMAC, XCBC and CBC-MAC over AES instructions.

use super::{KEY_LENGTH, block16};
use crate::{
    adapters::Make,
    driver::{BadKey, Fresh, HashJob, HashOps, HashState, WeakKeys},
    templates::mac::{self, Chain, InProgress, Last},
};
use algkit_primitives::{
    aes::{AesKey, MacJob, cbc_mac_many},
    simd::{AesToken, Blocks},
};

impl<T: AesToken> Chain for AesKey<T> {
    const LANES: usize = 8 * T::V::BLOCKS;

    fn block(&self) -> usize {
        16
    }

    fn absorb(&self, state: &mut [u8], blocks: &[u8]) {
        self.cbc_mac(block16(state), blocks);
    }

    fn absorb_many(jobs: &mut [MacJob<'_, Self>]) {
        cbc_mac_many(jobs);
    }
}

macro_rules! macs {
    ($($(#[$doc:meta])* $name:ident: |$key:ident| $keyed:expr;)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name<T: AesToken>(Fresh<InProgress<AesKey<T>>>);

        impl<T: AesToken> HashOps for $name<T> {
            fn start(&self) -> Box<dyn HashState> {
                self.0.start()
            }

            fn digest(&self, parts: &[&[u8]], out: &mut [u8]) {
                match parts {
                    [message] => self.digest_whole(message, out),
                    _ => self.0.digest(parts, out),
                }
            }

            fn digest_whole(&self, message: &[u8], out: &mut [u8]) {
                let (key, last) = self.0.0.keyed();
                match last {
                    Last::Masked(masks) => out.copy_from_slice(&key.masked_mac(masks, message)),
                    _ => self.0.digest_whole(message, out),
                }
            }

            fn digest_many(&self, jobs: &mut [HashJob<'_>]) {
                Fresh::digest_many(jobs, |mac: &Self| &mac.0);
            }
        }

        impl<T: AesToken> Make for $name<T> {
            type Token = T;

            fn make(token: T, key: &[u8], weak: WeakKeys) -> Result<Self, BadKey> {
                let $key = AesKey::make(token, key, weak)?;
                let (chain, last) = $keyed;
                Ok(Self(Fresh(InProgress::new(chain, last))))
            }
        }
    )*};
}

macs! {
    /// CMAC.
    Cmac: |key| {
        let last = mac::cmac_last(&key);
        (key, last)
    };
    /// XCBC.
    Xcbc: |key| mac::xcbc(&key, |k1| AesKey::new(key.token(), k1).ok_or(KEY_LENGTH))?;
    /// CBC-MAC.
    Cbcmac: |key| (key, Last::ZeroPad);
}
