//! Runs the long self-test of every driver of the host, and prints the number of requests that the kernel refused.
//!
//! `ALGKIT_HOST=afalg cargo run --release -p algkit-host --example selftest`

use algkit::{Extent, Registry, SelfTest};

fn main() -> Result<(), algkit::Error> {
    let registry = Registry::global()?;
    algkit_host::from_environment(registry)?;
    let mut sound = true;
    for driver in registry.drivers().iter().filter(|driver| driver.driver.contains(':')) {
        let before = algkit_host::refused();
        let outcome = registry.test_extent(driver, Extent::Long);
        println!("{}: {outcome:?}, {} refused", driver.driver, algkit_host::refused() - before);
        sound &= outcome == SelfTest::Passed;
    }
    std::process::exit(i32::from(!sound));
}
