//! Key derivation: it makes the key of a key slot's area of a passphrase.

use crate::{Error, Key, lookup};
use algkit::Rng;
use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// The shortest time that is measured, as a shorter one would say little.
const SAMPLE: Duration = Duration::from_millis(100);

/// Argon2 in one thread after the other, as each fills memory of its own.
static TURN: Mutex<()> = Mutex::new(());

/// The lowest costs of a new volume, as in cryptsetup.
const MIN_ITERATIONS: u32 = 1000;
const MIN_PASSES: u32 = 4;
const MIN_MEMORY_KIB: u32 = 64 << 10;

/// The highest costs that a header may ask for. They are needed because the costs are read before anything in the header can be authenticated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// KiB of memory for Argon2.
    pub memory_kib: u64,
    /// KiB that Argon2 may fill, in all passes together.
    pub work_kib: u64,
    /// Iterations of PBKDF2 with SHA-256 for one block of output. Slower hashes, and more blocks, count as so many iterations as take as long.
    pub iterations: u64,
    /// So many times this work and these iterations, at most, are for all key slots together that a passphrase is tried on.
    pub tries: u64,
}

impl Default for Limits {
    /// 4 GiB of memory, which is the most that cryptsetup asks for; 256 GiB of work, some minutes; 2^28 iterations, about a minute; and eight times
    /// that for all key slots together.
    fn default() -> Self {
        Self { memory_kib: 4 << 20, work_kib: 256 << 20, iterations: 1 << 28, tries: 8 }
    }
}

/// What is left for the key slots that a passphrase is tried on. Without that, a header could ask for hours, as it has up to 32 of them.
pub(crate) struct Budget {
    pub limits: Limits,
    iterations: u64,
    work_kib: u64,
}

impl Budget {
    pub fn new(limits: &Limits) -> Self {
        let all = |one: u64| one.saturating_mul(limits.tries);
        Self { limits: *limits, iterations: all(limits.iterations), work_kib: all(limits.work_kib) }
    }

    /// Takes the cost of a key of `size` bytes; an error if the limits do not allow it, or not any more.
    pub fn take(&mut self, kdf: &Kdf, size: usize) -> Result<(), Error> {
        kdf.allowed(size, &self.limits)?;
        let (what, cost, left, one) = match kdf {
            Kdf::Pbkdf2 { .. } => {
                let cost = kdf.iterations(size)?;
                ("iterations of PBKDF2 with those before it", cost, &mut self.iterations, self.limits.iterations)
            }
            Kdf::Argon2 { .. } => (
                "KiB of work for Argon2 with those before it",
                kdf.work_kib(),
                &mut self.work_kib,
                self.limits.work_kib,
            ),
        };
        let limit = one.saturating_mul(self.limits.tries);
        within(what, (limit - *left).saturating_add(cost), limit)?;
        *left -= cost;
        Ok(())
    }
}

/// How many iterations with SHA-256 take as long as one with this hash, about. Names that are not here are those of the slowest.
fn weight(hash: &str) -> u64 {
    match hash {
        "sha1" | "sha224" | "sha256" | "sha384" | "sha512" | "md5" => 1,
        "ripemd160" | "rmd160" | "sm3" => 4,
        _ if hash.starts_with("blake2") || hash.starts_with("sha3-") || hash.starts_with("sha512-") => 4,
        "whirlpool" | "wp512" => 16,
        _ => 64,
    }
}

/// The variants of Argon2 that headers have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Argon2 {
    /// Argon2i: addresses do not depend on the passphrase.
    I,
    /// Argon2id: addresses do not depend on the passphrase in the first half of the first pass.
    Id,
}

/// A key derivation function with its parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kdf {
    /// PBKDF2 with HMAC (RFC 8018, section 5.2).
    Pbkdf2 {
        /// The hash, by its name in the header.
        hash: String,
        /// The number of iterations.
        iterations: u32,
        /// The salt.
        salt: Vec<u8>,
    },
    /// Argon2, version 0x13 (RFC 9106).
    Argon2 {
        /// The variant.
        variant: Argon2,
        /// Passes over the memory.
        time: u32,
        /// KiB of memory.
        memory_kib: u32,
        /// Lanes.
        cpus: u32,
        /// The salt.
        salt: Vec<u8>,
    },
}

