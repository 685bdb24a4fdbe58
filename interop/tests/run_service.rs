//! What `algkit run` allows, reports and counts.

mod command;

use command::{
    run::{compile, output, stdout, told},
    scratch,
};
use std::{
    fs::{self, File},
    io::{BufRead as _, BufReader, Read as _, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    process::{Command, Output, Stdio},
    thread,
    time::Duration,
};

/// A program that binds a name and prints the result.
const BIND: &str = "
import socket, sys
s = socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET)
try:
    s.bind((sys.argv[1], sys.argv[2]))
    print('bound')
except OSError as e:
    print(e.errno)
";

/// Runs the program under `algkit run --via … options`.
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
        // As in Linux 7.3: names that it refuses give ENOENT (2).
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

/// A program that prints the names in `/proc/crypto`, and those in a dump over netlink.
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

/// A program whose name contains a newline and an escape sequence, and which asks for an algorithm of such a name.
const UNSEEMLY: &str = "
import socket
open('/proc/self/comm', 'w').write('x\\n\\x1b[2Jy')
s = socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET)
try: s.bind(('hash', 'none\\nalgkit: \\x1b[2J\\u202e'))
except OSError: print('refused')
s.bind(('hash', 'sha256'))
s.accept()
";

#[test]
fn names_end_no_line_and_move_no_cursor() {
    for via in ["preload", "seccomp"] {
        let mut run = Command::new(command::algkit());
        let run = output(run.args(["run", "--via", via, "--log", "2", "--stats", "--", "python3", "-c", UNSEEMLY]));
        assert_eq!(run.stdout, b"refused\n", "{via}: {}", told(&run));
        let errors = String::from_utf8(run.stderr).expect("text");
        let is_line = |line: &str| line.starts_with(r"algkit: x\n\u{1b}[2Jy[") && !line.contains(char::is_control);
        assert!(errors.lines().count() == 2 && errors.lines().all(is_line), "{via}: {errors:?}");
        assert!(!errors.contains('\u{202e}') && errors.contains(r"refused none\nalgkit: "), "{via}: {errors:?}");
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

/// A program that computes a digest, asks the supervisor by a signal for the statistics so far, and prints them.
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

/// A program that asks the supervisor for statistics by many signals, and prints how many threads this has added to it.
const FLOOD: &str = "
import os, signal, socket, time
supervisor = os.getppid()
threads = lambda: len(os.listdir(f'/proc/{supervisor}/task'))
before = threads()
s = socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET)
s.bind(('hash', 'sha256'))
h, _ = s.accept()
for _ in range(100):
    os.kill(supervisor, signal.SIGUSR1)
    time.sleep(0.002)
print(threads() - before, flush=True)
";

#[test]
fn signals_without_end_start_no_threads_without_end() {
    let folder = scratch();
    let path = folder.path().join("stats");
    stdout(Command::new("mkfifo").arg(&path));
    let mut pipe = File::options().read(true).write(true).custom_flags(libc::O_NONBLOCK).open(&path).expect("a pipe");
    // The pipe is full, so the supervisor's thread that writes the statistics waits.
    while pipe.write(&[b'\n'; 4096]).is_ok() {}
    let mut run = Command::new(command::algkit());
    run.args(["run", "--via", "seccomp", &format!("--stats={}", path.display()), "--", "python3", "-c", FLOOD]);
    let mut run = run.stdout(Stdio::piped()).spawn().expect("it runs");
    let mut said = String::new();
    BufReader::new(run.stdout.take().expect("a pipe")).read_line(&mut said).expect("a number");
    assert!(said.trim().parse::<i32>().is_ok_and(|threads| threads <= 2), "{said} more threads");
    let mut text = Vec::new();
    let ended = loop {
        let ended = run.try_wait().expect("a child");
        // It ends with EAGAIN, after all that is there.
        let _ = pipe.read_to_end(&mut text);
        match ended {
            Some(status) => break status,
            None => thread::sleep(Duration::from_millis(10)),
        }
    };
    let text = String::from_utf8(text).expect("text");
    let line = text.lines().last().expect("a line");
    assert!(ended.success() && line.ends_with(" 1 opened 0 requests 0 bytes"), "{ended}: {line}");
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
        let line = stats
            .lines()
            .find(|line| line.contains("skcipher") && line.contains(" xts(aes) "))
            .unwrap_or_else(|| panic!("{via}: {stats}"));
        let words: Vec<_> = line.split_whitespace().collect();
        let before = |word: &str| -> u64 {
            words.windows(2).find(|pair| pair[1] == word).and_then(|pair| pair[0].parse().ok()).expect("a number")
        };
        assert!(line.starts_with("algkit: cryptsetup["), "{via}: {line}");
        assert!(line.contains(" xts-aes-") || line.contains(" xts("), "a driver's name: {line}");
        assert!(before("opened") > 0 && before("requests") > 16 && before("bytes") >= 65536 * 16, "{line}");
    }
    // Without a file, statistics go to standard error. From level 3 on, each socket is reported.
    let mut run = Command::new(command::algkit());
    run.args(["run", "--stats", "--log", "3", "--", "kcapi-dgst", "-q", "--hex", "-c", "sha256", "-i", "/etc/passwd"]);
    let told = told(&output(&mut run));
    for part in ["algkit: kcapi-dgst[", "opened sha256 (", "closed sha256 (", " requests "] {
        assert!(told.contains(part), "{part}: {told}");
    }
}

