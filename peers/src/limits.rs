//! Lower bounds of the time: the instructions that an algorithm cannot do without, in the smallest number that it
//! needs, and nothing else.

use crate::{contender::Contender, streams::Stream};
use peers_plugin::{Level, Op, Request, Work};

/// The library's name of contenders that are bounds.
pub const NAME: &str = "limit";

/// The message length in bytes from which on a chain of dependent instructions is a bound. For a shorter message, the
/// CPU begins the next one before the chain ends.
const CHAINED: usize = 4096;

/// The smallest number of instructions in a run of a stream, so that starting and ending it do not count.
const MANY: usize = 6144;

/// The bounds of a request. If there are several, the slowest is the limit.
pub fn bounds(request: &Request) -> Vec<Contender> {
    let needed = needed(request);
    needed
        .into_iter()
        .filter_map(|(names, n)| Some(bound(Stream::first(names)?, n * request.messages as f64)))
        .collect()
}

/// `n` instructions of a stream.
pub fn bound(stream: Stream, n: f64) -> Contender {
    let (run, many) = (stream.run, (n as usize).max(MANY));
    let work = Work::All(Box::new(move |_, _, _| {
        run(many);
        true
    }));
    Contender { library: NAME, driver: stream.name.to_owned(), work, scale: n / many as f64 }
}

/// A number of instructions. The instruction is the first of the names that the CPU has.
type Needed = (&'static [&'static str], f64);

const AES: &[&str] = &["vaesenc zmm", "vaesenc ymm", "aesenc xmm"];
const CLMUL: &[&str] = &["vpclmulqdq zmm", "vpclmulqdq ymm", "pclmulqdq xmm"];
const GCM_128: &[&str] = &["AES-128-GCM zmm", "AES-128-GCM ymm", "AES-128-GCM xmm"];
const GCM_256: &[&str] = &["AES-256-GCM zmm", "AES-256-GCM ymm", "AES-256-GCM xmm"];
const CHACHA: &[&str] = &["ChaCha half quarter round zmm", "ChaCha half quarter round ymm"];
const SERPENT: &[&str] = &["Serpent, two rounds zmm", "Serpent, two rounds ymm"];
const BITSLICE: &[&str] = &["AES on bits, a round zmm", "AES on bits, a round ymm"];
const KECCAK: &[&str] = &["Keccak plane xmm", "Keccak plane"];
const KECCAK_LANES: &[&str] = &["Keccak plane zmm", "Keccak plane ymm"];
/// None without 512 bits: lanes are faster on some CPUs then, and the SHA instructions on others.
const SHA1_LANES: &[&str] = &["SHA-1 lanes zmm"];
const SHA256_LANES: &[&str] = &["SHA-256 lanes zmm", "SHA-256 rounds, two messages"];
const SHA512_LANES: &[&str] = &["SHA-512 lanes zmm", "SHA-512 lanes ymm"];

/// The names of AES and carry-less products that a level allows, widest first.
fn at(level: Level, names: &'static [&'static str]) -> &'static [&'static str] {
    &names[(level as usize).min(names.len())..]
}

/// The names of other vector instructions that a level allows. Without AES, they may have the full width.
fn vectors(level: Level, names: &'static [&'static str]) -> &'static [&'static str] {
    if matches!(level, Level::Full | Level::Soft) { names } else { &names[1..] }
}

/// `n` instructions for as many bytes as the first of `names` processes.
fn per_block(names: &'static [&'static str], n: f64, size: usize) -> Vec<Needed> {
    let width = Stream::first(names).map_or(16, |stream| stream.width);
    vec![(names, n * size as f64 / width as f64)]
}

