//! LUKS2: two copies of a binary header, each followed by metadata in JSON, then the key slots' areas ("LUKS2 On-Disk Format
//! Specification", version 1.1.x).

mod binary;
pub(crate) mod convert;
mod format;
mod metadata;
pub(crate) mod reencryption;
mod rules;
mod slots;

pub use binary::{Binary, HEADER_SIZES};
pub(crate) use format::DATA_OFFSET;
pub use metadata::{Af, Area, Config, Digest, Keyslot, Metadata, Requirements, Segment, SegmentSize};
pub use reencryption::{Direction, Mode, Reencryption, Resilience};

use crate::{
    CipherSpec, Error, ReadAt, SectorCipher, Volume, VolumeKey,
    crypt::UNIT,
    integrity::{Description, Sealed},
    signature,
    volume::{Extent, Form, rest},
};
use algkit::Rng;
use binary::BINARY;
use serde_json::Value;

/// The flag of a volume with integrity that is written without its journal.
pub(crate) const NO_JOURNAL: &str = "no-journal";

/// Which of the two copies of a header are good.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Copies {
    /// Both, with the same contents.
    Both,
    /// The first alone, with the reason why the second is not used.
    First(String),
    /// The second alone, with the reason why the first is not used.
    Second(String),
    /// The second alone, as something else lies where the first was. Such a header is read, and not changed.
    Replaced(&'static str),
}

/// A header, checked.
#[derive(Clone, Debug)]
pub struct Header {
    /// The binary header that was chosen.
    pub binary: Binary,
    /// The fields of the metadata that algkit knows.
    pub metadata: Metadata,
    /// All of the metadata, as it stands in the header. Bytes that are no UTF-8 are the characters from U+10FF80 on; a number that JSON does not have, such
    /// as `NaN`, is a string between two U+10FF22.
    pub json: Value,
    /// Which copies are good.
    pub copies: Copies,
}

impl Header {
    /// Reads both copies and takes the newer one of those that are good (section 2.3 of the specification).
    pub(crate) fn read(storage: &dyn ReadAt) -> Result<Self, Error> {
        let size = storage.size()?;
        let first = Copy::read(storage, size, 0);
        let second_at = match &first {
            Ok(first) => vec![first.binary.header_size],
            // The place of the second copy depends on the size of the first, which is not known if the first is damaged. So all sizes are tried.
            Err(_) => HEADER_SIZES.to_vec(),
        };
        let mut second = Err(Error::NoHeader);
        for offset in second_at {
            match Copy::read(storage, size, offset) {
                Err(Error::NoHeader) => {}
                found => {
                    second = found;
                    if second.is_ok() {
                        break;
                    }
                }
            }
        }
        let (chosen, copies) = match (first, second) {
            (Ok(first), Ok(second)) => match first.binary.sequence.cmp(&second.binary.sequence) {
                std::cmp::Ordering::Less => (second, Copies::Second("older than the second".to_owned())),
                std::cmp::Ordering::Equal => (first, Copies::Both),
                std::cmp::Ordering::Greater => (first, Copies::First("older than the first".to_owned())),
            },
            (Ok(first), Err(error)) => (first, Copies::First(why(error))),
            (Err(error), Ok(second)) => {
                // What cannot be read is damaged.
                let instead = signature::instead(storage).ok().flatten();
                (second, instead.map_or_else(|| Copies::Second(why(error)), Copies::Replaced))
            }
            // Of two reasons, that of the first copy says more, unless it is that no copy is there.
            (Err(Error::NoHeader), Err(error)) | (Err(error), Err(_)) => return Err(error),
        };
        let Copy { binary, json, metadata } = chosen;
        Ok(Self { binary, metadata, json, copies })
    }

    /// The length in bytes of both copies and of the key slots' areas.
    pub fn size(&self) -> u64 {
        2 * self.binary.header_size + self.metadata.config.keyslots_size
    }

    /// Where the first segment begins.
    pub(crate) fn data_offset(&self) -> u64 {
        self.metadata.segments.values().filter(|segment| !segment.is_backup()).map(|s| s.offset).min().unwrap_or(0)
    }

    /// An error if the header on `storage` is not this one any more. Writing this one would undo what another program has done: it may have made a key
    /// slot where this header has a gap.
    pub(crate) fn refuse_changed(&self, storage: &dyn ReadAt) -> Result<(), Error> {
        let there = Self::read(storage)?;
        if self.binary == there.binary && self.json == there.json { Ok(()) } else { Err(Error::Changed) }
    }

