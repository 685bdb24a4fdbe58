//! The vectors of AArch64 as [`Blocks`], and with the AES and PMULL instructions as [`AesVector`].

use super::V128;
use crate::cpu::{ArmCe, HasArmAes, HasNeon};
use crate::simd::{AesVector, Blocks, load_partial_block, one_block_token, store_partial_block};

one_block_token!(ArmCe: V128<Self>);

impl<T: HasNeon> V128<T> {
    #[inline(always)]
    fn bytes(self) -> [u8; 16] {
        let mut block = [0; 16];
        self.store(&mut block);
        block
    }
}

/// The byte numbers 0 to 15 between two runs of numbers that no byte has. From offset 16 + m, they move bytes down by m;
/// from offset m, up by 16 - m.
static MOVES: [u8; 48] = {
    let (mut moves, mut i) = ([0xff; 48], 0);
    while i < 16 {
        moves[16 + i] = i as u8;
        i += 1;
    }
    moves
};

/// The 16 byte numbers from offset `at` of [`MOVES`], which is at most 32.
#[inline(always)]
fn moves<T: HasNeon>(token: T, at: usize) -> V128<T> {
    V128::load(token, MOVES[at..].first_chunk::<16>().expect("16 byte numbers"))
}

impl<T: HasNeon> Blocks for V128<T> {
    type Token = T;
    const BLOCKS: usize = 1;

    #[inline(always)]
    fn zero(token: T) -> Self {
        Self::zero(token)
    }

    #[inline(always)]
    fn splat(token: T, block: &[u8; 16]) -> Self {
        Self::load(token, block)
    }

    #[inline(always)]
    fn load(token: T, src: &[u8]) -> Self {
        let Some(bytes) = src.first_chunk::<16>() else { panic!("fewer bytes than a vector has") };
        Self::load(token, bytes)
    }

    #[inline(always)]
    fn load_partial(token: T, src: &[u8]) -> Self {
        assert!(src.len() <= 16);
        Self::load(token, &load_partial_block(src).to_le_bytes())
    }

    #[inline(always)]
    fn store(self, dst: &mut [u8]) {
        let Some(bytes) = dst.first_chunk_mut::<16>() else { panic!("fewer bytes than a vector has") };
        self.store(bytes);
    }

    #[inline(always)]
    fn store_partial(self, dst: &mut [u8]) {
        assert!(dst.len() <= 16);
        store_partial_block(u128::from_le_bytes(self.bytes()), dst);
    }

    const OVERLAPS: bool = true;

    /// Of a text of 16 bytes or more, the last 16 are loaded, and those before the last `n` shuffled away.
    #[inline(always)]
    fn load_end(token: T, text: &[u8], n: usize) -> Self {
        assert!(n <= 16);
        match text.last_chunk::<16>() {
            Some(end) => Self::load(token, end).shuffle_bytes(moves(token, 32 - n)),
            None => Self::load_partial(token, &text[text.len() - n..]),
        }
    }

    /// Of a text of 16 bytes or more, the last 16 are stored: what stands there, and at its end the first `n` of `self`.
    #[inline(always)]
    fn store_end(self, text: &mut [u8], n: usize) {
        assert!(n <= 16);
        if let Some(end) = text.last_chunk_mut::<16>() {
            let before = Self::load(self.token(), end);
            before.or_lookup16(moves(self.token(), n), self).store(end);
        } else {
            let start = text.len() - n;
            self.store_partial(&mut text[start..]);
        }
    }

    #[inline(always)]
    fn first(self) -> [u8; 16] {
        self.bytes()
    }

    #[inline(always)]
    fn last(self) -> [u8; 16] {
        self.bytes()
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self.xor(other)
    }

    #[inline(always)]
    fn reverse_bytes(self) -> Self {
        let halves = self.reverse_bytes64();
        halves.align_bytes::<8>(halves)
    }

    #[inline(always)]
    fn add32(self, other: Self) -> Self {
        self.add32(other)
    }

    #[inline(always)]
    fn add64(self, other: Self) -> Self {
        self.add64(other)
    }
}

