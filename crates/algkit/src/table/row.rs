//! A row of the table, and the types of driver it can name.

use crate::driver::{AeadOps, BadKey, CipherOps, Driver, HashOps, Keyed, Shape, SkcipherOps, Timing, Type, WeakKeys};
use algkit_primitives::cpu::{CpuFeatures, FeatureSet, Token};

/// What all drivers of an algorithm have in common.
pub(super) struct Algorithm {
    pub name: &'static str,
    pub kind: Type,
    pub shape: Shape,
}

/// One driver.
pub(super) struct Row {
    algorithm: &'static Algorithm,
    driver: &'static str,
    priority: u32,
    timing: Timing,
    needs: FeatureSet,
    make: fn(CpuFeatures, &[u8], WeakKeys) -> Result<Keyed, BadKey>,
}

/// A keyed instance that a row can make.
///
/// The key has a length that the algorithm's shape allows.
pub(super) trait Make: Sized {
    /// What proves that the CPU has what the driver needs.
    type Token: Token;

    /// The instance.
    fn make(token: Self::Token, key: &[u8], weak: WeakKeys) -> Result<Self, BadKey>;

    /// The instance, where it stays.
    fn boxed(token: Self::Token, key: &[u8], weak: WeakKeys) -> Result<Box<Self>, BadKey> {
        Self::make(token, key, weak).map(Box::new)
    }
}

macro_rules! rows {
    ($($name:ident, $ops:ident, $keyed:ident;)*) => {
        impl Row {
            $(
                /// A driver of this type.
                pub const fn $name<D: Make + $ops + 'static>(
                    algorithm: &'static Algorithm,
                    driver: &'static str,
                    priority: u32,
                ) -> Self {
                    assert!(matches!(algorithm.kind, Type::$keyed), "the row's type is not the algorithm's");
                    Self {
                        algorithm,
                        driver,
                        priority,
                        timing: Timing::Constant,
                        needs: D::Token::NEEDS,
                        make: |cpu, key, weak| {
                            let token = D::Token::detect(cpu).ok_or(BadKey("the CPU lacks what the driver needs"))?;
                            Ok(Keyed::$keyed(D::boxed(token, key, weak)?))
                        },
                    }
                }
            )*
        }
    };
}

rows! {
    cipher, CipherOps, Cipher;
    skcipher, SkcipherOps, Skcipher;
    aead, AeadOps, Aead;
    hash, HashOps, Hash;
}

impl Row {
    /// The same driver, with secret-dependent table lookups.
    pub const fn table(mut self) -> Self {
        self.timing = Timing::Table;
        self
    }

    /// The driver that the row describes.
    pub fn driver(&self) -> Driver {
        let Algorithm { name, kind, shape } = self.algorithm;
        Driver {
            priority: self.priority,
            timing: self.timing,
            needs: self.needs,
            ..Driver::new(*name, self.driver, *kind, shape.clone(), self.make)
        }
    }
}
