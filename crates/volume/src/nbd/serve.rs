//! Requests and replies.

use super::{
    CHUNK, Export, MAX_REQUEST, Session,
    handshake::broken,
    wire::{
        Command, DATA_HEAD, DF, EINVAL, EIO, ENOSPC, EOVERFLOW, EPERM, ESHUTDOWN, FUA, NO_HOLE, REQ_ONE, REQUEST,
        Request, data_chunk, end_chunk, simple_reply, status_chunk,
    },
};
use crate::Error;
use std::{
    io::{self, BufReader, Read, Write},
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
};
use zeroize::Zeroizing;

/// The number of bytes that are read ahead: many requests, or the beginning of the data of a write.
const AHEAD: usize = 64 << 10;

/// The length in bytes of a short request. If no request waits behind it, it is done before another thread is woken, as waking takes as long.
const SHORT: u32 = 16 << 10;

/// The error number with which a request is refused.
type Refusal = u32;

/// A request of which all has been read, and what has become of it so far.
type Received = (Request, Result<(), Refusal>);

impl Session {
    /// Serves the client with this number of threads, until it leaves. `hang_up` is called if the connection has to end before that: from then on, every
    /// read of the input and every write to the output has to end at once.
    pub fn serve(
        self,
        export: &Export<'_>,
        input: impl Read + Send,
        output: impl Write + Send,
        hang_up: impl Fn() + Sync,
        threads: usize,
    ) -> Result<(), io::Error> {
        let connection = Connection {
            export,
            session: self,
            input: Mutex::new(Some(BufReader::with_capacity(AHEAD, input))),
            output: Mutex::new(output),
            hang_up,
        };
        thread::scope(|scope| {
            // If a thread cannot be started, the others do its work.
            let spawn = |_| thread::Builder::new().spawn_scoped(scope, || connection.work()).ok();
            let others: Vec<_> = (1..threads).filter_map(spawn).collect();
            let mine = connection.work();
            // The first error is the reason why the connection ended.
            others.into_iter().map(|thread| thread.join().unwrap_or(Ok(()))).fold(mine, Result::and)
        })
    }
}

struct Connection<'a, R, W, H> {
    export: &'a Export<'a>,
    session: Session,
    /// None when the connection has ended.
    input: Mutex<Option<BufReader<R>>>,
    output: Mutex<W>,
    hang_up: H,
}

/// A piece of data. For a read, the head of the reply is in front of it.
type Buffer = Zeroizing<Vec<u8>>;

/// Makes the buffer `len` bytes long. Its bytes stay only if it has room: to grow in place would leave copies of plaintext behind.
fn resize(buffer: &mut Buffer, len: usize) {
    if buffer.capacity() < len {
        *buffer = Zeroizing::new(Vec::with_capacity(len));
    }
    buffer.resize(len, 0);
}

