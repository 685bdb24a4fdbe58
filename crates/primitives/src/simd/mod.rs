//! Vectors of 16-byte blocks, as the AES instructions see them.
//!
//! [`Blocks`] is what every mode needs (loads, stores, xor, counters), [`AesVector`] adds the
//! rounds. A vector can only be made with the token of its CPU, so having one proves that its
//! instructions exist, and its methods are safe. Everything is `#[inline(always)]` and must be
//! reached from inside [`Token::vectorize`].

use crate::cpu::Token;

#[cfg(target_arch = "aarch64")]
pub(crate) mod aarch64;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod register;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86;

/// One or more blocks of 16 bytes in one register. Block 0 is the first in memory.
///
/// Sealed, as unsafe code relies on vectors to be what they say. This fails for nothing but the seal:
///
/// ```compile_fail,E0277
/// #[derive(Clone, Copy)]
/// struct Forged([u8; 16]);
///
/// impl algkit_primitives::simd::Blocks for Forged {
///     type Token = algkit_primitives::cpu::Portable;
///     const BLOCKS: usize = 1;
///     fn zero(_: Self::Token) -> Self { Self([0; 16]) }
///     fn splat(_: Self::Token, block: &[u8; 16]) -> Self { Self(*block) }
///     fn load(_: Self::Token, src: &[u8]) -> Self { Self(*src.first_chunk().unwrap()) }
///     fn load_partial(_: Self::Token, _: &[u8]) -> Self { Self([0; 16]) }
///     fn store(self, _: &mut [u8]) {}
///     fn store_partial(self, _: &mut [u8]) {}
///     fn first(self) -> [u8; 16] { self.0 }
///     fn last(self) -> [u8; 16] { self.0 }
///     fn xor(self, _: Self) -> Self { self }
///     fn reverse_bytes(self) -> Self { self }
///     fn add32(self, _: Self) -> Self { self }
///     fn add64(self, _: Self) -> Self { self }
/// }
/// ```
pub trait Blocks: crate::sealed::Sealed + Copy {
    /// What proves that the CPU has these vectors.
    type Token: Token;

    /// Blocks in a vector.
    const BLOCKS: usize;

    /// Bytes in a vector.
    const BYTES: usize = 16 * Self::BLOCKS;

    /// All zero.
    fn zero(token: Self::Token) -> Self;

    /// The same block everywhere.
    fn splat(token: Self::Token, block: &[u8; 16]) -> Self;

    /// The first [`Blocks::BYTES`] bytes of `src`.
    ///
    /// # Panics
    /// If there are fewer.
    fn load(token: Self::Token, src: &[u8]) -> Self;

    /// All of `src`, at most [`Blocks::BYTES`] bytes, then zeros.
    ///
    /// # Panics
    /// If there are more.
    fn load_partial(token: Self::Token, src: &[u8]) -> Self;

    /// Writes the vector to the first [`Blocks::BYTES`] bytes of `dst`.
    ///
    /// # Panics
    /// If there are fewer.
    fn store(self, dst: &mut [u8]);

    /// Fills `dst`, at most [`Blocks::BYTES`] bytes, with the first bytes of the vector.
    ///
    /// # Panics
    /// If there are more.
    fn store_partial(self, dst: &mut [u8]);

    /// The vector, but its first bytes are those of `src`, at most 16. What its other blocks become is not said.
    #[inline(always)]
    fn overlaid(self, token: Self::Token, src: &[u8]) -> Self {
        let kept = u128::MAX.checked_shl(8 * src.len() as u32).unwrap_or(0);
        let block = u128::from_le_bytes(self.first()) & kept | load_partial_block(src);
        Self::splat(token, &block.to_le_bytes())
    }

    /// The first block.
    fn first(self) -> [u8; 16];

    /// The last block.
    fn last(self) -> [u8; 16];

    /// `self ^ other`.
    fn xor(self, other: Self) -> Self;

    /// `self ^ a ^ b`.
    #[inline(always)]
    fn xor3(self, a: Self, b: Self) -> Self {
        self.xor(a).xor(b)
    }

    /// Each block with its 16 bytes in reverse order.
    fn reverse_bytes(self) -> Self;

