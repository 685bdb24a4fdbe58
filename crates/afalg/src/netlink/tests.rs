//! Tests with the layouts of `linux/netlink.h` and `linux/cryptouser.h`, and the replies of Linux 6.1 to an
//! unprivileged client that sent the same bytes.

use super::Socket;
use crate::{Errno, Message, Received};
use std::io::{IoSlice, IoSliceMut};

const SEQ: u32 = 0x0102_0304;
const PORT: u32 = 0x7fff_1234;
const GETALG: u16 = 0x13;
const REQUEST: u16 = 1;
const ACK: u16 = 4;
const DUMP: u16 = 0x300;
const PEEK: i32 = 2;
const TRUNC: i32 = 0x20;

fn put16(bytes: &mut [u8], at: usize, n: u16) {
    bytes[at..at + 2].copy_from_slice(&n.to_ne_bytes());
}

fn put32(bytes: &mut [u8], at: usize, n: u32) {
    bytes[at..at + 4].copy_from_slice(&n.to_ne_bytes());
}

fn get16(bytes: &[u8], at: usize) -> u16 {
    u16::from_ne_bytes(bytes[at..at + 2].try_into().unwrap())
}

fn get32(bytes: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes(bytes[at..at + 4].try_into().unwrap())
}

/// Encodes an `nlmsghdr` and a `crypto_user_alg`: 16 and 208 bytes.
fn request(kind: u16, flags: u16, name: &str, driver: &str) -> Vec<u8> {
    let mut bytes = vec![0; 224];
    put32(&mut bytes, 0, 224);
    put16(&mut bytes, 4, kind);
    put16(&mut bytes, 6, flags);
    put32(&mut bytes, 8, SEQ);
    bytes[16..16 + name.len()].copy_from_slice(name.as_bytes());
    bytes[80..80 + driver.len()].copy_from_slice(driver.as_bytes());
    bytes
}

fn socket() -> Socket {
    Socket::new()
}

fn send(socket: &mut Socket, bytes: &[u8]) -> Result<usize, Errno> {
    socket.send(&Message { data: &[IoSlice::new(bytes)], control: &[], flags: 0, fault: false })
}

fn recv(socket: &mut Socket) -> Result<Vec<u8>, Errno> {
    let mut buffer = vec![0; 65536];
    let got = socket.recv(&mut [IoSliceMut::new(&mut buffer)], 0)?;
    assert_eq!(got.flags, 0);
    buffer.truncate(got.len);
    Ok(buffer)
}

/// Sends `bytes` and returns the only reply.
fn ask(bytes: &[u8]) -> Vec<u8> {
    let mut socket = socket();
    assert_eq!(send(&mut socket, bytes), Ok(bytes.len()));
    let answer = recv(&mut socket).expect("an answer");
    assert_eq!(recv(&mut socket), Err(Errno::AGAIN));
    assert_eq!(get32(&answer, 8), SEQ);
    assert_eq!(get32(&answer, 12), get32(&socket.name(), 4));
    answer
}

/// Sends `bytes` and returns the error in the only reply, an `NLMSG_ERROR`.
fn refusal(bytes: &[u8]) -> i32 {
    let answer = ask(bytes);
    assert_eq!((get16(&answer, 4), get16(&answer, 6)), (2, 0));
    // The reply contains the whole request, padded.
    assert_eq!(answer[20..20 + bytes.len()], *bytes);
    assert_eq!(answer.len(), (20 + bytes.len()).next_multiple_of(4));
    assert_eq!(get32(&answer, 0) as usize, answer.len());
    get32(&answer, 16) as i32
}

/// Whether a 64-byte field holds `text` padded with zeros.
fn is_name(field: &[u8], text: &str) -> bool {
    field.len() == 64 && field.starts_with(text.as_bytes()) && field[text.len()..].iter().all(|&b| b == 0)
}

