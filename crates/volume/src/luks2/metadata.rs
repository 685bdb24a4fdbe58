//! The metadata in the JSON area (section 3 of the specification). Numbers of 64 bits are strings of decimal digits there.

use crate::{Argon2, Error, Kdf, integrity::INLINE};
use base64::{Engine, prelude::BASE64_STANDARD};
use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::Value;
use std::collections::BTreeMap;

/// The metadata. Fields that algkit does not know are left out here; the text of the header keeps them.
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
    /// The length in bytes of the key in the slot.
    pub key_size: u32,
    /// The bytes on the storage that belong to the slot.
    pub area: Area,
    /// The key derivation, which makes the area's key of a passphrase; the name alone of one that algkit does not have.
    #[serde(default, deserialize_with = "kdf")]
    pub kdf: Option<Result<Kdf, String>>,
    /// The splitter, which makes stripes of the key.
    pub af: Option<Af>,
    /// 0: tried only if it is asked for; 1: normal; 2: tried first.
    pub priority: Option<u8>,
    /// For reencryption: the mode.
    pub mode: Option<String>,
    /// For reencryption: the direction.
    pub direction: Option<String>,
}

impl Keyslot {
    /// The name of the key derivation, also of one that algkit does not have.
    pub fn kdf_name(&self) -> Option<&str> {
        self.kdf.as_ref().map(|kdf| match kdf {
            Ok(kdf) => kdf.name(),
            Err(name) => name,
        })
    }
}

/// The area of a key slot.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Area {
    /// `raw`; others for reencryption.
    #[serde(rename = "type")]
    pub kind: String,
    /// The first byte on the device.
    #[serde(deserialize_with = "number")]
    pub offset: u64,
    /// The length in bytes.
    #[serde(deserialize_with = "number")]
    pub size: u64,
    /// The cipher string.
    pub encryption: Option<String>,
    /// The length of the area's key in bytes.
    pub key_size: Option<u32>,
    /// For reencryption: the hash of the checksums.
    pub hash: Option<String>,
    /// For reencryption: the number of bytes that a checksum covers.
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
    /// The number of stripes.
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
    /// The first byte on the device.
    #[serde(deserialize_with = "number")]
    pub offset: u64,
    /// The length.
    #[serde(deserialize_with = "segment_size")]
    pub size: SegmentSize,
    /// The number of the first sector, which IVs are made of, in units of 512 bytes.
    #[serde(default, deserialize_with = "some_number")]
    pub iv_tweak: Option<u64>,
    /// The cipher string.
    pub encryption: Option<String>,
    /// The size of a sector in bytes.
    pub sector_size: Option<u32>,
    /// Present if sectors have tags.
    pub integrity: Option<Value>,
    /// For reencryption: flags that say what the segment is for.
    #[serde(default)]
    pub flags: Vec<String>,
}

/// The length of a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SegmentSize {
    /// To the end of the device.
    Dynamic,
    /// This number of bytes.
    Bytes(u64),
}

impl Segment {
    /// The size of a sector in bytes.
    pub fn sector_size(&self) -> u32 {
        self.sector_size.unwrap_or(512)
    }

    /// Whether the segment is a backup for reencryption, and no part of the volume.
    pub fn is_backup(&self) -> bool {
        self.flags.iter().any(|flag| flag.starts_with("backup-"))
    }
}

/// The digest that confirms a key.
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

/// The settings of the whole header.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Config {
    /// The length of the JSON area in bytes.
    #[serde(deserialize_with = "number")]
    pub json_size: u64,
    /// The number of bytes behind both copies of the header that are for key slots.
    #[serde(deserialize_with = "number")]
    pub keyslots_size: u64,
    /// Options with which the volume is activated.
    #[serde(default)]
    pub flags: Vec<String>,
    /// Features that a program has to support before it changes anything.
    #[serde(default)]
    pub requirements: Requirements,
}

