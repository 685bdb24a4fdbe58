//! Debian's programs that use AF_ALG, under `algkit run`, compared with results without it.

mod command;

use command::{
    run::{Via, hex, output, sample, stdout, told, under},
    same, scratch, text, unhex,
};
use std::{
    fs::{self, File},
    path::Path,
    process::{Command, Stdio},
};

const KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const IV: &str = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff";

#[test]
fn python_test_suite() {
    for via in [Via::Preload, Via::Seccomp] {
        let mut tests = under(via, "python3");
        tests.args(["-m", "test", "-v", "test_socket", "-m", "LinuxKernelCryptoAPI"]);
        let run = output(&mut tests);
        let said = told(&run);
        assert!(run.status.success(), "{said}");
        let passed = said.lines().filter(|l| l.starts_with("test_") && l.ends_with(" ok")).count();
        let ran = format!("Ran {passed} tests");
        assert!(passed >= 7 && said.contains(&ran), "by {via:?}; install Debian's libpython3.11-testsuite: {said}");
        assert!(!said.contains("skipped"), "{said}");
    }
}

#[test]
fn cryptsetup_benchmark() {
    let said = stdout(under(Via::Default, "/usr/sbin/cryptsetup").arg("benchmark"));
    let said = String::from_utf8(said).expect("text");
    let speeds: Vec<_> = said.lines().filter(|line| line.ends_with("MiB/s")).collect();
    for (mode, sizes) in [("cbc", ["128b", "256b"]), ("xts", ["256b", "512b"])] {
        for cipher in ["aes", "serpent", "twofish"] {
            for size in sizes {
                let name = format!("{cipher}-{mode}");
                let line = speeds.iter().find(|l| l.split_whitespace().take(2).eq([name.as_str(), size]));
                let line = line.unwrap_or_else(|| panic!("no {name} {size} in:\n{said}"));
                assert_eq!(line.matches("MiB/s").count(), 2, "{line}");
            }
        }
    }
    assert_eq!(speeds.len(), 12, "{said}");
    assert!(!said.contains("N/A"), "{said}");
}

/// Runs `kcapi-enc` with a key on descriptor 0, or with a password.
fn kcapi_enc(via: Via, key: Option<&Path>, args: &[&str], input: &Path, into: &Path) {
    let mut enc = under(via, "kcapi-enc");
    enc.arg("-q").args(args).arg("-i").arg(input).arg("-o").arg(into);
    if let Some(key) = key {
        enc.args(["--keyfd", "0"]).stdin(File::open(key).expect("the key"));
    }
    let run = enc.output().expect("kcapi-enc: install Debian's kcapi-tools");
    assert!(run.status.success(), "{enc:?}: {}", told(&run));
}

fn openssl(cipher: &str, key: &str, iv: &str, input: &Path, into: &Path) {
    let mut openssl = Command::new("openssl");
    openssl.args(["enc", cipher, "-nopad", "-K", key, "-iv", iv, "-in"]).arg(input).arg("-out").arg(into);
    stdout(&mut openssl);
}

#[test]
fn kcapi_enc_of_files() {
    let folder = scratch();
    let at = |name: &str| folder.path().join(name);
    for bits in [128, 256] {
        let digits = &KEY[..bits / 4];
        fs::write(at("key"), unhex(digits)).expect("the key");
        for (name, theirs, len) in [
            ("cbc(aes)", format!("-aes-{bits}-cbc"), 16),
            ("cbc(aes)", format!("-aes-{bits}-cbc"), 1_000_000),
            ("ctr(aes)", format!("-aes-{bits}-ctr"), 300_001),
        ] {
            let input = sample(folder.path(), len);
            openssl(&theirs, digits, IV, &input, &at("expected"));
            for via in [Via::Preload, Via::Seccomp] {
                let args = ["-c", name, "--iv", IV];
                kcapi_enc(via, Some(&at("key")), &[&args[..], &["-e"]].concat(), &input, &at("sealed"));
                same(&at("sealed"), &at("expected"));
                kcapi_enc(
                    via,
                    Some(&at("key")),
                    &[&args[..], &["-d", "--nounpad"]].concat(),
                    &at("sealed"),
                    &at("opened"),
                );
                same(&at("opened"), &input);
            }
        }
    }
}

#[test]
fn kcapi_enc_with_a_password_in_pipes() {
    let folder = scratch();
    let input = sample(folder.path(), 65_552);
    let (password, salt, rounds) = ("correct horse", "0011223344556677", "2000");
    let mut kdf = Command::new("openssl");
    kdf.args(["kdf", "-binary", "-keylen", "32", "-kdfopt", "digest:SHA256", "-kdfopt", &format!("pass:{password}")]);
    kdf.args(["-kdfopt", &format!("hexsalt:{salt}"), "-kdfopt", &format!("iter:{rounds}"), "PBKDF2"]);
    let key = hex(&stdout(&mut kdf));
    let expected = folder.path().join("expected");
    openssl("-aes-256-cbc", &key, IV, &input, &expected);
    for via in [Via::Preload, Via::Seccomp] {
        let mut enc = under(via, "kcapi-enc");
        enc.args(["-q", "-e", "-c", "cbc(aes)", "--iv", IV, "-p", password, "-s", salt, "--pbkdfiter", rounds]);
        let mut cat = Command::new("cat").arg(&input).stdout(Stdio::piped()).spawn().expect("cat");
        let run = enc.stdin(cat.stdout.take().expect("a pipe")).output().expect("kcapi-enc");
        assert!(run.status.success() && cat.wait().expect("cat").success(), "{}", told(&run));
        assert!(run.stdout == fs::read(&expected).expect("the file"), "by {via:?}");
    }
}

