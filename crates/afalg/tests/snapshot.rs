//! States as bytes, for another process. Here the other process is another socket, made in the same way.

mod common;

use algkit_afalg::{Common, Errno, File, Message, ProcessId, Readiness, alg::Socket, netlink};
use common::*;
use std::{
    io::{IoSlice, IoSliceMut},
    sync::{Arc, Mutex},
};

const KEY: [u8; 16] = [7; 16];
const IV: [u8; 16] = [9; 16];

/// A way to make a file, and text to send to it.
type Made = (&'static str, fn() -> File, Control);

fn made() -> Vec<Made> {
    let cipher = Control::op(ENCRYPT).iv(&IV);
    let aead = Control::op(ENCRYPT).iv(&IV[..12]).assoc_len(5);
    vec![
        ("skcipher", || File::Alg(operation("skcipher", "cbc(aes)", &KEY)), cipher.clone()),
        ("ahead", || File::Alg(operation("skcipher", "xts(aes)", &[KEY, IV].concat())), cipher),
        ("aead", || File::Alg(operation("aead", "gcm(aes)", &KEY)), aead),
        ("hash", || File::Alg(operation("hash", "hmac(sha256)", &KEY)), Control::default()),
        ("keyfirst", || File::Alg(bound("hash", "poly1305").accept().unwrap()), Control::default()),
        ("rng", || File::Alg(operation("rng", "drbg_nopr_sha256", &KEY)), Control::default()),
        ("parent", || File::Alg(bound("skcipher", "cbc(aes)")), Control::default()),
        ("netlink", || File::Netlink(netlink::Socket::new()), Control::default()),
    ]
}

/// A dump of all algorithms, for netlink: header and `crypto_user_alg`.
fn dump() -> Vec<u8> {
    let mut request = vec![0; 16 + 216];
    request[..4].copy_from_slice(&232_u32.to_ne_bytes());
    request[4..6].copy_from_slice(&0x13_u16.to_ne_bytes());
    request[6..8].copy_from_slice(&0x305_u16.to_ne_bytes());
    request
}

fn send_to(file: &mut File, control: &Control, data: &[u8], flags: i32) -> Result<usize, Errno> {
    let data = if matches!(file, File::Netlink(_)) { dump() } else { data.to_vec() };
    file.send(&Message { data: &[IoSlice::new(&data)], control: &control.0, flags, fault: false })
}

fn recv_from(file: &mut File, room: usize) -> Result<Vec<u8>, Errno> {
    let mut data = vec![0; room];
    let len = file.recv(&mut [IoSliceMut::new(&mut data)], 0)?.len;
    data.truncate(len);
    Ok(data)
}

fn snapshot(file: &mut File) -> Vec<u8> {
    let mut bytes = vec![0; file.snapshot_room().unwrap()];
    let len = file.snapshot(&mut bytes).unwrap();
    bytes.truncate(len);
    bytes
}

#[test]
fn another_socket_goes_on_with_the_same_bytes() {
    for (name, make, control) in made().into_iter().filter(|&(name, ..)| name != "netlink") {
        for (len, flags) in [(0, MORE), (16, 0), (100, MORE), (20_000, 0), (65_536, MORE)] {
            let text: Vec<u8> = (0..len).map(|i| i as u8).collect();
            let (mut whole, mut first, mut second) = (make(), make(), make());
            assert_eq!(send_to(&mut first, &control, &text, flags), send_to(&mut whole, &control, &text, flags));
            second.restore(&snapshot(&mut first)).unwrap();
            assert_eq!(second.readiness(), whole.readiness(), "{name}, {len}");
            // One moves the state on, the other takes it back; what comes out is what one alone gives.
            for room in [64, 0, 4096, 100_000] {
                let expected = recv_from(&mut whole, room);
                let got = recv_from(&mut second, room);
                match name {
                    "rng" => assert_eq!(got.map(|got| got.len()), expected.map(|bytes| bytes.len())),
                    _ => assert_eq!(got, expected, "{name}, {len}, {room}"),
                }
                first.restore(&snapshot(&mut second)).unwrap();
                std::mem::swap(&mut first, &mut second);
            }
        }
    }
}

#[test]
fn a_dump_goes_on_in_another_socket() {
    const DONE: [u8; 2] = 3_u16.to_ne_bytes();
    let (mut first, mut second) = (File::Netlink(netlink::Socket::new()), File::Netlink(netlink::Socket::new()));
    send_to(&mut first, &Control::default(), &[], 0).unwrap();
    second.restore(&snapshot(&mut first)).unwrap();
    assert_eq!(recv_from(&mut second, 4096), recv_from(&mut first, 4096));
    let mut datagrams = 1;
    loop {
        first.restore(&snapshot(&mut second)).unwrap();
        std::mem::swap(&mut first, &mut second);
        match recv_from(&mut second, 4096).unwrap() {
            end if end[4..6] == DONE => break,
            _ => datagrams += 1,
        }
    }
    assert!(datagrams > 3, "{datagrams}");
    assert_eq!(recv_from(&mut second, 4096), Err(Errno::AGAIN));
}

#[test]
fn what_does_not_fit_is_not_written() {
    for (name, make, control) in made() {
        let mut file = make();
        let _ = send_to(&mut file, &control, &[1; 5000], MORE);
        let bytes = snapshot(&mut file);
        for room in 0..bytes.len() {
            assert_eq!(file.snapshot(&mut vec![0; room]), None, "{name}");
        }
        assert_eq!(snapshot(&mut file), bytes, "{name}");
    }
}

#[test]
fn the_fullest_socket_fits() {
    let mut file = File::Alg(operation("skcipher", "cbc(aes)", &KEY));
    let File::Alg(socket) = &mut file else { return };
    socket.set_option(libc::SOL_SOCKET, libc::SO_SNDBUF, &i32::MAX.to_ne_bytes()).unwrap();
    let mut queued = send_with(socket, &Control::op(ENCRYPT), &[&[0; 5]], MORE).unwrap();
    while let Ok(more) = send(socket, &[0; 4097], MORE) {
        queued += more;
    }
    assert!(queued > 400_000);
    let bytes = snapshot(&mut file);
    assert!(bytes.len() > queued);
    let mut other = File::Alg(operation("skcipher", "cbc(aes)", &KEY));
    other.restore(&bytes).unwrap();
    assert_eq!(other.readiness(), Readiness { readable: true, writable: false });
}

/// A fixed sequence of numbers (SplitMix64).
fn random(state: &mut u64) -> usize {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (z ^ z >> 27) as usize >> 3
}

#[test]
fn bytes_of_any_kind_do_no_harm() {
    let mut state = 1;
    for (name, make, control) in made() {
        let mut file = make();
        let _ = send_to(&mut file, &control, &[1; 40], MORE);
        let good = snapshot(&mut file);
        for len in 0..good.len() {
            assert_eq!(make().restore(&good[..len]), Err(Errno::IO), "{name}, {len}");
        }
        assert_eq!(make().restore(&[&good[..], &[0]].concat()), Err(Errno::IO), "{name}");
        for _ in 0..2000 {
            let mut bytes = good.clone();
            for _ in 0..=random(&mut state) % 3 {
                let at = random(&mut state) % bytes.len();
                bytes[at] = random(&mut state) as u8;
            }
            let mut file = make();
            let _ = file.restore(&bytes);
            let _ = file.readiness();
            let _ = send_to(&mut file, &Control::default(), &[2; 300], MORE);
            let _ = send_to(&mut file, &control, &[2; 300], 0);
            let _ = recv_from(&mut file, 64);
            let _ = recv_from(&mut file, 100_000);
            if let File::Alg(socket) = &mut file {
                let _ = socket.accept();
            }
        }
    }
}

/// A region in the memory of a test, as one of two processes sees it.
#[derive(Clone, Debug)]
struct Place {
    value: Arc<Mutex<(u64, Vec<u8>)>>,
    process: ProcessId,
    others_live: Arc<Mutex<bool>>,
}

impl Place {
    fn pair() -> [Self; 2] {
        let (value, others_live) = (Arc::default(), Arc::new(Mutex::new(true)));
        [1, 2].map(|number| Self {
            value: Arc::clone(&value),
            process: ProcessId { number, seen: 5, program: 6 },
            others_live: Arc::clone(&others_live),
        })
    }

    fn share(&self, file: &File) {
        file.share_transform(&mut |_| Some(Arc::new(self.clone())));
    }
}

impl Common for Place {
    fn lock(&self, seen: u64, read: &mut dyn FnMut(&[u8])) -> u64 {
        let (version, value) = &*self.value.lock().unwrap();
        if *version != seen {
            read(value);
        }
        *version
    }

    fn unlock(&self, write: &mut dyn FnMut(&mut [u8]) -> Option<usize>) -> u64 {
        let mut room = vec![0; 1 << 17];
        let written = write(&mut room).unwrap();
        let (version, value) = &mut *self.value.lock().unwrap();
        if *value != room[..written] {
            *value = room[..written].to_vec();
            *version += 1;
        }
        *version
    }

    fn settle(&self) {}

    fn process(&self) -> ProcessId {
        self.process
    }

    fn is_alive(&self, process: ProcessId) -> bool {
        assert_ne!(process, self.process, "nobody asks about itself");
        *self.others_live.lock().unwrap()
    }
}

fn parents() -> ([File; 2], [Place; 2]) {
    let places = Place::pair();
    let files = [0, 1].map(|_| File::Alg(Socket::new(libc::SOCK_SEQPACKET, 0).unwrap()));
    places.iter().zip(&files).for_each(|(place, file)| place.share(file));
    (files, places)
}

fn socket(file: &mut File) -> &mut Socket {
    let File::Alg(socket) = file else { panic!("{file:?}") };
    socket
}

#[test]
fn what_is_done_to_a_transform_is_done_in_both() {
    let ([mut one, mut two], _) = parents();
    let (one, two) = (socket(&mut one), socket(&mut two));
    one.bind(&address("aead", "gcm(aes)")).unwrap();
    set_tag_len(two, 12).unwrap();
    set_key(two, &KEY).unwrap();
    let sealed = |from: &mut Socket| {
        let mut operation = from.accept().unwrap();
        send_with(&mut operation, &Control::op(ENCRYPT).iv(&IV[..12]), &[b"text"], 0).unwrap();
        recv(&mut operation, 100)
    };
    let expected = sealed(two).unwrap();
    assert_eq!(expected.len(), 4 + 12);
    assert_eq!(sealed(one).unwrap(), expected);
    // A key that is refused takes the former one away, in both.
    assert_eq!(set_key(one, &[0; 5]), Err(Errno::INVAL));
    let mut operation = two.accept().unwrap();
    assert_eq!(send(&mut operation, b"text", 0), Err(Errno::NOKEY));
    set_key(one, &KEY).unwrap();
    assert_eq!(send(&mut operation, b"text", 0), Ok(4));
    drop(operation);
    // Another name begins anew.
    two.bind(&address("aead", "gcm(aes)")).unwrap();
    let mut operation = one.accept().unwrap();
    assert_eq!(send(&mut operation, b"text", 0), Err(Errno::NOKEY));
}

#[test]
fn sockets_of_the_other_process_count_while_it_lives() {
    let ([mut one, mut two], [place, _]) = parents();
    let (one, two) = (socket(&mut one), socket(&mut two));
    one.bind(&address("skcipher", "cbc(aes)")).unwrap();
    let mut operation = two.accept().unwrap();
    assert_eq!(one.bind(&address("skcipher", "ctr(aes)")), Err(Errno::BUSY));
    assert_eq!(set_key(one, &KEY), Ok(()), "it has seen no key");
    send(&mut operation, &[0; 16], 0).unwrap();
    assert_eq!(set_key(one, &KEY), Err(Errno::BUSY));
    *place.others_live.lock().unwrap() = false;
    assert_eq!(set_key(one, &KEY), Ok(()));
    assert_eq!(one.bind(&address("skcipher", "ctr(aes)")), Ok(()));
}

#[test]
fn a_journal_of_any_kind_does_no_harm() {
    let ([mut one, mut two], [place, _]) = parents();
    let (one, two) = (socket(&mut one), socket(&mut two));
    one.bind(&address("aead", "gcm(aes)")).unwrap();
    set_tag_len(one, 12).unwrap();
    set_key(one, &KEY).unwrap();
    let good = place.value.lock().unwrap().1.clone();
    let (mut state, mut version) = (2, 1 << 20);
    let mut try_value = |bytes: Vec<u8>| {
        version += 1;
        *place.value.lock().unwrap() = (version, bytes);
        let _ = two.accept().map(|mut operation| send(&mut operation, b"text", 0));
        let _ = set_key(two, &KEY);
    };
    (0..good.len()).for_each(|len| try_value(good[..len].to_vec()));
    for _ in 0..5000 {
        let mut bytes = good.clone();
        for _ in 0..=random(&mut state) % 3 {
            let at = random(&mut state) % bytes.len();
            bytes[at] = random(&mut state) as u8;
        }
        try_value(bytes);
    }
}
