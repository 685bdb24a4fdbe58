//! Tests with the layouts of `crypto/cryptodev.h` on 64-bit machines and test vectors of the standards.

use super::{Answer, Device};
use crate::{Errno, Memory};

const CRIOGET: u32 = 0xc004_6365;
const CIOCGSESSION: u32 = 0xc030_6366;
const CIOCFSESSION: u32 = one_way(0x4004_6367);
const CIOCCRYPT: u32 = 0xc030_6368;
const CIOCKEY: u32 = 0xc090_6369;
const CIOCASYMFEAT: u32 = one_way(0x8004_636a);
const CIOCGSESSINFO: u32 = 0xc10c_636b;
const CIOCAUTHCRYPT: u32 = 0xc048_636d;
const CIOCASYNCCRYPT: u32 = one_way(0x4030_636e);
const CIOCASYNCFETCH: u32 = one_way(0x8030_636f);
const CIOCCPHASH: u32 = one_way(0x4008_6370);

/// The number of a request that copies in one direction. PowerPC has the bits of the two directions exchanged.
const fn one_way(request: u32) -> u32 {
    if cfg!(target_arch = "powerpc64") { request ^ 0xc000_0000 } else { request }
}

const AES_CBC: u32 = 11;
const NULL: u32 = 16;
const SHA256_HMAC: u32 = 18;
const AES_CTR: u32 = 21;
const AES_XTS: u32 = 22;
const AES_GCM: u32 = 50;
const SHA256: u32 = 104;

const ENCRYPT: u16 = 0;
const DECRYPT: u16 = 1;
const UPDATE: u16 = 1;
const FINAL: u16 = 2;
const WRITE_IV: u16 = 4;
const NO_ZC: u16 = 8;
const TLS: u16 = 16;
const SRTP: u16 = 32;
const RESET: u16 = 64;

/// A client's memory that begins at `BASE`. Other addresses are not accessible.
struct Space(Vec<u8>);

const BASE: u64 = 0x7f00_0000_0000;
/// Addresses in it: the structure, a key, a MAC key, an IV, sources and destinations.
const ARG: u64 = BASE;
const KEY: u64 = BASE + 0x200;
const MAC_KEY: u64 = BASE + 0x300;
const IV: u64 = BASE + 0x600;
const MAC: u64 = BASE + 0x700;
const AUTH: u64 = BASE + 0x800;
const SRC: u64 = BASE + 0x2000;
const DST: u64 = BASE + 0x8000;
const SIZE: usize = 0xe000;
const NOWHERE: u64 = 0x1000;

impl Space {
    fn at(&self, address: u64, len: usize) -> Result<usize, Errno> {
        let at = address.checked_sub(BASE).ok_or(Errno::FAULT)? as usize;
        if at.checked_add(len).is_some_and(|end| end <= self.0.len()) { Ok(at) } else { Err(Errno::FAULT) }
    }

    fn put(&mut self, address: u64, bytes: &[u8]) {
        self.write(address, bytes).unwrap();
    }

    fn get(&self, address: u64, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        self.read(address, &mut bytes).unwrap();
        bytes
    }

    fn get32(&self, address: u64) -> u32 {
        u32::from_ne_bytes(self.get(address, 4).try_into().unwrap())
    }
}

