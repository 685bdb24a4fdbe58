//! The command line of formats that have no header which says what they are.

use super::plain::PlainArgs;
use clap::{Args, ValueEnum};

/// Formats of a volume that is opened.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub enum Format {
    /// LUKS1 or LUKS2, as the header says
    #[value(alias = "luks1", alias = "luks2")]
    Luks,
    /// TrueCrypt and VeraCrypt: there may be several key files, and a passphrase is asked for as well
    #[value(alias = "truecrypt", alias = "veracrypt")]
    Tcrypt,
    /// loop-AES: a key file has a key in each line; wrong keys are not noticed
    Loopaes,
    /// dm-crypt without a header: --cipher and --key-size are required; wrong ones are not noticed
    Plain,
}

/// The format, and what a volume without a readable header needs.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Format")]
pub struct KindArgs {
    /// The format
    #[arg(long = "type", value_enum, default_value_t = Format::Luks)]
    pub format: Format,
    /// The cipher: of a plain volume; of loop-AES [default: aes]; of TrueCrypt and VeraCrypt, the one to try [default: all]
    #[arg(short = 'c', long, value_name = "CIPHER")]
    pub cipher: Option<String>,
    /// The hash: of the passphrase of a plain volume, or plain for none (a key file is not hashed); of loop-AES [default: as long as a key]; of
    /// TrueCrypt and VeraCrypt, the one to try [default: all]
    #[arg(long, value_name = "HASH")]
    pub hash: Option<String>,
    /// Size of the key in bits: of a plain volume; of loop-AES [default: 256]
    #[arg(short = 's', long, value_name = "BITS", value_parser = clap::value_parser!(u32).range(8..=4096))]
    pub key_size: Option<u32>,
    #[command(flatten)]
    pub plain: PlainArgs,
    #[command(flatten)]
    pub tcrypt: TcryptArgs,
}

/// Which header of a TrueCrypt or VeraCrypt volume.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "TrueCrypt and VeraCrypt (--type tcrypt)")]
pub struct TcryptArgs {
    /// Open the hidden volume
    #[arg(long)]
    pub tcrypt_hidden: bool,
    /// Open the encrypted system of a disk
    #[arg(long, conflicts_with_all = ["tcrypt_hidden", "tcrypt_backup"])]
    pub tcrypt_system: bool,
    /// Read the backup of the header, at the end of the volume
    #[arg(long)]
    pub tcrypt_backup: bool,
    /// The personal iterations multiplier of VeraCrypt
    #[arg(long, value_name = "PIM", conflicts_with = "disable_veracrypt")]
    pub veracrypt_pim: Option<u32>,
    /// Try TrueCrypt alone, which takes less time
    #[arg(long)]
    pub disable_veracrypt: bool,
    /// Try VeraCrypt as well, which is always done
    #[arg(long, hide = true)]
    pub veracrypt: bool,
}
