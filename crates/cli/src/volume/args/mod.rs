//! The command line of `algkit volume`.

pub mod fill;
pub mod headers;
pub mod keys;
pub mod kind;
pub mod mount;
pub mod plain;
pub mod reencrypt;
pub mod resize;
pub mod serve;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub mod ublk;

use crate::{
    error::Error,
    size::{bytes, place, sector},
};
use clap::{Args, Subcommand, ValueEnum};
use fill::FillArgs;
use headers::{ConvertArgs, HeaderBackupArgs, HeaderRestoreArgs, RepairArgs};
use keys::{AddKeyArgs, ChangeKeyArgs, KdfArgs, KillSlotArgs, RemoveKeyArgs};
use kind::KindArgs;
use mount::MountArgs;
use reencrypt::{DecryptArgs, EncryptArgs, ReencryptArgs};
use resize::ResizeArgs;
use serve::ServeArgs;
use std::path::PathBuf;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use ublk::UblkArgs;

/// The cipher of new volumes.
pub const CIPHER: &str = "aes-xts-plain64";

#[derive(Args, Debug)]
#[command(after_help = "\
An IMAGE is a file or a block device. Neither root nor device-mapper is needed.

Examples:
  algkit volume dump disk.img
  algkit volume open-test disk.img
  algkit volume read disk.img | gzip > plain.gz
  algkit volume write --key-file key disk.img < plain.img
  algkit volume mount disk.img mnt    # until Ctrl-C
  algkit volume fill folder new.img")]
pub struct VolumeArgs {
    #[command(subcommand)]
    pub command: VolumeCommand,
}

/// The subcommand.
#[derive(Subcommand, Debug)]
pub enum VolumeCommand {
    /// Print a header, as cryptsetup luksDump does
    #[command(alias = "luksDump")]
    Dump(DumpArgs),
    /// The same as dump --type tcrypt
    #[command(name = "tcryptDump", hide = true)]
    TcryptDump(DumpArgs),
    /// Write a new header with one key slot: everything on the volume is lost
    #[command(alias = "luksFormat")]
    Format(FormatArgs),
    /// Make a new volume with a disk image or a folder's files in it
    Fill(FillArgs),
    /// Say whether a passphrase opens a volume: exit 1 if it does not
    OpenTest(OpenTestArgs),
    /// Add a key slot with a further passphrase
    #[command(alias = "luksAddKey")]
    AddKey(AddKeyArgs),
    /// Replace a passphrase
    #[command(alias = "luksChangeKey")]
    ChangeKey(ChangeKeyArgs),
    /// Overwrite and remove the key slot that a passphrase opens
    #[command(alias = "luksRemoveKey")]
    RemoveKey(RemoveKeyArgs),
    /// Overwrite and remove a key slot by its number
    #[command(alias = "luksKillSlot")]
    KillSlot(KillSlotArgs),
    /// Copy a header with its key slots to a file
    #[command(alias = "luksHeaderBackup")]
    HeaderBackup(HeaderBackupArgs),
    /// Restore a header from a backup
    #[command(alias = "luksHeaderRestore")]
    HeaderRestore(HeaderRestoreArgs),
    /// Repair a damaged header
    Repair(RepairArgs),
    /// Change the key, cipher or sector size of the data, in place
    Reencrypt(ReencryptArgs),
    /// Encrypt plain data in place
    Encrypt(EncryptArgs),
    /// Decrypt the data of a volume in place
    Decrypt(DecryptArgs),
    /// Make a volume and its image longer or shorter
    Resize(ResizeArgs),
    /// Convert a LUKS1 header to LUKS2, or back
    Convert(ConvertArgs),
    /// Write a volume's plaintext, or a range of it, to a file or a pipe
    Read(ReadArgs),
    /// Overwrite a volume's plaintext, or a range of it, with a file or a pipe
    Write(WriteArgs),
    /// Serve a volume's plaintext as a disk to NBD clients: nbdcopy, qemu, the kernel
    Serve(ServeArgs),
    /// Show a volume's plaintext as a file, or the files in it, through FUSE
    Mount(MountArgs),
    /// Show a volume's plaintext as a block device of the kernel, /dev/ublkbN (needs root)
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    Ublk(UblkArgs),
}

