//! What clients ask.

use super::abi::{self, CRYPTO_MAX_NAME, HEADER_LEN, Header, USER_ALG_LEN};
use crate::{
    Errno,
    catalogue::{self, Entry},
};

/// The messages in what a client sent, each with its header.
///
/// Reading ends, as in the kernel without a complaint, at a length that is shorter than a header or longer
/// than what there is.
pub(super) fn messages(mut data: &[u8]) -> impl Iterator<Item = (Header, &[u8])> {
    std::iter::from_fn(move || {
        let header = Header::read(data)?;
        let len = header.len as usize;
        let message = data.get(..len).filter(|_| len >= HEADER_LEN)?;
        data = data.get(abi::align(len)..).unwrap_or_default();
        Some((header, message))
    })
}

/// What a request leads to.
#[derive(Debug)]
pub(super) enum Outcome {
    /// A report of this driver.
    Report(Entry),
    /// Reports of all drivers.
    Dump,
}

/// What the kernel makes of a request without privileges: an outcome, or the number, negative, that an
/// acknowledgement carries.
pub(super) fn decide(header: Header, message: &[u8]) -> Result<Outcome, i32> {
    let payload = &message[HEADER_LEN..];
    match header.kind {
        abi::CRYPTO_MSG_GETALG if header.flags & abi::NLM_F_DUMP != 0 => Ok(Outcome::Dump),
        abi::CRYPTO_MSG_GETALG => {
            check_attributes(payload, USER_ALG_LEN)?;
            find(payload).map(Outcome::Report).map_err(errno)
        }
        abi::CRYPTO_MSG_NEWALG | abi::CRYPTO_MSG_DELALG | abi::CRYPTO_MSG_UPDATEALG => {
            check_attributes(payload, USER_ALG_LEN)?;
            Err(errno(Errno::PERM))
        }
        abi::CRYPTO_MSG_DELRNG => {
            check_attributes(payload, 0)?;
            Err(errno(Errno::PERM))
        }
        abi::CRYPTO_MSG_GETSTAT => {
            check_attributes(payload, USER_ALG_LEN)?;
            Err(-abi::ENOTSUPP) // as of a kernel without CONFIG_CRYPTO_STATS
        }
        _ => Err(errno(Errno::INVAL)),
    }
}

/// An errno as acknowledgements carry it.
pub(super) fn errno(error: Errno) -> i32 {
    -error.raw_os_error()
}

/// Checks the attributes behind a payload of `len` bytes. Netlink is lenient here: unknown ones, and
/// what does not parse as an attribute at the end, are passed over.
fn check_attributes(payload: &[u8], len: usize) -> Result<(), i32> {
    const TYPE_MASK: u16 = 0x3fff;
    const ATTRIBUTE_HEADER: usize = 4;
    let Some(mut left) = payload.get(..len).map(|_| payload.get(abi::align(len)..).unwrap_or_default()) else {
        return Err(errno(Errno::INVAL));
    };
    while let (Some(len), Some(kind)) = (abi::u16_at(left, 0), abi::u16_at(left, 2)) {
        let len = usize::from(len);
        if len < ATTRIBUTE_HEADER || len > left.len() {
            break;
        }
        if kind & TYPE_MASK == abi::CRYPTOCFGA_PRIORITY_VAL && len < ATTRIBUTE_HEADER + 4 {
            return Err(errno(Errno::RANGE));
        }
        left = left.get(abi::align(len)..).unwrap_or_default();
    }
    Ok(())
}

/// The driver that a `crypto_user_alg` asks for: by its driver's name if it has one, or by the algorithm's.
fn find(user_alg: &[u8]) -> Result<Entry, Errno> {
    let name = field(user_alg, 0).ok_or(Errno::INVAL)?;
    let driver = field(user_alg, CRYPTO_MAX_NAME).ok_or(Errno::INVAL)?;
    let (kind, mask) = (abi::u32_at(user_alg, 192).unwrap_or(0), abi::u32_at(user_alg, 196).unwrap_or(0));
    let text = |name: &[u8]| str::from_utf8(name).map(str::to_owned).map_err(|_| Errno::NOENT);
    let entry = match (driver, name) {
        ([], []) => None,
        ([], name) => catalogue::by_name(&text(name)?),
        (driver, _) => catalogue::by_driver(&text(driver)?),
    };
    entry.filter(|entry| (entry.flags() ^ kind) & mask == 0).ok_or(Errno::NOENT)
}

/// The name in the 64 bytes at `at`; `None` if no zero ends it.
fn field(user_alg: &[u8], at: usize) -> Option<&[u8]> {
    let bytes = user_alg.get(at..at + CRYPTO_MAX_NAME)?;
    bytes.iter().position(|&b| b == 0).map(|len| &bytes[..len])
}
