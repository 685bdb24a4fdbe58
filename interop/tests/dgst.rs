//! `algkit dgst` compared with programs of coreutils and with `openssl`, including checksum lists.

mod command;

use command::{foreign, large_files, ours, outcome, scratch, text};
use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt, process::Command};

/// A program of coreutils, its arguments, and the algorithm.
const SUMS: &[(&str, &[&str], &str)] = &[
    ("md5sum", &[], "md5"),
    ("sha1sum", &[], "sha1"),
    ("sha224sum", &[], "sha224"),
    ("sha256sum", &[], "sha256"),
    ("sha384sum", &[], "sha384"),
    ("sha512sum", &[], "sha512"),
    ("b2sum", &[], "blake2b-512"),
    ("b2sum", &["-l", "256"], "blake2b-256"),
];

#[test]
fn large_files_have_the_digests_of_coreutils() {
    for (program, options, name) in SUMS {
        for file in large_files() {
            let theirs = foreign("coreutils", program, &[options, &[text(file)][..]].concat());
            let ours = ours(&["dgst", "-c", name, text(file)]);
            assert_eq!(String::from_utf8_lossy(&ours), String::from_utf8_lossy(&theirs), "{name}");
        }
    }
}

#[test]
fn large_files_have_the_digests_of_openssl() {
    let file = text(&large_files()[0]);
    for name in ["sha3-224", "sha3-256", "sha3-384", "sha3-512", "blake2s-256", "sm3", "rmd160"] {
        let option = match name {
            "blake2s-256" => "-blake2s256".to_owned(),
            _ => format!("-{name}"),
        };
        let theirs = foreign("openssl", "openssl", &["dgst", &option, "-r", file]);
        first_words_agree(name, &theirs, &ours(&["dgst", "-c", name, file]));
    }
}

#[test]
fn large_files_have_the_macs_of_openssl() {
    let file = text(&large_files()[0]);
    let key = "000102030405060708090a0b0c0d0e0f";
    let hexkey = format!("hexkey:{key}");
    for (name, digest) in [("hmac(sha1)", "SHA1"), ("hmac(sha256)", "SHA256"), ("hmac(sha3-512)", "SHA3-512")] {
        let digest = format!("digest:{digest}");
        let theirs =
            foreign("openssl", "openssl", &["mac", "-macopt", &digest, "-macopt", &hexkey, "-in", file, "HMAC"]);
        first_words_agree(name, &theirs, &ours(&["dgst", "-c", name, "-k", key, file]));
    }
    let cmac = ["mac", "-macopt", "cipher:AES-128-CBC", "-macopt", &hexkey, "-in", file, "CMAC"];
    let theirs = foreign("openssl", "openssl", &cmac);
    first_words_agree("cmac(aes)", &theirs, &ours(&["dgst", "-c", "cmac(aes)", "-k", key, file]));
}

fn first_words_agree(name: &str, theirs: &[u8], ours: &[u8]) {
    let word =
        |line: &[u8]| String::from_utf8_lossy(line).split_whitespace().next().expect("a digest").to_ascii_lowercase();
    assert_eq!(word(ours), word(theirs), "{name}");
}

/// Lists are equal byte by byte, also for names with newlines and backslashes, and each program accepts the other's
/// lists.
#[test]
fn lists_are_those_of_coreutils() {
    let folder = scratch();
    let names = ["plain", "with space", "back\\slash", "new\nline", " leading", "*star", "carriage\rreturn", "-dash"];
    let mut names: Vec<&OsStr> = names.iter().map(|&name| OsStr::new(name)).collect();
    names.push(OsStr::from_bytes(b"not utf-8 \xff\xfe"));
    for (i, name) in names.iter().enumerate() {
        fs::write(folder.path().join(name), vec![i as u8; 100 * i]).expect("a file");
    }
    let run = |program: &OsStr, args: &[&str], files: &[&OsStr]| {
        let output = Command::new(program).args(args).args(files).current_dir(folder.path()).output();
        output.unwrap_or_else(|e| panic!("{}: {e}; install Debian's coreutils", program.display()))
    };
    let algkit = command::algkit().as_os_str();
    let (our_list, their_list) = (OsStr::new("our list"), OsStr::new("their list"));
    for (program, options, name) in SUMS {
        let program = OsStr::new(program);
        for style in [&[][..], &["--tag"], &["-z"]] {
            let theirs = run(program, &[options, style, &["--"][..]].concat(), &names);
            let ours = run(algkit, &[&["dgst", "-c", name], style, &["--"]].concat(), &names);
            assert!(theirs.status.success() && ours.status.success(), "{name} {style:?}");
            assert_eq!(
                String::from_utf8_lossy(&ours.stdout),
                String::from_utf8_lossy(&theirs.stdout),
                "{name} {style:?}"
            );
            if style.is_empty() {
                fs::write(folder.path().join(our_list), &ours.stdout).expect("a file");
                fs::write(folder.path().join(their_list), &theirs.stdout).expect("a file");
            }
        }
        let accepted = |output: std::process::Output| {
            let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            assert!(output.status.success(), "{name}: {out}{err}");
            assert_eq!(out.lines().filter(|line| line.ends_with(": OK")).count(), names.len(), "{name}: {out}");
        };
        accepted(run(algkit, &["dgst", "-c", name, "--check"], &[their_list]));
        accepted(run(program, &[options, &["--check"][..]].concat(), &[our_list]));
    }

    // Both report a file that has changed.
    fs::write(folder.path().join("plain"), b"changed").expect("a file");
    assert_eq!(run(algkit, &["dgst", "-c", "blake2b-512", "--check"], &[their_list]).status.code(), Some(1));
    assert_eq!(run(OsStr::new("b2sum"), &["-l", "256", "--check"], &[our_list]).status.code(), Some(1));
}

#[test]
fn digests_of_standard_input() {
    let file = text(&large_files()[1]);
    let shell = |command: &str| foreign("dash", "sh", &["-c", command]);
    let algkit = text(command::algkit());
    let theirs = shell(&format!("sha256sum < '{file}'"));
    let ours = shell(&format!("'{algkit}' dgst -c sha256 < '{file}'"));
    assert_eq!(String::from_utf8_lossy(&ours), String::from_utf8_lossy(&theirs));
    assert!(outcome(&["dgst", "-c", "sha256", "/nonexistent"]).status.code().is_some_and(|code| code > 0));
}
