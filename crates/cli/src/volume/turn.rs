//! Argon2 in one process after the other. Each fills up to gigabytes of memory, and a machine that opens several volumes at once has not got that for all.

use crate::out::complain;
use algkit_volume::{Header, Kdf};
use rustix::{
    fs::{FlockOperation, Mode, OFlags, flock, open},
    io::Errno,
    process::geteuid,
};
use std::{
    env, fs,
    os::{fd::OwnedFd, unix::fs::MetadataExt},
    path::PathBuf,
    thread,
    time::{Duration, Instant},
};

/// The file's name in the user's runtime folder.
const NAME: &str = "algkit-argon2.lock";

/// The longest time to wait. Whoever has the turn for longer hangs, is stopped, or was asked for Argon2 that takes hours.
const PATIENCE: Duration = Duration::from_secs(300);

/// The time between two looks.
const PAUSE: Duration = Duration::from_millis(50);

/// Waits until no other process of this user opens a volume with Argon2, if this header needs that. The turn ends when the file is dropped.
///
/// Without a runtime folder, which logind makes, nobody waits.
pub fn wait(header: &Header) -> Option<OwnedFd> {
    let Header::Luks2(luks2) = header else { return None };
    let needs = luks2.metadata.keyslots.values().any(|slot| matches!(slot.kdf, Some(Ok(Kdf::Argon2 { .. }))));
    let folder = if needs { folder() } else { None }?;
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = open(folder.join(NAME), flags, Mode::RUSR | Mode::WUSR).ok()?;
    if !locked(&file, PATIENCE) {
        let minutes = PATIENCE.as_secs() / 60;
        complain(&format_args!(
            "another process has been opening a volume for {minutes} minutes; this one goes on beside it"
        ));
        return None;
    }
    Some(file)
}

/// Whether the lock was to be had within this time. A file system without locks makes nobody wait.
pub fn locked(file: &OwnedFd, patience: Duration) -> bool {
    let start = Instant::now();
    while flock(file, FlockOperation::NonBlockingLockExclusive) == Err(Errno::WOULDBLOCK) {
        if start.elapsed() > patience {
            return false;
        }
        thread::sleep(PAUSE);
    }
    true
}

/// A folder in which nobody else can hold a lock: $XDG_RUNTIME_DIR, and /run for root without it.
fn folder() -> Option<PathBuf> {
    let user = geteuid();
    let folder = match env::var_os("XDG_RUNTIME_DIR") {
        Some(folder) => PathBuf::from(folder),
        None if user.is_root() => PathBuf::from("/run"),
        None => return None,
    };
    let is_mine =
        fs::metadata(&folder).is_ok_and(|metadata| metadata.uid() == user.as_raw() && metadata.mode() & 0o022 == 0);
    is_mine.then_some(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_waits_for_ever() {
        let folder = tempfile::tempdir().unwrap();
        let open = || OwnedFd::from(fs::File::create(folder.path().join(NAME)).unwrap());
        let (first, second) = (open(), open());
        assert!(locked(&first, PAUSE));
        let start = Instant::now();
        assert!(!locked(&second, 3 * PAUSE) && start.elapsed() > 3 * PAUSE);
        let waiting = thread::spawn(move || locked(&second, PATIENCE));
        drop(first);
        assert!(waiting.join().unwrap());
    }
}
