//! The registry: which driver serves, what is refused, and the effects of invalid requests.

mod common;

use algkit::{
    Aead, CATALOGUE, Direction, Driver, DriverRef, Error, Extent, Hash, InOut, Known, MAX_KNOWN, Name, Packet, Policy,
    Registry, SelfTest, Skcipher, Text, Timing, Type, Vector, WeakKeys, authenc_key,
    cpu::CpuFeatures,
    driver::{AeadJob, AeadOps, BadKey, HashOps, HashState, Keyed, Shape, SkcipherJob, SkcipherOps},
};
use common::{NO_VECTORS, Random, catalogue, cut, drivers_of, in_random_layout, masked};
use hex_literal::hex;
use std::sync::{
    Arc, Barrier,
    atomic::{AtomicUsize, Ordering},
};

fn registry() -> Registry {
    Registry::new(CpuFeatures::detect(), Policy::Constant)
}

/// The defect of a planted driver.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Fault {
    None,
    /// Flips an output bit of texts whose length is in this range, in bytes.
    Bit(usize, usize),
    /// Flips an output bit when it decrypts more than a block.
    Decryption,
    /// Flips an output bit of texts of more than a block in segments.
    Segments,
    /// Does not update the chaining value.
    Iv,
    /// Accepts every tag.
    AnyTag,
    /// Flips a bit of the last output of a batch.
    Batch,
    /// Flips an output bit in `crypt_once`.
    Once,
    /// Flips a tag bit in `seal_packet`.
    Packet,
    /// Ignores the key.
    AnyKey,
    /// Ignores the IV.
    AnyIv,
    /// Ignores the associated data.
    AnyAssoc,
    PanicInUse,
    PanicInMake,
}

/// A transform of this crate with a defect.
struct Planted<T>(T, Fault);

/// Replaces `text` by what `f` makes of its bytes.
fn rewrite(text: &mut Text<'_>, f: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = text.sources().collect::<Vec<_>>().concat();
    f(&mut bytes);
    let mut rest = &bytes[..];
    while let Some(mut run) = text.next(1, 0) {
        let (front, back) = rest.split_at(run.len());
        run.put(0, front);
        rest = back;
    }
}

impl SkcipherOps for Planted<Skcipher> {
    fn crypt(&self, direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
        let segments = text.sources().count();
        let before = iv.to_vec();
        if self.1 == Fault::AnyIv {
            iv.copy_from_slice(IV);
        }
        rewrite(text, |text| {
            self.0.crypt(direction, iv, &mut Text::from(&mut text[..])).unwrap();
            let wrong = match self.1 {
                Fault::Bit(min, max) => (min..=max).contains(&text.len()),
                Fault::Decryption => direction == Direction::Decrypt && text.len() > 16,
                Fault::Segments => segments > 1 && text.len() > 16,
                Fault::PanicInUse => panic!("planted in use"),
                _ => false,
            };
            if let Some(last) = text.last_mut().filter(|_| wrong) {
                *last ^= 1;
            }
        });
        if self.1 == Fault::Iv {
            iv.copy_from_slice(&before);
        }
    }

    fn crypt_once(&self, direction: Direction, iv: &[u8], mut run: InOut<'_>) {
        self.crypt(direction, &mut iv.to_vec(), &mut Text::from(run.reborrow()));
        if self.1 == Fault::Once {
            run.dst().iter_mut().take(1).for_each(|byte| *byte ^= 1);
        }
    }

    fn crypt_batch(&self, direction: Direction, jobs: &mut [SkcipherJob<'_>]) {
        jobs.iter_mut().for_each(|job| job.run(direction));
        let last = jobs.iter_mut().rev().find(|job| !job.text.is_empty());
        if let (Some(job), Fault::Batch) = (last, self.1) {
            job.text.dst()[0] ^= 1;
        }
    }
}

impl Planted<Aead> {
    /// The IV and the associated data that this driver uses.
    fn heeded<'a>(&self, iv: &'a [u8], assoc: &'a [&'a [u8]]) -> (&'a [u8], &'a [&'a [u8]]) {
        (if self.1 == Fault::AnyIv { &[0; 12] } else { iv }, if self.1 == Fault::AnyAssoc { &[] } else { assoc })
    }
}

impl AeadOps for Planted<Aead> {
    fn seal_packet(&self, iv: &[u8], packet: &mut Packet<'_>, tag: &mut [u8]) {
        self.seal(iv, &[packet.assoc], &mut Text::from(packet.text.reborrow()), tag);
        tag[0] ^= u8::from(self.1 == Fault::Packet);
    }

    fn seal(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &mut [u8]) {
        let (iv, assoc) = self.heeded(iv, assoc);
        rewrite(text, |text| self.0.encrypt(iv, assoc, &mut text[..], tag).unwrap());
    }

    fn open(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &[u8]) -> bool {
        let (iv, assoc) = self.heeded(iv, assoc);
        let mut authentic = false;
        rewrite(text, |text| {
            authentic = if self.1 == Fault::AnyTag {
                // In GCM both directions compute the same text.
                self.0.encrypt(iv, assoc, &mut text[..], &mut tag.to_vec()).is_ok()
            } else {
                self.0.decrypt(iv, assoc, &mut text[..], tag).is_ok()
            };
        });
        authentic
    }

