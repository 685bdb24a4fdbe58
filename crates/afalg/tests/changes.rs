//! Changes by privileged NETLINK_CRYPTO clients. A separate process, because other tests hold references to
//! drivers.

use algkit_afalg::{Errno, Message, alg, netlink::Socket};
use std::io::{IoSlice, IoSliceMut};

const GETALG: u16 = 0x13;
const REQUEST_AND_ACK: u16 = 5;

/// The reply to a request of this kind for a name and a driver, with a `CRYPTOCFGA_PRIORITY_VAL` if `priority` is
/// given.
fn answer(kind: u16, name: &str, driver: &str, priority: Option<u32>) -> Vec<u8> {
    // An `nlmsghdr` and a `crypto_user_alg`: 16 and 208 bytes.
    let mut bytes = vec![0; 224];
    bytes[4..6].copy_from_slice(&kind.to_ne_bytes());
    bytes[6..8].copy_from_slice(&REQUEST_AND_ACK.to_ne_bytes());
    bytes[16..16 + name.len()].copy_from_slice(name.as_bytes());
    bytes[80..80 + driver.len()].copy_from_slice(driver.as_bytes());
    if let Some(priority) = priority {
        bytes.extend([8_u16.to_ne_bytes(), 1_u16.to_ne_bytes()].as_flattened());
        bytes.extend(priority.to_ne_bytes());
    }
    let len = bytes.len() as u32;
    bytes[..4].copy_from_slice(&len.to_ne_bytes());
    let mut socket = Socket::new();
    socket.set_privileged(true);
    let message = Message { data: &[IoSlice::new(&bytes)], control: &[], flags: 0, fault: false };
    assert_eq!(socket.send(&message), Ok(bytes.len()));
    let mut answer = vec![0; 1024];
    let len = socket.recv(&mut [IoSliceMut::new(&mut answer)], 0).expect("an answer").len;
    answer.truncate(len);
    answer
}

/// The `u32` at offset `at`.
fn number(bytes: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes(bytes[at..at + 4].try_into().expect("4 bytes"))
}

/// The error number in the reply to a request that changes something.
fn told(kind: u16, name: &str, driver: &str, priority: Option<u32>) -> i32 {
    let answer = answer(kind, name, driver, priority);
    assert_eq!(answer[4..6], 2_u16.to_ne_bytes(), "NLMSG_ERROR");
    number(&answer, 16) as i32
}

fn priority(driver: &str) -> u32 {
    number(&answer(GETALG, "", driver, None), 228)
}

/// The behaviour of the kernel's `crypto_add_alg`, `crypto_del_alg` and `crypto_update_alg`.
#[test]
fn changes() {
    let [newalg, delalg, updatealg, delrng] = [0x10, 0x11, 0x12, 0x14];
    let [enoent, ebusy, eexist, einval] = [-2, -16, -17, -22];
    let driver = "hmac(rmd160-generic)";
    assert_eq!(told(delalg, "", driver, None), enoent, "it is not there");
    assert_eq!(told(updatealg, "", driver, Some(7)), enoent);
    assert_eq!(told(newalg, "", driver, Some(77)), 0);
    assert_eq!(told(newalg, "", driver, None), eexist);
    assert_eq!(priority(driver), 77);
    assert_eq!(told(updatealg, "", driver, Some(78)), 0);
    assert_eq!(priority(driver), 78);

    let mut user = alg::Socket::new(libc::SOCK_SEQPACKET, 0).expect("a socket");
    let mut address = vec![0; 88];
    address[..2].copy_from_slice(&(libc::AF_ALG as u16).to_ne_bytes());
    address[2..6].copy_from_slice(b"hash");
    address[24..24 + driver.len()].copy_from_slice(driver.as_bytes());
    assert_eq!(user.bind(&address), Ok::<_, Errno>(()));
    assert_eq!(told(delalg, "", driver, None), ebusy);
    drop(user);
    assert_eq!(told(delalg, "", driver, None), 0);
    assert_eq!(told(delalg, "", driver, None), enoent);

    assert_eq!(told(delalg, "", "sha256-generic", None), einval, "it is no instance of a template");
    assert_eq!(told(delalg, "hmac(rmd160)", "", None), enoent, "only by the driver's name");
    assert_eq!(told(newalg, "hmac(rmd160)", "", Some(1)), einval, "a priority is of a driver");
    assert_eq!(told(newalg, "", "pcrypt(authenc(hmac(sha256-generic),cbc(aes-generic)))", None), enoent);
    assert_eq!(told(delrng, "", "", None), 0);
}
