//! The traits of the RustCrypto crates over this crate's drivers: change a `use`, keep the program.
//!
//! | feature | traits | types |
//! | --- | --- | --- |
//! | `aead` | [`aead`](::aead) 0.6: `KeyInit`, `AeadInOut`, `Aead` | [`Aes128Gcm`], [`ChaCha20Poly1305`]… |
//! | `cipher` | [`cipher`](::cipher) 0.5: `KeyIvInit`, `StreamCipher`, `StreamCipherSeek` | [`Aes256Ctr`], [`ChaCha20`]… |
//! | `digest` | [`digest`](::digest) 0.11: `Digest`, `Mac` | [`Sha256`], [`HmacSha256`]… |
//!
//! ```
//! # #[cfg(feature = "digest")] {
//! use algkit::rustcrypto::Sha256; // was: use sha2::Sha256;
//! use digest::Digest;
//!
//! assert_eq!(Sha256::digest(b"abc")[..4], [0xba, 0x78, 0x16, 0xbf]);
//! # }
//! ```
//!
//! The drivers are those of the [global registry](crate::Registry::global). The constructors of
//! those traits cannot fail, but a lookup can: a malformed `ALGKIT_CPU`, or an algorithm all of
//! whose drivers failed their self-tests. They panic then; `try_new` returns the error instead. For
//! any other algorithm of the registry, implement the trait that the generic type asks for.

#[cfg(feature = "aead")]
mod aead;
#[cfg(feature = "cipher")]
mod cipher;
#[cfg(feature = "digest")]
mod digest;
#[cfg(feature = "digest")]
mod mac;

#[cfg(feature = "aead")]
pub use aead::*;
#[cfg(feature = "cipher")]
pub use cipher::*;
#[cfg(feature = "digest")]
pub use {digest::*, mac::*};

/// The types that stand for an algorithm in [`AeadOf`], [`StreamOf`], [`DigestOf`] and [`MacOf`].
pub mod algorithm {
    #[cfg(feature = "aead")]
    pub use super::aead::algorithm::*;
    #[cfg(feature = "cipher")]
    pub use super::cipher::algorithm::*;
    #[cfg(feature = "digest")]
    pub use super::{digest::algorithm::*, mac::algorithm::*};
}

/// What a constructor that cannot fail does if it fails.
fn or_panic<T>(result: Result<T, crate::Error>) -> T {
    result.unwrap_or_else(|error| panic!("algkit cannot serve: {error}"))
}

/// Defines, for each row, the type that stands for the algorithm, its trait, and the alias that
/// users write.
macro_rules! algorithms {
    ($generic:ident: $trait:ident; $($(#[$doc:meta])* $name:ident { $($items:tt)* })*) => {
        #[doc = concat!("What [`", stringify!($generic), "`] can be of.")]
        pub mod algorithm {
            use super::*;
            $(
                $(#[$doc])*
                #[derive(Clone, Copy, Debug)]
                pub enum $name {}

                impl $trait for $name { $($items)* }
            )*
        }
        $($(#[$doc])* pub type $name = $generic<algorithm::$name>;)*
    };
}
use algorithms;
