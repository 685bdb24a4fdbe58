//! What a reencryption does, in which direction, and how it is protected from a crash: the key slot's part of the metadata.

use crate::crypt::{UNIT, is_sector_size};
use crate::luks2::metadata::{Area, Keyslot};
use serde_json::{Value, json};
use std::ops::Range;

/// What is done to the data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Another key, cipher or sector size.
    Reencrypt,
    /// Plaintext becomes ciphertext.
    Encrypt,
    /// Ciphertext becomes plaintext.
    Decrypt,
}

impl Mode {
    /// The name in the metadata.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reencrypt => "reencrypt",
            Self::Encrypt => "encrypt",
            Self::Decrypt => "decrypt",
        }
    }
}

/// Where a reencryption begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// At the first byte.
    Forward,
    /// At the last byte.
    Backward,
}

impl Direction {
    /// The name in the metadata.
    pub fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Backward => "backward",
        }
    }
}

/// How the hot zone is protected from a crash.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Resilience {
    /// It is not protected.
    None,
    /// By a copy of the old bytes, in the key slot's area.
    Journal,
    /// By checksums of the old bytes, in the key slot's area. They show which blocks are still old.
    Checksum {
        /// The hash.
        hash: String,
        /// Bytes of a block, which the disk must write as a whole or not at all.
        block: u32,
    },
    /// By a shift of the data: the new bytes are written behind the old ones, to a place whose bytes are not needed any more.
    Datashift {
        /// So many bytes.
        shift: u64,
        /// How the first part of the data is protected that is decrypted where it lies.
        first: Option<Box<Self>>,
    },
}

impl Resilience {
    /// The name in the metadata.
    pub fn name(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Journal => "journal",
            Self::Checksum { .. } => "checksum",
            Self::Datashift { first, .. } => match first.as_deref() {
                Some(Self::Checksum { .. }) => "datashift-checksum",
                Some(Self::Journal) => "datashift-journal",
                _ => "datashift",
            },
        }
    }

    /// The hash and the block of checksums, also of those that protect a first part alone.
    pub(crate) fn checksum(&self) -> Option<(&str, u32)> {
        match self {
            Self::Checksum { hash, block } => Some((hash, *block)),
            Self::Datashift { first, .. } => first.as_ref().and_then(|first| first.checksum()),
            Self::None | Self::Journal => None,
        }
    }

    /// The key slot's area.
    pub(crate) fn area(&self, range: &Range<u64>) -> Value {
        let mut area = json!({
            "type": self.name(),
            "offset": range.start.to_string(),
            "size": (range.end - range.start).to_string(),
        });
        if let Some((hash, block)) = self.checksum() {
            area["hash"] = hash.into();
            area["sector_size"] = block.into();
        }
        if let Self::Datashift { shift, .. } = self {
            area["shift_size"] = shift.to_string().into();
        }
        area
    }
}

pub(super) fn kind(slot: &Keyslot) -> Result<(Mode, Direction), String> {
    let mode = match slot.mode.as_deref() {
        Some("reencrypt") => Mode::Reencrypt,
        Some("encrypt") => Mode::Encrypt,
        Some("decrypt") => Mode::Decrypt,
        other => return Err(format!("its mode is `{}`", other.unwrap_or_default())),
    };
    let direction = match slot.direction.as_deref() {
        Some("forward") => Direction::Forward,
        Some("backward") => Direction::Backward,
        other => return Err(format!("its direction is `{}`", other.unwrap_or_default())),
    };
    Ok((mode, direction))
}

pub(super) fn resilience(slot: &Keyslot) -> Result<Resilience, String> {
    let area = &slot.area;
    of_kind(area, &area.kind)
}

fn of_kind(area: &Area, kind: &str) -> Result<Resilience, String> {
    match kind {
        "none" => Ok(Resilience::None),
        "journal" => Ok(Resilience::Journal),
        "checksum" => {
            let (Some(hash), Some(block)) = (&area.hash, area.sector_size) else {
                return Err("its area's hash or sector_size is missing".to_owned());
            };
            match is_sector_size(u64::from(block)) {
                true => Ok(Resilience::Checksum { hash: hash.clone(), block }),
                false => Err(format!("checksums of {block} bytes; expected 512, 1024, 2048 or 4096")),
            }
        }
        "datashift" | "datashift-checksum" | "datashift-journal" => match area.shift_size {
            Some(shift) if shift > 0 && shift.is_multiple_of(UNIT) => {
                let first = kind.strip_prefix("datashift-").map(|kind| of_kind(area, kind).map(Box::new));
                Ok(Resilience::Datashift { shift, first: first.transpose()? })
            }
            shift => Err(format!("the data is shifted by {} bytes", shift.unwrap_or(0))),
        },
        other => Err(format!("the resilience `{other}` is not supported")),
    }
}
