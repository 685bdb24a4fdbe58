//! A driver: a row of data.

use super::{BadKey, Keyed, Make, Shape, aligned};
use crate::{
    Error,
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

/// One implementation of an algorithm: [`Driver::new`], then its fields.
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
/// Neither a driver nor a [`Shape`] can be written as a literal, so that there may be more fields in a later version:
///
/// ```compile_fail,E0639
/// use algkit::{Sizes, driver::Shape};
///
/// let shape = Shape { blocksize: 8, keys: Sizes::of(&[16]), ..Shape::EMPTY };
/// ```
#[non_exhaustive]
pub struct Driver {
    /// The algorithm, as the kernel spells it: `xts(aes)`.
    pub name: String,
    /// The driver's own, unique name: `xts-aes-vaes-avx512`.
    pub driver: String,
    /// Its type.
    pub kind: Type,
    /// The highest usable one wins.
    pub(crate) priority: AtomicU32,
    /// Whether addresses depend on secrets.
    pub timing: Timing,
    /// Whether it may stand for its algorithm's name whatever its timing.
    pub(crate) preferred: AtomicBool,
    /// The CPU features it needs.
    pub needs: FeatureSet,
    /// CPU features without which it runs and is not worth it: a registry then gives it the lowest priority, 1.
    pub prefers: FeatureSet,
    /// Its sizes.
    pub shape: Shape,
    /// What keys, IVs, texts and messages are aligned to when the driver gets them: no address has a bit of this mask. 0 is
    /// any alignment; it is one less than a power of two.
    pub alignmask: usize,
    /// Bytes of a keyed instance, as far as they are known without making one.
    pub context_size: usize,
    /// Whether requests are done elsewhere, by an engine or another program, while the caller waits.
    pub asynchronous: bool,
    /// Where the arithmetic is: a file under `crates/primitives/src`, or under `crates/algkit/src` for a random number
    /// generator, or `crate NAME` for what is wrapped. Empty for what a template or another crate made.
    pub source: &'static str,
    /// Makes keyed instances.
    pub make: Box<Make>,
    /// Whether a template of this crate made it, of drivers that have been tested.
    pub(crate) composed: bool,
    /// The outcome of the test before first use.
    pub(crate) selftest: OnceLock<Result<(), String>>,
    /// What a later, longer test failed at.
    pub(crate) retired: OnceLock<String>,
}

impl fmt::Debug for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} {}, priority {})", self.driver, self.kind, self.name, self.priority())
    }
}

/// What is known of a driver's self-test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SelfTest {
    /// It has not been used yet.
    Untested,
    /// It serves.
    Passed,
    /// It does not serve.
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
    /// A driver of priority 100, constant-time, for any CPU; change the fields for anything else.
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
            composed: false,
            selftest: OnceLock::new(),
            retired: OnceLock::new(),
        }
    }

    /// The highest usable driver of a name wins. [`crate::Registry::set_priority`] changes it.
    pub fn priority(&self) -> u32 {
        self.priority.load(Ordering::Relaxed)
    }

    /// The same driver with another priority, before it is registered.
    #[must_use]
    pub fn with_priority(self, priority: u32) -> Self {
        Self { priority: priority.into(), ..self }
    }

    /// Whether an algorithm's name may stand for it under a policy that wants constant time: it is, or somebody chose it.
    pub(crate) fn is_eligible(&self) -> bool {
        self.timing == Timing::Constant || self.preferred.load(Ordering::Relaxed)
    }

    /// What is known of its self-test.
    pub fn selftest(&self) -> SelfTest {
        match (self.retired.get(), self.selftest.get()) {
            (Some(reason), _) | (None, Some(Err(reason))) => SelfTest::Failed(reason.clone()),
            (None, Some(Ok(()))) => SelfTest::Passed,
            (None, None) => SelfTest::Untested,
        }
    }

    /// Whether a key may have this length.
    #[inline]
    pub(crate) fn takes_key(&self, key: &[u8]) -> bool {
        self.shape.keys.allows(key.len()) || key.is_empty() && self.shape.optional_key
    }

    /// Makes a keyed instance after checking the key's length.
    pub(crate) fn key(&self, cpu: CpuFeatures, key: &[u8], weak: WeakKeys) -> Result<Keyed, Error> {
        if !self.takes_key(key) {
            return Err(Error::KeyLength { name: self.name.clone(), got: key.len(), want: self.shape.keys.clone() });
        }
        self.instance(cpu, key, weak).map_err(|BadKey(reason)| Error::BadKey { name: self.name.clone(), reason })
    }

    /// A keyed instance that gets what it is given in the alignment that it asks for. The key's length has been checked.
    pub(crate) fn instance(&self, cpu: CpuFeatures, key: &[u8], weak: WeakKeys) -> Result<Keyed, BadKey> {
        match self.alignmask {
            0 => (self.make)(cpu, key, weak),
            mask => aligned::instance(mask, key, |key| (self.make)(cpu, key, weak)),
        }
    }
}

/// A shared driver.
pub type DriverRef = Arc<Driver>;
