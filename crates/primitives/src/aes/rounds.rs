//! AES keys and rounds for CPUs with AES instructions.

use super::{RoundKeys, inverse::Inverse, key::expanded_in_place};
use crate::{
    cpu::Token,
    simd::{AesToken, AesVector, Blocks, anew, forgotten, opaque, repeated},
};
use zeroize::optimization_barrier;

/// An AES key for both directions, on CPUs with the features of `T`.
#[derive(Clone)]
#[repr(C)] // the schedule comes first, so that a short call needs no offset
pub struct AesKey<T> {
    pub(crate) enc: RoundKeys,
    pub(super) dec: Inverse,
    pub(crate) token: T,
}

impl<T: AesToken> AesKey<T> {
    /// The token that the key was made with.
    pub fn token(&self) -> T {
        self.token
    }

    expanded_in_place!("16, 24 or 32");

    /// A place for a key. It would encrypt with round keys of zeros, so the function is not public.
    #[inline(always)]
    pub(crate) fn unset(token: T) -> Self {
        Self { token, enc: RoundKeys::unset(), dec: Inverse::unmade() }
    }

    /// Expands a key of 16, 24 or 32 bytes in place of the previous one; returns whether `key` has one of these
    /// lengths.
    #[must_use]
    pub fn set(&mut self, key: &[u8]) -> bool {
        self.dec.forget();
        expand(self.token, &mut self.enc, key)
    }

    /// Calls `body` with a key that can decrypt: this one, or a copy if another thread is at work on its inverse
    /// schedule.
    #[cold]
    #[inline(never)]
    pub(super) fn inverted<R>(&self, body: impl FnOnce(&Self) -> R) -> R {
        if self.invert() { body(self) } else { body(&self.clone()) }
    }

    /// Computes the round keys of the inverse cipher; returns whether they exist now. They do not if another thread is
    /// computing them. A clone of the key belongs to the caller alone.
    #[cold]
    #[inline(never)]
    pub(super) fn invert(&self) -> bool {
        let token = self.token.narrow();
        self.dec.make(|dec| {
            token.vectorize_with(
                dec,
                &self.enc,
                (),
                #[inline(always)]
                |dec, enc, ()| {
                    dec.invert(
                        enc,
                        #[inline(always)]
                        |from, to| OneBlock::<T>::load(token, from).inv_mix_columns().store(to),
                    );
                },
            );
        })
    }
}

/// Writes the encryption schedule of `key` to `keys`; returns whether `key` has a valid length. It works on four words
/// at a time, except for AES-192 with its six words.
///
/// The code is compiled for the CPU's widest vectors. These come with instructions of three operands, and with AVX-512
/// of three inputs: seven or eight instructions for each round key instead of eleven.
pub(crate) fn expand<T: AesToken>(token: T, keys: &mut RoundKeys, key: &[u8]) -> bool {
    if key.len() == 24 {
        return expand_192(token.narrow(), keys, key);
    }
    let narrow = token.narrow();
    token.vectorize_with(
        keys,
        key,
        (),
        #[inline(always)]
        move |keys, key, ()| {
            keys.expand_by_fours(
                key,
                #[inline(always)]
                |key| OneBlock::<T>::load(narrow, key),
                #[inline(always)]
                |key: OneBlock<T>, at| key.store(at),
                #[inline(always)]
                |before: OneBlock<T>, last, rcon| match rcon {
                    Some(rcon) => before.next_key::<true>(narrow, last, rcon),
                    None => before.next_key::<false>(narrow, last, 0),
                },
            )
        },
    )
}

#[inline(never)]
fn expand_192<T: AesToken>(token: T, keys: &mut RoundKeys, key: &[u8]) -> bool {
    token.vectorize_with(
        keys,
        key,
        (),
        #[inline(always)]
        |keys, key, ()| {
            // ShiftRows does not change a block of four equal words, so the last round with a zero key is SubBytes.
            let sub_word = |word| {
                let block = repeated(u32::from_le_bytes(word));
                let [a, b, c, d, ..] = T::V::splat(token, &block).enc_last(T::V::zero(token)).first();
                [a, b, c, d]
            };
            RoundKeys::expand(key, sub_word).map(|new| *keys = new).is_some()
        },
    )
}

