//! BLAKE2 with x86 vectors: a row of BLAKE2b has 256 bits, and a row of BLAKE2s 128.
//!
//! G is one chain of dependent instructions, so latencies decide its speed. On Zen 4, a rotation or a byte shuffle
//! takes two cycles, a shuffle across the halves of 256 bits three or four, and everything else one; on Intel's CPUs,
//! the first take one too. AVX-512 shortens the chain by ternary logic, see [`Row::xor_rotate`].
//!
//! Every other instruction can delay the chain, as the CPU chooses its port before it is known what waits. So the few
//! uses of `opaque` keep the compiler from taking two instructions where one will do.
//!
//! The words of a round are loaded one by one from the block in memory, each into all places of a vector, and blends
//! choose among the vectors. Blends run on every port. The compiler would join the words by shuffles, on the ports that
//! the chain needs, so it must not know what the vectors hold.

use super::Compress;
use super::rows::{Order, Row, compress};
use crate::cpu::{Avx2, Avx512, HasAvx2, Token};
use crate::simd::anew;
use crate::simd::x86::{V128, V256};

/// The methods of [`Row`] that are the same for both sizes of word.
macro_rules! common {
    ($T:ident, $word:ty, $bytes:literal, $splat:ident, $add:ident, $second:literal, $third:literal, $fourth:literal) => {
        type Token = $T;
        type Message<'a> = &'a [[u8; $bytes]; 16];

        #[inline(always)]
        fn message(block: &[u8]) -> &[[u8; $bytes]; 16] {
            block.as_chunks().0.try_into().expect("a block")
        }

        #[inline(always)]
        fn rows(token: $T, message: &[[u8; $bytes]; 16], order: &Order) -> [Self; 4] {
            // Makes the compiler read the message from memory in each round.
            let message = anew(message);
            let word = |i: usize| <$word>::from_le_bytes(message[usize::from(order[i] % 16)]);
            // Not a closure, which the compiler might call: then vectors would pass through memory.
            macro_rules! row {
                ($i:literal) => {{
                    let [a, b] = [Self::$splat(token, word($i)).opaque(), Self::$splat(token, word($i + 1)).opaque()];
                    let [c, d] =
                        [Self::$splat(token, word($i + 2)).opaque(), Self::$splat(token, word($i + 3)).opaque()];
                    a.blend32::<$second>(b).blend32::<{ $third | $fourth }>(c.blend32::<$fourth>(d))
                }};
            }
            [row!(0), row!(4), row!(8), row!(12)]
        }

        #[inline(always)]
        fn load(token: $T, words: &[$word; 4]) -> Self {
            Self::load(token, words)
        }

        #[inline(always)]
        fn store(self) -> [$word; 4] {
            let mut words = [0; 4];
            self.store(&mut words);
            words
        }

        #[inline(always)]
        fn add(self, other: Self) -> Self {
            self.$add(other)
        }

        #[inline(always)]
        fn xor(self, other: Self) -> Self {
            self.xor(other)
        }
    };
}

/// A row of BLAKE2b.
impl<T: HasAvx2> Row<u64> for V256<T> {
    common!(T, u64, 8, splat64, add64, 0x0c, 0x30, 0xc0);

    #[inline(always)]
    fn turn<const N: i32>(self) -> Self {
        if let Some(token) = self.token().avx512() {
            // `valignq` has a latency of 3 cycles and `vpermq` one of 4, and rows a and d are on the critical path.
            // `opaque` hides that both operands are the same, because the compiler would turn that into `vpermq`.
            let v = self.proven_by(token);
            return v.opaque().align64::<N>(v).proven_by(self.token());
        }
        match N {
            1 => self.permute64::<0b00_11_10_01>(),
            2 => self.permute64::<0b01_00_11_10>(),
            _ => self.permute64::<0b10_01_00_11>(),
        }
    }

