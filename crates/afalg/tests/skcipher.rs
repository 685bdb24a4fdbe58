//! Symmetric cipher operation sockets, tested with the examples of SP 800-38A.

mod common;

use algkit_afalg::{Errno, Message, Readiness, abi, alg::Socket};
use common::*;
use hex_literal::hex;
use std::io::IoSlice;

const KEY: [u8; 16] = hex!("2b7e151628aed2a6abf7158809cf4f3c");
const CBC_IV: [u8; 16] = hex!("000102030405060708090a0b0c0d0e0f");
const CTR_IV: [u8; 16] = hex!("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff");
const TEXT: [u8; 64] = hex!(
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
    "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
);
const CBC: [u8; 64] = hex!(
    "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"
    "73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7"
);
const CTR: [u8; 64] = hex!(
    "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"
    "5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee"
);

fn cbc() -> Socket {
    operation("skcipher", "cbc(aes)", &KEY)
}

fn encrypt() -> Control {
    Control::op(ENCRYPT).iv(&CBC_IV)
}

#[test]
fn one_message() {
    let mut socket = cbc();
    assert_eq!(send_with(&mut socket, &encrypt(), &[&TEXT], 0), Ok(64));
    assert_eq!(recv(&mut socket, 64).unwrap(), CBC);
    let decrypt = Control::op(DECRYPT).iv(&CBC_IV);
    assert_eq!(send_with(&mut socket, &decrypt, &[&CBC[..5], &[], &CBC[5..]], 0), Ok(64));
    assert_eq!(recv_pieces(&mut socket, &[3, 0, 40, 21]).unwrap(), TEXT);
}

/// However a message is cut for sending and receiving, the IV is carried on.
#[test]
fn a_message_in_pieces() {
    for (name, iv, want) in [("cbc(aes)", CBC_IV, CBC), ("ctr(aes)", CTR_IV, CTR)] {
        for sent in 1..=64 {
            for received in [16, 17, 32, 48, 100] {
                let mut socket = operation("skcipher", name, &KEY);
                let mut control = Control::op(ENCRYPT).iv(&iv);
                let mut got = Vec::new();
                for piece in TEXT.chunks(sent) {
                    assert_eq!(send_with(&mut socket, &control, &[piece], MORE), Ok(piece.len()));
                    control = Control::default();
                    while let Ok(bytes) = recv(&mut socket, received) {
                        assert!(!bytes.is_empty() && bytes.len() % 16 == 0);
                        got.extend(bytes);
                    }
                }
                assert_eq!(got, want, "{name} sent by {sent}, received by {received}");
            }
        }
    }
}

#[test]
fn the_tail_of_a_stream() {
    let mut socket = operation("skcipher", "ctr(aes)", &KEY);
    send_with(&mut socket, &Control::op(ENCRYPT).iv(&CTR_IV), &[&TEXT[..37]], 0).unwrap();
    assert_eq!(recv(&mut socket, 20).unwrap(), CTR[..16], "room for less than all: whole blocks");
    assert_eq!(recv(&mut socket, 15), Err(Errno::INVAL), "room for no block");
    assert_eq!(recv(&mut socket, 50).unwrap(), CTR[16..37]);
    assert_eq!(recv(&mut socket, 50), Err(Errno::AGAIN));
}

#[test]
fn more_is_expected() {
    let mut socket = cbc();
    assert_eq!(recv(&mut socket, 16), Err(Errno::AGAIN), "nothing has been sent");
    send_with(&mut socket, &encrypt(), &[&TEXT[..15]], MORE).unwrap();
    assert_eq!(recv(&mut socket, 16), Err(Errno::AGAIN), "no whole block yet");
    assert_eq!(recv(&mut socket, 0).unwrap(), [], "no room, no question");
    send(&mut socket, &TEXT[15..20], MORE).unwrap();
    assert_eq!(recv(&mut socket, 16).unwrap(), CBC[..16]);
    send(&mut socket, &TEXT[20..32], 0).unwrap();
    assert_eq!(send(&mut socket, &TEXT[32..], 0), Err(Errno::INVAL), "the message is complete and unread");
    assert_eq!(recv(&mut socket, 16).unwrap(), CBC[16..32]);
    assert_eq!(send(&mut socket, &TEXT[32..], 0), Ok(32), "the next one, with the chaining value");
    assert_eq!(recv(&mut socket, 32).unwrap(), CBC[32..]);
}