    /// Lane-wise sum of 32-bit little-endian words.
    fn add32(self, other: Self) -> Self;

    /// Lane-wise sum of 64-bit little-endian words.
    fn add64(self, other: Self) -> Self;
}

/// Up to 16 bytes as a little-endian integer, in pieces that do not overlap: what [`store_partial_block`] wrote, a
/// load of a piece can take from the store, and need not wait until it is in the cache.
#[inline(always)]
pub(crate) fn load_partial_block(src: &[u8]) -> u128 {
    if let Some(block) = src.first_chunk() {
        return u128::from_le_bytes(*block);
    }
    let (eights, rest) = src.as_chunks();
    let (fours, rest) = rest.as_chunks();
    let (twos, ones) = rest.as_chunks();
    let mut high = ones.first().map_or(0, |byte| u64::from(*byte));
    if let [two] = twos {
        high = high << 16 | u64::from(u16::from_le_bytes(*two));
    }
    if let [four] = fours {
        high = high << 32 | u64::from(u32::from_le_bytes(*four));
    }
    match eights {
        [eight] => u128::from(high) << 64 | u128::from(u64::from_le_bytes(*eight)),
        _ => u128::from(high),
    }
}

/// Writes the first bytes of `block`, little-endian, to `dst`, which has at most 16.
#[inline(always)]
pub(crate) fn store_partial_block(block: u128, dst: &mut [u8]) {
    if let Some(whole) = dst.first_chunk_mut() {
        *whole = block.to_le_bytes();
        return;
    }
    let (eights, rest) = dst.as_chunks_mut();
    let (fours, rest) = rest.as_chunks_mut();
    let (twos, ones) = rest.as_chunks_mut();
    let mut rest = block as u64;
    if let [eight] = eights {
        *eight = rest.to_le_bytes();
        rest = (block >> 64) as u64;
    }
    if let [four] = fours {
        *four = (rest as u32).to_le_bytes();
        rest >>= 32;
    }
    if let [two] = twos {
        *two = (rest as u16).to_le_bytes();
        rest >>= 16;
    }
    if let [one] = ones {
        *one = rest as u8;
    }
}

/// A word times this is four of it.
const FOUR: u128 = 1 | 1 << 32 | 1 << 64 | 1 << 96;

/// Blocks that the CPU's AES instructions work on.
pub trait AesVector: Blocks {
    /// ShiftRows, SubBytes, MixColumns, then the round key.
    fn enc(self, round_key: Self) -> Self;

    /// ShiftRows, SubBytes, then the last round key.
    fn enc_last(self, round_key: Self) -> Self;

    /// InvShiftRows, InvSubBytes, InvMixColumns, then the round key (of the equivalent inverse
    /// cipher, FIPS 197 section 5.3.5).
    fn dec(self, round_key: Self) -> Self;

    /// InvShiftRows, InvSubBytes, then the last round key.
    fn dec_last(self, round_key: Self) -> Self;

    /// `self & other`.
    fn and(self, other: Self) -> Self;

    /// InvMixColumns, which turns a round key into one of the equivalent inverse cipher.
    fn inv_mix_columns(self) -> Self;

    /// Four words of a key schedule (FIPS 197 section 5.2), of one-block vectors: `self` are the words that are as far
    /// back as the cipher's key is long, `last` the four before. Its last word goes through SubWord, after RotWord
    /// if `ROTATED`, and `rcon` is added to it; each new word is the sum of that and of `self` up to its place.
    #[inline(always)]
    fn next_key<const ROTATED: bool>(self, token: Self::Token, last: Self, rcon: u32) -> Self {
        let word = (u128::from_le_bytes(last.first()) >> 96) as u32;
        let word = word.rotate_right(if ROTATED { 8 } else { 0 });
        let four = |word: u32| Self::splat(token, &(u128::from(word) * FOUR).to_le_bytes());
        // ShiftRows leaves a block of four equal words alone, so the last round is SubBytes.
        let word = four(word).enc_last(four(rcon));
        let sums = u128::from_le_bytes(self.first());
        let sums = sums ^ sums << 32;
        Self::splat(token, &(sums ^ sums << 64).to_le_bytes()).xor(word)
    }

