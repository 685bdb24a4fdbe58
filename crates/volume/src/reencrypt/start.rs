//! The beginning of a reencryption: the new key slots, and the header that says what will be done.

use super::{
    Keys,
    end::{is_left_over, sweep},
    seal,
    zone::{Ciphers, Sums},
};
use crate::{
    CipherSpec, Error, Key, NewKey, ReadAt, SectorCipher, Unlocked, WriteAt,
    keyslots::{self, Keyslots},
    lookup, luks2,
};
use algkit::Rng;
use luks2::{
    Direction, Mode, Reencryption, Resilience, Segment, SegmentSize,
    reencryption::{KIND, Position, Side, TO_THE_END, set_segments},
};
use serde_json::json;

/// How the hot zone is protected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protection {
    /// Not at all. That is fast, and a crash loses up to a zone.
    None,
    /// By a copy of the old bytes. The disk may tear a write anywhere.
    Journal,
    /// By checksums of the old blocks. A block is as long as the larger of the old and the new sector, and the disk must not tear its write.
    Checksum,
}

/// What becomes of the data.
#[derive(Clone, Debug)]
pub enum Change {
    /// The data gets a new key.
    Reencrypt {
        /// The new cipher.
        cipher: CipherSpec,
        /// The length of the new key in bytes.
        key_size: usize,
        /// The size of the new sectors in bytes.
        sector_size: u32,
    },
    /// Plain data is encrypted as the header says. It lies on a device of its own, from byte 0 on.
    Encrypt,
    /// The data becomes plain.
    Decrypt,
}

/// What is to be done.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What becomes of the data.
    pub change: Change,
    /// What saves the hot zone.
    pub protection: Protection,
    /// The hash of the checksums.
    pub hash: String,
    /// The length in bytes of the largest zone, for which the protection gets room. Without it, the protection gets all the room that there is.
    pub hotzone: Option<u64>,
}

impl Plan {
    /// The length in bytes of the area that protects a zone.
    fn area(&self, block: u32) -> Result<u64, Error> {
        let Some(zone) = self.hotzone else { return Ok(u64::MAX) };
        Ok(match self.protection {
            Protection::None => 1,
            Protection::Journal => zone,
            Protection::Checksum => {
                (zone / u64::from(block)).saturating_mul(Sums::new(&self.hash, block)?.size() as u64)
            }
        })
    }
}

