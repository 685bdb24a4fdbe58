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
        assert!(told.contains("algkit: python3["), "{via}: {told}");
    }
}

/// Lists the names that `/proc/crypto`, and a dump over netlink, have.
const LIST: &str = "
import socket, struct
print(*{line.split()[2] for line in open('/proc/crypto') if line.startswith('name ')})
s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 21)
s.send(struct.pack('IHHII', 16 + 208, 0x13, 0x301, 1, 0) + bytes(208))
names, going = set(), True
while going:
    data = s.recv(65536)
    while data:
        length, kind = struct.unpack_from('IH', data)
        going = kind != 3
        if going:
            names.add(data[16:80].split(b'\\0')[0].decode())
        data = data[(length + 3) & ~3:]
print(*names)
";

#[test]
fn listings_have_what_is_served() {
    for via in ["preload", "seccomp"] {
        let mut run = Command::new(command::algkit());
        run.args(["run", "--via", via, "--allow", "xts(*)", "--allow", "sha*", "--deny", "*(twofish)"]);
        let text = String::from_utf8(stdout(run.args(["--", "python3", "-c", LIST]))).expect("text");
        for line in text.lines() {
            let names: Vec<_> = line.split(' ').collect();
            assert!(names.contains(&"xts(aes)") && names.contains(&"sha256"), "{via}: {line}");
            let served = |name: &&str| name.starts_with("xts(") || name.starts_with("sha");
            assert!(names.iter().all(served) && !names.contains(&"xts(twofish)"), "{via}: {line}");
        }
        assert_eq!(text.lines().count(), 2, "{via}: {text}");
    }
}

#[test]
fn what_a_limit_refuses_is_told() {
    let sockets = "import socket; s = [socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET) for _ in range(4)]";
    let mut run = Command::new(command::algkit());
    run.args(["run", "--via", "seccomp", "--files", "3", "--log", "1", "--", "python3", "-c", sockets]);
    let told = told(&output(&mut run));
    let line = told.lines().find(|line| line.contains("refused a file: the program has 3 open"));
    assert!(line.is_some_and(|line| line.starts_with("algkit: python3[")), "{told}");
}

/// Digests, asks the supervisor by a signal for what was served until now, and prints that.
const ASK: &str = "
import os, signal, socket, sys, time
s = socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET)
s.bind(('hash', 'sha256'))
h, _ = s.accept()
h.send(b'abc')
h.recv(32)
os.kill(os.getppid(), signal.SIGUSR1)
while not (text := open(sys.argv[1]).read()).endswith('bytes\\n'):
    time.sleep(0.01)
print(os.getpid())
print(text)
h.send(b'abcd')
h.recv(32)
";

#[test]
fn what_was_served_until_now_is_told_on_a_signal() {
    let folder = scratch();
    let file = folder.path().join("stats");
    let mut run = Command::new(command::algkit());
    run.args(["run", "--via", "seccomp", &format!("--stats={}", file.display()), "--", "python3", "-c", ASK]);
    let text = String::from_utf8(stdout(run.arg(&file))).expect("text");
    let (process, line) = text.split_once('\n').expect("two lines");
    let has = |line: &str, end: &str| {
        let line = line.trim_end();
        assert!(line.starts_with(&format!("algkit: python3[{process}]: hash sha256 ")), "{line}");
        assert!(line.ends_with(end), "{line}");
    };
    has(line, " 1 opened 1 requests 3 bytes");
    has(&fs::read_to_string(&file).expect("what was served"), " 1 opened 2 requests 7 bytes");
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
            stats.lines().find(|line| line.contains("skcipher") && line.contains(" xts(aes) ")).unwrap_or_else(|| panic!("{via}: {stats}"));
        let words: Vec<_> = line.split_whitespace().collect();
        let before = |word: &str| -> u64 {
            words.windows(2).find(|pair| pair[1] == word).and_then(|pair| pair[0].parse().ok()).expect("a number")
        };
        assert!(line.starts_with("algkit: cryptsetup["), "{via}: {line}");
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
