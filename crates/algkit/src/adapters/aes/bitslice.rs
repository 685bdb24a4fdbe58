//! Bit-sliced AES: modes over batches of blocks, for CPUs without AES instructions.

use super::{KEY_LENGTH, block16};
use crate::{
    Text,
    adapters::Make,
    blockwise,
    driver::{BadKey, CipherOps, Direction, SkcipherOps, WeakKeys},
    templates::{
        ecb::Ecb,
        xctr::Xctr,
        xts::{Xts, check_halves},
    },
};
use algkit_primitives::{
    InOut,
    aes::{AesFixedTime, AesKey, Bitslice, BitsliceToken},
    cpu::Portable,
    simd::AesToken,
};

impl<T: BitsliceToken> CipherOps for Bitslice<T> {
    fn block_size(&self) -> usize {
        16
    }

    fn encrypt_blocks(&self, data: InOut<'_>) {
        self.encrypt_blocks(data);
    }

    fn decrypt_blocks(&self, data: InOut<'_>) {
        self.decrypt_blocks(data);
    }

    fn xts(&self, direction: Direction, tweak: &mut [u8; 16], run: InOut<'_>) {
        match direction {
            Direction::Encrypt => self.xts_encrypt(tweak, run),
            Direction::Decrypt => self.xts_decrypt(tweak, run),
        }
    }
}

impl<T: BitsliceToken> Make for Bitslice<T> {
    type Token = T;

    fn make(token: T, key: &[u8], _: WeakKeys) -> Result<Self, BadKey> {
        Self::new(token, key).ok_or(KEY_LENGTH)
    }
}

// Modes that reuse the templates' code over a concrete cipher, without virtual calls.

impl<C: CipherOps + Make> Make for Ecb<C> {
    type Token = C::Token;

    fn make(token: C::Token, key: &[u8], weak: WeakKeys) -> Result<Self, BadKey> {
        C::make(token, key, weak).map(Self)
    }
}

impl<C: CipherOps + Make> Make for Xctr<C> {
    type Token = C::Token;

    fn make(token: C::Token, key: &[u8], weak: WeakKeys) -> Result<Self, BadKey> {
        C::make(token, key, weak).map(Self)
    }
}

/// Counter mode over bit-sliced AES.
pub(crate) struct SlicedCtr<T: BitsliceToken>(Bitslice<T>);

impl<T: BitsliceToken> SkcipherOps for SlicedCtr<T> {
    fn crypt(&self, _direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
        let counter = block16(iv);
        while let Some(run) = text.next(16, 0) {
            self.0.ctr(counter, run);
        }
    }
}

impl<T: BitsliceToken> Make for SlicedCtr<T> {
    type Token = T;

    fn make(token: T, key: &[u8], weak: WeakKeys) -> Result<Self, BadKey> {
        Bitslice::make(token, key, weak).map(Self)
    }
}

/// AES for what waits for each block.
pub(crate) trait Serial<T>: CipherOps + Sized {
    fn serial(token: T, key: &[u8], weak: WeakKeys) -> Result<Self, BadKey>;

    /// CBC encryption.
    fn encrypt_chain(&self, iv: &mut [u8], run: InOut<'_>) {
        blockwise::cbc_encrypt(iv, run, &|block| self.encrypt_blocks(block));
    }
}

impl<T> Serial<T> for AesFixedTime {
    fn serial(_: T, key: &[u8], weak: WeakKeys) -> Result<Self, BadKey> {
        Self::make(Portable::new(), key, weak)
    }
}

impl<T: AesToken> Serial<T> for AesKey<T> {
    fn serial(token: T, key: &[u8], weak: WeakKeys) -> Result<Self, BadKey> {
        Self::make(token, key, weak)
    }

    fn encrypt_chain(&self, iv: &mut [u8], run: InOut<'_>) {
        self.cbc_encrypt(block16(iv), run);
    }
}

/// CBC. Encryption is serial, so it uses another cipher.
pub(crate) struct SlicedCbc<T: BitsliceToken, S = AesFixedTime> {
    parallel: Bitslice<T>,
    serial: S,
}

impl<T: BitsliceToken, S: Serial<T>> SkcipherOps for SlicedCbc<T, S> {
    fn crypt(&self, direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
        while let Some(run) = text.next(16, 0) {
            match direction {
                Direction::Encrypt => self.serial.encrypt_chain(iv, run),
                Direction::Decrypt => self.parallel.cbc_decrypt(block16(iv), run),
            }
        }
    }
}

impl<T: BitsliceToken, S: Serial<T>> Make for SlicedCbc<T, S> {
    type Token = T;

    fn make(token: T, key: &[u8], weak: WeakKeys) -> Result<Self, BadKey> {
        Ok(Self { parallel: Bitslice::make(token, key, weak)?, serial: S::serial(token, key, weak)? })
    }
}

impl<T: BitsliceToken, S: Serial<T>> Make for Xts<Bitslice<T>, S> {
    type Token = T;

    fn make(token: T, key: &[u8], weak: WeakKeys) -> Result<Self, BadKey> {
        let (data, tweak) = check_halves(key, weak)?;
        Ok(Self { data: Bitslice::make(token, data, weak)?, tweak: S::serial(token, tweak, weak)? })
    }
}
