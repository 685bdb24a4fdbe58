use super::{algorithms, or_panic};
use crate::{Error, Skcipher, blockwise::xor, skcipher};
use ::cipher::{
    InOutBuf, Iv, IvSizeUser, Key, KeyIvInit, KeySizeUser, OverflowError, SeekNum, StreamCipher, StreamCipherError,
    StreamCipherSeek,
    array::ArraySize,
    consts::{U12, U16, U24, U32},
};
use std::{fmt, sync::Arc};
use zeroize::Zeroize;

/// The IV length of these algorithms' drivers, in bytes.
const IV_LEN: usize = 16;

/// The longest keystream block, in bytes.
const MAX_BLOCK: usize = 64;

/// A stream cipher with a block counter.
pub trait StreamAlgorithm {
    /// The algorithm's name in the registry. Its drivers take 16-byte IVs.
    const NAME: &'static str;

    /// The key length in bytes.
    type KeySize: ArraySize;

    /// The nonce length in bytes.
    type IvSize: ArraySize;

    /// The length of a keystream block in bytes, at most 64.
    const BLOCK: u8;

    /// The number of blocks in the keystream.
    const BLOCKS: u128;

    /// The driver's IV for block number `block`.
    fn iv(nonce: &[u8], block: u128) -> [u8; IV_LEN];
}

/// A keyed stream cipher with the traits of the `cipher` crate: the mode, and the unused rest of the last keystream
/// block.
pub struct StreamOf<A: StreamAlgorithm> {
    cipher: Arc<Skcipher>,
    nonce: Iv<Self>,
    /// The number of the block after the buffered keystream.
    block: u128,
    keystream: [u8; MAX_BLOCK],
    /// How many bytes of the buffered keystream are used; [`StreamAlgorithm::BLOCK`] if none is buffered.
    used: u8,
}

algorithms! {
    StreamOf: StreamAlgorithm;
    /// AES-128 in counter mode with a 128-bit counter (SP 800-38A).
    Aes128Ctr {
        const NAME: &'static str = "ctr(aes)";
        type KeySize = U16;
        type IvSize = U16;
        const BLOCK: u8 = 16;
        const BLOCKS: u128 = u128::MAX;
        fn iv(nonce: &[u8], block: u128) -> [u8; IV_LEN] { counter_block(nonce, block) }
    }
    /// AES-192 in counter mode with a 128-bit counter (SP 800-38A).
    Aes192Ctr {
        const NAME: &'static str = "ctr(aes)";
        type KeySize = U24;
        type IvSize = U16;
        const BLOCK: u8 = 16;
        const BLOCKS: u128 = u128::MAX;
        fn iv(nonce: &[u8], block: u128) -> [u8; IV_LEN] { counter_block(nonce, block) }
    }
    /// AES-256 in counter mode with a 128-bit counter (SP 800-38A).
    Aes256Ctr {
        const NAME: &'static str = "ctr(aes)";
        type KeySize = U32;
        type IvSize = U16;
        const BLOCK: u8 = 16;
        const BLOCKS: u128 = u128::MAX;
        fn iv(nonce: &[u8], block: u128) -> [u8; IV_LEN] { counter_block(nonce, block) }
    }
    /// ChaCha20 with nonces of 12 bytes (RFC 8439 section 2.4), from block 0.
    ChaCha20 {
        const NAME: &'static str = "chacha20";
        type KeySize = U32;
        type IvSize = U12;
        const BLOCK: u8 = 64;
        const BLOCKS: u128 = 1 << 32;
        fn iv(nonce: &[u8], block: u128) -> [u8; IV_LEN] {
            let mut iv = [0; IV_LEN];
            iv[..4].copy_from_slice(&(block as u32).to_le_bytes());
            iv[4..].copy_from_slice(nonce);
            iv
        }
    }
}

/// The first counter block plus `block`.
fn counter_block(nonce: &[u8], block: u128) -> [u8; IV_LEN] {
    nonce.iter().fold(0, |v: u128, &b| v << 8 | u128::from(b)).wrapping_add(block).to_be_bytes()
}