    fn crypt_batch(&self, _direction: Direction, jobs: &mut [AeadJob<'_>]) {
        jobs.iter_mut().for_each(AeadJob::run);
        let last = jobs.iter_mut().rev().find(|job| job.text_len() > 0);
        if let (Some(job), Fault::Batch) = (last, self.1) {
            job.split().0.dst()[0] ^= 1;
        }
    }
}

/// A driver of `name` with the highest priority. It calls this crate's best driver and adds `fault`.
fn planted(name: &'static str, fault: Fault) -> Driver {
    let honest = registry();
    let model = honest.find_any(name).unwrap();
    let make = move |_: CpuFeatures, key: &[u8], weak: WeakKeys| {
        assert!(fault != Fault::PanicInMake, "planted in make");
        let key = if fault == Fault::AnyKey { KEY } else { key };
        let refused = |_| BadKey("refused");
        Ok(if model_is_aead(&honest, name) {
            Keyed::Aead(Box::new(Planted(honest.aead(name).unwrap().key_with(key, weak).map_err(refused)?, fault)))
        } else {
            Keyed::Skcipher(Box::new(Planted(
                honest.skcipher(name).unwrap().key_with(key, weak).map_err(refused)?,
                fault,
            )))
        })
    };
    above_all(Driver::new(name, "planted", model.kind, model.shape.clone(), make))
}

/// `driver` with a priority above those of all others.
fn above_all(driver: Driver) -> Driver {
    driver.with_priority(10_000)
}

fn model_is_aead(honest: &Registry, name: &str) -> bool {
    honest.find_any(name).unwrap().kind == Type::Aead
}

/// The driver named `planted`.
fn the_planted(registry: &Registry) -> DriverRef {
    registry.drivers().into_iter().find(|d| d.driver == "planted").unwrap()
}

#[test]
fn unknown_names_get_a_suggestion() {
    for (asked, said) in [
        ("aes-gcm", "unknown algorithm `aes-gcm`; did you mean `gcm(aes)`?"),
        ("aes-fixed-tim", "unknown algorithm `aes-fixed-tim`; did you mean `aes-fixed-time`?"),
        ("xts(aes", "bad algorithm name `xts(aes`: ends where `,` or `)` is expected; did you mean `xts(aes)`?"),
        ("nosuch", "unknown algorithm `nosuch`"),
        ("my \"sha\"", "bad algorithm name `my \"sha\"`: byte 0x20 at byte 2, expected the end"),
    ] {
        assert_eq!(algkit::skcipher(asked).unwrap_err().with_suggestion(), said);
    }
    let other = Error::NoExport("aes-gcm".into());
    assert_eq!(other.with_suggestion(), other.to_string());
    // Another registry's error about a name that the global one has.
    assert_eq!(Error::Unknown("sha256".into()).with_suggestion(), "unknown algorithm `sha256`");
    // The drivers are those of the registry that is asked.
    let registry = registry();
    registry.register(external("a-hash-from-outside")).unwrap();
    assert_eq!(registry.nearest("A hash from outside").as_deref(), Some("a-hash-from-outside"));
    assert_eq!(Registry::global().unwrap().nearest("A hash from outside"), None);
}

#[test]
fn the_iv_of_ccm_is_explained() {
    let nonce = [1; 12];
    let error = |name: &str, key: &[u8]| {
        algkit::aead(name).unwrap().key(key).unwrap().seal(&nonce, b"", b"text").unwrap_err().to_string()
    };
    let said = error("ccm(aes)", &[2; 16]);
    assert!(
        said.starts_with("ccm(aes): IV of 12 bytes, expected 16: a byte of value 14 - n, a nonce of n bytes"),
        "{said}"
    );
    assert!(said.ends_with("`ccm_iv` makes it"), "{said}");
    // As the text says.
    assert_eq!(algkit::ccm_iv(&nonce).unwrap(), [2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0]);
    // These take the nonce itself.
    assert_eq!(error("rfc4309(ccm(aes))", &[2; 19]), "rfc4309(ccm(aes)): IV of 12 bytes, expected 8");
    assert_eq!(error("rfc4106(gcm(aes))", &[2; 20]), "rfc4106(gcm(aes)): IV of 12 bytes, expected 8");
}

#[test]
fn names_that_this_build_lacks_are_not_suggested() {
    let registry = registry();
    for asked in ["blowfish-cbc", "rc4", "md-5", "gcm-sm4", "HMAC-MD5"] {
        let nearest = registry.nearest(asked);
        assert_eq!(nearest.is_some(), cfg!(feature = "legacy"), "{asked}: {nearest:?}");
        assert!(nearest.is_none_or(|nearest| registry.drivers_of(&nearest).is_ok()), "{asked}");
    }
}

#[test]
fn hostile_names_have_bounded_harmless_messages() {
    let long = "x".repeat(1 << 24);
    assert_eq!(registry().nearest(&long), None);
    assert_eq!(Error::Unknown(long.clone()).with_suggestion().len(), long.len() + "unknown algorithm ``".len());
    assert!(algkit::hash(&long).unwrap_err().with_suggestion().len() < 300);
    for name in ["\u{1b}[31mgcm(aes)", "gcm\n(aes)\u{7}", "gcm(aes)\u{202e}"] {
        for error in [algkit::aead(name).unwrap_err(), Error::Unknown(name.into())] {
            let said = error.with_suggestion();
            assert!(said.contains(&name.escape_debug().to_string()), "{said}");
            assert!(said.chars().all(|c| c.is_ascii_graphic() || c == ' '), "{said:?}");
            assert!(said.contains("did you mean `gcm(aes)`?"), "{said}");
        }
    }
}

#[test]
fn a_faulty_driver_does_not_serve() {
    for (name, fault, complaint) in [
        ("ctr(aes)", Fault::Bit(0, usize::MAX), "SP 800-38A"),
        ("ctr(aes)", Fault::Bit(600, 4000), "encrypting: wrong output, from byte 1110 of 1111"),
        ("cbc(aes)", Fault::Decryption, "wrong plaintext"),
        ("xts(aes)", Fault::Segments, "pieces"),
        ("ctr(aes)", Fault::Iv, "chaining value"),
        ("gcm(aes)", Fault::AnyTag, "flipped"),
        ("ctr(aes)", Fault::Batch, "at once, under 1 keys: wrong text of message"),
        ("gcm(aes)", Fault::Batch, "at once, under 1 keys: wrong ciphertext or tag of message"),
        ("ctr(aes)", Fault::PanicInUse, "panicked: planted in use"),
        ("gcm(aes)", Fault::PanicInMake, "panicked: planted in make"),
    ] {
        let registry = registry();
        let best = registry.find_any(name).unwrap();
        registry.register(planted(name, fault)).unwrap();
        assert_eq!(the_planted(&registry).selftest(), SelfTest::Untested);
        let next = registry.find_any(name).unwrap();
        assert_eq!(next.driver, best.driver, "{fault:?}");
        match the_planted(&registry).selftest() {
            SelfTest::Failed(reason) => assert!(reason.contains(complaint), "{fault:?}: {reason}"),
            other => panic!("{fault:?}: {other:?}"),
        }
        match registry.find(best.kind, "planted") {
            Err(Error::SelfTest { name, reason }) => {
                assert_eq!(name, "planted");
                assert!(reason.contains(complaint), "{fault:?}: {reason}");
            }
            other => panic!("{fault:?}: {other:?}"),
        }
    }
}

#[test]
fn a_sound_driver_serves() {
    for name in ["ctr(aes)", "cbc(aes)", "xts(aes)", "gcm(aes)"] {
        let registry = registry();
        registry.register(planted(name, Fault::None)).unwrap();
        assert_eq!(registry.find_any(name).unwrap().driver, "planted");
        assert_eq!(the_planted(&registry).selftest(), SelfTest::Passed);
        assert_eq!(registry.register(planted(name, Fault::None)), Err(Error::Duplicate("planted".into())));
    }
}

#[test]
fn what_fails_the_long_test_is_retired_with_what_is_built_on_it() {
    let registry = registry();
    let (ctr, rfc3686) = ("ctr(aes)", "rfc3686(ctr(aes))");
    let best = registry.find_any(ctr).unwrap();
    // Affects no known answer and no length of the short test.
    registry.register(planted(ctr, Fault::Bit(100, 100))).unwrap();
    assert_eq!(registry.find_any(ctr).unwrap().driver, "planted");
    assert_eq!(registry.find_any(rfc3686).unwrap().driver, "rfc3686(planted)");

    let driver = the_planted(&registry);
    assert_eq!(registry.test_extent(&driver, Extent::Short), SelfTest::Passed);
    let outcome = registry.test_extent(&driver, Extent::Long);
    assert!(matches!(&outcome, SelfTest::Failed(reason) if reason.contains("text of 100")), "{outcome:?}");
    assert_eq!(driver.selftest(), outcome);
    assert_eq!(registry.test(&driver), outcome);

    assert_eq!(registry.find_any(ctr).unwrap().driver, best.driver);
    let rebuilt = registry.find_any(rfc3686).unwrap();
    assert!(!rebuilt.driver.contains("planted"), "{}", rebuilt.driver);
    assert!(registry.find(Type::Skcipher, "rfc3686(planted)").is_err());
}

/// SHA-256 from another crate.
#[derive(Clone)]
struct External(sha2::Sha256);

impl HashState for External {
    fn update(&mut self, data: &[u8]) {
        sha2::Digest::update(&mut self.0, data);
    }

