//! Records of TLS 1.3 (RFC 8446, section 5.2).

use crate::aead::{Algorithm, Key, TAG_LEN};
use rustls::{
    ConnectionTrafficSecrets, ContentType, Error, ProtocolVersion,
    crypto::cipher::{
        AeadKey, InboundOpaqueMessage, InboundPlainMessage, Iv, MessageDecrypter, MessageEncrypter, Nonce,
        OutboundOpaqueMessage, OutboundPlainMessage, PrefixedPayload, Tls13AeadAlgorithm, UnsupportedOperationError,
        make_tls13_aad,
    },
};

/// The byte after the text, which is the content type.
const TYPE_LEN: usize = 1;

impl Tls13AeadAlgorithm for Algorithm {
    fn encrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn MessageEncrypter> {
        Box::new(Records { key: self.key(&key), iv })
    }

    fn decrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn MessageDecrypter> {
        Box::new(Records { key: self.key(&key), iv })
    }

    fn key_len(&self) -> usize {
        (*self).key_len()
    }

    fn extract_keys(&self, key: AeadKey, iv: Iv) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
        Ok(self.secrets(key, iv))
    }
}

/// The records of one direction.
struct Records {
    key: Key,
    iv: Iv,
}

impl MessageEncrypter for Records {
    fn encrypt(&mut self, msg: OutboundPlainMessage<'_>, seq: u64) -> Result<OutboundOpaqueMessage, Error> {
        let len = self.encrypted_payload_len(msg.payload.len());
        let mut payload = PrefixedPayload::with_capacity(len);
        payload.extend_from_chunks(&msg.payload);
        payload.extend_from_slice(&msg.typ.to_array());
        let tag = self.key.seal(&Nonce::new(&self.iv, seq), &make_tls13_aad(len), payload.as_mut())?;
        payload.extend_from_slice(&tag);
        // The header of every encrypted record is that of application data in TLS 1.2.
        Ok(OutboundOpaqueMessage::new(ContentType::ApplicationData, ProtocolVersion::TLSv1_2, payload))
    }

    fn encrypted_payload_len(&self, payload_len: usize) -> usize {
        payload_len + TYPE_LEN + TAG_LEN
    }
}

impl MessageDecrypter for Records {
    fn decrypt<'a>(&mut self, mut msg: InboundOpaqueMessage<'a>, seq: u64) -> Result<InboundPlainMessage<'a>, Error> {
        let assoc = make_tls13_aad(msg.payload.len());
        let len = self.key.open(&Nonce::new(&self.iv, seq), &assoc, &mut msg.payload)?;
        msg.payload.truncate(len);
        msg.into_tls13_unpadded_message()
    }
}