    /// What has taken the volume's place, if anything has.
    pub(crate) fn replaced(&self) -> Option<&'static str> {
        match self.copies {
            Copies::Replaced(what) => Some(what),
            Copies::Both | Copies::First(_) | Copies::Second(_) => None,
        }
    }

    /// An error if something else has taken the volume's place: changing the header would destroy that.
    pub(crate) fn refuse_replaced(&self) -> Result<(), Error> {
        self.replaced().map_or(Ok(()), |what| Err(Error::Replaced(what)))
    }

    /// The bytes of the copy at `offset`, with a new salt.
    fn bytes(&self, offset: u64, random: &Rng) -> Result<Vec<u8>, Error> {
        self.binary.bytes(offset, &self.area(0)?, random)
    }

    /// The JSON area, if it has room for the metadata and `more` bytes.
    fn area(&self, more: usize) -> Result<Vec<u8>, Error> {
        let mut text = metadata::bytes(&self.json.to_string());
        let (len, room) = (text.len() + more, self.binary.header_size as usize - BINARY);
        // The text ends with a zero.
        if len >= room {
            let reason = format!("its metadata has {len} bytes, and there is room for {}", room - 1);
            return Err(Error::damaged("the new header", reason));
        }
        text.resize(room, 0);
        Ok(text)
    }

    /// An error if the metadata and `more` bytes do not fit into the JSON area.
    pub(crate) fn fits(&self, more: usize) -> Result<(), Error> {
        self.area(more).map(drop)
    }

    /// Both copies with the places where they lie.
    pub(crate) fn copies(&self, random: &Rng) -> Result<[(u64, Vec<u8>); 2], Error> {
        let second = self.binary.header_size;
        Ok([(0, self.bytes(0, random)?), (second, self.bytes(second, random)?)])
    }

    /// How the sectors are tagged, if they are.
    fn description(&self) -> Result<Option<Description<'_>>, Error> {
        let mut segments = self.metadata.segments.values();
        let (Some(segment), None) = (segments.next(), segments.next()) else { return Ok(None) };
        let Some(integrity) = &segment.integrity else { return Ok(None) };
        let text = |field: &str| integrity.get(field).and_then(Value::as_str).unwrap_or_default();
        for field in ["journal_encryption", "journal_integrity"] {
            if !matches!(text(field), "" | "none") {
                return Err(Error::Unsupported { what: format!("integrity with {field} `{}`", text(field)) });
            }
        }
        Ok(Some(Description {
            cipher: segment.encryption.as_deref().unwrap_or_default(),
            kind: text("type"),
            // cryptsetup 2.8 has it.
            mac_key: integrity.get("key_size").and_then(Value::as_u64).and_then(|size| size.try_into().ok()),
            offset: segment.offset,
            iv_offset: segment.iv_tweak.unwrap_or(0),
            sector_size: segment.sector_size(),
            journaled: !self.metadata.config.flags.iter().any(|flag| flag == NO_JOURNAL),
        }))
    }

    /// An error if a segment is plain: what is written there would not be encrypted. Only a reencryption has plain segments, and its digest tells
    /// whether whoever knows the keys has made them. The header of a decrypted volume has one too, and no key.
    fn refuse_plain(&self) -> Result<(), Error> {
        match self.metadata.segments.iter().find(|(_, segment)| segment.kind == "linear") {
            Some((id, _)) => Err(Error::damaged(
                format!("segment {id}"),
                "it is plain (`linear`), though no encryption or decryption is under way",
            )),
            None => Ok(()),
        }
    }

    /// An error if no key opens the volume.
    pub(crate) fn openable(&self, storage: &dyn ReadAt) -> Result<(), Error> {
        if self.metadata.reencryption().is_none() {
            self.metadata.refuse_requirements()?;
            self.refuse_plain()?;
        }
        if let Some(description) = self.description()? {
            return description.read(storage).map(drop);
        }
        let mut ciphers = self.metadata.segments.values().filter_map(|segment| segment.encryption.as_deref());
        ciphers.try_for_each(|cipher| CipherSpec::parse(cipher).map(drop))
    }

    /// The volume on `storage`, which is the device of the data, with its key.
    pub(crate) fn open<S: ReadAt>(&self, storage: S, key: &dyn VolumeKey) -> Result<Volume<S>, Error> {
        self.metadata.refuse_requirements()?;
        self.refuse_plain()?;
        let device = storage.size()?;
        if let Some(description) = self.description()? {
            let sealed = Sealed::open(&storage, &description, key)?;
            return Volume::sealed(storage, sealed);
        }
        let segments = self.metadata.segments.values().filter(|segment| !segment.is_backup());
        let extents = segments.map(|segment| extent(segment, device, key)).collect::<Result<_, _>>()?;
        Volume::new(storage, extents)
    }
}

pub(crate) fn extent(segment: &Segment, device: u64, key: &dyn VolumeKey) -> Result<Extent, Error> {
    if segment.integrity.is_some() {
        return Err(Error::Unsupported { what: "a volume with integrity".to_owned() });
    }
    let form = match segment.kind.as_str() {
        "linear" => Form::Plain,
        "crypt" => {
            let spec = CipherSpec::parse(segment.encryption.as_deref().unwrap_or_default())?;
            Form::Encrypted(SectorCipher::new(&spec, key, segment.sector_size() as usize)?)
        }
        kind => return Err(Error::Unsupported { what: format!("a segment of the type `{kind}`") }),
    };
    let len = match segment.size {
        SegmentSize::Bytes(len) => len,
        SegmentSize::Dynamic => {
            let rest = rest(device, segment.offset)?;
            rest - rest % u64::from(segment.sector_size().max(UNIT as u32))
        }
    };
    Ok(Extent { offset: segment.offset, len, iv_offset: segment.iv_tweak.unwrap_or(0), form })
}

/// One copy of a header.
struct Copy {
    binary: Binary,
    json: Value,
    metadata: Metadata,
}

impl Copy {
    /// The copy at `offset` of a storage of `size` bytes; [`Error::NoHeader`] if none begins there.
    fn read(storage: &dyn ReadAt, size: u64, offset: u64) -> Result<Self, Error> {
        let part = if offset == 0 { "first LUKS2 header" } else { "second LUKS2 header" };
        let (binary, text) = Binary::read(storage, size, offset, part)?;
        let (json, metadata) = metadata::parse(&text).map_err(|reason| Error::damaged(part, reason))?;
        rules::check(&binary, &metadata).map_err(|reason| Error::damaged(part, reason))?;
        Ok(Self { binary, json, metadata })
    }
}

fn why(error: Error) -> String {
    match error {
        Error::NoHeader => "it is not there".to_owned(),
        Error::Damaged { reason, .. } => reason,
        other => other.to_string(),
    }
}
