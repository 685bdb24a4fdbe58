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

/// Takes the longer the larger the bytes of text ⊕ key are.
#[inline(never)]
pub fn slow_bytes(key: &[u8; 16], text: &[u8; 16]) {
    for (key, text) in key.iter().zip(text) {
        for step in 0..(key ^ text) >> 4 {
            black_box(step);
        }
    }
}
