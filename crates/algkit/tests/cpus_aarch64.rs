//! The drivers that names resolve to on AArch64, at three levels of features. `lab/aarch64` runs it.
#![cfg(all(target_arch = "aarch64", feature = "aes", feature = "sha", feature = "sha3"))]

use algkit::{
    Policy, Registry,
    cpu::Feature::{Aes, Neon, Pclmul, Sha2, Sha3},
    cpu::FeatureSet,
};

/// Every feature, all but AES and PMULL, and NEON alone (Cortex-A53 and A72 in the Raspberry Pi 3 and 4).
fn levels() -> [FeatureSet; 3] {
    [&[Neon, Aes, Pclmul, Sha2, Sha3][..], &[Neon, Sha2, Sha3], &[Neon]].map(FeatureSet::of)
}

/// Each algorithm, with its driver where there are AES and PMULL, and where there are not.
#[rustfmt::skip]
const DRIVERS: &[(&str, &str, &str)] = &[
    ("aes", "aes-ce", "aes-neon"),
    ("ecb(aes)", "ecb-aes-ce", "ecb-aes-neonbs"),
    ("cbc(aes)", "cbc-aes-ce", "cbc-aes-neonbs"),
    ("cts(cbc(aes))", "cts(cbc-aes-ce)", "cts(cbc-aes-neonbs)"),
    ("ctr(aes)", "ctr-aes-ce", "ctr-aes-neonbs"),
    ("xctr(aes)", "xctr-aes-ce", "xctr-aes-neonbs"),
    ("xts(aes)", "xts-aes-ce", "xts-aes-neonbs"),
    ("lrw(aes)", "lrw(ecb(aes-ce))", "lrw(ecb(aes-neon))"),
    ("cmac(aes)", "cmac-aes-ce", "cmac-aes-neon"),
    ("xcbc(aes)", "xcbc-aes-ce", "xcbc-aes-neon"),
    ("cbcmac(aes)", "cbcmac-aes-ce", "cbcmac-aes-neon"),
    ("ccm(aes)", "ccm-aes-ce", "ccm_base(ctr-aes-neonbs,cbcmac-aes-neon)"),
    ("gcm(aes)", "gcm-aes-ce", "gcm_base(ctr-aes-neonbs,ghash-neon)"),
    ("hctr2(aes)", "hctr2_base(xctr-aes-ce,polyval-ce)", "hctr2_base(xctr-aes-neonbs,polyval-neon)"),
    ("ghash", "ghash-ce", "ghash-neon"),
    ("polyval", "polyval-ce", "polyval-neon"),
];

/// The same for SHA's own features.
const HASHES: &[(&str, &str, &str)] = &[
    ("sha1", "sha1-ce", "sha1-generic"),
    ("sha256", "sha256-ce", "sha256-generic"),
    ("sha512", "sha512-ce", "sha512-generic"),
    ("sha3-256", "sha3-256-ce", "sha3-256-generic"),
];

#[test]
fn each_level_resolves_to_the_best_drivers_that_it_can_run() {
    for (level, features) in levels().into_iter().enumerate() {
        let registry = Registry::foreign(features, Policy::Constant);
        let ciphers = DRIVERS.iter().map(|row| (level < 1, row));
        for (has, &(name, with, without)) in ciphers.chain(HASHES.iter().map(|row| (level < 2, row))) {
            let want = if has { with } else { without };
            assert_eq!(registry.find_any(name).expect(name).driver, want, "{name}, {features:?}");
        }
    }
}
