//! `algkit volume format`: writes a new header with one key slot.

use super::{
    Access, Named,
    args::{FormatArgs, Kind, Pbkdf},
    passphrase,
};
use crate::{answer::Answer, error::Error};
use algkit_volume::{Argon2, CipherSpec, Header, Kdf, format::Options};
use std::{thread, time::Duration};

/// The maximum default memory for Argon2 in KiB, as in cryptsetup.
const MEMORY_KIB: u64 = 1 << 20;

pub fn run(args: &FormatArgs) -> Result<Answer, Error> {
    let image = Named::open(&args.image, Access::Write)?;
    let failed = |error| image.error(error);
    if !args.batch_mode && Header::read(&image.file).is_ok() {
        let reason =
            format!("`{}` is a LUKS volume; its data would be lost (-q formats it all the same)", args.image.display());
        return Err(Error::Option { option: "format", reason });
    }
    let cipher = CipherSpec::parse(&args.cipher).map_err(failed)?;
    let key_file = args.key_file.as_deref().or(args.new_key_file.as_deref());
    let passphrase = match key_file {
        Some(file) => passphrase::key_file(file, None, None)?,
        None => passphrase::new(&args.image)?,
    };
    let key_bits = args.key_size.unwrap_or(if cipher.algorithm().starts_with("xts") { 512 } else { 256 });
    if !key_bits.is_multiple_of(8) {
        return Err(Error::Option { option: "--key-size", reason: format!("{key_bits} is not a multiple of 8") });
    }
    let options = Options {
        key_size: key_bits as usize / 8,
        sector_size: args.sector_size.unwrap_or(512),
        kdf: kdf(args).map_err(failed)?,
        hash: args.hash.clone(),
        uuid: args.uuid.clone(),
        label: args.label.clone().unwrap_or_default(),
        subsystem: args.subsystem.clone().unwrap_or_default(),
        cipher,
    };
    let random = algkit::rng("stdrng")?.key(&[])?;
    match args.kind {
        Kind::Luks1 => algkit_volume::luks1::Header::format(&image.file, &options, &passphrase, &random).map(drop),
        Kind::Luks2 => algkit_volume::luks2::Header::format(&image.file, &options, &passphrase, &random).map(drop),
    }
    .map_err(failed)?;
    Ok(Answer::Yes)
}

/// The key derivation with the requested parameters. Parameters that were not given are measured to take the
/// requested time.
fn kdf(args: &FormatArgs) -> Result<Kdf, algkit_volume::Error> {
    let pbkdf = args.pbkdf.unwrap_or(if args.kind == Kind::Luks1 { Pbkdf::Pbkdf2 } else { Pbkdf::Argon2id });
    let time = Duration::from_millis(args.iter_time);
    let variant = match pbkdf {
        Pbkdf::Pbkdf2 => {
            return match args.pbkdf_force_iterations {
                Some(iterations) => Ok(Kdf::Pbkdf2 { hash: args.hash.clone(), iterations, salt: Vec::new() }),
                None => Kdf::pbkdf2_for(&args.hash, time),
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
fn available_kib() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    line.and_then(|rest| rest.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(MEMORY_KIB)
}
