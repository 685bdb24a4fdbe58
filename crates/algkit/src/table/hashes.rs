//! Hashes and checksums.

use super::row::{Algorithm, Make, Row};
use crate::{
    Sizes,
    driver::{BadKey, Fresh, HashOps, HashState, Shape, Type, WeakKeys},
};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use algkit_primitives::cpu;
use algkit_primitives::{
    blake2::{self, Blake2b, Blake2s},
    cpu::{Portable, Token},
    crc32::{Castagnoli, Crc32, Crc32c, Ieee, Update},
    ghash::{ClmulToken, GHash, Polyval},
    hash::Hash,
    keccak::{Keccak, Permute},
    poly1305::{Poly1305, Poly1305Token},
    sha1::{self, Sha1},
    sha2::{Compress256, Compress512, Sha256, Sha512},
    xxhash::XxHash64,
};

const fn hash(name: &'static str, blocksize: usize, digestsize: usize) -> Algorithm {
    Algorithm { name, kind: Type::Hash, shape: Shape::hash(blocksize, digestsize) }
}

const fn keyed(name: &'static str, blocksize: usize, digestsize: usize, keys: Sizes) -> Algorithm {
    Algorithm { name, kind: Type::Hash, shape: Shape::keyed_hash(blocksize, digestsize, keys) }
}

const fn optional_key(name: &'static str, blocksize: usize, digestsize: usize, keys: Sizes) -> Algorithm {
    let shape = Shape { blocksize, digestsize, keys, optional_key: true, ..Shape::EMPTY };
    Algorithm { name, kind: Type::Hash, shape }
}

/// A hash whose digest may have any other length too.
const fn extendable(name: &'static str, blocksize: usize, digestsize: usize) -> Algorithm {
    let mut algorithm = hash(name, blocksize, digestsize);
    algorithm.shape.extendable = true;
    algorithm
}

static SHA1: Algorithm = hash("sha1", 64, 20);
static SHA224: Algorithm = hash("sha224", 64, 28);
static SHA256: Algorithm = hash("sha256", 64, 32);
static SHA384: Algorithm = hash("sha384", 128, 48);
static SHA512: Algorithm = hash("sha512", 128, 64);
static SHA3_224: Algorithm = hash("sha3-224", 144, 28);
static SHA3_256: Algorithm = hash("sha3-256", 136, 32);
static SHA3_384: Algorithm = hash("sha3-384", 104, 48);
static SHA3_512: Algorithm = hash("sha3-512", 72, 64);
static KECCAK: Algorithm = extendable("keccak", 168, 32);
static CRC32: Algorithm = optional_key("crc32", 1, 4, Sizes::of(&[4]));
static CRC32C: Algorithm = optional_key("crc32c", 1, 4, Sizes::of(&[4]));
static XXHASH64: Algorithm = optional_key("xxhash64", 32, 8, Sizes::of(&[8]));
static GHASH: Algorithm = keyed("ghash", 16, 16, Sizes::of(&[16]));
static POLYVAL: Algorithm = keyed("polyval", 16, 16, Sizes::of(&[16]));
static POLY1305: Algorithm = keyed("poly1305", 16, 16, Sizes::of(&[32]));

/// One algorithm on the CPUs of `T`.
trait Variant<T: Token>: 'static {
    type State: Hash + 'static;

    /// A fresh state. The key has an allowed length, and is empty where there is none.
    fn start(token: T, key: &[u8]) -> Self::State;
}

/// The driver of a variant.
struct Of<V: Variant<T>, T: Token>(Fresh<V::State>);

impl<V: Variant<T>, T: Token> HashOps for Of<V, T> {
    fn start(&self) -> Box<dyn HashState> {
        self.0.start()
    }

    fn digest(&self, parts: &[&[u8]], out: &mut [u8]) {
        self.0.digest(parts, out);
    }
}

impl<V: Variant<T>, T: Token> Make for Of<V, T> {
    type Token = T;

    fn make(token: T, key: &[u8], _: WeakKeys) -> Result<Self, BadKey> {
        Ok(Self(Fresh(V::start(token, key))))
    }
}

macro_rules! variants {
    ($($name:ident<$bound:path>: $state:ty, |$token:pat_param, $key:pat_param| $start:expr;)*) => {$(
        struct $name;

        impl<T: Token + $bound> Variant<T> for $name {
            type State = $state;

            fn start($token: T, $key: &[u8]) -> $state {
                $start
            }
        }
    )*};
}

/// A little-endian seed of four bytes, or the default.
fn seed(key: &[u8], default: u32) -> u32 {
    key.try_into().map_or(default, u32::from_le_bytes)
}

fn key<const N: usize>(key: &[u8]) -> &[u8; N] {
    key.try_into().expect("the key's length was checked")
}

