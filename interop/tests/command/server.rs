//! `algkit volume serve`, running.

use super::{interruptible, signal, volume::Place};
use std::{
    fs,
    io::{BufRead, BufReader},
    process::{Child, Stdio},
};

/// A running server, which is killed when this is dropped.
pub struct Server {
    pub child: Child,
    pub uri: String,
}

impl Server {
    pub fn start(place: &Place, args: &[&str]) -> Self {
        let mut serve = interruptible();
        serve.args(["volume", "serve", "--key-file", &place.at("key")]).args(args);
        let mut child = serve.stdout(Stdio::piped()).current_dir(place.folder.path()).spawn().expect("algkit");
        let mut uri = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut uri).expect("a line");
        assert!(uri.starts_with("nbd"), "{uri}");
        Self { child, uri: uri.trim_end().to_owned() }
    }

    pub fn signal(&self, name: &str) {
        signal(&self.child, name);
    }

    /// Ends the server with `signal`, and checks that it exits with success.
    pub fn end(mut self, name: &str) {
        self.signal(name);
        assert!(self.child.wait().expect("a child").success());
    }

    /// The largest amount of memory that the server has used, in KiB.
    pub fn peak(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("proc");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("VmHWM");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // If the test has succeeded, the server has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
