//! The messages of the kernel's FUSE protocol, version 7 (linux/fuse.h). Numbers have the CPU's byte order.
//!
//! Every message is parsed by a total function: bytes that are no message give `None`, or [`Operation::Malformed`] where it is known what they answer to.

use std::ffi::CStr;

/// The version that these messages have. The kernel takes an older minor version for what it is.
const MAJOR: u32 = 7;
const MINOR: u32 = 31;

/// The oldest minor version. It is the first in which attributes say the length of blocks and the head of a write has 40 bytes (Linux 2.6.24).
const OLDEST_MINOR: u32 = 9;

/// The first minor version in which the answer to INIT has 64 bytes, and how many it has before.
const LONG_INIT: u32 = 23;
const SHORT_INIT: usize = 24;

/// Abilities that both sides have to name: several reads at a time; writes of more than a page; requests of more than 32 pages.
const ASYNC_READ: u32 = 1 << 0;
const BIG_WRITES: u32 = 1 << 5;
const MAX_PAGES: u32 = 1 << 22;

/// A field of SETATTR: the size is to be set.
const SIZE: u32 = 1 << 3;

/// A flag of opened files: what the kernel has cached stays valid.
pub(super) const KEEP_CACHE: u32 = 1 << 1;

/// The length in bytes of the head of each request.
const HEAD: usize = 40;

/// The length in bytes of what stands before the data of a write.
pub(super) const WRITE_HEAD: usize = HEAD + 40;

/// The length in bytes of the head of each reply.
pub(super) const REPLY_HEAD: usize = 16;

/// How many seconds the kernel may cache names and attributes, which never change.
const FOREVER: u64 = 1 << 30;

/// The types of files, as in the upper bits of `st_mode`.
pub(super) const FOLDER: u32 = 0o040_000;
pub(super) const REGULAR: u32 = 0o100_000;

/// The number at byte `at`.
fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|number| u32::from_ne_bytes(*number))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|number| u64::from_ne_bytes(*number))
}

/// A request of the kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Request<'a> {
    /// The number that the reply repeats.
    pub unique: u64,
    /// The number of the file or folder.
    pub node: u64,
    pub operation: Operation<'a>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operation<'a> {
    Init(Init),
    /// A name in the folder.
    Lookup(&'a [u8]),
    GetAttr,
    SetAttr {
        size: Option<u64>,
    },
    Open,
    OpenFolder,
    Read {
        offset: u64,
        size: u32,
    },
    /// The data stands behind [`WRITE_HEAD`] bytes and is all of the rest.
    Write {
        offset: u64,
    },
    StatFs,
    Sync,
    ReadFolder {
        offset: u64,
        size: u32,
    },
    /// A file or folder is closed, or everything is.
    Close,
    /// A name is to be made, changed or removed.
    Rename,
    /// The kernel waits for no reply.
    Unanswered,
    /// It is known by its number, and its fields are not there.
    Malformed,
    Other,
}

impl<'a> Request<'a> {
    /// `None` if the bytes are no request.
    pub fn parse(message: &'a [u8]) -> Option<Self> {
        let (head, body) = message.split_at_checked(HEAD)?;
        if u32_at(head, 0)? as usize != message.len() {
            return None;
        }
        let opcode = u32_at(head, 4)?;
        let operation = Operation::parse(opcode, body).unwrap_or(Operation::Malformed);
        Some(Self { unique: u64_at(head, 8)?, node: u64_at(head, 16)?, operation })
    }
}

impl<'a> Operation<'a> {
    fn parse(opcode: u32, body: &'a [u8]) -> Option<Self> {
        Some(match opcode {
            1 => Self::Lookup(CStr::from_bytes_until_nul(body).ok()?.to_bytes()),
            3 => Self::GetAttr,
            4 => Self::SetAttr { size: (u32_at(body, 0)? & SIZE != 0).then_some(u64_at(body, 16)?) },
            14 => Self::Open,
            15 => Self::Read { offset: u64_at(body, 8)?, size: u32_at(body, 16)? },
            16 => {
                let data = body.get(WRITE_HEAD - HEAD..)?;
                let offset = u64_at(body, 8).filter(|_| u32_at(body, 16).is_some_and(|len| len as usize == data.len()));
                Self::Write { offset: offset? }
            }
            17 => Self::StatFs,
            // RELEASE, RELEASEDIR, DESTROY
            18 | 29 | 38 => Self::Close,
            20 => Self::Sync,
            26 => Self::Init(Init::parse(body)?),
            27 => Self::OpenFolder,
            28 => Self::ReadFolder { offset: u64_at(body, 8)?, size: u32_at(body, 16)? },
            // SYMLINK, MKNOD, MKDIR, UNLINK, RMDIR, RENAME, LINK, CREATE, RENAME2
            6 | 8..=13 | 35 | 45 => Self::Rename,
            // FORGET, NOTIFY_REPLY, BATCH_FORGET
            2 | 41 | 42 => Self::Unanswered,
            // INTERRUPT is among them, and the kernel sends no more of what is answered by ENOSYS.
            _ => Self::Other,
        })
    }
}

/// What the kernel says of itself in its first request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Init {
    major: u32,
    minor: u32,
    read_ahead: u32,
    abilities: u32,
}

