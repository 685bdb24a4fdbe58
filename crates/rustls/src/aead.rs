//! The AEADs of TLS and QUIC, with nonces of 12 bytes and tags of 16.

use algkit::Aead;
use rustls::{
    ConnectionTrafficSecrets, Error,
    crypto::cipher::{AeadKey, Iv, Nonce},
};

/// The length of a tag in bytes.
pub(crate) const TAG_LEN: usize = 16;

/// Which AEAD a cipher suite has.
#[derive(Clone, Copy)]
pub(crate) enum Algorithm {
    Aes128Gcm,
    Aes256Gcm,
    ChaCha20Poly1305,
}

impl Algorithm {
    pub(crate) const fn key_len(self) -> usize {
        match self {
            Self::Aes128Gcm => 16,
            Self::Aes256Gcm | Self::ChaCha20Poly1305 => 32,
        }
    }

    pub(crate) fn key(self, key: &AeadKey) -> Key {
        Key(match self {
            Self::Aes128Gcm => algkit::aes_128_gcm(array(key)),
            Self::Aes256Gcm => algkit::aes_256_gcm(array(key)),
            Self::ChaCha20Poly1305 => algkit::chacha20_poly1305(array(key)),
        })
    }

    /// The secrets of a connection, for a program that continues it without rustls, for example with the kernel's TLS.
    pub(crate) fn secrets(self, key: AeadKey, iv: Iv) -> ConnectionTrafficSecrets {
        match self {
            Self::Aes128Gcm => ConnectionTrafficSecrets::Aes128Gcm { key, iv },
            Self::Aes256Gcm => ConnectionTrafficSecrets::Aes256Gcm { key, iv },
            Self::ChaCha20Poly1305 => ConnectionTrafficSecrets::Chacha20Poly1305 { key, iv },
        }
    }
}

/// The bytes of a key. rustls derives [`Algorithm::key_len`] of them.
pub(crate) fn array<const N: usize>(key: &AeadKey) -> &[u8; N] {
    key.as_ref().try_into().expect("rustls makes keys of the length that it is told")
}

/// A keyed AEAD, which wipes its key when it is dropped.
pub(crate) struct Key(Aead);

impl Key {
    /// Encrypts `text` in place and returns its tag.
    pub(crate) fn seal(&self, nonce: &Nonce, assoc: &[u8], text: &mut [u8]) -> Result<[u8; TAG_LEN], Error> {
        let mut tag = [0; TAG_LEN];
        self.0.encrypt(&nonce.0, &[assoc], text, &mut tag).map_err(|_| Error::EncryptError)?;
        Ok(tag)
    }

    /// Decrypts `sealed`, a ciphertext with its tag at the end, in place if the tag is right. Returns the length of the text.
    pub(crate) fn open(&self, nonce: &Nonce, assoc: &[u8], sealed: &mut [u8]) -> Result<usize, Error> {
        let (text, tag) = sealed.split_last_chunk_mut::<TAG_LEN>().ok_or(Error::DecryptError)?;
        let len = text.len();
        self.0.decrypt(&nonce.0, &[assoc], text, tag).map_err(|_| Error::DecryptError)?;
        Ok(len)
    }
}
