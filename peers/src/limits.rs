//! What nothing can be faster than: the instructions of an algorithm that have no substitute, as many as it
//! needs at least, with nothing beside them.

use crate::{
    contenders::Contender,
    measure::{Bench, Effort, take_turns},
    streams::{self, Stream},
};
use peers_plugin::{Level, Op, Request, Work};

/// The library of a contender that is a bound.
pub const NAME: &str = "limit";

/// The CPU begins the next message before a short one is finished: chains limit messages of so many bytes and more.
const CHAINED: usize = 1024;

/// A stream is run for at least so many, so that starting and ending it do not count.
const MANY: usize = 6144;

/// The bounds of what is asked: of several, the slowest is the limit.
pub fn bounds(request: &Request) -> Vec<Contender> {
    let needed = needed(request);
    needed
        .into_iter()
        .filter_map(|(names, n)| Some(bound(Stream::first(names)?, n * request.messages as f64)))
        .collect()
}

fn bound(stream: Stream, n: f64) -> Contender {
    let (run, many) = (stream.run, (n as usize).max(MANY));
    let work = Work::All(Box::new(move |_, _, _| {
        run(many);
        true
    }));
    Contender { library: NAME, driver: stream.name.to_owned(), work, scale: n / many as f64 }
}

/// How many of which instruction: the first of the names that the CPU has, each with the bytes it works on.
type Needed = (&'static [&'static str], f64);

const AES: &[&str] = &["vaesenc zmm", "vaesenc ymm", "aesenc xmm"];
const CLMUL: &[&str] = &["vpclmulqdq zmm", "vpclmulqdq ymm", "pclmulqdq xmm"];
const CHACHA: &[&str] = &["ChaCha half quarter round zmm", "ChaCha half quarter round ymm"];

/// The names that a level allows, the widest first.
fn at(level: Level, names: &'static [&'static str]) -> &'static [&'static str] {
    &names[(level as usize).min(names.len())..]
}

/// So many for each 16 bytes, on the widest vectors.
fn per_block(level: Level, names: &'static [&'static str], n: f64, size: usize) -> Needed {
    let names = at(level, names);
    let width = Stream::first(names).map_or(16, |stream| stream.width);
    (names, n * size as f64 / width as f64)
}

/// What a message needs at least.
fn needed(request: &Request) -> Vec<Needed> {
    let &Request { size, messages, level, op, .. } = request;
    let blocks = |bytes: usize| (size + 1 + bytes / 8).div_ceil(bytes) as f64;
    let rounds = |key_len: usize| (key_len / 4 + 6) as f64;
    let key_len = request.key.len();
    let single = messages == 1;
    match (request.mode, request.cipher) {
        _ if level == Level::Soft || request.rekey => vec![],
        // Each block waits for the one before.
        ("cbc", "aes") if op == Op::Encrypt && single => chain(size, rounds(key_len)),
        ("cmac" | "ccm", "aes") if single => chain(size, rounds(key_len)),
        // Counters and the chain of CBC-MAC.
        ("ccm", "aes") => vec![per_block(level, AES, 2.0 * rounds(key_len), size)],
        ("xts", "aes") => vec![per_block(level, AES, rounds(key_len / 2), size)],
        // A product of 128 bits is three of 64 by Karatsuba's way; the reduction is shared by many blocks.
        ("gcm", "aes") => {
            vec![per_block(level, AES, rounds(key_len), size), per_block(level, CLMUL, 3.0, size)]
        }
        (_, "aes") => vec![per_block(level, AES, rounds(key_len), size)],
        ("", "ghash" | "polyval") => vec![per_block(level, CLMUL, 3.0, size)],
        // Ten double rounds of eight quarter rounds in lanes of 4 bytes; the additions at the end and the text
        // are as many instructions as five halves. Poly1305 goes on beside it, in the same units.
        ("", "chacha20" | "xchacha20") | ("rfc7539", _) if level == Level::Full => {
            vec![per_block(level, CHACHA, 165.0 / 16.0, size)]
        }
        ("", "chacha20" | "xchacha20") | ("rfc7539", _) => vec![per_block(Level::Avx2, CHACHA, 164.0 / 16.0, size)],
        // Limbs of 44 bits: nine products of which each has two halves, for a block in a lane of 8 bytes.
        ("", "poly1305") if level == Level::Full => vec![(&["vpmadd52 zmm"], 18.0 * size as f64 / 128.0)],
        ("", "sha1") if single && size >= CHAINED => vec![(&["sha1rnds4, chained"], 20.0 * blocks(64))],
        ("", "sha224" | "sha256") if single && size >= CHAINED => vec![(&["sha256rnds2, chained"], 32.0 * blocks(64))],
        // A round: 6 rotations and 4 exclusive ors in the two sums, 3 operations each for choice and majority,
        // 6 additions; the message schedule costs nothing, in vectors.
        ("", "sha384" | "sha512") if single => vec![(&["64-bit rorx, xor, add"], 22.0 * 80.0 * blocks(128))],
        _ => vec![],
    }
}

/// Rounds that wait for each other.
fn chain(size: usize, rounds: f64) -> Vec<Needed> {
    if size < CHAINED {
        return vec![];
    }
    vec![(&["aesenc xmm, chained"], rounds * size.div_ceil(16) as f64)]
}

/// An instruction, and how long one of many takes.
#[derive(Debug)]
pub struct Timed {
    /// The instruction.
    pub stream: Stream,
    /// Nanoseconds.
    pub ns: f64,
}

/// Times every stream that this CPU has.
pub fn streams(effort: Effort) -> Vec<Timed> {
    let list = streams::all();
    let mut contenders: Vec<Contender> = list.iter().map(|&stream| bound(stream, 1.0)).collect();
    let scores = take_turns(&mut contenders, &mut Bench::empty(), effort);
    list.into_iter().zip(scores).map(|(stream, score)| Timed { stream, ns: score.fastest }).collect()
}
