//! The kernel's interface as numbers and bytes (`include/uapi/linux/ublk_cmd.h`). Numbers are in the machine's own order.

use rustix::ioctl::opcode;

/// `struct ublksrv_ctrl_cmd`, as long as it has to be for the numbers of commands.
type Command = [u64; 4];

/// Commands to `/dev/ublk-control`.
pub const GET_DEV_INFO: u32 = opcode::read::<Command>(b'u', 0x02);
pub const ADD_DEV: u32 = opcode::read_write::<Command>(b'u', 0x04);
pub const DEL_DEV: u32 = opcode::read_write::<Command>(b'u', 0x05);
pub const START_DEV: u32 = opcode::read_write::<Command>(b'u', 0x06);
pub const STOP_DEV: u32 = opcode::read_write::<Command>(b'u', 0x07);
pub const SET_PARAMS: u32 = opcode::read_write::<Command>(b'u', 0x08);
/// As [`DEL_DEV`], which returns only when nobody uses the device any more. Linux 6.7 and later.
pub const DEL_DEV_ASYNC: u32 = opcode::read::<Command>(b'u', 0x14);
pub const GET_FEATURES: u32 = opcode::read::<Command>(b'u', 0x13);

/// Commands to a device: one that asks for a request, and one that answers a request and asks for the next.
pub const FETCH: u32 = opcode::read_write::<[u64; 2]>(b'u', 0x20);
pub const COMMIT_AND_FETCH: u32 = opcode::read_write::<[u64; 2]>(b'u', 0x21);

/// The feature by which a request's bytes are read from and written to the device's file.
pub const USER_COPY: u64 = 1 << 7;

/// The number of a device that the kernel is to choose.
pub const ANY: u32 = u32::MAX;

/// The longest queue.
pub const MAX_DEPTH: u16 = 4096;

/// Bytes that describe a request in the memory of a queue.
pub const DESCRIPTOR: usize = 24;

/// A command to `/dev/ublk-control`, which concerns no queue: a device, and a buffer that is read or filled, or a number.
pub fn command(device: u32, address: u64, len: u16, data: u64) -> [u8; 80] {
    let mut bytes = [0; 80];
    bytes[..4].copy_from_slice(&device.to_ne_bytes());
    bytes[4..6].copy_from_slice(&u16::MAX.to_ne_bytes());
    bytes[6..8].copy_from_slice(&len.to_ne_bytes());
    bytes[8..16].copy_from_slice(&address.to_ne_bytes());
    bytes[16..24].copy_from_slice(&data.to_ne_bytes());
    bytes
}

/// A command to a device: `struct ublksrv_io_cmd`, without an address, as nothing is copied by itself.
pub fn request_command(queue: u16, tag: u16, result: i32) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..2].copy_from_slice(&queue.to_ne_bytes());
    bytes[2..4].copy_from_slice(&tag.to_ne_bytes());
    bytes[4..8].copy_from_slice(&result.to_ne_bytes());
    bytes
}

/// Where the bytes of a request begin in the device's file.
pub fn place(queue: u16, tag: u16) -> u64 {
    0x8000_0000 + (u64::from(queue) << 41 | u64::from(tag) << 25)
}

/// A device: `struct ublksrv_ctrl_dev_info`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Info {
    pub queues: u16,
    pub depth: u16,
    /// 0 if it has no disk: not yet, or not any more.
    pub state: u16,
    /// Bytes of the longest request that moves data.
    pub max_bytes: u32,
    pub id: u32,
    /// The process that serves it; -1 when its disk is gone again.
    pub pid: i32,
    pub features: u64,
    /// Any number, which the kernel keeps for the server.
    pub mark: u64,
}

impl Info {
    pub const SIZE: usize = 64;

    pub fn to_bytes(self) -> Vec<u8> {
        let Self { queues, depth, state, max_bytes, id, pid, features, mark } = self;
        let mut bytes = [queues, depth, state, 0].map(u16::to_ne_bytes).concat();
        bytes.extend([max_bytes, id, pid as u32, 0].map(u32::to_ne_bytes).concat());
        bytes.extend([features, mark].map(u64::to_ne_bytes).concat());
        bytes.resize(Self::SIZE, 0);
        bytes
    }

    /// From [`Self::SIZE`] bytes.
    pub fn parse(bytes: &[u8]) -> Self {
        Self {
            queues: u16::from_ne_bytes(at(bytes, 0)),
            depth: u16::from_ne_bytes(at(bytes, 2)),
            state: u16::from_ne_bytes(at(bytes, 4)),
            max_bytes: u32::from_ne_bytes(at(bytes, 8)),
            id: u32::from_ne_bytes(at(bytes, 12)),
            pid: i32::from_ne_bytes(at(bytes, 16)),
            features: u64::from_ne_bytes(at(bytes, 24)),
            mark: u64::from_ne_bytes(at(bytes, 32)),
        }
    }
}

