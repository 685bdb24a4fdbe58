//! The features of an x86 CPU, from the answers of CPUID and XGETBV.
//!
//! [`Cpuid::features`] is a pure function of these answers and part of every build, so that tests can feed it the
//! answers of other machines. The bits are those of Intel's Software Developer's Manual, volume 2A, CPUID, and volume
//! 1, section 13.3; and of AMD's Architecture Programmer's Manual, volume 3, appendix E.

use super::{Feature, FeatureSet};

/// The answers of CPUID and XGETBV that features follow from. Registers are in the order EAX, EBX, ECX, EDX.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cpuid {
    /// Leaf 0: the number of the highest leaf, and the vendor's name.
    pub leaf0: [u32; 4],
    /// Leaf 1: family, model and features.
    pub leaf1: [u32; 4],
    /// Leaf 7, subleaf 0: features. It is ignored where leaf 0 gives a lower highest leaf: Intel's CPUs answer a
    /// request beyond it with the data of the highest leaf.
    pub leaf7: [u32; 4],
    /// XCR0: which registers the operating system saves. It is ignored where leaf 1 lacks OSXSAVE.
    pub xcr0: u64,
}

/// OSXSAVE in ECX of leaf 1: the operating system has enabled XGETBV.
const OSXSAVE: u32 = 1 << 27;

/// State components of XCR0: the upper halves of the YMM registers need bits 1 and 2. AVX-512 also needs bits 5 to 7:
/// mask registers, upper halves of ZMM0 to 15, and ZMM16 to 31. Every 64-bit operating system saves the registers of
/// SSE2.
const NO_STATE: u64 = 0;
const YMM: u64 = 0x06;
const ZMM: u64 = 0xe6;

/// How a feature is recognized: CPUID bits that must be set, and state that the operating system must save. A rule does
/// not repeat the state of the feature that its own is built on: VAES on 256 bits needs AVX2, and AVX2 the YMM
/// registers.
struct Rule {
    feature: Feature,
    /// ECX and EDX of leaf 1.
    leaf1: (u32, u32),
    /// EBX and ECX of leaf 7.
    leaf7: (u32, u32),
    state: u64,
}

impl Rule {
    const fn new(feature: Feature, leaf1: (u32, u32), leaf7: (u32, u32), state: u64) -> Self {
        Self { feature, leaf1, leaf7, state }
    }
}

const BMI1_BMI2: u32 = 1 << 3 | 1 << 8;
const AVX512_F_DQ_BW_VL: u32 = 1 << 16 | 1 << 17 | 1 << 30 | 1 << 31;

#[rustfmt::skip]
const RULES: &[Rule] = &[
    Rule::new(Feature::Sse2,    (0, 1 << 26), (0, 0),                   NO_STATE),
    Rule::new(Feature::Ssse3,   (1 << 9, 0),  (0, 0),                   NO_STATE),
    Rule::new(Feature::Sse41,   (1 << 19, 0), (0, 0),                   NO_STATE),
    Rule::new(Feature::Sse42,   (1 << 20, 0), (0, 0),                   NO_STATE),
    Rule::new(Feature::Aes,     (1 << 25, 0), (0, 0),                   NO_STATE),
    Rule::new(Feature::Pclmul,  (1 << 1, 0),  (0, 0),                   NO_STATE),
    Rule::new(Feature::Avx,     (1 << 28, 0), (0, 0),                   YMM),
    Rule::new(Feature::Avx2,    (0, 0),       (1 << 5 | BMI1_BMI2, 0),  YMM),
    Rule::new(Feature::Avx512,  (0, 0),       (AVX512_F_DQ_BW_VL, 0),   ZMM),
    Rule::new(Feature::Vaes,    (0, 0),       (0, 1 << 9),              NO_STATE),
    Rule::new(Feature::Vpclmul, (0, 0),       (0, 1 << 10),             NO_STATE),
    Rule::new(Feature::Sha,     (0, 0),       (1 << 29, 0),             NO_STATE),
    Rule::new(Feature::Ifma,    (0, 0),       (1 << 21, 0),             NO_STATE),
];

