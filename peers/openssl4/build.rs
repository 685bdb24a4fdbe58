//! Builds OpenSSL 4 as a static library and tells dependents where its headers and the library are.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let out = std::path::PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let artifacts = openssl_src::Build::new().openssl_dir(out.join("ssl")).build();
    println!("cargo::metadata=include={}", artifacts.include_dir().display());
    println!("cargo::metadata=lib={}", artifacts.lib_dir().display());
}
