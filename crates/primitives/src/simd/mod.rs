//! Vectors of 16-byte blocks, as the AES instructions see them.
//!
//! [`Blocks`] is what every mode needs (loads, stores, xor, counters). [`AesVector`] adds the rounds of AES. A vector
//! can be made only with the token of its CPU. So a vector proves that its instructions exist, and its methods are
//! safe. Every method is `#[inline(always)]` and must be called from inside [`Token::vectorize`].

pub use integer::Integer;

use crate::cpu::Token;

#[cfg(target_arch = "aarch64")]
pub(crate) mod aarch64;
mod integer;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod register;
#[cfg(target_arch = "riscv64")]
pub(crate) mod riscv;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86;

/// One or more blocks of 16 bytes in one register. Block 0 is the first in memory.
///
/// The trait is sealed, because unsafe code relies on the methods to do what they document. Only the seal makes this
/// code fail:
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
    /// The token that proves that the CPU has these vectors.
    type Token: Token;

    /// Blocks in a vector.
    const BLOCKS: usize;

    /// Bytes in a vector.
    const BYTES: usize = 16 * Self::BLOCKS;

    /// A vector of zeros.
    fn zero(token: Self::Token) -> Self;

    /// A vector with `block` in each place.
    fn splat(token: Self::Token, block: &[u8; 16]) -> Self;

    /// Loads the first [`Blocks::BYTES`] bytes of `src`.
    ///
    /// # Panics
    /// If `src` is shorter.
    fn load(token: Self::Token, src: &[u8]) -> Self;

    /// Loads all of `src`, at most [`Blocks::BYTES`] bytes, and fills the rest with zeros.
    ///
    /// # Panics
    /// If `src` is longer.
    fn load_partial(token: Self::Token, src: &[u8]) -> Self;

    /// Writes the vector to the first [`Blocks::BYTES`] bytes of `dst`.
    ///
    /// # Panics
    /// If `dst` is shorter.
    fn store(self, dst: &mut [u8]);

    /// Fills `dst`, at most [`Blocks::BYTES`] bytes, with the first bytes of the vector.
    ///
    /// # Panics
    /// If `dst` is longer.
    fn store_partial(self, dst: &mut [u8]);

    /// Whether [`Blocks::load_end`] and [`Blocks::store_end`] cost as much for a part of a vector as for a whole one, so
    /// that a text's end needs no case of its own.
    const OVERLAPS: bool = false;

    /// Loads the last `n` bytes of `text`, at most [`Blocks::BYTES`], and fills the rest with zeros.
    ///
    /// # Panics
    /// If `n` is greater, or `text` is shorter.
    #[inline(always)]
    fn load_end(token: Self::Token, text: &[u8], n: usize) -> Self {
        Self::load_partial(token, &text[text.len() - n..])
    }

    /// Writes the first `n` bytes of the vector, at most [`Blocks::BYTES`], to the last `n` bytes of `text`. Bytes before
    /// these may be read, and written as they are.
    ///
    /// # Panics
    /// If `n` is greater, or `text` is shorter.
    #[inline(always)]
    fn store_end(self, text: &mut [u8], n: usize) {
        let start = text.len() - n;
        self.store_partial(&mut text[start..]);
    }

    /// Replaces the first bytes of the vector by `src`, which has at most 16 bytes. The blocks after the first become
    /// unspecified.
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

/// Loads up to 16 bytes as a little-endian integer, in pieces that do not overlap. They are the pieces that
/// [`store_partial_block`] writes, so each load is forwarded from one store and does not wait until the store has
/// reached the cache.
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

/// Writes the first bytes of `block`, as a little-endian integer, to `dst`, which has at most 16 bytes.
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

/// Vectors of blocks with the CPU's AES instructions.
pub trait AesVector: Blocks {
    /// The most vectors that modes take through each round together.
    const CHAINS: usize = 12;

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

    /// Whether modes call [`AesVector::all_rounds`] in place of single rounds.
    const AT_ONCE: bool = false;

