//! Log lines and statistics of the supervisor.
//!
//! A separate thread writes the lines, so that a slow reader does not delay requests.

use crate::{error::Error, out::complain};
use algkit_afalg::usage;
use algkit_supervisor::without_stopping;
use std::{
    ffi::OsString,
    fs::{File, OpenOptions},
    io::{self, Seek as _, Write as _},
    mem,
    path::PathBuf,
    sync::{
        Mutex, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering},
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread::JoinHandle,
};

/// The maximum number of lines in the queue. Further lines are dropped and counted.
const MAX_LINES: usize = 1024;

/// The thread that writes lines. It is started on the first line by a serving thread, because those block signals.
static WRITER: Mutex<Writer> = Mutex::new(Writer::Idle);
static LEFT_OUT: AtomicUsize = AtomicUsize::new(0);

/// The destination of statistics: a file, or `None` for standard error. Unset if no statistics were requested.
static STATS: OnceLock<Option<(File, PathBuf)>> = OnceLock::new();

enum Writer {
    Idle,
    Writes(SyncSender<String>, JoinHandle<()>),
    Ended,
}

/// Enables statistics if they were requested. An empty file name means standard error. The file is opened now, as the program may be the one who
/// owns its folder, and may put another file in its place.
pub fn begin(stats: Option<&OsString>) -> Result<(), Error> {
    let Some(path) = stats.map(PathBuf::from) else { return Ok(()) };
    let opened = (!path.as_os_str().is_empty()).then(|| OpenOptions::new().write(true).open(&path)).transpose();
    let failed = |source| Error::write(&path, source);
    let _ = STATS.set(opened.map_err(failed)?.map(|file| (file, path)));
    Ok(())
}

/// The handler of SIGUSR1, if statistics are enabled: writes them.
pub fn on_usr1() -> Option<fn()> {
    STATS.get().map(|_| stats as fn())
}

/// Writes the queued lines and the statistics.
pub fn finish() {
    let writer = mem::replace(&mut *WRITER.lock().unwrap_or_else(PoisonError::into_inner), Writer::Ended);
    if let Writer::Writes(sender, thread) = writer {
        drop(sender);
        let _ = thread.join();
    }
    stats();
}

fn write(lines: &Receiver<String>) {
    without_stopping(|| {
        for line in lines {
            complain(&line);
            match LEFT_OUT.swap(0, Ordering::Relaxed) {
                0 => {}
                n => complain(&format_args!("{n} more lines came too fast")),
            }
        }
    });
}

/// Queues a line for printing.
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

/// Writes the statistics so far, if enabled. A file is overwritten. A failure is told, and changes nothing for the program: the exit status is that of
/// the program.
fn stats() {
    let Some(file) = STATS.get() else { return };
    let text: String = usage::report().lines().map(|line| format!("algkit: {line}\n")).collect();
    let written = without_stopping(|| match file {
        None => io::stderr().write_all(text.as_bytes()),
        Some((file, _)) => rewrite(file, &text),
    });
    let name =
        || file.as_ref().map_or_else(|| "standard error".to_owned(), |(_, path)| format!("`{}`", path.display()));
    if let Err(source) = written {
        complain(&Error::Write { name: name(), source });
    }
}

/// Replaces what is in a file; what is a pipe or a terminal gets more.
fn rewrite(mut file: &File, text: &str) -> io::Result<()> {
    if file.metadata()?.is_file() {
        file.set_len(0)?;
        file.rewind()?;
    }
    file.write_all(text.as_bytes())
}
