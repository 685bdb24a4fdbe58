//! Parent sockets, which name a transform.

mod common;

use algkit_afalg::{
    Errno, Readiness, abi,
    alg::{Keyring, NoKeyring, Socket},
};
use common::*;
use std::cell::RefCell;
use zeroize::Zeroizing;

fn errno<T>(result: Result<T, Errno>) -> Option<Errno> {
    result.err()
}

#[test]
fn kinds_of_sockets() {
    assert_eq!(errno(Socket::new(libc::SOCK_SEQPACKET, 0)), None);
    assert_eq!(errno(Socket::new(libc::SOCK_SEQPACKET, 1)), Some(Errno::PROTONOSUPPORT));
    assert_eq!(errno(Socket::new(libc::SOCK_STREAM, 1)), Some(Errno::SOCKTNOSUPPORT));
    assert_eq!(errno(Socket::new(11, 0)), Some(Errno::INVAL));
    assert_eq!(errno(Socket::new(-1, 0)), Some(Errno::INVAL));
}

#[test]
fn addresses() {
    let bind = |bytes: &[u8]| errno(Socket::new(libc::SOCK_SEQPACKET, 0).unwrap().bind(bytes));
    let good = address("skcipher", "cbc(aes)");
    assert_eq!(bind(&good), None);
    assert_eq!(bind(&good[..24 + 9]), None, "as long as the name");
    assert_eq!(bind(&good[..24 + 8]), Some(Errno::NOENT), "the last byte counts as zero");
    assert_eq!(bind(&good[..24]), Some(Errno::INVAL));
    assert_eq!(bind(&[]), Some(Errno::INVAL));
    assert_eq!(bind(&[&good[..], &[0; 40]].concat()), None);
    assert_eq!(bind(&[&good[..], &[0; 41]].concat()), Some(Errno::INVAL));
    let mut family = good.clone();
    family[..2].fill(0);
    assert_eq!(bind(&family), None, "the family is not looked at");

    let with = |features: u32, mask: u32| {
        let mut bytes = good.clone();
        bytes[16..20].copy_from_slice(&features.to_ne_bytes());
        bytes[20..24].copy_from_slice(&mask.to_ne_bytes());
        bytes
    };
    assert_eq!(bind(&with(1, 0)), Some(Errno::INVAL));
    assert_eq!(bind(&with(0, 0x80)), Some(Errno::INVAL));
    assert_eq!(bind(&with(0x1000, 0)), None);
    assert_eq!(bind(&with(0, 0x1000)), None);
    assert_eq!(bind(&with(0x1000, 0x1000)), Some(Errno::NOENT), "no driver is the kernel's alone");
}

#[test]
fn names() {
    for (kind, name) in [
        ("skcipher", "nothing"),
        ("skcipher", ""),
        ("skcipher", "aes"),
        ("skcipher", "gcm(aes)"),
        ("skcipher", "cbc(sha256)"),
        ("skcipher", "xts(des)"),
        ("skcipher", "cbc(aes"),
        ("skcipher", "cbc(aes) "),
        ("skcipher", "\u{e9}"),
        ("aead", "cbc(aes)"),
        ("hash", "hmac(aes)"),
        ("rng", "sha256"),
        ("cipher", "aes"),
        ("", "cbc(aes)"),
        ("skcipherskciph", "cbc(aes)"),
    ] {
        let bound = Socket::new(libc::SOCK_SEQPACKET, 0).unwrap().bind(&address(kind, name));
        assert_eq!(bound, Err(Errno::NOENT), "{kind} {name}");
    }
}

#[test]
fn binding_again() {
    let mut parent = bound("hash", "sha256");
    parent.bind(&address("hash", "sha1")).unwrap();
    let mut socket = parent.accept().unwrap();
    assert_eq!(recv(&mut socket, 64).unwrap().len(), 20);
    assert_eq!(parent.bind(&address("hash", "nothing")), Err(Errno::NOENT));
    assert_eq!(parent.bind(&address("hash", "sha256")), Err(Errno::BUSY));
    assert_eq!(socket.bind(&address("hash", "sha256")), Err(Errno::OPNOTSUPP));
    drop(socket);
    assert_eq!(parent.bind(&address("hash", "sha256")), Ok(()));
}

#[test]
fn what_a_socket_does_not_do() {
    let mut parent = Socket::new(libc::SOCK_SEQPACKET, 0).unwrap();
    assert_eq!(errno(parent.accept()), Some(Errno::INVAL), "not bound");
    assert_eq!(set_key(&mut parent, &[0; 16]), Err(Errno::NOPROTOOPT));
    parent.bind(&address("skcipher", "cbc(aes)")).unwrap();
    assert_eq!(send(&mut parent, b"x", 0), Err(Errno::OPNOTSUPP));
    assert_eq!(recv(&mut parent, 1), Err(Errno::OPNOTSUPP));
    assert_eq!(parent.readiness(), Readiness::default());
    for (level, name) in [(abi::SOL_ALG, abi::ALG_SET_IV), (abi::SOL_ALG, 99), (6, abi::ALG_SET_KEY)] {
        assert_eq!(set_option(&mut parent, level, name, &[0; 16]), Err(Errno::NOPROTOOPT));
    }
    let mut child = parent.accept().unwrap();
    assert_eq!(errno(child.accept()), Some(Errno::OPNOTSUPP));
    assert_eq!(set_key(&mut child, &[0; 16]), Err(Errno::OPNOTSUPP));
    assert_eq!(child.option(abi::SOL_ALG, 1), Err(Errno::OPNOTSUPP));
    assert_eq!(child.option(libc::SOL_SOCKET, libc::SO_DOMAIN), Ok(libc::AF_ALG));
}

