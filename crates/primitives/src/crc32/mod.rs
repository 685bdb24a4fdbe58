//! crc32