#[test]
fn a_skcipher() {
    let answer = ask(&request(GETALG, REQUEST, "cbc(aes)", ""));
    assert_eq!(answer.len(), 380);
    assert_eq!((get32(&answer, 0), get16(&answer, 4), get16(&answer, 6)), (380, GETALG, 0));
    let alg = &answer[16..224];
    assert!(is_name(&alg[..64], "cbc(aes)"));
    assert!(is_name(&alg[64..128], &algkit::skcipher("cbc(aes)").expect("it is there").driver().driver));
    assert!(is_name(&alg[128..192], "algkit"));
    assert_eq!((get32(alg, 192), get32(alg, 196)), (0, 0));
    // Other tests of this process may hold the driver as well.
    assert!(get32(alg, 200) >= 2, "the reference of the list, and that of the answer");
    assert_eq!(get32(alg, 204) & 0x40f, 0x405, "an skcipher, tested");
    assert_eq!((get16(&answer, 224), get16(&answer, 226)), (8, 1), "CRYPTOCFGA_PRIORITY_VAL");
    assert!(get32(&answer, 228) > 0);
    assert_eq!((get16(&answer, 232), get16(&answer, 234)), (148, 4), "CRYPTOCFGA_REPORT_BLKCIPHER");
    assert!(is_name(&answer[236..300], "skcipher") && is_name(&answer[300..364], "<none>"));
    let numbers: Vec<_> = (364..380).step_by(4).map(|at| get32(&answer, at)).collect();
    assert_eq!(numbers, [16, 16, 32, 16], "block, shortest and longest key, IV");
}

#[test]
fn an_aead() {
    let answer = ask(&request(GETALG, REQUEST, "gcm(aes)", ""));
    assert_eq!(answer.len(), 376);
    assert_eq!((get16(&answer, 232), get16(&answer, 234)), (144, 5), "CRYPTOCFGA_REPORT_AEAD");
    assert_eq!(get32(&answer, 220) & 0xf, 3);
    assert!(is_name(&answer[236..300], "aead") && is_name(&answer[300..364], "<none>"));
    assert_eq!([get32(&answer, 364), get32(&answer, 368), get32(&answer, 372)], [1, 16, 12], "block, tag, IV");
}

#[test]
fn a_hash() {
    let answer = ask(&request(GETALG, REQUEST, "hmac(sha256)", ""));
    assert_eq!(answer.len(), 308);
    assert_eq!((get16(&answer, 232), get16(&answer, 234)), (76, 3), "CRYPTOCFGA_REPORT_HASH");
    assert_eq!(get32(&answer, 220), 0xc0e, "a hash, tested, an instance of a template");
    assert!(is_name(&answer[236..300], "shash"));
    assert_eq!([get32(&answer, 300), get32(&answer, 304)], [64, 32]);
    let optional = ask(&request(GETALG, REQUEST, "blake2b-256", ""));
    assert_eq!(get32(&optional, 220), 0x440e, "its key is optional");
    assert_eq!(get32(&ask(&request(GETALG, REQUEST, "sha256", "")), 220), 0x40e);
}

#[test]
fn a_cipher_by_its_driver() {
    let answer = ask(&request(GETALG, REQUEST, "whatever", "aes-generic"));
    assert_eq!(answer.len(), 312);
    assert!(is_name(&answer[16..80], "aes") && is_name(&answer[80..144], "aes-generic"));
    assert_eq!(get32(&answer, 220), 0x401);
    assert_eq!(get32(&answer, 228), 100, "its priority");
    assert_eq!((get16(&answer, 232), get16(&answer, 234)), (80, 8), "CRYPTOCFGA_REPORT_CIPHER");
    assert!(is_name(&answer[236..300], "cipher"));
    assert_eq!([get32(&answer, 300), get32(&answer, 304), get32(&answer, 308)], [16, 16, 32]);
}

#[test]
fn an_rng() {
    let answer = ask(&request(GETALG, REQUEST, "stdrng", ""));
    assert_eq!(answer.len(), 304);
    assert_eq!((get16(&answer, 232), get16(&answer, 234)), (72, 7), "CRYPTOCFGA_REPORT_RNG");
    assert_eq!(get32(&answer, 220), 0x40c);
    assert!(is_name(&answer[236..300], "rng"));
    assert_eq!(get32(&answer, 300), 0);
}

#[test]
fn names_are_not_taken_for_drivers_nor_drivers_for_names() {
    for (name, driver) in
        [("nonsense", ""), ("", ""), ("aes-generic", ""), ("", "aes"), ("aes", "nonsense"), ("\u{e9}", "")]
    {
        assert_eq!(refusal(&request(GETALG, REQUEST, name, driver)), -2, "{name} {driver}");
    }
}

#[test]
fn types_are_matched_under_the_mask() {
    let mut bytes = request(GETALG, REQUEST, "cbc(aes)", "");
    put32(&mut bytes, 16 + 192, 0xe);
    assert_eq!(ask(&bytes).len(), 380, "no mask");
    put32(&mut bytes, 16 + 196, 0xf);
    assert_eq!(refusal(&bytes), -2);
    put32(&mut bytes, 16 + 192, 5);
    assert_eq!(ask(&bytes).len(), 380);
}

