//! Any text looked up as an algorithm of each type gives an answer in bounded time, or an error that can be printed. A
//! driver that is found can be looked up by its own name, and accepts or refuses keys of any length.
#![no_main]

use algkit::{Error, Policy, Registry, Type, WeakKeys};
use libfuzzer_sys::fuzz_target;
use std::cell::RefCell;

thread_local! {
    /// A registry keeps the instances of templates that were asked for, so it is replaced from time to time.
    static REGISTRY: RefCell<(u32, Registry)> = RefCell::new((0, fresh()));
}

fn fresh() -> Registry {
    Registry::new(algkit::cpu::CpuFeatures::detect(), Policy::Table)
}

fuzz_target!(|text: &str| {
    REGISTRY.with_borrow_mut(|(uses, registry)| {
        *uses += 1;
        if *uses % 512 == 0 {
            *registry = fresh();
        }
        resolve(registry, text);
    });
});

fn resolve(registry: &Registry, text: &str) {
    for kind in [Type::Cipher, Type::Skcipher, Type::Aead, Type::Hash, Type::Rng] {
        match registry.find(kind, text) {
            Ok(driver) => {
                assert_eq!(driver.kind, kind);
                assert_eq!(registry.find(kind, text).unwrap().driver, driver.driver);
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    let Ok(driver) = registry.find_any(text) else { return };
    // A driver's name may be longer than a name that can be looked up.
    match registry.find_any(&driver.driver) {
        Ok(again) => assert_eq!(again.driver, driver.driver),
        Err(error) => assert!(matches!(error, Error::BadName { .. }), "{}: {error}", driver.driver),
    }
    let keys = &driver.shape.keys;
    for len in [0, 1, keys.min(), keys.max().min(300), 16] {
        let key = vec![7; len];
        let error = match driver.kind {
            Type::Cipher => registry.cipher(text).unwrap().key_with(&key, WeakKeys::Refuse).err(),
            Type::Skcipher => registry.skcipher(text).unwrap().key_with(&key, WeakKeys::Allow).err(),
            Type::Aead => registry.aead(text).unwrap().key_with(&key, WeakKeys::Refuse).err(),
            Type::Hash => registry.hash(text).unwrap().key_with(&key, WeakKeys::Allow).err(),
            Type::Rng => registry.rng(text).unwrap().key(&key).err(),
            other => panic!("{text}: {other}"),
        };
        if let Some(error) = error {
            let fits = keys.allows(len);
            assert_eq!(matches!(error, Error::KeyLength { .. }), !fits, "{}: {error}", driver.driver);
        }
    }
}
