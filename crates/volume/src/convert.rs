//! LUKS1 to LUKS2 and back, in place, without touching data or keys: the areas of key slots stay as they are.
//!
//! LUKS2 has two copies of its header in the first 32 KiB, where LUKS1 has its header of two sectors and, usually, the area of key slot 0. Every step is on
//! the storage before the next begins, and between any two, one header is good and all of its key slots open:
//!
//! 1. To LUKS2. Key slots in the first 32 KiB are copied to places of slots that are not in use, and the LUKS1 header is written with the new places. The
//!    second copy of the new header is written, which nothing looks at yet. The first sector makes the header one of LUKS2, whose first copy is damaged,
//!    so that the second serves; the rest mends it. What stood in the old places is overwritten.
//! 2. To LUKS1. Its second sector damages the first copy of the LUKS2 header, so that the second serves; its first sector makes the header one of LUKS1. What is
//!    left of LUKS2 is overwritten.
//!
//! A LUKS1 header with data at 2 MiB is full: its eight areas fit one behind the other from byte 4096 on, and in LUKS2 from byte 32768 on, and in no other
//! way. So in LUKS2, before or after, areas are moved one by one to where they leave room for eight, as far as there are free places. cryptsetup
//! converts no other headers.

use crate::{
    Error, Header, Version, WriteAt,
    crypt::UNIT,
    format::wipe_range,
    keyslots::Keyslots,
    luks1,
    luks2::{self, convert::FIRST_AREA},
    slot::STRIPES,
    storage,
};
use algkit::Rng;
use std::ops::Range;

/// Where the areas of LUKS1 begin.
const LUKS1_ORIGIN: u64 = 4096;

/// The most places that are looked at.
const MOST_PLACES: usize = 64;

/// A key slot's area, whose bytes are moved.
struct Move {
    from: Range<u64>,
    to: u64,
}

impl Move {
    /// Copies the bytes. They are on the storage when this returns.
    fn copy(&self, storage: &dyn WriteAt) -> Result<(), Error> {
        let (have, end) = (storage.size()?, self.to + (self.from.end - self.from.start));
        if have < end {
            // A file would grow, and a device refuse.
            let reason = format!("a key slot would end at byte {end}, and the device has {have}");
            return Err(Error::damaged("device", reason));
        }
        let stripes = storage::read(storage, self.from.start, (self.from.end - self.from.start) as usize)?;
        storage.write_at(self.to, &stripes)?;
        storage.sync()
    }
}

impl Header {
    /// Makes the header on `storage` one of the other version, which it returns.
    ///
    /// To LUKS2 there must be a key slot that is not in use, unless no area lies in the first 32 KiB. LUKS1 has one segment of sectors of 512 bytes, at most
    /// eight key slots, all with PBKDF2, one hash, and the cipher of the data, and no tokens; labels are lost.
    pub fn convert(self, version: Version, storage: &dyn WriteAt, random: &Rng) -> Result<Self, Error> {
        match (self, version) {
            (Self::Luks1(header), Version::Luks2) => to_luks2(*header, storage, random).map(Box::new).map(Self::Luks2),
            (Self::Luks2(header), Version::Luks1) => to_luks1(*header, storage, random).map(Box::new).map(Self::Luks1),
            (Self::Luks1(_), Version::Luks1) => Err(Error::damaged("conversion", "it is LUKS1 already")),
            (Self::Luks2(_), Version::Luks2) => Err(Error::damaged("conversion", "it is LUKS2 already")),
        }
    }
}

