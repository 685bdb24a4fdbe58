//! A passphrase that is asked for on a terminal: whatever ends the question, the terminal shows what is typed afterwards.

mod common;

use common::{Folder, QUICK, ok, run};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{Mode, OFlags, open},
    process::{Pid, Signal, kill_process},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr},
};
use std::{
    fs::{self, File},
    io::{Read, Write},
    os::unix::process::ExitStatusExt,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// A program on a terminal of its own.
struct Session {
    child: Child,
    keyboard: File,
    /// The end that programs see.
    terminal: File,
    said: String,
}

impl Session {
    fn start(program: &[&str]) -> Self {
        let keyboard = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&keyboard).and_then(|()| unlockpt(&keyboard)).unwrap();
        let name = ptsname(&keyboard, Vec::new()).unwrap().into_string().unwrap();
        // This process has a terminal already, or gets none by opening one.
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let terminal = File::from(open(name, flags, Mode::empty()).unwrap());
        let end = || Stdio::from(terminal.try_clone().unwrap());
        // A script's background process, and so these tests when run there, ignores both signals.
        let fresh = ["--default-signal=INT,QUIT", "setsid", "-c"];
        let child =
            Command::new("env").args(fresh).args(program).stdin(end()).stdout(end()).stderr(end()).spawn().unwrap();
        Self { child, keyboard: keyboard.into(), terminal, said: String::new() }
    }

    /// Waits until `text` has come, and forgets all up to it.
    #[track_caller]
    fn expect(&mut self, text: &str) {
        let begun = Instant::now();
        loop {
            if let Some(at) = self.said.find(text) {
                self.said.drain(..at + text.len());
                return;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "{text} does not come: {}", self.said);
            let mut files = [PollFd::new(&self.keyboard, PollFlags::IN)];
            let patience = Timespec { tv_sec: 1, tv_nsec: 0 };
            if poll(&mut files, Some(&patience)).unwrap() > 0 {
                let mut bytes = [0; 1024];
                let n = self.keyboard.read(&mut bytes).unwrap();
                self.said += &String::from_utf8_lossy(&bytes[..n]);
            }
        }
    }

    fn shows(&self) -> bool {
        tcgetattr(&self.terminal).unwrap().local_modes.contains(LocalModes::ECHO)
    }

    /// Waits until the terminal does or does not show what is typed.
    #[track_caller]
    fn wait(&self, shows: bool) {
        let begun = Instant::now();
        while self.shows() != shows {
            assert!(begun.elapsed() < Duration::from_secs(60), "the terminal shows what is typed: {}", !shows);
            thread::sleep(Duration::from_millis(10));
        }
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }
}

fn image(folder: &Folder) -> String {
    let key = folder.write("key", "a passphrase");
    let image = folder.write("image", "");
    File::options().write(true).open(&image).unwrap().set_len(17 << 20).unwrap();
    ok(&run(&[&["volume", "format", "-d", &key, &image][..], &QUICK].concat()));
    image
}

#[test]
fn a_signal_leaves_the_terminal_as_it_was() {
    let folder = Folder::new();
    let image = image(&folder);
    let open = [env!("CARGO_BIN_EXE_algkit"), "volume", "open-test", &image];
    for signal in [Signal::HUP, Signal::INT, Signal::QUIT, Signal::TERM, Signal::USR1, Signal::ALARM] {
        let mut session = Session::start(&open);
        session.expect("Passphrase for");
        assert!(!session.shows());
        kill_process(session.pid(), signal).unwrap();
        assert_eq!(session.child.wait().unwrap().signal(), Some(signal.as_raw()));
        assert!(session.shows(), "{signal:?}");
    }
    // The same by keys.
    for (key, signal) in [(3, Signal::INT), (28, Signal::QUIT)] {
        let mut session = Session::start(&open);
        session.expect("Passphrase for");
        session.keyboard.write_all(&[b'x', key]).unwrap();
        assert_eq!(session.child.wait().unwrap().signal(), Some(signal.as_raw()));
        assert!(session.shows(), "{key}");
    }
    // And an answer.
    let mut session = Session::start(&open);
    session.expect("Passphrase for");
    session.keyboard.write_all(b"a passphrase\n").unwrap();
    assert!(session.child.wait().unwrap().success() && session.shows());
}

