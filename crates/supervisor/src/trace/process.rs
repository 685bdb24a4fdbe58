//! A process with numbers outside the range, and which of its calls concern them.

use super::registers::{ARGUMENTS, Values};
use crate::{
    bpf, calls, numbers,
    server::Server,
    sys::ptrace::{self, Entry},
};
use std::collections::BTreeSet;

/// A process, and its descriptors that have numbers outside the range.
#[derive(Default)]
pub struct Process {
    /// Numbers that are served, or were when it was last looked at.
    pub numbers: BTreeSet<i32>,
    /// Those of them that it is about to get, once for each call that asks for one.
    pub coming: Vec<i32>,
    /// Some may not be served any more: whichever thread stops next is looked at.
    pub stale: bool,
    /// Its threads that are traced.
    pub threads: BTreeSet<i32>,
}

impl Process {
    /// Forgets the numbers that are not served any more. Thread `tid` has stopped.
    pub fn look(&mut self, server: &Server, tid: i32) {
        if !std::mem::take(&mut self.stale) {
            return;
        }
        let is_served = |fd: &i32| self.coming.contains(fd) || server.file_of(tid, *fd).is_some();
        let served = self.numbers.iter().copied().filter(is_served).collect();
        // A thread that was killed meanwhile had nothing open any more.
        if ptrace::has_stopped(tid) { self.numbers = served } else { self.stale = true }
    }

    /// What the filter is to see of the arguments that are numbers of served descriptors, if the supervisor does the call.
    pub fn translate(&mut self, server: &Server, tid: i32, entry: &Entry) -> Values {
        let mut values = Values::default();
        if entry.arch != bpf::ARCH {
            return values;
        }
        for &index in bpf::descriptors(entry.nr, &entry.args) {
            let fd = entry.args[index] as i32;
            if !self.numbers.contains(&fd) {
                continue;
            }
            match server.file_of(tid, fd) {
                Some(served) if !calls::is_the_kernels(&served, entry.nr, &entry.args) => {
                    for (value, _) in values.iter_mut().zip(ARGUMENTS).filter(|(_, argument)| *argument == index) {
                        *value = numbers::biased(fd);
                    }
                }
                Some(_) => {}
                // Closed in a way that nobody saw.
                None => self.stale = true,
            }
        }
        values
    }

    /// Whether the call may close one of its numbers.
    pub fn may_lose(&self, entry: &Entry) -> bool {
        let has = |index: usize| self.numbers.contains(&(entry.args[index] as i32));
        match entry.nr {
            _ if entry.arch != bpf::ARCH => false,
            libc::SYS_close => has(0),
            libc::SYS_close_range => true,
            #[cfg(target_arch = "x86_64")]
            libc::SYS_dup2 => has(1),
            libc::SYS_dup3 => has(1),
            _ => false,
        }
    }
}
