//! Argon2 in one process after the other. Each fills up to gigabytes of memory, and a machine that opens several volumes at once has not got that for all.

use algkit_volume::{Header, Kdf};
use rustix::{
    fs::{FlockOperation, Mode, OFlags, flock, open},
    io::retry_on_intr,
    process::geteuid,
};
use std::{env, fs, os::fd::OwnedFd, os::unix::fs::MetadataExt, path::PathBuf};

/// The file's name in the user's runtime folder.
const NAME: &str = "algkit-argon2.lock";

/// Waits until no other process of this user opens a volume with Argon2, if this header needs that. The turn ends when the file is dropped.
///
/// Without a runtime folder, which logind makes, nobody waits.
pub fn wait(header: &Header) -> Option<OwnedFd> {
    let Header::Luks2(luks2) = header else { return None };
    let needs = luks2.metadata.keyslots.values().any(|slot| matches!(slot.kdf, Some(Kdf::Argon2 { .. })));
    let folder = if needs { folder() } else { None }?;
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = open(folder.join(NAME), flags, Mode::RUSR | Mode::WUSR).ok()?;
    retry_on_intr(|| flock(&file, FlockOperation::LockExclusive)).ok()?;
    Some(file)
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
