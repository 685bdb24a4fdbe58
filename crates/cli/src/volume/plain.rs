//! Opens volumes without a header.

use super::{
    Place,
    args::{
        UnlockArgs,
        kind::{Format, KindArgs},
    },
    passphrase,
};
use crate::error::Error;
use algkit_volume::{CipherSpec, Key, Plain, ReadAt, Volume};
use std::ffi::OsStr;

pub fn open<S: ReadAt>(place: &Place, storage: S, unlock: &UnlockArgs, kind: &KindArgs) -> Result<Volume<S>, Error> {
    let args = &kind.plain;
    let refused = |option, reason: &str| Err(Error::option(option, reason));
    if place.header.is_some() {
        return refused("--header", "a plain volume has no header");
    }
    if unlock.key_slot.is_some() {
        return refused("--key-slot", "a plain volume has no key slots");
    }
    let (Some(cipher), Some(bits)) = (&kind.cipher, kind.key_size) else {
        return refused("--type", "plain needs --cipher and --key-size");
    };
    if !bits.is_multiple_of(8) {
        return refused("--key-size", &format!("{bits} is not a multiple of 8"));
    }
    let failed = |error| place.data.error(error);
    let cipher = CipherSpec::parse(cipher).map_err(failed)?;
    let key = key(place, unlock, kind.hash.as_deref(), bits as usize / 8)?;
    let plain = Plain {
        sector_size: args.sector_size.unwrap_or(512) as usize,
        // It was parsed as a number of bytes.
        offset: args.data_offset.unwrap_or(0) * 512,
        skip: args.skip.unwrap_or(0),
        large_ivs: args.iv_large_sectors,
        ..Plain::new(cipher)
    };
    plain.open(storage, &key).map_err(failed)
}

/// An error if an option of plain volumes is there and another format.
pub fn refuse_options(kind: &KindArgs) -> Result<(), Error> {
    match kind.plain.given().filter(|_| kind.format != Format::Plain) {
        Some(option) => Err(Error::option(option, "only with --type plain")),
        None => Ok(()),
    }
}

/// As cryptsetup has it: a key file begins with the key; a passphrase is hashed, also one that is all of standard input.
fn key(place: &Place, unlock: &UnlockArgs, hash: Option<&str>, size: usize) -> Result<Key, Error> {
    let key_file = unlock.volume_key_file.as_deref().or(unlock.one_key_file()?.map(|file| &**file));
    if let Some(file) = key_file.filter(|file| *file != OsStr::new("-") || unlock.volume_key_file.is_some()) {
        if let Some(hash) = hash.filter(|hash| *hash != "plain") {
            return Err(Error::option("--hash", format!("{hash}, and a key file is not hashed; --hash plain says so")));
        }
        if let Some(given) = unlock.keyfile_size.filter(|given| ![0, size as u64].contains(given)) {
            let reason = format!("{given}, and a key file that is not hashed gives the {size} bytes of --key-size");
            return Err(Error::option("--keyfile-size", reason));
        }
        let key = passphrase::key_file(file, unlock.keyfile_offset, Some(size as u64))?;
        return Ok(Key::new(key.to_vec()));
    }
    let Some(hash) = hash else {
        let reason =
            "nothing tells how the passphrase becomes the key; cryptsetup 2.6 takes ripemd160, later ones sha256";
        return Err(Error::option("--hash", reason));
    };
    let failed = |error| place.data.error(error);
    Plain::check_hash(hash).map_err(failed)?;
    let passphrase = passphrase::read(unlock, &place.data.path)?;
    Plain::key(hash, &passphrase, size).map_err(failed)
}
