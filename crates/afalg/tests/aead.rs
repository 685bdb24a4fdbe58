//! AEAD operation sockets, tested with test case 4 of the GCM specification.

mod common;

use algkit_afalg::{Errno, Readiness, alg::Socket};
use common::*;
use hex_literal::hex;

const KEY: [u8; 16] = hex!("feffe9928665731c6d6a8f9467308308");
const IV: [u8; 12] = hex!("cafebabefacedbaddecaf888");
const ASSOC: [u8; 20] = hex!("feedfacedeadbeeffeedfacedeadbeefabaddad2");
const TEXT: [u8; 60] = hex!(
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
    "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
);
const CIPHERTEXT: [u8; 60] = hex!(
    "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
    "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091"
);
const TAG: [u8; 16] = hex!("5bc94fbc3221a5db94fae95ae7121a47");

fn gcm(tag_len: usize) -> Socket {
    let mut socket = keyed("aead", "gcm(aes)", &KEY);
    set_tag_len(&mut socket, tag_len).unwrap();
    socket.accept().unwrap()
}

fn control(op: u32) -> Control {
    Control::op(op).iv(&IV).assoc_len(20)
}

fn plain() -> Vec<u8> {
    [&ASSOC[..], &TEXT].concat()
}

fn sealed(tag_len: usize) -> Vec<u8> {
    [&ASSOC[..], &CIPHERTEXT, &TAG[..tag_len]].concat()
}

#[test]
fn associated_data_text_tag() {
    for tag_len in [4, 8, 12, 13, 14, 15, 16] {
        let mut socket = gcm(tag_len);
        assert_eq!(send_with(&mut socket, &control(ENCRYPT), &[&ASSOC, &TEXT], 0), Ok(80));
        assert_eq!(recv(&mut socket, 80 + tag_len).unwrap(), sealed(tag_len));
        assert_eq!(send_with(&mut socket, &control(DECRYPT), &[&sealed(tag_len)], 0), Ok(80 + tag_len));
        assert_eq!(recv(&mut socket, 80).unwrap(), plain());
        assert_eq!(recv(&mut socket, 80), Err(Errno::AGAIN));
    }
}

#[test]
fn any_buffers() {
    for cut in 1..96 {
        for other in [1, 7, 19, 21, 40] {
            let mut socket = gcm(16);
            let control = control(ENCRYPT);
            let text = plain();
            let (a, b) = text.split_at(cut.min(80));
            assert_eq!(send_with(&mut socket, &control, &[a], MORE), Ok(a.len()));
            assert_eq!(send(&mut socket, b, 0), Ok(b.len()));
            let room = [cut.min(96 - other), other, 96 - other - cut.min(96 - other)];
            assert_eq!(recv_pieces(&mut socket, &room).unwrap(), sealed(16), "{room:?}");
        }
    }
}

#[test]
fn more_is_expected() {
    let mut socket = gcm(16);
    assert_eq!(recv(&mut socket, 96), Err(Errno::AGAIN));
    send_with(&mut socket, &control(ENCRYPT), &[&ASSOC], MORE).unwrap();
    assert_eq!(recv(&mut socket, 96), Err(Errno::AGAIN));
    assert_eq!(socket.readiness(), Readiness { readable: true, writable: true }, "as the kernel has it");
    send(&mut socket, &TEXT, 0).unwrap();
    assert_eq!(send(&mut socket, &TEXT, 0), Err(Errno::INVAL), "the message is complete and unread");
    assert_eq!(recv(&mut socket, 96).unwrap(), sealed(16));
    assert_eq!(socket.readiness(), Readiness { readable: true, writable: true });
}

#[test]
fn a_tag_that_does_not_match() {
    for at in [0, 19, 20, 50, 79, 80, 95] {
        let mut socket = gcm(16);
        let mut bytes = sealed(16);
        bytes[at] ^= 1;
        send_with(&mut socket, &control(DECRYPT), &[&bytes], 0).unwrap();
        let mut out = vec![0xee; 80];
        let refused = socket.recv(&mut [std::io::IoSliceMut::new(&mut out)], 0);
        assert_eq!(refused, Err(Errno::BADMSG));
        assert_eq!(out[20..], [0; 60], "nothing unauthenticated is left");
        assert_eq!(recv(&mut socket, 80), Err(Errno::AGAIN), "the message is gone");
        send_with(&mut socket, &control(DECRYPT), &[&sealed(16)], 0).unwrap();
        assert_eq!(recv(&mut socket, 80).unwrap(), plain());
    }
}

#[test]
fn too_little_data() {
    for (op, len) in [(ENCRYPT, 19), (DECRYPT, 35)] {
        let mut socket = gcm(16);
        send_with(&mut socket, &control(op), &[&plain()[..len]], 0).unwrap();
        assert_eq!(recv(&mut socket, 96), Err(Errno::INVAL));
        assert_eq!(recv(&mut socket, 96), Err(Errno::INVAL), "the data stays");
        assert_eq!(send(&mut socket, &TEXT, 0), Err(Errno::INVAL));
    }
    let mut socket = gcm(16);
    send_with(&mut socket, &control(ENCRYPT).assoc_len(i32::MAX as u32), &[&plain()], 0).unwrap();
    assert_eq!(recv(&mut socket, 96), Err(Errno::INVAL));
}

