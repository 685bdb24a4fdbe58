//! The command line of `algkit volume resize`.

use super::PlaceArgs;
use crate::size::bytes;
use clap::Args;

#[derive(Args, Debug)]
#[command(after_help = "\
The image becomes as long as header and plaintext together; new space reads as noise. If the header says how long the data is (which it may if the volume was \
encrypted in place), it is changed as well. On a block device only such a header can be changed.

The file system in the volume is not changed: shrink it before, or grow it afterwards (resize2fs on the file that `mount` shows). Data that is cut off is lost, so \
the word YES is asked for on a terminal; without one, -q is needed.

Examples:
  algkit volume resize --size 20G disk.img
  read -r file < <(algkit volume mount --key-file key disk.img mnt)
  resize2fs \"$file\"; fusermount3 -u mnt")]
pub struct ResizeArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Size of the plaintext in bytes
    #[arg(long, alias = "device-size", value_name = "BYTES", value_parser = bytes)]
    pub size: u64,
    /// Ask nothing
    #[arg(short = 'q', long)]
    pub batch_mode: bool,
}