/// Features that a program has to support.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
pub struct Requirements {
    /// Features without which a program may not use the volume at all.
    #[serde(default)]
    pub mandatory: Vec<String>,
}

impl Metadata {
    /// An error if the header requires any feature. Callers that support reencryption look for it before they call this.
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
            Some("inline-hw-tags") => {
                Err(Error::Unsupported { what: format!("the requirement `inline-hw-tags`, {INLINE}") })
            }
            Some(first) => Err(Error::Unsupported { what: format!("a volume with the requirement `{first}`") }),
        }
    }
}

/// The text of a JSON area, which is followed by a zero byte, and by nothing but zeros to the end.
pub(super) fn parse(area: &[u8]) -> Result<(Value, Metadata), String> {
    let end = area.iter().position(|byte| *byte == 0).ok_or("its JSON does not end")?;
    if area[end..].iter().any(|byte| *byte != 0) {
        return Err("something stands behind its JSON".to_owned());
    }
    let json: Value =
        serde_json::from_str(&quoted(&text(&area[..end]))).map_err(|error| format!("its JSON: {error}"))?;
    let metadata = typed(&json)?;
    Ok((json, metadata))
}

/// The last 128 characters, which are for private use, stand for the bytes from 0x80 on. A smaller byte is UTF-8 by itself.
const BYTES: u32 = 0x10_ff00;

/// The JSON as text. cryptsetup takes strings in any encoding, and keeps them. So a byte that is no UTF-8 becomes a character, and so do the bytes of
/// such a character itself, and of a mark: [`bytes`] gives all of them back.
fn text(json: &[u8]) -> String {
    let stands = |byte: &u8| char::from_u32(BYTES + u32::from(*byte)).unwrap_or_default();
    let mut text = String::with_capacity(json.len());
    for chunk in json.utf8_chunks() {
        for character in chunk.valid().chars() {
            match byte(character) {
                None if character != MARK => text.push(character),
                _ => text.extend(character.encode_utf8(&mut [0; 4]).as_bytes().iter().map(stands)),
            }
        }
        text.extend(chunk.invalid().iter().map(stands));
    }
    text
}

/// Stands on both sides of a [loose number](is_loose_number), which is a string meanwhile.
const MARK: char = '\u{10ff22}';

/// Whether it is a number for json-c and not for JSON. cryptsetup takes such numbers in tokens, and keeps them.
fn is_loose_number(word: &str) -> bool {
    // `NaN`, `-Infinity`, `1.`, `007.5`.
    word.parse::<f64>().is_ok() && word.parse::<serde_json::Number>().is_err()
}

/// A JSON text in pairs: what stands outside of strings, and the string behind it, with its quotes.
fn pairs(mut text: &str) -> Vec<(&str, &str)> {
    let mut pairs = Vec::new();
    while !text.is_empty() {
        let (outside, rest) = text.split_at(text.find('"').unwrap_or(text.len()));
        // The first quote does not end the string, nor does one behind a backslash that counts.
        let mut is_escaped = true;
        let last = rest.bytes().position(|byte| {
            let ends = byte == b'"' && !is_escaped;
            is_escaped = byte == b'\\' && !is_escaped;
            ends
        });
        let (string, rest) = rest.split_at(last.map_or(rest.len(), |last| last + 1));
        pairs.push((outside, string));
        text = rest;
    }
    pairs
}

/// The JSON text with loose numbers as strings.
fn quoted(text: &str) -> String {
    let ends = |c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c);
    let mut quoted = String::with_capacity(text.len());
    for (outside, string) in pairs(text) {
        for part in outside.split_inclusive(ends) {
            let word = part.trim_end_matches(ends);
            match is_loose_number(word) {
                true => quoted += &format!("\"{MARK}{word}{MARK}\"{}", &part[word.len()..]),
                false => quoted.push_str(part),
            }
        }
        quoted.push_str(string);
    }
    quoted
}

