//! What is measured.

/// What is done to a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    /// Encryption, or sealing, in place.
    Encrypt,
    /// Decryption in place; opening of an AEAD's message, which is copied into place first.
    Decrypt,
    /// A digest.
    Digest,
}

impl Op {
    /// One word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Encrypt => "encrypt",
            Self::Decrypt => "decrypt",
            Self::Digest => "digest",
        }
    }
}

/// An algorithm, a key size and a direction.
#[derive(Debug)]
pub struct Case {
    /// algkit's name.
    pub name: &'static str,
    /// Bits of key; 0 without.
    pub key_bits: usize,
    /// What is done.
    pub op: Op,
}

/// The key of every contender; its halves differ.
pub static KEY: [u8; 64] = {
    let mut key = [0; 64];
    let mut i = 0;
    while i < 64 {
        key[i] = (7 * i + 1) as u8;
        i += 1;
    }
    key
};

/// The nonce or IV, of which each algorithm takes as many bytes as it needs.
pub static IV: [u8; 32] = *b"0123456789abcdefghijklmnopqrstuv";

/// The associated data of every AEAD.
pub static ASSOC: [u8; 13] = *b"13 bytes, TLS";

impl Case {
    /// The key.
    pub fn key(&self) -> &'static [u8] {
        &KEY[..self.key_bits / 8]
    }

    /// The mode and the cipher: `ctr(aes)` is `("ctr", "aes")`; `("", name)` without parentheses.
    pub fn parts(&self) -> (&'static str, &'static str) {
        self.name.strip_suffix(')').and_then(|name| name.split_once('(')).unwrap_or(("", self.name))
    }

    /// `size`, or what modes of whole blocks take instead.
    pub fn round_size(&self, size: usize) -> usize {
        if matches!(self.parts().0, "ecb" | "cbc") { size.next_multiple_of(16) } else { size.max(16) }
    }

    /// A title of a table.
    pub fn title(&self) -> String {
        match (self.op, self.key_bits) {
            (Op::Digest, _) => self.name.to_owned(),
            (op, bits) => format!("{}, {bits} bits, {}", self.name, op.word()),
        }
    }
}

macro_rules! cases {
    ($($name:literal $bits:literal: $($op:ident),+;)*) => {
        /// Everything.
        pub static CASES: &[Case] = &[$($(Case { name: $name, key_bits: $bits, op: Op::$op }),+),*];
    };
}

cases! {
    "ctr(aes)" 128: Encrypt;
    "ctr(aes)" 256: Encrypt;
    "xts(aes)" 256: Encrypt, Decrypt;
    "xts(aes)" 512: Encrypt, Decrypt;
    "cbc(aes)" 128: Encrypt, Decrypt;
    "cbc(aes)" 256: Encrypt, Decrypt;
    "ecb(aes)" 128: Encrypt, Decrypt;
    "gcm(aes)" 128: Encrypt, Decrypt;
    "gcm(aes)" 256: Encrypt, Decrypt;
    "ccm(aes)" 128: Encrypt, Decrypt;
    "rfc7539(chacha20,poly1305)" 256: Encrypt, Decrypt;
    "chacha20" 256: Encrypt;
    "xchacha20" 256: Encrypt;
    "ecb(serpent)" 256: Encrypt, Decrypt;
    "ctr(serpent)" 256: Encrypt;
    "cbc(serpent)" 256: Encrypt, Decrypt;
    "xts(serpent)" 512: Encrypt, Decrypt;
    "cmac(aes)" 128: Digest;
    "ghash" 128: Digest;
    "poly1305" 256: Digest;
    "sha1" 0: Digest;
    "sha224" 0: Digest;
    "sha256" 0: Digest;
    "sha384" 0: Digest;
    "sha512" 0: Digest;
    "sha3-256" 0: Digest;
    "sha3-512" 0: Digest;
    "blake2b-512" 0: Digest;
    "blake2s-256" 0: Digest;
    "hmac(sha1)" 256: Digest;
    "hmac(sha256)" 256: Digest;
    "hmac(sha512)" 256: Digest;
    "crc32" 32: Digest;
    "crc32c" 32: Digest;
    "xxhash64" 0: Digest;
}
