//! The key schedule (FIPS 197 section 5.2).

use zeroize::{ZeroizeOnDrop, optimization_barrier};

/// Round keys of AES-128, -192 or -256, in the order in which they are used.
///
/// The alignment keeps each key within one cache line.
#[repr(C, align(16))]
#[derive(Clone)]
pub struct RoundKeys {
    keys: [[u8; 16]; 15],
    rounds: Rounds,
}

/// The number of rounds, as a type from which the compiler knows that there are at least 10 and at most 14.
#[derive(Clone, Copy)]
#[repr(usize)]
enum Rounds {
    Ten = 10,
    Twelve = 12,
    Fourteen = 14,
}

impl Drop for RoundKeys {
    fn drop(&mut self) {
        self.wipe();
    }
}

impl ZeroizeOnDrop for RoundKeys {}

impl RoundKeys {
    /// Expands a key of 16, 24 or 32 bytes; `None` for any other length.
    ///
    /// `sub_word` applies the S-box to each byte of a word; each driver has its own way to do that.
    #[inline(always)]
    pub fn expand(key: &[u8], mut sub_word: impl FnMut([u8; 4]) -> [u8; 4]) -> Option<Self> {
        let (words, rounds) = match key.len() {
            16 => (4, Rounds::Ten),
            24 => (6, Rounds::Twelve),
            32 => (8, Rounds::Fourteen),
            _ => return None,
        };
        let mut expanded = Self { keys: [[0; 16]; 15], rounds };
        expanded.keys.as_flattened_mut()[..key.len()].copy_from_slice(key);
        let w = expanded.keys.as_flattened_mut().as_chunks_mut::<4>().0;
        // Words are little-endian, so RotWord is a rotation to the right.
        let mut temp = u32::from_le_bytes(w[words - 1]);
        let mut rcon = 1u32;
        let mut phase = 0; // i modulo `words`
        for i in words..4 * (words + 7) {
            if phase == 0 {
                temp = u32::from_le_bytes(sub_word(temp.rotate_right(8).to_le_bytes())) ^ rcon;
                rcon = (rcon << 1) ^ ((rcon >> 7) * 0x11b);
            } else if words == 8 && phase == 4 {
                temp = u32::from_le_bytes(sub_word(temp.to_le_bytes()));
            }
            temp ^= u32::from_le_bytes(w[i - words]);
            w[i] = temp.to_le_bytes();
            phase = if phase + 1 == words { 0 } else { phase + 1 };
        }
        Some(expanded)
    }

    /// An empty place for a schedule.
    #[inline(always)]
    pub(crate) fn unset() -> Self {
        Self { keys: [[0; 16]; 15], rounds: Rounds::Ten }
    }

    /// Overwrites the keys with zeros.
    #[cold]
    #[inline(never)]
    pub(crate) fn wipe(&mut self) {
        self.keys = [[0; 16]; 15];
        optimization_barrier(&self.keys);
    }

    /// Sets the number of rounds. If the previous schedule had more, it is wiped first.
    #[inline(always)]
    fn set_rounds(&mut self, rounds: Rounds) {
        if self.rounds as usize > rounds as usize {
            self.wipe();
        }
        self.rounds = rounds;
    }

    /// Expands a key of 16 or 32 bytes in place, four words at a time; returns whether `key` has one of these lengths.
    /// `next(before, last, rcon)` computes the four words after `last`, where `before` are the words as far back as the
    /// key is long. `rcon` is `None` for words without RotWord.
    #[inline(always)]
    pub(crate) fn expand_by_fours<V: Copy>(
        &mut self,
        key: &[u8],
        load: impl Fn(&[u8; 16]) -> V,
        store: impl Fn(V, &mut [u8; 16]),
        next: impl Fn(V, V, Option<u32>) -> V,
    ) -> bool {
        const RCON: [u32; 10] = [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36];
        match (key.as_chunks().0, key.len()) {
            ([key], 16) => {
                self.set_rounds(Rounds::Ten);
                self.keys[0] = *key;
                let mut last = load(key);
                for (at, rcon) in self.keys[1..].iter_mut().zip(RCON) {
                    last = next(last, last, Some(rcon));
                    store(last, at);
                }
            }
            ([low, high], 32) => {
                self.set_rounds(Rounds::Fourteen);
                (self.keys[0], self.keys[1]) = (*low, *high);
                let (mut even, mut odd) = (load(low), load(high));
                for (at, rcon) in self.keys[2..].chunks_mut(2).zip(RCON) {
                    even = next(even, odd, Some(rcon));
                    odd = next(odd, even, None);
                    if let [first, rest @ ..] = at {
                        store(even, first);
                        rest.iter_mut().for_each(|second| store(odd, second));
                    }
                }
            }
            _ => return false,
        }
        true
    }

