//! ghash
