//! The contents of closed files. To wipe them may take long, so nobody must wait for that.

use algkit_afalg::File;
use std::{mem, thread};

/// The number of bytes above which a thread of its own wipes them.
const MUCH: usize = 1 << 20;

/// The contents of closed files, which are wiped when this is dropped: after all locks have been released.
#[derive(Default)]
pub struct Closed(Vec<File>);

impl Closed {
    /// Adds the contents of a file.
    pub fn push(&mut self, file: File) {
        self.0.push(file);
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
