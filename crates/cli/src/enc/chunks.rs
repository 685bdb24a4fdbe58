//! `--stream`: an AEAD in chunks (STREAM), for texts longer than memory.
//!
//! The output is a random prefix of 7 bytes, followed by chunks, each a ciphertext and its tag. All chunks but the
//! last have the requested size. The last one has at least one byte of text, unless the whole text is empty. When
//! decrypting, a chunk is written after it has been authenticated. An output file appears only if all chunks are
//! authentic.

use super::{Job, assoc, random};
use crate::{answer::Answer, args::EncArgs, error::Error, input::Input};
use algkit::{
    Registry,
    stream::{Opener, PREFIX, Sealer},
};
use std::mem;
use zeroize::Zeroizing;

/// The maximum chunk size in bytes. Two chunks are held in memory.
const MAX_CHUNK: u64 = 1 << 30;

pub fn run(args: &EncArgs, registry: &Registry, key: &[u8], size: u64) -> Result<Answer, Error> {
    if !(1..=MAX_CHUNK).contains(&size) {
        return Err(Error::option("--stream", format!("{size} is not a size from 1 to {MAX_CHUNK}")));
    }
    let size = size as usize;
    let aead = registry.aead(&args.name)?.key(key)?;
    let tag_len = aead.max_tag_len();
    let name = aead.driver().name.clone();
    let assoc = assoc(args)?;
    match args.decrypt {
        false => {
            let prefix = random::<PREFIX>()?;
            let mut sealer = Sealer::new(aead, &prefix)?;
            let mut job = Job::open(args)?;
            job.write(&prefix)?;
            let mut chunks = Chunks::new(&mut job.input, size, tag_len)?;
            loop {
                let last = chunks.advance(&mut job.input)?;
                let (text, tag) = chunks.current[..chunks.len + tag_len].split_at_mut(chunks.len);
                if last {
                    sealer.seal_last(&assoc, text, tag)?;
                    let whole = chunks.len + tag_len;
                    job.write(&chunks.current[..whole])?;
                    return job.finish();
                }
                sealer.seal(&assoc, text, tag)?;
                job.write(&chunks.current)?;
            }
        }
        true => {
            // Usage errors are reported before any file is opened.
            Opener::new(registry.aead(&args.name)?.key(key)?, &[0; PREFIX])?;
            let mut job = Job::open(args)?;
            let mut prefix = [0; PREFIX];
            let got = job.input.fill(&mut prefix)?;
            let too_short = |got| Error::NoNonce { name: name.clone(), got, want: PREFIX + tag_len };
            if got < PREFIX {
                return Err(too_short(got));
            }
            let mut opener = Opener::new(aead, &prefix)?;
            let mut chunks = Chunks::new(&mut job.input, size + tag_len, 0)?;
            if chunks.ahead_len < tag_len {
                return Err(too_short(PREFIX + chunks.ahead_len));
            }
            loop {
                let last = chunks.advance(&mut job.input)?;
                // What follows a chunk and has no room for a tag was cut off.
                let Some(len) = chunks.len.checked_sub(tag_len) else {
                    return Err(algkit::Error::Authentication.into());
                };
                let (text, tag) = chunks.current[..chunks.len].split_at_mut(len);
                if last {
                    opener.open_last(&assoc, &mut *text, tag)?;
                    job.write(text)?;
                    return job.finish();
                }
                opener.open(&assoc, &mut *text, tag)?;
                job.write(text)?;
            }
        }
    }
}

/// The input in pieces. One piece is read ahead, to know which one is the last.
struct Chunks {
    current: Zeroizing<Vec<u8>>,
    /// The number of input bytes in `current`.
    len: usize,
    ahead: Zeroizing<Vec<u8>>,
    ahead_len: usize,
    size: usize,
}

impl Chunks {
    /// Reads pieces of `size` bytes into buffers with room for `spare` more bytes.
    fn new(input: &mut Input, size: usize, spare: usize) -> Result<Self, Error> {
        let buffer = || Zeroizing::new(vec![0; size + spare]);
        let mut chunks = Self { current: buffer(), len: 0, ahead: buffer(), ahead_len: 0, size };
        chunks.ahead_len = input.fill(&mut chunks.ahead[..size])?;
        Ok(chunks)
    }

    /// Moves on to the next piece; returns whether it is the last.
    fn advance(&mut self, input: &mut Input) -> Result<bool, Error> {
        mem::swap(&mut self.current, &mut self.ahead);
        self.len = self.ahead_len;
        self.ahead_len = if self.len == self.size { input.fill(&mut self.ahead[..self.size])? } else { 0 };
        Ok(self.ahead_len == 0)
    }
}
