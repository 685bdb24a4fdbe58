//! SHA-1 of several messages, one in each lane of a vector.

use super::Chain160;
use super::rounds::rounds;
use crate::hash::InWords;
use crate::lanes::Lanes;

impl InWords<5> for Chain160 {
    type Word = u32;

    #[inline(always)]
    fn from_words(words: [u32; 5]) -> Self {
        Self(words)
    }

    #[inline(always)]
    fn words(&self) -> [u32; 5] {
        self.0
    }

    #[inline(always)]
    fn rounds<V: Lanes<Word = u32>>(token: V::Token, s: &mut [V; 5], w: &mut [V; 16]) {
        rounds(
            s,
            w,
            #[inline(always)]
            |k| V::splat(token, k),
        );
    }
}
