//! Poly1305 and NHPoly1305.

use super::{Variant, key, variants};
use algkit_primitives::{
    chacha::ChaChaVectors,
    cpu::Token,
    nhpoly1305::NhPoly1305,
    poly1305::{Poly1305, Poly1305Token},
};

variants! {
    VPoly1305<Poly1305Token>: Poly1305<T>, |token, k| Poly1305::new(token, key(k));
    VNhPoly1305<ChaChaVectors>: NhPoly1305<T>, |token, k| NhPoly1305::new(token, key(k));
}
