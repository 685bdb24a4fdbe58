//! The command line of `algkit volume serve`.

use super::{PlaceArgs, UnlockArgs, kind::KindArgs};
use clap::Args;
use std::{
    net::{Ipv4Addr, SocketAddr},
    num::ParseIntError,
    path::PathBuf,
};

#[derive(Args, Debug)]
#[command(after_help = "\
When the volume is ready, the URI for clients is printed on standard output, and systemd is notified. SIGINT and SIGTERM end the \
server: requests that have arrived are answered, and all that was written is synced. While it runs, no other program should write to IMAGE; a lock keeps \
qemu and algkit from it.

Whoever can connect can read and write the volume. The socket is open to its owner only; a TCP port on 127.0.0.1 is open to every user of this machine. \
With --tls-verify-peer, only clients with a certificate from your authority can connect.

Examples:
  algkit volume serve disk.img    # until Ctrl-C
  read -r disk < <(algkit volume serve -d key disk.img)    # waits for it
  nbdcopy \"$disk\" plain.img
  qemu-img convert -O qcow2 \"$disk\" plain.qcow2
  kill $!
  algkit volume serve --tcp 0.0.0.0:10809 --tls-certificates pki \\
    --tls-verify-peer disk.img
  algkit volume serve --read-only --key-file key --socket disk.sock disk.img")]
pub struct ServeArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
    /// The Unix socket [default: the image's name followed by .sock, in the current folder]
    #[arg(long, value_name = "PATH", conflicts_with = "tcp")]
    pub socket: Option<PathBuf>,
    /// A TCP port instead of a Unix socket, on 127.0.0.1 or another address of this machine; port 0 takes any that is free
    #[arg(long, value_name = "[ADDRESS:]PORT", value_parser = address)]
    pub tcp: Option<SocketAddr>,
    /// Serve clients with TLS only: the folder with server-cert.pem and server-key.pem
    #[arg(long, value_name = "DIR")]
    pub tls_certificates: Option<PathBuf>,
    /// Serve only clients with a certificate signed by an authority in ca-cert.pem, in the same folder
    #[arg(long, requires = "tls_certificates")]
    pub tls_verify_peer: bool,
    /// Let clients only read
    #[arg(short = 'r', long)]
    pub read_only: bool,
    /// Pass discards of clients on to the disk or the file system, which reveals which sectors are in use
    #[arg(long, conflicts_with = "read_only")]
    pub allow_discards: bool,
    #[command(flatten)]
    pub unlock: UnlockArgs,
    #[command(flatten)]
    pub kind: KindArgs,
}

fn address(text: &str) -> Result<SocketAddr, String> {
    let port = || text.parse().map(|port| (Ipv4Addr::LOCALHOST, port).into());
    text.parse().or_else(|_| port()).map_err(|_: ParseIntError| "expected a port, or an address and a port".to_owned())
}
