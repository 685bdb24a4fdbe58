//! A simulated disk: it records what is written and synced, and shows every state that a loss of power could leave.
//!
//! What was written and not synced is lost, or there, or there in part, in any combination; a sector of 512 bytes is there as a whole or
//! not at all, or a larger one if the disk is told so.

use algkit_volume::{Error, ReadAt, WriteAt, storage::Memory};
use std::sync::Mutex;

const SECTOR: usize = 512;

/// A write: where, and what.
type Write = (u64, Vec<u8>);

pub struct Disk {
    sector: usize,
    before: Vec<u8>,
    now: Memory,
    /// What was done to it; `None` is a sync.
    done: Mutex<Vec<Option<Write>>>,
}

impl Disk {
    pub fn new(bytes: Vec<u8>) -> Self {
        Self { sector: SECTOR, now: Memory::new(bytes.clone()), before: bytes, done: Mutex::default() }
    }

    /// The same disk with sectors of so many bytes.
    #[allow(dead_code)]
    pub fn sectors(self, sector: usize) -> Self {
        Self { sector, ..self }
    }

    /// How many steps were done: writes and syncs.
    #[allow(dead_code)]
    pub fn steps(&self) -> usize {
        self.done.lock().unwrap().len()
    }

    /// Calls `check` with every state that a loss of power could leave, after how many steps, and returns the last state and how many there were.
    pub fn cut(self, mut check: impl FnMut(usize, &State)) -> (Vec<u8>, usize) {
        let done = self.done.into_inner().unwrap();
        let mut states = 0;
        let (mut durable, mut pending) = (Vec::new(), Vec::new());
        for (step, operation) in done.iter().enumerate() {
            match operation {
                Some(write) => pending.push(write),
                None => durable.append(&mut pending),
            }
            let Some((last, others)) = pending.split_last() else { continue };
            // A write may be there with its first sector only, unless there are too many combinations.
            let ways: usize = if others.len() > 2 { 2 } else { 3 };
            // Of many writes, the last ones are there in any combination, and those before are all there or all lost.
            let free = others.len().min(3);
            for choice in 0..ways.pow(free as u32) * 2 {
                let early = others.len() - free;
                if early == 0 && choice % 2 == 1 {
                    continue;
                }
                let way = |place: usize| match place.checked_sub(early) {
                    Some(place) => choice / 2 / ways.pow(place as u32) % ways,
                    None => choice % 2,
                };
                let begun = |write: &Write| (write.0, write.1[..write.1.len().min(self.sector)].to_vec());
                let there = others.iter().enumerate().filter(|(place, _)| way(*place) > 0);
                let there = there.map(|(place, write)| if way(place) == 1 { (*write).clone() } else { begun(write) });
                let there: Vec<Write> = there.collect();
                let kept: Vec<&Write> = durable.iter().copied().chain(&there).collect();
                for torn in parts(last, self.sector) {
                    check(step, &State { before: &self.before, kept: &kept, torn });
                    states += 1;
                }
            }
        }
        assert!(pending.is_empty(), "the last write is not synced");
        (self.now.into_inner(), states)
    }
}

/// What may be there of a write: nothing, all, beginnings and ends.
fn parts((offset, data): &Write, sector: usize) -> Vec<Option<Write>> {
    let sectors = data.len().div_ceil(sector);
    let mut parts = vec![None, Some((*offset, data.clone()))];
    for cut in [1, sectors / 2, sectors - 1] {
        let cut = cut * sector;
        if cut > 0 && cut < data.len() {
            parts.push(Some((*offset, data[..cut].to_vec())));
            parts.push(Some((offset + cut as u64, data[cut..].to_vec())));
        }
    }
    parts
}

impl ReadAt for Disk {
    fn size(&self) -> Result<u64, Error> {
        self.now.size()
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), Error> {
        self.now.read_at(offset, buf)
    }
}

impl WriteAt for Disk {
    fn write_at(&self, offset: u64, data: &[u8]) -> Result<(), Error> {
        self.done.lock().unwrap().push(Some((offset, data.to_vec())));
        self.now.write_at(offset, data)
    }

    fn sync(&self) -> Result<(), Error> {
        self.done.lock().unwrap().push(None);
        Ok(())
    }
}

impl State<'_> {
    /// All bytes.
    #[allow(dead_code)]
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.before.len()];
        self.read_at(0, &mut bytes).unwrap();
        bytes
    }
}

/// What is there after a loss of power.
pub struct State<'a> {
    before: &'a [u8],
    kept: &'a [&'a Write],
    torn: Option<Write>,
}

impl ReadAt for State<'_> {
    fn size(&self) -> Result<u64, Error> {
        Ok(self.before.len() as u64)
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), Error> {
        self.before.read_at(offset, buf)?;
        let (start, end) = (offset, offset + buf.len() as u64);
        for (at, data) in self.kept.iter().copied().chain(&self.torn) {
            let (from, to) = (start.max(*at), end.min(at + data.len() as u64));
            if from < to {
                let piece = &data[(from - at) as usize..(to - at) as usize];
                buf[(from - start) as usize..(to - start) as usize].copy_from_slice(piece);
            }
        }
        Ok(())
    }
}
