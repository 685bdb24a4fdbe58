//! `/dev/crypto` with the interface of cryptodev-linux (`crypto/cryptodev.h`).
//!
//! Structures have the layout of 64-bit machines. As in the module, there is no asymmetric cryptography. There is
//! no `CIOCGSESSION2`, which only FreeBSD has.

mod abi;
mod algorithms;
mod auth;
mod crypt;
mod session;
#[cfg(test)]
mod tests;

use crate::{Errno, Memory, Readiness, usage::Usage};
pub use abi::CIOCGSESSION;
use crypt::Operation;
use session::Session;
use std::{
    collections::{HashMap, VecDeque, hash_map::Entry},
    fmt,
};

/// The maximum number of sessions per device. Together they take up to 24 MiB.
const MAX_SESSIONS: usize = 1 << 12;

/// The maximum number of asynchronous operations that wait to be fetched, per device.
const MAX_JOBS: usize = 64;

/// An open `/dev/crypto`: its sessions and asynchronous operations.
#[derive(Default)]
pub struct Device {
    sessions: HashMap<u32, Session>,
    /// The results of asynchronous operations that have not been fetched.
    done: VecDeque<Result<Operation, Errno>>,
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} sessions, {} operations to fetch", self.sessions.len(), self.done.len())
    }
}

/// The result of an `ioctl`, beside what was written to the client's memory.
#[derive(Debug)]
pub enum Answer {
    /// The call returns 0.
    Done,
    /// `CRIOGET`: the front end duplicates the descriptor, as the module does, and writes the number of the duplicate to this
    /// address. The call returns 0.
    Duplicate(u64),
}

impl Device {
    /// `open("/dev/crypto")`.
    pub fn new() -> Self {
        Self::default()
    }

    /// `ioctl` with the address of its argument.
    pub fn ioctl(&mut self, request: u32, argument: u64, memory: &mut dyn Memory) -> Result<Answer, Errno> {
        match request {
            abi::CRIOGET => return Ok(Answer::Duplicate(argument)),
            abi::CIOCASYMFEAT => memory.write(argument, &0u32.to_ne_bytes()),
            abi::CIOCGSESSION => self.begin(argument, memory),
            abi::CIOCFSESSION => self.end_session(argument, memory),
            abi::CIOCGSESSINFO => self.describe(argument, memory),
            abi::CIOCCPHASH => self.copy_hash(argument, memory),
            abi::CIOCCRYPT => self.crypt(argument, memory),
            abi::CIOCAUTHCRYPT => {
                let raw = read(argument, memory)?;
                auth::run(raw, argument, |number| self.sessions.get_mut(&number), memory)
            }
            abi::CIOCASYNCCRYPT => self.submit(argument, memory),
            abi::CIOCASYNCFETCH => self.fetch(argument, memory),
            _ => Err(Errno::INVAL),
        }
        .map(|()| Answer::Done)
    }

    /// The approximate memory of the sessions, in bytes.
    pub(crate) fn held(&self) -> usize {
        /// The size in bytes of the largest session: Blowfish, whose key schedule has 4 KiB, with HMAC of SHA-512. Others take a quarter
        /// or more of it.
        const SESSION: usize = 6 << 10;
        self.sessions.len() * SESSION
    }

    /// The readiness that `poll` reports: readable when `CIOCASYNCFETCH` has a result.
    pub fn readiness(&self) -> Readiness {
        let done = self.done.len();
        Readiness { readable: done > 0, writable: done < MAX_JOBS }
    }

    /// Calls `act` with the usage counts of each session.
    pub(crate) fn each_usage(&mut self, act: fn(&mut Usage)) {
        self.sessions.values_mut().filter_map(|session| session.usage.as_mut()).for_each(act);
    }

    fn begin(&mut self, argument: u64, memory: &mut dyn Memory) -> Result<(), Errno> {
        let mut raw = read(argument, memory)?;
        let session = Session::new(&abi::SessionOp::parse(&raw), memory)?;
        if self.sessions.len() >= MAX_SESSIONS {
            return Err(Errno::NOMEM);
        }
        let place = loop {
            if let Entry::Vacant(place) = self.sessions.entry(random()?) {
                break place;
            }
        };
        let number = abi::SessionOp::SES;
        raw[number..number + 4].copy_from_slice(&place.key().to_ne_bytes());
        memory.write(argument, &raw)?;
        place.insert(session);
        Ok(())
    }

    /// `CIOCFSESSION`. A session that does not exist is not an error.
    fn end_session(&mut self, argument: u64, memory: &dyn Memory) -> Result<(), Errno> {
        self.sessions.remove(&u32::from_ne_bytes(read(argument, memory)?));
        Ok(())
    }

    fn describe(&self, argument: u64, memory: &mut dyn Memory) -> Result<(), Errno> {
        let mut raw: [u8; abi::SESSION_INFO_LEN] = read(argument, memory)?;
        self.sessions.get(&abi::u32_at(&raw, 0)).ok_or(Errno::INVAL)?.describe(&mut raw);
        memory.write(argument, &raw)
    }

    fn copy_hash(&mut self, argument: u64, memory: &dyn Memory) -> Result<(), Errno> {
        let raw: [u8; abi::CPHASH_OP_LEN] = read(argument, memory)?;
        let (to, from) = (abi::u32_at(&raw, 0), abi::u32_at(&raw, 4));
        if to == from {
            return Err(Errno::DEADLK);
        }
        let [Some(to), Some(from)] = self.sessions.get_disjoint_mut([&to, &from]) else { return Err(Errno::NOENT) };
        let (Some(to), Some(from)) = (&mut to.hash, &from.hash) else { return Err(Errno::INVAL) };
        to.copy(from)
    }

    fn crypt(&mut self, argument: u64, memory: &mut dyn Memory) -> Result<(), Errno> {
        let raw = read(argument, memory)?;
        let (mut operation, session) = Operation::read(raw, |number| self.sessions.get_mut(&number), memory)?;
        operation.run(session, memory)?;
        operation.count(session);
        operation.deliver(argument, memory)
    }

    /// `CIOCASYNCCRYPT`. The work is done immediately; the result waits to be fetched.
    fn submit(&mut self, argument: u64, memory: &mut dyn Memory) -> Result<(), Errno> {
        let raw = read(argument, memory)?;
        let (mut operation, session) = Operation::read(raw, |number| self.sessions.get_mut(&number), memory)?;
        if operation.disables_zero_copy() {
            return Err(Errno::INVAL);
        }
        if self.done.len() >= MAX_JOBS {
            return Err(Errno::BUSY);
        }
        let outcome = operation.run(session, memory).inspect(|()| operation.count(session));
        self.done.push_back(outcome.map(|()| operation));
        Ok(())
    }

    fn fetch(&mut self, argument: u64, memory: &mut dyn Memory) -> Result<(), Errno> {
        self.done.pop_front().ok_or(Errno::BUSY)??.deliver(argument, memory)
    }
}

/// Reads the structure at `address`.
fn read<const N: usize>(address: u64, memory: &dyn Memory) -> Result<[u8; N], Errno> {
    let mut raw = [0; N];
    memory.read(address, &mut raw)?;
    Ok(raw)
}

/// An unpredictable session number.
fn random() -> Result<u32, Errno> {
    let mut bytes = [0; 4];
    match rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty())? {
        4 => Ok(u32::from_ne_bytes(bytes)),
        _ => Err(Errno::IO),
    }
}
