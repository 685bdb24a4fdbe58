//! The drivers that names resolve to by target: with no instructions that this crate asks for, as on s390x, and on AArch64,
//! 32-bit Arm, PowerPC and RISC-V by the features that their CPUs have. `lab/cpus` runs this on all of them.
#![cfg(all(feature = "aes", feature = "chacha", feature = "checksum", feature = "serpent"))]
#![cfg(all(feature = "sha", feature = "sha3"))]

use algkit::{
    Policy, Registry,
    cpu::Feature::{Aes, Altivec, Neon, Pclmul, Sha2, Sha3, Vcrypto, Zbb, Zbkc, Zknd, Zkne, Zknh},
    cpu::{Feature, FeatureSet},
};

/// Each algorithm, with its driver on AArch64 where there are AES and PMULL and where there is NEON, on 32-bit Arm where
/// there are AES and PMULL and where there is NEON, on POWER8, on PowerPC where there is AltiVec, and where there is
/// nothing.
#[rustfmt::skip]
const AES: &[(&str, [&str; 7])] = &[
    ("aes", ["aes-ce", "aes-neon", "aes-ce", "aes-fixed-time", "p8_aes", "aes-altivec", "aes-fixed-time"]),
    ("ecb(aes)", ["ecb-aes-ce", "ecb-aes-neonbs", "ecb-aes-ce", "ecb-aes-neonbs", "p8_aes_ecb", "ecb-aes-altivec", "ecb-aes-u64bs"]),
    ("cbc(aes)", ["cbc-aes-ce", "cbc-aes-neonbs", "cbc-aes-ce", "cbc-aes-neonbs", "p8_aes_cbc", "cbc-aes-altivec", "cbc-aes-u64bs"]),
    ("cts(cbc(aes))", ["cts(cbc-aes-ce)", "cts(cbc-aes-neonbs)", "cts(cbc-aes-ce)", "cts(cbc-aes-neonbs)", "cts(p8_aes_cbc)", "cts(cbc-aes-altivec)", "cts(cbc-aes-u64bs)"]),
    ("ctr(aes)", ["ctr-aes-ce", "ctr-aes-neonbs", "ctr-aes-ce", "ctr-aes-neonbs", "p8_aes_ctr", "ctr-aes-altivec", "ctr-aes-u64bs"]),
    ("xctr(aes)", ["xctr-aes-ce", "xctr-aes-neonbs", "xctr-aes-ce", "xctr-aes-neonbs", "p8_aes_xctr", "xctr-aes-altivec", "xctr-aes-u64bs"]),
    ("xts(aes)", ["xts-aes-ce", "xts-aes-neonbs", "xts-aes-ce", "xts-aes-neonbs", "p8_aes_xts", "xts-aes-altivec", "xts-aes-u64bs"]),
    ("lrw(aes)", ["lrw(ecb(aes-ce))", "lrw(ecb(aes-neon))", "lrw(ecb(aes-ce))", "lrw(ecb(aes-fixed-time))", "lrw(ecb(p8_aes))", "lrw(ecb(aes-altivec))", "lrw(ecb(aes-fixed-time))"]),
    ("cmac(aes)", ["cmac-aes-ce", "cmac-aes-neon", "cmac-aes-ce", "cmac(aes-fixed-time)", "p8_aes_cmac", "cmac-aes-altivec", "cmac(aes-fixed-time)"]),
    ("xcbc(aes)", ["xcbc-aes-ce", "xcbc-aes-neon", "xcbc-aes-ce", "xcbc(aes-fixed-time)", "p8_aes_xcbc", "xcbc-aes-altivec", "xcbc(aes-fixed-time)"]),
    ("cbcmac(aes)", ["cbcmac-aes-ce", "cbcmac-aes-neon", "cbcmac-aes-ce", "cbcmac(aes-fixed-time)", "p8_aes_cbcmac", "cbcmac-aes-altivec", "cbcmac(aes-fixed-time)"]),
    ("ccm(aes)", ["ccm-aes-ce", "ccm_base(ctr-aes-neonbs,cbcmac-aes-neon)", "ccm-aes-ce", "ccm_base(ctr-aes-neonbs,cbcmac(aes-fixed-time))", "p8_aes_ccm", "ccm_base(ctr-aes-altivec,cbcmac-aes-altivec)", "ccm_base(ctr-aes-u64bs,cbcmac(aes-fixed-time))"]),
    ("gcm(aes)", ["gcm-aes-ce", "gcm_base(ctr-aes-neonbs,ghash-neon)", "gcm_base(ctr-aes-ce,ghash-ce)", "gcm_base(ctr-aes-neonbs,ghash-neon)", "gcm_base(p8_aes_ctr,p8_ghash)", "gcm_base(ctr-aes-altivec,ghash-generic)", "gcm_base(ctr-aes-u64bs,ghash-generic)"]),
    ("hctr2(aes)", ["hctr2_base(xctr-aes-ce,polyval-ce)", "hctr2_base(xctr-aes-neonbs,polyval-neon)", "hctr2_base(xctr-aes-ce,polyval-ce)", "hctr2_base(xctr-aes-neonbs,polyval-neon)", "hctr2_base(p8_aes_xctr,p8_polyval)", "hctr2_base(xctr-aes-altivec,polyval-generic)", "hctr2_base(xctr-aes-u64bs,polyval-generic)"]),
    ("ghash", ["ghash-ce", "ghash-neon", "ghash-ce", "ghash-neon", "p8_ghash", "ghash-generic", "ghash-generic"]),
    ("polyval", ["polyval-ce", "polyval-neon", "polyval-ce", "polyval-neon", "p8_polyval", "polyval-generic", "polyval-generic"]),
];

