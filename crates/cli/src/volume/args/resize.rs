//! The command line of `algkit volume resize`.

use super::PlaceArgs;
use crate::size::bytes;
use clap::Args;

#[derive(Args, Debug)]
#[command(after_help = "\
An image becomes as long as its header and the plaintext; what is new reads as noise. A header that says how long the data is, as that of a volume that was \
encrypted in place may, is changed as well. On a block device nothing but the header can be changed.

The file system in the volume is not touched: grow it afterwards, and shrink it before (resize2fs, on the file that `mount` shows). What is cut off is lost, so \
that the word YES is asked for on a terminal; elsewhere -q says it.

Examples:
  algkit volume resize --size 20G disk.img
  algkit volume mount disk.img mnt & sleep 1; resize2fs mnt/volume; fusermount3 -u mnt")]
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