impl Memory for Space {
    fn read(&self, address: u64, into: &mut [u8]) -> Result<(), Errno> {
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

fn hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

/// A device and a client's memory.
struct Client {
    device: Device,
    space: Space,
}

/// The fields of a `crypt_op`.
struct Op {
    ses: u32,
    op: u16,
    flags: u16,
    len: u32,
    src: u64,
    dst: u64,
    mac: u64,
    iv: u64,
}

/// The fields of a `crypt_auth_op`.
#[derive(Clone, Copy)]
struct Auth {
    ses: u32,
    op: u16,
    flags: u16,
    len: u32,
    auth_len: u32,
    auth_src: u64,
    src: u64,
    dst: u64,
    tag: u64,
    tag_len: u32,
    iv: u64,
}

impl Op {
    fn new(ses: u32, op: u16, flags: u16, len: usize) -> Self {
        Self { ses, op, flags, len: len as u32, src: SRC, dst: DST, mac: MAC, iv: 0 }
    }

    fn bytes(&self) -> Vec<u8> {
        let Self { ses, op, flags, len, src, dst, mac, iv } = self;
        let mut bytes = ses.to_ne_bytes().to_vec();
        bytes.extend(op.to_ne_bytes());
        bytes.extend(flags.to_ne_bytes());
        bytes.extend(len.to_ne_bytes());
        bytes.extend([0; 4]);
        bytes.extend([src, dst, mac, iv].iter().flat_map(|address| address.to_ne_bytes()));
        bytes
    }
}

impl Auth {
    fn new(ses: u32, op: u16, flags: u16, len: usize) -> Self {
        Self {
            ses,
            op,
            flags,
            len: len as u32,
            auth_len: 0,
            auth_src: AUTH,
            src: SRC,
            dst: DST,
            tag: 0,
            tag_len: 0,
            iv: IV,
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let Self { ses, op, flags, len, auth_len, auth_src, src, dst, tag, tag_len, iv } = self;
        let mut bytes = ses.to_ne_bytes().to_vec();
        bytes.extend(op.to_ne_bytes());
        bytes.extend(flags.to_ne_bytes());
        bytes.extend([len, auth_len].iter().flat_map(|n| n.to_ne_bytes()));
        bytes.extend([auth_src, src, dst, tag].iter().flat_map(|address| address.to_ne_bytes()));
        bytes.extend(tag_len.to_ne_bytes());
        bytes.extend([0; 4]);
        bytes.extend(iv.to_ne_bytes());
        bytes.extend([0; 8]); // iv_len and padding
        bytes
    }
}

impl Client {
    fn new() -> Self {
        Self { device: Device::new(), space: Space(vec![0; SIZE]) }
    }

    fn ioctl(&mut self, request: u32, argument: &[u8]) -> Result<(), Errno> {
        self.space.put(ARG, argument);
        match self.device.ioctl(request, ARG, &mut self.space)? {
            Answer::Done => Ok(()),
            Answer::Duplicate(_) => panic!("a duplicate"),
        }
    }

    /// Encodes a `session_op` and stores its keys.
    fn session_op(&mut self, cipher: u32, key: &[u8], mac: u32, mac_key: &[u8]) -> Vec<u8> {
        self.space.put(KEY, key);
        self.space.put(MAC_KEY, mac_key);
        let mut bytes = Vec::new();
        bytes.extend(cipher.to_ne_bytes());
        bytes.extend(mac.to_ne_bytes());
        bytes.extend((key.len() as u32).to_ne_bytes());
        bytes.extend([0; 4]);
        bytes.extend(KEY.to_ne_bytes());
        bytes.extend((mac_key.len() as u32).to_ne_bytes());
        bytes.extend([0; 4]);
        bytes.extend(MAC_KEY.to_ne_bytes());
        bytes.extend([0xee; 8]);
        bytes
    }

    fn try_session(&mut self, cipher: u32, key: &[u8], mac: u32, mac_key: &[u8]) -> Result<u32, Errno> {
        let bytes = self.session_op(cipher, key, mac, mac_key);
        self.ioctl(CIOCGSESSION, &bytes)?;
        assert_eq!(self.space.get(ARG, 40), bytes[..40], "nothing but the number changes");
        Ok(self.space.get32(ARG + 40))
    }

    fn session(&mut self, cipher: u32, key: &[u8], mac: u32, mac_key: &[u8]) -> u32 {
        self.try_session(cipher, key, mac, mac_key).unwrap()
    }

    fn crypt(&mut self, op: &Op) -> Result<(), Errno> {
        self.ioctl(CIOCCRYPT, &op.bytes())
    }

    fn auth(&mut self, op: &Auth) -> Result<(), Errno> {
        self.ioctl(CIOCAUTHCRYPT, &op.bytes())
    }

    /// The digest of `data` at `MAC` after one operation with these flags.
    fn digest(&mut self, ses: u32, flags: u16, data: &[u8]) -> String {
        self.space.put(SRC, data);
        self.space.put(MAC, &[0; 64]);
        self.crypt(&Op::new(ses, ENCRYPT, flags, data.len())).unwrap();
        self.space.get(MAC, 32).iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

// SP 800-38A, F.2.1 and F.5.1.
const AES_KEY: &str = "2b7e151628aed2a6abf7158809cf4f3c";
const PLAIN: &str = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
                     30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710";
const CBC_IV: &str = "000102030405060708090a0b0c0d0e0f";
const CBC: &str = "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2\
                   73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7";
const CTR_IV: &str = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff";
const CTR: &str = "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff\
                   5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee";

const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

#[test]
fn cbc_both_ways() {
    let mut client = Client::new();
    let ses = client.session(AES_CBC, &hex(AES_KEY), 0, &[]);
    client.space.put(SRC, &hex(PLAIN));
    client.space.put(IV, &hex(CBC_IV));
    let op = Op { iv: IV, ..Op::new(ses, ENCRYPT, 0, 64) };
    client.crypt(&op).unwrap();
    assert_eq!(client.space.get(DST, 64), hex(CBC));
    assert_eq!(client.space.get(IV, 16), hex(CBC_IV), "the IV stays");
    assert_eq!(client.space.get(ARG, 48), op.bytes(), "so does the request");
    // Decrypts in place, and writes the chaining value.
    client.crypt(&Op { src: DST, iv: IV, ..Op::new(ses, DECRYPT, WRITE_IV, 64) }).unwrap();
    assert_eq!(client.space.get(DST, 64), hex(PLAIN));
    assert_eq!(client.space.get(IV, 16), hex(CBC)[48..]);
}

/// Without an IV, an operation continues from the previous one.
#[test]
fn chaining_from_call_to_call() {
    let mut client = Client::new();
    for (cipher, iv, want) in [(AES_CBC, CBC_IV, CBC), (AES_CTR, CTR_IV, CTR)] {
        let ses = client.session(cipher, &hex(AES_KEY), 0, &[]);
        client.space.put(SRC, &hex(PLAIN));
        client.space.put(IV, &hex(iv));
        client.crypt(&Op { iv: IV, ..Op::new(ses, ENCRYPT, 0, 16) }).unwrap();
        client.crypt(&Op { src: SRC + 16, dst: DST + 16, ..Op::new(ses, ENCRYPT, 0, 48) }).unwrap();
        assert_eq!(client.space.get(DST, 64), hex(want));
    }
}

#[test]
fn lengths_of_texts() {
    let mut client = Client::new();
    let cbc = client.session(AES_CBC, &hex(AES_KEY), 0, &[]);
    assert_eq!(client.crypt(&Op::new(cbc, ENCRYPT, 0, 17)), Err(Errno::INVAL));
    assert_eq!(client.crypt(&Op { src: NOWHERE, ..Op::new(cbc, ENCRYPT, 0, 0) }), Ok(()));
    let ctr = client.session(AES_CTR, &hex(AES_KEY), 0, &[]);
    client.space.put(SRC, &hex(PLAIN));
    client.space.put(IV, &hex(CTR_IV));
    client.crypt(&Op { iv: IV, ..Op::new(ctr, ENCRYPT, 0, 33) }).unwrap();
    assert_eq!(client.space.get(DST, 34), [&hex(CTR)[..33], &[0]].concat());
    let gcm = client.session(AES_GCM, &hex(AES_KEY), 0, &[]);
    assert_eq!(client.crypt(&Op::new(gcm, ENCRYPT, 0, 16)), Err(Errno::INVAL), "an AEAD wants CIOCAUTHCRYPT");
}

/// With `COP_FLAG_NO_ZC` every 4096 bytes are a separate request. XTS starts anew there; CBC continues.
#[test]
fn pages() {
    const LEN: usize = 4096 + 64;
    let mut client = Client::new();
    let text: Vec<u8> = (0..LEN).map(|i| (i % 4096 % 251) as u8).collect();
    let key: Vec<u8> = (0..64).collect();
    let mut run = |cipher, key: &[u8], flags| {
        let ses = client.session(cipher, key, 0, &[]);
        client.space.put(SRC, &text);
        client.space.put(IV, &[9; 16]);
        client.crypt(&Op { iv: IV, ..Op::new(ses, ENCRYPT, flags, LEN) }).unwrap();
        client.space.get(DST, LEN)
    };
    let (whole, cut) = (run(AES_XTS, &key, 0), run(AES_XTS, &key, NO_ZC));
    assert_eq!(whole[..4096], cut[..4096]);
    assert_ne!(whole[4096..], cut[4096..]);
    assert_eq!(cut[4096..], cut[..64]);
    assert_eq!(run(AES_CBC, &key[..16], 0), run(AES_CBC, &key[..16], NO_ZC));
}

#[test]
fn hashes() {
    let mut client = Client::new();
    let ses = client.session(0, &[], SHA256, &[]);
    assert_eq!(client.digest(ses, 0, b"abc"), ABC);
    assert_eq!(client.digest(ses, 0, b""), EMPTY);
    // In pieces. Nothing is written before the end, so bad addresses are not noticed.
    for piece in [&b"a"[..], b"b"] {
        client.space.put(SRC, piece);
        client.crypt(&Op { mac: NOWHERE, ..Op::new(ses, ENCRYPT, UPDATE, 1) }).unwrap();
    }
    assert_eq!(client.digest(ses, FINAL, b"c"), ABC);
    assert_eq!(client.digest(ses, FINAL, b""), EMPTY, "the next message");
    // A message is started and reset.
    client.crypt(&Op::new(ses, ENCRYPT, UPDATE, 7)).unwrap();
    client.space.put(SRC, b"ab");
    client.crypt(&Op::new(ses, ENCRYPT, UPDATE | RESET, 2)).unwrap();
    assert_eq!(client.digest(ses, UPDATE | FINAL, b"c"), ABC);
    // An update of 0 bytes also ends the message.
    client.space.put(SRC, b"abc");
    client.crypt(&Op::new(ses, ENCRYPT, UPDATE, 3)).unwrap();
    assert_eq!(client.digest(ses, UPDATE, b""), ABC);
    assert_eq!(client.crypt(&Op { mac: 0, ..Op::new(ses, ENCRYPT, 0, 3) }), Err(Errno::FAULT));
}

/// RFC 4231, test case 2.
#[test]
fn an_hmac() {
    let mut client = Client::new();
    let ses = client.session(0, &[], SHA256_HMAC, b"Jefe");
    let want = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
    assert_eq!(client.digest(ses, 0, b"what do ya want for nothing?"), want);
}

/// The plaintext is hashed in both directions of the cipher.
#[test]
fn a_hash_beside_a_cipher() {
    let mut client = Client::new();
    let ses = client.session(AES_CTR, &hex(AES_KEY), SHA256, &[]);
    client.space.put(IV, &hex(CTR_IV));
    client.space.put(SRC, b"abc");
    client.crypt(&Op { iv: IV, ..Op::new(ses, ENCRYPT, 0, 3) }).unwrap();
    assert_eq!(client.space.get(MAC, 32), hex(ABC));
    client.space.put(MAC, &[0; 32]);
    client.crypt(&Op { src: DST, dst: SRC, iv: IV, ..Op::new(ses, DECRYPT, 0, 3) }).unwrap();
    assert_eq!((client.space.get(SRC, 3), client.space.get(MAC, 32)), (b"abc".to_vec(), hex(ABC)));
}

#[test]
fn copies_of_hashes() {
    let mut client = Client::new();
    let a = client.session(0, &[], SHA256, &[]);
    let b = client.session(0, &[], SHA256, &[]);
    let other = client.session(0, &[], 14, &[]);
    let cipher = client.session(AES_CBC, &hex(AES_KEY), 0, &[]);
    client.space.put(SRC, b"ab");
    client.crypt(&Op::new(a, ENCRYPT, UPDATE, 2)).unwrap();
    let mut copy = |to: u32, from: u32| client.ioctl(CIOCCPHASH, &[to.to_ne_bytes(), from.to_ne_bytes()].concat());
    assert_eq!(copy(b, a), Ok(()));
    assert_eq!(copy(a, a), Err(Errno::DEADLK));
    assert_eq!(copy(other, a), Err(Errno::INVAL));
    assert_eq!(copy(cipher, a), Err(Errno::INVAL));
    let free = (1..).find(|n| ![a, b, other, cipher].contains(n)).unwrap();
    assert_eq!(copy(b, free), Err(Errno::NOENT));
    assert_eq!(copy(free, b), Err(Errno::NOENT));
    assert_eq!(client.digest(b, FINAL, b"c"), ABC);
    assert_eq!(client.digest(a, FINAL, b"c"), ABC);
}

#[test]
fn sessions_that_are_refused() {
    let mut client = Client::new();
    let key = [7; 64];
    for (cipher, key_len, mac, mac_key_len) in [
        (0, 0, 0, 0),
        (4, 16, 0, 0),    // CRYPTO_CAST_CBC
        (12, 16, 0, 0),   // CRYPTO_ARC4
        (108, 16, 7, 20), // CRYPTO_TLS11_AES_CBC_HMAC_SHA1, which no kernel implements
        (0xffff_ffff, 0, 0, 0),
        (0, 0, 9, 16), // CRYPTO_MD5_KPDK
        (AES_CBC, 15, 0, 0),
        (AES_CBC, 0, 0, 0),
        (AES_CBC, 16, 9, 0),
        (AES_XTS, 16, 0, 0),
        (AES_GCM, 17, 0, 0),
        (AES_GCM, 16, 0, 20), // two keys
        (NULL, 1, 0, 0),
    ] {
        let got = client.try_session(cipher, &key[..key_len], mac, &key[..mac_key_len]);
        assert_eq!(got, Err(Errno::INVAL), "{cipher} {key_len} {mac} {mac_key_len}");
    }
    let mut long = client.session_op(AES_CBC, &[], 0, &[]);
    long[8..12].copy_from_slice(&65u32.to_ne_bytes());
    assert_eq!(client.ioctl(CIOCGSESSION, &long), Err(Errno::INVAL));
    let mut long = client.session_op(0, &[], SHA256_HMAC, &[]);
    long[24..28].copy_from_slice(&513u32.to_ne_bytes());
    assert_eq!(client.ioctl(CIOCGSESSION, &long), Err(Errno::INVAL));
    let mut astray = client.session_op(AES_CBC, &[0; 16], 0, &[]);
    astray[16..24].copy_from_slice(&NOWHERE.to_ne_bytes());
    assert_eq!(client.ioctl(CIOCGSESSION, &astray), Err(Errno::FAULT));
    let mut astray = client.session_op(0, &[], SHA256_HMAC, &[0; 16]);
    astray[32..40].copy_from_slice(&NOWHERE.to_ne_bytes());
    assert_eq!(client.ioctl(CIOCGSESSION, &astray), Err(Errno::FAULT));
    assert!(client.device.ioctl(CIOCGSESSION, NOWHERE, &mut client.space).is_err_and(|e| e == Errno::FAULT));
}

/// All algorithms that cryptodev-linux serves: cipher number, key length in bytes, hash number.
#[test]
fn sessions_of_every_kind() {
    let mut client = Client::new();
    let key: Vec<u8> = (1..=64).collect();
    let ciphers = [(1, 8), (2, 24), (3, 16), (11, 16), (16, 0), (21, 24), (22, 64), (23, 32), (50, 16), (101, 32)];
    for (cipher, len) in ciphers {
        client.session(cipher, &key[..len], 0, &[]);
    }
    for mac in [6, 7, 8, 13, 14, 18, 19, 20, 102, 103, 104, 105, 106, 107] {
        client.session(0, &[], mac, &key);
    }
    client.session(0, &[], SHA256_HMAC, &[]); // an HMAC's key may be empty
}

#[test]
fn the_null_cipher() {
    let mut client = Client::new();
    let ses = client.session(NULL, &[], 0, &[]);
    client.space.put(SRC, b"as it is");
    client.crypt(&Op::new(ses, ENCRYPT, 0, 8)).unwrap();
    assert_eq!(client.space.get(DST, 8), b"as it is");
}

#[test]
fn requests_that_are_refused() {
    let mut client = Client::new();
    let ses = client.session(AES_CBC, &hex(AES_KEY), 0, &[]);
    assert_eq!(client.crypt(&Op::new(!ses, ENCRYPT, 0, 16)), Err(Errno::INVAL));
    assert_eq!(client.crypt(&Op::new(ses, 2, 0, 16)), Err(Errno::INVAL));
    assert_eq!(client.crypt(&Op { iv: NOWHERE, ..Op::new(ses, ENCRYPT, 0, 16) }), Err(Errno::FAULT));
    assert_eq!(client.crypt(&Op { src: NOWHERE, ..Op::new(ses, ENCRYPT, 0, 16) }), Err(Errno::FAULT));
    assert_eq!(client.crypt(&Op { dst: 0, ..Op::new(ses, ENCRYPT, 0, 16) }), Err(Errno::FAULT));
    assert_eq!(client.crypt(&Op { src: u64::MAX - 8, ..Op::new(ses, ENCRYPT, 0, 1 << 20) }), Err(Errno::FAULT));
    // A length beyond the client's memory fails at its end.
    assert_eq!(client.crypt(&Op::new(ses, ENCRYPT, 0, 0xffff_fff0)), Err(Errno::FAULT));
    let xts = client.session(AES_XTS, &[1; 64], 0, &[]);
    assert_eq!(client.crypt(&Op::new(xts, ENCRYPT, 0, 0xffff_fff0)), Err(Errno::INVAL));
    for request in [CIOCKEY, 0, 0x5401, 0xc040_636a, CIOCCRYPT ^ 1 << 16] {
        assert_eq!(client.ioctl(request, &[0; 144]), Err(Errno::INVAL), "{request:#x}");
    }
}

#[test]
fn the_end_of_a_session() {
    let mut client = Client::new();
    let ses = client.session(AES_CBC, &hex(AES_KEY), 0, &[]);
    assert_eq!(client.ioctl(CIOCFSESSION, &ses.to_ne_bytes()), Ok(()));
    assert_eq!(client.crypt(&Op::new(ses, ENCRYPT, 0, 16)), Err(Errno::INVAL));
    assert_eq!(client.ioctl(CIOCFSESSION, &ses.to_ne_bytes()), Ok(()), "the module does not mind");
    assert!(client.device.ioctl(CIOCFSESSION, NOWHERE, &mut client.space).is_err_and(|e| e == Errno::FAULT));
}

#[test]
fn information() {
    let mut client = Client::new();
    let ses = client.session(AES_CBC, &hex(AES_KEY), SHA256_HMAC, b"key");
    let mut bytes = vec![0xff; 268];
    bytes[..4].copy_from_slice(&ses.to_ne_bytes());
    client.ioctl(CIOCGSESSINFO, &bytes).unwrap();
    let got = client.space.get(ARG, 268);
    let name = |at: usize| String::from_utf8(got[at..at + 64].split(|&b| b == 0).next().unwrap().to_vec()).unwrap();
    assert_eq!((name(4), name(132)), ("cbc(aes)".into(), "hmac(sha256)".into()));
    assert!(name(68).contains("aes") && name(196).contains("sha256"));
    assert_eq!((&got[260..262], &got[264..268]), (&[0; 2][..], &[0; 4][..]));
    bytes[..4].copy_from_slice(&(!ses).to_ne_bytes());
    assert_eq!(client.ioctl(CIOCGSESSINFO, &bytes), Err(Errno::INVAL));
    let null = client.session(NULL, &[], 0, &[]);
    bytes[..4].copy_from_slice(&null.to_ne_bytes());
    client.ioctl(CIOCGSESSINFO, &bytes).unwrap();
    let got = client.space.get(ARG, 268);
    assert!(got[4..].starts_with(b"ecb(cipher_null)\0") && got[68..].starts_with(b"ecb-cipher_null\0"));
    assert!(got[132..260].iter().all(|&b| b == 0xff), "there is no hash");
}

#[test]
fn another_descriptor() {
    let mut client = Client::new();
    let answer = client.device.ioctl(CRIOGET, ARG, &mut client.space);
    assert!(matches!(answer, Ok(Answer::Duplicate(ARG))), "{answer:?}");
    client.ioctl(CIOCASYMFEAT, &[0xff; 4]).unwrap();
    assert_eq!(client.space.get32(ARG), 0);
}

#[test]
fn asynchronous_operations() {
    let mut client = Client::new();
    let ses = client.session(AES_CBC, &hex(AES_KEY), 0, &[]);
    assert_eq!(client.ioctl(CIOCASYNCFETCH, &[0; 48]), Err(Errno::BUSY));
    client.space.put(SRC, &hex(PLAIN));
    client.space.put(IV, &hex(CBC_IV));
    let op = Op { iv: IV, ..Op::new(ses, ENCRYPT, WRITE_IV, 64) };
    client.ioctl(CIOCASYNCCRYPT, &op.bytes()).unwrap();
    assert!(client.device.readiness().readable && client.device.readiness().writable);
    assert_eq!(client.ioctl(CIOCASYNCFETCH, &[0; 48]), Ok(()));
    assert_eq!(client.space.get(ARG, 48), op.bytes());
    assert_eq!((client.space.get(DST, 64), client.space.get(IV, 16)), (hex(CBC), hex(CBC)[48..].to_vec()));
    assert!(!client.device.readiness().readable);
    // Errors of the request are returned at once, errors of the work when it is fetched.
    assert_eq!(client.ioctl(CIOCASYNCCRYPT, &Op::new(!ses, ENCRYPT, 0, 16).bytes()), Err(Errno::INVAL));
    assert_eq!(client.ioctl(CIOCASYNCCRYPT, &Op::new(ses, ENCRYPT, NO_ZC, 16).bytes()), Err(Errno::INVAL));
    client.ioctl(CIOCASYNCCRYPT, &Op { src: NOWHERE, ..Op::new(ses, ENCRYPT, 0, 16) }.bytes()).unwrap();
    assert_eq!(client.ioctl(CIOCASYNCFETCH, &[0; 48]), Err(Errno::FAULT));
    assert_eq!(client.ioctl(CIOCASYNCFETCH, &[0; 48]), Err(Errno::BUSY));
    for _ in 0..64 {
        client.ioctl(CIOCASYNCCRYPT, &op.bytes()).unwrap();
    }
    assert!(!client.device.readiness().writable);
    assert_eq!(client.ioctl(CIOCASYNCCRYPT, &op.bytes()), Err(Errno::BUSY));
}

// The GCM specification, test case 4.
const GCM_KEY: &str = "feffe9928665731c6d6a8f9467308308";
const GCM_IV: &str = "cafebabefacedbaddecaf888";
const GCM_ASSOC: &str = "feedfacedeadbeeffeedfacedeadbeefabaddad2";
const GCM_TEXT: &str = "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72\
                        1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39";
const GCM_SEALED: &str = "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e\
                          21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091\
                          5bc94fbc3221a5db94fae95ae7121a47";

#[test]
fn gcm_both_ways() {
    let mut client = Client::new();
    let ses = client.session(AES_GCM, &hex(GCM_KEY), SHA256, &[]); // the hash is ignored
    client.space.put(IV, &hex(GCM_IV));
    client.space.put(AUTH, &hex(GCM_ASSOC));
    client.space.put(SRC, &hex(GCM_TEXT));
    let seal = Auth { auth_len: 20, ..Auth::new(ses, ENCRYPT, 0, 60) };
    client.auth(&seal).unwrap();
    assert_eq!(client.space.get(DST, 76), hex(GCM_SEALED));
    let told = Auth { len: 76, tag: DST + 60, tag_len: 16, ..seal };
    assert_eq!(client.space.get(ARG, 72), told.bytes());
    // Decrypts in place.
    let open = Auth { auth_len: 20, src: DST, ..Auth::new(ses, DECRYPT, 0, 76) };
    client.auth(&open).unwrap();
    assert_eq!(client.space.get(DST, 60), hex(GCM_TEXT));
    let told = Auth { len: 60, tag: DST + 60, tag_len: 16, ..open };
    assert_eq!(client.space.get(ARG, 72), told.bytes());
}

#[test]
fn gcm_releases_nothing_unauthenticated() {
    let mut client = Client::new();
    let ses = client.session(AES_GCM, &hex(GCM_KEY), 0, &[]);
    client.space.put(IV, &hex(GCM_IV));
    client.space.put(AUTH, &hex(GCM_ASSOC));
    let mut sealed = hex(GCM_SEALED);
    sealed[3] ^= 1;
    client.space.put(SRC, &sealed);
    client.space.put(DST, &[0xaa; 76]);
    let open = Auth { auth_len: 20, ..Auth::new(ses, DECRYPT, 0, 76) };
    assert_eq!(client.auth(&open), Err(Errno::BADMSG));
    assert_eq!(client.space.get(DST, 76), [0xaa; 76]);
    assert_eq!(client.space.get(ARG, 72), open.bytes());
}

#[test]
fn gcm_tags_and_limits() {
    let mut client = Client::new();
    let ses = client.session(AES_GCM, &hex(GCM_KEY), 0, &[]);
    client.space.put(IV, &hex(GCM_IV));
    client.space.put(AUTH, &hex(GCM_ASSOC));
    client.space.put(SRC, &hex(GCM_TEXT));
    let seal = Auth { auth_len: 20, ..Auth::new(ses, ENCRYPT, 0, 60) };
    assert_eq!(client.auth(&Auth { tag_len: 17, ..seal }), Err(Errno::INVAL));
    assert_eq!(client.auth(&Auth { tag_len: 5, ..seal }), Err(Errno::INVAL), "no such tag");
    client.auth(&Auth { tag_len: 12, ..seal }).unwrap();
    assert_eq!(client.space.get(DST, 73), [&hex(GCM_SEALED)[..72], &[0]].concat());
    assert_eq!(client.auth(&Auth { tag_len: 16, ..seal }), Err(Errno::INVAL), "tags only get shorter");
    assert_eq!(client.auth(&Auth { op: DECRYPT, len: 11, ..seal }), Err(Errno::INVAL), "shorter than its tag");
    assert_eq!(client.auth(&Auth { auth_len: 4097, ..seal }), Err(Errno::INVAL));
    assert_eq!(client.auth(&Auth { auth_src: NOWHERE, ..seal }), Err(Errno::FAULT));
    assert_eq!(client.auth(&Auth { src: NOWHERE, ..seal }), Err(Errno::INVAL));
    assert_eq!(client.auth(&Auth { dst: NOWHERE, ..seal }), Err(Errno::INVAL));
    assert_eq!(client.auth(&Auth { iv: NOWHERE, ..seal }), Err(Errno::FAULT));
    assert_eq!(client.auth(&Auth { len: u32::MAX, ..seal }), Err(Errno::NOMEM));
    assert_eq!(client.auth(&Auth { len: (1 << 24) + 1, ..seal }), Err(Errno::NOMEM));
    assert_eq!(client.auth(&Auth { op: 7, ..seal }), Err(Errno::INVAL));
    assert_eq!(client.auth(&Auth { ses: !ses, ..seal }), Err(Errno::INVAL));
    let cbc = client.session(AES_CBC, &hex(AES_KEY), 0, &[]);
    assert_eq!(client.auth(&Auth { ses: cbc, ..seal }), Err(Errno::INVAL));
    let hash = client.session(0, &[], SHA256, &[]);
    assert_eq!(client.auth(&Auth { ses: hash, ..seal }), Err(Errno::INVAL));
}

/// The contents of a TLS record by its definition (RFC 5246, section 6.2.3.2), encrypted with the library, with the
/// shortest padding.
fn tls_record(header: &[u8], text: &[u8]) -> Vec<u8> {
    let padding = 16 - (text.len() + 32) % 16;
    tls_record_padded(header, text, &vec![padding as u8 - 1; padding])
}

fn tls_record_padded(header: &[u8], text: &[u8], padding: &[u8]) -> Vec<u8> {
    let mac = algkit::hash("hmac(sha256)").unwrap().key(b"mac key").unwrap();
    let tag = mac.digest(&[header, text].concat());
    tls_ciphertext(&[text, &tag, padding].concat())
}

fn tls_ciphertext(content: &[u8]) -> Vec<u8> {
    let mut record = content.to_vec();
    let cbc = algkit::skcipher("cbc(aes)").unwrap().key(&hex(AES_KEY)).unwrap();
    cbc.encrypt(&mut hex(CBC_IV), &mut record[..]).unwrap();
    record
}

#[test]
fn tls() {
    let mut client = Client::new();
    let ses = client.session(AES_CBC, &hex(AES_KEY), SHA256_HMAC, b"mac key");
    let header = b"a header of some bytes";
    client.space.put(AUTH, header);
    client.space.put(IV, &hex(CBC_IV));
    for len in [0, 1, 15, 16, 31, 100] {
        let text: Vec<u8> = (0..len as u8).collect();
        client.space.put(DST, &text);
        let want = tls_record(header, &text);
        let close = Auth { auth_len: 22, src: DST, ..Auth::new(ses, ENCRYPT, TLS, len) };
        client.auth(&close).unwrap();
        assert_eq!(client.space.get(DST, want.len()), want);
        let told = Auth { len: want.len() as u32, tag_len: 32, ..close };
        assert_eq!(client.space.get(ARG, 72), told.bytes());

        let open = Auth { auth_len: 22, src: DST, ..Auth::new(ses, DECRYPT, TLS, want.len()) };
        client.auth(&open).unwrap();
        assert_eq!(client.space.get(DST, len), text);
        assert_eq!(client.space.get(ARG, 72), Auth { len: len as u32, tag_len: 32, ..open }.bytes());

        // Every change is detected, and nothing is written.
        for at in 0..want.len() {
            let mut changed = want.clone();
            changed[at] ^= 0x80;
            client.space.put(DST, &changed);
            assert_eq!(client.auth(&open), Err(Errno::BADMSG));
            assert_eq!(client.space.get(DST, want.len()), changed);
        }
    }
}

/// A record may have up to 255 bytes of padding, each of which counts.
#[test]
fn tls_padding() {
    let mut client = Client::new();
    let ses = client.session(AES_CBC, &hex(AES_KEY), SHA256_HMAC, b"mac key");
    client.space.put(IV, &hex(CBC_IV));
    for len in 1..=256 {
        let text = vec![7; 64 - len % 16];
        let padding = vec![(len - 1) as u8; len];
        let record = tls_record_padded(b"", &text, &padding);
        let open = Auth { src: DST, ..Auth::new(ses, DECRYPT, TLS, record.len()) };
        client.space.put(DST, &record);
        client.auth(&open).unwrap();
        assert_eq!(client.space.get(DST, text.len()), text);
        assert_eq!(client.space.get(ARG, 72), Auth { len: text.len() as u32, tag_len: 32, ..open }.bytes());
        for at in [0, len / 2, len.saturating_sub(2)].into_iter().filter(|at| at + 1 < len) {
            let mut wrong = padding.clone();
            wrong[at] ^= 1;
            client.space.put(DST, &tls_record_padded(b"", &text, &wrong));
            assert_eq!(client.auth(&open), Err(Errno::BADMSG), "byte {at} of {len}");
        }
    }
    // The MAC is where another padding would put it.
    let record = tls_record_padded(b"", &[7; 64], &[[0; 16], [15; 16]].concat());
    client.space.put(DST, &record);
    assert_eq!(client.auth(&Auth { src: DST, ..Auth::new(ses, DECRYPT, TLS, record.len()) }), Err(Errno::BADMSG));
}

/// Valid padding that leaves no room for a MAC, or is longer than the record, is no different from a wrong MAC.
#[test]
fn tls_errors_do_not_tell_the_padding() {
    let mut client = Client::new();
    let ses = client.session(AES_CBC, &hex(AES_KEY), SHA256_HMAC, b"mac key");
    client.space.put(IV, &hex(CBC_IV));
    for last in 0..=255 {
        for len in [32, 48, 256] {
            client.space.put(DST, &tls_ciphertext(&vec![last; len]));
            let open = Auth { src: DST, ..Auth::new(ses, DECRYPT, TLS, len) };
            assert_eq!(client.auth(&open), Err(Errno::BADMSG), "{last}, {len} bytes");
        }
    }
}

#[test]
fn tls_that_is_refused() {
    let mut client = Client::new();
    let ses = client.session(AES_CBC, &hex(AES_KEY), SHA256_HMAC, b"mac key");
    let close = Auth { src: DST, ..Auth::new(ses, ENCRYPT, TLS, 16) };
    assert_eq!(client.auth(&Auth { src: SRC, ..close }), Err(Errno::INVAL), "in place only");
    assert_eq!(client.auth(&Auth { auth_len: 4097, ..close }), Err(Errno::INVAL));
    assert_eq!(client.auth(&Auth { auth_len: 1, auth_src: NOWHERE, ..close }), Err(Errno::FAULT));
    assert_eq!(client.auth(&Auth { src: 0, dst: 0, ..close }), Err(Errno::INVAL));
    assert_eq!(client.auth(&Auth { src: NOWHERE, dst: NOWHERE, ..close }), Err(Errno::INVAL));
    assert_eq!(client.auth(&Auth { tag_len: 33, ..close }), Err(Errno::INVAL), "more than the digest");
    let open = Auth { op: DECRYPT, ..close };
    assert_eq!(client.auth(&Auth { len: 0, ..open }), Err(Errno::INVAL));
    assert_eq!(client.auth(&Auth { len: 17, ..open }), Err(Errno::INVAL));
    assert_eq!(client.auth(&open), Err(Errno::INVAL), "no room for a MAC");
    assert_eq!(client.auth(&Auth { tag_len: u32::MAX, ..open }), Err(Errno::INVAL));
    let gcm = client.session(AES_GCM, &hex(AES_KEY), 0, &[]);
    assert_eq!(client.auth(&Auth { ses: gcm, ..close }), Err(Errno::INVAL));
}

#[test]
fn srtp() {
    const HEADER: usize = 12;
    let mut client = Client::new();
    let ses = client.session(AES_CTR, &hex(AES_KEY), SHA256_HMAC, b"mac key");
    client.space.put(IV, &hex(CTR_IV));
    let mut packet = b"twelve bytes".to_vec();
    packet.extend(hex(PLAIN));
    packet.extend(b"roc!");
    client.space.put(DST, &packet);
    let payload = DST + HEADER as u64;
    let auth = Auth {
        auth_len: 80,
        auth_src: DST,
        src: payload,
        dst: payload,
        tag: MAC,
        tag_len: 10,
        ..Auth::new(ses, ENCRYPT, SRTP, 64)
    };
    client.auth(&auth).unwrap();
    let mut want = packet.clone();
    want[HEADER..HEADER + 64].copy_from_slice(&hex(CTR));
    assert_eq!(client.space.get(DST, 80), want);
    let mac = algkit::hash("hmac(sha256)").unwrap().key(b"mac key").unwrap().digest(&want);
    assert_eq!(client.space.get(MAC, 11), [&mac[..10], &[0]].concat());
    assert_eq!(client.space.get(ARG, 72), auth.bytes());

    let open = Auth { op: DECRYPT, ..auth };
    client.space.put(DST + 79, b"?");
    assert_eq!(client.auth(&open), Err(Errno::BADMSG));
    client.space.put(DST + 79, b"!");
    client.auth(&open).unwrap();
    assert_eq!(client.space.get(DST, 80), packet);

    assert_eq!(client.auth(&Auth { src: DST, ..auth }), Err(Errno::INVAL), "in place only");
    assert_eq!(client.auth(&Auth { auth_len: 0, ..auth }), Err(Errno::INVAL));
    assert_eq!(client.auth(&Auth { auth_len: 75, ..auth }), Err(Errno::INVAL), "the payload ends beyond");
    assert_eq!(client.auth(&Auth { auth_src: payload + 1, ..auth }), Err(Errno::INVAL));
    assert_eq!(client.auth(&Auth { auth_src: payload - 257, ..auth }), Err(Errno::INVAL));
    assert_eq!(client.auth(&Auth { tag: NOWHERE, ..auth }), Err(Errno::FAULT));
    assert_eq!(client.auth(&Auth { tag_len: 33, ..auth }), Err(Errno::INVAL));
    assert_eq!(client.auth(&Auth { tag_len: 65, ..open }), Err(Errno::INVAL));
    let cbc = client.session(AES_CBC, &hex(AES_KEY), SHA256_HMAC, b"mac key");
    assert_eq!(client.auth(&Auth { ses: cbc, ..auth }), Err(Errno::INVAL), "stream ciphers only");
}

#[test]
fn too_many_sessions() {
    let mut client = Client::new();
    let bytes = client.session_op(0, &[], SHA256, &[]);
    for _ in 0..4096 {
        client.ioctl(CIOCGSESSION, &bytes).unwrap();
    }
    let last = client.space.get32(ARG + 40);
    assert_eq!(client.ioctl(CIOCGSESSION, &bytes), Err(Errno::NOMEM));
    client.ioctl(CIOCFSESSION, &last.to_ne_bytes()).unwrap();
    client.ioctl(CIOCGSESSION, &bytes).unwrap();
}
