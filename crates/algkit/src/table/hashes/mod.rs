//! Hashes and checksums, a file per family.

#[cfg(feature = "blake2")]
pub(super) mod blake2;
#[cfg(feature = "checksum")]
pub(super) mod checksum;
#[cfg(feature = "aes")]
pub(super) mod clmul;
#[cfg(feature = "chacha")]
pub(super) mod poly1305;
#[cfg(feature = "sha")]
pub(super) mod sha;
#[cfg(feature = "sha3")]
pub(super) mod sha3;

use super::row::{Algorithm, Make};
use crate::{
    Sizes,
    driver::{BadKey, Fresh, HashJob, HashOps, HashState, Shape, Type, WeakKeys},
};
use algkit_primitives::{cpu::Token, hash::Hash};

const fn hash(name: &'static str, blocksize: usize, digestsize: usize) -> Algorithm {
    Algorithm { name, kind: Type::Hash, shape: Shape::hash(blocksize, digestsize) }
}

const fn keyed(name: &'static str, blocksize: usize, digestsize: usize, keys: Sizes) -> Algorithm {
    Algorithm { name, kind: Type::Hash, shape: Shape::keyed_hash(blocksize, digestsize, keys) }
}

const fn optional_key(name: &'static str, blocksize: usize, digestsize: usize, keys: Sizes) -> Algorithm {
    let shape = Shape { blocksize, digestsize, keys, optional_key: true, ..Shape::EMPTY };
    Algorithm { name, kind: Type::Hash, shape }
}

/// One algorithm on the CPUs of `T`.
trait Variant<T: Token>: 'static {
    type State: Hash + 'static;

    /// A fresh state. The key has an allowed length, and is empty where there is none.
    fn start(token: T, key: &[u8]) -> Self::State;
}

/// The driver of a variant.
struct Of<V: Variant<T>, T: Token>(Fresh<V::State>);

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
        struct $name;

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

/// The drivers of a family on one kind of CPU: variant, algorithm, name without the CPU.
macro_rules! family {
    ($token:ty, $cpu:literal, $priority:literal: $($variant:ty, $algorithm:ident, $name:literal;)*) => {
        &[$(Row::hash::<Of<$variant, $token>>(&$algorithm, concat!($name, "-", $cpu), $priority)),*]
    };
}
use family;
use variants;
