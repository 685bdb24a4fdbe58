//! AEADs: one message, in memory. Nothing is written before it has been authenticated.
//!
//! Without `--iv`, modes with a 12-byte nonce use a random one, which is written before the ciphertext. SP 800-38D
//! (section 8.3) allows 2^32 of these under one key.

use super::{CHUNK, Job, assoc, random};
use crate::{answer::Answer, args::EncArgs, error::Error};
use algkit::{Aead, Direction, Registry};
use zeroize::Zeroizing;

/// The length of a random nonce in bytes.
const NONCE: usize = 12;

pub fn run(args: &EncArgs, registry: &Registry, key: &[u8], iv: Option<Vec<u8>>) -> Result<Answer, Error> {
    let aead = registry.aead(&args.name)?.key(key)?;
    let (name, want) = (aead.driver().name.clone(), aead.driver().shape.ivsize);
    match &iv {
        Some(iv) if !aead.takes_iv(iv.len()) => {
            return Err(algkit::Error::IvLength { name, got: iv.len(), want }.into());
        }
        None if want != NONCE => return Err(Error::IvMissing { name, want }),
        _ => {}
    }
    let tag_len = args.tag_len.unwrap_or(aead.max_tag_len());
    let tags = &aead.driver().shape.tags;
    if !tags.allows(tag_len) {
        return Err(algkit::Error::TagLength { name, got: tag_len, want: tags.clone() }.into());
    }
    let assoc = assoc(args)?;
    let mut job = Job::open(args)?;
    let mut message = job.input.read_all(tag_len)?;
    let text = match (job.direction, iv) {
        (Direction::Encrypt, iv) => {
            let nonce = if iv.is_none() { random::<NONCE>()?.to_vec() } else { Vec::new() };
            seal(&aead, iv.as_ref().unwrap_or(&nonce), &assoc, &mut message, tag_len)?;
            job.write(&nonce)?;
            &message[..]
        }
        (Direction::Decrypt, Some(iv)) => open(&aead, &iv, &assoc, &mut message, tag_len)?,
        (Direction::Decrypt, None) => {
            let got = message.len();
            let Some((nonce, sealed)) =
                message.split_first_chunk_mut::<NONCE>().filter(|(_, rest)| rest.len() >= tag_len)
            else {
                return Err(Error::NoNonce { name, got, want: NONCE + tag_len });
            };
            open(&aead, nonce, &assoc, sealed, tag_len)?
        }
    };
    for chunk in text.chunks(CHUNK) {
        job.write(chunk)?;
    }
    job.finish()
}

/// Encrypts the message in place and appends the tag.
fn seal(aead: &Aead, iv: &[u8], assoc: &[u8], message: &mut Zeroizing<Vec<u8>>, tag_len: usize) -> Result<(), Error> {
    let mut tag = vec![0; tag_len];
    aead.encrypt(iv, &[assoc], &mut message[..], &mut tag)?;
    message.extend_from_slice(&tag);
    Ok(())
}

/// Decrypts the text before the tag in place and returns it.
fn open<'a>(aead: &Aead, iv: &[u8], assoc: &[u8], sealed: &'a mut [u8], tag_len: usize) -> Result<&'a [u8], Error> {
    let got = sealed.len();
    let Some(len) = got.checked_sub(tag_len) else {
        return Err(Error::NoTag { name: aead.driver().name.clone(), got, tag: tag_len });
    };
    let (text, tag) = sealed.split_at_mut(len);
    aead.decrypt(iv, &[assoc], &mut *text, tag)?;
    Ok(text)
}