    /// Adds the key `first` and does all rounds but for the last key, which [`AesVector::finish`] adds. For CPUs whose
    /// vectors are in memory between two calls, or whose registers have no room beside the blocks.
    #[inline(always)]
    fn all_rounds<const ENC: bool, const N: usize>(_: &mut [Self; N], _first: Self, _inner: &[[u8; 16]]) {
        unreachable!("AT_ONCE is false")
    }

    /// Whether CBC encryption calls [`AesVector::chain`].
    const IN_CHAINS: bool = false;

    /// [`AesVector::all_rounds`] of a chain of blocks, at least one: `state` is added to the first, and the result of each
    /// to the next.
    #[inline(always)]
    fn chain(_: &mut [Self], _state: Self, _first: Self, _inner: &[[u8; 16]]) {
        unreachable!("IN_CHAINS is false")
    }

    /// The next four words of a key schedule (FIPS 197 section 5.2), on vectors of one block.
    ///
    /// `self` are the four words as far back as the cipher's key is long, and `last` the four words right before the
    /// new ones. The last word of `last` goes through RotWord if `ROTATED`, then through SubWord, and `rcon` is added.
    /// Each new word is that value, xored with all words of `self` up to the same place.
    #[inline(always)]
    fn next_key<const ROTATED: bool>(self, token: Self::Token, last: Self, rcon: u32) -> Self {
        next_key::<_, ROTATED>(token, self, last, rcon)
    }

    /// The xor with the key `first` and round 0 of encryption (`ENC`) or decryption, on `N` independent vectors. `key`
    /// is [`AesVector::round_key`] 0.
    ///
    /// AES is this function, then [`AesVector::round`] with the keys of rounds 1 to below `inner.len()`, then
    /// [`AesVector::finish`]. `inner` are the round keys between the first and the last. The place of the key within a
    /// round depends on the CPU: x86 adds it after MixColumns, Arm before SubBytes.
    #[inline(always)]
    fn first_round<const ENC: bool, const N: usize>(blocks: &mut [Self; N], first: Self, key: Option<Self>) {
        let Some(key) = key else { return };
        for b in blocks.iter_mut() {
            *b = b.xor(first);
        }
        Self::round::<ENC, N>(blocks, key);
    }

    /// The key of round `i`, for `i` below `inner.len()`. `None` for a CPU whose round 0 uses only the first of all
    /// keys.
    #[inline(always)]
    fn round_key(token: Self::Token, inner: &[[u8; 16]], i: usize) -> Option<Self> {
        Some(Self::splat(token, inner.get(i)?))
    }

    /// One round with `key`, on `N` independent vectors.
    #[inline(always)]
    fn round<const ENC: bool, const N: usize>(blocks: &mut [Self; N], key: Self) {
        for b in blocks.iter_mut() {
            *b = if ENC { b.enc(key) } else { b.dec(key) };
        }
    }

    /// The last round, which has no MixColumns.
    #[inline(always)]
    fn finish<const ENC: bool>(self, _token: Self::Token, _inner: &[[u8; 16]], last: Self) -> Self {
        if ENC { self.enc_last(last) } else { self.dec_last(last) }
    }

    /// A vector of `block(i)` in each place `i`.
    fn gather(token: Self::Token, block: impl FnMut(usize) -> [u8; 16]) -> Self;

    /// Calls `put` with the index of each block and the block.
    fn scatter(self, put: impl FnMut(usize, [u8; 16]));

    /// The first block in every place.
    #[inline(always)]
    fn splat_first(self) -> Self {
        assert!(Self::BLOCKS == 1, "wider vectors bring their own");
        self
    }

    /// Changes neither vector. But the compiler must have both at this point: it cannot move a computation that leads
    /// to one of them behind it, nor one that uses them before it.
    fn meet(&mut self, other: &mut Self);

    /// The blocks of a stream moved by one place: the last block of `previous`, then all blocks of `self` except the
    /// last.
    fn after(self, previous: Self) -> Self;

    /// Each block times x^`n` as an element of GF(2^128) in the convention of XTS. `n` is at most 56.
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