/// The location of a volume.
#[derive(Args, Debug)]
pub struct PlaceArgs {
    /// A file or a block device with the volume
    pub image: PathBuf,
    /// A file with a detached header
    #[arg(long, value_name = "FILE")]
    pub header: Option<PathBuf>,
}

/// The passphrase or the key, and the limits for unlocking.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Passphrase")]
pub struct UnlockArgs {
    /// A file whose bytes are the passphrase; - is all of standard input, /dev/fd/N a descriptor [default: a line, from the terminal or a pipe]
    #[arg(short = 'd', long, value_name = "FILE")]
    pub key_file: Vec<PathBuf>,
    /// Skip this many bytes of the key file
    #[arg(long, value_name = "BYTES", value_parser = place, requires = "key_file")]
    pub keyfile_offset: Option<u64>,
    /// Use this many bytes of the key file [default: all, also as 0]
    #[arg(long, value_name = "BYTES", value_parser = place, requires = "key_file")]
    pub keyfile_size: Option<u64>,
    /// A file with the volume key itself, instead of a passphrase
    #[arg(long, alias = "master-key-file", value_name = "FILE", conflicts_with = "key_file")]
    pub volume_key_file: Option<PathBuf>,
    /// The key slot to try [default: all in turn]
    #[arg(short = 'S', long, value_name = "N")]
    pub key_slot: Option<u32>,
    /// Maximum memory in bytes that a header may demand for Argon2 [default: 4G]
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub max_memory: Option<u64>,
    /// Maximum number of iterations that a header may demand for PBKDF2, counted as iterations of SHA-256; all key slots together may demand eight times that [default: 268435456]
    #[arg(long, value_name = "N")]
    pub max_iterations: Option<u64>,
}

impl UnlockArgs {
    /// The key file, if there is one.
    pub fn one_key_file(&self) -> Result<Option<&PathBuf>, Error> {
        match &*self.key_file {
            [] => Ok(None),
            [one] => Ok(Some(one)),
            [_, second, ..] => {
                let reason =
                    format!("`{}` is a second one; only TrueCrypt and VeraCrypt have several", second.display());
                Err(Error::option("--key-file", reason))
            }
        }
    }
}

#[derive(Args, Debug)]
#[command(after_help = "\
Both copies of a LUKS2 header are read. If one is damaged, the other is printed and a line on standard error says so.

A header of TrueCrypt or VeraCrypt is encrypted, so its passphrase is asked for.

Examples:
  algkit volume dump disk.img
  algkit volume dump --json disk.img | jq .metadata.keyslots
  algkit volume dump --type tcrypt disk.tc")]
pub struct DumpArgs {
    /// A file or a block device that begins with a header
    pub image: PathBuf,
    /// Print a JSON object, with LUKS2's metadata unaltered
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub unlock: UnlockArgs,
    #[command(flatten)]
    pub kind: KindArgs,
}

/// Volume formats.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub enum Kind {
    Luks1,
    Luks2,
}

#[derive(Args, Debug)]
#[command(after_help = "\
The options are those of cryptsetup luksFormat. On a terminal the passphrase is asked for twice. If there is anything but zeros where the header goes (a volume, \
a file system), the word YES is asked for too; without a terminal -q is needed. The data area is not overwritten: what was there \
reads as noise. With --integrity all of it is overwritten with encrypted zeros.

Examples:
  truncate -s 1G disk.img
  algkit volume format disk.img
  algkit volume format -c aes-cbc-essiv:sha256 --type luks1 disk.img
  algkit volume format -d key --pbkdf-memory 64M --sector-size 4096 disk.img
  algkit volume format --integrity hmac-sha256 disk.img
  algkit volume format --integrity aead -c aes-gcm-random -s 256 disk.img")]
