use super::{
    algorithms,
    digest::{check_digest_size, finish},
    or_panic,
};
use crate::{Error, Hash, State, hash};
use ::digest::{
    FixedOutput, FixedOutputReset, InvalidLength, Key, KeyInit, MacMarker, Output, OutputSizeUser, Reset, Update,
    array::{ArraySize, typenum::Unsigned},
    common::KeySizeUser,
    consts::{U16, U20, U28, U32, U48, U64, U128},
};
use std::{fmt, marker::PhantomData, sync::Arc};

/// A keyed hash.
pub trait MacAlgorithm {
    /// The algorithm's name in the registry.
    const NAME: &'static str;

    /// The key length in bytes.
    type KeySize: ArraySize;

    /// Whether a key that is given as a slice may have any length.
    const ANY_KEY: bool;

    /// The tag length in bytes.
    type OutputSize: ArraySize;
}

/// A keyed hash in progress with the traits of the `digest` crate.
pub struct MacOf<A> {
    keyed: Arc<Hash>,
    state: State,
    algorithm: PhantomData<fn() -> A>,
}

macro_rules! macs {
    ($($(#[$doc:meta])* $name:ident = $text:literal, key $key:ident, any $any:literal, tag $tag:ident;)*) => {
        algorithms! {
            MacOf: MacAlgorithm;
            $($(#[$doc])* $name {
                const NAME: &'static str = $text;
                type KeySize = $key;
                const ANY_KEY: bool = $any;
                type OutputSize = $tag;
            })*
        }
    };
}

macs! {
    /// HMAC-SHA-1 (FIPS 198-1).
    HmacSha1 = "hmac(sha1)", key U64, any true, tag U20;
    /// HMAC-SHA-224 (FIPS 198-1).
    HmacSha224 = "hmac(sha224)", key U64, any true, tag U28;
    /// HMAC-SHA-256 (FIPS 198-1).
    HmacSha256 = "hmac(sha256)", key U64, any true, tag U32;
    /// HMAC-SHA-384 (FIPS 198-1).
    HmacSha384 = "hmac(sha384)", key U128, any true, tag U48;
    /// HMAC-SHA-512 (FIPS 198-1).
    HmacSha512 = "hmac(sha512)", key U128, any true, tag U64;
    /// HMAC-SM3, with the feature `legacy`.
    HmacSm3 = "hmac(sm3)", key U64, any true, tag U32;
    /// CMAC-AES-128 (SP 800-38B).
    CmacAes128 = "cmac(aes)", key U16, any false, tag U16;
    /// CMAC-AES-256 (SP 800-38B).
    CmacAes256 = "cmac(aes)", key U32, any false, tag U16;
}

impl<A: MacAlgorithm> MacOf<A> {
    /// A fresh state with `key`, of any length that the registry's algorithm accepts.
    pub fn try_new(key: &[u8]) -> Result<Self, Error> {
        let keyed = hash(A::NAME)?.key(key)?;
        check_digest_size::<A::OutputSize>(&keyed)?;
        let state = keyed.start();
        Ok(Self { keyed: Arc::new(keyed), state, algorithm: PhantomData })
    }

    /// Replaces the state by a fresh one and returns it.
    fn take(&mut self) -> State {
        std::mem::replace(&mut self.state, self.keyed.start())
    }
}

impl<A> Clone for MacOf<A> {
    fn clone(&self) -> Self {
        Self { keyed: self.keyed.clone(), state: self.state.clone(), algorithm: PhantomData }
    }
}

impl<A> fmt::Debug for MacOf<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.keyed.fmt(f)
    }
}

impl<A: MacAlgorithm> KeySizeUser for MacOf<A> {
    type KeySize = A::KeySize;
}

impl<A: MacAlgorithm> KeyInit for MacOf<A> {
    fn new(key: &Key<Self>) -> Self {
        or_panic(Self::try_new(key))
    }

    fn new_from_slice(key: &[u8]) -> Result<Self, InvalidLength> {
        if A::ANY_KEY || key.len() == A::KeySize::USIZE { Ok(or_panic(Self::try_new(key))) } else { Err(InvalidLength) }
    }
}

impl<A> MacMarker for MacOf<A> {}

impl<A: MacAlgorithm> OutputSizeUser for MacOf<A> {
    type OutputSize = A::OutputSize;
}

impl<A> Update for MacOf<A> {
    fn update(&mut self, data: &[u8]) {
        self.state.update(data);
    }
}

impl<A: MacAlgorithm> FixedOutput for MacOf<A> {
    fn finalize_into(self, out: &mut Output<Self>) {
        finish(self.state, out);
    }
}

impl<A: MacAlgorithm> Reset for MacOf<A> {
    fn reset(&mut self) {
        self.take();
    }
}

impl<A: MacAlgorithm> FixedOutputReset for MacOf<A> {
    fn finalize_into_reset(&mut self, out: &mut Output<Self>) {
        finish(self.take(), out);
    }
}
