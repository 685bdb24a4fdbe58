//! Prints docs/drivers.md: the driver table for the target architecture.
//!
//! `cargo run --release -p algkit --features legacy --example drivers > docs/drivers.md`

use algkit::{CATALOGUE, Driver, DriverRef, Policy, Registry, Type, cpu::CpuFeatures};
use std::collections::BTreeMap;

fn main() {
    // Without CPU features, so that the output does not depend on the machine.
    let registry = Registry::new(CpuFeatures::NONE, Policy::Table);
    let rows = registry.drivers();
    println!("# Drivers on {}\n", std::env::consts::ARCH);
    println!("Printed from the driver table by `crates/algkit/examples/drivers.rs`; do not edit.\n");
    println!(
        "An algorithm is served by the driver with the highest priority that the CPU can run and the timing policy allows."
    );
    println!(
        "Templates compose more drivers from these; the name of a composed driver shows its parts. How many bytes of code"
    );
    println!(
        "each kernel has is in [text-size.md](text-size.md), and what bounds its speed in [laboratory.md](laboratory.md).\n"
    );
    println!(
        "*Source* is the file with the driver's code, or the crate that the driver wraps. Files that begin with `rng/` or"
    );
    println!("`adapters/` are under `crates/algkit/src`, all others under `crates/primitives/src`.\n");
    for kind in [Type::Cipher, Type::Skcipher, Type::Aead, Type::Hash, Type::Rng] {
        let mut algorithms = BTreeMap::<&str, Vec<&DriverRef>>::new();
        for driver in rows.iter().filter(|d| d.kind == kind) {
            algorithms.entry(&driver.name).or_default().push(driver);
        }
        if algorithms.is_empty() {
            continue;
        }
        println!("## {kind}\n");
        println!("| algorithm | driver | priority | timing | CPU | source | sizes in bytes |");
        println!("| --- | --- | --- | --- | --- | --- | --- |");
        for (name, mut drivers) in algorithms {
            drivers.sort_by_key(|d| std::cmp::Reverse(d.priority()));
            for (i, driver) in drivers.iter().enumerate() {
                let (name, sizes) = if i == 0 { (format!("`{name}`"), sizes(driver)) } else { Default::default() };
                let cpu: Vec<_> = driver.needs.iter().map(|f| f.name()).collect();
                let cpu = if cpu.is_empty() { "any".to_owned() } else { cpu.join(" ") };
                println!(
                    "| {name} | `{}` | {} | {} | {cpu} | {} | {sizes} |",
                    driver.driver,
                    driver.priority(),
                    driver.timing,
                    driver.source
                );
            }
        }
        println!();
    }
    println!("## Algorithms of general use\n");
    println!(
        "`algkit list` shows these and `algkit test` tests these if no name is given. Any other combination of templates and"
    );
    println!("ciphers can be asked for as well.\n");
    println!("{}", CATALOGUE.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "));
    println!("\n## Names of Linux that are left out\n");
    println!(
        "Linux 6.1 lists these names with all its modules loaded, or Linux 6.18 has them in its sources. algkit does not have"
    );
    println!("them; it has all others.");
    println!("\n| name | why |");
    println!("| --- | --- |");
    for line in include_str!("../kernel/left-out").lines().filter(|line| !line.starts_with('#')) {
        let Some((names, reason)) = line.split_once('\t') else { continue };
        println!("| {} | {reason} |", names.split(' ').map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "));
    }
}

fn sizes(driver: &Driver) -> String {
    let shape = &driver.shape;
    let mut parts = Vec::new();
    if driver.kind == Type::Rng {
        parts.push("seed of any length".to_owned());
    } else if shape.keys.max() > 0 {
        parts.push(format!("key {}", shape.keys));
    }
    if shape.blocksize > 1 {
        parts.push(format!("block {}", shape.blocksize));
    }
    if shape.ivsize > 0 {
        parts.push(format!("IV {}", shape.ivsize));
    }
    if shape.tags.max() > 0 {
        parts.push(format!("tag {}", shape.tags));
    }
    if shape.digestsize > 0 {
        parts.push(format!("digest {}{}", shape.digestsize, if shape.extendable { " or any" } else { "" }));
    }
    parts.join(", ")
}
