//! The handshake, before the requests: the client chooses the export and the form of replies. It is the fixed newstyle handshake, the only one in use.

use super::{
    Export, MAX_REQUEST,
    wire::{
        ACK, ALLOCATION, CAN_MULTI_CONN, FIXED_NEWSTYLE, Fields, HAS_FLAGS, INFO, INVALID, META_CONTEXT, NO_ZEROES,
        OPTION_MAGIC, READ_ONLY, SEND_DF, SEND_FLUSH, SEND_FUA, SEND_TRIM, SEND_WRITE_ZEROES, SERVER, SERVER_MAGIC,
        TLS_REQUIRED, TOO_BIG, UNKNOWN, UNSUPPORTED, context, option_reply,
    },
};
use crate::Error;
use std::io::{self, Read, Write};

/// The length of the longest option in bytes. A name has at most 4096 bytes, and queries are few.
const MAX_OPTION: u32 = 16 << 10;

/// The longest option that is read and dropped. A client that sends a longer one is disconnected.
const LONGEST_DROPPED: u32 = 1 << 20;

/// The largest number of options. A client that sends more is disconnected.
const MAX_OPTIONS: usize = 64;

/// Options.
const EXPORT_NAME: u32 = 1;
const ABORT: u32 = 2;
const LIST: u32 = 3;
const STARTTLS: u32 = 5;
const GET_INFO: u32 = 6;
const GO: u32 = 7;
const STRUCTURED_REPLY: u32 = 8;
const LIST_META_CONTEXT: u32 = 9;
const SET_META_CONTEXT: u32 = 10;

/// What client and server have agreed on.
#[derive(Clone, Copy, Default, Debug)]
pub struct Session {
    /// Reads are answered in chunks.
    pub(super) structured: bool,
    /// The client may ask for block status.
    pub(super) allocation: bool,
}

/// A client that has been greeted. Now it sends options.
#[derive(Clone, Copy, Debug)]
pub struct Client {
    is_fixed: bool,
    wants_zeros: bool,
    has_tls: bool,
}

/// Greets a client and answers its options, until it chooses the export. If the client leaves instead, that is `None`. It is an error if the connection
/// fails or the client breaks the protocol.
pub fn handshake(
    export: &Export<'_>,
    input: &mut impl Read,
    output: &mut impl Write,
) -> Result<Option<Session>, io::Error> {
    Client::greet(input, output)?.choose(export, input, output, || true)
}

/// An option: its number, and its data unless they are too long.
type Sent = (u32, Option<Vec<u8>>);

impl Client {
    /// The greeting, which the client answers with its flags.
    pub fn greet(input: &mut impl Read, output: &mut impl Write) -> Result<Self, io::Error> {
        let greeting =
            [&SERVER_MAGIC.to_be_bytes()[..], &OPTION_MAGIC.to_be_bytes(), &(FIXED_NEWSTYLE | NO_ZEROES).to_be_bytes()];
        output.write_all(&greeting.concat())?;
        let flags = u32::from_be_bytes(read(input)?);
        if flags & !u32::from(FIXED_NEWSTYLE | NO_ZEROES) != 0 {
            return Err(broken("flags of the client"));
        }
        let has = |flag: u16| flags & u32::from(flag) != 0;
        Ok(Self { is_fixed: has(FIXED_NEWSTYLE), wants_zeros: !has(NO_ZEROES), has_tls: false })
    }

    fn option(&self, input: &mut impl Read) -> Result<Sent, io::Error> {
        let head: [u8; 16] = read(input)?;
        let mut fields = Fields(&head);
        if fields.u64() != Some(OPTION_MAGIC) {
            return Err(broken("no option"));
        }
        let (option, len) = (fields.u32().unwrap_or(0), fields.u32().unwrap_or(0));
        if !self.is_fixed && option != EXPORT_NAME {
            return Err(broken("an option that only fixed newstyle has"));
        }
        if len > LONGEST_DROPPED {
            return Err(broken("an option of more than a MiB"));
        }
        if len > MAX_OPTION {
            io::copy(&mut input.take(len.into()), &mut io::sink())?;
            return Ok((option, None));
        }
        let mut data = vec![0; len as usize];
        input.read_exact(&mut data)?;
        Ok((option, Some(data)))
    }

    /// Answers a client's options until it begins TLS, without which it gets nothing. If it leaves instead, that is `false`. Whatever comes behind
    /// the option is TLS: no byte of it has been read.
    pub fn wait_for_tls(&mut self, input: &mut impl Read, output: &mut impl Write) -> Result<bool, io::Error> {
        for _ in 0..MAX_OPTIONS {
            let (option, data) = self.option(input)?;
            let mut reply = |kind: u32, data: &[u8]| output.write_all(&option_reply(option, kind, data));
            match (option, data.as_deref()) {
                // This option has no reply in which an error could stand.
                (EXPORT_NAME, _) => return Err(broken("the name of an export before TLS")),
                (ABORT, _) => {
                    // It may have left already.
                    let _ = reply(ACK, b"");
                    return Ok(false);
                }
                (STARTTLS, Some([])) => {
                    reply(ACK, b"")?;
                    self.has_tls = true;
                    return Ok(true);
                }
                (STARTTLS, _) => reply(INVALID, b"")?,
                _ => reply(TLS_REQUIRED, b"this server needs TLS")?,
            }
        }
        Err(broken("too many options"))
    }