impl Kdf {
    /// Its name, as headers spell it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Pbkdf2 { .. } => "pbkdf2",
            Self::Argon2 { variant: Argon2::I, .. } => "argon2i",
            Self::Argon2 { variant: Argon2::Id, .. } => "argon2id",
        }
    }

    /// PBKDF2 that takes about `time` on this machine. It has no salt yet.
    pub fn pbkdf2_for(hash: &str, time: Duration) -> Result<Self, Error> {
        let of = |iterations| Self::Pbkdf2 { hash: hash.to_owned(), iterations, salt: Vec::new() };
        let mut iterations = 1 << 14;
        let mut took = of(iterations).time()?;
        while took < SAMPLE && iterations < u32::MAX / 2 {
            iterations *= 2;
            took = of(iterations).time()?;
        }
        let fitting = f64::from(iterations) * time.as_secs_f64() / took.as_secs_f64();
        Ok(of((fitting as u32).max(MIN_ITERATIONS)))
    }

    /// Argon2 that takes about `time` on this machine. It has no salt yet. It uses all of `memory` if four passes over that fit into the time, else less.
    pub fn argon2_for(variant: Argon2, memory_kib: u32, cpus: u32, time: Duration) -> Result<Self, Error> {
        let of = |time, memory_kib| Self::Argon2 { variant, time, memory_kib, cpus, salt: Vec::new() };
        let mut sample = memory_kib.min(16 << 10);
        let mut took = of(1, sample).time()?;
        while took < SAMPLE && sample < memory_kib {
            sample = sample.saturating_mul(2).min(memory_kib);
            took = of(1, sample).time()?;
        }
        // The number of KiB that can be filled in the time.
        let work = f64::from(sample) * time.as_secs_f64() / took.as_secs_f64();
        let memory = memory_kib.min((work / f64::from(MIN_PASSES)) as u32).max(MIN_MEMORY_KIB.min(memory_kib));
        Ok(of(((work / f64::from(memory)) as u32).max(MIN_PASSES), memory))
    }

    /// How long the derivation of a key of 64 bytes takes, the length of an AES-256-XTS key.
    fn time(&self) -> Result<Duration, Error> {
        let mut kdf = self.clone();
        let (Self::Pbkdf2 { salt, .. } | Self::Argon2 { salt, .. }) = &mut kdf;
        *salt = vec![0; 32];
        let start = Instant::now();
        kdf.key(b"a passphrase", 64)?;
        Ok(start.elapsed())
    }

    /// The same key derivation, with a new salt of 32 bytes.
    pub(crate) fn salted(&self, random: &Rng) -> Result<Self, Error> {
        let mut kdf = self.clone();
        let (Self::Pbkdf2 { salt, .. } | Self::Argon2 { salt, .. }) = &mut kdf;
        *salt = vec![0; 32];
        random.generate(&[], salt)?;
        Ok(kdf)
    }

    /// A key of `size` bytes, without limits, as the caller has chosen the costs.
    pub(crate) fn key(&self, passphrase: &[u8], size: usize) -> Result<Key, Error> {
        let all = Limits { memory_kib: u64::MAX, work_kib: u64::MAX, iterations: u64::MAX, tries: 1 };
        self.bounded_key(passphrase, size, &all)
    }

    /// A key of `size` bytes, if the limits allow it.
    pub(crate) fn bounded_key(&self, passphrase: &[u8], size: usize, limits: &Limits) -> Result<Key, Error> {
        let mut key = Key::new(vec![0; size]);
        self.derive(passphrase, limits, key.bytes_mut())?;
        Ok(key)
    }

    /// An error if a key of `size` bytes costs more than the limits allow.
    pub fn allowed(&self, size: usize, limits: &Limits) -> Result<(), Error> {
        match self {
            Self::Pbkdf2 { .. } => within("iterations of PBKDF2", self.iterations(size)?, limits.iterations),
            Self::Argon2 { memory_kib, .. } => {
                within("KiB of memory for Argon2", u64::from(*memory_kib), limits.memory_kib)?;
                within("KiB of work for Argon2", self.work_kib(), limits.work_kib)
            }
        }
    }

    /// Iterations of PBKDF2 for a key of `size` bytes, as [`Limits`] count them.
    fn iterations(&self, size: usize) -> Result<u64, Error> {
        let Self::Pbkdf2 { hash, iterations, .. } = self else { return Ok(0) };
        let blocks = size.div_ceil(lookup::hash(hash)?.digest_size()) as u64;
        Ok(u64::from(*iterations).saturating_mul(blocks).saturating_mul(weight(hash)))
    }

    /// KiB that Argon2 fills in all passes.
    fn work_kib(&self) -> u64 {
        match self {
            Self::Pbkdf2 { .. } => 0,
            Self::Argon2 { time, memory_kib, .. } => u64::from(*memory_kib) * u64::from(*time),
        }
    }

    /// Fills `key`, if the limits allow it.
    pub fn derive(&self, passphrase: &[u8], limits: &Limits, key: &mut [u8]) -> Result<(), Error> {
        self.allowed(key.len(), limits)?;
        match self {
            Self::Pbkdf2 { hash, iterations, salt } => pbkdf2(hash, passphrase, salt, *iterations, key),
            Self::Argon2 { variant, time, memory_kib, cpus, salt } => {
                let algorithm = match variant {
                    Argon2::I => argon2::Algorithm::Argon2i,
                    Argon2::Id => argon2::Algorithm::Argon2id,
                };
                let refused = |error: argon2::Error| Error::damaged("Argon2", error.to_string());
                let params = argon2::Params::new(*memory_kib, *time, *cpus, Some(key.len())).map_err(refused)?;
                let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
                let argon2 = argon2::Argon2::new(algorithm, argon2::Version::V0x13, params);
                argon2.hash_password_into(passphrase, salt, key).map_err(refused)
            }
        }
    }
}

