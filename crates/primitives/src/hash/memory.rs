//! Short pieces of memory: to wipe, load and copy them without a call.

/// Overwrites `value`, in a way that the compiler cannot leave out.
///
/// Unlike a loop of volatile stores, this is a plain fill, which uses the CPU's vectors: a wipe at the end of a 64-byte
/// message must not cost as much as hashing it.
#[inline(always)]
pub(crate) fn wipe<W: Copy + Default, const N: usize>(value: &mut [W; N]) {
    *value = [W::default(); N];
    zeroize::optimization_barrier(value);
}

/// Up to 15 bytes as a little-endian number, by loads that may overlap.
#[inline(always)]
pub(crate) fn little_endian(bytes: &[u8]) -> u128 {
    let n = bytes.len();
    // Bits that both loads cover are equal, so "or" is right for them too.
    if let (Some(low), Some(high)) = (bytes.first_chunk(), bytes.last_chunk()) {
        u128::from(u64::from_le_bytes(*low)) | u128::from(u64::from_le_bytes(*high)) << (8 * (n - 8))
    } else if let (Some(low), Some(high)) = (bytes.first_chunk(), bytes.last_chunk()) {
        u128::from(u32::from_le_bytes(*low)) | u128::from(u32::from_le_bytes(*high)) << (8 * (n - 4))
    } else if let [first, .., last] = bytes {
        u128::from(*first) | u128::from(bytes[n / 2]) << (8 * (n / 2)) | u128::from(*last) << (8 * (n - 1))
    } else {
        bytes.first().map_or(0, |byte| u128::from(*byte))
    }
}

/// Copies a part of a block, without a call to `memcpy`.
///
/// # Panics
/// If the lengths differ.
#[inline(always)]
pub(crate) fn copy_short(dst: &mut [u8], src: &[u8]) {
    assert_eq!(dst.len(), src.len());
    if let (Some(last), Some(from)) = (dst.last_chunk_mut::<16>(), src.last_chunk::<16>()) {
        *last = *from;
        for (dst, src) in dst.as_chunks_mut::<16>().0.iter_mut().zip(src.as_chunks::<16>().0) {
            *dst = *src;
        }
    } else if let (Some(last), Some(from)) = (dst.last_chunk_mut::<8>(), src.last_chunk::<8>()) {
        *last = *from;
        dst[..8].copy_from_slice(&src[..8]);
    } else if let (Some(last), Some(from)) = (dst.last_chunk_mut::<4>(), src.last_chunk::<4>()) {
        *last = *from;
        dst[..4].copy_from_slice(&src[..4]);
    } else if let ([first, .., last], [from, .., to]) = (&mut *dst, src) {
        (*first, *last) = (*from, *to);
        dst[src.len() / 2] = src[src.len() / 2];
    } else if let ([dst], [src]) = (dst, src) {
        *dst = *src;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn short_copies_are_copies() {
        let bytes: Vec<u8> = (1..=150).collect();
        for n in 0..=150 {
            let mut copy = [0; 151];
            copy_short(&mut copy[..n], &bytes[..n]);
            assert!(copy[..n] == bytes[..n] && copy[n] == 0);
            if n < 16 {
                assert_eq!(little_endian(&bytes[..n]).to_le_bytes(), copy[..16]);
            }
        }
    }
}
