//! The policy, log and statistics settings as environment variables, which the preload library and the supervisor
//! read.

use crate::{args::RunArgs, error::Error};
use std::{ffi::OsString, fs::OpenOptions, os::unix::fs::FileTypeExt as _, path::PathBuf};

/// Names and values of variables.
pub struct Variables(Vec<(&'static str, OsString)>);

impl Variables {
    /// The variables for these arguments. The statistics file is truncated, unless it is a pipe.
    pub fn of(args: &RunArgs) -> Result<Self, Error> {
        let mut all: Vec<(&'static str, OsString)> = Vec::new();
        for (name, patterns) in [("ALGKIT_ALLOW", &args.allow), ("ALGKIT_DENY", &args.deny)] {
            if !patterns.is_empty() {
                all.push((name, patterns.join(" ").into()));
            }
        }
        all.extend(args.as_linux.iter().map(|version| ("ALGKIT_AS_LINUX", version.into())));
        all.extend(args.log.iter().map(|level| ("ALGKIT_LOG", level.to_string().into())));
        if let Some(file) = &args.stats {
            let path = file.as_ref().map(emptied).transpose()?;
            all.push(("ALGKIT_STATS", path.unwrap_or_default().into()));
        }
        Ok(Self(all))
    }

    /// All variables with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &OsString)> {
        self.0.iter().map(|(name, value)| (*name, value))
    }

    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<&OsString> {
        self.iter().find(|(other, _)| *other == name).map(|(_, value)| value)
    }
}

/// Creates or truncates a file and returns its absolute path. A pipe is not opened, because its reader would take the close for the end of the
/// statistics.
fn emptied(file: &PathBuf) -> Result<PathBuf, Error> {
    let failed = |source| Error::write(file, source);
    if !file.metadata().is_ok_and(|found| found.file_type().is_fifo()) {
        OpenOptions::new().write(true).create(true).truncate(true).open(file).map_err(failed)?;
    }
    file.canonicalize().map_err(failed)
}