fn to_luks2(mut old: luks1::Header, storage: &dyn WriteAt, random: &Rng) -> Result<luks2::Header, Error> {
    let size = storage.size()?;
    let end = if old.data_offset() == 0 { size } else { old.data_offset() };
    let moved = move_slots(&mut old)?;
    // What LUKS2 cannot say is told of before anything is written.
    let mut new = luks2::Header::of_luks1(&old, end)?;
    let copies = new.copies(random)?;
    for area in &moved {
        area.copy(storage)?;
    }
    if !moved.is_empty() {
        old.store(storage, random)?;
    }
    let [first, second] = copies;
    let (sector, rest) = first.1.split_at(UNIT as usize);
    for (offset, bytes) in [(second.0, &second.1[..]), (0, sector), (UNIT, rest)] {
        storage.write_at(offset, bytes)?;
        storage.sync()?;
    }
    for Move { from, .. } in moved {
        wipe_range(storage, from.start.max(FIRST_AREA)..from.end)?;
    }
    align(&mut new, storage, FIRST_AREA, random)?;
    Ok(new)
}

/// Gives key slots whose areas are in the place of the LUKS2 header the places of slots that are not in use: what has to be copied.
fn move_slots(header: &mut luks1::Header) -> Result<Vec<Move>, Error> {
    let mut moved = Vec::new();
    let is_good = |area: &Range<u64>| area.start >= FIRST_AREA && area.start.is_multiple_of(4096);
    for number in 0..luks1::SLOTS {
        let from = header.area(&header.slots[number]);
        if !header.slots[number].enabled || is_good(&from) {
            continue;
        }
        let free = header.slots.iter().position(|slot| !slot.enabled && is_good(&header.area(slot)));
        let free = free.ok_or(Error::NoRoom { size: from.end - from.start })?;
        moved.push(Move { from, to: header.area(&header.slots[free]).start });
        let offset = header.slots[number].offset;
        header.slots[number].offset = header.slots[free].offset;
        header.slots[free].offset = offset;
    }
    Ok(moved)
}

/// Moves areas of key slots to where they lie one behind the other from `origin` on, as far as there are free places.
fn align(header: &mut luks2::Header, storage: &dyn WriteAt, origin: u64, random: &Rng) -> Result<(), Error> {
    let numbers: Vec<u32> = header.metadata.keyslots.keys().copied().collect();
    let area = |header: &luks2::Header, number: u32| {
        let area = &header.metadata.keyslots[&number].area;
        area.offset..area.offset + area.size
    };
    for &number in &numbers {
        let from = area(header, number);
        let len = (u64::from(header.metadata.keyslots[&number].key_size) * u64::from(STRIPES)).next_multiple_of(4096);
        if from.end - from.start > len || (from.start - origin).is_multiple_of(len) {
            continue;
        }
        let is_free = |place: &u64| {
            let others = || numbers.iter().map(|number| area(header, *number));
            *place >= 2 * header.binary.header_size
                && others().all(|other| other.end <= *place || other.start >= place + len)
        };
        let places = (origin..).step_by(len as usize).take_while(|place| place + len <= header.size());
        let Some(to) = places.take(MOST_PLACES).find(is_free) else { continue };
        let moved = Move { from, to };
        moved.copy(storage)?;
        header.move_area(number, to)?;
        header.store(storage, random)?;
        wipe_range(storage, moved.from)?;
    }
    Ok(())
}

fn to_luks1(mut old: luks2::Header, storage: &dyn WriteAt, random: &Rng) -> Result<luks1::Header, Error> {
    // A copy that is damaged already would leave none.
    if old.copies != luks2::Copies::Both {
        return Err(Error::damaged("LUKS2 header", "one of its copies is damaged; repair it first"));
    }
    // What LUKS1 cannot say is told of before anything is written. Room comes with the alignment.
    let size = storage.size()?;
    let check = |header: &luks1::Header| header.check(size).map_err(|reason| Error::damaged("conversion", reason));
    match old.to_luks1() {
        Ok(new) => check(&new)?,
        Err(Error::NoRoom { .. }) => {}
        Err(error) => return Err(error),
    }
    align(&mut old, storage, LUKS1_ORIGIN, random)?;
    let mut new = old.to_luks1()?;
    check(&new)?;
    new.store(storage, random)?;
    wipe_range(storage, luks1::FIRST_AREA..2 * old.binary.header_size)?;
    Ok(new)
}
