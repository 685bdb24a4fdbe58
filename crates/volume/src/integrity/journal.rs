//! The journal of dm-integrity: blocks that were written and are not in their place yet (drivers/md/dm-integrity.c, `replay_journal`). It is a
//! ring of sections.

use super::{
    layout::Layout,
    section::{self, Section, after, before},
};
use crate::{Error, ReadAt, WriteAt, crypt::UNIT};
use std::collections::{BTreeSet, HashMap};

/// Where a block is in the journal.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Entry {
    section: u32,
    entry: u64,
}

/// The blocks that the journal has newer versions of.
pub(super) struct Journal {
    pub layout: Layout,
    blocks: HashMap<u64, Entry>,
    /// A section that is not written yet.
    pub open: Option<Section>,
}

/// The order of the sections.
#[derive(Clone, Copy)]
pub(super) struct Ring {
    /// The oldest section, which is written next.
    pub oldest: u32,
    /// The newest round.
    pub last: usize,
    /// Whether every section was written completely and in its turn.
    pub whole: bool,
    /// Whether there is nothing to replay.
    pub empty: bool,
}

impl Journal {
    /// Reads all commit IDs, and the entries of what is to be replayed. There is no ring if the journal is not in use, or if somebody has
    /// overwritten it.
    pub fn read(storage: &dyn ReadAt, layout: Layout) -> Result<(Self, Option<Ring>), Error> {
        let mut journal = Self { layout, blocks: HashMap::new(), open: None };
        let (layout, sections) = (&journal.layout, journal.layout.journal.sections);
        // The round of each section, if all of its sectors have one; the newest section of each round.
        let (mut rounds, mut newest) = (Vec::new(), [None; 4]);
        let mut used = false;
        for number in 0..sections {
            let section = Section::read(storage, layout, number)?;
            let Some(found) = section.rounds() else { return Ok((journal, None)) };
            found.iter().for_each(|round| newest[*round] = Some(number));
            rounds.push(found.iter().all(|round| *round == found[0]).then_some(found[0]));
            used |= (0..layout.journal.entries).any(|entry| section.sector(entry).is_some());
        }
        let unused = match newest[3] {
            None => (0..3).rev().find(|round| newest[*round].is_some()).map_or(0, |round| round + 1),
            Some(_) => match newest.iter().position(Option::is_none) {
                Some(unused) => unused,
                None => return Err(Error::damaged("integrity journal", "it has parts of four rounds")),
            },
        };
        let last = before(unused);
        // The oldest section follows the newest.
        let oldest = newest[last].map_or(0, |newest| (newest + 1) % sections);
        let empty = !used || newest[before(last)].is_none() && newest[before(before(last))].is_some();
        let (mut number, mut wanted) = (oldest, if oldest == 0 { last } else { before(last) });
        let mut ring = Ring { oldest, last, whole: true, empty };
        for _ in 0..sections {
            // What follows was not written completely.
            if rounds[number as usize] != Some(wanted) {
                ring.whole = false;
                break;
            }
            if !empty {
                journal.add(&Section::read(storage, &journal.layout, number)?)?;
            }
            number += 1;
            if number == sections {
                (number, wanted) = (0, after(wanted));
            }
        }
        Ok((journal, Some(ring)))
    }

    /// Adds the entries of a section, which is newer than those that were added before.
    fn add(&mut self, section: &Section) -> Result<(), Error> {
        for entry in 0..self.layout.journal.entries {
            let Some(sector) = section.sector(entry) else { continue };
            let is_outside = sector.checked_mul(UNIT).is_none_or(|at| at >= self.layout.size);
            if is_outside || sector % (self.layout.block / UNIT) != 0 {
                return Err(Error::damaged("integrity journal", format!("an entry for sector {sector}")));
            }
            self.blocks.insert(sector, Entry { section: section.number, entry });
        }
        Ok(())
    }

    /// The block that begins with this sector, and its tag, if there is a newer version here.
    pub fn block(&self, storage: &dyn ReadAt, sector: u64, block: &mut [u8], tag: &mut [u8]) -> Result<(), Error> {
        match (self.blocks.get(&sector), &self.open) {
            (None, _) => Ok(()),
            (Some(at), Some(open)) if open.number == at.section => open.block(at.entry, block, tag),
            (Some(at), _) => section::block(storage, &self.layout, at.section, at.entry, block, tag),
        }
    }

    /// Puts a block into an entry of the open section.
    pub fn put(&mut self, entry: u64, sector: u64, block: &[u8], tag: &[u8]) {
        if let Some(open) = &mut self.open {
            open.put(entry, sector, block, tag);
            self.blocks.insert(sector, Entry { section: open.number, entry });
        }
    }

    /// Writes all blocks to their places. They stay in the journal.
    pub fn replay(&self, storage: &dyn WriteAt) -> Result<(), Error> {
        let sections: BTreeSet<u32> = self.blocks.values().map(|at| at.section).collect();
        for number in sections {
            let serves = |sector, entry| self.blocks.get(&sector) == Some(&Entry { section: number, entry });
            Section::read(storage, &self.layout, number)?.place(storage, serves)?;
        }
        Ok(())
    }

    /// Forgets the blocks: they are in their places.
    pub fn forget(&mut self) {
        self.blocks.clear();
    }
}
