//! `algkit test`: the self-tests of every driver that this CPU runs.

use crate::{
    answer::Answer,
    args::TestArgs,
    error::Error,
    names::Survey,
    out::{Out, to_stdout},
    progress::Progress,
    words::count,
};
use algkit::{DriverRef, Extent, Registry, SelfTest};
use std::{collections::HashSet, io::Write};

pub fn run(args: &TestArgs) -> Result<Answer, Error> {
    let registry = Registry::global()?;
    let (drivers, unusable) = selected(registry, &args.names)?;
    let extent = if args.long { Extent::Long } else { Extent::Short };
    let mut progress = Progress::items(drivers.len() as u64);
    let mut out = Out::new();
    let mut failed = 0;
    for driver in &drivers {
        progress.message(&driver.driver);
        if let SelfTest::Failed(reason) = registry.test_extent(driver, extent) {
            failed += 1;
            progress
                .suspend(|| {
                    writeln!(out, "FAILED {} ({}): {reason}", driver.driver, driver.name).and_then(|()| out.flush())
                })
                .map_err(to_stdout)?;
        }
        progress.advance(1);
    }
    drop(progress);
    let passed = drivers.len() - failed;
    let tested = count(drivers.len() as u64, "driver");
    writeln!(out, "{tested} tested: {passed} passed, {failed} failed").map_err(to_stdout)?;
    if unusable > 0 {
        let need = if unusable == 1 { "needs" } else { "need" };
        writeln!(out, "{unusable} more {need} features that this CPU lacks or ALGKIT_CPU hides").map_err(to_stdout)?;
    }
    out.done()?;
    Ok(if failed == 0 { Answer::Yes } else { Answer::No })
}

/// The drivers to test, and the number of requested ones that do not run on this CPU.
fn selected(registry: &Registry, names: &[String]) -> Result<(Vec<DriverRef>, usize), Error> {
    let mut drivers = Vec::new();
    if names.is_empty() {
        drivers = Survey::of(registry).drivers;
    }
    for name in names {
        let named = Survey::named(registry, name)?.drivers;
        if !named.iter().any(|d| registry.is_usable(d)) {
            return Err(algkit::Error::NotUsable(name.clone()).into());
        }
        drivers.extend(named);
    }
    let mut seen = HashSet::new();
    drivers.retain(|d| seen.insert(d.driver.clone()));
    let all = drivers.len();
    drivers.retain(|d| registry.is_usable(d));
    let unusable = all - drivers.len();
    Ok((drivers, unusable))
}
