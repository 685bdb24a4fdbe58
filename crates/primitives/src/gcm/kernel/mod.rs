//! Counter mode and GHASH in one pass, over vectors of any width.
//!
//! The main loop ([`batches`]) leaves at least one byte and at most one batch of vectors; a short message is no more
//! than that. These go four vectors at a time. The last one to four of them go together with the block that masks the
//! tag ([`end`]), in as many chains of rounds as there are vectors. Code for what can be hashed meanwhile follows the
//! rounds; there is so little of it that the CPU sees it while the rounds wait. That includes the last batch of the main
//! loop, when it encrypts. One reduction serves the products of all these vectors and of the block of lengths, and in a
//! short message those of short associated data. So a short packet pays the latency of GHASH once.
//!
//! What a message costs beyond its rounds is latency. The CPU hides it behind the next message, as far as it looks
//! ahead, unless it must wait for a store. A vector load waits if the bytes have just been stored in two halves or with
//! a mask: until that store, and every store before it, has reached the cache. So a text of one block is loaded and
//! stored in vectors of one block.

mod batches;
mod counters;
mod end;
mod rounds;
mod tag;

use super::GcmToken;
use crate::InOut;
use crate::aes::rounds::OneBlock;
use crate::ghash::ClmulVector;
use crate::ghash::key::{HashKey, Sum};
use crate::simd::{AesVector, Blocks, each};
use batches::EARLY;
use counters::{Counters, reversed_lengths};
pub(crate) use counters::{FIRST_COUNTER, counter_block, length_block};
use end::End;
use rounds::Chains;
pub(crate) use rounds::Kernel;
pub(crate) use tag::TagUse;

/// The largest length in bytes of associated data that is hashed in one sum with the text.
pub(super) const SHORT_AAD: usize = 48;

impl<T: GcmToken> Kernel<'_, T> {
    /// The tag from the hash of a message. `zeroth` is J0, the counter block before the text's first.
    #[inline(always)]
    pub(super) fn mask(&self, zeroth: &[u8; 16], hash: &[u8; 16]) -> [u8; 16] {
        let token = self.token.narrow();
        let zeroth = OneBlock::<T>::splat(token, zeroth);
        let mut chains = Chains { token: self.token, wide: [], narrow: [zeroth] };
        let last = self.rounds_alone(&mut chains);
        let hash = OneBlock::<T>::load(token, hash);
        chains.narrow[0].enc_last(hash.xor(OneBlock::<T>::splat(token, last))).first()
    }

    /// Processes a whole message, with at most [`SHORT_AAD`] bytes of associated data, or a part of a message's text,
    /// without any.
    ///
    /// Returns false if a tag was compared and differs.
    #[inline(always)]
    pub(super) fn pass(
        &self,
        encrypt: bool,
        iv: &[u8; 12],
        aad: &[u8],
        mut text: InOut<'_>,
        tag_use: TagUse<'_>,
    ) -> bool {
        let (token, bytes) = (self.token, T::V::BYTES);
        let lengths = reversed_lengths(aad.len() as u64, text.len() as u64);
        // A zero vector, not zeros loaded from memory: those have just been stored in pieces.
        let (counter, hash, whole) = match &tag_use {
            TagUse::Later(running) => (running.counter, T::V::load_first(token, &running.acc).reverse_bytes(), false),
            _ => (FIRST_COUNTER, T::V::zero(token), true),
        };
        let mut counters = Counters::new(token, iv, self.round_keys.by_tens().0, counter);
        let long = text.len() > T::V::BATCH * bytes;
        const { assert!(T::V::BATCH * T::V::BLOCKS + SHORT_AAD / 16 < HashKey::<T::V>::POWERS) }
        let last = usize::from(whole);
        let after = if long { 0 } else { text.len().div_ceil(16) + last };
        let mut sum = Sum::new(token, self.hash, hash, aad.len().div_ceil(16) + after);
        if T::V::BYTES > SHORT_AAD && !aad.is_empty() {
            sum.add(T::V::load_partial(token, aad).reverse_bytes(), aad.len().div_ceil(16));
        } else if !aad.is_empty() {
            sum.bytes::<true>(aad);
        }
        let reaches_back = text.len() >= 16;
        let (mut early, mut behind, mut left) = (None, None, text.reborrow());
        if long {
            let mut hash = if aad.is_empty() { hash } else { sum.finish() };
            (hash, behind) = match encrypt {
                true => self.main::<true>(&mut counters, hash, &mut left),
                false => self.main::<false>(&mut counters, hash, &mut left),
            };
            sum = Sum::new(token, self.hash, hash, left.len().div_ceil(16) + last);
        }
        if whole {
            sum.add_last(T::V::load_first(token, &lengths));
        }

        if left.len() > EARLY * bytes {
            let four = left.take(EARLY * bytes).expect("there is more");
            let ciphertext = self.early(encrypt, &mut counters, four);
            if let Some(behind) = behind.take() {
                sum.follow(behind.hash());
            }
            if encrypt {
                early = Some(ciphertext);
            } else {
                sum.add_all(each(ciphertext, T::V::reverse_bytes));
            }
        }
        let (n, end) = (left.len(), End { encrypt, counters, early });
        let mask = if T::V::OVERLAPS && reaches_back {
            if let Some(behind) = behind {
                sum.follow(behind.hash());
            }
            self.end_by_blocks(end, n, text, &mut sum)
        } else {
            self.end_by_vectors(end, behind, left, &mut sum)
        };
        self.finish(tag_use, sum, mask)
    }
}
