//! Helpers that make an IV from a nonce.

use crate::Error;

/// The 16-byte IV of `ccm(…)`, made from a nonce of 7 to 13 bytes: the byte L − 1, the nonce, and L zero bytes for
/// the block counter (RFC 3610, section 2.3). L = 15 − the nonce's length is the size in bytes of the field that
/// holds the text's length. A nonce of 13 bytes allows texts of up to 65535 bytes, one of 12 bytes up to 16 MiB.
///
/// ```
/// let ccm = algkit::aead("ccm(aes)")?.key(&[1; 16])?;
/// let sealed = ccm.seal(&algkit::ccm_iv(b"twelve bytes")?, b"", b"text")?;
/// assert_eq!(ccm.open(&algkit::ccm_iv(b"twelve bytes")?, b"", &sealed)?, b"text");
/// assert!(algkit::ccm_iv(b"short").is_err());
/// # Ok::<(), algkit::Error>(())
/// ```
pub fn ccm_iv(nonce: &[u8]) -> Result<[u8; 16], Error> {
    if !(7..=13).contains(&nonce.len()) {
        return Err(Error::BadIv { name: "ccm".to_owned(), reason: "a nonce of CCM has 7 to 13 bytes" });
    }
    let mut iv = [0; 16];
    iv[0] = (14 - nonce.len()) as u8;
    iv[1..=nonce.len()].copy_from_slice(nonce);
    Ok(iv)
}
