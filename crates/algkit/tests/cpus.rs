//! The drivers that names resolve to on other CPUs, from recorded CPUID values (`data/cpuid.txt`). Each record is
//! tested with an operating system that saves all registers, with one that saves AVX's, and with one that saves
//! none.
#![cfg(all(target_arch = "x86_64", feature = "aes", feature = "chacha", feature = "sha"))]

use algkit::{
    Error, Extent, Policy, Registry, SelfTest,
    cpu::{Cpuid, Feature, FeatureSet},
};

/// A recorded CPUID and its name.
struct Record {
    name: &'static str,
    cpuid: Cpuid,
}

fn records() -> Vec<Record> {
    let mut records = Vec::<Record>::new();
    for line in include_str!("data/cpuid.txt").lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        let (key, value) = line.split_once(' ').expect(line);
        let value = value.trim();
        if key == "record" {
            records.push(Record { name: value, cpuid: Cpuid::default() });
            continue;
        }
        let record = records.last_mut().expect("a record before its lines");
        let registers = || {
            let registers: Vec<_> = value.split(' ').map(|x| u32::from_str_radix(x, 16).expect(line)).collect();
            registers.try_into().expect("four registers")
        };
        match key {
            "source" => assert!(!value.is_empty()),
            "0" => record.cpuid.leaf0 = registers(),
            "1" => record.cpuid.leaf1 = registers(),
            "7" => record.cpuid.leaf7 = registers(),
            _ => panic!("{line}"),
        }
    }
    records
}

/// The registers that the operating system saves.
#[derive(Clone, Copy, PartialEq, Debug)]
enum System {
    Full,
    Avx,
    None,
}

/// The features of a record under an operating system. From the record only XSAVE is used; OSXSAVE depends on the
/// system.
fn features(cpuid: &Cpuid, system: System) -> FeatureSet {
    const XSAVE: u32 = 1 << 26;
    const OSXSAVE: u32 = 1 << 27;
    let mut cpuid = *cpuid;
    let enabled = cpuid.leaf1[2] & XSAVE != 0 && system != System::None;
    cpuid.leaf1[2] = cpuid.leaf1[2] & !OSXSAVE | if enabled { OSXSAVE } else { 0 };
    cpuid.xcr0 = match system {
        System::Full => 0x2e7,
        System::Avx => 0x7,
        System::None => 0x1,
    };
    cpuid.features()
}

fn names(features: FeatureSet) -> String {
    features.iter().map(Feature::name).collect::<Vec<_>>().join(" ")
}

const SSE: &str = "sse2 ssse3 sse4.1 sse4.2";

