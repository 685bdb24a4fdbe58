//! `algkit volume add-key`, `change-key`, `remove-key`, `kill-slot`: key slots.

use super::{
    Named, Place,
    args::{
        UnlockArgs,
        keys::{AddKeyArgs, ChangeKeyArgs, KdfArgs, KillSlotArgs, NewKeyArgs, RemoveKeyArgs},
    },
    kdf::{self, DEFAULT_HASH},
    limits, passphrase, random,
    steady::{Steady, uninterrupted},
};
use crate::{answer::Answer, error::Error};
use algkit_volume::{Header, Kdf, NewKey, Version};
use std::{ffi::OsStr, path::Path};
use zeroize::Zeroizing;

pub fn add(args: &AddKeyArgs) -> Result<Answer, Error> {
    let headed = Place::header_of(&args.place)?;
    // Without --new-key-slot, -S is the new one.
    let (open, slot) = match args.new_key_slot {
        None => (None, args.unlock.key_slot),
        new => (args.unlock.key_slot, new),
    };
    let unlock = UnlockArgs { key_slot: open, ..args.unlock.clone() };
    let (mut header, unlocked) = headed.unlock(&unlock)?;
    let passphrase = new_passphrase(&args.new, &args.unlock, &headed.path)?;
    let (kdf, hash) = costs(&header, &args.kdf, &args.unlock).map_err(|error| headed.error(error))?;
    let (new, random) = (NewKey { passphrase: &passphrase, kdf, hash: &hash, slot }, random()?);
    let added = header.add_key(&Steady::new(&headed.file), &unlocked, &new, &random);
    added.map_err(|error| headed.error(error))?;
    Ok(Answer::Yes)
}

pub fn change(args: &ChangeKeyArgs) -> Result<Answer, Error> {
    let headed = Place::header_of(&args.place)?;
    if args.unlock.volume_key_file.is_some() {
        let reason = "it changes a passphrase and has to be given the old one; add-key takes the key of the volume";
        return Err(Error::option("--volume-key-file", reason));
    }
    let (mut header, unlocked) = headed.unlock(&args.unlock)?;
    let passphrase = new_passphrase(&args.new, &args.unlock, &headed.path)?;
    let (kdf, hash) = costs(&header, &args.kdf, &args.unlock).map_err(|error| headed.error(error))?;
    let (new, random) = (NewKey { passphrase: &passphrase, kdf, hash: &hash, slot: None }, random()?);
    let changed = header.change_key(&Steady::new(&headed.file), &unlocked, &new, &random);
    changed.map_err(|error| headed.error(error))?;
    Ok(Answer::Yes)
}

pub fn remove(args: &RemoveKeyArgs) -> Result<Answer, Error> {
    let headed = Place::header_of(&args.place)?;
    let key_file = args.removed_key_file.iter().chain(&args.unlock.key_file).cloned().collect();
    let unlock = UnlockArgs { key_file, ..args.unlock.clone() };
    let (header, unlocked) = headed.unlock(&unlock)?;
    let slot = unlocked.slot.ok_or_else(|| {
        Error::option("--volume-key-file", "the key of the volume tells no key slot; kill-slot takes a number")
    })?;
    drop_slot(&headed, header, slot, args.last)
}

pub fn kill(args: &KillSlotArgs) -> Result<Answer, Error> {
    let headed = Place::header_of(&args.place)?;
    if args.batch_mode {
        return drop_slot(&headed, headed.header()?, args.slot, args.last);
    }
    let (header, unlocked) = headed.unlock(&args.unlock)?;
    if unlocked.slot == Some(args.slot) && !args.last {
        let reason = format!("it is that of key slot {}; give one that stays, or -q", args.slot);
        return Err(Error::option("passphrase", reason));
    }
    drop_slot(&headed, header, args.slot, args.last)
}

fn drop_slot(headed: &Named, mut header: Header, slot: u32, last: bool) -> Result<Answer, Error> {
    let random = random()?;
    let removed = uninterrupted(|| header.remove_key(&headed.file, slot, last, &random));
    removed.map_err(|error| match error {
        algkit_volume::Error::LastSlot(_) => Error::option("--last", error.to_string()),
        error => headed.error(error),
    })?;
    Ok(Answer::Yes)
}

fn new_passphrase(new: &NewKeyArgs, old: &UnlockArgs, path: &Path) -> Result<Zeroizing<Vec<u8>>, Error> {
    if let Some(file) = new.new_key_file.as_deref().or(new.new_keyfile.as_deref()) {
        return passphrase::key_file(file, new.new_keyfile_offset, new.new_keyfile_size);
    }
    if old.key_file.iter().any(|file| file == OsStr::new("-")) {
        let reason = "standard input is the old passphrase; the new one has to come from a file";
        return Err(Error::option("--new-keyfile", reason));
    }
    passphrase::new(path)
}

/// The key derivation of a new key slot, and its hash.
fn costs(header: &Header, args: &KdfArgs, unlock: &UnlockArgs) -> Result<(Kdf, String), algkit_volume::Error> {
    let (version, hash) = match header {
        Header::Luks1(header) => (Version::Luks1, header.hash.as_str()),
        Header::Luks2(_) => (Version::Luks2, DEFAULT_HASH),
    };
    let hash = args.hash.as_deref().unwrap_or(hash);
    Ok((kdf::chosen(args, version, hash, &limits(unlock))?, hash.to_owned()))
}
