//! The metadata in the JSON area (section 3 of the specification). Numbers of 64 bits are strings of decimal digits there.

use crate::{Argon2, Error, Kdf};
use base64::{Engine, prelude::BASE64_STANDARD};
use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::Value;
use std::collections::BTreeMap;

/// All of it. What algkit does not know is left out here and stays in the text.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Metadata {
    /// Key slots by their numbers.
    pub keyslots: BTreeMap<u32, Keyslot>,
    /// Tokens by their numbers.
    pub tokens: BTreeMap<u32, Value>,
    /// Segments by their numbers, which is also their order in the volume.
    pub segments: BTreeMap<u32, Segment>,
    /// Digests by their numbers.
    pub digests: BTreeMap<u32, Digest>,
    /// What concerns the whole header.
    pub config: Config,
}

/// A key slot.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Keyslot {
    /// `luks2`, or `reencrypt`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Bytes of the key in it.
    pub key_size: u32,
    /// Its bytes on the storage.
    pub area: Area,
    /// How a passphrase becomes the area's key.
    #[serde(default, deserialize_with = "kdf")]
    pub kdf: Option<Kdf>,
    /// How the key becomes stripes.
    pub af: Option<Af>,
    /// 0: for those who ask for it; 1: normal; 2: first.
    pub priority: Option<u8>,
    /// For reencryption: what is done.
    pub mode: Option<String>,
    /// For reencryption: in which direction.
    pub direction: Option<String>,
}

/// A key slot's place.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Area {
    /// `raw`; others for reencryption.
    #[serde(rename = "type")]
    pub kind: String,
    /// Where, in bytes.
    #[serde(deserialize_with = "number")]
    pub offset: u64,
    /// How many bytes.
    #[serde(deserialize_with = "number")]
    pub size: u64,
    /// The cipher string.
    pub encryption: Option<String>,
    /// Bytes of the area's key.
    pub key_size: Option<u32>,
    /// For reencryption: the hash of the checksums.
    pub hash: Option<String>,
    /// For reencryption: bytes that have a checksum.
    pub sector_size: Option<u32>,
    /// For reencryption: by how many bytes data is shifted.
    #[serde(default, deserialize_with = "some_number")]
    pub shift_size: Option<u64>,
}

/// The anti-forensic splitter of a key slot.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Af {
    /// `luks1`.
    #[serde(rename = "type")]
    pub kind: String,
    /// How many stripes.
    pub stripes: u32,
    /// The hash.
    pub hash: String,
}

/// A piece of the data device.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Segment {
    /// `crypt` or `linear`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Where, in bytes.
    #[serde(deserialize_with = "number")]
    pub offset: u64,
    /// How long.
    #[serde(deserialize_with = "segment_size")]
    pub size: SegmentSize,
    /// What is added to the number of its first sector.
    #[serde(default, deserialize_with = "some_number")]
    pub iv_tweak: Option<u64>,
    /// The cipher string.
    pub encryption: Option<String>,
    /// Bytes of a sector.
    pub sector_size: Option<u32>,
    /// Present if sectors have tags.
    pub integrity: Option<Value>,
    /// For reencryption: what the segment is.
    #[serde(default)]
    pub flags: Vec<String>,
}

/// How long a segment is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SegmentSize {
    /// To the end of the device.
    Dynamic,
    /// So many bytes.
    Bytes(u64),
}

impl Segment {
    /// Bytes of a sector.
    pub fn sector_size(&self) -> u32 {
        self.sector_size.unwrap_or(512)
    }

    /// Whether it is kept for reencryption and no part of the volume.
    pub fn is_backup(&self) -> bool {
        self.flags.iter().any(|flag| flag.starts_with("backup-"))
    }
}

/// What tells whether a key is the right one.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Digest {
    /// `pbkdf2`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The key slots that hold the key.
    #[serde(deserialize_with = "ids")]
    pub keyslots: Vec<u32>,
    /// The segments that are encrypted with it.
    #[serde(deserialize_with = "ids")]
    pub segments: Vec<u32>,
    /// The hash.
    pub hash: Option<String>,
    /// Iterations.
    pub iterations: Option<u32>,
    /// The salt.
    #[serde(deserialize_with = "base64")]
    pub salt: Vec<u8>,
    /// The digest.
    #[serde(deserialize_with = "base64")]
    pub digest: Vec<u8>,
}

