//! Properties that hold for any correct driver, for drivers without another one to compare with.
//!
//! Only known answers verify values. Random messages verify the following properties, each by two ways through the
//! driver that use different code:
//!
//! * decryption inverts encryption;
//! * a text in place or in pieces gives the same output and chaining value as out of place in one piece (`crypt`,
//!   `seal` and `update` against `crypt_run`, `seal_packet` and `digest_whole`); single blocks give the same
//!   output as many at once;
//! * a complete message gives the same output as one with a chaining value (`crypt_once` against `crypt_run`);
//! * a batch gives the same outputs as its single messages ([`batch`]);
//! * another key, IV or message gives another output;
//! * a message with a changed bit in the text, tag, associated data or IV is refused.

use super::{
    Extent, batch,
    compare::pairs,
    exercise::{Message, aead, both_ways, crypt, crypt_once, digest_all_ways, expect, hash, open, seal_packet},
    inputs,
    layout::{LAYOUTS, Layout, PLAINEST},
    random::Random,
    side::{KeyedPair, Side},
};
use crate::driver::{Direction, Driver, Keyed, TextRule, Type};

/// The length in bytes from which two random keys or outputs are assumed to differ.
const TELLING: usize = 4;

/// Checks all properties.
pub(super) fn check(subject: &Side<'_>, extent: Extent) -> Result<(), String> {
    let random = &mut Random::new(0);
    let driver = subject.driver;
    let keys = pairs(subject, subject, extent, random)?;
    keys_matter(driver, keys.iter().chain(&pairs(subject, subject, extent, random)?), random)?;
    for (i, len) in inputs::text_lengths(driver, extent, random).into_iter().enumerate() {
        let key = &keys[i % keys.len()];
        let text = random.bytes(len);
        // In place, and one of the layouts with pieces or misaligned buffers.
        for layout in [&LAYOUTS[1], &LAYOUTS[2 + random.below(LAYOUTS.len() - 2)]] {
            message(driver, key, &text, layout, random)
                .map_err(|why| format!("key of {} bytes, text of {len}, {}: {why}", key.key_len, layout.name))?;
        }
    }
    batch::check(driver, &keys, extent, random)
}

fn message(driver: &Driver, key: &KeyedPair, text: &[u8], layout: &Layout, random: &mut Random) -> Result<(), String> {
    match driver.kind {
        Type::Cipher | Type::Skcipher => crypted(driver, &key.subject, text, layout, random),
        Type::Aead => sealed(driver, key, text, layout, random),
        Type::Hash => hashed(driver, &key.subject, text, layout, random),
        Type::Rng => Err("a random number generator takes no messages".to_owned()),
    }
}

/// Checks that one text has different outputs under all keys, which are all different.
fn keys_matter<'p>(
    driver: &Driver,
    keys: impl Iterator<Item = &'p KeyedPair>,
    random: &mut Random,
) -> Result<(), String> {
    if driver.kind == Type::Aead && driver.shape.tags.max() == 0 && driver.name.contains("(cipher_null)") {
        // Neither `digest_null` nor `cipher_null` uses its key.
        return Ok(());
    }
    let text = random.bytes(inputs::fit(driver, 64));
    let iv = inputs::iv(driver, random);
    let mut outputs = Vec::new();
    for KeyedPair { subject, .. } in keys.filter(|pair| pair.key_len >= TELLING) {
        let output = match subject {
            Keyed::Cipher(_) | Keyed::Skcipher(_) => {
                crypt(subject, Direction::Encrypt, &mut iv.clone(), &text, PLAINEST)?
            }
            Keyed::Aead(ops) => {
                let assoc = inputs::taken_assoc(&**ops, &iv, text.len(), Extent::Short, random)?;
                let tag_len = driver.shape.tags.max();
                seal_packet(&**ops, &Message { iv: &iv, assoc: &assoc, plain: &text, tag_len })
            }
            Keyed::Hash(ops) => {
                let mut digest = vec![0; driver.shape.digestsize];
                ops.digest_whole(&text, &mut digest);
                digest
            }
            Keyed::Rng(_) => return Ok(()),
        };
        if output.len() >= TELLING && outputs.contains(&output) {
            return Err("two keys give the same output".to_owned());
        }
        outputs.push(output);
    }
    Ok(())
}

/// `iv` with a flipped bit in its second byte: CCM's first byte is not part of the nonce.
fn another(iv: &[u8]) -> Option<Vec<u8>> {
    let mut iv = iv.to_vec();
    *iv.get_mut(1)? ^= 4;
    Some(iv)
}