/// Begins a reencryption of the data on `data`: writes its header to `headed`. `keys` are the passphrases of the new key. Each comes with the slot of
/// the old key whose priority and tokens the new slot takes over. The new key is returned.
pub fn start(
    header: &mut luks2::Header,
    headed: &dyn WriteAt,
    data: &dyn ReadAt,
    unlocked: Unlocked,
    keys: &[(Option<u32>, NewKey<'_>)],
    plan: &Plan,
    random: &Rng,
) -> Result<Unlocked, Error> {
    header.refuse_changed(headed)?;
    header.writable()?;
    if is_left_over(header) {
        sweep(header, headed, random)?;
    }
    if unlocked.slot.is_some_and(|slot| !header.bound().contains(&slot)) {
        return Err(Error::WrongKey);
    }
    let mut changed = header.clone();
    let unlocked = match &plan.change {
        Change::Encrypt | Change::Decrypt => unlocked,
        Change::Reencrypt { key_size, .. } => {
            let mut key = Key::new(vec![0; *key_size]);
            random.generate(&[], key.bytes_mut())?;
            Unlocked { other: Some(key), ..unlocked }
        }
    };
    let what = what(&mut changed, unlocked.other.as_ref(), &plan.change, random)?;
    if let (Mode::Reencrypt, Some(key), Some(digest)) = (what.mode, &unlocked.other, what.new.digest) {
        for (like, new) in keys {
            let slot = keyslots::prepare(&changed, key.bytes().len(), new, random)?;
            slot.seal(headed, key, random)?;
            changed.enter_under(slot.number, &slot.area, &slot.kdf, digest)?;
            if let Some(like) = like {
                resemble(&mut changed, slot.number, *like)?;
            }
        }
    }
    let reencryption = planned(&changed, what, plan)?;
    let keys = match reencryption.mode {
        Mode::Reencrypt => Keys { old: Some(&unlocked.key), new: unlocked.other.as_ref() },
        Mode::Encrypt => Keys { old: None, new: Some(&unlocked.key) },
        Mode::Decrypt => Keys { old: Some(&unlocked.key), new: None },
    };
    let size = checked_size(&reencryption, &keys, data)?;
    enter(&mut changed, &reencryption)?;
    seal::renew(&mut changed, &reencryption, &keys, random)?;
    check_room(&changed, reencryption, size)?;
    headed.sync()?;
    *header = changed;
    header.store(headed, random)?;
    Ok(unlocked)
}

/// What is done to the data, and the data before and after.
struct What {
    mode: Mode,
    direction: Direction,
    old: Side,
    new: Side,
}

/// What a change does to the volume of a header. A new key gets its digest in the header.
fn what(header: &mut luks2::Header, new_key: Option<&Key>, change: &Change, random: &Rng) -> Result<What, Error> {
    let (segment, digest) = only_segment(header)?;
    let encrypted = Side { segment: segment.clone(), digest: Some(digest) };
    let linear = Segment { kind: "linear".to_owned(), encryption: None, sector_size: None, iv_tweak: None, ..segment };
    let plain = Side { segment: linear, digest: None };
    Ok(match change {
        Change::Reencrypt { cipher, sector_size, .. } => {
            let key = new_key.ok_or(Error::WrongKey)?;
            SectorCipher::new(cipher, key, *sector_size as usize)?;
            let segment = Segment {
                encryption: Some(cipher.to_string()),
                sector_size: Some(*sector_size),
                iv_tweak: Some(0),
                ..encrypted.segment.clone()
            };
            let new = Side { segment, digest: Some(header.enter_digest(key, random)?) };
            What { mode: Mode::Reencrypt, direction: Direction::Forward, old: encrypted, new }
        }
        Change::Encrypt => {
            let on_its_own = |side: Side| Side { segment: Segment { offset: 0, ..side.segment }, ..side };
            let (old, new) = (on_its_own(plain), on_its_own(encrypted));
            What { mode: Mode::Encrypt, direction: Direction::Forward, old, new }
        }
        Change::Decrypt => What { mode: Mode::Decrypt, direction: Direction::Backward, old: encrypted, new: plain },
    })
}

/// The reencryption at its beginning, with a key slot whose area protects the hot zone.
fn planned(header: &luks2::Header, what: What, plan: &Plan) -> Result<Reencryption, Error> {
    let What { mode, direction, old, new } = what;
    let (gap, slot) = (header.largest_gap()?, header.free_number()?);
    let block = old.segment.sector_size().max(new.segment.sector_size());
    let need = plan.area(block)?.max(1).checked_next_multiple_of(4096).unwrap_or(u64::MAX);
    let area = gap.start..gap.end.min(gap.start.saturating_add(need));
    let resilience = match plan.protection {
        Protection::None => Resilience::None,
        Protection::Journal => Resilience::Journal,
        Protection::Checksum => {
            lookup::hash(&plan.hash)?;
            Resilience::Checksum { hash: plan.hash.clone(), block }
        }
    };
    let end = match old.segment.size {
        SegmentSize::Bytes(size) => size,
        SegmentSize::Dynamic => TO_THE_END,
    };
    let position = Position { to_do: 0..end, hot: None, end };
    Ok(Reencryption { mode, direction, resilience, slot, area, version: 2, old, new, moved: None, position })
}

/// The length of the data in bytes. What would stop the reencryption is found here, because one that has begun cannot be taken back.
fn checked_size(reencryption: &Reencryption, keys: &Keys<'_>, data: &dyn ReadAt) -> Result<u64, Error> {
    let device = data.size()?;
    let size = reencryption.size(device)?;
    let to_the_end = reencryption.new.segment.size == SegmentSize::Dynamic;
    // Plain data reaches to the end of the device, and its last bytes may not stay plain.
    let all = if reencryption.mode == Mode::Encrypt && to_the_end { device } else { size };
    let block = reencryption.granule();
    if !all.is_multiple_of(block) {
        return Err(Error::damaged(
            "device",
            format!("its data of {all} bytes is no whole number of sectors of {block}"),
        ));
    }
    Ciphers::new(reencryption, keys)?.check_range(size)?;
    reencryption.check_end(size, device)?;
    Ok(size)
}

/// An error if the header would have no room at some time. It is longest while a zone is hot that has old data behind it and new data before it.
pub(super) fn check_room(header: &luks2::Header, mut reencryption: Reencryption, size: u64) -> Result<(), Error> {
    /// By so many bytes a header may be longer: numbers of other zones have other digits. There are nine in three segments.
    const DIGITS: usize = 9 * 16;
    let (mut header, block, end) = (header.clone(), reencryption.granule(), reencryption.position.end);
    let first = reencryption.first_is_last().unwrap_or(0);
    let middle = first + (size - first) / block / 2 * block;
    let zone = if middle < size { middle..middle + block } else { 0..first };
    reencryption.position = reencryption.heated(zone, end, size);
    enter(&mut header, &reencryption)?;
    header.fits(DIGITS)
}

/// The volume's only segment, and its digest. It is an error if there are more, or if the sectors have tags.
pub(super) fn only_segment(header: &luks2::Header) -> Result<(Segment, u32), Error> {
    let unsupported = |what: &str| Err(Error::Unsupported { what: format!("the reencryption of {what}") });
    let mut segments = header.metadata.segments.iter();
    let (Some((id, segment)), None) = (segments.next(), segments.next()) else {
        return unsupported("a volume with several segments");
    };
    if segment.integrity.is_some() {
        return unsupported("a volume with integrity");
    }
    let digest = header.metadata.digests.iter().find(|(_, digest)| digest.segments.contains(id));
    match digest {
        Some((digest, _)) if segment.kind == "crypt" && segment.flags.is_empty() => Ok((segment.clone(), *digest)),
        _ => unsupported("this segment"),
    }
}

/// Gives a slot the priority of another, and puts it into the tokens that list the other.
fn resemble(header: &mut luks2::Header, slot: u32, like: u32) -> Result<(), Error> {
    let (number, like_number) = (slot.to_string(), serde_json::Value::from(like.to_string()));
    let mut json = header.json.clone();
    if let Some(priority) = header.metadata.keyslots.get(&like).and_then(|slot| slot.priority) {
        json["keyslots"][&number]["priority"] = priority.into();
    }
    for token in json["tokens"].as_object_mut().into_iter().flat_map(|tokens| tokens.values_mut()) {
        if let Some(slots) = token.get_mut("keyslots").and_then(|slots| slots.as_array_mut())
            && slots.contains(&like_number)
        {
            slots.push(number.clone().into());
        }
    }
    header.replace(json)
}

/// Puts the reencryption into the metadata.
pub(super) fn enter(header: &mut luks2::Header, reencryption: &Reencryption) -> Result<(), Error> {
    let mut json = header.json.clone();
    json["keyslots"][reencryption.slot.to_string()] = json!({
        "type": KIND,
        // The specification demands a size.
        "key_size": 1,
        "mode": reencryption.mode.name(),
        "direction": reencryption.direction.name(),
        "area": reencryption.resilience.area(&reencryption.area),
    });
    json["config"]["requirements"]["mandatory"] = json!([reencryption.requirement()]);
    set_segments(&mut json, reencryption);
    header.replace(json)
}
