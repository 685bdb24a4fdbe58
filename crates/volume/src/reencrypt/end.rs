//! The end of a reencryption: the header without it, and then the areas of the key slots that this header has no more are overwritten.
//!
//! Until they are, a token of the header lists them. Programs leave a token alone whose type they do not know, so cryptsetup opens the volume meanwhile.

use super::zone::bytes_of;
use crate::{Error, WriteAt, keyslots::Keyslots, luks2, slot::wipe};
use algkit::Rng;
use luks2::{Reencryption, reencryption::set_final_segment};
use serde_json::{Value, json};
use std::ops::Range;

/// The type of the token.
const TOKEN: &str = "algkit-overwrite";

/// The most areas that are read from tokens: those of all key slots of two reencryptions.
const MOST: usize = 64;

/// Ends a reencryption whose zones are all done. Plain data that was moved out of the header's way is overwritten before the header says that all is done.
pub(super) fn finish(
    header: &mut luks2::Header,
    headed: &dyn WriteAt,
    data: &dyn WriteAt,
    reencryption: &Reencryption,
    random: &Rng,
) -> Result<(), Error> {
    if let Some(moved) = reencryption.moved_plain() {
        let moved = bytes_of(moved)?;
        wipe(data, moved.start, moved.end - moved.start, random)?;
    }
    let mut json = header.json.clone();
    set_final_segment(&mut json, reencryption);
    if let Some(config) = json["config"].as_object_mut() {
        config.remove("requirements");
    }
    let old = reencryption.old.digest.filter(|old| Some(*old) != reencryption.new.digest);
    let old = old.and_then(|old| header.metadata.digests.get(&old));
    let mut areas = Vec::new();
    // A slot that somebody made for another key (`cryptsetup luksAddKey --unbound`) has a digest of its own, and stays.
    for number in old.into_iter().flat_map(|digest| &digest.keyslots).chain([&reencryption.slot]) {
        areas.extend(
            header.metadata.keyslots.get(number).map(|slot| slot.area.offset..slot.area.offset + slot.area.size),
        );
        luks2::Header::forget(&mut json, *number);
        if let Some(slots) = json["keyslots"].as_object_mut() {
            slots.remove(&number.to_string());
        }
    }
    let is_empty = |list: &Value| list.as_array().is_none_or(Vec::is_empty);
    if let Some(digests) = json["digests"].as_object_mut() {
        digests.retain(|_, digest| !is_empty(&digest["keyslots"]) || !is_empty(&digest["segments"]));
    }
    // Of 32 tokens none is free. Then nothing tells of a failure between the header and what follows it.
    if let Some(number) = header.free_token() {
        let area = |area: &Range<u64>| json!([area.start.to_string(), area.end.to_string()]);
        let areas: Vec<_> = areas.iter().map(area).collect();
        json["tokens"][number.to_string()] = json!({"type": TOKEN, "keyslots": [], "areas": areas});
    }
    header.replace(json)?;
    header.store(headed, random)?;
    overwrite(header, headed, &areas, random)
}

/// Whether [`sweep`] has something to overwrite.
pub fn is_left_over(header: &luks2::Header) -> bool {
    header.writable().is_ok() && header.metadata.tokens.values().any(is_ours)
}

/// Overwrites what is left if the end of a reencryption was cut off; [`Error::NotReencrypting`] if nothing is. It needs no key.
pub fn sweep(header: &mut luks2::Header, headed: &dyn WriteAt, random: &Rng) -> Result<(), Error> {
    header.writable()?;
    if is_left_over(header) { overwrite(header, headed, &listed(header), random) } else { Err(Error::NotReencrypting) }
}

fn is_ours(token: &Value) -> bool {
    token["type"] == TOKEN
}

/// The areas that tokens list.
fn listed(header: &luks2::Header) -> Vec<Range<u64>> {
    let tokens = header.metadata.tokens.values().filter(|token| is_ours(token));
    let areas = tokens.filter_map(|token| token["areas"].as_array()).flatten();
    let number = |text: &Value| text.as_str()?.parse::<u64>().ok();
    areas.filter_map(|area| Some(number(&area[0])?..number(&area[1])?)).take(MOST).collect()
}

/// Overwrites areas, and then removes the tokens. Key slots that another program has made there since stay as they are.
fn overwrite(
    header: &mut luks2::Header,
    headed: &dyn WriteAt,
    areas: &[Range<u64>],
    random: &Rng,
) -> Result<(), Error> {
    for gap in header.gaps() {
        for part in areas.iter().map(|area| area.start.max(gap.start)..area.end.min(gap.end)) {
            wipe(headed, part.start, part.end.saturating_sub(part.start), random)?;
        }
    }
    let mut json = header.json.clone();
    if let Some(tokens) = json["tokens"].as_object_mut() {
        tokens.retain(|_, token| !is_ours(token));
    }
    header.replace(json)?;
    header.store(headed, random)
}
