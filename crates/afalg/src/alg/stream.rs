//! The sending side of cipher and AEAD sockets.

use super::queue::{PAGE, Queue};
use crate::{
    Errno, Message, Readiness,
    abi::{ALG_OP_DECRYPT, ALG_OP_ENCRYPT, Control},
    level::Buffers,
};
use algkit::Direction;
use std::fmt;
use zeroize::Zeroizing;

/// The sent data that has not been processed yet, and the settings for it.
pub(super) struct Stream {
    pub(super) queue: Queue,
    pub(super) direction: Direction,
    pub(super) iv: Zeroizing<Box<[u8]>>,
    pub(super) assoc_len: usize,
    /// Whether the client announced more data (`MSG_MORE`).
    pub(super) more: bool,
    /// Whether a message has begun.
    pub(super) begun: bool,
    /// The free bytes in the kernel's last page, beyond the limit of the buffer size.
    page_room: usize,
    pub(super) buffers: Buffers,
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream({:?}, more: {}, begun: {})", self.queue, self.more, self.begun)
    }
}

impl Stream {
    pub(super) fn new(iv_size: usize) -> Self {
        Self {
            queue: Queue::default(),
            direction: Direction::Decrypt,
            iv: Zeroizing::new(vec![0; iv_size].into()),
            assoc_len: 0,
            more: false,
            begun: false,
            page_room: 0,
            buffers: Buffers::default(),
        }
    }

    /// `sendmsg`: accepts as much of the message as there is room for.
    #[inline]
    pub(super) fn send(&mut self, message: &Message<'_>) -> Result<usize, Errno> {
        let control = match message.control {
            [] => None,
            bytes => Some(self.control(bytes)?),
        };
        if self.begun && !self.more && self.queue.len() > 0 {
            return Err(Errno::INVAL);
        }
        if let Some((direction, control)) = control {
            self.direction = direction;
            if let Some(iv) = control.iv {
                self.iv.copy_from_slice(iv);
            }
            self.assoc_len = control.assoc_len as usize;
        }
        self.add(message)
    }

    /// Parses a control buffer. Even a short one resets the direction and the length of associated data.
    fn control<'a>(&self, bytes: &'a [u8]) -> Result<(Direction, Control<'a>), Errno> {
        let control = Control::parse(bytes)?;
        let direction = match control.op {
            ALG_OP_ENCRYPT => Direction::Encrypt,
            ALG_OP_DECRYPT => Direction::Decrypt,
            _ => return Err(Errno::INVAL),
        };
        if control.iv.is_some_and(|iv| iv.len() != self.iv.len()) {
            return Err(Errno::INVAL);
        }
        Ok((direction, control))
    }

    /// Continues a message that was accepted in part. If a reader has emptied the queue meanwhile, it still counts
    /// as the same message. The kernel forgets the message, and both sides wait for each other.
    pub(super) fn send_rest(&mut self, message: &Message<'_>) -> Result<usize, Errno> {
        self.add(message)
    }

    #[inline]
    fn add(&mut self, message: &Message<'_>) -> Result<usize, Errno> {
        self.begun = true;
        let mut total: usize = message.data.iter().map(|piece| piece.len()).sum();
        if message.fault {
            total = self.copied_before_fault(total);
            if total == 0 {
                return Err(if self.page_room > 0 || self.is_writable() { Errno::FAULT } else { Errno::AGAIN });
            }
        }
        let accepted = self.admit(total);
        self.queue.reserve(accepted);
        let more = message.flags & libc::MSG_MORE != 0;
        let mut left = accepted;
        for piece in message.data {
            let n = left.min(piece.len());
            self.queue.push(&piece[..n]);
            left -= n;
        }
        if accepted == total {
            if !message.fault {
                self.more = more;
            }
        } else if accepted == 0 {
            return Err(Errno::AGAIN);
        }
        Ok(accepted)
    }

    /// How many of `readable` bytes are accepted if the following ones cannot be read: data is copied page by page.
    fn copied_before_fault(&self, readable: usize) -> usize {
        readable.checked_sub(self.page_room).map_or(0, |rest| self.page_room + rest / PAGE * PAGE)
    }

    /// How many of `total` bytes are accepted now. The last page is always filled; after that, pages are added
    /// while the limit leaves room for a whole one.
    fn admit(&mut self, total: usize) -> usize {
        let mut accepted = total.min(self.page_room);
        self.page_room -= accepted;
        while accepted < total {
            let free = self.limit(self.buffers.send).saturating_sub(self.queue.len() + accepted);
            if free < PAGE {
                break;
            }
            let chunk = free.min(total - accepted);
            accepted += chunk;
            self.page_room = chunk.next_multiple_of(PAGE) - chunk;
            let filling = self.page_room.min(total - accepted);
            accepted += filling;
            self.page_room -= filling;
        }
        accepted
    }

    /// The limit of a buffer in bytes: whole pages, at least one.
    fn limit(&self, buffer: usize) -> usize {
        (buffer / PAGE * PAGE).max(PAGE)
    }

    /// The most bytes that one request can receive.
    #[inline]
    pub(super) fn receive_limit(&self) -> usize {
        self.limit(self.buffers.receive)
    }

    /// Removes the first `n` bytes from the queue. When it is empty, a new message may begin, unless the client has
    /// announced more of this one.
    #[inline]
    pub(super) fn consume(&mut self, n: usize) {
        self.queue.pop(n);
        if self.queue.len() == 0 {
            self.page_room = 0;
            self.begun = self.more;
        }
    }

    pub(super) fn readiness(&self) -> Readiness {
        Readiness { readable: !self.more || self.queue.len() > 0, writable: self.is_writable() }
    }

    fn is_writable(&self) -> bool {
        self.limit(self.buffers.send).saturating_sub(self.queue.len()) >= PAGE
    }
}
