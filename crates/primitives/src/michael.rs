//! Michael, the message authentication code of TKIP (IEEE 802.11-2020 section 12.5.2.3). It was designed for 20 bits of
//! security and serves networks that still use it.
//!
//! The state is two words, which begin as the key. Each little-endian word of the message is xored to the state, and an
//! unkeyed permutation follows. The message is padded with a byte 0x5a and four to seven zeros.

use crate::hash::{BlockBuffer, Hash, Reader, Writer};
use zeroize::Zeroize;

/// Michael, with an 8-byte key and an 8-byte tag.
#[derive(Clone)]
pub struct Michael {
    state: [u32; 2],
    buffer: BlockBuffer<4>,
}

impl Michael {
    /// An empty message under `key`.
    pub fn new(key: &[u8; 8]) -> Self {
        let [a, b, c, d, e, f, g, h] = *key;
        let state = [u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h])];
        Self { state, buffer: BlockBuffer::default() }
    }
}

/// The state after a word of the message.
fn absorb([left, right]: [u32; 2], word: u32) -> [u32; 2] {
    let (mut l, mut r) = (left ^ word, right);
    r ^= l.rotate_left(17);
    l = l.wrapping_add(r);
    r ^= (l & 0x00ff_00ff) << 8 | (l & 0xff00_ff00) >> 8;
    l = l.wrapping_add(r);
    r ^= l.rotate_left(3);
    l = l.wrapping_add(r);
    r ^= l.rotate_right(2);
    l = l.wrapping_add(r);
    [l, r]
}

impl Hash for Michael {
    fn digest_size(&self) -> usize {
        8
    }

    fn update(&mut self, data: &[u8]) {
        let state = &mut self.state;
        self.buffer.absorb(data, |words| {
            for word in words.as_chunks().0 {
                *state = absorb(*state, u32::from_le_bytes(*word));
            }
        });
    }

    fn finish(&mut self, out: &mut [u8]) {
        let mut last = [0; 4];
        let pending = self.buffer.pending();
        last[..pending.len()].copy_from_slice(pending);
        last[pending.len()] = 0x5a;
        let [left, right] = absorb(absorb(self.state, u32::from_le_bytes(last)), 0);
        let tag = u64::from(left) | u64::from(right) << 32;
        out.copy_from_slice(&tag.to_le_bytes());
    }

    fn export(&self, to: &mut Writer<'_>) {
        to.numbers(&self.state);
        to.buffered(self.buffer.pending());
    }

    fn import(&mut self, from: &mut Reader<'_>) -> Option<()> {
        from.numbers(&mut self.state)?;
        self.buffer.import(from)
    }
}

impl Drop for Michael {
    fn drop(&mut self) {
        self.state.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::check;

    /// IEEE 802.11-2020, table J-17: each tag is the key of the next row.
    #[test]
    fn the_standards_chain() {
        let messages = ["", "M", "Mi", "Mic", "Mich", "Michael"];
        let tags = [
            "82925c1ca1d130b8",
            "434721ca40639b3f",
            "e8f9becae97e5d29",
            "90038fc6cf13c1db",
            "d55e100510128986",
            "0a942b124ecaa546",
        ];
        let mut key = [0; 8];
        for (message, tag) in messages.iter().zip(tags) {
            let got = check::digest(Michael::new(&key), message.as_bytes());
            assert_eq!(hex::encode(&got), tag, "{message}");
            key.copy_from_slice(&got);
        }
    }
}