#[test]
fn kcapi_enc_of_gcm() {
    let folder = scratch();
    let at = |name: &str| folder.path().join(name);
    // The GCM specification, test case 4.
    fs::write(at("key"), unhex("feffe9928665731c6d6a8f9467308308")).expect("the key");
    fs::write(
        at("text"),
        unhex(concat!(
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72",
            "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
        )),
    )
    .expect("the text");
    let (iv, aad) = ("cafebabefacedbaddecaf888", "feedfacedeadbeeffeedfacedeadbeefabaddad2");
    let sealed = unhex(concat!(
        "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e",
        "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091",
    ));
    let tag = "5bc94fbc3221a5db94fae95ae7121a47";
    for via in [Via::Preload, Via::Seccomp] {
        let args = ["-c", "gcm(aes)", "--iv", iv, "--aad", aad, "--taglen", "16"];
        kcapi_enc(via, Some(&at("key")), &[&args[..], &["-e"]].concat(), &at("text"), &at("sealed"));
        let got = fs::read(at("sealed")).expect("the file");
        // The layout of AF_ALG: associated data, text, tag.
        assert_eq!(hex(&got), hex(&[&unhex(aad)[..], &sealed, &unhex(tag)].concat()), "by {via:?}");
        fs::write(at("ciphertext"), &sealed).expect("a file");
        let args = ["-c", "gcm(aes)", "--iv", iv, "--aad", aad, "--tag", tag, "-d"];
        kcapi_enc(via, Some(&at("key")), &args, &at("ciphertext"), &at("opened"));
        let opened = fs::read(at("opened")).expect("the file");
        assert_eq!(hex(&opened), hex(&[unhex(aad), fs::read(at("text")).expect("the text")].concat()), "by {via:?}");
    }
}

#[test]
fn kcapi_dgst() {
    let folder = scratch();
    let key = folder.path().join("key");
    fs::write(&key, unhex(&KEY[..32])).expect("the key");
    for len in [0, 1, 4096, 300_000] {
        let input = sample(folder.path(), len);
        for via in [Via::Preload, Via::Seccomp] {
            let digest = |name: &str, keyed: bool| {
                let mut dgst = under(via, "kcapi-dgst");
                dgst.args(["-q", "--hex", "-c", name, "-i"]).arg(&input).stdin(Stdio::null());
                if keyed {
                    dgst.args(["--keyfd", "0"]).stdin(File::open(&key).expect("the key"));
                }
                let run = dgst.output().expect("kcapi-dgst: install Debian's kcapi-tools");
                assert!(run.status.success(), "{dgst:?}: {}", told(&run));
                String::from_utf8(run.stdout).expect("text").trim().to_owned()
            };
            let word = |program: &str| {
                let said = stdout(Command::new(program).arg(&input));
                String::from_utf8(said).expect("text").split_whitespace().next().expect("a digest").to_owned()
            };
            assert_eq!(digest("sha256", false), word("sha256sum"), "{len} by {via:?}");
            assert_eq!(digest("sha512", false), word("sha512sum"), "{len} by {via:?}");
            let hexkey = format!("hexkey:{}", &KEY[..32]);
            let mac = |args: [&str; 3]| {
                let mut openssl = Command::new("openssl");
                openssl.arg("mac").args(&args[..2]).args(["-macopt", &hexkey, "-in", text(&input), args[2]]);
                String::from_utf8(stdout(&mut openssl)).expect("text").trim().to_lowercase()
            };
            assert_eq!(digest("hmac(sha256)", true), mac(["-digest", "SHA256", "HMAC"]), "{len} by {via:?}");
            assert_eq!(digest("cmac(aes)", true), mac(["-cipher", "AES-128-CBC", "CMAC"]), "{len} by {via:?}");
        }
    }
}

#[test]
fn kcapi_rng() {
    for via in [Via::Preload, Via::Seccomp] {
        for name in [None, Some("drbg_nopr_ctr_aes256")] {
            let draw = |bytes: usize| {
                let mut rng = under(via, "kcapi-rng");
                rng.args(["-b", &bytes.to_string()]);
                if let Some(name) = name {
                    rng.args(["-n", name]);
                }
                stdout(&mut rng)
            };
            let (a, b) = (draw(1000), draw(1000));
            assert_eq!((a.len(), b.len()), (1000, 1000), "{name:?} by {via:?}");
            assert_ne!(a, b);
            assert_eq!(draw(1).len(), 1);
        }
    }
}

#[test]
fn openssl_engine() {
    let folder = scratch();
    let at = |name: &str| folder.path().join(name);
    for len in [0, 15, 16, 100_000] {
        let input = sample(folder.path(), len);
        for bits in [128, 192, 256] {
            let cipher = [&format!("-aes-{bits}-cbc"), "-K", &KEY[..bits / 4], "-iv", IV];
            let files = |into: &str| [Path::new("-in").into(), input.clone(), Path::new("-out").into(), at(into)];
            stdout(Command::new("openssl").arg("enc").args(cipher).args(files("expected")));
            for via in [Via::Preload, Via::Seccomp] {
                // The engine is named on the command line, so that it is an error if it is missing.
                let mut openssl = under(via, "openssl");
                openssl.args(["enc", "-engine", "afalg"]).args(cipher).args(files("sealed"));
                let run = output(&mut openssl);
                assert!(run.status.success() && told(&run).contains("Engine \"afalg\" set."), "{}", told(&run));
                same(&at("sealed"), &at("expected"));
            }
        }
    }
    let mut speed = under(Via::Default, "openssl");
    speed.args(["speed", "-engine", "afalg", "-seconds", "1", "-bytes", "1024", "-evp", "aes-128-cbc"]);
    let run = output(&mut speed);
    assert!(run.status.success() && told(&run).contains("AES-128-CBC"), "{}", told(&run));
}