type Input<'a, R> = MutexGuard<'a, Option<BufReader<R>>>;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<R: Read, W: Write, H: Fn()> Connection<'_, R, W, H> {
    /// Does one request after the other, until the connection ends.
    fn work(&self) -> Result<(), io::Error> {
        let mut buffer = Buffer::default();
        let mut held = None;
        loop {
            let mut input = held.take().unwrap_or_else(|| lock(&self.input));
            let Some(reader) = input.as_mut() else { return Ok(()) };
            let (request, done) = match self.receive(reader, &mut buffer) {
                Ok(Some(received)) => received,
                end => {
                    // Other threads still answer what has come before.
                    *input = None;
                    return end.map(drop);
                }
            };
            held = match self.request(&request, done, input, &mut buffer) {
                Ok(held) => held,
                Err(error) => {
                    // Another thread may have the input, and wait for the client.
                    (self.hang_up)();
                    *lock(&self.input) = None;
                    return Err(error);
                }
            };
        }
    }

    /// The next request, and whether it is refused or has failed; `None` if the client leaves.
    fn receive(&self, input: &mut BufReader<R>, buffer: &mut Buffer) -> Result<Option<Received>, io::Error> {
        let Some(request) = next(input)? else { return Ok(None) };
        let mut done = self.refusal(&request).map_or(Ok(()), Err);
        if request.command == Command::Write {
            // The data of a write is read also if the request is refused, as the next request begins behind it.
            done = self.take_long(&request, done, input, buffer)?;
        }
        Ok(Some((request, done)))
    }

    /// Does a request and answers it. All of it has been read, so the input is released to the next thread. If there is nothing to do for another
    /// thread, it is returned instead.
    fn request<'a>(
        &'a self,
        request: &Request,
        mut done: Result<(), Refusal>,
        input: Input<'a, R>,
        buffer: &mut Buffer,
    ) -> Result<Option<Input<'a, R>>, io::Error> {
        let Request { command, cookie, offset, len, flags } = *request;
        let has_more = input.as_ref().is_some_and(|input| !input.buffer().is_empty());
        let moves = matches!(command, Command::Read | Command::Write);
        let held = (moves && len <= SHORT && !has_more && flags & FUA == 0).then_some(input);
        match command {
            Command::Read => return self.read(request, done, buffer).map(|()| held),
            Command::BlockStatus if done.is_ok() => return self.send(&status_chunk(cookie, len)).map(|()| held),
            _ => {}
        }
        done = done.and_then(|()| match command {
            Command::Write => {
                // The last piece of the data is still in the buffer.
                let at = offset + (u64::from(len) - buffer.len() as u64);
                self.told(self.export.storage.write_from(at, buffer))
            }
            Command::Trim => self.pieces(offset, len, |at, len| self.export.storage.discard(at, len as u64)),
            Command::WriteZeroes => self.pieces(offset, len, |at, len| {
                buffer.clear();
                resize(buffer, len);
                self.export.storage.write_from(at, buffer)
            }),
            _ => Ok(()),
        });
        if command == Command::Flush || flags & FUA != 0 {
            done = done.and_then(|()| self.told(self.export.storage.sync()));
        }
        self.answer(cookie, done).map(|()| held)
    }

    /// The reason why a request is refused, if it is.
    fn refusal(&self, request: &Request) -> Option<Refusal> {
        let Request { flags, command, offset, len, .. } = *request;
        let allowed = match command {
            Command::Read => DF,
            Command::Write | Command::Trim | Command::Flush => FUA,
            Command::WriteZeroes => FUA | NO_HOLE,
            Command::BlockStatus => REQ_ONE,
            Command::Disconnect | Command::Other => return Some(EINVAL),
        };
        let writes = matches!(command, Command::Write | Command::Trim | Command::WriteZeroes);
        let moves = matches!(command, Command::Read | Command::Write);
        let size = self.export.storage.size().unwrap_or(0);
        if writes && self.export.read_only {
            Some(EPERM)
        } else if flags & !allowed & !FUA != 0
            || command == Command::Trim && !self.export.discard
            || command == Command::BlockStatus && (!self.session.allocation || len == 0)
            || command == Command::Flush && (offset, len) != (0, 0)
            || moves && len > MAX_REQUEST
        {
            Some(EINVAL)
        } else if offset.checked_add(len.into()).is_none_or(|end| end > size) {
            Some(if writes { ENOSPC } else { EINVAL })
        } else if command == Command::Read && flags & DF != 0 && len as usize > CHUNK {
            Some(EOVERFLOW)
        } else {
            None
        }
    }

    /// Reads the data of a write, and writes all pieces but the last, which stays in the buffer.
    fn take_long(
        &self,
        request: &Request,
        mut done: Result<(), Refusal>,
        input: &mut BufReader<R>,
        buffer: &mut Buffer,
    ) -> Result<Result<(), Refusal>, io::Error> {
        if request.len > 2 * MAX_REQUEST {
            return Err(broken("a write that is too long"));
        }
        let (mut at, mut left) = (request.offset, request.len as usize);
        loop {
            resize(buffer, left.min(CHUNK));
            input.read_exact(buffer)?;
            left -= buffer.len();
            if left == 0 {
                return Ok(done);
            }
            if done.is_ok() {
                done = self.told(self.export.storage.write_from(at, buffer));
            }
            at = at.wrapping_add(buffer.len() as u64);
        }
    }

    /// Answers a read. A structured reply is made of chunks, each with its own head. A simple reply has one head in front of all pieces, so after a failure
    /// in the middle the connection has to end.
    fn read(&self, request: &Request, refused: Result<(), Refusal>, buffer: &mut Buffer) -> Result<(), io::Error> {
        let Request { cookie, offset, len, .. } = *request;
        if refused.is_err() || len == 0 {
            return self.answer_read(cookie, refused);
        }
        // The pieces of a simple reply must follow each other, so the output is held until the last one.
        let mut whole = None;
        let mut done = 0;
        while done < len {
            let piece = (len - done).min(CHUNK as u32);
            resize(buffer, DATA_HEAD + piece as usize);
            let data = DATA_HEAD..DATA_HEAD + piece as usize;
            let at = offset + u64::from(done);
            if let Err(refused) = self.told(self.export.storage.read_at(at, &mut buffer[data.clone()])) {
                return match (self.session.structured, done) {
                    (false, 1..) => {
                        // The output is still held: the client would take another reply for the rest of this one.
                        (self.hang_up)();
                        Err(io::Error::other("the volume cannot be read"))
                    }
                    _ => self.answer_read(cookie, Err(refused)),
                };
            }
            done += piece;
            let head = match self.session.structured {
                true => data_chunk(cookie, done == len, at, piece),
                false if at == offset => simple_reply(cookie, 0),
                false => Vec::new(),
            };
            let start = data.start - head.len();
            buffer[start..data.start].copy_from_slice(&head);
            let mut output = whole.take().unwrap_or_else(|| lock(&self.output));
            output.write_all(&buffer[start..data.end])?;
            whole = (!self.session.structured && done < len).then_some(output);
        }
        Ok(())
    }

    /// Does a request piece by piece, so that memory is bounded, and a long request ends soon when the server stops.
    fn pieces(
        &self,
        offset: u64,
        len: u32,
        mut each: impl FnMut(u64, usize) -> Result<(), Error>,
    ) -> Result<(), Refusal> {
        let end = offset + u64::from(len);
        for at in (offset..end).step_by(CHUNK) {
            if self.export.is_stopping() {
                return Err(ESHUTDOWN);
            }
            self.told(each(at, (end - at).min(CHUNK as u64) as usize))?;
        }
        Ok(())
    }

    /// Reports an error of the storage to the server, and makes it an error number for the client.
    fn told(&self, done: Result<(), Error>) -> Result<(), Refusal> {
        done.map_err(|error| {
            (self.export.failed)(&error);
            if error.is_storage_full() { ENOSPC } else { EIO }
        })
    }

    fn answer(&self, cookie: u64, done: Result<(), Refusal>) -> Result<(), io::Error> {
        self.send(&simple_reply(cookie, done.err().unwrap_or(0)))
    }

    fn answer_read(&self, cookie: u64, done: Result<(), Refusal>) -> Result<(), io::Error> {
        match self.session.structured {
            true => self.send(&end_chunk(cookie, done.err().unwrap_or(0))),
            false => self.answer(cookie, done),
        }
    }

    fn send(&self, reply: &[u8]) -> Result<(), io::Error> {
        lock(&self.output).write_all(reply)
    }
}

/// The next request; `None` if the client leaves.
fn next(input: &mut BufReader<impl Read>) -> Result<Option<Request>, io::Error> {
    let mut bytes = [0; REQUEST];
    // A client may leave by closing the connection between two requests.
    let first = loop {
        match input.read(&mut bytes[..1]) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => break read?,
        }
    };
    if first == 0 {
        return Ok(None);
    }
    input.read_exact(&mut bytes[1..])?;
    match Request::parse(&bytes) {
        None => Err(broken("no request")),
        Some(request) if request.command == Command::Disconnect => Ok(None),
        request => Ok(request),
    }
}
