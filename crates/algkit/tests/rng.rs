//! Random number generators: NIST's vectors, forks, output lengths and errors.
#![cfg(feature = "rng")]

use algkit::{Error, Policy, Registry, SelfTest, Type, cpu::CpuFeatures};
use std::{collections::HashSet, os::fd::FromRawFd, sync::Mutex};

/// The names of the DRBGs' drivers.
fn drbgs() -> impl Iterator<Item = String> {
    let drivers = Registry::global().unwrap().drivers();
    drivers.into_iter().filter(|driver| driver.name == "stdrng").map(|driver| driver.driver.clone())
}

fn unhex(text: &str) -> Vec<u8> {
    let digits = text.strip_prefix('-').unwrap_or(text).as_bytes();
    digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

#[test]
fn nist_vectors() {
    let mut seen = HashSet::new();
    let mut count = 0;
    for line in include_str!("data/drbg.txt").lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<_> = line.split(' ').collect();
        let [name, fields @ ..] = &fields[..] else { panic!("an empty line") };
        let fields: Vec<_> = fields.iter().map(|field| unhex(field)).collect();
        let [entropy, seed, reseed, reseed_additional, fresh_a, additional_a, fresh_b, additional_b, want] =
            <[_; 9]>::try_from(fields).unwrap();

        let rng = algkit::rng(name).unwrap().with_entropy(&entropy, &seed).unwrap();
        if !reseed.is_empty() {
            rng.set_entropy(&reseed).unwrap();
            rng.reseed(&reseed_additional).unwrap();
        }
        let mut out = vec![0; want.len()];
        for (fresh, additional) in [(fresh_a, additional_a), (fresh_b, additional_b)] {
            rng.set_entropy(&fresh).unwrap();
            rng.generate(&additional, &mut out).unwrap();
        }
        assert_eq!(out, want, "{line}");
        seen.insert(name.to_string());
        count += 1;
    }
    assert_eq!(seen, drbgs().collect(), "every driver has its vectors");
    assert!(count > 100, "only {count} vectors");
}

/// A request's number is added to V, so it shows from the third request on. The expected outputs are those of a Hash_DRBG
/// in Python, over hashlib, which gives NIST's outputs too.
#[test]
fn the_three_hundredth_request_of_a_seed() {
    for (name, want) in [
        ("drbg_nopr_sha1", "fd578cc568e9c7ca47f72e63419520c8833a579d6573159a0cfc044575449c6c"),
        ("drbg_nopr_sha256", "facba2e5dba65536b97aed33b272d81632ed59e9cb4423a4bca372862f03c7eb"),
        ("drbg_nopr_sha384", "2290afe5624ba3dd5599e4a2f366cbe804682405de017cfd989e32a65c91e77a"),
        ("drbg_nopr_sha512", "603841878daed866abfc67f90b21f84bbc3af00f7c86cc6049122b6b0a10f5a0"),
    ] {
        let rng = algkit::rng(name).unwrap().with_entropy(&[7; 48], b"seed").unwrap();
        let mut out = [0; 32];
        (0..300).for_each(|_| rng.generate(&[], &mut out).unwrap());
        assert_eq!(out[..], unhex(want), "{name}");
    }
}

#[test]
fn names_priorities_and_the_default_are_the_kernels() {
    let registry = Registry::global().unwrap();
    // The priorities are those of Linux 6.1 in /proc/crypto.
    for (name, priority) in [
        ("drbg_pr_ctr_aes128", 200),
        ("drbg_pr_sha256", 206),
        ("drbg_pr_hmac_sha512", 210),
        ("drbg_nopr_ctr_aes128", 211),
        ("drbg_nopr_hmac_sha256", 220),
        ("drbg_nopr_hmac_sha512", 221),
        ("jitterentropy_rng", 100),
    ] {
        let driver = registry.find(Type::Rng, name).unwrap();
        assert_eq!((&*driver.driver, driver.priority()), (name, priority));
    }
    assert_eq!(drbgs().count(), 22);
    assert_eq!(algkit::rng("stdrng").unwrap().driver().driver, "drbg_nopr_hmac_sha512");
    assert_eq!(registry.find_any("stdrng").unwrap().kind, Type::Rng);
    let wrong = Error::WrongType { name: "stdrng".into(), found: Type::Rng, wanted: Type::Hash };
    assert_eq!(algkit::hash("stdrng").unwrap_err(), wrong);
    assert!(matches!(algkit::rng("sha256"), Err(Error::WrongType { found: Type::Hash, .. })));
}

/// Output of `len` bytes. Its value is unknown; two outputs must differ.
fn draw(rng: &algkit::Rng, len: usize) -> Vec<u8> {
    let mut out = vec![0; len];
    rng.generate(&[], &mut out).unwrap();
    out
}

#[test]
fn all_lengths_are_filled_and_nothing_repeats() {
    for name in drbgs().chain(["jitterentropy_rng".to_owned()]) {
        let rng = algkit::rng(&name).unwrap().key(b"seed").unwrap();
        let lengths: &[usize] =
            if name == "jitterentropy_rng" { &[0, 1, 31, 33, 64] } else { &[0, 1, 19, 64, 1 << 16, (3 << 16) + 5] };
        for &len in lengths {
            let (a, b) = (draw(&rng, len), draw(&rng, len));
            if len >= 16 {
                assert_ne!(a, b, "{name}");
                assert_ne!(a[len - 16..], [0; 16], "{name}: not filled");
            }
            // The slices of a long request do not repeat each other either.
            let blocks: Vec<_> = a.chunks_exact(16).collect();
            assert_eq!(blocks.iter().collect::<HashSet<_>>().len(), blocks.len(), "{name}, {len} bytes");
        }
    }
}

