//! A new LUKS2 header without key slots.

use super::{
    Copies, Header,
    binary::{BINARY, Binary},
    metadata, rules,
};
use crate::{Error, Kdf, Key, format::Options};
use algkit::Rng;
use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::{Value, json};

/// Bytes of a copy.
const HEADER_SIZE: u64 = 16 << 10;

/// Where the data begins, as cryptsetup has it.
const DATA_OFFSET: u64 = 16 << 20;

/// Iterations of the digest. The key that it tells is random: none has to be slowed down who guesses.
const DIGEST_ITERATIONS: u32 = 1000;

impl Header {
    /// A header without key slots, for a volume with this key.
    pub(crate) fn new(options: &Options, key: &Key, random: &Rng) -> Result<Self, Error> {
        let mut digest = digest_json(key, random)?;
        digest["segments"] = json!(["0"]);
        let json = json!({
            "keyslots": {},
            "tokens": {},
            "segments": {"0": {
                "type": "crypt",
                "offset": DATA_OFFSET.to_string(),
                "size": "dynamic",
                "iv_tweak": "0",
                "encryption": options.cipher.to_string(),
                "sector_size": options.sector_size,
            }},
            "digests": {"0": digest},
            "config": {
                "json_size": (HEADER_SIZE - BINARY as u64).to_string(),
                "keyslots_size": (DATA_OFFSET - 2 * HEADER_SIZE).to_string(),
            },
        });
        let binary = Binary {
            header_size: HEADER_SIZE,
            sequence: 0,
            label: options.label.clone(),
            checksum: "sha256".to_owned(),
            uuid: options.uuid(random)?,
            subsystem: options.subsystem.clone(),
        };
        let refused = |reason| Error::damaged("the new header", reason);
        let metadata = metadata::typed(&json).map_err(refused)?;
        rules::check(&binary, &metadata).map_err(refused)?;
        let header = Self { binary, metadata, json, copies: Copies::Both };
        // What does not fit is told of now.
        header.bytes(0, random)?;
        Ok(header)
    }
}

/// A digest of `secret`, which tells no key slot and no segment.
pub(super) fn digest_json(secret: &Key, random: &Rng) -> Result<Value, Error> {
    let kdf = Kdf::Pbkdf2 { hash: "sha256".to_owned(), iterations: DIGEST_ITERATIONS, salt: Vec::new() };
    let kdf = kdf.salted(random)?;
    let (Kdf::Pbkdf2 { salt, .. } | Kdf::Argon2 { salt, .. }) = &kdf;
    Ok(json!({
        "type": "pbkdf2",
        "keyslots": [],
        "segments": [],
        "hash": "sha256",
        "iterations": DIGEST_ITERATIONS,
        "salt": BASE64_STANDARD.encode(salt),
        "digest": BASE64_STANDARD.encode(kdf.key(secret.bytes(), 32)?.bytes()),
    }))
}
