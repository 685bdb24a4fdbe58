//! Registers the kernel's drivers as `kernel:NAME`, tests them with the kernel's test and with algkit's, and compares their speed with ours.
//! `kernel-drivers [-t] [NAME…]`: takes the drivers whose names contain one of these; with `-t` they are tested and not timed.
//! `kernel-drivers -T MODE…`: runs these modes of the kernel's tcrypt.

mod drivers;
mod kernel;
mod speed;

use algkit::{Error, Extent, Policy, Registry, SelfTest, cpu::CpuFeatures};
use std::process::ExitCode;

fn main() -> Result<ExitCode, Error> {
    let (options, names): (Vec<_>, Vec<_>) = std::env::args().skip(1).partition(|arg| arg.starts_with('-'));
    let timed = !options.contains(&"-t".to_owned());
    let mut failures = kernel::start();
    if options.contains(&"-T".to_owned()) {
        for mode in &names {
            let result = mode.parse().map_err(|_| -22).and_then(|mode| kernel::tcrypt(mode, 0));
            println!(
                "tcrypt mode={mode}: {}",
                result.map_or_else(|e| format!("error {e}"), |()| "all tests passed".into())
            );
            failures += usize::from(result.is_err());
        }
        return Ok(if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    std::panic::set_hook(Box::new(|_| {})); // a driver that panics has failed its test, and the table says so
    // Compares with algkit's default driver or, if all drivers of the algorithm are table-driven, with the best of these.
    let [constant, any, both] =
        [Policy::Constant, Policy::Table, Policy::Table].map(|policy| Registry::new(CpuFeatures::detect(), policy));
    let (mut agreed, mut lacking) = (0, Vec::new());
    println!(
        "| kernel's driver | algorithm | MB/s | algkit's driver | MB/s | algkit/kernel | kernel's test | algkit's test |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    for found in kernel::drivers() {
        if !names.is_empty() && !names.iter().any(|name| found.driver.contains(name)) {
            continue;
        }
        let own = constant.find(found.kind, &found.name).or_else(|_| any.find(found.kind, &found.name));
        let Ok(own) = own else {
            lacking.push(found.driver);
            continue;
        };
        let by_kernel = kernel::test(&found);
        let by_algkit = drivers::driver(&found, own.clone()).and_then(|driver| {
            let name = driver.driver.clone();
            both.register(driver).map_err(|e| e.to_string())?;
            let drivers = both.drivers();
            let driver = drivers.iter().find(|d| d.driver == name).expect("it was registered");
            match both.test_extent(driver, Extent::Long) {
                SelfTest::Passed => Ok(name),
                SelfTest::Failed(why) => Err(why),
                SelfTest::Untested => Err("was not tested".to_owned()),
            }
        });
        let speeds = match &by_algkit {
            Ok(name) if timed => speed::compare(&both, name, &own.driver, found.kind),
            _ => None,
        };
        let [theirs, mine, ratio] = match speeds {
            Some([theirs, mine]) => [format!("{theirs:.0}"), format!("{mine:.0}"), format!("{:.2}", mine / theirs)],
            None => Default::default(),
        };
        let passed = |result: Result<(), String>| result.map_or_else(|why| format!("**{why}**"), |()| "passed".into());
        failures += usize::from(by_kernel.is_err() || by_algkit.is_err());
        agreed += usize::from(by_kernel.is_ok() && by_algkit.is_ok());
        println!(
            "| `{}` | `{}` | {theirs} | `{}` | {mine} | {ratio} | {} | {} |",
            found.driver,
            found.name,
            own.driver,
            passed(by_kernel.map_err(|error| format!("error {error}"))),
            passed(by_algkit.map(drop)),
        );
    }
    println!("\n{agreed} drivers of the kernel pass both tests; {failures} failures.");
    if !lacking.is_empty() {
        println!("Of algorithms that algkit lacks: {}.", lacking.join(", "));
    }
    Ok(if failures == 0 && agreed > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
