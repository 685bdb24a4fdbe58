//! AEADs: messages at once, in batches, in parts and in chunks.

use super::super::common::Random;
use super::{CALLS, Keyed, Pair, Rekeyed, about, agree, iv, layout, same, text_len};
use algkit::{
    Aead, Driver, Error, Sealing, Text, Unverified, WeakKeys,
    batch::{self, Request},
    stream::{Opener, PREFIX, Sealer},
};

super::rekeyed!(Aead, |tfm| {
    // It may draw its IVs at random, so what depends on the key alone is whether it opens a message.
    let shape = &tfm.driver().shape;
    let (iv, text) = (vec![3; shape.ivsize], vec![7; shape.fit(48)]);
    // The IV that is made counts as associated data.
    let (room, assoc) = if makes_iv(tfm.driver()) { (shape.ivsize, &ASSOC[..12]) } else { (0, &ASSOC[..]) };
    let sealed = tfm.seal(&iv, assoc, &text).unwrap();
    let opened = tfm.open(&iv, assoc, &sealed).unwrap();
    same(&opened[room..], &text[room..], &tfm.driver().driver);
    if room > 0 { opened[room..].to_vec() } else { sealed }
});

/// Associated data of a length that every driver takes.
const ASSOC: [u8; 20] = [5; 20];

fn makes_iv(driver: &Driver) -> bool {
    driver.name.starts_with("seqiv(") || driver.name.starts_with("echainiv(")
}

pub fn session(pair: &Pair<Aead>, random: &mut Random) {
    let driver = pair.subject.driver();
    let (mut keyed, mut another) = (pair.keyed(random), pair.keyed(random));
    for _ in 0..CALLS {
        match random.below(12) {
            0 => keyed.rekey(driver, random),
            1 => another.rekey(driver, random),
            2 => batch([&keyed, &another], random),
            3 => parts(&keyed, random),
            _ => message(&keyed, random),
        }
    }
    stream(pair, random);
}

/// The arguments of a call.
#[derive(Clone)]
struct Arguments {
    iv: Vec<u8>,
    assoc: Vec<Vec<u8>>,
    text: Vec<u8>,
    tag: Vec<u8>,
    what: String,
}

impl Arguments {
    fn new(aead: &Aead, random: &mut Random) -> Self {
        let driver = aead.driver();
        let usual = if aead.takes_iv(7) && random.below(3) == 0 { random.below(40) } else { driver.shape.ivsize };
        let iv_len = about(usual, random);
        let assoc_len = [0, 8, 12, 16, 16, 20, 20, 24, random.below(80), random.below(500)][random.below(10)];
        let mut assoc = vec![random.bytes(assoc_len)];
        while random.below(3) == 0 {
            let at = random.below(assoc.len());
            let cut = random.below(assoc[at].len() + 1);
            let back = assoc[at].split_off(cut);
            assoc.insert(at + 1, back);
        }
        let tags = &driver.shape.tags;
        let any = (0..20).map(|_| random.below(tags.max() + 1)).find(|&len| tags.allows(len)).unwrap_or(tags.max());
        let tag_len = about([tags.max(), any][random.below(2)], random);
        let text_len = text_len(driver, random);
        let what =
            format!("{}, IV of {iv_len}, assoc of {assoc_len}, text of {text_len}, tag of {tag_len}", driver.driver);
        let (iv, text, tag) = (iv(driver, iv_len, random), random.bytes(text_len), random.bytes(tag_len));
        Self { iv, assoc, text, tag, what }
    }

    fn assoc(&self) -> Vec<&[u8]> {
        self.assoc.iter().map(|piece| &piece[..]).collect()
    }

    /// Whether the lengths that the driver declares are right.
    fn declared(&self, aead: &Aead) -> bool {
        let shape = &aead.driver().shape;
        aead.takes_iv(self.iv.len()) && shape.takes(self.text.len()) && shape.tags.allows(self.tag.len())
    }
}

