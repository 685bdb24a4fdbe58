//! A server that encrypts single blocks for its client, and says how long each took.

use crate::{
    Error, clock,
    controls::slow_bytes,
    profile::{BYTES, Sample},
    subject::{Keyed, Request, Subject},
};
use algkit::{Direction, Policy, Registry, cpu::CpuFeatures};
use std::{
    hint::black_box,
    io::{
        BufReader, BufWriter,
        ErrorKind::{TimedOut, UnexpectedEof, WouldBlock},
        Read, Write,
    },
    net::TcpStream,
    sync::atomic::{Ordering::SeqCst, fence},
    time::Duration,
};

/// The name of a service that leaks its key on purpose.
pub const CONTROL: &str = "control: time by text and key";

/// How long client and server wait for each other.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// The length of an answer in bytes: the text and the time.
const ANSWER: usize = BYTES + 4;

/// The length in bytes of the records of which a server reads the beginnings.
const RECORD: usize = 512;

/// What a server does with a block.
pub enum Service {
    /// It is encrypted by a driver.
    Driver(Keyed),
    /// Time passes that depends on the text and on this key.
    Control([u8; BYTES]),
}

impl Service {
    /// A driver by its name, or [`CONTROL`].
    pub fn new(name: &str, key: [u8; BYTES]) -> Result<Self, Error> {
        if name == CONTROL {
            return Ok(Self::Control(key));
        }
        let registry = Registry::new(CpuFeatures::detect(), Policy::Table);
        let subject = Subject::find(&registry, name).map_err(Error::of(name))?;
        let subject = subject.ok_or_else(|| Error::NoDriver(name.to_owned()))?;
        Ok(Self::Driver(subject.key(&key).map_err(Error::of(name))?))
    }

    fn run(&self, block: &mut [u8; BYTES]) -> Result<(), algkit::Error> {
        let request = Request { direction: Direction::Encrypt, iv: &[], assoc: &[], split: None };
        match self {
            Self::Driver(keyed) => keyed.run(&request, block, &mut []).map(|_| ()),
            Self::Control(key) => {
                slow_bytes(key, block);
                Ok(())
            }
        }
    }
}

/// Serves a client until it closes the connection, or asks for nothing for a while.
///
/// Before each request, the server works on `memory` bytes: it reads the beginning of each record, as a search in a
/// list does.
pub fn serve(stream: &TcpStream, name: &str, service: &Service, memory: usize) -> Result<(), Error> {
    let records = vec![[1u8; RECORD]; memory / RECORD];
    let mut requests = BufReader::new(stream);
    let mut answers = BufWriter::new(stream);
    let mut text = [0; BYTES];
    loop {
        match requests.read_exact(&mut text) {
            Ok(()) => {}
            Err(error) if matches!(error.kind(), UnexpectedEof | WouldBlock | TimedOut) => return Ok(()),
            Err(error) => return Err(Error::io("waiting for a request")(error)),
        }
        for record in &records {
            black_box(record[0]);
        }
        let mut block = text;
        fence(SeqCst);
        let start = clock::now();
        service.run(black_box(&mut block)).map_err(Error::of(name))?;
        let ticks = u32::try_from(clock::now() - start).unwrap_or(u32::MAX);
        black_box(block);
        let mut answer = [0; ANSWER];
        answer[..BYTES].copy_from_slice(&text);
        answer[BYTES..].copy_from_slice(&ticks.to_le_bytes());
        answers.write_all(&answer).map_err(Error::io("answering"))?;
        if requests.buffer().is_empty() {
            answers.flush().map_err(Error::io("answering"))?;
        }
    }
}

/// Reads an answer.
pub fn answer(stream: &mut impl Read) -> std::io::Result<Sample> {
    let (mut text, mut ticks) = ([0; BYTES], [0; 4]);
    stream.read_exact(&mut text)?;
    stream.read_exact(&mut ticks)?;
    Ok(Sample { text, ticks: u32::from_le_bytes(ticks) })
}
