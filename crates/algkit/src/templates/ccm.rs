//! CCM (SP 800-38C, RFC 3610) composed of CTR and CBC-MAC: `ccm(aes)`, which is `ccm_base(ctr(aes),cbcmac(aes))`.
//!
//! The 16-byte IV is the first counter block, as in the kernel: the byte L − 1, a nonce of 15 − L bytes, and a
//! counter of L bytes, whose contents are ignored. L is 2 to 8.

use super::{Lookup, args, bad, compose, hash, pad16, skcipher, with_list};
use crate::{
    Error, Name, Sizes, Text,
    blockwise::xor,
    driver::{AeadJob, AeadOps, Direction, Driver, DriverRef, HashOps, Keyed, Refusal, Shape, SkcipherOps, Type},
    tag,
    wiped::Wiped,
};

/// Tag lengths (SP 800-38C appendix A.1).
pub(crate) const TAGS: Sizes = Sizes::of(&[4, 6, 8, 10, 12, 14, 16]);

/// Refuses an IV whose first byte is not 1 to 7, and a text whose length does not fit into L bytes.
pub(crate) fn check(iv: &[u8], text_len: u64) -> Result<(), Refusal> {
    match iv[0] {
        1..=7 if iv[0] < 7 && text_len >> (8 * (u32::from(iv[0]) + 1)) != 0 => {
            Err(Refusal::Text("a length that fits into the length field that the IV declares"))
        }
        1..=7 => Ok(()),
        _ => Err(Refusal::Iv("the IV's first byte must be the size of the length field minus 1, from 1 to 7")),
    }
}

/// The start of the CBC-MAC input, before the associated data, and the first counter block.
pub(crate) struct Prefix {
    /// Zeros behind `len`.
    bytes: [u8; 32],
    len: usize,
    /// Counter block 0. Its encryption masks the tag.
    pub(crate) counter: [u8; 16],
}

impl Prefix {
    /// Formats block B0 and the encoded length of the associated data (SP 800-38C appendix A.2).
    pub(crate) fn new(iv: &[u8], assoc_len: usize, text_len: usize, tag_len: usize) -> Self {
        // The bits of the length field, which has 2 to 8 bytes.
        let field = u64::MAX >> (56 - 8 * u32::from(iv[0]));
        let iv = u128::from_be_bytes(iv.try_into().expect("the IV has 16 bytes"));
        let counter = iv & !u128::from(field);
        let flags = ((tag_len - 2) / 2 * 8) as u128 | if assoc_len > 0 { 0x40 } else { 0 };
        let b0 = counter | text_len as u128 | flags << 120;
        let (encoded, n) = match assoc_len as u128 {
            0 => (0, 0),
            len @ 1..0xff00 => (len << 112, 2),
            len @ 0xff00..=0xffff_ffff => (0xfffe << 112 | len << 80, 6),
            len => (0xffff << 112 | len << 48, 10),
        };
        let mut bytes = [0; 32];
        bytes[..16].copy_from_slice(&b0.to_be_bytes());
        bytes[16..].copy_from_slice(&u128::to_be_bytes(encoded));
        Self { bytes, len: 16 + n, counter: counter.to_be_bytes() }
    }

    /// Writes [`Prefix::pieces`] to `room`, which holds zeros, if they fit; returns whole blocks.
    pub(crate) fn gather<'r>(&self, assoc: &[&[u8]], room: &'r mut [u8; START]) -> Option<&'r [u8]> {
        room[..32].copy_from_slice(&self.bytes);
        let mut len = self.len;
        for piece in assoc {
            room.get_mut(len..)?.get_mut(..piece.len())?.copy_from_slice(piece);
            len += piece.len();
        }
        Some(&room[..len.next_multiple_of(16)])
    }

    /// The CBC-MAC input before the text, in pieces: the prefix and the associated data, padded to whole blocks
    /// with zeros.
    pub(crate) fn pieces<'a>(&'a self, assoc: &[&'a [u8]]) -> impl Iterator<Item = &'a [u8]> {
        let len = self.len + assoc.iter().map(|a| a.len()).sum::<usize>();
        [&self.bytes[..self.len]].into_iter().chain(assoc.iter().copied()).chain([pad16(len)])
    }
}

/// The buffer size in bytes for [`Prefix::pieces`] in one piece. It suffices for the short associated data of
/// packets.
pub(crate) const START: usize = 64;

/// [`Prefix::gather`] of a message; returns its blocks and counter block 0 as a big-endian number.
#[inline(never)]
pub(crate) fn start<'r>(room: &'r mut [u8; START], job: &AeadJob<'_>) -> Option<(&'r [u8], u128)> {
    let assoc_len = job.assoc.iter().map(|a| a.len()).sum();
    let prefix = Prefix::new(job.iv, assoc_len, job.text_len(), job.tag_len());
    Some((prefix.gather(job.assoc, room)?, u128::from_be_bytes(prefix.counter)))
}

struct Ccm {
    ctr: Box<dyn SkcipherOps>,
    cbcmac: Box<dyn HashOps>,
}

impl Ccm {
    fn tag<'a>(&self, prefix: &'a Prefix, assoc: &[&'a [u8]], text: impl Iterator<Item = &'a [u8]>) -> [u8; 16] {
        let mut tag = [0; 16];
        with_list(prefix.pieces(assoc).chain(text), |pieces| self.cbcmac.digest(pieces, &mut tag));
        tag
    }
}

impl AeadOps for Ccm {
    fn check(&self, iv: &[u8], _assoc_len: usize, text_len: u64) -> Result<(), Refusal> {
        check(iv, text_len)
    }

