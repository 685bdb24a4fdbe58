//! Sectors: each is a message of its own, and its number is the IV.

use super::{CHUNK, Job, MAX_MESSAGE};
use crate::{answer::Answer, args::EncArgs, error::Error};
use algkit::{Registry, Text};
use zeroize::Zeroizing;

pub fn run(args: &EncArgs, registry: &Registry, key: &[u8], size: usize) -> Result<Answer, Error> {
    let cipher = registry.skcipher(&args.name)?.key(key)?;
    if !(1..=MAX_MESSAGE).contains(&size) {
        let reason = format!("{size} is not a size from 1 to {MAX_MESSAGE}");
        return Err(Error::Option { option: "--sector-size", reason });
    }
    let mut iv = vec![0; cipher.driver().shape.ivsize];
    let first = args.first_sector.unwrap_or(0);
    // A sector that the mode does not take is told of before anything is opened.
    cipher.encrypt(plain64(first, &mut iv), &mut Zeroizing::new(vec![0; size])[..])?;

    let mut job = Job::open(args)?;
    // The number of the next sector, if there is one.
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
        for message in text.chunks_mut(size) {
            let sector = next.ok_or_else(|| past_the_last(first))?;
            cipher.crypt(job.direction, plain64(sector, &mut iv), &mut Text::from(message))?;
            next = sector.checked_add(1);
        }
        if !job.write(text)? {
            return Ok(Answer::Yes);
        }
        if filled < buffer.len() {
            return job.finish();
        }
    }
}

/// Numbers do not begin again at zero: two sectors would have the same IV.
fn past_the_last(first: u64) -> Error {
    let reason = format!("{first} leaves no 64-bit number for the last sectors of the input");
    Error::Option { option: "--first-sector", reason }
}

/// The IV of a sector as in dm-crypt's plain64: its number as 64 bits, little-endian, then zeros.
fn plain64(sector: u64, iv: &mut [u8]) -> &mut [u8] {
    iv.fill(0);
    iv.iter_mut().zip(sector.to_le_bytes()).for_each(|(byte, n)| *byte = n);
    iv
}
