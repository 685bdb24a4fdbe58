//! xxhash
