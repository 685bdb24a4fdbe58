//! Code that the fuzz targets share: drivers to compare, and requests made of the fuzzer's bytes.
//!
//! The fuzzer chooses a text's length and the places where it is cut. Its contents come from a seed, so that small
//! inputs can make long texts.

use algkit::{
    CATALOGUE, Driver, InOut, Name, Policy, Registry, Sizes, Text, Type, authenc_key, cpu::CpuFeatures, driver::Shape,
    mask_cpu,
};
use algkit_volume::{Error, ReadAt, WriteAt};
use arbitrary::Arbitrary;
use std::{io::ErrorKind, sync::LazyLock};

/// CPU features to hide, in the language of `ALGKIT_CPU`, so that every driver of this CPU is chosen by some mask.
const MASKS: &[&str] = &["", "-avx512", "-avx512,-vaes", "-aes", "-aes,-avx512", "-avx2", "-aes,-avx2", "-ssse3"];

static REGISTRIES: LazyLock<Vec<Registry>> = LazyLock::new(|| {
    let masked = |mask: &&str| mask_cpu(CpuFeatures::detect(), mask).expect("the mask parses");
    MASKS.iter().map(|mask| Registry::new(masked(mask), Policy::Table)).collect()
});

/// A registry with portable drivers only.
pub static REFERENCE: LazyLock<Registry> = LazyLock::new(|| Registry::new(CpuFeatures::NONE, Policy::Table));

/// The names of the catalogue with their types.
static NAMES: LazyLock<Vec<(&'static str, Type)>> = LazyLock::new(|| {
    let kind = |name: &str| REFERENCE.find_any(name).expect("every algorithm has a portable driver").kind;
    CATALOGUE.iter().map(|name| (*name, kind(name))).collect()
});

/// The byte that fills buffers before a driver writes to them.
pub const UNTOUCHED: u8 = 0xa5;

/// Panics unless `got` equals `want`, with the place of the first difference, as texts may have kilobytes.
#[track_caller]
pub fn same(what: &str, driver: &Driver, got: &[u8], want: &[u8]) {
    if got == want {
        return;
    }
    let at = got.iter().zip(want).take_while(|(g, w)| g == w).count();
    let from = |bytes: &[u8]| hex::encode(&bytes[at..bytes.len().min(at + 16)]);
    let (lens, differ) = ((got.len(), want.len()), (from(got), from(want)));
    panic!("{driver:?}: {what}: {} bytes for {}, from byte {at} on {}.. for {}..", lens.0, lens.1, differ.0, differ.1);
}

/// The length of the longest text in bytes, beyond the largest batch of any driver.
const MAX_TEXT: usize = 4500;

/// The choice of an algorithm and of a CPU to run it on.
#[derive(Arbitrary, Debug)]
pub struct Choice {
    algorithm: u8,
    cpu: u8,
}

impl Choice {
    /// The name of an algorithm of one of these types, its type, and a registry with the CPU's drivers.
    pub fn pick(&self, kinds: &[Type]) -> (&'static str, Type, &'static Registry) {
        let names: Vec<_> = NAMES.iter().filter(|(_, kind)| kinds.contains(kind)).collect();
        let (name, kind) = names[usize::from(self.algorithm) % names.len()];
        (name, *kind, &REGISTRIES[usize::from(self.cpu) % REGISTRIES.len()])
    }
}

/// A length that fits the driver, or any.
#[derive(Arbitrary, Debug)]
enum Length {
    Fitting(u8),
    Any(u8),
}

/// The bytes of a key, an IV or associated data.
#[derive(Arbitrary, Debug)]
pub struct Bytes {
    length: Length,
    contents: Contents,
}

#[derive(Arbitrary, Debug)]
enum Contents {
    Random(u16),
    Repeated(u8),
    /// The last bytes are 0xff, so that counters are about to overflow.
    EndingInOnes(u8),
}

impl Bytes {
    /// `len` bytes.
    fn make(&self, len: usize) -> Vec<u8> {
        match self.contents {
            Contents::Random(seed) => random(seed.into(), len),
            Contents::Repeated(byte) => vec![byte; len],
            Contents::EndingInOnes(n) => {
                let mut bytes = random(n.into(), len);
                bytes[len.saturating_sub(n.into())..].fill(0xff);
                bytes
            }
        }
    }