#[test]
fn what_clients_without_privileges_may_not_do() {
    for kind in [0x10, 0x11, 0x12, 0x14] {
        assert_eq!(refusal(&request(kind, REQUEST, "cbc(aes)", "")), -1, "type {kind:#x}");
    }
    assert_eq!(refusal(&request(0x15, REQUEST, "cbc(aes)", "")), -524);
    assert_eq!(refusal(&request(0x16, REQUEST, "cbc(aes)", "")), -22);
    assert_eq!(refusal(&request(0xffff, REQUEST, "cbc(aes)", "")), -22);
}

#[test]
fn messages_that_are_too_short() {
    let mut short = request(GETALG, REQUEST, "cbc(aes)", "");
    short.truncate(220);
    put32(&mut short, 0, 220);
    assert_eq!(refusal(&short), -22);
    for (kind, error) in [(0x10, -22), (0x13, -22), (0x15, -22), (0x14, -1)] {
        let mut bare = request(kind, REQUEST, "", "");
        bare.truncate(16);
        put32(&mut bare, 0, 16);
        assert_eq!(refusal(&bare), error, "type {kind:#x}");
    }
}

#[test]
fn names_without_an_end() {
    let mut bytes = request(GETALG, REQUEST, "", "");
    bytes[16..80].fill(b'a');
    assert_eq!(refusal(&bytes), -22);
    let mut bytes = request(GETALG, REQUEST, "aes", "");
    bytes[80..144].fill(b'a');
    assert_eq!(refusal(&bytes), -22);
}

#[test]
fn attributes() {
    // A priority attribute of two bytes.
    let mut bytes = request(GETALG, REQUEST, "cbc(aes)", "");
    bytes.extend([0; 6]);
    put32(&mut bytes, 0, 230);
    put16(&mut bytes, 224, 6);
    put16(&mut bytes, 226, 1);
    assert_eq!(refusal(&bytes), -34);
    // Bytes that are no attribute are skipped.
    let mut bytes = request(GETALG, REQUEST, "cbc(aes)", "");
    bytes.extend([0; 8]);
    put32(&mut bytes, 0, 232);
    put16(&mut bytes, 224, 3);
    put16(&mut bytes, 226, 1);
    assert_eq!(ask(&bytes).len(), 380);
}

#[test]
fn silence() {
    let mut beyond = request(GETALG, REQUEST, "cbc(aes)", "");
    put32(&mut beyond, 0, 400);
    let mut under = request(GETALG, REQUEST, "cbc(aes)", "");
    put32(&mut under, 0, 15);
    let no_request = request(GETALG, 0, "cbc(aes)", "");
    for bytes in [&beyond[..], &under, &no_request, &[1; 10]] {
        let mut socket = socket();
        assert_eq!(send(&mut socket, bytes), Ok(bytes.len()));
        assert_eq!(recv(&mut socket), Err(Errno::AGAIN));
        assert!(!socket.readiness().readable && socket.readiness().writable);
    }
}

/// An acknowledgement of success contains only the request's header, and has the flag `NLM_F_CAPPED`.
#[test]
fn acknowledgements() {
    for (kind, flags) in [(GETALG, ACK), (1, REQUEST | ACK)] {
        let bytes = request(kind, flags, "cbc(aes)", "");
        let answer = ask(&bytes);
        assert_eq!((get32(&answer, 0), get16(&answer, 4), get16(&answer, 6)), (36, 2, 0x100));
        assert_eq!(get32(&answer, 16), 0);
        assert_eq!(answer[20..], bytes[..16]);
    }
    let mut socket = socket();
    send(&mut socket, &request(GETALG, REQUEST | ACK, "gcm(aes)", "")).unwrap();
    assert_eq!(recv(&mut socket).unwrap().len(), 376);
    assert_eq!(recv(&mut socket).unwrap().len(), 36);
}

#[test]
fn refusals_can_be_capped() {
    let mut socket = socket();
    assert_eq!(socket.set_option(270, 10, &1u32.to_ne_bytes()), Ok(()));
    send(&mut socket, &request(GETALG, REQUEST, "nonsense", "")).unwrap();
    let answer = recv(&mut socket).unwrap();
    assert_eq!((answer.len(), get16(&answer, 6), get32(&answer, 16) as i32), (36, 0x100, -2));
}

