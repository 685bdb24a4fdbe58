//! Checksums. Their keys are seeds, not secrets.

use super::{Variant, variants};
use algkit_primitives::{
    cpu::Token,
    crc32::{Castagnoli, Crc32, Crc32c, Ieee, Update},
    xxhash::XxHash64,
};

/// A 4-byte little-endian seed, or the default without a key.
fn seed(key: &[u8], default: u32) -> u32 {
    key.try_into().map_or(default, u32::from_le_bytes)
}

variants! {
    VCrc32<Update<Ieee>>: Crc32<T>, |token, key| Crc32::new(token, seed(key, 0));
    VCrc32c<Update<Castagnoli>>: Crc32c<T>, |token, key| Crc32c::new(token, seed(key, !0));
    VXxHash64<Token>: XxHash64, |_token, key| XxHash64::new(key.try_into().map_or(0, u64::from_le_bytes));
}
