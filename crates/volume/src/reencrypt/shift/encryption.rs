//! An encryption that puts the header before the data.
//!
//! At the end of the disk, twice the header's length has to be free.
//!
//! ```text
//! before     │ first part │ other data            │ free                     │
//! moved      │ first part │ other data            │ header's copy │ first part │
//! begun      │ header     │ other data            │ free          │ first part │
//! at the end │ header     │ first part and other data             │ noise      │
//! ```
//!
//! All parts but the other data are as long as the header with its key slots. What is written, in this order; each step is on the disk before the next
//! begins:
//!
//! 1. the first part, to the end of the disk. The data stays where it is;
//! 2. the header with its key slots, to the free place behind the data;
//! 3. the key slots, then the header, over the first part. The header says where the first part is now.
//!
//! A failure in step 3 leaves a disk without a header, whose first part is partly overwritten. [`Interrupted::find`] recognizes such a disk: every
//! sector of the first part is either the old one or the header's. Then step 3 is done again.

use super::{CHUNK, transfer};
use crate::{
    Error, Limits, NewKey, ReadAt, SectorCipher, Unlocked, WriteAt,
    crypt::UNIT,
    format::Options,
    kdf::Budget,
    keyslots::{self, Keyslots},
    luks2,
    reencrypt::{Keys, seal, start::enter},
    storage::{self, Memory},
};
use algkit::Rng;
use luks2::{
    Direction, Mode, Reencryption, Resilience, Segment, SegmentSize,
    reencryption::{Position, Side},
};

/// The length in bytes of a header with its key slots, by which the data is shifted. Twice as many bytes have to be free at the end of the disk.
pub const SHIFT: u64 = 16 << 20;

/// Writes a header before plain data, whose first part makes room for it. The last 32 MiB of the disk are lost.
pub fn start_shifted(
    disk: &dyn WriteAt,
    options: &Options,
    passphrase: &[u8],
    random: &Rng,
) -> Result<(luks2::Header, Unlocked), Error> {
    let place = Place::of(disk)?;
    if !place.data.is_multiple_of(u64::from(options.sector_size)) {
        let reason = format!("{} bytes of data are no whole number of sectors of {}", place.data, options.sector_size);
        return Err(Error::damaged("device", reason));
    }
    if options.integrity.is_some() {
        return Err(Error::Unsupported { what: "an encryption that adds tags".to_owned() });
    }
    let key = options.new_key(random)?;
    SectorCipher::new(&options.cipher, &key, options.sector_size as usize)?.check_range(0, place.data)?;
    let mut header = luks2::Header::new(options, &key, random)?;
    let unlocked = Unlocked { slot: None, key, other: None };
    let slot = NewKey { passphrase, kdf: options.kdf.clone(), hash: &options.hash, slot: None };
    let slot = keyslots::prepare(&header, options.key_size, &slot, random)?;
    // The bytes that the disk will begin with.
    let copy = Memory::new(vec![0; SHIFT as usize]);
    keyslots::add(&mut header, &copy, &unlocked, slot, random)?;
    let reencryption = place.reencryption(&header)?;
    enter(&mut header, &reencryption)?;
    seal::renew(&mut header, &reencryption, &Keys { old: None, new: Some(&unlocked.key) }, random)?;
    header.store(&copy, random)?;

    transfer(disk, 0, disk, place.first(), SHIFT)?;
    disk.sync()?;
    transfer(&copy, 0, disk, place.data, SHIFT)?;
    disk.sync()?;
    place.put_header(disk)?;
    Ok((header, unlocked))
}

/// An encryption whose beginning was cut off in its last step, which is step 3 above.
#[derive(Debug)]
pub struct Interrupted {
    place: Place,
    header: luks2::Header,
}

impl Interrupted {
    /// Looks for the copy of the header on a disk that does not begin with a header. If there is a copy, but the first part has sectors that are neither
    /// the old ones nor the header's, somebody has written to the disk since. That is an error.
    pub fn find(disk: &dyn ReadAt) -> Result<Option<Self>, Error> {
        let Ok(place) = Place::of(disk) else { return Ok(None) };
        let view = Behind { disk, from: place.data };
        let Ok(header) = luks2::Header::read(&view) else { return Ok(None) };
        let reencryption = header.metadata.reencryption();
        let expected = place.reencryption(&header).ok();
        let is_its = |(found, expected): (Reencryption, Reencryption)| {
            found.position == expected.position
                && found.moved == expected.moved
                && found.new.segment.offset == expected.new.segment.offset
                && header.size() == SHIFT
        };
        if !reencryption.zip(expected).is_some_and(is_its) {
            return Ok(None);
        }
        let mut untouched = true;
        for at in (0..SHIFT).step_by(CHUNK as usize) {
            let [now, first, copy] =
                [at, place.first() + at, place.data + at].map(|from| storage::read(disk, from, CHUNK as usize));
            let (now, first, copy) = (now?, first?, copy?);
            let sectors = |bytes| <[u8]>::chunks(bytes, UNIT as usize);
            for ((now, first), copy) in sectors(&now).zip(sectors(&first)).zip(sectors(&copy)) {
                if now != first && now != copy {
                    return Err(Error::damaged(
                        "device",
                        format!(
                            "an encryption was begun, whose header is at byte {}, and the disk was written since; \
                             overwrite that header to begin anew",
                            place.data
                        ),
                    ));
                }
                untouched &= now == first;
            }
        }
        Ok(if untouched { None } else { Some(Self { place, header }) })
    }

