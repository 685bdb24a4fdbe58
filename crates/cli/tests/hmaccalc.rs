//! Tests the command under the names of hmaccalc and fipscheck. The digests of `abc` are OpenSSL's (`openssl dgst
//! -sha512 -hmac KEY`).

mod common;

use common::{Folder, fails, ok};
use std::{
    os::unix::fs::symlink,
    process::{Command, Output},
};

const SHA256HMAC: &str = "b70fd8d7c4f9591fd069e225c04bd162095f018f7f3336da5475ea0a0cb6e1f2";
const SHA512HMAC: &str = "cef1fdc86de63cac5de471ad73a7e25853f61e5dcb0f229d6f4763c7e5d495d4\
                          d73a2fb6ed2debc47fcc28338b7054ab899f7eb0a39e190d4b8e46309080c76a";
const FIPSHMAC: &str = "3ef0268e42d438231befa0c1458b8d912f0ac604961dce3ef1e519725eb1bb43";

/// A folder that contains a file `abc` and the command under `names`.
fn folder(names: &[&str]) -> Folder {
    let folder = Folder::new();
    folder.write("abc", "abc");
    for name in names {
        symlink(env!("CARGO_BIN_EXE_algkit"), folder.path(name)).unwrap();
    }
    folder
}

fn run(folder: &Folder, name: &str, args: &[&str]) -> Output {
    Command::new(folder.path(name)).args(args).current_dir(folder.0.path()).output().unwrap()
}

#[test]
fn lists_are_written_and_checked() {
    let folder = folder(&["sha256hmac", "sha512hmac"]);
    for (name, digest) in [("sha256hmac", SHA256HMAC), ("sha512hmac", SHA512HMAC)] {
        let list = ok(&run(&folder, name, &["abc"])).to_owned();
        assert_eq!(list, format!("{digest}  abc\n").as_bytes());
        folder.write(".abc.hmac", &list);
        assert_eq!(ok(&run(&folder, name, &["-c", ".abc.hmac"])), b"abc: OK\n");
        assert_eq!(ok(&run(&folder, name, &["-q", "-c", ".abc.hmac"])), b"");
        assert_eq!(ok(&run(&folder, name, &["--quiet", "-c", ".abc.hmac"])), b"");

        folder.write("abd", "abd");
        let other = run(&folder, name, &["-c", ".abc.hmac", "-T", "abd"]);
        assert_eq!((other.status.code(), &*other.stdout), (Some(1), &b"abc: FAILED\n"[..]));
        assert_eq!(run(&folder, name, &["-q", "-c", ".abc.hmac", "-T", "abd"]).status.code(), Some(1));
        fails(&run(&folder, name, &["-c", "absent"]), 2);
    }
}

#[test]
fn keys_and_forms() {
    let folder = folder(&["sha256hmac", "kcapi-hasher"]);
    let print = |args: &[&str]| String::from_utf8(ok(&run(&folder, "sha256hmac", args)).to_owned()).unwrap();
    folder.write("key", "FIPS-FTW-RHT2009");
    let tagged = format!("HMAC(SHA256) (abc) = {SHA256HMAC}\n");
    assert_eq!(print(&["--tag", "-k", "key", "abc"]), tagged);
    folder.write("list", &tagged);
    assert_eq!(print(&["-c", "list"]), "abc: OK\n");
    assert_eq!(print(&["-K", "orboDeJITITejsirpADONivirpUkvarP", "abc"]), format!("{FIPSHMAC}  abc\n"));
    assert_eq!(print(&["-z", "-t", "64", "abc"]), format!("{}  abc\0", &SHA256HMAC[..16]));
    // FIPS 180-4.
    assert!(print(&["-u", "abc"]).starts_with("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
    assert_eq!(print(&["-h", "sha512", "-b", "-P", "abc"]), format!("{SHA512HMAC}  abc\n"));
    assert_eq!(
        ok(&run(&folder, "kcapi-hasher", &["-n", "sha256hmac", "abc"])),
        format!("{SHA256HMAC}  abc\n").as_bytes()
    );
    let digest = print(&["-S"]);
    assert_eq!(digest.trim_end().len(), 64);

    assert!(fails(&run(&folder, "kcapi-hasher", &["abc"]), 2).contains("sha512hmac"));
    // No bits at all would match any file.
    for bits in ["0", "63", "264"] {
        assert!(fails(&run(&folder, "sha256hmac", &["-t", bits, "abc"]), 2).contains(&format!("`{bits}`")));
    }
    assert!(fails(&run(&folder, "sha256hmac", &["-h", "nonesuch", "abc"]), 2).contains("nonesuch"));
    assert!(fails(&run(&folder, "sha256hmac", &["--nonesuch"]), 2).contains("sha256hmac --help"));
    assert!(print(&["--help"]).contains("fipscheck"));
}

#[test]
fn files_beside_files() {
    let folder = folder(&["fipshmac", "fipscheck"]);
    assert_eq!(ok(&run(&folder, "fipshmac", &["abc"])), b"");
    assert_eq!(folder.read(".abc.hmac"), format!("{FIPSHMAC}\n").as_bytes());
    assert_eq!(ok(&run(&folder, "fipscheck", &["abc"])), b"");
    // kcapi-hasher also writes the name.
    folder.write(".abc.hmac", format!("{FIPSHMAC}  abc\n"));
    assert_eq!(ok(&run(&folder, "fipscheck", &["abc"])), b"");

    folder.write("abc", "abd");
    assert!(fails(&run(&folder, "fipscheck", &["abc"]), 1).contains("`abc` does not match `.abc.hmac`"));
    for bad in ["", "\n", "zz\n", "abc\n"] {
        folder.write(".abc.hmac", bad);
        assert_ne!(run(&folder, "fipscheck", &["abc"]).status.code(), Some(0), "{bad:?}");
    }
    fails(&run(&folder, "fipshmac", &["absent"]), 2);
    fails(&run(&folder, "fipshmac", &[]), 2);
    assert!(!folder.path(".absent.hmac").exists());

    std::fs::create_dir(folder.path("sums")).unwrap();
    folder.write("abc", "abc");
    ok(&run(&folder, "fipshmac", &["-d", "sums", "abc"]));
    assert_eq!(folder.read("sums/abc.hmac"), format!("{FIPSHMAC}\n").as_bytes());
    ok(&run(&folder, "fipscheck", &["-d", "sums", "abc"]));
}