    /// Round 0 of encryption (`ENC`) or decryption of `N` independent vectors, before which the key
    /// `first` is added; `key` is [`AesVector::round_key`] 0.
    ///
    /// This, [`AesVector::round`] with the keys of rounds 1 to below `inner.len()`, and [`AesVector::finish`] are AES;
    /// `inner` are the keys between the first and the last.
    /// Where in a round its key is added is the CPU's business: x86 does it after MixColumns, Arm
    /// before SubBytes.
    #[inline(always)]
    fn first_round<const ENC: bool, const N: usize>(blocks: &mut [Self; N], first: Self, key: Option<Self>) {
        let Some(key) = key else { return };
        for b in blocks.iter_mut() {
            *b = b.xor(first);
        }
        Self::round::<ENC, N>(blocks, key);
    }

    /// The key of round `i`, below `inner.len()`; none where round 0 takes the first of all keys alone.
    #[inline(always)]
    fn round_key(token: Self::Token, inner: &[[u8; 16]], i: usize) -> Option<Self> {
        Some(Self::splat(token, inner.get(i)?))
    }

    /// A round with its key.
    #[inline(always)]
    fn round<const ENC: bool, const N: usize>(blocks: &mut [Self; N], key: Self) {
        for b in blocks.iter_mut() {
            *b = if ENC { b.enc(key) } else { b.dec(key) };
        }
    }

    /// The last round.
    #[inline(always)]
    fn finish<const ENC: bool>(self, _token: Self::Token, _inner: &[[u8; 16]], last: Self) -> Self {
        if ENC { self.enc_last(last) } else { self.dec_last(last) }
    }

    /// `block(i)` as block `i`.
    fn gather(token: Self::Token, block: impl FnMut(usize) -> [u8; 16]) -> Self;

    /// Calls `put` with the number of each block and the block.
    fn scatter(self, put: impl FnMut(usize, [u8; 16]));

    /// The first block, everywhere.
    #[inline(always)]
    fn splat_first(self) -> Self {
        assert!(Self::BLOCKS == 1, "wider vectors bring their own");
        self
    }

    /// Changes neither, but the compiler must have both at this point, and may move no computation
    /// that leads to one of them behind it, nor one that uses them before it.
    fn meet(&mut self, other: &mut Self);

    /// The blocks one place later in a stream: the last block of `previous`, then all of `self`
    /// but its last.
    fn after(self, previous: Self) -> Self;

    /// Each block times x^`n` as an element of GF(2^128) in the convention of XTS, `n` at most 56.
    ///
    /// A block is the polynomial whose coefficient of x^i is bit i of the little-endian integer,
    /// modulo x^128 + x^7 + x^2 + x + 1. The product is the block shifted left by `n`, and the `n`
    /// bits that leave it at the top, times x^7 + x^2 + x + 1 = 0x87, added at the bottom. With
    /// `n` at most 56 this correction fits in 64 bits and needs no further reduction:
    ///
    /// ```text
    /// low  = block.low  << n ^ clmul(block.high >> (64 - n), 0x87)
    /// high = block.high << n ^ block.low >> (64 - n)
    /// ```
    fn mul_x(self, n: usize) -> Self;

    /// Each block times x^(8 `n`), for what a batch of eight vectors needs: `n` from 1 to [`Blocks::BLOCKS`] - 1. With whole bytes that
    /// is fewer shifts than [`AesVector::mul_x`], by a rotation as in [`AesVector::next_tweaks`].
    #[inline(always)]
    fn mul_x_bytes(self, n: usize) -> Self {
        self.mul_x(8 * n)
    }

    /// Vector `i` of a batch of tweaks, of which `batch` is the batch before and `before` the vector before: the one or the other
    /// times a power of x, each width's cheaper way.
    fn next_tweaks(batch: &[Self; 8], before: Self, i: usize) -> Self;

    /// Block `i` times x^(`n` + `i`), `n` + [`Blocks::BLOCKS`] at most 56. See [`AesVector::mul_x`].
    fn mul_x_ramp(self, n: usize) -> Self;
}