#[test]
fn options() {
    let one = 1u32.to_ne_bytes();
    let mut socket = socket();
    for name in 1..=13 {
        let want = match name {
            3 | 4 | 5 | 10 | 11 | 12 => Ok(()),
            1 | 2 | 8 => Err(Errno::PERM),
            _ => Err(Errno::NOPROTOOPT),
        };
        assert_eq!(socket.set_option(270, name, &one), want, "{name}");
    }
    assert_eq!(socket.set_option(270, 10, &[1]), Err(Errno::INVAL));
    assert_eq!(socket.set_option(279, 1, &one), Err(Errno::NOPROTOOPT));
}

#[test]
fn two_requests_in_one_message() {
    let mut both = request(GETALG, REQUEST, "nonsense", "");
    both.extend(request(GETALG, REQUEST, "", "aes-generic"));
    let mut socket = socket();
    assert_eq!(send(&mut socket, &both), Ok(448));
    assert_eq!(recv(&mut socket).unwrap().len(), 244);
    assert_eq!(recv(&mut socket).unwrap().len(), 312);
    assert_eq!(recv(&mut socket), Err(Errno::AGAIN));
}

#[test]
fn a_dump() {
    let mut bytes = request(GETALG, REQUEST | DUMP | ACK, "", "");
    bytes.truncate(16); // a dump needs no name
    put32(&mut bytes, 0, 16);
    let mut socket = socket();
    send(&mut socket, &bytes).unwrap();
    // A second dump at the same time is refused.
    send(&mut socket, &bytes).unwrap();
    let mut names = Vec::new();
    let (mut refused, mut datagrams) = (0, 0);
    loop {
        let datagram = recv(&mut socket).unwrap();
        assert!(datagrams > 0 || datagram.len() <= 4096, "the first part fits into a page");
        datagrams += 1;
        match get16(&datagram, 4) {
            3 => {
                assert_eq!((datagram.len(), get16(&datagram, 6), get32(&datagram, 16)), (20, 2, 0));
                break;
            }
            2 => {
                assert_eq!((datagram.len(), get32(&datagram, 16) as i32), (36, -16));
                refused += 1;
            }
            _ => {
                let mut left = &datagram[..];
                while !left.is_empty() {
                    let len = get32(left, 0) as usize;
                    assert_eq!((get16(left, 4), get16(left, 6), get32(left, 8)), (GETALG, 2, SEQ));
                    // Other tests of this process may hold transforms of the driver.
                    assert!(get32(left, 16 + 200) >= 1, "references");
                    let driver = &left[80..144];
                    names.push(String::from_utf8(driver.split(|&b| b == 0).next().unwrap().to_vec()).unwrap());
                    left = &left[len..];
                }
            }
        }
    }
    assert_eq!((refused, recv(&mut socket)), (1, Err(Errno::AGAIN)));
    assert!(datagrams > 4);
    let count = |driver: &str| names.iter().filter(|name| *name == driver).count();
    for driver in ["aes-generic", "sha256-generic", "drbg_nopr_hmac_sha512", "jitterentropy_rng", "twofish-generic"] {
        assert_eq!(count(driver), 1, "{driver}");
    }
    assert!(names.iter().any(|name| name.starts_with("hmac(sha256")));
}

/// A client that reads little at a time gets all parts of a dump in order, and the queue stays short.
#[test]
fn a_dump_and_a_slow_client() {
    let mut socket = socket();
    send(&mut socket, &request(GETALG, REQUEST | DUMP, "", "")).unwrap();
    let mut ends = 0;
    for _ in 0..1000 {
        let mut small = [0; 24];
        match socket.recv(&mut [IoSliceMut::new(&mut small)], 0) {
            Ok(got) => ends += usize::from(got.flags == 0 && get16(&small, 4) == 3),
            Err(error) => {
                assert_eq!((error, ends), (Errno::AGAIN, 1));
                return;
            }
        }
    }
    panic!("the dump has no end");
}