fn crypted(driver: &Driver, keyed: &Keyed, plain: &[u8], layout: &Layout, random: &mut Random) -> Result<(), String> {
    let iv = inputs::iv(driver, random);
    let both = |direction, iv: &[u8], input: &[u8]| {
        let (mut chain, mut chain_of_pieces) = (iv.to_vec(), iv.to_vec());
        let output = crypt(keyed, direction, &mut chain, input, PLAINEST)?;
        let in_pieces = crypt(keyed, direction, &mut chain_of_pieces, input, layout)?;
        expect("output", &in_pieces, &output)?;
        expect("chaining value", &chain_of_pieces, &chain)?;
        if let Some(once) = crypt_once(keyed, direction, iv, input) {
            expect("output of a message by itself", &once, &output)?;
        }
        Ok::<_, String>((output, chain))
    };
    let (cipher, chain) = both(Direction::Encrypt, &iv, plain).map_err(|why| format!("encrypting: {why}"))?;
    // Unwrapping takes an IV that wrapping has produced.
    let wrapped = driver.shape.text == TextRule::Wrapped;
    let back = if wrapped { &chain } else { &iv };
    let (text, check) = both(Direction::Decrypt, back, &cipher).map_err(|why| format!("decrypting: {why}"))?;
    expect("plaintext", &text, plain)?;
    if wrapped {
        let Keyed::Skcipher(ops) = keyed else { return Err("a wrapped text without a mode".to_owned()) };
        let (mut forged, mut other) = (cipher.clone(), back.clone());
        forged[random.below(plain.len())] ^= 1 << random.below(8);
        crypt(keyed, Direction::Decrypt, &mut other, &forged, PLAINEST)?;
        if !ops.is_intact(&check) || ops.is_intact(&other) {
            return Err("takes a forged text, or refuses an intact one".to_owned());
        }
    }
    if let Some(mut other) = another(&iv).filter(|_| plain.len() >= TELLING && !wrapped)
        && crypt(keyed, Direction::Encrypt, &mut other, plain, PLAINEST)? == cipher
    {
        return Err("two IVs give the same output".to_owned());
    }
    Ok(())
}

fn sealed(driver: &Driver, key: &KeyedPair, plain: &[u8], layout: &Layout, random: &mut Random) -> Result<(), String> {
    let ops = aead(&key.subject)?;
    let iv = inputs::iv(driver, random);
    let assoc = inputs::taken_assoc(ops, &iv, plain.len(), Extent::Short, random)?;
    let tag_len = inputs::tag_length(&driver.shape.tags, random);
    let message = Message { iv: &iv, assoc: &assoc, plain, tag_len };
    let sealed = seal_packet(ops, &message);
    // A short tag may match by chance.
    let telling = tag_len >= TELLING;
    let bits = [8 * plain.len() + random.below(8 * tag_len.max(1)), random.below(8 * plain.len().max(1))];
    let flips = if telling { &bits[..] } else { &[] };
    let because = |why| format!("{why}, with {} bytes of associated data and a tag of {tag_len}", assoc.len());
    both_ways(ops, aead(&key.other)?, &message, &sealed, flips, layout).map_err(because)?;
    if let Some(iv) = another(&iv).filter(|_| !ops.makes_iv() && telling && plain.len() >= TELLING) {
        // A mode that does not authenticate its IV decrypts to another text.
        let other = Message { iv: &iv, ..message };
        if open(ops, &other, &sealed, layout)?.is_some_and(|text| text == plain) {
            return Err(because("accepted with another IV".to_owned()));
        }
    }
    // In IPsec's modes the associated data ends in the IV, which need not be authenticated.
    if telling && assoc.len() > iv.len() {
        let mut other = assoc.clone();
        other[0] ^= 1;
        if open(ops, &Message { assoc: &other, ..message }, &sealed, layout)?.is_some() {
            return Err(because("accepted with other associated data".to_owned()));
        }
    }
    Ok(())
}

fn hashed(driver: &Driver, keyed: &Keyed, text: &[u8], layout: &Layout, random: &mut Random) -> Result<(), String> {
    let (shape, ops) = (&driver.shape, hash(keyed)?);
    let size = if shape.extendable { TELLING + random.below(400) } else { shape.digestsize };
    let (mut digest, mut another) = (vec![0; size], vec![0; size]);
    ops.digest_whole(text, &mut digest);
    digest_all_ways(ops, text, &digest, layout)?;
    if size >= TELLING && !text.is_empty() {
        let mut other = text.to_vec();
        other[random.below(text.len())] ^= 1;
        ops.digest_whole(&other, &mut another);
        if digest == another {
            return Err("two messages have the same digest".to_owned());
        }
    }
    Ok(())
}
