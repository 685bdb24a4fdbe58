//! Selects the algorithms, drivers, keys and sizes to measure.

use super::work::{Op, Subject, key_lengths};
use crate::{
    args,
    args::BenchArgs,
    error::Error,
    names::{Survey, of_any_timing},
};
use algkit::{DriverRef, Registry, Timing};

/// The default algorithms, with key sizes in bits; an empty list means all key sizes.
const DEFAULT: &[(&str, &[u32])] = &[
    ("ctr(aes)", &[128, 256]),
    ("cbc(aes)", &[128, 256]),
    ("xts(aes)", &[256, 512]),
    ("gcm(aes)", &[128, 256]),
    ("ccm(aes)", &[128, 256]),
    ("rfc7539(chacha20,poly1305)", &[]),
    ("cbc(serpent)", &[128, 256]),
    ("xts(serpent)", &[256, 512]),
    ("cbc(twofish)", &[128, 256]),
    ("xts(twofish)", &[256, 512]),
    ("sha1", &[]),
    ("sha256", &[]),
    ("sha512", &[]),
    ("sha3-256", &[]),
    ("blake2b-512", &[]),
    ("blake2s-256", &[]),
    ("hmac(sha256)", &[]),
];

/// A driver with a key.
pub struct Candidate {
    pub driver: DriverRef,
    pub key_bits: u32,
    pub subject: Subject,
}

impl Candidate {
    /// The requested operations that the driver supports.
    pub fn ops(&self, wanted: args::Op) -> Vec<Op> {
        let ops = self.subject.ops().iter().copied();
        ops.filter(|op| match op {
            Op::Enc => wanted != args::Op::Dec,
            Op::Dec => wanted != args::Op::Enc,
            Op::Digest | Op::Generate => true,
        })
        .collect()
    }
}

/// Everything to measure, in order.
pub fn candidates(args: &BenchArgs, registry: &Registry) -> Result<Vec<Candidate>, Error> {
    if let Some(bits) = args.key_bits.iter().find(|bits| !bits.is_multiple_of(8)) {
        return Err(Error::option("--key-size", format!("{bits} bits are no whole bytes")));
    }
    let mut candidates = Vec::new();
    for driver in drivers(args, registry)? {
        for key_bits in key_sizes(args, registry, &driver)? {
            let subject = Subject::new(registry, &driver, key_bits as usize / 8)?;
            candidates.push(Candidate { driver: driver.clone(), key_bits, subject });
        }
    }
    if candidates.is_empty() {
        let sizes = args.key_bits.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        let reason = format!("nothing of what is measured by default takes keys of {sizes} bits");
        return Err(Error::option("--key-size", reason));
    }
    Ok(candidates)
}

fn drivers(args: &BenchArgs, registry: &Registry) -> Result<Vec<DriverRef>, Error> {
    let all = args.drivers.iter().any(|driver| driver == "all");
    if args.drivers.is_empty() || all {
        let mut drivers = Vec::new();
        for name in &args.names {
            if all {
                let named = Survey::named(registry, name)?.drivers;
                drivers.extend(named.into_iter().filter(|d| registry.is_usable(d)));
            } else {
                drivers.push(of_any_timing(registry, name)?);
            }
        }
        if args.names.is_empty() {
            // A default algorithm that is not in this build, or has failed, is skipped.
            drivers.extend(DEFAULT.iter().filter_map(|(name, _)| of_any_timing(registry, name).ok()));
            if all {
                let names: Vec<_> = drivers.iter().map(|d| d.name.clone()).collect();
                drivers = Survey::of(registry).drivers;
                drivers.retain(|d| registry.is_usable(d) && names.contains(&d.name));
            }
        }
        return Ok(drivers);
    }
    let mut drivers = Vec::new();
    for name in &args.drivers {
        let driver = registry.find_any(name)?;
        if !args.names.is_empty() && !args.names.contains(&driver.name) {
            let reason = format!("`{name}` is a driver of `{}`, not of `{}`", driver.name, args.names.join("` or `"));
            return Err(Error::option("--driver", reason));
        }
        drivers.push(driver);
    }
    Ok(drivers)
}

fn key_sizes(args: &BenchArgs, registry: &Registry, driver: &DriverRef) -> Result<Vec<u32>, Error> {
    let all: Vec<u32> = key_lengths(registry, driver)?.iter().map(|len| *len as u32 * 8).collect();
    let usual = DEFAULT.iter().find(|(name, keys)| *name == driver.name && !keys.is_empty());
    let explicit = !args.names.is_empty() || !args.drivers.is_empty();
    let usual = usual.map_or(&all[..], |(_, keys)| keys);
    if args.key_bits.is_empty() {
        return Ok(usual.to_vec());
    }
    // An unsupported key size is an error if the algorithm was given explicitly.
    let fits = |bits: &u32| explicit || all.contains(bits) || usual.contains(bits);
    Ok(args.key_bits.iter().copied().filter(fits).collect())
}

/// The mark of drivers with secret-dependent table lookups.
pub fn mark(driver: &DriverRef) -> &'static str {
    if driver.timing == Timing::Table { " (table)" } else { "" }
}