#[test]
fn keys() {
    let mut parent = bound("skcipher", "cbc(aes)");
    let has_key = |parent: &mut Socket| recv(&mut parent.accept().unwrap(), 0) != Err(Errno::NOKEY);
    assert!(!has_key(&mut parent));
    set_key(&mut parent, &[1; 16]).unwrap();
    assert!(has_key(&mut parent));
    // A key of an undeclared length changes nothing. A key that the cipher refuses removes the previous one.
    for len in [0, 15, 33, 20_479] {
        assert_eq!(set_key(&mut parent, &vec![1; len]), Err(Errno::INVAL));
        assert!(has_key(&mut parent));
    }
    assert_eq!(set_key(&mut parent, &vec![1; 20_480]), Err(Errno::NOMEM));
    assert_eq!(set_key(&mut parent, &[1; 17]), Err(Errno::INVAL));
    assert!(!has_key(&mut parent));
    // AEADs declare no key lengths.
    let mut parent = keyed("aead", "gcm(aes)", &[1; 16]);
    assert_eq!(set_key(&mut parent, &[1; 33]), Err(Errno::INVAL));
    assert!(!has_key(&mut parent));
    // Weak keys are accepted.
    keyed("skcipher", "xts(aes)", &[1; 32]);
    keyed("skcipher", "cbc(des3_ede)", &[1; 24]);
}

#[test]
fn keys_while_sockets_are_open() {
    let mut parent = bound("skcipher", "cbc(aes)");
    let (mut one, mut two) = (parent.accept().unwrap(), parent.accept().unwrap());
    for key in [1, 2] {
        set_key(&mut parent, &[key; 16]).unwrap();
    }
    // No socket has used the key yet.
    send_with(&mut one, &Control::op(ENCRYPT), &[&[0; 16]], 0).unwrap();
    assert_eq!(set_key(&mut parent, &[3; 16]), Err(Errno::BUSY));
    assert_eq!(set_option(&mut parent, 6, 99, &[]), Err(Errno::BUSY), "whatever the option");
    drop(one);
    set_key(&mut parent, &[3; 16]).unwrap();
    drop(parent);
    send_with(&mut two, &Control::op(ENCRYPT), &[&[0; 16]], 0).unwrap();
    let mut same = operation("skcipher", "cbc(aes)", &[3; 16]);
    send_with(&mut same, &Control::op(ENCRYPT), &[&[0; 16]], 0).unwrap();
    assert_eq!(recv(&mut two, 16).unwrap(), recv(&mut same, 16).unwrap());
}

/// A keyring with one key, which records the serial numbers asked for.
#[derive(Default)]
struct OneKey(RefCell<Vec<i32>>);

impl Keyring for OneKey {
    fn payload(&self, serial: i32) -> Result<Zeroizing<Vec<u8>>, Errno> {
        self.0.borrow_mut().push(serial);
        if serial == 7 { Ok(Zeroizing::new(vec![3; 16])) } else { Err(Errno::NOKEY) }
    }
}

#[test]
fn keys_by_serial_number() {
    let mut parent = bound("skcipher", "cbc(aes)");
    let option = |parent: &mut Socket, value: &[u8], keyring: &dyn Keyring| {
        parent.set_option(abi::SOL_ALG, abi::ALG_SET_KEY_BY_KEY_SERIAL, value, keyring)
    };
    let keyring = OneKey::default();
    assert_eq!(option(&mut parent, &[0; 3], &keyring), Err(Errno::INVAL));
    assert_eq!(option(&mut parent, &8i32.to_ne_bytes(), &keyring), Err(Errno::NOKEY));
    assert_eq!(option(&mut parent, &7i32.to_ne_bytes(), &keyring), Ok(()));
    assert_eq!(*keyring.0.borrow(), [8, 7]);
    let mut socket = parent.accept().unwrap();
    assert_eq!(option(&mut parent, &7i32.to_ne_bytes(), &keyring), Err(Errno::BUSY));
    send_with(&mut socket, &Control::op(ENCRYPT), &[&[0; 16]], 0).unwrap();
    let mut same = operation("skcipher", "cbc(aes)", &[3; 16]);
    send_with(&mut same, &Control::op(ENCRYPT), &[&[0; 16]], 0).unwrap();
    assert_eq!(recv(&mut socket, 16).unwrap(), recv(&mut same, 16).unwrap());
    let mut hash = bound("hash", "hmac(sha1)");
    assert_eq!(option(&mut hash, &7i32.to_ne_bytes(), &NoKeyring), Err(Errno::NOPROTOOPT));
}
