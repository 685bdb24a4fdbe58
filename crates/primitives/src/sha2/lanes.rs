//! SHA-2 of several messages, one in each lane of a vector.

use super::Words8;
use super::word::{Scalar, rounds};
use crate::hash::{Chaining, InWords};
use crate::lanes::Lanes;

impl<W: Scalar> InWords<8> for Words8<W>
where
    Self: Chaining,
{
    type Word = W;

    #[inline(always)]
    fn from_words(words: [W; 8]) -> Self {
        Self(words)
    }

    #[inline(always)]
    fn words(&self) -> [W; 8] {
        self.0
    }

    #[inline(always)]
    fn rounds<V: Lanes<Word = W>>(token: V::Token, s: &mut [V; 8], w: &mut [V; 16]) {
        rounds(
            s,
            w,
            W::K,
            #[inline(always)]
            |k| V::splat(token, k),
        );
    }
}
