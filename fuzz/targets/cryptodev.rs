//! `/dev/crypto`: any `ioctl` on any memory returns an answer or an errno. Only memory that the request points to is
//! written, and only within the limits that the request sets.
#![no_main]

use algkit_afalg::{
    Errno, Memory,
    cryptodev::{Answer, Device},
};
use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use std::cell::RefCell;

/// The largest number of calls in a run.
const MAX_CALLS: usize = 16;

const BASE: u64 = 0x10_0000;

/// The size of the client's memory in bytes.
const SIZE: usize = 1 << 14;

const CRIOGET: u32 = 0xc004_6365;
const CIOCGSESSION: u32 = 0xc030_6366;
const CIOCFSESSION: u32 = 0x4004_6367;
const CIOCCRYPT: u32 = 0xc030_6368;
const CIOCASYMFEAT: u32 = 0x8004_636a;
const CIOCGSESSINFO: u32 = 0xc10c_636b;
const CIOCAUTHCRYPT: u32 = 0xc048_636d;
const CIOCASYNCCRYPT: u32 = 0x4030_636e;
const CIOCASYNCFETCH: u32 = 0x8030_636f;
const CIOCCPHASH: u32 = 0x4008_6370;

/// The numbers of ciphers and hashes, and the lengths of their keys in bytes.
const CIPHERS: &[(u32, u32)] = &[
    (0, 0),
    (11, 16),
    (21, 24),
    (22, 64),
    (23, 32),
    (50, 16),
    (50, 32),
    (16, 0),
    (2, 24),
    (3, 16),
    (101, 32),
    (108, 16),
];
const HASHES: &[(u32, u32)] = &[(0, 0), (18, 20), (7, 64), (6, 1), (104, 0), (14, 0), (107, 512), (9, 16)];

#[derive(Arbitrary, Debug)]
enum Call {
    Session { cipher: u8, hash: u8, change: Option<Change> },
    End { session: u8 },
    Info { session: u8, change: Option<Change> },
    Crypt { how: Crypt, change: Option<Change>, asynchronous: bool },
    Auth { how: Auth, change: Option<Change> },
    Fetch { at: Place },
    CopyHash { to: u8, from: u8 },
    Clone { swap: bool },
    Features { at: Place },
    Fill { at: Place, bytes: [u8; 8] },
    Raw { request: u32, at: Place, structure: Vec<u8> },
    Numbered { request: u8, at: Place, structure: Vec<u8> },
}

/// A change of one byte of a structure.
#[derive(Arbitrary, Debug)]
struct Change {
    at: u8,
    xor: u8,
}

/// An address inside the client's memory, at its end, or anywhere.
#[derive(Arbitrary, Debug)]
enum Place {
    Inside(u16),
    End(u8),
    Anywhere(u64),
}

impl Place {
    fn address(&self) -> u64 {
        match *self {
            Self::Inside(n) => BASE + u64::from(n) % SIZE as u64,
            Self::End(n) => BASE + SIZE as u64 - u64::from(n),
            Self::Anywhere(address) => address,
        }
    }
}

#[derive(Arbitrary, Debug)]
struct Crypt {
    session: u8,
    decrypt: bool,
    flags: u8,
    len: u16,
    blocks: bool,
    src: Place,
    dst: Option<Place>,
    mac: Place,
    iv: Option<Place>,
}

#[derive(Arbitrary, Debug)]
struct Auth {
    session: u8,
    decrypt: bool,
    flags: u8,
    len: u16,
    auth_len: u16,
    auth_src: Place,
    /// For SRTP, the distance in bytes from the associated data to the text.
    header: Option<u8>,
    src: Place,
    dst: Option<Place>,
    tag: Place,
    tag_len: u8,
    iv: Option<Place>,
}

struct Space(Box<[u8; SIZE]>);

