//! What `algkit run` allows, tells and counts.

mod command;

use command::{
    run::{output, stdout, told},
    scratch,
};
use std::{
    fs,
    process::{Command, Output},
};

/// Binds a name, and says how that went.
const BIND: &str = "
import socket, sys
s = socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET)
try:
    s.bind((sys.argv[1], sys.argv[2]))
    print('bound')
except OSError as e:
    print(e.errno)
";

/// `algkit run --via … options -- python3` that binds a name.
fn bind(via: &str, options: &[&str], kind: &str, name: &str) -> Output {
    let mut run = Command::new(command::algkit());
    run.args(["run", "--via", via]).args(options).args(["--", "python3", "-c", BIND, kind, name]);
    let run = output(&mut run);
    assert!(run.status.success(), "{}", told(&run));
    run
}

#[test]
fn names_that_are_not_served_do_not_exist() {
    for via in ["preload", "seccomp"] {
        let says = |options: &[&str], kind: &str, name: &str| {
            String::from_utf8(bind(via, options, kind, name).stdout).expect("text").trim().to_owned()
        };
        // As Linux 7.3 has it: ENOENT.
        let linux = ["--as-linux", "7.3"];
        assert_eq!(says(&linux, "skcipher", "xts(aes)"), "bound", "{via}");
        assert_eq!(says(&linux, "hash", "sha1"), "bound", "{via}");
        assert_eq!(says(&linux, "skcipher", "cbc(aes)"), "2", "{via}");
        assert_eq!(says(&linux, "aead", "gcm(aes)"), "2", "{via}");
        assert_eq!(says(&["--deny", "ecb(*)", "--deny", "*des*"], "skcipher", "ecb(aes)"), "2", "{via}");
        assert_eq!(says(&["--deny", "ecb(*)"], "skcipher", "cbc(aes)"), "bound", "{via}");
        assert_eq!(says(&["--allow", "cbc(*)", "--deny", "cbc(des)"], "skcipher", "cbc(des)"), "2", "{via}");
        let told = told(&bind(via, &["--as-linux", "7.3", "--log", "1"], "skcipher", "cbc(aes)"));
        assert!(told.contains("refused cbc(aes): the policy does not permit it"), "{via}: {told}");
        let told = crate::told(&bind(via, &["--log", "2"], "skcipher", "nothing(aes)"));
        assert!(told.contains("refused nothing(aes): "), "{via}: {told}");
    }
}

#[test]
fn what_was_served_by_which_driver() {
    let folder = scratch();
    let file = folder.path().join("stats");
    for via in ["preload", "seccomp"] {
        let mut run = Command::new(command::algkit());
        run.args(["run", "--via", via, &format!("--stats={}", file.display())]);
        stdout(run.args(["--", "/usr/sbin/cryptsetup", "benchmark", "-c", "aes-xts", "-s", "256"]));
        let stats = fs::read_to_string(&file).expect("what was served");
        let line =
            stats.lines().find(|line| line.contains("skcipher xts(aes) ")).unwrap_or_else(|| panic!("{via}: {stats}"));
        let words: Vec<_> = line.split_whitespace().collect();
        let before = |word: &str| -> u64 {
            words.windows(2).find(|pair| pair[1] == word).and_then(|pair| pair[0].parse().ok()).expect("a number")
        };
        assert!(line.contains(" xts-aes-") || line.contains(" xts("), "a driver's name: {line}");
        assert!(before("opened") > 0 && before("requests") > 16 && before("bytes") >= 65536 * 16, "{line}");
    }
    // Without a file, on standard error, and from level 3 on each socket.
    let mut run = Command::new(command::algkit());
    run.args(["run", "--stats", "--log", "3", "--", "kcapi-dgst", "-q", "--hex", "-c", "sha256", "-i", "/etc/passwd"]);
    let told = told(&output(&mut run));
    for part in ["algkit: kcapi-dgst[", "opened sha256 (", "closed sha256 (", " requests "] {
        assert!(told.contains(part), "{part}: {told}");
    }
}