/// The one-block vector of `T`, for modes whose blocks depend on each other.
pub(crate) type OneBlock<T> = <<T as AesToken>::Narrow as AesToken>::V;

/// The largest number of vectors for which the rounds are not a loop. One-block vectors have no loop for eight either:
/// a CPU cannot see far beyond so few instructions, and with the loop's own among them CTR at 16 KiB ran at 0.93 of the
/// best, not 0.99. Wider vectors lost up to a tenth without a loop, at 512 bytes.
const WRITTEN_OUT: usize = 4;

/// A key schedule as vector code uses it: the outer keys in registers, the inner ones in memory.
#[derive(Clone, Copy)]
pub(crate) struct Schedule<'a, V: AesVector> {
    pub(crate) token: V::Token,
    pub(crate) first: V,
    keys: &'a RoundKeys,
    inner: &'a [[u8; 16]],
    wide: Option<&'a WideKeys<V>>,
    pub(crate) last: V,
}

/// The inner keys at full vector width, in memory.
///
/// A loop that needs the registers for other things reads its keys in each pass. On Zen 4, a load that repeats a block
/// in all of a 512-bit vector takes the slot of a shuffle; a load of a whole vector takes none.
pub(crate) struct WideKeys<V>([V; 13]);

impl<V: AesVector> WideKeys<V> {
    /// Of vectors of one block no keys are copied: they are as wide in the schedule itself.
    #[inline(always)]
    pub(crate) fn new(keys: &Schedule<'_, V>) -> Self {
        let mut wide = [V::zero(keys.token); 13];
        for (i, wide) in wide.iter_mut().enumerate() {
            if V::BLOCKS > 1
                && let Some(key) = V::round_key(keys.token, keys.inner, i)
            {
                *wide = key;
            }
        }
        Self(wide)
    }

    /// Overwrites the keys.
    #[inline(always)]
    pub(crate) fn wipe(&mut self, token: V::Token) {
        self.0 = [V::zero(token); 13];
        optimization_barrier(&self.0);
    }
}

impl<'a, V: AesVector> Schedule<'a, V> {
    #[inline(always)]
    pub(crate) fn new(token: V::Token, keys: &'a RoundKeys) -> Self {
        let [first, inner @ .., last] = keys.keys() else { unreachable!("a schedule has at least 11 keys") };
        Self { token, first: V::splat(token, first), keys, inner, wide: None, last: V::splat(token, last) }
    }

    /// Makes the compiler read the inner keys again from here on; see [`anew`].
    #[inline(always)]
    pub(crate) fn reread(&mut self) {
        self.keys = anew(self.keys);
        self.inner = self.keys.inner(self.inner.len());
    }