    /// A key for `driver`.
    pub fn key(&self, driver: &Driver) -> Vec<u8> {
        match self.length {
            Length::Any(n) => self.make(n.into()),
            Length::Fitting(n) if has_authenc(driver) => {
                let (auth, enc) = (usize::from(n >> 4) * 9, usize::from(n & 15) * 8);
                authenc_key(&self.make(auth), &self.make(enc)).to_vec()
            }
            Length::Fitting(n) => {
                let mut key = self.make(choose(&driver.shape.keys, n));
                if driver.name.starts_with("vmac64(") {
                    key[0] &= 0x7f; // the nonce before the cipher's key has 127 bits
                }
                key
            }
        }
    }

    /// An initialization vector for `driver`.
    pub fn iv(&self, driver: &Driver) -> Vec<u8> {
        match self.length {
            Length::Any(n) => self.make(n.into()),
            Length::Fitting(n) => {
                let mut iv = self.make(driver.shape.ivsize);
                if driver.name.starts_with("ccm(") {
                    iv[0] = 1 + n % 7;
                }
                iv
            }
        }
    }

    /// Associated data; IPsec's AEADs take 16 or 20 bytes.
    pub fn assoc(&self) -> Vec<u8> {
        match self.length {
            Length::Any(n) => self.make(n.into()),
            Length::Fitting(n) => self.make(if n & 1 == 0 { 16 } else { 20 }),
        }
    }

    /// The length of a tag or digest in bytes.
    pub fn tag_len(&self, tags: &Sizes) -> usize {
        match self.length {
            Length::Any(n) => n.into(),
            Length::Fitting(n) => choose(tags, n),
        }
    }
}

/// A text and its layout in memory.
#[derive(Arbitrary, Debug)]
pub struct Message {
    len: u16,
    fit: bool,
    seed: u16,
    in_place: bool,
    /// The lengths of segments of the source and of the destination. The last one is repeated.
    cuts: [Vec<u8>; 2],
}

impl Message {
    /// The text, with a length that the driver may refuse unless `fit`.
    pub fn text(&self, shape: &Shape) -> Vec<u8> {
        let len = usize::from(self.len) % MAX_TEXT;
        let len = if self.fit { shape.fit(len) } else { len };
        random(self.seed.into(), len)
    }

    /// Calls `transform` with the text in its layout and returns the destination. Before the call, it holds `src` in
    /// place, and otherwise [`UNTOUCHED`].
    pub fn run<R>(&self, src: &[u8], transform: impl FnOnce(Text<'_>) -> R) -> (Vec<u8>, R) {
        let mut dst = if self.in_place { src.to_vec() } else { vec![UNTOUCHED; src.len()] };
        let outcome = match (self.in_place, &self.cuts) {
            (true, [cuts, _]) if cuts.is_empty() => transform(dst.as_mut_slice().into()),
            (true, [cuts, _]) => {
                let parts = cut_mut(&mut dst, cuts);
                transform(Text::segments(parts.into_iter().map(InOut::from).collect()))
            }
            (false, [a, b]) if a.is_empty() && b.is_empty() => {
                transform(Text::new(src, &mut dst).expect("equal lengths"))
            }
            (false, [a, b]) => {
                transform(Text::lists(cut(src, a), cut_mut(&mut dst, b)).expect("equal lengths in total"))
            }
        };
        (dst, outcome)
    }

    /// Whether the destination `out` of [`Message::run`] on `src` has not been written.
    pub fn is_untouched(&self, src: &[u8], out: &[u8]) -> bool {
        if self.in_place { out == src } else { out.iter().all(|&b| b == UNTOUCHED) }
    }

    /// `data` in segments, cut as the source.
    pub fn pieces<'a>(&self, data: &'a [u8]) -> Vec<&'a [u8]> {
        cut(data, &self.cuts[0])
    }
}

fn lengths(cuts: &[u8]) -> impl Iterator<Item = usize> {
    cuts.iter().copied().chain(std::iter::repeat(cuts.last().copied().unwrap_or(0).max(1))).map(usize::from)
}

