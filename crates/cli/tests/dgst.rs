//! Tests `algkit dgst`: published digests, the formats of coreutils, and `--check`.

mod common;

use common::{Folder, algkit, fails, ok, pipe, run};
use std::{
    os::unix::{ffi::OsStrExt, process::ExitStatusExt},
    process::Output,
};

/// Digests of `abc`. Sources: RFC 1321; FIPS 180-4; FIPS 202 (NIST's examples); RFC 7693.
const ABC: &[(&str, &str)] = &[
    ("sha1", "a9993e364706816aba3e25717850c26c9cd0d89d"),
    ("sha256", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
        "sha512",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
         2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
    ),
    ("sha3-256", "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"),
    (
        "blake2b-512",
        "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1\
         7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923",
    ),
];
const ABC_SHA256: &str = ABC[1].1;

/// The digest of the empty message.
const EMPTY_SHA256: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

#[test]
fn published_digests() {
    for (name, digest) in ABC {
        assert_eq!(ok(&pipe(&["dgst", "-c", name], b"abc")), format!("{digest}  -\n").as_bytes());
    }
    // RFC 4231, test case 2.
    let mac = pipe(&["dgst", "-c", "hmac(sha256)", "-k", "4a656665"], b"what do ya want for nothing?");
    assert_eq!(ok(&mac), b"5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843  -\n");
    // FIPS 180-4's one million letters `a`, which are read in several pieces.
    let million = pipe(&["dgst", "-c", "sha256", "-"], &vec![b'a'; 1_000_000]);
    assert_eq!(ok(&million), b"cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0  -\n");
}

/// The Keccak team's ShortMsgKAT_256 for the empty message, and a rate of 1344 bits for `abc`: a shorter digest is
/// a prefix of a longer one.
#[test]
fn digests_of_any_length() {
    let digest = |args: &[&str], message: &[u8]| ok(&pipe(&[&["dgst", "-c"], args].concat(), message)).to_vec();
    let keccak = digest(&["keccak"], b"abc");
    let want = "ed992674a628509bb2dce176b7c03672ee73b2de6d7fcea0b1bc94729d4e75f9\
                5dde5b2e0f92a378d2d5cf9ccc9d6ae4ad1bd7a35ea29c0ae7e869a23ab59573";
    assert_eq!(keccak, format!("{want}  -\n").as_bytes());
    assert_eq!(digest(&["keccak", "--length", "5"], b"abc"), b"ed992674a6  -\n");
    let long = digest(&["keccak", "--length", "1000"], b"abc");
    assert!(long.starts_with(want.as_bytes()) && long.len() == 2004);
    assert_eq!(digest(&["keccak-256"], b""), b"c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470  -\n");
    let fixed = fails(&pipe(&["dgst", "-c", "sha256", "--length", "20"], b""), 2);
    assert_eq!(fixed, "algkit: --length: `sha256` has digests of 32 bytes and no others\n");
    fails(&pipe(&["dgst", "-c", "keccak", "--length", "0"], b""), 2);
    assert!(fails(&pipe(&["dgst", "-c", "keccak", "--length", "17M"], b""), 2).contains("more than 16777216 bytes"));
    let long = digest(&["keccak", "--length", "1K"], b"abc");
    assert!(long.starts_with(want.as_bytes()) && long.len() == 2 * 1024 + 4);
}

