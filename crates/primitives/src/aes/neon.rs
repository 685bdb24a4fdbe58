//! AES by table look-up in registers, for CPUs with NEON and without AES instructions.
//!
//! The S-box fills 16 vectors. TBL looks up bytes in four of them: 64 entries, and zero for a number above 63. TBX
//! leaves the byte as it is then. So each byte is looked up in all four quarters, with 64 less each time, and one of
//! them has it. The table is in registers, so the time does not depend on the bytes: this is constant time, unlike a
//! table in memory.
//!
//! A round is ShiftRows (a shuffle of bytes), seven instructions of SubBytes, and MixColumns, which takes nine:
//! with a⟨n⟩ for the rows moved up by n,
//!
//! ```text
//! MixColumns(a) = 2a + 3a⟨1⟩ + a⟨2⟩ + a⟨3⟩ = s + (a + s)⟨1⟩     where s = 2a + a⟨2⟩
//! ```
//!
//! A block takes as long as its chain of rounds. Modes that wait for each block use these rounds. Where many blocks are at
//! hand, [`Bitslice`](super::Bitslice) is the faster way.

use super::sbox::{INV_SBOX, SBOX};
use crate::{
    cpu::Neon,
    simd::{
        AesVector, Blocks,
        aarch64::{V128, one_block},
        from_fn, one_block_token,
    },
};

one_block_token!(Neon: V128<Self>);

/// Byte 4·c + r, which is row r of column c, comes from row r of the column r to the right, or to the left.
const SHIFT_ROWS: [u8; 16] = shift_rows(1);
const INV_SHIFT_ROWS: [u8; 16] = shift_rows(3);

const fn shift_rows(columns: usize) -> [u8; 16] {
    let (mut shuffle, mut at) = ([0; 16], 0);
    while at < 16 {
        shuffle[at] = ((at + 4 * columns * (at % 4)) % 16) as u8;
        at += 1;
    }
    shuffle
}

/// Each row comes from the row below.
const NEXT_ROW: [u8; 16] = [1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12];

impl V128<Neon> {
    /// The bytes' entries in `table`. `sparing` saves two registers, for blocks that are computed side by side.
    #[inline(always)]
    fn substitute(self, table: &'static [u8; 256], sparing: bool) -> Self {
        let token = self.token();
        let (table, _) = table.as_chunks::<16>();
        let [t0, t1, t2, t3] = from_fn(
            #[inline(always)]
            |quarter| {
                from_fn::<_, 4>(
                    #[inline(always)]
                    |i| Self::load(token, &table[4 * quarter + i]),
                )
            },
        );
        let less_64 = Self::splat8(token, 0_u8.wrapping_sub(64));
        // Otherwise the compiler subtracts 64, 128 and 192 from the first number, and keeps all three in registers.
        let at1 = self.add8(less_64);
        let at1 = if sparing { at1.opaque() } else { at1 };
        let at2 = at1.add8(less_64);
        let at2 = if sparing { at2.opaque() } else { at2 };
        let at3 = at2.add8(less_64);
        let found = self.lookup(t0[0], t0[1], t0[2], t0[3]);
        let found = found.or_lookup(at1, t1[0], t1[1], t1[2], t1[3]);
        let found = found.or_lookup(at2, t2[0], t2[1], t2[2], t2[3]);
        found.or_lookup(at3, t3[0], t3[1], t3[2], t3[3])
    }

    /// Each byte times 2 in GF(2⁸).
    #[inline(always)]
    fn doubled(self) -> Self {
        self.shl8::<1>().xor(self.signs8().and(Self::splat8(self.token(), 0x1b)))
    }

    #[inline(always)]
    fn mix_columns(self) -> Self {
        let sum = self.doubled().xor(self.reverse_halves32());
        sum.xor(self.xor(sum).shuffle_bytes(Self::load(self.token(), &NEXT_ROW)))
    }

    #[inline(always)]
    fn shift_and_substitute<const ENC: bool>(self, sparing: bool) -> Self {
        let (rows, table) = if ENC { (&SHIFT_ROWS, &SBOX) } else { (&INV_SHIFT_ROWS, &INV_SBOX) };
        self.shuffle_bytes(Self::load(self.token(), rows)).substitute(table, sparing)
    }

    /// A round without its key.
    #[inline(always)]
    fn keyless<const ENC: bool>(self, sparing: bool) -> Self {
        let state = self.shift_and_substitute::<ENC>(sparing);
        if ENC { state.mix_columns() } else { state.inv_mix_columns() }
    }
}

/// `word` times x^7 + x^2 + x + 1, for a `word` below 2^57.
#[inline(always)]
fn times_0x87(token: Neon, word: u64) -> V128<Neon> {
    V128::load(token, &[word ^ word << 1 ^ word << 2 ^ word << 7, 0])
}

impl AesVector for V128<Neon> {
    /// The table fills half of the registers.
    const CHAINS: usize = 4;

    one_block!(times_0x87);

    #[inline(always)]
    fn enc(self, round_key: Self) -> Self {
        self.keyless::<true>(false).xor(round_key)
    }

    #[inline(always)]
    fn enc_last(self, round_key: Self) -> Self {
        self.shift_and_substitute::<true>(false).xor(round_key)
    }

    #[inline(always)]
    fn dec(self, round_key: Self) -> Self {
        self.keyless::<false>(false).xor(round_key)
    }

    #[inline(always)]
    fn dec_last(self, round_key: Self) -> Self {
        self.shift_and_substitute::<false>(false).xor(round_key)
    }

    /// MixColumns of a + 4·(a + a⟨2⟩), as in [`bitslice`](super::bitslice).
    #[inline(always)]
    fn inv_mix_columns(self) -> Self {
        self.xor(self.xor(self.reverse_halves32()).doubled().doubled()).mix_columns()
    }

    /// A block begins its round when the one two before it has ended its own. Left alone, the compiler would interleave
    /// four, for whose steps there are not enough registers: parts of the table would go to memory and back in each round.
    #[inline(always)]
    fn round<const ENC: bool, const N: usize>(blocks: &mut [Self; N], key: Self) {
        for i in 0..N {
            blocks[i] = blocks[i].keyless::<ENC>(N > 1).xor(key);
            if let Some((done, [next, ..])) = blocks.split_at_mut_checked(i + 2) {
                done[i].meet(next);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        aes::sbox::sub_word,
        cpu::{CpuFeatures, Token},
    };

    /// All 256 bytes in every lane, against the circuit.
    #[test]
    fn every_byte_in_every_lane() {
        let token = Neon::detect(CpuFeatures::detect()).expect("every AArch64 that runs tests has NEON");
        for byte in 0..=255_u8 {
            let bytes: [u8; 16] = core::array::from_fn(|lane| byte.wrapping_add(15 * lane as u8));
            let [mut there, mut back] = [[0; 16]; 2];
            token.vectorize(
                #[inline(always)]
                || {
                    let found = V128::load(token, &bytes).substitute(&SBOX, false);
                    found.store(&mut there);
                    found.substitute(&INV_SBOX, true).store(&mut back);
                },
            );
            for (word, found) in bytes.as_chunks().0.iter().zip(there.as_chunks().0) {
                assert_eq!(sub_word(*word), *found);
            }
            assert_eq!(back, bytes);
        }
    }
}
