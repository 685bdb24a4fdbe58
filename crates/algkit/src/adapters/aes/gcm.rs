//! GCM, fused with AES and carry-less multiplication.

use super::KEY_LENGTH;
use crate::{
    Text,
    adapters::Make,
    driver::{AeadOps, BadKey, Direction, Refusal, WeakKeys},
    tag,
    templates::gcm,
};
use algkit_primitives::{
    Packet,
    gcm::{GcmKey, GcmToken},
};

impl<T: GcmToken> AeadOps for GcmKey<T> {
    fn check(&self, _iv: &[u8], _assoc_len: usize, text_len: u64) -> Result<(), Refusal> {
        gcm::check_text(text_len)
    }

    fn set_key(&mut self, key: &[u8], _: WeakKeys) -> bool {
        self.set(key)
    }

    fn unchecked(&self) -> Option<u64> {
        Some(gcm::MAX_TEXT)
    }

    fn seal(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &mut [u8]) {
        let full = gcm_pieces(self, Direction::Encrypt, iv12(iv), assoc, text);
        tag::write(&full, tag);
    }

    fn open(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &[u8]) -> bool {
        let mut full = gcm_pieces(self, Direction::Decrypt, iv12(iv), assoc, text);
        tag::matches(&mut full, tag)
    }

    fn seal_packet(&self, iv: &[u8], packet: &mut Packet<'_>, tag: &mut [u8]) {
        match tag.try_into() {
            Ok(tag) => GcmKey::seal(self, iv12(iv), packet, tag),
            Err(_) => gcm_seal_short(self, iv12(iv), packet, tag),
        }
    }

    fn open_packet(&self, iv: &[u8], packet: &mut Packet<'_>, tag: &[u8]) -> bool {
        match tag.try_into() {
            Ok(tag) => GcmKey::open(self, iv12(iv), packet, tag),
            Err(_) => gcm_open_short(self, iv12(iv), packet, tag),
        }
    }
}

/// A tag of less than 16 bytes. It is a function of its own so that the call for 16 bytes stays a jump to the kernel.
#[cold]
#[inline(never)]
fn gcm_seal_short<T: GcmToken>(key: &GcmKey<T>, iv: &[u8; 12], packet: &mut Packet<'_>, tag: &mut [u8]) {
    let mut full = [0; 16];
    key.seal(iv, packet, &mut full);
    tag::write(&full, tag);
}

#[cold]
#[inline(never)]
fn gcm_open_short<T: GcmToken>(key: &GcmKey<T>, iv: &[u8; 12], packet: &mut Packet<'_>, tag: &[u8]) -> bool {
    let mut full = [0; 16];
    key.unseal(iv, packet, &mut full);
    tag::matches(&mut full, tag)
}

fn iv12(iv: &[u8]) -> &[u8; 12] {
    iv.try_into().expect("the IV has 12 bytes")
}

#[inline(never)]
fn gcm_pieces<T: GcmToken>(
    key: &GcmKey<T>,
    direction: Direction,
    iv: &[u8; 12],
    assoc: &[&[u8]],
    text: &mut Text<'_>,
) -> [u8; 16] {
    let mut state = key.start(iv);
    assoc.iter().for_each(|part| key.aad(&mut state, part));
    while let Some(run) = text.next(16, 0) {
        match direction {
            Direction::Encrypt => key.encrypt(&mut state, run),
            Direction::Decrypt => key.decrypt(&mut state, run),
        }
    }
    key.finish(state)
}

impl<T: GcmToken> Make for GcmKey<T> {
    type Token = T;

    fn make(token: T, key: &[u8], _: WeakKeys) -> Result<Self, BadKey> {
        Self::new(token, key).ok_or(KEY_LENGTH)
    }

    fn boxed(token: T, key: &[u8], _: WeakKeys) -> Result<Box<Self>, BadKey> {
        Self::new_in(token, key, Box::new, |new| new).ok_or(KEY_LENGTH)
    }
}
