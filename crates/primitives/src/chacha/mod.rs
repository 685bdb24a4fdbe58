//! The ChaCha stream ciphers (RFC 8439 section 2; Bernstein, "ChaCha, a variant of Salsa20"), and HChaCha, by which
//! XChaCha derives its keys (draft-irtf-cfrg-xchacha-03 section 2.2).
//!
//! A block of keystream is the result of 20 rounds of additions, xors and rotations on a 4 × 4 matrix of 32-bit words,
//! plus the first matrix:
//!
//! ```text
//! a   constants   constants   constants   constants
//! b   key 0       key 1       key 2       key 3
//! c   key 4       key 5       key 6       key 7
//! d   counter     nonce 0     nonce 1     nonce 2
//! ```
//!
//! A round is four independent quarter rounds: on the columns in even rounds, on the diagonals in odd ones. There are
//! two ways to lay that out in vectors, and this module has both:
//!
//! * **Rows.** A vector holds one row of as many blocks as it has quads, so a quarter round on the four row vectors is
//!   a whole round. Rotating the rows against each other turns diagonals into columns, at three shuffles a round. A few
//!   blocks take few registers, so this way is for short messages.
//! * **Columns.** Each of sixteen vectors holds one word of as many blocks as it has lanes. Turning diagonals into
//!   columns only renames vectors. The price is a transposition at the end, at two instructions per vector. This way is
//!   for long messages.
//!
//! A single block is computed by rows too ([`ChaChaVectors::Single`]).
//!
//! The transposition at the end leaves exactly the layout of rows, with four groups of vectors. So both ways share the
//! code that adds the first matrix and writes the keystream.

#[cfg(all(target_arch = "arm", unix))]
mod arm;
pub(crate) mod beside;
pub(crate) mod columns;
pub(crate) mod output;
pub(crate) mod rounds;

use crate::InOut;
use crate::cpu::{Portable, Token};
use crate::words32::{Quad, Quads, Words32};
use columns::Columns;
use output::Output;
use zeroize::Zeroizing;

/// A token of a CPU that has code for ChaCha.
pub trait ChaChaToken: Token {
    /// [`ChaCha::xor`] with the parts of a key.
    #[doc(hidden)]
    fn xor(self, key: &[[u32; 4]; 2], state: &mut [u32; 4], double_rounds: usize, data: InOut<'_>);

    /// The first and the last row of `matrix` after the rounds. By default they are computed in general registers.
    #[doc(hidden)]
    fn hchacha(self, matrix: [[u32; 4]; 4], double_rounds: usize) -> [[u32; 4]; 2] {
        rounds::first_and_last::<Quad>(Portable::new(), matrix, double_rounds)
    }
}

impl<T: ChaChaVectors> ChaChaToken for T {
    #[inline(always)]
    fn xor(self, key: &[[u32; 4]; 2], state: &mut [u32; 4], double_rounds: usize, data: InOut<'_>) {
        xor(self, key, state, double_rounds, data);
    }

    fn hchacha(self, matrix: [[u32; 4]; 4], double_rounds: usize) -> [[u32; 4]; 2] {
        let token = self.single();
        token.vectorize(
            #[inline(always)]
            || rounds::first_and_last::<T::Single>(token, matrix, double_rounds),
        )
    }
}

/// A token of a CPU that has vectors for ChaCha.
pub trait ChaChaVectors: Token {
    /// What the rows of a single block are computed in: a vector on x86, and on other CPUs, whose vector instructions take two cycles and more,
    /// general registers.
    type Single: Quads;

    /// The token of `Single`.
    fn single(self) -> <Self::Single as Words32>::Token;

    /// Vectors for the rows of two blocks. On AVX-512, where they are half as wide as the widest, they also serve for
    /// the columns of eight blocks.
    type Row: Quads<Token = Self>;

    /// The widest vectors of the CPU.
    type Wide: Quads<Token = Self>;

    /// Vectors for the columns of more blocks than a wide vector has lanes, if there are registers for them.
    type Middle: Columns<Token = Self>;

    /// Vectors for the columns of the largest number of blocks.
    type Bulk: Columns<Token = Self>;

    /// Whether there are enough registers for columns. If not, all messages go block by block.
    const COLUMNS: bool = true;

    /// Messages of more blocks than this go by the columns of `Bulk`.
    const BULK_ABOVE: usize = <Self::Wide as Words32>::LANES;

    /// Whether the key of a ChaCha20-Poly1305 message with a short text is one of the blocks in `Row`, or in two groups of `Wide`: up to
    /// three such vectors cost next to nothing more than one. If not, and for longer texts, the key is computed in general registers while the other
    /// blocks are computed in vectors.
    const KEY_IN_VECTORS: bool = false;

