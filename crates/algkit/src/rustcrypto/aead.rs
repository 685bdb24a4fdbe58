use super::{algorithms, or_panic};
use crate::{Aead, Error, aead, ccm_iv};
use ::aead::{
    AeadCore, AeadInOut, Key, KeyInit, KeySizeUser, Nonce, Tag, TagPosition,
    array::ArraySize,
    consts::{U12, U16, U32},
    inout::InOutBuf,
};
use std::{fmt, marker::PhantomData, sync::Arc};

/// An AEAD whose ciphertext is followed by a 16-byte tag.
pub trait AeadAlgorithm {
    /// The algorithm's name in the registry.
    const NAME: &'static str;

    /// The key length in bytes.
    type KeySize: ArraySize;

    /// The nonce length in bytes.
    type NonceSize: ArraySize;

    /// Calls `f` with the driver's IV for `nonce`.
    fn with_iv<R>(nonce: &[u8], f: impl FnOnce(&[u8]) -> R) -> R {
        f(nonce)
    }
}

/// A keyed AEAD with the traits of the `aead` crate.
pub struct AeadOf<A>(Arc<Aead>, PhantomData<fn() -> A>);

algorithms! {
    AeadOf: AeadAlgorithm;
    /// AES-128-GCM (SP 800-38D).
    Aes128Gcm { const NAME: &'static str = "gcm(aes)"; type KeySize = U16; type NonceSize = U12; }
    /// AES-256-GCM (SP 800-38D).
    Aes256Gcm { const NAME: &'static str = "gcm(aes)"; type KeySize = U32; type NonceSize = U12; }
    /// AES-128-CCM with nonces of 12 bytes, AEAD_AES_128_CCM (RFC 5116 section 5.3).
    Aes128Ccm {
        const NAME: &'static str = "ccm(aes)";
        type KeySize = U16;
        type NonceSize = U12;
        fn with_iv<R>(nonce: &[u8], f: impl FnOnce(&[u8]) -> R) -> R { with_ccm_iv(nonce, f) }
    }
    /// AES-256-CCM with nonces of 12 bytes, AEAD_AES_256_CCM (RFC 5116 section 5.4).
    Aes256Ccm {
        const NAME: &'static str = "ccm(aes)";
        type KeySize = U32;
        type NonceSize = U12;
        fn with_iv<R>(nonce: &[u8], f: impl FnOnce(&[u8]) -> R) -> R { with_ccm_iv(nonce, f) }
    }
    /// ChaCha20-Poly1305 (RFC 8439).
    ChaCha20Poly1305 {
        const NAME: &'static str = "rfc7539(chacha20,poly1305)";
        type KeySize = U32;
        type NonceSize = U12;
    }
}

fn with_ccm_iv<R>(nonce: &[u8], f: impl FnOnce(&[u8]) -> R) -> R {
    f(&ccm_iv(nonce).expect("the nonce has 12 bytes"))
}

impl<A: AeadAlgorithm> AeadOf<A> {
    /// The AEAD with `key`. The error is that of the registry's lookup.
    pub fn try_new(key: &Key<Self>) -> Result<Self, Error> {
        Ok(Self(Arc::new(aead(A::NAME)?.key(key)?), PhantomData))
    }
}

impl<A> Clone for AeadOf<A> {
    fn clone(&self) -> Self {
        Self(self.0.clone(), PhantomData)
    }
}

impl<A> fmt::Debug for AeadOf<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<A: AeadAlgorithm> KeySizeUser for AeadOf<A> {
    type KeySize = A::KeySize;
}

impl<A: AeadAlgorithm> KeyInit for AeadOf<A> {
    fn new(key: &Key<Self>) -> Self {
        or_panic(Self::try_new(key))
    }
}

impl<A: AeadAlgorithm> AeadCore for AeadOf<A> {
    type NonceSize = A::NonceSize;
    type TagSize = U16;
    const TAG_POSITION: TagPosition = TagPosition::Postfix;
}

impl<A: AeadAlgorithm> AeadInOut for AeadOf<A> {
    fn encrypt_inout_detached(
        &self,
        nonce: &Nonce<Self>,
        associated_data: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
    ) -> ::aead::Result<Tag<Self>> {
        let mut tag = Tag::<Self>::default();
        let text = buffer.into_out_with_copied_in();
        A::with_iv(nonce, |iv| self.0.encrypt(iv, &[associated_data], text, &mut tag))
            .map(|()| tag)
            .map_err(|_| ::aead::Error)
    }

    fn decrypt_inout_detached(
        &self,
        nonce: &Nonce<Self>,
        associated_data: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        tag: &Tag<Self>,
    ) -> ::aead::Result<()> {
        let text = buffer.into_out_with_copied_in();
        A::with_iv(nonce, |iv| self.0.decrypt(iv, &[associated_data], text, tag)).map_err(|_| ::aead::Error)
    }
}
