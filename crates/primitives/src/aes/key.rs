//! The key schedule (FIPS 197 section 5.2).

use zeroize::{ZeroizeOnDrop, optimization_barrier};

/// Round keys of AES-128, -192 or -256, in the order in which they are used.
///
/// Aligned, so that no key lies across two cache lines.
#[repr(C, align(16))]
#[derive(Clone)]
pub struct RoundKeys {
    keys: [[u8; 16]; 15],
    rounds: usize,
}

impl Drop for RoundKeys {
    fn drop(&mut self) {
        self.keys = [[0; 16]; 15];
        optimization_barrier(&self.keys);
    }
}

impl ZeroizeOnDrop for RoundKeys {}

impl RoundKeys {
    /// Expands a key of 16, 24 or 32 bytes; `None` for any other length.
    ///
    /// `sub_word` applies the S-box to each byte of a word; each driver brings its own.
    #[inline(always)]
    pub fn expand(key: &[u8], mut sub_word: impl FnMut([u8; 4]) -> [u8; 4]) -> Option<Self> {
        let words = match key.len() {
            16 | 24 | 32 => key.len() / 4,
            _ => return None,
        };
        let mut expanded = Self { keys: [[0; 16]; 15], rounds: words + 6 };
        expanded.keys.as_flattened_mut()[..key.len()].copy_from_slice(key);
        let w = expanded.keys.as_flattened_mut().as_chunks_mut::<4>().0;
        // Little-endian words: RotWord is a rotation to the right.
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

    /// The round keys of the equivalent inverse cipher (FIPS 197 section 5.3.5): in reverse order,
    /// all but the first and the last passed through `inv_mix_columns`.
    #[inline(always)]
    #[must_use]
    pub fn inverted(&self, mut inv_mix_columns: impl FnMut([u8; 16]) -> [u8; 16]) -> Self {
        let mut inverse = Self { keys: [[0; 16]; 15], rounds: self.rounds };
        for i in 0..=self.rounds {
            let k = self.keys[self.rounds - i];
            inverse.keys[i] = if i == 0 || i == self.rounds { k } else { inv_mix_columns(k) };
        }
        inverse
    }

    /// Rounds: 10, 12 or 14.
    #[inline(always)]
    pub fn rounds(&self) -> usize {
        self.rounds
    }

    /// The `rounds + 1` round keys.
    #[inline(always)]
    pub fn keys(&self) -> &[[u8; 16]] {
        &self.keys[..=self.rounds]
    }

    /// The first key, the 0, 2 or 4 that AES-128 does not have, and the last ten.
    #[inline(always)]
    pub(crate) fn by_tens(&self) -> (&[u8; 16], &[[u8; 16]], &[[u8; 16]; 10]) {
        let [first, inner @ ..] = &self.keys;
        let (extra, last) = match self.rounds {
            10 => (&inner[..0], inner.first_chunk()),
            12 => (&inner[..2], inner[2..].first_chunk()),
            _ => (&inner[..4], inner[4..].first_chunk()),
        };
        (first, extra, last.expect("14 keys behind the first"))
    }

    /// The first round key, for drivers that store it masked.
    #[inline(always)]
    pub(super) fn first_mut(&mut self) -> &mut [u8; 16] {
        &mut self.keys[0]
    }
}