variants! {
    VSha1<sha1::Compress>: Sha1<T>, |token, _| Sha1::new(token);
    VSha224<Compress256>: Sha256<T>, |token, _| Sha256::new_224(token);
    VSha256<Compress256>: Sha256<T>, |token, _| Sha256::new(token);
    VSha384<Compress512>: Sha512<T>, |token, _| Sha512::new_384(token);
    VSha512<Compress512>: Sha512<T>, |token, _| Sha512::new(token);
    VSha3224<Permute>: Keccak<T>, |token, _| Keccak::sha3_224(token);
    VSha3256<Permute>: Keccak<T>, |token, _| Keccak::sha3_256(token);
    VSha3384<Permute>: Keccak<T>, |token, _| Keccak::sha3_384(token);
    VSha3512<Permute>: Keccak<T>, |token, _| Keccak::sha3_512(token);
    VKeccak<Permute>: Extendable<T>, |token, _| Extendable(Keccak::new(token, 168, 0x01, 32));
    VCrc32<Update<Ieee>>: Crc32<T>, |token, key| Crc32::new(token, seed(key, 0));
    VCrc32c<Update<Castagnoli>>: Crc32c<T>, |token, key| Crc32c::new(token, seed(key, !0));
    VGhash<ClmulToken>: GHash<T>, |token, k| GHash::new(token, key(k));
    VPolyval<ClmulToken>: Polyval<T>, |token, k| Polyval::new(token, key(k));
    VPoly1305<Poly1305Token>: Poly1305<T>, |token, k| Poly1305::new(token, key(k));
}

/// A sponge whose output is as long as the caller's buffer.
#[derive(Clone)]
struct Extendable<T: Permute>(Keccak<T>);

impl<T: Permute> Hash for Extendable<T> {
    fn digest_size(&self) -> usize {
        self.0.digest_size()
    }

    fn update(&mut self, data: &[u8]) {
        Hash::update(&mut self.0, data);
    }

    fn finish(&mut self, out: &mut [u8]) {
        self.0.set_output_len(out.len());
        Hash::finish(&mut self.0, out);
    }
}

/// BLAKE2b with a digest of `N` bytes.
struct VBlake2b<const N: usize>;

impl<T: blake2::Compress<u64>, const N: usize> Variant<T> for VBlake2b<N> {
    type State = Blake2b<T>;

    fn start(token: T, key: &[u8]) -> Blake2b<T> {
        Blake2b::new(token, N, key).expect("at most 64 bytes of each")
    }
}

/// BLAKE2s with a digest of `N` bytes.
struct VBlake2s<const N: usize>;

impl<T: blake2::Compress<u32>, const N: usize> Variant<T> for VBlake2s<N> {
    type State = Blake2s<T>;

    fn start(token: T, key: &[u8]) -> Blake2s<T> {
        Blake2s::new(token, N, key).expect("at most 32 bytes of each")
    }
}

struct VXxHash64;

impl Variant<Portable> for VXxHash64 {
    type State = XxHash64;

    fn start(_: Portable, key: &[u8]) -> XxHash64 {
        XxHash64::new(key.try_into().map_or(0, u64::from_le_bytes))
    }
}

const BLAKE2B_KEYS: Sizes = Sizes::Between(0, 64);
const BLAKE2S_KEYS: Sizes = Sizes::Between(0, 32);
static BLAKE2B_160: Algorithm = optional_key("blake2b-160", 128, 20, BLAKE2B_KEYS);
static BLAKE2B_256: Algorithm = optional_key("blake2b-256", 128, 32, BLAKE2B_KEYS);
static BLAKE2B_384: Algorithm = optional_key("blake2b-384", 128, 48, BLAKE2B_KEYS);
static BLAKE2B_512: Algorithm = optional_key("blake2b-512", 128, 64, BLAKE2B_KEYS);
static BLAKE2S_128: Algorithm = optional_key("blake2s-128", 64, 16, BLAKE2S_KEYS);
static BLAKE2S_160: Algorithm = optional_key("blake2s-160", 64, 20, BLAKE2S_KEYS);
static BLAKE2S_224: Algorithm = optional_key("blake2s-224", 64, 28, BLAKE2S_KEYS);
static BLAKE2S_256: Algorithm = optional_key("blake2s-256", 64, 32, BLAKE2S_KEYS);

/// The drivers of a family on one kind of CPU: variant, algorithm, name without the CPU.
macro_rules! family {
    ($token:ty, $cpu:literal, $priority:literal: $($variant:ty, $algorithm:ident, $name:literal;)*) => {
        &[$(Row::hash::<Of<$variant, $token>>(&$algorithm, concat!($name, "-", $cpu), $priority)),*]
    };
}

macro_rules! sha256 {
    ($token:ty, $cpu:literal, $priority:literal) => {
        family!($token, $cpu, $priority: VSha224, SHA224, "sha224"; VSha256, SHA256, "sha256";)
    };
}

macro_rules! sha512 {
    ($token:ty, $cpu:literal, $priority:literal) => {
        family!($token, $cpu, $priority: VSha384, SHA384, "sha384"; VSha512, SHA512, "sha512";)
    };
}

