//! The S-box (FIPS 197 section 5.1.1): as tables, and as a circuit of two-input gates.
//!
//! `S(x) = A·x⁻¹ + 0x63` over GF(2⁸), with `0⁻¹ = 0` and `A` a linear map on bits. A circuit for it has
//! three parts: linear sums `y` of the input bits; a core that multiplies out the inversion in a tower
//! of fields GF(((2²)²)²), with 32 ANDs, the last 18 of which are the products `z` that come out; and
//! linear sums of `z`. The core and the forward top layer are those of J. Boyar and R. Peralta, "A small
//! depth-16 circuit for the AES S-box" (SEC 2012).
//!
//! The inverse S-box shares the core: `S⁻¹(v) = (A⁻¹·(v + 0x63))⁻¹`, so its top layer is the forward one
//! after `A⁻¹`, and its bottom layer is the forward one followed by `A⁻¹` instead of `A`. The two linear
//! layers, and the forward bottom layer, were found by Boyar and Peralta's distance heuristic with
//! random tie-breaking (bottom layers by transposing a program for the transposed matrix, which has
//! only 8 inputs). Gates in all: 113 forward, 114 inverse.
//!
//! Both circuits leave the constant out: [`sub_bytes`] computes `S(x) + 0x63`, and [`inv_sub_bytes`]
//! wants `v + 0x63`. Users fold the constant into round keys, where it costs nothing.

/// A word of bits in parallel: a circuit computes as many S-boxes at once as the word has bits.
pub trait Gates: crate::sealed::Sealed + Copy {
    /// Bitwise exclusive or.
    fn xor(self, other: Self) -> Self;

    /// Bitwise and.
    fn and(self, other: Self) -> Self;
}

macro_rules! integers {
    ($($word:ty),*) => {$(
        impl crate::sealed::Sealed for $word {}

        impl Gates for $word {
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                self ^ other
            }

            #[inline(always)]
            fn and(self, other: Self) -> Self {
                self & other
            }
        }
    )*};
}

integers!(u32, u128);

/// A word with the gates as operators, so that circuits read as equations.
#[derive(Clone, Copy)]
struct Wire<W>(W);

impl<W: Gates> core::ops::BitXor for Wire<W> {
    type Output = Self;

    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self(self.0.xor(other.0))
    }
}

impl<W: Gates> core::ops::BitAnd for Wire<W> {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(self.0.and(other.0))
    }
}

#[inline(always)]
fn wires<W>([a, b, c, d, e, f, g, h]: [W; 8]) -> [Wire<W>; 8] {
    [Wire(a), Wire(b), Wire(c), Wire(d), Wire(e), Wire(f), Wire(g), Wire(h)]
}

/// `S(x) ^ 0x63` in every lane; word `i` holds bit `i` (the least significant is bit 0).
#[inline(always)]
pub fn sub_bytes<W: Gates>(bits: [W; 8]) -> [W; 8] {
    let [x7, x6, x5, x4, x3, x2, x1, x0] = wires(bits);

    let y14 = x3 ^ x5;
    let y13 = x0 ^ x6;
    let y9 = x0 ^ x3;
    let y8 = x0 ^ x5;
    let t0 = x1 ^ x2;
    let y1 = t0 ^ x7;
    let y4 = y1 ^ x3;
    let y12 = y13 ^ y14;
    let y2 = y1 ^ x0;
    let y5 = y1 ^ x6;
    let y3 = y5 ^ y8;
    let t1 = x4 ^ y12;
    let y15 = t1 ^ x5;
    let y20 = t1 ^ x1;
    let y6 = y15 ^ x7;
    let y10 = y15 ^ t0;
    let y11 = y20 ^ y9;
    let y7 = x7 ^ y11;
    let y17 = y10 ^ y11;
    let y19 = y10 ^ y8;
    let y16 = t0 ^ y11;
    let y21 = y13 ^ y16;
    let y18 = x0 ^ y16;

    let y = [x7, y1, y2, y3, y4, y5, y6, y7, y8, y9, y10, y11, y12, y13, y14, y15, y16, y17, y18, y19, y20, y21];
    let [z0, z1, z2, z3, z4, z5, z6, z7, z8, z9, z10, z11, z12, z13, z14, z15, z16, z17] = invert(y);

    let b0 = z3 ^ z4;
    let b1 = z15 ^ z16;
    let b2 = z0 ^ b0;
    let b3 = z1 ^ b2;
    let b5 = z9 ^ b1 ^ z10;
    let s3 = b3 ^ b5;
    let b8 = z6 ^ b0 ^ z7;
    let s0 = b5 ^ b8;
    let b10 = z2 ^ b2;
    let b11 = z12 ^ b1;
    let b13 = z8 ^ z7 ^ b10;
    let b15 = z14 ^ b11 ^ b13;
    let b17 = z5 ^ z4 ^ b10;
    let s7 = z13 ^ b11 ^ b17;
    let s6 = b13 ^ s7;
    let s5 = z11 ^ z10 ^ b15;
    let s4 = s3 ^ b17;
    let s2 = z17 ^ z16 ^ b8 ^ b15;
    let s1 = b3 ^ s0;

    [s7.0, s6.0, s5.0, s4.0, s3.0, s2.0, s1.0, s0.0]
}