/// What follows from the kernel's first request.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Version {
    /// Both have agreed. This is the body of the reply.
    Agreed(Vec<u8>),
    /// The kernel's major version is newer. After a reply with this body it begins again with an older one.
    Again(Vec<u8>),
    /// It is too old. This is its version.
    Old(u32, u32),
}

impl Init {
    fn parse(body: &[u8]) -> Option<Self> {
        let (major, minor) = (u32_at(body, 0)?, u32_at(body, 4)?);
        // The rest is there from 7.6 on, and no later major version is known.
        let rest =
            |at| if (major, minor) < (MAJOR, 6) { Some(0) } else { u32_at(body, at).or((major > MAJOR).then_some(0)) };
        Some(Self { major, minor, read_ahead: rest(8)?, abilities: rest(12)? })
    }

    /// What to answer, for requests of up to `max_request` bytes on pages of `page` bytes, of which up to `waiting` wait in the background.
    pub fn answer(&self, max_request: u32, page: u32, waiting: u16) -> Version {
        if self.major > MAJOR {
            return Version::Again(u32s([MAJOR, MINOR]));
        }
        if (self.major, self.minor) < (MAJOR, OLDEST_MINOR) {
            return Version::Old(self.major, self.minor);
        }
        let minor = self.minor.min(MINOR);
        let abilities = self.abilities & (ASYNC_READ | BIG_WRITES | MAX_PAGES);
        let pages = u16::try_from(max_request.div_ceil(page)).unwrap_or(u16::MAX);
        // From three quarters on, the kernel counts the connection as congested.
        let background = [waiting, waiting / 4 * 3].map(u16::to_ne_bytes).concat();
        // Times are in nanoseconds.
        let middle = u32s([max_request, 1]);
        let (pages, rest) = ([pages, 0].map(u16::to_ne_bytes).concat(), u32s([0; 8]));
        let first = u32s([MAJOR, minor, self.read_ahead, abilities]);
        let mut body = [first, background, middle, pages, rest].concat();
        if minor < LONG_INIT {
            body.truncate(SHORT_INIT);
        }
        Version::Agreed(body)
    }
}

fn u32s<const N: usize>(numbers: [u32; N]) -> Vec<u8> {
    numbers.map(u32::to_ne_bytes).concat()
}

fn u64s<const N: usize>(numbers: [u64; N]) -> Vec<u8> {
    numbers.map(u64::to_ne_bytes).concat()
}

/// The head of a reply with `len` bytes of data and no error.
pub(super) fn head(unique: u64, len: usize) -> [u8; REPLY_HEAD] {
    head_with(unique, len, 0)
}

