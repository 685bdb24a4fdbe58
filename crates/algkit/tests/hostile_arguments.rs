//! Every driver, called in random order with right and wrong arguments through the public interface.
//!
//! No call panics. A wrong argument is an error that leaves every buffer and the transform as they were. A right call gives
//! what another driver of the algorithm gives.

mod common;
mod hostile;

#[cfg(feature = "rng")]
use algkit::Rng;
use algkit::{Aead, Cipher, Error, Hash, Policy, Skcipher, Type};
use common::{Random, masked};
use hostile::{Pair, names};

/// Calls `session` with each driver of type `T`, and returns their number.
fn each<T: algkit::Transform>(seed: u64, session: impl Fn(&Pair<T>, &mut Random)) -> usize {
    let registry = masked("", Policy::Table);
    let pairs = hostile::pairs::<T>(&registry);
    for (i, pair) in pairs.iter().enumerate() {
        session(pair, &mut Random(seed + i as u64));
    }
    pairs.len()
}

#[test]
fn ciphers() {
    assert!(each::<Cipher>(1, hostile::cipher::session) > 3);
}

#[test]
fn skciphers() {
    assert!(each::<Skcipher>(2, hostile::skcipher::session) > 50);
}

#[test]
fn aeads() {
    assert!(each::<Aead>(3, hostile::aead::session) > 50);
}

#[test]
fn hashes() {
    assert!(each::<Hash>(4, hostile::hash::session) > 50);
}

#[cfg(feature = "rng")]
#[test]
fn generators() {
    assert_eq!(each::<Rng>(5, hostile::rng::session), 23);
}

/// What a template accepts passes its self-test: parts that do not fit together are refused by name.
#[test]
fn names_that_nobody_asks_for() {
    let registry = masked("", Policy::Table).with_limit(600);
    let known = names::Known::new(&registry);
    let mut random = Random(6);
    let mut found = 0;
    for _ in 0..names::COUNT {
        let name = known.name(&mut random);
        match registry.find_any(&name) {
            Ok(driver) => {
                found += 1;
                assert!(registry.drivers_of(&driver.driver).is_ok(), "{name}");
                let other = if driver.kind == Type::Hash { Type::Aead } else { Type::Hash };
                assert!(matches!(registry.find(other, &driver.driver), Err(Error::WrongType { .. })), "{name}");
            }
            Err(Error::SelfTest { reason, .. }) => panic!("{name}: {reason}"),
            Err(error) => assert!(error.to_string().len() < 1000, "{name:?}: {error}"),
        }
    }
    assert!(found > names::COUNT / 20, "{found} names have drivers");
}