    /// Answers a client's options until it chooses the export. `has_place` is asked before the client is told that it has the export. If the client
    /// leaves instead, or has no place, that is `None`.
    pub fn choose(
        &self,
        export: &Export<'_>,
        input: &mut impl Read,
        output: &mut impl Write,
        has_place: impl FnOnce() -> bool,
    ) -> Result<Option<Session>, io::Error> {
        let mut session = Session::default();
        for _ in 0..MAX_OPTIONS {
            let (option, data) = self.option(input)?;
            let mut reply = |kind: u32, data: &[u8]| output.write_all(&option_reply(option, kind, data));
            let Some(data) = data else {
                reply(TOO_BIG, b"")?;
                continue;
            };
            match option {
                EXPORT_NAME => {
                    if !data.is_empty() {
                        return Err(broken("an export that is not there"));
                    }
                    let zeros = if self.wants_zeros { 124 } else { 0 };
                    let mut answer = export_info(export)?.to_vec();
                    answer.resize(answer.len() + zeros, 0);
                    if !has_place() {
                        return Ok(None);
                    }
                    output.write_all(&answer)?;
                    return Ok(Some(session));
                }
                ABORT => {
                    // It may have left already.
                    let _ = reply(ACK, b"");
                    return Ok(None);
                }
                LIST if data.is_empty() => {
                    // The name of the only export is the empty one.
                    reply(SERVER, &[0; 4])?;
                    reply(ACK, b"")?;
                }
                GET_INFO | GO => match export_asked(&data) {
                    None => reply(INVALID, b"")?,
                    Some(name) if !name.is_empty() => reply(UNKNOWN, b"the only export has the empty name")?,
                    Some(_) => {
                        reply(INFO, &[&[0, 0][..], &export_info(export)?].concat())?;
                        let sizes = [1, export.block_size, MAX_REQUEST].map(u32::to_be_bytes).concat();
                        reply(INFO, &[&[0, 3][..], &sizes].concat())?;
                        if option == GO {
                            if !has_place() {
                                return Ok(None);
                            }
                            reply(ACK, b"")?;
                            return Ok(Some(session));
                        }
                        reply(ACK, b"")?;
                    }
                },
                STRUCTURED_REPLY if data.is_empty() => {
                    session.structured = true;
                    reply(ACK, b"")?;
                }
                LIST_META_CONTEXT | SET_META_CONTEXT => match contexts(&data) {
                    Some((name, _)) if !name.is_empty() => reply(UNKNOWN, b"the only export has the empty name")?,
                    Some((_, queries)) if session.structured => {
                        let lists = option == LIST_META_CONTEXT;
                        let found = queries.iter().any(|query| *query == ALLOCATION || lists && *query == b"base:")
                            || lists && queries.is_empty();
                        if found {
                            reply(META_CONTEXT, &context())?;
                        }
                        session.allocation = if lists { session.allocation } else { found };
                        reply(ACK, b"")?;
                    }
                    _ => reply(INVALID, b"")?,
                },
                LIST | STRUCTURED_REPLY => reply(INVALID, b"")?,
                STARTTLS if self.has_tls => reply(INVALID, b"")?,
                _ => reply(UNSUPPORTED, b"")?,
            }
        }
        Err(broken("too many options"))
    }
}

/// The size of the export and what it can do.
fn export_info(export: &Export<'_>) -> Result<[u8; 10], io::Error> {
    let mut flags = HAS_FLAGS | SEND_FLUSH | SEND_FUA | SEND_DF | CAN_MULTI_CONN;
    flags |= if export.read_only { READ_ONLY } else { SEND_WRITE_ZEROES };
    if export.discard && !export.read_only {
        flags |= SEND_TRIM;
    }
    let size = export.storage.size().map_err(|error: Error| io::Error::other(error))?;
    let mut info = [0; 10];
    info[..8].copy_from_slice(&size.to_be_bytes());
    info[8..].copy_from_slice(&flags.to_be_bytes());
    Ok(info)
}

/// The export's name in INFO or GO. The list of what the client wants to know is only checked, as it is told everything.
fn export_asked(data: &[u8]) -> Option<&[u8]> {
    let mut fields = Fields(data);
    let name = fields.text()?;
    let infos = fields.u16()?;
    fields.bytes(2 * usize::from(infos))?;
    fields.0.is_empty().then_some(name)
}

/// The export and the queries of an option about contexts.
fn contexts(data: &[u8]) -> Option<(&[u8], Vec<&[u8]>)> {
    let mut fields = Fields(data);
    let name = fields.text()?;
    let count = fields.u32()?;
    // Each query takes four bytes at least, so there are no more than the option has room for.
    let queries = (0..count).map(|_| fields.text()).collect::<Option<_>>()?;
    fields.0.is_empty().then_some((name, queries))
}

fn read<const N: usize>(input: &mut impl Read) -> Result<[u8; N], io::Error> {
    let mut bytes = [0; N];
    input.read_exact(&mut bytes).map(|()| bytes)
}

pub(super) fn broken(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the client sent {what}"))
}
