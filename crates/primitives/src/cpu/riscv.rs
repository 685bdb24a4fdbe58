//! The tokens of 64-bit RISC-V, and their detection.
//!
//! Linux tells a program which extensions every CPU of the machine has (`riscv_hwprobe`, since Linux 6.4, and these since
//! 6.8). A kernel that does not know the call, or not the bits, leaves the portable drivers. A program that is compiled for
//! an extension has it in any case, as everywhere in Rust. Nothing else asserts one: an instruction that is missing would
//! be undefined behaviour, and safe code could not be allowed to bring it about.
//!
//! An extension counts only on CPUs with Zkt. There the instructions that the drivers are made of take a time that does
//! not depend on what they compute. A CPU without Zkt promises that of none of them but those for AES and SHA-2.

use super::{CpuFeatures, Feature, FeatureSet, Token, token::token};

token!(/// The AES instructions for 64-bit registers.
    Zkned, [Zbb, Zkne, Zknd], "zbb,zkne,zknd", []);
token!(/// Multiplication of 64-bit polynomials.
    Zbkc, [Zbb, Zbkc], "zbb,zbkc", []);
token!(/// The SHA-2 instructions.
    Zknh, [Zbb, Zknh], "zbb,zknh", []);

/// Bits of Linux's answer (`asm/hwprobe.h`).
const ZBB: u64 = 1 << 4;
const ZBC: u64 = 1 << 7;
const ZBKC: u64 = 1 << 9;
const ZKND: u64 = 1 << 11;
const ZKNE: u64 = 1 << 12;
const ZKNH: u64 = 1 << 13;
const ZKT: u64 = 1 << 16;

/// What the program is compiled for.
const COMPILED: u64 = {
    let mut bits = 0;
    macro_rules! add {
        ($($feature:literal $bit:ident),*) => {$(
            if cfg!(target_feature = $feature) {
                bits |= $bit;
            }
        )*};
    }
    add!("zbb" ZBB, "zbc" ZBC, "zbkc" ZBKC, "zknd" ZKND, "zkne" ZKNE, "zknh" ZKNH, "zkt" ZKT);
    bits
};

/// A question to `riscv_hwprobe`, and its answer.
#[repr(C)]
#[derive(Clone, Copy)]
struct Probe {
    /// The kernel replaces a key that it does not know by -1.
    key: i64,
    value: u64,
}

const IMA_EXT_0: i64 = 4;

/// The extensions in the kernel's answer. `status` is what the call returned.
fn extensions(status: i64, answer: Probe) -> u64 {
    if status == 0 && answer.key == IMA_EXT_0 { answer.value } else { 0 }
}

/// The features by the extensions.
fn features(extensions: u64) -> FeatureSet {
    use Feature::{Zbb, Zbkc, Zknd, Zkne, Zknh};
    if extensions & ZKT == 0 {
        return FeatureSet::NONE;
    }
    let bits = [(ZBB, Zbb), (ZBC | ZBKC, Zbkc), (ZKND, Zknd), (ZKNE, Zkne), (ZKNH, Zknh)];
    let found = bits.iter().filter(|(bits, _)| extensions & bits != 0);
    found.fold(FeatureSet::NONE, |set, (_, feature)| set.with(*feature)).consistent()
}

#[cfg(target_os = "linux")]
fn ask() -> u64 {
    /// The number of `riscv_hwprobe`, which the crate libc does not have.
    const SYS_RISCV_HWPROBE: libc::c_long = 258;
    let mut probe = Probe { key: IMA_EXT_0, value: 0 };
    // SAFETY: the call writes one pair, and `probe` is one. Without a set of CPUs the answer is for all of them.
    let status = unsafe {
        libc::syscall(SYS_RISCV_HWPROBE, &raw mut probe, 1_usize, 0_usize, core::ptr::null::<usize>(), 0_usize)
    };
    extensions(status, probe)
}

#[cfg(not(target_os = "linux"))]
fn ask() -> u64 {
    0
}

pub(super) fn detect() -> FeatureSet {
    features(ask() | COMPILED)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers put together from the extensions that the standards and the manuals of these CPUs list. None was recorded on
    /// a machine.
    #[test]
    fn machines() {
        use Feature::{Zbb, Zbkc, Zknd, Zkne, Zknh};
        // F, D and C; Zba and Zbs.
        const RV64GC: u64 = 1 | 1 << 1;
        const ZBA_ZBS: u64 = 1 << 3 | 1 << 5;
        // Zbkb and Zbkx, which with the rest make Zkn.
        const ZKN: u64 = 1 << 8 | ZBKC | 1 << 10 | ZKND | ZKNE | ZKNH;
        const RVA22: u64 = RV64GC | ZBA_ZBS | ZBB | ZKT;
        let of = FeatureSet::of;
        for (machine, value, want) in [
            ("RV64GC", RV64GC, of(&[])),
            ("RVA22", RVA22, of(&[Zbb])),
            ("RVA22 with Zbc", RVA22 | ZBC, of(&[Zbb, Zbkc])),
            ("RVA22 with Zkn", RVA22 | ZKN, of(&[Zbb, Zbkc, Zkne, Zknd, Zknh])),
            ("RVA22 with encryption alone", RVA22 | ZKNE, of(&[Zbb, Zkne])),
            ("Zkn and no Zbb", RV64GC | ZKT | ZKN, of(&[])),
            ("Zkn and no promise of constant time", RV64GC | ZBB | ZKN, of(&[])),
        ] {
            assert_eq!(features(extensions(0, Probe { key: IMA_EXT_0, value })), want, "{machine}");
        }
    }

    #[test]
    fn kernels_that_do_not_answer() {
        assert_eq!(extensions(-1, Probe { key: IMA_EXT_0, value: !0 }), 0, "no such call");
        assert_eq!(extensions(0, Probe { key: -1, value: !0 }), 0, "no such key");
    }

    #[test]
    fn each_token_needs_all_of_its_features() {
        let cpu = CpuFeatures(features(!0));
        assert!(Zkned::detect(cpu).is_some() && Zbkc::detect(cpu).is_some() && Zknh::detect(cpu).is_some());
        assert!(Zkned::detect(cpu.without(Feature::Zknd)).is_none());
        assert!(Zkned::detect(cpu.without(Feature::Zkne)).is_none());
        assert!(Zbkc::detect(cpu.without(Feature::Zbkc)).is_none());
        assert!(Zbkc::detect(cpu.without(Feature::Zbb)).is_none());
        assert!(Zknh::detect(cpu.without(Feature::Zknh)).is_none());
    }
}