    /// The same schedule with inner keys read from `wide`, from here on.
    #[inline(always)]
    pub(crate) fn widened<'b>(&self, wide: &'b WideKeys<V>) -> Schedule<'b, V>
    where
        'a: 'b,
    {
        Schedule { wide: Some(anew(wide)), ..*self }
    }

    /// Encrypts (`ENC`) or decrypts `N` vectors of blocks.
    #[inline(always)]
    pub(crate) fn crypt<const ENC: bool, const N: usize>(&self, blocks: &mut [V; N]) {
        self.rounds::<ENC, N>(blocks, self.first);
        for b in blocks.iter_mut() {
            *b = self.finish::<ENC>(*b, self.last);
        }
    }

    /// Encrypts (`ENC`) or decrypts one block.
    #[inline(always)]
    pub(crate) fn crypt_one<const ENC: bool>(&self, block: &[u8; 16]) -> [u8; 16] {
        let mut blocks = [V::splat(self.token, block)];
        self.crypt::<ENC, 1>(&mut blocks);
        blocks[0].first()
    }

    /// Adds the key `first` to `N` vectors and does all rounds but the last.
    #[inline(always)]
    pub(crate) fn rounds<const ENC: bool, const N: usize>(&self, blocks: &mut [V; N], first: V) {
        if V::AT_ONCE {
            return V::all_rounds::<ENC, N>(blocks, first, self.inner);
        }
        self.first_round::<ENC, N>(blocks, first);
        self.rounds_from::<ENC, N>(blocks, 1);
    }

    /// [`AesVector::AT_ONCE`].
    #[inline(always)]
    pub(super) fn at_once(&self) -> bool {
        V::AT_ONCE
    }

    /// [`AesVector::IN_CHAINS`].
    #[inline(always)]
    pub(super) fn in_chains(&self) -> bool {
        V::IN_CHAINS
    }

    /// [`AesVector::chain`].
    #[inline(always)]
    pub(super) fn chain(&self, blocks: &mut [V], state: V, first: V) {
        V::chain(blocks, state, first, self.inner);
    }

    /// Adds the key `first` and does round 0.
    #[inline(always)]
    pub(crate) fn first_round<const ENC: bool, const N: usize>(&self, blocks: &mut [V; N], first: V) {
        V::first_round::<ENC, N>(blocks, first, self.key(self.inner, 0));
    }

    /// Round `i`, from 1 to the one before the last.
    #[inline(always)]
    pub(crate) fn round<const ENC: bool, const N: usize>(&self, blocks: &mut [V; N], i: usize) {
        self.round_of::<ENC, N>(blocks, self.inner, i);
    }

    #[inline(always)]
    fn round_of<const ENC: bool, const N: usize>(&self, blocks: &mut [V; N], inner: &[[u8; 16]], i: usize) {
        if let Some(key) = self.key(inner, i) {
            V::round::<ENC, N>(blocks, key);
        }
    }

    #[inline(always)]
    fn key(&self, inner: &[[u8; 16]], i: usize) -> Option<V> {
        match self.wide {
            Some(wide) => wide.0.get(i).copied(),
            None => V::round_key(self.token, inner, i),
        }
    }

    /// The rounds from `i`, which is 1 to 9, to the one before the last.
    ///
    /// With few vectors, the rounds up to the tenth, which all keys have, are written out. A loop would add several
    /// instructions to a round of one or two, and a CPU sees only so many instructions ahead: they limit how many
    /// blocks or messages it can overlap.
    #[inline(always)]
    pub(crate) fn rounds_from<const ENC: bool, const N: usize>(&self, blocks: &mut [V; N], mut i: usize) {
        if N <= WRITTEN_OUT || V::BLOCKS == 1 || i >= 9 {
            for i in i..9 {
                self.round::<ENC, N>(blocks, i);
            }
            // The number is tested for each pair of rounds. If the compiler knew that it does not change, it would make
            // a copy of all that follows for each length of key.
            let (rounds, keys) = (forgotten(self.inner.len()), self.keys.inner(13));
            if rounds > 9 {
                self.round_of::<ENC, N>(blocks, keys, 9);
                self.round_of::<ENC, N>(blocks, keys, 10);
                if rounds > 11 {
                    self.round_of::<ENC, N>(blocks, keys, 11);
                    self.round_of::<ENC, N>(blocks, keys, 12);
                }
            }
            return;
        }
        while i < self.inner.len() {
            self.round::<ENC, N>(blocks, i);
            i = opaque(i + 1);
        }
    }

    /// The last round, with the key `last`.
    #[inline(always)]
    pub(crate) fn finish<const ENC: bool>(&self, block: V, last: V) -> V {
        block.finish::<ENC>(self.token, self.inner, last)
    }
}

