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
    aes::{AesFixedTime, Bitslice, BitsliceToken},
    cpu::Portable,
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

/// CBC. Encryption is serial, so it uses a cipher for single blocks.
pub(crate) struct SlicedCbc<T: BitsliceToken> {
    parallel: Bitslice<T>,
    serial: AesFixedTime,
}

impl<T: BitsliceToken> SkcipherOps for SlicedCbc<T> {
    fn crypt(&self, direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
        while let Some(run) = text.next(16, 0) {
            match direction {
                Direction::Encrypt => blockwise::cbc_encrypt(iv, run, &|block| self.serial.encrypt_blocks(block)),
                Direction::Decrypt => self.parallel.cbc_decrypt(block16(iv), run),
            }
        }
    }
}

impl<T: BitsliceToken> Make for SlicedCbc<T> {
    type Token = T;

    fn make(token: T, key: &[u8], weak: WeakKeys) -> Result<Self, BadKey> {
        let serial = AesFixedTime::make(Portable::new(), key, weak)?;
        Ok(Self { parallel: Bitslice::make(token, key, weak)?, serial })
    }
}

impl<T: BitsliceToken> Make for Xts<Bitslice<T>, AesFixedTime> {
    type Token = T;

    fn make(token: T, key: &[u8], weak: WeakKeys) -> Result<Self, BadKey> {
        let (data, tweak) = check_halves(key, weak)?;
        let tweak = AesFixedTime::make(Portable::new(), tweak, weak)?;
        Ok(Self { data: Bitslice::make(token, data, weak)?, tweak })
    }
}
