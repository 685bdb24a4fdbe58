//! The anti-forensic splitter: a key as many stripes, of which the loss of a single bit loses all ("LUKS On-Disk Format
//! Specification", version 1.2.3, section 2.4; Fruhwirth 2005, "New Methods in Hard Disk Encryption", section 5.2).
//!
//! All stripes but the last are random. With H′ a hash that spreads over a whole stripe,
//!
//! ```text
//! d₀ = 0,  dᵢ = H′(dᵢ₋₁ ⊕ sᵢ) for all but the last stripe,  key = d ⊕ s_last
//! ```

use crate::{Error, Key, lookup};
use algkit::{Hash, Rng};
use zeroize::Zeroizing;

/// The key of `size` bytes that `stripes` hold; they are a whole number of stripes, and more bytes behind are not looked at.
pub(crate) fn merge(stripes: &[u8], size: usize, count: usize, hash: &str) -> Result<Key, Error> {
    let hash = lookup::hash(hash)?;
    let mut all = stripes.chunks_exact(size).take(count);
    let last = all.next_back();
    let mut key = Key::new(vec![0; size]);
    key.bytes_mut().copy_from_slice(&chain(all, size, &hash)?);
    last.into_iter().for_each(|last| xor(key.bytes_mut(), last));
    Ok(key)
}

/// The stripes that hold `key`.
pub(crate) fn split(key: &[u8], count: usize, hash: &str, random: &Rng) -> Result<Zeroizing<Vec<u8>>, Error> {
    let hash = lookup::hash(hash)?;
    let mut stripes = Zeroizing::new(vec![0; key.len() * count]);
    let (front, last) = stripes.split_at_mut(key.len() * (count - 1));
    random.generate(&[], front)?;
    last.copy_from_slice(key);
    xor(last, &chain(front.chunks_exact(key.len()), key.len(), &hash)?);
    Ok(stripes)
}

/// d after all stripes but the last.
fn chain<'a>(stripes: impl Iterator<Item = &'a [u8]>, size: usize, hash: &Hash) -> Result<Zeroizing<Vec<u8>>, Error> {
    let mut sum = Zeroizing::new(vec![0; size]);
    for stripe in stripes {
        xor(&mut sum, stripe);
        diffuse(&mut sum, hash)?;
    }
    Ok(sum)
}

/// H′: each piece that is as long as a digest is replaced by the digest of the piece's number (32 bits, big-endian) and the piece. A last piece
/// that is shorter is replaced by the first bytes of its digest.
fn diffuse(bytes: &mut [u8], hash: &Hash) -> Result<(), Error> {
    let mut digest = Zeroizing::new(vec![0; hash.digest_size()]);
    for (number, piece) in bytes.chunks_mut(hash.digest_size()).enumerate() {
        hash.digest_into(&[&(number as u32).to_be_bytes(), piece], &mut digest)?;
        piece.copy_from_slice(&digest[..piece.len()]);
    }
    Ok(())
}

fn xor(to: &mut [u8], from: &[u8]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to ^= from);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stripes_give_the_key_back_and_every_bit_counts() {
        let random = algkit::rng("stdrng").unwrap().key(&[]).unwrap();
        // Keys shorter than a digest, as long, and longer with and without a rest.
        for hash in ["sha1", "sha256", "sha512", "rmd160", "wp512"] {
            for size in 1..=200 {
                let key: Vec<u8> = (0..size as u8).collect();
                let mut stripes = split(&key, 7, hash, &random).unwrap();
                assert_eq!(stripes.len(), 7 * size);
                assert_eq!(merge(&stripes, size, 7, hash).unwrap().bytes(), key);
                stripes[size / 2] ^= 1;
                // Keys of a few bytes may be equal by chance.
                assert!(size < 16 || merge(&stripes, size, 7, hash).unwrap().bytes() != key);
            }
        }
    }
}
