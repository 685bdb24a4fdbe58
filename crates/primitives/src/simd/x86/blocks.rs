//! The vectors of x86-64 as [`Blocks`], and with AES instructions as [`AesVector`].

use super::{V128, V256, V512};
use crate::cpu::{AesNi, HasAes, HasAvx2, HasAvx512, HasClmul, HasSsse3, HasVaes, HasVpclmul, Vaes256, Vaes512};
use crate::simd::{AesToken, AesVector, Blocks, load_partial_block, one_block_token, store_partial_block};

one_block_token!(AesNi: V128<Self>);

impl AesToken for Vaes256 {
    type V = V256<Vaes256>;
    type Narrow = AesNi;

    #[inline(always)]
    fn narrow(self) -> AesNi {
        self.into()
    }

    type TwoBlocks = Vaes256;

    #[inline(always)]
    fn two_blocks(self) -> Vaes256 {
        self
    }
}

impl AesToken for Vaes512 {
    type V = V512<Vaes512>;
    type Narrow = AesNi;

    #[inline(always)]
    fn narrow(self) -> AesNi {
        self.into()
    }

    type TwoBlocks = Vaes256;

    #[inline(always)]
    fn two_blocks(self) -> Vaes256 {
        self.into()
    }
}

/// The indices of a byte shuffle that reverses a block.
const REVERSED: [u8; 16] = [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0];

/// The methods of [`Blocks`] that are the same at every width.
macro_rules! blocks {
    ($T:ident, $blocks:literal) => {
        type Token = $T;
        const BLOCKS: usize = $blocks;

        #[inline(always)]
        fn zero(token: $T) -> Self {
            Self::zero(token)
        }

        #[inline(always)]
        fn splat(token: $T, block: &[u8; 16]) -> Self {
            Self::splat_block(token, block)
        }

        #[inline(always)]
        fn load(token: $T, src: &[u8]) -> Self {
            let Some(bytes) = src.first_chunk::<{ 16 * $blocks }>() else { panic!("fewer bytes than a vector has") };
            Self::load(token, bytes)
        }

        #[inline(always)]
        fn store(self, dst: &mut [u8]) {
            let Some(bytes) = dst.first_chunk_mut::<{ 16 * $blocks }>() else {
                panic!("fewer bytes than a vector has")
            };
            self.store(bytes);
        }

        #[inline(always)]
        fn xor(self, other: Self) -> Self {
            self.xor(other)
        }

        #[inline(always)]
        fn xor3(self, a: Self, b: Self) -> Self {
            self.xor3(a, b)
        }

        #[inline(always)]
        fn add32(self, other: Self) -> Self {
            self.add32(other)
        }

        #[inline(always)]
        fn add64(self, other: Self) -> Self {
            self.add64(other)
        }

        #[inline(always)]
        fn reverse_bytes(self) -> Self {
            self.shuffle_bytes(Self::splat_block(self.token(), &REVERSED))
        }
    };
}

macro_rules! aes_rounds {
    () => {
        #[inline(always)]
        fn meet(&mut self, other: &mut Self) {
            self.meet(other);
        }

        #[inline(always)]
        fn and(self, other: Self) -> Self {
            self.and(other)
        }

        #[inline(always)]
        fn enc(self, round_key: Self) -> Self {
            self.aes_enc(round_key)
        }

        #[inline(always)]
        fn enc_last(self, round_key: Self) -> Self {
            self.aes_enc_last(round_key)
        }

        #[inline(always)]
        fn dec(self, round_key: Self) -> Self {
            self.aes_dec(round_key)
        }

        #[inline(always)]
        fn dec_last(self, round_key: Self) -> Self {
            self.aes_dec_last(round_key)
        }
    };
}

/// The methods that vectors of several blocks have in common.
macro_rules! several_blocks {
    () => {
        #[inline(always)]
        fn inv_mix_columns(self) -> Self {
            // A decryption round after an encryption's last round leaves InvMixColumns alone, because the other steps
            // cancel.
            let zero = Self::zero(self.token());
            self.aes_enc_last(zero).aes_dec(zero)
        }

        #[inline(always)]
        fn mul_x(self, n: usize) -> Self {
            self.mul_x_by(n, Self::splat64(self.token(), n as u64))
        }
    };
}

