//! Sectors: each one is a message, whose IV is its number (dm-crypt's plain64).

use super::{CHUNK, Job, MAX_MESSAGE};
use crate::{answer::Answer, args::EncArgs, error::Error};
use algkit::{Registry, sectors::Sectors};
use zeroize::Zeroizing;

pub fn run(args: &EncArgs, registry: &Registry, key: &[u8], size: usize) -> Result<Answer, Error> {
    let cipher = registry.skcipher(&args.name)?.key(key)?;
    if !(1..=MAX_MESSAGE).contains(&size) {
        return Err(Error::option("--sector-size", format!("{size} is not a size from 1 to {MAX_MESSAGE}")));
    }
    let first = args.first_sector.unwrap_or(0);
    // A sector size that the mode does not accept is reported before any file is opened.
    Sectors::new(first, size).encrypt(&cipher, &mut Zeroizing::new(vec![0; size]))?;

    let mut job = Job::open(args)?;
    // The number of the next sector, unless it would exceed 64 bits.
    let mut next = Some(first);
    let mut buffer = Zeroizing::new(vec![0; (CHUNK / size).max(1) * size]);
    let mut total = 0;
    loop {
        let filled = job.input.fill(&mut buffer)?;
        let text = &mut buffer[..filled];
        total += filled as u64;
        if !filled.is_multiple_of(size) {
            return Err(Error::PartialSector { got: total, sector: size });
        }
        if !text.is_empty() {
            let sector = next.ok_or_else(|| past_the_last(first))?;
            Sectors::new(sector, size).crypt(&cipher, job.direction, text).map_err(|error| match error {
                algkit::Error::SectorNumber { .. } => past_the_last(first),
                other => other.into(),
            })?;
            next = sector.checked_add((text.len() / size) as u64);
        }
        job.write(text)?;
        if filled < buffer.len() {
            return job.finish();
        }
    }
}

/// Sector numbers must not wrap: two sectors would have the same IV.
fn past_the_last(first: u64) -> Error {
    Error::option("--first-sector", format!("{first} leaves no 64-bit number for the last sectors of the input"))
}
