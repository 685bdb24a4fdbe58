//! New volumes for tests, whose key derivation costs nothing.

use algkit_volume::{CipherSpec, Kdf, format::Options};
use serde_json::Value;

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

/// Changes both copies of a LUKS2 header, and makes their checksums right.
#[allow(dead_code)]
pub fn change_header(bytes: &mut [u8], change: impl Fn(&mut [u8])) {
    const COPY: usize = 16 << 10;
    for copy in bytes[..2 * COPY].chunks_exact_mut(COPY) {
        change(copy);
        copy[448..512].fill(0);
        let sum = algkit::sha256().digest(&*copy);
        copy[448..480].copy_from_slice(&sum);
    }
}

/// Changes the metadata of both copies of a header.
#[allow(dead_code)]
pub fn alter(bytes: &mut [u8], change: impl Fn(&mut Value)) {
    change_header(bytes, |copy| {
        let end = 4096 + copy[4096..].iter().position(|byte| *byte == 0).unwrap();
        let mut json = serde_json::from_slice(&copy[4096..end]).unwrap();
        change(&mut json);
        let text = json.to_string();
        copy[4096..].fill(0);
        copy[4096..4096 + text.len()].copy_from_slice(text.as_bytes());
    });
}