/// An array of what `f` makes of each index; there is at least one.
///
/// `array::from_fn`, and `array::map` more so, are not always inlined: where the compiler does not, or puts them into
/// another unit of the program than their caller, which anybody's next change may bring about, the closure loses the CPU
/// features of its caller, and vectors pass through memory. XTS lost an eighth of its speed to one such call a message.
#[inline(always)]
pub(crate) fn from_fn<T: Copy, const N: usize>(mut f: impl FnMut(usize) -> T) -> [T; N] {
    const { assert!(N > 0) }
    let mut all = [f(0); N];
    let mut i = 1;
    while i < N {
        all[i] = f(i);
        i += 1;
    }
    all
}

/// An array of what `f` makes of each value, for the same reason as [`from_fn`].
#[inline(always)]
pub(crate) fn each<T: Copy, U: Copy, const N: usize>(values: [T; N], mut f: impl FnMut(T) -> U) -> [U; N] {
    from_fn(
        #[inline(always)]
        |i| f(values[i]),
    )
}

/// `n`, as a value that the compiler knows nothing about.
///
/// A loop over round keys is short, and its turns are long enough to hide its own cost; unrolled
/// two to eight times with a remainder, which is what the compiler makes of it when it can count
/// the turns, the modes would be twice as large and no faster.
#[inline(always)]
pub(crate) fn opaque(mut n: usize) -> usize {
    // SAFETY: there is no instruction.
    #[cfg(not(miri))]
    unsafe {
        core::arch::asm!("/* {0} */", inout(reg) n, options(pure, nomem, nostack, preserves_flags))
    };
    n
}

/// `n`, as a value of which the compiler knows nothing, not even that it is the same as the last time.
#[inline(always)]
pub(crate) fn forgotten(mut n: usize) -> usize {
    // SAFETY: there is no instruction.
    #[cfg(not(miri))]
    unsafe {
        core::arch::asm!("/* {0} */", inout(reg) n, options(nomem, nostack, preserves_flags))
    };
    n
}

/// `at`, as a reference of which the compiler knows no more than its type says.
///
/// What is read through it is read again. Left to know better, the compiler keeps the round keys of one
/// pass for the next, and as there are more of them than registers, it writes them to the stack at full
/// width.
#[inline(always)]
#[allow(clippy::pointers_in_nomem_asm_block, reason = "the address passes through; nothing is read in between")]
pub(crate) fn anew<T>(at: &T) -> &T {
    let mut at: *const T = at;
    // SAFETY: there is no instruction.
    #[cfg(not(miri))]
    unsafe {
        core::arch::asm!("/* {0} */", inout(reg) at, options(nomem, nostack, preserves_flags))
    };
    // SAFETY: it is the reference that it was made of.
    unsafe {
        core::hint::assert_unchecked(at.is_aligned());
        &*at
    }
}

/// Aligns the stack frame of the function that this is inlined into to 64 bytes.
///
/// A frame has 16 bytes of alignment unless an object in it asks for more, and LLVM does not count the vectors that it
/// spills: their slots are chosen when it is too late to align the frame. Unaligned slots straddle lines of the cache, in
/// some processes pages, and a load from such a slot waits for its store. So a kernel that spills in its loop calls this.
#[inline(always)]
#[allow(clippy::pointers_in_nomem_asm_block, reason = "the address is all that is asked for")]
pub(crate) fn align_frame() {
    #[repr(align(64))]
    struct Line;
    let line = core::mem::MaybeUninit::<Line>::uninit();
    // SAFETY: there is no instruction.
    #[cfg(not(miri))]
    unsafe {
        core::arch::asm!("/* {0} */", in(reg) line.as_ptr(), options(nomem, nostack, preserves_flags))
    };
}

/// A token whose CPU has AES instructions on vectors of type `V`.
pub trait AesToken: Token {
    /// The widest vector that this token's code uses.
    type V: AesVector<Token = Self>;

    /// The token of one-block vectors, for modes in which each block waits for the one before.
    type Narrow: AesToken;

    /// Makes the token of one-block vectors.
    fn narrow(self) -> Self::Narrow;

    /// The token of vectors of at most two blocks, which are put together and taken apart more cheaply than those of
    /// four.
    type TwoBlocks: AesToken;

    /// Makes the token of two-block vectors.
    fn two_blocks(self) -> Self::TwoBlocks;
}

#[cfg(test)]
mod tests;
