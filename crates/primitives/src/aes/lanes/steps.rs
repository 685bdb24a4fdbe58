//! The inner loop of lanes: one block of each message per step.

use super::{Kernel, Lanes, MAX_LANES, Row};
use crate::{
    aes::RoundKeys,
    hash::wipe,
    simd::{AesToken, AesVector, Blocks, opaque},
};

/// The source of a vector's round keys.
trait KeysOf<V: AesVector> {
    /// The round key of vector `v` in round `round`.
    fn key(&self, token: V::Token, round: usize, v: usize) -> V;
}

impl<V: AesVector> KeysOf<V> for [[u8; 16]] {
    #[inline(always)]
    fn key(&self, token: V::Token, round: usize, _: usize) -> V {
        V::splat(token, &self[round])
    }
}

impl<V: AesVector> KeysOf<V> for [Row] {
    #[inline(always)]
    fn key(&self, token: V::Token, round: usize, v: usize) -> V {
        load(token, &self[round], v)
    }
}

/// Loads vector `v` of a row of round keys.
#[inline(always)]
fn load<V: AesVector>(token: V::Token, row: &Row, v: usize) -> V {
    V::load(token, row.0[v * V::BLOCKS..].as_flattened())
}

/// Advances every lane by `n` blocks, with `N` vectors.
///
/// # Safety
/// The same as for [`Kernel::steps`].
#[inline(always)]
unsafe fn steps<T: AesToken, K: KeysOf<T::V> + ?Sized, const N: usize, const WRITE: bool>(
    token: T,
    lanes: &mut Lanes,
    keys: &K,
    rounds: usize,
    n: usize,
) {
    token.vectorize(
        #[inline(always)]
        || {
            let Lanes { state, src, dst } = lanes;
            let mut chain = [T::V::zero(token); N];
            for (v, x) in chain.iter_mut().enumerate() {
                *x = load(token, state, v);
            }
            for at in 0..n {
                for (v, x) in chain.iter_mut().enumerate() {
                    let blocks = T::V::gather(
                        token,
                        #[inline(always)]
                        // SAFETY: each source has `n` blocks (precondition), and `at` is less than `n`.
                        |i| unsafe { *src[v * T::V::BLOCKS + i].add(16 * at).cast::<[u8; 16]>() },
                    );
                    *x = x.xor3(blocks, keys.key(token, 0, v));
                }
                let mut round = 1;
                while round < rounds {
                    for (v, x) in chain.iter_mut().enumerate() {
                        *x = x.enc(keys.key(token, round, v));
                    }
                    round = opaque(round + 1);
                }
                for (v, x) in chain.iter_mut().enumerate() {
                    *x = x.enc_last(keys.key(token, rounds, v));
                }
                if WRITE {
                    for (v, x) in chain.iter().enumerate() {
                        x.scatter(
                            #[inline(always)]
                            // SAFETY: each destination has `n` blocks (precondition), and `at` is less than `n`. Only a
                            // lane that repeats this one writes to the same place, and it writes the same block.
                            |i, block| unsafe { *dst[v * T::V::BLOCKS + i].add(16 * at).cast::<[u8; 16]>() = block },
                        );
                    }
                }
            }
            for (v, x) in chain.iter().enumerate() {
                x.store(state.0[v * T::V::BLOCKS..].as_flattened_mut());
            }
        },
    );
}

/// Lanes that share one key.
pub(super) struct OneKey<'k, T, const WRITE: bool> {
    token: T,
    keys: &'k RoundKeys,
}

impl<'k, T, const WRITE: bool> OneKey<'k, T, WRITE> {
    pub(super) fn new(token: T, keys: &'k RoundKeys) -> Self {
        Self { token, keys }
    }
}

impl<T: AesToken, const WRITE: bool> Kernel for OneKey<'_, T, WRITE> {
    fn own(&self) -> bool {
        false
    }

    fn take(&mut self, _: usize, _: &RoundKeys) {}

    fn repeat(&mut self, _: usize, _: usize) {}

    unsafe fn steps(&mut self, lanes: &mut Lanes, n: usize) {
        let (token, keys, rounds) = (self.token, self.keys.keys(), self.keys.rounds());
        // SAFETY: this function has the same precondition as `steps`, and `lanes` and `n` are passed on unchanged.
        unsafe {
            match T::V::BLOCKS {
                4 => steps::<T, _, 4, WRITE>(token, lanes, keys, rounds, n),
                _ => steps::<T, _, 8, WRITE>(token, lanes, keys, rounds, n),
            }
        }
    }
}

/// Lanes with a key each. `rows` holds, for each round, the round keys of all lanes.
pub(super) struct OwnKeys<T, const WRITE: bool> {
    token: T,
    rows: [Row; 15],
    rounds: usize,
}

impl<T, const WRITE: bool> OwnKeys<T, WRITE> {
    pub(super) fn new(token: T) -> Self {
        Self { token, rows: [Row([[0; 16]; MAX_LANES]); 15], rounds: 0 }
    }
}

impl<T, const WRITE: bool> Drop for OwnKeys<T, WRITE> {
    fn drop(&mut self) {
        wipe(&mut self.rows);
    }
}

impl<T: AesToken, const WRITE: bool> Kernel for OwnKeys<T, WRITE> {
    fn own(&self) -> bool {
        true
    }

    fn take(&mut self, lane: usize, keys: &RoundKeys) {
        self.rounds = keys.rounds();
        for (row, key) in self.rows.iter_mut().zip(keys.keys()) {
            row.0[lane] = *key;
        }
    }

    fn repeat(&mut self, lane: usize, other: usize) {
        self.rows.iter_mut().for_each(|row| row.0[lane] = row.0[other]);
    }

    unsafe fn steps(&mut self, lanes: &mut Lanes, n: usize) {
        let (token, keys, rounds) = (self.token, &self.rows[..], self.rounds);
        // SAFETY: this function has the same precondition as `steps`, and `lanes` and `n` are passed on unchanged.
        unsafe {
            match T::V::BLOCKS {
                4 => steps::<T, _, 4, WRITE>(token, lanes, keys, rounds, n),
                _ => steps::<T, _, 8, WRITE>(token, lanes, keys, rounds, n),
            }
        }
    }
}
