//! A section of the journal: eight sectors of entries, and the blocks of these entries.
//!
//! Each of its sectors ends with a commit ID, which says where it belongs and in which of four rounds it was written, so that a section
//! that was written in part is told from a whole one. The bytes of a block that the IDs displace stand in its entry.

use super::layout::{ENTRY_SECTORS, JOURNAL_DATA, Layout};
use crate::{Error, ReadAt, WriteAt, crypt::UNIT, storage};

/// The commit IDs of the rounds.
const ROUNDS: [u64; 4] = [0x1111_1111_1111_1111, 0x2222_2222_2222_2222, 0x3333_3333_3333_3333, 0x4444_4444_4444_4444];

/// The upper half of an unused entry's sector.
const UNUSED: u32 = u32::MAX;

/// The round after this one.
pub(super) fn after(round: usize) -> usize {
    (round + 1) % ROUNDS.len()
}

/// The round before this one.
pub(super) fn before(round: usize) -> usize {
    (round + ROUNDS.len() - 1) % ROUNDS.len()
}

pub(super) struct Section {
    layout: Layout,
    pub number: u32,
    bytes: Vec<u8>,
}

impl Section {
    pub fn read(storage: &dyn ReadAt, layout: &Layout, number: u32) -> Result<Self, Error> {
        let len = (layout.journal.sectors * UNIT) as usize;
        Ok(Self { layout: layout.clone(), number, bytes: storage::read(storage, layout.section(number), len)? })
    }

    /// A section without entries.
    pub fn unused(layout: &Layout, number: u32, round: usize) -> Self {
        let mut bytes = vec![0; (layout.journal.sectors * UNIT) as usize];
        for (sector, place) in bytes.chunks_exact_mut(UNIT as usize).zip(0..) {
            sector[JOURNAL_DATA..].copy_from_slice(&id(round, number, place).to_le_bytes());
        }
        for entry in 0..layout.journal.entries {
            let at = entry_at(layout, entry) + 4;
            bytes[at..at + 4].copy_from_slice(&UNUSED.to_le_bytes());
        }
        Self { layout: layout.clone(), number, bytes }
    }

    pub fn write(&self, storage: &dyn WriteAt) -> Result<(), Error> {
        storage.write_at(self.layout.section(self.number), &self.bytes)
    }

    /// The rounds of its sectors; none if one of them does not belong where it is.
    pub fn rounds(&self) -> Option<Vec<usize>> {
        let ids = self.bytes.chunks_exact(UNIT as usize).map(|sector| long(sector, JOURNAL_DATA));
        ids.zip(0..)
            .map(|(found, sector)| (0..ROUNDS.len()).find(|round| id(*round, self.number, sector) == found))
            .collect()
    }

    /// The sector that an entry is about; none if it is not in use.
    pub fn sector(&self, entry: u64) -> Option<u64> {
        let about = long(&self.bytes, entry_at(&self.layout, entry));
        ((about >> 32) as u32 != UNUSED).then_some(about)
    }

    /// Puts a block and its tag into an entry.
    pub fn put(&mut self, entry: u64, sector: u64, block: &[u8], tag: &[u8]) {
        let (at, data) = (entry_at(&self.layout, entry), block_at(&self.layout, entry) as usize);
        self.bytes[at..at + 8].copy_from_slice(&sector.to_le_bytes());
        for (i, text) in block.chunks_exact(UNIT as usize).enumerate() {
            let (to, end) = (data + i * UNIT as usize, at + 8 * (i + 1));
            self.bytes[to..to + JOURNAL_DATA].copy_from_slice(&text[..JOURNAL_DATA]);
            self.bytes[end..end + 8].copy_from_slice(&text[JOURNAL_DATA..]);
        }
        let at = at + tag_in_entry(&self.layout);
        self.bytes[at..at + tag.len()].copy_from_slice(tag);
    }

    /// The block of an entry, and its tag.
    pub fn block(&self, entry: u64, block: &mut [u8], tag: &mut [u8]) -> Result<(), Error> {
        unfold(&self.layout, 0, entry, &self.bytes[..], block, tag)
    }

    /// Writes the blocks of the entries that `serves` answers with true for to where they belong. It is asked with sector and entry.
    pub fn place(mut self, storage: &dyn WriteAt, serves: impl Fn(u64, u64) -> bool) -> Result<(), Error> {
        let layout = &self.layout.clone();
        let (size, mut entry) = (layout.block as usize, 0);
        while entry < layout.journal.entries {
            let (first, data, mut tags) = (entry, block_at(layout, entry) as usize, Vec::new());
            let mut begins = None;
            // Blocks that follow each other are written together.
            while entry < layout.journal.entries
                && let Some(sector) = self.sector(entry)
                && sector == *begins.get_or_insert(sector) + (entry - first) * layout.block / UNIT
                && serves(sector, entry)
            {
                let (mut block, mut tag) = (vec![0; size], vec![0; layout.tag]);
                self.block(entry, &mut block, &mut tag)?;
                let at = block_at(layout, entry) as usize;
                self.bytes[at..at + size].copy_from_slice(&block);
                tags.extend(tag);
                entry += 1;
            }
            match begins {
                Some(sector) if entry > first => {
                    let len = (entry - first) as usize * size;
                    layout.write(storage, sector, &self.bytes[data..data + len], &tags)?;
                }
                _ => entry += 1,
            }
        }
        Ok(())
    }
}

/// The block of an entry of the journal on `storage`, and its tag.
pub(super) fn block(
    storage: &dyn ReadAt,
    layout: &Layout,
    section: u32,
    entry: u64,
    block: &mut [u8],
    tag: &mut [u8],
) -> Result<(), Error> {
    unfold(layout, layout.section(section), entry, storage, block, tag)
}

/// Reads the block of an entry in the section that begins at byte `start`, and puts back what the commit IDs have displaced.
fn unfold<S: ReadAt + ?Sized>(
    layout: &Layout,
    start: u64,
    entry: u64,
    storage: &S,
    block: &mut [u8],
    tag: &mut [u8],
) -> Result<(), Error> {
    storage.read_at(start + block_at(layout, entry), block)?;
    let mut bytes = vec![0; layout.journal.entry];
    storage.read_at(start + entry_at(layout, entry) as u64, &mut bytes)?;
    for (sector, end) in block.chunks_exact_mut(UNIT as usize).zip(bytes[8..].chunks_exact(8)) {
        sector[JOURNAL_DATA..].copy_from_slice(end);
    }
    let at = tag_in_entry(layout);
    tag.copy_from_slice(&bytes[at..at + tag.len()]);
    Ok(())
}

fn id(round: usize, section: u32, sector: u64) -> u64 {
    ROUNDS[round] ^ (u64::from(section) << 32 ^ sector)
}

fn long(bytes: &[u8], at: usize) -> u64 {
    bytes[at..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// Where an entry is in its section: entries go around the sectors.
fn entry_at(layout: &Layout, entry: u64) -> usize {
    (entry % ENTRY_SECTORS * UNIT) as usize + (entry / ENTRY_SECTORS) as usize * layout.journal.entry
}

/// Where its block is.
fn block_at(layout: &Layout, entry: u64) -> u64 {
    ENTRY_SECTORS * UNIT + entry * layout.block
}

/// The tag stands behind the sector's number and the displaced bytes.
fn tag_in_entry(layout: &Layout) -> usize {
    8 * (1 + (layout.block / UNIT) as usize)
}