    /// Makes this the schedule of the equivalent inverse cipher of `other`; see [`RoundKeys::inverted`].
    #[inline(always)]
    pub(crate) fn invert(&mut self, other: &Self, inv_mix_columns: impl Fn(&[u8; 16], &mut [u8; 16])) {
        self.rounds = other.rounds;
        let rounds = self.rounds();
        for (to, from) in self.keys[..rounds].iter_mut().zip(other.keys[..=rounds].iter().rev()).skip(1) {
            inv_mix_columns(from, to);
        }
        (self.keys[0], self.keys[rounds]) = (other.keys[rounds], other.keys[0]);
    }

    /// The round keys of the equivalent inverse cipher (FIPS 197 section 5.3.5). They are in reverse order, and all but
    /// the first and the last have gone through `inv_mix_columns`.
    #[inline(always)]
    #[must_use]
    pub fn inverted(&self, mut inv_mix_columns: impl FnMut([u8; 16]) -> [u8; 16]) -> Self {
        let mut inverse = Self { keys: [[0; 16]; 15], rounds: self.rounds };
        let rounds = self.rounds();
        for i in 0..=rounds {
            let k = self.keys[rounds - i];
            inverse.keys[i] = if i == 0 || i == rounds { k } else { inv_mix_columns(k) };
        }
        inverse
    }

    /// The number of rounds: 10, 12 or 14.
    #[inline(always)]
    pub fn rounds(&self) -> usize {
        self.rounds as usize
    }

    /// The `rounds + 1` round keys, of 16 bytes each.
    #[inline(always)]
    pub fn keys(&self) -> &[[u8; 16]] {
        &self.keys[..=self.rounds()]
    }

    /// The `n` round keys after the first.
    #[inline(always)]
    pub(super) fn inner(&self, n: usize) -> &[[u8; 16]] {
        &self.keys[1..=n]
    }

    /// The first key; the 0, 2 or 4 keys that AES-128 does not have; and the last ten.
    #[inline(always)]
    pub(crate) fn by_tens(&self) -> (&[u8; 16], &[[u8; 16]], &[[u8; 16]; 10]) {
        let [first, inner @ ..] = &self.keys;
        let (extra, last) = match self.rounds {
            Rounds::Ten => (&inner[..0], inner.first_chunk()),
            Rounds::Twelve => (&inner[..2], inner[2..].first_chunk()),
            Rounds::Fourteen => (&inner[..4], inner[4..].first_chunk()),
        };
        (first, extra, last.expect("14 keys behind the first"))
    }

    /// The first round key, for drivers that store it masked.
    #[inline(always)]
    pub(super) fn first_mut(&mut self) -> &mut [u8; 16] {
        &mut self.keys[0]
    }
}

/// The functions that make a key, for a type that has `unset` and `set`.
macro_rules! expanded_in_place {
    ($lengths:literal) => {
        #[doc = concat!("Expands a key of ", $lengths, " bytes; `None` for any other length.")]
        pub fn new(token: T, key: &[u8]) -> Option<Self> {
            let mut new = Self::unset(token);
            new.set(key).then_some(new)
        }

        #[doc = concat!("Expands a key of ", $lengths, " bytes in its final place; `None` for any other length.")]
        /// `place` moves an empty key to that place, and `key_in` finds it in the value that `place` returned.
        ///
        /// This is the fastest way, because a copy of a schedule that has just been written waits for the stores of
        /// its parts.
        #[inline(always)]
        pub fn new_in<P>(
            token: T,
            key: &[u8],
            place: impl FnOnce(Self) -> P,
            key_in: impl FnOnce(&mut P) -> &mut Self,
        ) -> Option<P> {
            let mut new = place(Self::unset(token));
            key_in(&mut new).set(key).then_some(new)
        }
    };
}
pub(crate) use expanded_in_place;