fn message(Keyed { subject, peer }: &Keyed<Aead>, random: &mut Random) {
    let driver = subject.driver();
    let case = Arguments::new(subject, random);
    let (what, assoc) = (&case.what, case.assoc());
    let (mut sealed, mut tag) = (case.text.clone(), case.tag.clone());
    let expected = peer.encrypt(&case.iv, &assoc, &mut sealed, &mut tag);
    assert!(expected.is_err() || case.declared(subject), "{what}");

    let mut own = case.tag.clone();
    let mut done = layout::call(random, &case.text, |text| subject.encrypt(&case.iv, &assoc, text, &mut own));
    assert_eq!(done.result, expected, "{what}");
    if expected.is_err() {
        assert!(done.untouched && own == case.tag, "{what}: after an error");
        // Decryption refuses the same, and before it compares tags.
        done = layout::call(random, &case.text, |text| subject.decrypt(&case.iv, &assoc, text, &case.tag));
        assert_eq!(done.result, expected, "{what}: decrypted");
        return assert!(done.untouched, "{what}: after an error");
    }
    let room = if makes_iv(driver) { driver.shape.ivsize } else { 0 };
    if room == 0 {
        same(&done.output, &sealed, what);
        same(&own, &tag, what);
    }
    for opener in [subject, peer] {
        let opened = layout::call(random, &done.output, |text| opener.decrypt(&case.iv, &assoc, text, &own));
        assert_eq!(opened.result, Ok(()), "{what}: opened");
        same(&opened.output[room..], &case.text[room..], what);
    }
    // A tag of fewer bytes may match by chance.
    if own.len() >= 4 {
        own[random.below(tag.len())] ^= 1 << random.below(8);
        let forged = layout::call(random, &done.output, |text| subject.decrypt(&case.iv, &assoc, text, &own));
        assert_eq!(forged.result, Err(Error::Authentication), "{what}");
        assert!(forged.output.iter().all(|&byte| byte == 0), "{what}: what is not authentic is wiped");
    }
    if case.tag.len() == subject.max_tag_len() && room == 0 {
        let (one, whole) = (assoc.concat(), [&sealed[..], &tag].concat());
        same(&subject.seal(&case.iv, &one, &case.text).unwrap(), &whole, what);
        same(&subject.open(&case.iv, &one, &whole).unwrap(), &case.text, what);
    }
    // The source may be associated data too.
    let (mut apart, mut second) = (vec![0; case.text.len()], tag.clone());
    let twice = subject.encrypt(&case.iv, &[&case.text], Text::new(&case.text, &mut apart).unwrap(), &mut second);
    let mut other = case.text.clone();
    let their = peer.encrypt(&case.iv, &[&case.text], &mut other, &mut tag);
    if agree(twice, their, driver).is_some() && room == 0 {
        same(&[apart, second].concat(), &[other, tag].concat(), what);
    }
}

fn batch(keyed: [&Keyed<Aead>; 2], random: &mut Random) {
    let subject = &keyed[0].subject;
    if makes_iv(subject.driver()) {
        return;
    }
    let count = [0, 1, 2, 3, 9, 20, 70][random.below(7)];
    let mut cases = Vec::new();
    for _ in 0..count {
        let (key, mut case, seal) = (random.below(2), Arguments::new(subject, random), random.below(2) == 0);
        case.text.truncate(subject.driver().shape.fit(random.below(300)));
        if !seal && random.below(4) > 0 {
            let list: Vec<_> = case.assoc.clone();
            let list: Vec<&[u8]> = list.iter().map(|piece| &piece[..]).collect();
            // If it is refused, so is what follows.
            let _ = keyed[key].peer.encrypt(&case.iv, &list, &mut case.text, &mut case.tag);
        }
        cases.push((key, case, seal));
    }
    let assocs: Vec<Vec<Vec<u8>>> = cases.iter().map(|(_, case, _)| case.assoc.clone()).collect();
    let lists: Vec<Vec<&[u8]>> = assocs.iter().map(|list| list.iter().map(|piece| &piece[..]).collect()).collect();
    let (mut got, mut want) = (cases.clone(), cases);
    let requests = got.iter_mut().zip(&lists).map(|((key, case, seal), list)| {
        let (tfm, Arguments { iv, text, tag, .. }) = (&keyed[*key].subject, case);
        match seal {
            true => Request::seal(tfm, iv, &list[..], text, tag),
            false => Request::open(tfm, iv, &list[..], text, tag),
        }
    });
    let mut requests: Vec<_> = requests.collect();
    let results: Vec<_> = batch::run(&mut requests).collect();
    drop(requests);
    for ((((_, got, _), (key, want, seal)), list), result) in got.iter().zip(&mut want).zip(&lists).zip(results) {
        let Arguments { iv, text, tag, what, .. } = want;
        let alone = match seal {
            true => keyed[*key].peer.encrypt(iv, list, &mut *text, tag),
            false => keyed[*key].peer.decrypt(iv, list, &mut *text, tag),
        };
        assert_eq!(result, alone, "{what}, in a batch of {count}");
        same(&got.text, text, &what);
        same(&got.tag, tag, &what);
    }
}

