//! A client of AF_ALG sockets.
#![allow(dead_code)]

use algkit_afalg::{
    Errno, Message, Received, abi,
    alg::{NoKeyring, Socket},
};
use std::io::{IoSlice, IoSliceMut};

pub const ENCRYPT: u32 = abi::ALG_OP_ENCRYPT;
pub const DECRYPT: u32 = abi::ALG_OP_DECRYPT;
pub const MORE: i32 = libc::MSG_MORE;

/// Encodes a `sockaddr_alg`.
pub fn address(kind: &str, name: &str) -> Vec<u8> {
    let mut bytes = vec![0; 88];
    bytes[..2].copy_from_slice(&(libc::AF_ALG as u16).to_ne_bytes());
    bytes[2..2 + kind.len()].copy_from_slice(kind.as_bytes());
    bytes[24..24 + name.len()].copy_from_slice(name.as_bytes());
    bytes
}

/// A bound socket.
pub fn bound(kind: &str, name: &str) -> Socket {
    let mut socket = Socket::new(libc::SOCK_SEQPACKET, 0).unwrap();
    socket.bind(&address(kind, name)).unwrap();
    socket
}

/// A bound socket with a key.
pub fn keyed(kind: &str, name: &str, key: &[u8]) -> Socket {
    let mut socket = bound(kind, name);
    set_key(&mut socket, key).unwrap();
    socket
}

/// A keyed operation socket.
pub fn operation(kind: &str, name: &str, key: &[u8]) -> Socket {
    keyed(kind, name, key).accept().unwrap()
}

pub fn set_key(socket: &mut Socket, key: &[u8]) -> Result<(), Errno> {
    set_option(socket, abi::SOL_ALG, abi::ALG_SET_KEY, key)
}

pub fn set_tag_len(socket: &mut Socket, len: usize) -> Result<(), Errno> {
    set_option(socket, abi::SOL_ALG, abi::ALG_SET_AEAD_AUTHSIZE, &vec![0; len])
}

pub fn set_option(socket: &mut Socket, level: i32, name: i32, value: &[u8]) -> Result<(), Errno> {
    socket.set_option(level, name, value, &NoKeyring)
}

/// A buffer of control messages.
#[derive(Clone, Default)]
pub struct Control(pub Vec<u8>);

impl Control {
    pub fn op(op: u32) -> Self {
        Self::default().with(abi::SOL_ALG, abi::ALG_SET_OP, &op.to_ne_bytes())
    }

    pub fn iv(self, iv: &[u8]) -> Self {
        let data = [&(iv.len() as u32).to_ne_bytes(), iv].concat();
        self.with(abi::SOL_ALG, abi::ALG_SET_IV, &data)
    }

    pub fn assoc_len(self, len: u32) -> Self {
        self.with(abi::SOL_ALG, abi::ALG_SET_AEAD_ASSOCLEN, &len.to_ne_bytes())
    }

    pub fn with(mut self, level: i32, kind: i32, data: &[u8]) -> Self {
        let header = size_of::<usize>() + 8;
        self.0.extend((header + data.len()).to_ne_bytes());
        self.0.extend(level.to_ne_bytes());
        self.0.extend(kind.to_ne_bytes());
        self.0.extend(data);
        self.0.resize(self.0.len().next_multiple_of(size_of::<usize>()), 0);
        self
    }
}

pub fn send_with(socket: &mut Socket, control: &Control, data: &[&[u8]], flags: i32) -> Result<usize, Errno> {
    let data: Vec<_> = data.iter().map(|piece| IoSlice::new(piece)).collect();
    socket.send(&Message { data: &data, control: &control.0, flags, fault: false })
}

pub fn send(socket: &mut Socket, data: &[u8], flags: i32) -> Result<usize, Errno> {
    send_with(socket, &Control::default(), &[data], flags)
}

/// Receives into one buffer of `room` bytes.
pub fn recv(socket: &mut Socket, room: usize) -> Result<Vec<u8>, Errno> {
    recv_flags(socket, room).map(|(data, _)| data)
}

pub fn recv_flags(socket: &mut Socket, room: usize) -> Result<(Vec<u8>, i32), Errno> {
    let mut data = vec![0xee; room];
    let Received { len, flags, .. } = socket.recv(&mut [IoSliceMut::new(&mut data)], 0)?;
    assert!(data[len..].iter().all(|&b| b == 0xee), "written past what was received");
    data.truncate(len);
    Ok((data, flags))
}

/// Receives into several buffers; returns their contents, concatenated.
pub fn recv_pieces(socket: &mut Socket, room: &[usize]) -> Result<Vec<u8>, Errno> {
    let mut pieces: Vec<_> = room.iter().map(|&n| vec![0xee; n]).collect();
    let mut into: Vec<_> = pieces.iter_mut().map(|piece| IoSliceMut::new(piece)).collect();
    let Received { len, .. } = socket.recv(&mut into[..], 0)?;
    let mut data = pieces.concat();
    data.truncate(len);
    Ok(data)
}
