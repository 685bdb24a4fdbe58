//! States as bytes, for another process that has the same socket.
//!
//! A front end inside of its clients has to give the processes that `fork` makes one state, as the kernel does. Each of them
//! has what does not change, transforms above all; what does is written by the one that has changed it and read by the
//! others. Nothing that is read is trusted: lengths are limited, and what is too short or makes no sense is [`Errno::IO`].

use crate::Errno;
use std::fmt::Debug;

/// What the processes that share a socket have in common: one value, and a lock on it.
pub trait Common: Debug + Send + Sync {
    /// Locks. If the value is not the one of version `seen`, it is passed to `read`. Returns its version.
    fn lock(&self, seen: u64, read: &mut dyn FnMut(&[u8])) -> u64;

    /// Unlocks, after what `write` makes has become the value, if it is another one. Returns its version.
    fn unlock(&self, write: &mut dyn FnMut(&mut [u8]) -> Option<usize>) -> u64;

    /// Waits, for a reasonable time, until those that a `fork` has just made have [joined](crate::File::join). Called without the
    /// lock.
    fn settle(&self);

    /// This process.
    fn process(&self) -> ProcessId;

    /// Whether a process is still there.
    fn is_alive(&self, process: ProcessId) -> bool;
}

/// A program in a process. Numbers are used again, and `exec` puts another program in the place of one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProcessId {
    /// The number.
    pub number: u32,
    /// A time at which it was there, in whatever the front end counts.
    pub seen: u64,
    /// What tells it from the program that follows it after `exec`, but not from its copies by `fork`.
    pub program: u64,
}

/// Writes fields one after the other; `None` if there is no room.
pub(crate) struct Writer<'a> {
    room: &'a mut [u8],
    written: usize,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(room: &'a mut [u8]) -> Self {
        Self { room, written: 0 }
    }

    /// Bytes written.
    pub(crate) fn written(&self) -> usize {
        self.written
    }

    /// Bytes of a length that the reader knows.
    pub(crate) fn fixed(&mut self, bytes: &[u8]) -> Option<()> {
        let end = self.written.checked_add(bytes.len())?;
        self.room.get_mut(self.written..end)?.copy_from_slice(bytes);
        self.written = end;
        Some(())
    }

    pub(crate) fn flag(&mut self, flag: bool) -> Option<()> {
        self.fixed(&[u8::from(flag)])
    }

    pub(crate) fn number(&mut self, number: u64) -> Option<()> {
        self.fixed(&number.to_ne_bytes())
    }

    pub(crate) fn len(&mut self, len: usize) -> Option<()> {
        self.number(len as u64)
    }

    /// Bytes, with their length.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Option<()> {
        self.len(bytes.len())?;
        self.fixed(bytes)
    }

    pub(crate) fn error(&mut self, error: Option<Errno>) -> Option<()> {
        self.number(error.map_or(0, |error| error.raw_os_error().unsigned_abs().into()))
    }

    /// Whether there is a value, and the value.
    pub(crate) fn option<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Self, T) -> Option<()>) -> Option<()> {
        self.flag(value.is_some())?;
        value.map_or(Some(()), |value| write(self, value))
    }
}

/// Reads what a [`Writer`] wrote.
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    fn take(&mut self, len: usize) -> Result<&'a [u8], Errno> {
        let (taken, rest) = self.0.split_at_checked(len).ok_or(Errno::IO)?;
        self.0 = rest;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Errno> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(Errno::IO)?;
        self.0 = rest;
        Ok(*taken)
    }

    /// Bytes as many as there is room for.
    pub(crate) fn fill(&mut self, room: &mut [u8]) -> Result<(), Errno> {
        room.copy_from_slice(self.take(room.len())?);
        Ok(())
    }

    pub(crate) fn flag(&mut self) -> Result<bool, Errno> {
        let [byte] = self.array()?;
        Ok(byte != 0)
    }

    pub(crate) fn number(&mut self) -> Result<u64, Errno> {
        self.array().map(u64::from_ne_bytes)
    }

    /// A length of at most `limit`.
    pub(crate) fn len(&mut self, limit: usize) -> Result<usize, Errno> {
        usize::try_from(self.number()?).ok().filter(|&len| len <= limit).ok_or(Errno::IO)
    }

    /// Bytes with their length, at most `limit`.
    pub(crate) fn bytes(&mut self, limit: usize) -> Result<&'a [u8], Errno> {
        let len = self.len(limit)?;
        self.take(len)
    }

    pub(crate) fn error(&mut self) -> Result<Option<Errno>, Errno> {
        match self.number()? {
            0 => Ok(None),
            error @ 1..4096 => Ok(Some(Errno::from_raw_os_error(error as i32))),
            _ => Err(Errno::IO),
        }
    }

    /// A value, if there is one.
    pub(crate) fn option<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Errno>) -> Result<Option<T>, Errno> {
        if self.flag()? { read(self).map(Some) } else { Ok(None) }
    }

    /// Nothing may be left.
    pub(crate) fn end(self) -> Result<(), Errno> {
        if self.0.is_empty() { Ok(()) } else { Err(Errno::IO) }
    }
}