/// Models of Intel's family 6 that lower their frequency for 512-bit vectors. On these Linux prefers 256 bits
/// (`zmm_exclusion_list` in arch/x86/kernel/cpu/intel.c): Skylake-X with Cascade Lake and Cooper Lake; Ice Lake X, D,
/// client, client L and NNPI; Tiger Lake L and Tiger Lake.
const SLOW_512: &[u32] = &[0x55, 0x6a, 0x6c, 0x7d, 0x7e, 0x9d, 0x8c, 0x8d];

impl Cpuid {
    /// The features that a program can use on this CPU and operating system.
    pub fn features(&self) -> FeatureSet {
        let [_, _, ecx1, edx1] = self.leaf1;
        let [_, ebx7, ecx7, _] = if self.leaf0[0] >= 7 { self.leaf7 } else { [0; 4] };
        let saved = if ecx1 & OSXSAVE != 0 { self.xcr0 } else { 0 };
        let shows = |rule: &&Rule| {
            let (leaf1, leaf7) = (rule.leaf1, rule.leaf7);
            let bits = [(ecx1, leaf1.0), (edx1, leaf1.1), (ebx7, leaf7.0), (ecx7, leaf7.1)];
            bits.iter().all(|(has, needs)| has & needs == *needs) && saved & rule.state == rule.state
        };
        let shown = RULES.iter().filter(shows).fold(FeatureSet::NONE, |set, rule| set.with(rule.feature));
        let shown = if self.slows_down_at_512_bits() { shown } else { shown.with(Feature::Fast512) };
        let shown = if self.waits_for_vectors() { shown } else { shown.with(Feature::FastSimd) };
        shown.consistent()
    }

    /// Whether this is Zen 5 (AMD's family 0x1a), whose integer vector operations have a latency of two cycles
    /// (measured).
    fn waits_for_vectors(&self) -> bool {
        self.vendor() == *b"AuthenticAMD" && self.family() == 0x1a
    }

    /// Whether this is one of Intel's models in [`SLOW_512`].
    fn slows_down_at_512_bits(&self) -> bool {
        self.vendor() == *b"GenuineIntel" && self.family() == 6 && SLOW_512.contains(&self.model())
    }

    /// The vendor's name, which leaf 0 holds in EBX, EDX and ECX.
    fn vendor(&self) -> [u8; 12] {
        let [_, ebx, ecx, edx] = self.leaf0;
        let mut name = [0; 12];
        for (place, register) in name.as_chunks_mut().0.iter_mut().zip([ebx, edx, ecx]) {
            *place = register.to_le_bytes();
        }
        name
    }

    fn family(&self) -> u32 {
        let eax = self.leaf1[0];
        match eax >> 8 & 0xf {
            0xf => 0xf + (eax >> 20 & 0xff),
            family => family,
        }
    }

    fn model(&self) -> u32 {
        let eax = self.leaf1[0];
        (eax >> 12 & 0xf0) | (eax >> 4 & 0xf)
    }
}

#[cfg(target_arch = "x86_64")]
impl Cpuid {
    /// The answers of the CPU that this runs on. Under Miri, those that stand for what the program is compiled with.
    pub fn read() -> Self {
        if cfg!(miri) { Self::compiled() } else { Self::ask() }
    }

    #[allow(unused_unsafe)] // later compilers know that CPUID is safe
    fn ask() -> Self {
        use core::arch::x86_64::{__cpuid_count, _xgetbv};
        let leaf = |number| {
            // SAFETY: every 64-bit x86 CPU has the CPUID instruction.
            let answer = unsafe { __cpuid_count(number, 0) };
            [answer.eax, answer.ebx, answer.ecx, answer.edx]
        };
        let mut this = Self { leaf0: leaf(0), leaf1: leaf(1), ..Self::default() };
        if this.leaf0[0] >= 7 {
            this.leaf7 = leaf(7);
        }
        if this.leaf1[2] & OSXSAVE != 0 {
            // SAFETY: OSXSAVE says that XGETBV may be executed.
            this.xcr0 = unsafe { _xgetbv(0) };
        }
        this
    }