fn check(folder: &Folder, list: &str, options: &[&str]) -> Output {
    folder.write("list", list);
    algkit()
        .args(["dgst", "-c", "sha256", "--check"])
        .args(options)
        .arg("list")
        .current_dir(folder.0.path())
        .output()
        .unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn names_are_written_as_coreutils_write_them() {
    let folder = Folder::new();
    folder.write("a b", "abc");
    folder.write("new\nline\\", "abc");
    let print = |options: &[&str], name: &str| {
        algkit().args(["dgst", "-c", "sha256"]).args(options).arg(name).current_dir(folder.0.path()).output().unwrap()
    };
    assert_eq!(ok(&print(&[], "a b")), format!("{ABC_SHA256}  a b\n").as_bytes());
    assert_eq!(ok(&print(&["--tag"], "a b")), format!("SHA256 (a b) = {ABC_SHA256}\n").as_bytes());
    let escaped = print(&[], "new\nline\\");
    assert_eq!(ok(&escaped), format!("\\{ABC_SHA256}  new\\nline\\\\\n").as_bytes());
    assert_eq!(ok(&print(&["-z"], "new\nline\\")), format!("{ABC_SHA256}  new\nline\\\0").as_bytes());
    let list = String::from_utf8(ok(&escaped).to_vec()).unwrap();
    assert_eq!(ok(&check(&folder, &list, &[])), b"\\new\\nline\\\\: OK\n");
}

#[test]
fn lists_of_every_form_are_checked() {
    let folder = Folder::new();
    folder.write("abc", "abc");
    folder.write("empty", "");
    let list = format!(
        "# a comment\n\n{ABC_SHA256}  abc\n{} *abc\r\nSHA256 (empty) = {EMPTY_SHA256}\n{ABC_SHA256}  ./abc",
        ABC_SHA256.to_uppercase()
    );
    assert_eq!(ok(&check(&folder, &list, &[])), b"abc: OK\nabc: OK\nempty: OK\n./abc: OK\n");
    assert_eq!(ok(&check(&folder, &list, &["--quiet"])), b"");
    assert_eq!(ok(&check(&folder, &list, &["--status"])), b"");
}

#[test]
fn what_does_not_match_is_told() {
    let folder = Folder::new();
    folder.write("abc", "abd");
    folder.write("empty", "");
    let list = format!("{ABC_SHA256}  abc\n{EMPTY_SHA256}  empty\n");
    let output = check(&folder, &list, &[]);
    assert_eq!(output.stdout, b"abc: FAILED\nempty: OK\n");
    assert_eq!(fails(&output, 1), "algkit: WARNING: 1 computed checksum did NOT match\n");
    assert_eq!(check(&folder, &list, &["--quiet"]).stdout, b"abc: FAILED\n");
    let silent = check(&folder, &list, &["--status"]);
    assert_eq!((silent.status.code(), silent.stdout.len(), silent.stderr.len()), (Some(1), 0, 0));
}

#[test]
fn missing_files() {
    let folder = Folder::new();
    folder.write("empty", "");
    let list = format!("{ABC_SHA256}  gone\n{EMPTY_SHA256}  empty\n");
    let output = check(&folder, &list, &[]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(output.stdout, b"gone: FAILED open or read\nempty: OK\n");
    let want = "algkit: cannot read `gone`: No such file or directory\n\
                algkit: WARNING: 1 listed file could not be read\n";
    assert_eq!(stderr(&output), want);
    assert_eq!(ok(&check(&folder, &list, &["--ignore-missing"])), b"empty: OK\n");
    let none = check(&folder, &format!("{ABC_SHA256}  gone\n"), &["--ignore-missing"]);
    assert_eq!(fails(&none, 1), "algkit: list: no file was verified\n");
}

/// What has been read of the list is no longer there to be hashed, so standard input would seem to be empty.
#[test]
fn a_list_on_standard_input_does_not_name_it() {
    let output = pipe(&["dgst", "-c", "sha256", "--check"], format!("{EMPTY_SHA256}  -\n").as_bytes());
    assert_eq!(fails(&output, 1), "algkit: standard input: no properly formatted checksum lines found\n");
    assert_eq!(output.stdout, b"");
}

#[test]
fn a_list_that_cannot_be_read_is_told_whatever_the_next_one_says() {
    let folder = Folder::new();
    let file = folder.write("file", "abd");
    let list = folder.write("list", format!("{ABC_SHA256}  {file}\n"));
    let output = run(&["dgst", "-c", "sha256", "--status", "--check", &folder.arg("gone"), &list]);
    assert!(fails(&output, 2).contains("gone`: No such file or directory"));
}

#[test]
fn improper_lines() {
    let folder = Folder::new();
    folder.write("empty", "");
    let list = format!("nonsense\n{EMPTY_SHA256}  empty\n00  empty\nMD5 (empty) = {EMPTY_SHA256}\n");
    let output = check(&folder, &list, &[]);
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(0), &b"empty: OK\n"[..]));
    assert_eq!(stderr(&output), "algkit: WARNING: 3 lines are improperly formatted\n");
    assert_eq!(check(&folder, &list, &["--strict"]).status.code(), Some(1));
    assert!(stderr(&check(&folder, &list, &["-w"])).contains("list: 1: improperly formatted sha256 checksum line\n"));
    let error = fails(&check(&folder, "nonsense\n", &[]), 1);
    assert_eq!(error, "algkit: list: no properly formatted checksum lines found\n");
    let endless = "0".repeat(1 << 20);
    fails(&check(&folder, &endless, &[]), 1);
}

