//! Known answers.

use super::{
    Extent, Side,
    exercise::{Message, aead, both_ways, crypt, digest_all_ways, expect, hash},
    layout::{LAYOUTS, Layout},
    vectors::{Known, VECTORS, Vector},
};
use crate::driver::Direction;

/// Checks the driver against every vector of its algorithm, those in `more` included; how many there are.
pub(super) fn check(subject: &Side<'_>, more: &[&'static [Vector]], extent: Extent) -> Result<usize, String> {
    let mut count = 0;
    let all = VECTORS.iter().chain(more).copied().flatten();
    for vector in all.filter(|vector| vector.name == subject.driver.name) {
        for layout in layouts(extent, count) {
            answer(subject, vector, layout, extent)
                .map_err(|why| format!("{}, {}: {why}", vector.source, layout.name))?;
        }
        count += 1;
    }
    Ok(count)
}

/// The layouts for vector number `index`: in place and one of the others, or all.
fn layouts(extent: Extent, index: usize) -> impl Iterator<Item = &'static Layout> {
    let (plain, others) = LAYOUTS.split_at(2);
    let some = [&plain[index % 2], &others[index % others.len()]];
    let all = LAYOUTS.iter().filter(move |_| extent == Extent::Long);
    some.into_iter().filter(move |_| extent == Extent::Short).chain(all)
}

fn answer(subject: &Side<'_>, vector: &Vector, layout: &Layout, extent: Extent) -> Result<(), String> {
    match vector.known {
        Known::Cipher { key, plain, cipher } => text(subject, key, &[], plain, cipher, layout),
        Known::Skcipher { key, iv, plain, cipher } => text(subject, key, iv, plain, cipher, layout),
        Known::Aead { key, iv, assoc, plain, sealed } => {
            let message = Message { iv, assoc, plain, tag_len: sealed.len() - plain.len() };
            let bits: Vec<usize> = (8 * plain.len()..8 * sealed.len()).collect();
            let flips = if extent == Extent::Short { &bits[bits.len() - 1..] } else { &bits };
            both_ways(aead(&subject.key(key)?)?, &message, sealed, flips, layout)
        }
        Known::Hash { key, message, digest } => digest_all_ways(hash(&subject.key(key)?)?, message, digest, layout),
    }
}

fn text(subject: &Side<'_>, key: &[u8], iv: &[u8], plain: &[u8], cipher: &[u8], layout: &Layout) -> Result<(), String> {
    let keyed = subject.key(key)?;
    expect("ciphertext", &crypt(&keyed, Direction::Encrypt, &mut iv.to_vec(), plain, layout)?, cipher)?;
    expect("plaintext", &crypt(&keyed, Direction::Decrypt, &mut iv.to_vec(), cipher, layout)?, plain)
}
