//! AF_ALG: a bound socket with a key is a transform. Each request uses its own socket, accepted from the
//! transform's.

use crate::{
    HostTransform, MAX_TEXT, aead::HostAead, cipher::HostCipher, driver as host_driver, hash::HostHash,
    listing::Listed, own,
};
use algkit::{Direction, Driver, Registry, Type};
use nix::sys::socket::{
    AddressFamily, AlgAddr, ControlMessage, MsgFlags, SockFlag, SockType, bind, recv, sendmsg, setsockopt, socket,
    sockopt::{AlgSetAeadAuthSize, AlgSetKey},
};
use rustix::net::{SocketFlags, accept_with};
use std::{
    collections::HashMap,
    io::{self, IoSlice},
    os::fd::{AsRawFd, OwnedFd},
    sync::{Arc, Mutex, PoisonError},
};
use zeroize::Zeroizing;

/// The longest name in a `sockaddr_alg` in bytes, without the terminating zero.
const MAX_NAME: usize = 63;

/// More of the message follows. `nix` does not define this flag.
const MORE: MsgFlags = MsgFlags::from_bits_retain(libc::MSG_MORE);

/// Whether the host supports AF_ALG.
pub(crate) fn is_available() -> bool {
    new_socket().is_ok()
}

/// Makes the kernel instantiate or load the algorithm or driver `name`.
pub(crate) fn instantiate(kind: Type, name: &str) -> io::Result<()> {
    Transform::bind(kind, name).map(drop)
}

/// The driver for one that the host lists, if this library has the algorithm.
pub(crate) fn driver(registry: &Registry, listed: &Listed) -> Option<Driver> {
    let own = own(registry, listed.kind, &listed.name)?;
    if listed.driver.len() > MAX_NAME {
        return None;
    }
    let (kind, name, digest_size) = (listed.kind, listed.driver.clone(), own.shape.digestsize);
    let optional_key = own.shape.optional_key;
    let key = move |key: &[u8]| {
        // An algorithm without a key does not accept an empty one.
        let key = Some(key).filter(|key| !key.is_empty() || !optional_key);
        Ok(match kind {
            Type::Skcipher => HostTransform::Cipher(Box::new(Transform::keyed(kind, &name, key)?)),
            Type::Hash => HostTransform::Hash(Box::new(HashTransform {
                transform: Transform::keyed(kind, &name, key)?,
                digest_size,
            })),
            Type::Aead => HostTransform::Aead(Box::new(AeadTransform::keyed(&name, key.unwrap_or_default())?)),
            _ => return Err(io::ErrorKind::Unsupported.into()),
        })
    };
    Some(host_driver(own, format!("afalg:{}", listed.driver), listed.priority, key))
}

fn new_socket() -> io::Result<OwnedFd> {
    Ok(socket(AddressFamily::Alg, SockType::SeqPacket, SockFlag::SOCK_CLOEXEC, None)?)
}

/// A transform, which is a bound socket.
struct Transform(OwnedFd);

