//! The superblock of dm-integrity, and where it puts data and tags (drivers/md/dm-integrity.c).
//!
//! ```text
//! superblock, journal, then areas: tags of an area, padded, and its data
//! ```

use crate::{Error, ReadAt, WriteAt, crypt::UNIT, storage};

const MAGIC: &[u8; 8] = b"integrt\0";

/// What is refused where the tags are not among the data.
pub(crate) const INLINE: &str = "integrity with tags inside of the disk's own sectors: no file has such sectors, so it";

/// Bytes of the superblock.
const SUPERBLOCK: u64 = 4096;

/// The longest journal, in bytes: all of it is read before anything is. The kernel makes 64 MiB where nobody asks for another length.
const MAX_JOURNAL: u64 = 1 << 30;

/// Sectors at the beginning of a section of the journal, which hold its entries.
pub(super) const ENTRY_SECTORS: u64 = 8;

/// Bytes of a sector of the journal before its commit ID.
pub(super) const JOURNAL_DATA: usize = 504;

/// Sectors of an area's data in a new volume, as a binary logarithm: the kernel's, and so are the next ones.
const INTERLEAVE: u8 = 15;

/// The most sectors of a new journal, and which part of the device it has.
const NEW_JOURNAL: u64 = 131_072;
const NEW_JOURNAL_PART: u64 = 128;

/// A new volume has a multiple of so many sectors of data.
const PROVIDED: u64 = 8;

/// Sectors for which the bitmap of another mode has a bit, as a binary logarithm.
const BITMAP: u8 = 15;

/// Flags of the superblock.
mod flag {
    pub const JOURNAL_MAC: u32 = 1;
    pub const RECALCULATING: u32 = 2;
    pub const DIRTY_BITMAP: u32 = 4;
    pub const FIXED_PADDING: u32 = 8;
    pub const INLINE: u32 = 32;
}

/// Places, all inside of the device.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// Where the superblock is, in bytes.
    start: u64,
    /// Bytes from there to the first area.
    first: u64,
    /// The binary logarithm of the sectors of an area's data.
    interleave: u32,
    /// Bytes of an area's tags, padded.
    run: u64,
    /// Bytes of a block, which has one tag.
    pub block: u64,
    /// Bytes of a tag.
    pub tag: usize,
    /// Bytes of data.
    pub size: u64,
    pub journal: JournalLayout,
}

#[derive(Clone, Debug)]
pub(crate) struct JournalLayout {
    /// How many sections there are.
    pub sections: u32,
    /// Sectors of a section.
    pub sectors: u64,
    /// Entries of a section.
    pub entries: u64,
    /// Bytes of an entry.
    pub entry: usize,
}

impl JournalLayout {
    /// Blocks have 2^`block_log` sectors (`calculate_journal_section_size`).
    fn new(sections: u32, block_log: u32, tag: usize) -> Self {
        let entry = (8 + (8 << block_log) + tag).next_multiple_of(8);
        let entries = (JOURNAL_DATA / entry) as u64 * ENTRY_SECTORS;
        Self { sections, sectors: (entries << block_log) + ENTRY_SECTORS, entries, entry }
    }
}

impl Layout {
    pub fn read(storage: &dyn ReadAt, start: u64) -> Result<Self, Error> {
        let size = storage.size()?;
        if start.checked_add(SUPERBLOCK).is_none_or(|end| end > size) {
            return Err(damaged(format!("no room for it at byte {start}; the device has {size}")));
        }
        Self::parse(&storage::read(storage, start, UNIT as usize)?, start, size)
    }

    /// The superblock that the kernel would write to a device of `size` bytes, and what it means (`initialize_superblock`,
    /// `get_provided_data_sectors`). Blocks have `block` bytes, and `tag` bytes are stored for each.
    pub fn new(size: u64, start: u64, tag: usize, block: u64) -> Result<(Self, Vec<u8>), Error> {
        let mut bytes = superblock(size, tag, block);
        // As many sectors as fit, in steps of eight.
        let mut made = Err(damaged(format!("{size} bytes, in which there is no room for a journal and data")));
        let mut provided = 0u64;
        for bit in (PROVIDED.ilog2()..64).rev() {
            let more = provided | 1 << bit;
            bytes[16..24].copy_from_slice(&more.to_le_bytes());
            if let Ok(layout) = Self::parse(&bytes, start, size) {
                (provided, made) = (more, Ok(layout));
            }
        }
        bytes[16..24].copy_from_slice(&provided.to_le_bytes());
        made.map(|layout| (layout, bytes))
    }