/// The JSON text before [`quoted`].
fn unquoted(text: &str) -> String {
    // An escape can name the mark as well. Between two of them, only a number loses its quotes.
    fn number(string: &str) -> Option<&str> {
        let word = string.strip_prefix('"')?.strip_prefix(MARK)?.strip_suffix('"')?.strip_suffix(MARK)?;
        is_loose_number(word).then_some(word)
    }
    pairs(text).into_iter().flat_map(|(outside, string)| [outside, number(string).unwrap_or(string)]).collect()
}

/// The bytes of a JSON text in which characters stand for bytes, and strings for loose numbers.
pub(super) fn bytes(text: &str) -> Vec<u8> {
    let text = unquoted(text);
    let mut json = Vec::with_capacity(text.len());
    for character in text.chars() {
        match byte(character) {
            None => json.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
            Some(byte) => json.push(byte),
        }
    }
    json
}

/// The byte that a character stands for, if it does.
fn byte(character: char) -> Option<u8> {
    u32::from(character).checked_sub(BYTES).and_then(|byte| byte.try_into().ok()).filter(|byte: &u8| !byte.is_ascii())
}

/// The fields that algkit knows.
pub(super) fn typed(json: &Value) -> Result<Metadata, String> {
    Metadata::deserialize(json).map_err(|error| format!("its JSON: {error}"))
}

fn digits(text: &str) -> Option<u64> {
    // `parse` would accept a plus sign.
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
    // A number that is spelt in another way would be missed where it is removed.
    let id = |text: &String| digits(text).and_then(|id| u32::try_from(id).ok()).filter(|id| id.to_string() == *text);
    texts
        .iter()
        .map(|text| id(text).ok_or_else(|| D::Error::custom(format!("`{text}` is no object's number"))))
        .collect()
}

fn base64<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
    BASE64_STANDARD.decode(String::deserialize(from)?).map_err(D::Error::custom)
}

fn kdf<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Result<Kdf, String>>, D::Error> {
    /// The variants of `Text`.
    const KDFS: [&str; 3] = ["pbkdf2", "argon2i", "argon2id"];

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
    let Some(json) = Option::<Value>::deserialize(from)? else { return Ok(None) };
    let kind = json["type"].as_str().ok_or_else(|| D::Error::custom("a kdf without a type"))?;
    if !KDFS.contains(&kind) {
        return Ok(Some(Err(kind.to_owned())));
    }
    let kdf = match Text::deserialize(&json).map_err(D::Error::custom)? {
        Text::Pbkdf2 { hash, iterations, salt } => Kdf::Pbkdf2 { hash, iterations, salt },
        Text::Argon2i(costs) => argon2(Argon2::I, costs),
        Text::Argon2id(costs) => argon2(Argon2::Id, costs),
    };
    Ok(Some(Ok(kdf)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A JSON text can name every character by an escape. None of them turns into a quote, a bracket or the text's end.
    #[test]
    fn no_character_stands_for_ascii() {
        for character in (BYTES..BYTES + 0x80).filter_map(char::from_u32) {
            assert_eq!(bytes(&character.to_string()), character.to_string().as_bytes());
        }
        // Nor does a string with marks that escapes have named, unless it is a number.
        for marked in [format!(r#"["a\"{MARK}NaN{MARK}"]"#), format!(r#"["{MARK},{MARK}"]"#)] {
            assert_eq!(bytes(&marked), marked.as_bytes());
        }
        let marked = format!(r#"[NaN,"{MARK}NaN{MARK}"]"#);
        assert_eq!(bytes(&quoted(&text(marked.as_bytes()))), marked.as_bytes());
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(bytes(&text(&all)), all);
        let characters: String = (BYTES..=char::MAX.into()).filter_map(char::from_u32).collect();
        assert_eq!(bytes(&text(characters.as_bytes())), characters.as_bytes());
    }
}
