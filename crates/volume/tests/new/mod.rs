//! New volumes for tests, whose key derivation costs nothing.

use algkit_volume::{CipherSpec, Kdf, format::Options};

pub fn random() -> algkit::Rng {
    algkit::rng("stdrng").unwrap().key(&[]).unwrap()
}

pub fn quick() -> Kdf {
    Kdf::Pbkdf2 { hash: "sha256".into(), iterations: 1, salt: vec![] }
}

pub fn options(cipher: &str, key_size: usize, sector_size: u32) -> Options {
    Options {
        cipher: CipherSpec::parse(cipher).unwrap(),
        integrity: None,
        key_size,
        sector_size,
        kdf: quick(),
        hash: "sha256".into(),
        uuid: None,
        label: String::new(),
        subsystem: String::new(),
    }
}
