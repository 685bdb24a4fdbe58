//! CPU features as plain data.

/// A set of CPU features. It may be that of another machine: it proves nothing about this one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub struct FeatureSet(u32);

macro_rules! features {
    ($($(#[$doc:meta])* $konst:ident = $bit:literal, $name:literal;)*) => {
        /// One CPU feature, as `ALGKIT_CPU` and `algkit list` spell it.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[non_exhaustive]
        pub enum Feature { $($(#[$doc])* $konst = $bit,)* }

        impl Feature {
            /// Every feature known to this crate, on any architecture.
            pub const ALL: &'static [Feature] = &[$(Feature::$konst),*];

            /// The feature's name in `ALGKIT_CPU` and in the output of `algkit list`, such as `vaes`.
            pub const fn name(self) -> &'static str {
                match self { $(Feature::$konst => $name),* }
            }
        }
    };
}

features! {
    /// x86: 128-bit integer vectors.
    Sse2 = 0, "sse2";
    /// x86: byte shuffles (SSSE3).
    Ssse3 = 1, "ssse3";
    /// x86: extraction of words and blending of 128-bit vectors (SSE4.1).
    Sse41 = 2, "sse4.1";
    /// x86: the `crc32` instruction (part of SSE4.2).
    Sse42 = 3, "sse4.2";
    /// x86: AES-NI; Arm: the AES instructions.
    Aes = 4, "aes";
    /// x86: carry-less multiplication; Arm: `pmull`.
    Pclmul = 5, "pclmul";
    /// x86: instructions on 128-bit vectors with three operands.
    Avx = 6, "avx";
    /// x86: 256-bit integer vectors, BMI1 and BMI2.
    Avx2 = 7, "avx2";
    /// x86: AVX-512 F, BW, VL and DQ together.
    Avx512 = 8, "avx512";
    /// x86: AES on vectors of 256 bits, and of 512 bits with AVX-512.
    Vaes = 9, "vaes";
    /// x86: carry-less multiplication on vectors of 256 bits, and of 512 bits with AVX-512.
    Vpclmul = 10, "vpclmul";
    /// x86: SHA-1 and SHA-256 instructions.
    Sha = 11, "sha";
    /// x86: 512-bit vectors that do not lower the CPU's frequency. This is a preference and not an instruction: drivers
    /// that use 512 bits run without it, but are chosen last.
    Fast512 = 12, "fast512";
    /// x86: AVX-512 multiplication of 52-bit numbers.
    Ifma = 13, "ifma";
    /// x86: vector additions, shifts and logic with a latency of one cycle. This is a preference too: without it, a
    /// driver whose speed depends on a chain of them is chosen last.
    FastSimd = 14, "fastsimd";
    /// Arm: Advanced SIMD.
    Neon = 16, "neon";
    /// Arm: SHA-1 and SHA-256 instructions.
    Sha2 = 17, "sha2";
    /// Arm: SHA-3 and SHA-512 instructions.
    Sha3 = 18, "sha3";
    /// PowerPC: 128-bit vectors.
    Altivec = 20, "altivec";
    /// PowerPC: AES, SHA-2 and products of polynomials (POWER8).
    Vcrypto = 21, "vcrypto";
    /// RISC-V: rotations, reversal of bytes, and-not, in a time that does not depend on the operands (Zbb and Zkt).
    Zbb = 26, "zbb";
    /// RISC-V: products of polynomials (Zbkc, or Zbc, which contains it).
    Zbkc = 27, "zbkc";
    /// RISC-V: AES encryption.
    Zkne = 28, "zkne";
    /// RISC-V: AES decryption.
    Zknd = 29, "zknd";
    /// RISC-V: SHA-2.
    Zknh = 30, "zknh";
}

impl Feature {
    /// Sets of which the feature needs at least one, complete. Instruction sets are built on each other, so the
    /// features of real CPUs follow this. A hypervisor may hide one feature and show another that is built on it.
    const fn requires(self) -> &'static [FeatureSet] {
        use Feature::*;
        const fn of(features: &[Feature]) -> FeatureSet {
            FeatureSet::of(features)
        }
        match self {
            Sse2 | Neon | Altivec | Zbb => &[FeatureSet::NONE],
            Ssse3 => const { &[of(&[Sse2])] },
            Sse41 => const { &[of(&[Ssse3])] },
            Sse42 | Sha => const { &[of(&[Sse41])] },
            Aes | Pclmul => const { &[of(&[Sse41]), of(&[Neon])] },
            Avx => const { &[of(&[Sse42])] },
            Avx2 => const { &[of(&[Avx])] },
            Avx512 | FastSimd => const { &[of(&[Avx2])] },
            Vaes => const { &[of(&[Avx2, Aes])] },
            Vpclmul => const { &[of(&[Avx2, Pclmul])] },
            Ifma | Fast512 => const { &[of(&[Avx512])] },
            Sha2 => const { &[of(&[Neon])] },
            Sha3 => const { &[of(&[Sha2])] },
            Vcrypto => const { &[of(&[Altivec])] },
            Zbkc | Zkne | Zknd | Zknh => const { &[of(&[Zbb])] },
        }
    }
}

impl FeatureSet {
    /// The empty set.
    pub const NONE: Self = Self(0);

    /// The set of the features in `list`. It may lack what they are built on.
    pub const fn of(list: &[Feature]) -> Self {
        let mut set = Self::NONE;
        let mut i = 0;
        while i < list.len() {
            set = set.with(list[i]);
            i += 1;
        }
        set
    }

    /// Whether `feature` is in the set.
    pub const fn has(self, feature: Feature) -> bool {
        self.0 & (1 << feature as u32) != 0
    }

    /// Whether every feature of `other` is in the set.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The features that are in `self`, in `other` or in both.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The set with `feature` added.
    #[must_use]
    pub const fn with(self, feature: Feature) -> Self {
        Self(self.0 | 1 << feature as u32)
    }

    /// Removes `feature` and everything that is built on it: no AVX-512 without AVX2, no AVX2 without AVX. The set must
    /// be [consistent](Self::consistent).
    #[must_use]
    pub const fn without(self, feature: Feature) -> Self {
        Self(self.0 & !(1 << feature as u32)).consistent()
    }

    /// Removes every feature that lacks what it is built on.
    #[must_use]
    pub const fn consistent(self) -> Self {
        let mut set = self;
        loop {
            let before = set.0;
            let mut i = 0;
            while i < Feature::ALL.len() {
                let feature = Feature::ALL[i];
                if !set.has_one_of(feature.requires()) {
                    set.0 &= !(1 << feature as u32);
                }
                i += 1;
            }
            if set.0 == before {
                return set;
            }
        }
    }

    const fn has_one_of(self, sets: &[Self]) -> bool {
        let mut i = 0;
        while i < sets.len() {
            if self.contains(sets[i]) {
                return true;
            }
            i += 1;
        }
        false
    }

    /// Adds what the features are built on, where that is the same on all architectures. AES is left out: it is built
    /// on SSE4.1 or on Neon.
    #[must_use]
    pub const fn with_required(self) -> Self {
        let mut set = self;
        loop {
            let before = set.0;
            let mut i = 0;
            while i < Feature::ALL.len() {
                let feature = Feature::ALL[i];
                if set.has(feature) && feature.requires().len() == 1 {
                    set = set.union(feature.requires()[0]);
                }
                i += 1;
            }
            if set.0 == before {
                return set;
            }
        }
    }

    /// The features in the set, in the order of [`Feature::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Feature> {
        Feature::ALL.iter().copied().filter(move |&f| self.has(f))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: FeatureSet = FeatureSet::of(Feature::ALL);

    #[test]
    fn hiding_a_feature_hides_what_is_built_on_it() {
        let cpu = ALL.without(Feature::Avx2);
        use Feature::{Avx2, Avx512, Fast512, FastSimd, Ifma, Vaes, Vpclmul};
        for hidden in [Avx2, Avx512, Vaes, Vpclmul, Ifma, Fast512, FastSimd] {
            assert!(!cpu.has(hidden), "{hidden:?}");
        }
        assert!(cpu.has(Feature::Avx) && cpu.has(Feature::Aes));
        assert!(!ALL.without(Feature::Sse2).has(Feature::Vaes));
        // AES is built on SSE4.1 or on Neon, so it stays as long as one of them does.
        assert!(ALL.without(Feature::Sse2).has(Feature::Aes));
        assert!(!ALL.without(Feature::Sse2).without(Feature::Neon).has(Feature::Aes));
    }

    #[test]
    fn every_set_less_any_feature_is_consistent() {
        for &feature in Feature::ALL {
            let less = ALL.without(feature);
            assert_eq!(less, less.consistent());
            assert!(!less.has(feature));
            for kept in less.iter() {
                let kept = FeatureSet::of(&[kept]).with_required();
                assert!(!kept.has(feature), "{kept:?} stays without {feature:?}");
            }
        }
    }
}