    /// Each block times x^(8 `n`), for `n` from 1 to [`Blocks::BLOCKS`] - 1, which is what a batch of eight vectors of
    /// tweaks needs. A multiple of 8 makes it a rotation by whole bytes, as in [`AesVector::next_tweaks`], with fewer
    /// shifts than [`AesVector::mul_x`].
    #[inline(always)]
    fn mul_x_bytes(self, n: usize) -> Self {
        self.mul_x(8 * n)
    }

    /// Vector `i` of a batch of eight vectors of tweaks. `batch` is the batch before, and `before` is the vector
    /// before. Each width multiplies the one of the two that costs it less by a power of x.
    fn next_tweaks(batch: &[Self; 8], before: Self, i: usize) -> Self;

    /// Block `i` times x^(`n` + `i`), where `n` + [`Blocks::BLOCKS`] is at most 56. See [`AesVector::mul_x`].
    fn mul_x_ramp(self, n: usize) -> Self;
}

/// A block with a word of a key in all four places.
///
/// On x86 and AArch64, the word stays in a vector. Elsewhere compilers make one multiplication of the copies, and on some CPUs its time depends on its
/// operands. So they must not know there that the word has 32 bits, nor that the halves are alike.
#[inline(always)]
pub(crate) fn repeated(word: u32) -> [u8; 16] {
    let mut block = [0; 16];
    if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
        block.as_chunks_mut().0.fill(word.to_le_bytes());
    } else {
        let word = opaque64(word.into());
        let half = word | word << 32;
        let halves = [half, opaque64(half)];
        block.as_chunks_mut().0.iter_mut().zip(halves).for_each(|(to, half)| *to = half.to_le_bytes());
    }
    block
}

/// [`AesVector::next_key`] by the last round. `before` is its `self`.
#[inline(always)]
pub(crate) fn next_key<V: AesVector, const ROTATED: bool>(token: V::Token, before: V, last: V, rcon: u32) -> V {
    let word = (u128::from_le_bytes(last.first()) >> 96) as u32;
    let word = word.rotate_right(if ROTATED { 8 } else { 0 });
    // ShiftRows leaves a block of four equal words alone, so the last round is SubBytes.
    let four = |word| V::splat(token, &repeated(word));
    let word = four(word).enc_last(four(rcon));
    let sums = u128::from_le_bytes(before.first());
    let sums = sums ^ sums << 32;
    V::splat(token, &(sums ^ sums << 64).to_le_bytes()).xor(word)
}

/// The array of `f(0)` to `f(N - 1)`, for `N` of at least 1.
///
/// The compiler does not always inline `array::from_fn` and `array::map`. It may also put them into another codegen
/// unit than their caller, which a change elsewhere can bring about. The closure then loses the CPU features of its
/// caller, and vectors pass through memory. XTS lost an eighth of its speed to one such call per message.
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

/// The array of `f(value)` for each value, in place of `array::map` for the reason given at [`from_fn`].
#[inline(always)]
pub(crate) fn each<T: Copy, U: Copy, const N: usize>(values: [T; N], mut f: impl FnMut(T) -> U) -> [U; N] {
    from_fn(
        #[inline(always)]
        |i| f(values[i]),
    )
}

/// Returns `n` as a value that the compiler knows nothing about.
///
/// It hides the number of rounds. A loop over the round keys is short, and each iteration takes long enough to hide the
/// cost of the loop. If the compiler can count the iterations, it unrolls the loop two to eight times with a remainder.
/// That makes the modes twice as large and no faster.
#[inline(always)]
pub(crate) fn opaque(mut n: usize) -> usize {
    // SAFETY: the assembly is a comment; it changes no register and no memory.
    #[cfg(not(miri))]
    unsafe {
        core::arch::asm!("/* {0} */", inout(reg) n, options(pure, nomem, nostack, preserves_flags))
    };
    n
}

