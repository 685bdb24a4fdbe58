//! The command line of `algkit volume`.

use crate::size::bytes;
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Args, Debug)]
#[command(after_help = "\
An IMAGE is a file or a block device. Neither root nor device-mapper is needed, and nothing is mounted.

Examples:
  algkit volume dump disk.img
  algkit volume open-test disk.img
  algkit volume read disk.img | gzip > plain.gz
  algkit volume write --key-file key disk.img < plain.img")]
pub struct VolumeArgs {
    #[command(subcommand)]
    pub command: VolumeCommand,
}

/// What to do with a volume.
#[derive(Subcommand, Debug)]
pub enum VolumeCommand {
    /// Print a header, as cryptsetup luksDump does
    #[command(alias = "luksDump")]
    Dump(DumpArgs),
    /// Say whether a passphrase opens a volume: exit 1 if it does not
    OpenTest(OpenTestArgs),
    /// Write a volume's plaintext, or a range of it, to a file or a pipe
    Read(ReadArgs),
    /// Overwrite a volume's plaintext, or a range of it, with a file or a pipe
    Write(WriteArgs),
}

/// Where a volume lies.
#[derive(Args, Debug)]
pub struct PlaceArgs {
    /// A file or a block device with the volume
    pub image: PathBuf,
    /// A file with the header, which is not on IMAGE
    #[arg(long, value_name = "FILE")]
    pub header: Option<PathBuf>,
}

/// What opens it.
#[derive(Args, Debug)]
#[command(next_help_heading = "Passphrase")]
pub struct UnlockArgs {
    /// A file whose bytes are the passphrase; - is all of standard input, /dev/fd/N a descriptor [default: a line, from the terminal or a pipe]
    #[arg(short = 'd', long, value_name = "FILE")]
    pub key_file: Option<PathBuf>,
    /// Bytes of the key file to pass over
    #[arg(long, value_name = "BYTES", value_parser = place, requires = "key_file")]
    pub keyfile_offset: Option<u64>,
    /// Bytes of the key file to take [default: all]
    #[arg(long, value_name = "BYTES", value_parser = bytes, requires = "key_file")]
    pub keyfile_size: Option<u64>,
    /// The key slot to try [default: all in turn]
    #[arg(short = 'S', long, value_name = "N")]
    pub key_slot: Option<u32>,
    /// The most memory for Argon2, whatever the header asks for [default: 4G]
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub max_memory: Option<u64>,
    /// The most iterations of PBKDF2, whatever the header asks for [default: 268435456]
    #[arg(long, value_name = "N")]
    pub max_iterations: Option<u64>,
}

#[derive(Args, Debug)]
#[command(after_help = "\
Both copies of a LUKS2 header are read. If one is damaged, the other is printed and a line on standard error says so.

Examples:
  algkit volume dump disk.img
  algkit volume dump --json disk.img | jq .metadata.keyslots")]
pub struct DumpArgs {
    /// A file or a block device that begins with a header
    pub image: PathBuf,
    /// Print a JSON object, with the metadata of LUKS2 as it stands in the header
    #[arg(long)]
    pub json: bool,
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
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  algkit volume read disk.img -o plain.img
  algkit volume read --key-file key --offset 1M --length 4096 disk.img | xxd")]
pub struct ReadArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
    #[command(flatten)]
    pub unlock: UnlockArgs,
    /// The first byte
    #[arg(long, value_name = "BYTES", value_parser = place, default_value = "0")]
    pub offset: u64,
    /// How many bytes [default: to the end]
    #[arg(long, value_name = "BYTES", value_parser = place)]
    pub length: Option<u64>,
    /// Output [default: standard output, also as -]
    #[arg(short = 'o', long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Args, Debug)]
#[command(after_help = "\
The input may begin and end inside a sector. It is written in place: if writing fails, what came before is on the volume. Input that the
volume has no room for is an error; of a file nothing is written then, of a pipe what there is room for.

If the passphrase comes from standard input, the text has to come from a file.

Examples:
  algkit volume write --key-file key disk.img < plain.img
  algkit volume write -i boot.img --offset 1M disk.img")]
pub struct WriteArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
    #[command(flatten)]
    pub unlock: UnlockArgs,
    /// The first byte
    #[arg(long, value_name = "BYTES", value_parser = place, default_value = "0")]
    pub offset: u64,
    /// Input [default: standard input, also as -]
    #[arg(short = 'i', long, value_name = "FILE")]
    pub input: Option<PathBuf>,
}

/// A number of bytes that may be 0.
fn place(text: &str) -> Result<u64, String> {
    if text == "0" { Ok(0) } else { bytes(text) }
}
