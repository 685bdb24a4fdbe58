//! Features of CPUs, as plain data.

/// A set of CPU features, of this machine or another.
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
    /// x86: AES-NI; Arm: the AES instructions.
    Aes = 4, "aes";
    /// x86: carry-less multiplication; Arm: `pmull`.
    Pclmul = 5, "pclmul";
    /// x86: three-operand 128-bit vectors.
    Avx = 6, "avx";
    /// x86: 256-bit integer vectors, BMI1 and BMI2.
    Avx2 = 7, "avx2";
    /// x86: AVX-512 F, BW, VL and DQ together.
    Avx512 = 8, "avx512";
    /// x86: AES on wide vectors.
    Vaes = 9, "vaes";
    /// x86: carry-less multiplication on wide vectors.
    Vpclmul = 10, "vpclmul";
    /// x86: SHA-1 and SHA-256 instructions.
    Sha = 11, "sha";
    /// x86: 512-bit vectors that do not lower the CPU's frequency. A preference and not an instruction: drivers of 512 bits
    /// run without it, and are chosen last.
    Fast512 = 12, "fast512";
    /// x86: AVX-512 multiplication of 52-bit numbers.
    Ifma = 13, "ifma";
    /// x86: vector additions, shifts and logic that take one cycle. A preference as well: a driver that waits for a chain of them
    /// is chosen last without it.
    FastSimd = 14, "fastsimd";
    /// Arm: Advanced SIMD.
    Neon = 16, "neon";
    /// Arm: SHA-1 and SHA-256 instructions.
    Sha2 = 17, "sha2";
    /// Arm: SHA-3 and SHA-512 instructions.
    Sha3 = 18, "sha3";
}

impl Feature {
    /// What the feature is never reported without: all features of one of these sets. Instructions are built on each other, so
    /// that real CPUs follow this; a hypervisor that hides one feature and shows another does not.
    const fn requires(self) -> &'static [FeatureSet] {
        use Feature::*;
        const fn of(features: &[Feature]) -> FeatureSet {
            FeatureSet::of(features)
        }
        match self {
            Sse2 | Neon => &[FeatureSet::NONE],
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
        }
    }
}

impl FeatureSet {
    /// The empty set.
    pub const NONE: Self = Self(0);

    /// The features in `list`.
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

    /// The features in either set.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The set and `feature`.
    #[must_use]
    pub const fn with(self, feature: Feature) -> Self {
        Self(self.0 | 1 << feature as u32)
    }

    /// The set, a [consistent](Self::consistent) one, less `feature` and less what is never there without it: no AVX-512 without
    /// AVX2, no AVX2 without AVX, and so on.
    #[must_use]
    pub const fn without(self, feature: Feature) -> Self {
        Self(self.0 & !(1 << feature as u32)).consistent()
    }

    /// The set less every feature that lacks what it is built on.
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

    /// The set and what its features are built on, where that is the same on all architectures: AES is not.
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

    /// The features in the set, in declaration order.
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
        // AES is built on SSE4.1 or on Neon, and is there while one of them is.
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