pub struct FormatArgs {
    /// A file or a block device
    pub image: PathBuf,
    /// The same as --key-file
    #[arg(value_name = "KEY-FILE", conflicts_with = "key_file")]
    pub new_key_file: Option<PathBuf>,
    /// Format even if there is something on the image; ask nothing
    #[arg(short = 'q', long)]
    pub batch_mode: bool,
    /// Ask for the passphrase twice, which is always done
    #[arg(short = 'y', long, hide = true)]
    pub verify_passphrase: bool,
    /// Accepted for compatibility with cryptsetup
    #[arg(short = 'v', long, hide = true)]
    pub verbose: bool,
    /// Do not write zeros: sectors have no tags, and cannot be read, until they are written
    #[arg(long, requires = "integrity")]
    pub integrity_no_wipe: bool,
    #[command(flatten)]
    pub new: NewVolumeArgs,
}

/// A new volume.
#[derive(Args, Debug)]
pub struct NewVolumeArgs {
    /// A file whose bytes are the passphrase; - is all of standard input [default: a line, from the terminal or a pipe]
    #[arg(short = 'd', long, value_name = "FILE")]
    pub key_file: Option<PathBuf>,
    /// The format
    #[arg(long = "type", value_enum, default_value_t = Kind::Luks2)]
    pub kind: Kind,
    /// The cipher of the data
    #[arg(short = 'c', long, value_name = "CIPHER", default_value = CIPHER)]
    pub cipher: String,
    /// Size of the volume key in bits [default: 512 for XTS, 256 for others]
    #[arg(short = 's', long, value_name = "BITS", value_parser = clap::value_parser!(u32).range(8..=4096))]
    pub key_size: Option<u32>,
    /// Sector size in bytes [default: 512]
    #[arg(long, value_name = "BYTES", value_parser = sector)]
    pub sector_size: Option<u32>,
    /// Give each sector a tag: hmac-sha1, hmac-sha256, hmac-sha512; aead with aes-gcm-random or aegis128-random; poly1305 with chacha20-random
    /// (LUKS2)
    #[arg(long, value_name = "NAME")]
    pub integrity: Option<String>,
    /// The UUID [default: a random one]
    #[arg(long, value_name = "UUID")]
    pub uuid: Option<String>,
    /// The label (LUKS2)
    #[arg(long)]
    pub label: Option<String>,
    /// The second label (LUKS2)
    #[arg(long)]
    pub subsystem: Option<String>,
    #[command(flatten)]
    pub kdf: KdfArgs,
}

#[derive(Args, Debug)]
#[command(after_help = "\
Exit status: 0 if the passphrase opens the volume, 1 if it does not, 2 if the header is damaged.

Examples:
  algkit volume open-test disk.img
  printf %s \"$passphrase\" | algkit volume open-test --key-file - disk.img")]
pub struct OpenTestArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
    #[command(flatten)]
    pub unlock: UnlockArgs,
    #[command(flatten)]
    pub kind: KindArgs,
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  algkit volume read disk.img -o plain.img
  algkit volume read --key-file key --offset 1M --length 4096 disk.img | xxd")]
pub struct ReadArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Offset of the first byte
    #[arg(long, value_name = "BYTES", value_parser = place, default_value = "0")]
    pub offset: u64,
    /// Number of bytes [default: to the end]
    #[arg(long, value_name = "BYTES", value_parser = place)]
    pub length: Option<u64>,
    /// Output [default: standard output, also as -]
    #[arg(short = 'o', long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub unlock: UnlockArgs,
    #[command(flatten)]
    pub kind: KindArgs,
}

#[derive(Args, Debug)]
#[command(after_help = "\
The input may begin and end inside a sector. It is written in place: if writing fails, what came before is on the volume. Input that does \
not fit is an error: a file is then not written at all, a pipe as far as there is room.

If the passphrase comes from standard input, the data has to come from a file (-i).

Examples:
  algkit volume write --key-file key disk.img < plain.img
  algkit volume write -i boot.img --offset 1M disk.img")]
pub struct WriteArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Offset of the first byte
    #[arg(long, value_name = "BYTES", value_parser = place, default_value = "0")]
    pub offset: u64,
    /// Input [default: standard input, also as -]
    #[arg(short = 'i', long, value_name = "FILE")]
    pub input: Option<PathBuf>,
    #[command(flatten)]
    pub unlock: UnlockArgs,
    #[command(flatten)]
    pub kind: KindArgs,
}
