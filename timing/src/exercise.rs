//! The operations that every driver is run through with secrets marked: keys of each length, texts with and without
//! tails, in one piece and in two, in both directions.

use crate::{
    Error,
    subject::{ASSOC_LEN, Keyed, Request, Subject, random},
    valgrind::{hide, is_secret, reveal},
};
use algkit::{Direction, batch};

/// Lengths of texts in bytes, each rounded to the next that a mode takes. They are around single blocks and beyond the
/// batches of the widest driver, with every kind of tail.
const LENGTHS: &[usize] = &[
    0, 1, 15, 16, 17, 31, 32, 33, 47, 48, 63, 64, 65, 80, 96, 112, 127, 128, 129, 144, 192, 255, 256, 257, 320, 384,
    511, 512, 513, 639, 768, 1024, 1025, 1111, 1536, 2048, 2100,
];

/// The lengths that are used with every key; the others are used only with the first.
const WITH_EVERY_KEY: &[usize] = &[0, 16, 33, 512];

/// The number of messages in a batch, which is more than there are lanes.
const REQUESTS: usize = 20;

/// Whether keys and data are marked as secret.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Secrets {
    /// Keys and data are secret, and valgrind tracks them.
    Hidden,
    /// Keys and data are public, like any other data.
    Known,
}

/// A buffer that may be secret; it becomes public when it is dropped.
pub struct Hidden(pub Vec<u8>);

impl Hidden {
    /// The bytes, of which those after the first `public` are hidden if `secrets` says so.
    pub fn new(mut bytes: Vec<u8>, public: usize, secrets: Secrets) -> Self {
        if secrets == Secrets::Hidden {
            hide(&mut bytes[public..]);
        }
        Self(bytes)
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        reveal(&self.0);
    }
}

/// Runs all operations on a driver.
pub fn exercise(subject: &Subject, secrets: Secrets) -> Result<(), Error> {
    let fitting = |lengths: &[usize]| {
        let mut lengths: Vec<_> = lengths.iter().map(|&len| subject.fit(len)).collect();
        lengths.dedup();
        lengths
    };
    let (lengths, with_every_key) = (fitting(LENGTHS), fitting(WITH_EVERY_KEY));
    let mut all = Vec::new();
    for (i, (key, public)) in subject.keys().into_iter().enumerate() {
        let key = Hidden::new(key, public, secrets);
        let keyed = subject.key(&key.0).map_err(Error::of(&subject.driver().driver))?;
        for &len in if i == 0 { &lengths } else { &with_every_key } {
            one(subject, &keyed, secrets, len, None)?;
            one(subject, &keyed, secrets, len, Some(len / 3))?;
        }
        all.push(keyed);
    }
    if matches!(all[0], Keyed::Cipher(_)) {
        return Ok(());
    }
    batch(subject, &all[..1], secrets)?;
    batch(subject, &all, secrets)
}

/// Processes texts of several lengths in batches, in both directions, with these keys in turn.
fn batch(subject: &Subject, keys: &[Keyed], secrets: Secrets) -> Result<(), Error> {
    let plain: Vec<_> = (0..REQUESTS).map(|i| random(subject.fit(37 * i % 300))).collect();
    let assoc = Hidden::new(random(ASSOC_LEN), 0, secrets);
    let mut texts: Vec<_> = plain.iter().map(|text| Hidden::new(text.clone(), 0, secrets)).collect();
    let mut tags: Vec<_> = plain.iter().map(|_| Hidden(vec![0; subject.tag_len()])).collect();
    let ivs: Vec<_> = plain.iter().map(|_| subject.iv()).collect();
    let mut chains: Vec<_> = ivs.iter().map(|iv| Hidden(iv.clone())).collect();
    for direction in [Direction::Encrypt, Direction::Decrypt] {
        if !subject.keeps_iv() {
            chains.iter_mut().zip(&ivs).for_each(|(chain, iv)| chain.0.copy_from_slice(iv));
        }
        let mut parts = texts.iter_mut().zip(&mut tags).zip(&mut chains).zip(keys.iter().cycle());
        // On the stack, like all memory that the allocator does not check.
        let mut requests: [_; REQUESTS] = std::array::from_fn(|_| {
            let (((text, tag), iv), key) = parts.next().expect("as many of each");
            key.batched(direction, &mut iv.0, &assoc.0, &mut text.0, &mut tag.0).expect("not a block cipher")
        });
        // To look at the results would be a branch on whether a tag matches. The texts are compared below.
        let _ = batch::run(&mut requests);
    }
    for (text, plain) in texts.iter().zip(&plain) {
        reveal(&text.0);
        // A hash does not change its message.
        if text.0 != *plain {
            return Err(Error::Wrong {
                driver: subject.driver().driver.clone(),
                len: plain.len(),
                what: "text in a batch",
            });
        }
    }
    Ok(())
}

