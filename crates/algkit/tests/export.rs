//! Export and import of hash states: every driver, all kinds of splits, and bytes that no driver exported.

mod common;

use algkit::{DriverRef, Error, Hash, Policy, Registry, Type, Unkeyed};
use common::{MASKS, Random, drivers, masked};
use std::{collections::HashSet, iter::once};

/// Calls `check` for every hash driver that this CPU runs.
fn for_each(check: impl Fn(&Unkeyed<Hash>, &mut Random)) {
    let (mut seen, mut random) = (HashSet::new(), Random(21));
    for mask in MASKS {
        let registry: Registry = masked(mask, Policy::Table);
        let is_new = |driver: &DriverRef| driver.kind == Type::Hash && seen.insert(driver.driver.clone());
        for driver in drivers(&registry).into_iter().filter(is_new) {
            check(&registry.transform::<Hash>(&driver.driver).unwrap(), &mut random);
        }
    }
    for name in ["sha256", "hmac(sha256)", "sm3", "ghash", "poly1305", "keccak", "xxhash64", "blake2s-256", "cmac(aes)"]
    {
        let built = cfg!(feature = "legacy") || name != "sm3";
        assert!(!built || seen.iter().any(|driver| driver.starts_with(name.split('(').next().unwrap())), "{name}");
    }
}

/// One of the shortest keys, one of the longest, and none, as far as the driver accepts them.
fn keys(unkeyed: &Unkeyed<Hash>, random: &mut Random) -> Vec<Vec<u8>> {
    let shape = &unkeyed.driver().shape;
    let lengths = [shape.keys.min().max(1), shape.keys.max().min(200)].into_iter().filter(|&n| shape.keys.allows(n));
    let mut keyed: Vec<_> = lengths.map(|n| random.bytes(n)).collect();
    if unkeyed.driver().name.starts_with("vmac64(") {
        keyed.iter_mut().for_each(|key| key[0] &= 0x7f); // the key starts with a nonce of 127 bits
    }
    keyed.into_iter().chain(shape.optional_key.then(Vec::new)).collect()
}

#[test]
fn an_imported_state_goes_on_where_the_exported_one_was() {
    for_each(|unkeyed, random| {
        let (name, block) = (&unkeyed.driver().driver, unkeyed.driver().shape.blocksize);
        let lengths = [0, 1, block - 1, block, block + 1, 2 * block, 2 * block + 3, 700, 4096, 4099];
        for key in keys(unkeyed, random) {
            let (hash, same_key) = (unkeyed.key(&key).unwrap(), unkeyed.key(&key).unwrap());
            let message = random.bytes(4099 + 300);
            for (taken, more) in lengths.iter().flat_map(|&taken| [0, 1, block, 300].map(|more| (taken, more))) {
                let what = || format!("{name}, key of {} bytes, {taken} and {more}", key.len());
                let want = hash.digest(&message[..taken + more]);
                let mut state = hash.start();
                // In two pieces; the second one meets a partly filled buffer.
                let (front, back) = message[..taken].split_at(random.below(taken + 1));
                state.update(front);
                state.update(back);
                let bytes = state.export().unwrap();
                assert!(bytes.len() <= 257, "{} bytes: {}", bytes.len(), what());
                // Shorter keys may be the seeds of checksums, which are not secret.
                assert!(key.len() < 16 || !bytes.windows(key.len()).any(|at| at == key), "the key: {}", what());

                let rest = &message[taken..taken + more];
                for importing in [&hash, &same_key] {
                    let mut imported = importing.import(&bytes).unwrap_or_else(|error| panic!("{error}: {}", what()));
                    assert!(imported.export().unwrap() == bytes, "exported again: {}", what());
                    imported.update(rest);
                    assert!(imported.finish() == want, "imported: {}", what());
                }
                // In small pieces, each followed by another export.
                let mut imported = same_key.import(&bytes).unwrap();
                for piece in rest.chunks(7) {
                    imported.update(piece);
                    imported = hash.import(&imported.export().unwrap()).unwrap();
                }
                assert!(imported.finish() == want, "in pieces: {}", what());
                state.update(rest);
                assert!(state.finish() == want, "the exported one: {}", what());
            }
        }
    });
}