    fn seal(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &mut [u8]) {
        let assoc_len = assoc.iter().map(|a| a.len()).sum();
        let mut prefix = Prefix::new(iv, assoc_len, text.len(), tag.len());
        let mut full = self.tag(&prefix, assoc, text.sources());
        self.ctr.crypt(Direction::Encrypt, &mut prefix.counter, &mut Text::from(&mut full[..]));
        self.ctr.crypt(Direction::Encrypt, &mut prefix.counter, text);
        tag::write(&full, tag);
    }

    fn open(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &[u8]) -> bool {
        let assoc_len = assoc.iter().map(|a| a.len()).sum();
        let mut prefix = Prefix::new(iv, assoc_len, text.len(), tag.len());
        let mut mask = Wiped::<16>::default();
        self.ctr.crypt(Direction::Encrypt, &mut prefix.counter, &mut Text::from(&mut mask[..]));
        let mut counter = prefix.counter;
        self.ctr.crypt(Direction::Decrypt, &mut counter, text);
        let mut full = self.tag(&prefix, assoc, text.destinations());
        xor(&mut full, &*mask);
        tag::matches(&mut full, tag)
    }
}

/// Builds `ccm(cipher)`.
pub(super) fn build(lookup: &dyn Lookup, name: &Name) -> Result<Driver, Error> {
    let [arg] = args(name)?;
    let over = |base: &str| Name { base: base.into(), args: vec![arg.clone()] };
    compose_ccm(name, lookup.find(Type::Skcipher, &over("ctr"))?, lookup.find(Type::Hash, &over("cbcmac"))?)
}

/// Builds `ccm_base(ctr(cipher),cbcmac(cipher))`.
pub(super) fn build_base(lookup: &dyn Lookup, name: &Name) -> Result<Driver, Error> {
    let [ctr, mac] = args(name)?;
    compose_ccm(name, lookup.find(Type::Skcipher, ctr)?, lookup.find(Type::Hash, mac)?)
}

fn compose_ccm(name: &Name, ctr: DriverRef, mac: DriverRef) -> Result<Driver, Error> {
    let cipher = ctr.name.strip_prefix("ctr(").and_then(|c| c.strip_suffix(')'));
    let same = |cipher: &&str| mac.name == format!("cbcmac({cipher})");
    let Some(cipher) = cipher.filter(same).filter(|_| ctr.shape.ivsize == 16) else {
        return Err(bad(name, "ccm_base takes ctr(cipher) and cbcmac(cipher), of 16-byte blocks"));
    };
    let shape = Shape::aead(ctr.shape.keys.clone(), 16, TAGS);
    let (alg, driver) = (format!("ccm({cipher})"), format!("ccm_base({},{})", ctr.driver, mac.driver));
    Ok(compose(alg, driver, Type::Aead, shape, [ctr, mac], |[ctr, mac], cpu, key, weak| {
        let (ctr, cbcmac) = (skcipher(ctr, cpu, key, weak)?, hash(mac, cpu, key, weak)?);
        Ok(Keyed::Aead(Box::new(Ccm { ctr, cbcmac })))
    }))
}

#[cfg(test)]
mod tests {
    use super::{Prefix, check};

    /// RFC 3610, section 2.2: the flags, the nonce, and the text's length in the bytes that the IV's first byte leaves.
    #[test]
    fn the_first_block_holds_the_texts_length() {
        let mut iv: [u8; 16] = std::array::from_fn(|i| 0xe0 + i as u8);
        for (size, text_len, block) in [
            (2, 0xfffe, "79e1e2e3e4e5e6e7e8e9eaebecedfffe"),
            (3, 0x01_0203, "7ae1e2e3e4e5e6e7e8e9eaebec010203"),
            (4, 0xff02_0304, "7be1e2e3e4e5e6e7e8e9eaebff020304"),
            (8, 0xff02_0304, "7fe1e2e3e4e5e6e700000000ff020304"),
        ] {
            iv[0] = size - 1;
            let block = u128::from_str_radix(block, 16).unwrap().to_be_bytes();
            assert_eq!(Prefix::new(&iv, 1, text_len, 16).bytes[..16], block, "{size} bytes for the length");
        }
    }

    #[test]
    fn a_text_fits_into_the_length_field() {
        for size in 2..8 {
            let iv = [size - 1; 16];
            assert!(check(&iv, (1 << (8 * size)) - 1).is_ok() && check(&iv, 1 << (8 * size)).is_err(), "{size} bytes");
        }
        assert!(check(&[7; 16], u64::MAX).is_ok());
        assert!([0, 8, 0xff].iter().all(|first| check(&[*first; 16], 0).is_err()));
    }

    /// The lengths where the encoding changes, and the two examples in SP 800-38C appendix A.2.2, 2^16 and 2^32.
    #[cfg(target_pointer_width = "64")]
    #[test]
    fn associated_data_has_three_encodings_of_its_length() {
        let iv = [1; 16];
        for (assoc_len, want) in [
            (0, &[][..]),
            (0xfeff, &[0xfe, 0xff]),
            (0xff00, &[0xff, 0xfe, 0, 0, 0xff, 0]),
            (1 << 16, &[0xff, 0xfe, 0, 1, 0, 0]),
            (0xffff_ffff, &[0xff, 0xfe, 0xff, 0xff, 0xff, 0xff]),
            (1 << 32, &[0xff, 0xff, 0, 0, 0, 1, 0, 0, 0, 0]),
        ] {
            let prefix = Prefix::new(&iv, assoc_len, 0, 16);
            assert_eq!(prefix.bytes[16..prefix.len], *want, "{assoc_len} bytes");
        }
    }
}
