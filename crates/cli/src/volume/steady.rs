//! Signals while something is written that has to be written as a whole.

use crate::signals;
use algkit_volume::{Error, ReadAt, WriteAt};
use signal_hook::flag::register;
use std::{
    fs::File,
    sync::{Arc, Once, atomic::AtomicBool},
};

/// From now on the signals that end the command do no more than set the flag, so it has to end soon.
pub fn hold(asked: &Arc<AtomicBool>) {
    for signal in signals::that_end() {
        // Without a handler, the order of what is written still leaves a header that opens, and a reencryption that can be resumed.
        let _ = register(signal, Arc::clone(asked));
    }
}

/// Runs `work`, which no signal that ends the command interrupts. These signals stay without effect.
pub fn uninterrupted<T>(work: impl FnOnce() -> T) -> T {
    hold(&Arc::default());
    work()
}

/// A file whose first write keeps the signals off. What comes before it may take long, as a key derivation does, and they end it.
pub struct Steady<'a> {
    file: &'a File,
    /// Whether one of the signals has come since the first write.
    pub asked: Arc<AtomicBool>,
    begun: Once,
}

impl<'a> Steady<'a> {
    pub fn new(file: &'a File) -> Self {
        Self { file, asked: Arc::default(), begun: Once::new() }
    }

    fn begin(&self) -> &File {
        self.begun.call_once(|| hold(&self.asked));
        self.file
    }
}

impl ReadAt for Steady<'_> {
    fn size(&self) -> Result<u64, Error> {
        self.file.size()
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), Error> {
        self.file.read_at(offset, buf)
    }
}

impl WriteAt for Steady<'_> {
    fn write_at(&self, offset: u64, data: &[u8]) -> Result<(), Error> {
        WriteAt::write_at(self.begin(), offset, data)
    }

    fn write_from(&self, offset: u64, data: &mut [u8]) -> Result<(), Error> {
        self.begin().write_from(offset, data)
    }

    fn discard(&self, offset: u64, len: u64) -> Result<(), Error> {
        self.begin().discard(offset, len)
    }

    fn sync(&self) -> Result<(), Error> {
        self.file.sync()
    }
}