    /// Does step 3 again, if the passphrase opens the header.
    pub fn go_on(self, disk: &dyn WriteAt, passphrase: &[u8], limits: &Limits) -> Result<(), Error> {
        let view = Behind { disk, from: self.place.data };
        let unlocked = keyslots::unlock(&self.header, &view, passphrase, None, &mut Budget::new(limits))?;
        let reencryption = self.header.metadata.reencryption().ok_or(Error::NotReencrypting)?;
        Keys::of(&self.header, &reencryption, &unlocked, limits)?;
        self.place.put_header(disk)
    }
}

/// The places of the parts of a disk.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The length of the data in bytes.
    data: u64,
}

impl Place {
    fn of(disk: &dyn ReadAt) -> Result<Self, Error> {
        let size = disk.size()?;
        // Else the last bytes of the data would be taken for free.
        if !size.is_multiple_of(UNIT) {
            return Err(Error::damaged("device", format!("{size} bytes are no whole number of sectors of {UNIT}")));
        }
        let data = size.checked_sub(2 * SHIFT).filter(|data| *data >= SHIFT);
        let data = data.ok_or_else(|| {
            let reason = format!("{size} bytes, and a header before the data needs {} at least", 3 * SHIFT);
            Error::damaged("device", reason)
        })?;
        Ok(Self { data })
    }

    /// The place that the first part is moved to.
    fn first(self) -> u64 {
        self.data + SHIFT
    }

    /// The reencryption that the header will describe, with the header's key and segment.
    fn reencryption(self, header: &luks2::Header) -> Result<Reencryption, Error> {
        let wrong = |reason: &str| Error::damaged("header", reason);
        let found = header.metadata.segments.values().find(|segment| segment.kind == "crypt");
        let segment = found.ok_or_else(|| wrong("it has no segment"))?;
        let digest = header.metadata.digests.iter().find(|(_, digest)| !digest.segments.is_empty());
        let (digest, _) = digest.ok_or_else(|| wrong("it has no digest"))?;
        let linear = |offset, size| Segment {
            kind: "linear".to_owned(),
            offset,
            size: SegmentSize::Bytes(size),
            iv_tweak: None,
            encryption: None,
            sector_size: None,
            integrity: None,
            flags: Vec::new(),
        };
        let gap = header.largest_gap()?;
        Ok(Reencryption {
            mode: Mode::Encrypt,
            direction: Direction::Backward,
            resilience: Resilience::Datashift { shift: SHIFT, first: None },
            slot: header.free_number()?,
            area: gap.start..gap.start + 4096,
            version: 2,
            old: Side { segment: linear(0, self.data), digest: None },
            new: Side { segment: segment.clone(), digest: Some(*digest) },
            moved: Some(linear(self.first(), SHIFT)),
            position: Position { to_do: 0..self.data, hot: None, end: self.data },
        })
    }

    /// Copies the header to the beginning of the disk: the key slots first, the header itself last.
    fn put_header(self, disk: &dyn WriteAt) -> Result<(), Error> {
        /// Both copies of the metadata.
        const METADATA: u64 = 32 << 10;
        transfer(disk, self.data + METADATA, disk, METADATA, SHIFT - METADATA)?;
        disk.sync()?;
        transfer(disk, self.data, disk, 0, METADATA)?;
        disk.sync()
    }
}

/// The part of a disk that begins at a byte.
struct Behind<'a, S: ?Sized> {
    disk: &'a S,
    from: u64,
}

impl<S: ReadAt + ?Sized> ReadAt for Behind<'_, S> {
    fn size(&self) -> Result<u64, Error> {
        Ok(self.disk.size()?.saturating_sub(self.from))
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), Error> {
        let outside = || Error::Range { offset, len: buf.len(), size: 0 };
        let from = self.from.checked_add(offset).ok_or_else(outside)?;
        self.disk.read_at(from, buf)
    }
}
