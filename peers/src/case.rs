//! What is measured.

use peers_plugin::{Iv, Level, Op, Request};

/// An algorithm, a key size and a direction.
#[derive(Debug)]
pub struct Case {
    /// algkit's name.
    pub name: &'static str,
    /// Bits of key; 0 without.
    pub key_bits: usize,
    /// What is done.
    pub op: Op,
    /// Whether it is measured for many messages at a time as well.
    pub batch: bool,
    /// Whether what is measured is a new key with each message.
    pub rekey: bool,
}

/// The key of every contender; its halves differ.
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
    /// One word for what is done.
    pub fn word(&self) -> &'static str {
        match self.op {
            _ if self.rekey => "key",
            Op::Encrypt => "encrypt",
            Op::Decrypt => "decrypt",
            Op::Digest => "digest",
        }
    }

    /// What is asked of a library.
    pub fn request(&self, size: usize, messages: usize, level: Level) -> Request {
        let (mode, cipher) = self.parts();
        let key = &KEY[..self.key_bits / 8];
        Request { mode, cipher, key, assoc: &ASSOC, op: self.op, size, messages, level, rekey: self.rekey }
    }

    /// The mode and the cipher: `ctr(aes)` is `("ctr", "aes")`; `("", name)` without parentheses.
    pub fn parts(&self) -> (&'static str, &'static str) {
        self.name.strip_suffix(')').and_then(|name| name.split_once('(')).unwrap_or(("", self.name))
    }

    /// Whether a message to be decrypted has a tag, so that it is opened once and then has to be made anew.
    pub fn is_aead(&self) -> bool {
        matches!(self.parts().0, "gcm" | "ccm" | "rfc7539")
    }

    /// Different IVs, as the kernel lays them out: CCM's with the length of its length field less 1, the
    /// nonce, zeros; ChaCha20's with the block counter, which is 1, and the nonce; XChaCha20's with the nonce
    /// and the counter, which is 0.
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

    /// Whether a message can be so long: with a nonce of 13 bytes, CCM counts them in two.
    pub fn takes(&self, size: usize) -> bool {
        self.parts().0 != "ccm" || size < 1 << 16
    }

    /// `size`, or what modes of whole blocks take instead.
    pub fn round_size(&self, size: usize) -> usize {
        if matches!(self.parts().0, "ecb" | "cbc") { size.next_multiple_of(16) } else { size.max(16) }
    }

    /// Whether a level below the highest says anything about it: vectors that are not those of AES are as wide
    /// with the AES instructions of 128 bits as without any.
    pub fn at(&self, level: Level) -> bool {
        let (mode, cipher) = self.parts();
        match level {
            Level::Full | Level::Avx2 => true,
            Level::AesNi => cipher == "aes" || matches!(cipher, "ghash" | "polyval"),
            Level::Soft => cipher == "aes" && !matches!(mode, "cmac" | "ccm"),
        }
    }

    /// A title of a table.
    pub fn title(&self) -> String {
        match (self.op, self.key_bits) {
            (Op::Digest, _) => self.name.to_owned(),
            (_, bits) => format!("{}, {bits} bits, {}", self.name, self.word()),
        }
    }
}

macro_rules! cases {
    ($($name:literal $bits:literal: $($op:ident $($also:ident)?),+;)*) => {
        /// Everything.
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
