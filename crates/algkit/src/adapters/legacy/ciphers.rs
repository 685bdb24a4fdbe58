//! Block ciphers from crates that implement the traits of the `cipher` crate.

use crate::{
    adapters::Make,
    driver::{BadKey, CipherOps, WeakKeys},
};
use algkit_primitives::{InOut, cpu::Portable};
use cipher::{Array, Block, BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use std::marker::PhantomData;

/// An algorithm's rule for weak keys.
pub(crate) trait KeyRule: Send + Sync + 'static {
    /// The reason to refuse `key`, if it is weak.
    fn objection(key: &[u8]) -> Option<&'static str>;
}

/// The rule of an algorithm without weak keys.
pub(crate) struct AnyKey;

impl KeyRule for AnyKey {
    fn objection(_key: &[u8]) -> Option<&'static str> {
        None
    }
}

/// A cipher with one type for all its key lengths.
pub(crate) struct Cipher<C, R = AnyKey>(C, PhantomData<R>);

impl<C, R> CipherOps for Cipher<C, R>
where
    C: BlockCipherEncrypt + BlockCipherDecrypt + Send + Sync + 'static,
    R: KeyRule,
{
    fn block_size(&self) -> usize {
        C::block_size()
    }

    fn encrypt_blocks(&self, data: InOut<'_>) {
        self.0.encrypt_blocks(in_place::<C>(data));
    }

    fn decrypt_blocks(&self, data: InOut<'_>) {
        self.0.decrypt_blocks(in_place::<C>(data));
    }
}

/// Copies the blocks to the destination. The copy costs nothing beside these ciphers' hundreds of cycles per block.
fn in_place<C: BlockCipherEncrypt>(mut data: InOut<'_>) -> &mut [Block<C>] {
    data.copy();
    Array::slice_as_chunks_mut(data.into_dst()).0
}

impl<C, R> Make for Cipher<C, R>
where
    C: KeyInit + BlockCipherEncrypt + BlockCipherDecrypt + Send + Sync,
    R: KeyRule,
{
    type Token = Portable;

    fn make(_: Portable, key: &[u8], weak: WeakKeys) -> Result<Self, BadKey> {
        if weak == WeakKeys::Refuse
            && let Some(objection) = R::objection(key)
        {
            return Err(BadKey(objection));
        }
        C::new_from_slice(key)
            .map(|c| Self(c, PhantomData))
            .map_err(|_| BadKey("the cipher does not take a key of this length"))
    }
}

/// A cipher with a different type for each key length: 16, 24 and 32 bytes.
pub(crate) enum BySize<A, B, C> {
    K128(Cipher<A>),
    K192(Cipher<B>),
    K256(Cipher<C>),
}

impl<A, B, C> BySize<A, B, C>
where
    Cipher<A>: CipherOps,
    Cipher<B>: CipherOps,
    Cipher<C>: CipherOps,
{
    fn ops(&self) -> &dyn CipherOps
    where
        A: 'static,
        B: 'static,
        C: 'static,
    {
        match self {
            Self::K128(ops) => ops,
            Self::K192(ops) => ops,
            Self::K256(ops) => ops,
        }
    }
}

impl<A: 'static, B: 'static, C: 'static> CipherOps for BySize<A, B, C>
where
    Cipher<A>: CipherOps,
    Cipher<B>: CipherOps,
    Cipher<C>: CipherOps,
{
    fn block_size(&self) -> usize {
        self.ops().block_size()
    }

    fn encrypt_blocks(&self, data: InOut<'_>) {
        self.ops().encrypt_blocks(data);
    }

    fn decrypt_blocks(&self, data: InOut<'_>) {
        self.ops().decrypt_blocks(data);
    }
}

impl<A, B, C> Make for BySize<A, B, C>
where
    Cipher<A>: Make<Token = Portable>,
    Cipher<B>: Make<Token = Portable>,
    Cipher<C>: Make<Token = Portable>,
{
    type Token = Portable;

    fn make(token: Portable, key: &[u8], weak: WeakKeys) -> Result<Self, BadKey> {
        Ok(match key.len() {
            16 => Self::K128(Make::make(token, key, weak)?),
            24 => Self::K192(Make::make(token, key, weak)?),
            _ => Self::K256(Make::make(token, key, weak)?),
        })
    }
}
