//! AEAD encryption of a message whose parts come one after the other.

use algkit_primitives::InOut;
use zeroize::Zeroizing;

/// A message that is being encrypted, made by [`AeadOps::begin`](super::AeadOps::begin).
pub trait AeadState: Send + Sync {
    /// The longest text in bytes.
    fn max_text(&self) -> u64;

    /// Absorbs a part of the associated data. Not called after the first part of the text.
    fn assoc(&mut self, assoc: &[u8]);

    /// Encrypts the next part of the text, of any length.
    fn encrypt(&mut self, text: InOut<'_>);

    /// Ends the message; returns the full tag. The state must not be used afterwards.
    fn finish(&mut self) -> [u8; 16];
}

/// A message whose text is encrypted in parts of whole granules.
pub(crate) trait Granular: Send + Sync + Sized + 'static {
    /// The length of a granule in bytes, at most [`MAX_GRANULE`].
    const GRANULE: usize;

    /// See [`AeadState::max_text`].
    const MAX_TEXT: u64;

    /// See [`AeadState::assoc`].
    fn assoc(&mut self, assoc: &[u8]);

    /// Encrypts a part. The length of every part but the last is a multiple of the granule.
    fn encrypt(&mut self, text: InOut<'_>);

    /// Encrypts the beginning of the next granule. The message does not go on.
    fn peek(&self, start: &mut [u8]);

    /// See [`AeadState::finish`].
    fn finish(&mut self) -> [u8; 16];

    /// The message in parts of any length.
    fn in_parts(self) -> Box<dyn AeadState> {
        Box::new(InParts { message: self, granule: Zeroizing::new([0; MAX_GRANULE]), filled: 0 })
    }
}

const MAX_GRANULE: usize = 64;

/// A message in parts of any length. A granule is absorbed when it is complete; until then its plaintext is kept, and
/// each part of it is encrypted with all that came before it.
struct InParts<M> {
    message: M,
    granule: Zeroizing<[u8; MAX_GRANULE]>,
    filled: usize,
}

impl<M: Granular> InParts<M> {
    /// Encrypts a part that ends within the current granule or together with it.
    fn within(&mut self, mut text: InOut<'_>) {
        let (start, end) = (self.filled, self.filled + text.len());
        self.granule[start..end].copy_from_slice(text.src());
        if end == M::GRANULE {
            self.message.encrypt(InOut::from(&mut self.granule[..end]));
            text.put(0, &self.granule[start..end]);
            self.filled = 0;
        } else {
            let mut begun = *self.granule;
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

    fn encrypt(&mut self, mut text: InOut<'_>) {
        if self.filled > 0 {
            let within = text.len().min(M::GRANULE - self.filled);
            let (head, rest) = text.split_at(within);
            self.within(head);
            text = rest;
        }
        let whole = text.len() - text.len() % M::GRANULE;
        let (whole, tail) = text.split_at(whole);
        if !whole.is_empty() {
            self.message.encrypt(whole);
        }
        if !tail.is_empty() {
            self.within(tail);
        }
    }

    fn finish(&mut self) -> [u8; 16] {
        if self.filled > 0 {
            let end = self.filled;
            self.message.encrypt(InOut::from(&mut self.granule[..end]));
        }
        self.message.finish()
    }
}
