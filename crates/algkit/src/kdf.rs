//! Keys from keys and passphrases, by HMAC.
//!
//! Each function takes an HMAC that has the secret as its key. HKDF's first step, extraction, needs no function: it is the
//! digest of an HMAC whose key is the salt and whose message is the shared secret.
//!
//! ```
//! # #[cfg(feature = "sha")] {
//! use algkit::{hmac_sha256, kdf};
//!
//! let secret = hmac_sha256(b"salt").digest(b"what the peers share");
//! let mut keys = [0; 64];
//! kdf::hkdf_expand(&hmac_sha256(&secret), &[b"for this purpose"], &mut keys)?;
//!
//! let mut key = [0; 32];
//! kdf::pbkdf2(&hmac_sha256(b"passphrase"), b"random salt", 100_000, &mut key)?;
//! # }
//! # Ok::<(), algkit::Error>(())
//! ```

use crate::{Error, Hash, blockwise::xor};
use zeroize::Zeroizing;

/// HKDF-Expand (RFC 5869, section 2.3). `info` may be in parts.
///
/// # Errors
/// [`Error::OutputLength`] if `out` is longer than 255 digests.
pub fn hkdf_expand(mac: &Hash, info: &[&[u8]], out: &mut [u8]) -> Result<(), Error> {
    let size = digest_size(mac)?;
    if out.len() > 255 * size {
        return Err(Error::OutputLength { got: out.len(), want: 255 * size });
    }
    let mut block = Zeroizing::new(vec![0; size]);
    for (out, number) in out.chunks_mut(size).zip(1u8..=255) {
        let mut state = mac.start();
        if number > 1 {
            state.update(&block);
        }
        info.iter().for_each(|part| state.update(part));
        state.digest_into(&[&[number]], &mut block)?;
        out.copy_from_slice(&block[..out.len()]);
    }
    Ok(())
}

/// PBKDF2 (RFC 8018, section 5.2). 0 iterations count as 1.
///
/// # Errors
/// [`Error::OutputLength`] if `out` is longer than 2^32 - 1 digests.
pub fn pbkdf2(mac: &Hash, salt: &[u8], iterations: u64, out: &mut [u8]) -> Result<(), Error> {
    let size = digest_size(mac)?;
    let most = size.saturating_mul(u32::MAX as usize);
    if out.len() > most {
        return Err(Error::OutputLength { got: out.len(), want: most });
    }
    let mut link = Zeroizing::new(vec![0; size]);
    let (mut next, mut sum) = (link.clone(), link.clone());
    for (out, number) in out.chunks_mut(size).zip(1..=u32::MAX) {
        mac.digest_into(&[salt, &number.to_be_bytes()], &mut link)?;
        sum.copy_from_slice(&link);
        for _ in 1..iterations {
            mac.digest_into(&[&link], &mut next)?;
            std::mem::swap(&mut link, &mut next);
            xor(&mut sum, &link);
        }
        out.copy_from_slice(&sum[..out.len()]);
    }
    Ok(())
}

/// The length of a block of the output.
fn digest_size(mac: &Hash) -> Result<usize, Error> {
    match mac.digest_size() {
        0 => Err(Error::BadParameters { name: mac.driver().name.clone(), reason: "it has no digest".to_owned() }),
        size => Ok(size),
    }
}

/// The pseudorandom function of TLS 1.2, `P_hash` (RFC 5246, section 5). `seed` may be in parts; the label is the first.
///
/// That of TLS 1.0 and 1.1 has two halves of the secret, for HMACs with MD5 and SHA-1, and adds the two outputs by XOR
/// ([`tls10_prf`]).
pub fn tls12_prf(mac: &Hash, seed: &[&[u8]], out: &mut [u8]) -> Result<(), Error> {
    let size = digest_size(mac)?;
    let mut a = Zeroizing::new(vec![0; size]);
    let mut block = a.clone();
    mac.digest_into(seed, &mut a)?;
    for out in out.chunks_mut(size) {
        let mut state = mac.start();
        state.update(&a);
        state.digest_into(seed, &mut block)?;
        out.copy_from_slice(&block[..out.len()]);
        mac.digest_into(&[&a], &mut block)?;
        std::mem::swap(&mut a, &mut block);
    }
    Ok(())
}

