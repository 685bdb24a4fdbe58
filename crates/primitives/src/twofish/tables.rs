//! The parts of Twofish that do not depend on a key: the permutations q0 and q1, the MDS matrix and the Reed-Solomon
//! code.

/// The 4-bit permutations t0 to t3 of q0 and of q1 (section 4.3.5 of the paper).
const T: [[[u8; 16]; 4]; 2] = [
    [
        [0x8, 0x1, 0x7, 0xd, 0x6, 0xf, 0x3, 0x2, 0x0, 0xb, 0x5, 0x9, 0xe, 0xc, 0xa, 0x4],
        [0xe, 0xc, 0xb, 0x8, 0x1, 0x2, 0x3, 0x5, 0xf, 0x4, 0xa, 0x6, 0x7, 0x0, 0x9, 0xd],
        [0xb, 0xa, 0x5, 0xe, 0x6, 0xd, 0x9, 0x0, 0xc, 0x8, 0xf, 0x3, 0x2, 0x4, 0x7, 0x1],
        [0xd, 0x7, 0xf, 0x4, 0x1, 0x2, 0x6, 0xe, 0x9, 0xb, 0x3, 0x0, 0x8, 0x5, 0xc, 0xa],
    ],
    [
        [0x2, 0x8, 0xb, 0xd, 0xf, 0x7, 0x6, 0xe, 0x3, 0x1, 0x9, 0x4, 0x0, 0xa, 0xc, 0x5],
        [0x1, 0xe, 0x2, 0xb, 0x4, 0xc, 0x3, 0x7, 0x6, 0xd, 0xa, 0x5, 0xf, 0x9, 0x0, 0x8],
        [0x4, 0xc, 0x7, 0x5, 0x1, 0x6, 0x9, 0xa, 0x0, 0xe, 0xd, 0x8, 0x2, 0xb, 0x3, 0xf],
        [0xb, 0x9, 0x5, 0x1, 0xc, 0x3, 0xd, 0xe, 0x6, 0x4, 0x7, 0xf, 0x2, 0x0, 0x8, 0xa],
    ],
];

/// A permutation q: two rounds, each of which mixes the halves of a byte and then permutes each half.
const fn q(t: &[[u8; 16]; 4], x: u8) -> u8 {
    const fn mix(a: u8, b: u8) -> (usize, usize) {
        // b rotated right by 1 in 4 bits; 8a moves the low bit of a to the top.
        ((a ^ b) as usize, ((a ^ (b >> 1 | b << 3) ^ a << 3) & 0xf) as usize)
    }
    let (a, b) = mix(x >> 4, x & 0xf);
    let (a, b) = mix(t[0][a], t[1][b]);
    t[3][b] << 4 | t[2][a]
}

/// The permutations q0 and q1.
pub(super) static Q: [[u8; 256]; 2] = {
    let mut tables = [[0; 256]; 2];
    let mut x = 0;
    while x < 256 {
        tables[0][x] = q(&T[0], x as u8);
        tables[1][x] = q(&T[1], x as u8);
        x += 1;
    }
    tables
};

/// The permutations q that each byte of a word goes through in the function h (figure 2 of the paper, read backwards):
/// the one next to the matrix, then those before words 0, 1, 2 and 3 of the key.
pub(super) const S_BOX: [[usize; 5]; 4] = [[1, 0, 0, 1, 1], [0, 0, 1, 1, 0], [1, 1, 0, 0, 0], [0, 1, 1, 0, 1]];

/// x⁸ + x⁶ + x⁵ + x³ + 1, the field of the MDS matrix.
const MDS_FIELD: u32 = 0x169;

/// x⁸ + x⁶ + x³ + x² + 1, the field of the Reed-Solomon code.
const RS_FIELD: u32 = 0x14d;

/// The MDS matrix, by rows.
const MDS: [[u8; 4]; 4] =
    [[0x01, 0xef, 0x5b, 0x5b], [0x5b, 0xef, 0xef, 0x01], [0xef, 0x5b, 0x01, 0xef], [0xef, 0x01, 0xef, 0x5b]];

/// The product in GF(2⁸) modulo `field`.
pub(super) const fn multiply(a: u8, b: u8, field: u32) -> u8 {
    let mut product = 0;
    let mut i = 8;
    while i > 0 {
        i -= 1;
        product = times_x(product, field) ^ if b >> i & 1 == 1 { a as u32 } else { 0 };
    }
    product as u8
}

/// An element times x, computed without a branch.
const fn times_x(a: u32, field: u32) -> u32 {
    (a << 1) ^ ((a >> 7) * field)
}

/// Column `j` of the MDS matrix times the last permutation q of byte `j`.
pub(super) static MDS_Q: [[u32; 256]; 4] = {
    let mut tables = [[0; 256]; 4];
    let mut j = 0;
    while j < 4 {
        let mut x = 0;
        while x < 256 {
            let s = Q[S_BOX[j][0]][x];
            let mut row = 0;
            while row < 4 {
                tables[j][x] |= (multiply(s, MDS[row][j], MDS_FIELD) as u32) << (8 * row);
                row += 1;
            }
            x += 1;
        }
        j += 1;
    }
    tables
};

/// The product of the paper's matrix RS and `bytes`, without lookups.
///
/// RS computes the check bytes of a Reed-Solomon code. Its column for byte `i`, from the top, is the remainder of
/// `y^(4 + i)` modulo `g = y⁴ + (x + 1/x) y³ + x y² + (x + 1/x) y + 1`, lowest power first. So the bytes are the
/// coefficients of a polynomial in `y`, the last one the highest, and the product is the remainder of `y⁴` times that
/// polynomial. The code below is this division, one byte at a time.
pub(super) fn rs_remainder(bytes: &[u8; 8]) -> [u8; 4] {
    let remainder = bytes.iter().rev().fold(0u32, |remainder, &byte| {
        let quotient = remainder >> 24 ^ byte as u32;
        let x = times_x(quotient, RS_FIELD);
        let over_x = (quotient >> 1) ^ ((quotient & 1) * (RS_FIELD >> 1));
        remainder << 8 ^ ((x ^ over_x) << 24 | x << 16 | (x ^ over_x) << 8 | quotient)
    });
    remainder.to_le_bytes()
}
