//! Hashes behind the traits of the `digest` crate.

use crate::{
    driver::{BadKey, Fresh, PlainState, WeakKeys},
    table::row::Make,
};
use algkit_primitives::cpu::Portable;
use digest::{Digest, Output, OutputSizeUser};
use zeroize::Zeroize;

/// A hash that needs no key.
pub(super) type Hash<D> = Fresh<State<D>>;

/// A hash in progress. The digest may be cut short.
#[derive(Clone, Default)]
pub(super) struct State<D>(D);

impl<D: Digest + Default + Clone + Send + Sync + 'static> PlainState for State<D> {
    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }

    fn finish(&mut self, out: &mut [u8]) {
        let mut full = Output::<D>::default();
        std::mem::take(&mut self.0).finalize_into(&mut full);
        out.copy_from_slice(&full[..out.len()]);
        full.zeroize();
    }
}

impl<D: OutputSizeUser + Default> Make for Hash<D> {
    type Token = Portable;

    fn make(_: Portable, _key: &[u8], _weak: WeakKeys) -> Result<Self, BadKey> {
        Ok(Fresh(State(D::default())))
    }
}
