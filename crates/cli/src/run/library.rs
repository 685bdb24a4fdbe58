//! Finds the preload library.

use crate::error::Error;
use std::{
    env,
    path::{Path, PathBuf},
};

const NAME: &str = "libalgkit_preload.so";

/// The variable with the path of the library or of its folder.
const VARIABLE: &str = "ALGKIT_PRELOAD";

/// Folders relative to that of the executable: those of a build, where `deps` has the most recent library, and of a
/// package.
const FOLDERS: [&str; 4] = ["deps", "", "../lib/algkit", "../lib"];

/// Whether the user has set the path of the library.
pub fn is_named() -> bool {
    env::var_os(VARIABLE).is_some()
}

/// The path of the library.
pub fn find() -> Result<PathBuf, Error> {
    if let Some(named) = env::var_os(VARIABLE).map(PathBuf::from) {
        let path = if named.is_dir() { named.join(NAME) } else { named };
        return if path.is_file() { absolute(&path) } else { Err(Error::NoLibrary(vec![path])) };
    }
    let executable = env::current_exe().and_then(|path| path.canonicalize()).unwrap_or_default();
    let beside = executable.parent().unwrap_or(Path::new("/"));
    let places: Vec<_> = FOLDERS.iter().map(|folder| beside.join(folder).join(NAME)).collect();
    match places.iter().find(|place| place.is_file()) {
        Some(place) => absolute(place),
        None => Err(Error::NoLibrary(places)),
    }
}

/// The path must be absolute, because children may change their working directory.
fn absolute(path: &Path) -> Result<PathBuf, Error> {
    path.canonicalize().map_err(|source| Error::read(path, source))
}
