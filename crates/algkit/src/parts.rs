//! Texts that are passed through a cipher in parts, while something else is copied.

use crate::{Direction, Error, InOut, Skcipher};
use std::fmt;
use zeroize::optimization_barrier;

/// Bytes of a block, and of an IV, where texts come in parts.
const BLOCK: usize = 16;

/// A text that a [`Skcipher`] passes in parts: the state between them.
pub struct Parts {
    direction: Direction,
    /// Whether no part has been passed: the state is the IV.
    first: bool,
    state: [u8; BLOCK],
    left: usize,
}

impl fmt::Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Parts({:?}, {} bytes left)", self.direction, self.left)
    }
}

impl Drop for Parts {
    #[inline]
    fn drop(&mut self) {
        self.state = [0; BLOCK];
        optimization_barrier(&self.state);
    }
}

impl Parts {
    /// Begins a text of `len` bytes that [`Skcipher::part`] passes.
    #[inline]
    pub fn new(direction: Direction, iv: &[u8; BLOCK], len: usize) -> Self {
        Self { direction, first: true, state: *iv, left: len }
    }
}

impl Skcipher {
    /// Passes the next part of a text, whole blocks or all that is left, and copies `beside` meanwhile, at next to no cost
    /// where it is no longer than the part. `false`, and nothing done, if the driver takes whole texts only.
    #[inline]
    pub fn part(&self, parts: &mut Parts, text: InOut<'_>, beside: InOut<'_>) -> Result<bool, Error> {
        if parts.first {
            self.check(&parts.state, parts.left)?;
        }
        let len = text.len();
        let leaves_enough = parts.left.checked_sub(len).is_some_and(|left| left == 0 || left >= BLOCK);
        if !leaves_enough || (len < parts.left && !len.is_multiple_of(BLOCK)) {
            return Err(self.no_part(parts, len));
        }
        let done = self.ops.crypt_part(parts.direction, parts.first, &mut parts.state, text, beside);
        if done {
            parts.first = false;
            parts.left -= len;
        }
        Ok(done)
    }

    #[cold]
    fn no_part(&self, parts: &Parts, len: usize) -> Error {
        let want = format!("whole blocks before the last, or the {} bytes that are left", parts.left);
        Error::TextLength { name: self.driver().name.clone(), got: len as u64, want }
    }
}
