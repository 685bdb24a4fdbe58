//! The reencryption itself, zone by zone. The order of what is written, and why, is in the module's description.

use super::{
    Keys,
    end::{finish, sweep},
    zone::{Block, Ciphers, Sums, Torn, bytes_of},
};
use crate::{Error, Limits, Unlocked, WriteAt, crypt::UNIT, keyslots::Keyslots, luks2, storage};
use algkit::Rng;
use luks2::{
    Direction, Reencryption, Resilience, SegmentSize,
    reencryption::{TO_THE_END, set_segments},
};
use std::ops::Range;
use zeroize::Zeroizing;

/// The length of a zone in bytes, if no other is asked for. A longer one takes more memory, a shorter one more syncs.
const HOTZONE: u64 = 64 << 20;

/// The number of bytes that are written at a time.
const CHUNK: usize = 4 << 20;

/// How a reencryption goes on.
#[derive(Clone, Copy, Default, Debug)]
pub struct Resume {
    /// The length of the longest zone in bytes; without it, 64 MiB. At most two zones are in memory.
    pub hotzone: Option<u64>,
    /// Whether to go on after a zone was cut off that has no resilience, or has torn blocks. What is not known to be old is taken as new, and is lost if it
    /// is not.
    pub lose_torn_zone: bool,
}

/// Goes on with a reencryption until it is done, or until `go_on` returns false. `go_on` is called before each zone and at the end, with the number of
/// bytes that are done and of all bytes. Returns whether the reencryption is done.
pub fn resume(
    header: &mut luks2::Header,
    headed: &dyn WriteAt,
    data: &dyn WriteAt,
    unlocked: &Unlocked,
    options: &Resume,
    random: &Rng,
    go_on: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<bool, Error> {
    header.refuse_changed(headed)?;
    header.refuse_replaced()?;
    let reencryption = match header.metadata.reencryption() {
        Some(reencryption) => reencryption,
        None => return sweep(header, headed, random).map(|()| true),
    };
    let keys = Keys::of(header, &reencryption, unlocked, &Limits::default())?;
    if reencryption.is_done() {
        return finish(header, headed, data, &reencryption, random).map(|()| true);
    }
    let size = reencryption.size(data.size()?)?;
    let ciphers = Ciphers::new(&reencryption, &keys)?;
    ciphers.check_range(size)?;
    let whole = reencryption.room(data.size()?);
    let end = match reencryption.position.end {
        // A zone at the end of the data was cut off. The header then says where the data ends, in place of `dynamic`.
        end if end == whole - whole % UNIT && reencryption.new.segment.size == SegmentSize::Dynamic => TO_THE_END,
        end => end,
    };
    let mut work = Work { header, headed, data, reencryption, ciphers, size, end, random };
    work.check()?;
    if work.reencryption.position.hot.is_some() && work.recover(options)? {
        return Ok(true);
    }
    let zone = work.zone_size(options)?;
    while go_on(work.done(), size) {
        if work.step(zone)? {
            go_on(size, size);
            return Ok(true);
        }
    }
    Ok(false)
}

struct Work<'a> {
    header: &'a mut luks2::Header,
    headed: &'a dyn WriteAt,
    data: &'a dyn WriteAt,
    reencryption: Reencryption,
    ciphers: Ciphers,
    /// The length of the data in bytes.
    size: u64,
    /// The end of the data as the metadata says it.
    end: u64,
    random: &'a Rng,
}

