//! Records of TLS 1.0 to 1.2: the header that all records authenticate, and the opening of a decrypted record in CBC
//! mode. Such a record has an explicit IV, the text, the MAC unless it was compared before, and padding. Neither the
//! time nor the addresses depend on the decrypted bytes (RFC 5246, section 6.2.3.2, and AlFardan and Paterson, "Lucky
//! Thirteen", 2013).

use crate::{
    abi::{PROV_R_CIPHER_OPERATION_FAILED, PROV_R_FAILED_TO_GET_PARAMETER, PROV_R_INVALID_AAD},
    core::Reason,
};
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq, ConstantTimeLess};

/// The header that is authenticated: number, type, version, length.
pub const HEADER: usize = 13;

/// The header with the length of the text. libssl passes the length of the record as it is sent, which has `more` bytes
/// than the text.
pub fn header_of_text(header: &[u8], more: usize) -> Result<[u8; HEADER], Reason> {
    let mut header: [u8; HEADER] = header.try_into().map_err(|_| PROV_R_INVALID_AAD)?;
    let len = usize::from(u16::from_be_bytes([header[11], header[12]]));
    let len = len.checked_sub(more).ok_or(PROV_R_INVALID_AAD)?;
    header[11..].copy_from_slice(&(len as u16).to_be_bytes());
    Ok(header)
}

const TLS1: usize = 0x0301;
const TLS1_1: usize = 0x0302;
const TLS1_2: usize = 0x0303;
const DTLS1: usize = 0xfeff;
const DTLS1_2: usize = 0xfefd;
const DTLS1_BAD: usize = 0x0100;

/// The longest MAC in bytes. The longest one that TLS uses is that of SHA-384, which has 48.
const MAX_MAC: usize = 64;

/// The properties of the records that a context processes.
#[derive(Clone)]
pub struct Cbc {
    /// `None` outside of TLS.
    explicit_iv: Option<bool>,
    mac_size: usize,
    mac: [u8; MAX_MAC],
}

impl Default for Cbc {
    fn default() -> Self {
        Self { explicit_iv: None, mac_size: 0, mac: [0; MAX_MAC] }
    }
}

impl Cbc {
    pub fn is_on(&self) -> bool {
        self.explicit_iv.is_some()
    }

    pub fn set_version(&mut self, version: usize) -> Result<(), Reason> {
        self.explicit_iv = match version {
            0 => None,
            TLS1 => Some(false),
            TLS1_1 | TLS1_2 | DTLS1 | DTLS1_2 | DTLS1_BAD => Some(true),
            _ => return Err(PROV_R_FAILED_TO_GET_PARAMETER),
        };
        Ok(())
    }

    pub fn set_mac_size(&mut self, size: usize) -> Result<(), Reason> {
        if size > MAX_MAC {
            return Err(PROV_R_FAILED_TO_GET_PARAMETER);
        }
        self.mac_size = size;
        Ok(())
    }

    /// The MAC of the last record.
    pub fn mac(&self) -> &[u8] {
        &self.mac[..self.mac_size]
    }

    /// A record without its explicit IV.
    fn text<'a>(&self, record: &'a [u8], block: usize) -> Result<&'a [u8], Reason> {
        let skipped = if self.explicit_iv == Some(true) { block } else { 0 };
        let text = record.get(skipped..).filter(|text| text.len() > self.mac_size);
        text.ok_or(PROV_R_CIPHER_OPERATION_FAILED)
    }

    /// Returns where the padding begins, and whether it is right. Wrong padding is treated as no padding.
    fn find_padding(&self, text: &[u8]) -> (usize, Choice) {
        let padding = text[text.len() - 1];
        let mut good = !(text.len() as u64).ct_lt(&(self.mac_size as u64 + 1 + u64::from(padding)));
        for (at, byte) in text.iter().rev().take(256).enumerate() {
            good &= byte.ct_eq(&padding) | padding.ct_lt(&(at as u8));
        }
        let padded = u64::conditional_select(&0, &(u64::from(padding) + 1), good);
        (text.len() - padded as usize, good)
    }

    /// Finds the padding and the MAC of a decrypted record, and returns the length of the text after the explicit IV.
    /// If the padding is wrong, the MAC is replaced by random bytes, so that the comparison fails. If the record has no
    /// MAC here, the MAC was compared before (encrypt-then-MAC), so an error reveals nothing.
    pub fn open(&mut self, record: &[u8], block: usize) -> Result<usize, Reason> {
        let text = self.text(record, block)?;
        let (end, good) = self.find_padding(text);
        if self.mac_size == 0 {
            return if bool::from(good) { Ok(end) } else { Err(PROV_R_CIPHER_OPERATION_FAILED) };
        }
        let mut random = [0; MAX_MAC];
        getrandom::fill(&mut random[..self.mac_size]).map_err(|_| PROV_R_CIPHER_OPERATION_FAILED)?;
        self.take_mac(text, end);
        self.mac.iter_mut().zip(&random).for_each(|(byte, random)| byte.conditional_assign(random, !good));
        Ok(end - self.mac_size)
    }

    /// Finds the padding and the MAC of a decrypted record, and compares the MAC with the one that `mac` computes.
    /// Returns the length of the text after the explicit IV. `mac` gets all bytes after the explicit IV, the least
    /// length that the text can have, and its actual length, which is secret.
    pub fn verify(
        &mut self,
        record: &[u8],
        block: usize,
        mac: impl FnOnce(&[u8], usize, usize, &mut [u8]) -> Result<(), Reason>,
    ) -> Result<usize, Reason> {
        let (text, size) = (self.text(record, block)?, self.mac_size);
        let (end, good) = self.find_padding(text);
        self.take_mac(text, end);
        let mut expected = [0; MAX_MAC];
        mac(text, text.len().saturating_sub(size + 256), end - size, &mut expected[..size])?;
        let same = expected[..size].ct_eq(self.mac()) & good;
        if bool::from(same) { Ok(end - size) } else { Err(PROV_R_CIPHER_OPERATION_FAILED) }
    }

    /// Copies the MAC, which ends at `end`.
    fn take_mac(&mut self, text: &[u8], end: usize) {
        let size = self.mac_size;
        let start = (end - size) as u64;
        // All bytes that may belong to the MAC are written into a ring buffer of the MAC's size. `begins` becomes the
        // place in the buffer where the MAC begins.
        let first = text.len().saturating_sub(size + 256);
        let (mut round, mut begins, mut inside) = ([0; MAX_MAC], 0, Choice::from(0));
        let mut place = 0;
        for (at, byte) in text.iter().enumerate().skip(first) {
            let begin = (at as u64).ct_eq(&start);
            inside = (inside | begin) & !(at as u64).ct_eq(&(end as u64));
            begins = u64::conditional_select(&begins, &(place as u64), begin);
            round[place] |= u8::conditional_select(&0, byte, inside);
            place = if place + 1 == size { 0 } else { place + 1 };
        }
        // The buffer is rotated by that number, bit by bit.
        for bit in 0..usize::BITS - (MAX_MAC - 1).leading_zeros() {
            let turn = Choice::from((begins >> bit & 1) as u8);
            let before = round;
            for (i, byte) in round[..size].iter_mut().enumerate() {
                byte.conditional_assign(&before[(i + (1 << bit)) % size], turn);
            }
        }
        self.mac[..size].copy_from_slice(&round[..size]);
    }
}
