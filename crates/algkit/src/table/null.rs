//! The null algorithms `cipher_null`, `ecb(cipher_null)` and `digest_null`. Users of the kernel test with them, or
//! use `authenc` without encryption (RFC 2410).

use super::row::{Algorithm, Row, keyed_hash};
use crate::{
    Sizes,
    adapters::null::{Nothing, Null},
    driver::{Fresh, Shape, TextRule, Type},
};

static CIPHER_NULL: Algorithm =
    Algorithm { name: "cipher_null", kind: Type::Cipher, shape: Shape::cipher(1, Sizes::NONE) };
static ECB_NULL: Algorithm = Algorithm {
    name: "ecb(cipher_null)",
    kind: Type::Skcipher,
    shape: Shape::skcipher(1, Sizes::NONE, 0, TextRule::Blocks),
};
/// The kernel does not compute this digest before it has been given a key, which it ignores.
static DIGEST_NULL: Algorithm = keyed_hash("digest_null", 1, 0, Sizes::Between(0, usize::MAX));

/// The adapters' file, as there is no arithmetic.
const SOURCE: &str = "adapters/null.rs";

pub(super) static ROWS: &[&[Row]] = &[&[
    Row::cipher::<Null>(&CIPHER_NULL, "cipher_null-generic", 0, SOURCE),
    Row::skcipher::<Null>(&ECB_NULL, "ecb-cipher_null", 100, SOURCE),
    Row::hash::<Fresh<Nothing>>(&DIGEST_NULL, "digest_null-generic", 0, SOURCE),
]];
