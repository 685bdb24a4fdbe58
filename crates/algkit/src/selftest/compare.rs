//! Compares the driver under test with another driver of the same algorithm on random messages.

use super::{
    Extent, batch,
    exercise::{Message, aead, both_ways, crypt, crypt_once, digest_all_ways, expect, hash, seal},
    inputs,
    layout::{LAYOUTS, Layout, PLAINEST},
    random::Random,
    side::{KeyedPair, Side},
};
use crate::driver::{Direction, Shape, TextRule, Type};

/// The longest text in bytes that a short test also decrypts with the other driver.
const SHORT_TEXT: usize = 64;

/// Compares `subject` with `other`.
pub(super) fn check(subject: &Side<'_>, other: &Side<'_>, extent: Extent) -> Result<(), String> {
    same_sizes(subject, other)?;
    let rounds = if extent == Extent::Short { 1 } else { 3 };
    (0..rounds)
        .try_for_each(|round| Comparison { subject, other, extent, random: Random::new(round as u64) }.run(round))
}

/// Checks that both drivers declare the same sizes.
fn same_sizes(subject: &Side<'_>, other: &Side<'_>) -> Result<(), String> {
    // Destructured, so that a new field must be handled here.
    let Shape { blocksize, keys, optional_key, ivsize, text, tags, digestsize, extendable } = &subject.driver.shape;
    let want = &other.driver.shape;
    let differs = [
        ("block size", *blocksize != want.blocksize),
        ("key sizes", *keys != want.keys || *optional_key != want.optional_key),
        ("IV size", *ivsize != want.ivsize),
        ("text lengths", *text != want.text),
        ("tag sizes", *tags != want.tags),
        ("digest size", *digestsize != want.digestsize || *extendable != want.extendable),
    ];
    match differs.into_iter().find(|(_, differs)| *differs) {
        Some((what, _)) => Err(format!("{what} other than that of {}", other.driver.driver)),
        None => Ok(()),
    }
}

struct Comparison<'a> {
    subject: &'a Side<'a>,
    other: &'a Side<'a>,
    extent: Extent,
    random: Random,
}

