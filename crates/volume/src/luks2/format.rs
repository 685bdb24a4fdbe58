//! A new LUKS2 header without key slots.

use super::{
    Copies, Header,
    binary::{BINARY, Binary},
    metadata, rules,
};
use crate::{CipherSpec, Error, Kdf, Key, format::Options};
use algkit::Rng;
use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::{Value, json};

/// The length in bytes of a copy of the header.
pub(super) const HEADER_SIZE: u64 = 16 << 10;

/// Where the data begins, as cryptsetup has it.
pub(crate) const DATA_OFFSET: u64 = 16 << 20;

/// Iterations of the digest. The key is random, so nobody can guess it, and the digest need not be slow.
const DIGEST_ITERATIONS: u32 = 1000;

impl Header {
    /// A header without key slots, for a volume with this key.
    pub(crate) fn new(options: &Options, key: &Key, random: &Rng) -> Result<Self, Error> {
        let mut digest = digest_json(key, random)?;
        digest["segments"] = json!(["0"]);
        let contents = Contents {
            keyslots: json!({}),
            digest,
            offset: DATA_OFFSET,
            cipher: &options.cipher,
            integrity: options.integrity.as_deref(),
            sector_size: options.sector_size,
            room: DATA_OFFSET - 2 * HEADER_SIZE,
        };
        let refused = |reason| Error::damaged("the new header", reason);
        let mut header = contents.header(0, options.uuid(random)?).map_err(refused)?;
        header.binary.label = options.label.clone().into();
        header.binary.subsystem = options.subsystem.clone().into();
        // What does not fit into a header is refused here, before anything is written.
        header.bytes(0, random)?;
        Ok(header)
    }
}

/// A new volume with one key, whose data reaches to the end of the device, as its header describes it.
pub(super) struct Contents<'a> {
    pub keyslots: Value,
    pub digest: Value,
    /// Where the data begins.
    pub offset: u64,
    pub cipher: &'a CipherSpec,
    /// What tags sectors have.
    pub integrity: Option<&'a str>,
    pub sector_size: u32,
    /// The number of bytes for the areas of key slots.
    pub room: u64,
}

impl Contents<'_> {
    /// The header without labels, if it follows the rules.
    pub fn header(self, sequence: u64, uuid: String) -> Result<Header, String> {
        let mut json = json!({
            "keyslots": self.keyslots,
            "tokens": {},
            "segments": {"0": {
                "type": "crypt",
                "offset": self.offset.to_string(),
                "size": "dynamic",
                "iv_tweak": "0",
                "encryption": self.cipher.to_string(),
                "sector_size": self.sector_size,
            }},
            "digests": {"0": self.digest},
            "config": {
                "json_size": (HEADER_SIZE - BINARY as u64).to_string(),
                "keyslots_size": self.room.to_string(),
            },
        });
        if let Some(kind) = self.integrity {
            json["segments"]["0"]["integrity"] =
                json!({"type": kind, "journal_encryption": "none", "journal_integrity": "none"});
        }
        let binary = Binary {
            header_size: HEADER_SIZE,
            sequence,
            label: Vec::new(),
            checksum: "sha256".to_owned(),
            uuid,
            subsystem: Vec::new(),
        };
        let metadata = metadata::typed(&json)?;
        rules::check(&binary, &metadata)?;
        Ok(Header { binary, metadata, json, copies: Copies::Both })
    }
}

/// A digest of `secret`, which belongs to no key slot and no segment yet.
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
