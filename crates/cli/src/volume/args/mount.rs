//! The command line of `algkit volume mount`.

use super::{PlaceArgs, UnlockArgs, kind::KindArgs};
use clap::Args;
use std::path::PathBuf;

#[derive(Args, Debug)]
#[command(after_help = "\
FOLDER shows one file, `volume`, with the plaintext. No other user can open it. With --fs FOLDER shows the files in the volume, \
if that has an ext2, ext3 or ext4 file system; this needs fuse2fs.

When the folder is ready, the path to use is printed on standard output, and systemd is notified. The command runs until it gets SIGINT or SIGTERM, or \
until `fusermount3 -u FOLDER`; then all that was written is synced. After a kill -9, run `fusermount3 -u FOLDER` to unmount.

Examples:
  mkdir mnt
  read -r file < <(algkit volume mount -d key disk.img mnt)    # waits for it
  e2fsck -fp \"$file\"; fusermount3 -u mnt
  algkit volume mount --fs disk.img mnt    # until Ctrl-C")]
pub struct MountArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
    /// The folder to mount on
    pub folder: PathBuf,
    /// Mount the file system in the volume instead
    #[arg(long)]
    pub fs: bool,
    /// Allow only reading
    #[arg(short = 'r', long)]
    pub read_only: bool,
    #[command(flatten)]
    pub unlock: UnlockArgs,
    #[command(flatten)]
    pub kind: KindArgs,
}
