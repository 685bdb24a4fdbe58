//! Measures the cost of a request in this crate, without a front end: `send` and `recv`, per operation.
//!
//! ```text
//! cargo run --release -p algkit-afalg --example op_cost
//! ```

use algkit::WeakKeys;
use algkit_afalg::{
    Errno, File, Message, abi,
    alg::{NoKeyring, Socket},
};
use std::{
    hint::black_box,
    io::{IoSlice, IoSliceMut},
    time::Instant,
};

/// Encodes a `sockaddr_alg`.
fn address(kind: &str, name: &str) -> Vec<u8> {
    let mut bytes = vec![0; 88];
    bytes[..2].copy_from_slice(&38u16.to_ne_bytes());
    bytes[2..2 + kind.len()].copy_from_slice(kind.as_bytes());
    bytes[24..24 + name.len()].copy_from_slice(name.as_bytes());
    bytes
}

fn control_message(buffer: &mut Vec<u8>, kind: i32, data: &[&[u8]]) {
    let data = data.concat();
    buffer.extend((16 + data.len()).to_ne_bytes());
    buffer.extend(abi::SOL_ALG.to_ne_bytes());
    buffer.extend(kind.to_ne_bytes());
    buffer.extend(&data);
    buffer.resize(buffer.len().next_multiple_of(8), 0);
}

fn measure(what: &str, mut operation: impl FnMut()) {
    let mut best = f64::MAX;
    for _ in 0..50 {
        const ROUNDS: u32 = 2000;
        let start = Instant::now();
        (0..ROUNDS).for_each(|_| operation());
        best = best.min(start.elapsed().as_nanos() as f64 / f64::from(ROUNDS));
    }
    println!("{what:<48} {best:10.1} ns");
}

fn operation(kind: &str, name: &str, key: &[u8]) -> Result<File, Errno> {
    let mut socket = Socket::new(libc::SOCK_SEQPACKET, 0)?;
    socket.bind(&address(kind, name))?;
    if !key.is_empty() {
        socket.set_option(abi::SOL_ALG, abi::ALG_SET_KEY, key, &NoKeyring)?;
    }
    socket.accept().map(File::Alg)
}

fn main() -> Result<(), Errno> {
    for (kind, name, key_len, iv_len, tag_len) in [
        ("skcipher", "cbc(aes)", 16, 16, 0),
        ("skcipher", "xts(aes)", 32, 16, 0),
        ("skcipher", "xts(aes)", 64, 16, 0),
        ("aead", "gcm(aes)", 16, 12, 16),
        ("hash", "sha256", 0, 0, 0),
        ("hash", "hmac(sha256)", 32, 0, 0),
    ] {
        let mut file = operation(kind, name, &vec![7; key_len])?;
        let mut control = Vec::new();
        control_message(&mut control, abi::ALG_SET_OP, &[&abi::ALG_OP_ENCRYPT.to_ne_bytes()]);
        control_message(&mut control, abi::ALG_SET_IV, &[&(iv_len as u32).to_ne_bytes(), &vec![1; iv_len]]);
        if kind == "hash" {
            control.clear();
        }
        for size in [16, 4096, 65536] {
            let (text, mut out) = (vec![3; size], vec![0; if kind == "hash" { 32 } else { size + tag_len }]);
            if kind == "skcipher" {
                let tfm = algkit::skcipher(name).and_then(|driver| driver.key_with(&vec![7; key_len], WeakKeys::Allow));
                let tfm = tfm.map_err(|_| Errno::INVAL)?;
                let (mut iv, mut text) = (vec![1; iv_len], text.clone());
                measure(&format!("{name}, {key_len}-byte key, {size} bytes, crypt alone"), || {
                    assert!(tfm.encrypt(black_box(&mut iv), black_box(&mut text[..])).is_ok());
                });
            }
            measure(&format!("{name}, {key_len}-byte key, {size} bytes"), || {
                let message = Message { data: &[IoSlice::new(&text)], control: &control, flags: 0, fault: false };
                assert_eq!(file.send(black_box(&message)), Ok(size));
                let got = file.recv(&mut [IoSliceMut::new(black_box(&mut out))], 0).map(|r| r.len);
                assert_eq!(got, Ok(out.len()));
            });
        }
    }
    Ok(())
}