#[test]
fn an_empty_message() {
    let mut socket = cbc();
    assert_eq!(send_with(&mut socket, &encrypt(), &[], 0), Ok(0));
    assert_eq!(recv(&mut socket, 16).unwrap(), []);
    assert_eq!(recv(&mut socket, 16), Err(Errno::AGAIN));
    let mut socket = operation("skcipher", "xts(aes)", &[7; 32]);
    send_with(&mut socket, &encrypt(), &[], 0).unwrap();
    assert_eq!(recv(&mut socket, 16), Err(Errno::INVAL), "xts takes at least a block");
}

#[test]
fn texts_that_are_not_whole_blocks() {
    let mut socket = cbc();
    send_with(&mut socket, &encrypt(), &[&TEXT[..20]], 0).unwrap();
    assert_eq!(recv(&mut socket, 20), Err(Errno::INVAL));
    assert_eq!(recv(&mut socket, 20), Err(Errno::AGAIN), "the text is gone");
    // The kernel has processed the first block.
    send_with(&mut socket, &Control::op(ENCRYPT), &[&TEXT[16..]], 0).unwrap();
    assert_eq!(recv(&mut socket, 48).unwrap(), CBC[16..]);
}

/// Any control message sets the direction; the default is decryption.
#[test]
fn control_messages_set_everything() {
    let mut socket = cbc();
    send_with(&mut socket, &encrypt(), &[&TEXT[..16]], 0).unwrap();
    assert_eq!(recv(&mut socket, 16).unwrap(), CBC[..16]);
    send(&mut socket, &TEXT[16..32], 0).unwrap();
    assert_eq!(recv(&mut socket, 16).unwrap(), CBC[16..32], "no control message, nothing changes");
    send_with(&mut socket, &Control::default().iv(&CBC_IV), &[&CBC[..16]], 0).unwrap();
    assert_eq!(recv(&mut socket, 16).unwrap(), TEXT[..16]);
    send_with(&mut socket, &encrypt(), &[&TEXT[..16]], 0).unwrap();
    assert_eq!(recv(&mut socket, 16).unwrap(), CBC[..16]);
    // One byte contains no control message. The IV is now the first ciphertext block.
    send_with(&mut socket, &Control(vec![1]), &[&CBC[16..32]], 0).unwrap();
    assert_eq!(recv(&mut socket, 16).unwrap(), TEXT[16..32]);
}

#[test]
fn control_messages_that_are_wrong() {
    let mut socket = cbc();
    let set = |kind, data: &[u8]| Control::default().with(abi::SOL_ALG, kind, data);
    for control in [
        Control::op(2),
        Control::op(u32::MAX),
        Control::op(ENCRYPT).iv(&CBC_IV[..15]),
        Control::op(ENCRYPT).iv(&[0; 17]),
        Control::op(ENCRYPT).iv(&[]),
        set(abi::ALG_SET_OP, &[1, 0, 0]),
        set(abi::ALG_SET_IV, &[16, 0, 0, 0, 1, 2, 3]),
        set(abi::ALG_SET_IV, &[0xff; 20]),
        set(abi::ALG_SET_IV, &[]),
        set(abi::ALG_SET_AEAD_ASSOCLEN, &[0, 0, 0, 0x80]),
        set(99, &[0; 4]),
        Control(vec![0; 16]),
        Control([&17usize.to_ne_bytes()[..], &[0; 8]].concat()),
    ] {
        assert_eq!(send_with(&mut socket, &control, &[&TEXT], 0), Err(Errno::INVAL), "{:?}", control.0);
    }
    assert_eq!(recv(&mut socket, 64), Err(Errno::AGAIN), "none of it was taken");
    let foreign =
        Control::default().with(libc::SOL_SOCKET, 1, &[0; 4]).with(abi::SOL_ALG, abi::ALG_SET_OP, &[1, 0, 0, 0]);
    assert_eq!(send_with(&mut socket, &foreign.iv(&CBC_IV), &[&TEXT], 0), Ok(64));
    assert_eq!(recv(&mut socket, 64).unwrap(), CBC);
}

