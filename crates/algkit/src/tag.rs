//! Authentication tags of up to 16 bytes.

use subtle::ConstantTimeEq;
use zeroize::optimization_barrier;

/// Writes the tag: the first `tag.len()` bytes of the full tag.
#[inline]
pub(crate) fn write(full: &[u8; 16], tag: &mut [u8]) {
    match <&mut [u8; 16]>::try_from(&mut *tag) {
        Ok(tag) => *tag = *full,
        Err(_) => write_short(full, tag),
    }
}

/// Not inlined: otherwise the compiler merges it with the 16-byte store into one call of `memcpy`.
#[cold]
#[inline(never)]
fn write_short(full: &[u8; 16], tag: &mut [u8]) {
    tag.copy_from_slice(&full[..tag.len()]);
}

/// Whether `tag` is a prefix of the full tag. The full tag is wiped. The time depends on the tag's length alone.
#[inline]
pub(crate) fn matches(full: &mut [u8; 16], tag: &[u8]) -> bool {
    let mut given = [0; 16];
    match <&[u8; 16]>::try_from(tag) {
        Ok(tag) => given = *tag,
        Err(_) => {
            given[..tag.len()].copy_from_slice(tag);
            full[tag.len()..].fill(0);
        }
    }
    // Compared as one number: a comparison of byte slices takes a step per byte.
    let equal = u128::from_ne_bytes(*full).ct_eq(&u128::from_ne_bytes(given)).into();
    // One 16-byte store. `Zeroize` makes sixteen, which measurably slow down a short message.
    *full = [0; 16];
    optimization_barrier(full);
    equal
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_bit_of_every_length_counts() {
        let full: [u8; 16] = std::array::from_fn(|i| i as u8 * 17);
        for len in 0..=16 {
            let mut tag = vec![0xaa; len];
            super::write(&full, &mut tag);
            assert_eq!(tag, full[..len]);
            assert!(super::matches(&mut full.clone(), &tag));
            for bit in 0..8 * len {
                let mut other = tag.clone();
                other[bit / 8] ^= 1 << (bit % 8);
                assert!(!super::matches(&mut full.clone(), &other), "{len} bytes, bit {bit}");
            }
        }
    }
}