/// The same as `keys.rounds(&mut blocks, first)`, with one step `next[i] = ...` beside each round `i` from 0 to 7. The
/// steps compute what the next batch needs, on the ports that the rounds leave free. Before or after the rounds they
/// would not overlap with them, because the rounds fill the CPU's queues. [`AesVector::meet`] keeps the compiler from
/// moving them there.
///
/// This is a macro because the compiler does not unroll a loop of this size, and vectors that are indexed by a loop
/// variable are kept in memory.
macro_rules! beside_rounds {
    ($keys:expr, $enc:expr, $n:expr, $first:expr, $blocks:ident, $next:ident[$i:ident] = $step:expr) => {{
        if $keys.at_once() {
            for $i in 0..8 {
                $next[$i] = $step;
            }
            $keys.rounds::<{ $enc }, { $n }>(&mut $blocks, $first);
        } else {
            $keys.first_round::<{ $enc }, { $n }>(&mut $blocks, $first);
            $crate::aes::rounds::beside_rounds!(@ $keys, $enc, $n, $blocks, $next, $i, $step, 1 2 3 4 5 6 7 8);
            $keys.rounds_from::<{ $enc }, { $n }>(&mut $blocks, 9);
        }
    }};
    (@ $keys:expr, $enc:expr, $n:expr, $blocks:ident, $next:ident, $i:ident, $step:expr, $($round:literal)*) => {
        $(
            let $i = $round - 1;
            $next[$i] = $step;
            $blocks[0].meet(&mut $next[$i]);
            $keys.round::<{ $enc }, { $n }>(&mut $blocks, $round);
        )*
    };
}
pub(super) use beside_rounds;

/// Encrypts `N` vectors of blocks.
#[inline(always)]
pub fn encrypt_blocks<V: AesVector, const N: usize>(token: V::Token, keys: &RoundKeys, blocks: &mut [V; N]) {
    Schedule::new(token, keys).crypt::<true, N>(blocks);
}

/// Decrypts `N` vectors of blocks with the keys of the equivalent inverse cipher.
#[inline(always)]
pub fn decrypt_blocks<V: AesVector, const N: usize>(token: V::Token, keys: &RoundKeys, blocks: &mut [V; N]) {
    Schedule::new(token, keys).crypt::<false, N>(blocks);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{aes::testing::each_token, cpu::CpuFeatures};

    /// FIPS 197 appendix C: plaintext 00112233…, key 000102….
    fn check<T: AesToken>() {
        let Some(token) = T::detect(CpuFeatures::detect()) else { return };
        let key: [u8; 32] = core::array::from_fn(|i| i as u8);
        let plain: [u8; 16] = core::array::from_fn(|i| 0x11 * i as u8);
        for (len, want) in [
            (16, 0x69c4e0d86a7b0430d8cdb78070b4c55au128),
            (24, 0xdda97ca4864cdfe06eaf70a0ec0d7191),
            (32, 0x8ea2b7ca516745bfeafc49904b496089),
        ] {
            let key = AesKey::new(token, &key[..len]).unwrap();
            assert!(key.dec.made().is_none());
            let key = key.inverted(AesKey::clone);
            token.vectorize(|| {
                let mut block = [T::V::splat(token, &plain)];
                encrypt_blocks(token, &key.enc, &mut block);
                assert_eq!(block[0].first(), want.to_be_bytes());
                decrypt_blocks(token, key.dec.made().unwrap(), &mut block);
                assert_eq!(block[0].last(), plain);
            });
        }
        assert!(AesKey::new(token, &key[..15]).is_none());
        for (before, len) in [(24, 16), (32, 16), (32, 24)] {
            let mut key = AesKey::new(token, &[7; 32][..before]).unwrap();
            assert!(key.set(&[7; 32][..len]));
            let unused = &key.enc.inner(14)[key.enc.rounds()..];
            assert_eq!(unused.as_flattened(), &[0; 64][..16 * unused.len()], "round keys of a longer key are wiped");
        }
    }

    #[test]
    fn fips_197() {
        each_token!(check);
    }
}
