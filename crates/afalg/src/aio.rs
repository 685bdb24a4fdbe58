//! The kernel's asynchronous I/O (`linux/aio_abi.h`): requests as clients submit them, and completion events. Sizes
//! and offsets are those of `struct iocb` and `struct io_event`, which are equal on all 64-bit CPUs.

use crate::{Errno, check_flags};

/// The size of a request (`struct iocb`), in bytes.
pub const IOCB_LEN: usize = 64;
/// The size of an event (`struct io_event`), in bytes.
pub const EVENT_LEN: usize = 32;
/// The offset of the 4-byte field `aio_key`, which the kernel sets to zero in a request that it accepts.
pub const KEY_OFFSET: usize = if cfg!(target_endian = "little") { 8 } else { 12 };

/// `IOCB_FLAG_RESFD`: the completion is also signalled to an eventfd.
const FLAG_RESFD: u32 = 1;

/// The operation of a request, which defines how `address` and `len` are interpreted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// `IOCB_CMD_PREAD` into the buffer at `address` of `len` bytes.
    Read,
    /// `IOCB_CMD_PWRITE` from the buffer at `address` of `len` bytes.
    Write,
    /// `IOCB_CMD_PREADV` into an array of `len` `struct iovec` at `address`.
    ReadVector,
    /// `IOCB_CMD_PWRITEV` from an array of `len` `struct iovec` at `address`.
    WriteVector,
}

/// A request for a served descriptor (`struct iocb`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Iocb {
    /// The client's value that is returned in the event.
    pub data: u64,
    /// The descriptor to read or write.
    pub fd: i32,
    /// The kind of transfer.
    pub operation: Operation,
    /// The address of the buffer, or of the array of `struct iovec`.
    pub address: u64,
    /// The length of the buffer in bytes, or the number of array members.
    pub len: usize,
    /// The position in the file. Sockets accept only 0.
    pub offset: i64,
    /// The eventfd that is signalled on completion, if any.
    pub event_fd: Option<i32>,
}

/// The completion of a request (`struct io_event`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    /// The `data` of the request.
    pub data: u64,
    /// The address of the request in the client's memory.
    pub iocb: u64,
    /// The number of bytes transferred, or the error.
    pub result: Result<usize, Errno>,
}

/// The descriptor of a request that has not been parsed yet.
pub fn descriptor(iocb: &[u8; IOCB_LEN]) -> i32 {
    Field(iocb).i32(20)
}

/// Whether a request waits until its descriptor is ready (`IOCB_CMD_POLL`). The kernel carries it out, since the socket that stands
/// for a file shows that.
pub fn is_poll(iocb: &[u8; IOCB_LEN]) -> bool {
    Field(iocb).u16(16) == 5
}

impl Iocb {
    /// Parses a request.
    ///
    /// # Errors
    /// The errors with which `io_submit` refuses a request, except the one for a bad descriptor.
    pub fn parse(iocb: &[u8; IOCB_LEN]) -> Result<Self, Errno> {
        let field = Field(iocb);
        let (rw_flags, flags) = (field.u32(20 - KEY_OFFSET), field.u32(56));
        let len = usize::try_from(field.u64(32)).map_err(|_| Errno::INVAL)?;
        if field.u64(48) != 0 || isize::try_from(len).is_err() {
            return Err(Errno::INVAL);
        }
        let operation = match field.u16(16) {
            0 => Operation::Read,
            1 => Operation::Write,
            7 => Operation::ReadVector,
            8 => Operation::WriteVector,
            _ => return Err(Errno::INVAL),
        };
        check_flags(rw_flags.cast_signed())?;
        Ok(Self {
            data: field.u64(0),
            fd: field.i32(20),
            operation,
            address: field.u64(24),
            len,
            offset: field.u64(40).cast_signed(),
            event_fd: (flags & FLAG_RESFD != 0).then(|| field.i32(60)),
        })
    }
}

