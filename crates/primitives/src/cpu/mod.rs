//! CPU features, and the tokens that prove them.
//!
//! [`FeatureSet`] is a set of features. [`CpuFeatures`] is a set that this machine is known to have: it comes from
//! [`CpuFeatures::detect`], which asks the CPU, or from removing features from another. A [`Token`] is made from it.
//! Code that needs the features takes the token as proof that they exist.
//!
//! On x86, one function reads the CPU's answers, and a pure function of [`Cpuid`] derives the features from them. Under
//! Linux, Arm and 64-bit PowerPC have theirs from the auxiliary vector, and 64-bit RISC-V from a system call. On other
//! systems AArch64 asks the crate `cpufeatures`, which knows Apple's; elsewhere it answers what the program is compiled
//! with.

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(all(target_arch = "arm", unix))]
mod arm;
mod cpuid;
mod feature;
#[cfg(target_arch = "powerpc64")]
mod powerpc;
#[cfg(target_arch = "riscv64")]
mod riscv;
mod token;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(target_arch = "aarch64")]
pub use aarch64::*;
#[cfg(all(target_arch = "arm", unix))]
pub use arm::*;
pub use cpuid::Cpuid;
pub use feature::{Feature, FeatureSet};
#[cfg(target_arch = "powerpc64")]
pub use powerpc::*;
#[cfg(target_arch = "riscv64")]
pub use riscv::*;
pub use token::{Portable, Token};
#[cfg(target_arch = "x86_64")]
pub use x86::*;

/// A set of features that this machine is known to have. It is always [consistent](FeatureSet::consistent), so a token
/// of wide vectors also proves what the tokens of narrower ones prove.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub struct CpuFeatures(FeatureSet);

impl CpuFeatures {
    /// The empty set: only portable code runs with it.
    pub const NONE: Self = Self(FeatureSet::NONE);

    /// The features of the CPU that this runs on.
    ///
    /// The set is empty in a program for x86 that is compiled without vector registers, as operating systems are
    /// (`x86_64-unknown-none`): nothing tells whether the registers are enabled and whose values they hold. Such a
    /// program may call `detect_vectors`. Applications of UEFI may use the registers of SSE (UEFI Specification,
    /// section 2.3.4), and those of AVX if the firmware has enabled them.
    pub fn detect() -> Self {
        #[cfg(all(target_arch = "x86_64", any(target_feature = "sse2", target_os = "uefi")))]
        return Self(Cpuid::read().features());
        #[cfg(target_arch = "aarch64")]
        return Self(aarch64::detect());
        #[cfg(all(target_arch = "arm", unix))]
        return Self(arm::detect());
        #[cfg(target_arch = "powerpc64")]
        return Self(powerpc::detect());
        #[cfg(target_arch = "riscv64")]
        return Self(riscv::detect());
        #[allow(unreachable_code)]
        Self::NONE
    }

    /// The features of the CPU that this runs on, for a program that is compiled without vector registers.
    ///
    /// # Safety
    ///
    /// SSE must be enabled (`CR4.OSFXSR`). The registers of SSE and those that XCR0 enables must be the caller's to
    /// overwrite: code that interrupts the caller saves and restores them, and they hold no other code's values.
    #[cfg(target_arch = "x86_64")]
    pub unsafe fn detect_vectors() -> Self {
        Self(Cpuid::read().features())
    }

    /// The features of both sets, each of which this machine is known to have.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0.union(other.0))
    }

    /// Whether the set has every feature of `needs`.
    pub const fn contains(self, needs: FeatureSet) -> bool {
        self.0.contains(needs)
    }

    /// Removes `feature` and everything that is built on it.
    #[must_use]
    pub fn without(self, feature: Feature) -> Self {
        Self(self.0.without(feature))
    }

    /// Sets whether drivers with 512-bit vectors are preferred to those with 256 bits, whatever is known of the CPU's
    /// model. On a CPU without AVX-512 this changes nothing.
    #[must_use]
    pub fn prefer_512(self, prefer: bool) -> Self {
        let changed = if prefer { self.0.with(Feature::Fast512) } else { self.0.without(Feature::Fast512) };
        Self(changed.consistent())
    }

    /// The set as plain data, which proves nothing.
    pub const fn features(self) -> FeatureSet {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn a_union_has_what_one_of_the_sets_has() {
        let all = CpuFeatures::detect();
        for (&f, &g) in Feature::ALL.iter().flat_map(|f| Feature::ALL.iter().map(move |g| (f, g))) {
            let (a, b) = (all.without(f), all.without(f).without(g));
            let both = all.without(g).and(a).features();
            for feature in Feature::ALL.iter().copied() {
                assert_eq!(both.has(feature), all.without(g).features().has(feature) || a.features().has(feature));
            }
            assert_eq!(both, both.consistent());
            // What was hidden from both stays hidden.
            assert_eq!((a.and(b), b.and(a)), (a, a));
            assert!(!a.and(b).features().has(f));
        }
        assert_eq!(all.and(CpuFeatures::NONE), all);
    }

    #[test]
    fn a_preference_does_not_make_a_feature() {
        let cpu = CpuFeatures::detect();
        assert_eq!(cpu.without(Feature::Avx512).prefer_512(true), cpu.without(Feature::Avx512));
        assert_eq!(CpuFeatures::NONE.prefer_512(true), CpuFeatures::NONE);
        assert_eq!(
            cpu.prefer_512(false).prefer_512(true).features().without(Feature::Fast512),
            cpu.prefer_512(false).features()
        );
        assert!(!cpu.prefer_512(false).features().has(Feature::Fast512));
    }
}