/// What concerns the whole header.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Config {
    /// Bytes of the JSON area.
    #[serde(deserialize_with = "number")]
    pub json_size: u64,
    /// Bytes behind both copies for key slots.
    #[serde(deserialize_with = "number")]
    pub keyslots_size: u64,
    /// How the volume is to be activated.
    #[serde(default)]
    pub flags: Vec<String>,
    /// What a program has to know before it touches the volume.
    #[serde(default)]
    pub requirements: Requirements,
}

/// What a program has to know.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
pub struct Requirements {
    /// Without these, nothing may be done.
    #[serde(default)]
    pub mandatory: Vec<String>,
}

impl Metadata {
    /// An error if the header requires anything. What knows of reencryption looks for it before.
    pub(crate) fn refuse_requirements(&self) -> Result<(), Error> {
        let is_known = |name: &&String| matches!(name.as_str(), "online-reencrypt-v2" | "online-reencrypt-v3");
        let mandatory = &self.config.requirements.mandatory;
        match mandatory.iter().find(|name| !is_known(name)).map(String::as_str) {
            None if mandatory.is_empty() => Ok(()),
            None => Err(Error::Reencrypting),
            Some("online-reencrypt") => Err(Error::Unsupported {
                what: "a reencryption that was begun before cryptsetup 2.4.3, whose metadata anybody can forge \
                       (CVE-2021-4122); `cryptsetup repair` mends it, which"
                    .to_owned(),
            }),
            Some(first) => Err(Error::Unsupported { what: format!("a volume with the requirement `{first}`") }),
        }
    }
}

/// The text of a JSON area: a document, a zero byte, and nothing but zeros to the end.
pub(super) fn parse(area: &[u8]) -> Result<(Value, Metadata), String> {
    let end = area.iter().position(|byte| *byte == 0).ok_or("its JSON does not end")?;
    if area[end..].iter().any(|byte| *byte != 0) {
        return Err("something stands behind its JSON".to_owned());
    }
    let json: Value = serde_json::from_slice(&area[..end]).map_err(|error| format!("its JSON: {error}"))?;
    let metadata = typed(&json)?;
    Ok((json, metadata))
}

/// The fields that algkit knows.
pub(super) fn typed(json: &Value) -> Result<Metadata, String> {
    Metadata::deserialize(json).map_err(|error| format!("its JSON: {error}"))
}

fn digits(text: &str) -> Option<u64> {
    // `parse` takes a plus sign.
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

fn number<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    let text = String::deserialize(from)?;
    digits(&text).ok_or_else(|| D::Error::custom(format!("`{text}` is not a number of 64 bits")))
}

fn some_number<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    number(from).map(Some)
}

fn segment_size<'de, D: Deserializer<'de>>(from: D) -> Result<SegmentSize, D::Error> {
    let text = String::deserialize(from)?;
    match text.as_str() {
        "dynamic" => Ok(SegmentSize::Dynamic),
        text => digits(text)
            .map(SegmentSize::Bytes)
            .ok_or_else(|| D::Error::custom(format!("`{text}` is neither `dynamic` nor a number of 64 bits"))),
    }
}

fn ids<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u32>, D::Error> {
    let texts = Vec::<String>::deserialize(from)?;
    let id = |text: &String| digits(text).and_then(|id| u32::try_from(id).ok());
    texts
        .iter()
        .map(|text| id(text).ok_or_else(|| D::Error::custom(format!("`{text}` is no object's number"))))
        .collect()
}

fn base64<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
    BASE64_STANDARD.decode(String::deserialize(from)?).map_err(D::Error::custom)
}

fn kdf<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Kdf>, D::Error> {
    #[derive(Deserialize)]
    #[serde(tag = "type", rename_all = "lowercase")]
    enum Text {
        Pbkdf2 {
            hash: String,
            iterations: u32,
            #[serde(deserialize_with = "base64")]
            salt: Vec<u8>,
        },
        Argon2i(Costs),
        Argon2id(Costs),
    }

    #[derive(Deserialize)]
    struct Costs {
        time: u32,
        memory: u32,
        cpus: u32,
        #[serde(deserialize_with = "base64")]
        salt: Vec<u8>,
    }

    let argon2 =
        |variant, Costs { time, memory, cpus, salt }| Kdf::Argon2 { variant, time, memory_kib: memory, cpus, salt };
    Ok(Option::<Text>::deserialize(from)?.map(|text| match text {
        Text::Pbkdf2 { hash, iterations, salt } => Kdf::Pbkdf2 { hash, iterations, salt },
        Text::Argon2i(costs) => argon2(Argon2::I, costs),
        Text::Argon2id(costs) => argon2(Argon2::Id, costs),
    }))
}