impl Event {
    /// The event in the layout that clients read.
    pub fn to_bytes(&self) -> [u8; EVENT_LEN] {
        let result = match self.result {
            Ok(len) => len as i64,
            Err(errno) => -i64::from(errno.raw_os_error()),
        };
        let mut bytes = [0; EVENT_LEN];
        bytes[..8].copy_from_slice(&self.data.to_ne_bytes());
        bytes[8..16].copy_from_slice(&self.iocb.to_ne_bytes());
        bytes[16..24].copy_from_slice(&result.to_ne_bytes());
        bytes
    }
}

/// Reads fields of a request by their offset.
struct Field<'a>(&'a [u8; IOCB_LEN]);

impl Field<'_> {
    fn at<const N: usize>(&self, offset: usize) -> [u8; N] {
        std::array::from_fn(|byte| self.0[(offset + byte) % IOCB_LEN])
    }

    fn u16(&self, offset: usize) -> u16 {
        u16::from_ne_bytes(self.at(offset))
    }

    fn u32(&self, offset: usize) -> u32 {
        u32::from_ne_bytes(self.at(offset))
    }

    fn i32(&self, offset: usize) -> i32 {
        i32::from_ne_bytes(self.at(offset))
    }

    fn u64(&self, offset: usize) -> u64 {
        u64::from_ne_bytes(self.at(offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A `pread` of 16 bytes to 0x7000 from descriptor 5, with eventfd 9.
    fn pread() -> [u8; IOCB_LEN] {
        let mut iocb = [0; IOCB_LEN];
        iocb[..8].copy_from_slice(&0x1122_u64.to_ne_bytes());
        iocb[20..24].copy_from_slice(&5_i32.to_ne_bytes());
        iocb[24..32].copy_from_slice(&0x7000_u64.to_ne_bytes());
        iocb[32..40].copy_from_slice(&16_u64.to_ne_bytes());
        iocb[56..60].copy_from_slice(&1_u32.to_ne_bytes());
        iocb[60..64].copy_from_slice(&9_i32.to_ne_bytes());
        iocb
    }

    fn refused(offset: usize, bytes: &[u8]) -> Option<Errno> {
        let mut iocb = pread();
        iocb[offset..offset + bytes.len()].copy_from_slice(bytes);
        Iocb::parse(&iocb).err()
    }

    #[test]
    fn a_request_is_read_field_by_field() {
        let expected = Iocb {
            data: 0x1122,
            fd: 5,
            operation: Operation::Read,
            address: 0x7000,
            len: 16,
            offset: 0,
            event_fd: Some(9),
        };
        assert_eq!(Iocb::parse(&pread()), Ok(expected));
        assert_eq!(descriptor(&pread()), 5);
    }

    #[test]
    fn what_the_kernel_refuses_is_refused() {
        assert_eq!(refused(0, &[]), None);
        assert_eq!(refused(16, &2_u16.to_ne_bytes()), Some(Errno::INVAL), "fsync of a socket");
        assert_eq!(refused(32, &(1_u64 << 63).to_ne_bytes()), Some(Errno::INVAL), "a length below zero");
        assert_eq!(refused(48, &[1]), Some(Errno::INVAL), "a reserved field");
        assert_eq!(refused(20 - KEY_OFFSET, &0x20_u32.to_ne_bytes()), Some(Errno::OPNOTSUPP), "an unknown flag");
        assert_eq!(refused(20 - KEY_OFFSET, &8_u32.to_ne_bytes()), Some(Errno::OPNOTSUPP), "RWF_NOWAIT");
    }

    #[test]
    fn an_event_says_bytes_or_a_negative_number() {
        let mut event = Event { data: 1, iocb: 2, result: Ok(16) };
        let words = |event: Event| -> Vec<i64> {
            event.to_bytes().chunks_exact(8).map(|word| i64::from_ne_bytes(word.try_into().expect("8"))).collect()
        };
        assert_eq!(words(event), [1, 2, 16, 0]);
        event.result = Err(Errno::BADMSG);
        assert_eq!(words(event), [1, 2, -74, 0]);
    }
}
