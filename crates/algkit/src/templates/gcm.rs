//! GCM (SP 800-38D) composed of CTR and GHASH: `gcm(aes)`, which is `gcm_base(ctr(aes),ghash)`. Fused drivers
//! compute both in one pass.

use super::{Lookup, args, bad, compose, hash, pad16, parts::TagInParts, shorten, skcipher, with_list};
use crate::{
    Error, Name, Sizes, Text,
    blockwise::xor,
    driver::{
        AeadOps, AeadState, Direction, Driver, DriverRef, Granular, HashOps, Keyed, Refusal, Shape, SkcipherOps, Type,
    },
    tag,
    wiped::Wiped,
};
use algkit_primitives::InOut;
use std::sync::Arc;

/// Tag lengths (SP 800-38D section 5.2.1.2).
pub(crate) const TAGS: Sizes = Sizes::of(&[4, 8, 12, 13, 14, 15, 16]);

/// The longest text in bytes: 2^32 − 2 counter blocks.
pub(crate) const MAX_TEXT: u64 = (1 << 36) - 32;

/// Refuses a text so long that a counter block would repeat.
pub(crate) fn check_text(text_len: u64) -> Result<(), Refusal> {
    if text_len > MAX_TEXT { Err(Refusal::Text("at most 68719476704 (2^36 - 32)")) } else { Ok(()) }
}

struct Gcm {
    ctr: Box<dyn SkcipherOps>,
    ghash: Box<dyn HashOps>,
}

impl Gcm {
    /// The tag mask E(J0), and the counter block that follows J0.
    fn start(&self, iv: &[u8]) -> (Wiped<16>, Wiped<16>) {
        let mut mask = Wiped::<16>::default();
        let mut counter = self.zeroth(iv);
        self.crypt(Direction::Encrypt, &mut counter.0, &mut Text::from(&mut mask[..]));
        (mask, counter)
    }

    /// The pre-counter block J0 (section 7.1, step 2). That of an IV that is hashed is a polynomial of the hash key.
    fn zeroth(&self, iv: &[u8]) -> Wiped<16> {
        let mut block = Wiped::<16>::default();
        if iv.len() == 12 {
            block.0[..12].copy_from_slice(iv);
            block.0[15] = 1;
        } else {
            let bits = (iv.len() as u128 * 8).to_be_bytes();
            self.ghash.digest(&[iv, pad16(iv.len()), &bits], &mut block.0);
        }
        block
    }

    /// Counter mode with a 32-bit counter (section 6.2), built on one with a 128-bit counter. Where the 32-bit
    /// counter wraps, the text is cut. With 12-byte IVs it never wraps within a valid text.
    fn crypt(&self, direction: Direction, counter: &mut [u8; 16], text: &mut Text<'_>) {
        let [fixed @ .., a, b, c, d] = *counter;
        let left = |counter: u32| ((1 << 32) - u64::from(counter)) * 16;
        if text.len() as u64 <= left(u32::from_be_bytes([a, b, c, d])) {
            self.ctr.crypt(direction, counter, text);
        } else {
            let mut left = left(u32::from_be_bytes([a, b, c, d]));
            while let Some(mut run) = text.next(16, 0) {
                while let Some(before) = usize::try_from(left).ok().and_then(|left| run.take(left)) {
                    self.ctr.crypt_run(direction, counter, before);
                    counter[..12].copy_from_slice(&fixed);
                    left = 1 << 36;
                }
                left -= run.len() as u64;
                self.ctr.crypt_run(direction, counter, run);
            }
        }
        counter[..12].copy_from_slice(&fixed);
    }

    /// The tag: GHASH over the padded associated data, the padded ciphertext and their lengths in bits, XORed with
    /// the mask.
    fn tag<'a>(
        &self,
        mask: &[u8; 16],
        assoc: &[&'a [u8]],
        ciphertext: impl Iterator<Item = &'a [u8]>,
        len: usize,
    ) -> [u8; 16] {
        let assoc_len: usize = assoc.iter().map(|a| a.len()).sum();
        let bits = lengths(assoc_len as u64, len as u64);
        let padded_assoc = assoc.iter().copied().chain([pad16(assoc_len)]);
        let pieces = shorten(padded_assoc.chain(ciphertext)).chain([pad16(len), &bits]);
        let mut tag = [0; 16];
        with_list(pieces, |pieces| self.ghash.digest(pieces, &mut tag));
        xor(&mut tag, mask);
        tag
    }
}

/// A message in parts.
#[derive(Clone)]
struct Message {
    gcm: Arc<Gcm>,
    mask: Wiped<16>,
    counter: Wiped<16>,
    /// Before the mask.
    tag: TagInParts,
}

impl Granular for Message {
    const GRANULE: usize = 16;
    const MAX_TEXT: u64 = MAX_TEXT;

    fn assoc(&mut self, assoc: &[u8]) {
        self.tag.assoc(assoc);
    }

