//! Every driver that this CPU can run passes the long self-test.

mod common;

use algkit::{Extent, Policy, SelfTest};
use common::{MASKS, drivers, masked};
use std::{
    collections::HashSet,
    sync::atomic::{AtomicUsize, Ordering},
};

#[test]
fn every_driver_passes_the_long_test() {
    let mut seen = HashSet::new();
    let mut work = Vec::new();
    for mask in MASKS {
        let registry = std::sync::Arc::new(masked(mask, Policy::Table));
        for driver in drivers(&registry) {
            if seen.insert(driver.driver.clone()) {
                work.push((mask, registry.clone(), driver));
            }
        }
    }
    // Fewer than on any CPU, but more than a broken table would leave.
    assert!(work.len() > 100, "only {} drivers", work.len());

    let next = AtomicUsize::new(0);
    let worker = || {
        let mut failures = Vec::new();
        while let Some((mask, registry, driver)) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
            match registry.test_extent(driver, Extent::Long) {
                SelfTest::Passed => println!("passed: {}", driver.driver),
                other => failures.push(format!("{} ({mask}): {other:?}", driver.driver)),
            }
        }
        failures
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let failures: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
