//! Keys, IVs and lengths for random comparisons, chosen to reach corner cases.

use super::{Extent, random::Random};
use crate::{Driver, Name, Sizes, cpu::FeatureSet, driver::AeadOps, templates::authenc::authenc_key};

/// Text lengths of a short test: around one block of every cipher, and beyond the largest batch.
const SHORT_LENGTHS: &[usize] = &[0, 1, 15, 16, 17, 31, 33, 64, 127, 257, 528, 1111];

/// Message lengths of a short test for hashes, whose references are fast.
const SHORT_MESSAGES: &[usize] = &[0, 1, 16, 17, 63, 64, 65, 127, 128, 257, 528, 1111, 3333];

/// Lengths of associated data in bytes.
const ASSOC: &[usize] = &[0, 1, 8, 13, 16, 20, 24, 33, 64, 130];

/// Additional lengths for a long test: CCM encodes lengths from 0xff00 on differently.
const LONG_ASSOC: &[usize] = &[255, 256, 1000, 0xfeff, 0xff00, 0xff01];

/// Text lengths at the ends of batches: `n` blocks of 16 or 64 bytes, for every `n` in use.
const BATCHES: &[usize] = &[384, 512, 768, 1024, 1536, 2048, 3072, 4096];

/// The key lengths to try when a driver accepts an interval of lengths, and those of `authenc`'s authentication keys.
const KEY_LENGTHS: &[usize] = &[0, 1, 4, 5, 8, 13, 16, 20, 24, 31, 32, 33, 56, 64, 65, 128, 129, 144, 145, 200];

/// The encryption key lengths that some cipher accepts, for keys of `authenc`.
const ENC_KEY_LENGTHS: &[usize] = &[0, 8, 16, 20, 24, 28, 32, 36, 48, 64];

/// Keys for `driver`. Keys for `authenc` have every encryption key length that any cipher accepts, each with an
/// authentication key of a length that the driver accepts, if there is one.
pub(super) fn keys(
    driver: &Driver,
    takes: impl Fn(&[u8]) -> bool,
    extent: Extent,
    random: &mut Random,
) -> Vec<Vec<u8>> {
    if is_authenc(driver) {
        let mut keys = Vec::new();
        for &enc_len in ENC_KEY_LENGTHS {
            // Starts at a random length, because HMAC accepts all of them.
            let first = random.below(KEY_LENGTHS.len());
            let auth_lens = KEY_LENGTHS.iter().cycle().skip(first).take(KEY_LENGTHS.len());
            let mut of_length = |&auth_len| authenc_key(&random.bytes(auth_len), &random.bytes(enc_len)).to_vec();
            keys.extend(auth_lens.map(&mut of_length).find(|key| takes(key)));
        }
        return keys;
    }
    let mut lengths = match &driver.shape.keys {
        Sizes::OneOf(list) => list.to_vec(),
        keys @ (Sizes::Between(min, max) | Sizes::EvenBetween(min, max)) => {
            let mut list: Vec<_> = KEY_LENGTHS.iter().copied().filter(|n| keys.allows(*n)).collect();
            if extent == Extent::Short {
                // The shortest, the longest and one in between.
                list = list.iter().copied().step_by((list.len() / 2).max(1)).collect();
            }
            list.extend([*min, *max].into_iter().filter(|&n| n <= 256));
            list
        }
    };
    if driver.shape.optional_key {
        lengths.push(0);
    }
    lengths.sort_unstable();
    lengths.dedup();
    let mut keys: Vec<_> = lengths.into_iter().map(|len| random.bytes(len)).collect();
    if driver.name.starts_with("vmac64(") {
        // A key starts with a nonce of 127 bits.
        keys.iter_mut().for_each(|key| key[0] &= 0x7f);
    }
    keys
}

