//! Builds Botan 3 as a static library and tells dependents where its headers and the library are.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let (lib, include) = botan_src::build();
    println!("cargo::metadata=include={}", include.display());
    println!("cargo::metadata=lib={lib}");
}