/// [`opaque`] of 64 bits. A CPU whose registers have 32 bits holds them in two.
#[inline(always)]
pub(crate) fn opaque64(word: u64) -> u64 {
    if usize::BITS == 64 {
        return opaque(word as usize) as u64;
    }
    let [low, high] = [word, word >> 32].map(|half| opaque(half as u32 as usize) as u64);
    high << 32 | low
}

/// Like [`opaque`], but the compiler cannot assume that two calls with the same `n` give the same value.
#[inline(always)]
pub(crate) fn forgotten(mut n: usize) -> usize {
    // SAFETY: the assembly is a comment; it changes no register and no memory.
    #[cfg(not(miri))]
    unsafe {
        core::arch::asm!("/* {0} */", inout(reg) n, options(nomem, nostack, preserves_flags))
    };
    n
}

/// Writes 16 bytes, the lowest first, by one store where the CPU has vectors without being asked for them. A number in
/// general registers would be written by two, from which no CPU forwards to a load of 16 bytes.
#[inline(always)]
pub(crate) fn store_at_once(to: &mut [u8; 16], value: u128) {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    x86::store_at_once(to, value);
    #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
    {
        *to = value.to_le_bytes();
    }
}

/// Returns `at` as a reference of which the compiler knows only the type.
///
/// So what is read through it is read again. Otherwise the compiler keeps the round keys of one pass for the next.
/// There are more keys than registers, so it writes them to the stack in full vector width.
#[inline(always)]
#[allow(clippy::pointers_in_nomem_asm_block, reason = "the address passes through; nothing is read in between")]
pub(crate) fn anew<T>(at: &T) -> &T {
    let mut at: *const T = at;
    // SAFETY: the assembly is a comment; it changes no register and no memory.
    #[cfg(not(miri))]
    unsafe {
        core::arch::asm!("/* {0} */", inout(reg) at, options(nomem, nostack, preserves_flags))
    };
    // SAFETY: the pointer is that of the reference `at`, so it is aligned and valid as long as `at` is.
    unsafe {
        core::hint::assert_unchecked(at.is_aligned());
        &*at
    }
}

/// Aligns the stack frame of the function that this is inlined into to 64 bytes.
///
/// A frame has 16 bytes of alignment unless an object in it asks for more. LLVM does not count the vectors that it
/// spills: it chooses their slots after the alignment of the frame is fixed. An unaligned slot may straddle two cache
/// lines. On some processors a load from such a slot waits until its store has reached the cache. So a kernel that
/// spills in its loop calls this function.
#[inline(always)]
#[allow(clippy::pointers_in_nomem_asm_block, reason = "the address is all that is asked for")]
pub(crate) fn align_frame() {
    #[repr(align(64))]
    struct Line;
    let line = core::mem::MaybeUninit::<Line>::uninit();
    // SAFETY: the assembly is a comment; it changes no register and no memory.
    #[cfg(not(miri))]
    unsafe {
        core::arch::asm!("/* {0} */", in(reg) line.as_ptr(), options(nomem, nostack, preserves_flags))
    };
}

/// A token of a CPU with AES instructions, on vectors of type `V`.
pub trait AesToken: Token {
    /// The widest vector that this token allows.
    type V: AesVector<Token = Self>;

    /// The token of one-block vectors, for modes in which each block waits for the one before.
    type Narrow: AesToken;

    /// Makes the token of one-block vectors.
    fn narrow(self) -> Self::Narrow;

    /// The token of vectors of at most two blocks. Their blocks are gathered and scattered at lower cost than four.
    type TwoBlocks: AesToken;

    /// Makes the token of vectors of at most two blocks.
    fn two_blocks(self) -> Self::TwoBlocks;
}

/// Implements [`AesToken`] for a token whose vectors have one block.
macro_rules! one_block_token {
    ($Token:ty: $V:ty) => {
        impl $crate::simd::AesToken for $Token {
            type V = $V;
            type Narrow = Self;
            type TwoBlocks = Self;

            #[inline(always)]
            fn narrow(self) -> Self {
                self
            }

            #[inline(always)]
            fn two_blocks(self) -> Self {
                self
            }
        }
    };
}
pub(crate) use one_block_token;

#[cfg(test)]
mod tests;
