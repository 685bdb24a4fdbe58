//! GCM, fused with AES and carry-less multiplication instructions.

use super::KEY_LENGTH;
use crate::{
    Text,
    adapters::Make,
    driver::{AeadOps, AeadState, BadKey, Direction, Granular, Refusal, WeakKeys},
    tag,
    templates::gcm,
};
use algkit_primitives::{
    InOut, Packet,
    gcm::{GcmKey, GcmState, GcmToken},
};

impl<T: GcmToken> AeadOps for GcmKey<T> {
    fn check(&self, _iv: &[u8], _assoc_len: usize, text_len: u64) -> Result<(), Refusal> {
        gcm::check_text(text_len)
    }

    fn set_key(&mut self, key: &[u8], _: WeakKeys) -> bool {
        self.set(key)
    }

    fn takes_iv(&self, len: usize) -> bool {
        len > 0
    }

    fn unchecked(&self) -> Option<u64> {
        Some(gcm::MAX_TEXT)
    }

    fn begin(&self, iv: &[u8]) -> Option<Box<dyn AeadState>> {
        Some(Message { key: self.clone(), state: self.start_any(iv) }.in_parts())
    }

    fn seal(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &mut [u8]) {
        let full = gcm_pieces(self, Direction::Encrypt, iv, assoc, text);
        tag::write(&full, tag);
    }

    fn open(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &[u8]) -> bool {
        let mut full = gcm_pieces(self, Direction::Decrypt, iv, assoc, text);
        tag::matches(&mut full, tag)
    }

    fn seal_packet(&self, iv: &[u8], packet: &mut Packet<'_>, tag: &mut [u8]) {
        match (iv.try_into(), <&mut [u8; 16]>::try_from(&mut *tag)) {
            (Ok(iv), Ok(tag)) => GcmKey::seal(self, iv, packet, tag),
            _ => gcm_seal_unusual(self, iv, packet, tag),
        }
    }

    fn open_packet(&self, iv: &[u8], packet: &mut Packet<'_>, tag: &[u8]) -> bool {
        match (iv.try_into(), tag.try_into()) {
            (Ok(iv), Ok(tag)) => GcmKey::open(self, iv, packet, tag),
            _ => gcm_open_unusual(self, iv, packet, tag),
        }
    }
}

/// A message in parts, with its key.
#[derive(Clone)]
struct Message<T: GcmToken> {
    key: GcmKey<T>,
    state: GcmState,
}

impl<T: GcmToken> Granular for Message<T> {
    const GRANULE: usize = 16;
    const MAX_TEXT: u64 = gcm::MAX_TEXT;

    fn assoc(&mut self, assoc: &[u8]) {
        self.key.aad(&mut self.state, assoc);
    }

    fn crypt(&mut self, direction: Direction, text: InOut<'_>) {
        match direction {
            Direction::Encrypt => self.key.encrypt(&mut self.state, text),
            Direction::Decrypt => self.key.decrypt(&mut self.state, text),
        }
    }

    fn peek(&self, start: &mut [u8]) {
        self.key.encrypt(&mut self.state.clone(), InOut::from(start));
    }

    fn finish(&mut self) -> [u8; 16] {
        self.key.finish(self.state.clone())
    }

    fn restart(&mut self, iv: &[u8]) -> bool {
        self.state = self.key.start_any(iv);
        !iv.is_empty()
    }
}

/// For a tag shorter than 16 bytes or an IV of another length than 12. A separate function, so that the common call
/// remains a jump to the kernel.
#[cold]
#[inline(never)]
fn gcm_seal_unusual<T: GcmToken>(key: &GcmKey<T>, iv: &[u8], packet: &mut Packet<'_>, tag: &mut [u8]) {
    let mut full = [0; 16];
    match iv.try_into() {
        Ok(iv) => key.seal(iv, packet, &mut full),
        Err(_) => full = gcm_packet(key, Direction::Encrypt, iv, packet),
    }
    tag::write(&full, tag);
}

#[cold]
#[inline(never)]
fn gcm_open_unusual<T: GcmToken>(key: &GcmKey<T>, iv: &[u8], packet: &mut Packet<'_>, tag: &[u8]) -> bool {
    let mut full = [0; 16];
    match iv.try_into() {
        Ok(iv) => key.unseal(iv, packet, &mut full),
        Err(_) => full = gcm_packet(key, Direction::Decrypt, iv, packet),
    }
    tag::matches(&mut full, tag)
}

fn gcm_packet<T: GcmToken>(key: &GcmKey<T>, direction: Direction, iv: &[u8], packet: &mut Packet<'_>) -> [u8; 16] {
    gcm_pieces(key, direction, iv, &[packet.assoc], &mut Text::from(packet.text.reborrow()))
}

#[inline(never)]
fn gcm_pieces<T: GcmToken>(
    key: &GcmKey<T>,
    direction: Direction,
    iv: &[u8],
    assoc: &[&[u8]],
    text: &mut Text<'_>,
) -> [u8; 16] {
    let mut state = key.start_any(iv);
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
