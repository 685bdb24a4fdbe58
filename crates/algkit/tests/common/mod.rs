//! Registries for CPUs with fewer features than this one, so that every driver is reached, and random texts in all
//! memory layouts.
#![allow(dead_code, reason = "each test binary uses its own part")]

use algkit::{CATALOGUE, DriverRef, Error, Policy, Registry, Text, Type, cpu::CpuFeatures, mask_cpu};

/// `ALGKIT_CPU` settings that promote one family of drivers after another. Features that this CPU or architecture
/// lacks anyway change nothing.
pub const MASKS: &[&str] = &[
    "",
    "-avx512",
    "-vaes",
    "-vaes,-avx512",
    "-avx2",
    "-aes,-sha,-pclmul,-sha2,-sha3,-vcrypto,-zkne,-zbkc,-zknh",
    "-aes,-sha,-pclmul,-avx512",
    "-aes,-sha,-pclmul,-avx2",
    "-aes,-sha,-pclmul,-sse4.2,-sse4.1,-ssse3",
    NO_VECTORS,
];

/// Hides all vector instructions.
pub const NO_VECTORS: &str =
    "-sse2,-ssse3,-sse4.1,-sse4.2,-aes,-pclmul,-avx,-avx2,-avx512,-vaes,-vpclmul,-sha,-neon,-sha2,-sha3,-altivec,-zbb";

/// A registry for this CPU without the features that `mask` hides.
pub fn masked(mask: &str, policy: Policy) -> Registry {
    Registry::new(mask_cpu(CpuFeatures::detect(), mask).expect(mask), policy)
}

/// The part of the catalogue that this build has drivers for.
pub fn catalogue() -> impl Iterator<Item = &'static str> {
    let all = masked("", Policy::Table);
    let built = move |name: &str| cfg!(feature = "legacy") || !matches!(all.find_any(name), Err(Error::Unknown(_)));
    CATALOGUE.iter().copied().filter(move |name| built(name))
}

/// Every usable driver of the catalogue's names in `registry`, template instances included.
pub fn drivers(registry: &Registry) -> Vec<DriverRef> {
    catalogue().for_each(|name| instantiate(registry, name));
    registry.drivers().into_iter().filter(|driver| registry.is_usable(driver)).collect()
}

/// Looks up `name`, and the same mode over every usable driver of its block cipher: `cbc(aes)`, `cbc(aes-generic)`,
/// `cbc(aes-aesni)`.
fn instantiate(registry: &Registry, name: &str) {
    let find = |name: &str| match registry.find_any(name) {
        Ok(_) => {}
        Err(error) => panic!("{name}: {error}"),
    };
    find(name);
    for driver in registry.drivers() {
        let (argument, instance) = (format!("({})", driver.name), format!("({})", driver.driver));
        if driver.kind == Type::Cipher && registry.is_usable(&driver) && name.contains(&argument) {
            find(&name.replace(&argument, &instance));
        }
    }
}

/// The usable drivers of the algorithm `name` under every mask, without repetitions.
pub fn drivers_of(name: &str) -> Vec<(Registry, Vec<DriverRef>)> {
    let mut seen = Vec::new();
    MASKS
        .iter()
        .map(|mask| {
            let registry = masked(mask, Policy::Table);
            instantiate(&registry, name);
            let mut list = registry.drivers();
            list.retain(|d| d.name == name && registry.is_usable(d) && !seen.contains(&d.driver));
            seen.extend(list.iter().map(|d| d.driver.clone()));
            (registry, list)
        })
        .collect()
}

/// Pseudorandom numbers that are the same in every run (SplitMix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.next() as u8).collect()
    }

    /// Lengths of pieces that add up to `total`.
    pub fn pieces(&mut self, total: usize) -> Vec<usize> {
        let max = [1, 16, 70, 600][self.below(4)];
        let (mut left, mut pieces) = (total, Vec::new());
        while left > 0 {
            let piece = self.below(max + 1).min(left);
            pieces.push(piece);
            left -= piece;
        }
        pieces
    }
}

/// Lengths up to 4200: all small ones and a sample of the others.
pub fn lengths(random: &mut Random) -> Vec<usize> {
    (0..=288)
        .chain([511, 512, 513, 1023, 1024, 1025, 2048, 4096, 4200])
        .chain((0..40).map(|_| random.below(4200)))
        .collect()
}

/// The output of `f` for `input`, in place or not, in one piece or many, aligned or not, at random.
pub fn in_random_layout(random: &mut Random, input: &[u8], f: impl FnOnce(Text<'_>)) -> Vec<u8> {
    let (from, to) = (random.below(64), random.below(64));
    let (mut src, mut dst) = (vec![0; from], vec![0; to + input.len()]);
    src.extend_from_slice(input);
    let (src, dst) = (&mut src[from..], &mut dst[to..]);
    let (src_pieces, dst_pieces) = (random.pieces(input.len()), random.pieces(input.len()));
    match random.below(4) {
        0 => {
            f(Text::from(&mut *src));
            src.to_vec()
        }
        1 => {
            f(Text::segments_in_place(cut(src, &src_pieces)));
            src.to_vec()
        }
        2 => {
            f(Text::new(src, dst).expect("the lengths are equal"));
            dst.to_vec()
        }
        _ => {
            let src = cut(src, &src_pieces).into_iter().map(|piece| &*piece);
            f(Text::lists(src, cut(dst, &dst_pieces)).expect("the lengths are equal"));
            dst.to_vec()
        }
    }
}

/// Splits `buf` into pieces of these lengths.
pub fn cut<'a>(mut buf: &'a mut [u8], pieces: &[usize]) -> Vec<&'a mut [u8]> {
    let mut list = Vec::with_capacity(pieces.len());
    for &len in pieces {
        let (piece, rest) = buf.split_at_mut(len);
        list.push(piece);
        buf = rest;
    }
    list
}