#[test]
fn a_pipe_gets_all_statistics_before_its_end() {
    let folder = scratch();
    let pipe = folder.path().join("stats");
    stdout(Command::new("mkfifo").arg(&pipe));
    for via in ["preload", "seccomp"] {
        let mut run = Command::new(command::algkit());
        run.args(["run", "--via", via, &format!("--stats={}", pipe.display())]);
        run.args(["--", "kcapi-dgst", "-q", "--hex", "-c", "sha256", "-i", "/etc/passwd"]);
        let mut run = run.stdout(Stdio::null()).spawn().expect("it runs");
        let text = stdout(Command::new("cat").arg(&pipe));
        assert!(run.wait().expect("a child").success(), "{via}");
        assert!(String::from_utf8_lossy(&text).contains(" hash sha256 "), "{via}: {text:?}");
    }
}

#[test]
fn combined_operations_are_counted() {
    let folder = scratch();
    let (program, file) = (compile(folder.path(), "cryptodev", &[]), folder.path().join("stats"));
    for via in ["preload", "seccomp"] {
        let mut run = Command::new(command::algkit());
        stdout(run.args(["run", "--via", via, &format!("--stats={}", file.display()), "--"]).arg(&program));
        let stats = fs::read_to_string(&file).expect("what was served");
        // For an AEAD, these are all the counts.
        let line = stats.lines().find(|line| line.contains(" gcm(aes) ")).unwrap_or_else(|| panic!("{via}: {stats}"));
        assert!(!line.contains(" 0 requests") && !line.contains(" 0 bytes"), "{via}: {line}");
    }
}

/// A program that plays the service manager. It starts a program that reports by `sd_notify`'s protocol that it is
/// ready, and prints whether the report came from the process that it started, or from a child of that.
const MANAGER: &str = "
import os, socket, struct, subprocess, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
s.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
s.settimeout(60)
run = subprocess.Popen(sys.argv[2:], env={**os.environ, 'NOTIFY_SOCKET': sys.argv[1]}, stdin=subprocess.PIPE)
data, control, _, _ = s.recvmsg(100, socket.CMSG_SPACE(12))
pid = struct.unpack('3i', control[0][2])[0]
parent = next(int(line.split()[1]) for line in open(f'/proc/{pid}/status') if line.startswith('PPid:'))
print(data.decode(), 'itself' if pid == run.pid else 'child' if parent == run.pid else 'stranger')
run.stdin.close()
sys.exit(run.wait())
";

/// A program that computes a digest, reports that it is ready, and waits for the end of its input.
const SERVICE: &str = "
import os, socket, sys
s = socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET)
s.bind(('hash', 'sha256'))
s.accept()
notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
notify.sendto(b'READY=1', os.environ['NOTIFY_SOCKET'])
sys.stdin.read()
";