impl<T: HasSsse3> V128<T> {
    #[inline(always)]
    fn bytes(self) -> [u8; 16] {
        let mut block = [0; 16];
        self.store(&mut block);
        block
    }
}

impl<T: HasSsse3> Blocks for V128<T> {
    blocks!(T, 1);

    #[inline(always)]
    fn load_partial(token: T, src: &[u8]) -> Self {
        assert!(src.len() <= 16);
        Self::load(token, &load_partial_block(src).to_le_bytes())
    }

    #[inline(always)]
    fn store_partial(self, dst: &mut [u8]) {
        assert!(dst.len() <= 16);
        store_partial_block(u128::from_le_bytes(self.bytes()), dst);
    }

    #[inline(always)]
    fn first(self) -> [u8; 16] {
        self.bytes()
    }

    #[inline(always)]
    fn last(self) -> [u8; 16] {
        self.bytes()
    }
}

impl<T: HasAes + HasClmul> AesVector for V128<T> {
    aes_rounds!();

    #[inline(always)]
    fn gather(token: T, mut block: impl FnMut(usize) -> [u8; 16]) -> Self {
        Self::load(token, &block(0))
    }

    #[inline(always)]
    fn scatter(self, mut put: impl FnMut(usize, [u8; 16])) {
        put(0, self.bytes());
    }

    #[inline(always)]
    fn next_key<const ROTATED: bool>(self, token: T, last: Self, rcon: u32) -> Self {
        // The shuffle puts bytes 12 to 15 of `last`, rotated if asked for, in all four words. From one key to the next
        // the latency is six cycles: shuffle, last round, xor. `aeskeygenassist` alone takes as many or more.
        let places = if ROTATED { 0x0c0f_0e0d } else { 0x0f0e_0d0c };
        let word = last.shuffle_bytes(Self::splat32(token, places));
        let word = word.aes_enc_last(Self::splat32(token, rcon));
        let sums = self.xor(self.shl_bytes::<4>());
        let sums = sums.xor(sums.shl_bytes::<8>());
        sums.xor(word)
    }

    #[inline(always)]
    fn inv_mix_columns(self) -> Self {
        self.aes_inv_mix_columns()
    }

    #[inline(always)]
    fn after(self, previous: Self) -> Self {
        previous
    }

    #[inline(always)]
    fn mul_x(self, n: usize) -> Self {
        assert!(n <= 56);
        let n = n as u32;
        let out = self.shr64_by(64 - n);
        let reduced = out.clmul::<0x01>(Self::first32(self.token(), 0x87));
        self.shl64_by(n).xor(reduced).xor(out.shl_bytes::<8>())
    }

    #[inline(always)]
    fn next_tweaks(batch: &[Self; 8], mut before: Self, i: usize) -> Self {
        // Doubling. A bit that leaves the upper half at the top adds 0x87 at the bottom, and a bit that leaves the lower
        // half adds 1 to the upper one. In all eight doublings these are the bits of the top bytes of the last batch's
        // last tweak, because what a doubling adds is far below them. So one comparison finds what each doubling adds,
        // and a byte shuffle moves that to its places. On most CPUs, carry-less products or shifts would compete with
        // AES for ports. Only an addition and an xor depend on the tweak before.
        let token = before.token();
        let halves = |lower, upper| Self::of64(token, [u64::from_le_bytes(lower), u64::from_le_bytes(upper)]);
        const BITS: [u8; 8] = [0x80, 0x40, 0x20, 0x10, 8, 4, 2, 1];
        let bits = halves(BITS, BITS);
        let leaving = batch[7].shuffle_bytes(halves([15; 8], [7; 8])).and(bits);
        let mut added = leaving.equal8(bits).and(halves([0x87; 8], [1; 8]));
        // Otherwise, the compiler would do the last AND again for each `i`.
        before.meet(&mut added);
        let only = |byte: usize| [byte as u8, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80];
        before.add64(before).xor(added.shuffle_bytes(halves(only(i), only(8 + i))))
    }