impl Work<'_> {
    /// Checks that the data lies on the device, and that it and the zones are whole sectors.
    fn check(&self) -> Result<(), Error> {
        let device = self.data.size()?;
        self.reencryption.check_end(self.size, device)?;
        let last = [&self.reencryption.position.to_do, self.reencryption.position.hot.as_ref().unwrap_or(&(0..0))];
        if last.iter().any(|range| range.start > self.size) {
            return Err(Error::damaged("device", format!("the data is cut off: the device has {device} bytes")));
        }
        let granule = self.reencryption.granule();
        let whole = |range: &Range<u64>| {
            range.start.is_multiple_of(granule) && range.end.min(self.size).is_multiple_of(granule)
        };
        if !last.into_iter().all(whole) {
            return Err(Error::damaged("device", format!("its data is no whole number of sectors of {granule} bytes")));
        }
        Ok(())
    }

    /// The range that is still to do, cut at the end of the data.
    fn to_do(&self) -> Range<u64> {
        let to_do = &self.reencryption.position.to_do;
        to_do.start.min(self.size)..to_do.end.min(self.size)
    }

    fn done(&self) -> u64 {
        let to_do = self.to_do();
        // The first part that is done last is left as long as there is anything else.
        let first = self.reencryption.first_is_last().filter(|first| to_do.start >= *first).unwrap_or(0);
        self.size - (to_do.end - to_do.start) - first
    }

    /// The length of a zone in bytes: whole sectors, and no more than the protection has room for.
    fn zone_size(&self, options: &Resume) -> Result<u64, Error> {
        let area = self.reencryption.area.end - self.reencryption.area.start;
        let most = match &self.reencryption.resilience {
            Resilience::None => u64::MAX,
            Resilience::Journal => area,
            Resilience::Checksum { hash, block } => Sums::new(hash, *block)?.covers(area),
            Resilience::Datashift { shift, .. } => *shift,
        };
        let granule = self.reencryption.granule();
        let zone = options.hotzone.unwrap_or(HOTZONE).min(most).min(isize::MAX as u64);
        match zone - zone % granule {
            0 => Err(Error::damaged("hot zone", format!("{zone} bytes are not a sector of {granule}"))),
            zone => Ok(zone),
        }
    }

    /// The next zone. If the first bytes of the data were moved, a zone lies before their end or behind it, and not across it.
    fn next(&self, most: u64) -> Result<Range<u64>, Error> {
        let to_do = self.to_do();
        Ok(match self.reencryption.direction {
            // A first part that is done last is one zone.
            Direction::Forward if self.reencryption.first_is_last().is_some() && to_do.start == 0 => to_do,
            Direction::Forward => to_do.start..to_do.end.min(to_do.start + most),
            Direction::Backward => {
                let moved = self.reencryption.moved.as_ref().map(bytes_of).transpose()?;
                let first = moved.map_or(0, |moved| moved.end - moved.start);
                let least = if to_do.end > first { first } else { 0 };
                to_do.end.saturating_sub(most).max(least)..to_do.end
            }
        })
    }

    /// The old bytes of a zone, as they are on the disk.
    fn read_old(&self, zone: &Range<u64>) -> Result<Zeroizing<Vec<u8>>, Error> {
        let mut bytes = Zeroizing::new(vec![0; (zone.end - zone.start) as usize]);
        let mut rest = &mut bytes[..];
        for piece in self.reencryption.old_pieces(zone) {
            let place = bytes_of(&piece.segment)?;
            let (here, behind) = rest.split_at_mut((place.end - place.start) as usize);
            self.data.read_at(place.start, here)?;
            rest = behind;
        }
        Ok(bytes)
    }

    /// Writes new bytes of the data from byte `at` on.
    fn write_new(&self, at: u64, bytes: &[u8]) -> Result<(), Error> {
        let mut place = self.reencryption.new.segment.offset + at;
        for chunk in bytes.chunks(CHUNK) {
            self.data.write_at(place, chunk)?;
            place += chunk.len() as u64;
        }
        Ok(())
    }

    /// Reencrypts a zone. Returns whether it was the last one.
    fn step(&mut self, most: u64) -> Result<bool, Error> {
        let zone = self.next(most)?;
        let mut bytes = self.read_old(&zone)?;
        let saved = match self.reencryption.protection(&zone) {
            Resilience::None | Resilience::Datashift { .. } => None,
            Resilience::Journal => Some(bytes.to_vec()),
            Resilience::Checksum { hash, block } => Some(Sums::new(hash, *block)?.of(&bytes)?),
        };
        if let Some(saved) = saved.map(Zeroizing::new) {
            let area = self.reencryption.area.end - self.reencryption.area.start;
            if saved.len() as u64 > area {
                return Err(Error::damaged("hot zone", format!("its area has no room for {} bytes", saved.len())));
            }
            self.headed.write_at(self.reencryption.area.start, &saved)?;
            self.headed.sync()?;
        }
        self.place(self.reencryption.heated(zone.clone(), self.end, self.size))?;
        self.ciphers.renew(zone.start, &mut bytes, self.reencryption.granule() as usize)?;
        self.write_new(zone.start, &bytes)?;
        self.cool()
    }

    /// Rewrites a hot zone that was cut off, so that all of it is new. Returns whether it was the last one.
    fn recover(&mut self, options: &Resume) -> Result<bool, Error> {
        let Some(zone) = self.reencryption.position.hot.clone() else { return Ok(false) };
        let granule = self.reencryption.granule() as usize;
        let len = zone.end - zone.start;
        let area = self.reencryption.area.clone();
        if zone.end > self.size {
            let reason = format!("it ends at byte {}, and the data at {}", zone.end, self.size);
            return Err(Error::damaged("hot zone", reason));
        }
        let chunks = || (zone.start..zone.end).step_by(CHUNK).map(|at| at..zone.end.min(at + CHUNK as u64));
        match self.reencryption.protection(&zone) {
            Resilience::None if options.lose_torn_zone => {}
            Resilience::None => return Err(Error::Torn { offset: zone.start, len }),
            Resilience::Journal => {
                if len > area.end - area.start {
                    return Err(Error::damaged("hot zone", format!("the journal has no room for its {len} bytes")));
                }
                for part in chunks() {
                    let from = area.start + (part.start - zone.start);
                    let old = storage::read(self.headed, from, (part.end - part.start) as usize)?;
                    let mut bytes = Zeroizing::new(old);
                    self.ciphers.renew(part.start, &mut bytes, granule)?;
                    self.write_new(part.start, &bytes)?;
                }
            }
            Resilience::Datashift { .. } => {
                for part in chunks() {
                    let mut bytes = self.read_old(&part)?;
                    self.ciphers.renew(part.start, &mut bytes, granule)?;
                    self.write_new(part.start, &bytes)?;
                }
            }
            Resilience::Checksum { hash, block } => {
                let sums = Sums::new(hash, *block)?;
                let saved = sums.read(self.headed, &area, &zone)?;
                let blocks =
                    |part: &Range<u64>, bytes: &[u8]| sums.blocks(&saved, &zone, part.start, bytes, &self.ciphers);
                if !options.lose_torn_zone {
                    // Nothing is written before it is known that no block is torn.
                    let mut torn = Torn::default();
                    for part in chunks() {
                        torn.note(part.start, *block, &blocks(&part, &self.read_old(&part)?)?);
                    }
                    torn.none()?;
                }
                for part in chunks() {
                    let mut bytes = self.read_old(&part)?;
                    let is = blocks(&part, &bytes)?;
                    let numbered = bytes.chunks_mut(*block as usize).enumerate();
                    for (number, block) in numbered.filter(|(number, _)| is[*number] == Block::Old) {
                        self.ciphers.renew(part.start + (number * block.len()) as u64, block, granule)?;
                    }
                    // Blocks that are new already are written again: after an error the kernel may have them in its cache alone.
                    self.write_new(part.start, &bytes)?;
                }
            }
        }
        self.cool()
    }

    /// Writes down that the hot zone is done, after its new bytes are written. Returns whether it was the last one.
    fn cool(&mut self) -> Result<bool, Error> {
        self.data.sync()?;
        let position = self.reencryption.cooled(self.end);
        let is_last = position.to_do.start >= position.to_do.end.min(self.size);
        // A last zone that is hot is recovered from the first part that was moved. So that part is overwritten when no zone is hot.
        if !is_last || self.reencryption.moved_plain().is_some() {
            self.place(position)?;
        }
        if is_last {
            finish(self.header, self.headed, self.data, &self.reencryption, self.random)?;
        }
        Ok(is_last)
    }

    /// Moves on to another position, and writes the header with it.
    fn place(&mut self, position: luks2::reencryption::Position) -> Result<(), Error> {
        self.reencryption.position = position;
        let mut json = self.header.json.clone();
        set_segments(&mut json, &self.reencryption);
        self.header.replace(json)?;
        self.header.store(self.headed, self.random)
    }
}
