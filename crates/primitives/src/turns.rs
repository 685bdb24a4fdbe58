//! [`Turns`]: what is encrypted and hashed of one buffer.

/// Two parts of one buffer, one to be encrypted and one to be hashed, in turns of 64 bytes: first the next 64 bytes are
/// hashed, then the next 64 bytes are encrypted in place. So what is hashed is plaintext if it lies ahead of what is
/// encrypted, and ciphertext if it lies 64 bytes or more behind.
pub struct Turns<'a> {
    buffer: &'a mut [u8],
    encrypted: usize,
    hashed: usize,
    count: usize,
}

impl<'a> Turns<'a> {
    /// The bytes of a turn: a block of SHA-1 or SHA-256, and four blocks of AES.
    pub const BYTES: usize = 64;

    /// `count` turns from two places in a buffer; `None` if one of the parts does not end within it.
    pub fn new(buffer: &'a mut [u8], encrypted: usize, hashed: usize, count: usize) -> Option<Self> {
        let end = encrypted.max(hashed).checked_add(count.checked_mul(Self::BYTES)?)?;
        (end <= buffer.len()).then_some(Self { buffer, encrypted, hashed, count })
    }

    /// The number of turns.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The bytes that turn `i` hashes.
    ///
    /// # Panics
    /// It may, if there is no such turn.
    #[inline(always)]
    pub fn hashed(&self, i: usize) -> &[u8; 64] {
        self.buffer[self.hashed + i * Self::BYTES..].first_chunk().expect("checked when it was made")
    }

    /// The bytes that turn `i` encrypts.
    ///
    /// # Panics
    /// It may, if there is no such turn.
    #[inline(always)]
    pub fn encrypted(&mut self, i: usize) -> &mut [u8; 64] {
        self.buffer[self.encrypted + i * Self::BYTES..].first_chunk_mut().expect("checked when it was made")
    }
}
