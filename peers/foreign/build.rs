//! Compiles each shim into a shared object of its own, which hides the symbols of the library behind it.

use std::{env, path::PathBuf};

struct Shim {
    name: &'static str,
    source: &'static str,
    /// Arguments of the compiler: folders of headers, and libraries to link.
    args: Vec<String>,
    /// Debian's package with the headers, to be named when they are missing.
    package: &'static str,
}

fn main() {
    let built = |name: &str, archive: &str| {
        // The variable is set by the build script of `openssl4` or `botan3`.
        let dir = |what| env::var(format!("DEP_PEERS_{name}_{what}")).expect("the dependency's build script");
        vec![format!("-I{}", dir("INCLUDE")), format!("{}/{archive}", dir("LIB")), "-Wl,--exclude-libs,ALL".into()]
    };
    let installed = |library: &str| vec![format!("-l{library}")];
    let mut shims = vec![
        Shim { name: "OPENSSL3", source: "openssl.c", args: installed("crypto"), package: "libssl-dev" },
        Shim { name: "GCRYPT", source: "gcrypt.c", args: installed("gcrypt"), package: "libgcrypt20-dev" },
        Shim { name: "SODIUM", source: "sodium.c", args: installed("sodium"), package: "libsodium-dev" },
    ];
    if env::var_os("CARGO_FEATURE_FROM_SOURCE").is_some() {
        let mut botan = built("BOTAN3", "libbotan-3.a");
        botan.push("-std=c++20".to_owned());
        shims.extend([
            Shim { name: "OPENSSL4", source: "openssl.c", args: built("OPENSSL4", "libcrypto.a"), package: "perl" },
            Shim { name: "BOTAN3", source: "botan.cc", args: botan, package: "g++ and python3" },
        ]);
    } else {
        println!("cargo::rustc-env=OPENSSL4=\ncargo::rustc-env=BOTAN3=");
    }
    if env::var("CARGO_CFG_TARGET_ARCH").as_deref() == Ok("x86_64") {
        shims.push(Shim {
            name: "IPSEC_MB",
            source: "ipsec_mb.c",
            args: installed("IPSec_MB"),
            package: "libipsec-mb-dev",
        });
    } else {
        println!("cargo::rustc-env=IPSEC_MB=");
    }
    println!("cargo::rerun-if-changed=shims");
    for shim in &shims {
        compile(shim);
    }
}

fn compile(shim: &Shim) {
    let object = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"))
        .join(format!("libpeer_{}.so", shim.name.to_lowercase()));
    let compiler = cc::Build::new().cpp(shim.source.ends_with(".cc")).pic(true).opt_level(3).get_compiler();
    let status = compiler
        .to_command()
        .args(["-Wall", "-Wextra", "-fvisibility=hidden", "-shared", "-Wl,-Bsymbolic", "-Wl,-z,defs", "-o"])
        .arg(&object)
        .arg(format!("shims/{}", shim.source))
        .args(&shim.args)
        .args(["-lpthread", "-ldl"])
        .status();
    let built = status.is_ok_and(|status| status.success());
    assert!(built, "shims/{} was not built; its library comes with Debian's {}", shim.source, shim.package);
    println!("cargo::rustc-env={}={}", shim.name, object.display());
}
