//! AWS-LC.

super::ring::ring_like!(aws_lc_rs);

fn digest_algorithm(name: &str) -> Option<&'static digest::Algorithm> {
    Some(match name {
        "sha1" => &digest::SHA1_FOR_LEGACY_USE_ONLY,
        "sha224" => &digest::SHA224,
        "sha256" => &digest::SHA256,
        "sha384" => &digest::SHA384,
        "sha512" => &digest::SHA512,
        "sha3-256" => &digest::SHA3_256,
        "sha3-512" => &digest::SHA3_512,
        _ => return None,
    })
}
