//! Sockets that name a transform.

use super::{
    Role, Socket, aead,
    algorithm::Algorithm,
    common::{Count, Sharing},
    hash, skcipher,
};
use crate::{
    Errno,
    abi::{ALG_SET_AEAD_AUTHSIZE, ALG_SET_DRBG_ENTROPY, ALG_SET_KEY, ALG_SET_KEY_BY_KEY_SERIAL, Address, SOL_ALG},
};
use std::sync::{Arc, Mutex};
use zeroize::Zeroizing;

/// A longer key does not fit the kernel's memory for socket options (`net.core.optmem_max`).
pub(super) const MAX_OPTION: usize = 20_479;

/// Keys that the kernel keeps for the client, found by serial number.
pub trait Keyring {
    /// The payload of a `user`, `logon`, `encrypted` or `trusted` key; for a key of another type
    /// [`Errno::NOPROTOOPT`], and otherwise what `keyctl(KEYCTL_READ)` says.
    fn payload(&self, serial: i32) -> Result<Zeroizing<Vec<u8>>, Errno>;
}

/// No keys: what a kernel without keyrings has.
#[derive(Clone, Copy, Default, Debug)]
pub struct NoKeyring;

impl Keyring for NoKeyring {
    fn payload(&self, _: i32) -> Result<Zeroizing<Vec<u8>>, Errno> {
        Err(Errno::NOPROTOOPT)
    }
}

/// What a socket and those accepted from it share.
#[derive(Default, Debug)]
pub(crate) struct Parent(pub(super) Mutex<State>);

#[derive(Default, Debug)]
pub(super) struct State {
    pub(super) algorithm: Option<Algorithm>,
    /// Sockets that were accepted from this one and are open in this process.
    pub(super) own: Count,
    /// What other processes have to do with it.
    pub(super) sharing: Option<Sharing>,
}

impl State {
    fn set_key(&mut self, key: &[u8]) -> Result<(), Errno> {
        let algorithm = self.algorithm.as_mut().ok_or(Errno::NOPROTOOPT)?;
        let was_ready = algorithm.is_ready();
        let result = algorithm.set_key(key);
        // One that is refused and takes the former one away does so everywhere.
        if result.is_ok() || was_ready && !algorithm.is_ready() {
            self.note_key(key);
        }
        result
    }
}

impl Parent {
    pub(super) fn bind(&self, address: &[u8]) -> Result<(), Errno> {
        let algorithm = Algorithm::find(&Address::parse(address)?)?;
        let mut state = self.lock_settled();
        if state.open().children > 0 {
            return Err(Errno::BUSY);
        }
        state.algorithm = Some(algorithm);
        state.note_address(address);
        Ok(())
    }

    pub(super) fn set_option(&self, level: i32, name: i32, value: &[u8], keyring: &dyn Keyring) -> Result<(), Errno> {
        let mut state = self.lock_settled();
        let open = state.open();
        if open.children != open.keyless {
            return Err(Errno::BUSY);
        }
        let algorithm = state.algorithm.as_mut().filter(|_| level == SOL_ALG).ok_or(Errno::NOPROTOOPT)?;
        match name {
            ALG_SET_KEY if value.len() > MAX_OPTION => Err(Errno::NOMEM),
            ALG_SET_KEY => state.set_key(value),
            ALG_SET_KEY_BY_KEY_SERIAL => {
                let serial = i32::from_ne_bytes(value.try_into().map_err(|_| Errno::INVAL)?);
                let key = keyring.payload(serial)?;
                state.set_key(&key)
            }
            ALG_SET_AEAD_AUTHSIZE => {
                algorithm.set_tag_len(value.len())?;
                state.note_tag_len(value.len());
                Ok(())
            }
            ALG_SET_DRBG_ENTROPY => {
                algorithm.set_entropy(value)?;
                state.note_entropy(value);
                Ok(())
            }
            _ => Err(Errno::NOPROTOOPT),
        }
    }

    pub(super) fn accept(self: &Arc<Self>) -> Result<Socket, Errno> {
        let mut state = self.lock();
        let State { algorithm, own, .. } = &mut *state;
        let mut lease = |has_key: bool| {
            own.children += 1;
            own.keyless += usize::from(!has_key);
            Lease { parent: self.clone(), keyless: !has_key }
        };
        let role = match algorithm.as_ref().ok_or(Errno::INVAL)? {
            Algorithm::Skcipher { driver, keyed } => {
                let lease = lease(keyed.is_some());
                Role::Skcipher(Box::new(skcipher::Operation::new(lease, driver.driver(), keyed.clone())))
            }
            Algorithm::Aead { driver, keyed, tag_len } => {
                let lease = lease(keyed.is_some());
                let keyed = keyed.clone().map(|keyed| (keyed, *tag_len));
                Role::Aead(Box::new(aead::Operation::new(lease, driver.driver(), keyed)))
            }
            Algorithm::Hash { driver, ready } => {
                let lease = lease(ready.is_some());
                Role::Hash(Box::new(hash::Operation::new(lease, driver.driver(), ready.clone())))
            }
            Algorithm::Rng(generator) => Role::Rng(generator.accept(lease(true))),
            Algorithm::Misfit(misfit) => misfit.accept(lease(false)),
        };
        Ok(role.into())
    }
}

/// A socket's share in the one it was accepted from.
#[derive(Debug)]
pub(super) struct Lease {
    pub(super) parent: Arc<Parent>,
    keyless: bool,
}

impl Lease {
    /// What `pick` finds now that the parent may have got a key.
    pub(super) fn key<T>(&mut self, pick: impl FnOnce(&Algorithm) -> Option<T>) -> Result<T, Errno> {
        let mut state = self.parent.lock();
        let found = state.algorithm.as_ref().and_then(pick).ok_or(Errno::NOKEY)?;
        state.own.keyless -= usize::from(std::mem::take(&mut self.keyless));
        Ok(found)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut state = self.parent.lock();
        state.own.children -= 1;
        state.own.keyless -= usize::from(self.keyless);
    }
}
