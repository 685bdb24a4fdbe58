//! A server of the Network Block Device protocol, so that other programs get a volume as a disk (doc/proto.md of the NBD project: fixed newstyle,
//! structured replies, block status).
//!
//! A connection is two halves of a stream. A few threads serve it: each reads a request, does it, and answers; while one encrypts, another
//! reads the next request. Whoever reads has the input alone, and whoever answers the output. So there is no queue, a client that does not read its
//! replies waits for itself, and memory is bounded: [`CHUNK`] for each thread.
//!
//! A client is not trusted: it has the export's bytes and no more.

mod handshake;
mod serve;
mod wire;

pub use handshake::{Session, handshake};

use crate::{Error, WriteAt};
use std::sync::atomic::{AtomicBool, Ordering};

/// The longest read or write, in bytes, as other servers have it.
pub const MAX_REQUEST: u32 = 32 << 20;

/// Bytes that a thread holds at a time. Longer requests go through it in pieces.
pub const CHUNK: usize = 512 << 10;

/// What is served.
pub struct Export<'a> {
    /// Its bytes.
    pub storage: &'a dyn WriteAt,
    /// Whether clients may only read.
    pub read_only: bool,
    /// Whether what clients discard is given back to what the storage lies on. Who can read that then knows which sectors are in use.
    pub discard: bool,
    /// Bytes that clients should read and write together.
    pub block_size: u32,
    /// Is told of what fails on the storage; clients learn only that something did.
    pub failed: &'a (dyn Fn(&Error) + Sync),
    /// Has requests end soon that take long, when it is set. Closing the connections is the caller's.
    pub stopping: AtomicBool,
}

impl<'a> Export<'a> {
    /// All of the storage, read and written.
    pub fn new(storage: &'a dyn WriteAt) -> Self {
        Self {
            storage,
            read_only: false,
            discard: false,
            block_size: 4096,
            failed: &|_| {},
            stopping: AtomicBool::new(false),
        }
    }

    fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }
}
