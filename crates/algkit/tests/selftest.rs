//! Every driver that this CPU can run passes the long self-test, and the short one is short.

mod common;

use algkit::{Extent, Policy, SelfTest};
use common::{MASKS, drivers, masked};
use std::{collections::HashSet, time::Instant};

#[test]
fn every_driver_passes_the_long_test() {
    let mut tested = HashSet::new();
    let mut failures = Vec::new();
    for mask in MASKS {
        let registry = masked(mask, Policy::Table);
        for driver in drivers(&registry) {
            if !tested.insert(driver.driver.clone()) {
                continue;
            }
            let start = Instant::now();
            registry.test(&driver);
            let short = start.elapsed();
            let start = Instant::now();
            match registry.test_extent(&driver, Extent::Long) {
                SelfTest::Passed => {}
                other => failures.push(format!("{} ({mask}): {other:?}", driver.driver)),
            }
            println!("{:60} {short:?} {:?}", driver.driver, start.elapsed());
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    // Far below what there is on any CPU, and above what a broken table would leave.
    assert!(tested.len() > 100, "only {} drivers", tested.len());
}