/// A message in parts, on one side.
enum Parts {
    Seal(Sealing),
    Open(Unverified),
}

impl Parts {
    fn assoc(&mut self, assoc: &[u8]) -> Result<(), Error> {
        match self {
            Self::Seal(message) => message.assoc(assoc),
            Self::Open(message) => message.assoc(assoc),
        }
    }

    fn text(&mut self, text: &mut [u8]) -> Result<(), Error> {
        match self {
            Self::Seal(message) => message.encrypt(text),
            Self::Open(message) => message.decrypt_unverified(text),
        }
    }

    fn restart(&mut self, iv: &[u8]) -> Result<(), Error> {
        match self {
            Self::Seal(message) => message.restart(iv),
            Self::Open(message) => message.restart(iv),
        }
    }
}

/// What a message in parts has been told.
#[derive(Clone, Default)]
struct Told {
    iv: Vec<u8>,
    assoc: Vec<u8>,
    text: Vec<u8>,
    output: Vec<u8>,
    ended: bool,
}

fn parts(Keyed { subject, peer }: &Keyed<Aead>, random: &mut Random) {
    let driver = subject.driver();
    let right = |iv: &[u8]| subject.takes_iv(iv.len());
    let mut told = Told { iv: iv(driver, about(driver.shape.ivsize, random), random), ..Told::default() };
    let seals = random.below(2) == 0;
    let start = |aead: &Aead, iv: &[u8]| match seals {
        true => aead.start(iv).map(Parts::Seal),
        false => aead.start_unverified(iv).map(Parts::Open),
    };
    let Some((mut message, _)) = agree(start(subject, &told.iv), start(peer, &told.iv), driver) else { return };
    let mut copies = Vec::new();
    for _ in 0..16 {
        let most = [4, 20, 100, 700][random.below(4)];
        let len = random.below(most);
        let bytes = random.bytes(len);
        let what =
            format!("{} in parts, {} and {} bytes, then {len}", driver.driver, told.assoc.len(), told.text.len());
        match random.below(12) {
            0..3 => {
                let done = message.assoc(&bytes);
                match (told.ended, told.text.is_empty()) {
                    (true, _) => assert!(matches!(done, Err(Error::Ended(_))), "{what}"),
                    (_, false) => assert!(matches!(done, Err(Error::LateAssoc(_))), "{what}"),
                    _ => {
                        done.unwrap();
                        told.assoc.extend(&bytes);
                    }
                }
            }
            3..8 => {
                let mut part = bytes.clone();
                let done = message.text(&mut part);
                if told.ended {
                    assert!(matches!(done, Err(Error::Ended(_))) && part == bytes, "{what}");
                    continue;
                }
                done.unwrap();
                told.text.extend(&bytes);
                told.output.extend(&part);
            }
            8 => {
                let iv = iv(driver, about(driver.shape.ivsize, random), random);
                let done = message.restart(&iv);
                assert_eq!(done.is_ok(), right(&iv), "{what}: {done:?}");
                told = Told { ended: done.is_err(), iv, ..Told::default() };
            }
            9 => {
                let copy = match &message {
                    Parts::Seal(message) => Parts::Seal(message.clone()),
                    Parts::Open(message) => Parts::Open(message.clone()),
                };
                copies.push((copy, told.clone()));
            }
            10 => {
                if let Some((copy, its)) = copies.pop() {
                    (message, told) = (copy, its);
                }
            }
            _ => finish(peer, &mut message, &mut told, random, &what),
        }
    }
}

