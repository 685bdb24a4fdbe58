//! The command line of reencryption.

use super::{CIPHER, PlaceArgs, UnlockArgs, keys::KdfArgs};
use crate::size::{bytes, sector};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// How the zone that is being written survives a crash.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub enum ResilienceArg {
    /// Checksums of the old sectors; the disk must not tear a sector
    Checksum,
    /// A copy of the old bytes: everything is written twice
    Journal,
    /// Nothing: a crash loses up to a zone
    None,
}

#[derive(Args, Debug)]
#[command(after_help = "\
The data is encrypted with a new key in place, zone by zone. SIGINT and SIGTERM stop the command after a zone. After any interruption, even a power cut, the same \
command or cryptsetup continues, and the volume can be read meanwhile. If the header is damaged meanwhile, all data is lost: \
make a backup of the data first.

The default of --resilience is checksum for sectors of 512 bytes, and journal for larger ones, of which a disk might write only a part.

The passphrase that was given gets a key slot for the new key. --other-key-file names the key files of other slots, --drop-other-keys removes the others.

--encrypt and --decrypt are cryptsetup's names for `algkit volume encrypt` and `algkit volume decrypt`, whose help says more.

Examples:
  algkit volume reencrypt disk.img
  algkit volume reencrypt --cipher aes-xts-plain64 --sector-size 4096 disk.img
  algkit volume reencrypt --resume-only disk.img
  algkit volume reencrypt --encrypt --reduce-device-size 32M plain.img")]
pub struct ReencryptArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Encrypt plain data, as `algkit volume encrypt` does
    #[arg(short = 'N', long, alias = "new", conflicts_with_all = ["other_key_file", "drop_other_keys"])]
    pub encrypt: bool,
    /// Decrypt the data, as `algkit volume decrypt` does
    #[arg(long, requires = "header", conflicts_with_all = ["encrypt", "cipher", "key_size", "sector_size", "other_key_file", "drop_other_keys"])]
    pub decrypt: bool,
    /// With --encrypt: bytes that are free at the end of the image, to make room for a header before the data: 32M
    #[arg(long, value_name = "BYTES", value_parser = bytes, requires = "encrypt", conflicts_with = "header")]
    pub reduce_device_size: Option<u64>,
    /// The new cipher [default: the old one; with --encrypt aes-xts-plain64]
    #[arg(short = 'c', long, value_name = "CIPHER")]
    pub cipher: Option<String>,
    /// Size of the new volume key in bits [default: the old one; with --cipher or --encrypt 512 for XTS, 256 for others]
    #[arg(short = 's', long, value_name = "BITS", value_parser = clap::value_parser!(u32).range(8..=4096))]
    pub key_size: Option<u32>,
    /// The new sector size in bytes [default: the old one; with --encrypt 512]
    #[arg(long, value_name = "BYTES", value_parser = sector)]
    pub sector_size: Option<u32>,
    /// A key file of another key slot, which is kept (repeatable)
    #[arg(long, value_name = "FILE")]
    pub other_key_file: Vec<PathBuf>,
    /// Remove the key slots whose passphrases were not given
    #[arg(long)]
    pub drop_other_keys: bool,
    #[command(flatten)]
    pub how: HowArgs,
    #[command(flatten)]
    pub unlock: UnlockArgs,
    #[command(flatten)]
    pub kdf: KdfArgs,
}

#[derive(Args, Debug)]
#[command(after_help = "\
With --header the header goes to a file of its own, which must not exist before. Nothing opens the volume without this file: keep copies of it.

With --reduce-device-size 32M the header goes before the data, which moves by 16 MiB. The last 32 MiB of the image are overwritten: shrink the \
file system first.

SIGINT and SIGTERM stop the command after a zone; the same command continues.

Examples:
  algkit volume encrypt --reduce-device-size 32M disk.img
  algkit volume encrypt --header disk.header disk.img
  algkit volume read --header disk.header disk.img | cmp - plain.img")]
pub struct EncryptArgs {
    /// A file or a block device with plain data
    pub image: PathBuf,
    /// The file for the header
    #[arg(long, value_name = "FILE", conflicts_with = "reduce_device_size")]
    pub header: Option<PathBuf>,
    /// Bytes that are free at the end of the image, to make room for a header before the data: 32M
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub reduce_device_size: Option<u64>,
    /// The cipher of the data
    #[arg(short = 'c', long, value_name = "CIPHER", default_value = CIPHER)]
    pub cipher: String,
    /// Size of the volume key in bits [default: 512 for XTS, 256 for others]
    #[arg(short = 's', long, value_name = "BITS", value_parser = clap::value_parser!(u32).range(8..=4096))]
    pub key_size: Option<u32>,
    /// Sector size in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 512, value_parser = sector)]
    pub sector_size: u32,
    #[command(flatten)]
    pub how: HowArgs,
    #[command(flatten)]
    pub unlock: UnlockArgs,
    #[command(flatten)]
    pub kdf: KdfArgs,
}

#[derive(Args, Debug)]
#[command(after_help = "\
If FILE has the header, the data is decrypted in place. If the image begins with the header, \
FILE must not exist: the header is moved to FILE, and the data to where the header was. Keep FILE until the end: nothing else opens the \
volume. SIGINT and SIGTERM stop the command after a zone; the same command continues.

Example:
  algkit volume decrypt --header disk.header disk.img")]
pub struct DecryptArgs {
    /// A file or a block device with the data
    pub image: PathBuf,
    /// The file that has the header, or gets it
    #[arg(long, value_name = "FILE")]
    pub header: PathBuf,
    #[command(flatten)]
    pub how: HowArgs,
    #[command(flatten)]
    pub unlock: UnlockArgs,
}

/// How the data is rewritten.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Rewriting")]
pub struct HowArgs {
    /// How the zone that is being written survives a crash
    #[arg(long, value_enum)]
    pub resilience: Option<ResilienceArg>,
    /// The hash of the checksums
    #[arg(long, value_name = "HASH", default_value = "sha256")]
    pub resilience_hash: String,
    /// Maximum size of a zone in bytes [default: 64M, or what the header has room for]
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub hotzone_size: Option<u64>,
    /// Write only the header, no data
    #[arg(long, conflicts_with = "resume_only")]
    pub init_only: bool,
    /// Continue what was begun; begin nothing
    #[arg(long)]
    pub resume_only: bool,
    /// Ask nothing
    #[arg(short = 'q', long)]
    pub batch_mode: bool,
    /// Accepted for compatibility with cryptsetup
    #[arg(long, hide = true)]
    pub force_offline_reencrypt: bool,
}
