//! BLAKE2.

use super::Variant;
use algkit_primitives::blake2::{Blake2b, Blake2s, Compress};

/// BLAKE2b with a digest of `N` bytes.
pub(crate) struct VBlake2b<const N: usize>;

impl<T: Compress<u64>, const N: usize> Variant<T> for VBlake2b<N> {
    type State = Blake2b<T>;

    fn start(token: T, key: &[u8]) -> Blake2b<T> {
        Blake2b::new(token, N, key).expect("at most 64 bytes of each")
    }
}

/// BLAKE2s with a digest of `N` bytes.
pub(crate) struct VBlake2s<const N: usize>;

impl<T: Compress<u32>, const N: usize> Variant<T> for VBlake2s<N> {
    type State = Blake2s<T>;

    fn start(token: T, key: &[u8]) -> Blake2s<T> {
        Blake2s::new(token, N, key).expect("at most 32 bytes of each")
    }
}
