//! What the supervisor tells and counts, and where that goes.
//!
//! Lines are written by a thread of their own, so that nothing that is served waits for who reads them.

use crate::{error::Error, out::complain};
use algkit_afalg::usage;
use std::{
    ffi::OsString,
    fs,
    io::{self, Write as _},
    mem,
    path::PathBuf,
    sync::{
        Mutex, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering},
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread::JoinHandle,
};

/// Lines that wait to be written. What comes when there are so many is counted, and left out.
const MAX_LINES: usize = 1024;

/// The thread that writes lines, from the first one on. It is started by a thread that serves, as those leave signals alone.
static WRITER: Mutex<Writer> = Mutex::new(Writer::Idle);
static LEFT_OUT: AtomicUsize = AtomicUsize::new(0);

/// Where statistics go: to a file, or without one to standard error.
static STATS: OnceLock<Option<PathBuf>> = OnceLock::new();

enum Writer {
    Idle,
    Writes(SyncSender<String>, JoinHandle<()>),
    Ended,
}

/// Statistics go to this file if they are asked for, or without a name to standard error.
pub fn begin(stats: Option<&OsString>) {
    if let Some(file) = stats {
        let _ = STATS.set((!file.is_empty()).then(|| file.into()));
    }
}

/// What a signal does, if there are statistics.
pub fn on_usr1() -> Option<fn()> {
    STATS.get().map(|_| (|| _ = stats().map_err(|error| complain(&error))) as fn())
}

/// Writes what is left, and the statistics.
pub fn end() -> Result<(), Error> {
    let writer = mem::replace(&mut *WRITER.lock().unwrap_or_else(PoisonError::into_inner), Writer::Ended);
    if let Writer::Writes(sender, thread) = writer {
        drop(sender);
        let _ = thread.join();
    }
    stats()
}

fn write(lines: &Receiver<String>) {
    for line in lines {
        complain(&line);
        match LEFT_OUT.swap(0, Ordering::Relaxed) {
            0 => {}
            n => complain(&format_args!("{n} more lines came too fast")),
        }
    }
}

/// Tells a line.
pub fn tell(line: &str) {
    let mut writer = WRITER.lock().unwrap_or_else(PoisonError::into_inner);
    if let Writer::Idle = *writer {
        let (sender, lines) = sync_channel(MAX_LINES);
        if let Ok(thread) = std::thread::Builder::new().spawn(move || write(&lines)) {
            *writer = Writer::Writes(sender, thread);
        }
    }
    if let Writer::Writes(lines, _) = &*writer
        && lines.try_send(line.to_owned()).is_err()
    {
        LEFT_OUT.fetch_add(1, Ordering::Relaxed);
    }
}

/// Writes what was counted until now, if it was asked for; to a file in the place of what was there.
fn stats() -> Result<(), Error> {
    let Some(file) = STATS.get() else { return Ok(()) };
    let text: String = usage::report().lines().map(|line| format!("algkit: {line}\n")).collect();
    let written = match file {
        None => io::stderr().write_all(text.as_bytes()),
        Some(file) => fs::write(file, text),
    };
    let name = || file.as_ref().map_or_else(|| "standard error".to_owned(), |file| format!("`{}`", file.display()));
    written.map_err(|source| Error::Write { name: name(), source })
}
