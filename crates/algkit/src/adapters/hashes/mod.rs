//! Hashes and checksums, a file per family: the initial state of each algorithm.

#[cfg(feature = "blake2")]
pub(crate) mod blake2;
#[cfg(feature = "checksum")]
pub(crate) mod checksum;
#[cfg(feature = "aes")]
pub(crate) mod clmul;
#[cfg(feature = "chacha")]
pub(crate) mod poly1305;
#[cfg(feature = "sha")]
pub(crate) mod sha;
#[cfg(feature = "sha3")]
pub(crate) mod sha3;

use super::MakeHash;
use crate::driver::{BadKey, Fresh, HashOps, WeakKeys};
use algkit_primitives::{cpu::Token, hash::Hash};
use std::marker::PhantomData;

/// The initial state of one algorithm, for CPUs with the features of `T`.
pub(crate) trait Variant<T: Token>: 'static {
    type State: Hash + 'static;

    /// The initial state. The key's length has been checked; it is empty if there is no key.
    fn start(token: T, key: &[u8]) -> Self::State;
}

/// The driver of a variant, represented by its initial state.
pub(crate) struct Of<V, T>(PhantomData<(V, T)>);

impl<V: Variant<T>, T: Token> MakeHash for Of<V, T> {
    type Token = T;

    const SIZE: usize = size_of::<V::State>();

    fn boxed_hash(token: T, key: &[u8], _: WeakKeys) -> Result<Box<dyn HashOps>, BadKey> {
        Ok(Box::new(Fresh(V::start(token, key))))
    }
}

macro_rules! variants {
    ($($name:ident<$bound:path>: $state:ty, |$token:pat_param, $key:pat_param| $start:expr;)*) => {$(
        pub(crate) struct $name;

        impl<T: Token + $bound> Variant<T> for $name {
            type State = $state;

            fn start($token: T, $key: &[u8]) -> $state {
                $start
            }
        }
    )*};
}

/// The key as an array. Its length has been checked.
fn key<const N: usize>(key: &[u8]) -> &[u8; N] {
    key.try_into().expect("the key's length was checked")
}

use variants;
