//! AEGIS-128.

use super::Make;
use crate::{
    Text,
    driver::{AeadOps, BadKey, Direction, WeakKeys},
    tag,
};
use algkit_primitives::aegis::{Aegis128, AegisToken};

/// A keyed AEGIS-128.
pub(crate) struct Aegis<T: AegisToken>(Aegis128<T>);

impl<T: AegisToken> Aegis<T> {
    /// Processes a whole message and returns its tag.
    fn pass(&self, direction: Direction, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>) -> [u8; 16] {
        let mut message = self.0.start(iv.try_into().expect("the IV has 16 bytes"));
        assoc.iter().for_each(|part| self.0.assoc(&mut message, part));
        while let Some(run) = text.next(16, 0) {
            match direction {
                Direction::Encrypt => self.0.crypt::<true>(&mut message, run),
                Direction::Decrypt => self.0.crypt::<false>(&mut message, run),
            }
        }
        self.0.finish(message)
    }
}

impl<T: AegisToken> AeadOps for Aegis<T> {
    fn unchecked(&self) -> Option<u64> {
        Some(u64::MAX / 8)
    }

    fn seal(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &mut [u8]) {
        let full = self.pass(Direction::Encrypt, iv, assoc, text);
        tag::write(&full, tag);
    }

    fn open(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &[u8]) -> bool {
        let mut full = self.pass(Direction::Decrypt, iv, assoc, text);
        tag::matches(&mut full, tag)
    }
}

impl<T: AegisToken> Make for Aegis<T> {
    type Token = T;

    fn make(token: T, key: &[u8], _: WeakKeys) -> Result<Self, BadKey> {
        let key = key.try_into().map_err(|_| BadKey("an AEGIS-128 key has 16 bytes"))?;
        Ok(Self(Aegis128::new(token, key)))
    }
}
