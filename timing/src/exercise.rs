//! What every driver is put through with secrets marked: keys of each length, texts with and without
//! tails, in one piece and in two, both ways.

use crate::{
    Error,
    subject::{ASSOC_LEN, Keyed, Request, Subject, random},
    valgrind::{hide, is_secret, reveal},
};
use algkit::Direction;

/// Texts of these lengths, in bytes, or the next ones that a mode takes: around single blocks, and past
/// the batches of the widest driver, with every part of a tail.
const LENGTHS: &[usize] = &[
    0, 1, 15, 16, 17, 31, 32, 33, 47, 48, 63, 64, 65, 80, 96, 112, 127, 128, 129, 144, 192, 255, 256, 257, 320, 384,
    511, 512, 513, 639, 768, 1024, 1025, 1111, 1536, 2048, 2100,
];

/// The lengths that are tried with every key; the others with the first only.
const FEW: &[usize] = &[0, 16, 33, 512];

/// Runs everything.
pub fn exercise(subject: &Subject) -> Result<(), Error> {
    let mut lengths: Vec<_> = LENGTHS.iter().map(|&len| subject.fit(len)).collect();
    lengths.dedup();
    let mut few: Vec<_> = FEW.iter().map(|&len| subject.fit(len)).collect();
    few.dedup();
    for (i, (mut key, public)) in subject.keys().into_iter().enumerate() {
        hide(&mut key[public..]);
        let keyed = subject.key(&key).map_err(Error::of(&subject.driver().driver))?;
        for &len in if i == 0 { &lengths } else { &few } {
            one(subject, &keyed, len, None)?;
            one(subject, &keyed, len, Some(len / 3))?;
        }
    }
    Ok(())
}

/// A text there and back.
fn one(subject: &Subject, keyed: &Keyed, len: usize, split: Option<usize>) -> Result<(), Error> {
    let driver = || subject.driver().driver.clone();
    let (iv, plain) = (subject.iv(), random(len));
    let mut assoc = random(ASSOC_LEN);
    hide(&mut assoc);
    let (mut text, mut tag) = (plain.clone(), vec![0; subject.tag_len()]);
    hide(&mut text);
    let run = |direction, text: &mut [u8], tag: &mut [u8]| {
        keyed
            .run(&Request { direction, iv: &iv, assoc: &assoc, split }, text, tag)
            .map_err(Error::of(&subject.driver().driver))
    };

    run(Direction::Encrypt, &mut text, &mut tag)?;
    let output: &[u8] = if tag.is_empty() { &text } else { &tag };
    // The hash of nothing may have nothing secret in it.
    if len > 0 && !is_secret(output) {
        return Err(Error::Untainted { driver: driver(), len });
    }
    if let Keyed::Hash(hash) = keyed {
        let whole = hash.digest(&text);
        reveal(&whole);
        reveal(&tag);
        return if whole == tag {
            Ok(())
        } else {
            Err(Error::Wrong { driver: driver(), len, what: "digest in parts" })
        };
    }

    // Nothing is revealed in between: a ciphertext is public, but decryption may not rely on that.
    run(Direction::Decrypt, &mut text, &mut tag)?;
    reveal(&text);
    if text != plain {
        return Err(Error::Wrong { driver: driver(), len, what: "decrypted text" });
    }
    Ok(())
}
