//! loop-AES, whose key file is all that tells of the volume.

use super::{
    Place,
    args::{UnlockArgs, kind::KindArgs},
    passphrase,
};
use crate::error::Error;
use algkit_volume::{LoopAes, ReadAt, Volume};

/// Bits of a key if none are asked for, as in cryptsetup.
const KEY_BITS: u32 = 256;

pub fn open<S: ReadAt>(place: &Place, storage: S, args: &UnlockArgs, kind: &KindArgs) -> Result<Volume<S>, Error> {
    let refused = |option, reason: &str| Err(Error::option(option, reason));
    if place.header.is_some() {
        return refused("--header", "loop-AES has no header");
    }
    if args.key_slot.is_some() {
        return refused("--key-slot", "loop-AES has no key slots");
    }
    let Some(file) = args.one_key_file()? else {
        return refused("--type", "loopaes needs a key file, which --key-file names");
    };
    let bits = kind.key_size.unwrap_or(KEY_BITS);
    if !bits.is_multiple_of(8) {
        return refused("--key-size", &format!("{bits} is not a multiple of 8"));
    }
    let text = passphrase::key_file(file, args.keyfile_offset, args.keyfile_size)?;
    let cipher = kind.cipher.as_deref().unwrap_or("aes");
    let volume = LoopAes::new(cipher, bits as usize / 8, kind.hash.as_deref(), &text);
    volume.and_then(|volume| volume.open(storage)).map_err(|error| place.data.error(error))
}