impl Transform {
    fn bind(kind: Type, name: &str) -> io::Result<Self> {
        if name.len() > MAX_NAME {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let socket = new_socket()?;
        bind(socket.as_raw_fd(), &AlgAddr::new(&kind.to_string(), name))?;
        Ok(Self(socket))
    }

    fn keyed(kind: Type, name: &str, key: Option<&[u8]>) -> io::Result<Self> {
        let transform = Self::bind(kind, name)?;
        if let Some(key) = key {
            setsockopt(&transform.0, AlgSetKey::default(), &key)?;
        }
        Ok(transform)
    }

    /// Opens a request.
    fn open(&self) -> io::Result<Request> {
        Ok(Request(accept_with(&self.0, SocketFlags::CLOEXEC)?))
    }
}

/// A request, which is a socket accepted from a transform's.
struct Request(OwnedFd);

impl Request {
    /// Sends all of `data` without waiting; an error if that is not possible.
    fn send(&self, data: &[&[u8]], control: &[ControlMessage<'_>], flags: MsgFlags) -> io::Result<()> {
        let pieces: Vec<_> = data.iter().map(|piece| IoSlice::new(piece)).collect();
        let len = data.iter().map(|piece| piece.len()).sum::<usize>();
        let flags = flags | MsgFlags::MSG_DONTWAIT;
        let sent = sendmsg::<()>(self.0.as_raw_fd(), &pieces, control, flags, None)?;
        if sent == len { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
    }

    /// Fills `into`; an error if there are fewer bytes. An empty `into` is refused, because the kernel would report
    /// success without doing anything.
    fn receive(&self, into: &mut [u8]) -> io::Result<()> {
        if into.is_empty() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let received = recv(self.0.as_raw_fd(), into, MsgFlags::empty())?;
        if received == into.len() { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }
}

/// The value of the control message that selects the direction.
fn operation(direction: Direction) -> &'static i32 {
    match direction {
        Direction::Encrypt => &libc::ALG_OP_ENCRYPT,
        Direction::Decrypt => &libc::ALG_OP_DECRYPT,
    }
}

impl HostCipher for Transform {
    fn crypt(&self, direction: Direction, iv: &[u8], src: &[u8], dst: &mut [u8]) -> io::Result<()> {
        let request = self.open()?;
        let control = [ControlMessage::AlgSetOp(operation(direction)), ControlMessage::AlgSetIv(iv)];
        let control = &control[..if iv.is_empty() { 1 } else { 2 }];
        request.send(&[src], control, MsgFlags::empty())?;
        request.receive(dst)
    }
}

/// A keyed hash.
struct HashTransform {
    transform: Transform,
    digest_size: usize,
}

impl HostHash for HashTransform {
    fn digest(&self, parts: &[&[u8]], out: &mut [u8]) -> io::Result<()> {
        if out.len() != self.digest_size {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let request = self.transform.open()?;
        for piece in parts.iter().flat_map(|part| part.chunks(MAX_TEXT)) {
            request.send(&[piece], &[], MORE)?;
        }
        request.receive(out) // which also ends the message
    }
}

/// An AEAD. A kernel transform has a single tag length, so there is one transform per length.
struct AeadTransform {
    name: String,
    key: Zeroizing<Vec<u8>>,
    by_tag: Mutex<HashMap<usize, Arc<Transform>>>,
}

impl AeadTransform {
    fn keyed(name: &str, key: &[u8]) -> io::Result<Self> {
        Transform::keyed(Type::Aead, name, Some(key))?; // checks that the kernel accepts the key
        Ok(Self { name: name.to_owned(), key: key.to_vec().into(), by_tag: Mutex::default() })
    }

    /// Opens a request with this tag length.
    fn open(&self, tag_len: usize) -> io::Result<Request> {
        let mut by_tag = self.by_tag.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(transform) = by_tag.get(&tag_len) {
            let transform = transform.clone();
            drop(by_tag);
            return transform.open();
        }
        let transform = Transform::keyed(Type::Aead, &self.name, Some(&self.key))?;
        setsockopt(&transform.0, AlgSetAeadAuthSize, &tag_len)?;
        let request = transform.open();
        by_tag.insert(tag_len, Arc::new(transform));
        request
    }

    /// Sends the associated data and `data`, and fills `out` with the result, which begins with the associated
    /// data.
    fn pass(
        &self,
        direction: Direction,
        iv: &[u8],
        assoc: &[u8],
        data: &[&[u8]],
        tag_len: usize,
        out: &mut [u8],
    ) -> io::Result<()> {
        let request = self.open(tag_len)?;
        let assoc_len = assoc.len() as u32;
        let control = [
            ControlMessage::AlgSetOp(operation(direction)),
            ControlMessage::AlgSetAeadAssoclen(&assoc_len),
            ControlMessage::AlgSetIv(iv),
        ];
        request.send(&[&[assoc], data].concat(), &control, MsgFlags::empty())?;
        request.receive(out)
    }
}

impl HostAead for AeadTransform {
    fn seal(&self, iv: &[u8], assoc: &[u8], src: &[u8], dst: &mut [u8], tag: &mut [u8]) -> io::Result<()> {
        let mut out = vec![0; assoc.len() + src.len() + tag.len()];
        self.pass(Direction::Encrypt, iv, assoc, &[src], tag.len(), &mut out)?;
        let (text, out_tag) = out[assoc.len()..].split_at(src.len());
        dst.copy_from_slice(text);
        tag.copy_from_slice(out_tag);
        Ok(())
    }

    fn open(&self, iv: &[u8], assoc: &[u8], src: &[u8], dst: &mut [u8], tag: &[u8]) -> io::Result<bool> {
        let mut out = Zeroizing::new(vec![0; assoc.len() + src.len()]);
        match self.pass(Direction::Decrypt, iv, assoc, &[src, tag], tag.len(), &mut out) {
            Err(error) if error.raw_os_error() == Some(libc::EBADMSG) => return Ok(false),
            other => other?,
        }
        dst.copy_from_slice(&out[assoc.len()..]);
        Ok(true)
    }
}
