//! LUKS1 to LUKS2 and back, in place. Data and keys stay as they are, and so do the contents of key slots.
//!
//! LUKS2 has two copies of its header in the first 32 KiB, where LUKS1 has its header of two sectors and, usually, the area of key slot 0. Every step is on
//! the storage before the next begins, and between any two, one header is good and all of its key slots open:
//!
//! 1. To LUKS2. Key slots in the first 32 KiB are copied to the places of slots that are not in use, and the LUKS1 header is written with the new
//!    places. Then the second copy of the LUKS2 header is written, which no program looks at yet. Then the first sector of the first copy: from now on
//!    the header is one of LUKS2, whose first copy is damaged, so the second copy is used. Then the rest of the first copy, which is good with it.
//!    At last the old places are overwritten.
//! 2. To LUKS1. First the second sector of the LUKS1 header is written. It damages the first copy of the LUKS2 header, so the second copy is used. Then the
//!    first sector: from now on the header is one of LUKS1. At last the remains of LUKS2 are overwritten.
//!
//! A LUKS1 header with data at 2 MiB is full. Its eight areas only fit if they lie one behind the other, from byte 4096 on, or in LUKS2 from byte 32768
//! on. So while the header is one of LUKS2, before or after the conversion, areas are moved one by one until there is room for eight, as far as free
//! places allow. cryptsetup converts back only such headers.

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

/// The place of the first area in LUKS1.
const LUKS1_ORIGIN: u64 = 4096;

/// The largest number of places that are looked at.
const MOST_PLACES: usize = 64;

/// An area of a key slot that is moved.
struct Move {
    from: Range<u64>,
    to: u64,
}

impl Move {
    /// Copies the area to its new place. The copy is on the storage when this returns.
    fn copy(&self, storage: &dyn WriteAt) -> Result<(), Error> {
        let (have, end) = (storage.size()?, self.to + (self.from.end - self.from.start));
        if have < end {
            // Writing would make a file longer, and fail on a block device.
            let reason = format!("a key slot would end at byte {end}, and the device has {have}");
            return Err(Error::damaged("device", reason));
        }
        let stripes = storage::read(storage, self.from.start, (self.from.end - self.from.start) as usize)?;
        storage.write_at(self.to, &stripes)?;
        storage.sync()
    }
}

impl Header {
    /// Converts the header on `storage` to the other version, and returns the new header.
    ///
    /// For LUKS2, a key slot must be free, unless no area lies in the first 32 KiB. For LUKS1, the volume must have one segment with sectors of 512 bytes,
    /// and no tokens; it must have at most eight key slots, all of them with PBKDF2, with the same hash and with the cipher of the data. Labels are lost.
    pub fn convert(self, version: Version, storage: &dyn WriteAt, random: &Rng) -> Result<Self, Error> {
        self.refuse_changed(storage)?;
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
    // LUKS2 has no place for a slot that may hold a key.
    if let Some(warning) = old.warnings().first() {
        return Err(Error::damaged("LUKS1 header", format!("{warning}; repair it first")));
    }
    let moved = move_slots(&mut old)?;
    // A header that LUKS2 cannot express is refused before anything is written.
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

/// Gives the places of slots that are not in use to those key slots whose areas lie where the LUKS2 header will be. Returns the areas to copy.
fn move_slots(header: &mut luks1::Header) -> Result<Vec<Move>, Error> {
    let mut moved = Vec::new();
    let is_good = |area: &Range<u64>| area.start >= FIRST_AREA && area.start.is_multiple_of(4096);
    for number in 0..luks1::SLOTS {
        let from = header.area(&header.slots[number]);
        if !header.slots[number].is_enabled() || is_good(&from) {
            continue;
        }
        let free = header.slots.iter().position(|slot| slot.is_free() && is_good(&header.area(slot)));
        let free = free.ok_or(Error::NoRoom { size: from.end - from.start })?;
        moved.push(Move { from, to: header.area(&header.slots[free]).start });
        let offset = header.slots[number].offset;
        header.slots[number].offset = header.slots[free].offset;
        header.slots[free].offset = offset;
    }
    Ok(moved)
}

/// Moves areas of key slots so that they lie one behind the other from `origin` on, as far as free places allow.
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
    // If a copy were damaged already, no good copy would be left.
    if old.copies != luks2::Copies::Both {
        return Err(Error::damaged("LUKS2 header", "one of its copies is damaged; repair it first"));
    }
    // A header that LUKS1 cannot express is refused before anything is written. Areas are moved later, so room is not checked here.
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
