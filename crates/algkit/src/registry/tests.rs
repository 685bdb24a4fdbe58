//! What happens to lookups for which there is no entropy.

use super::*;
use crate::driver::Timing;
use crate::{SelfTest, Type, entropy};

#[cfg(all(feature = "aes", feature = "sha"))]
#[test]
fn missing_entropy_fails_one_call_and_no_driver() {
    let registry = Registry::default();
    let generators = ["stdrng", "drbg_nopr_ctr_aes256", "drbg_pr_sha256", "drbg_nopr_hmac_sha256"];
    let salted = ["seqiv(rfc4106(gcm(aes)))", "echainiv(authenc(hmac(sha256),cbc(aes)))"];
    let missing = |found: Result<(), Error>, name: &str| match found {
        Err(Error::Rng { reason, .. }) => assert_eq!(reason, entropy::MISSING, "{name}"),
        other => panic!("{name}: {other:?}"),
    };
    for _ in 0..2 {
        entropy::withheld(|| {
            generators.iter().for_each(|name| missing(registry.rng(name).map(drop), name));
            salted.iter().for_each(|name| missing(registry.aead(name).map(drop), name));
        });
    }
    assert!(registry.drivers().iter().all(|driver| !matches!(driver.selftest(), SelfTest::Failed(_))));
    assert_eq!(registry.rng("stdrng").unwrap().driver().driver, "drbg_nopr_hmac_sha512", "the first choice serves");

    let unkeyed = generators.map(|name| registry.rng(name).unwrap());
    for generator in &unkeyed {
        let keyed = generator.key(b"seed").unwrap();
        let mut out = [7; 16];
        entropy::withheld(|| {
            missing(generator.key(b"seed").map(drop), "key");
            missing(keyed.generate(b"", &mut out), "generate");
            missing(keyed.reseed(b""), "reseed");
            missing(keyed.instantiate(b""), "instantiate");
        });
        assert_eq!(out, [0; 16], "what is not random is wiped");
        keyed.generate(b"", &mut out).unwrap();
        assert_ne!(out, [0; 16]);
    }
    for name in salted {
        let aead = registry.aead(name).unwrap();
        let pair = crate::authenc_key(&[1; 32], &[2; 16]);
        let key = if name.starts_with("seqiv") { &[1; 20][..] } else { &pair };
        entropy::withheld(|| missing(aead.key(key).map(drop), name));
        aead.key(key).unwrap();
    }
}

/// A driver that needs no entropy fails for good, though there is none.
#[cfg(feature = "sha")]
#[test]
fn a_defect_is_not_taken_for_missing_entropy() {
    let registry = Registry::default();
    let model = registry.hash("sha256").unwrap();
    let shape = model.driver().shape.clone();
    let make = |_: CpuFeatures, _: &[u8], _: crate::WeakKeys| Err(crate::driver::BadKey("defective"));
    let driver = Driver::new("sha256", "defective", Type::Hash, shape, make).with_priority(10_000);
    assert_eq!(driver.timing, Timing::Constant);
    registry.register(driver).unwrap();
    assert_ne!(entropy::withheld(|| registry.hash("sha256")).unwrap().driver().driver, "defective");
    let defective = registry.drivers().into_iter().find(|d| d.driver == "defective").unwrap();
    assert!(matches!(defective.selftest(), SelfTest::Failed(reason) if reason.contains("defective")));
}
