//! AEAD messages whose parts come one after the other.

use crate::kind::Direction;
use crate::wiped::Wiped;
use algkit_primitives::InOut;

/// A message in progress, made by [`AeadOps::begin`](super::AeadOps::begin). All parts of a message have one direction.
pub trait AeadState: Send + Sync {
    /// The longest text in bytes.
    fn max_text(&self) -> u64;

    /// Absorbs a part of the associated data. Not called after the first part of the text.
    fn assoc(&mut self, assoc: &[u8]);

    /// Encrypts or decrypts the next part of the text, of any length.
    fn crypt(&mut self, direction: Direction, text: InOut<'_>);

    /// Ends the message; returns the full tag. Only [`AeadState::restart`] may follow.
    fn finish(&mut self) -> [u8; 16];

    /// Begins another message under the same key; returns whether the IV has a length that the driver accepts.
    #[must_use]
    fn restart(&mut self, iv: &[u8]) -> bool;

    /// An independent copy.
    fn boxed_clone(&self) -> Box<dyn AeadState>;
}

/// A message whose text is encrypted or decrypted in parts of whole granules.
pub(crate) trait Granular: Clone + Send + Sync + Sized + 'static {
    /// The length of a granule in bytes, at most [`MAX_GRANULE`].
    const GRANULE: usize;

    /// See [`AeadState::max_text`].
    const MAX_TEXT: u64;

    /// See [`AeadState::assoc`].
    fn assoc(&mut self, assoc: &[u8]);

    /// Encrypts or decrypts a part. The length of every part but the last is a multiple of the granule.
    fn crypt(&mut self, direction: Direction, text: InOut<'_>);

    /// Encrypts or decrypts the beginning of the next granule; both are the same operation. The message stays where it is.
    fn peek(&self, start: &mut [u8]);

    /// See [`AeadState::finish`].
    fn finish(&mut self) -> [u8; 16];

    /// See [`AeadState::restart`].
    #[must_use]
    fn restart(&mut self, iv: &[u8]) -> bool;

    /// The message in parts of any length.
    fn in_parts(self) -> Box<dyn AeadState> {
        Box::new(InParts {
            message: self,
            direction: Direction::Encrypt,
            granule: Wiped::<MAX_GRANULE>::default(),
            filled: 0,
        })
    }
}

const MAX_GRANULE: usize = 64;

/// A message in parts of any length. A granule is absorbed when it is complete; until then its source is kept, and
/// each part of it is encrypted or decrypted with all that came before it.
#[derive(Clone)]
struct InParts<M> {
    message: M,
    /// That of the part in `granule`.
    direction: Direction,
    granule: Wiped<MAX_GRANULE>,
    filled: usize,
}

impl<M: Granular> InParts<M> {
    /// Processes a part that ends within the current granule or together with it.
    fn within(&mut self, mut text: InOut<'_>) {
        let (start, end) = (self.filled, self.filled + text.len());
        self.granule[start..end].copy_from_slice(text.src());
        if end == M::GRANULE {
            self.message.crypt(self.direction, InOut::from(&mut self.granule[..end]));
            text.put(0, &self.granule[start..end]);
            self.filled = 0;
        } else {
            let mut begun = self.granule.clone();
            self.message.peek(&mut begun[..end]);
            text.put(0, &begun[start..end]);
            self.filled = end;
        }
    }
}

impl<M: Granular> AeadState for InParts<M> {
    fn max_text(&self) -> u64 {
        M::MAX_TEXT
    }

    fn assoc(&mut self, assoc: &[u8]) {
        self.message.assoc(assoc);
    }

    fn crypt(&mut self, direction: Direction, mut text: InOut<'_>) {
        self.direction = direction;
        if self.filled > 0 {
            let within = text.len().min(M::GRANULE - self.filled);
            let (head, rest) = text.split_at(within);
            self.within(head);
            text = rest;
        }
        let whole = text.len() - text.len() % M::GRANULE;
        let (whole, tail) = text.split_at(whole);
        if !whole.is_empty() {
            self.message.crypt(direction, whole);
        }
        if !tail.is_empty() {
            self.within(tail);
        }
    }

    fn finish(&mut self) -> [u8; 16] {
        if self.filled > 0 {
            let end = self.filled;
            self.message.crypt(self.direction, InOut::from(&mut self.granule[..end]));
        }
        self.message.finish()
    }

    fn restart(&mut self, iv: &[u8]) -> bool {
        self.filled = 0;
        self.message.restart(iv)
    }

    fn boxed_clone(&self) -> Box<dyn AeadState> {
        Box::new(self.clone())
    }
}
