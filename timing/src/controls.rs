//! Functions that leak on purpose. A tool that does not detect them is broken.

use std::hint::black_box;

/// Compares as `memcmp` may: byte by byte, up to the first difference.
#[inline(never)]
pub fn early_exit(a: &[u8], b: &[u8]) -> bool {
    a.iter().zip(b).all(|(a, b)| black_box(*a) == *b)
}

/// Replaces bytes by looking them up in a table.
#[inline(never)]
pub fn lookup(table: &[u8; 256], data: &mut [u8]) {
    for byte in data {
        *byte = *black_box(&table[usize::from(*byte)]);
    }
}
