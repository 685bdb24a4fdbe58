//! Hashes: digests at once and in batches, and states that are copied, exported, imported and squeezed.

use super::super::common::Random;
use super::{CALLS, Keyed, Pair, Rekeyed, about, agree, same};
use algkit::{
    Driver, Error, Hash, State, WeakKeys,
    batch::{self, Request},
};

super::rekeyed!(Hash, |tfm| tfm.digest(b"a message"));

pub fn session(pair: &Pair<Hash>, random: &mut Random) {
    let driver = pair.subject.driver();
    let (mut keyed, mut another) = (pair.keyed(random), pair.keyed(random));
    assert_eq!(pair.subject.unkeyed().is_ok(), driver.shape.optional_key, "{}", driver.driver);
    for _ in 0..CALLS / 3 {
        match random.below(6) {
            0 => keyed.rekey(driver, random),
            1 => another.rekey(driver, random),
            2 => batch([&keyed, &another], random),
            3 => digest(&keyed, random),
            _ => states(&keyed, random),
        }
    }
}

/// The length of an output: any for a hash without a fixed one.
fn out_len(driver: &Driver, random: &mut Random) -> usize {
    if driver.shape.extendable && random.below(2) == 0 {
        random.below(500)
    } else {
        about(driver.shape.digestsize, random)
    }
}

/// A message in pieces.
fn pieces(random: &mut Random) -> Vec<Vec<u8>> {
    let (most, count) = ([4, 70, 300, 2000][random.below(4)], [1, 1, 0, 2, 5][random.below(5)]);
    let piece = |_| {
        let len = random.below(most);
        random.bytes(len)
    };
    (0..count).map(piece).collect()
}

fn borrowed(pieces: &[Vec<u8>]) -> Vec<&[u8]> {
    pieces.iter().map(|piece| &piece[..]).collect()
}

fn digest(Keyed { subject, peer }: &Keyed<Hash>, random: &mut Random) {
    let (driver, message) = (subject.driver(), pieces(random));
    let before = vec![0x55; out_len(driver, random)];
    let [mut got, mut want] = [before.clone(), before.clone()];
    let list = borrowed(&message);
    let done = agree(subject.digest_into(&list, &mut got), peer.digest_into(&list, &mut want), driver);
    assert_eq!(done.is_some(), driver.shape.extendable || got.len() == driver.shape.digestsize, "{}", driver.driver);
    same(&got, &want, &driver.driver);
    assert!(done.is_some() || got == before, "{}: after an error", driver.driver);
    let whole = message.concat();
    let mut tag = peer.digest(&whole);
    assert!(subject.verify(&whole, &tag), "{}", driver.driver);
    assert!(!subject.verify(&whole, &[&tag[..], &[0]].concat()), "{}", driver.driver);
    if !tag.is_empty() {
        tag[random.below(driver.shape.digestsize)] ^= 1 << random.below(8);
        assert!(!subject.verify(&whole, &tag), "{}", driver.driver);
    }
}

fn batch(keyed: [&Keyed<Hash>; 2], random: &mut Random) {
    let driver = keyed[0].subject.driver();
    let count = [0, 1, 2, 3, 9, 20, 70][random.below(7)];
    let cases: Vec<_> =
        (0..count).map(|_| (random.below(2), pieces(random), vec![0x55; out_len(driver, random)])).collect();
    let lists: Vec<_> = cases.iter().map(|(_, message, _)| borrowed(message)).collect();
    let mut outs: Vec<_> = cases.iter().map(|(_, _, out)| out.clone()).collect();
    let requests = cases.iter().zip(&lists).zip(&mut outs);
    let mut requests: Vec<_> =
        requests.map(|(((key, ..), list), out)| Request::digest(&keyed[*key].subject, &list[..], out)).collect();
    let results: Vec<_> = batch::run(&mut requests).collect();
    drop(requests);
    for ((((key, _, before), list), got), result) in cases.iter().zip(&lists).zip(&outs).zip(results) {
        let mut want = before.clone();
        let what = format!("{} in a batch of {count}, output of {}", driver.driver, want.len());
        assert_eq!(result, keyed[*key].peer.digest_into(list, &mut want), "{what}");
        same(got, &want, &what);
    }
}

/// A state of both drivers that has absorbed the same. `fixed` is all of it, while nothing has been squeezed.
struct Twins {
    subject: State,
    peer: State,
    fixed: Option<Vec<u8>>,
}

impl Clone for Twins {
    fn clone(&self) -> Self {
        Self { subject: self.subject.clone(), peer: self.peer.clone(), fixed: self.fixed.clone() }
    }
}