#[test]
fn a_full_queue() {
    const LIMIT: usize = 212_992;
    let mut socket = cbc();
    let text = vec![1; LIMIT + 5000];
    assert_eq!(socket.readiness(), Readiness { readable: true, writable: true });
    assert_eq!(send_with(&mut socket, &encrypt(), &[&text[..100], &text[100..]], MORE), Ok(LIMIT));
    assert_eq!(socket.readiness(), Readiness { readable: true, writable: false });
    // A send that was accepted in part has not announced more data.
    assert_eq!(send(&mut socket, &text[..1], MORE), Err(Errno::INVAL));
    assert_eq!(recv(&mut socket, 4096).unwrap().len(), 4096);
    assert!(socket.readiness().writable);
    // A blocking client continues with the rest.
    let rest = Message { data: &[IoSlice::new(&text[LIMIT..])], control: &[], flags: 0, fault: false };
    assert_eq!(socket.send_rest(&rest), Ok(4096));
    let rest = Message { data: &[IoSlice::new(&text[LIMIT + 4096..])], control: &[], flags: 0, fault: false };
    assert_eq!(socket.send_rest(&rest), Err(Errno::AGAIN));
    assert_eq!(recv(&mut socket, LIMIT).unwrap().len(), LIMIT);
    assert_eq!(socket.send_rest(&rest), Ok(904));
    assert_eq!(recv(&mut socket, 896).unwrap().len(), 896, "all was received meanwhile, and it goes on");
}

/// The last page is filled even beyond the limit, but no new page is begun.
#[test]
fn pages_of_the_queue() {
    let mut socket = cbc();
    set_option(&mut socket, libc::SOL_SOCKET, libc::SO_SNDBUF, &4096i32.to_ne_bytes()).unwrap();
    assert_eq!(socket.option(libc::SOL_SOCKET, libc::SO_SNDBUF), Ok(8192));
    assert_eq!(send_with(&mut socket, &encrypt(), &[&[0; 4100]], MORE), Ok(4100));
    assert!(!socket.readiness().writable);
    assert_eq!(send(&mut socket, &[0; 4092], MORE), Ok(4092), "the rest of the second page");
    assert_eq!(send(&mut socket, &[0; 1], MORE), Err(Errno::AGAIN));
    assert_eq!(recv(&mut socket, 32).unwrap().len(), 32);
    assert_eq!(send(&mut socket, &[0; 1], MORE), Err(Errno::AGAIN), "less than a page is free");
    assert_eq!(recv(&mut socket, 4064).unwrap().len(), 4064);
    assert_eq!(send(&mut socket, &[0; 5000], MORE), Ok(4096));
    set_option(&mut socket, libc::SOL_SOCKET, libc::SO_SNDBUF, &0i32.to_ne_bytes()).unwrap();
    assert_eq!(socket.option(libc::SOL_SOCKET, libc::SO_SNDBUF), Ok(4608));
}

