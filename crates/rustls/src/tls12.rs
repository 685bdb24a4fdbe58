//! Records of TLS 1.2 with AEADs (RFC 5246, section 6.2.3.3; RFC 5288 for GCM, RFC 7905 for ChaCha20-Poly1305).

use crate::aead::{Algorithm, Key, TAG_LEN};
use rustls::{
    ConnectionTrafficSecrets, Error,
    crypto::cipher::{
        AeadKey, InboundOpaqueMessage, InboundPlainMessage, Iv, KeyBlockShape, MessageDecrypter, MessageEncrypter,
        NONCE_LEN, Nonce, OutboundOpaqueMessage, OutboundPlainMessage, PrefixedPayload, Tls12AeadAlgorithm,
        UnsupportedOperationError, make_tls12_aad,
    },
};

/// The longest text of a record in bytes.
const MAX_TEXT: usize = 1 << 14;

impl Algorithm {
    /// How many bytes of the nonce are sent at the start of a record: the last 8 with GCM, none with ChaCha20-Poly1305.
    const fn explicit_len(self) -> usize {
        match self {
            Self::Aes128Gcm | Self::Aes256Gcm => 8,
            Self::ChaCha20Poly1305 => 0,
        }
    }
}

/// The nonce of record number 0, in two parts. The nonce of another record is this one xor the record's number. RFC 7905 requires this;
/// RFC 5288 allows any nonces that never repeat. Both parts come from the key block; the record tells the peer the second part.
fn first_nonce(fixed: &[u8], explicit: &[u8]) -> Iv {
    let mut nonce = [0; NONCE_LEN];
    let (front, back) = nonce.split_at_mut(fixed.len());
    front.copy_from_slice(fixed);
    back.copy_from_slice(explicit);
    Iv::from(nonce)
}

impl Tls12AeadAlgorithm for Algorithm {
    fn encrypter(&self, key: AeadKey, iv: &[u8], extra: &[u8]) -> Box<dyn MessageEncrypter> {
        Box::new(Records { key: self.key(&key), iv: first_nonce(iv, extra), explicit: self.explicit_len() })
    }

    fn decrypter(&self, key: AeadKey, iv: &[u8]) -> Box<dyn MessageDecrypter> {
        let explicit = self.explicit_len();
        Box::new(Records { key: self.key(&key), iv: first_nonce(iv, &[0; NONCE_LEN][..explicit]), explicit })
    }

    fn key_block_shape(&self) -> KeyBlockShape {
        let explicit = self.explicit_len();
        KeyBlockShape {
            enc_key_len: (*self).key_len(),
            fixed_iv_len: NONCE_LEN - explicit,
            explicit_nonce_len: explicit,
        }
    }

    fn extract_keys(
        &self,
        key: AeadKey,
        iv: &[u8],
        explicit: &[u8],
    ) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
        Ok(self.secrets(key, first_nonce(iv, explicit)))
    }
}

/// The records of one direction.
struct Records {
    key: Key,
    iv: Iv,
    /// See [`Algorithm::explicit_len`].
    explicit: usize,
}

impl MessageEncrypter for Records {
    fn encrypt(&mut self, msg: OutboundPlainMessage<'_>, seq: u64) -> Result<OutboundOpaqueMessage, Error> {
        let nonce = Nonce::new(&self.iv, seq);
        let assoc = make_tls12_aad(seq, msg.typ, msg.version, msg.payload.len());
        let mut payload = PrefixedPayload::with_capacity(self.encrypted_payload_len(msg.payload.len()));
        payload.extend_from_slice(&nonce.0[NONCE_LEN - self.explicit..]);
        payload.extend_from_chunks(&msg.payload);
        let tag = self.key.seal(&nonce, &assoc, &mut payload.as_mut()[self.explicit..])?;
        payload.extend_from_slice(&tag);
        Ok(OutboundOpaqueMessage::new(msg.typ, msg.version, payload))
    }

    fn encrypted_payload_len(&self, payload_len: usize) -> usize {
        self.explicit + payload_len + TAG_LEN
    }
}

impl MessageDecrypter for Records {
    fn decrypt<'a>(&mut self, mut msg: InboundOpaqueMessage<'a>, seq: u64) -> Result<InboundPlainMessage<'a>, Error> {
        let Some(text_len) = msg.payload.len().checked_sub(self.explicit + TAG_LEN) else {
            return Err(Error::DecryptError);
        };
        let assoc = make_tls12_aad(seq, msg.typ, msg.version, text_len);
        let (explicit, sealed) = msg.payload.split_at_mut(self.explicit);
        let nonce = if explicit.is_empty() {
            Nonce::new(&self.iv, seq)
        } else {
            // The peer chooses these bytes as it likes.
            let mut nonce = Nonce::new(&self.iv, 0);
            nonce.0[NONCE_LEN - explicit.len()..].copy_from_slice(explicit);
            nonce
        };
        self.key.open(&nonce, &assoc, sealed)?;
        if text_len > MAX_TEXT {
            return Err(Error::PeerSentOversizedRecord);
        }
        let text = self.explicit..self.explicit + text_len;
        Ok(msg.into_plain_message_range(text))
    }
}
