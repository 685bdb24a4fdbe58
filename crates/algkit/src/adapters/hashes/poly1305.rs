//! Poly1305.

use super::{Variant, key, variants};
use algkit_primitives::{
    cpu::Token,
    poly1305::{Poly1305, Poly1305Token},
};

variants! {
    VPoly1305<Poly1305Token>: Poly1305<T>, |token, k| Poly1305::new(token, key(k));
}
