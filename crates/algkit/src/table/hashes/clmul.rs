//! GHASH and POLYVAL.

use super::{Of, Variant, family, key, keyed, variants};
use crate::Sizes;
use crate::table::row::{Algorithm, Row};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use algkit_primitives::cpu;
use algkit_primitives::{
    cpu::{Portable, Token},
    ghash::{ClmulToken, GHash, Polyval},
};

static GHASH: Algorithm = keyed("ghash", 16, 16, Sizes::of(&[16]));
static POLYVAL: Algorithm = keyed("polyval", 16, 16, Sizes::of(&[16]));

variants! {
    VGhash<ClmulToken>: GHash<T>, |token, k| GHash::new(token, key(k));
    VPolyval<ClmulToken>: Polyval<T>, |token, k| Polyval::new(token, key(k));
}

macro_rules! clmul {
    ($token:ty, $cpu:literal, $priority:literal) => {
        family!($token, $cpu, $priority: VGhash, GHASH, "ghash"; VPolyval, POLYVAL, "polyval";)
    };
}

pub(in crate::table) static ROWS: &[&[Row]] = &[
    clmul!(Portable, "generic", 100),
    #[cfg(target_arch = "x86_64")]
    clmul!(cpu::Pclmul, "pclmul", 300),
    #[cfg(target_arch = "x86_64")]
    clmul!(cpu::Vaes256, "vpclmul-avx2", 400),
    #[cfg(target_arch = "x86_64")]
    clmul!(cpu::Vaes512, "vpclmul-avx512", 500),
    #[cfg(target_arch = "aarch64")]
    clmul!(cpu::ArmCe, "ce", 300),
];
