//! The key derivation of a new key slot.

use super::args::keys::{KdfArgs, Pbkdf};
use algkit_volume::{Argon2, Kdf, Limits, Version};
use std::{thread, time::Duration};

/// The hash where none is asked for.
pub const DEFAULT_HASH: &str = "sha256";

/// The maximum default memory for Argon2 in KiB, as in cryptsetup.
const MEMORY_KIB: u64 = 1 << 20;

/// The length in bytes of the longest key that a key slot derives, of two keys for AES-256 in XTS.
const LONGEST: usize = 64;

/// The key derivation with the requested parameters. Parameters that were not given are measured to take the
/// requested time. A key slot beyond the limits would open for nobody who does not raise them.
pub fn chosen(args: &KdfArgs, version: Version, hash: &str, limits: &Limits) -> Result<Kdf, algkit_volume::Error> {
    let kdf = measured(args, version, hash)?;
    kdf.allowed(LONGEST, limits)?;
    Ok(kdf)
}

fn measured(args: &KdfArgs, version: Version, hash: &str) -> Result<Kdf, algkit_volume::Error> {
    let pbkdf = args.pbkdf.unwrap_or(if version == Version::Luks1 { Pbkdf::Pbkdf2 } else { Pbkdf::Argon2id });
    let time = Duration::from_millis(args.iter_time);
    let variant = match pbkdf {
        Pbkdf::Pbkdf2 => {
            return match args.pbkdf_force_iterations {
                Some(iterations) => Ok(Kdf::Pbkdf2 { hash: hash.to_owned(), iterations, salt: Vec::new() }),
                None => Kdf::pbkdf2_for(hash, time),
            };
        }
        Pbkdf::Argon2i => Argon2::I,
        Pbkdf::Argon2id => Argon2::Id,
    };
    let cpus =
        args.pbkdf_parallel.unwrap_or_else(|| thread::available_parallelism().map_or(1, |n| n.get().min(4) as u32));
    let memory_kib = args.pbkdf_memory.unwrap_or_else(|| (available_kib() / 2).clamp(64 << 10, MEMORY_KIB) as u32);
    match args.pbkdf_force_iterations {
        Some(time) => Ok(Kdf::Argon2 { variant, time, memory_kib, cpus, salt: Vec::new() }),
        None => Kdf::argon2_for(variant, memory_kib, cpus, time),
    }
}

/// The available memory in KiB (proc(5), MemAvailable).
pub fn available_kib() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    line.and_then(|rest| rest.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(MEMORY_KIB)
}
