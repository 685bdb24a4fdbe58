//! How a register that carries the proof of its CPU is made: the macros, for all architectures.
//!
//! A module that uses them has the types `V128`, and on x86 `V256` and `V512`, each with a field `raw` and a field `token`.

/// Types that are nothing but bytes: all of them are initialized, and any are a value.
///
/// # Safety
/// That is so.
pub(crate) unsafe trait Plain: Copy {}

macro_rules! plain {
    ($($Int:ty)*) => {
        $(
            // SAFETY: an integer has no padding, and each of its bit patterns is a number.
            unsafe impl Plain for $Int {}
        )*
    };
}
plain!(u8 u16 u32 u64 u128);

// SAFETY: an array is its elements, without padding between them.
unsafe impl<P: Plain, const N: usize> Plain for [P; N] {}

/// The type of what intrinsics take and return for a type of a method's signature.
macro_rules! raw {
    (V128) => {
        Raw128
    };
    (V256) => {
        Raw256
    };
    (V512) => {
        Raw512
    };
    ($Other:tt) => {
        $Other
    };
}

/// The type in the method's signature.
macro_rules! proven {
    (V128, $T:ident) => { V128<$T> };
    (V256, $T:ident) => { V256<$T> };
    (V512, $T:ident) => { V512<$T> };
    ($Other:tt, $T:ident) => { $Other };
}

macro_rules! unwrap {
    (V128, $value:expr) => {
        $value.raw
    };
    (V256, $value:expr) => {
        $value.raw
    };
    (V512, $value:expr) => {
        $value.raw
    };
    ($Other:tt, $value:expr) => {
        $value
    };
}

macro_rules! wrap {
    (V128, $raw:expr, $token:expr) => {
        V128 { raw: $raw, token: $token }
    };
    (V256, $raw:expr, $token:expr) => {
        V256 { raw: $raw, token: $token }
    };
    (V512, $raw:expr, $token:expr) => {
        V512 { raw: $raw, token: $token }
    };
    ($Other:tt, $raw:expr, $token:expr) => {
        $raw
    };
}