/// `S⁻¹(x ^ 0x63)` in every lane; word `i` holds bit `i`.
#[inline(always)]
pub fn inv_sub_bytes<W: Gates>(bits: [W; 8]) -> [W; 8] {
    let [x7, x6, x5, x4, x3, x2, x1, x0] = wires(bits);

    let y8 = x0 ^ x1;
    let y19 = x4 ^ x7;
    let y3 = x0 ^ x3;
    let y6 = x3 ^ y8;
    let y1 = x3 ^ y19;
    let y5 = x1 ^ x3;
    let y10 = y6 ^ y1;
    let y14 = x4 ^ y6;
    let y9 = y8 ^ y14;
    let y18 = x2 ^ y9;
    let y13 = x6 ^ y1;
    let y12 = y14 ^ y13;
    let y4 = y3 ^ y12;
    let y2 = y9 ^ y4;
    let y7 = y18 ^ y2;
    let y21 = x6 ^ y7;
    let y16 = y1 ^ y7;
    let t0 = x0 ^ x5;
    let y0 = x2 ^ t0;
    let y20 = y2 ^ t0;
    let y15 = y6 ^ y0;
    let y11 = y7 ^ y0;
    let y17 = y16 ^ y15;

    let y = [y0, y1, y2, y3, y4, y5, y6, y7, y8, y9, y10, y11, y12, y13, y14, y15, y16, y17, y18, y19, y20, y21];
    let [z0, z1, z2, z3, z4, z5, z6, z7, z8, z9, z10, z11, z12, z13, z14, z15, z16, z17] = invert(y);

    let b1 = z12 ^ z16 ^ z15;
    let b3 = z6 ^ b1 ^ z13;
    let b4 = z5 ^ z3;
    let s0 = z8 ^ b3 ^ b4;
    let b7 = z0 ^ b4;
    let b8 = z2 ^ b7;
    let b9 = z10 ^ b8;
    let b11 = z4 ^ z3 ^ b3;
    let b12 = z11 ^ b9;
    let s5 = z1 ^ z8 ^ b7 ^ b11;
    let s6 = z7 ^ b11;
    let b18 = z14 ^ b12 ^ s5;
    let b19 = z17 ^ b12;
    let s7 = z9 ^ z15 ^ b9 ^ b19;
    let s4 = z16 ^ s6 ^ b19;
    let s3 = s0 ^ b8;
    let s2 = z13 ^ b18;
    let s1 = b1 ^ b18 ^ s7;

    [s7.0, s6.0, s5.0, s4.0, s3.0, s2.0, s1.0, s0.0]
}

