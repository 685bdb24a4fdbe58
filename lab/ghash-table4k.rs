//! `ghash-table4k`: GHASH with a table of 4 KiB per key, as Linux's `ghash-generic` has it (experiment T3 of
//! docs/experiments.md).
//!
//! It looks up a table at addresses that depend on key and text. As a driver it would have timing `table`, nothing would
//! choose it, and `ghash-generic` of algkit takes the same time for every key; so it is a program of the lab, which
//! `lab/experiments` builds, and whose instructions it counts. It needs only rustc. Arguments are those of
//! crates/primitives/examples/call.rs.

use std::hint::black_box;

/// x·a. The first bit of a block is the coefficient of 1, and blocks are big-endian integers here.
const fn times_x(a: u128) -> u128 {
    (a >> 1) ^ ((a & 1) * (0xe1 << 120))
}

/// What the last byte of a block becomes when it is multiplied by x^8: 16 bits at the other end.
const REDUCED: [u16; 256] = {
    let (mut table, mut byte) = ([0; 256], 0);
    while byte < 256 {
        let (mut a, mut i) = (byte as u128, 0);
        while i < 8 {
            a = times_x(a);
            i += 1;
        }
        table[byte] = (a >> 112) as u16;
        byte += 1;
    }
    table
};

/// Every byte, as the first of a block, times the key.
fn table(key: u128) -> [u128; 256] {
    let mut table = [0; 256];
    let mut power = key;
    for bit in (0..8).rev() {
        for byte in 0..256 {
            if byte >> bit & 1 == 1 {
                table[byte] ^= power;
            }
        }
        power = times_x(power);
    }
    table
}

/// Adds the blocks of `text` to the hash `acc`.
#[inline(never)]
fn ghash(table: &[u128; 256], mut acc: u128, text: &[u8]) -> u128 {
    static REDUCTION: [u16; 256] = REDUCED;
    for block in text.as_chunks::<16>().0 {
        let bytes = (acc ^ u128::from_be_bytes(*block)).to_be_bytes();
        acc = table[bytes[15] as usize];
        for byte in bytes[..15].iter().rev() {
            acc = (acc >> 8) ^ (u128::from(REDUCTION[acc as u8 as usize]) << 112) ^ table[*byte as usize];
        }
    }
    acc
}

fn main() {
    // Test case 2 of the GCM specification: the hash of a block of ciphertext and the block of lengths.
    let key = table(black_box(0x66e94bd4_ef8a2c3b_884cfa59_ca342b2e));
    let blocks = [0x0388dace_60b6a392_f328c2b9_71b2fe78_u128, 0x80].map(u128::to_be_bytes);
    assert_eq!(ghash(&key, 0, blocks.as_flattened()), 0xf38cbb1a_d69223dc_c3457ae5_b6b0f885);

    let args: Vec<String> = std::env::args().collect();
    let len: usize = args[2].parse().expect("a number");
    let text = black_box([7; 4096]);
    if args[4] == "call" {
        black_box(ghash(&key, 0, &text[..len]));
    }
}
