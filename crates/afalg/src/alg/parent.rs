//! Parent sockets, which name a transform and hold its key.

use super::algorithm::Algorithm;
use crate::{
    Errno,
    abi::{ALG_SET_AEAD_AUTHSIZE, ALG_SET_DRBG_ENTROPY, ALG_SET_KEY, ALG_SET_KEY_BY_KEY_SERIAL, Address, SOL_ALG},
};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use zeroize::Zeroizing;

/// The longest key in bytes that fits the kernel's memory for socket options (`net.core.optmem_max`).
const MAX_OPTION: usize = 20_479;

/// Access to the kernel keys of the client, by serial number.
pub trait Keyring {
    /// The payload of a `user`, `logon`, `encrypted` or `trusted` key. For keys of other types the error is
    /// [`Errno::NOPROTOOPT`], otherwise that of `keyctl(KEYCTL_READ)`.
    fn payload(&self, serial: i32) -> Result<Zeroizing<Vec<u8>>, Errno>;
}

/// A keyring without keys, as in a kernel without keyrings.
#[derive(Clone, Copy, Default, Debug)]
pub struct NoKeyring;

impl Keyring for NoKeyring {
    fn payload(&self, _: i32) -> Result<Zeroizing<Vec<u8>>, Errno> {
        Err(Errno::NOPROTOOPT)
    }
}

/// The state that a socket shares with the sockets accepted from it.
#[derive(Default, Debug)]
pub(super) struct Parent(Mutex<State>);

#[derive(Default, Debug)]
struct State {
    algorithm: Option<Algorithm>,
    /// The number of open sockets that were accepted from this one.
    children: usize,
    /// The number of those that were accepted before a key was set and have not used one yet.
    keyless: usize,
}

impl Parent {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn bind(&self, address: &[u8]) -> Result<(), Errno> {
        let algorithm = Algorithm::find(&Address::parse(address)?)?;
        let mut state = self.lock();
        if state.children > 0 {
            return Err(Errno::BUSY);
        }
        state.algorithm = Some(algorithm);
        Ok(())
    }

    pub(super) fn set_option(&self, level: i32, name: i32, value: &[u8], keyring: &dyn Keyring) -> Result<(), Errno> {
        let mut state = self.lock();
        if state.children != state.keyless {
            return Err(Errno::BUSY);
        }
        let algorithm = state.algorithm.as_mut().filter(|_| level == SOL_ALG).ok_or(Errno::NOPROTOOPT)?;
        match name {
            ALG_SET_KEY if value.len() > MAX_OPTION => Err(Errno::NOMEM),
            ALG_SET_KEY => algorithm.set_key(value),
            ALG_SET_KEY_BY_KEY_SERIAL => {
                let serial = i32::from_ne_bytes(value.try_into().map_err(|_| Errno::INVAL)?);
                let key = keyring.payload(serial)?;
                algorithm.set_key(&key)
            }
            ALG_SET_AEAD_AUTHSIZE => algorithm.set_tag_len(value.len()),
            ALG_SET_DRBG_ENTROPY => algorithm.set_entropy(value),
            _ => Err(Errno::NOPROTOOPT),
        }
    }

    /// Calls `make` with the algorithm for a socket that is being accepted. `make` must not drop the lease, as its
    /// drop takes the lock that is held meanwhile.
    pub(super) fn lease<T>(self: &Arc<Self>, make: impl FnOnce(&Algorithm, Lease) -> T) -> Result<T, Errno> {
        let mut state = self.lock();
        let State { algorithm, children, keyless } = &mut *state;
        let algorithm = algorithm.as_ref().ok_or(Errno::INVAL)?;
        let is_keyless = !algorithm.is_ready();
        *children += 1;
        *keyless += usize::from(is_keyless);
        Ok(make(algorithm, Lease { parent: self.clone(), keyless: is_keyless }))
    }
}

/// The share of an accepted socket in its parent.
#[derive(Debug)]
pub(super) struct Lease {
    pub(super) parent: Arc<Parent>,
    keyless: bool,
}

impl Lease {
    /// Calls `pick` to get a key that the parent has received since.
    pub(super) fn key<T>(&mut self, pick: impl FnOnce(&Algorithm) -> Option<T>) -> Result<T, Errno> {
        let mut state = self.parent.lock();
        let found = state.algorithm.as_ref().and_then(pick).ok_or(Errno::NOKEY)?;
        state.keyless -= usize::from(std::mem::take(&mut self.keyless));
        Ok(found)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut state = self.parent.lock();
        state.children -= 1;
        state.keyless -= usize::from(self.keyless);
    }
}
