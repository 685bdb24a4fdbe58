//! The cases that are measured.

use peers_plugin::{Iv, Level, Op, Request};

/// An algorithm, a key size and a direction.
#[derive(Debug)]
pub struct Case {
    /// The algorithm's name in algkit.
    pub name: &'static str,
    /// The length of the key in bits; 0 for an algorithm without a key.
    pub key_bits: usize,
    /// The operation.
    pub op: Op,
    /// Whether the case is also measured with many messages at a time.
    pub batch: bool,
    /// Whether each message has a new key, so that setting the key is measured.
    pub rekey: bool,
}

/// The key that all contenders get. Its halves differ.
static KEY: [u8; 64] = {
    let mut key = [0; 64];
    let mut i = 0;
    while i < 64 {
        key[i] = (7 * i + 1) as u8;
        i += 1;
    }
    key
};

/// The associated data of every AEAD, as long as that of a TLS 1.2 record.
static ASSOC: [u8; 13] = *b"13 bytes, TLS";

impl Case {
    /// The operation as one word.
    pub fn word(&self) -> &'static str {
        match self.op {
            _ if self.rekey => "key",
            Op::Encrypt => "encrypt",
            Op::Decrypt => "decrypt",
            Op::Digest => "digest",
        }
    }

    /// The request to the libraries.
    pub fn request(&self, size: usize, messages: usize, level: Level) -> Request {
        let (mode, cipher) = self.parts();
        let key = &KEY[..self.key_bits / 8];
        Request { mode, cipher, key, assoc: &ASSOC, op: self.op, size, messages, level, rekey: self.rekey }
    }

    /// Mode and cipher: `ctr(aes)` is `("ctr", "aes")`, and a name without parentheses is `("", name)`.
    pub fn parts(&self) -> (&'static str, &'static str) {
        self.name.strip_suffix(')').and_then(|name| name.split_once('(')).unwrap_or(("", self.name))
    }

    /// Whether the case is an AEAD. A message to be opened is overwritten by that, so it has to be restored each time.
    pub fn is_aead(&self) -> bool {
        matches!(self.parts().0, "gcm" | "ccm" | "rfc7539")
    }

    /// `n` different IVs in the kernel's layout. CCM's IV is the length of its length field minus 1, the nonce, and
    /// zeros. ChaCha20's is the block counter, which is 1, and the nonce. XChaCha20's is the nonce and the counter,
    /// which is 0.
    pub fn ivs(&self, n: usize) -> Vec<Iv> {
        let iv = |i: usize| {
            let mut iv = *b"0123456789abcdefghijklmnopqrstuv";
            iv[4..8].copy_from_slice(&(i as u32).to_le_bytes());
            match self.parts() {
                ("ccm", _) => {
                    iv[0] = 1;
                    iv[14..16].fill(0);
                }
                ("", "chacha20") => iv[..4].copy_from_slice(&1_u32.to_le_bytes()),
                ("", "xchacha20") => iv[24..].fill(0),
                _ => {}
            }
            Iv(iv)
        };
        (0..n).map(iv).collect()
    }

    /// Whether a message may have this length. With a nonce of 13 bytes, CCM's length field has two bytes.
    pub fn takes(&self, size: usize) -> bool {
        self.parts().0 != "ccm" || size < 1 << 16
    }

    /// `size`, rounded up to whole blocks for modes that need them.
    pub fn round_size(&self, size: usize) -> usize {
        if matches!(self.parts().0, "ecb" | "cbc") { size.next_multiple_of(16) } else { size.max(16) }
    }

    /// Whether measuring the case at this level says anything. Code that does not use AES instructions has vectors of
    /// the same width at both of the lower levels.
    pub fn at(&self, level: Level) -> bool {
        let (mode, cipher) = self.parts();
        match level {
            Level::Full | Level::Avx2 => true,
            Level::AesNi => cipher == "aes" || matches!(cipher, "ghash" | "polyval"),
            Level::Soft => cipher == "aes" && !matches!(mode, "cmac" | "ccm"),
        }
    }

    /// The title of the case's table.
    pub fn title(&self) -> String {
        match (self.op, self.key_bits) {
            (Op::Digest, _) => self.name.to_owned(),
            (_, bits) => format!("{}, {bits} bits, {}", self.name, self.word()),
        }
    }
}

macro_rules! cases {
    ($($name:literal $bits:literal: $($op:ident $($also:ident)?),+;)*) => {
        /// All cases.
        pub static CASES: &[Case] = &[$($({
            let also = stringify!($($also)?).as_bytes();
            Case {
                name: $name,
                key_bits: $bits,
                op: Op::$op,
                batch: matches!(also, b"batch"),
                rekey: matches!(also, b"rekey"),
            }
        }),+),*];
    };
}

cases! {
    "gcm(aes)" 128: Encrypt batch, Decrypt batch, Encrypt rekey;
    "gcm(aes)" 256: Encrypt batch, Decrypt batch, Encrypt rekey;
    "xts(aes)" 256: Encrypt batch, Decrypt, Encrypt rekey;
    "xts(aes)" 512: Encrypt batch, Decrypt, Encrypt rekey;
    "ctr(aes)" 128: Encrypt, Encrypt rekey;
    "ctr(aes)" 256: Encrypt, Encrypt rekey;
    "cbc(aes)" 128: Encrypt batch, Decrypt, Encrypt rekey;
    "cbc(aes)" 256: Encrypt batch, Decrypt, Encrypt rekey;
    "ecb(aes)" 128: Encrypt, Decrypt;
    "ccm(aes)" 128: Encrypt batch, Decrypt batch;
    "cmac(aes)" 128: Digest batch;
    "rfc7539(chacha20,poly1305)" 256: Encrypt batch, Decrypt batch;
    "chacha20" 256: Encrypt;
    "xchacha20" 256: Encrypt;
    "poly1305" 256: Digest;
    "ghash" 128: Digest;
    "polyval" 128: Digest;
    "sha1" 0: Digest batch;
    "sha224" 0: Digest;
    "sha256" 0: Digest batch;
    "sha384" 0: Digest;
    "sha512" 0: Digest batch;
    "sha3-256" 0: Digest batch;
    "sha3-512" 0: Digest;
    "blake2b-512" 0: Digest;
    "blake2s-256" 0: Digest;
    "hmac(sha1)" 256: Digest batch;
    "hmac(sha256)" 256: Digest batch;
    "hmac(sha512)" 256: Digest batch;
    "ctr(serpent)" 256: Encrypt;
    "xts(serpent)" 512: Encrypt, Decrypt;
    "ecb(serpent)" 256: Encrypt, Decrypt;
    "cbc(serpent)" 256: Encrypt, Decrypt;
    "crc32" 32: Digest;
    "crc32c" 32: Digest;
    "xxhash64" 0: Digest;
}
