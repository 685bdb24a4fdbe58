//! Hashes and checksums, a file per family: which state of a primitive each algorithm starts from.

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

use super::Make;
use crate::driver::{BadKey, Fresh, HashJob, HashOps, HashState, WeakKeys};
use algkit_primitives::{cpu::Token, hash::Hash};

/// One algorithm on the CPUs of `T`.
pub(crate) trait Variant<T: Token>: 'static {
    type State: Hash + 'static;

    /// A fresh state. The key has an allowed length, and is empty where there is none.
    fn start(token: T, key: &[u8]) -> Self::State;
}

/// The driver of a variant.
pub(crate) struct Of<V: Variant<T>, T: Token>(Fresh<V::State>);

impl<V: Variant<T>, T: Token> HashOps for Of<V, T> {
    fn start(&self) -> Box<dyn HashState> {
        self.0.start()
    }

    fn digest(&self, parts: &[&[u8]], out: &mut [u8]) {
        self.0.digest(parts, out);
    }

    fn digest_whole(&self, message: &[u8], out: &mut [u8]) {
        self.0.digest_whole(message, out);
    }

    fn digest_many(&self, jobs: &mut [HashJob<'_>]) {
        Fresh::digest_many(jobs, |of: &Self| &of.0);
    }
}

impl<V: Variant<T>, T: Token> Make for Of<V, T> {
    type Token = T;

    fn make(token: T, key: &[u8], _: WeakKeys) -> Result<Self, BadKey> {
        Ok(Self(Fresh(V::start(token, key))))
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

/// A key whose length was checked.
fn key<const N: usize>(key: &[u8]) -> &[u8; N] {
    key.try_into().expect("the key's length was checked")
}

use variants;
