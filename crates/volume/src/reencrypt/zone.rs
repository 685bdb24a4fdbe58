//! The bytes of a zone: how old ones become new ones, and the checksums of their blocks.

use super::Keys;
use crate::{CipherSpec, Error, Key, ReadAt, SectorCipher, crypt::UNIT, lookup, luks2, storage};
use algkit::{Direction, Hash};
use luks2::{
    Reencryption, Segment, SegmentSize,
    reencryption::{Side, TO_THE_END},
};
use std::{
    ops::Range,
    sync::{Mutex, PoisonError},
    thread,
};
use zeroize::Zeroizing;

/// The ciphers of the old and of the new data.
pub(super) struct Ciphers {
    old: Option<SectorCipher>,
    new: Option<SectorCipher>,
    old_tweak: u64,
    new_tweak: u64,
}

impl Ciphers {
    pub fn new(reencryption: &Reencryption, keys: &Keys<'_>) -> Result<Self, Error> {
        Ok(Self {
            old: cipher(&reencryption.old, keys.old)?,
            new: cipher(&reencryption.new, keys.new)?,
            old_tweak: reencryption.old.segment.iv_tweak.unwrap_or(0),
            new_tweak: reencryption.new.segment.iv_tweak.unwrap_or(0),
        })
    }

    /// An error if a sector of `size` bytes of data would have no IV of its own, before or after.
    pub fn check_range(&self, size: u64) -> Result<(), Error> {
        let sides = [(&self.old, self.old_tweak), (&self.new, self.new_tweak)];
        sides
            .into_iter()
            .try_for_each(|(cipher, tweak)| cipher.as_ref().map_or(Ok(()), |it| it.check_range(tweak, size)))
    }

    /// Makes old bytes new in place, on all CPUs. They are the data from byte `at` on, and whole sectors of both the old and the new data.
    pub fn renew(&self, at: u64, bytes: &mut [u8], granule: usize) -> Result<(), Error> {
        translate((&self.old, self.old_tweak), (&self.new, self.new_tweak), at, bytes, granule)
    }

    /// Makes new bytes old.
    fn restore(&self, at: u64, bytes: &mut [u8], granule: usize) -> Result<(), Error> {
        translate((&self.new, self.new_tweak), (&self.old, self.old_tweak), at, bytes, granule)
    }
}

/// Decrypts bytes with one cipher and its tweak, and encrypts them with another, in place.
fn translate(
    (from, from_tweak): (&Option<SectorCipher>, u64),
    (to, to_tweak): (&Option<SectorCipher>, u64),
    at: u64,
    bytes: &mut [u8],
    granule: usize,
) -> Result<(), Error> {
    in_parallel(bytes, granule, |offset, part| {
        let unit = (at + offset as u64) / UNIT;
        if let Some(from) = from {
            from.crypt(Direction::Decrypt, from_tweak.wrapping_add(unit), part)?;
        }
        match to {
            Some(to) => to.crypt(Direction::Encrypt, to_tweak.wrapping_add(unit), part),
            None => Ok(()),
        }
    })
}

/// The cipher of the old or the new data; none if that is plain.
pub(super) fn cipher(side: &Side, key: Option<&Key>) -> Result<Option<SectorCipher>, Error> {
    if side.digest.is_none() {
        return Ok(None);
    }
    let spec = CipherSpec::parse(side.segment.encryption.as_deref().unwrap_or_default())?;
    let key = key.ok_or(Error::WrongKey)?;
    SectorCipher::new(&spec, key, side.segment.sector_size() as usize).map(Some)
}

/// What a block of a hot zone is after a failure.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Block {
    Old,
    New,
    /// Neither: a part of it is old and a part is new, or it is something else.
    Torn,
}

/// The torn blocks of a hot zone.
#[derive(Default)]
pub(super) struct Torn(Option<(Range<u64>, u64)>);

impl Torn {
    /// Takes note of the blocks from byte `at` of the data on.
    pub fn note(&mut self, at: u64, block: u32, blocks: &[Block]) {
        for (number, _) in (0u64..).zip(blocks).filter(|(_, what)| **what == Block::Torn) {
            let start = at + number * u64::from(block);
            let (range, count) = self.0.get_or_insert((start..start, 0));
            range.end = start + u64::from(block);
            *count += 1;
        }
    }

    /// An error if there were any.
    pub fn none(self) -> Result<(), Error> {
        match self.0 {
            Some((range, blocks)) => {
                Err(Error::TornBlocks { offset: range.start, len: range.end - range.start, blocks })
            }
            None => Ok(()),
        }
    }
}

/// The hash that checksums of blocks are made with.
pub(super) struct Sums {
    hash: Hash,
    block: usize,
}

impl Sums {
    pub fn new(hash: &str, block: u32) -> Result<Self, Error> {
        Ok(Self { hash: lookup::hash(hash)?, block: block as usize })
    }

    /// The length of a checksum in bytes.
    pub fn size(&self) -> usize {
        self.hash.digest_size()
    }

    /// The number of bytes whose checksums fit into an area of `area` bytes.
    pub fn covers(&self, area: u64) -> u64 {
        area / self.size() as u64 * self.block as u64
    }

