//! AF_ALG sockets under any use: every call returns an answer or an errno, in any order, with any address, option,
//! control message and text.
#![no_main]

use algkit_afalg::{
    Destination, Errno, Message,
    alg::{NoKeyring, Socket},
};
use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use std::io::{IoSlice, IoSliceMut};

/// The largest number of calls in a run.
const MAX_CALLS: usize = 24;

/// The largest number of sockets that are open at a time.
const MAX_SOCKETS: usize = 6;

const SOL_ALG: i32 = 279;

/// Types and names as a client passes them.
const ALGORITHMS: &[(&str, &str)] = &[
    ("skcipher", "cbc(aes)"),
    ("skcipher", "ctr(aes)"),
    ("skcipher", "xts(aes)"),
    ("skcipher", "cts(cbc(aes))"),
    ("skcipher", "lrw(aes)"),
    ("skcipher", "ecb(aes)"),
    ("skcipher", "rfc3686(ctr(aes))"),
    ("skcipher", "essiv(cbc(aes),sha256)"),
    ("skcipher", "chacha20"),
    ("skcipher", "cbc(des3_ede)"),
    ("skcipher", "xts(serpent)"),
    ("aead", "gcm(aes)"),
    ("aead", "ccm(aes)"),
    ("aead", "rfc4106(gcm(aes))"),
    ("aead", "rfc4543(gcm(aes))"),
    ("aead", "rfc7539(chacha20,poly1305)"),
    ("aead", "authenc(hmac(sha256),cbc(aes))"),
    ("aead", "authencesn(hmac(sha256),cbc(aes))"),
    ("hash", "sha256"),
    ("hash", "hmac(sha1)"),
    ("hash", "cmac(aes)"),
    ("hash", "crc32c"),
    ("hash", "blake2b-256"),
    ("hash", "ghash"),
    ("rng", "drbg_nopr_hmac_sha256"),
    ("hash", "cbc(aes)"),
    ("cipher", "aes"),
];

#[derive(Arbitrary, Debug)]
enum Call {
    Bind {
        socket: u8,
        algorithm: u8,
        change: Option<(u8, u8)>,
    },
    BindBytes {
        socket: u8,
        address: Vec<u8>,
    },
    Key {
        socket: u8,
        len: Length,
        byte: u8,
    },
    /// An `authenc` key: the header and the lengths of both keys in bytes.
    TwoKeys {
        socket: u8,
        enc_len: u8,
        len: u8,
    },
    Option {
        socket: u8,
        level: Level,
        name: i8,
        value: Vec<u8>,
    },
    Accept {
        socket: u8,
    },
    Close {
        socket: u8,
    },
    Send {
        socket: u8,
        control: Vec<Control>,
        spoil: Option<(u8, u8)>,
        len: Length,
        cuts: u8,
        flags: Flags,
    },
    Rest {
        socket: u8,
        len: Length,
    },
    Receive {
        socket: u8,
        len: Length,
        cuts: u8,
        flags: u8,
    },
}

#[derive(Arbitrary, Debug)]
enum Level {
    Alg,
    Socket,
    Any(i16),
}

/// The length of a key, a text or a buffer.
#[derive(Arbitrary, Debug)]
enum Length {
    Short(u8),
    Blocks(u8),
    /// A length that fills buffers, in units of 1000 bytes, so that blocks lie across buffers.
    Long(u8),
    /// A key of a common size.
    Usual(u8),
}

impl Length {
    fn bytes(&self) -> usize {
        const USUAL: [usize; 8] = [16, 20, 24, 32, 36, 48, 64, 128];
        match *self {
            Self::Short(n) => n.into(),
            Self::Blocks(n) => 16 * usize::from(n & 31),
            Self::Long(n) => 1000 * usize::from(n & 63),
            Self::Usual(n) => USUAL[usize::from(n) % USUAL.len()],
        }
    }
}

#[derive(Arbitrary, Debug)]
struct Flags {
    more: bool,
    other: Option<u8>,
}

#[derive(Arbitrary, Debug)]
enum Control {
    Encrypt(bool),
    Iv(u8),
    AssocLen(u8),
    /// A message of any type with any bytes.
    Other {
        level: Level,
        kind: u8,
        data: Vec<u8>,
    },
    /// Bytes without a header.
    Raw(Vec<u8>),
}

fn level(level: &Level) -> i32 {
    match level {
        Level::Alg => SOL_ALG,
        Level::Socket => libc::SOL_SOCKET,
        Level::Any(n) => (*n).into(),
    }
}

/// Appends a control message.
fn put(buffer: &mut Vec<u8>, level: i32, kind: i32, data: &[u8]) {
    buffer.extend((size_of::<usize>() + 8 + data.len()).to_ne_bytes());
    buffer.extend(level.to_ne_bytes());
    buffer.extend(kind.to_ne_bytes());
    buffer.extend(data);
    buffer.resize(buffer.len().next_multiple_of(size_of::<usize>()), 0);
}

fn control(messages: &[Control]) -> Vec<u8> {
    let mut buffer = Vec::new();
    for message in messages.iter().take(6) {
        match message {
            Control::Encrypt(encrypt) => put(&mut buffer, SOL_ALG, 3, &u32::from(*encrypt).to_ne_bytes()),
            Control::Iv(len) => {
                let len = usize::from(len % 40);
                let mut data = (len as u32).to_ne_bytes().to_vec();
                data.resize(4 + len, 2);
                put(&mut buffer, SOL_ALG, 2, &data);
            }
            Control::AssocLen(len) => put(&mut buffer, SOL_ALG, 4, &u32::from(*len).to_ne_bytes()),
            Control::Other { level: l, kind, data } => put(&mut buffer, level(l), (*kind).into(), data),
            Control::Raw(bytes) => buffer.extend(bytes),
        }
    }
    buffer
}