#[test]
fn several_files_of_which_one_cannot_be_read() {
    let folder = Folder::new();
    let (there, gone) = (folder.write("empty", ""), folder.arg("gone"));
    let output = run(&["dgst", "-c", "sha256", &gone, &there]);
    assert_eq!(output.stdout, format!("{EMPTY_SHA256}  {there}\n").as_bytes());
    assert!(fails(&output, 2).contains("gone`: No such file or directory"));
}

/// The digests of the other files are not told, so it is no success.
#[test]
fn a_reader_that_leaves_before_the_last_file_gets_no_success() {
    let folder = Folder::new();
    let file = folder.write("file", "abc");
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = algkit().args(["dgst", "-c", "sha256", &file, "/"]).stdout(writer).output().unwrap();
    assert_eq!((output.status.signal(), &output.stderr[..]), (Some(13), &b""[..]), "SIGPIPE");
    // A check says by its status what it has found, whoever reads the lines.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let list = folder.write("list", format!("{ABC_SHA256}  {file}\n{EMPTY_SHA256}  {file}\n"));
    let output = algkit().args(["dgst", "-c", "sha256", "--check", &list]).stdout(writer).output().unwrap();
    assert!(fails(&output, 1).contains("1 computed checksum did NOT match"));
}

#[test]
fn names_that_are_no_text() {
    let folder = Folder::new();
    let name = std::ffi::OsStr::from_bytes(b"\xff\xfe");
    std::fs::write(folder.0.path().join(name), "abc").unwrap();
    let output = algkit().args(["dgst", "-c", "sha256"]).arg(name).current_dir(folder.0.path()).output().unwrap();
    assert_eq!(ok(&output), [ABC_SHA256.as_bytes(), b"  \xff\xfe\n"].concat());
}

#[test]
fn misuse_is_told_in_one_line() {
    for (args, want) in [
        (&["dgst", "-c", "nosuch"][..], "unknown algorithm `nosuch`"),
        (&["dgst", "-c", "stdrng"], "`stdrng` is of type rng"),
        (
            &["dgst", "-c", "ctr(aes)"],
            "`ctr(aes)` is of type skcipher, not hash; it encrypts: algkit enc -c 'ctr(aes)'",
        ),
        (&["dgst", "-c", "gcm(aes)"], "`gcm(aes)` is of type aead, not hash; it encrypts: algkit enc -c 'gcm(aes)'"),
        (&["dgst", "-c", "aes"], "`aes` is of type cipher, not hash; a block cipher takes a mode, such as 'ctr(aes)'"),
        (&["dgst", "-c", "hmac(sha256)"], "hmac(sha256) needs a key: -k HEX or --key-file FILE"),
        (&["dgst", "-c", "sha256", "-k", "0011"], "sha256: key of 2 bytes"),
        (&["dgst", "-c", "sha256", "-k", "001"], "--key: an odd number"),
        (&["dgst", "-c", "sha256", "/"], "s a directory"),
        (&["dgst", "-c", "sha256", "--check", "/nonexistent"], "No such file"),
        (&["dgst", "-c", "sha256", "--quiet"], "--check"),
        (&["dgst"], "--hash <NAME>"),
    ] {
        let error = fails(&run(args), 2);
        assert!(error.contains(want), "{args:?}: {error}");
    }
}

#[test]
fn a_list_in_place_of_an_algorithm() {
    let folder = Folder::new();
    folder.write("SUMS", format!("{EMPTY_SHA256}  empty\n"));
    let output = algkit().args(["dgst", "-c", "SUMS"]).current_dir(folder.0.path()).output().unwrap();
    assert!(fails(&output, 2).contains("algkit dgst -c HASH --check SUMS"));
}
