//! Rounds of AES with other work between them.

use super::super::GcmToken;
use crate::aes::RoundKeys;
use crate::aes::rounds::OneBlock;
use crate::ghash::ClmulVector;
use crate::ghash::key::HashKey;
use crate::simd::{AesVector, Blocks, anew};

/// A key, and the token of the CPU that uses it.
pub(crate) struct Kernel<'k, T: GcmToken> {
    pub(crate) token: T,
    pub(crate) hash: &'k HashKey<T::V>,
    pub(crate) round_keys: &'k RoundKeys,
}

/// Blocks on their way through AES: `N` vectors, to which the first key has been added, and `M` vectors of one block.
pub(super) struct Chains<T: GcmToken, const N: usize, const M: usize> {
    pub(super) token: T,
    pub(super) wide: [T::V; N],
    pub(super) narrow: [OneBlock<T>; M],
}

impl<T: GcmToken, const N: usize, const M: usize> Chains<T, N, M> {
    /// One round. Pins keep it apart from the next.
    #[inline(always)]
    fn round(&mut self, round_key: &[u8; 16]) {
        let (wide, narrow) = (T::V::splat(self.token, round_key), Blocks::splat(self.token.narrow(), round_key));
        for b in self.wide.iter_mut() {
            *b = b.enc(wide).pin();
        }
        for b in self.narrow.iter_mut() {
            *b = b.enc(narrow).pin();
        }
    }
}

impl<T: GcmToken> Kernel<'_, T> {
    /// All rounds of AES except the last, whose key is returned.
    ///
    /// `between` is called with the numbers 0 to 8, between the last ten rounds.
    #[inline(always)]
    pub(super) fn rounds<const N: usize, const M: usize>(
        &self,
        chains: &mut Chains<T, N, M>,
        mut between: impl FnMut(usize),
    ) -> &[u8; 16] {
        let (first, extra, [nine @ .., last]) = anew(self.round_keys).by_tens();
        for b in chains.narrow.iter_mut() {
            *b = b.xor(Blocks::splat(self.token.narrow(), first));
        }
        if let [a, b, longest @ ..] = extra {
            chains.round(a);
            chains.round(b);
            if let [a, b] = longest {
                chains.round(a);
                chains.round(b);
            }
        }
        // Written out, because the compiler does not unroll a loop of this size, and the vectors would be kept in
        // memory.
        between(0);
        chains.round(&nine[0]);
        between(1);
        chains.round(&nine[1]);
        between(2);
        chains.round(&nine[2]);
        between(3);
        chains.round(&nine[3]);
        between(4);
        chains.round(&nine[4]);
        between(5);
        chains.round(&nine[5]);
        between(6);
        chains.round(&nine[6]);
        between(7);
        chains.round(&nine[7]);
        between(8);
        chains.round(&nine[8]);
        last
    }
    /// [`Kernel::rounds`] with nothing between them.
    #[inline(always)]
    pub(super) fn rounds_alone<const N: usize, const M: usize>(&self, chains: &mut Chains<T, N, M>) -> &[u8; 16] {
        self.rounds(
            chains,
            #[inline(always)]
            |_| {},
        )
    }
}
