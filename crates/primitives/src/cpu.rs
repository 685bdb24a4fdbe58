//! CPU features, and the tokens that prove them.
//!
//! [`FeatureSet`] is a set of features, [`CpuFeatures`] one that this machine has. The only ways to
//! obtain the latter are [`CpuFeatures::detect`], which asks the CPU, and removing features from an
//! existing one. A [`Token`] is made from it, and code that needs the features takes the token as a
//! proof that they are there.

/// A set of CPU features, of this machine or another.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub struct FeatureSet(u32);

/// A set of CPU features that this machine is known to have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub struct CpuFeatures(FeatureSet);

macro_rules! features {
    ($($(#[$doc:meta])* $konst:ident = $bit:literal, $name:literal;)*) => {
        /// One CPU feature, as `ALGKIT_CPU` and `algkit list` spell it.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[non_exhaustive]
        pub enum Feature { $($(#[$doc])* $konst = $bit,)* }

        impl Feature {
            /// Every feature known to this crate, on any architecture.
            pub const ALL: &'static [Feature] = &[$(Feature::$konst),*];

            /// The name users write, such as `vaes`.
            pub const fn name(self) -> &'static str {
                match self { $(Feature::$konst => $name),* }
            }
        }
    };
}

features! {
    /// x86: 128-bit integer vectors.
    Sse2 = 0, "sse2";
    /// x86: byte shuffles.
    Ssse3 = 1, "ssse3";
    /// x86: wider integer operations on 128-bit vectors.
    Sse41 = 2, "sse4.1";
    /// x86: the `crc32` instruction (part of SSE4.2).
    Sse42 = 3, "sse4.2";
    /// x86: AES-NI.
    Aes = 4, "aes";
    /// x86: carry-less multiplication; Arm: `pmull`.
    Pclmul = 5, "pclmul";
    /// x86: three-operand 128-bit vectors.
    Avx = 6, "avx";
    /// x86: 256-bit integer vectors.
    Avx2 = 7, "avx2";
    /// x86: AVX-512 F, BW, VL and DQ together, with the operating system's support.
    Avx512 = 8, "avx512";
    /// x86: AES on wide vectors.
    Vaes = 9, "vaes";
    /// x86: carry-less multiplication on wide vectors.
    Vpclmul = 10, "vpclmul";
    /// x86: SHA-1 and SHA-256 instructions.
    Sha = 11, "sha";
    /// x86: Galois-field affine instructions.
    Gfni = 12, "gfni";
    /// x86: AVX-512 multiplication of 52-bit numbers.
    Ifma = 13, "ifma";
    /// x86: SSE4A, which AMD's CPUs alone have. Those with AVX-512 multiply vectors of 64-bit numbers in three cycles, as
    /// they do others; all CPUs without it take fifteen.
    Sse4a = 14, "sse4a";
    /// Arm: Advanced SIMD.
    Neon = 16, "neon";
    /// Arm: SHA-1 and SHA-256 instructions.
    Sha2 = 17, "sha2";
    /// Arm: SHA-3 and SHA-512 instructions.
    Sha3 = 18, "sha3";
}

impl FeatureSet {
    /// The empty set.
    pub const NONE: Self = Self(0);

    /// The features in `list`.
    pub const fn of(list: &[Feature]) -> Self {
        let mut bits = 0;
        let mut i = 0;
        while i < list.len() {
            bits |= 1 << list[i] as u32;
            i += 1;
        }
        Self(bits)
    }

    /// Whether `feature` is in the set.
    pub const fn has(self, feature: Feature) -> bool {
        self.0 & (1 << feature as u32) != 0
    }

    /// Whether every feature of `other` is in the set.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The features in either set.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The set less `feature`, and less what the hardware never has without it
    /// (no AVX-512 without AVX2, no AVX2 without AVX, and so on).
    #[must_use]
    pub fn without(self, feature: Feature) -> Self {
        use Feature::*;
        let implied: &[Feature] = match feature {
            Sse2 => &[Ssse3],
            Ssse3 => &[Sse41, Sha],
            Sse41 => &[Sse42, Aes, Pclmul],
            Sse42 => &[Avx],
            Aes => &[Vaes],
            Pclmul => &[Vpclmul],
            Avx => &[Avx2],
            Avx2 => &[Avx512, Vaes, Vpclmul],
            Avx512 => &[Ifma],
            Neon => &[Aes, Pclmul, Sha2],
            Sha2 => &[Sha3],
            _ => &[],
        };
        let rest = Self(self.0 & !(1 << feature as u32));
        implied.iter().fold(rest, |set, &f| if set.has(f) { set.without(f) } else { set })
    }

    /// The features in the set, in declaration order.
    pub fn iter(self) -> impl Iterator<Item = Feature> {
        Feature::ALL.iter().copied().filter(move |&f| self.has(f))
    }
}

impl CpuFeatures {
    /// No features: only portable code runs.
    pub const NONE: Self = Self(FeatureSet::NONE);

    /// The features of the CPU this runs on.
    pub fn detect() -> Self {
        detect::detect()
    }

    /// Whether the CPU has every feature of `needs`.
    pub const fn contains(self, needs: FeatureSet) -> bool {
        self.0.contains(needs)
    }

    /// What the CPU has, less `feature` and what depends on it.
    #[must_use]
    pub fn without(self, feature: Feature) -> Self {
        Self(self.0.without(feature))
    }

    /// The features, as plain data.
    pub const fn features(self) -> FeatureSet {
        self.0
    }
}

#[cfg(target_arch = "x86_64")]
mod detect {
    use super::{CpuFeatures, Feature, FeatureSet};

    cpufeatures::new!(has_ssse3, "ssse3");
    cpufeatures::new!(has_sse41, "sse4.1");
    cpufeatures::new!(has_sse42, "sse4.2");
    cpufeatures::new!(has_aes, "aes");
    cpufeatures::new!(has_pclmul, "pclmulqdq");
    cpufeatures::new!(has_avx, "avx");
    // Code for AVX2 and AVX-512 is compiled with BMI1 and BMI2 as well, which come with them.
    cpufeatures::new!(has_avx2, "avx2", "bmi1", "bmi2");
    cpufeatures::new!(has_avx512, "avx512f", "avx512bw", "avx512vl", "avx512dq", "bmi1", "bmi2");
    cpufeatures::new!(has_vaes, "vaes");
    cpufeatures::new!(has_vpclmul, "vpclmulqdq");
    cpufeatures::new!(has_sha, "sha");
    cpufeatures::new!(has_gfni, "gfni");
    cpufeatures::new!(has_ifma, "avx512ifma");

    /// Bit 6 of ECX in leaf 0x80000001 of CPUID, which `cpufeatures` does not know.
    #[allow(unused_unsafe)] // later compilers know that it is safe
    fn has_sse4a() -> bool {
        // Miri has no CPU to ask.
        if cfg!(miri) {
            return false;
        }
        // SAFETY: where there are 64 bits there is this leaf, which says so.
        let leaf = unsafe { core::arch::x86_64::__cpuid(0x8000_0001) };
        leaf.ecx & 1 << 6 != 0
    }

    pub(super) fn detect() -> CpuFeatures {
        let found = [
            (Feature::Sse2, true), // part of the x86-64 baseline
            (Feature::Ssse3, has_ssse3::get()),
            (Feature::Sse41, has_sse41::get()),
            (Feature::Sse42, has_sse42::get()),
            (Feature::Aes, has_aes::get()),
            (Feature::Pclmul, has_pclmul::get()),
            (Feature::Avx, has_avx::get()),
            (Feature::Avx2, has_avx2::get()),
            (Feature::Avx512, has_avx512::get()),
            (Feature::Vaes, has_vaes::get()),
            (Feature::Vpclmul, has_vpclmul::get()),
            (Feature::Sha, has_sha::get()),
            (Feature::Gfni, has_gfni::get()),
            (Feature::Ifma, has_ifma::get()),
            (Feature::Sse4a, has_sse4a()),
        ];
        CpuFeatures(found.iter().fold(
            FeatureSet::NONE,
            |set, &(f, has)| {
                if has { set.union(FeatureSet::of(&[f])) } else { set }
            },
        ))
    }
}

#[cfg(target_arch = "aarch64")]
mod detect {
    use super::{CpuFeatures, Feature, FeatureSet};

    // cpufeatures' "aes" asks for both AES and PMULL, "sha2" for SHA-1 and SHA-256,
    // "sha3" for SHA-3 and SHA-512.
    cpufeatures::new!(has_aes, "aes");
    cpufeatures::new!(has_sha2, "sha2");
    cpufeatures::new!(has_sha3, "sha3");

    pub(super) fn detect() -> CpuFeatures {
        use Feature::*;
        let mut set = FeatureSet::of(&[Neon]); // part of the AArch64 baseline
        for (features, has) in
            [(&[Aes, Pclmul][..], has_aes::get()), (&[Sha2][..], has_sha2::get()), (&[Sha3][..], has_sha3::get())]
        {
            if has {
                set = set.union(FeatureSet::of(features));
            }
        }
        CpuFeatures(set)
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod detect {
    pub(super) fn detect() -> super::CpuFeatures {
        super::CpuFeatures::NONE
    }
}

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

#[cfg(target_arch = "x86_64")]
pub use x86::*;
#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{CpuFeatures, Feature, FeatureSet, Token};

    proof!(/// 128-bit vectors: every token of x86.
    HasSse2: Token, "sse2" {
        /// The token of AVX-512, if this one includes it.
        #[inline(always)]
        #[doc(hidden)]
        fn avx512(self) -> Option<Avx512> {
            Self::NEEDS.contains(Avx512::NEEDS).then_some(Avx512(()))
        }
    });
    proof!(/// Byte shuffles.
        HasSsse3: HasSse2, "ssse3");
    proof!(/// Wider integer operations on 128-bit vectors.
        HasSse41: HasSsse3, "sse4.1");
    proof!(/// The `crc32` instruction.
        HasSse42: HasSse41, "sse4.2");
    proof!(/// AES on 128-bit vectors.
        HasAes: HasSse41, "aes");
    proof!(/// Carry-less multiplication on 128-bit vectors.
        HasClmul: HasSse41, "pclmulqdq");
    proof!(/// SHA-1 and SHA-256 instructions.
        HasSha: HasSse41, "sha");
    proof!(/// 256-bit vectors.
        HasAvx2: HasSse42, "avx2");
    proof!(/// AES on 256-bit vectors, and with AVX-512 on 512-bit vectors.
        HasVaes: HasAvx2 + HasAes, "vaes");
    proof!(/// Carry-less multiplication on 256-bit vectors, and with AVX-512 on 512-bit vectors.
        HasVpclmul: HasAvx2 + HasClmul, "vpclmulqdq");
    proof!(/// 512-bit vectors.
        HasAvx512: HasAvx2, "avx512f,avx512bw,avx512vl,avx512dq");
    proof!(/// Multiplication of 52-bit numbers.
        HasIfma: HasAvx512, "avx512ifma");

    token!(/// 128-bit vectors, in every x86-64 CPU.
        Sse2, [Sse2], "sse2",
        [HasSse2]);
    token!(/// 128-bit vectors with byte shuffles.
        Ssse3, [Ssse3], "ssse3",
        [HasSse2, HasSsse3]);
    token!(/// 256-bit vectors.
        Avx2, [Avx2], "avx2,bmi1,bmi2",
        [HasSse2, HasSsse3, HasSse41, HasSse42, HasAvx2]);
    token!(/// 512-bit vectors with byte operations and ternary logic.
        Avx512, [Avx512], "avx512f,avx512bw,avx512vl,avx512dq,bmi1,bmi2",
        [HasSse2, HasSsse3, HasSse41, HasSse42, HasAvx2, HasAvx512]);
    token!(/// Vectors with multiplication of 64-bit numbers that takes no longer than others.
        Avx512Mullq, [Avx512, Sse4a], "avx512f,avx512bw,avx512vl,avx512dq,bmi1,bmi2",
        [HasSse2, HasSsse3, HasSse41, HasSse42, HasAvx2, HasAvx512]);
    token!(/// 512-bit vectors with multiplication of 52-bit numbers.
        Ifma512, [Avx512, Ifma], "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma,bmi1,bmi2",
        [HasSse2, HasSsse3, HasSse41, HasSse42, HasAvx2, HasAvx512, HasIfma]);
    token!(/// AES-NI and PCLMULQDQ.
        AesNi, [Sse41, Aes, Pclmul], "sse4.1,ssse3,aes,pclmulqdq",
        [HasSse2, HasSsse3, HasSse41, HasAes, HasClmul]);
    token!(/// AES and carry-less multiplication on 256-bit vectors.
        Vaes256, [Avx2, Aes, Pclmul, Vaes, Vpclmul], "avx2,bmi1,bmi2,aes,pclmulqdq,vaes,vpclmulqdq",
        [HasSse2, HasSsse3, HasSse41, HasSse42, HasAes, HasClmul, HasAvx2, HasVaes, HasVpclmul]);
    token!(/// AES and carry-less multiplication on 512-bit vectors.
        Vaes512, [Avx512, Aes, Pclmul, Vaes, Vpclmul],
        "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2,aes,pclmulqdq,vaes,vpclmulqdq",
        [HasSse2, HasSsse3, HasSse41, HasSse42, HasAes, HasClmul, HasAvx2, HasVaes, HasVpclmul, HasAvx512]);
    token!(/// SHA-1 and SHA-256 instructions.
        ShaNi, [Ssse3, Sse41, Sha], "sha,sse4.1,ssse3",
        [HasSse2, HasSsse3, HasSse41, HasSha]);
    token!(/// SHA-1 and SHA-256 instructions, and 512-bit vectors.
        ShaNiAvx512, [Ssse3, Sse41, Sha, Avx512], "sha,sse4.1,ssse3,avx512f,avx512bw,avx512vl,avx512dq,bmi1,bmi2",
        [HasSse2, HasSsse3, HasSse41, HasSse42, HasSha, HasAvx2, HasAvx512]);
    token!(/// The `crc32` instruction.
        Sse42, [Sse42], "sse4.2",
        [HasSse2, HasSsse3, HasSse41, HasSse42]);
    token!(/// 128-bit carry-less multiplication.
        Pclmul, [Sse41, Pclmul], "sse4.1,ssse3,pclmulqdq",
        [HasSse2, HasSsse3, HasSse41, HasClmul]);

    // The wider tokens imply every feature that AES-NI code is compiled with: no CPU has AVX2
    // without SSE4.1.
    impl From<Vaes256> for AesNi {
        fn from(_: Vaes256) -> Self {
            Self(())
        }
    }
    impl From<Ifma512> for Avx512 {
        fn from(_: Ifma512) -> Self {
            Self(())
        }
    }
    impl From<Vaes512> for AesNi {
        fn from(_: Vaes512) -> Self {
            Self(())
        }
    }
    // Nor AVX-512 without AVX2.
    impl From<Avx512> for Avx2 {
        fn from(_: Avx512) -> Self {
            Self(())
        }
    }
    impl From<ShaNiAvx512> for ShaNi {
        fn from(_: ShaNiAvx512) -> Self {
            Self(())
        }
    }
    impl From<ShaNiAvx512> for Avx512 {
        fn from(_: ShaNiAvx512) -> Self {
            Self(())
        }
    }
    // No CPU has AVX-512 without AVX2.
    impl From<Vaes512> for Vaes256 {
        fn from(_: Vaes512) -> Self {
            Self(())
        }
    }
    token!(/// Carry-less multiplication on 256-bit vectors, and the `crc32` instruction.
        Vpclmul256, [Sse42, Avx2, Pclmul, Vpclmul], "sse4.2,avx2,pclmulqdq,vpclmulqdq",
        [HasSse2, HasSsse3, HasSse41, HasSse42, HasClmul, HasAvx2, HasVpclmul]);
    token!(/// Carry-less multiplication on 512-bit vectors, and the `crc32` instruction.
        Vpclmul512, [Sse42, Avx512, Pclmul, Vpclmul], "sse4.2,avx512f,avx512bw,avx512vl,avx512dq,avx2,pclmulqdq,vpclmulqdq",
        [HasSse2, HasSsse3, HasSse41, HasSse42, HasClmul, HasAvx2, HasVpclmul, HasAvx512]);
}

#[cfg(target_arch = "aarch64")]
pub use aarch64::*;
#[cfg(target_arch = "aarch64")]
mod aarch64 {
    use super::{CpuFeatures, Feature, FeatureSet, Token};

    proof!(/// 128-bit vectors: every token of AArch64.
        HasNeon: Token, "neon");
    proof!(/// AES and multiplication of 64-bit polynomials.
        HasArmAes: HasNeon, "aes");
    proof!(/// SHA-1 and SHA-256 instructions.
        HasArmSha2: HasNeon, "sha2");
    proof!(/// SHA-3 and SHA-512 instructions.
        HasArmSha3: HasNeon, "sha3");

    token!(/// Advanced SIMD.
        Neon, [Neon], "neon", [HasNeon]);
    token!(/// AES and PMULL.
        ArmCe, [Neon, Aes, Pclmul], "neon,aes", [HasNeon, HasArmAes]);
    token!(/// SHA-1 and SHA-256 instructions.
        ArmSha2, [Neon, Sha2], "neon,sha2", [HasNeon, HasArmSha2]);
    token!(/// SHA-3 and SHA-512 instructions.
        ArmSha3, [Neon, Sha3], "neon,sha3", [HasNeon, HasArmSha3]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masking_removes_what_depends_on_the_feature() {
        let all = FeatureSet::of(Feature::ALL);
        let cpu = all.without(Feature::Avx2);
        assert!(!cpu.has(Feature::Avx512) && !cpu.has(Feature::Vaes) && cpu.has(Feature::Avx));
        assert!(!all.without(Feature::Sse2).has(Feature::Vaes));
    }

    #[test]
    fn tokens_need_their_features() {
        assert!(Portable::detect(CpuFeatures::NONE).is_some());
        #[cfg(target_arch = "x86_64")]
        {
            let cpu = CpuFeatures::detect();
            assert!(Vaes512::detect(cpu.without(Feature::Vaes)).is_none());
            assert!(Sse2::detect(cpu).is_some());
        }
    }
}
