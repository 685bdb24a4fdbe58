//! Tokens: proofs of CPU features, and the way into code compiled for them.

use super::{CpuFeatures, FeatureSet};

/// A proof that the CPU has a set of features, and the way into code compiled for them.
///
/// Types that implement it are zero-sized, and [`Token::detect`] is the only way to make one.
///
/// Unsafe code relies on tokens, so the trait is sealed: a token made elsewhere would prove nothing. These functions
/// compile on a type of their own,
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
/// but a type outside this crate cannot be a token:
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
    /// The features that the token proves.
    const NEEDS: FeatureSet;

    /// The token, or `None` if `cpu` lacks a feature that it needs.
    fn detect(cpu: CpuFeatures) -> Option<Self>;

    /// The features that the token proves.
    fn cpu(self) -> CpuFeatures {
        CpuFeatures(Self::NEEDS.with_required())
    }

    /// A reference to a token, for code that does not name its type.
    fn forever(self) -> &'static Self {
        const { assert!(size_of::<Self>() == 0) };
        // SAFETY: a token has no bytes, so any aligned address will do, and this one proves that the CPU has the features.
        unsafe { core::ptr::NonNull::<Self>::dangling().as_ref() }
    }

    /// Runs `body` inside a function that is compiled with the token's features.
    ///
    /// `body` must be an `#[inline(always)]` closure that calls only `#[inline(always)]` functions. What is not inlined
    /// is compiled without the features: it stays correct and becomes slow.
    fn vectorize<R>(self, body: impl FnOnce() -> R) -> R;

    /// [`Token::vectorize`] for a `body` that captures nothing. The three arguments are passed in registers, where what
    /// a closure captures goes through memory. (Captured by a `move` closure, a token takes no space; captured by
    /// reference, it takes a pointer.)
    fn vectorize_with<A, B, C, R>(self, a: A, b: B, c: C, body: impl FnOnce(A, B, C) -> R) -> R;
}

/// The token of portable code, which needs no features.
#[derive(Clone, Copy, Debug)]
pub struct Portable(());

impl Portable {
    /// Makes the token, which needs no detection.
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

/// Defines a trait of the tokens that prove some target features, and a function of the same name. Without `unsafe`,
/// the function can be called only where the compiler knows that these features are enabled.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! proof {
    ($(#[$doc:meta])* $Has:ident: $Super:ident $(+ $More:ident)*, $features:literal $({ $($methods:tt)* })?) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// Every CPU on which the token can be made has the features.
        pub unsafe trait $Has: $Super $(+ $More)* {
            $($($methods)*)?
        }

        #[target_feature(enable = $features)]
        #[allow(non_snake_case, dead_code, reason = "named after the trait; it only has to compile")]
        fn $Has() {}
    };
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))]
macro_rules! token {
    ($(#[$doc:meta])* $name:ident, [$($feature:ident),*], $enable:literal, [$($Has:ident),*]) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name(());

        $(
            // SAFETY: `proves` below calls the functions named after the traits without `unsafe`. It compiles only if
            // the token's features include those of each trait.
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
                // SAFETY: as in `vectorize`.
                unsafe { go(a, b, c, body) }
            }
        }
    };
}

/// A conversion from a token to a narrower one, which proves less. Detected features are consistent, so it is enough
/// that the narrower token needs only features that those of the wider token are built on.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! proves {
    ($($wide:ident => $narrow:ident;)*) => {$(
        const _: () = assert!($wide::NEEDS.with_required().contains($narrow::NEEDS));

        impl From<$wide> for $narrow {
            fn from(_: $wide) -> Self {
                Self(())
            }
        }
    )*};
}

/// Defines the token of a CPU whose drivers are inline assembly. Nothing is compiled for a feature, since stable Rust
/// cannot do that for these CPUs; so [`Token::vectorize`] is a plain call.
#[cfg(any(target_arch = "powerpc64", all(target_arch = "arm", unix)))]
macro_rules! assembly_token {
    ($(#[$doc:meta])* $name:ident, [$($feature:ident),*]) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name(());

        impl crate::sealed::Sealed for $name {}

        impl Token for $name {
            const NEEDS: FeatureSet = FeatureSet::of(&[$(Feature::$feature),*]);

            fn detect(cpu: CpuFeatures) -> Option<Self> {
                cpu.contains(Self::NEEDS).then_some(Self(()))
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
    };
}

#[cfg(any(target_arch = "powerpc64", all(target_arch = "arm", unix)))]
pub(super) use assembly_token;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))]
pub(super) use token;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) use {proof, proves};