/// With less room than needed, the text is cut, and the rest is processed by the next request with the same length
/// of associated data.
#[test]
fn too_little_room() {
    let mut socket = gcm(16);
    send_with(&mut socket, &control(ENCRYPT), &[&plain()], 0).unwrap();
    assert_eq!(recv(&mut socket, 35), Err(Errno::INVAL), "less than associated data and tag");
    let first = recv(&mut socket, 36 + 32).unwrap();
    assert_eq!(first[..52], sealed(16)[..52]);
    let rest = recv(&mut socket, 28 + 16).unwrap();
    assert_eq!(rest[..20], TEXT[32..52], "what follows begins with associated data again");
    assert_eq!(rest.len(), 44);
    assert_eq!(recv(&mut socket, 96), Err(Errno::AGAIN));
}

#[test]
fn nothing_but_a_tag() {
    // An empty text under the all-zero key and IV: test case 1 of the specification.
    const EMPTY: [u8; 16] = hex!("58e2fccefa7e3061367f1d57a4e7455a");
    let mut socket = operation("aead", "gcm(aes)", &[0; 16]);
    send_with(&mut socket, &Control::op(ENCRYPT).iv(&[0; 12]), &[], 0).unwrap();
    assert_eq!(recv(&mut socket, 15), Err(Errno::INVAL), "no room for the tag");
    assert_eq!(recv(&mut socket, 16).unwrap(), EMPTY);
    let decrypt = Control::op(DECRYPT).iv(&[0; 12]);
    send_with(&mut socket, &decrypt, &[&EMPTY], 0).unwrap();
    assert_eq!(recv(&mut socket, 0).unwrap(), []);
    assert_eq!(recv(&mut socket, 1).unwrap(), []);
    send_with(&mut socket, &decrypt, &[&[0; 16]], 0).unwrap();
    assert_eq!(recv(&mut socket, 1), Err(Errno::BADMSG));
}

#[test]
fn sizes_of_tags() {
    let mut socket = keyed("aead", "gcm(aes)", &KEY);
    for bad in [0, 3, 5, 7, 9, 11, 17, 4096] {
        assert_eq!(set_tag_len(&mut socket, bad), Err(Errno::INVAL), "{bad}");
    }
    assert_eq!(set_tag_len(&mut bound("skcipher", "cbc(aes)"), 16), Err(Errno::NOPROTOOPT));
    let _child = socket.accept().unwrap();
    assert_eq!(set_tag_len(&mut socket, 16), Err(Errno::BUSY));
}

/// A socket that was accepted before the key was set also takes the tag size that was set later.
#[test]
fn a_key_and_a_tag_size_that_come_later() {
    let mut parent = bound("aead", "gcm(aes)");
    let mut socket = parent.accept().unwrap();
    assert_eq!(send_with(&mut socket, &control(ENCRYPT), &[&plain()], 0), Err(Errno::NOKEY));
    assert_eq!(recv(&mut socket, 1), Err(Errno::NOKEY));
    set_key(&mut parent, &KEY).unwrap();
    set_tag_len(&mut parent, 12).unwrap();
    send_with(&mut socket, &control(ENCRYPT), &[&plain()], 0).unwrap();
    assert_eq!(set_tag_len(&mut parent, 16), Err(Errno::BUSY));
    assert_eq!(recv(&mut socket, 92).unwrap(), sealed(12));
}

#[test]
fn what_the_mode_refuses() {
    // RFC 4106 requires 16 or 20 bytes of associated data.
    let mut socket = operation("aead", "rfc4106(gcm(aes))", &[1; 20]);
    send_with(&mut socket, &Control::op(ENCRYPT).iv(&[0; 8]).assoc_len(8), &[&[0; 40]], 0).unwrap();
    assert_eq!(recv(&mut socket, 56), Err(Errno::INVAL));
    // CCM requires 1 to 7 in the first byte of the IV.
    let mut socket = operation("aead", "ccm(aes)", &[1; 16]);
    send_with(&mut socket, &Control::op(ENCRYPT).iv(&[9; 16]), &[&[0; 40]], 0).unwrap();
    assert_eq!(recv(&mut socket, 56), Err(Errno::INVAL));
    // authenc over CBC requires whole blocks. Decryption checks the tag first.
    let key = algkit::authenc_key(&[1; 32], &[2; 16]);
    let mut socket = operation("aead", "authenc(hmac(sha256),cbc(aes))", &key);
    for (op, errno) in [(ENCRYPT, Errno::INVAL), (DECRYPT, Errno::BADMSG)] {
        send_with(&mut socket, &Control::op(op).iv(&[0; 16]), &[&[0; 47]], 0).unwrap();
        assert_eq!(recv(&mut socket, 100), Err(errno));
    }
}
