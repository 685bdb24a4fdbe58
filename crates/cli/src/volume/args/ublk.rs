//! The command line of `algkit volume ublk`.

use super::{PlaceArgs, UnlockArgs, kind::KindArgs};
use clap::Args;

#[derive(Args, Debug)]
#[command(after_help = "\
This needs root, Linux 6.5 or later, and the kernel's driver ublk_drv: modprobe ublk_drv.

When the device is there, its path is printed on standard output, and systemd is notified. The command runs until it gets SIGINT or SIGTERM. Then \
what was written to the device is written to the volume and synced, and the device is removed. Unmount it first: a file system that is still mounted \
loses its device. After a kill -9, the kernel removes the device; what the kernel had not written yet is lost.

Examples:
  read -r device < <(algkit volume ublk -d key disk.img)    # waits for it
  mount \"$device\" /mnt
  umount /mnt; kill $!
  algkit volume ublk --read-only disk.img    # until Ctrl-C")]
pub struct UblkArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Make a device that can only be read
    #[arg(short = 'r', long)]
    pub read_only: bool,
    /// Pass discards on to the disk or the file system, which reveals which sectors are in use
    #[arg(long, conflicts_with = "read_only")]
    pub allow_discards: bool,
    /// Number of queues of the device, each with a thread [default: number of CPUs, at most 8]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub queues: Option<u16>,
    /// Maximum number of requests that wait in a queue
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub queue_depth: u16,
    #[command(flatten)]
    pub unlock: UnlockArgs,
    #[command(flatten)]
    pub kind: KindArgs,
}
