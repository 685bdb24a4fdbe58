//! Code that all transforms share.

macro_rules! transform {
    ($(#[$doc:meta])* $name:ident, $ops:ident $(, $limits:ident = $most:expr)?) => {
        $(#[$doc])*
        pub struct $name {
            pub(super) driver: $crate::tfm::Chosen,
            $(pub(super) $limits: $crate::tfm::Limits,)?
            pub(crate) ops: Box<dyn $ops>,
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!(stringify!($name), "({}, Key(..))"), self.driver.driver)
            }
        }

        impl $crate::tfm::Transform for $name {
            const TYPE: $crate::driver::Type = $crate::driver::Type::$name;
        }

        impl $crate::tfm::sealed::FromKeyed for $name {
            fn from_keyed(driver: $crate::tfm::Chosen, keyed: $crate::driver::Keyed) -> Option<Self> {
                match keyed {
                    $crate::driver::Keyed::$name(ops) => Some(Self { $($limits: $crate::tfm::Limits::of(&driver, $most(&*ops)),)? driver, ops }),
                    _ => None,
                }
            }
        }

        impl $name {
            /// The driver that this transform uses.
            pub fn driver(&self) -> &$crate::Driver {
                &self.driver
            }
        }
    };
}
pub(super) use transform;

macro_rules! rekeyed {
    ($name:ident) => {
        impl $name {
            /// Replaces the key and wipes the old one. The driver stays the same. If the driver supports it, its
            /// memory is reused and a new key costs only its schedule. Known weak keys are refused. After an error
            /// the old key stays in place.
            ///
            /// ```
            /// let mut ctr = algkit::skcipher("ctr(aes)")?.key(&[1; 16])?;
            /// let (mut one, mut other) = ([0; 16], [0; 16]);
            /// ctr.encrypt(&mut [0; 16], &mut one[..])?;
            /// ctr.set_key(&[2; 32])?;
            /// ctr.encrypt(&mut [0; 16], &mut other[..])?;
            /// assert_ne!(one, other);
            /// assert!(ctr.set_key(&[3; 5]).is_err());
            /// # Ok::<(), algkit::Error>(())
            /// ```
            #[inline]
            pub fn set_key(&mut self, key: &[u8]) -> Result<(), $crate::Error> {
                self.set_key_with(key, $crate::WeakKeys::Refuse)
            }

            /// Like [`Self::set_key`], with a choice of how weak keys are treated.
            #[inline]
            pub fn set_key_with(&mut self, key: &[u8], weak: $crate::WeakKeys) -> Result<(), $crate::Error> {
                // A key as long as the last one has a valid length.
                if (key.len() == self.driver.key_len || self.driver.takes_key(key)) && self.ops.set_key(key, weak) {
                    self.driver.key_len = key.len();
                    return Ok(());
                }
                self.replace(key, weak)
            }

            /// Replaces the instance by a new one; the error says what is wrong with the key.
            #[inline(never)]
            fn replace(&mut self, key: &[u8], weak: $crate::WeakKeys) -> Result<(), $crate::Error> {
                let keyed = self.driver.key(self.driver.cpu, key, weak)?;
                let driver = $crate::tfm::Chosen {
                    shared: self.driver.shared.clone(),
                    cpu: self.driver.cpu,
                    key_len: key.len(),
                };
                *self = $crate::tfm::sealed::FromKeyed::from_keyed(driver, keyed)
                    .ok_or_else(|| $crate::tfm::another_type(&self.driver))?;
                Ok(())
            }
        }
    };
}
pub(super) use rekeyed;
