//! Where the library that is injected is kept.

use crate::error::Error;
use std::{
    env,
    path::{Path, PathBuf},
};

const NAME: &str = "libalgkit_preload.so";

/// Names the library, or a folder that has it.
const VARIABLE: &str = "ALGKIT_PRELOAD";

/// Folders, seen from the one of the executable: of a build, where `deps` has what was built last, and of a
/// package.
const FOLDERS: [&str; 4] = ["deps", "", "../lib/algkit", "../lib"];

/// Whether the user has said where the library is.
pub fn is_named() -> bool {
    env::var_os(VARIABLE).is_some()
}

/// The library's path.
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

/// The loader of a child that has changed folders must find it, too.
fn absolute(path: &Path) -> Result<PathBuf, Error> {
    path.canonicalize().map_err(|source| Error::Read { name: format!("`{}`", path.display()), source })
}
