//! The methods of 32-bit words that the registers of all CPUs share.

/// The methods of [`Words32`](super::Words32) that are the same for every register.
macro_rules! words {
    ($V:ident, $lanes:literal) => {
        type Token = T;
        const LANES: usize = $lanes;

        #[inline(always)]
        fn splat(token: T, word: u32) -> Self {
            $V::splat32(token, word)
        }

        #[inline(always)]
        fn add(self, other: Self) -> Self {
            self.add32(other)
        }

        #[inline(always)]
        fn xor(self, other: Self) -> Self {
            $V::xor(self, other)
        }

        #[inline(always)]
        fn and(self, other: Self) -> Self {
            $V::and(self, other)
        }

        #[inline(always)]
        fn or(self, other: Self) -> Self {
            $V::or(self, other)
        }

        #[inline(always)]
        fn shl<const N: i32>(self) -> Self {
            self.shl32::<N>()
        }

        #[inline(always)]
        fn shr<const N: i32>(self) -> Self {
            self.shr32::<N>()
        }

        #[inline(always)]
        fn pin(self) -> Self {
            $V::pin(self)
        }

        #[inline(always)]
        fn load_blocks(token: T, src: &[u8]) -> [Self; 4] {
            let [a, b, c, d, ..] = src.as_chunks::<{ 4 * $lanes }>().0 else { panic!("fewer blocks than lanes") };
            Self::transpose([$V::load(token, a), $V::load(token, b), $V::load(token, c), $V::load(token, d)])
        }

        #[inline(always)]
        fn store_blocks(words: [Self; 4], dst: &mut [u8]) {
            let [a, b, c, d, ..] = dst.as_chunks_mut::<{ 4 * $lanes }>().0 else { panic!("fewer blocks than lanes") };
            let rows = Self::transpose(words);
            $V::store(rows[0], a);
            $V::store(rows[1], b);
            $V::store(rows[2], c);
            $V::store(rows[3], d);
        }

        #[inline(always)]
        fn xor_blocks(words: [Self; 4], mut data: InOut<'_>) {
            for row in Self::transpose(words) {
                row.xor_into(data.take(Self::BYTES).expect("all blocks"));
            }
        }
    };
}

/// The methods of [`Quads`](super::Quads) that are the same for every register.
macro_rules! quads {
    ($V:ident, $lanes:literal) => {
        #[inline(always)]
        fn from_words(token: T, words: &[u32; 16]) -> Self {
            $V::load(token, words.first_chunk::<$lanes>().expect("16 words"))
        }

        #[inline(always)]
        fn load(token: T, src: &[u8]) -> Self {
            $V::load(token, src.first_chunk::<{ 4 * $lanes }>().expect("a vector"))
        }

        #[inline(always)]
        fn store(self, dst: &mut [u8]) {
            $V::store(self, dst.first_chunk_mut::<{ 4 * $lanes }>().expect("room for a vector"));
        }

        #[inline(always)]
        fn transpose([a, b, c, d]: [Self; 4]) -> [Self; 4] {
            let (ab, ab2) = (a.unpack_low32(b), a.unpack_high32(b));
            let (cd, cd2) = (c.unpack_low32(d), c.unpack_high32(d));
            [ab.unpack_low64(cd), ab.unpack_high64(cd), ab2.unpack_low64(cd2), ab2.unpack_high64(cd2)]
        }

        #[inline(always)]
        fn xor_into(self, mut data: InOut<'_>) {
            let src = $V::load(self.token(), data.src().first_chunk::<{ 4 * $lanes }>().expect("a vector"));
            $V::store($V::xor(src, self), data.dst().first_chunk_mut::<{ 4 * $lanes }>().expect("a vector"));
        }
    };
}

pub(super) use {quads, words};
