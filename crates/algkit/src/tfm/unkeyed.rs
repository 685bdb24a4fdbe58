//! Chosen drivers that do not have a key yet.

use crate::{
    Error,
    driver::{Driver, DriverRef, Keyed, Type, WeakKeys},
};
use algkit_primitives::cpu::CpuFeatures;
use std::{marker::PhantomData, ops::Deref};

/// A driver that has been chosen and tested, and needs a key.
///
/// ```
/// let aead = algkit::aead("gcm(aes)")?;
/// println!("{} takes keys of {} bytes", aead.driver().driver, aead.driver().shape.keys);
/// let aead = aead.key(&[7; 32])?;
/// # Ok::<(), algkit::Error>(())
/// ```
#[derive(Debug)]
pub struct Unkeyed<T> {
    driver: DriverRef,
    cpu: CpuFeatures,
    transform: PhantomData<fn() -> T>,
}

impl<T> Clone for Unkeyed<T> {
    fn clone(&self) -> Self {
        Self { driver: self.driver.clone(), cpu: self.cpu, transform: PhantomData }
    }
}

/// A transform type: [`Cipher`](crate::Cipher), [`Skcipher`](crate::Skcipher), [`Aead`](crate::Aead), [`Hash`](struct@crate::Hash) or
/// [`Rng`](crate::Rng).
pub trait Transform: Sized + sealed::FromKeyed {
    /// The type of the transform's algorithm.
    const TYPE: Type;
}

pub(crate) mod sealed {
    use super::{Chosen, Keyed};

    pub trait FromKeyed {
        /// The transform, if `keyed` has its type.
        fn from_keyed(driver: Chosen, keyed: Keyed) -> Option<Self>
        where
            Self: Sized;
    }
}

impl<T: Transform> Unkeyed<T> {
    pub(crate) fn new(driver: DriverRef, cpu: CpuFeatures) -> Self {
        Self { driver, cpu, transform: PhantomData }
    }

    /// The driver that was chosen.
    pub fn driver(&self) -> &Driver {
        &self.driver
    }

    /// The transform with this key. Known weak keys are refused.
    pub fn key(&self, key: &[u8]) -> Result<T, Error> {
        self.key_with(key, WeakKeys::Refuse)
    }

    /// The transform with this key, and a choice of how weak keys are treated.
    pub fn key_with(&self, key: &[u8], weak: WeakKeys) -> Result<T, Error> {
        let keyed = self.driver.key(self.cpu, key, weak)?;
        let driver = Chosen { shared: self.driver.clone(), cpu: self.cpu, key_len: key.len() };
        T::from_keyed(driver, keyed).ok_or_else(|| another_type(&self.driver))
    }
}

#[cold]
pub(crate) fn another_type(driver: &Driver) -> Error {
    Error::BadKey { name: driver.driver.clone(), reason: "the driver made an instance of another type" }
}

/// The driver of a transform, and the data needed to replace its key.
pub struct Chosen {
    pub(super) shared: DriverRef,
    pub(super) cpu: CpuFeatures,
    /// The length of the current key, in bytes.
    pub(super) key_len: usize,
}

impl Deref for Chosen {
    type Target = Driver;

    fn deref(&self) -> &Driver {
        &self.shared
    }
}
