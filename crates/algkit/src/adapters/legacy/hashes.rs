//! Hashes from crates that implement the traits of the `digest` crate.

use crate::{
    adapters::Make,
    driver::{BadKey, Fresh, Reader, WeakKeys, Writer},
};
use algkit_primitives::cpu::Portable;
use digest::{
    Digest, Output, OutputSizeUser,
    common::hazmat::{SerializableState, SerializedState},
};
use zeroize::Zeroize;

/// A hash without a key.
pub(crate) type Hash<D> = Fresh<State<D>>;

/// The state of a hash. `finish` truncates the digest to the length of the output.
#[derive(Clone, Default)]
pub(crate) struct State<D>(D);

/// A hash whose state can be restored from bytes.
pub(crate) trait Serialized: SerializableState {
    /// The length of the chaining value in bytes, if a 64-bit count of blocks follows it in the serialized state.
    /// `None` if the count has another unit; then any value is valid.
    const CHAIN: Option<usize>;
}

macro_rules! serialized {
    ($($hash:ty: $chain:expr;)*) => {$(
        impl Serialized for $hash {
            const CHAIN: Option<usize> = $chain;
        }
    )*};
}

serialized! {
    md4::Md4: Some(16);
    md5::Md5: Some(16);
    ripemd::Ripemd160: Some(20);
    sm3::Sm3: Some(32);
    whirlpool::Whirlpool: Some(64);
    streebog::Streebog256: None;
    streebog::Streebog512: None;
}

/// A number of blocks that no message reaches. With this many blocks the crates' 64-bit counts of bits would
/// overflow, which panics in builds with overflow checks.
const TOO_MANY: u64 = 1 << 52;

/// Whether a message can have as many blocks as `state` counts.
fn is_possible<D: Serialized>(state: &[u8]) -> bool {
    D::CHAIN.is_none_or(|chain| {
        let count = state.get(chain..).and_then(|state| state.first_chunk());
        count.is_some_and(|count| u64::from_le_bytes(*count) < TOO_MANY)
    })
}

impl<D: Digest + Serialized + Default + Clone + Send + Sync + 'static> algkit_primitives::hash::Hash for State<D> {
    fn digest_size(&self) -> usize {
        <D as OutputSizeUser>::output_size()
    }

    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }

    fn finish(&mut self, out: &mut [u8]) {
        let mut full = Output::<D>::default();
        std::mem::take(&mut self.0).finalize_into(&mut full);
        out.copy_from_slice(&full[..out.len()]);
        full.zeroize();
    }

    fn export(&self, to: &mut Writer<'_>) {
        let mut state = self.0.serialize();
        to.bytes(&state);
        state.zeroize();
    }

    fn import(&mut self, from: &mut Reader<'_>) -> Option<()> {
        let mut state = SerializedState::<D>::default();
        from.numbers(&mut state[..])?;
        let hash = is_possible::<D>(&state).then(|| D::deserialize(&state).ok()).flatten();
        state.zeroize();
        self.0 = hash?;
        Some(())
    }
}

impl<D: OutputSizeUser + Default> Make for Hash<D> {
    type Token = Portable;

    fn make(_: Portable, _key: &[u8], _weak: WeakKeys) -> Result<Self, BadKey> {
        Ok(Fresh(State(D::default())))
    }
}