impl Comparison<'_> {
    /// Tests one message of each length. Each round combines lengths with other keys.
    fn run(&mut self, round: usize) -> Result<(), String> {
        let pairs = pairs(self.subject, self.other, self.extent, &mut self.random)?;
        let lengths = inputs::text_lengths(self.subject.driver, self.extent, &mut self.random);
        for (i, &len) in lengths.iter().enumerate() {
            let pair = &pairs[(i + round) % pairs.len()];
            let layout = &LAYOUTS[self.random.below(LAYOUTS.len())];
            self.message(pair, len, layout).map_err(|why| {
                let against = &self.other.driver.driver;
                format!("key of {} bytes, text of {len}, {}: {why} (against {against})", pair.key_len, layout.name)
            })?;
        }
        batch::check(self.subject.driver, &pairs, self.extent, &mut self.random)
    }

    fn message(&mut self, pair: &KeyedPair, len: usize, layout: &Layout) -> Result<(), String> {
        let text = self.random.bytes(len);
        match self.subject.driver.kind {
            Type::Cipher | Type::Skcipher => self.text(pair, &text, layout),
            Type::Aead => self.sealed(pair, &text, layout),
            Type::Hash => {
                let shape = &self.other.driver.shape;
                let size = if shape.extendable { 1 + self.random.below(400) } else { shape.digestsize };
                let mut digest = vec![0; size];
                hash(&pair.other)?.digest(&[&text], &mut digest);
                digest_all_ways(hash(&pair.subject)?, &text, &digest, layout)
            }
            Type::Rng => Err("two random number generators cannot be compared".to_owned()),
        }
    }

    fn text(&mut self, pair: &KeyedPair, plain: &[u8], layout: &Layout) -> Result<(), String> {
        let mut iv = inputs::iv(self.subject.driver, &mut self.random);
        let both = |direction, iv: &[u8], input: &[u8], layout: &Layout| {
            let (mut chain, mut want_chain) = (iv.to_vec(), iv.to_vec());
            let want = crypt(&pair.other, direction, &mut want_chain, input, PLAINEST)?;
            expect("output", &crypt(&pair.subject, direction, &mut chain, input, layout)?, &want)?;
            expect("chaining value", &chain, &want_chain)?;
            if let Some(once) = crypt_once(&pair.subject, direction, iv, input) {
                expect("output of a message by itself", &once, &want)?;
            }
            Ok::<_, String>((want, want_chain))
        };
        let (cipher, chain) =
            both(Direction::Encrypt, &iv, plain, layout).map_err(|why| format!("encrypting: {why}"))?;
        if self.subject.driver.shape.text == TextRule::Wrapped {
            iv = chain; // unwrapping takes the IV that wrapping produced
        }
        if self.extent == Extent::Long || plain.len() <= SHORT_TEXT {
            let (text, _) =
                both(Direction::Decrypt, &iv, &cipher, layout).map_err(|why| format!("decrypting: {why}"))?;
            return expect("plaintext", &text, plain);
        }
        let text = crypt(&pair.subject, Direction::Decrypt, &mut iv.clone(), &cipher, layout)?;
        expect("plaintext", &text, plain)
    }

    fn sealed(&mut self, pair: &KeyedPair, plain: &[u8], layout: &Layout) -> Result<(), String> {
        let (subject, other) = (aead(&pair.subject)?, aead(&pair.other)?);
        let iv = inputs::iv(self.subject.driver, &mut self.random);
        let mut taken = Vec::new();
        for len in inputs::assoc_lengths(self.extent, &mut self.random) {
            let text_len = plain.len() as u64;
            let takes = [subject, other].map(|ops| ops.check(&iv, len, text_len).is_ok());
            if agree(takes[0], takes[1], "a length of associated data")? {
                taken.push(len);
            }
        }
        if taken.is_empty() {
            return Err("takes no length of associated data".to_owned());
        }
        let assoc_len = taken[self.random.below(taken.len())];
        let assoc = self.random.bytes(assoc_len);
        let tag_len = inputs::tag_length(&self.subject.driver.shape.tags, &mut self.random);
        let message = Message { iv: &iv, assoc: &assoc, plain, tag_len };
        let sealed = seal(other, &message, PLAINEST)?;
        let tag_bit = 8 * plain.len() + self.random.below(8 * tag_len.max(1));
        let text_bit = self.random.below(8 * plain.len().max(1));
        let flips = match tag_len {
            0 => &[][..], // `digest_null` refuses nothing
            8.. if self.extent == Extent::Long => &[tag_bit, text_bit],
            _ => &[tag_bit],
        };
        both_ways(subject, other, &message, &sealed, flips, layout)
            .map_err(|why| format!("{why}, with {assoc_len} bytes of associated data and a tag of {tag_len}"))
    }
}

/// Instances of both drivers, one pair for each key that is tried.
pub(super) fn pairs(
    subject: &Side<'_>,
    other: &Side<'_>,
    extent: Extent,
    random: &mut Random,
) -> Result<Vec<KeyedPair>, String> {
    let mut pairs = Vec::new();
    let takes = |key: &[u8]| subject.key(key).is_ok();
    for key in inputs::keys(subject.driver, takes, extent, random) {
        match (subject.key(&key), other.key(&key)) {
            (Ok(subject), Ok(other)) => pairs.push(KeyedPair { key_len: key.len(), subject, other }),
            (Err(_), Err(_)) if inputs::is_authenc(subject.driver) => {}
            (Err(why), _) => return Err(why),
            (_, Err(why)) => return Err(format!("took a key that {} refuses: {why}", other.driver.driver)),
        }
    }
    if pairs.is_empty() { Err("took no key".to_owned()) } else { Ok(pairs) }
}

/// Whether both accept a request; an error if they differ.
fn agree(subject: bool, other: bool, what: &str) -> Result<bool, String> {
    match (subject, other) {
        (false, true) => Err(format!("refuses {what} that the other takes")),
        (true, false) => Err(format!("takes {what} that the other refuses")),
        (same, _) => Ok(same),
    }
}
