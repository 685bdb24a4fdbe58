//! The libraries, and what each of them implements of the cases.

mod algkit;
#[cfg(feature = "from-source")]
mod aws_lc;
mod crates;
mod graviola;
mod ring;

use crate::{case::Case, contender::Contender, limits};
use peers_plugin::{Level, Plugin, Request, Work};
use std::path::Path;

/// A library other than algkit.
pub struct Library {
    /// Its name.
    pub name: &'static str,
    /// The version that it reports, if any.
    pub version: String,
    source: Source,
}

/// A library's implementation of a request, if it has one.
type Make = fn(&Request) -> Option<Work>;

enum Source {
    Linked(Make),
    Loaded(Plugin),
}

/// Libraries that are linked: name, implementation, and the lowest level at which the library uses only what is
/// allowed. Only AWS-LC can be limited.
const LINKED: &[(&str, Make, Level)] = &[
    #[cfg(feature = "from-source")]
    ("AWS-LC", aws_lc::work, Level::Soft),
    ("ring", ring::work, Level::Avx2),
    ("graviola", graviola::work, Level::Full),
    ("RustCrypto", peers_rustcrypto::work, Level::Full),
    ("crates", crates::work, Level::Avx2),
    ("crc32fast", crates::crc32, Level::Full),
];

/// The crate `rustcrypto` built with other flags: name, folder below `target`, and the only level at which it takes
/// part.
const REBUILT: &[(&str, &str, Level)] =
    &[("RustCrypto native", "native", Level::Full), ("RustCrypto soft", "soft", Level::Soft)];

/// The libraries that take part at a level.
pub fn libraries(level: Level) -> Result<Vec<Library>, String> {
    let mut all = Vec::new();
    for &(name, object) in peers_foreign::OBJECTS {
        if object.is_empty() || (level == Level::Soft && matches!(name, "ipsec-mb" | "libsodium")) {
            continue;
        }
        all.push(loaded(name, Path::new(object))?);
    }
    for &(name, work, lowest) in LINKED {
        if level <= lowest {
            all.push(Library { name, version: String::new(), source: Source::Linked(work) });
        }
    }
    for &(name, folder, only) in REBUILT {
        if level == only {
            let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("target").join(folder);
            all.push(loaded(name, &target.join("release/libpeers_rustcrypto.so"))?);
        }
    }
    Ok(all)
}

fn loaded(name: &'static str, object: &Path) -> Result<Library, String> {
    let plugin = Plugin::load(object).map_err(|e| format!("{name}: {e}; was this started by `peers/run`?"))?;
    Ok(Library { name, version: plugin.version().to_owned(), source: Source::Loaded(plugin) })
}

impl Library {
    fn work(&self, request: &Request) -> Option<Work> {
        match &self.source {
            Source::Linked(work) => work(request),
            Source::Loaded(plugin) => plugin.work(request),
        }
    }
}

/// algkit's implementation of a case.
pub fn algkit(case: &Case, request: &Request) -> Contender {
    algkit::contender(case.name, request)
}

/// All contenders that implement the case: algkit first, the bounds last.
pub fn all(case: &Case, request: &Request, libraries: &[Library]) -> Vec<Contender> {
    let others = libraries.iter().filter_map(|library| {
        Some(Contender { library: library.name, driver: String::new(), work: library.work(request)?, scale: 1.0 })
    });
    [algkit(case, request)].into_iter().chain(others).chain(limits::bounds(request)).collect()
}