impl<A: StreamAlgorithm> StreamOf<A> {
    /// The cipher with `key` and `nonce`, at the start of the keystream.
    pub fn try_new(key: &Key<Self>, nonce: &Iv<Self>) -> Result<Self, Error> {
        let cipher = skcipher(A::NAME)?.key(key)?;
        let want = cipher.driver().shape.ivsize;
        if want != IV_LEN {
            return Err(Error::IvLength { name: A::NAME.to_owned(), got: IV_LEN, want });
        }
        let (cipher, nonce) = (Arc::new(cipher), nonce.clone());
        Ok(Self { cipher, nonce, block: 0, keystream: [0; MAX_BLOCK], used: A::BLOCK })
    }

    /// Encrypts or decrypts `text`, which starts at block `self.block`.
    fn crypt(&mut self, text: &mut [u8]) {
        let mut iv = A::iv(&self.nonce, self.block);
        self.block += text.len().div_ceil(A::BLOCK.into()) as u128;
        self.cipher.encrypt(&mut iv, text).expect("the IV has the driver's length, and any text fits");
    }

    /// Buffers the next keystream block, of which `used` bytes are already used.
    fn hold(&mut self, used: u8) {
        let mut keystream = [0; MAX_BLOCK];
        self.crypt(&mut keystream[..usize::from(A::BLOCK)]);
        self.keystream = keystream;
        self.used = used;
        keystream.zeroize();
    }
}

impl<A: StreamAlgorithm> Clone for StreamOf<A> {
    fn clone(&self) -> Self {
        Self { cipher: self.cipher.clone(), nonce: self.nonce.clone(), ..*self }
    }
}

impl<A: StreamAlgorithm> Drop for StreamOf<A> {
    fn drop(&mut self) {
        self.keystream.zeroize();
    }
}

impl<A: StreamAlgorithm> fmt::Debug for StreamOf<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cipher.fmt(f)
    }
}

impl<A: StreamAlgorithm> KeySizeUser for StreamOf<A> {
    type KeySize = A::KeySize;
}

impl<A: StreamAlgorithm> IvSizeUser for StreamOf<A> {
    type IvSize = A::IvSize;
}

impl<A: StreamAlgorithm> KeyIvInit for StreamOf<A> {
    fn new(key: &Key<Self>, nonce: &Iv<Self>) -> Self {
        or_panic(Self::try_new(key, nonce))
    }
}

impl<A: StreamAlgorithm> StreamCipher for StreamOf<A> {
    fn check_remaining(&self, data_len: usize) -> Result<(), StreamCipherError> {
        let held = u128::from(A::BLOCK - self.used);
        let left = (A::BLOCKS - self.block).saturating_mul(A::BLOCK.into()).saturating_add(held);
        if data_len as u128 <= left { Ok(()) } else { Err(StreamCipherError) }
    }

    fn unchecked_apply_keystream_inout(&mut self, text: InOutBuf<'_, '_, u8>) {
        let text = text.into_out_with_copied_in();
        let held = &self.keystream[usize::from(self.used)..usize::from(A::BLOCK)];
        let (head, text) = text.split_at_mut(held.len().min(text.len()));
        xor(head, held);
        self.used += head.len() as u8;

        let (whole, tail) = text.split_at_mut(text.len() - text.len() % usize::from(A::BLOCK));
        if !whole.is_empty() {
            self.crypt(whole);
        }
        if !tail.is_empty() {
            self.hold(tail.len() as u8);
            xor(tail, &self.keystream);
        }
    }

    fn unchecked_write_keystream(&mut self, buf: &mut [u8]) {
        buf.fill(0);
        self.unchecked_apply_keystream(buf);
    }
}

impl<A: StreamAlgorithm> StreamCipherSeek for StreamOf<A> {
    fn try_current_pos<T: SeekNum>(&self) -> Result<T, OverflowError> {
        T::from_block_byte(self.block, self.used, A::BLOCK)
    }

    fn try_seek<T: SeekNum>(&mut self, pos: T) -> Result<(), StreamCipherError> {
        let (block, byte) = pos.into_block_byte::<u128>(A::BLOCK)?;
        if (block, byte) > (A::BLOCKS, 0) {
            return Err(StreamCipherError);
        }
        (self.block, self.used) = (block, A::BLOCK);
        if byte > 0 {
            self.hold(byte);
        }
        Ok(())
    }
}