/// Methods of a vector. The first parameter is `self`; the body sees registers.
macro_rules! methods {
    (
        $V:ident, $Has:ident $(+ $More:ident)* = $features:literal;
        $(
            $(#[$meta:meta])*
            fn $name:ident $(<$(const $N:ident),+>)? ($this:ident $(, $arg:ident: $Arg:tt)*) -> $Out:tt $body:block
        )*
    ) => {
        impl<T: $Has $(+ $More)*> $V<T> {
            $(
                $(#[$meta])*
                #[inline(always)]
                pub(crate) fn $name $(<$(const $N: i32),+>)? (self $(, $arg: proven!($Arg, T))*) -> proven!($Out, T) {
                    #[inline]
                    #[target_feature(enable = $features)]
                    fn go $(<$(const $N: i32),+>)? ($this: raw!($V) $(, $arg: raw!($Arg))*) -> raw!($Out) $body
                    // SAFETY: the vector's token proves the features.
                    let raw = unsafe { go $(::<$($N),+>)? (self.raw $(, unwrap!($Arg, $arg))*) };
                    wrap!($Out, raw, self.token)
                }
            )*
        }
    };
}

/// Functions that make a vector. The method takes the token first.
macro_rules! makers {
    (
        $V:ident, $Has:ident $(+ $More:ident)* = $features:literal;
        $(
            $(#[$meta:meta])*
            fn $name:ident($($arg:ident: $Arg:tt),*) -> $Out:tt $body:block
        )*
    ) => {
        impl<T: $Has $(+ $More)*> $V<T> {
            $(
                $(#[$meta])*
                #[inline(always)]
                pub(crate) fn $name(token: T $(, $arg: proven!($Arg, T))*) -> Self {
                    #[inline]
                    #[target_feature(enable = $features)]
                    fn go($($arg: raw!($Arg)),*) -> raw!($Out) $body
                    // SAFETY: the token proves the features.
                    let raw = unsafe { go($(unwrap!($Arg, $arg)),*) };
                    wrap!($Out, raw, token)
                }
            )*
        }
    };
}

/// What the widths have in common: memory, tokens, and instructions that are none.
macro_rules! registers {
    (
        $V:ident($raw:ident), $Has:ident = $features:literal, $bytes:literal, $load:ident, $store:ident,
        $class:ident, $hold:literal, $hold_both:literal
    ) => {
        impl<T: $Has> crate::sealed::Sealed for $V<T> {}

        impl<T: $Has> $V<T> {
            /// The bytes of `from`, which has as many as the vector.
            #[inline(always)]
            pub(crate) fn load<P: Plain>(token: T, from: &P) -> Self {
                const { assert!(size_of::<P>() == $bytes) }
                // SAFETY: the token proves the instruction; `from` has the vector's bytes.
                Self { raw: unsafe { $load(core::ptr::from_ref(from).cast()) }, token }
            }

            /// Writes all of `to`, which has as many bytes as the vector.
            #[inline(always)]
            pub(crate) fn store<P: Plain>(self, to: &mut P) {
                const { assert!(size_of::<P>() == $bytes) }
                // SAFETY: the token proves the instruction; `to` has the vector's bytes, and takes any.
                unsafe { $store(core::ptr::from_mut(to).cast(), self.raw) }
            }

            /// The words of the vector, where it is.
            #[inline(always)]
            pub(crate) fn as_words<P: Plain>(&self) -> &P {
                const { assert!(size_of::<P>() == $bytes && align_of::<P>() <= align_of::<$raw>()) }
                // SAFETY: a register in memory is its bytes, as many as those of `P`, and any are a `P`.
                unsafe { &*core::ptr::from_ref(&self.raw).cast() }
            }

            /// The words of the vector, to be changed where it is.
            #[inline(always)]
            pub(crate) fn as_words_mut<P: Plain>(&mut self) -> &mut P {
                const { assert!(size_of::<P>() == $bytes && align_of::<P>() <= align_of::<$raw>()) }
                // SAFETY: as above, and any bytes are a vector.
                unsafe { &mut *core::ptr::from_mut(&mut self.raw).cast() }
            }

            /// The token that the vector was made with.
            #[inline(always)]
            pub(crate) fn token(self) -> T {
                self.token
            }

            /// The same vector with another token.
            #[inline(always)]
            pub(crate) fn proven_by<U: $Has>(self, token: U) -> $V<U> {
                $V { raw: self.raw, token }
            }

            /// The same vector; no instruction. The compiler keeps all of these in the order of the source, so what
            /// makes the vector is computed before the next, and what uses it after.
            #[inline(always)]
            pub(crate) fn pin(mut self) -> Self {
                #[inline]
                #[target_feature(enable = $features)]
                fn go(raw: &mut $raw) {
                    // SAFETY: there is no instruction.
                    #[cfg(not(miri))]
                    unsafe {
                        core::arch::asm!($hold, inout($class) * raw, options(nomem, nostack, preserves_flags));
                    }
                }
                // SAFETY: the token proves the features.
                unsafe { go(&mut self.raw) };
                self
            }

            /// The same vector, as one that the compiler knows nothing about; no instruction. Unlike
            /// [`pin`](Self::pin), this may be moved, and goes away with a result that nobody uses.
            #[inline(always)]
            pub(crate) fn opaque(mut self) -> Self {
                #[inline]
                #[target_feature(enable = $features)]
                fn go(raw: &mut $raw) {
                    // SAFETY: there is no instruction.
                    #[cfg(not(miri))]
                    unsafe {
                        core::arch::asm!($hold, inout($class) * raw, options(pure, nomem, nostack, preserves_flags));
                    }
                }
                // SAFETY: the token proves the features.
                unsafe { go(&mut self.raw) };
                self
            }

            /// Changes neither; no instruction. But the compiler must have both at this point: it may move no
            /// computation that leads to one of them behind it, nor one that uses them before it.
            #[inline(always)]
            pub(crate) fn meet(&mut self, other: &mut Self) {
                #[inline]
                #[target_feature(enable = $features)]
                fn go(a: &mut $raw, b: &mut $raw) {
                    // SAFETY: there is no instruction.
                    #[cfg(not(miri))]
                    unsafe {
                        core::arch::asm!(
                            $hold_both,
                            inout($class) * a,
                            inout($class) * b,
                            options(nomem, nostack, preserves_flags)
                        );
                    }
                }
                // SAFETY: the token proves the features.
                unsafe { go(&mut self.raw, &mut other.raw) };
            }
        }
    };
}

pub(crate) use {makers, methods, proven, raw, registers, unwrap, wrap};