#[test]
fn a_service_says_that_it_is_ready() {
    for (via, from) in [("preload", "itself"), ("seccomp", "child")] {
        let folder = scratch();
        let mut manager = Command::new("python3");
        manager.args(["-c", MANAGER]).arg(folder.path().join("notify")).arg(command::algkit());
        let said = stdout(manager.args(["run", "--via", via, "--", "python3", "-c", SERVICE]));
        assert_eq!(String::from_utf8_lossy(&said), format!("READY=1 {from}\n"), "{via}");
    }
}

#[test]
#[cfg(target_arch = "x86_64")]
fn a_program_of_32_bits_is_not_served_and_that_is_said() {
    let folder = scratch();
    let (source, program) = (folder.path().join("exit.c"), folder.path().join("exit"));
    let exit = "void _start(void) { __asm__ volatile(\"int $0x80\" : : \"a\"(1), \"b\"(7)); }";
    fs::write(&source, exit).expect("a file");
    stdout(Command::new("gcc").args(["-m32", "-nostdlib", "-static", "-o"]).arg(&program).arg(&source));
    let run = |via: &[&str]| {
        let run = output(Command::new(command::algkit()).arg("run").args(via).arg("--").arg(&program));
        let told = told(&run);
        assert!(told.contains("is for another CPU") || told.contains("a program for another CPU"), "{told}");
        (run.status.code(), told.lines().count())
    };
    assert_eq!(run(&[]), (Some(7), 1));
    assert_eq!(run(&["--via", "seccomp"]), (Some(7), 1));
    assert_eq!(run(&["--via", "preload"]), (Some(2), 1), "it cannot be done");
}

/// A 32-bit program that makes an AF_ALG socket: by `socket` if it has an argument, otherwise by `socketcall`.
#[cfg(target_arch = "x86_64")]
const NARROW: &str = r#"
__asm__(".globl _start\n_start: mov (%esp), %eax\n push %eax\n call ask");
static int call(int nr, int a, const void *b, int c)
{
    int result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(nr), "b"(a), "c"(b), "d"(c) : "memory");
    return result;
}
void ask(int arguments)
{
    static const int socket[3] = {38, 5, 0};
    if (arguments > 1)
        call(359, socket[0], (void *)5, 0);
    else
        call(102, 1, socket, 0);
    call(1, 7, 0, 0);
}
"#;

#[test]
#[cfg(target_arch = "x86_64")]
fn a_child_of_32_bits_is_not_served_and_that_is_said() {
    let folder = scratch();
    let (source, program) = (folder.path().join("ask.c"), folder.path().join("ask"));
    fs::write(&source, NARROW).expect("a file");
    let mut gcc = Command::new("gcc");
    stdout(
        gcc.args(["-m32", "-O1", "-ffreestanding", "-fno-pie", "-nostdlib", "-static", "-o"])
            .arg(&program)
            .arg(&source),
    );
    for via in ["preload", "seccomp"] {
        for way in ["", " x"] {
            let script = format!("{0}{way}; {0}{way}; exit $?", program.display());
            let run = output(Command::new(command::algkit()).args(["run", "--via", via, "--", "sh", "-c", &script]));
            let told = told(&run);
            assert_eq!(run.status.code(), Some(7), "{via}: {told}");
            assert_eq!(told.lines().count(), 1, "{via}{way}: {told}");
            let line = format!("algkit: `{}` is not served: it is a program for another CPU", program.display());
            assert!(told.starts_with(&line), "{via}{way}: {told}");
        }
    }
}

/// The file that tells programs whether the machine is in FIPS mode is the host's.
#[test]
fn fips_mode_is_the_hosts() {
    let read = "try: print(open('/proc/sys/crypto/fips_enabled').read())\nexcept OSError as e: print(e.errno)";
    let here = stdout(Command::new("python3").args(["-c", read]));
    for via in ["preload", "seccomp"] {
        let mut run = Command::new(command::algkit());
        assert_eq!(stdout(run.args(["run", "--via", via, "--", "python3", "-c", read])), here, "{via}");
    }
}
