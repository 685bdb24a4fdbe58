//! The contents of closed files. To wipe them may take long, so nobody must wait for that.

use algkit_afalg::File;
use std::{mem, thread};

/// The number of bytes above which a thread of its own wipes them.
const MUCH: usize = 1 << 20;

/// The number of bytes up to which nobody notices the wiping.
const LITTLE: usize = 16 << 10;

/// The memory of closed files that keep more than a little, and its length in bytes. It is wiped when this is dropped: after all locks have been released.
#[derive(Default)]
pub struct Closed {
    memory: Vec<Box<dyn Send>>,
    len: usize,
}

impl Closed {
    /// Adds the contents of a file. All but its memory is dropped at once: a call that asks who is still there waits for the lock under which
    /// files are closed, and would find the file otherwise.
    pub fn push(&mut self, file: File) {
        let held = file.held();
        if held > LITTLE {
            self.memory.push(file.into_memory());
            self.len += held;
        }
    }
}

impl Drop for Closed {
    fn drop(&mut self) {
        let memory = mem::take(&mut self.memory);
        if self.len > MUCH {
            // If there is no thread for it, this one wipes the memory.
            let _ = thread::Builder::new().spawn(move || drop(memory));
        }
    }
}