/// The fields: the length in bytes with the head, the negated error number, the request's number.
fn head_with(unique: u64, len: usize, error: i32) -> [u8; REPLY_HEAD] {
    let mut head = [0; REPLY_HEAD];
    head[..4].copy_from_slice(&((REPLY_HEAD + len) as u32).to_ne_bytes());
    head[4..8].copy_from_slice(&(-error).to_ne_bytes());
    head[8..].copy_from_slice(&unique.to_ne_bytes());
    head
}

/// A reply with a body.
pub(super) fn reply(unique: u64, body: &[u8]) -> Vec<u8> {
    [&head(unique, body.len()), body].concat()
}

/// A reply with an error number.
pub(super) fn refusal(unique: u64, error: i32) -> Vec<u8> {
    head_with(unique, 0, error).to_vec()
}

/// What is known about a file or folder.
pub(super) struct Attributes {
    pub node: u64,
    pub size: u64,
    /// The type and the permissions.
    pub mode: u32,
    pub owner: u32,
    pub group: u32,
    /// The time when it was made, read and changed, in seconds and nanoseconds.
    pub made: (u64, u32),
    /// The length of requests that fits best.
    pub block: u32,
}

impl Attributes {
    fn fields(&self) -> Vec<u8> {
        let (seconds, nanoseconds) = self.made;
        let long = u64s([self.node, self.size, self.size.div_ceil(512), seconds, seconds, seconds]);
        let times = u32s([nanoseconds; 3]);
        // One name, no device number, no flags.
        let rest = u32s([self.mode, 1, self.owner, self.group, 0, self.block, 0]);
        [long, times, rest].concat()
    }

    /// The answer to GETATTR and SETATTR.
    pub fn answer(&self) -> Vec<u8> {
        [u64s([FOREVER, 0]), self.fields()].concat()
    }

    /// The answer to LOOKUP: its number of generation 0, how long that and the rest may be cached, and the rest.
    pub fn entry(&self) -> Vec<u8> {
        [u64s([self.node, 0, FOREVER, FOREVER, 0]), self.fields()].concat()
    }
}

/// The answer to OPEN.
pub(super) fn opened(flags: u32) -> Vec<u8> {
    [u64s([0]), u32s([flags, 0])].concat()
}

/// The answer to WRITE.
pub(super) fn written(len: usize) -> Vec<u8> {
    u32s([len as u32, 0])
}

/// The answer to STATFS: no blocks and no files, as of file systems in which nothing can be stored. `df` leaves them out. With blocks of which none is
/// free, it would say that the volume is full.
pub(super) fn no_space() -> Vec<u8> {
    // Blocks have some length, and names up to 255 bytes.
    [u64s([0; 5]), u32s([512, 255, 512]), u32s([0; 7])].concat()
}

/// An entry of a folder; `next` is where the entry after it begins.
pub(super) fn entry(node: u64, next: u64, kind: u32, name: &[u8]) -> Vec<u8> {
    let mut entry = [u64s([node, next]), u32s([name.len() as u32, kind >> 12]), name.to_vec()].concat();
    entry.resize(entry.len().next_multiple_of(8), 0);
    entry
}

#[cfg(test)]
mod tests {
    use super::*;
    use hex_literal::hex;

    /// INIT of Linux 6.18, which has version 7.45.
    const INIT: [u8; 104] = hex!(
        "68000000 1a000000 0200000000000000 0000000000000000 00000000 00000000 00000000 0000 0000"
        "07000000 2d000000 00000200 fbffff73 fd050000"
        "00000000000000000000000000000000000000000000000000000000000000000000000000000000000000 00"
    );

