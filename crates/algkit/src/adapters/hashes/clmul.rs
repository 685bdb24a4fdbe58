//! GHASH and POLYVAL.

use super::{Variant, key, variants};
use algkit_primitives::{
    cpu::Token,
    ghash::{ClmulToken, GHash, Polyval},
};

variants! {
    VGhash<ClmulToken>: GHash<T>, |token, k| GHash::new(token, key(k));
    VPolyval<ClmulToken>: Polyval<T>, |token, k| Polyval::new(token, key(k));
}
