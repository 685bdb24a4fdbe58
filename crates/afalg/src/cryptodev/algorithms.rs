//! The algorithms behind the numbers in a `session_op`.

/// How a cipher processes text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    /// Only whole blocks.
    Blocks,
    /// Texts of any length.
    Stream,
    /// With associated data and a tag (AEAD).
    Aead,
}

/// The name and the mode of a cipher number. Numbers that no kernel implements, such as the TLS suites, are
/// unknown.
pub(super) fn cipher(number: u32) -> Option<(&'static str, Mode)> {
    Some(match number {
        1 => ("cbc(des)", Mode::Blocks),
        2 => ("cbc(des3_ede)", Mode::Blocks),
        3 => ("cbc(blowfish)", Mode::Blocks),
        11 => ("cbc(aes)", Mode::Blocks),
        16 => (NULL, Mode::Stream),
        21 => ("ctr(aes)", Mode::Stream),
        22 => ("xts(aes)", Mode::Blocks),
        23 => ("ecb(aes)", Mode::Blocks),
        50 => ("gcm(aes)", Mode::Aead),
        101 => ("cbc(camellia)", Mode::Blocks),
        _ => return None,
    })
}

/// The null cipher, which does not change its input.
pub(super) const NULL: &str = "ecb(cipher_null)";
/// The name of the kernel's driver for it.
pub(super) const NULL_DRIVER: &str = "ecb-cipher_null";

/// The name of a hash number, and whether it takes a key.
pub(super) fn hash(number: u32) -> Option<(&'static str, bool)> {
    Some(match number {
        6 => ("hmac(md5)", true),
        7 => ("hmac(sha1)", true),
        8 => ("hmac(rmd160)", true),
        13 => ("md5", false),
        14 => ("sha1", false),
        18 => ("hmac(sha256)", true),
        19 => ("hmac(sha384)", true),
        20 => ("hmac(sha512)", true),
        102 => ("rmd160", false),
        103 => ("sha224", false),
        104 => ("sha256", false),
        105 => ("sha384", false),
        106 => ("sha512", false),
        107 => ("hmac(sha224)", true),
        _ => return None,
    })
}
