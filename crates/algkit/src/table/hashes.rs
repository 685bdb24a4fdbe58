//! Hashes and checksums.

use super::row::{Algorithm, Make, Row};
use crate::{
    Sizes,
    driver::{BadKey, Fresh, PlainState, Shape, Type, WeakKeys},
};
use algkit_primitives::{
    blake2::{Blake2b, Blake2s},
    cpu::{self, Portable, Token},
    crc32::{Crc32, Crc32c},
    ghash::{ClmulToken, GHash, Polyval},
    hash::Hash,
    keccak::{Keccak, Permute},
    sha1::{self, Sha1},
    sha2::{Compress256, Compress512, Sha256, Sha512},
    xxhash::XxHash64,
};

const fn hash(name: &'static str, blocksize: usize, digestsize: usize) -> Algorithm {
    Algorithm { name, kind: Type::Hash, shape: Shape::hash(blocksize, digestsize) }
}

/// A hash whose key may be left out.
const fn optional_key(name: &'static str, blocksize: usize, digestsize: usize, keys: Sizes) -> Algorithm {
    let mut algorithm = hash(name, blocksize, digestsize);
    algorithm.shape.keys = keys;
    algorithm
}

static SHA1: Algorithm = hash("sha1", 64, 20);
