//! A driver's description and its state in the registry.

use super::{BadKey, Keyed, Make, Shape, aligned};
use crate::{
    Error, entropy,
    kind::{Timing, Type, WeakKeys},
};
use algkit_primitives::cpu::{CpuFeatures, FeatureSet};
use std::{
    fmt,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
};

/// One implementation of an algorithm. Make one with [`Driver::new`], then set its fields.
///
/// ```
/// use algkit::{Driver, Sizes, Timing, Type, driver::{BadKey, Shape}};
///
/// let shape = Shape::cipher(8, Sizes::of(&[16]));
/// let make = |_cpu, _key: &[u8], _weak| Err(BadKey("a cipher without a key"));
/// let mut driver = Driver::new("xtea", "xtea-tables", Type::Cipher, shape, make).with_priority(90);
/// driver.timing = Timing::Table;
/// ```
///
/// [`Driver`] and [`Shape`] cannot be written as literals, so that later versions can add fields:
///
/// ```compile_fail,E0639
/// use algkit::{Sizes, driver::Shape};
///
/// let shape = Shape { blocksize: 8, keys: Sizes::of(&[16]), ..Shape::EMPTY };
/// ```
#[non_exhaustive]
pub struct Driver {
    /// The algorithm's name, as the kernel spells it: `xts(aes)`.
    pub name: String,
    /// The driver's unique name: `xts-aes-vaes-avx512`.
    pub driver: String,
    /// The algorithm's type.
    pub kind: Type,
    /// Among the usable drivers of an algorithm the highest priority serves.
    pub(crate) priority: AtomicU32,
    /// Whether its running time can depend on secrets.
    pub timing: Timing,
    /// Whether it may serve under its algorithm's name whatever its timing.
    pub(crate) preferred: AtomicBool,
    /// The CPU features that it cannot run without.
    pub needs: FeatureSet,
    /// The CPU features without which it runs, but slowly: a registry then gives it the lowest priority, 1.
    pub prefers: FeatureSet,
    /// Block, key, IV, tag and digest sizes.
    pub shape: Shape,
    /// The alignment that the driver needs for keys, IVs, texts and messages: their addresses have no bit of this
    /// mask set. 0 means any alignment. The mask is a power of two minus 1.
    pub alignmask: usize,
    /// The size of a keyed instance in bytes, as far as it is known without making one.
    pub context_size: usize,
    /// Whether requests run elsewhere (in an engine or another program) while the caller waits.
    pub asynchronous: bool,
    /// The source of the arithmetic: a file under `crates/primitives/src` (for random number generators, under
    /// `crates/algkit/src`), or `crate NAME` for a wrapped crate. Empty for drivers from templates and from other
    /// crates.
    pub source: &'static str,
    /// Makes a keyed instance.
    pub make: Box<Make>,
    /// For an instance of a template: the names of all drivers that it is built on, at any depth. They have been tested.
    pub(crate) parts: Vec<String>,
    /// The outcome of the short self-test, once it has run.
    pub(crate) selftest: OnceLock<Result<(), String>>,
    /// The failure of a later long self-test.
    pub(crate) retired: OnceLock<String>,
}

impl fmt::Debug for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} {}, priority {})", self.driver, self.kind, self.name, self.priority())
    }
}

/// The state of a driver's self-test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SelfTest {
    /// The test has not run, as the driver has not been chosen yet.
    Untested,
    /// The test has passed; the driver may serve.
    Passed,
    /// The test has failed for this reason; the driver does not serve.
    Failed(String),
}

impl fmt::Display for SelfTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Untested => "untested",
            Self::Passed => "passed",
            Self::Failed(_) => "failed",
        })
    }
}

impl Driver {
    /// A constant-time driver of priority 100 for any CPU. Set its fields to change that.
    pub fn new(
        name: impl Into<String>,
        driver: impl Into<String>,
        kind: Type,
        shape: Shape,
        make: impl Fn(CpuFeatures, &[u8], WeakKeys) -> Result<Keyed, BadKey> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            driver: driver.into(),
            kind,
            priority: AtomicU32::new(100),
            timing: Timing::Constant,
            preferred: AtomicBool::new(false),
            needs: FeatureSet::NONE,
            prefers: FeatureSet::NONE,
            shape,
            alignmask: 0,
            context_size: 0,
            asynchronous: false,
            source: "",
            make: Box::new(make),
            parts: Vec::new(),
            selftest: OnceLock::new(),
            retired: OnceLock::new(),
        }
    }

    /// The priority: the highest usable driver of a name serves. [`crate::Registry::set_priority`] changes it.
    pub fn priority(&self) -> u32 {
        self.priority.load(Ordering::Relaxed)
    }

    /// The same driver with another priority. For use before registration.
    #[must_use]
    pub fn with_priority(self, priority: u32) -> Self {
        Self { priority: priority.into(), ..self }
    }

    /// Whether it may serve under its algorithm's name if the policy demands constant time: it is constant-time, or
    /// was preferred explicitly.
    pub(crate) fn is_eligible(&self) -> bool {
        self.timing == Timing::Constant || self.preferred.load(Ordering::Relaxed)
    }

    /// Whether it takes a secret key. A plain hash takes none, and a checksum's key is a seed.
    pub(crate) fn takes_secret(&self) -> bool {
        self.shape.keys.max() > 0 && !matches!(&*self.name, "crc32" | "crc32c" | "xxhash64")
    }

    /// Whether a template of this crate composed it.
    pub(crate) fn is_composed(&self) -> bool {
        !self.parts.is_empty()
    }

    /// The state of its self-test.
    pub fn selftest(&self) -> SelfTest {
        match (self.retired.get(), self.selftest.get()) {
            (Some(reason), _) | (None, Some(Err(reason))) => SelfTest::Failed(reason.clone()),
            (None, Some(Ok(()))) => SelfTest::Passed,
            (None, None) => SelfTest::Untested,
        }
    }

    /// Whether the driver accepts a key of this length.
    #[inline]
    pub(crate) fn takes_key(&self, key: &[u8]) -> bool {
        self.shape.keys.allows(key.len()) || key.is_empty() && self.shape.optional_key
    }

    /// Makes a keyed instance, after a check of the key's length.
    pub(crate) fn key(&self, cpu: CpuFeatures, key: &[u8], weak: WeakKeys) -> Result<Keyed, Error> {
        if !self.takes_key(key) {
            return Err(Error::KeyLength { name: self.name.clone(), got: key.len(), want: self.shape.keys.clone() });
        }
        self.instance(cpu, key, weak).map_err(|BadKey(reason)| match self.kind {
            _ if reason == entropy::MISSING => Error::Rng { name: self.driver.clone(), reason },
            // Every seed is good, so it was the entropy that failed.
            Type::Rng => Error::Rng { name: self.driver.clone(), reason },
            _ => Error::BadKey { name: self.name.clone(), reason },
        })
    }

    /// Makes a keyed instance that receives its buffers aligned as the driver asks. The key's length has been
    /// checked.
    pub(crate) fn instance(&self, cpu: CpuFeatures, key: &[u8], weak: WeakKeys) -> Result<Keyed, BadKey> {
        match self.alignmask {
            0 => (self.make)(cpu, key, weak),
            mask => aligned::instance(mask, key, |key| (self.make)(cpu, key, weak)),
        }
    }
}

/// A shared reference to a driver.
pub type DriverRef = Arc<Driver>;