/// `data` in segments of the lengths in `cuts`.
fn cut<'a>(mut data: &'a [u8], cuts: &[u8]) -> Vec<&'a [u8]> {
    if cuts.is_empty() {
        return vec![data];
    }
    let mut lengths = lengths(cuts);
    let mut parts = Vec::new();
    while !data.is_empty() {
        let (part, rest) = data.split_at(lengths.next().unwrap_or(1).min(data.len()));
        parts.push(part);
        data = rest;
    }
    parts
}

fn cut_mut<'a>(mut data: &'a mut [u8], cuts: &[u8]) -> Vec<&'a mut [u8]> {
    if cuts.is_empty() {
        return vec![data];
    }
    let mut lengths = lengths(cuts);
    let mut parts = Vec::new();
    while !data.is_empty() {
        let (part, rest) = data.split_at_mut(lengths.next().unwrap_or(1).min(data.len()));
        parts.push(part);
        data = rest;
    }
    parts
}

/// Whether a key of `driver` consists of two keys in the kernel's encoding.
fn has_authenc(driver: &Driver) -> bool {
    fn any(name: &Name) -> bool {
        matches!(&*name.base, "authenc" | "authencesn") || name.args.iter().any(any)
    }
    Name::parse(&driver.name).is_ok_and(|name| any(&name))
}

/// One of the sizes; a small one of an interval without an upper bound.
fn choose(sizes: &Sizes, n: u8) -> usize {
    match sizes {
        Sizes::OneOf(list) => list[usize::from(n) % list.len()],
        Sizes::Between(min, max) => min + usize::from(n) % (max - min).saturating_add(1).min(256),
        Sizes::EvenBetween(min, max) => min + 2 * (usize::from(n) % ((max - min) / 2 + 1)),
    }
}

/// `len` bytes that depend on `seed` (SplitMix64: Steele, Lea and Flood 2014).
pub fn random(seed: u64, len: usize) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ z >> 31).to_le_bytes()
    };
    std::iter::repeat_with(&mut next).take(len.div_ceil(8)).flatten().take(len).collect()
}

/// A device of `size` bytes that begins with `start`, of which the rest is zeros.
pub struct Sparse {
    /// The first bytes.
    pub start: Vec<u8>,
    /// How many bytes there are.
    pub size: u64,
}

impl ReadAt for Sparse {
    fn size(&self) -> Result<u64, Error> {
        Ok(self.size)
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), Error> {
        if offset.checked_add(buf.len() as u64).is_none_or(|end| end > self.size) {
            return Err(Error::Read { offset, len: buf.len(), source: ErrorKind::UnexpectedEof.into() });
        }
        buf.fill(0);
        let there = self.start.get(offset as usize..).unwrap_or_default();
        let len = there.len().min(buf.len());
        buf[..len].copy_from_slice(&there[..len]);
        Ok(())
    }
}

/// A disk without contents, which panics if it is asked for what it does not have or for what its server forbids.
pub struct Disk {
    /// How many bytes it has.
    pub size: u64,
    /// Whether it must not be written.
    pub read_only: bool,
    /// Whether its bytes may be discarded.
    pub discard: bool,
}

impl Disk {
    fn check(&self, offset: u64, len: u64) {
        assert!(offset.checked_add(len).is_some_and(|end| end <= self.size), "{len} bytes at {offset}");
    }
}

impl ReadAt for Disk {
    fn size(&self) -> Result<u64, Error> {
        Ok(self.size)
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), Error> {
        self.check(offset, buf.len() as u64);
        Ok(())
    }
}

impl WriteAt for Disk {
    fn write_at(&self, offset: u64, data: &[u8]) -> Result<(), Error> {
        assert!(!self.read_only, "a write");
        self.check(offset, data.len() as u64);
        Ok(())
    }

    fn discard(&self, offset: u64, len: u64) -> Result<(), Error> {
        assert!(!self.read_only && self.discard, "a discard");
        self.check(offset, len);
        Ok(())
    }

    fn sync(&self) -> Result<(), Error> {
        Ok(())
    }
}