/// Ends a message, with a tag that may have a wrong length or wrong bits.
fn finish(peer: &Aead, message: &mut Parts, told: &mut Told, random: &mut Random, what: &str) {
    let tags = &peer.driver().shape.tags;
    let mut tag = vec![0; about(tags.max(), random)];
    let (mut text, mut full) = (told.text.clone(), vec![0; tags.max()]);
    if !told.ended {
        let seals = matches!(message, Parts::Seal(_));
        let mut plain = if seals { told.text.clone() } else { told.output.clone() };
        peer.encrypt(&told.iv, &[&told.assoc], &mut plain, &mut full).unwrap();
        text = if seals { told.output.clone() } else { text };
        same(&text, &plain, what);
    }
    let untouched = random.bytes(tag.len());
    let len = tag.len().min(full.len());
    tag[..len].copy_from_slice(&full[..len]);
    let forged = random.below(3) == 0 && len > 0;
    if forged {
        tag[random.below(len)] ^= 0x20;
    }
    let mut own = untouched.clone();
    let (done, verified) = match message {
        Parts::Seal(message) if random.below(2) == 0 => (message.finish(&mut own), false),
        Parts::Seal(message) => (message.verify(&tag), true),
        Parts::Open(message) => (message.verify(&tag), true),
    };
    match done {
        Err(Error::Ended(_)) => assert!(told.ended && own == untouched, "{what}"),
        Err(Error::TagLength { .. }) => return assert!(!tags.allows(tag.len()) && own == untouched, "{what}"),
        Err(error) => assert!(verified && forged && error == Error::Authentication, "{what}: {error}"),
        Ok(()) if verified => assert!(!forged, "{what}: a forged tag"),
        Ok(()) => same(&own, &full[..own.len()], what),
    }
    told.ended = true;
}

/// STREAM, with wrong calls between the right ones.
fn stream(pair: &Pair<Aead>, random: &mut Random) {
    let (Keyed { subject, peer }, prefix) = (pair.keyed(random), [7; PREFIX]);
    let tag_len = subject.max_tag_len();
    let (Ok(mut sealer), Ok(mut opener)) = (Sealer::new(subject, &prefix), Opener::new(peer, &prefix)) else {
        return assert_ne!(pair.subject.driver().shape.ivsize, 12);
    };
    for _ in 0..8 {
        let len = random.below(200);
        let (plain, mut tag) = (random.bytes(len), vec![0; tag_len]);
        let mut chunk = plain.clone();
        if random.below(3) == 0 {
            assert!(matches!(sealer.seal(b"", &mut chunk, &mut [0; 17]), Err(Error::TagLength { .. })));
            assert!(chunk == plain);
        }
        sealer.seal(b"chunk", &mut chunk, &mut tag).unwrap();
        opener.open(b"chunk", &mut chunk, &tag).unwrap();
        assert!(chunk == plain);
    }
    let mut tag = vec![0; tag_len];
    let mut chunk = [1; 5];
    assert_eq!(opener.open(b"", &mut chunk, &tag), Err(Error::Authentication));
    assert_eq!(chunk, [0; 5]);
    assert!(matches!(opener.open(b"", &mut chunk, &tag), Err(Error::StreamEnded(_))));
    sealer.seal_last(b"", &mut chunk, &mut tag).unwrap();
    assert!(matches!(opener.open_last(b"", &mut chunk, &tag), Err(Error::StreamEnded(_))));
}
