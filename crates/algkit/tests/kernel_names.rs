//! Every algorithm name that the kernel lists exists here, or is left out for a documented reason.
#![cfg(all(feature = "legacy", feature = "rng"))]

use algkit::{Policy, Registry, cpu::CpuFeatures};

const LISTS: [&str; 2] = [include_str!("../kernel/linux-6.1"), include_str!("../kernel/linux-6.18")];

fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.starts_with('#'))
}

/// The names and name prefixes that are left out.
fn left_out() -> Vec<&'static str> {
    let names = |line: &'static str| {
        let (names, reason) = line.split_once('\t').unwrap_or_else(|| panic!("no reason: {line}"));
        assert!(reason.len() > 10, "{line}");
        names.split(' ')
    };
    lines(include_str!("../kernel/left-out")).flat_map(names).collect()
}

fn covers(pattern: &str, name: &str) -> bool {
    pattern.strip_suffix('*').map_or(pattern == name, |start| name.starts_with(start))
}

#[test]
fn the_kernels_names_are_here_or_left_out() {
    let registry = Registry::new(CpuFeatures::detect(), Policy::Table);
    let left_out = left_out();
    let mut wrong = Vec::new();
    for name in LISTS.into_iter().flat_map(lines) {
        let excused = left_out.iter().any(|pattern| covers(pattern, name));
        match registry.find_any(name) {
            Ok(_) if excused => wrong.push(format!("{name} is left out, and is there")),
            Err(error) if !excused => wrong.push(error.to_string()),
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_left_out_is_listed_by_a_kernel() {
    for pattern in left_out() {
        let listed = LISTS.into_iter().flat_map(lines).any(|name| covers(pattern, name));
        // A part of a listed name also counts, such as the cipher of `pcbc(fcrypt)`.
        assert!(listed, "no kernel lists {pattern}");
    }
}
