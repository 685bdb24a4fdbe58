//! Compares batches of random messages in the driver under test with the same messages, one by one, in another
//! driver.

use super::{
    Extent,
    exercise::{Message, aead, crypt, expect, hash, seal},
    inputs,
    layout::PLAINEST,
    random::Random,
    side::KeyedPair,
};
use crate::{
    Driver,
    driver::{AeadJob, Direction, HashJob, Keyed, MAX_JOBS, SkcipherJob, TextRule},
};
use algkit_primitives::InOut;

/// The number of messages in the batch of a short test: more than the lanes of most drivers.
const SHORT_BATCH: usize = 24;

/// Checks one batch under one key, and one under all keys.
pub(super) fn check(driver: &Driver, pairs: &[KeyedPair], extent: Extent, random: &mut Random) -> Result<(), String> {
    let count = if extent == Extent::Short { SHORT_BATCH } else { MAX_JOBS };
    for pairs in [&pairs[..1], pairs] {
        let pair = |i: usize| &pairs[i % pairs.len()];
        let texts = texts(driver, count, extent, random);
        match pairs[0].subject {
            // These drivers have no batch code, and their random IVs make outputs incomparable.
            Keyed::Aead(ref ops) if ops.makes_iv() => Ok(()),
            Keyed::Skcipher(_) => ciphers(driver, pair, texts, random),
            Keyed::Aead(_) => aeads(driver, pair, texts, extent, random),
            Keyed::Hash(_) => hashes(driver, pair, texts),
            Keyed::Cipher(_) | Keyed::Rng(_) => Ok(()),
        }
        .map_err(|why| format!("{count} at once, under {} keys: {why}", pairs.len()))?;
    }
    Ok(())
}

/// Texts of several blocks, long enough for lanes. Every eighth may be longer.
fn texts(driver: &Driver, count: usize, extent: Extent, random: &mut Random) -> Vec<Vec<u8>> {
    let long = if extent == Extent::Short { 600 } else { 1500 };
    let text = |i: usize| {
        let below = if i % 8 == 5 { long } else { 250 };
        let len = random.below(below);
        let len = inputs::fit(driver, len);
        random.bytes(len)
    };
    (0..count).map(text).collect()
}

fn ciphers<'p>(
    driver: &Driver,
    pair: impl Fn(usize) -> &'p KeyedPair,
    plain: Vec<Vec<u8>>,
    random: &mut Random,
) -> Result<(), String> {
    let ivs: Vec<_> = plain.iter().map(|_| inputs::iv(driver, random)).collect();
    let (mut cipher, mut chains) = (Vec::new(), ivs.clone());
    for (i, (text, iv)) in plain.iter().zip(&mut chains).enumerate() {
        cipher.push(crypt(&pair(i).other, Direction::Encrypt, iv, text, PLAINEST)?);
    }
    let both = [(Direction::Encrypt, &plain, &cipher), (Direction::Decrypt, &cipher, &plain)];
    for (direction, input, want) in both {
        let wrapped = direction == Direction::Decrypt && driver.shape.text == TextRule::Wrapped;
        let (mut texts, mut got_chains) = (input.clone(), if wrapped { chains.clone() } else { ivs.clone() });
        let mut jobs = Vec::new();
        for (i, (text, iv)) in texts.iter_mut().zip(&mut got_chains).enumerate() {
            let Keyed::Skcipher(ops) = &pair(i).subject else { continue };
            jobs.push(SkcipherJob { ops: &**ops, iv, text: InOut::from(&mut text[..]) });
        }
        jobs[0].ops.crypt_batch(direction, &mut jobs);
        for (i, (text, want)) in texts.iter().zip(want).enumerate() {
            expect(&format!("text of message {i}"), text, want)?;
        }
        if direction == Direction::Encrypt {
            for (i, (chain, want)) in got_chains.iter().zip(&chains).enumerate() {
                expect(&format!("chaining value of message {i}"), chain, want)?;
            }
        }
    }
    Ok(())
}