    #[inline(always)]
    fn rotate<const I: usize>(self) -> Self {
        const RIGHT24: [u8; 16] = [3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10];
        const RIGHT16: [u8; 16] = [2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9];
        if I == 0 {
            // This rotation, by 32 bits, is a shuffle of one cycle.
            return self.shuffle32::<0b10_11_00_01>();
        }
        if let Some(token) = self.token().avx512() {
            let v = self.proven_by(token);
            let rotated = match I {
                1 => v.ror64::<24>(),
                2 => v.ror64::<16>(),
                _ => v.ror64::<63>(),
            };
            return rotated.proven_by(self.token());
        }
        match I {
            1 => self.shuffle_bytes(Self::splat_block(self.token(), &RIGHT24)),
            2 => self.shuffle_bytes(Self::splat_block(self.token(), &RIGHT16).opaque()),
            _ => self.shr64::<63>().xor(self.add64(self)),
        }
    }

    #[inline(always)]
    fn xor_rotate<const I: usize>(self, late: Self) -> Self {
        // Rotations by 32 bits take one cycle. With the one by 16 bits, the shorter chain costs Intel's CPUs more, by
        // its two instructions, than it saves elsewhere.
        if I.is_multiple_of(2) || self.token().avx512().is_none() {
            // Hidden, or the compiler would shuffle both operands.
            return self.xor(late).opaque().rotate::<I>();
        }
        let early = self.rotate::<I>();
        match I {
            1 => early.xor3(late.shr64::<24>(), late.shl64::<40>()),
            _ => early.xor3(late.shr64::<63>(), late.add64(late)),
        }
    }
}

/// A row of BLAKE2s.
impl<T: HasAvx2> Row<u32> for V128<T> {
    common!(T, u32, 4, splat32, add32, 2, 4, 8);

    #[inline(always)]
    fn turn<const N: i32>(self) -> Self {
        match N {
            1 => self.shuffle32::<0b00_11_10_01>(),
            2 => self.shuffle32::<0b01_00_11_10>(),
            _ => self.shuffle32::<0b10_01_00_11>(),
        }
    }

    #[inline(always)]
    fn rotate<const I: usize>(self) -> Self {
        const RIGHT16: [u8; 16] = [2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13];
        const RIGHT8: [u8; 16] = [1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12];
        if let Some(token) = self.token().avx512() {
            let v = self.proven_by(token);
            let rotated = match I {
                0 => v.ror32::<16>(),
                1 => v.ror32::<12>(),
                2 => v.ror32::<8>(),
                _ => v.ror32::<7>(),
            };
            return rotated.proven_by(self.token());
        }
        match I {
            0 => self.shuffle_bytes(Self::load(self.token(), &RIGHT16).opaque()),
            1 => self.shr32::<12>().xor(self.shl32::<20>()),
            2 => self.shuffle_bytes(Self::load(self.token(), &RIGHT8)),
            _ => self.shr32::<7>().xor(self.shl32::<25>()),
        }
    }

    #[inline(always)]
    fn xor_rotate<const I: usize>(self, late: Self) -> Self {
        if self.token().avx512().is_none() {
            return self.xor(late).rotate::<I>();
        }
        let early = self.rotate::<I>();
        match I {
            0 => early.xor3(late.shr32::<16>(), late.shl32::<16>()),
            1 => early.xor3(late.shr32::<12>(), late.shl32::<20>()),
            2 => early.xor3(late.shr32::<8>(), late.shl32::<24>()),
            _ => early.xor3(late.shr32::<7>(), late.shl32::<25>()),
        }
    }
}

macro_rules! driver {
    ($token:ty, $word:ty, $row:ty) => {
        impl Compress<$word> for $token {
            #[inline(never)]
            fn compress(self, state: &mut [$word; 8], blocks: &[u8], before: u64, last: Option<usize>) {
                self.vectorize(
                    #[inline(always)]
                    || compress::<$word, $row>(self, state, blocks, before, last),
                );
            }
        }
    };
}
driver!(Avx2, u64, V256<Self>);
driver!(Avx512, u64, V256<Self>);
driver!(Avx2, u32, V128<Self>);
driver!(Avx512, u32, V128<Self>);