#[test]
fn a_question_that_is_stopped_is_asked_again() {
    let folder = Folder::new();
    let image = image(&folder);
    let stopped = "echo it stopped; read line; fg > /dev/null";
    let script = format!(r#"set -m; "$1" volume open-test "$2"; {stopped}; {stopped}; echo status $?"#);
    let mut session = Session::start(&["sh", "-c", &script, "sh", env!("CARGO_BIN_EXE_algkit"), &image]);
    session.expect("Passphrase for");
    // Ctrl-Z: the shell's next command has a terminal that shows what is typed.
    session.keyboard.write_all(&[b'x', 26]).unwrap();
    session.expect("it stopped");
    assert!(session.shows());
    session.keyboard.write_all(b"go on\n").unwrap();
    session.expect("Passphrase for");
    session.wait(false);
    // A stop that no process can see coming, after which the shell may have changed the terminal.
    let shell = session.pid().as_raw_nonzero();
    let children = fs::read_to_string(format!("/proc/{shell}/task/{shell}/children")).unwrap();
    kill_process(Pid::from_raw(children.trim().parse().unwrap()).unwrap(), Signal::STOP).unwrap();
    session.expect("it stopped");
    let mut shown = tcgetattr(&session.terminal).unwrap();
    shown.local_modes.insert(LocalModes::ECHO);
    tcsetattr(&session.terminal, OptionalActions::Now, &shown).unwrap();
    session.keyboard.write_all(b"go on\n").unwrap();
    session.expect("Passphrase for");
    session.wait(false);
    session.keyboard.write_all(b"a passphrase\n").unwrap();
    session.expect("status 0");
    session.child.wait().unwrap();
    assert!(session.shows());
}

#[test]
fn a_disk_with_something_on_it_is_asked_about() {
    let folder = Folder::new();
    let image = image(&folder);
    let before = folder.read("image");
    let key = folder.arg("key");
    let format = [&[env!("CARGO_BIN_EXE_algkit"), "volume", "format", "-d", &key, &image][..], &QUICK].concat();
    // Ctrl-D is no answer.
    for (answer, status) in [("yes\n", 2), ("\u{4}", 2), ("YES\n", 0)] {
        let mut session = Session::start(&format);
        session.expect("a LUKS volume");
        session.expect("YES");
        session.keyboard.write_all(answer.as_bytes()).unwrap();
        if status == 2 {
            session.expect("not confirmed; nothing was written");
        }
        assert_eq!(session.child.wait().unwrap().code(), Some(status));
        assert!((folder.read("image") == before) == (status == 2));
    }
}

#[test]
fn a_new_passphrase_is_typed_twice_and_not_empty() {
    let folder = Folder::new();
    let image = image(&folder);
    let (key, before) = (folder.arg("key"), folder.read("image"));
    let add = [&[env!("CARGO_BIN_EXE_algkit"), "volume", "add-key", "-d", &key, &image][..], &QUICK].concat();
    for (first, again, said) in
        [("", None, "an empty one"), ("one", Some("two"), "not the same"), ("one", Some("one"), "")]
    {
        let mut session = Session::start(&add);
        session.expect("New passphrase for");
        session.keyboard.write_all(format!("{first}\n").as_bytes()).unwrap();
        if let Some(again) = again {
            session.expect("The same again");
            session.keyboard.write_all(format!("{again}\n").as_bytes()).unwrap();
        }
        session.expect(said);
        assert_eq!(session.child.wait().unwrap().code(), Some(if said.is_empty() { 0 } else { 2 }));
        assert!((folder.read("image") == before) != said.is_empty());
    }
}

/// A header with another key for the data is not restored without a warning.
#[test]
fn a_backup_from_before_a_reencryption_is_asked_about() {
    let folder = Folder::new();
    let image = image(&folder);
    let (key, backup) = (folder.arg("key"), folder.arg("backup"));
    ok(&run(&["volume", "header-backup", "--header-backup-file", &backup, &image]));
    let restore = [env!("CARGO_BIN_EXE_algkit"), "volume", "header-restore", "--header-backup-file", &backup, &image];
    let asks = |question: &str| {
        let mut session = Session::start(&restore);
        session.expect(question);
        session.expect("YES");
        session.keyboard.write_all(b"no\n").unwrap();
        assert_eq!(session.child.wait().unwrap().code(), Some(2));
    };
    ok(&run(&[&["volume", "add-key", "-d", &key, &image, &folder.write("new", "another")][..], &QUICK].concat()));
    asks("The key slots");
    ok(&run(&[&["volume", "reencrypt", "--drop-other-keys", "-d", &key, &image][..], &QUICK].concat()));
    asks("has another key than the backup");
    ok(&run(&[&["volume", "format", "-q", "-d", &key, &image][..], &QUICK].concat()));
    asks("has another UUID");
}
