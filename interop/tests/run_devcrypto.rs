//! OpenSSL's engine devcrypto, which Debian's package leaves out. Its single source file is compiled for Debian's
//! libcrypto.

mod command;

use command::{
    algkit, foreign,
    run::{clients, sample, stdout},
    same, scratch, text,
};
use std::{fs, path::Path, process::Command};

/// A configuration that loads the engine. Without `DIGESTS = ALL`, the engine leaves digests to libcrypto.
const CONFIG: &str = "openssl_conf = c\n[c]\nengines = engines\n[engines]\ndevcrypto = devcrypto\n[devcrypto]\n\
                      USE_SOFTDRIVERS = 1\ndefault_algorithms = ALL\n";

/// Compiles the module that OpenSSL's option `enable-devcryptoeng` builds.
fn compile_engine(folder: &Path) {
    let openssl = openssl_src::source_dir();
    let mut gcc = Command::new("gcc");
    gcc.args(["-O2", "-shared", "-fPIC", "-o"]).arg(folder.join("devcrypto.so"));
    gcc.arg(openssl.join("engines/e_devcrypto.c")).arg("-I").arg(clients());
    stdout(gcc.arg("-idirafter").arg(openssl.join("include")).arg("-lcrypto"));
}

#[test]
fn ciphers_and_digests() {
    let folder = scratch();
    let at = |name: &str| folder.path().join(name).to_str().expect("a name").to_owned();
    compile_engine(folder.path());
    let data = sample(folder.path(), 3_000_000);
    let data = text(&data);
    for (via, digests) in [("preload", "ALL"), ("preload", "NONE"), ("seccomp", "ALL"), ("seccomp", "NONE")] {
        fs::write(at("openssl.cnf"), format!("{CONFIG}DIGESTS = {digests}\n")).expect("a file");
        // The output of `openssl` with `args`, and the number of bytes that were served for the algorithm.
        let engine = |args: &[&str], algorithm: &str| {
            let mut run = Command::new(algkit());
            run.args(["run", "--via", via, &format!("--stats={}", at("stats")), "--", "openssl"]).args(args);
            run.env("OPENSSL_CONF", at("openssl.cnf")).env("OPENSSL_ENGINES", folder.path());
            let printed = stdout(&mut run);
            let stats = fs::read_to_string(at("stats")).expect("what was served");
            let line = stats.lines().find(|line| line.contains(&format!(" {algorithm} ")));
            let words: Vec<_> = line.unwrap_or_default().split_whitespace().collect();
            let bytes = words.windows(2).find(|pair| pair[1] == "bytes").map_or("0", |pair| pair[0]);
            (printed, bytes.parse::<usize>().expect("a number"))
        };
        let (key, iv) = ("000102030405060708090a0b0c0d0e0f", "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff");
        for (cipher, algorithm, key, iv) in [
            ("-aes-128-cbc", "cbc(aes)", key, iv),
            ("-aes-256-ctr", "ctr(aes)", &[key, iv].concat(), iv),
            ("-camellia-128-cbc", "cbc(camellia)", key, iv),
            ("-des-ede3-cbc", "cbc(des3_ede)", &[key, &iv[..16]].concat(), &iv[..16]),
        ] {
            let args = ["enc", cipher, "-K", key, "-iv", iv, "-in", data];
            foreign("openssl", "openssl", &[&args[..], &["-out", &at("libcrypto")]].concat());
            let (_, bytes) = engine(&[&args[..], &["-out", &at("engine")]].concat(), algorithm);
            same(Path::new(&at("engine")), Path::new(&at("libcrypto")));
            assert!(bytes >= 3_000_000, "{via} {algorithm}: {bytes} bytes");
        }
        // HMAC copies the state of a digest.
        for (digest, algorithm) in [("-sha256", "sha256"), ("-sha1", "sha1"), ("-sha512", "sha512")] {
            for args in [&["dgst", "-r", digest, data][..], &["dgst", "-r", digest, "-hmac", "key", data]] {
                let (printed, bytes) = engine(args, algorithm);
                assert_eq!(printed, foreign("openssl", "openssl", args), "{via} {args:?}");
                let served = digests == "ALL";
                assert_eq!(bytes >= 3_000_000, served, "{via} {args:?}, digests {digests}: {bytes} bytes");
            }
        }
    }
}
