//! The binary header (section 2.1 of the specification): 4096 bytes, numbers big-endian.

use crate::{Error, ReadAt, lookup, storage};
use algkit::Rng;
use subtle::ConstantTimeEq;

/// The length of a binary header in bytes. The JSON area follows it.
pub(super) const BINARY: usize = 4096;

/// The lengths that a copy of the header may have, with its JSON area (table 1). The second copy begins where the first ends.
pub const HEADER_SIZES: [u64; 9] =
    [16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20, 2 << 20, 4 << 20];

/// The magic numbers of the two copies.
const MAGICS: [&[u8; 6]; 2] = [b"LUKS\xba\xbe", b"SKUL\xba\xbe"];

/// The place of the checksum. When the checksum is computed, its own bytes count as zeros.
const CHECKSUM: std::ops::Range<usize> = 448..512;

/// The fields of a binary header.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Binary {
    /// The length of the copy in bytes, with its JSON area.
    pub header_size: u64,
    /// The sequence number, which grows with every change. The copy with the greater number is the newer one.
    pub sequence: u64,
    /// The label, in whatever encoding; empty if there is none.
    pub label: Vec<u8>,
    /// The hash of the checksum.
    pub checksum: String,
    /// The volume's UUID.
    pub uuid: String,
    /// The second label, likewise.
    pub subsystem: Vec<u8>,
}

impl Binary {
    /// The binary header at `offset`, and the bytes of its JSON area. The checksum covers both.
    pub(super) fn read(storage: &dyn ReadAt, size: u64, offset: u64, part: &str) -> Result<(Self, Vec<u8>), Error> {
        if offset.checked_add(BINARY as u64).is_none_or(|end| end > size) {
            return Err(Error::NoHeader);
        }
        let bytes = storage::read(storage, offset, BINARY)?;
        let binary = Self::parse(&bytes, offset).map_err(|reason| match reason {
            None => Error::NoHeader,
            Some(reason) => Error::damaged(part, reason),
        })?;
        if offset.checked_add(binary.header_size).is_none_or(|end| end > size) {
            let reason = format!("{} bytes long, and the device ends before", binary.header_size);
            return Err(Error::damaged(part, reason));
        }
        let json = storage::read(storage, offset + BINARY as u64, binary.header_size as usize - BINARY)?;
        if !binary.has_checksum(bytes, &json).map_err(|error| Error::damaged(part, error.to_string()))? {
            return Err(Error::damaged(part, "its checksum is wrong"));
        }
        Ok((binary, json))
    }

    /// The fields of a header that lies at `offset`. If no header is there, the error has no reason.
    fn parse(bytes: &[u8], offset: u64) -> Result<Self, Option<String>> {
        let field = |at: usize, len: usize| &bytes[at..at + len];
        let long = |at: usize| u64::from_be_bytes(std::array::from_fn(|i| bytes[at + i]));
        if field(0, 6) != MAGICS[usize::from(offset != 0)] || field(6, 2) != [0, 2] {
            return Err(None);
        }
        let bytes = |at: usize, len: usize, name: &str| {
            let field = field(at, len);
            let end = field.iter().position(|byte| *byte == 0).ok_or(format!("its {name} does not end"))?;
            Ok::<_, String>(field[..end].to_vec())
        };
        let text = |at: usize, len: usize, name: &str| {
            String::from_utf8(bytes(at, len, name)?).map_err(|_| format!("its {name} is not UTF-8"))
        };
        let binary = Self {
            header_size: long(8),
            sequence: long(16),
            label: bytes(24, 48, "label")?,
            checksum: text(72, 32, "checksum's name")?,
            uuid: text(168, 40, "UUID")?,
            subsystem: bytes(208, 48, "subsystem")?,
        };
        if !HEADER_SIZES.contains(&binary.header_size) {
            return Err(Some(format!("{} is not the size of a header", binary.header_size)));
        }
        if long(256) != offset || (offset != 0 && offset != binary.header_size) {
            return Err(Some(format!("at byte {offset}, and it says {}", long(256))));
        }
        Ok(binary)
    }

    /// The bytes of a copy that will lie at `offset`, with its JSON area and a new salt.
    pub(super) fn bytes(&self, offset: u64, json: &[u8], random: &Rng) -> Result<Vec<u8>, Error> {
        let mut bytes = vec![0; BINARY];
        bytes[..6].copy_from_slice(MAGICS[usize::from(offset != 0)]);
        bytes[7] = 2;
        for (at, number) in [(8, self.header_size), (16, self.sequence), (256, offset)] {
            bytes[at..at + 8].copy_from_slice(&number.to_be_bytes());
        }
        for (at, len, text) in [
            (24, 48, &self.label[..]),
            (72, 32, self.checksum.as_bytes()),
            (168, 40, self.uuid.as_bytes()),
            (208, 48, &self.subsystem),
        ] {
            // The last byte is the zero that ends the text.
            if text.len() >= len || text.contains(&0) {
                let text = String::from_utf8_lossy(text);
                return Err(Error::damaged(
                    "the new header",
                    format!("`{text}` is no text of at most {} bytes", len - 1),
                ));
            }
            bytes[at..at + text.len()].copy_from_slice(text);
        }
        random.generate(&[], &mut bytes[104..168])?;
        let hash = lookup::hash(&self.checksum)?;
        let mut sum = vec![0; hash.digest_size()];
        hash.digest_into(&[&bytes, json], &mut sum)?;
        bytes[CHECKSUM][..sum.len()].copy_from_slice(&sum);
        bytes.extend_from_slice(json);
        Ok(bytes)
    }

    fn has_checksum(&self, mut bytes: Vec<u8>, json: &[u8]) -> Result<bool, Error> {
        let hash = lookup::hash(&self.checksum)?;
        let stored = bytes[CHECKSUM].to_vec();
        bytes[CHECKSUM].fill(0);
        let mut sum = vec![0; hash.digest_size()];
        hash.digest_into(&[&bytes, json], &mut sum)?;
        Ok(sum.len() <= stored.len() && sum.ct_eq(&stored[..sum.len()]).into())
    }
}
