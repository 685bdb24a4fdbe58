//! A new LUKS2 header with one key slot.

use super::{
    Copies, Header,
    binary::{BINARY, Binary},
    metadata, rules,
};
use crate::{
    CipherSpec, Error, Kdf, Key, SectorCipher, WriteAt,
    format::{Options, wipe},
    kdf::pbkdf2,
    slot::Area,
};
use algkit::Rng;
use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::{Value, json};

/// Bytes of a copy.
const HEADER_SIZE: u64 = 16 << 10;

/// Where the data begins, as cryptsetup has it.
const DATA_OFFSET: u64 = 16 << 20;

/// The cipher of key slots: what every program that opens volumes has, whatever the volume's own cipher is.
const AREA_CIPHER: &str = "aes-xts-plain64";
const AREA_KEY: usize = 64;

/// The stripes of a key slot.
const STRIPES: u32 = 4000;

/// Iterations of the digest. The key that it tells is random: none has to be slowed down who guesses.
const DIGEST_ITERATIONS: u32 = 1000;

impl Header {
    /// Writes a new header, and answers with it and the volume's key. Whatever was in its place is lost; the data is not touched.
    ///
    /// The order is such that whoever opens the storage after a failure finds no header, or this one: what was there goes first, then the
    /// key slot is written, then the copies.
    pub fn format(
        storage: &(impl WriteAt + ?Sized),
        options: &Options,
        passphrase: &[u8],
        random: &Rng,
    ) -> Result<(Self, Key), Error> {
        let size = storage.size()?;
        if size < DATA_OFFSET + u64::from(options.sector_size) {
            let reason = format!("{size} bytes, and a LUKS2 header takes {DATA_OFFSET}");
            return Err(Error::damaged("device", reason));
        }
        let key = options.new_key(random)?;
        SectorCipher::new(&options.cipher, &key, options.sector_size as usize)?;
        let kdf = options.kdf.salted(random)?;
        let area_offset = 2 * HEADER_SIZE;
        let area_size = (u64::from(STRIPES) * options.key_size as u64).next_multiple_of(4096);
        let mut digest_salt = [0; 32];
        random.generate(&[], &mut digest_salt)?;
        let mut digest = [0; 32];
        pbkdf2("sha256", key.bytes(), &digest_salt, DIGEST_ITERATIONS, &mut digest)?;
        let json = json!({
            "keyslots": {"0": {
                "type": "luks2",
                "key_size": options.key_size,
                "af": {"type": "luks1", "stripes": STRIPES, "hash": options.hash},
                "area": {
                    "type": "raw",
                    "offset": area_offset.to_string(),
                    "size": area_size.to_string(),
                    "encryption": AREA_CIPHER,
                    "key_size": AREA_KEY,
                },
                "kdf": kdf_json(&kdf),
            }},
            "tokens": {},
            "segments": {"0": {
                "type": "crypt",
                "offset": DATA_OFFSET.to_string(),
                "size": "dynamic",
                "iv_tweak": "0",
                "encryption": options.cipher.to_string(),
                "sector_size": options.sector_size,
            }},
            "digests": {"0": {
                "type": "pbkdf2",
                "keyslots": ["0"],
                "segments": ["0"],
                "hash": "sha256",
                "iterations": DIGEST_ITERATIONS,
                "salt": BASE64_STANDARD.encode(digest_salt),
                "digest": BASE64_STANDARD.encode(digest),
            }},
            "config": {
                "json_size": (HEADER_SIZE - BINARY as u64).to_string(),
                "keyslots_size": (DATA_OFFSET - 2 * HEADER_SIZE).to_string(),
            },
        });
        let binary = Binary {
            header_size: HEADER_SIZE,
            sequence: 1,
            label: options.label.clone(),
            checksum: "sha256".to_owned(),
            uuid: options.uuid(random)?,
            subsystem: options.subsystem.clone(),
        };
        let mut text = json.to_string().into_bytes();
        text.resize(HEADER_SIZE as usize - BINARY, 0);
        let refused = |reason| Error::damaged("the new header", reason);
        // What is written is what would be read.
        let (json, metadata) = metadata::parse(&text).map_err(refused)?;
        rules::check(&binary, &metadata).map_err(refused)?;
        let copies = [(0, binary.bytes(0, &text, random)?), (HEADER_SIZE, binary.bytes(HEADER_SIZE, &text, random)?)];

        wipe(storage, DATA_OFFSET)?;
        let derived = kdf.key(passphrase, AREA_KEY)?;
        let spec = CipherSpec::parse(AREA_CIPHER)?;
        let area = Area { spec: &spec, offset: area_offset, stripes: STRIPES, hash: &options.hash };
        area.seal(storage, &derived, &key, random)?;
        storage.sync()?;
        for (offset, copy) in copies {
            storage.write_at(offset, &copy)?;
            storage.sync()?;
        }
        Ok((Self { binary, metadata, json, copies: Copies::Both }, key))
    }
}

fn kdf_json(kdf: &Kdf) -> Value {
    match kdf {
        Kdf::Pbkdf2 { hash, iterations, salt } => json!({
            "type": kdf.name(), "hash": hash, "iterations": iterations, "salt": BASE64_STANDARD.encode(salt),
        }),
        Kdf::Argon2 { time, memory_kib, cpus, salt, .. } => json!({
            "type": kdf.name(), "time": time, "memory": memory_kib, "cpus": cpus, "salt": BASE64_STANDARD.encode(salt),
        }),
    }
}