fn states(Keyed { subject, peer }: &Keyed<Hash>, random: &mut Random) {
    let driver = subject.driver();
    let name = &driver.driver;
    let mut twins = Twins { subject: subject.start(), peer: peer.start(), fixed: Some(Vec::new()) };
    let mut copies = vec![twins.clone()];
    for _ in 0..12 {
        let most = [4, 70, 300, 1500][random.below(4)];
        let len = random.below(most);
        let bytes = random.bytes(len);
        let before = vec![0x55; out_len(driver, random)];
        let [mut got, mut want] = [before.clone(), before.clone()];
        match random.below(12) {
            0..4 => {
                twins.subject.update(&bytes);
                // The other one gets it in two pieces.
                let (front, back) = bytes.split_at(random.below(len + 1));
                twins.peer.update(front);
                twins.peer.update(back);
                twins.fixed.iter_mut().for_each(|fixed| fixed.extend(&bytes));
            }
            4 => {
                let done = agree(twins.subject.squeeze(&mut got), twins.peer.squeeze(&mut want), driver);
                assert_eq!(done.is_some(), driver.shape.extendable, "{name}");
                assert!(done.is_some() || got == before, "{name}: after an error");
                same(&got, &want, name);
                twins.fixed = twins.fixed.filter(|_| done.is_none());
            }
            5 => {
                let parts = &[&bytes[..], b"", b"and more"][..random.below(4)];
                let done =
                    agree(twins.subject.digest_into(parts, &mut got), twins.peer.digest_into(parts, &mut want), driver);
                assert!(done.is_some() || got == before, "{name}: after an error");
                same(&got, &want, name);
                if let (Some(fixed), Some(_)) = (&twins.fixed, done) {
                    subject.digest_into(&[fixed, &parts.concat()], &mut want).unwrap();
                    same(&got, &want, name);
                }
            }
            6 => within(&twins, driver, &bytes, &before, random),
            7 => copies.push(twins.clone()),
            8 => {
                let copy = &copies[random.below(copies.len())];
                twins.subject.clone_from(&copy.subject);
                twins.peer.clone_from(&copy.peer);
                twins.fixed.clone_from(&copy.fixed);
            }
            9 => {
                let exported = twins.subject.export().unwrap();
                twins.subject = subject.import(&exported).unwrap_or_else(|error| panic!("{name}: {error}"));
            }
            10 => import_nonsense(subject, &twins.subject, &bytes, random),
            _ => {
                let [one, other] = [twins.subject.clone(), twins.peer.clone()];
                let done = agree(one.finish_into(&mut got), other.finish_into(&mut want), driver);
                assert!(done.is_some() || got == before, "{name}: after an error");
                same(&got, &want, name);
            }
        }
    }
    same(&twins.subject.finish(), &twins.peer.finish(), name);
}

fn within(twins: &Twins, driver: &Driver, data: &[u8], before: &[u8], random: &mut Random) {
    let [mut got, mut want] = [before.to_vec(), before.to_vec()];
    let mut any = || [random.below(data.len() + 1), random.below(2 * data.len() + 9), usize::MAX][random.below(3)];
    let (least, len) = (any(), any());
    let done = twins.subject.digest_within(data, least, len, &mut got);
    let least = least.min(data.len());
    match done {
        Ok(()) => {
            twins.peer.digest_into(&[&data[..len.max(least).min(data.len())]], &mut want).unwrap();
            same(&got, &want, &driver.driver);
        }
        Err(error) => {
            assert!(matches!(error, Error::LengthShows(_) | Error::OutputLength { .. }), "{}: {error}", driver.driver);
            assert!(got == before, "{}: after an error", driver.driver);
        }
    }
}

/// Bytes that are no state are an error, or lead to some digest.
fn import_nonsense(hash: &Hash, state: &State, bytes: &[u8], random: &mut Random) {
    let mut exported = state.export().unwrap().to_vec();
    for _ in 0..random.below(4) {
        if !exported.is_empty() {
            let at = random.below(exported.len());
            exported[at] = [0, 0xff, 0x80, random.next() as u8][random.below(4)];
        }
    }
    exported.truncate(about(exported.len(), random));
    for bytes in [&exported[..], bytes] {
        match hash.import(bytes) {
            Ok(mut state) => {
                state.update(bytes);
                let again = hash.import(&state.export().unwrap()).unwrap();
                same(&again.finish(), &state.finish(), &hash.driver().driver);
            }
            Err(error) => assert_eq!(error, Error::BadState(hash.driver().driver.clone())),
        }
    }
}
