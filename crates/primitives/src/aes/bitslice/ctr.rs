//! Counter mode on whole batches of keystream.

use super::word::Word;
use super::{Bitslice, BitsliceToken, SlicedKeys, encrypt, xor};
use crate::InOut;
use crate::cpu::Token;

impl<T: BitsliceToken> Bitslice<T> {
    /// Adds the keystream that starts at `counter` (big-endian) to `data`, of any length, and advances
    /// `counter` by the blocks used, a partial one included, modulo 2^128.
    pub fn ctr(&self, counter: &mut [u8; 16], data: InOut<'_>) {
        let start = u128::from_be_bytes(*counter);
        *counter = start.wrapping_add(data.len().div_ceil(16) as u128).to_be_bytes();
        let whole = data.len() / (16 * Self::PARALLEL) * Self::PARALLEL;
        let (whole_batches, rest) = data.split_at(16 * whole);
        if whole > 0 {
            batches::<T::Wide>(self.token, &self.keys, start, whole_batches);
        }
        let start = start.wrapping_add(whole as u128);
        match rest.len().div_ceil(16) {
            0 => {}
            left if left <= T::Quarter::BLOCKS => padded::<T::Quarter>(self.token, &self.keys, start, rest),
            left if left <= T::Half::BLOCKS => padded::<T::Half>(self.token, &self.keys, start, rest),
            _ => padded::<T::Wide>(self.token, &self.keys, start, rest),
        }
    }
}

/// Whole batches.
#[inline(never)]
fn batches<W: Word>(token: W::Token, keys: &SlicedKeys<W::Key>, mut counter: u128, mut data: InOut<'_>) {
    token.vectorize(
        #[inline(always)]
        || {
            while let Some(mut batch) = data.take(16 * W::BLOCKS) {
                let keystream = encrypt(token, keys, W::counters(token, counter));
                let out = xor(keystream, W::load(token, batch.src()));
                W::store(out, batch.dst());
                counter = counter.wrapping_add(W::BLOCKS as u128);
            }
        },
    );
}

/// At most one batch.
#[inline(always)]
fn padded<W: Word>(token: W::Token, keys: &SlicedKeys<W::Key>, counter: u128, mut data: InOut<'_>) {
    let len = data.len();
    if len == 16 * W::BLOCKS {
        return batches::<W>(token, keys, counter, data);
    }
    let mut pad = W::PAD;
    let pad = pad.as_mut();
    pad[..len].copy_from_slice(data.src());
    batches::<W>(token, keys, counter, pad.into());
    data.dst().copy_from_slice(&pad[..len]);
}