/// Features by record: with all registers saved, with those of AVX, and with none.
#[rustfmt::skip]
const FEATURES: &[(&str, &str, &str, &str)] = &[
    ("Nehalem (Core i7 920)", SSE, SSE, SSE),
    ("Haswell (Core i7-4710MQ)", "S aes pclmul avx avx2 fastsimd", "S aes pclmul avx avx2 fastsimd", "S aes pclmul"),
    ("Skylake client (Core i5-6600K)", "S aes pclmul avx avx2 fastsimd", "S aes pclmul avx avx2 fastsimd", "S aes pclmul"),
    ("Skylake server (Xeon Gold 6154)", "S aes pclmul avx avx2 avx512 fastsimd", "S aes pclmul avx avx2 fastsimd", "S aes pclmul"),
    ("Ice Lake client (Core i7-1065G7)", "S aes pclmul avx avx2 avx512 vaes vpclmul sha ifma fastsimd", "S aes pclmul avx avx2 vaes vpclmul sha fastsimd", "S aes pclmul sha"),
    ("Ice Lake server (Xeon D-1718T, under Hyper-V)", "S aes pclmul avx avx2 avx512 vaes vpclmul sha ifma fastsimd", "S aes pclmul avx avx2 vaes vpclmul sha fastsimd", "S aes pclmul sha"),
    ("Tiger Lake (Core i5-1135G7)", "S aes pclmul avx avx2 avx512 vaes vpclmul sha ifma fastsimd", "S aes pclmul avx avx2 vaes vpclmul sha fastsimd", "S aes pclmul sha"),
    ("Alder Lake P (Core i9-12900K, CPU 0)", "S aes pclmul avx avx2 vaes vpclmul sha fastsimd", "S aes pclmul avx avx2 vaes vpclmul sha fastsimd", "S aes pclmul sha"),
    ("Alder Lake E (Core i9-12900K, CPU 23)", "S aes pclmul avx avx2 vaes vpclmul sha fastsimd", "S aes pclmul avx avx2 vaes vpclmul sha fastsimd", "S aes pclmul sha"),
    ("Arrow Lake (Core Ultra 7 265K, CPU 0)", "S aes pclmul avx avx2 vaes vpclmul sha fastsimd", "S aes pclmul avx avx2 vaes vpclmul sha fastsimd", "S aes pclmul sha"),
    ("Sapphire Rapids (Xeon w7-2475X)", "S aes pclmul avx avx2 avx512 vaes vpclmul sha fast512 ifma fastsimd", "S aes pclmul avx avx2 vaes vpclmul sha fastsimd", "S aes pclmul sha"),
    ("Granite Rapids (a guest of KVM)", "S aes pclmul avx avx2 avx512 vaes vpclmul sha fast512 ifma fastsimd", "S aes pclmul avx avx2 vaes vpclmul sha fastsimd", "S aes pclmul sha"),
    ("Goldmont Plus (Celeron N4100)", "S aes pclmul sha", "S aes pclmul sha", "S aes pclmul sha"),
    ("Zen 1 (Ryzen 7 1800X)", "S aes pclmul avx avx2 sha fastsimd", "S aes pclmul avx avx2 sha fastsimd", "S aes pclmul sha"),
    ("Zen 2 (Ryzen 5 3600)", "S aes pclmul avx avx2 sha fastsimd", "S aes pclmul avx avx2 sha fastsimd", "S aes pclmul sha"),
    ("Zen 3 (Ryzen 5 5600X3D)", "S aes pclmul avx avx2 vaes vpclmul sha fastsimd", "S aes pclmul avx avx2 vaes vpclmul sha fastsimd", "S aes pclmul sha"),
    ("Zen 4 (Ryzen 5 7600X)", "S aes pclmul avx avx2 avx512 vaes vpclmul sha fast512 ifma fastsimd", "S aes pclmul avx avx2 vaes vpclmul sha fastsimd", "S aes pclmul sha"),
    ("Zen 5 (Ryzen 7 9700X)", "S aes pclmul avx avx2 avx512 vaes vpclmul sha fast512 ifma", "S aes pclmul avx avx2 vaes vpclmul sha", "S aes pclmul sha"),
    ("Zen 4 under a hypervisor that hides AVX-512", "S aes pclmul avx avx2 vaes vpclmul sha fastsimd", "S aes pclmul avx avx2 vaes vpclmul sha fastsimd", "S aes pclmul sha"),
    ("Zen 4 under a hypervisor that hides AVX-512 F alone", "S aes pclmul avx avx2 vaes vpclmul sha fastsimd", "S aes pclmul avx avx2 vaes vpclmul sha fastsimd", "S aes pclmul sha"),
    ("Haswell under a hypervisor that hides XSAVE", "S aes pclmul", "S aes pclmul", "S aes pclmul"),
    ("AVX10 with 256 bits", "S aes pclmul avx avx2 vaes vpclmul sha fastsimd", "S aes pclmul avx avx2 vaes vpclmul sha fastsimd", "S aes pclmul sha"),
    ("qemu64", "sse2", "sse2", "sse2"),
];

/// The expected features in full; "S" stands for all SSE features.
fn expected(text: &str) -> String {
    text.replace("S ", &format!("{SSE} "))
}

#[test]
fn each_record_has_the_features_that_its_maker_lists() {
    let records = records();
    assert_eq!(records.iter().map(|r| r.name).collect::<Vec<_>>(), FEATURES.iter().map(|f| f.0).collect::<Vec<_>>());
    for (record, (name, full, avx, none)) in records.iter().zip(FEATURES) {
        for (system, text) in [(System::Full, full), (System::Avx, avx), (System::None, none)] {
            assert_eq!(names(features(&record.cpuid, system)), expected(text), "{name}, {system:?}");
        }
    }
}

const ALGORITHMS: [&str; 7] =
    ["ctr(aes)", "xts(aes)", "gcm(aes)", "sha256", "sha512", "chacha20", "rfc7539(chacha20,poly1305)"];