macro_rules! keccak {
    ($token:ty, $cpu:literal, $priority:literal) => {
        family!($token, $cpu, $priority:
            VSha3224, SHA3_224, "sha3-224"; VSha3256, SHA3_256, "sha3-256"; VSha3384, SHA3_384, "sha3-384";
            VSha3512, SHA3_512, "sha3-512"; VKeccak, KECCAK, "keccak";)
    };
}

macro_rules! blake2 {
    ($token:ty, $cpu:literal, $priority:literal) => {
        family!($token, $cpu, $priority:
            VBlake2b<20>, BLAKE2B_160, "blake2b-160"; VBlake2b<32>, BLAKE2B_256, "blake2b-256";
            VBlake2b<48>, BLAKE2B_384, "blake2b-384"; VBlake2b<64>, BLAKE2B_512, "blake2b-512";
            VBlake2s<16>, BLAKE2S_128, "blake2s-128"; VBlake2s<20>, BLAKE2S_160, "blake2s-160";
            VBlake2s<28>, BLAKE2S_224, "blake2s-224"; VBlake2s<32>, BLAKE2S_256, "blake2s-256";)
    };
}

macro_rules! clmul {
    ($token:ty, $cpu:literal, $priority:literal) => {
        family!($token, $cpu, $priority: VGhash, GHASH, "ghash"; VPolyval, POLYVAL, "polyval";)
    };
}

macro_rules! crc32 {
    ($token:ty, $cpu:literal, $priority:literal) => {
        family!($token, $cpu, $priority: VCrc32, CRC32, "crc32"; VCrc32c, CRC32C, "crc32c";)
    };
}

pub(super) static ROWS: &[&[Row]] = &[
    &[
        Row::hash::<Of<VSha1, Portable>>(&SHA1, "sha1-generic", 100),
        Row::hash::<Of<VPoly1305, Portable>>(&POLY1305, "poly1305-generic", 100),
        Row::hash::<Of<VXxHash64, Portable>>(&XXHASH64, "xxhash64-generic", 100),
        Row::hash::<Of<VCrc32, Portable>>(&CRC32, "crc32-generic", 100).table(),
        Row::hash::<Of<VCrc32c, Portable>>(&CRC32C, "crc32c-generic", 100).table(),
    ],
    sha256!(Portable, "generic", 100),
    sha512!(Portable, "generic", 100),
    keccak!(Portable, "generic", 100),
    blake2!(Portable, "generic", 100),
    clmul!(Portable, "generic", 100),
    #[cfg(target_arch = "x86_64")]
    &[
        Row::hash::<Of<VSha1, cpu::ShaNi>>(&SHA1, "sha1-ni", 300),
        Row::hash::<Of<VPoly1305, cpu::Avx2>>(&POLY1305, "poly1305-avx2", 250),
        Row::hash::<Of<VPoly1305, cpu::Avx512>>(&POLY1305, "poly1305-avx512", 290),
        Row::hash::<Of<VCrc32c, cpu::Sse42>>(&CRC32C, "crc32c-sse42", 350),
    ],
    #[cfg(target_arch = "x86_64")]
    sha256!(cpu::ShaNi, "ni", 300),
    #[cfg(target_arch = "x86_64")]
    sha512!(cpu::Avx2, "avx2", 250),
    #[cfg(target_arch = "x86_64")]
    sha512!(cpu::Avx512, "avx512", 290),
    #[cfg(target_arch = "x86_64")]
    keccak!(cpu::Avx2, "avx2", 250),
    #[cfg(target_arch = "x86_64")]
    keccak!(cpu::Avx512, "avx512", 290),
    #[cfg(target_arch = "x86_64")]
    blake2!(cpu::Avx2, "avx2", 250),
    #[cfg(target_arch = "x86_64")]
    blake2!(cpu::Avx512, "avx512", 290),
    #[cfg(target_arch = "x86_64")]
    clmul!(cpu::Pclmul, "pclmul", 300),
    #[cfg(target_arch = "x86_64")]
    clmul!(cpu::Vaes256, "vpclmul-avx2", 400),
    #[cfg(target_arch = "x86_64")]
    clmul!(cpu::Vaes512, "vpclmul-avx512", 500),
    #[cfg(target_arch = "x86_64")]
    crc32!(cpu::Pclmul, "pclmul", 300),
    #[cfg(target_arch = "x86_64")]
    crc32!(cpu::Vpclmul256, "vpclmul-avx2", 400),
    #[cfg(target_arch = "x86_64")]
    crc32!(cpu::Vpclmul512, "vpclmul-avx512", 500),
    #[cfg(target_arch = "aarch64")]
    &[Row::hash::<Of<VSha1, cpu::ArmSha2>>(&SHA1, "sha1-ce", 300)],
    #[cfg(target_arch = "aarch64")]
    sha256!(cpu::ArmSha2, "ce", 300),
    #[cfg(target_arch = "aarch64")]
    sha512!(cpu::ArmSha3, "ce", 300),
    #[cfg(target_arch = "aarch64")]
    keccak!(cpu::ArmSha3, "ce", 300),
    #[cfg(target_arch = "aarch64")]
    clmul!(cpu::ArmCe, "ce", 300),
];
