//! What goes over the wire: numbers big-endian, from doc/proto.md of the NBD project.

/// The magic numbers of the server's greeting and of each option.
pub(super) const SERVER_MAGIC: u64 = 0x4e42_444d_4147_4943;
pub(super) const OPTION_MAGIC: u64 = 0x4948_4156_454f_5054;
/// The magic number of each reply to an option.
const OPTION_REPLY_MAGIC: u64 = 0x0003_e889_0455_65a9;
/// The magic numbers of requests, of simple replies, and of chunks.
const REQUEST_MAGIC: u32 = 0x2560_9513;
const SIMPLE_MAGIC: u32 = 0x6744_6698;
const STRUCTURED_MAGIC: u32 = 0x668e_33ef;

/// Flags of the handshake, the same for both sides: fixed newstyle, and no 124 zeros behind an export.
pub(super) const FIXED_NEWSTYLE: u16 = 1;
pub(super) const NO_ZEROES: u16 = 2;

/// Replies to options.
pub(super) const ACK: u32 = 1;
pub(super) const SERVER: u32 = 2;
pub(super) const INFO: u32 = 3;
pub(super) const META_CONTEXT: u32 = 4;
pub(super) const UNSUPPORTED: u32 = 0x8000_0001;
pub(super) const INVALID: u32 = 0x8000_0003;
pub(super) const TLS_REQUIRED: u32 = 0x8000_0005;
pub(super) const UNKNOWN: u32 = 0x8000_0006;
pub(super) const TOO_BIG: u32 = 0x8000_0009;

/// Errors of requests, which have the numbers of Linux.
pub(super) const EPERM: u32 = 1;
pub(super) const EIO: u32 = 5;
pub(super) const EINVAL: u32 = 22;
pub(super) const ENOSPC: u32 = 28;
pub(super) const EOVERFLOW: u32 = 75;
pub(super) const ESHUTDOWN: u32 = 108;

/// What an export can do.
pub(super) const HAS_FLAGS: u16 = 1;
pub(super) const READ_ONLY: u16 = 1 << 1;
pub(super) const SEND_FLUSH: u16 = 1 << 2;
pub(super) const SEND_FUA: u16 = 1 << 3;
pub(super) const SEND_TRIM: u16 = 1 << 5;
pub(super) const SEND_WRITE_ZEROES: u16 = 1 << 6;
pub(super) const SEND_DF: u16 = 1 << 7;
pub(super) const CAN_MULTI_CONN: u16 = 1 << 8;

/// Flags of requests: written through, no hole, one piece, one extent.
pub(super) const FUA: u16 = 1;
pub(super) const NO_HOLE: u16 = 2;
pub(super) const DF: u16 = 4;
pub(super) const REQ_ONE: u16 = 8;

/// The length of a request in bytes, without the data of a write.
pub(super) const REQUEST: usize = 28;

/// The largest number of bytes in front of the data of a read: the head of a chunk, and its offset.
pub(super) const DATA_HEAD: usize = 28;

/// The only context of block status, and its number.
pub(super) const ALLOCATION: &[u8] = b"base:allocation";
const CONTEXT: u32 = 1;

/// Reads fields from the beginning of bytes.
pub(super) struct Fields<'a>(pub &'a [u8]);

impl<'a> Fields<'a> {
    pub fn bytes(&mut self, len: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(head)
    }

    pub fn u16(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.bytes(2)?.try_into().ok()?))
    }

    pub fn u32(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.bytes(4)?.try_into().ok()?))
    }

    pub fn u64(&mut self) -> Option<u64> {
        Some(u64::from_be_bytes(self.bytes(8)?.try_into().ok()?))
    }

    /// A text, which stands behind its length.
    pub fn text(&mut self) -> Option<&'a [u8]> {
        let len = self.u32()?;
        self.bytes(len as usize)
    }
}

/// The command of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Command {
    Read,
    Write,
    Disconnect,
    Flush,
    Trim,
    WriteZeroes,
    BlockStatus,
    Other,
}

