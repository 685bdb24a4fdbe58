//! Descriptions of messages and of their pieces in the target's memory: `struct msghdr` and `struct iovec`.

use crate::serve::{sys::Piece, target::Target};
use algkit_afalg::{
    Errno,
    abi::{MAX_ADDRESS, MAX_CONTROL, MAX_PIECES, MAX_TRANSFER},
};

/// The length of a `struct msghdr`, and the offsets of its fields.
pub const HEADER_LEN: usize = 56;
pub const NAMELEN: u64 = 8;
pub const CONTROLLEN: u64 = 40;
pub const FLAGS: u64 = 48;

/// A `struct msghdr` of the target.
pub struct Header {
    window: Window,
    /// `msg_control` and `msg_controllen`.
    control: (u64, u64),
    /// `msg_name` and `msg_namelen`.
    pub name: (u64, usize),
    /// The pieces of memory that `msg_iov` describes.
    pub pieces: Vec<Piece>,
}

impl Header {
    /// Reads the structure at `address`.
    pub fn read(target: &Target<'_>, address: u64) -> Result<Self, Errno> {
        let window = Window::read(target, address, HEADER_LEN as u64)?;
        let bytes = window.bytes(target, address, HEADER_LEN)?;
        let (name, iov, count) = (word(&bytes, 0), word(&bytes, 16), word(&bytes, 24));
        let name_len = match usize::try_from(word(&bytes, 8) as i32) {
            _ if name == 0 => 0,
            Ok(len) => len.min(MAX_ADDRESS),
            Err(_) => return Err(Errno::INVAL),
        };
        if count > MAX_PIECES as u64 {
            return Err(Errno::MSGSIZE);
        }
        let control = (word(&bytes, 32), word(&bytes, 40));
        let pieces = pieces(&window.bytes(target, iov, 16 * count as usize)?)?;
        Ok(Self { window, control, name: (name, name_len), pieces })
    }

    /// Reads the control messages.
    pub fn control(&self, target: &Target<'_>) -> Result<Vec<u8>, Errno> {
        let (address, len) = self.control;
        if len > MAX_CONTROL as u64 {
            return Err(Errno::NOBUFS);
        }
        self.window.bytes(target, address, len as usize)
    }
}

/// Reads an array of `struct iovec` and returns its pieces.
pub fn iovec(target: &Target<'_>, address: u64, count: u64) -> Result<Vec<Piece>, Errno> {
    let count = usize::try_from(count).ok().filter(|&n| n <= MAX_PIECES).ok_or(Errno::INVAL)?;
    pieces(&target.bytes(address, 16 * count)?)
}

/// The pieces that an array of `struct iovec` describes.
fn pieces(array: &[u8]) -> Result<Vec<Piece>, Errno> {
    let mut left = MAX_TRANSFER;
    let members = array.chunks_exact(16).map(|entry| {
        let len = usize::try_from(word(entry, 8)).ok().filter(|&n| isize::try_from(n).is_ok());
        let len = len.ok_or(Errno::INVAL)?.min(left);
        left -= len;
        Ok((word(entry, 0), len))
    });
    members.collect()
}

fn word(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(|b| b.first_chunk()).map_or(0, |b| u64::from_ne_bytes(*b))
}

/// The memory around a structure, read in one call. What the structure points to is usually beside it, on the stack.
struct Window {
    start: u64,
    bytes: Vec<u8>,
}

impl Window {
    /// The numbers of bytes before and behind the structure.
    const BEFORE: u64 = 512;
    const BEHIND: u64 = 1024;
    const PAGE: u64 = 4096;

    /// Reads the `len` bytes at `address` with their surroundings, within the same pages. So if the bytes can be read,
    /// the surroundings can.
    fn read(target: &Target<'_>, address: u64, len: u64) -> Result<Self, Errno> {
        let first = address - address % Self::PAGE;
        let last = address.checked_add(len - 1).ok_or(Errno::FAULT)?;
        let end = last - last % Self::PAGE + (Self::PAGE - 1);
        let start = address.saturating_sub(Self::BEFORE).max(first);
        let end = address.saturating_add(len + Self::BEHIND).min(end.saturating_add(1));
        Ok(Self { start, bytes: target.bytes(start, (end - start) as usize)? })
    }

    /// The `len` bytes at `address`, from the window or else from the target. The caller limits `len`.
    fn bytes(&self, target: &Target<'_>, address: u64, len: usize) -> Result<Vec<u8>, Errno> {
        let inside =
            address.checked_sub(self.start).and_then(|at| self.bytes.get(usize::try_from(at).ok()?..)?.get(..len));
        inside.map_or_else(|| target.bytes(address, len), |bytes| Ok(bytes.to_vec()))
    }
}
