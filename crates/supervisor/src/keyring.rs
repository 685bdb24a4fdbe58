//! The kernel's keyrings, which a client may name keys from by serial number.
//!
//! They are the supervisor's: a key must be in a keyring that it shares with the target, as those of the session and
//! of the user are, and permit its user to read it.

use crate::sys;
use algkit_afalg::{Errno, alg::Keyring};
use zeroize::Zeroizing;

/// Keys that the supervisor may read.
#[derive(Clone, Copy, Debug)]
pub struct SupervisorKeys;

const KEYCTL_DESCRIBE: i32 = 6;
const KEYCTL_READ: i32 = 11;

/// A longer payload is no key of any algorithm.
const MAX_PAYLOAD: usize = 64 << 10;

/// Types of keys whose payload may key a transform. The kernel lets nobody read a `logon` key but itself.
const TYPES: [&[u8]; 4] = [b"user", b"logon", b"encrypted", b"trusted"];

impl Keyring for SupervisorKeys {
    fn payload(&self, serial: i32) -> Result<Zeroizing<Vec<u8>>, Errno> {
        let description = ask(KEYCTL_DESCRIBE, serial)?;
        let kind = description.split(|&byte| byte == b';').next().unwrap_or_default();
        if TYPES.contains(&kind) { ask(KEYCTL_READ, serial) } else { Err(Errno::NOPROTOOPT) }
    }
}

fn ask(operation: i32, serial: i32) -> Result<Zeroizing<Vec<u8>>, Errno> {
    let mut buffer = Zeroizing::new(vec![0; MAX_PAYLOAD]);
    let len = sys::keyctl(operation, serial, &mut buffer)?;
    if len > buffer.len() {
        return Err(Errno::INVAL);
    }
    buffer.truncate(len);
    Ok(buffer)
}