/// Requests are cut where the kernel cuts them; XTS starts anew with each.
#[test]
fn requests_and_their_limit() {
    let mut socket = operation("skcipher", "xts(aes)", &[5; 64]);
    let unit = vec![9; 8192];
    send_with(&mut socket, &encrypt(), &[&unit], 0).unwrap();
    let whole = recv(&mut socket, 8192).unwrap();
    send_with(&mut socket, &encrypt(), &[&unit], 0).unwrap();
    assert_eq!(recv_pieces(&mut socket, &[100, 8092]).unwrap(), whole);
    set_option(&mut socket, libc::SOL_SOCKET, libc::SO_RCVBUF, &2048i32.to_ne_bytes()).unwrap();
    send_with(&mut socket, &encrypt(), &[&unit], 0).unwrap();
    let halves = recv(&mut socket, 8192).unwrap();
    assert_eq!(halves[..4096], whole[..4096]);
    assert_eq!(halves[4096..], halves[..4096], "the same text with the same IV");
}

/// Each receive of a part of a long message is a separate request from the same IV. Compared with RustCrypto's XTS.
#[test]
fn long_messages_received_at_once_and_in_two() {
    use aes::{Aes256, cipher::KeyInit};

    let key: Vec<u8> = (0..64).collect();
    let cipher = |half: &[u8]| Aes256::new_from_slice(half).expect("a key");
    let peer = xts_mode::Xts128::new(cipher(&key[..32]), cipher(&key[32..]));
    for len in [8191, 8192, 8193, 8207, 12_288, 40_000, 65_536, 65_551] {
        let text: Vec<u8> = (0..len).map(|i| (i * 7 + i / 251) as u8).collect();
        for op in [ENCRYPT, DECRYPT] {
            let want = |text: &[u8]| {
                let mut text = text.to_vec();
                match op {
                    ENCRYPT => peer.encrypt_sector(&mut text, CBC_IV.into()),
                    _ => peer.decrypt_sector(&mut text, CBC_IV.into()),
                }
                text
            };
            let mut socket = operation("skcipher", "xts(aes)", &key);
            let control = Control::op(op).iv(&CBC_IV);
            assert_eq!(send_with(&mut socket, &control, &[&text], 0), Ok(len));
            assert_eq!(recv(&mut socket, len).unwrap(), want(&text), "{len} bytes");
            // The buffer is larger than the text.
            assert_eq!(send_with(&mut socket, &control, &[&text], 0), Ok(len));
            assert_eq!(recv(&mut socket, len + 100).unwrap(), want(&text), "{len} bytes");
            // The buffer is in two pieces.
            assert_eq!(send_with(&mut socket, &control, &[&text], 0), Ok(len));
            assert_eq!(recv_pieces(&mut socket, &[1000, len - 1000]).unwrap(), want(&text), "{len} bytes");
            // The text is received in two calls.
            for first in [16, 4096, len / 2 / 16 * 16, (len - 16) / 16 * 16] {
                assert_eq!(send_with(&mut socket, &control, &[&text], 0), Ok(len));
                assert_eq!(recv(&mut socket, first).unwrap(), want(&text[..first]), "{first} of {len} bytes");
                assert_eq!(recv(&mut socket, len).unwrap(), want(&text[first..]), "all but {first} of {len} bytes");
            }
            // The message is sent in two parts.
            assert_eq!(send_with(&mut socket, &control, &[&text[..8192.min(len) - 1]], MORE), Ok(8192.min(len) - 1));
            let rest = &text[8192.min(len) - 1..];
            assert_eq!(send(&mut socket, rest, 0), Ok(rest.len()));
            assert_eq!(recv(&mut socket, len).unwrap(), want(&text), "{len} bytes");
        }
    }
}

/// Algorithms whose only drivers use tables are served too, because the kernel has no others.
#[test]
fn table_drivers() {
    // The all-zero key and text of the Twofish paper's test vectors, section 4.1.
    let mut socket = operation("skcipher", "ecb(twofish)", &[0; 16]);
    send_with(&mut socket, &Control::op(ENCRYPT), &[&[0; 16]], 0).unwrap();
    assert_eq!(recv(&mut socket, 16).unwrap(), hex!("9f589f5cf6122c32b6bfec2f2ae8c35a"));
    operation("skcipher", "cbc(des3_ede)", &[1; 24]);
    operation("skcipher", "cbc-aes-u64bs", &[1; 16]);
}