impl Space {
    fn at(&self, address: u64, len: usize) -> Result<usize, Errno> {
        let at = address.checked_sub(BASE).filter(|&at| at <= SIZE as u64).ok_or(Errno::FAULT)? as usize;
        if len <= SIZE - at { Ok(at) } else { Err(Errno::FAULT) }
    }
}

impl Memory for Space {
    fn read(&self, address: u64, into: &mut [u8]) -> Result<(), Errno> {
        assert!(into.len() <= 1 << 26, "allocated without a limit");
        let at = self.at(address, into.len())?;
        into.copy_from_slice(&self.0[at..at + into.len()]);
        Ok(())
    }

    fn write(&mut self, address: u64, from: &[u8]) -> Result<(), Errno> {
        let at = self.at(address, from.len())?;
        self.0[at..at + from.len()].copy_from_slice(from);
        Ok(())
    }
}

struct Client {
    devices: [Device; 2],
    sessions: Vec<u32>,
}

thread_local! {
    static SPACE: RefCell<Space> = RefCell::new(Space(Box::new([0; SIZE])));
}

fuzz_target!(|calls: Vec<Call>| {
    SPACE.with_borrow_mut(|space| {
        space.0.fill(0x5a);
        let mut client = Client { devices: [Device::new(), Device::new()], sessions: Vec::new() };
        for call in calls.iter().take(MAX_CALLS) {
            client.step(call, space);
        }
    });
});

/// The address of the structures.
const ARGUMENT: u64 = BASE;

impl Client {
    /// The number of a session, or one that does not exist.
    fn session(&self, n: u8) -> u32 {
        self.sessions.get(usize::from(n % 8)).copied().unwrap_or(n.into())
    }

    fn ioctl(
        &mut self,
        space: &mut Space,
        request: u32,
        structure: &[u8],
        change: &Option<Change>,
    ) -> Result<(), Errno> {
        let mut structure = structure.to_vec();
        if let Some(Change { at, xor }) = change {
            let at = usize::from(*at) % structure.len();
            structure[at] ^= xor;
        }
        space.write(ARGUMENT, &structure)?;
        self.call(space, request, ARGUMENT)
    }

    fn call(&mut self, space: &mut Space, request: u32, at: u64) -> Result<(), Errno> {
        let answer = self.devices[0].ioctl(request, at, space)?;
        assert!(matches!(answer, Answer::Done) || request == CRIOGET);
        Ok(())
    }

    fn step(&mut self, call: &Call, space: &mut Space) {
        match call {
            Call::Session { cipher, hash, change } => self.begin(space, *cipher, *hash, change),
            Call::End { session } => {
                let number = self.session(*session);
                assert_eq!(self.ioctl(space, CIOCFSESSION, &number.to_ne_bytes(), &None), Ok(()));
                self.sessions.retain(|&n| n != number);
            }
            Call::Info { session, change } => {
                let mut structure = [0; 268];
                structure[..4].copy_from_slice(&self.session(*session).to_ne_bytes());
                let _ = self.ioctl(space, CIOCGSESSINFO, &structure, change);
            }
            Call::Crypt { how, change, asynchronous } => {
                let request = if *asynchronous { CIOCASYNCCRYPT } else { CIOCCRYPT };
                let structure = self.crypt_op(how);
                let _ = self.ioctl(space, request, &structure, change);
            }
            Call::Auth { how, change } => {
                let structure = self.auth_op(how);
                let _ = self.ioctl(space, CIOCAUTHCRYPT, &structure, change);
            }
            Call::Fetch { at } => {
                let ready = self.devices[0].readiness().readable;
                let got = self.call(space, CIOCASYNCFETCH, at.address());
                assert!(ready != (got == Err(Errno::BUSY)));
            }
            Call::CopyHash { to, from } => {
                let structure = [self.session(*to).to_ne_bytes(), self.session(*from).to_ne_bytes()].concat();
                let _ = self.ioctl(space, CIOCCPHASH, &structure, &None);
            }
            Call::Clone { swap } => {
                assert!(matches!(self.devices[0].ioctl(CRIOGET, BASE, space), Ok(Answer::Duplicate(BASE))));
                if *swap {
                    self.devices.swap(0, 1);
                }
            }
            Call::Features { at } => drop(self.call(space, CIOCASYMFEAT, at.address())),
            Call::Fill { at, bytes } => drop(space.write(at.address(), bytes)),
            Call::Raw { request, at, structure } => {
                let _ = space.write(at.address(), structure);
                let _ = self.call(space, *request, at.address());
            }
            Call::Numbered { request, at, structure } => {
                const REQUESTS: [u32; 9] = [
                    CIOCGSESSION,
                    CIOCFSESSION,
                    CIOCCRYPT,
                    CIOCASYMFEAT,
                    CIOCGSESSINFO,
                    CIOCAUTHCRYPT,
                    CIOCASYNCCRYPT,
                    CIOCASYNCFETCH,
                    CIOCCPHASH,
                ];
                let _ = space.write(at.address(), structure);
                let _ = self.call(space, REQUESTS[usize::from(*request) % REQUESTS.len()], at.address());
            }
        }
    }