    fn finish(&mut self, out: &mut [u8]) {
        out.copy_from_slice(&sha2::Digest::finalize_reset(&mut self.0));
    }

    fn digest_after(&self, parts: &[&[u8]], out: &mut [u8]) {
        let mut state = self.clone();
        parts.iter().for_each(|part| state.update(part));
        state.finish(out);
    }

    fn boxed_clone(&self) -> Box<dyn HashState> {
        Box::new(self.clone())
    }
}

struct ExternalHash;

impl HashOps for ExternalHash {
    fn start(&self) -> Box<dyn HashState> {
        Box::new(External(sha2::Digest::new()))
    }

    fn digest(&self, parts: &[&[u8]], out: &mut [u8]) {
        self.start().digest_after(parts, out);
    }
}

fn external(name: &str) -> Driver {
    let make = |_: CpuFeatures, _: &[u8], _: WeakKeys| Ok(Keyed::Hash(Box::new(ExternalHash)));
    above_all(Driver::new(name, "sha256-external", Type::Hash, Shape::hash(64, 32), make))
}

#[test]
fn a_driver_from_outside_serves_alone_and_in_templates() {
    let registry = registry();
    registry.register(external("sha256")).unwrap();
    assert_eq!(registry.hash("sha256").unwrap().driver().driver, "sha256-external");
    let hmac = registry.hash("hmac(sha256)").unwrap();
    assert_eq!(hmac.driver().driver, "hmac(sha256-external)");
    // RFC 4231, test case 2.
    let tag = hmac.key(b"Jefe").unwrap().digest(b"what do ya want for nothing?");
    assert_eq!(tag[..4], [0x5b, 0xdc, 0xc1, 0x46]);
    // It cannot export states, so what is built on it cannot either.
    for hash in [registry.hash("sha256").unwrap().unkeyed().unwrap(), hmac.key(b"Jefe").unwrap()] {
        let driver = hash.driver().driver.clone();
        assert_eq!(hash.start().export(), Err(Error::NoExport(driver.clone())));
        assert_eq!(hash.import(&[]).unwrap_err(), Error::BadState(driver));
    }
}

#[test]
fn what_cannot_be_tested_does_not_serve() {
    let registry = registry();
    registry.register(external("snake-oil")).unwrap();
    match registry.hash("snake-oil") {
        Err(Error::SelfTest { reason, .. }) => assert!(reason.contains("no known answers"), "{reason}"),
        other => panic!("{other:?}"),
    }
    // Registered under a wrong name, it fails the comparison.
    let registry = crate::registry();
    registry.register(external("blake2s-256")).unwrap();
    assert_ne!(registry.hash("blake2s-256").unwrap().driver().driver, "sha256-external");
}

/// A driver of SHA-256 that finds another one when it gets a key, by `name`.
fn wrapping(registry: &Arc<Registry>, name: &'static str) -> Driver {
    let registry = Arc::downgrade(registry);
    let make = move |_: CpuFeatures, _: &[u8], _: WeakKeys| {
        let found = registry.upgrade().ok_or(BadKey("gone"))?.hash(name).map_err(|_| BadKey("no other driver"))?;
        found.unkeyed().map_err(|_| BadKey("no key"))?;
        Ok(Keyed::Hash(Box::new(ExternalHash)))
    };
    above_all(Driver::new("sha256", "sha256-wrapping", Type::Hash, Shape::hash(64, 32), make))
}

#[test]
fn a_driver_that_looks_itself_up_fails_and_nobody_waits() {
    for (name, serves) in [
        ("sha256", false),
        ("sha256-wrapping", false),
        ("hmac(sha256)", false),
        ("sha256-generic", true),
        ("sha512", true),
    ] {
        let registry = Arc::new(registry());
        let best = registry.hash("sha256").unwrap().driver().driver.clone();
        registry.register(wrapping(&registry, name)).unwrap();
        let found = registry.hash("sha256").unwrap().driver().driver.clone();
        assert_eq!(found, if serves { "sha256-wrapping" } else { &best }, "{name}");
        let wrapping = registry.drivers().into_iter().find(|d| d.driver == "sha256-wrapping").unwrap();
        match wrapping.selftest() {
            SelfTest::Passed => assert!(serves, "{name}"),
            SelfTest::Failed(reason) => assert!(!serves && reason.contains("itself"), "{name}: {reason}"),
            SelfTest::Untested => panic!("{name}"),
        }
    }
}

#[test]
fn a_name_that_nobody_can_ask_for_is_not_registered() {
    let driver = |name: &str, driver: &str| {
        let make = |_: CpuFeatures, _: &[u8], _: WeakKeys| Ok(Keyed::Hash(Box::new(ExternalHash)));
        Driver::new(name, driver, Type::Hash, Shape::hash(64, 32), make)
    };
    for name in ["", "my hash", "naïve", "hash(", &"h".repeat(128)] {
        assert!(matches!(registry().register(driver(name, "x")), Err(Error::BadName { .. })), "{name:?}");
        assert!(matches!(registry().register(driver("x", name)), Err(Error::BadName { .. })), "{name:?}");
    }
    assert_eq!(registry().register(driver("x", "engine:hash(x)")), Ok(()));
}

#[test]
fn many_threads_test_a_driver_once() {
    let count = |threads: usize| {
        let made = Arc::new(AtomicUsize::new(0));
        let registry = registry();
        let counter = made.clone();
        let Driver { make, shape, .. } = planted("ctr(aes)", Fault::None);
        let counting = move |cpu: CpuFeatures, key: &[u8], weak: WeakKeys| {
            counter.fetch_add(1, Ordering::Relaxed);
            make(cpu, key, weak)
        };
        let driver = Driver::new("ctr(aes)", "planted", Type::Skcipher, shape, counting);
        registry.register(above_all(driver)).unwrap();
        let barrier = Barrier::new(threads);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    barrier.wait();
                    assert_eq!(registry.find_any("ctr(aes)").unwrap().driver, "planted");
                    // A template over a driver that other threads are testing.
                    assert!(registry.find_any("rfc3686(ctr(aes))").is_ok());
                });
            }
        });
        assert_eq!(the_planted(&registry).selftest(), SelfTest::Passed);
        let distinct = registry.drivers().iter().map(|d| d.driver.clone()).collect::<std::collections::HashSet<_>>();
        assert_eq!(distinct.len(), registry.drivers().len(), "an instance was registered twice");
        made.load(Ordering::Relaxed)
    };
    let alone = count(1);
    assert!(alone > 0);
    assert_eq!(count(16), alone);
}