    /// Whether the quarter rounds of columns are computed two by two, because a matrix fills all vector registers. Then the two matrices of
    /// a `Pair` take turns.
    const IN_PAIRS: bool = false;
}

/// A single block is computed in general registers.
macro_rules! general_registers {
    () => {
        type Single = Quad;

        #[inline(always)]
        fn single(self) -> Portable {
            Portable::new()
        }
    };
}

/// One block at a time: a CPU without vectors has registers for sixteen words at most.
impl ChaChaVectors for Portable {
    general_registers!();
    type Row = Quad;
    type Wide = Quad;
    type Middle = Quad;
    type Bulk = Quad;
    const COLUMNS: bool = false;
    const BULK_ABOVE: usize = 1;
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::ChaChaVectors;
    use crate::cpu::{Avx2, Avx512, Sse2, Ssse3};
    use crate::simd::x86::{V128, V256, V512};
    use crate::words32::{Pair, Words32};

    /// A single block is computed in vectors of 128 bits.
    macro_rules! one_vector {
        () => {
            type Single = V128<Self>;

            #[inline(always)]
            fn single(self) -> Self {
                self
            }
        };
    }

    impl ChaChaVectors for Sse2 {
        one_vector!();
        type Row = V128<Self>;
        type Wide = V128<Self>;
        type Middle = V128<Self>;
        type Bulk = V128<Self>;
        const IN_PAIRS: bool = true;
    }
    impl ChaChaVectors for Ssse3 {
        one_vector!();
        type Row = V128<Self>;
        type Wide = V128<Self>;
        type Middle = V128<Self>;
        type Bulk = V128<Self>;
        const KEY_IN_VECTORS: bool = true;
        const IN_PAIRS: bool = true;
    }
    impl ChaChaVectors for Avx2 {
        one_vector!();
        type Row = V256<Self>;
        type Wide = V256<Self>;
        type Middle = V256<Self>;
        type Bulk = Pair<V256<Self>>;
        const BULK_ABOVE: usize = <Self::Bulk as Words32>::LANES - 1;
        const KEY_IN_VECTORS: bool = true;
        const IN_PAIRS: bool = true;
    }
    impl ChaChaVectors for Avx512 {
        one_vector!();
        type Row = V256<Self>;
        type Wide = V512<Self>;
        type Middle = Pair<V512<Self>, V256<Self>>;
        type Bulk = Pair<V512<Self>>;
        const KEY_IN_VECTORS: bool = true;
        const BULK_ABOVE: usize = 24;
    }
}

#[cfg(target_arch = "aarch64")]
impl ChaChaVectors for crate::cpu::Neon {
    general_registers!();
    type Row = crate::simd::aarch64::V128<Self>;
    type Wide = crate::simd::aarch64::V128<Self>;
    type Middle = crate::simd::aarch64::V128<Self>;
    type Bulk = crate::simd::aarch64::V128<Self>;
}

/// "expand 32-byte k" in little-endian words.
const CONSTANTS: [u32; 4] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];

/// Bytes of keystream in a block.
pub(crate) const BLOCK: usize = 64;

/// A ChaCha key, for CPUs with the features of `T`.
#[derive(Clone)]
pub struct ChaCha<T: Token> {
    token: T,
    key: Zeroizing<[[u32; 4]; 2]>,
    double_rounds: usize,
}

impl<T: ChaChaToken> ChaCha<T> {
    /// A key for 20, 12 or 8 `rounds`; an odd number is rounded down to an even one.
    #[inline]
    pub fn new(token: T, key: &[u8; 32], rounds: usize) -> Self {
        Self { token, key: [quad(key, 0), quad(key, 16)].into(), double_rounds: rounds / 2 }
    }

    /// Encrypts or decrypts `data`, which may have any length, by xoring the keystream.
    ///
    /// `state` is the last row of the matrix: the block counter, then the 12-byte nonce as little-endian words. The
    /// counter advances by one for every block of which keystream was used, modulo 2³² and without a carry into the
    /// nonce.
    pub fn xor(&self, state: &mut [u32; 4], data: InOut<'_>) {
        self.token.xor(&self.key, state, self.double_rounds, data);
    }
}