/// The inversion: from the 22 sums of input bits to the 18 products, in 62 gates.
#[inline(always)]
fn invert<W: Gates>(y: [Wire<W>; 22]) -> [Wire<W>; 18] {
    let [y0, y1, y2, y3, y4, y5, y6, y7, y8, y9, y10, y11, y12, y13, y14, y15, y16, y17, y18, y19, y20, y21] = y;

    // The norm: an element of GF(2⁴), bits t21 to t24.
    let t2 = y12 & y15;
    let t4 = (y3 & y6) ^ t2;
    let t6 = (y4 & y0) ^ t2;
    let t7 = y13 & y16;
    let t9 = (y5 & y1) ^ t7;
    let t11 = (y2 & y7) ^ t7;
    let t12 = y9 & y11;
    let t14 = (y14 & y17) ^ t12;
    let t16 = (y8 & y10) ^ t12;
    let t21 = t4 ^ t14 ^ y20;
    let t22 = t6 ^ t16 ^ y19;
    let t23 = t9 ^ t14 ^ y21;
    let t24 = t11 ^ t16 ^ y18;

    // The inverse of the norm: t29, t33, t37, t40.
    let t25 = t21 ^ t22;
    let t26 = t21 & t23;
    let t27 = t24 ^ t26;
    let t29 = (t25 & t27) ^ t22;
    let t30 = t23 ^ t24;
    let t31 = t22 ^ t26;
    let t33 = (t31 & t30) ^ t24;
    let t34 = t23 ^ t33;
    let t35 = t27 ^ t33;
    let t36 = t24 & t35;
    let t37 = t36 ^ t34;
    let t38 = t27 ^ t36;
    let t40 = t25 ^ (t29 & t38);

    // The inverse of the norm times both halves of the conjugate.
    let t41 = t40 ^ t37;
    let t42 = t29 ^ t33;
    let t43 = t29 ^ t40;
    let t44 = t33 ^ t37;
    let t45 = t42 ^ t41;
    [
        t44 & y15,
        t37 & y6,
        t33 & y0,
        t43 & y16,
        t40 & y1,
        t29 & y7,
        t42 & y11,
        t45 & y17,
        t41 & y10,
        t44 & y12,
        t37 & y3,
        t33 & y4,
        t43 & y13,
        t40 & y5,
        t29 & y2,
        t42 & y9,
        t45 & y14,
        t41 & y8,
    ]
}

/// The S-box on each byte of a word, by the circuit. Constant-time key expansions pass it as `sub_word`.
#[inline(always)]
pub fn sub_word(word: [u8; 4]) -> [u8; 4] {
    let word = u32::from_le_bytes(word);
    let mut bits = [0; 8];
    for (i, bit) in bits.iter_mut().enumerate() {
        *bit = (word >> i) & 0x01010101;
    }
    let bits = sub_bytes(bits);
    let mut out = 0x63636363;
    for (i, bit) in bits.iter().enumerate() {
        out ^= bit << i;
    }
    out.to_le_bytes()
}

/// `2·x` in GF(2⁸) for each byte of a word.
#[inline(always)]
pub const fn xtime(x: u32) -> u32 {
    let high = (x >> 7) & 0x01010101;
    // A byte of 0x80 less 0 has none of these bits, and less 1 it has all. (`255 * high` would be a multiplication, whose
    // time depends on its operands on some CPUs; compilers make one of a shift and a subtraction.)
    let reduce = 0x80808080_u32.wrapping_sub(high) & 0x1b1b1b1b;
    ((x & 0x7f7f7f7f) << 1) ^ reduce
}

/// MixColumns on one column; row 0 is the low byte. It is `2·a ^ 3·ρa ^ ρ²a ^ ρ³a`, where `ρ` moves each byte to the
/// row above.
#[inline(always)]
pub const fn mix_column(a: u32) -> u32 {
    let next = a.rotate_right(8);
    let sum = a ^ next;
    xtime(sum) ^ next ^ sum.rotate_right(16)
}

/// InvMixColumns on one column. The inverse of the polynomial is the polynomial itself times
/// `4·X² + 5`, so this is MixColumns of `a ^ 4·(a ^ ρ²a)`.
#[inline(always)]
pub const fn inv_mix_column(a: u32) -> u32 {
    mix_column(a ^ xtime(xtime(a ^ a.rotate_right(16))))
}

