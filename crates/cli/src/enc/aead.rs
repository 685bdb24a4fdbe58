//! AEADs: one message, in memory. Nothing is written before it is known to be authentic.

use super::{CHUNK, Job, input::read_file};
use crate::{answer::Answer, args::EncArgs, error::Error};
use algkit::{Aead, Direction, Registry};
use zeroize::Zeroizing;

pub fn run(args: &EncArgs, registry: &Registry, key: &[u8], iv: &[u8]) -> Result<Answer, Error> {
    let aead = registry.aead(&args.name)?.key(key)?;
    let tag_len = args.tag_len.unwrap_or(aead.max_tag_len());
    let tags = &aead.driver().shape.tags;
    if !tags.allows(tag_len) {
        let name = aead.driver().name.clone();
        return Err(algkit::Error::TagLength { name, got: tag_len, want: tags.clone() }.into());
    }
    let assoc = match &args.aad_file {
        Some(path) => read_file(path)?,
        None => Vec::new(),
    };
    let mut job = Job::open(args)?;
    let mut message = job.input.read_all(tag_len)?;
    match job.direction {
        Direction::Encrypt => seal(&aead, iv, &assoc, &mut message, tag_len)?,
        Direction::Decrypt => open(&aead, iv, &assoc, &mut message, tag_len)?,
    }
    for chunk in message.chunks(CHUNK) {
        if !job.write(chunk)? {
            return Ok(Answer::Yes);
        }
    }
    job.finish()
}

/// Encrypts the message and appends the tag.
fn seal(aead: &Aead, iv: &[u8], assoc: &[u8], message: &mut Zeroizing<Vec<u8>>, tag_len: usize) -> Result<(), Error> {
    let mut tag = vec![0; tag_len];
    aead.encrypt(iv, &[assoc], &mut message[..], &mut tag)?;
    message.extend_from_slice(&tag);
    Ok(())
}

/// Cuts the tag off the message and decrypts the rest.
fn open(aead: &Aead, iv: &[u8], assoc: &[u8], message: &mut Zeroizing<Vec<u8>>, tag_len: usize) -> Result<(), Error> {
    let Some(len) = message.len().checked_sub(tag_len) else {
        return Err(Error::NoTag { name: aead.driver().name.clone(), got: message.len(), tag: tag_len });
    };
    let tag = message.split_off(len);
    Ok(aead.decrypt(iv, &[assoc], &mut message[..], &tag)?)
}
