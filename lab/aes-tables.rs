//! Scalar AES-128 with four tables of 1 KiB, and with one table and rotations (experiment T5 of docs/experiments.md).
//!
//! Both variants encrypt the same chain of blocks in turn, and the fastest slice of each is the result. Cycles are
//! those of the core's clock, measured by a chain of dependent additions and rotations. `lab/experiments` builds and
//! runs it; it needs only rustc. With the arguments of crates/primitives/examples/call.rs, where the kernel is `four` or
//! `one`, it encrypts as many bytes once, for the model in `lab/model`.

use std::{hint::black_box, time::Instant};

/// Multiplication by x in the field of AES.
const fn double(x: u8) -> u8 {
    (x << 1) ^ (0x1b * (x >> 7))
}

/// The S-box (FIPS 197, section 5.1.1): the inverse, then the affine map. The number 3 generates the field's units.
const fn sbox() -> [u8; 256] {
    let (mut table, mut power, mut inverse, mut i) = ([0x63; 256], 1_u8, 1_u8, 0);
    while i < 255 {
        table[power as usize] = inverse
            ^ inverse.rotate_left(1)
            ^ inverse.rotate_left(2)
            ^ inverse.rotate_left(3)
            ^ inverse.rotate_left(4)
            ^ 0x63;
        power ^= double(power);
        // The division by 3.
        inverse ^= inverse << 1;
        inverse ^= inverse << 2;
        inverse ^= inverse << 4;
        inverse ^= 0x09 * (inverse >> 7);
        i += 1;
    }
    table
}

static SBOX: [u8; 256] = sbox();

/// The column that SubBytes and MixColumns make of a byte in row `row`.
const fn columns(row: u32) -> [u32; 256] {
    let (sbox, mut table, mut x) = (sbox(), [0; 256], 0);
    while x < 256 {
        let s = sbox[x];
        table[x] = u32::from_le_bytes([double(s), s, s, s ^ double(s)]).rotate_left(8 * row);
        x += 1;
    }
    table
}

static TABLES: [[u32; 256]; 4] = [columns(0), columns(1), columns(2), columns(3)];

fn round_keys(key: [u8; 16]) -> [[u32; 4]; 11] {
    let sub = |w: u32| u32::from_le_bytes(w.to_le_bytes().map(|b| SBOX[b as usize]));
    let mut keys = [[0; 4]; 11];
    for (word, bytes) in keys[0].iter_mut().zip(key.chunks(4)) {
        *word = u32::from_le_bytes(bytes.try_into().unwrap());
    }
    let mut constant = 1;
    for i in 1..11 {
        let before = keys[i - 1];
        keys[i][0] = before[0] ^ sub(before[3].rotate_right(8)) ^ u32::from(constant);
        for j in 1..4 {
            keys[i][j] = before[j] ^ keys[i][j - 1];
        }
        constant = double(constant);
    }
    keys
}

/// Encrypts a block. With `ONE`, one table serves all rows, because the columns of rows 1 to 3 are rotations of those
/// of row 0.
#[inline(never)]
fn encrypt<const ONE: bool>(keys: &[[u32; 4]; 11], block: [u32; 4]) -> [u32; 4] {
    let byte = |w: u32, row: usize| (w >> (8 * row)) as u8 as usize;
    let column = |w: u32, row: usize| match ONE {
        true => TABLES[0][byte(w, row)].rotate_left(8 * row as u32),
        false => TABLES[row][byte(w, row)],
    };
    let mut state: [u32; 4] = std::array::from_fn(|i| block[i] ^ keys[0][i]);
    for key in &keys[1..10] {
        let s = state;
        state = std::array::from_fn(|i| {
            column(s[i], 0) ^ column(s[(i + 1) % 4], 1) ^ column(s[(i + 2) % 4], 2) ^ column(s[(i + 3) % 4], 3) ^ key[i]
        });
    }
    let s = state;
    std::array::from_fn(|i| {
        let sub = |row: usize| u32::from(SBOX[byte(s[(i + row) % 4], row)]) << (8 * row);
        sub(0) | sub(1) | sub(2) | sub(3)
    })
    .xor(keys[10])
}

trait Xor {
    fn xor(self, key: [u32; 4]) -> Self;
}

impl Xor for [u32; 4] {
    fn xor(self, key: [u32; 4]) -> Self {
        std::array::from_fn(|i| self[i] ^ key[i])
    }
}

fn main() {
    // FIPS 197, appendix C.1.
    let key: [u8; 16] = std::array::from_fn(|i| i as u8);
    let plain: [u32; 4] = [0x33221100, 0x77665544, 0xbbaa9988, 0xffeeddcc];
    let cipher: [u32; 4] = [0xd8e0c469, 0x30047b6a, 0x80b7cdd8, 0x5ac5b470];
    let keys = black_box(round_keys(key));
    assert_eq!(encrypt::<false>(&keys, plain), cipher);
    assert_eq!(encrypt::<true>(&keys, plain), cipher);

    const BLOCKS: usize = 512;
    const STEPS: usize = 1000;
    let mut text: Vec<[u32; 4]> = vec![plain; BLOCKS];
    let args: Vec<String> = std::env::args().collect();
    if let [_, kernel, size, _, word] = &args[..] {
        let blocks = size.parse::<usize>().expect("a number") / 16;
        let text = &mut text[..if word == "call" { blocks } else { 0 }];
        match &**kernel {
            "four" => text.iter_mut().for_each(|block| *block = encrypt::<false>(&keys, *block)),
            _ => text.iter_mut().for_each(|block| *block = encrypt::<true>(&keys, *block)),
        }
        return;
    }
    let mut x = 1_u64;
    let mut fastest = [f64::MAX; 3];
    for _ in 0..20_000 {
        let mut slice = |which: usize, work: &mut dyn FnMut()| {
            let start = Instant::now();
            work();
            fastest[which] = fastest[which].min(start.elapsed().as_nanos() as f64);
        };
        slice(0, &mut || text.iter_mut().for_each(|block| *block = encrypt::<false>(&keys, *block)));
        slice(1, &mut || text.iter_mut().for_each(|block| *block = encrypt::<true>(&keys, *block)));
        slice(2, &mut || {
            let addend = black_box(0x9e37_79b9_7f4a_7c15_u64);
            for _ in 0..STEPS {
                x = x.wrapping_add(addend).rotate_left(7);
            }
            black_box(x);
        });
    }
    let cycle = fastest[2] / (2 * STEPS) as f64;
    let per_byte = |ns: f64| ns / cycle / (16 * BLOCKS) as f64;
    println!("{:.2} {:.2}", per_byte(fastest[0]), per_byte(fastest[1]));
}