    #[inline(always)]
    fn mul_x_ramp(self, n: usize) -> Self {
        self.mul_x(n)
    }
}

impl<T: HasAvx2> Blocks for V256<T> {
    blocks!(T, 2);

    #[inline(always)]
    fn load_partial(token: T, src: &[u8]) -> Self {
        assert!(src.len() <= 32);
        let (low, high) = match src.split_first_chunk::<16>() {
            Some((low, high)) => (V128::load(token, low), V128::load_partial(token, high)),
            None => (V128::load_partial(token, src), V128::zero(token)),
        };
        Self::of_halves(token, low, high)
    }

    #[inline(always)]
    fn store_partial(self, dst: &mut [u8]) {
        assert!(dst.len() <= 32);
        match dst.split_first_chunk_mut::<16>() {
            Some((low, high)) => {
                self.low().store(low);
                self.high().store_partial(high);
            }
            None => self.low().store_partial(dst),
        }
    }

    #[inline(always)]
    fn first(self) -> [u8; 16] {
        self.low().bytes()
    }

    #[inline(always)]
    fn last(self) -> [u8; 16] {
        self.high().bytes()
    }
}

impl<T: HasVpclmul> V256<T> {
    /// Each block times x to the power given in its words of `n`, at most `max`.
    #[inline(always)]
    fn mul_x_by(self, max: usize, n: Self) -> Self {
        assert!(max <= 56);
        let splat = |word| Self::splat64(self.token(), word);
        let out = self.shr64_each(splat(64).sub64(n));
        let reduced = out.clmul::<0x01>(splat(0x87));
        self.shl64_each(n).xor(reduced).xor(out.shl_bytes::<8>())
    }
}

impl<T: HasVaes + HasVpclmul> AesVector for V256<T> {
    aes_rounds!();
    several_blocks!();

    #[inline(always)]
    fn gather(token: T, mut block: impl FnMut(usize) -> [u8; 16]) -> Self {
        let (low, high) = (V128::load(token, &block(0)), V128::load(token, &block(1)));
        Self::of_halves(token, low, high)
    }

    #[inline(always)]
    fn scatter(self, mut put: impl FnMut(usize, [u8; 16])) {
        put(0, self.first());
        put(1, self.last());
    }

    #[inline(always)]
    fn splat_first(self) -> Self {
        self.choose_blocks::<0>(self)
    }

    #[inline(always)]
    fn after(self, previous: Self) -> Self {
        previous.choose_blocks::<0x21>(self)
    }

    #[inline(always)]
    fn mul_x_bytes(self, n: usize) -> Self {
        assert!(n == 1, "a batch needs no more");
        // A rotation, as in `next_tweaks`.
        let rotated = self.align_bytes::<15>(self);
        let out = rotated.and(Self::splat64(self.token(), 0xff));
        rotated.xor(out.clmul::<0x00>(Self::splat64(self.token(), 0x86)))
    }

    #[inline(always)]
    fn next_tweaks(batch: &[Self; 8], _before: Self, i: usize) -> Self {
        let batch_ago = batch[i];
        // The block times x^16. The rotation moves the 16 bits that leave at the top to the bottom, which is their
        // product with 1. So 0x86 remains of 0x87. The rotation is one byte shuffle; two shifts would be two
        // instructions.
        const BY_TWO: [u8; 16] = [14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13];
        let token = batch_ago.token();
        let rotated = batch_ago.shuffle_bytes(Self::splat_block(token, &BY_TWO));
        let out = rotated.and(Self::splat64(token, 0xffff));
        rotated.xor(out.clmul::<0x00>(Self::splat64(token, 0x86)))
    }

    #[inline(always)]
    fn mul_x_ramp(self, n: usize) -> Self {
        let n64 = n as u64;
        self.mul_x_by(n + 1, Self::of64(self.token(), [n64, n64, n64 + 1, n64 + 1]))
    }
}

impl<T: HasAvx512> Blocks for V512<T> {
    blocks!(T, 4);

    #[inline(always)]
    fn load_partial(token: T, src: &[u8]) -> Self {
        Self::load_first(token, src)
    }

