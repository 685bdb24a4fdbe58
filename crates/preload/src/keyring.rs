//! The kernel's keyrings, from which a client may name keys by serial number.

use crate::kernel::kernel;
use algkit_afalg::{Errno, alg::Keyring};
use libc::{SYS_keyctl, c_long};
use zeroize::Zeroizing;

/// The keys that this process may read.
pub struct ProcessKeys;

const KEYCTL_DESCRIBE: c_long = 6;
const KEYCTL_READ: c_long = 11;

/// The types of keys whose payload may key a transform. Only the kernel itself can read that of a `logon` key.
const TYPES: [&[u8]; 4] = [b"user", b"logon", b"encrypted", b"trusted"];

impl Keyring for ProcessKeys {
    fn payload(&self, serial: i32) -> Result<Zeroizing<Vec<u8>>, Errno> {
        let description = ask(KEYCTL_DESCRIBE, serial)?;
        let kind = description.split(|&byte| byte == b';').next().unwrap_or_default();
        if !TYPES.contains(&kind) {
            return Err(Errno::NOPROTOOPT);
        }
        ask(KEYCTL_READ, serial)
    }
}

/// The complete answer of `keyctl` about a key.
fn ask(operation: c_long, serial: i32) -> Result<Zeroizing<Vec<u8>>, Errno> {
    let mut buffer = Zeroizing::new(vec![0; 1024]);
    loop {
        let room = buffer.len();
        let place = buffer.as_mut_ptr().expose_provenance();
        let len = kernel(SYS_keyctl, [operation, serial.into(), place as c_long, room as c_long, 0])?;
        let len = usize::try_from(len).map_err(|_| Errno::INVAL)?;
        if len <= room {
            buffer.truncate(len);
            return Ok(buffer);
        }
        buffer = Zeroizing::new(vec![0; len]);
    }
}