    fn begin(&mut self, space: &mut Space, cipher: u8, hash: u8, change: &Option<Change>) {
        let (cipher, key_len) = CIPHERS[usize::from(cipher) % CIPHERS.len()];
        let (hash, mac_key_len) = HASHES[usize::from(hash) % HASHES.len()];
        let mut structure = Vec::with_capacity(48);
        for n in [cipher, hash, key_len, 0] {
            structure.extend(n.to_ne_bytes());
        }
        structure.extend((BASE + 0x100).to_ne_bytes());
        structure.extend(u64::from(mac_key_len).to_ne_bytes());
        structure.extend((BASE + 0x200).to_ne_bytes());
        structure.extend([0; 8]);
        if self.ioctl(space, CIOCGSESSION, &structure, change).is_ok() {
            let number = space.0[40..44].try_into().expect("four bytes");
            self.sessions.push(u32::from_ne_bytes(number));
        }
    }

    fn crypt_op(&self, how: &Crypt) -> Vec<u8> {
        let len = if how.blocks { (how.len % 600) & !15 } else { how.len % 9000 };
        let mut structure = self.session(how.session).to_ne_bytes().to_vec();
        structure.extend(u16::from(how.decrypt).to_ne_bytes());
        structure.extend(u16::from(how.flags).to_ne_bytes());
        structure.extend(u64::from(len).to_ne_bytes());
        let dst = how.dst.as_ref().unwrap_or(&how.src);
        for address in [how.src.address(), dst.address(), how.mac.address()] {
            structure.extend(address.to_ne_bytes());
        }
        structure.extend(how.iv.as_ref().map_or(0, Place::address).to_ne_bytes());
        structure
    }

    fn auth_op(&self, how: &Auth) -> Vec<u8> {
        let auth_src = how.auth_src.address();
        let src = how.header.map_or(how.src.address(), |n| auth_src.wrapping_add(n.into()));
        let dst = how.dst.as_ref().map_or(src, Place::address);
        let mut structure = self.session(how.session).to_ne_bytes().to_vec();
        structure.extend(u16::from(how.decrypt).to_ne_bytes());
        structure.extend(u16::from(how.flags).to_ne_bytes());
        structure.extend(u32::from(how.len % 2000).to_ne_bytes());
        structure.extend(u32::from(how.auth_len % 5000).to_ne_bytes());
        for address in [auth_src, src, dst, how.tag.address()] {
            structure.extend(address.to_ne_bytes());
        }
        structure.extend(u64::from(how.tag_len).to_ne_bytes());
        structure.extend(how.iv.as_ref().map_or(0, Place::address).to_ne_bytes());
        structure.extend([0; 8]);
        structure
    }
}
