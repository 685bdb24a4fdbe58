//! The contents of closed files. To wipe them may take long, so nobody must wait for that.

use algkit_afalg::File;
use std::{mem, thread};

/// The number of bytes above which a thread of its own wipes them.
const MUCH: usize = 1 << 20;

/// The number of bytes up to which nobody notices the wiping.
const LITTLE: usize = 16 << 10;

/// The contents of closed files that keep more than a little, which are wiped when this is dropped: after all locks have been released.
#[derive(Default)]
pub struct Closed(Vec<File>);

impl Closed {
    /// Adds the contents of a file. A file that keeps little is dropped at once: a call that asks who is still there waits for the lock under which
    /// files are closed, and would find it otherwise.
    pub fn push(&mut self, file: File) {
        if file.held() > LITTLE {
            self.0.push(file);
        }
    }
}

impl Drop for Closed {
    fn drop(&mut self) {
        let files = mem::take(&mut self.0);
        if files.iter().map(File::held).sum::<usize>() > MUCH {
            // If there is no thread for it, this one drops the files.
            let _ = thread::Builder::new().spawn(move || drop(files));
        }
    }
}