#[test]
fn seeds_and_additional_input_count() {
    for name in drbgs() {
        let unkeyed = algkit::rng(&name).unwrap();
        let first = |seed: &[u8], additional: &[u8]| {
            let rng = unkeyed.with_entropy(&[7; 48], seed).unwrap();
            let mut out = [0; 32];
            rng.generate(additional, &mut out).unwrap();
            out
        };
        let outputs = [first(b"", b""), first(b"a", b""), first(b"", b"a"), first(b"a", b"a"), first(b"ab", b"")];
        assert_eq!(outputs.iter().collect::<HashSet<_>>().len(), outputs.len(), "{name}");
        assert_eq!(first(b"a", b"b"), first(b"a", b"b"), "{name}: given the entropy, the output can be foreseen");

        // The operating system's entropy cannot be predicted.
        let (a, b) = (unkeyed.key(b"a").unwrap(), unkeyed.key(b"a").unwrap());
        assert_ne!(draw(&a, 32), draw(&b, 32), "{name}");
    }
}

#[test]
fn threads_share_a_state() {
    let rng = algkit::rng("stdrng").unwrap().key(&[]).unwrap();
    let seen = Mutex::new(HashSet::new());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..200).for_each(|_| assert!(seen.lock().unwrap().insert(draw(&rng, 16)))));
        }
    });
    assert_eq!(seen.into_inner().unwrap().len(), 800);
}

#[cfg(target_os = "linux")]
#[test]
fn a_fork_parts_the_ways() {
    use std::io::{Read, Write};
    let generators: Vec<_> = drbgs().map(|name| algkit::rng(&name).unwrap().key(b"seed").unwrap()).collect();
    for rng in &generators {
        let mut ends = [0; 2];
        // SAFETY: `ends` has room for two descriptors.
        assert_eq!(unsafe { libc::pipe(ends.as_mut_ptr()) }, 0);
        // SAFETY: the descriptors are new and nobody else owns them.
        let [mut from, mut to] = ends.map(|fd| unsafe { std::fs::File::from_raw_fd(fd) });
        // SAFETY: the child draws, writes and exits. Drawing allocates, which the C library permits after a fork.
        let child = unsafe { libc::fork() };
        assert!(child >= 0);
        if child == 0 {
            let mut out = [0; 32];
            let done = rng.generate(&[], &mut out).is_ok() && to.write_all(&out).is_ok();
            // SAFETY: ends the child without running the parent's exit handlers.
            unsafe { libc::_exit(if done { 0 } else { 1 }) };
        }
        drop(to);
        let parents = draw(rng, 32);
        let mut childs = Vec::new();
        from.read_to_end(&mut childs).unwrap();
        let mut status = 0;
        // SAFETY: `child` is a child of this process, and `status` has room for its status.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        assert_eq!((status, childs.len()), (0, 32));
        assert_ne!(parents, childs, "{}", rng.driver().driver);
    }
}

#[test]
fn a_generator_is_built_on_what_its_registry_offers() {
    let masked = Registry::new(CpuFeatures::NONE, Policy::default());
    for name in drbgs() {
        let driver = masked.find(Type::Rng, &name).unwrap();
        assert_eq!(masked.test(&driver), SelfTest::Passed);
    }
    // Drivers for two CPUs give the same output.
    let of = |registry: &Registry| {
        let rng = registry.rng("drbg_nopr_ctr_aes256").unwrap().with_entropy(&[1; 48], b"").unwrap();
        draw(&rng, 100)
    };
    assert_eq!(of(&masked), of(Registry::global().unwrap()));

    let unkeyed = masked.rng("stdrng").unwrap();
    let before = unkeyed.key(&[]).unwrap();
    drop(masked);
    assert!(matches!(unkeyed.key(&[]), Err(Error::Rng { .. })), "the registry is gone");
    draw(&before, 16);
}

#[test]
fn too_much_input_is_the_callers_error_and_changes_nothing() {
    let (rng, long) = (algkit::rng("stdrng").unwrap().key(&[]).unwrap(), vec![0; (1 << 30) + 1]);
    let mut out = [7; 16];
    let all = [rng.generate(&long, &mut out), rng.instantiate(&long), rng.reseed(&long), rng.set_entropy(&long)];
    assert!(all.iter().all(|one| matches!(one, Err(Error::TextLength { .. }))), "{all:?}");
    assert_eq!(out, [7; 16]);
}

#[test]
fn jitter_takes_its_entropy_from_nobody() {
    let rng = algkit::rng("jitterentropy_rng").unwrap().key(b"ignored").unwrap();
    assert!(matches!(rng.set_entropy(&[0; 32]), Err(Error::Rng { .. })));
    rng.reseed(b"ignored").unwrap();
    assert_ne!(draw(&rng, 32), draw(&rng, 32));
}