fn aeads<'p>(
    driver: &Driver,
    pair: impl Fn(usize) -> &'p KeyedPair,
    plain: Vec<Vec<u8>>,
    extent: Extent,
    random: &mut Random,
) -> Result<(), String> {
    let ivs: Vec<_> = plain.iter().map(|_| inputs::iv(driver, random)).collect();
    let (mut assocs, mut sealed) = (Vec::new(), Vec::new());
    for (i, (text, iv)) in plain.iter().zip(&ivs).enumerate() {
        let ops = aead(&pair(i).other)?;
        let assoc = inputs::taken_assoc(ops, iv, text.len(), extent, random)?;
        let tag_len = inputs::tag_length(&driver.shape.tags, random);
        sealed.push(seal(ops, &Message { iv, assoc: &assoc, plain: text, tag_len }, PLAINEST)?);
        assocs.push(assoc);
    }
    let lists: Vec<[&[u8]; 1]> = assocs.iter().map(|assoc| [&assoc[..]]).collect();

    let mut texts: Vec<_> =
        sealed.iter().zip(&plain).map(|(sealed, text)| [&text[..], &sealed[text.len()..]].concat()).collect();
    texts.iter_mut().zip(&plain).for_each(|(text, plain)| text[plain.len()..].fill(0));
    let mut jobs = Vec::new();
    for (i, text) in texts.iter_mut().enumerate() {
        let (text, tag) = text.split_at_mut(plain[i].len());
        jobs.push(AeadJob::seal(aead(&pair(i).subject)?, &ivs[i], &lists[i], text.into(), tag));
    }
    jobs[0].ops.crypt_batch(Direction::Encrypt, &mut jobs);
    for (i, (text, want)) in texts.iter().zip(&sealed).enumerate() {
        expect(&format!("ciphertext or tag of message {i}"), text, want)?;
    }

    // A message without a tag cannot be refused.
    let forged = Some(random.below(plain.len())).filter(|&i| texts[i].len() > plain[i].len());
    let mut authentic = vec![false; plain.len()];
    if let Some(last) = forged.and_then(|i| texts[i].last_mut()) {
        *last ^= 0x40;
    }
    let mut jobs = Vec::new();
    for (i, (text, authentic)) in texts.iter_mut().zip(&mut authentic).enumerate() {
        let (text, tag) = text.split_at_mut(plain[i].len());
        jobs.push(AeadJob::open(aead(&pair(i).subject)?, &ivs[i], &lists[i], text.into(), tag, authentic));
    }
    jobs[0].ops.crypt_batch(Direction::Decrypt, &mut jobs);
    for (i, authentic) in authentic.into_iter().enumerate() {
        match (authentic, Some(i) == forged) {
            (true, true) => return Err(format!("message {i} was accepted with a bit flipped")),
            (false, false) => return Err(format!("message {i} is authentic and was refused")),
            (false, true) => {}
            (true, false) => expect(&format!("plaintext of message {i}"), &texts[i][..plain[i].len()], &plain[i])?,
        }
    }
    Ok(())
}

fn hashes<'p>(driver: &Driver, pair: impl Fn(usize) -> &'p KeyedPair, messages: Vec<Vec<u8>>) -> Result<(), String> {
    let size = driver.shape.digestsize;
    let parts: Vec<[&[u8]; 1]> = messages.iter().map(|message| [&message[..]]).collect();
    let mut digests = vec![vec![0; size]; messages.len()];
    let mut jobs = Vec::new();
    for (i, (parts, out)) in parts.iter().zip(&mut digests).enumerate() {
        jobs.push(HashJob { state: hash(&pair(i).subject)?, parts, out });
    }
    jobs[0].state.digest_batch(&mut jobs);
    for (i, (parts, digest)) in parts.iter().zip(&digests).enumerate() {
        let mut want = vec![0; size];
        hash(&pair(i).other)?.digest(parts, &mut want);
        expect(&format!("digest of message {i}"), digest, &want)?;
    }
    Ok(())
}
