//! Proofs of features, and the way into code compiled for them.

use super::{CpuFeatures, FeatureSet};

/// A proof that the CPU has a set of features, and the way into code compiled for them.
///
/// Implementors are zero-sized and cannot be made but by [`Token::detect`].
///
/// Unsafe code relies on tokens, so the trait is sealed: a token made elsewhere would prove nothing. These functions
/// compile,
///
/// ```
/// use algkit_primitives::cpu::{CpuFeatures, FeatureSet};
///
/// #[derive(Clone, Copy)]
/// struct Forged;
///
/// impl Forged {
///     const NEEDS: FeatureSet = FeatureSet::NONE;
///     fn detect(_: CpuFeatures) -> Option<Self> { Some(Self) }
///     fn vectorize<R>(self, body: impl FnOnce() -> R) -> R { body() }
///     fn vectorize_with<A, B, C, R>(self, a: A, b: B, c: C, body: impl FnOnce(A, B, C) -> R) -> R { body(a, b, c) }
/// }
/// ```
///
/// but not as a token's:
///
/// ```compile_fail,E0277
/// use algkit_primitives::cpu::{CpuFeatures, FeatureSet, Token};
///
/// #[derive(Clone, Copy)]
/// struct Forged;
///
/// impl Token for Forged {
///     const NEEDS: FeatureSet = FeatureSet::NONE;
///     fn detect(_: CpuFeatures) -> Option<Self> { Some(Self) }
///     fn vectorize<R>(self, body: impl FnOnce() -> R) -> R { body() }
///     fn vectorize_with<A, B, C, R>(self, a: A, b: B, c: C, body: impl FnOnce(A, B, C) -> R) -> R { body(a, b, c) }
/// }
/// ```
pub trait Token: crate::sealed::Sealed + Copy + Send + Sync + 'static {
    /// The features that the token stands for.
    const NEEDS: FeatureSet;

    /// The token, if `cpu` has everything it needs.
    fn detect(cpu: CpuFeatures) -> Option<Self>;

    /// Runs `body` inside a function compiled with the token's features.
    ///
    /// `body` must be an `#[inline(always)]` closure that calls `#[inline(always)]` functions only:
    /// what is not inlined is compiled without the features, and is correct but slow.
    fn vectorize<R>(self, body: impl FnOnce() -> R) -> R;

    /// [`Token::vectorize`] for a `body` that captures nothing: its arguments go in registers, where what a
    /// closure captures goes through memory. (A token is nothing in a `move` closure, and in another a reference.)
    fn vectorize_with<A, B, C, R>(self, a: A, b: B, c: C, body: impl FnOnce(A, B, C) -> R) -> R;
}

/// The token of code that needs nothing.
#[derive(Clone, Copy, Debug)]
pub struct Portable(());

impl Portable {
    /// The token; portable code always runs.
    pub const fn new() -> Self {
        Self(())
    }
}

impl Default for Portable {
    fn default() -> Self {
        Self::new()
    }
}

impl crate::sealed::Sealed for Portable {}

impl Token for Portable {
    const NEEDS: FeatureSet = FeatureSet::NONE;

    fn detect(_: CpuFeatures) -> Option<Self> {
        Some(Self(()))
    }

    #[inline(always)]
    fn vectorize<R>(self, body: impl FnOnce() -> R) -> R {
        body()
    }

    #[inline(always)]
    fn vectorize_with<A, B, C, R>(self, a: A, b: B, c: C, body: impl FnOnce(A, B, C) -> R) -> R {
        body(a, b, c)
    }
}

/// A trait of the tokens that prove some target features, and a function of the same name that can be called without
/// `unsafe` only where the compiler knows of these features.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! proof {
    ($(#[$doc:meta])* $Has:ident: $Super:ident $(+ $More:ident)*, $features:literal $({ $($methods:tt)* })?) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// Whatever CPU has made the token has the features.
        pub unsafe trait $Has: $Super $(+ $More)* {
            $($($methods)*)?
        }

        #[target_feature(enable = $features)]
        #[allow(non_snake_case, dead_code, reason = "named after the trait; it only has to compile")]
        fn $Has() {}
    };
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! token {
    ($(#[$doc:meta])* $name:ident, [$($feature:ident),*], $enable:literal, [$($Has:ident),*]) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name(());

        $(
            // SAFETY: the functions named after the traits are called below, without `unsafe`, so the token's features
            // include theirs.
            unsafe impl $Has for $name {}
        )*
        const _: () = {
            #[target_feature(enable = $enable)]
            #[allow(dead_code, reason = "it has to compile")]
            fn proves() {
                $($Has();)*
            }
        };

        impl crate::sealed::Sealed for $name {}

        impl Token for $name {
            const NEEDS: FeatureSet = FeatureSet::of(&[$(Feature::$feature),*]);

            fn detect(cpu: CpuFeatures) -> Option<Self> {
                cpu.contains(Self::NEEDS).then_some(Self(()))
            }

            #[inline(always)]
            fn vectorize<R>(self, body: impl FnOnce() -> R) -> R {
                #[target_feature(enable = $enable)]
                fn go<R>(body: impl FnOnce() -> R) -> R {
                    body()
                }
                // SAFETY: the token exists, so detection found every feature that `go` enables.
                unsafe { go(body) }
            }

            #[inline(always)]
            fn vectorize_with<A, B, C, R>(self, a: A, b: B, c: C, body: impl FnOnce(A, B, C) -> R) -> R {
                #[target_feature(enable = $enable)]
                fn go<A, B, C, R>(a: A, b: B, c: C, body: impl FnOnce(A, B, C) -> R) -> R {
                    body(a, b, c)
                }
                // SAFETY: as above.
                unsafe { go(a, b, c, body) }
            }
        }
    };
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) use {proof, token};