/// The pseudorandom function of TLS 1.0 and 1.1 (RFC 2246, section 5). MD5 needs the feature `legacy`.
pub fn tls10_prf(secret: &[u8], seed: &[&[u8]], out: &mut [u8]) -> Result<(), Error> {
    // If the length is odd, the halves have a byte in common.
    let half = secret.len().div_ceil(2);
    let mut other = Zeroizing::new(vec![0; out.len()]);
    let (md5, sha1) = (crate::hash("hmac(md5)")?, crate::hash("hmac(sha1)")?);
    tls12_prf(&md5.key(&secret[..half])?, seed, out)?;
    tls12_prf(&sha1.key(&secret[secret.len() - half..])?, seed, &mut other)?;
    xor(out, &other);
    Ok(())
}

#[cfg(all(test, feature = "sha"))]
mod tests {
    use super::*;
    use hex_literal::hex;

    /// RFC 5869, appendix A.1.
    #[test]
    fn hkdf() {
        let mac = |key: &[u8]| crate::hash("hmac(sha256)").unwrap().key(key).unwrap();
        let secret = mac(&hex!("000102030405060708090a0b0c")).digest(&[0x0b; 22]);
        let mut out = [0; 42];
        hkdf_expand(&mac(&secret), &[&hex!("f0f1f2f3f4"), &hex!("f5f6f7f8f9")], &mut out).unwrap();
        let expected = hex!("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865");
        assert_eq!(out, expected);
        // The last of all blocks is that of the package `cryptography` for Python.
        let mut all = [0; 255 * 32];
        hkdf_expand(&mac(&secret), &[&hex!("f0f1f2f3f4f5f6f7f8f9")], &mut all).unwrap();
        assert_eq!(all[..42], out);
        assert_eq!(all[254 * 32..], hex!("76a3f78bcffe95fecf91923c22ad6ee64d48a6d1b981d7e523d5c0f22154ee88"));
        assert!(hkdf_expand(&mac(&secret), &[], &mut [0; 254 * 32]).is_ok());
        assert!(hkdf_expand(&mac(&secret), &[], &mut [0; 255 * 32 + 1]).is_err());
        let null = crate::hash("digest_null").unwrap().key(&[]).unwrap();
        assert!(hkdf_expand(&null, &[], &mut []).is_err() && pbkdf2(&null, b"", 1, &mut [0]).is_err());
        assert!(tls12_prf(&null, &[], &mut [0]).is_err());
    }

    /// RFC 6070, with 2 rounds, and with 4096 and more than one block.
    #[test]
    fn pbkdf2_with_sha1() {
        let mac = |key: &[u8]| crate::hash("hmac(sha1)").unwrap().key(key).unwrap();
        let (mut short, mut long) = ([0; 20], [0; 25]);
        pbkdf2(&mac(b"password"), b"salt", 2, &mut short).unwrap();
        assert_eq!(short, hex!("ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"));
        // The last of 300 blocks is that of Python's hashlib.
        let mut all = [0; 300 * 20];
        pbkdf2(&mac(b"password"), b"salt", 2, &mut all).unwrap();
        assert_eq!(all[299 * 20..], hex!("2186d1aa83d662c2b5e1b662f15c839a5354be38"));
        let salt = b"saltSALTsaltSALTsaltSALTsaltSALTsalt";
        pbkdf2(&mac(b"passwordPASSWORDpassword"), salt, 4096, &mut long).unwrap();
        assert_eq!(long, hex!("3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038"));
    }

    /// The first of OpenSSL's `evpkdf_tls11_prf.txt`.
    #[cfg(feature = "legacy")]
    #[test]
    fn tls_1_0() {
        let secret =
            hex!("bded7fa5c1699c010be23dd06ada3a48349f21e5f86263d512c0c5cc379f0e780ec55d9844b2f1db02a96453513568d0");
        let client = hex!("e5acaf549cd25c22d964c0d930fa4b5261d2507fad84c33715b7b9a864020693");
        let server = hex!("135e4d557fdf3aa6406d82975d5c606a9734c9334b42136e96990fbd5358cdb2");
        let mut out = [0; 48];
        tls10_prf(&secret, &[b"master secret", &client, &server], &mut out).unwrap();
        let expected =
            hex!("2f6962dfbc744c4b2138bb6b3d33054c5ecc14f24851d9896395a44ab3964efc2090c5bf51a0891209f46c1e1e998f62");
        assert_eq!(out, expected);
    }
}
