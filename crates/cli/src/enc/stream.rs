//! Symmetric ciphers with a mode: one message that is processed in pieces.
//!
//! Most modes return a chaining value in the IV, from which the next piece continues. These modes are different:
//!
//! | mode | first piece | pieces between | last piece |
//! | --- | --- | --- | --- |
//! | `essiv(cbc(…),…)` | itself, which encrypts the IV | `cbc(…)` | `cbc(…)` |
//! | `rfc3686(ctr(…))` | `ctr(…)` with the counter block of RFC 3686 | same | same |
//! | `cts(cbc(…))` | `cbc(…)` | `cbc(…)` | itself, at least two blocks |
//! | `chacha20`, `xchacha20`, `xchacha12` | itself | itself; the counter in the IV is moved on here | same |
//!
//! Any other mode processes a message in one piece of limited length.

use super::{CHUNK, Job, MAX_MESSAGE, direction};
use crate::{answer::Answer, args::EncArgs, error::Error};
use algkit::{Direction, Driver, Name, Registry, Skcipher, Text};
use std::mem;
use zeroize::Zeroizing;

/// The length of a ChaCha keystream block in bytes.
const CHACHA_BLOCK: usize = 64;

/// The number of bytes held back because they may be the end of the message: two blocks of any cipher.
const TAIL: usize = 64;

/// The transforms for the pieces of a message.
struct Pieces {
    first: Skcipher,
    /// For the pieces between the first and the last; `None` if it is the same.
    middle: Option<Skcipher>,
    /// For the last piece; `None` if it is the same.
    last: Option<Skcipher>,
    /// The offset of the 32-bit little-endian block counter in the IV, if the cipher does not update the IV.
    counter: Option<usize>,
    iv: Vec<u8>,
    /// Whether the message may be processed in pieces.
    divisible: bool,
}

impl Pieces {
    fn new(args: &EncArgs, registry: &Registry, key: &[u8], iv: Vec<u8>) -> Result<Self, Error> {
        let cipher = registry.skcipher(&args.name)?.key(key)?;
        // The IV is not written, so what key wrap returns there would be lost.
        cipher.check_once(direction(args))?;
        let name = Name::parse(&cipher.driver().name)?;
        let inner_name = inner_name(cipher.driver(), &name);
        let inner = |key: &[u8]| -> Result<Skcipher, Error> { Ok(registry.skcipher(&inner_name)?.key(key)?) };
        let over_cbc = name.args.first().is_some_and(|arg| arg.base == "cbc");
        let mut pieces = Self { first: cipher, middle: None, last: None, counter: None, iv, divisible: true };
        match name.base.as_str() {
            "ecb" | "cbc" | "ctr" | "pcbc" | "lrw" => {}
            "essiv" if over_cbc => pieces.middle = Some(inner(key)?),
            "cts" if over_cbc => pieces.last = Some(mem::replace(&mut pieces.first, inner(key)?)),
            "rfc3686" => {
                let (key, nonce) = key.split_at(key.len() - 4);
                pieces.iv = [nonce, &pieces.iv, &1u32.to_be_bytes()].concat();
                pieces.first = inner(key)?;
            }
            // The counter is at the start of the IV; in XChaCha it follows the 24-byte nonce.
            "chacha20" => pieces.counter = Some(0),
            "xchacha20" | "xchacha12" => pieces.counter = Some(24),
            _ => pieces.divisible = false,
        }
        Ok(pieces)
    }

    fn crypt(&mut self, direction: Direction, place: Place, text: &mut [u8]) -> Result<(), algkit::Error> {
        let cipher = match place {
            Place { last: true, .. } if self.last.is_some() => self.last.as_ref(),
            Place { first: false, .. } => self.middle.as_ref(),
            _ => None,
        };
        let len = text.len();
        cipher.unwrap_or(&self.first).crypt(direction, &mut self.iv, &mut Text::from(text))?;
        if let Some(counter) = self.counter.and_then(|at| self.iv.get_mut(at..)?.first_chunk_mut()) {
            let blocks = (len / CHACHA_BLOCK) as u32;
            *counter = u32::from_le_bytes(*counter).wrapping_add(blocks).to_le_bytes();
        }
        Ok(())
    }
}

/// The position of a piece in the message.
#[derive(Clone, Copy)]
struct Place {
    first: bool,
    last: bool,
}

/// The inner algorithm of a mode: the driver inside its driver's name, if that shows one.
fn inner_name(driver: &Driver, name: &Name) -> String {
    let composed = Name::parse(&driver.driver).ok().filter(|d| d.base == name.base);
    composed.as_ref().unwrap_or(name).args.first().map_or_else(String::new, Name::to_string)
}

pub fn run(args: &EncArgs, registry: &Registry, key: &[u8], iv: Vec<u8>) -> Result<Answer, Error> {
    let mut pieces = Pieces::new(args, registry, key, iv)?;
    let mut job = Job::open(args)?;
    let capacity = if pieces.divisible { CHUNK } else { MAX_MESSAGE };
    let mut buffer = Zeroizing::new(vec![0; capacity + TAIL]);
    let (mut kept, mut done) = (0, 0);
    loop {
        let filled = kept + job.input.fill(&mut buffer[kept..])?;
        if !pieces.divisible && filled > MAX_MESSAGE {
            return Err(Error::TooLong { name: args.name.clone(), limit: MAX_MESSAGE as u64 });
        }
        let last = filled < buffer.len();
        let text = &mut buffer[..if last { filled } else { CHUNK }];
        let place = Place { first: done == 0, last };
        pieces.crypt(job.direction, place, text).map_err(|error| of_the_whole(error, done))?;
        done += text.len() as u64;
        job.write(text)?;
        if last {
            return job.finish();
        }
        buffer.copy_within(CHUNK.., 0);
        kept = TAIL;
    }
}

/// Converts an error about the length of the last piece to one about the whole text.
fn of_the_whole(error: algkit::Error, done: u64) -> algkit::Error {
    match error {
        algkit::Error::TextLength { name, got, want } => algkit::Error::TextLength { name, got: done + got, want },
        other => other,
    }
}
