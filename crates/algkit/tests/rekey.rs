//! Compares a transform whose key was replaced with one that had the new key from the start.

mod common;

use algkit::{Aead, Cipher, Error, Hash, Policy, Registry, Skcipher, Transform, Type, WeakKeys};
use common::{MASKS, Random, masked};
use std::{sync::Barrier, thread};

/// Modes with their own key schedule, templates, and drivers whose instances are made anew.
const NAMES: &[&str] = &[
    "aes",
    "ecb(aes)",
    "cbc(aes)",
    "ctr(aes)",
    "xctr(aes)",
    "xts(aes)",
    "cts(cbc(aes))",
    "gcm(aes)",
    "ccm(aes)",
    "rfc7539(chacha20,poly1305)",
    "serpent",
    "xts(serpent)",
    "chacha20",
    "cmac(aes)",
    "ghash",
    "polyval",
    "hmac(sha256)",
    "blake2b-512",
];

/// Runs a message through a transform, in both directions.
trait Rekeyed: Transform {
    fn result(&self, message: &[u8]) -> Vec<u8>;
    fn rekey(&mut self, key: &[u8], weak: WeakKeys) -> Result<(), Error>;
}

macro_rules! rekeyed {
    ($name:ident, |$tfm:ident, $message:ident| $result:expr) => {
        impl Rekeyed for $name {
            fn result(&self, $message: &[u8]) -> Vec<u8> {
                let $tfm = self;
                $result
            }

            fn rekey(&mut self, key: &[u8], weak: WeakKeys) -> Result<(), Error> {
                self.set_key_with(key, weak)
            }
        }
    };
}

rekeyed!(Cipher, |tfm, message| {
    let (mut one, mut other) = (message.to_vec(), message.to_vec());
    tfm.encrypt(&mut one[..]).unwrap();
    tfm.decrypt(&mut other[..]).unwrap();
    [one, other].concat()
});
rekeyed!(Skcipher, |tfm, message| {
    let (mut one, mut other) = (message.to_vec(), message.to_vec());
    let iv = vec![7; tfm.driver().shape.ivsize];
    tfm.encrypt(&mut iv.clone(), &mut one[..]).unwrap();
    tfm.decrypt(&mut iv.clone(), &mut other[..]).unwrap();
    [one, other].concat()
});
rekeyed!(Aead, |tfm, message| {
    let iv = vec![1; tfm.driver().shape.ivsize];
    let sealed = tfm.seal(&iv, b"associated", message).unwrap();
    assert_eq!(tfm.open(&iv, b"associated", &sealed).unwrap(), message);
    sealed
});
rekeyed!(Hash, |tfm, message| {
    let mut state = tfm.start();
    state.update(&message[..5]);
    state.update(&message[5..]);
    let digest = tfm.digest(message);
    assert_eq!(state.finish(), digest);
    digest
});

fn check<T: Rekeyed>(registry: &Registry, name: &str, random: &mut Random) {
    let unkeyed = registry.transform::<T>(name).unwrap();
    let sizes: Vec<usize> = (1..=64).filter(|&n| unkeyed.driver().shape.keys.allows(n)).collect();
    let message = random.bytes(17 * 16);
    let mut key = random.bytes(sizes[0]);
    let mut rekeyed = unkeyed.key(&key).unwrap();
    // Every key length after every other, and twice in a row.
    for size in sizes.iter().flat_map(|&a| sizes.iter().flat_map(move |&b| [a, b, b])).take(200) {
        key = random.bytes(size);
        rekeyed.rekey(&key, WeakKeys::Refuse).unwrap();
        assert_eq!(rekeyed.result(&message), unkeyed.key(&key).unwrap().result(&message), "{name}, {size} bytes");
    }
    let before = rekeyed.result(&message);
    if let Some(wrong) = (0..=65).rev().find(|&n| n > 0 && !sizes.contains(&n)) {
        let error = rekeyed.rekey(&random.bytes(wrong), WeakKeys::Refuse);
        assert!(
            sizes.len() > 63 || matches!(error, Err(Error::KeyLength { got, .. }) if got == wrong),
            "{name}: {error:?}"
        );
    }
    if name.starts_with("xts") {
        let weak = [key[..key.len() / 2].to_vec(), key[..key.len() / 2].to_vec()].concat();
        assert!(matches!(rekeyed.rekey(&weak, WeakKeys::Refuse), Err(Error::BadKey { .. })), "{name}");
        assert_eq!(rekeyed.result(&message), before, "{name}: after an error");
        rekeyed.rekey(&weak, WeakKeys::Allow).unwrap();
        let allowed = unkeyed.key_with(&weak, WeakKeys::Allow).unwrap();
        assert_eq!(rekeyed.result(&message), allowed.result(&message), "{name}: weak");
    } else if sizes.len() < 64 {
        assert_eq!(rekeyed.result(&message), before, "{name}: after an error");
    }
}

#[test]
fn a_key_in_place_of_another_is_like_a_new_transform() {
    let mut random = Random(11);
    for mask in MASKS {
        let registry = masked(mask, Policy::Constant);
        for name in NAMES {
            match registry.find_any(name).unwrap().kind {
                Type::Cipher => check::<Cipher>(&registry, name, &mut random),
                Type::Skcipher => check::<Skcipher>(&registry, name, &mut random),
                Type::Aead => check::<Aead>(&registry, name, &mut random),
                Type::Hash => check::<Hash>(&registry, name, &mut random),
                other => panic!("{name} is of type {other}"),
            }
        }
    }
}

/// The first decryption computes the schedule of the inverse cipher; several threads may race to do so.
#[test]
fn threads_may_decrypt_first_at_once() {
    for name in ["ecb(aes)", "cbc(aes)", "xts(aes)"] {
        let first: Vec<u8> = (100..132).collect();
        let mut tfm = Registry::global().unwrap().skcipher(name).unwrap().key(&first).unwrap();
        let text: Vec<u8> = (0..160).collect();
        for round in 0..100 {
            let key: Vec<u8> = (0..32).map(|i| i ^ round).collect();
            tfm.set_key(&key).unwrap();
            let tfm = &tfm;
            let mut sealed = text.clone();
            tfm.encrypt(&mut [9; 16][..tfm.driver().shape.ivsize], &mut sealed[..]).unwrap();
            let barrier = Barrier::new(4);
            thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| {
                        let mut opened = sealed.clone();
                        barrier.wait();
                        tfm.decrypt(&mut [9; 16][..tfm.driver().shape.ivsize], &mut opened[..]).unwrap();
                        assert!(opened == text, "{name}");
                    });
                }
            });
        }
    }
}