    /// Requests that Linux 6.18 sent on x86-64 when a program opened the file, truncated it, wrote, read and synced it, and looked at the folder.
    const RECORDED: [(&[u8], Request<'_>); 12] = [
        (
            &hex!(
                "2f000000 01000000 0400000000000000 0100000000000000 00000000 00000000 93670000 0000 0000"
                "766f6c756d6500"
            ),
            Request { unique: 4, node: 1, operation: Operation::Lookup(b"volume") },
        ),
        (
            &hex!(
                "30000000 0e000000 0600000000000000 0200000000000000 00000000 00000000 93670000 0000 0000 0280000000000000"
            ),
            Request { unique: 6, node: 2, operation: Operation::Open },
        ),
        // GETXATTR
        (
            &hex!(
                "44000000 16000000 0800000000000000 0200000000000000 00000000 00000000 93670000 0000 0000"
                "00000000 00000000 73656375726974792e6361706162696c69747900"
            ),
            Request { unique: 8, node: 2, operation: Operation::Other },
        ),
        (
            &hex!(
                "80000000 04000000 0a00000000000000 0200000000000000 00000000 00000000 93670000 0000 0000"
                "08020000 00000000 0000000000000000 0000000000000000 59147355f4922ea6"
                "00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 00000000"
            ),
            Request { unique: 10, node: 2, operation: Operation::SetAttr { size: Some(0) } },
        ),
        (
            &hex!(
                "55000000 10000000 0c00000000000000 0200000000000000 00000000 00000000 93670000 0000 0000"
                "0000000000000000 e803000000000000 05000000 00000000 0000000000000000 02800000 00000000 68656c6c6f"
            ),
            Request { unique: 12, node: 2, operation: Operation::Write { offset: 1000 } },
        ),
        (
            &hex!(
                "50000000 0f000000 0e00000000000000 0200000000000000 00000000 00000000 93670000 0000 0000"
                "0000000000000000 0010000000000000 00100000 00000000 0000000000000000 02800000 00000000"
            ),
            Request { unique: 14, node: 2, operation: Operation::Read { offset: 4096, size: 4096 } },
        ),
        (
            &hex!(
                "38000000 14000000 1000000000000000 0200000000000000 00000000 00000000 93670000 0000 0000"
                "0000000000000000 0000000000000000"
            ),
            Request { unique: 16, node: 2, operation: Operation::Sync },
        ),
        (
            &hex!(
                "40000000 12000000 1400000000000000 0200000000000000 00000000 00000000 00000000 0000 0000"
                "0000000000000000 0280000000000000 0000000000000000"
            ),
            Request { unique: 20, node: 2, operation: Operation::Close },
        ),
        (
            &hex!(
                "50000000 1c000000 1a00000000000000 0100000000000000 00000000 00000000 93670000 0000 0000"
                "0000000000000000 0300000000000000 00800000 00000000 0000000000000000 00880100 00000000"
            ),
            Request { unique: 26, node: 1, operation: Operation::ReadFolder { offset: 3, size: 32768 } },
        ),
        (
            &hex!("28000000 11000000 2000000000000000 0100000000000000 00000000 00000000 93670000 0000 0000"),
            Request { unique: 32, node: 1, operation: Operation::StatFs },
        ),
        // MKDIR
        (
            &hex!(
                "32000000 09000000 2400000000000000 0100000000000000 00000000 00000000 93670000 0000 0000"
                "ed010000 12000000 7800"
            ),
            Request { unique: 36, node: 1, operation: Operation::Rename },
        ),
        (&INIT, Request { unique: 2, node: 0, operation: Operation::Init(RECORDED_INIT) }),
    ];

    const RECORDED_INIT: Init = Init { major: 7, minor: 45, read_ahead: 0x2_0000, abilities: 0x73ff_fffb };

    #[test]
    #[cfg(target_endian = "little")]
    fn recorded_requests() {
        for (bytes, want) in RECORDED {
            assert_eq!(Request::parse(bytes), Some(want));
            // A part of a message is none; with the length of the part in its head it is one, and may lack fields.
            for len in 0..bytes.len() {
                assert_eq!(Request::parse(&bytes[..len]), None);
                let mut part = bytes[..len].to_vec();
                if len >= HEAD {
                    part[..4].copy_from_slice(&(len as u32).to_ne_bytes());
                    let got = Request::parse(&part).unwrap();
                    assert!(got.operation == want.operation || got.operation == Operation::Malformed, "{got:?}");
                }
            }
        }
    }

    #[test]
    fn malformed() {
        let request = |opcode: u32, body: &[u8]| {
            let len = (HEAD + body.len()) as u32;
            let mut bytes = [&len.to_ne_bytes()[..], &opcode.to_ne_bytes(), &[0; 32], body].concat();
            let operation = |bytes: &[u8]| match Request::parse(bytes) {
                None => "none",
                Some(Request { operation: Operation::Malformed, .. }) => "malformed",
                Some(_) => "good",
            };
            let got = operation(&bytes);
            bytes.push(0);
            assert_eq!(operation(&bytes), "none");
            got
        };
        // A name without an end; a write with less and with more data than it says.
        assert_eq!(request(1, b"volume"), "malformed");
        assert_eq!(request(1, b"volume\0"), "good");
        let write = |len: u32| [&[0; 16][..], &len.to_ne_bytes(), &[0; 20], &[1; 5]].concat();
        assert_eq!(
            [4, 5, 6, u32::MAX].map(|len| request(16, &write(len))),
            ["malformed", "good", "malformed", "malformed"]
        );
        for opcode in 0..100 {
            request(opcode, &[]);
            request(opcode, &[0xff; 39]);
        }
    }

    #[test]
    fn versions() {
        let init = |major, minor| Init { major, minor, ..RECORDED_INIT }.answer(1 << 20, 4096, 64);
        // The fields of `struct fuse_init_out` with values that Linux 6.18 takes.
        let numbers = |minor: u32| [7, minor, 0x2_0000, 0x40_0021].map(u32::to_ne_bytes).concat();
        let short = |minor| {
            [numbers(minor), [64u16, 48].map(u16::to_ne_bytes).concat(), 0x10_0000u32.to_ne_bytes().to_vec()].concat()
        };
        let rest = [&1u32.to_ne_bytes()[..], &256u16.to_ne_bytes(), &[0; 34]].concat();
        assert_eq!(init(7, 45), Version::Agreed([short(31), rest.clone()].concat()));
        assert_eq!(init(7, 23), Version::Agreed([short(23), rest].concat()));
        assert_eq!(init(7, 22), Version::Agreed(short(22)));
        assert_eq!(init(7, 9), Version::Agreed(short(9)));
        assert_eq!(init(7, 8), Version::Old(7, 8));
        assert_eq!(init(6, 99), Version::Old(6, 99));
        assert_eq!(init(8, 0), Version::Again([7u32, 31].map(u32::to_ne_bytes).concat()));
        // The first request of such kernels may have two fields.
        let old = |major: u32, minor: u32| Init::parse(&[major, minor].map(u32::to_ne_bytes).concat());
        assert!(old(7, 5).is_some() && old(9, 0).is_some() && old(7, 9).is_none());
    }

    /// The lengths are those of linux/fuse.h.
    #[test]
    fn lengths_of_replies() {
        let attributes =
            Attributes { node: 2, size: 1000, mode: REGULAR | 0o600, owner: 1, group: 2, made: (3, 4), block: 4096 };
        assert_eq!((attributes.entry().len(), attributes.answer().len()), (128, 104));
        assert_eq!((opened(0).len(), written(5).len(), no_space().len()), (16, 8, 80));
        assert_eq!(entry(2, 3, REGULAR, b"volume").len(), 32);
        assert_eq!(
            refusal(9, 5),
            [
                16u32.to_ne_bytes(),
                (-5i32).to_ne_bytes(),
                9u64.to_ne_bytes()[..4].try_into().unwrap(),
                9u64.to_ne_bytes()[4..].try_into().unwrap()
            ]
            .concat()
        );
        assert_eq!(reply(9, b"12345")[..4], 21u32.to_ne_bytes());
    }
}
