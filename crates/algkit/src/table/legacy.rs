//! Legacy ciphers and hashes, and national standards: Twofish, ARC4, and wrapped RustCrypto crates.
//!
//! The ciphers here, ARC4, Whirlpool and Streebog look up their S-boxes in memory, at addresses that depend on the
//! key and the text: timing=table. MD4, MD5, RIPEMD-160 and SM3 use additions, rotations and bitwise functions
//! only.

use super::row::{Algorithm, Row, hash};
use crate::{
    Sizes,
    adapters::legacy::{
        arc4::Arc4,
        ciphers::{BySize, Cipher},
        des::{Single, Triple},
        hashes::Hash,
    },
    driver::{Shape, TextRule, Type},
};
use algkit_primitives::twofish::Twofish;

const K128_192_256: Sizes = Sizes::of(&[16, 24, 32]);

const fn cipher(name: &'static str, blocksize: usize, keys: Sizes) -> Algorithm {
    Algorithm { name, kind: Type::Cipher, shape: Shape::cipher(blocksize, keys) }
}

/// FIPS 46-3.
static DES: Algorithm = cipher("des", 8, Sizes::of(&[8]));
/// SP 800-67.
static DES3_EDE: Algorithm = cipher("des3_ede", 8, Sizes::of(&[24]));
/// Schneier and others, 1998.
static TWOFISH: Algorithm = cipher("twofish", 16, K128_192_256);
/// RFC 3713.
static CAMELLIA: Algorithm = cipher("camellia", 16, K128_192_256);
/// RFC 2144.
static CAST5: Algorithm = cipher("cast5", 8, Sizes::Between(5, 16));
/// RFC 2612.
static CAST6: Algorithm = cipher("cast6", 16, Sizes::of(&[16, 20, 24, 28, 32]));
/// Schneier, 1993.
static BLOWFISH: Algorithm = cipher("blowfish", 8, Sizes::Between(4, 56));
/// GB/T 32907-2016.
static SM4: Algorithm = cipher("sm4", 16, Sizes::of(&[16]));
/// RFC 5794.
static ARIA: Algorithm = cipher("aria", 16, K128_192_256);
/// RFC 6229.
static ARC4: Algorithm = Algorithm {
    name: "ecb(arc4)",
    kind: Type::Skcipher,
    shape: Shape::skcipher(1, Sizes::Between(1, 256), 0, TextRule::Any),
};
/// RFC 1320.
static MD4: Algorithm = hash("md4", 64, 16);
/// RFC 1321.
static MD5: Algorithm = hash("md5", 64, 16);
/// ISO/IEC 10118-3.
static RMD160: Algorithm = hash("rmd160", 64, 20);
/// GB/T 32905-2016.
static SM3: Algorithm = hash("sm3", 64, 32);
/// ISO/IEC 10118-3. The shorter digests are prefixes of this one.
static WP512: Algorithm = hash("wp512", 64, 64);
static WP384: Algorithm = hash("wp384", 64, 48);
static WP256: Algorithm = hash("wp256", 64, 32);
/// RFC 6986.
static STREEBOG256: Algorithm = hash("streebog256", 64, 32);
static STREEBOG512: Algorithm = hash("streebog512", 64, 64);

pub(super) static ROWS: &[&[Row]] = &[&[
    Row::cipher::<Cipher<::des::Des, Single>>(&DES, "des-generic", 100, "crate des").table(),
    Row::cipher::<Cipher<::des::TdesEde3, Triple>>(&DES3_EDE, "des3_ede-generic", 100, "crate des").table(),
    Row::cipher::<Twofish>(&TWOFISH, "twofish-generic", 100, "twofish/mod.rs").table(),
    Row::cipher::<BySize<camellia::Camellia128, camellia::Camellia192, camellia::Camellia256>>(
        &CAMELLIA,
        "camellia-generic",
        100,
        "crate camellia",
    )
    .table(),
    Row::cipher::<Cipher<cast5::Cast5>>(&CAST5, "cast5-generic", 100, "crate cast5").table(),
    Row::cipher::<Cipher<cast6::Cast6>>(&CAST6, "cast6-generic", 100, "crate cast6").table(),
    Row::cipher::<Cipher<blowfish::Blowfish>>(&BLOWFISH, "blowfish-generic", 100, "crate blowfish").table(),
    Row::cipher::<Cipher<sm4::Sm4>>(&SM4, "sm4-generic", 100, "crate sm4").table(),
    Row::cipher::<BySize<aria::Aria128, aria::Aria192, aria::Aria256>>(&ARIA, "aria-generic", 100, "crate aria")
        .table(),
    Row::skcipher::<Arc4>(&ARC4, "arc4-generic", 100, "adapters/legacy/arc4.rs").table(),
    Row::hash::<Hash<md4::Md4>>(&MD4, "md4-generic", 100, "crate md4"),
    Row::hash::<Hash<md5::Md5>>(&MD5, "md5-generic", 100, "crate md-5"),
    Row::hash::<Hash<ripemd::Ripemd160>>(&RMD160, "rmd160-generic", 100, "crate ripemd"),
    Row::hash::<Hash<sm3::Sm3>>(&SM3, "sm3-generic", 100, "crate sm3"),
    Row::hash::<Hash<whirlpool::Whirlpool>>(&WP512, "wp512-generic", 100, "crate whirlpool").table(),
    Row::hash::<Hash<whirlpool::Whirlpool>>(&WP384, "wp384-generic", 100, "crate whirlpool").table(),
    Row::hash::<Hash<whirlpool::Whirlpool>>(&WP256, "wp256-generic", 100, "crate whirlpool").table(),
    Row::hash::<Hash<streebog::Streebog256>>(&STREEBOG256, "streebog256-generic", 100, "crate streebog").table(),
    Row::hash::<Hash<streebog::Streebog512>>(&STREEBOG512, "streebog512-generic", 100, "crate streebog").table(),
]];