/// The methods of [`AesVector`] that do not depend on how AES is computed. `times_0x87` multiplies a number below 2^57 by
/// x^7 + x^2 + x + 1.
macro_rules! one_block {
    ($times_0x87:expr) => {
        #[inline(always)]
        fn and(self, other: Self) -> Self {
            self.and(other)
        }

        #[inline(always)]
        fn gather(token: Self::Token, mut block: impl FnMut(usize) -> [u8; 16]) -> Self {
            Self::load(token, &block(0))
        }

        #[inline(always)]
        fn scatter(self, mut put: impl FnMut(usize, [u8; 16])) {
            put(0, self.first());
        }

        #[inline(always)]
        fn meet(&mut self, other: &mut Self) {
            self.meet(other);
        }

        #[inline(always)]
        fn after(self, previous: Self) -> Self {
            previous
        }

        #[inline(always)]
        fn mul_x(self, n: usize) -> Self {
            assert!(n <= 56);
            let n = n as i64;
            let out = self.shl64_by(n - 64);
            let reduced = $times_0x87(self.token(), out.high64());
            let carried = Self::zero(self.token()).align_bytes::<8>(out);
            self.shl64_by(n).xor(reduced).xor(carried)
        }

        #[inline(always)]
        fn next_tweaks(batch: &[Self; 8], _before: Self, i: usize) -> Self {
            let batch_ago = batch[i];
            let token = batch_ago.token();
            let zero = Self::zero(token);
            let out = batch_ago.align_bytes::<15>(zero).low64();
            zero.align_bytes::<15>(batch_ago).xor($times_0x87(token, out))
        }

        #[inline(always)]
        fn mul_x_ramp(self, n: usize) -> Self {
            self.mul_x(n)
        }
    };
}
pub(crate) use one_block;

#[inline(always)]
fn times_0x87<T: HasArmAes>(token: T, word: u64) -> V128<T> {
    V128::clmul_of(token, word, 0x87)
}

// AESE adds its key before SubBytes, and x86 adds it after MixColumns. `enc`, `dec` and their last rounds follow x86:
// AESE gets a zero key, and an xor follows. `round` and `finish` follow the instructions instead: each key is an
// operand of the next AESE, so a round is AESE and AESMC and nothing else.
impl<T: HasArmAes> AesVector for V128<T> {
    one_block!(times_0x87);

    #[inline(always)]
    fn enc(self, round_key: Self) -> Self {
        self.aes_enc(Self::zero(self.token())).xor(round_key)
    }

    #[inline(always)]
    fn enc_last(self, round_key: Self) -> Self {
        self.aes_enc_last(Self::zero(self.token())).xor(round_key)
    }

    #[inline(always)]
    fn dec(self, round_key: Self) -> Self {
        self.aes_dec(Self::zero(self.token())).xor(round_key)
    }

    #[inline(always)]
    fn dec_last(self, round_key: Self) -> Self {
        self.aes_dec_last(Self::zero(self.token())).xor(round_key)
    }

    #[inline(always)]
    fn inv_mix_columns(self) -> Self {
        self.aes_inv_mix_columns()
    }

    #[inline(always)]
    fn first_round<const ENC: bool, const N: usize>(blocks: &mut [Self; N], first: Self, _: Option<Self>) {
        Self::round::<ENC, N>(blocks, first);
    }

    #[inline(always)]
    fn round_key(token: T, inner: &[[u8; 16]], i: usize) -> Option<Self> {
        Some(Self::load(token, inner.get(i.wrapping_sub(1))?))
    }

    #[inline(always)]
    fn round<const ENC: bool, const N: usize>(blocks: &mut [Self; N], key: Self) {
        for b in blocks.iter_mut() {
            *b = if ENC { b.aes_enc(key) } else { b.aes_dec(key) };
        }
    }

    #[inline(always)]
    fn finish<const ENC: bool>(self, token: T, inner: &[[u8; 16]], last: Self) -> Self {
        let [.., key] = inner else { return self };
        let key = Self::load(token, key);
        let state = if ENC { self.aes_enc_last(key) } else { self.aes_dec_last(key) };
        state.xor(last)
    }
}