    fn crypt(&mut self, direction: Direction, mut text: InOut<'_>) {
        self.tag.around(direction, &mut text, |text| {
            self.gcm.crypt(direction, &mut self.counter.0, &mut Text::from(text));
        });
    }

    fn peek(&self, start: &mut [u8]) {
        self.gcm.crypt(Direction::Encrypt, &mut self.counter.clone().0, &mut Text::from(start));
    }

    fn finish(&mut self) -> [u8; 16] {
        let mut tag = self.tag.finish(lengths);
        xor(&mut tag, &*self.mask);
        tag
    }

    fn restart(&mut self, iv: &[u8]) -> bool {
        (self.mask, self.counter) = self.gcm.start(iv);
        self.tag = TagInParts::new(self.gcm.ghash.start());
        !iv.is_empty()
    }
}

/// The last block of GHASH: the lengths in bits.
fn lengths(assoc: u64, text: u64) -> [u8; 16] {
    (((u128::from(assoc) * 8) << 64) | (u128::from(text) * 8)).to_be_bytes()
}

impl AeadOps for Arc<Gcm> {
    fn check(&self, _iv: &[u8], _assoc_len: usize, text_len: u64) -> Result<(), Refusal> {
        check_text(text_len)
    }

    fn begin(&self, iv: &[u8]) -> Option<Box<dyn AeadState>> {
        let (mask, counter) = self.start(iv);
        let tag = TagInParts::new(self.ghash.start());
        Some(Message { gcm: self.clone(), mask, counter, tag }.in_parts())
    }

    fn takes_iv(&self, len: usize) -> bool {
        len > 0
    }

    fn seal(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &mut [u8]) {
        let (mask, mut counter) = self.start(iv);
        self.crypt(Direction::Encrypt, &mut counter.0, text);
        let len = text.len();
        let full = self.tag(&mask, assoc, text.destinations(), len);
        tag::write(&full, tag);
    }

    fn open(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &[u8]) -> bool {
        let (mask, mut counter) = self.start(iv);
        let len = text.len();
        let mut full = self.tag(&mask, assoc, text.sources(), len);
        let authentic = tag::matches(&mut full, tag);
        if authentic {
            self.crypt(Direction::Decrypt, &mut counter.0, text);
        }
        authentic
    }
}

/// Builds `gcm(cipher)`.
pub(super) fn build(lookup: &dyn Lookup, name: &Name) -> Result<Driver, Error> {
    let [arg] = args(name)?;
    let ctr = lookup.find(Type::Skcipher, &Name { base: "ctr".into(), args: vec![arg.clone()] })?;
    compose_gcm(name, ctr, lookup.find(Type::Hash, &Name::word("ghash"))?)
}

/// Builds `gcm_base(ctr(cipher),ghash)`.
pub(super) fn build_base(lookup: &dyn Lookup, name: &Name) -> Result<Driver, Error> {
    let [ctr, ghash] = args(name)?;
    compose_gcm(name, lookup.find(Type::Skcipher, ctr)?, lookup.find(Type::Hash, ghash)?)
}

fn compose_gcm(name: &Name, ctr: DriverRef, ghash: DriverRef) -> Result<Driver, Error> {
    let cipher = ctr.name.strip_prefix("ctr(").and_then(|c| c.strip_suffix(')'));
    let Some(cipher) = cipher.filter(|_| ctr.shape.ivsize == 16 && ghash.name == "ghash") else {
        return Err(bad(name, "gcm_base takes ctr(cipher) of 16-byte blocks and ghash"));
    };
    let shape = Shape::aead(ctr.shape.keys.clone(), 12, TAGS);
    let (alg, driver) = (format!("gcm({cipher})"), format!("gcm_base({},{})", ctr.driver, ghash.driver));
    Ok(compose(alg, driver, Type::Aead, shape, [ctr, ghash], |[ctr, ghash], cpu, key, weak| {
        let ctr = skcipher(ctr, cpu, key, weak)?;
        let mut hash_key = Wiped::<16>::default();
        ctr.crypt(Direction::Encrypt, &mut [0; 16], &mut Text::from(&mut hash_key[..]));
        let ghash = hash(ghash, cpu, &*hash_key, weak)?;
        Ok(Keyed::Aead(Box::new(Arc::new(Gcm { ctr, ghash }))))
    }))
}

#[cfg(test)]
mod tests {
    /// SP 800-38D, section 5.2.1.1: 2^39 - 256 bits at most.
    #[test]
    fn the_longest_text() {
        assert!(super::check_text(68_719_476_704).is_ok() && super::check_text(68_719_476_705).is_err());
    }

    #[test]
    fn lengths_have_64_bits() {
        let want = hex_literal::hex!("fffffffffffffff80000007fffffff00");
        assert_eq!(super::lengths((1 << 61) - 1, super::MAX_TEXT), want);
    }
}
