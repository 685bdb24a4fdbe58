//! Sockets as bytes, for another process that has them.

use super::{Dump, MAX_DUMP, Options, Port, Queue, Socket, catalogue, queue};
use crate::{
    Errno,
    snapshot::{Reader, Writer},
};

/// What a socket takes at most: a full queue, the end of a dump, numbers and lengths.
pub(crate) const ROOM: usize = queue::ROOM + MAX_DUMP + 4096;

impl Socket {
    pub(crate) fn save(&self, to: &mut Writer<'_>) -> Option<()> {
        to.option(self.port.as_ref(), |to, port| to.number(port.number().into()))?;
        to.flag(self.options.cap_ack)?;
        to.flag(self.options.no_enobufs)?;
        to.error(self.error)?;
        to.len(self.largest_buffer)?;
        to.option(self.dump.as_ref(), |to, dump| {
            to.len(dump.reported)?;
            to.number(dump.seq.into())
        })?;
        to.flag(self.queue.is_congested())?;
        to.len(self.queue.iter().len())?;
        self.queue.iter().try_for_each(|datagram| to.bytes(datagram))
    }

    pub(crate) fn load(&mut self, from: &mut Reader<'_>) -> Result<(), Errno> {
        let number = |from: &mut Reader<'_>| u32::try_from(from.number()?).map_err(|_| Errno::IO);
        let port = from.option(number)?;
        if port != self.port.as_ref().map(Port::number) {
            self.port = port.map(Port::of_another_process);
        }
        self.options = Options { cap_ack: from.flag()?, no_enobufs: from.flag()? };
        self.error = from.error()?;
        self.largest_buffer = from.len(usize::MAX)?;
        let dump = from.option(|from| Ok((from.len(usize::MAX)?, number(from)?)))?;
        let entries = self.dump.take().map(|dump| dump.entries);
        self.dump = dump.map(|(reported, seq)| {
            let entries = entries.unwrap_or_else(catalogue::entries);
            Dump { entries, reported, seq }
        });
        let congested = from.flag()?;
        // A datagram takes more room than its length.
        let count = from.len(ROOM)?;
        let datagrams = (0..count).map(|_| from.bytes(ROOM).map(<[u8]>::to_vec)).collect::<Result<_, _>>()?;
        self.queue = Queue::of(datagrams, congested);
        Ok(())
    }
}
