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
//! The drivers come from the [global registry](crate::Registry::global). The constructors of these traits cannot
//! return errors, but a lookup can fail: because `ALGKIT_CPU` is malformed, or because all drivers of an algorithm
//! failed their self-tests. Then the constructors panic; `try_new` returns the error instead. For any other
//! algorithm of the registry, implement the trait that the generic type requires.

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

/// The algorithm parameters of [`AeadOf`], [`StreamOf`], [`DigestOf`] and [`MacOf`].
pub mod algorithm {
    #[cfg(feature = "aead")]
    pub use super::aead::algorithm::*;
    #[cfg(feature = "cipher")]
    pub use super::cipher::algorithm::*;
    #[cfg(feature = "digest")]
    pub use super::{digest::algorithm::*, mac::algorithm::*};
}

/// Panics on an error, for constructors that cannot return one.
fn or_panic<T>(result: Result<T, crate::Error>) -> T {
    result.unwrap_or_else(|error| panic!("algkit cannot serve: {error}"))
}

/// Defines for each row the algorithm's marker type, its implementation of the trait, and the alias for users.
macro_rules! algorithms {
    ($generic:ident: $trait:ident; $($(#[$doc:meta])* $name:ident { $($items:tt)* })*) => {
        #[doc = concat!("Algorithm parameters of [`", stringify!($generic), "`].")]
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
