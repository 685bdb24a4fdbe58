//! CPU features, and the tokens that prove them.
//!
//! [`FeatureSet`] is a set of features, [`CpuFeatures`] one that this machine has. The only ways to
//! obtain the latter are [`CpuFeatures::detect`], which asks the CPU, and removing features from an
//! existing one. A [`Token`] is made from it, and code that needs the features takes the token as a
//! proof that they are there.
//!
//! On x86, what the CPU answers is read in one place, and a pure function of [`Cpuid`] makes features of it. On AArch64 the crate
//! `cpufeatures` asks: Linux and Android (HWCAP), and Apple's systems. On others only what the program is compiled with is reported.

#[cfg(target_arch = "aarch64")]
mod aarch64;
mod cpuid;
mod feature;
mod token;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(target_arch = "aarch64")]
pub use aarch64::*;
pub use cpuid::Cpuid;
pub use feature::{Feature, FeatureSet};
pub use token::{Portable, Token};
#[cfg(target_arch = "x86_64")]
pub use x86::*;

/// A set of CPU features that this machine is known to have. It is [consistent](FeatureSet::consistent), so that a token of
/// wider vectors proves what those of narrower ones do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub struct CpuFeatures(FeatureSet);

impl CpuFeatures {
    /// No features: only portable code runs.
    pub const NONE: Self = Self(FeatureSet::NONE);

    /// The features of the CPU this runs on.
    ///
    /// A program for x86 that is compiled without vector registers, as operating systems are (`x86_64-unknown-none`), has
    /// none: nothing says that the registers are enabled, nor whose values are in them. UEFI's applications may use those of SSE
    /// (UEFI Specification, section 2.3.4), and of AVX if the firmware has enabled them. Where the program knows better there is
    /// `detect_vectors`.
    pub fn detect() -> Self {
        #[cfg(all(target_arch = "x86_64", any(target_feature = "sse2", target_os = "uefi")))]
        return Self(Cpuid::read().features());
        #[cfg(target_arch = "aarch64")]
        return Self(aarch64::detect());
        #[allow(unreachable_code)]
        Self::NONE
    }

    /// The features of the CPU this runs on, in a program that is compiled without vector registers.
    ///
    /// # Safety
    ///
    /// SSE is enabled (`CR4.OSFXSR`), and the registers that SSE and XCR0 stand for are the caller's: whatever interrupts it
    /// saves them, and nobody else's values are in them.
    #[cfg(target_arch = "x86_64")]
    pub unsafe fn detect_vectors() -> Self {
        Self(Cpuid::read().features())
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

    /// The same CPU, with 512-bit vectors preferred to those of 256 bits or not, whatever is known of its model. Changes nothing
    /// where there are none.
    #[must_use]
    pub fn prefer_512(self, prefer: bool) -> Self {
        let changed = if prefer { self.0.with(Feature::Fast512) } else { self.0.without(Feature::Fast512) };
        Self(changed.consistent())
    }

    /// The features, as plain data.
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
