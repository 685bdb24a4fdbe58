//! Key files: their bytes are mixed into a pool that is added to the passphrase (TrueCrypt's Common/Keyfiles.c).

use crate::{Error, lookup};
use zeroize::Zeroizing;

/// The number of bytes of a key file that are used.
pub const KEYFILE: usize = 1 << 20;

/// The longest passphrase without and with VeraCrypt, in bytes. Pools have these lengths too.
const SHORT: usize = 64;
const LONG: usize = 128;

/// The input of the key derivation: the passphrase, or, with key files, all of a pool.
pub(super) fn mixed(
    passphrase: &[u8],
    keyfiles: &[Zeroizing<Vec<u8>>],
    veracrypt: bool,
) -> Result<Zeroizing<Vec<u8>>, Error> {
    // VeraCrypt's pool is the long one only if the passphrase is.
    let room = if veracrypt && passphrase.len() > SHORT { LONG } else { SHORT };
    if passphrase.len() > room {
        let reason = format!("{} bytes long; {room} are the most", passphrase.len());
        return Err(Error::damaged("the passphrase", reason));
    }
    let len = if keyfiles.is_empty() { passphrase.len() } else { room };
    let mut pool = Zeroizing::new(vec![0u8; len]);
    let crc32 = lookup::seeded("crc32", &[0xff; 4])?;
    for keyfile in keyfiles {
        let mut crc = crc32.start();
        let mut at = 0;
        for byte in &keyfile[..keyfile.len().min(KEYFILE)] {
            crc.update(&[*byte]);
            let mut sum = Zeroizing::new([0; 4]);
            crc.clone().finish_into(&mut *sum)?;
            // The driver's bytes are little-endian.
            for part in sum.iter().rev() {
                pool[at] = pool[at].wrapping_add(*part);
                at = (at + 1) % room;
            }
        }
    }
    pool.iter_mut().zip(passphrase).for_each(|(sum, byte)| *sum = sum.wrapping_add(*byte));
    Ok(pool)
}