/// Whether the keys of `driver` are those of `authenc`.
pub(super) fn is_authenc(driver: &Driver) -> bool {
    fn any(name: &Name) -> bool {
        name.is_authenc() || name.args.iter().any(any)
    }
    Name::parse(&driver.name).is_ok_and(|name| any(&name))
}

/// An IV for `driver`: random, or such that a counter soon overflows at 32, 64 or 128 bits.
pub(super) fn iv(driver: &Driver, random: &mut Random) -> Vec<u8> {
    let mut iv = random.bytes(driver.shape.ivsize);
    let len = iv.len();
    match random.below(8) {
        0 => iv.fill(0xff),
        1 => iv[len.saturating_sub(4)..].fill(0xff),
        2 => iv[len.saturating_sub(8)..].fill(0xff),
        3 => iv[..len.min(4)].fill(0xff),
        4 => iv[..len.min(8)].fill(0xff),
        _ => {}
    }
    if driver.name.starts_with("ccm(") {
        // The size of the length field minus 1.
        iv[0] = 1 + random.below(7) as u8;
    }
    iv
}

/// Text lengths that `driver` accepts.
pub(super) fn text_lengths(driver: &Driver, extent: Extent, random: &mut Random) -> Vec<usize> {
    let shape = &driver.shape;
    let lengths = if shape.digestsize > 0 { SHORT_MESSAGES } else { SHORT_LENGTHS };
    let mut lengths: Vec<usize> = match extent {
        // The longest messages are for hashes that process many blocks at a time; portable ones do not.
        Extent::Short if shape.digestsize > 0 && driver.needs == FeatureSet::NONE => {
            lengths.iter().copied().filter(|n| *n < 1000).collect()
        }
        Extent::Short => lengths.to_vec(),
        Extent::Long => (0..=272)
            .chain(BATCHES.iter().flat_map(|n| [n - 17, n - 1, *n, n + 1, n + 16, n + 31]))
            .chain((0..64).map(|_| random.below(4200)))
            .collect(),
    };
    lengths.iter_mut().for_each(|len| *len = fit(driver, *len));
    lengths.dedup();
    lengths
}

/// Whether the texts of `driver` begin with room for an IV.
fn has_room_for_iv(driver: &Driver) -> bool {
    Name::parse(&driver.name).is_ok_and(|name| matches!(&*name.base, "seqiv" | "echainiv"))
}

/// A text length near `len` that `driver` accepts.
pub(super) fn fit(driver: &Driver, len: usize) -> usize {
    driver.shape.fit(if has_room_for_iv(driver) { len.max(driver.shape.ivsize) } else { len })
}

/// Lengths of associated data; a driver need not accept all of them. Long ones are slow, so a long test includes
/// them only sometimes.
pub(super) fn assoc_lengths(extent: Extent, random: &mut Random) -> impl Iterator<Item = usize> {
    let long = extent == Extent::Long && random.below(16) == 0;
    ASSOC.iter().chain(LONG_ASSOC.iter().filter(move |_| long)).copied()
}

/// Associated data of a length that `ops` accepts.
pub(super) fn taken_assoc(
    ops: &dyn AeadOps,
    iv: &[u8],
    text_len: usize,
    extent: Extent,
    random: &mut Random,
) -> Result<Vec<u8>, String> {
    let taken = assoc_lengths(extent, random).filter(|&len| ops.check(iv, len, text_len as u64).is_ok());
    let taken: Vec<_> = taken.collect();
    let len = *taken.get(random.below(taken.len().max(1))).ok_or("takes no length of associated data")?;
    Ok(random.bytes(len))
}

/// A random tag length out of `tags`.
pub(super) fn tag_length(tags: &Sizes, random: &mut Random) -> usize {
    match tags {
        Sizes::OneOf(list) => list[random.below(list.len())],
        Sizes::Between(min, max) => min + random.below(max - min + 1),
        Sizes::EvenBetween(min, max) => min + 2 * random.below((max - min) / 2 + 1),
    }
}
