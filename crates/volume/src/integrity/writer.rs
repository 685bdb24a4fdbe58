//! The journal is written: sections one after the other, round by round. A section is overwritten when its blocks are in their places and the
//! storage was synced, so that the kernel and [`Journal::read`] find a ring whose sections may all be replayed.
//!
//! ```text
//! written sections │ sync │ their blocks into their places │ sync │ free sections
//! ```

use super::{
    journal::{Journal, Ring},
    section::{Section, after, before},
};
use crate::{Error, WriteAt, crypt::UNIT};

pub(super) struct Writer {
    /// The section that is written next, or that is open.
    next: u32,
    /// Its round.
    round: usize,
    /// Entries of the open section that are in use.
    entries: u64,
    /// Sections from the next on that may be overwritten.
    free: u32,
    /// Sections whose blocks are not in their places.
    used: u32,
    /// Sections whose blocks are in their places, as soon as the storage is synced.
    placed: u32,
}

impl Writer {
    /// Replays the journal. If nothing is to be written to it later, it is made unused.
    pub fn begin(journal: &mut Journal, storage: &dyn WriteAt, ring: Ring, journaled: bool) -> Result<Self, Error> {
        // Whoever has written the journal may have died before it was synced.
        storage.sync()?;
        journal.replay(storage)?;
        storage.sync()?;
        journal.forget();
        let free = journal.layout.journal.sections;
        let (next, round) = if ring.whole && (journaled || ring.empty) {
            // The last round has ended if the oldest section is the first.
            (ring.oldest, if ring.oldest == 0 { after(ring.last) } else { ring.last })
        } else {
            let round = before(before(ring.last));
            clear(journal, storage, ring.oldest, round)?;
            (0, after(round))
        };
        Ok(Self { next, round, entries: 0, free, used: 0, placed: 0 })
    }

    /// Puts blocks into the journal. `first` is the sector that they begin with.
    pub fn append(
        &mut self,
        journal: &mut Journal,
        storage: &dyn WriteAt,
        first: u64,
        blocks: &[u8],
        tags: &[u8],
    ) -> Result<(), Error> {
        let (block, tag) = (journal.layout.block, journal.layout.tag);
        let sectors = (first..).step_by((block / UNIT) as usize);
        for ((block, tag), sector) in blocks.chunks_exact(block as usize).zip(tags.chunks_exact(tag)).zip(sectors) {
            if journal.open.is_none() {
                self.make_room(journal, storage)?;
                journal.open = Some(Section::unused(&journal.layout, self.next, self.round));
            }
            journal.put(self.entries, sector, block, tag);
            self.entries += 1;
            if self.entries == journal.layout.journal.entries {
                self.commit(journal, storage)?;
            }
        }
        Ok(())
    }

    /// Returns when everything that was put into the journal lasts. Then it is copied to where it belongs.
    pub fn sync(&mut self, journal: &mut Journal, storage: &dyn WriteAt) -> Result<(), Error> {
        self.commit(journal, storage)?;
        storage.sync()?;
        self.free += std::mem::take(&mut self.placed);
        journal.replay(storage)?;
        journal.forget();
        self.placed = std::mem::take(&mut self.used);
        Ok(())
    }

    /// Writes the open section, if there is one.
    fn commit(&mut self, journal: &mut Journal, storage: &dyn WriteAt) -> Result<(), Error> {
        let Some(open) = &journal.open else { return Ok(()) };
        open.write(storage)?;
        journal.open = None;
        self.entries = 0;
        self.free -= 1;
        self.used += 1;
        self.next += 1;
        if self.next == journal.layout.journal.sections {
            (self.next, self.round) = (0, after(self.round));
        }
        Ok(())
    }

    /// Makes sure that there is a free section, and that no more than half of them are unsynced.
    fn make_room(&mut self, journal: &mut Journal, storage: &dyn WriteAt) -> Result<(), Error> {
        while self.free == 0 || self.used >= journal.layout.journal.sections.div_ceil(2) {
            self.sync(journal, storage)?;
        }
        Ok(())
    }
}

/// Makes all sections unused. The first that is overwritten is the oldest, where a replay would begin, and the newest is the last, as it tells
/// which is the oldest: so nothing is replayed if this is cut off. All blocks are in their places, but parts of the journal alone would make some
/// of them old again.
fn clear(journal: &Journal, storage: &dyn WriteAt, oldest: u32, round: usize) -> Result<(), Error> {
    let sections = journal.layout.journal.sections;
    for i in 0..sections {
        Section::unused(&journal.layout, (oldest + i) % sections, round).write(storage)?;
        if i == 0 || i + 2 >= sections {
            storage.sync()?;
        }
    }
    Ok(())
}
