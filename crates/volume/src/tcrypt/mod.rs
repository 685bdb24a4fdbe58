//! TrueCrypt and VeraCrypt. A header is 64 bytes of salt and 448 encrypted bytes; nothing in clear says what it is made with.
//!
//! The layout is that of "TrueCrypt Volume Format Specification" (TrueCrypt 7.1a) and "VeraCrypt Volume Format Specification"; places of
//! headers and data in old versions are those of cryptsetup's lib/tcrypt/tcrypt.c.

mod cbc;
mod header;
mod keyfiles;
mod keys;
mod table;

pub use header::Header;
pub use keyfiles::KEYFILE;

use crate::{Error, Kdf, Limits, ReadAt, kdf::within, storage};
use header::{ENCRYPTED, SALT};
use keys::KEYS;
use table::{CHAINS, Chain, PBKDF2};
use zeroize::Zeroizing;

/// Which header of a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// The usual one, at the beginning.
    Standard,
    /// The header of a hidden volume.
    Hidden,
    /// The header of a disk whose system is encrypted.
    System,
    /// The copy of the usual header, near the end of the device.
    Backup,
    /// The copy of a hidden volume's header.
    HiddenBackup,
}

impl Place {
    /// The places where the header may begin. Before version 6 of TrueCrypt, a hidden volume had its header at the end of the device.
    fn offsets(self, size: u64) -> Vec<u64> {
        let from_end = |offset: u64| size.checked_sub(offset);
        let places = match self {
            Self::Standard => vec![Some(0)],
            Self::Hidden => vec![Some(65_536), from_end(1536)],
            Self::System => vec![Some(31_744)],
            Self::Backup => vec![from_end(131_072)],
            Self::HiddenBackup => vec![from_end(65_536)],
        };
        places.into_iter().flatten().filter(|offset| *offset + (SALT + ENCRYPTED) as u64 <= size).collect()
    }
}

/// The secrets that open a header, and the combinations that are tried.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// The passphrase.
    pub passphrase: &'a [u8],
    /// The bytes of the key files. The first 1 MiB of each is used, and the order of the files does not matter.
    pub keyfiles: &'a [Zeroizing<Vec<u8>>],
    /// The header that is tried.
    pub place: Place,
    /// Whether VeraCrypt is tried as well.
    pub veracrypt: bool,
    /// The personal iterations multiplier; TrueCrypt is not tried if there is one.
    pub pim: Option<u32>,
    /// The only hash that is tried, by cryptsetup's name or the kernel's.
    pub hash: Option<&'a str>,
    /// Only chains that have this cipher are tried.
    pub cipher: Option<&'a str>,
}

impl Options<'_> {
    fn chains(&self) -> impl Iterator<Item = &'static Chain> {
        CHAINS.iter().filter(|chain| self.cipher.is_none_or(|cipher| chain.name().contains(cipher)))
    }

    fn hashes(&self) -> impl Iterator<Item = &'static table::Pbkdf2> {
        PBKDF2.iter().filter(|kdf| {
            self.hash.is_none_or(|hash| hash == kdf.hash)
                && (self.veracrypt || !kdf.is_veracrypt())
                && (self.place == Place::System || !kdf.boot)
                && kdf.iterations(self.pim).is_some()
        })
    }
}

/// Tries every key derivation, and with each key every chain of ciphers, always in the same order. A wrong passphrase takes as long as all key
/// derivations together, which is some seconds.
pub(crate) fn unlock(storage: &dyn ReadAt, options: &Options<'_>, limits: &Limits) -> Result<Header, Error> {
    let unknown = |what: &str, name: &str| Error::Unsupported { what: format!("the {what} `{name}` for TrueCrypt") };
    if let Some(hash) = options.hash.filter(|_| options.hashes().next().is_none()) {
        return Err(unknown("hash", hash));
    }
    let mut missing: Vec<&str> = options.chains().filter_map(Chain::missing).collect();
    missing.sort_unstable();
    missing.dedup();
    let chains: Vec<_> = options.chains().filter(|chain| chain.missing().is_none()).collect();
    if let Some(cipher) = options.cipher.filter(|_| chains.is_empty()) {
        return Err(unknown("cipher", cipher));
    }
    let secret = keyfiles::mixed(options.passphrase, options.keyfiles, options.veracrypt)?;
    let size = storage.size()?;
    let offsets = options.place.offsets(size);
    if offsets.is_empty() {
        return Err(Error::damaged("device", format!("{size} bytes have no room for the header")));
    }
    for offset in offsets {
        let bytes = storage::read(storage, offset, SALT + ENCRYPTED)?;
        let (salt, encrypted) = bytes.split_at(SALT);
        for kdf in options.hashes() {
            let iterations = kdf.iterations(options.pim).and_then(|n| u32::try_from(n).ok()).unwrap_or(u32::MAX);
            let pbkdf2 = Kdf::Pbkdf2 { hash: kdf.hash.to_owned(), iterations, salt: salt.to_vec() };
            // The user chooses the iterations, and each hash is tried once.
            within("iterations of PBKDF2", u64::from(iterations), limits.iterations)?;
            let key = pbkdf2.key(&secret, KEYS)?;
            for chain in &chains {
                let mut text = Zeroizing::new(encrypted.to_vec());
                chain.decrypt_header(key.bytes(), &mut text)?;
                if let Some(header) = Header::parse(&text, options, kdf.hash, chain) {
                    return Ok(header);
                }
            }
        }
    }
    Err(Error::NoCombination { untried: missing.join(", ") })
}