#[test]
fn bytes_that_no_driver_wrote_are_an_error_or_a_digest() {
    for_each(|unkeyed, random| {
        let name = &unkeyed.driver().driver;
        let key = keys(unkeyed, random).swap_remove(0);
        let (hash, message) = (unkeyed.key(&key).unwrap(), random.bytes(1000));
        let go_on = |bytes: &[u8]| match hash.import(bytes) {
            Ok(mut state) => {
                for len in [0, 1, 15, 128, 600] {
                    state.update(&message[..len]);
                    assert_eq!(state.clone().finish().len(), hash.digest_size());
                }
                state.update(&message);
                state.finish();
                true
            }
            Err(error) => {
                assert_eq!(error, Error::BadState(name.clone()));
                false
            }
        };
        for taken in [0, 1, 16, 30, 128, 209] {
            let mut state = hash.start();
            state.update(&message[..taken]);
            let bytes = state.export().unwrap();
            assert!(go_on(&bytes));
            for len in 0..bytes.len() {
                assert!(!go_on(&bytes[..len]), "{name}: {len} of {} bytes", bytes.len());
            }
            assert!(!go_on(&[&bytes[..], &[0]].concat()), "{name}: a byte too many");
            // Extreme values at every position, including counters and fill levels; then random bytes.
            for at in 0..bytes.len() {
                for value in [0, 0x7f, 0xff] {
                    for len in [1, 8, bytes.len()] {
                        let mut altered = bytes.to_vec();
                        altered[at..].iter_mut().take(len).for_each(|byte| *byte = value);
                        go_on(&altered);
                    }
                }
            }
            // The state of `digest_null` is empty.
            for _ in 0..if bytes.is_empty() { 0 } else { 200 } {
                let mut altered = bytes.to_vec();
                for _ in 0..=random.below(8) {
                    let at = random.below(altered.len());
                    altered[at] = random.next() as u8;
                }
                go_on(&altered);
                go_on(&random.bytes(bytes.len()));
            }
        }
    });
}

/// CMAC holds a block back from the first byte on. A state that has absorbed blocks and holds nothing would be taken for a
/// fresh one by one way to end it, and not by another.
#[cfg(feature = "aes")]
#[test]
fn a_mac_that_holds_nothing_has_absorbed_nothing() {
    for name in ["cmac(aes)", "cmac(aes-fixed-time)", "xcbc(aes)", "xcbc(aes-fixed-time)", "cbcmac(aes)"] {
        let mac = algkit::hash(name).unwrap().key(&[1; 16]).unwrap();
        for taken in [0, 1, 16, 17, 32, 100] {
            let mut state = mac.start();
            state.update(&[7; 100][..taken]);
            let bytes = state.export().unwrap();
            assert_eq!(usize::from(bytes[16]), if taken == 0 { 0 } else { (taken - 1) % 16 + 1 }, "{name}, {taken}");
            let emptied = [&bytes[..16], &[0]].concat();
            assert_eq!(mac.import(&emptied).is_ok(), bytes[..16] == [0; 16], "{name}, {taken}");
        }
    }
}

#[test]
fn a_buffer_may_be_too_small() {
    let mut state = algkit::hash("sha256").unwrap().unkeyed().unwrap().start();
    state.update(b"abc");
    let bytes = state.export().unwrap();
    for room in (0..bytes.len()).chain(once(1000)) {
        let mut out = vec![0; room];
        assert_eq!(state.export_into(&mut out), Ok(bytes.len()));
        assert!(room < bytes.len() || out[..bytes.len()] == bytes[..]);
    }
}

/// The crates of these hashes count blocks in 64 bits, behind the chaining value, and bits too. So a count of bits could
/// overflow, which panics where overflow is checked.
#[test]
#[cfg(feature = "legacy")]
fn a_count_of_blocks_that_no_message_reaches_is_refused() {
    let registry = Registry::new(algkit::cpu::CpuFeatures::detect(), Policy::Table);
    for (name, chain) in [("md4", 16), ("md5", 16), ("rmd160", 20), ("sm3", 32), ("wp512", 64)] {
        let hash = registry.hash(name).unwrap().unkeyed().unwrap();
        let mut state = hash.start().export().unwrap().to_vec();
        state[chain + 6] = 0x0f;
        assert!(hash.import(&state).is_ok(), "{name}: less than 2^52 blocks");
        state[chain + 6] = 0x10;
        assert_eq!(hash.import(&state).map(drop), Err(Error::BadState(hash.driver().driver.clone())), "{name}");
    }
}
