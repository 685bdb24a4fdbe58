//! Texts that are passed through a cipher in parts, while something else is copied.

use crate::{Direction, Error, InOut, Skcipher};
use std::fmt;
use zeroize::Zeroizing;

/// A text that a [`Skcipher`] passes in parts: the state between them.
pub struct Parts {
    direction: Direction,
    state: Zeroizing<[u8; 16]>,
    left: usize,
}

impl fmt::Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Parts({:?}, {} bytes left)", self.direction, self.left)
    }
}

impl Skcipher {
    /// Begins a text of `len` bytes that [`Skcipher::part`] passes; `None` if the driver takes whole texts only.
    #[inline]
    pub fn parts(&self, direction: Direction, iv: &[u8], len: usize) -> Result<Option<Parts>, Error> {
        let Some(ops) = self.ops.in_parts() else { return Ok(None) };
        self.check(iv, len)?;
        Ok(Some(Parts { direction, state: Zeroizing::new(ops.start(iv)), left: len }))
    }

    /// Passes the next part of a text, whole blocks or all that is left, and copies `beside` meanwhile, at next to no cost
    /// where it is no longer than the part.
    #[inline]
    pub fn part(&self, parts: &mut Parts, text: InOut<'_>, beside: InOut<'_>) -> Result<(), Error> {
        let (len, block) = (text.len(), self.driver().shape.blocksize);
        let leaves_enough = parts.left.checked_sub(len).is_some_and(|left| left == 0 || left >= block);
        if !leaves_enough || (len < parts.left && !len.is_multiple_of(block)) {
            return Err(self.no_part(parts, len));
        }
        if let Some(ops) = self.ops.in_parts() {
            ops.part(parts.direction, &mut parts.state, text, beside);
            parts.left -= len;
        }
        Ok(())
    }
    #[cold]
    fn no_part(&self, parts: &Parts, len: usize) -> Error {
        let want = format!("whole blocks before the last, or the {} bytes that are left", parts.left);
        Error::TextLength { name: self.driver().name.clone(), got: len as u64, want }
    }
}