/// The same on RISC-V, where there are AES and products of polynomials, and where there are products alone.
#[rustfmt::skip]
const RISCV: &[(&str, [&str; 2])] = &[
    ("aes", ["aes-riscv64-zkned", "aes-fixed-time"]),
    ("ecb(aes)", ["ecb-aes-riscv64-zkned", "ecb-aes-u64bs"]),
    ("cbc(aes)", ["cbc-aes-riscv64-zkned", "cbc-aes-u64bs"]),
    ("cts(cbc(aes))", ["cts(cbc-aes-riscv64-zkned)", "cts(cbc-aes-u64bs)"]),
    ("ctr(aes)", ["ctr-aes-riscv64-zkned", "ctr-aes-u64bs"]),
    ("xctr(aes)", ["xctr-aes-riscv64-zkned", "xctr-aes-u64bs"]),
    ("xts(aes)", ["xts-aes-riscv64-zkned", "xts-aes-u64bs"]),
    ("lrw(aes)", ["lrw(ecb(aes-riscv64-zkned))", "lrw(ecb(aes-fixed-time))"]),
    ("cmac(aes)", ["cmac-aes-riscv64-zkned", "cmac(aes-fixed-time)"]),
    ("xcbc(aes)", ["xcbc-aes-riscv64-zkned", "xcbc(aes-fixed-time)"]),
    ("cbcmac(aes)", ["cbcmac-aes-riscv64-zkned", "cbcmac(aes-fixed-time)"]),
    ("ccm(aes)", ["ccm-aes-riscv64-zkned", "ccm_base(ctr-aes-u64bs,cbcmac(aes-fixed-time))"]),
    ("gcm(aes)", ["gcm_base(ctr-aes-riscv64-zkned,ghash-riscv64-zbkc)", "gcm_base(ctr-aes-u64bs,ghash-riscv64-zbkc)"]),
    ("hctr2(aes)", ["hctr2_base(xctr-aes-riscv64-zkned,polyval-riscv64-zbkc)", "hctr2_base(xctr-aes-u64bs,polyval-riscv64-zbkc)"]),
    ("ghash", ["ghash-riscv64-zbkc", "ghash-riscv64-zbkc"]),
    ("polyval", ["polyval-riscv64-zbkc", "polyval-riscv64-zbkc"]),
];

/// Drivers for NEON on AArch64 that no name resolves to, as others of the same algorithm have a higher priority.
const BY_THEIR_OWN_NAMES: &[(&str, &str)] = &[
    ("cbc-aes-neon", "cbc(aes)"),
    ("cts(cbc-aes-neon)", "cts(cbc(aes))"),
    ("ctr-aes-neon", "ctr(aes)"),
    ("ecb-aes-neon", "ecb(aes)"),
    ("xts-aes-neon", "xts(aes)"),
];

/// Each algorithm, with the feature that decides, and the driver with it and without it.
#[cfg(not(target_arch = "arm"))]
#[rustfmt::skip]
const OTHERS: &[(&str, Feature, &str, &str)] = &[
    ("chacha20", Neon, "chacha20-neon", "chacha20-generic"),
    ("xchacha12", Neon, "xchacha12-neon", "xchacha12-generic"),
    ("rfc7539(chacha20,poly1305)", Neon, "rfc7539-chacha20-poly1305-neon", "rfc7539(chacha20-generic,poly1305-generic)"),
    ("nhpoly1305", Neon, "nhpoly1305-neon", "nhpoly1305-generic"),
    ("serpent", Neon, "serpent-neon", "serpent-generic"),
    ("sha1", Sha2, "sha1-ce", "sha1-generic"),
    ("sha256", Sha2, "sha256-ce", "sha256-generic"),
    ("hmac(sha256)", Sha2, "hmac(sha256-ce)", "hmac(sha256-generic)"),
    ("sha512", Sha3, "sha512-ce", "sha512-generic"),
    ("sha3-256", Sha3, "sha3-256-ce", "sha3-256-generic"),
];

/// What has an instruction for SHA-2 on RISC-V.
const ZKNH: &[(&str, &str)] = &[
    ("sha256", "sha256-riscv64-zknh"),
    ("hmac(sha256)", "hmac(sha256-riscv64-zknh)"),
    ("sha512", "sha512-riscv64-zknh"),
];