fn spoil(bytes: &mut [u8], change: Option<(u8, u8)>) {
    if let Some((at, xor)) = change
        && !bytes.is_empty()
    {
        let at = usize::from(at) % bytes.len();
        bytes[at] ^= xor;
    }
}

/// The value that makes the last piece an invalid address.
const FAULT: u8 = 0xff;

/// The places where `len` bytes are cut into up to three pieces.
fn places(len: usize, cuts: u8) -> (usize, usize) {
    let first = (usize::from(cuts & 15) * 5).min(len);
    (first, (first + usize::from(cuts >> 4) * 16).min(len))
}

thread_local! {
    static TEXT: Vec<u8> = (0..64_000u32).map(|i| i as u8).collect();
}

fn send(socket: &mut Socket, control: &[u8], len: usize, cuts: u8, flags: i32, rest: bool) {
    TEXT.with(|text| {
        let text = &text[..len];
        let (a, b) = places(len, cuts);
        let data = [&text[..a], &text[a..b], &text[b..]].map(IoSlice::new);
        let fault = cuts == FAULT;
        let message = Message { data: &data, control, flags, fault };
        let sent = if rest { socket.send_rest(&message) } else { socket.send(&message) };
        assert!(sent.is_ok_and(|n| n <= len) || sent.is_err());
    });
}

fn receive(socket: &mut Socket, len: usize, cuts: u8, flags: i32) {
    let mut buffer = vec![0; len];
    let (a, b) = places(len, cuts);
    let (first, rest) = buffer.split_at_mut(a);
    let (second, third) = rest.split_at_mut(b - a);
    let unwritable = if cuts == FAULT { 64 } else { 0 };
    let pieces = &mut [first, second, third].map(IoSliceMut::new);
    match socket.recv(Destination { pieces, unwritable }, flags) {
        Ok(got) => assert!(got.len <= len),
        Err(error) => assert!(error != Errno::FAULT || unwritable > 0, "all of it is memory"),
    }
}

fuzz_target!(|calls: Vec<Call>| {
    let mut sockets = vec![Socket::new(libc::SOCK_SEQPACKET, 0).unwrap()];
    for call in calls.iter().take(MAX_CALLS) {
        step(&mut sockets, call);
        if sockets.is_empty() {
            return;
        }
    }
});

fn step(sockets: &mut Vec<Socket>, call: &Call) {
    let count = sockets.len();
    let pick = |socket: &u8| usize::from(*socket) % count;
    match call {
        Call::Bind { socket, algorithm, change } => {
            let (kind, name) = ALGORITHMS[usize::from(*algorithm) % ALGORITHMS.len()];
            let mut address = [0; 88];
            address[..2].copy_from_slice(&38u16.to_ne_bytes());
            address[2..2 + kind.len()].copy_from_slice(kind.as_bytes());
            address[24..24 + name.len()].copy_from_slice(name.as_bytes());
            spoil(&mut address, *change);
            let _ = sockets[pick(socket)].bind(&address);
        }
        Call::BindBytes { socket, address } => drop(sockets[pick(socket)].bind(address)),
        Call::Key { socket, len, byte } => {
            let mut key = vec![*byte; len.bytes()];
            spoil(&mut key, Some((9, 1))); // halves that differ
            let _ = sockets[pick(socket)].set_option(SOL_ALG, 1, &key, &NoKeyring);
        }
        Call::TwoKeys { socket, enc_len, len } => {
            let mut key = [8u16.to_ne_bytes(), 1u16.to_ne_bytes()].concat();
            key.extend(u32::from(*enc_len).to_be_bytes());
            key.resize(8 + usize::from(*len), 3);
            let _ = sockets[pick(socket)].set_option(SOL_ALG, 1, &key, &NoKeyring);
        }
        Call::Option { socket, level: l, name, value } => {
            let socket = &mut sockets[pick(socket)];
            let _ = socket.set_option(level(l), (*name).into(), value, &NoKeyring);
            let _ = socket.option(level(l), (*name).into());
        }
        Call::Accept { socket } => {
            if count < MAX_SOCKETS
                && let Ok(accepted) = sockets[pick(socket)].accept()
            {
                sockets.push(accepted);
            }
        }
        Call::Close { socket } => drop(sockets.swap_remove(pick(socket))),
        Call::Send { socket, control: messages, spoil: change, len, cuts, flags } => {
            let mut buffer = control(messages);
            spoil(&mut buffer, *change);
            let more = if flags.more { libc::MSG_MORE } else { 0 };
            let flags = more | flags.other.map_or(0, i32::from);
            send(&mut sockets[pick(socket)], &buffer, len.bytes(), *cuts, flags, false);
        }
        Call::Rest { socket, len } => send(&mut sockets[pick(socket)], &[], len.bytes(), 0, 0, true),
        Call::Receive { socket, len, cuts, flags } => {
            receive(&mut sockets[pick(socket)], len.bytes(), *cuts, (*flags).into());
        }
    }
    for socket in sockets {
        let _ = socket.readiness();
    }
}