    /// Answers with exactly the features that the program is compiled with, for Miri, which has no CPU to ask.
    fn compiled() -> Self {
        let ecx1 = u32::from(cfg!(target_feature = "pclmulqdq")) << 1
            | u32::from(cfg!(target_feature = "ssse3")) << 9
            | u32::from(cfg!(target_feature = "sse4.1")) << 19
            | u32::from(cfg!(target_feature = "sse4.2")) << 20
            | u32::from(cfg!(target_feature = "aes")) << 25
            | u32::from(cfg!(target_feature = "avx")) << 28
            | OSXSAVE;
        let ebx7 = u32::from(cfg!(target_feature = "bmi1")) << 3
            | u32::from(cfg!(target_feature = "avx2")) << 5
            | u32::from(cfg!(target_feature = "bmi2")) << 8
            | u32::from(cfg!(target_feature = "sha")) << 29;
        let ecx7 = u32::from(cfg!(target_feature = "vaes")) << 9 | u32::from(cfg!(target_feature = "vpclmulqdq")) << 10;
        let edx1 = u32::from(cfg!(target_feature = "sse2")) << 26;
        Self { leaf0: [7, 0, 0, 0], leaf1: [0, 0, ecx1, edx1], leaf7: [0, ebx7, ecx7, 0], xcr0: YMM }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A CPU of no vendor with every feature bit set, whose operating system saves every register.
    const RICH: Cpuid = Cpuid { leaf0: [7, 0, 0, 0], leaf1: [0, 0, !0, !0], leaf7: [0, !0, !0, !0], xcr0: !0 };

    /// Every feature that exists on x86: without what the others are built on elsewhere.
    fn rich() -> FeatureSet {
        let others = [Feature::Neon, Feature::Altivec, Feature::Zbb];
        others.into_iter().fold(FeatureSet::of(Feature::ALL), FeatureSet::without)
    }

    #[test]
    fn registers_that_nobody_saves_hide_what_needs_them_and_nothing_else() {
        assert_eq!(RICH.features(), rich());
        assert_eq!(Cpuid { xcr0: 0xe6, ..RICH }.features(), rich());
        let avx = rich().without(Feature::Avx512);
        assert!(avx.has(Feature::Vaes) && avx.has(Feature::Vpclmul));
        // Each component of AVX-512 alone is not enough.
        for xcr0 in [0x06, 0x26, 0x46, 0x86, 0x66, 0xa6, 0xc6] {
            assert_eq!(Cpuid { xcr0, ..RICH }.features(), avx, "{xcr0:#x}");
        }
        let sse = rich().without(Feature::Avx);
        assert!(sse.has(Feature::Aes) && sse.has(Feature::Sha));
        // One half of YMM is not enough for AVX, and neither is the state of ZMM without that of YMM.
        for xcr0 in [0, 0x01, 0x02, 0x04, 0xe0, 0xe2, 0xe4] {
            assert_eq!(Cpuid { xcr0, ..RICH }.features(), sse, "{xcr0:#x}");
        }
    }

    #[test]
    fn what_does_not_exist_is_not_read() {
        let mut hidden = RICH;
        hidden.leaf1[2] &= !OSXSAVE;
        assert_eq!(hidden.features(), rich().without(Feature::Avx), "XCR0 without OSXSAVE");
        let short = Cpuid { leaf0: [6, 0, 0, 0], ..RICH };
        assert_eq!(short.features(), rich().without(Feature::Avx2).without(Feature::Sha), "leaf 7 without leaf 7");
    }

    /// Clears one bit at a time. The feature of that bit must disappear, with those built on it, and no other.
    #[test]
    fn every_bit_is_looked_at() {
        use Feature::*;
        let gone: &[(usize, usize, u32, Feature)] = &[
            (1, 3, 26, Sse2),
            (1, 2, 9, Ssse3),
            (1, 2, 19, Sse41),
            (1, 2, 20, Sse42),
            (1, 2, 25, Aes),
            (1, 2, 1, Pclmul),
            (1, 2, 27, Avx),
            (1, 2, 28, Avx),
            (7, 1, 3, Avx2),
            (7, 1, 5, Avx2),
            (7, 1, 8, Avx2),
            (7, 1, 16, Avx512),
            (7, 1, 17, Avx512),
            (7, 1, 21, Ifma),
            (7, 1, 29, Sha),
            (7, 1, 30, Avx512),
            (7, 1, 31, Avx512),
            (7, 2, 9, Vaes),
            (7, 2, 10, Vpclmul),
        ];
        for leaf in [1, 7] {
            for (register, bit) in (0..4).flat_map(|register| (0..32).map(move |bit| (register, bit))) {
                let mut cpuid = RICH;
                let registers = if leaf == 1 { &mut cpuid.leaf1 } else { &mut cpuid.leaf7 };
                registers[register] &= !(1 << bit);
                let gone = gone.iter().find(|(l, r, b, _)| (*l, *r, *b) == (leaf, register, bit));
                let expected = gone.map_or(rich(), |(.., feature)| rich().without(*feature));
                assert_eq!(cpuid.features(), expected, "leaf {leaf}, register {register}, bit {bit}");
            }
        }
    }

    #[test]
    fn the_listed_models_alone_are_slow_at_512_bits() {
        let intel = [7, 0x756e_6547, 0x6c65_746e, 0x4965_6e69];
        let cpu = |leaf0: [u32; 4], family: u32, model: u32| {
            let mut cpuid = RICH;
            cpuid.leaf0 = leaf0;
            cpuid.leaf1[0] = model >> 4 << 16 | family << 8 | (model & 0xf) << 4 | 0xa;
            cpuid.features().has(Feature::Fast512)
        };
        for model in 0..=0xff {
            assert_eq!(cpu(intel, 6, model), !SLOW_512.contains(&model), "model {model:#x}");
            assert!(cpu(intel, 5, model) && cpu([7, 0x6874_7541, 0x444d_4163, 0x6974_6e65], 6, model));
        }
    }

    #[test]
    fn vectors_are_slow_on_zen_5_alone() {
        let amd = [7, 0x6874_7541, 0x444d_4163, 0x6974_6e65];
        let cpu = |leaf0: [u32; 4], family: u32| {
            let mut cpuid = RICH;
            cpuid.leaf0 = leaf0;
            cpuid.leaf1[0] = (family - 0xf) << 20 | 0xf << 8;
            cpuid.features().has(Feature::FastSimd)
        };
        for family in 0xf..0x30 {
            assert_eq!(cpu(amd, family), family != 0x1a, "family {family:#x}");
            assert!(cpu([7, 0x756e_6547, 0x6c65_746e, 0x4965_6e69], family), "family {family:#x} of Intel");
        }
    }

    #[cfg(all(target_arch = "x86_64", not(miri)))]
    #[test]
    fn this_machine_has_what_the_standard_library_finds() {
        use std::is_x86_feature_detected;
        let here = Cpuid::read().features();
        let found = [
            (Feature::Sse2, is_x86_feature_detected!("sse2")),
            (Feature::Ssse3, is_x86_feature_detected!("ssse3")),
            (Feature::Sse41, is_x86_feature_detected!("sse4.1")),
            (Feature::Sse42, is_x86_feature_detected!("sse4.2")),
            (Feature::Aes, is_x86_feature_detected!("aes")),
            (Feature::Pclmul, is_x86_feature_detected!("pclmulqdq")),
            (Feature::Avx, is_x86_feature_detected!("avx")),
            (Feature::Avx2, is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2")),
            (Feature::Avx512, is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vl")),
            (Feature::Vaes, is_x86_feature_detected!("vaes")),
            (Feature::Vpclmul, is_x86_feature_detected!("vpclmulqdq")),
            (Feature::Sha, is_x86_feature_detected!("sha")),
            (Feature::Ifma, is_x86_feature_detected!("avx512ifma")),
        ];
        for (feature, found) in found {
            assert_eq!(here.has(feature), found, "{feature:?}");
        }
    }
}
