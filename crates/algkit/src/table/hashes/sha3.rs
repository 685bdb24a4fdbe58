//! SHA-3 and Keccak.

use super::{Of, Variant, family, hash, variants};
use crate::driver::{Jobs, MANY};
use crate::table::row::{Algorithm, Row};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use algkit_primitives::cpu;
use algkit_primitives::{
    cpu::{Portable, Token},
    hash::{Hash, Job, Reader, Writer},
    keccak::{Keccak, Permute},
};

/// A hash whose digest may have any other length too.
const fn extendable(name: &'static str, blocksize: usize, digestsize: usize) -> Algorithm {
    let mut algorithm = hash(name, blocksize, digestsize);
    algorithm.shape.extendable = true;
    algorithm
}

static SHA3_224: Algorithm = hash("sha3-224", 144, 28);
static SHA3_256: Algorithm = hash("sha3-256", 136, 32);
static SHA3_384: Algorithm = hash("sha3-384", 104, 48);
static SHA3_512: Algorithm = hash("sha3-512", 72, 64);
static KECCAK: Algorithm = extendable("keccak", 168, 32);

variants! {
    VSha3224<Permute>: Keccak<T>, |token, _| Keccak::sha3_224(token);
    VSha3256<Permute>: Keccak<T>, |token, _| Keccak::sha3_256(token);
    VSha3384<Permute>: Keccak<T>, |token, _| Keccak::sha3_384(token);
    VSha3512<Permute>: Keccak<T>, |token, _| Keccak::sha3_512(token);
    VKeccak<Permute>: Extendable<T>, |token, _| Extendable(Keccak::new(token, 168, 0x01, 32));
}

/// A sponge whose output is as long as the caller's buffer.
#[derive(Clone)]
struct Extendable<T: Permute>(Keccak<T>);

impl<T: Permute> Hash for Extendable<T> {
    const LANES: usize = Keccak::<T>::LANES;

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

    fn digest_after_many(jobs: &mut [Job<'_, Self>]) {
        for jobs in jobs.chunks_mut(MANY) {
            let mut sponges: Jobs<_> =
                jobs.iter_mut().map(|Job { state, parts, out }| Job { state: &state.0, parts, out }).collect();
            Keccak::digest_after_many(&mut sponges);
        }
    }

    fn export(&self, to: &mut Writer<'_>) {
        self.0.export(to);
    }

    fn import(&mut self, from: &mut Reader<'_>) -> Option<()> {
        self.0.import(from)
    }
}

macro_rules! keccak {
    ($token:ty, $cpu:literal, $priority:literal) => {
        family!($token, $cpu, $priority:
            VSha3224, SHA3_224, "sha3-224"; VSha3256, SHA3_256, "sha3-256"; VSha3384, SHA3_384, "sha3-384";
            VSha3512, SHA3_512, "sha3-512"; VKeccak, KECCAK, "keccak";)
    };
}

pub(in crate::table) static ROWS: &[&[Row]] = &[
    keccak!(Portable, "generic", 100),
    #[cfg(target_arch = "x86_64")]
    keccak!(cpu::Avx2, "avx2", 250),
    #[cfg(target_arch = "x86_64")]
    keccak!(cpu::Avx512, "avx512", 290),
    #[cfg(target_arch = "aarch64")]
    keccak!(cpu::ArmSha3, "ce", 300),
];
