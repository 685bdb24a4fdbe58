//! Macros that define a vector register with the token that proves its CPU's features, for all architectures.
//!
//! A module that uses them defines the types `V128`, and on x86 also `V256` and `V512`. Each has a field `raw` and a
//! field `token`.

/// Types whose values are exactly their bytes.
///
/// # Safety
/// The type has no padding, and every bit pattern is a valid value.
pub(crate) unsafe trait Plain: Copy {
    /// The bytes of each of its integers.
    #[cfg_attr(target_endian = "little", allow(dead_code, reason = "only big-endian integers have to be reversed"))]
    const WORD: usize;
}

macro_rules! plain {
    ($($Int:ty)*) => {
        $(
            // SAFETY: an integer has no padding, and each of its bit patterns is a value.
            unsafe impl Plain for $Int {
                const WORD: usize = size_of::<$Int>();
            }
        )*
    };
}
plain!(u8 u16 u32 u64 u128);

// SAFETY: an array consists of its elements, without padding between them.
unsafe impl<P: Plain, const N: usize> Plain for [P; N] {
    const WORD: usize = P::WORD;
}

/// The intrinsics' type for a type in a method's signature.
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

/// The method's type for a type in its declaration: a vector carries the token's type.
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

/// Defines methods of a vector. The first parameter is `self`; in the body, parameters are raw registers.
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
                    // SAFETY: the vector carries a token whose type implements the trait, so the CPU has the features
                    // of `go`.
                    let raw = unsafe { go $(::<$($N),+>)? (self.raw $(, unwrap!($Arg, $arg))*) };
                    wrap!($Out, raw, self.token)
                }
            )*
        }
    };
}

/// Defines functions that make a vector. Each takes the token first; in the body, parameters are raw registers.
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
                    // SAFETY: the token's type implements the trait, so the CPU has the features of `go`.
                    let raw = unsafe { go($(unwrap!($Arg, $arg)),*) };
                    wrap!($Out, raw, token)
                }
            )*
        }
    };
}

/// Defines what all widths have in common: loads, stores, the token, and barriers for the compiler.
macro_rules! registers {
    (
        $V:ident($raw:ident), $Has:ident = $features:literal, $bytes:literal, $load:ident, $store:ident,
        $class:ident, $hold:literal, $hold_both:literal
    ) => {
        impl<T: $Has> crate::sealed::Sealed for $V<T> {}

        impl<T: $Has> $V<T> {
            /// Loads `from`, which has as many bytes as the vector (checked at compile time).
            #[inline(always)]
            pub(crate) fn load<P: Plain>(token: T, from: &P) -> Self {
                const { assert!(size_of::<P>() == $bytes) }
                // SAFETY: the token proves that the CPU has the instruction. `from` has as many bytes as the vector,
                // and the instruction needs no alignment.
                Self { raw: unsafe { $load(core::ptr::from_ref(from).cast()) }, token }.ordered::<P>()
            }

            /// Stores the vector to `to`, which has as many bytes (checked at compile time).
            #[inline(always)]
            pub(crate) fn store<P: Plain>(self, to: &mut P) {
                const { assert!(size_of::<P>() == $bytes) }
                let raw = self.ordered::<P>().raw;
                // SAFETY: the token proves that the CPU has the instruction. `to` has as many bytes as the vector, and
                // it is `Plain`, so any bytes are a valid value.
                unsafe { $store(core::ptr::from_mut(to).cast(), raw) }
            }

            /// The words of a register are little-endian, on every CPU. This turns those of a `P` in memory into them,
            /// and back.
            #[inline(always)]
            fn ordered<P: Plain>(self) -> Self {
                #[cfg(target_endian = "big")]
                return self.in_order(P::WORD);
                #[cfg(target_endian = "little")]
                self
            }

            /// The vector in memory, as a reference to its words.
            #[cfg(target_endian = "little")]
            #[inline(always)]
            pub(crate) fn as_words<P: Plain>(&self) -> &P {
                const { assert!(size_of::<P>() == $bytes && align_of::<P>() <= align_of::<$raw>()) }
                // SAFETY: size and alignment are checked above. All bytes of a vector are initialized, and `P` is
                // `Plain`, so any bytes are a valid `P`.
                unsafe { &*core::ptr::from_ref(&self.raw).cast() }
            }

            /// The vector in memory, as a mutable reference to its words.
            #[cfg(target_endian = "little")]
            #[inline(always)]
            pub(crate) fn as_words_mut<P: Plain>(&mut self) -> &mut P {
                const { assert!(size_of::<P>() == $bytes && align_of::<P>() <= align_of::<$raw>()) }
                // SAFETY: as in `as_words`; and any bytes are a valid vector.
                unsafe { &mut *core::ptr::from_mut(&mut self.raw).cast() }
            }

            /// The token that the vector carries.
            #[inline(always)]
            pub(crate) fn token(self) -> T {
                self.token
            }

            /// The same vector with another token, which proves other features of the same CPU.
            #[inline(always)]
            pub(crate) fn proven_by<U: $Has>(self, token: U) -> $V<U> {
                $V { raw: self.raw, token }
            }

            /// Returns the same vector, without any instruction. The compiler keeps all calls in the order of the
            /// source: what computes a vector stays before the next call, and what uses it stays behind its own.
            #[inline(always)]
            pub(crate) fn pin(mut self) -> Self {
                #[inline]
                #[target_feature(enable = $features)]
                fn go(raw: &mut $raw) {
                    // SAFETY: the assembly is a comment; it changes no register and no memory.
                    #[cfg(not(miri))]
                    unsafe {
                        core::arch::asm!($hold, inout($class) * raw, options(nomem, nostack, preserves_flags));
                    }
                }
                // SAFETY: the token proves the features of `go`.
                unsafe { go(&mut self.raw) };
                self
            }

            /// Returns the same vector, without any instruction, as a value that the compiler knows nothing about.
            /// Unlike [`pin`](Self::pin), the compiler may move the call, and drops it if the result is not used.
            #[inline(always)]
            pub(crate) fn opaque(mut self) -> Self {
                #[inline]
                #[target_feature(enable = $features)]
                fn go(raw: &mut $raw) {
                    // SAFETY: the assembly is a comment; it changes no register and no memory.
                    #[cfg(not(miri))]
                    unsafe {
                        core::arch::asm!($hold, inout($class) * raw, options(pure, nomem, nostack, preserves_flags));
                    }
                }
                // SAFETY: the token proves the features of `go`.
                unsafe { go(&mut self.raw) };
                self
            }

            /// Changes neither vector, and is no instruction. But the compiler must have both at this point: it cannot
            /// move a computation that leads to one of them behind it, nor one that uses them before it.
            #[inline(always)]
            pub(crate) fn meet(&mut self, other: &mut Self) {
                #[inline]
                #[target_feature(enable = $features)]
                fn go(a: &mut $raw, b: &mut $raw) {
                    // SAFETY: the assembly is a comment; it changes no register and no memory.
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
                // SAFETY: the token proves the features of `go`.
                unsafe { go(&mut self.raw, &mut other.raw) };
            }
        }
    };
}

pub(crate) use {makers, methods, proven, raw, registers, unwrap, wrap};