    /// Bytes of the smallest device on which [`Self::new`] finds room for `len` bytes of data. The data is as long as the next multiple of eight
    /// sectors.
    pub fn device(len: u64, start: u64, tag: usize, block: u64) -> Result<u64, Error> {
        let provided = len.div_ceil(PROVIDED * UNIT) * PROVIDED;
        let mut size = 0;
        // A longer device has a longer journal, for which it has to be longer still.
        loop {
            let mut bytes = superblock(size, tag, block);
            bytes[16..24].copy_from_slice(&provided.to_le_bytes());
            let end = Self::parse(&bytes, start, u64::MAX)?.end();
            if end <= u128::from(size) {
                return Ok(size);
            }
            size = end as u64;
        }
    }

    /// The superblock in `bytes`, of a device of `size` bytes.
    fn parse(bytes: &[u8], start: u64, size: u64) -> Result<Self, Error> {
        let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        let long = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        if &bytes[..8] != MAGIC {
            return Err(damaged("it is not there".to_owned()));
        }
        let (version, interleave, block_log) = (bytes[8], u32::from(bytes[9]), u32::from(bytes[28]));
        let tag = usize::from(u16::from_le_bytes([bytes[10], bytes[11]]));
        let (sections, provided, flags) = (word(12), long(16), word(24));
        let refused = |what: &str| Err(Error::Unsupported { what: what.to_owned() });
        if flags & flag::INLINE != 0 {
            return refused(INLINE);
        }
        if flags & flag::JOURNAL_MAC != 0 {
            return refused("a journal with a MAC");
        }
        if flags & (flag::RECALCULATING | flag::DIRTY_BITMAP) != 0 {
            return refused("a volume of which the kernel has tags to compute again");
        }
        if !(1..=5).contains(&version) {
            return refused(&format!("version {version} of dm-integrity's superblock"));
        }
        if !(3..=31).contains(&interleave) || block_log > 3 || !(1..=400).contains(&tag) || sections == 0 {
            let reason = format!(
                "areas of 2^{interleave} sectors, blocks of 2^{block_log}, tags of {tag} bytes, {sections} sections"
            );
            return Err(damaged(reason));
        }
        let room = size / UNIT;
        if provided == 0 || provided > room {
            return Err(damaged(format!("{provided} sectors of data, and the device has {room}")));
        }
        let journal = JournalLayout::new(sections, block_log, tag);
        let journal_size = UNIT * journal.sectors * u64::from(sections);
        if journal_size > MAX_JOURNAL {
            return refused(&format!("a journal of {journal_size} bytes"));
        }
        let padding = if flags & flag::FIXED_PADDING != 0 { 8 * UNIT } else { UNIT << 8 };
        let made = Self {
            start,
            first: SUPERBLOCK + journal_size,
            interleave,
            run: ((tag as u64) << (interleave - block_log)).next_multiple_of(padding),
            block: UNIT << block_log,
            tag,
            size: provided * UNIT / (UNIT << block_log) * (UNIT << block_log),
            journal,
        };
        match made.size >= made.block && made.end() <= u128::from(size) {
            true => Ok(made),
            false => Err(damaged(format!("{provided} sectors of data do not fit on the device, which has {room}"))),
        }
    }

    /// The end of the last block. Places grow with the sector, and tags lie before the data of their area.
    fn end(&self) -> u128 {
        self.place((self.size - self.block) / UNIT, self.run) + u128::from(self.block)
    }

    /// The byte that is `into` an area's tags, plus that of the sector in its area.
    fn place(&self, sector: u64, into: u64) -> u128 {
        let (area, offset) = (sector >> self.interleave, sector & ((1 << self.interleave) - 1));
        let areas = u128::from(area) * (u128::from(self.run) + (u128::from(UNIT) << self.interleave));
        u128::from(self.start) + u128::from(self.first) + areas + u128::from(into) + u128::from(offset * UNIT)
    }

