//! A server of the Network Block Device protocol, through which other programs use a volume as a disk (doc/proto.md of the NBD project: fixed newstyle,
//! structured replies, block status).
//!
//! A connection has an input and an output, and a few threads serve it. Each thread reads a request, does it, and answers; while one encrypts, another
//! reads the next request. One thread at a time holds the input, and one the output. So there is no queue. A client that does not read its replies
//! keeps only its own threads waiting, and memory is bounded: [`CHUNK`] for each thread.
//!
//! A client is not trusted: it can read and write the export's bytes, and nothing else.

mod handshake;
mod serve;
mod wire;

pub use handshake::{Client, Session, handshake};

use crate::{Error, WriteAt};
use std::sync::atomic::{AtomicBool, Ordering};

/// The longest read or write, in bytes, as other servers have it.
pub const MAX_REQUEST: u32 = 32 << 20;

/// The number of bytes that a thread holds at a time. Longer requests are done in pieces.
pub const CHUNK: usize = 512 << 10;

/// What is served.
pub struct Export<'a> {
    /// Its bytes.
    pub storage: &'a dyn WriteAt,
    /// Whether clients may only read.
    pub read_only: bool,
    /// Whether discards of clients are passed on to the storage. Whoever can read what the storage lies on then knows which sectors are in use.
    pub discard: bool,
    /// The length in bytes that requests of clients should have.
    pub block_size: u32,
    /// Is called with each error of the storage. Clients get an error number only.
    pub failed: &'a (dyn Fn(&Error) + Sync),
    /// When this is set, long requests end soon. The caller has to close the connections.
    pub stopping: AtomicBool,
}

impl<'a> Export<'a> {
    /// An export of all of the storage, which clients may read and write.
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