/// A request, without the data of a write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Request {
    pub flags: u16,
    pub command: Command,
    /// A number that the client chooses, and that the reply repeats.
    pub cookie: u64,
    pub offset: u64,
    pub len: u32,
}

impl Request {
    /// `None` if the bytes are no request. Then nothing says where the next request begins.
    pub fn parse(bytes: &[u8; REQUEST]) -> Option<Self> {
        let mut fields = Fields(bytes);
        if fields.u32()? != REQUEST_MAGIC {
            return None;
        }
        let flags = fields.u16()?;
        let command = match fields.u16()? {
            0 => Command::Read,
            1 => Command::Write,
            2 => Command::Disconnect,
            3 => Command::Flush,
            4 => Command::Trim,
            6 => Command::WriteZeroes,
            7 => Command::BlockStatus,
            _ => Command::Other,
        };
        Some(Self { flags, command, cookie: fields.u64()?, offset: fields.u64()?, len: fields.u32()? })
    }
}

fn join(parts: &[&[u8]]) -> Vec<u8> {
    parts.concat()
}

/// A reply to an option.
pub(super) fn option_reply(option: u32, kind: u32, data: &[u8]) -> Vec<u8> {
    let len = data.len() as u32;
    let head = [&option.to_be_bytes(), &kind.to_be_bytes(), &len.to_be_bytes()].map(|field| &field[..]).concat();
    join(&[&OPTION_REPLY_MAGIC.to_be_bytes(), &head, data])
}

/// The reply that says the name and the number of the context of block status.
pub(super) fn context() -> Vec<u8> {
    join(&[&CONTEXT.to_be_bytes(), ALLOCATION])
}

/// A simple reply without data, with an error number or 0.
pub(super) fn simple_reply(cookie: u64, error: u32) -> Vec<u8> {
    join(&[&SIMPLE_MAGIC.to_be_bytes(), &error.to_be_bytes(), &cookie.to_be_bytes()])
}

fn chunk(kind: u16, last: bool, cookie: u64, len: u32) -> Vec<u8> {
    let (flags, magic) = (u16::from(last), STRUCTURED_MAGIC);
    join(&[&magic.to_be_bytes(), &flags.to_be_bytes(), &kind.to_be_bytes(), &cookie.to_be_bytes(), &len.to_be_bytes()])
}

/// The head of a chunk with data.
pub(super) fn data_chunk(cookie: u64, last: bool, offset: u64, len: u32) -> Vec<u8> {
    join(&[&chunk(1, last, cookie, len + 8), &offset.to_be_bytes()])
}

/// The last chunk of a read that failed, or of one without data.
pub(super) fn end_chunk(cookie: u64, error: u32) -> Vec<u8> {
    match error {
        0 => chunk(0, true, cookie, 0),
        error => join(&[&chunk(0x8001, true, cookie, 6), &error.to_be_bytes(), &[0; 2]]),
    }
}

/// The reply to block status: one extent of data. All of an encrypted volume is data, as a hole in its storage does not read as zeros.
pub(super) fn status_chunk(cookie: u64, len: u32) -> Vec<u8> {
    join(&[&chunk(5, true, cookie, 12), &CONTEXT.to_be_bytes(), &len.to_be_bytes(), &[0; 4]])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests() {
        let mut bytes = [0; REQUEST];
        assert_eq!(Request::parse(&bytes), None);
        bytes[..4].copy_from_slice(&REQUEST_MAGIC.to_be_bytes());
        bytes[5] = 1;
        bytes[7] = 6;
        bytes[15] = 9;
        bytes[22] = 2;
        bytes[24] = 0xff;
        let want = Request { flags: FUA, command: Command::WriteZeroes, cookie: 9, offset: 512, len: 0xff00_0000 };
        assert_eq!(Request::parse(&bytes), Some(want));
    }

    #[test]
    fn lengths_in_front_of_data() {
        assert_eq!(simple_reply(1, 0).len(), 16);
        assert_eq!(data_chunk(1, true, 0, 5).len(), DATA_HEAD);
    }
}
