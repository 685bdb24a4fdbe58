//! The command line of key slots.

use super::{PlaceArgs, UnlockArgs};
use crate::size::{kib, place};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Key derivation functions.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub enum Pbkdf {
    Pbkdf2,
    Argon2i,
    Argon2id,
}

/// The key derivation function and its costs.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Key derivation")]
pub struct KdfArgs {
    /// The hash of the anti-forensic splitter and of PBKDF2 [default: sha256; the header's in LUKS1]
    #[arg(long, value_name = "HASH")]
    pub hash: Option<String>,
    /// The key derivation function [default: argon2id; pbkdf2 in LUKS1]
    #[arg(long, value_enum)]
    pub pbkdf: Option<Pbkdf>,
    /// Time for the key derivation on this machine, in milliseconds
    #[arg(short = 'i', long, value_name = "MS", default_value_t = 2000)]
    pub iter_time: u64,
    /// Iterations of PBKDF2 or passes of Argon2, instead of a time
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub pbkdf_force_iterations: Option<u32>,
    /// Memory for Argon2 in KiB, or with a unit [default: 1 GiB, at most half of the free memory]
    #[arg(long, value_name = "KIB", value_parser = kib)]
    pub pbkdf_memory: Option<u32>,
    /// Lanes of Argon2 [default: number of CPUs, at most 4]
    #[arg(long, value_name = "N")]
    pub pbkdf_parallel: Option<u32>,
}

/// The new passphrase.
#[derive(Args, Debug)]
#[command(next_help_heading = "New passphrase")]
pub struct NewKeyArgs {
    /// The same as --new-keyfile
    #[arg(value_name = "NEW-KEY-FILE", conflicts_with = "new_keyfile")]
    pub new_key_file: Option<PathBuf>,
    /// A file whose bytes are the new passphrase [default: a line, from the terminal or a pipe]
    #[arg(long, value_name = "FILE")]
    pub new_keyfile: Option<PathBuf>,
    /// Skip this many bytes of that file
    #[arg(long, value_name = "BYTES", value_parser = place)]
    pub new_keyfile_offset: Option<u64>,
    /// Use this many bytes of that file [default: all, also as 0]
    #[arg(long, value_name = "BYTES", value_parser = place)]
    pub new_keyfile_size: Option<u64>,
}

#[derive(Args, Debug)]
#[command(after_help = "\
The existing passphrase is asked for first, then the new one. The header changes after the new key slot has been written to the disk.

As in cryptsetup, -S is the number of the new key slot. If --new-key-slot is given, -S is the slot to open.

Examples:
  algkit volume add-key disk.img
  algkit volume add-key --key-file old disk.img new
  algkit volume add-key --volume-key-file key --new-key-slot 7 disk.img")]
pub struct AddKeyArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
    #[command(flatten)]
    pub unlock: UnlockArgs,
    #[command(flatten)]
    pub new: NewKeyArgs,
    /// The new key slot [default: the first that is free]
    #[arg(long, value_name = "N", help_heading = "New passphrase")]
    pub new_key_slot: Option<u32>,
    #[command(flatten)]
    pub kdf: KdfArgs,
}

#[derive(Args, Debug)]
#[command(after_help = "\
The new key slot is written, then the old one is overwritten, then it is removed from the header. So one of the two passphrases opens the volume \
even if the command is interrupted, and a key slot must be free. In LUKS2 the key slot keeps its number, in LUKS1 it gets another.

Examples:
  algkit volume change-key disk.img
  algkit volume change-key --key-file old disk.img new")]
pub struct ChangeKeyArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
    #[command(flatten)]
    pub unlock: UnlockArgs,
    #[command(flatten)]
    pub new: NewKeyArgs,
    #[command(flatten)]
    pub kdf: KdfArgs,
}

#[derive(Args, Debug)]
#[command(after_help = "\
The passphrase selects the key slot to be removed. Its area is overwritten first. A backup of the header still contains the key slot.

Examples:
  algkit volume remove-key disk.img
  algkit volume remove-key disk.img old-key-file")]
pub struct RemoveKeyArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
    /// The same as --key-file
    #[arg(value_name = "KEY-FILE", conflicts_with = "key_file")]
    pub removed_key_file: Option<PathBuf>,
    /// Remove even the last key slot; after that only the volume key opens the volume
    #[arg(long)]
    pub last: bool,
    #[command(flatten)]
    pub unlock: UnlockArgs,
}

#[derive(Args, Debug)]
#[command(after_help = "\
The passphrase must be that of another key slot, as proof that the volume can still be opened afterwards.

Examples:
  algkit volume kill-slot disk.img 1
  algkit volume kill-slot -q disk.img 1")]
pub struct KillSlotArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
    /// The key slot
    pub slot: u32,
    /// Ask for no passphrase
    #[arg(short = 'q', long)]
    pub batch_mode: bool,
    /// Remove even the last key slot; after that only the volume key opens the volume
    #[arg(long)]
    pub last: bool,
    #[command(flatten)]
    pub unlock: UnlockArgs,
}
