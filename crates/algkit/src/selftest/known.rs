//! Known-answer tests.

use super::{
    Extent, Side,
    exercise::{Message, aead, both_ways, crypt, digest_all_ways, expect, hash, rng},
    layout::{LAYOUTS, Layout},
    vectors::{Known, VECTORS, Vector},
};
use crate::driver::{Direction, Driver, Failure, Type};

/// Checks the driver against every vector of its algorithm, including those in `more`; returns their number.
pub(super) fn check(subject: &Side<'_>, more: &[&'static [Vector]], extent: Extent) -> Result<usize, String> {
    let mut count = 0;
    let all = VECTORS.iter().chain(more).copied().flatten();
    for vector in all.filter(|vector| is_of(vector, subject)) {
        for layout in layouts(extent, count) {
            answer(subject, vector, layout, extent)
                .map_err(|why| format!("{}, {}: {why}", vector.source, layout.name))?;
        }
        count += 1;
    }
    Ok(count)
}

/// Whether `vector` belongs to the driver's algorithm.
fn is_of(vector: &Vector, subject: &Side<'_>) -> bool {
    let Driver { name, driver, kind, .. } = subject.driver;
    vector.name == if *kind == Type::Rng { driver } else { name }
}

/// The layouts for vector number `index`: all in a long test, else one of the first two and one of the others.
fn layouts(extent: Extent, index: usize) -> impl Iterator<Item = &'static Layout> {
    let (plain, others) = LAYOUTS.split_at(2);
    let two = [&plain[index % 2], &others[index % others.len()]];
    let all = LAYOUTS.iter().filter(move |_| extent == Extent::Long);
    two.into_iter().filter(move |_| extent == Extent::Short).chain(all)
}

fn answer(subject: &Side<'_>, vector: &Vector, layout: &Layout, extent: Extent) -> Result<(), String> {
    match vector.known {
        Known::Cipher { key, plain, cipher } => text(subject, key, &[], plain, cipher, layout),
        Known::Skcipher { key, iv, plain, cipher } => text(subject, key, iv, plain, cipher, layout),
        Known::Aead { key, iv, assoc, plain, sealed } => {
            let message = Message { iv, assoc, plain, tag_len: sealed.len() - plain.len() };
            let bits: Vec<usize> = (8 * plain.len()..8 * sealed.len()).collect();
            let flips = if extent == Extent::Short { &bits[bits.len() - 1..] } else { &bits };
            let (keyed, other) = (subject.key(key)?, subject.key(key)?);
            both_ways(aead(&keyed)?, aead(&other)?, &message, sealed, flips, layout)
        }
        Known::Hash { key, message, digest } => digest_all_ways(hash(&subject.key(key)?)?, message, digest, layout),
        Known::Rng { entropy, seed, fresh, additional, out } => {
            let keyed = subject.key(&[])?;
            let answer = || {
                let rng = rng(&keyed)?;
                rng.set_entropy(entropy)?;
                rng.instantiate(seed)?;
                let mut bytes = vec![0; out.len()];
                for (fresh, additional) in fresh.into_iter().zip(additional) {
                    rng.set_entropy(fresh)?;
                    rng.generate(additional, &mut bytes)?;
                }
                Ok(bytes)
            };
            expect("output", &answer().map_err(|Failure(reason)| reason)?, out)
        }
    }
}

fn text(subject: &Side<'_>, key: &[u8], iv: &[u8], plain: &[u8], cipher: &[u8], layout: &Layout) -> Result<(), String> {
    let keyed = subject.key(key)?;
    expect("ciphertext", &crypt(&keyed, Direction::Encrypt, &mut iv.to_vec(), plain, layout)?, cipher)?;
    expect("plaintext", &crypt(&keyed, Direction::Decrypt, &mut iv.to_vec(), cipher, layout)?, plain)
}