    /// Where the data of a block is that begins with this sector.
    pub fn data(&self, sector: u64) -> u64 {
        self.place(sector, self.run) as u64
    }

    /// How many bytes from there on are the data of blocks that follow each other.
    pub fn contiguous(&self, sector: u64) -> u64 {
        ((1 << self.interleave) - (sector & ((1 << self.interleave) - 1))) * UNIT
    }

    /// Where the tag of that block is.
    pub fn tag(&self, sector: u64) -> u64 {
        let offset = sector & ((1 << self.interleave) - 1);
        self.place(sector - offset, 0) as u64 + offset * UNIT / self.block * self.tag as u64
    }

    /// Writes blocks and their tags to their places. `sector` is the one that they begin with.
    pub fn write(
        &self,
        storage: &dyn WriteAt,
        mut sector: u64,
        mut blocks: &[u8],
        mut tags: &[u8],
    ) -> Result<(), Error> {
        while !blocks.is_empty() {
            let len = self.contiguous(sector).min(blocks.len() as u64);
            let (here, rest) = blocks.split_at(len as usize);
            let (its, others) = tags.split_at((len / self.block) as usize * self.tag);
            storage.write_at(self.data(sector), here)?;
            storage.write_at(self.tag(sector), its)?;
            (blocks, tags) = (rest, others);
            sector += len / UNIT;
        }
        Ok(())
    }

    /// Where a section of the journal is.
    pub fn section(&self, number: u32) -> u64 {
        self.start + SUPERBLOCK + u64::from(number) * self.journal.sectors * UNIT
    }
}

/// The superblock of a new volume on a device of `size` bytes, which says of no data yet.
fn superblock(size: u64, tag: usize, block: u64) -> Vec<u8> {
    let block_log = (block / UNIT).ilog2();
    let section = JournalLayout::new(0, block_log, tag).sectors;
    let sections = ((size / UNIT / NEW_JOURNAL_PART).min(NEW_JOURNAL) / section).max(1);
    let mut bytes = vec![0; SUPERBLOCK as usize];
    bytes[..8].copy_from_slice(MAGIC);
    // The version that has the flag.
    bytes[8..10].copy_from_slice(&[4, INTERLEAVE]);
    bytes[10..12].copy_from_slice(&(tag as u16).to_le_bytes());
    bytes[12..16].copy_from_slice(&(sections as u32).to_le_bytes());
    bytes[24..28].copy_from_slice(&flag::FIXED_PADDING.to_le_bytes());
    bytes[28..30].copy_from_slice(&[block_log as u8, BITMAP - block_log as u8]);
    bytes
}

fn damaged(reason: String) -> Error {
    Error::damaged("integrity superblock", reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The smallest device for a length has that length, and one that is a sector smaller has less. Lengths and tags are such that devices have
    /// one area and many, journals of one section, of some, and the longest.
    #[test]
    fn a_device_for_a_length() {
        for (tag, block) in [(20, 512), (32, 512), (28, 4096), (48, 2048), (64, 1024), (80, 512)] {
            for len in [1, 512, 4096, 100_000, 10 << 20, (100 << 20) + 512, 3 << 30, (5 << 30) + 4096, 1 << 45] {
                for start in [0, 16 << 20] {
                    let rounded = u64::next_multiple_of(len, 4096);
                    let size = Layout::device(len, start, tag, block).unwrap();
                    let (made, _) = Layout::new(size, start, tag, block).unwrap();
                    assert_eq!(made.size, rounded, "{tag} {block} {len}");
                    let smaller = Layout::new(size - 512, start, tag, block).map_or(0, |(made, _)| made.size);
                    assert!(smaller < rounded, "{tag} {block} {len}: {smaller} on {}", size - 512);
                }
            }
        }
        assert!(Layout::device(0, 0, 32, 512).is_err());
        assert!(Layout::device(u64::MAX, 0, 32, 512).is_err());
    }
}