    /// The checksums of whole blocks.
    pub fn of(&self, bytes: &[u8]) -> Result<Vec<u8>, Error> {
        let mut sums = vec![0; bytes.len() / self.block * self.size()];
        in_parallel(&mut sums, self.size(), |offset, part| {
            let from = offset / self.size() * self.block;
            for (sum, block) in part.chunks_mut(self.size()).zip(bytes[from..].chunks(self.block)) {
                self.hash.digest_into(&[block], sum)?;
            }
            Ok(())
        })?;
        Ok(sums)
    }

    /// What the blocks of `bytes` are, which are the data from byte `at` on, in the hot zone whose checksums are `area`. An old block matches its
    /// checksum, and a new one does when it is made old again.
    pub fn blocks(
        &self,
        area: &[u8],
        zone: &Range<u64>,
        at: u64,
        bytes: &[u8],
        ciphers: &Ciphers,
    ) -> Result<Vec<Block>, Error> {
        let is_old = self.old_blocks(area, at - zone.start, bytes)?;
        let mut was_old = Vec::new();
        if is_old.contains(&false) {
            let mut before = Zeroizing::new(bytes.to_vec());
            ciphers.restore(at, &mut before, self.block)?;
            was_old = self.old_blocks(area, at - zone.start, &before)?;
        }
        let blocks = is_old.into_iter().enumerate().map(|(number, is_old)| match was_old.get(number) {
            _ if is_old => Block::Old,
            Some(true) => Block::New,
            _ => Block::Torn,
        });
        Ok(blocks.collect())
    }

    /// Which blocks of `bytes`, which begin at byte `at` of the hot zone, match their checksums in the area.
    fn old_blocks(&self, area: &[u8], at: u64, bytes: &[u8]) -> Result<Vec<bool>, Error> {
        let first = (at / self.block as u64) as usize * self.size();
        let now = self.of(bytes)?;
        Ok(now.chunks(self.size()).zip(area[first..].chunks(self.size())).map(|(now, old)| now == old).collect())
    }

    /// The checksums of a hot zone, from the area.
    pub fn read(&self, headed: &dyn ReadAt, area: &Range<u64>, zone: &Range<u64>) -> Result<Vec<u8>, Error> {
        let len = zone.end - zone.start;
        if !len.is_multiple_of(self.block as u64) || len > self.covers(area.end - area.start) {
            return Err(Error::damaged("hot zone", format!("its {len} bytes have no checksums")));
        }
        storage::read(headed, area.start, (len / self.block as u64) as usize * self.size())
    }
}

impl Reencryption {
    /// The length of the data in bytes, on a device of `device` bytes.
    pub(super) fn size(&self, device: u64) -> Result<u64, Error> {
        if self.position.end != TO_THE_END {
            return Ok(self.position.end);
        }
        let rest = self.room(device);
        let size = match self.new.segment.size {
            SegmentSize::Bytes(size) => size.min(rest),
            SegmentSize::Dynamic => rest,
        };
        let size = size - size % UNIT;
        match size {
            0 => Err(Error::damaged("device", format!("it has {device} bytes, and no data"))),
            size => Ok(size),
        }
    }

    /// An error if the `size` bytes of data end behind the end of a device of `device` bytes.
    pub(super) fn check_end(&self, size: u64, device: u64) -> Result<(), Error> {
        let end = self.new.segment.offset.checked_add(size);
        match end.is_some_and(|end| end <= device) {
            true => Ok(()),
            false => Err(Error::damaged("device", format!("the data is cut off: the device has {device} bytes"))),
        }
    }

    /// Whether nothing is left to do.
    pub(super) fn is_done(&self) -> bool {
        self.position.to_do.is_empty() && self.position.hot.is_none()
    }
}

/// The range of a segment whose length is known.
pub(super) fn bytes_of(segment: &Segment) -> Result<Range<u64>, Error> {
    match segment.size {
        SegmentSize::Bytes(size) if segment.offset.checked_add(size).is_some() => {
            Ok(segment.offset..segment.offset + size)
        }
        _ => Err(Error::damaged("segment", "it has no end")),
    }
}

/// Cuts the bytes into a part for each CPU, a multiple of `granule`, and calls `work` with each part.
fn in_parallel(
    bytes: &mut [u8],
    granule: usize,
    work: impl Fn(usize, &mut [u8]) -> Result<(), Error> + Sync,
) -> Result<(), Error> {
    /// The least number of bytes that is worth a thread.
    const LEAST: usize = 1 << 18;
    let cpus = thread::available_parallelism().map_or(1, usize::from);
    let part = bytes.len().div_ceil(cpus).max(LEAST).next_multiple_of(granule);
    let threads = bytes.len().div_ceil(part);
    let parts = Mutex::new(bytes.chunks_mut(part).enumerate());
    let next = || parts.lock().unwrap_or_else(PoisonError::into_inner).next();
    let each = || {
        while let Some((number, bytes)) = next() {
            work(number * part, bytes)?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        // If a thread cannot be started, the others do its work.
        let spawn = |_| thread::Builder::new().spawn_scoped(scope, each).ok();
        let others: Vec<_> = (1..threads).filter_map(spawn).collect();
        let mine = each();
        let failed = |_| Err(Error::damaged("thread", "it ended before its work was done"));
        others.into_iter().map(|thread| thread.join().unwrap_or_else(failed)).fold(mine, Result::and)
    })
}
