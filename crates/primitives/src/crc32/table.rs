//! CRC by tables, sixteen bytes at a time ("slicing").
//!
//! `tables[n][b]` is the register after the byte b and n zero bytes. The CRC is linear, so sixteen bytes are sixteen
//! independent lookups, xored.

use super::{Polynomial, Update, times_x};
use crate::cpu::Portable;

/// The number of bytes in a step.
pub const SLICES: usize = 16;

pub type Tables = [[u32; 256]; SLICES];

pub(super) const fn tables(reflected: u32) -> Tables {
    let mut tables = [[0; 256]; SLICES];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u32;
        let mut i = 0;
        while i < 8 {
            crc = times_x(crc, reflected);
            i += 1;
        }
        tables[0][byte] = crc;
        byte += 1;
    }
    let mut n = 1;
    while n < SLICES {
        let mut byte = 0;
        while byte < 256 {
            let crc = tables[n - 1][byte];
            tables[n][byte] = (crc >> 8) ^ tables[0][(crc & 0xff) as usize];
            byte += 1;
        }
        n += 1;
    }
    tables
}

impl<P: Polynomial> Update<P> for Portable {
    fn update(self, mut crc: u32, data: &[u8]) -> u32 {
        let tables = P::tables();
        let (blocks, rest) = data.as_chunks::<SLICES>();
        for block in blocks {
            let block = (u128::from_le_bytes(*block) ^ u128::from(crc)).to_le_bytes();
            crc = 0;
            for (byte, table) in block.iter().zip(tables.iter().rev()) {
                crc ^= table[usize::from(*byte)];
            }
        }
        for byte in rest {
            crc = (crc >> 8) ^ tables[0][usize::from(crc as u8 ^ byte)];
        }
        crc
    }
}
