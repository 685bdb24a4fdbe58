//! The journal of dm-integrity: blocks that were written and are not in their place yet (drivers/md/dm-integrity.c, `replay_journal`).
//!
//! A section is eight sectors of entries and the blocks of these entries. Each of its sectors ends with a commit ID, which says where it
//! belongs and in which of four rounds it was written, so that a section that was written in part is told from a whole one. The bytes of a
//! block that the IDs displace stand in its entry.

use super::layout::{ENTRY_SECTORS, JOURNAL_DATA, Layout};
use crate::{Error, ReadAt, crypt::UNIT, storage};
use std::collections::HashMap;

/// The commit IDs of the rounds.
const ROUNDS: [u64; 4] = [0x1111_1111_1111_1111, 0x2222_2222_2222_2222, 0x3333_3333_3333_3333, 0x4444_4444_4444_4444];

/// The upper half of an unused entry's sector.
const UNUSED: u32 = u32::MAX;

/// Where a block is in the journal.
#[derive(Clone, Copy, Debug)]
struct Entry {
    section: u32,
    number: u64,
}

/// The blocks that the journal has newer versions of.
#[derive(Default, Debug)]
pub(super) struct Journal(HashMap<u64, Entry>);

/// The round in which a sector was written, if it belongs to where it is.
fn round(id: u64, section: u32, sector: u64) -> Option<usize> {
    ROUNDS.iter().position(|round| round ^ (u64::from(section) << 32 ^ sector) == id)
}

impl Journal {
    /// Reads all commit IDs, and the entries of what is to be replayed.
    pub fn read(storage: &dyn ReadAt, layout: &Layout) -> Result<Self, Error> {
        let sections = layout.journal.sections;
        // The round of each section, if all of its sectors have one; the newest section of each round.
        let (mut rounds, mut newest) = (Vec::new(), [None; 4]);
        let mut used = false;
        for section in 0..sections {
            let bytes = read_section(storage, layout, section)?;
            let ids = bytes.chunks_exact(UNIT as usize).map(|sector| long(sector, JOURNAL_DATA));
            let found: Option<Vec<usize>> = ids.zip(0..).map(|(id, sector)| round(id, section, sector)).collect();
            // The journal is not in use, or somebody has overwritten it.
            let Some(found) = found else { return Ok(Self::default()) };
            found.iter().for_each(|round| newest[*round] = Some(section));
            rounds.push(found.iter().all(|round| *round == found[0]).then_some(found[0]));
            used |= (0..layout.journal.entries).any(|number| sector_of(&bytes, layout, number).is_some());
        }
        let before = |round: usize| (round + 3) % 4;
        let unused = match newest[3] {
            None => (0..3).rev().find(|round| newest[*round].is_some()).map_or(0, |round| round + 1),
            Some(_) => match newest.iter().position(Option::is_none) {
                Some(unused) => unused,
                None => return Err(Error::damaged("integrity journal", "it has parts of four rounds")),
            },
        };
        let last = before(unused);
        let mut wanted = before(last);
        let Some(newest_section) = newest[last] else { return Ok(Self::default()) };
        if !used || newest[wanted].is_none() && newest[before(wanted)].is_some() {
            return Ok(Self::default());
        }
        // The oldest section follows the newest.
        let mut section = newest_section + 1;
        let mut blocks = HashMap::new();
        for _ in 0..sections {
            if section >= sections {
                section = 0;
                wanted = (wanted + 1) % 4;
            }
            // What follows was not written completely.
            if rounds[section as usize] != Some(wanted) {
                break;
            }
            let bytes = read_section(storage, layout, section)?;
            for number in 0..layout.journal.entries {
                let Some(sector) = sector_of(&bytes, layout, number) else { continue };
                if sector % (layout.block / UNIT) != 0 || sector.checked_mul(UNIT).is_none_or(|at| at >= layout.size) {
                    return Err(Error::damaged("integrity journal", format!("an entry for sector {sector}")));
                }
                blocks.insert(sector, Entry { section, number });
            }
            section += 1;
        }
        Ok(Self(blocks))
    }

    /// The block that begins with this sector, and its tag, if there is a newer version here.
    pub fn block(
        &self,
        storage: &dyn ReadAt,
        layout: &Layout,
        sector: u64,
        block: &mut [u8],
        tag: &mut [u8],
    ) -> Result<bool, Error> {
        let Some(Entry { section, number }) = self.0.get(&sector).copied() else { return Ok(false) };
        let at = layout.section(section);
        let data = at + (ENTRY_SECTORS * UNIT) + number * layout.block;
        storage.read_at(data, block)?;
        let (entry_sector, offset) = entry_place(layout, number);
        let entry = storage::read(storage, at + entry_sector as u64 * UNIT + offset as u64, layout.journal.entry)?;
        let ends = 8 * (1 + block.len() / UNIT as usize);
        for (sector, end) in block.chunks_exact_mut(UNIT as usize).zip(entry[8..ends].chunks_exact(8)) {
            sector[JOURNAL_DATA..].copy_from_slice(end);
        }
        tag.copy_from_slice(&entry[ends..ends + tag.len()]);
        Ok(true)
    }
}

fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]))
}

fn read_section(storage: &dyn ReadAt, layout: &Layout, section: u32) -> Result<Vec<u8>, Error> {
    storage::read(storage, layout.section(section), (layout.journal.sectors * UNIT) as usize)
}

/// The sector of a section's entry, and the byte in it: entries go around the sectors.
fn entry_place(layout: &Layout, number: u64) -> (usize, usize) {
    ((number % ENTRY_SECTORS) as usize, (number / ENTRY_SECTORS) as usize * layout.journal.entry)
}

/// The sector that an entry is about; none if it is not in use.
fn sector_of(section: &[u8], layout: &Layout, number: u64) -> Option<u64> {
    let (sector, offset) = entry_place(layout, number);
    let about = long(section, sector * UNIT as usize + offset);
    ((about >> 32) as u32 != UNUSED).then_some(about)
}
