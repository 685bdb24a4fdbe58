//! Sessions of random calls, a file per type.

pub mod aead;
pub mod cipher;
pub mod hash;
mod layout;
pub mod names;
#[cfg(feature = "rng")]
pub mod rng;
pub mod skcipher;

use super::common::{Random, catalogue};
use algkit::{Driver, Error, Registry, Transform, Unkeyed, WeakKeys};
use std::{collections::HashSet, fmt::Debug};

/// The number of calls in a session.
const CALLS: usize = 150;

/// A driver, and another one of the same algorithm to compare with. A driver that is the only one is compared with itself.
pub struct Pair<T> {
    pub subject: Unkeyed<T>,
    pub peer: Unkeyed<T>,
}

/// Every driver of type `T` that this CPU runs, instances of templates included.
pub fn pairs<T: Transform>(registry: &Registry) -> Vec<Pair<T>> {
    let find = |driver: &Driver| registry.transform::<T>(&driver.driver).unwrap_or_else(|error| panic!("{error}"));
    let (mut seen, mut pairs) = (HashSet::new(), Vec::new());
    for name in catalogue() {
        let mut drivers = registry.drivers_of(name).unwrap();
        drivers.retain(|driver| driver.kind == T::TYPE && registry.is_usable(driver));
        for driver in &drivers {
            if seen.insert(driver.driver.clone()) {
                // The last one is the most portable. Generators of one name have different outputs.
                let other = |other: &&algkit::DriverRef| other.driver != driver.driver && other.name != "stdrng";
                let peer = drivers.iter().rev().find(other).unwrap_or(driver);
                pairs.push(Pair { subject: find(driver), peer: find(peer) });
            }
        }
    }
    pairs
}

/// A transform whose key can be replaced.
pub trait Rekeyed: Transform {
    fn rekey(&mut self, key: &[u8], weak: WeakKeys) -> Result<(), Error>;

    /// Something that depends on the key.
    fn trace(&self) -> Vec<u8>;
}

macro_rules! rekeyed {
    ($name:ident, |$tfm:ident| $trace:expr) => {
        impl Rekeyed for $name {
            fn rekey(&mut self, key: &[u8], weak: WeakKeys) -> Result<(), Error> {
                self.set_key_with(key, weak)
            }

            fn trace(&self) -> Vec<u8> {
                let $tfm = self;
                $trace
            }
        }
    };
}
use rekeyed;

/// Two transforms with one key.
pub struct Keyed<T> {
    pub subject: T,
    pub peer: T,
}

impl<T: Rekeyed> Pair<T> {
    /// Both with a key that they take.
    pub fn keyed(&self, random: &mut Random) -> Keyed<T> {
        for _ in 0..2000 {
            let key = key(self.subject.driver(), random);
            let new = |unkeyed: &Unkeyed<T>| unkeyed.key_with(&key, WeakKeys::Allow);
            if let Some((subject, peer)) = agree(new(&self.subject), new(&self.peer), self.subject.driver()) {
                return Keyed { subject, peer };
            }
        }
        panic!("{}: no key is taken", self.subject.driver().driver);
    }
}

impl<T: Rekeyed> Keyed<T> {
    /// Sets a key that may be wrong. After an error both have the old one.
    pub fn rekey(&mut self, driver: &Driver, random: &mut Random) {
        let (key, weak) = (key(driver, random), [WeakKeys::Allow, WeakKeys::Refuse][random.below(2)]);
        let before = self.subject.trace();
        let done = agree(self.subject.rekey(&key, weak), self.peer.rekey(&key, weak), driver);
        assert!(done.is_some() || self.subject.trace() == before, "{}: after a wrong key", driver.driver);
    }
}

/// A key: in most cases one that the driver takes.
fn key(driver: &Driver, random: &mut Random) -> Vec<u8> {
    let keys = &driver.shape.keys;
    if driver.name.contains("authenc") && random.below(6) > 0 {
        let lens = [[0, 16, 20, 32, 64, 200][random.below(6)], [0, 8, 16, 20, 24, 32, 64][random.below(7)]];
        let mut key = algkit::authenc_key(&random.bytes(lens[0]), &random.bytes(lens[1])).to_vec();
        if random.below(8) == 0 {
            key[random.below(8)] = random.next() as u8;
        }
        return key;
    }
    let (least, most) = (keys.min(), keys.max().min(keys.min() + 200));
    let right = (0..40).map(|_| least + random.below(most - least + 1)).find(|&len| keys.allows(len));
    let len = match random.below(8) {
        0 => random.below(most + 20),
        1 => 0,
        _ => right.unwrap_or(least),
    };
    let mut key = random.bytes(len);
    if driver.name.starts_with("vmac64(") && random.below(8) > 0 && !key.is_empty() {
        key[0] &= 0x7f;
    }
    if random.below(8) == 0 {
        // Two equal halves, or a key of DES that is known to be weak.
        let half = len / 2;
        key.copy_within(..half, len - half);
    }
    key
}

/// The right length in most cases.
fn about(right: usize, random: &mut Random) -> usize {
    match random.below(24) {
        0 => right + 1,
        1 => right.saturating_sub(1),
        2 => random.below(70),
        3 => 0,
        _ => right,
    }
}

/// The length of a text that the driver takes in most cases.
fn text_len(driver: &Driver, random: &mut Random) -> usize {
    let len = match random.below(12) {
        0 => random.below(2500),
        1..4 => random.below(20),
        _ => random.below(300),
    };
    let room = if driver.name.contains("iv(") { driver.shape.ivsize } else { 0 };
    if random.below(5) == 0 { len } else { driver.shape.fit(len + room) }
}

/// An IV of this length. Counters in it may soon overflow.
fn iv(driver: &Driver, len: usize, random: &mut Random) -> Vec<u8> {
    let mut iv = random.bytes(len);
    match random.below(8) {
        0 => iv.fill(0xff),
        1 => iv[len.saturating_sub(4)..].fill(0xff),
        2 => iv[..len.min(4)].fill(0xff),
        3 => iv.fill(0),
        _ => {}
    }
    if driver.name.contains("ccm(") && random.below(8) > 0 {
        // The size of the length field minus 1.
        iv.iter_mut().take(1).for_each(|first| *first = 1 + (*first % 7));
    }
    iv
}

/// Checks that two drivers answer a call alike; returns both answers if it succeeded. A driver has its own words for what is
/// wrong with a key.
fn agree<A, B>(subject: Result<A, Error>, peer: Result<B, Error>, driver: &Driver) -> Option<(A, B)> {
    match (subject, peer) {
        (Ok(subject), Ok(peer)) => return Some((subject, peer)),
        (Err(Error::BadKey { .. }), Err(Error::BadKey { .. })) => {}
        (subject, peer) => assert_eq!(subject.map(drop), peer.map(drop), "{}", driver.driver),
    }
    None
}

/// Says which bytes differ, and not all of both.
#[track_caller]
fn same(got: &[u8], want: &[u8], what: impl Debug) {
    if got != want {
        let at = got.iter().zip(want).position(|(got, want)| got != want);
        panic!("{what:?}: {} and {} bytes, different from byte {at:?} on", got.len(), want.len());
    }
}
