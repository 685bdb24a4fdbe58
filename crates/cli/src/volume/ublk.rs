//! `algkit volume ublk`: a volume as a block device.

use super::{
    Access, Place,
    args::ublk::UblkArgs,
    service::{Failures, announce, asked_to_end, notify},
};
use crate::{answer::Answer, error::Error};
use algkit_ublk::Options;
use algkit_volume::WriteAt;
use std::{sync::mpsc::channel, thread};

/// The most queues, unless more are asked for.
const QUEUES: usize = 8;

pub fn run(args: &UblkArgs) -> Result<Answer, Error> {
    let place = Place::open(&args.place, if args.read_only { Access::Read } else { Access::Data })?;
    let volume = place.volume(&place.data.file, &args.unlock, &args.kind)?;
    // Signals, and the end of the device by another's hand.
    let (tell, end) = channel();
    let mut signals = asked_to_end()?;
    let asked = tell.clone();
    thread::spawn(move || signals.forever().try_for_each(|_| asked.send(())));
    let ended = || {
        let _ = tell.send(());
    };
    let failures = Failures::new(&place.data.path);
    let cpus = || thread::available_parallelism().map_or(1, |cpus| cpus.get().min(QUEUES) as u16);
    let options = Options {
        read_only: args.read_only,
        discard: args.allow_discards,
        block_size: volume.sector_size() as u32,
        queues: args.queues.unwrap_or_else(cpus),
        depth: args.queue_depth,
        failed: &|error| failures.tell(error),
        ended: &ended,
    };
    let shown = algkit_ublk::serve(&volume, &options, |disk| {
        let announced = announce(disk);
        if announced.is_ok() {
            // It cannot fail, as there is a sender here.
            let _ = end.recv();
        }
        notify("STOPPING=1");
        announced
    });
    if !args.read_only {
        volume.sync().map_err(|error| place.data.error(error))?;
    }
    shown.map_err(|source| Error::BlockDevice { path: place.data.path.clone(), source })??;
    Ok(Answer::Yes)
}
