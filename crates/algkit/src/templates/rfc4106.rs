//! AES-GCM, AES-CCM and AES-GMAC for IPsec: RFC 4106, RFC 4309 and RFC 4543.
//!
//! The key ends in a salt. The nonce is the salt followed by the 8-byte IV. The associated data ends in a copy of
//! the IV, as in the kernel. RFC 4106 and RFC 4309 do not authenticate that copy. RFC 4543 authenticates it
//! together with the text, and does not encrypt the text.

use super::{Lookup, aead, args, bad, cut, gcm, with_list, wrap};
use crate::{
    Error, Name, Sizes, Text,
    driver::{AeadOps, Driver, Keyed, Refusal, Shape, Type},
    wiped::Wiped,
};
use algkit_primitives::Packet;

/// The IV's length, in bytes.
const IV: usize = 8;

/// Tag lengths of RFC 4106 and RFC 4309.
const TAGS: Sizes = Sizes::of(&[8, 12, 16]);

/// Checks for an SPI (4 bytes), a sequence number (4 or 8 bytes) and the IV.
fn check_assoc(len: usize) -> Result<(), Refusal> {
    if matches!(len, 16 | 20) { Ok(()) } else { Err(Refusal::Assoc("16 or 20 (SPI, sequence number, IV)")) }
}

/// RFC 4106 over GCM and RFC 4309 over CCM. The inner IV is `template`, which contains the salt, with the IV
/// inserted at byte 4.
struct Esp {
    inner: Box<dyn AeadOps>,
    template: Wiped<16>,
    iv_len: usize,
}

impl Esp {
    /// Computed in registers: storing pieces and then loading the whole would stall the load.
    #[inline]
    fn iv(&self, iv: &[u8]) -> [u8; 16] {
        let iv = u64::from_le_bytes(iv.try_into().expect("checked against the shape"));
        (u128::from_le_bytes(*self.template) | u128::from(iv) << 32).to_le_bytes()
    }

    /// The packet without the IV at the end of its associated data.
    fn inner<'a>(packet: &'a mut Packet<'_>) -> Packet<'a> {
        let assoc = packet.assoc.len() - IV;
        Packet { assoc: &packet.assoc[..assoc], text: packet.text.reborrow() }
    }
}

impl AeadOps for Esp {
    fn check(&self, iv: &[u8], assoc_len: usize, text_len: u64) -> Result<(), Refusal> {
        check_assoc(assoc_len)?;
        self.inner.check(&self.iv(iv)[..self.iv_len], assoc_len - IV, text_len)
    }

    fn seal(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &mut [u8]) {
        with_list(cut(assoc, IV), |assoc| self.inner.seal(&self.iv(iv)[..self.iv_len], assoc, text, tag));
    }

    fn open(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &[u8]) -> bool {
        with_list(cut(assoc, IV), |assoc| self.inner.open(&self.iv(iv)[..self.iv_len], assoc, text, tag))
    }

    fn seal_packet(&self, iv: &[u8], packet: &mut Packet<'_>, tag: &mut [u8]) {
        self.inner.seal_packet(&self.iv(iv)[..self.iv_len], &mut Self::inner(packet), tag);
    }

    fn open_packet(&self, iv: &[u8], packet: &mut Packet<'_>, tag: &[u8]) -> bool {
        self.inner.open_packet(&self.iv(iv)[..self.iv_len], &mut Self::inner(packet), tag)
    }
}

/// RFC 4543 over GCM: the associated data and the text are all associated data of GCM.
struct Gmac(Esp);

impl AeadOps for Gmac {
    fn check(&self, _iv: &[u8], assoc_len: usize, text_len: u64) -> Result<(), Refusal> {
        check_assoc(assoc_len)?;
        gcm::check_text(text_len)
    }

    fn seal(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &mut [u8]) {
        let iv = &self.0.iv(iv)[..self.0.iv_len];
        with_list(assoc.iter().copied().chain(text.sources()), |all| {
            self.0.inner.seal(iv, all, &mut Text::from(&mut [][..]), tag)
        });
        text.copy();
    }

    fn open(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &[u8]) -> bool {
        let iv = &self.0.iv(iv)[..self.0.iv_len];
        let mut empty = Text::from(&mut [][..]);
        let authentic =
            with_list(assoc.iter().copied().chain(text.sources()), |all| self.0.inner.open(iv, all, &mut empty, tag));
        if authentic {
            text.copy();
        }
        authentic
    }
}

/// Builds `rfc4106(gcm(cipher))`: a 4-byte salt.
pub(super) fn build_rfc4106(lookup: &dyn Lookup, name: &Name) -> Result<Driver, Error> {
    build(lookup, name, "gcm(", 4, TAGS, |inner, salt| {
        let mut template = Wiped::<16>::default();
        template[..4].copy_from_slice(salt);
        Box::new(Esp { inner, template, iv_len: 12 })
    })
}

/// Builds `rfc4309(ccm(cipher))`: a 3-byte salt and a 4-byte length field.
pub(super) fn build_rfc4309(lookup: &dyn Lookup, name: &Name) -> Result<Driver, Error> {
    build(lookup, name, "ccm(", 3, TAGS, |inner, salt| {
        let mut template = Wiped::<16>::default();
        template[0] = 3;
        template[1..4].copy_from_slice(salt);
        Box::new(Esp { inner, template, iv_len: 16 })
    })
}

/// Builds `rfc4543(gcm(cipher))`: a 4-byte salt.
pub(super) fn build_rfc4543(lookup: &dyn Lookup, name: &Name) -> Result<Driver, Error> {
    build(lookup, name, "gcm(", 4, Sizes::of(&[16]), |inner, salt| {
        let mut template = Wiped::<16>::default();
        template[..4].copy_from_slice(salt);
        Box::new(Gmac(Esp { inner, template, iv_len: 12 }))
    })
}

/// Makes the outer AEAD from the inner one and the salt.
type Outer = fn(Box<dyn AeadOps>, &[u8]) -> Box<dyn AeadOps>;

fn build(
    lookup: &dyn Lookup,
    name: &Name,
    mode: &str,
    salt_len: usize,
    tags: Sizes,
    outer: Outer,
) -> Result<Driver, Error> {
    let [arg] = args(name)?;
    let inner = lookup.find(Type::Aead, arg)?;
    if !inner.name.starts_with(mode) {
        return Err(bad(name, &format!("{} takes {mode}cipher)", name.base)));
    }
    let shape = Shape::aead(inner.shape.keys.plus(salt_len), IV, tags);
    Ok(wrap(name, Type::Aead, shape, [inner], move |[inner], cpu, key, weak| {
        let (key, salt) = key.split_at(key.len() - salt_len);
        Ok(Keyed::Aead(outer(aead(inner, cpu, key, weak)?, salt)))
    }))
}