/// Processes one text in both directions.
fn one(subject: &Subject, keyed: &Keyed, secrets: Secrets, len: usize, split: Option<usize>) -> Result<(), Error> {
    let driver = &subject.driver().driver;
    let wrong = |what| Error::Wrong { driver: driver.clone(), len, what };
    let (mut iv, plain) = (Hidden(subject.iv()), random(len));
    let assoc = Hidden::new(random(ASSOC_LEN), 0, secrets);
    let mut text = Hidden::new(plain.clone(), 0, secrets);
    let mut tag = Hidden(vec![0; subject.tag_len()]);
    let run = |direction, iv: &Hidden, text: &mut Hidden, tag: &mut Hidden| {
        let request = Request { direction, iv: &iv.0, assoc: &assoc.0, split };
        keyed.run(&request, &mut text.0, &mut tag.0).map_err(Error::of(driver))
    };

    let left = run(Direction::Encrypt, &iv, &mut text, &mut tag)?;
    if subject.keeps_iv() {
        let len = iv.0.len();
        iv.0.copy_from_slice(&left[..len]);
    }
    let output = if tag.0.is_empty() { &text.0 } else { &tag.0 };
    // The hash of an empty message may contain nothing secret.
    if secrets == Secrets::Hidden && len > 0 && !is_secret(output) {
        return Err(Error::Untainted { driver: driver.clone(), len });
    }
    if let Keyed::Hash(hash) = keyed {
        let whole = Hidden(hash.digest(&text.0));
        reveal(&whole.0);
        reveal(&tag.0);
        if whole.0 != tag.0 {
            return Err(wrong("digest in parts"));
        }
        // A length that is a secret: the first byte, or less.
        let mut within = Hidden(vec![0; tag.0.len()]);
        let first = |text: &Hidden| text.0.first().map_or(0, |byte| usize::from(*byte));
        if hash.start().digest_within(&text.0, 0, first(&text), &mut within.0).is_ok() {
            reveal(&text.0);
            reveal(&within.0);
            let expected = Hidden(hash.digest(&text.0[..first(&text).min(text.0.len())]));
            reveal(&expected.0);
            if within.0 != expected.0 {
                return Err(wrong("digest within a message"));
            }
        }
        return Ok(());
    }

    if let (Keyed::Aead(aead), Some(split)) = (keyed, split)
        && let Ok(mut message) = aead.start(&iv.0)
    {
        let (mut again, mut its_tag) = (Hidden::new(plain.clone(), 0, secrets), Hidden(vec![0; tag.0.len()]));
        let (a, b) = again.0.split_at_mut(split);
        let sealed = message.assoc(&assoc.0).and_then(|()| message.encrypt(a)).and_then(|()| message.encrypt(b));
        sealed.and_then(|()| message.finish(&mut its_tag.0)).map_err(Error::of(driver))?;
        let first = Hidden([&text.0[..], &tag.0].concat());
        [&first, &again, &its_tag].into_iter().for_each(|output| reveal(&output.0));
        if first.0 != [&again.0[..], &its_tag.0].concat() {
            return Err(wrong("text in parts"));
        }
    }

    // Nothing is revealed in between. A ciphertext is public, but decryption must not rely on that.
    run(Direction::Decrypt, &iv, &mut text, &mut tag)?;
    reveal(&text.0);
    if text.0 == plain { Ok(()) } else { Err(wrong("decrypted text")) }
}