pub(crate) fn within(what: &'static str, asked: u64, limit: u64) -> Result<(), Error> {
    if asked <= limit { Ok(()) } else { Err(Error::Limit { what, asked, limit }) }
}

/// PBKDF2 with HMAC.
pub(crate) fn pbkdf2(hash: &str, passphrase: &[u8], salt: &[u8], iterations: u32, key: &mut [u8]) -> Result<(), Error> {
    Ok(algkit::kdf::pbkdf2(&lookup::hmac(hash, passphrase)?, salt, iterations.into(), key)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hex_literal::hex;

    /// RFC 6070, section 2: the first three vectors, and the one with a longer output.
    #[test]
    fn pbkdf2_of_rfc_6070() {
        for (password, salt, iterations, want) in [
            ("password", "salt", 1, &hex!("0c60c80f961f0e71f3a9b524af6012062fe037a6")[..]),
            ("password", "salt", 2, &hex!("ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957")[..]),
            ("password", "salt", 4096, &hex!("4b007901b765489abead49d926f721d065a429c1")[..]),
            (
                "passwordPASSWORDpassword",
                "saltSALTsaltSALTsaltSALTsaltSALTsalt",
                4096,
                &hex!("3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038")[..],
            ),
        ] {
            let mut key = vec![0; want.len()];
            pbkdf2("sha1", password.as_bytes(), salt.as_bytes(), iterations, &mut key).unwrap();
            assert_eq!(key, want, "{password} {iterations}");
        }
    }

    #[test]
    fn costs_beyond_the_limits_are_refused_before_any_work() {
        let limits = Limits { memory_kib: 1024, work_kib: 2048, iterations: 1000, tries: 1 };
        let argon2 =
            |memory_kib, time| Kdf::Argon2 { variant: Argon2::Id, time, memory_kib, cpus: 1, salt: vec![1; 32] };
        let pbkdf2 = |hash: &str, iterations| Kdf::Pbkdf2 { hash: hash.into(), iterations, salt: vec![] };
        let mut key = [0; 32];
        for (kdf, what) in [
            (argon2(u32::MAX, 1), "KiB of memory"),
            (argon2(1024, 3), "KiB of work"),
            (argon2(1024, u32::MAX), "KiB of work"),
            (pbkdf2("sha256", 1001), "1001 iterations"),
            // Two blocks of 20 bytes.
            (pbkdf2("sha1", 501), "1002 iterations"),
            (pbkdf2("whirlpool", 999), "iterations"),
        ] {
            let error = kdf.derive(b"", &limits, &mut key).unwrap_err();
            assert!(error.to_string().contains(what), "{error}");
        }
        argon2(1024, 2).derive(b"", &limits, &mut key).unwrap();
        assert_ne!(key, [0; 32]);
    }

    #[test]
    fn all_slots_together_have_a_limit() {
        let limits = Limits { memory_kib: 1024, work_kib: 2048, iterations: 1000, tries: 3 };
        let pbkdf2 = Kdf::Pbkdf2 { hash: "sha256".into(), iterations: 900, salt: vec![] };
        let argon2 = Kdf::Argon2 { variant: Argon2::Id, time: 2, memory_kib: 1024, cpus: 1, salt: vec![1; 32] };
        for (kdf, what) in [(pbkdf2, "3600 iterations"), (argon2, "8192 KiB of work")] {
            let mut budget = Budget::new(&limits);
            (0..3).for_each(|_| budget.take(&kdf, 32).unwrap());
            let error = budget.take(&kdf, 32).unwrap_err().to_string();
            assert!(error.contains(what), "{error}");
        }
    }
}