#[cfg(target_arch = "arm")]
#[rustfmt::skip]
const OTHERS: &[(&str, Feature, &str, &str)] = &[
    ("chacha20", Neon, "chacha20-neon", "chacha20-generic"),
    ("xchacha12", Neon, "xchacha12-neon", "xchacha12-generic"),
    ("poly1305", Neon, "poly1305-neon", "poly1305-generic"),
    ("rfc7539(chacha20,poly1305)", Neon, "rfc7539(chacha20-neon,poly1305-neon)", "rfc7539(chacha20-generic,poly1305-generic)"),
    ("nhpoly1305", Neon, "nhpoly1305-generic", "nhpoly1305-generic"),
    ("serpent", Neon, "serpent-generic", "serpent-generic"),
    ("sha1", Sha2, "sha1-generic", "sha1-generic"),
    ("sha256", Sha2, "sha256-generic", "sha256-generic"),
    ("sha512", Sha3, "sha512-generic", "sha512-generic"),
];

fn check(registry: &Registry, features: FeatureSet) {
    let level = [Aes, Neon, Vcrypto, Altivec].iter().position(|&feature| features.has(feature)).unwrap_or(4);
    let level = if cfg!(target_arch = "arm") || level > 1 { level + 2 } else { level };
    let aes = AES.iter().map(|&(name, by_level)| (name, by_level[level]));
    let riscv = RISCV.iter().map(|&(name, by_level)| (name, by_level[usize::from(!features.has(Zkne))]));
    let aes: Vec<_> = if features.has(Zbkc) { riscv.collect() } else { aes.collect() };
    let others = OTHERS.iter().map(|&(name, feature, with, without)| {
        let zknh = ZKNH.iter().find(|(hash, _)| *hash == name && features.has(Zknh));
        let without = zknh.map_or(without, |(_, driver)| *driver);
        (name, if features.has(feature) { with } else { without })
    });
    for (name, driver) in aes.into_iter().chain(others) {
        assert_eq!(registry.find_any(name).expect(name).driver, driver, "{name}, {features:?}");
    }
    for &(driver, name) in BY_THEIR_OWN_NAMES {
        let found = registry.find_any(driver).map(|found| (found.driver.clone(), found.name.clone())).ok();
        let there = cfg!(target_arch = "aarch64") && features.has(Neon);
        assert_eq!(found, there.then(|| (driver.to_owned(), name.to_owned())), "{driver}, {features:?}");
    }
}

/// Nothing. On AArch64 also the features of every CPU, of the Raspberry Pi 3 and 4 (Cortex-A53 and A72 without the
/// cryptographic extension), of those cores with it, and of newer ones; hidden by `ALGKIT_CPU`, each may be missing alone.
/// On 32-bit Arm those of a Cortex-A7 and of these cores in programs of 32 bits.
/// On PowerPC those of the 970 and of POWER8. On RISC-V those of RVA22, alone, with Zbc, and with Zkn.
fn levels() -> Vec<FeatureSet> {
    let arm: &[&[Feature]] = &[
        &[Neon],
        &[Neon, Sha2],
        &[Neon, Sha2, Sha3],
        &[Neon, Aes, Pclmul],
        &[Neon, Aes, Pclmul, Sha2],
        &[Neon, Aes, Pclmul, Sha2, Sha3],
    ];
    let arm32: &[&[Feature]] = &[&[Neon], &[Neon, Aes, Pclmul]];
    let power: &[&[Feature]] = &[&[Altivec], &[Altivec, Vcrypto]];
    let riscv: &[&[Feature]] = &[&[Zbb], &[Zbb, Zbkc], &[Zbb, Zbkc, Zkne, Zknd, Zknh]];
    let some = if cfg!(target_arch = "aarch64") {
        arm
    } else if cfg!(target_arch = "arm") {
        arm32
    } else if cfg!(target_arch = "powerpc64") {
        power
    } else if cfg!(target_arch = "riscv64") {
        riscv
    } else {
        &[]
    };
    [FeatureSet::NONE].into_iter().chain(some.iter().map(|list| FeatureSet::of(list))).collect()
}

#[test]
fn each_level_resolves_to_the_best_drivers_that_it_can_run() {
    for features in levels() {
        check(&Registry::foreign(features, Policy::Constant), features);
    }
}

/// What x86 has is in `cpus.rs`.
#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
#[test]
fn this_process_resolves_to_the_best_drivers_that_it_can_run() {
    use algkit::{CPU_VARIABLE, cpu::CpuFeatures, mask_cpu};
    let hidden = std::env::var(CPU_VARIABLE).unwrap_or_default();
    let features = mask_cpu(CpuFeatures::detect(), &hidden).expect("a list of features").features();
    assert!(levels().contains(&features), "{features:?}");
    check(Registry::global().expect("a registry"), features);
}