#[test]
fn many_threads_use_a_fresh_registry() {
    let registry = registry();
    let barrier = Barrier::new(8);
    let found: Vec<Vec<String>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|i| {
                let (registry, barrier) = (&registry, &barrier);
                scope.spawn(move || {
                    barrier.wait();
                    let mut names = CATALOGUE.to_vec();
                    names.rotate_left(i * 7);
                    let mut found: Vec<_> = names
                        .iter()
                        .filter_map(|name| registry.find_any(name).ok())
                        .map(|driver| format!("{}: {}", driver.name, driver.driver))
                        .collect();
                    found.sort();
                    found
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(found.iter().all(|list| *list == found[0]));
}

#[test]
fn no_table_is_looked_up_by_default() {
    let registry = masked(NO_VECTORS, Policy::Constant);
    let find = |name: &str| registry.find_any(name).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(find("aes").driver, "aes-fixed-time");
    assert_eq!(find("cmac(aes)").driver, "cmac(aes-fixed-time)");
    assert_eq!(find("ctr(aes)").driver, "ctr-aes-u64bs");
    assert_eq!(find("xts(aes)").driver, "xts-aes-u64bs");
    for name in catalogue() {
        match registry.find_any(name) {
            // Only checksums and hashes without a key may use tables.
            Ok(driver) if driver.timing == Timing::Table => {
                assert!(name.starts_with("crc32") || name.starts_with("wp") || name.starts_with("streebog"), "{name}");
            }
            Ok(_) | Err(Error::TableOnly { .. }) => {}
            Err(error) => panic!("{name}: {error}"),
        }
    }
    // A driver's own name selects it whatever the policy.
    let cbc = registry.skcipher("cbc(aes-generic)").unwrap();
    assert_eq!((cbc.driver().driver.as_str(), cbc.driver().timing), ("cbc(aes-generic)", Timing::Table));
    let mut block = [0; 16];
    cbc.key(&[0; 16]).unwrap().encrypt(&mut [0; 16], &mut block[..]).unwrap();
    assert_eq!(block[..4], [0x66, 0xe9, 0x4b, 0xd4]); // GCM's hash key in test case 1
    #[cfg(feature = "legacy")]
    assert!(matches!(registry.cipher("twofish"), Err(Error::TableOnly { .. })));
    #[cfg(feature = "legacy")]
    assert!(masked(NO_VECTORS, Policy::Table).cipher("twofish").is_ok());
}

#[test]
fn names_that_mean_nothing() {
    let registry = registry();
    let find = |kind, name: &str| registry.find(kind, name).unwrap_err();
    assert!(matches!(find(Type::Skcipher, "xts(aes"), Error::BadName { .. }));
    assert!(matches!(find(Type::Skcipher, ""), Error::BadName { .. }));
    assert_eq!(find(Type::Skcipher, "nothing"), Error::Unknown("nothing".into()));
    assert_eq!(find(Type::Skcipher, "cbc(nothing)"), Error::Unknown("nothing".into()));
    assert_eq!(find(Type::Skcipher, "nothing(aes)"), Error::Unknown("nothing(aes)".into()));
    for name in ["cbc(aes,aes)", "cts(ctr(aes))", "essiv(cbc(aes),sha512)", "authenc(hmac(sha256))", "hmac(crc32,aes)"]
    {
        let kind = if name.starts_with("hmac") { Type::Hash } else { Type::Skcipher };
        let kind = if name.starts_with("authenc") { Type::Aead } else { kind };
        assert!(matches!(find(kind, name), Error::BadParameters { .. }), "{name}: {:?}", find(kind, name));
    }
    let wrong = Error::WrongType { name: "sha256".into(), found: Type::Hash, wanted: Type::Aead };
    assert_eq!(find(Type::Aead, "sha256"), wrong);
    assert!(matches!(find(Type::Skcipher, "cbc(sha256)"), Error::WrongType { found: Type::Hash, .. }));
    let masked = masked(NO_VECTORS, Policy::Constant);
    let mut driver = external("sha256");
    driver.needs = algkit::cpu::FeatureSet::of(algkit::cpu::Feature::ALL);
    masked.register(driver).unwrap();
    assert_eq!(masked.find(Type::Hash, "sha256-external").unwrap_err(), Error::NotUsable("sha256-external".into()));
}

#[test]
fn what_is_refused_changes_nothing() {
    let registry = registry();
    let text: Vec<u8> = (1..=48).collect();

    let cbc = registry.skcipher("cbc(aes)").unwrap();
    assert!(matches!(cbc.key(&[0; 17]), Err(Error::KeyLength { got: 17, .. })));
    let cbc = cbc.key(&[7; 16]).unwrap();
    let (mut iv, mut buf) = (vec![9; 16], text.clone());
    assert!(matches!(cbc.encrypt(&mut iv[..15], &mut buf[..]), Err(Error::IvLength { got: 15, want: 16, .. })));
    assert!(matches!(cbc.encrypt(&mut iv, &mut buf[..47]), Err(Error::TextLength { got: 47, .. })));
    assert!(matches!(cbc.decrypt(&mut iv, &mut buf[..1]), Err(Error::TextLength { got: 1, .. })));
    assert!(Text::new(&text, &mut buf[1..]).is_err());
    assert_eq!((&buf, &iv), (&text, &vec![9; 16]));

    let xts = registry.skcipher("xts(aes)").unwrap();
    assert!(matches!(xts.key(&[7; 64]), Err(Error::BadKey { .. })), "equal halves");
    let xts = xts.key_with(&[7; 64], WeakKeys::Allow).unwrap();
    assert!(matches!(xts.encrypt(&mut iv, &mut buf[..15]), Err(Error::TextLength { got: 15, .. })));
    let cts = registry.skcipher("cts(cbc(aes))").unwrap().key(&[7; 16]).unwrap();
    assert!(matches!(cts.encrypt(&mut iv, &mut buf[..15]), Err(Error::TextLength { got: 15, .. })));
    assert_eq!((&buf, &iv), (&text, &vec![9; 16]));

    let mut tag = [5; 16];
    let gcm = registry.aead("gcm(aes)").unwrap().key(&[7; 32]).unwrap();
    assert!(matches!(gcm.encrypt(&[], &[], &mut buf[..], &mut tag), Err(Error::IvLength { got: 0, .. })));
    assert!(matches!(gcm.encrypt(&[0; 12], &[], &mut buf[..], &mut tag[..5]), Err(Error::TagLength { got: 5, .. })));
    assert!(matches!(gcm.decrypt(&[0; 12], &[], &mut buf[..], &[]), Err(Error::TagLength { got: 0, .. })));
    assert!(matches!(gcm.open(&[0; 12], &[], &[0; 15]), Err(Error::TextLength { got: 15, .. })));
    let ccm = registry.aead("ccm(aes)").unwrap().key(&[7; 32]).unwrap();
    assert!(matches!(ccm.encrypt(&[0; 16], &[], &mut buf[..], &mut tag), Err(Error::BadIv { .. })));
    assert!(matches!(ccm.decrypt(&[8; 16], &[], &mut buf[..], &tag), Err(Error::BadIv { .. })));
    let mut long = vec![3; 1 << 16];
    assert!(matches!(ccm.encrypt(&[1; 16], &[], &mut long[..], &mut tag), Err(Error::TextLength { .. })));
    assert!(long.iter().all(|&b| b == 3));
    let esp = registry.aead("rfc4106(gcm(aes))").unwrap().key(&[7; 36]).unwrap();
    for assoc in [0, 8, 15, 17, 21] {
        let refused = esp.encrypt(&[0; 8], &[&[1; 21][..assoc]], &mut buf[..], &mut tag);
        assert!(matches!(refused, Err(Error::AssocLength { got, .. }) if got == assoc));
    }
    assert_eq!((&buf, tag), (&text, [5; 16]));

    let sha = registry.hash("sha256").unwrap();
    assert!(matches!(sha.key(&[1]), Err(Error::KeyLength { got: 1, .. })));
    let mut out = [5; 31];
    assert_eq!(sha.unkeyed().unwrap().digest_into(&[b"abc"], &mut out), Err(Error::OutputLength { got: 31, want: 32 }));
    assert_eq!(out, [5; 31]);
    assert_eq!(registry.hash("cmac(aes)").unwrap().digest(b""), Err(Error::KeyMissing("cmac(aes)".into())));
}

/// A key for `driver`; for `authenc`, one that its cipher accepts.
fn any_key(driver: &Driver) -> Vec<u8> {
    let key: Vec<u8> = (1..=64).collect();
    if driver.name.contains("authenc") {
        let enc_len = if driver.name.contains("xts") { 64 } else { 32 };
        return authenc_key(&key[..32], &key[..enc_len]).to_vec();
    }
    key[..driver.shape.keys.max().min(64)].to_vec()
}

#[test]
fn a_forgery_leaves_no_plaintext() {
    let mut random = Random(4);
    let mut aeads = 0;
    for name in CATALOGUE {
        let kind = masked("", Policy::Table).find_any(name).map(|driver| driver.kind);
        if kind != Ok(Type::Aead) {
            continue;
        }
        aeads += 1;
        for (registry, drivers) in drivers_of(name) {
            for driver in drivers {
                let aead: Aead = registry.aead(&driver.driver).unwrap().key(&any_key(&driver)).unwrap();
                let mut iv = random.bytes(driver.shape.ivsize);
                if name.starts_with("ccm") {
                    iv[0] = 3;
                }
                // Long enough for essiv, which replaces the IV at the end, and a length that rfc4106 accepts; seqiv
                // appends the IV of 8 bytes.
                let assoc = random.bytes(if name.starts_with("seqiv") { 12 } else { 20 });
                let plain = random.bytes(688);
                let mut sealed = plain.clone();
                let mut tag = vec![0; aead.max_tag_len()];
                aead.encrypt(&iv, &[&assoc], &mut sealed[..], &mut tag).unwrap();
                for _ in 0..12 {
                    let mut forged = tag.clone();
                    forged[random.below(tag.len())] ^= 1 << random.below(8);
                    let left = in_random_layout(&mut random, &sealed, |text| {
                        let opened = aead.decrypt(&iv, &[&assoc], text, &forged);
                        assert_eq!(opened, Err(Error::Authentication), "{}", driver.driver);
                    });
                    assert!(left.iter().all(|&b| b == 0), "{}", driver.driver);
                }
                let mut other = assoc.clone();
                other[0] ^= 1;
                assert_eq!(aead.decrypt(&iv, &[&other], &mut sealed.clone()[..], &tag), Err(Error::Authentication));
                aead.decrypt(&iv, &[&assoc], &mut sealed[..], &tag).unwrap();
                // A template that generates IVs has put one in front of the text.
                let made = if ["seqiv", "echainiv"].contains(&name.split('(').next().unwrap()) {
                    driver.shape.ivsize
                } else {
                    0
                };
                assert_eq!(sealed[made..], plain[made..], "{}", driver.driver);
            }
        }
    }
    assert!(aeads >= 14, "only {aeads} AEADs");
}

#[test]
fn a_message_in_calls_is_the_message_in_one() {
    let mut random = Random(5);
    let key: Vec<u8> = (0..64).collect();
    for (name, key_len) in [
        ("ecb(aes)", 16),
        ("cbc(aes)", 24),
        ("ctr(aes)", 32),
        ("pcbc(aes)", 16),
        ("lrw(aes)", 48),
        ("cbc(serpent)", 32),
        ("ctr(serpent)", 16),
        ("lrw(serpent)", 32),
    ] {
        for (registry, drivers) in drivers_of(name) {
            for driver in drivers {
                let cipher: Skcipher = registry.skcipher(&driver.driver).unwrap().key(&key[..key_len]).unwrap();
                let iv = if random.below(2) == 0 {
                    vec![0xff; driver.shape.ivsize]
                } else {
                    random.bytes(driver.shape.ivsize)
                };
                for direction in [Direction::Encrypt, Direction::Decrypt] {
                    let text = random.bytes(16 * 97);
                    let (mut whole, mut parts) = (text.clone(), text);
                    let (mut whole_iv, mut parts_iv) = (iv.clone(), iv.clone());
                    cipher.crypt(direction, &mut whole_iv, &mut Text::from(&mut whole[..])).unwrap();
                    let mut rest = &mut parts[..];
                    while !rest.is_empty() {
                        let len = 16 * random.below(1 + rest.len() / 16);
                        let (front, back) = rest.split_at_mut(len);
                        cipher.crypt(direction, &mut parts_iv, &mut Text::from(front)).unwrap();
                        rest = back;
                    }
                    assert!(whole == parts && whole_iv == parts_iv, "{}, {direction:?}", driver.driver);
                }
            }
        }
    }
}

#[test]
fn modes_that_do_not_chain_leave_the_iv() {
    for (name, key_len) in
        [("xts(aes)", 64), ("xctr(aes)", 32), ("rfc3686(ctr(aes))", 36), ("chacha20", 32), ("xchacha12", 32)]
    {
        for (registry, drivers) in drivers_of(name) {
            for driver in drivers {
                let key: Vec<u8> = (0..key_len).collect();
                let cipher: Skcipher = registry.skcipher(&driver.driver).unwrap().key(&key).unwrap();
                let mut iv = vec![9; driver.shape.ivsize];
                cipher.encrypt(&mut iv, &mut vec![1; 300][..]).unwrap();
                assert!(iv.iter().all(|&b| b == 9), "{}", driver.driver);
            }
        }
    }
}

#[test]
fn a_driver_that_declares_another_type_is_refused() {
    let registry = registry();
    let make = |_: CpuFeatures, _: &[u8], _: WeakKeys| Ok(Keyed::Hash(Box::new(ExternalHash)));
    let shape = registry.find_any("ctr(aes)").unwrap().shape.clone();
    let liar = above_all(Driver::new("ctr(aes)", "liar", Type::Skcipher, shape, make));
    registry.register(liar).unwrap();
    assert_ne!(registry.find_any("ctr(aes)").unwrap().driver, "liar");
    assert!(matches!(registry.skcipher("liar"), Err(Error::SelfTest { .. })));
}

#[test]
fn pieces_of_a_state_can_be_cut_anywhere() {
    let registry = registry();
    let mac: Hash = registry.hash("hmac(sha256)").unwrap().key(b"key").unwrap();
    let mut message: Vec<u8> = (0..=255).cycle().take(1000).collect();
    let want = mac.digest(&message);
    let mut random = Random(6);
    let pieces = random.pieces(1000);
    let parts: Vec<&[u8]> = cut(&mut message, &pieces).into_iter().map(|piece| &*piece).collect();
    let mut out = [0; 32];
    mac.digest_into(&parts, &mut out).unwrap();
    assert_eq!(out[..], want);
    assert!(mac.verify(&message, &want) && !mac.verify(&message[1..], &want) && !mac.verify(&message, &want[1..]));
}

#[test]
fn a_registry_does_not_grow_forever() {
    let registry = registry();
    assert!(registry.hash("sha256").is_ok());
    for n in registry.drivers().len()..MAX_KNOWN {
        let mut driver = external("sha256");
        driver.driver = format!("sha256-external-{n}");
        registry.register(driver).unwrap();
    }
    // Lookup results are forgotten when a driver is registered.
    assert_eq!(registry.hash("hmac(sha256)").map(drop), Err(Error::Full("hmac(sha256)".into())));
    // What is there is still found.
    for _ in 0..2 {
        assert!(registry.hash("sha256").is_ok() && registry.skcipher("xts(aes)").is_ok());
    }
}

#[test]
fn all_drivers_of_a_name_are_listed() {
    let registry = registry();
    let list = |name: &str| -> Vec<String> {
        registry.drivers_of(name).unwrap().iter().map(|driver| driver.driver.clone()).collect()
    };
    let before = registry.drivers().len();
    let ciphers: Vec<_> = registry.drivers().iter().filter(|d| d.name == "aes").map(|d| d.driver.clone()).collect();
    assert!(ciphers.len() >= 2, "{ciphers:?}");

    // Every cipher makes one driver, and every row of the table is listed.
    let cbc = list("cbc(aes)");
    assert!(ciphers.iter().all(|cipher| cbc.contains(&format!("cbc({cipher})"))), "{cbc:?}");
    let rows = registry.drivers().into_iter().filter(|d| d.name == "cbc(aes)");
    assert!(rows.clone().count() > 0 && rows.into_iter().all(|row| cbc.contains(&row.driver)), "{cbc:?}");
    // A driver's own name lists one driver, in every spelling.
    for name in ["xts(aes-generic)", "xts(ecb(aes-generic))"] {
        assert_eq!(list(name), ["xts(ecb(aes-generic))"]);
    }
    assert_eq!(list("aes-generic"), ["aes-generic"]);
    // Each driver of each part is used by at least one composed driver.
    let gcm = list("gcm(aes)");
    for part in list("ctr(aes)").iter().chain(&list("ghash")) {
        let uses = |driver: &&String| Name::parse(driver).unwrap().args.iter().any(|arg| arg.to_string() == *part);
        assert!(gcm.iter().any(|driver| uses(&driver)), "{part}: {gcm:?}");
    }
    assert_eq!(registry.drivers().len(), before, "listing keeps nothing");

    // The best driver comes first, and every usable driver in the list is found by its own name.
    for name in ["aes", "cbc(aes)", "gcm(aes)", "ccm(aes)", "essiv(cbc(aes),sha256)", "hmac(sha256)", "sha256"] {
        let drivers = registry.drivers_of(name).unwrap();
        assert_eq!(drivers[0].driver, registry.find_any(name).unwrap().driver, "{name}");
        for driver in drivers.iter().filter(|driver| registry.is_usable(driver)) {
            let found = registry.find(driver.kind, &driver.driver).unwrap();
            assert_eq!((&found.driver, &found.name, found.timing), (&driver.driver, &driver.name, driver.timing));
        }
        let distinct: std::collections::HashSet<_> = drivers.iter().map(|d| &d.driver).collect();
        assert_eq!(distinct.len(), drivers.len(), "{name}");
    }
    let unlisted = |name: &str| registry.drivers_of(name).unwrap_err();
    assert_eq!(unlisted("nothing"), Error::Unknown("nothing".into()));
    assert_eq!(unlisted("cbc(nothing)"), Error::Unknown("nothing".into()));
    assert!(matches!(unlisted("cbc(aes"), Error::BadName { .. }));
    assert!(matches!(unlisted("cbc(sha256)"), Error::WrongType { found: Type::Hash, .. }));
    assert!(matches!(unlisted("cbc(aes,aes)"), Error::BadParameters { .. }));
    // The deepest nesting is refused without exponential work.
    assert!(registry.drivers_of("cts(cbc(cts(cbc(cts(cbc(cts(aes)))))))").is_err());
}

/// The key and the IV of a known answer for one block.
const KEY: &[u8] = &hex!("2b7e151628aed2a6abf7158809cf4f3c");
const IV: &[u8] = &hex!("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff");

/// One known answer each for algorithms that this crate does not have.
static ANSWERS: &[Vector] = &[
    Vector {
        name: "my-cipher",
        source: "SP 800-38A, F.5.1, first block",
        known: Known::Skcipher {
            key: KEY,
            iv: IV,
            plain: &hex!("6bc1bee22e409f96e93d7e117393172a"),
            cipher: &hex!("874d6191b620e3261bef6864990db6ce"),
        },
    },
    Vector {
        name: "my-aead",
        source: "McGrew and Viega 2005, GCM test case 2",
        known: Known::Aead {
            key: &[0; 16],
            iv: &[0; 12],
            assoc: &[],
            plain: &[0; 16],
            sealed: &hex!("0388dace60b6a392f328c2b971b2fe78 ab6e47d42cec13bdf53a67b21257bddf"),
        },
    },
    Vector {
        name: "my-hash",
        source: "FIPS 180-2, B.1",
        known: Known::Hash {
            key: &[],
            message: b"abc",
            digest: &hex!("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        },
    },
];

/// A driver of an algorithm that only `ANSWERS` knows.
fn of_its_own(model: &'static str, name: &str, fault: Fault) -> Driver {
    let mut driver = planted(model, fault);
    driver.name = name.to_owned();
    driver
}

/// SHA-256 that hashes only the first of several pieces.
struct FirstPiece;

impl HashOps for FirstPiece {
    fn start(&self) -> Box<dyn HashState> {
        ExternalHash.start()
    }

    fn digest(&self, parts: &[&[u8]], out: &mut [u8]) {
        ExternalHash.digest(&parts[..parts.len().min(1)], out);
    }
}

#[test]
fn where_there_is_no_other_driver_a_fault_shows_all_the_same() {
    let check = |driver: Driver, complaint: Option<&str>| {
        let registry = registry();
        registry.register_answers(ANSWERS);
        let (kind, name) = (driver.kind, driver.name.clone());
        registry.register(driver).unwrap();
        match (registry.find(kind, &name), complaint) {
            (Ok(_), None) => {}
            (Err(Error::SelfTest { reason, .. }), Some(complaint)) => {
                assert!(reason.contains(complaint), "{name}: {reason}, not {complaint}");
                assert!(!reason.contains("SP 800-38A"), "{name}: a known answer shows it: {reason}");
            }
            (other, _) => panic!("{name}: {other:?}, not {complaint:?}"),
        }
    };
    for (fault, complaint) in [
        (Fault::None, None),
        (Fault::Decryption, Some("plaintext")),
        (Fault::Segments, Some("encrypting: wrong output")),
        (Fault::Batch, Some("at once, under 1 keys: wrong text of message")),
        (Fault::Once, Some("wrong output of a message by itself")),
        (Fault::AnyIv, Some("two IVs give the same output")),
    ] {
        check(of_its_own("ctr(aes)", "my-cipher", fault), complaint);
    }
    for (fault, complaint) in [
        (Fault::None, None),
        (Fault::AnyTag, Some("flipped")),
        (Fault::Batch, Some("at once, under 1 keys: wrong ciphertext or tag of message")),
        (Fault::Packet, Some("packet")),
        (Fault::AnyIv, Some("accepted with another IV")),
        (Fault::AnyAssoc, Some("accepted with other associated data")),
    ] {
        check(of_its_own("gcm(aes)", "my-aead", fault), complaint);
    }
    check(of_its_own("ctr(aes)", "my-cipher", Fault::AnyKey), Some("two keys give the same output"));
    check(external("my-hash"), None);
    let make = |_: CpuFeatures, _: &[u8], _: WeakKeys| Ok(Keyed::Hash(Box::new(FirstPiece)));
    let wrong = Driver::new("my-hash", "sha256-first", Type::Hash, Shape::hash(64, 32), make);
    check(wrong, Some("wrong digest"));
}
