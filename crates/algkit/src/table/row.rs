//! A row of the driver table.

use crate::{
    Sizes,
    adapters::{Make, MakeHash},
    driver::{AeadOps, BadKey, CipherOps, Driver, Keyed, Shape, SkcipherOps, Timing, Type, WeakKeys},
};
use algkit_primitives::cpu::{CpuFeatures, Feature, FeatureSet, Token};

/// The properties that all drivers of an algorithm share.
pub(super) struct Algorithm {
    pub name: &'static str,
    pub kind: Type,
    pub shape: Shape,
}

/// A hash without a key.
pub(super) const fn hash(name: &'static str, blocksize: usize, digestsize: usize) -> Algorithm {
    Algorithm { name, kind: Type::Hash, shape: Shape::hash(blocksize, digestsize) }
}

/// A hash without a key, with any output length.
pub(super) const fn extendable_hash(name: &'static str, blocksize: usize, digestsize: usize) -> Algorithm {
    Algorithm { name, kind: Type::Hash, shape: Shape::hash(blocksize, digestsize).extendable() }
}

/// A hash that requires a key.
pub(super) const fn keyed_hash(name: &'static str, blocksize: usize, digestsize: usize, keys: Sizes) -> Algorithm {
    Algorithm { name, kind: Type::Hash, shape: Shape::keyed_hash(blocksize, digestsize, keys) }
}

/// A hash with an optional key.
pub(super) const fn optional_key(name: &'static str, blocksize: usize, digestsize: usize, keys: Sizes) -> Algorithm {
    let shape = Shape::keyed_hash(blocksize, digestsize, keys).with_optional_key();
    Algorithm { name, kind: Type::Hash, shape }
}

/// One driver.
pub(super) struct Row {
    algorithm: &'static Algorithm,
    /// The driver's name, written out, so that a search for it finds the row.
    driver: &'static str,
    priority: u32,
    timing: Timing,
    needs: FeatureSet,
    /// See [`Driver::prefers`].
    prefers: FeatureSet,
    /// The file of the arithmetic; see [`Driver::source`].
    source: &'static str,
    context_size: usize,
    make: fn(CpuFeatures, &[u8], WeakKeys) -> Result<Keyed, BadKey>,
}

/// The preference of a driver that needs AVX-512: a CPU whose frequency does not drop with 512-bit vectors.
const fn wide(needs: FeatureSet) -> FeatureSet {
    if needs.has(Feature::Avx512) { FeatureSet::of(&[Feature::Fast512]) } else { FeatureSet::NONE }
}

const LACKING: BadKey = BadKey("the CPU lacks what the driver needs");

macro_rules! rows {
    ($($name:ident, $kind:ident: ($($bounds:tt)*), $make:ident, $size:expr;)*) => {
        impl Row {
            $(
                /// A driver of this type. The arguments are fields of [`Row`], in the same order.
                pub const fn $name<D: $($bounds)*>(
                    algorithm: &'static Algorithm,
                    driver: &'static str,
                    priority: u32,
                    source: &'static str,
                ) -> Self {
                    assert!(matches!(algorithm.kind, Type::$kind), "the row's type is not the algorithm's");
                    Self {
                        algorithm,
                        driver,
                        priority,
                        timing: Timing::Constant,
                        needs: D::Token::NEEDS,
                        prefers: wide(D::Token::NEEDS),
                        source,
                        context_size: $size,
                        make: |cpu, key, weak| {
                            let token = D::Token::detect(cpu).ok_or(LACKING)?;
                            Ok(Keyed::$kind(D::$make(token, key, weak)?))
                        },
                    }
                }
            )*
        }
    };
}

rows! {
    cipher, Cipher: (Make + CipherOps + 'static), boxed, size_of::<D>();
    skcipher, Skcipher: (Make + SkcipherOps + 'static), boxed, size_of::<D>();
    aead, Aead: (Make + AeadOps + 'static), boxed, size_of::<D>();
    hash, Hash: (MakeHash), boxed_hash, D::SIZE;
}

impl Row {
    /// Marks the driver as one with secret-dependent table lookups.
    pub const fn table(mut self) -> Self {
        self.timing = Timing::Table;
        self
    }

    /// Marks a driver whose vector operations form one dependent chain, so that it prefers CPUs with one-cycle
    /// vector operations.
    #[cfg(target_arch = "x86_64")]
    pub const fn serial(mut self) -> Self {
        self.prefers = FeatureSet::of(&[Feature::FastSimd]);
        self
    }

    /// The driver that the row describes.
    pub fn driver(&self) -> Driver {
        let Algorithm { name, kind, shape } = self.algorithm;
        Driver {
            priority: self.priority.into(),
            context_size: self.context_size,
            timing: self.timing,
            needs: self.needs,
            prefers: self.prefers,
            source: self.source,
            ..Driver::new(*name, self.driver, *kind, shape.clone(), self.make)
        }
    }
}