/// The drivers that the algorithms resolve to, by the features that groups of CPUs share.
#[rustfmt::skip]
const DRIVERS: &[(&str, [&str; 7])] = &[
    ("sse2", ["ctr-aes-u64bs", "xts-aes-u64bs", "gcm_base(ctr-aes-u64bs,ghash-generic)", "sha256-generic", "sha512-generic", "chacha20-sse2", "rfc7539-chacha20-poly1305-sse2"]),
    ("ssse3", ["ctr-aes-ssse3bs", "xts-aes-ssse3bs", "gcm_base(ctr-aes-ssse3bs,ghash-generic)", "sha256-generic", "sha512-generic", "chacha20-ssse3", "rfc7539-chacha20-poly1305-ssse3"]),
    ("aesni", ["ctr-aes-aesni", "xts-aes-aesni", "gcm-aes-aesni", "sha256-generic", "sha512-generic", "chacha20-ssse3", "rfc7539-chacha20-poly1305-ssse3"]),
    ("aesni sha", ["ctr-aes-aesni", "xts-aes-aesni", "gcm-aes-aesni", "sha256-ni", "sha512-generic", "chacha20-ssse3", "rfc7539-chacha20-poly1305-ssse3"]),
    ("avx2", ["ctr-aes-aesni", "xts-aes-aesni", "gcm-aes-aesni", "sha256-avx2", "sha512-avx2", "chacha20-avx2", "rfc7539-chacha20-poly1305-avx2"]),
    ("avx2 sha", ["ctr-aes-aesni", "xts-aes-aesni", "gcm-aes-aesni", "sha256-ni", "sha512-avx2", "chacha20-avx2", "rfc7539-chacha20-poly1305-avx2"]),
    ("vaes", ["ctr-aes-vaes-avx2", "xts-aes-vaes-avx2", "gcm-aes-vaes-avx2", "sha256-ni", "sha512-avx2", "chacha20-avx2", "rfc7539-chacha20-poly1305-avx2"]),
    ("avx512", ["ctr-aes-vaes-avx512", "xts-aes-vaes-avx512", "gcm-aes-vaes-avx512", "sha256-ni-avx512", "sha512-avx512", "chacha20-avx512", "rfc7539-chacha20-poly1305-ifma"]),
];

/// The records, with the line of [`DRIVERS`] for each system.
#[rustfmt::skip]
const RESOLVED: &[(&str, [&str; 3])] = &[
    ("Nehalem (Core i7 920)", ["ssse3", "ssse3", "ssse3"]),
    ("Haswell (Core i7-4710MQ)", ["avx2", "avx2", "aesni"]),
    ("Skylake client (Core i5-6600K)", ["avx2", "avx2", "aesni"]),
    // CPUs up to Tiger Lake lower their frequency for AVX-512.
    ("Skylake server (Xeon Gold 6154)", ["avx2", "avx2", "aesni"]),
    ("Ice Lake client (Core i7-1065G7)", ["vaes", "vaes", "aesni sha"]),
    ("Ice Lake server (Xeon D-1718T, under Hyper-V)", ["vaes", "vaes", "aesni sha"]),
    ("Tiger Lake (Core i5-1135G7)", ["vaes", "vaes", "aesni sha"]),
    ("Alder Lake P (Core i9-12900K, CPU 0)", ["vaes", "vaes", "aesni sha"]),
    ("Alder Lake E (Core i9-12900K, CPU 23)", ["vaes", "vaes", "aesni sha"]),
    ("Arrow Lake (Core Ultra 7 265K, CPU 0)", ["vaes", "vaes", "aesni sha"]),
    ("Sapphire Rapids (Xeon w7-2475X)", ["avx512", "vaes", "aesni sha"]),
    ("Granite Rapids (a guest of KVM)", ["avx512", "vaes", "aesni sha"]),
    ("Goldmont Plus (Celeron N4100)", ["aesni sha", "aesni sha", "aesni sha"]),
    ("Zen 1 (Ryzen 7 1800X)", ["avx2 sha", "avx2 sha", "aesni sha"]),
    ("Zen 2 (Ryzen 5 3600)", ["avx2 sha", "avx2 sha", "aesni sha"]),
    ("Zen 3 (Ryzen 5 5600X3D)", ["vaes", "vaes", "aesni sha"]),
    ("Zen 4 (Ryzen 5 7600X)", ["avx512", "vaes", "aesni sha"]),
    ("Zen 5 (Ryzen 7 9700X)", ["avx512", "vaes", "aesni sha"]),
    ("Zen 4 under a hypervisor that hides AVX-512", ["vaes", "vaes", "aesni sha"]),
    ("Zen 4 under a hypervisor that hides AVX-512 F alone", ["vaes", "vaes", "aesni sha"]),
    ("Haswell under a hypervisor that hides XSAVE", ["aesni", "aesni", "aesni"]),
    ("AVX10 with 256 bits", ["vaes", "vaes", "aesni sha"]),
    ("qemu64", ["sse2", "sse2", "sse2"]),
];