/// The instructions that a request needs at least.
fn needed(request: &Request) -> Vec<Needed> {
    let &Request { mode, cipher, size, messages, level, op, .. } = request;
    let rounds = |key_len: usize| (key_len / 4 + 6) as f64;
    let key_len = if mode == "xts" { request.key.len() / 2 } else { request.key.len() };
    let aes = |n: f64| per_block(at(level, AES), n, size);
    let products = |n: f64| per_block(at(level, CLMUL), n, size);
    match (mode, cipher) {
        _ if request.rekey => vec![],
        // A serial mode leaves most bits of the vectors idle. How many depends on the work beside it, so there is no
        // bound.
        ("cbc", "aes") if op == Op::Encrypt && level == Level::Soft => vec![],
        // The last round has no MixColumns, which is a third of a round. Turning blocks into bits and back is not
        // counted.
        (_, "aes") if level == Level::Soft => per_block(vectors(level, BITSLICE), rounds(key_len) - 0.35, size),
        _ if level == Level::Soft => vec![],
        // Each block depends on the one before.
        ("cbc", "aes") if op == Op::Encrypt && messages == 1 => chain(size, rounds(key_len)),
        ("cmac" | "ccm", "aes") if messages == 1 => chain(size, rounds(key_len)),
        // Counters, and the chain of CBC-MAC.
        ("ccm", "aes") => aes(2.0 * rounds(key_len)),
        // A product of 128 bits is three of 64 by Karatsuba's method; many blocks share one reduction. AES and products
        // share execution units.
        ("gcm", "aes") => per_block(at(level, if key_len == 16 { GCM_128 } else { GCM_256 }), 1.0, size),
        (_, "aes") => aes(rounds(key_len)),
        ("", "ghash" | "polyval") => products(3.0),
        // Ten double rounds of eight quarter rounds, in lanes of 4 bytes. The additions at the end and the xor of the
        // text are as many instructions as five half quarter rounds. Poly1305 runs beside them, in the same units.
        ("", "chacha20" | "xchacha20") | ("rfc7539", _) => {
            let rest = if level == Level::Full { 5.0 } else { 4.0 };
            per_block(vectors(level, CHACHA), (160.0 + rest) / 16.0, size)
        }
        // With limbs of 44 bits, a block in a lane of 8 bytes takes nine products in two halves each. With limbs of 26
        // bits, it takes 25 products.
        ("", "poly1305") if level == Level::Full && Stream::first(&["vpmadd52 zmm"]).is_some() => {
            vec![(&["vpmadd52 zmm"], 18.0 * size as f64 / 128.0)]
        }
        ("", "poly1305") => per_block(vectors(level, &["vpmuludq zmm", "vpmuludq ymm"]), 25.0 / 2.0, size),
        ("cbc", "serpent") if op == Op::Encrypt => vec![],
        (_, "serpent") => per_block(vectors(level, SERPENT), 16.0, size),
        ("", "xxhash64") => vec![(&["imul r64"], 2.0 * size as f64 / 8.0)],
        ("", "crc32" | "crc32c") => products(2.0),
        _ => hash(request),
    }
}

/// The instructions that a hash needs at least, or HMAC, which begins with the state after the key and ends with one
/// more block.
fn hash(request: &Request) -> Vec<Needed> {
    let &Request { mode, cipher, size, messages, level, .. } = request;
    let more = if mode == "hmac" { 1.0 } else { 0.0 };
    // The number of blocks, with at least `padding` bytes of padding.
    let blocks = |block: usize, padding: usize| (size + padding).div_ceil(block) as f64 + more;
    let (small, large) = (blocks(64, 9), blocks(128, 17));
    let long = size >= CHAINED;
    let keccak = |rate: usize| {
        // 24 rounds, in fifths of a round.
        let names = if messages == 1 { vectors(level, KECCAK) } else { vectors(level, KECCAK_LANES) };
        let states = Stream::first(names).map_or(1, |stream| stream.width / 40);
        vec![(names, 120.0 * blocks(rate, 1) / states as f64)]
    };
    // A step has four chains of an addition, an exclusive or and a rotation, and columns and diagonals depend on each
    // other. AVX2 needs one more instruction for each rotation that is not by whole bytes: by 63; by 12 and by 7.
    let blake2 = |block: usize, rounds: f64, slow_rotations: f64| {
        let steps = 8.0 + if level == Level::Full { 0.0 } else { 2.0 * slow_rotations / 3.0 };
        vec![(&["BLAKE2 add, xor, rotate, chained"][..], rounds * steps * size.div_ceil(block) as f64)]
    };
    match cipher {
        "sha1" if messages > 1 => vec![(vectors(level, SHA1_LANES), small)],
        "sha1" if long => vec![(&["sha1rnds4, chained"], 20.0 * small)],
        // The unit of the SHA instructions is 16 of 64 rounds; the unit of lanes is a 16th of 16 blocks.
        "sha256" if messages > 1 => {
            let names = vectors(level, SHA256_LANES);
            let width = Stream::first(names).map_or(64, |stream| stream.width);
            vec![(names, small * 64.0 / width as f64)]
        }
        "sha224" | "sha256" if long => vec![(&["sha256rnds2, chained"], 32.0 * small)],
        "sha512" if messages > 1 => {
            let names = vectors(level, SHA512_LANES);
            let width = Stream::first(names).map_or(64, |stream| stream.width);
            vec![(names, large * 128.0 / width as f64)]
        }
        "sha384" | "sha512" if messages == 1 => vec![(&["SHA-512 round"], 80.0 * large)],
        "sha3-256" => keccak(136),
        "sha3-512" => keccak(72),
        "blake2b-512" if long => blake2(128, 12.0, 1.0),
        "blake2s-256" if long => blake2(64, 10.0, 2.0),
        _ => vec![],
    }
}

/// AES rounds that depend on each other.
fn chain(size: usize, rounds: f64) -> Vec<Needed> {
    if size < CHAINED {
        return vec![];
    }
    vec![(&["aesenc xmm, chained"], rounds * size.div_ceil(16) as f64)]
}