/// [`ChaCha::xor`] with the parts of a key.
pub(crate) fn xor<T: ChaChaVectors>(
    token: T,
    key: &[[u32; 4]; 2],
    state: &mut [u32; 4],
    double_rounds: usize,
    mut data: InOut<'_>,
) {
    // Each length has a function of its own, so that a short message does not pay for the constants and the stack frame
    // of a long one.
    if data.len().div_ceil(BLOCK) > T::BULK_ABOVE {
        token.vectorize(
            #[inline(always)]
            || {
                while data.len().div_ceil(BLOCK) > T::BULK_ABOVE {
                    let blocks = if T::COLUMNS { T::Bulk::LANES } else { 1 };
                    let batch = data.take(data.len().min(blocks * BLOCK)).expect("no more than there is");
                    let begun = batch.len().div_ceil(BLOCK);
                    if T::COLUMNS {
                        columns::xor::<T::Bulk>(token, key, *state, double_rounds, batch.into());
                    } else {
                        rounds::xor_rows::<T::Single, 1>(token.single(), key, *state, double_rounds, batch);
                    }
                    state[0] = state[0].wrapping_add(begun as u32);
                }
            },
        );
    }
    let begun = data.len().div_ceil(BLOCK);
    if begun > 2 * T::Wide::QUADS || begun > T::Wide::QUADS && T::Row::QUADS < T::Wide::QUADS {
        xor_columns(token, key, *state, double_rounds, data.into());
    } else if begun > T::Wide::QUADS {
        token.vectorize(
            #[inline(always)]
            || rounds::xor_rows::<T::Wide, 2>(token, key, *state, double_rounds, data),
        );
    } else if begun > T::Row::QUADS {
        token.vectorize(
            #[inline(always)]
            || rounds::xor_rows::<T::Wide, 1>(token, key, *state, double_rounds, data),
        );
    } else if begun > 1 {
        token.vectorize(
            #[inline(always)]
            || rounds::xor_rows::<T::Row, 1>(token, key, *state, double_rounds, data),
        );
    } else if begun == 1 {
        let token = token.single();
        token.vectorize(
            #[inline(always)]
            || rounds::xor_rows::<T::Single, 1>(token, key, *state, double_rounds, data),
        );
    }
    state[0] = state[0].wrapping_add(begun as u32);
}

/// Writes block 0 of the keystream to `first` and xors `data` with the blocks after it. All of them must fit into the
/// lanes of `Bulk`.
pub(crate) fn xor_after<T: ChaChaVectors>(
    token: T,
    key: &[[u32; 4]; 2],
    state: [u32; 4],
    double_rounds: usize,
    first: &mut [u8; BLOCK],
    data: InOut<'_>,
) {
    xor_columns(token, key, state, double_rounds, Output::new(Some(first), data));
}

/// Computes the blocks that `output` needs by the narrowest columns that hold all of them.
fn xor_columns<T: ChaChaVectors>(
    token: T,
    key: &[[u32; 4]; 2],
    state: [u32; 4],
    double_rounds: usize,
    output: Output<'_>,
) {
    /// The columns of `C`, for at most `LANES` blocks.
    fn xor<T: ChaChaVectors, C: Columns<Token = T>>(
        token: T,
        key: &[[u32; 4]; 2],
        state: [u32; 4],
        double_rounds: usize,
        output: Output<'_>,
    ) {
        token.vectorize(
            #[inline(always)]
            || columns::xor::<C>(token, key, state, double_rounds, output),
        );
    }
    let blocks = output.blocks();
    if blocks <= T::Row::LANES {
        xor::<T, T::Row>(token, key, state, double_rounds, output);
    } else if blocks <= T::Wide::LANES {
        xor::<T, T::Wide>(token, key, state, double_rounds, output);
    } else if blocks <= T::Middle::LANES {
        xor::<T, T::Middle>(token, key, state, double_rounds, output);
    } else {
        debug_assert!(blocks <= T::Bulk::LANES);
        xor::<T, T::Bulk>(token, key, state, double_rounds, output);
    }
}

/// HChaCha (draft-irtf-cfrg-xchacha-03 section 2.2): the subkey of XChaCha from the key and the first 16 bytes of the
/// 24-byte nonce. The subkey is the first and the last row after the rounds; the first matrix is not added.
pub fn hchacha<T: ChaChaToken>(token: T, key: &[u8; 32], nonce: &[u8; 16], rounds: usize) -> [u8; 32] {
    let matrix = [CONSTANTS, quad(key, 0), quad(key, 16), quad(nonce, 0)];
    let mut out = [0; 32];
    for (bytes, word) in out.chunks_exact_mut(4).zip(token.hchacha(matrix, rounds / 2).as_flattened()) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    out
}

/// The four little-endian words at offset `at` of `bytes`.
#[inline(always)]
pub(crate) fn quad<const N: usize>(bytes: &[u8; N], at: usize) -> [u32; 4] {
    let word = |i: usize| {
        let at = at + 4 * i;
        u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
    };
    [word(0), word(1), word(2), word(3)]
}

#[cfg(test)]
mod tests;