const SYSTEMS: [System; 3] = [System::Full, System::Avx, System::None];

fn resolve(features: FeatureSet) -> [String; 7] {
    let registry = Registry::foreign(features, Policy::Constant);
    ALGORITHMS.map(|name| registry.find_any(name).expect(name).driver.clone())
}

fn drivers(line: &str) -> [String; 7] {
    DRIVERS.iter().find(|(name, _)| *name == line).expect(line).1.map(str::to_owned)
}

fn record(name: &str) -> Cpuid {
    records().iter().find(|record| record.name == name).expect(name).cpuid
}

#[test]
fn each_record_resolves_to_the_best_drivers_that_it_can_run() {
    let records = records();
    assert_eq!(records.iter().map(|r| r.name).collect::<Vec<_>>(), RESOLVED.iter().map(|r| r.0).collect::<Vec<_>>());
    for (record, (name, lines)) in records.iter().zip(RESOLVED) {
        for (system, line) in SYSTEMS.into_iter().zip(lines) {
            assert_eq!(resolve(features(&record.cpuid, system)), drivers(line), "{name}, {system:?}");
        }
    }
}

/// BLAKE2 is one dependent chain. On Zen 5, whose vector operations take two cycles, general registers are faster.
#[cfg(feature = "blake2")]
#[test]
fn chains_of_vector_operations_are_avoided_where_each_takes_two_cycles() {
    for (name, driver) in
        [("Zen 4 (Ryzen 5 7600X)", "blake2b-512-avx512"), ("Zen 5 (Ryzen 7 9700X)", "blake2b-512-generic")]
    {
        let registry = Registry::foreign(features(&record(name), System::Full), Policy::Constant);
        assert_eq!(registry.find_any("blake2b-512").unwrap().driver, driver, "{name}");
    }
}

/// QEMU's TCG has AVX2 and VAES without VPCLMULQDQ. Every VAES driver here needs both.
#[test]
fn vaes_without_its_companion_is_not_used() {
    let zen3 = features(&record("Zen 3 (Ryzen 5 5600X3D)"), System::Full);
    assert_eq!(resolve(zen3.without(Feature::Vpclmul)), drivers("avx2 sha"));
    assert_eq!(resolve(zen3.without(Feature::Vaes)), drivers("avx2 sha"));
}

#[test]
fn the_preference_for_a_width_can_be_overridden_both_ways() {
    let ice_lake = features(&record("Ice Lake client (Core i7-1065G7)"), System::Full);
    assert_eq!(resolve(ice_lake.with(Feature::Fast512)), drivers("avx512"));
    let zen4 = features(&record("Zen 4 (Ryzen 5 7600X)"), System::Full);
    assert_eq!(resolve(zen4.without(Feature::Fast512)), drivers("vaes"));
    // The 512-bit drivers remain usable under their own names, with the lowest priority.
    let registry = Registry::foreign(ice_lake, Policy::Constant);
    let wide = registry.find_any("xts-aes-vaes-avx512").expect("it is usable");
    assert!(registry.is_usable(&wide));
    assert_eq!(wide.priority(), 1);
    assert_eq!(registry.find_any("authenc(hmac(sha256),ctr-aes-vaes-avx512)").expect("composed").priority(), 1);
    // Where they cannot run, their priority is the table's.
    let elsewhere = Registry::foreign(FeatureSet::NONE, Policy::Constant);
    let listed = elsewhere.drivers().into_iter().find(|d| d.driver == "xts-aes-vaes-avx512").expect("a row");
    assert!(listed.priority() > 1 && !elsewhere.is_usable(&listed));
}

#[test]
fn a_registry_for_another_cpu_runs_nothing() {
    let zen4 = features(&record("Zen 4 (Ryzen 5 7600X)"), System::Full);
    let registry = Registry::foreign(zen4, Policy::Constant);
    let driver = registry.find_any("ctr(aes)").expect("a driver");
    assert_eq!(registry.test(&driver), SelfTest::Untested);
    assert_eq!(registry.test_extent(&driver, Extent::Long), SelfTest::Untested);
    let error = registry.skcipher("ctr(aes)").expect("a name").key(&[0; 16]).expect_err("no key for another CPU");
    assert!(matches!(error, Error::BadKey { .. }), "{error}");
}
