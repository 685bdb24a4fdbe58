//! ECB, CBC, CTR and XCTR, fused with AES instructions.

use super::{KEY_LENGTH, block16};
use crate::{
    Text,
    adapters::Make,
    driver::{BadKey, Direction, HashState, Instances, Jobs, MAX_JOBS, SkcipherJob, SkcipherOps, WeakKeys, put},
};
use algkit_primitives::{
    InOut, Turns,
    aes::{AesKey, CbcJob, cbc_encrypt_batch},
    simd::{AesToken, Blocks},
};

/// Modes in which the runs of a text are independent texts, chained only by the IV.
macro_rules! by_runs {
    ($($(#[$doc:meta])* $name:ident: |$key:ident, $direction:ident, $iv:ident, $run:ident| $crypt:expr $(, { $($more:tt)* })?;)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name<T>(AesKey<T>);

        impl<T: AesToken> SkcipherOps for $name<T> {
            fn crypt(&self, direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
                while let Some(run) = text.next(16, 0) {
                    self.crypt_run(direction, iv, run);
                }
            }

            fn crypt_run(&self, $direction: Direction, $iv: &mut [u8], $run: InOut<'_>) {
                let $key = &self.0;
                $crypt
            }

            fn set_key(&mut self, key: &[u8], _: WeakKeys) -> bool {
                self.0.set(key)
            }

            $($($more)*)?
        }
    )*};
}

by_runs! {
    /// ECB on AES instructions.
    FusedEcb: |key, direction, _iv, run| match direction {
        Direction::Encrypt => key.ecb_encrypt(run),
        Direction::Decrypt => key.ecb_decrypt(run),
    };
    /// CBC on AES instructions.
    FusedCbc: |key, direction, iv, run| match direction {
        Direction::Encrypt => key.cbc_encrypt(block16(iv), run),
        Direction::Decrypt => key.cbc_decrypt(block16(iv), run),
    }, {
        fn encrypt_beside(&self, iv: &mut [u8], turns: &mut Turns<'_>, hash: &mut dyn HashState) -> bool {
            let len = turns.count() * Turns::BYTES;
            hash.absorb_by(len, &mut |cpu, words| self.0.cbc_encrypt_beside(block16(iv), turns, cpu, words))
        }

        fn lanes(&self) -> usize {
            8 * T::V::BLOCKS
        }

        /// Encrypts in lanes; decryption needs no lanes.
        fn crypt_batch(&self, direction: Direction, jobs: &mut [SkcipherJob<'_>]) {
            for jobs in jobs.chunks_mut(MAX_JOBS) {
                let (mut lanes, mut instances) = (Jobs::new(), Instances::<Self>::new());
                for job in jobs {
                    match instances.find(job.ops) {
                        Some(Self(key)) if direction == Direction::Encrypt => {
                            put(&mut lanes, CbcJob { key, iv: block16(job.iv), data: job.text.reborrow() });
                        }
                        _ => job.run(direction),
                    }
                }
                cbc_encrypt_batch(&mut lanes);
            }
        }
    };
    /// CTR on AES instructions.
    FusedCtr: |key, _direction, iv, run| key.ctr(block16(iv), run);
}

/// XCTR on AES instructions.
pub(crate) struct FusedXctr<T>(AesKey<T>);

impl<T: AesToken> SkcipherOps for FusedXctr<T> {
    fn crypt(&self, _direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
        let (iv, mut index) = (block16(iv), 0);
        while let Some(run) = text.next(16, 0) {
            self.0.xctr(iv, &mut index, run);
        }
    }

    fn crypt_run(&self, _direction: Direction, iv: &mut [u8], run: InOut<'_>) {
        self.0.xctr(block16(iv), &mut 0, run);
    }

    fn set_key(&mut self, key: &[u8], _: WeakKeys) -> bool {
        self.0.set(key)
    }
}

macro_rules! make_of_aes_key {
    ($($name:ident),*) => {$(
        impl<T: AesToken> Make for $name<T> {
            type Token = T;

            fn make(token: T, key: &[u8], weak: WeakKeys) -> Result<Self, BadKey> {
                AesKey::make(token, key, weak).map(Self)
            }

            fn boxed(token: T, key: &[u8], _: WeakKeys) -> Result<Box<Self>, BadKey> {
                AesKey::new_in(token, key, |key| Box::new(Self(key)), |new| &mut new.0).ok_or(KEY_LENGTH)
            }
        }
    )*};
}

make_of_aes_key!(FusedEcb, FusedCbc, FusedCtr, FusedXctr);
