use super::{algorithms, or_panic};
use crate::{Error, Hash, State, hash};
use ::digest::{
    FixedOutput, FixedOutputReset, HashMarker, Output, OutputSizeUser, Reset, Update,
    array::ArraySize,
    common::BlockSizeUser,
    consts::{U16, U20, U28, U32, U48, U64, U72, U104, U128, U136, U144},
};
use std::{fmt, marker::PhantomData, sync::OnceLock};

/// A hash without a key.
pub trait HashAlgorithm: 'static {
    /// The algorithm's name in the registry.
    const NAME: &'static str;

    /// The input size of the compression function, in bytes.
    type BlockSize: ArraySize;

    /// The digest length in bytes.
    type OutputSize: ArraySize;

    /// The place where the hash is cached once its driver has been chosen.
    fn place() -> &'static OnceLock<Hash>;
}

/// A hash in progress with the traits of the `digest` crate.
///
/// The driver is chosen when the first hash of the algorithm is made.
pub struct DigestOf<A>(State, PhantomData<fn() -> A>);

macro_rules! hashes {
    ($($(#[$doc:meta])* $name:ident = $text:literal, block $block:ident, digest $digest:ident;)*) => {
        algorithms! {
            DigestOf: HashAlgorithm;
            $($(#[$doc])* $name {
                const NAME: &'static str = $text;
                type BlockSize = $block;
                type OutputSize = $digest;
                fn place() -> &'static OnceLock<Hash> {
                    static HASH: OnceLock<Hash> = OnceLock::new();
                    &HASH
                }
            })*
        }
    };
}

hashes! {
    /// SHA-1 (FIPS 180-4).
    Sha1 = "sha1", block U64, digest U20;
    /// SHA-224 (FIPS 180-4).
    Sha224 = "sha224", block U64, digest U28;
    /// SHA-256 (FIPS 180-4).
    Sha256 = "sha256", block U64, digest U32;
    /// SHA-384 (FIPS 180-4).
    Sha384 = "sha384", block U128, digest U48;
    /// SHA-512 (FIPS 180-4).
    Sha512 = "sha512", block U128, digest U64;
    /// SHA3-224 (FIPS 202).
    Sha3_224 = "sha3-224", block U144, digest U28;
    /// SHA3-256 (FIPS 202).
    Sha3_256 = "sha3-256", block U136, digest U32;
    /// SHA3-384 (FIPS 202).
    Sha3_384 = "sha3-384", block U104, digest U48;
    /// SHA3-512 (FIPS 202).
    Sha3_512 = "sha3-512", block U72, digest U64;
    /// BLAKE2b with digests of 64 bytes (RFC 7693).
    Blake2b512 = "blake2b-512", block U128, digest U64;
    /// BLAKE2b with digests of 32 bytes (RFC 7693).
    Blake2b256 = "blake2b-256", block U128, digest U32;
    /// BLAKE2s with digests of 32 bytes (RFC 7693).
    Blake2s256 = "blake2s-256", block U64, digest U32;
    /// MD5 (RFC 1321), with the feature `legacy`.
    Md5 = "md5", block U64, digest U16;
    /// RIPEMD-160 (ISO/IEC 10118-3), with the feature `legacy`.
    Ripemd160 = "rmd160", block U64, digest U20;
    /// SM3 (GB/T 32905-2016), with the feature `legacy`.
    Sm3 = "sm3", block U64, digest U32;
}

/// Returns an error if the driver's digest is not `N` bytes long.
pub(super) fn check_digest_size<N: ArraySize>(hash: &Hash) -> Result<(), Error> {
    let (got, want) = (hash.digest_size(), N::USIZE);
    if got == want { Ok(()) } else { Err(Error::OutputLength { got, want }) }
}

/// Finishes a state whose hash has passed [`check_digest_size`].
pub(super) fn finish(state: State, out: &mut [u8]) {
    state.finish_into(out).expect("the digest's size was checked");
}

impl<A: HashAlgorithm> DigestOf<A> {
    /// A fresh state. The error is that of the registry's lookup.
    pub fn try_new() -> Result<Self, Error> {
        let place = A::place();
        let hash = match place.get() {
            Some(hash) => hash,
            None => {
                let found = hash(A::NAME)?.unkeyed()?;
                check_digest_size::<A::OutputSize>(&found)?;
                place.get_or_init(|| found)
            }
        };
        Ok(Self(hash.start(), PhantomData))
    }

    /// Replaces the state by a fresh one and returns it.
    fn take(&mut self) -> State {
        std::mem::take(self).0
    }
}

impl<A: HashAlgorithm> Default for DigestOf<A> {
    fn default() -> Self {
        or_panic(Self::try_new())
    }
}

impl<A> Clone for DigestOf<A> {
    fn clone(&self) -> Self {
        Self(self.0.clone(), PhantomData)
    }
}

impl<A: HashAlgorithm> fmt::Debug for DigestOf<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DigestOf({}, ..)", A::NAME)
    }
}

impl<A> HashMarker for DigestOf<A> {}

impl<A: HashAlgorithm> BlockSizeUser for DigestOf<A> {
    type BlockSize = A::BlockSize;
}

impl<A: HashAlgorithm> OutputSizeUser for DigestOf<A> {
    type OutputSize = A::OutputSize;
}

impl<A> Update for DigestOf<A> {
    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }
}

impl<A: HashAlgorithm> FixedOutput for DigestOf<A> {
    fn finalize_into(self, out: &mut Output<Self>) {
        finish(self.0, out);
    }
}

impl<A: HashAlgorithm> Reset for DigestOf<A> {
    fn reset(&mut self) {
        self.take();
    }
}

impl<A: HashAlgorithm> FixedOutputReset for DigestOf<A> {
    fn finalize_into_reset(&mut self, out: &mut Output<Self>) {
        finish(self.take(), out);
    }
}
