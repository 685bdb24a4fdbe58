//! Packets of QUIC: their payload (RFC 9001, section 5.3) and the protection of their headers (section 5.4).

use crate::aead::{Algorithm, Key, TAG_LEN, array};
use algkit::{Cipher, Skcipher};
use rustls::{
    Error,
    crypto::cipher::{AeadKey, Iv, Nonce},
    quic::{self, Tag},
};

impl Algorithm {
    /// How many packets may be encrypted with a key, and how many may turn out to be forged (RFC 9001, section 6.6).
    const fn limits(self) -> (u64, u64) {
        match self {
            Self::Aes128Gcm | Self::Aes256Gcm => (1 << 23, 1 << 52),
            Self::ChaCha20Poly1305 => (u64::MAX, 1 << 36),
        }
    }
}

impl quic::Algorithm for Algorithm {
    fn packet_key(&self, key: AeadKey, iv: Iv) -> Box<dyn quic::PacketKey> {
        Box::new(Packets { key: self.key(&key), iv, limits: self.limits() })
    }

    fn header_protection_key(&self, key: AeadKey) -> Box<dyn quic::HeaderProtectionKey> {
        Box::new(match self {
            Self::Aes128Gcm => Headers::Aes(algkit::aes_128(array(&key))),
            Self::Aes256Gcm => Headers::Aes(algkit::aes_256(array(&key))),
            Self::ChaCha20Poly1305 => Headers::ChaCha20(algkit::chacha20(array(&key))),
        })
    }

    fn aead_key_len(&self) -> usize {
        (*self).key_len()
    }
}

/// The payloads of one direction.
struct Packets {
    key: Key,
    iv: Iv,
    limits: (u64, u64),
}

impl quic::PacketKey for Packets {
    fn encrypt_in_place(&self, packet_number: u64, header: &[u8], payload: &mut [u8]) -> Result<Tag, Error> {
        self.key.seal(&Nonce::new(&self.iv, packet_number), header, payload).map(|tag| Tag::from(&tag[..]))
    }

    fn encrypt_in_place_for_path(
        &self,
        path_id: u32,
        packet_number: u64,
        header: &[u8],
        payload: &mut [u8],
    ) -> Result<Tag, Error> {
        let nonce = Nonce::for_path(path_id, &self.iv, packet_number);
        self.key.seal(&nonce, header, payload).map(|tag| Tag::from(&tag[..]))
    }

    fn decrypt_in_place<'a>(
        &self,
        packet_number: u64,
        header: &[u8],
        payload: &'a mut [u8],
    ) -> Result<&'a [u8], Error> {
        let len = self.key.open(&Nonce::new(&self.iv, packet_number), header, payload)?;
        Ok(&payload[..len])
    }

    fn decrypt_in_place_for_path<'a>(
        &self,
        path_id: u32,
        packet_number: u64,
        header: &[u8],
        payload: &'a mut [u8],
    ) -> Result<&'a [u8], Error> {
        let len = self.key.open(&Nonce::for_path(path_id, &self.iv, packet_number), header, payload)?;
        Ok(&payload[..len])
    }

    fn tag_len(&self) -> usize {
        TAG_LEN
    }

    fn confidentiality_limit(&self) -> u64 {
        self.limits.0
    }

    fn integrity_limit(&self) -> u64 {
        self.limits.1
    }
}

/// The length in bytes of the sample that a mask is computed from.
const SAMPLE_LEN: usize = 16;

/// The headers of one direction.
enum Headers {
    /// The mask is the sample, encrypted (RFC 9001, section 5.4.3).
    Aes(Cipher),
    /// The sample is a block counter and a nonce, and the mask their key stream (RFC 9001, section 5.4.4).
    ChaCha20(Skcipher),
}

impl Headers {
    fn mask(&self, sample: &[u8]) -> Result<[u8; SAMPLE_LEN], Error> {
        let sample = sample.try_into().map_err(|_| Error::General("sample of invalid length".into()))?;
        let mut mask = [0; SAMPLE_LEN];
        match self {
            Self::Aes(cipher) => {
                mask = sample;
                cipher.encrypt(&mut mask[..])
            }
            Self::ChaCha20(cipher) => cipher.encrypt_once(&sample, &mut mask[..]),
        }
        .map_err(|_| Error::EncryptError)?;
        Ok(mask)
    }

    /// Adds or removes the mask (RFC 9001, section 5.4.1). `plain` computes the unmasked first byte, which has the length of the packet
    /// number, from the first byte and its mask.
    fn apply(
        &self,
        sample: &[u8],
        first: &mut u8,
        packet_number: &mut [u8],
        plain: impl FnOnce(u8, u8) -> u8,
    ) -> Result<(), Error> {
        const LONG_HEADER: u8 = 0x80;
        const MAX_NUMBER_LEN: usize = 4;
        let [mask, number_mask @ ..] = self.mask(sample)?;
        if packet_number.len() > MAX_NUMBER_LEN {
            return Err(Error::General("packet number too long".into()));
        }
        let mask = mask & if *first & LONG_HEADER != 0 { 0x0f } else { 0x1f };
        let len = usize::from(plain(*first, mask) & 3) + 1;
        *first ^= mask;
        packet_number.iter_mut().zip(number_mask).take(len).for_each(|(byte, mask)| *byte ^= mask);
        Ok(())
    }
}

impl quic::HeaderProtectionKey for Headers {
    fn encrypt_in_place(&self, sample: &[u8], first: &mut u8, packet_number: &mut [u8]) -> Result<(), Error> {
        self.apply(sample, first, packet_number, |first, _| first)
    }

    fn decrypt_in_place(&self, sample: &[u8], first: &mut u8, packet_number: &mut [u8]) -> Result<(), Error> {
        self.apply(sample, first, packet_number, |first, mask| first ^ mask)
    }

    fn sample_len(&self) -> usize {
        SAMPLE_LEN
    }
}
