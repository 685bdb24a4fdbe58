//! A file as a network block device, encrypted by nothing: what `algkit volume serve` is compared with.
//!
//! ```console
//! $ cargo run --example nbd_file -- plain.img plain.sock
//! ```

use algkit_volume::nbd::{Export, handshake};
use std::{env, error::Error, fs::File, net::Shutdown, os::unix::net::UnixListener, thread};

fn main() -> Result<(), Box<dyn Error>> {
    let [file, socket] =
        env::args().skip(1).collect::<Vec<_>>().try_into().map_err(|_| "usage: nbd_file FILE SOCKET")?;
    let file = File::options().read(true).write(true).open(file)?;
    let threads = thread::available_parallelism().map_or(2, |cpus| cpus.get().clamp(2, 8));
    let export = Export { failed: &|error| eprintln!("{error}"), ..Export::new(&file) };
    let listener = UnixListener::bind(socket)?;
    thread::scope(|scope| {
        for stream in listener.incoming().flatten() {
            let export = &export;
            scope.spawn(move || {
                let hang_up = || drop(stream.shutdown(Shutdown::Both));
                match handshake(export, &mut &stream, &mut &stream)? {
                    Some(session) => session.serve(export, &stream, &stream, hang_up, threads),
                    None => Ok(()),
                }
            });
        }
        Ok(())
    })
}
