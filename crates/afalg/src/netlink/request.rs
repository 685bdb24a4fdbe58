//! Parses and executes clients' requests.

use super::abi::{self, CRYPTO_MAX_NAME, HEADER_LEN, Header, USER_ALG_LEN};
use crate::{
    Errno,
    catalogue::{self, Entry},
};
use algkit::Driver;
use std::borrow::Cow;

/// The messages in a client's datagram, each with its header.
///
/// As in the kernel, parsing ends silently at a message whose length is less than a header or more than the rest of
/// the datagram.
pub(super) fn messages(mut data: &[u8]) -> impl Iterator<Item = (Header, &[u8])> {
    std::iter::from_fn(move || {
        let header = Header::read(data)?;
        let len = header.len as usize;
        let message = data.get(..len).filter(|_| len >= HEADER_LEN)?;
        data = data.get(abi::align(len)..).unwrap_or_default();
        Some((header, message))
    })
}

/// The result of a successful request.
#[derive(Debug)]
pub(super) enum Outcome {
    /// Reply with a report of this driver.
    Report(Entry),
    /// Reply with reports of all drivers.
    Dump,
    /// Reply with an acknowledgement only.
    Changed,
}

/// Executes a request as the kernel would. The error is the negative number for the acknowledgement.
pub(super) fn decide(header: Header, message: &[u8], is_privileged: bool) -> Result<Outcome, i32> {
    let payload = &message[HEADER_LEN..];
    match header.kind {
        abi::CRYPTO_MSG_GETALG if header.flags & abi::NLM_F_DUMP != 0 => Ok(Outcome::Dump),
        abi::CRYPTO_MSG_GETALG => {
            check_attributes(payload, USER_ALG_LEN)?;
            Wanted::parse(payload).and_then(|wanted| wanted.find()).map(Outcome::Report).map_err(errno)
        }
        kind @ (abi::CRYPTO_MSG_NEWALG | abi::CRYPTO_MSG_DELALG | abi::CRYPTO_MSG_UPDATEALG) => {
            let priority = check_attributes(payload, USER_ALG_LEN)?;
            if !is_privileged {
                return Err(errno(Errno::PERM));
            }
            Wanted::parse(payload).and_then(|wanted| wanted.change(kind, priority)).map_err(errno)?;
            Ok(Outcome::Changed)
        }
        abi::CRYPTO_MSG_DELRNG => {
            check_attributes(payload, 0)?;
            // There is no shared default generator to delete.
            if is_privileged { Ok(Outcome::Changed) } else { Err(errno(Errno::PERM)) }
        }
        abi::CRYPTO_MSG_GETSTAT => {
            check_attributes(payload, USER_ALG_LEN)?;
            Err(-abi::ENOTSUPP) // like a kernel without CONFIG_CRYPTO_STATS
        }
        _ => Err(errno(Errno::INVAL)),
    }
}

/// The negative number of an error, as in acknowledgements.
pub(super) fn errno(error: Errno) -> i32 {
    -error.raw_os_error()
}

/// Parses the attributes after a payload of `len` bytes; returns the priority, if there is one. As in the kernel,
/// unknown attributes and trailing bytes that are no attribute are skipped.
fn check_attributes(payload: &[u8], len: usize) -> Result<Option<u32>, i32> {
    const TYPE_MASK: u16 = 0x3fff;
    const ATTRIBUTE_HEADER: usize = 4;
    let Some(mut left) = payload.get(..len).map(|_| payload.get(abi::align(len)..).unwrap_or_default()) else {
        return Err(errno(Errno::INVAL));
    };
    let mut priority = None;
    while let (Some(len), Some(kind)) = (abi::u16_at(left, 0), abi::u16_at(left, 2)) {
        let len = usize::from(len);
        if len < ATTRIBUTE_HEADER || len > left.len() {
            break;
        }
        if kind & TYPE_MASK == abi::CRYPTOCFGA_PRIORITY_VAL {
            let value = abi::u32_at(&left[..len], ATTRIBUTE_HEADER);
            priority = Some(value.ok_or(errno(Errno::RANGE))?);
        }
        left = left.get(abi::align(len)..).unwrap_or_default();
    }
    Ok(priority)
}

/// The driver that a `crypto_user_alg` describes.
struct Wanted<'a> {
    name: Cow<'a, str>,
    driver: Cow<'a, str>,
    kind: u32,
    mask: u32,
}

impl<'a> Wanted<'a> {
    fn parse(user_alg: &'a [u8]) -> Result<Self, Errno> {
        let number = |at| abi::u32_at(user_alg, at).unwrap_or(0);
        let name = |at| field(user_alg, at).map(String::from_utf8_lossy).ok_or(Errno::INVAL);
        Ok(Self { name: name(0)?, driver: name(CRYPTO_MAX_NAME)?, kind: number(192), mask: number(196) })
    }

    fn fits(&self, entry: &Entry) -> bool {
        (entry.flags() ^ self.kind) & self.mask == 0
    }

    /// The driver, by its own name if that is given, else by the algorithm's name.
    fn find(&self) -> Result<Entry, Errno> {
        let entry = match (&*self.driver, &*self.name) {
            ("", "") => None,
            ("", name) => catalogue::by_name(name),
            (driver, _) => catalogue::by_driver(driver),
        };
        entry.filter(|entry| self.fits(entry)).ok_or(Errno::NOENT)
    }

    /// Like [`find`](Self::find), but only among drivers that already exist.
    fn listed(&self) -> Result<Entry, Errno> {
        let by_name = |driver: &Driver| driver.name == *self.name;
        let by_driver = |driver: &Driver| driver.driver == *self.driver;
        let entry = if self.driver.is_empty() { catalogue::listed(by_name) } else { catalogue::listed(by_driver) };
        entry.filter(|entry| self.fits(entry)).ok_or(Errno::NOENT)
    }

    /// `CRYPTO_MSG_NEWALG`, `CRYPTO_MSG_DELALG` and `CRYPTO_MSG_UPDATEALG`. The last two require a driver's name.
    fn change(&self, request: u16, priority: Option<u32>) -> Result<(), Errno> {
        if self.driver.is_empty() {
            match request {
                abi::CRYPTO_MSG_DELALG => return Err(Errno::NOENT),
                _ if priority.is_some() => return Err(Errno::INVAL),
                abi::CRYPTO_MSG_UPDATEALG => return Err(Errno::NOENT),
                _ => {}
            }
        }
        let entry = match (request, self.listed()) {
            (abi::CRYPTO_MSG_NEWALG, Ok(_)) => return Err(Errno::EXIST),
            (abi::CRYPTO_MSG_NEWALG, Err(_)) => self.find()?,
            (abi::CRYPTO_MSG_DELALG, listed) => return listed?.remove(),
            (_, listed) => listed?,
        };
        priority.map_or(Ok(()), |priority| entry.set_priority(priority))
    }
}

/// The zero-terminated name in the 64 bytes at `at`; `None` if there is no terminating zero.
fn field(user_alg: &[u8], at: usize) -> Option<&[u8]> {
    let bytes = user_alg.get(at..at + CRYPTO_MAX_NAME)?;
    bytes.iter().position(|&b| b == 0).map(|len| &bytes[..len])
}
