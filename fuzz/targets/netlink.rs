//! NETLINK_CRYPTO: any bytes and any order of calls give an errno, nothing, or datagrams that consist of whole netlink
//! messages to this client. A socket is readable exactly when there is something to receive.
#![no_main]

use algkit_afalg::{Errno, Message, netlink::Socket};
use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use std::io::{IoSlice, IoSliceMut};

/// The largest number of calls in a run.
const MAX_CALLS: usize = 16;

const NAMES: &[&str] = &[
    "",
    "aes",
    "cbc(aes)",
    "gcm(aes)",
    "hmac(sha256)",
    "stdrng",
    "aes-generic",
    "sha256",
    "nonsense",
    "twofish",
    "ecb(",
    "drbg_nopr_hmac_sha512",
    "authenc(hmac(sha256),cbc(aes))",
];

#[derive(Arbitrary, Debug)]
enum Call {
    Send {
        requests: Vec<Request>,
        cuts: u8,
        flags: u8,
    },
    Raw(Vec<u8>),
    Receive {
        room: [u8; 2],
        pages: u8,
        peek: bool,
        truncate: bool,
    },
    Bind(Vec<u8>),
    Address {
        port: u8,
        groups: bool,
        connect: bool,
    },
    Option {
        level: Option<i16>,
        name: i8,
        value: u8,
        len: u8,
    },
    /// Receives until nothing is left.
    Drain,
}

#[derive(Arbitrary, Debug)]
struct Request {
    kind: u8,
    flags: u16,
    name: u8,
    driver: u8,
    kind_and_mask: Option<(u8, u8)>,
    attributes: Vec<u8>,
    /// Numbers that are added to the length in the header and to the length of the datagram.
    lie: Option<(i8, i8)>,
    change: Option<(u8, u8)>,
    seq: u8,
}

fn build(request: &Request) -> Vec<u8> {
    let name = |n: u8| NAMES[usize::from(n) % NAMES.len()].as_bytes();
    let mut bytes = vec![0; 224];
    bytes[4] = request.kind;
    bytes[6..8].copy_from_slice(&request.flags.to_ne_bytes());
    bytes[8] = request.seq;
    bytes[16..16 + name(request.name).len()].copy_from_slice(name(request.name));
    bytes[80..80 + name(request.driver).len()].copy_from_slice(name(request.driver));
    if let Some((kind, mask)) = request.kind_and_mask {
        (bytes[208], bytes[212]) = (kind, mask);
    }
    bytes.extend(request.attributes.iter().take(64));
    let (told, sent) = request.lie.unwrap_or_default();
    let len = bytes.len() as i64;
    bytes[..4].copy_from_slice(&((len + i64::from(told)) as u32).to_ne_bytes());
    bytes.resize((len + i64::from(sent)) as usize, 0);
    if let Some((at, xor)) = request.change {
        let at = usize::from(at) % bytes.len();
        bytes[at] ^= xor;
    }
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

/// Asserts that a datagram consists of messages to this socket's port, each with a length that is a multiple of 4.
fn check(socket: &Socket, datagram: &[u8]) {
    let mut left = datagram;
    assert!(!left.is_empty());
    while !left.is_empty() {
        let len = word(left, 0) as usize;
        assert!(len >= 20 && len.is_multiple_of(4) && len <= left.len());
        assert_eq!(word(left, 12), word(&socket.name(), 4));
        match u16::from_ne_bytes([left[4], left[5]]) {
            2 => assert!(len >= 36 && word(left, 16) as i32 <= 0),
            3 => assert_eq!((len, word(left, 16)), (20, 0)),
            0x13 => attributes(&left[16 + 208..len]),
            other => panic!("a message of type {other}"),
        }
        left = &left[len..];
    }
}

/// Asserts that there are two attributes: the priority and a report.
fn attributes(bytes: &[u8]) {
    let header = |at: usize| (word(bytes, at) & 0xffff, word(bytes, at) >> 16);
    if cfg!(target_endian = "little") {
        assert_eq!(header(0), (8, 1));
        let (len, kind) = header(8);
        assert!(len as usize == bytes.len() - 8 && (3..=8).contains(&kind));
    }
}

fuzz_target!(|calls: Vec<Call>| {
    let mut socket = Socket::new();
    for call in calls.iter().take(MAX_CALLS) {
        step(&mut socket, call);
    }
});

fn send(socket: &mut Socket, bytes: &[u8], cuts: u8, flags: i32) {
    let cut = usize::from(cuts).min(bytes.len());
    let data = [IoSlice::new(&bytes[..cut]), IoSlice::new(&bytes[cut..])];
    match socket.send(&Message { data: &data, control: &[], flags, fault: false }) {
        Ok(len) => assert_eq!(len, bytes.len()),
        Err(error) => assert!([Errno::NODATA, Errno::OPNOTSUPP].contains(&error)),
    }
}

/// Receives once; returns whether a datagram was received.
fn receive(socket: &mut Socket, sizes: [usize; 2], flags: i32) -> bool {
    let readable = socket.readiness().readable;
    let mut buffers = sizes.map(|size| vec![0; size]);
    let room = sizes.iter().sum::<usize>();
    let got = socket.recv(&mut buffers.each_mut().map(|buffer| IoSliceMut::new(buffer)), flags);
    match got {
        Ok(got) if got.flags == 0 => {
            let mut datagram = buffers.concat();
            datagram.truncate(got.len);
            check(socket, &datagram);
        }
        Ok(got) => assert!(got.flags == libc::MSG_TRUNC && got.len >= room),
        Err(Errno::AGAIN) => assert!(!readable),
        Err(error) => assert_eq!(error, Errno::NOBUFS),
    }
    assert!(readable || got.is_err());
    got.is_ok()
}

fn step(socket: &mut Socket, call: &Call) {
    match call {
        Call::Send { requests, cuts, flags } => {
            let bytes: Vec<u8> = requests.iter().take(4).flat_map(build).collect();
            send(socket, &bytes, *cuts, i32::from(*flags));
        }
        Call::Raw(bytes) => send(socket, bytes, 0, 0),
        Call::Receive { room, pages, peek, truncate } => {
            let flags = if *peek { libc::MSG_PEEK } else { 0 } | if *truncate { libc::MSG_TRUNC } else { 0 };
            let sizes = [usize::from(room[0]), usize::from(room[1]) + 4096 * usize::from(pages & 3)];
            receive(socket, sizes, flags);
        }
        Call::Bind(address) => drop(socket.bind(address)),
        Call::Address { port, groups, connect } => {
            let mut address = [0; 12];
            address[..2].copy_from_slice(&16u16.to_ne_bytes());
            (address[4], address[8]) = (*port, u8::from(*groups));
            let before = word(&socket.name(), 4);
            let result = if *connect { socket.connect(&address) } else { socket.bind(&address) };
            assert!(result.is_err() || before == 0 || word(&socket.name(), 4) == before, "ports do not change");
        }
        Call::Option { level, name, value, len } => {
            let value = [*value, 0, 0, 0, 0];
            let _ =
                socket.set_option(level.map_or(270, i32::from), (*name).into(), &value[..usize::from(len % 6).min(5)]);
        }
        Call::Drain => {
            let mut calls = 0;
            while receive(socket, [0, 1 << 15], 0) {
                calls += 1;
                assert!(calls < 2000, "a dump has an end");
            }
        }
    }
}