/// The bytes from `offset` on; zeros behind the end.
pub fn at<const N: usize>(bytes: &[u8], offset: usize) -> [u8; N] {
    let mut taken = [0; N];
    taken.iter_mut().zip(bytes.iter().skip(offset)).for_each(|(to, from)| *to = *from);
    taken
}

/// What a disk is: `struct ublk_params` with the basic ones and those of discarding.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// Bytes of the disk.
    pub size: u64,
    /// Bytes of a logical block: a power of two from 512 to 4096.
    pub block: u32,
    /// Bytes of the longest read or write, and of the longest range that is filled with zeros.
    pub max_bytes: u32,
    pub read_only: bool,
    pub discard: bool,
}

impl Params {
    /// The physical block of a disk whose logical block is smaller.
    const PAGE: u32 = 4096;

    /// Bytes of the longest range that is discarded.
    const MAX_DISCARD: u32 = 1 << 30;

    pub fn to_bytes(self) -> Vec<u8> {
        const READ_ONLY: u32 = 1 << 0;
        const VOLATILE_CACHE: u32 = 1 << 2;
        const FUA: u32 = 1 << 3;
        const BASIC: u32 = 1 << 0;
        const DISCARD: u32 = 1 << 1;
        let attributes = VOLATILE_CACHE | FUA | if self.read_only { READ_ONLY } else { 0 };
        let logical = self.block.trailing_zeros() as u8;
        let physical = self.block.max(Self::PAGE).trailing_zeros() as u8;
        let discard = if self.discard { Self::MAX_DISCARD } else { 0 };
        let mut bytes = [60, BASIC | DISCARD, attributes].map(u32::to_ne_bytes).concat();
        // The best and the smallest length of a request are that of a physical block.
        bytes.extend([logical, physical, physical, physical]);
        bytes.extend([self.max_bytes >> 9, 0].map(u32::to_ne_bytes).concat());
        bytes.extend([self.size >> 9, 0].map(u64::to_ne_bytes).concat());
        bytes.extend([0, self.block, discard >> 9, self.max_bytes >> 9].map(u32::to_ne_bytes).concat());
        bytes.extend([1, 0].map(u16::to_ne_bytes).concat());
        bytes
    }
}

/// What a request asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    Read,
    Write,
    Flush,
    Discard,
    WriteZeroes,
    /// What the disk has not said that it can do.
    Other,
}

/// A request: `struct ublksrv_io_desc`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request {
    pub operation: Operation,
    /// Whether it is answered when what it wrote will be there after the power has failed.
    pub fua: bool,
    /// Bytes.
    pub offset: u64,
    pub len: u64,
}

impl Request {
    pub fn parse(bytes: &[u8; DESCRIPTOR]) -> Self {
        const FUA: u32 = 1 << 13;
        let flags = u32::from_ne_bytes(at(bytes, 0));
        Self {
            operation: match flags & 0xff {
                0 => Operation::Read,
                1 => Operation::Write,
                2 => Operation::Flush,
                3 => Operation::Discard,
                5 => Operation::WriteZeroes,
                _ => Operation::Other,
            },
            fua: flags & FUA != 0,
            offset: u64::from_ne_bytes(at(bytes, 8)) << 9,
            len: u64::from(u32::from_ne_bytes(at(bytes, 4))) << 9,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a C compiler makes of `UBLK_U_CMD_ADD_DEV`, `UBLK_U_CMD_GET_FEATURES` and `UBLK_U_IO_COMMIT_AND_FETCH_REQ` of Linux 6.12 on x86-64.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    #[test]
    fn numbers_of_commands() {
        assert_eq!([ADD_DEV, GET_FEATURES, COMMIT_AND_FETCH], [0xc020_7504, 0x8020_7513, 0xc010_7521]);
    }

    #[test]
    fn structures_have_the_lengths_of_the_header() {
        let info = Info { queues: 2, depth: 64, state: 1, max_bytes: 1 << 20, id: 3, pid: -1, features: 5, mark: 6 };
        assert_eq!(info.to_bytes().len(), Info::SIZE);
        assert_eq!(Info::parse(&info.to_bytes()), info);
        let params =
            Params { size: 1 << 20, block: 512, max_bytes: 1 << 20, read_only: true, discard: true }.to_bytes();
        assert_eq!(params.len(), 60);
        assert_eq!(u32::from_ne_bytes(at(&params, 0)), 60);
        // `dev_sectors` of the basic parameters, `discard_granularity` of the others.
        assert_eq!(u64::from_ne_bytes(at(&params, 24)), 2048);
        assert_eq!(u32::from_ne_bytes(at(&params, 44)), 512);
    }
}
