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
    println!("The highest priority that the CPU runs and the timing policy allows wins. Templates build more drivers");
    println!(
        "out of these; a composed driver's name shows what it is made of. What each kernel takes in bytes of code is in"
    );
    println!("[text-size.md](text-size.md), and why they are as fast as they are in [laboratory.md](laboratory.md).\n");
    println!(
        "A source is a file under `crates/primitives/src`, under `crates/algkit/src` for what begins with `rng/` or `adapters/`,"
    );
    println!("or the crate that is wrapped.\n");
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
        "What `algkit list` shows and `algkit test` tests when no name is given; any other combination of templates"
    );
    println!("and ciphers can be asked for as well.\n");
    println!("{}", CATALOGUE.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "));
    println!("\n## Names of Linux that are left out\n");
    println!(
        "Of those that Linux 6.1 lists with all its modules, and those of Linux 6.18 by its sources; all others are here."
    );
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
