//! A decryption that puts the data where the header was.
//!
//! ```text
//! before     │ header                     │ data                         │
//! begun      │ first part (encrypted)     │ the same, and the other data │
//! at the end │ first part and other data                 │ noise         │
//! ```
//!
//! Each step is on the disk before the next begins:
//!
//! 1. the header with its key slots, to a file of its own, with a token that tells what will be done. Both headers open the volume;
//! 2. the first part, encrypted as it is, over the header. The data stays where it is, and the file opens the volume;
//! 3. the header in the file: it says where the first part is now.
//!
//! A failure before step 3 is over leaves the token, and steps 2 and 3 are done again. From then on each zone is written to a place whose old
//! bytes are done. The first part comes last, as it is decrypted where it lies.

use super::transfer;
use crate::{
    Error, ReadAt, Unlocked, WriteAt,
    keyslots::Keyslots,
    luks2,
    reencrypt::{
        Keys, Plan, Protection, seal,
        start::{check_room, enter, only_segment},
        zone::{Ciphers, Sums},
    },
};
use algkit::Rng;
use luks2::{
    Direction, Mode, Reencryption, Resilience, Segment, SegmentSize,
    reencryption::{Position, Side, TO_THE_END},
};
use serde_json::json;

/// The type of the token of a header that was copied for a decryption which moves the data.
const TOKEN: &str = "algkit-decryption";

/// Copies a header with its key slots from `disk` to `file`, and says in the copy that the data will be moved to where the header was. What
/// [`start_moving`] would refuse is refused here, so that no copy is left for nothing.
pub fn detach(
    header: &luks2::Header,
    disk: &dyn ReadAt,
    file: &dyn WriteAt,
    unlocked: &Unlocked,
    plan: &Plan,
    random: &Rng,
) -> Result<(), Error> {
    header.refuse_changed(disk)?;
    header.writable()?;
    let (segment, _) = only_segment(header)?;
    if segment.size != SegmentSize::Dynamic {
        return Err(Error::Unsupported { what: "moving data whose length the header says".to_owned() });
    }
    let mut copy = header.clone();
    let mut json = copy.json.clone();
    let number = copy.free_token().ok_or_else(|| Error::damaged("header", "it has 32 tokens already"))?;
    json["tokens"][number.to_string()] = json!({"type": TOKEN, "keyslots": []});
    copy.replace(json)?;
    Moving::of(&copy, disk, unlocked, plan, random)?;
    let areas = 2 * header.binary.header_size;
    transfer(disk, areas, file, areas, header.size() - areas)?;
    file.sync()?;
    copy.store(file, random)
}

/// Whether a header was made by [`detach`], and its decryption has not begun.
pub fn is_detached(header: &luks2::Header) -> bool {
    header.metadata.tokens.values().any(|token| token["type"] == TOKEN)
}

/// Begins a decryption that moves the data to the beginning of `disk`. Its header was copied to `headed` by [`detach`].
pub fn start_moving(
    header: &mut luks2::Header,
    headed: &dyn WriteAt,
    disk: &dyn WriteAt,
    unlocked: &Unlocked,
    plan: &Plan,
    random: &Rng,
) -> Result<(), Error> {
    header.refuse_changed(headed)?;
    header.writable()?;
    let Moving { changed, shift, first } = Moving::of(header, disk, unlocked, plan, random)?;
    transfer(disk, shift, disk, 0, first)?;
    disk.sync()?;
    *header = changed;
    header.store(headed, random)
}

/// A decryption that moves the data, before anything of it is written.
struct Moving {
    /// The header that says so.
    changed: luks2::Header,
    /// Where the data lies.
    shift: u64,
    /// The length of its first part.
    first: u64,
}

impl Moving {
    fn of(
        header: &luks2::Header,
        disk: &dyn ReadAt,
        unlocked: &Unlocked,
        plan: &Plan,
        random: &Rng,
    ) -> Result<Self, Error> {
        let mut changed = header.clone();
        let mut json = changed.json.clone();
        if let Some(tokens) = json["tokens"].as_object_mut() {
            tokens.retain(|_, token| token["type"] != TOKEN);
        }
        changed.replace(json)?;
        let (old, digest) = only_segment(&changed)?;
        // If the copy was made long ago, the data may have another key by now, and would be lost.
        if let Ok(there) = luks2::Header::read(disk)
            && !only_segment(&there).is_ok_and(|(segment, its)| {
                segment == old && there.metadata.digests[&its].digest == changed.metadata.digests[&digest].digest
            })
        {
            let reason = "it was copied from the image, whose header is another one by now; remove it, and begin anew";
            return Err(Error::damaged("header", reason));
        }
        let (shift, block) = (old.offset, old.sector_size());
        let size = disk.size()?.saturating_sub(shift);
        if size == 0 || !size.is_multiple_of(u64::from(block)) {
            let reason = format!("its data of {size} bytes is no whole number of sectors of {block}");
            return Err(Error::damaged("device", reason));
        }
        let gap = changed.largest_gap()?;
        let (protection, most) = protection(plan, gap.end - gap.start, block)?;
        let most = most.min(plan.hotzone.unwrap_or(u64::MAX));
        let first = size.min(shift).min(most - most % u64::from(block));
        let linear = Segment {
            kind: "linear".to_owned(),
            offset: 0,
            encryption: None,
            sector_size: None,
            iv_tweak: None,
            ..old.clone()
        };
        let moved = Segment { offset: 0, size: SegmentSize::Bytes(first), ..old.clone() };
        let position = match first == size {
            true => Position { to_do: 0..first, hot: None, end: first },
            false => Position { to_do: first..TO_THE_END, hot: None, end: TO_THE_END },
        };
        let reencryption = Reencryption {
            mode: Mode::Decrypt,
            direction: Direction::Forward,
            resilience: Resilience::Datashift { shift, first: Some(Box::new(protection)) },
            slot: changed.free_number()?,
            area: gap,
            version: 3,
            old: Side { segment: old, digest: Some(digest) },
            new: Side { segment: linear, digest: None },
            moved: Some(moved),
            position,
        };
        let keys = Keys { old: Some(&unlocked.key), new: None };
        Ciphers::new(&reencryption, &keys)?.check_range(size)?;
        enter(&mut changed, &reencryption)?;
        seal::renew(&mut changed, &reencryption, &keys, random)?;
        check_room(&changed, reencryption, size)?;
        Ok(Self { changed, shift, first })
    }
}

/// What protects the first part of the data, and the number of bytes for which an area of `room` bytes is long enough.
fn protection(plan: &Plan, room: u64, block: u32) -> Result<(Resilience, u64), Error> {
    match plan.protection {
        Protection::None => {
            let reason = "the first part of the data is decrypted where it lies, which needs a journal or checksums";
            Err(Error::damaged("resilience", reason))
        }
        Protection::Journal => Ok((Resilience::Journal, room)),
        Protection::Checksum => {
            let most = Sums::new(&plan.hash, block)?.covers(room);
            Ok((Resilience::Checksum { hash: plan.hash.clone(), block }, most))
        }
    }
}
