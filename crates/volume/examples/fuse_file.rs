//! A file through FUSE, encrypted by nothing: what `algkit volume mount` is compared with.
//!
//! ```console
//! $ cargo run --features fuse --example fuse_file -- plain.img mnt
//! ```

use algkit_volume::fuse::{Mounted, Options};
use std::{env, error::Error, fs::File, path::Path, thread};

fn main() -> Result<(), Box<dyn Error>> {
    let [file, folder] =
        env::args().skip(1).collect::<Vec<_>>().try_into().map_err(|_| "usage: fuse_file FILE FOLDER")?;
    let file = File::options().read(true).write(true).open(file)?;
    let threads = thread::available_parallelism().map_or(2, |cpus| cpus.get().clamp(2, 8));
    let failed = Box::new(|error: &algkit_volume::Error| eprintln!("{error}"));
    let mounted = Mounted::new(file, Path::new(&folder), Options { read_only: false, threads, failed })?;
    Ok(mounted.serve()?)
}
