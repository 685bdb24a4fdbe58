//! Random number generators, by the kernel's names: `stdrng`, of which every DRBG is a driver, and
//! `jitterentropy_rng`.
//!
//! A DRBG finds the hash or the cipher that it is built on in its registry, when it is seeded; what serves there
//! serves here, whatever the CPU and the policy.

mod ctr_drbg;
mod drbg;
mod entropy;
mod hash_drbg;
mod hmac_drbg;
mod jitter;

use crate::{
    driver::{Driver, DriverRef, Failure, Keyed, RngOps, Shape, Type, WeakKeys},
    registry::WeakRegistry,
    templates,
};
use algkit_primitives::cpu::CpuFeatures;
use ctr_drbg::CtrDrbg;
use drbg::Drbg;
use hash_drbg::HashDrbg;
use hmac_drbg::HmacDrbg;
use jitter::Jitter;

/// How a DRBG works, and on what.
#[derive(Clone, Copy)]
enum Kind {
    /// On a block cipher with keys of this many bytes.
    Ctr(&'static str, usize),
    /// On a hash, with a state of this many bytes.
    Hash(&'static str, usize),
    /// On an HMAC.
    Hmac(&'static str),
}

/// The DRBGs: what the driver's name ends in, how it works, and its security strength in bytes. As in the kernel
/// the later have the higher priorities, and all that resist prediction have lower ones than the rest.
const DRBGS: [(&str, Kind, usize); 11] = [
    ("ctr_aes128", Kind::Ctr("aes", 16), 16),
    ("ctr_aes192", Kind::Ctr("aes", 24), 24),
    ("ctr_aes256", Kind::Ctr("aes", 32), 32),
    ("sha1", Kind::Hash("sha1", 55), 16),
    ("sha384", Kind::Hash("sha384", 111), 32),
    ("sha512", Kind::Hash("sha512", 111), 32),
    ("sha256", Kind::Hash("sha256", 55), 32),
    ("hmac_sha1", Kind::Hmac("hmac(sha1)"), 16),
    ("hmac_sha384", Kind::Hmac("hmac(sha384)"), 32),
    ("hmac_sha256", Kind::Hmac("hmac(sha256)"), 32),
    ("hmac_sha512", Kind::Hmac("hmac(sha512)"), 32),
];

/// The priority of the first.
const LOWEST: u32 = 200;

/// The generators, which will look in `registry` for what they are built on.
pub(crate) fn drivers(registry: WeakRegistry) -> impl Iterator<Item = Driver> {
    let drbgs = [("pr", true), ("nopr", false)].into_iter().flat_map(|(prefix, resistant)| {
        DRBGS
            .into_iter()
            .map(move |(suffix, kind, strength)| (format!("drbg_{prefix}_{suffix}"), resistant, kind, strength))
    });
    let drbgs = drbgs.zip(LOWEST..).filter(|((_, _, kind, _), _)| kind.is_built_in());
    let jitter = cfg!(feature = "sha3").then(|| jitter_driver(registry.clone()));
    let drbgs = drbgs.map(move |((name, resistant, kind, strength), priority)| {
        let registry = registry.clone();
        let make = move |_: CpuFeatures, seed: &[u8], _: WeakKeys| {
            let ops = kind.make(&registry, resistant, strength)?;
            ops.instantiate(seed)?;
            Ok(Keyed::Rng(ops))
        };
        Driver { priority, ..Driver::new("stdrng", name, Type::Rng, Shape::rng(), make) }
    });
    drbgs.chain(jitter)
}

/// The generator that draws on nothing but the CPU.
fn jitter_driver(registry: WeakRegistry) -> Driver {
    let make = move |_: CpuFeatures, _: &[u8], _: WeakKeys| {
        let (driver, cpu) = find(&registry, Type::Hash, jitter::CONDITIONER)?;
        let conditioner = templates::hash(&driver, cpu, &[], WeakKeys::Allow)?;
        Ok(Keyed::Rng(Box::new(Jitter::new(conditioner)?)))
    };
    Driver::new("jitterentropy_rng", "jitterentropy_rng", Type::Rng, Shape::rng(), make)
}

impl Kind {
    /// Whether this build of the crate has what the DRBG is built on.
    fn is_built_in(self) -> bool {
        match self {
            Self::Ctr(..) => cfg!(feature = "aes"),
            Self::Hash(..) | Self::Hmac(_) => cfg!(feature = "sha"),
        }
    }

    /// The DRBG, not yet instantiated.
    fn make(self, registry: &WeakRegistry, resistant: bool, strength: usize) -> Result<Box<dyn RngOps>, Failure> {
        Ok(match self {
            Self::Ctr(name, key_len) => {
                let (driver, cpu) = find(registry, Type::Cipher, name)?;
                let keyed = move |key: &[u8]| templates::cipher(&driver, cpu, key, WeakKeys::Allow);
                Box::new(Drbg::new(CtrDrbg::new(Box::new(keyed), key_len)?, resistant, strength))
            }
            Self::Hash(name, seed_len) => {
                let (driver, cpu) = find(registry, Type::Hash, name)?;
                let hash = templates::hash(&driver, cpu, &[], WeakKeys::Allow)?;
                Box::new(Drbg::new(HashDrbg::new(hash, driver.shape.digestsize, seed_len), resistant, strength))
            }
            Self::Hmac(name) => {
                let (driver, cpu) = find(registry, Type::Hash, name)?;
                let digest_size = driver.shape.digestsize;
                let keyed = move |key: &[u8]| templates::hash(&driver, cpu, key, WeakKeys::Allow);
                Box::new(Drbg::new(HmacDrbg::new(Box::new(keyed), digest_size)?, resistant, strength))
            }
        })
    }
}

/// The driver that serves `name` now, and the CPU to run it on.
fn find(registry: &WeakRegistry, kind: Type, name: &str) -> Result<(DriverRef, CpuFeatures), Failure> {
    let registry = registry.upgrade().ok_or(Failure("the registry that it belongs to is gone"))?;
    let driver = registry.find(kind, name).map_err(|_| Failure("no driver of what it is built on may serve"))?;
    Ok((driver, registry.cpu()))
}
