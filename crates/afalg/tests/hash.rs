//! Hash operation sockets.

mod common;

use algkit_afalg::{Errno, Readiness};
use common::*;
use hex_literal::hex;

const EMPTY: [u8; 32] = hex!("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
const ABC: [u8; 32] = hex!("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
/// Test case 2 of RFC 4231.
const HMAC: [u8; 32] = hex!("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
const JEFE: &[u8] = b"what do ya want for nothing?";

#[test]
fn whole_and_in_pieces() {
    let mut socket = bound("hash", "sha256").accept().unwrap();
    assert_eq!(send(&mut socket, b"abc", 0), Ok(3));
    assert_eq!(recv(&mut socket, 32).unwrap(), ABC);
    assert_eq!(send(&mut socket, b"a", MORE), Ok(1));
    assert_eq!(send(&mut socket, b"", MORE), Ok(0));
    assert_eq!(send_with(&mut socket, &Control::default(), &[b"b", b"", b"c"], MORE), Ok(2));
    assert_eq!(recv(&mut socket, 32).unwrap(), ABC, "receiving ends the message");
    send(&mut socket, b"ab", MORE).unwrap();
    send(&mut socket, b"c", 0).unwrap();
    assert_eq!(recv(&mut socket, 100).unwrap(), ABC);
    assert_eq!(recv(&mut socket, 32).unwrap(), EMPTY, "and the next is empty");
    send_with(&mut socket, &Control::default(), &[], 0).unwrap();
    assert_eq!(recv(&mut socket, 32).unwrap(), EMPTY);
}

#[test]
fn messages_that_nobody_asked_for() {
    let mut socket = bound("hash", "sha256").accept().unwrap();
    send(&mut socket, b"forgotten", 0).unwrap();
    send(&mut socket, b"abc", 0).unwrap();
    assert_eq!(recv(&mut socket, 32).unwrap(), ABC);
    send(&mut socket, b"forgotten", 0).unwrap();
    send(&mut socket, b"abc", MORE).unwrap();
    assert_eq!(recv(&mut socket, 32).unwrap(), ABC);
}

#[test]
fn part_of_a_digest() {
    let mut socket = bound("hash", "sha256").accept().unwrap();
    for room in [0, 1, 31] {
        send(&mut socket, b"abc", 0).unwrap();
        let (digest, flags) = recv_flags(&mut socket, room).unwrap();
        assert_eq!((&digest[..], flags), (&ABC[..room], libc::MSG_TRUNC));
        assert_eq!(recv_flags(&mut socket, 32).unwrap(), (EMPTY.to_vec(), 0), "the rest is gone");
    }
    send(&mut socket, b"abc", 0).unwrap();
    assert_eq!(recv_pieces(&mut socket, &[5, 0, 20, 9]).unwrap(), ABC);
}

#[test]
fn keys() {
    let mut parent = bound("hash", "hmac(sha256)");
    let mut early = parent.accept().unwrap();
    assert_eq!(send(&mut early, JEFE, 0), Err(Errno::NOKEY));
    assert_eq!(recv(&mut early, 32), Err(Errno::NOKEY));
    assert_eq!(early.accept().map(|_| ()), Err(Errno::NOKEY));
    set_key(&mut parent, b"Jefe").unwrap();
    send(&mut early, JEFE, 0).unwrap();
    assert_eq!(recv(&mut early, 32).unwrap(), HMAC);
    assert_eq!(set_key(&mut parent, b"another"), Err(Errno::BUSY));
    drop(early);
    set_key(&mut parent, b"").unwrap();
    let mut socket = parent.accept().unwrap();
    let of_nothing = hex!("b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
    assert_eq!(recv(&mut socket, 32).unwrap(), of_nothing);

    assert_eq!(set_key(&mut bound("hash", "sha256"), b"key"), Err(Errno::NOSYS));
    assert_eq!(set_key(&mut bound("hash", "cmac(aes)"), &[0; 15]), Err(Errno::INVAL));
}

/// A refused key also removes the previous one, unless the hash works without a key.
#[test]
fn keys_that_are_refused() {
    let mut parent = keyed("hash", "cmac(aes)", &[1; 16]);
    set_key(&mut parent, &[1; 15]).unwrap_err();
    let mut socket = parent.accept().unwrap();
    assert_eq!(send(&mut socket, b"", 0), Err(Errno::NOKEY));

    let mut parent = bound("hash", "crc32c");
    // The check value of CRC-32C, without the final inversion that a seed as the key disables.
    let mut socket = parent.accept().unwrap();
    send(&mut socket, b"123456789", 0).unwrap();
    assert_eq!(recv(&mut socket, 4).unwrap(), 0xe306_9283u32.to_le_bytes());
    drop(socket);
    set_key(&mut parent, &[0; 4]).unwrap();
    for refused in [&[][..], &[0; 3], &[0; 5]] {
        assert_eq!(set_key(&mut parent, refused), Err(Errno::INVAL));
    }
    let mut socket = parent.accept().unwrap();
    assert_eq!(recv(&mut socket, 4).unwrap(), [0xff; 4], "the empty message of seed zero");
}

/// Poly1305 takes its key from the beginning of each message: the example of RFC 8439, section 2.5.2.
#[test]
fn a_key_in_front_of_the_message() {
    let key = hex!("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b");
    let text = b"Cryptographic Forum Research Group";
    let tag = hex!("a8061dc1305136c6c22b8baf0c0127a9");
    let mut parent = bound("hash", "poly1305");
    assert_eq!(set_key(&mut parent, &key), Err(Errno::NOSYS));
    let mut socket = parent.accept().unwrap();
    let message = [&key[..], text].concat();
    for step in 1..message.len() {
        for piece in message.chunks(step) {
            send(&mut socket, piece, MORE).unwrap();
        }
        assert_eq!(recv(&mut socket, 16).unwrap(), tag, "{step}");
    }
    send(&mut socket, &message, 0).unwrap();
    assert_eq!(recv(&mut socket, 16).unwrap(), tag);
    assert_eq!(recv(&mut socket, 16), Err(Errno::NOKEY));
    assert_eq!(send(&mut socket, &key[..31], 0), Err(Errno::NOKEY));
}

/// VMAC takes its nonce from the beginning of each message: the second example of draft-krovetz-vmac-01, with a
/// nonce of 8 bytes.
#[test]
fn a_nonce_in_front_of_the_message() {
    let tag = hex!("2d376cf5b1813ce5");
    let mut parent = bound("hash", "vmac64(aes)");
    for len in [0, 15, 17, 32] {
        assert_eq!(set_key(&mut parent, &vec![7; len]), Err(Errno::INVAL), "{len}");
    }
    set_key(&mut parent, b"abcdefghijklmnop").unwrap();
    let mut socket = parent.accept().unwrap();
    let message = [&[0; 8], &b"bcdefghi"[..], b"abc"].concat();
    for step in 1..=message.len() {
        for piece in message.chunks(step) {
            send(&mut socket, piece, MORE).unwrap();
        }
        assert_eq!(recv(&mut socket, 8).unwrap(), tag, "{step}");
    }
    send(&mut socket, &message, 0).unwrap();
    assert_eq!(recv(&mut socket, 8).unwrap(), tag);
    assert_eq!(recv(&mut socket, 8), Err(Errno::INVAL), "no message has no nonce");
    assert_eq!(send(&mut socket, &message[..15], 0), Err(Errno::INVAL));
    let refused = [&[0x80], &message[1..]].concat();
    assert_eq!(send(&mut socket, &refused, 0), Err(Errno::INVAL), "its first bit is 0");
    send(&mut socket, &message, 0).unwrap();
    assert_eq!(recv(&mut socket, 8).unwrap(), tag);
}

/// The replies of Linux 6.1 after a message without a digest.
#[test]
fn the_digest_of_a_message_that_failed() {
    let mut socket = bound("hash", "poly1305").accept().unwrap();
    let zeros = [0; 16];
    assert_eq!(send(&mut socket, &[7; 31], 0), Err(Errno::NOKEY));
    assert_eq!(recv(&mut socket, 16).unwrap(), zeros);
    assert_eq!(recv(&mut socket, 16), Err(Errno::NOKEY), "there is none");
    // The previous message's digest is still there, unless the failed message was sent in parts.
    send(&mut socket, &[7; 50], 0).unwrap();
    let digest = recv(&mut socket, 16).unwrap();
    send(&mut socket, &[7; 50], 0).unwrap();
    assert_eq!(send(&mut socket, &[7; 8], 0), Err(Errno::NOKEY));
    assert_eq!(recv(&mut socket, 16).unwrap(), digest);
    send(&mut socket, &[7; 50], 0).unwrap();
    send(&mut socket, &[], MORE).unwrap();
    assert_eq!(send(&mut socket, &[7; 8], 0), Err(Errno::NOKEY));
    assert_eq!(recv(&mut socket, 16).unwrap(), zeros);
}

#[test]
fn a_copy_of_a_message() {
    let mut parent = keyed("hash", "hmac(sha256)", b"Jefe");
    let mut one = parent.accept().unwrap();
    send(&mut one, &JEFE[..9], MORE).unwrap();
    let mut two = one.accept().unwrap();
    send(&mut one, b"something else", 0).unwrap();
    assert_ne!(recv(&mut one, 32).unwrap(), HMAC);
    send(&mut two, &JEFE[9..], 0).unwrap();
    let mut three = two.accept().unwrap();
    assert_eq!(recv(&mut two, 32).unwrap(), HMAC);
    assert_ne!(recv(&mut three, 32).unwrap(), HMAC, "a finished message is not copied");
    drop((one, two));
    assert_eq!(set_key(&mut parent, b"key"), Err(Errno::BUSY));
    drop(three);
    assert_eq!(set_key(&mut parent, b"key"), Ok(()));
}

#[test]
fn nothing_to_poll_for() {
    let mut socket = bound("hash", "sha256").accept().unwrap();
    send(&mut socket, b"abc", 0).unwrap();
    assert_eq!(socket.readiness(), Readiness::default());
}