    #[inline(always)]
    fn store_partial(self, dst: &mut [u8]) {
        self.store_first(dst);
    }

    #[inline(always)]
    fn overlaid(self, _: T, src: &[u8]) -> Self {
        assert!(src.len() <= 16);
        self.overlaid_with(src)
    }

    #[inline(always)]
    fn first(self) -> [u8; 16] {
        self.low_block().bytes()
    }

    #[inline(always)]
    fn last(self) -> [u8; 16] {
        self.block::<3>().bytes()
    }
}

impl<T: HasVpclmul + HasAvx512> V512<T> {
    /// Each block times x to the power given in its words of `n`, at most `max`.
    #[inline(always)]
    fn mul_x_by(self, max: usize, n: Self) -> Self {
        assert!(max <= 56);
        let splat = |word| Self::splat64(self.token(), word);
        let out = self.shr64_each(splat(64).sub64(n));
        let reduced = out.clmul::<0x01>(splat(0x87));
        self.shl64_each(n).xor3(reduced, out.shl_bytes::<8>())
    }
}

impl<T: HasVaes + HasVpclmul + HasAvx512> AesVector for V512<T> {
    aes_rounds!();
    several_blocks!();

    #[inline(always)]
    fn gather(token: T, mut block: impl FnMut(usize) -> [u8; 16]) -> Self {
        let (a, b) = (V128::load(token, &block(0)), V128::load(token, &block(1)));
        let (c, d) = (V128::load(token, &block(2)), V128::load(token, &block(3)));
        Self::of_halves(token, V256::of_halves(token, a, b), V256::of_halves(token, c, d))
    }

    #[inline(always)]
    fn scatter(self, mut put: impl FnMut(usize, [u8; 16])) {
        put(0, self.first());
        let (low, high) = (self.low(), self.high());
        let (b, c, d) = (low.high(), high.low(), high.high());
        put(1, b.bytes());
        put(2, c.bytes());
        put(3, d.bytes());
    }

    #[inline(always)]
    fn splat_first(self) -> Self {
        self.choose_blocks::<0>(self)
    }

    #[inline(always)]
    fn after(self, previous: Self) -> Self {
        self.align64::<6>(previous)
    }

    #[inline(always)]
    fn mul_x_bytes(self, n: usize) -> Self {
        // A rotation, as in `next_tweaks` on 256 bits.
        let rotated = match n {
            1 => self.align_bytes::<15>(self),
            2 => self.align_bytes::<14>(self),
            3 => self.align_bytes::<13>(self),
            _ => panic!("a batch needs no more"),
        };
        let out = rotated.and(Self::splat64(self.token(), (1 << (8 * n)) - 1));
        rotated.xor(out.clmul::<0x00>(Self::splat64(self.token(), 0x86)))
    }

    #[inline(always)]
    fn next_tweaks(batch: &[Self; 8], _before: Self, i: usize) -> Self {
        // The same, by 32 bits, for two vectors: the 32 bits that leave the blocks of both are the two halves of one
        // vector. With a ternary xor, doublings and a shift are as cheap as the carry-less product, and on Zen 4 they
        // take no cycle from AES. Shifts of 512 bits do on Intel's CPUs, so `opaque` keeps the second doubling from
        // becoming one.
        let token = batch[i].token();
        let out = batch[i & !1].tops_with(batch[i | 1]);
        let out2 = out.add64(out).opaque();
        let product = out.shl64::<7>().xor3(out2, out2.add64(out2));
        let product = if i.is_multiple_of(2) {
            product.and(Self::splat_block(token, &[u64::MAX, 0]))
        } else {
            product.shr_bytes::<8>()
        };
        batch[i].shuffle32::<0b10_01_00_11>().xor(product)
    }

    #[inline(always)]
    fn mul_x_ramp(self, n: usize) -> Self {
        let exponents = Self::of64(self.token(), [0, 0, 1, 1, 2, 2, 3, 3]);
        self.mul_x_by(n + 3, exponents.add64(Self::splat64(self.token(), n as u64)))
    }
}