/// InvMixColumns on the four columns of a block ([`inv_mix_column`]).
#[inline(always)]
pub fn inv_mix_columns(mut block: [u8; 16]) -> [u8; 16] {
    for column in block.as_chunks_mut::<4>().0 {
        *column = inv_mix_column(u32::from_le_bytes(*column)).to_le_bytes();
    }
    block
}

/// The S-box as a table.
pub const SBOX: [u8; 256] = tables().0;

/// The inverse S-box as a table.
pub const INV_SBOX: [u8; 256] = tables().1;

/// Computes both tables by a walk through the powers of the generator 3 and those of its inverse: `p = 3ⁿ`, `q = 3⁻ⁿ`.
const fn tables() -> ([u8; 256], [u8; 256]) {
    let (mut sbox, mut inverse) = ([0; 256], [0; 256]);
    let (mut p, mut q) = (1u8, 1u8);
    loop {
        let s = q ^ q.rotate_left(1) ^ q.rotate_left(2) ^ q.rotate_left(3) ^ q.rotate_left(4) ^ 0x63;
        sbox[p as usize] = s;
        inverse[s as usize] = p;
        p ^= xtime(p as u32) as u8;
        // 3⁻¹ = 0xf6 = 0b11110110: division by X + 1 sums all shifts, then reduces.
        q ^= q << 1;
        q ^= q << 2;
        q ^= q << 4;
        if q & 0x80 != 0 {
            q ^= 0x09;
        }
        if p == 1 {
            break;
        }
    }
    sbox[0] = 0x63;
    inverse[0x63] = 0;
    (sbox, inverse)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FIPS 197, section 5.1.1: the defining formula, by brute force.
    fn by_definition(x: u8) -> u8 {
        fn mul(a: u8, b: u8) -> u8 {
            let (mut product, mut a) = (0u8, a);
            for i in 0..8 {
                product ^= if b >> i & 1 == 1 { a } else { 0 };
                a = (a << 1) ^ if a & 0x80 != 0 { 0x1b } else { 0 };
            }
            product
        }
        let inverse = (0..=255).find(|&y| mul(x, y) == 1).unwrap_or(0);
        let bit = |i: usize| inverse >> (i % 8) & 1;
        (0..8).fold(0x63, |s, i| s ^ (bit(i) ^ bit(i + 4) ^ bit(i + 5) ^ bit(i + 6) ^ bit(i + 7)) << i)
    }

    #[test]
    fn tables_and_circuits_follow_the_definition() {
        // FIPS 197, figure 7: S-box values in four corners and the worked example.
        for (x, s) in [(0x00, 0x63), (0x0f, 0x76), (0xf0, 0x8c), (0xff, 0x16), (0x53, 0xed)] {
            assert_eq!(by_definition(x), s);
        }
        for x in 0..=255u8 {
            let s = by_definition(x);
            assert_eq!(SBOX[x as usize], s);
            assert_eq!(INV_SBOX[s as usize], x);
            let spread = |b: u8| core::array::from_fn::<u32, 8, _>(|i| if b >> i & 1 == 1 { !0 } else { 0 });
            assert_eq!(sub_bytes(spread(x)), spread(s ^ 0x63));
            assert_eq!(inv_sub_bytes(spread(s ^ 0x63)), spread(x));
            for at in 0..4 {
                let mut word = [0x52; 4];
                word[at] = x;
                let mut want = [0; 4];
                want[at] = s;
                assert_eq!(sub_word(word), want);
            }
        }
    }

    #[test]
    fn columns() {
        // FIPS 197, appendix B, round 1: after ShiftRows, after MixColumns.
        assert_eq!(mix_column(u32::from_le_bytes([0xd4, 0xbf, 0x5d, 0x30])).to_le_bytes(), [0x04, 0x66, 0x81, 0xe5]);
        // Linear, so agreement on every bit is agreement on everything.
        for i in 0..32 {
            assert_eq!(inv_mix_column(mix_column(1 << i)), 1 << i);
        }
    }
}
