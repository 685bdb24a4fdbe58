//! Random number generators, under the kernel's names: every DRBG is a driver of `stdrng`, and there is
//! `jitterentropy_rng`.
//!
//! When a DRBG is seeded, it looks up its hash or cipher in its registry. So whatever CPU features and policy the
//! registry has apply to it.

mod ctr_drbg;
mod drbg;
mod hash_drbg;
mod hmac_drbg;
mod jitter;
mod source;

use crate::{
    driver::{Driver, DriverRef, Failure, Keyed, RngOps, Shape, Type, WeakKeys},
    templates,
};
use algkit_primitives::cpu::CpuFeatures;
use ctr_drbg::CtrDrbg;
use drbg::Drbg;
use hash_drbg::HashDrbg;
use hmac_drbg::HmacDrbg;
use jitter::Jitter;
use std::sync::Arc;

/// The mechanism of a DRBG and the algorithm that it is built on.
#[derive(Clone, Copy)]
enum Kind {
    /// CTR_DRBG on this block cipher, with keys of this many bytes.
    Ctr(&'static str, usize),
    /// Hash_DRBG on this hash, with a state of this many bytes.
    Hash(&'static str, usize),
    /// HMAC_DRBG on this algorithm.
    Hmac(&'static str),
}

/// The DRBGs: driver name, priority, mechanism, prediction resistance, and security strength in bytes. The
/// priorities are the kernel's.
const DRBGS: [(&str, u32, Kind, bool, usize); 22] = [
    ("drbg_pr_ctr_aes128", 200, Kind::Ctr("aes", 16), true, 16),
    ("drbg_pr_ctr_aes192", 201, Kind::Ctr("aes", 24), true, 24),
    ("drbg_pr_ctr_aes256", 202, Kind::Ctr("aes", 32), true, 32),
    ("drbg_pr_sha1", 203, Kind::Hash("sha1", 55), true, 16),
    ("drbg_pr_sha384", 204, Kind::Hash("sha384", 111), true, 32),
    ("drbg_pr_sha512", 205, Kind::Hash("sha512", 111), true, 32),
    ("drbg_pr_sha256", 206, Kind::Hash("sha256", 55), true, 32),
    ("drbg_pr_hmac_sha1", 207, Kind::Hmac("hmac(sha1)"), true, 16),
    ("drbg_pr_hmac_sha384", 208, Kind::Hmac("hmac(sha384)"), true, 32),
    ("drbg_pr_hmac_sha256", 209, Kind::Hmac("hmac(sha256)"), true, 32),
    ("drbg_pr_hmac_sha512", 210, Kind::Hmac("hmac(sha512)"), true, 32),
    ("drbg_nopr_ctr_aes128", 211, Kind::Ctr("aes", 16), false, 16),
    ("drbg_nopr_ctr_aes192", 212, Kind::Ctr("aes", 24), false, 24),
    ("drbg_nopr_ctr_aes256", 213, Kind::Ctr("aes", 32), false, 32),
    ("drbg_nopr_sha1", 214, Kind::Hash("sha1", 55), false, 16),
    ("drbg_nopr_sha384", 215, Kind::Hash("sha384", 111), false, 32),
    ("drbg_nopr_sha512", 216, Kind::Hash("sha512", 111), false, 32),
    ("drbg_nopr_sha256", 217, Kind::Hash("sha256", 55), false, 32),
    ("drbg_nopr_hmac_sha1", 218, Kind::Hmac("hmac(sha1)"), false, 16),
    ("drbg_nopr_hmac_sha384", 219, Kind::Hmac("hmac(sha384)"), false, 32),
    ("drbg_nopr_hmac_sha256", 220, Kind::Hmac("hmac(sha256)"), false, 32),
    ("drbg_nopr_hmac_sha512", 221, Kind::Hmac("hmac(sha512)"), false, 32),
];

/// Finds the driver of a name when a generator is seeded.
pub(crate) type Find = Arc<dyn Fn(Type, &str) -> Result<DriverRef, Failure> + Send + Sync>;

/// The generators. Each calls `find` for its inner algorithm when it is seeded.
pub(crate) fn drivers(find: Find) -> impl Iterator<Item = Driver> {
    let jitter = cfg!(feature = "sha3").then(|| jitter_driver(find.clone()));
    let built_in = DRBGS.into_iter().filter(|(_, _, kind, _, _)| kind.is_built_in());
    let drbgs = built_in.map(move |(name, priority, kind, resistant, strength)| {
        let find = find.clone();
        let make = move |cpu: CpuFeatures, seed: &[u8], _: WeakKeys| {
            let ops = kind.make(&find, cpu, resistant, strength)?;
            ops.instantiate(seed)?;
            Ok(Keyed::Rng(ops))
        };
        Driver {
            priority: priority.into(),
            source: kind.source(),
            ..Driver::new("stdrng", name, Type::Rng, Shape::rng(), make)
        }
    });
    drbgs.chain(jitter)
}

/// The generator whose only entropy source is the CPU's timing.
fn jitter_driver(find: Find) -> Driver {
    let make = move |cpu: CpuFeatures, _: &[u8], _: WeakKeys| {
        let driver = find(Type::Hash, jitter::CONDITIONER)?;
        let conditioner = templates::hash(&driver, cpu, &[], WeakKeys::Allow)?;
        Ok(Keyed::Rng(Box::new(Jitter::new(conditioner)?)))
    };
    let driver = Driver::new("jitterentropy_rng", "jitterentropy_rng", Type::Rng, Shape::rng(), make);
    Driver { source: "rng/jitter.rs", ..driver }
}

impl Kind {
    /// Whether this build contains the algorithm that the DRBG is built on.
    fn is_built_in(self) -> bool {
        match self {
            Self::Ctr(..) => cfg!(feature = "aes"),
            Self::Hash(..) | Self::Hmac(_) => cfg!(feature = "sha"),
        }
    }

    /// The source file of the mechanism.
    fn source(self) -> &'static str {
        match self {
            Self::Ctr(..) => "rng/ctr_drbg.rs",
            Self::Hash(..) => "rng/hash_drbg.rs",
            Self::Hmac(_) => "rng/hmac_drbg.rs",
        }
    }

    /// Makes the DRBG, not yet instantiated.
    fn make(self, find: &Find, cpu: CpuFeatures, resistant: bool, strength: usize) -> Result<Box<dyn RngOps>, Failure> {
        Ok(match self {
            Self::Ctr(name, key_len) => {
                let driver = find(Type::Cipher, name)?;
                let keyed = move |key: &[u8]| templates::cipher(&driver, cpu, key, WeakKeys::Allow);
                Box::new(Drbg::new(CtrDrbg::new(Box::new(keyed), key_len)?, resistant, strength))
            }
            Self::Hash(name, seed_len) => {
                let driver = find(Type::Hash, name)?;
                let hash = templates::hash(&driver, cpu, &[], WeakKeys::Allow)?;
                Box::new(Drbg::new(HashDrbg::new(hash, driver.shape.digestsize, seed_len), resistant, strength))
            }
            Self::Hmac(name) => {
                let driver = find(Type::Hash, name)?;
                let digest_size = driver.shape.digestsize;
                let keyed = move |key: &[u8]| templates::hash(&driver, cpu, key, WeakKeys::Allow);
                Box::new(Drbg::new(HmacDrbg::new(Box::new(keyed), digest_size)?, resistant, strength))
            }
        })
    }
}