#[test]
fn peeking_and_truncation() {
    let mut socket = socket();
    send(&mut socket, &request(GETALG, REQUEST, "cbc(aes)", "")).unwrap();
    assert_eq!(socket.recv(&mut [][..], PEEK | TRUNC), Ok(Received { len: 380, flags: TRUNC, end: 0 }));
    let (mut a, mut b) = ([0; 6], [0xaa; 10]);
    let got = socket.recv(&mut [IoSliceMut::new(&mut a), IoSliceMut::new(&mut b)], PEEK);
    assert_eq!(got, Ok(Received { len: 16, flags: TRUNC, end: 16 }));
    assert_eq!((get32(&a, 0), get16(&a, 4), get32(&b, 2)), (380, GETALG, SEQ));
    assert_eq!(socket.recv(&mut [IoSliceMut::new(&mut a)], 0), Ok(Received { len: 6, flags: TRUNC, end: 6 }));
    assert_eq!(recv(&mut socket), Err(Errno::AGAIN), "the rest of the datagram is gone");
}

/// Datagrams that do not fit are lost, and the client gets one error. After it has read the rest, the socket works
/// again.
#[test]
fn an_overrun() {
    let mut socket = socket();
    for _ in 0..3000 {
        assert_eq!(send(&mut socket, &request(GETALG, REQUEST, "", "")), Ok(224));
    }
    assert_eq!(recv(&mut socket), Err(Errno::NOBUFS));
    let mut count = 0;
    while let Ok(datagram) = recv(&mut socket) {
        assert_eq!(datagram.len(), 244);
        count += 1;
    }
    assert_eq!(count, 166);
    send(&mut socket, &request(GETALG, REQUEST, "cbc(aes)", "")).unwrap();
    assert_eq!(recv(&mut socket).unwrap().len(), 380);
}

#[test]
fn lengths_of_messages() {
    let mut socket = socket();
    assert_eq!(send(&mut socket, &[]), Err(Errno::NODATA));
    assert_eq!(send(&mut socket, &vec![0; 212_992 - 31]), Err(Errno::MSGSIZE));
    assert_eq!(send(&mut socket, &vec![0; 212_992 - 32]), Ok(212_960));
    assert_eq!(recv(&mut socket), Err(Errno::AGAIN));
}

#[test]
fn kinds_of_sockets() {
    for (kind, refused) in [
        (libc::SOCK_RAW, None),
        (libc::SOCK_DGRAM, None),
        (libc::SOCK_STREAM, Some(Errno::SOCKTNOSUPPORT)),
        (11, Some(Errno::INVAL)),
        (-1, Some(Errno::INVAL)),
    ] {
        assert_eq!(Socket::of_kind(kind).err(), refused, "{kind}");
    }
}

#[test]
fn out_of_band() {
    let mut socket = socket();
    let message = Message { data: &[IoSlice::new(&[0; 16])], control: &[], flags: 1, fault: false };
    assert_eq!(socket.send(&message), Err(Errno::OPNOTSUPP));
    assert_eq!(socket.recv(&mut [][..], 1), Err(Errno::OPNOTSUPP));
}

/// Encodes a `sockaddr_nl`.
fn address(port: u32, groups: u32) -> [u8; 12] {
    let mut bytes = [0; 12];
    put16(&mut bytes, 0, 16);
    put32(&mut bytes, 4, port);
    put32(&mut bytes, 8, groups);
    bytes
}

#[test]
fn addresses() {
    let mut a = socket();
    assert_eq!(a.name(), address(0, 0));
    assert_eq!(a.bind(&address(0, 0)[..11]), Err(Errno::INVAL));
    assert_eq!(a.bind(&[0; 12]), Err(Errno::INVAL), "no family");
    assert_eq!(a.bind(&address(0, 1)), Err(Errno::PERM));
    assert_eq!(a.bind(&address(PORT, 0)), Ok(()));
    assert_eq!(a.name(), address(PORT, 0));
    assert_eq!((a.bind(&address(PORT, 0)), a.bind(&address(0, 0))), (Ok(()), Err(Errno::INVAL)));
    assert_eq!(a.bind(&address(77, 0)), Err(Errno::INVAL));
    let mut b = socket();
    assert_eq!(b.bind(&address(PORT, 0)), Err(Errno::ADDRINUSE));
    drop(a);
    assert_eq!(b.bind(&address(PORT, 0)), Ok(()));

    let (mut c, mut d) = (socket(), socket());
    assert_eq!((c.bind(&address(0, 0)), d.bind(&address(0, 0))), (Ok(()), Ok(())));
    assert_ne!(c.name(), d.name());
    assert_ne!(get32(&c.name(), 4), 0);
    assert_eq!(c.connect(&address(5, 0)), Err(Errno::PERM));
    assert_eq!(c.connect(&address(0, 1)), Err(Errno::PERM));
    assert_eq!(c.connect(&address(0, 0)), Ok(()));
}
