//! `algkit volume mount`: a volume as a file, or the files in it.

use super::{
    Access, Place,
    args::mount::MountArgs,
    fuse2fs::Fuse2fs,
    programs::find,
    service::{FAREWELL, Failures, announce, asked_to_end, notify},
};
use crate::{answer::Answer, error::Error, out::complain};
use algkit_volume::{
    Volume, WriteAt,
    fuse::{Mounted, NAME, Options, Unmounter},
};
use rustix::process::geteuid;
use std::{
    fs::{self, File},
    io,
    path::Path,
    process::ExitStatus,
    sync::{
        Arc,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
};

/// The most requests that are done at a time.
const THREADS: usize = 8;

/// What the command waits for.
enum Event {
    /// A signal asks it to end.
    Asked,
    /// The file is unmounted and closed.
    FileEnded(io::Result<()>),
    /// The program that shows the files in it has ended.
    ProgramEnded(io::Result<ExitStatus>),
}

pub fn run(args: &MountArgs) -> Result<Answer, Error> {
    let folder = &args.folder;
    let is_folder = fs::metadata(folder).map(|there| there.is_dir());
    if !is_folder.map_err(|source| Error::mount(folder, source))? {
        return Err(Error::mount(folder, io::Error::from(io::ErrorKind::NotADirectory)));
    }
    let program = if args.fs { Some(Fuse2fs::find()?) } else { None };
    let place = Place::open(&args.place, if args.read_only { Access::Read } else { Access::Data })?;
    let file = place.data.file.try_clone().map_err(|source| Error::Read { name: "the image".to_owned(), source })?;
    let volume = Arc::new(place.volume(file, &args.unlock, &args.kind)?);
    let (tell, events) = channel();
    let mut signals = asked_to_end()?;
    let asked = tell.clone();
    thread::spawn(move || signals.forever().try_for_each(|_| asked.send(Event::Asked)));
    let shown = match program {
        None => {
            let unmounter = serve(&place, &volume, folder, args.read_only, tell)?;
            let shown = announce(&folder.join(NAME));
            let ended = shown.is_ok().then(|| events.recv());
            finish(unmounter, &events, ended.and_then(Result::ok), folder).and(shown)
        }
        Some(program) => {
            program.check(&volume).map_err(|reason| Error::mount(folder, reason))?;
            // Nobody else sees the file that the file system lies in.
            let under = tempfile::Builder::new().prefix("algkit-").tempdir();
            let under = under.map_err(|source| Error::mount(folder, source))?;
            let unmounter = serve(&place, &volume, under.path(), args.read_only, tell.clone())?;
            let shown = show(program, &under.path().join(NAME), args, tell, &events);
            finish(unmounter, &events, None, under.path()).and(shown)
        }
    };
    // What was written has its tags, however the mount has ended.
    if !args.read_only {
        volume.sync().map_err(|error| place.data.error(error))?;
    }
    shown.map(|()| Answer::Yes)
}

/// Mounts the volume as a file in `folder`.
fn serve(
    place: &Place,
    volume: &Arc<Volume<File>>,
    folder: &Path,
    read_only: bool,
    tell: Sender<Event>,
) -> Result<Unmounter, Error> {
    let failures = Failures::new(&place.data.path);
    let options = Options {
        read_only,
        threads: thread::available_parallelism().map_or(2, |cpus| cpus.get().clamp(2, THREADS)),
        failed: Box::new(move |error| failures.tell(error)),
    };
    let mounted = Mounted::new(Arc::clone(volume), folder, options);
    let mounted = mounted.map_err(|error| match missing() {
        Some(what) => Error::mount(folder, what),
        None => Error::mount(folder, error),
    })?;
    let unmounter = mounted.unmounter();
    thread::spawn(move || tell.send(Event::FileEnded(mounted.serve())));
    Ok(unmounter)
}

/// What mounting needs and this machine does not have.
fn missing() -> Option<&'static str> {
    if !Path::new("/dev/fuse").exists() {
        Some("there is no /dev/fuse: modprobe fuse; for a container, --device /dev/fuse")
    } else if !geteuid().is_root() && find("fusermount3").is_none() {
        Some("fusermount3 is not installed, which mounts for ordinary users: apt-get install fuse3")
    } else {
        None
    }
}

/// Unmounts the file, unless it has ended already, and gives those who have it open some time to close it.
fn finish(mut unmounter: Unmounter, events: &Receiver<Event>, last: Option<Event>, folder: &Path) -> Result<(), Error> {
    notify("STOPPING=1");
    let failed = |source| Error::mount(folder, source);
    if let Some(Event::FileEnded(result)) = last {
        return result.map_err(failed);
    }
    unmounter.unmount();
    loop {
        match events.recv_timeout(FAREWELL) {
            Ok(Event::FileEnded(result)) => return result.map_err(failed),
            Ok(_) => {}
            Err(_) => {
                complain(&format_args!("warning: `{}` is still in use; whoever uses it loses it", folder.display()));
                return Ok(());
            }
        }
    }
}

/// Shows the files in the volume until somebody unmounts them or a signal comes.
fn show(
    program: Fuse2fs,
    file: &Path,
    args: &MountArgs,
    tell: Sender<Event>,
    events: &Receiver<Event>,
) -> Result<(), Error> {
    let failed = |reason: String| Error::mount(&args.folder, reason);
    let (running, child) = program.start(file, &args.folder, args.read_only).map_err(failed)?;
    thread::spawn(move || tell.send(Event::ProgramEnded(child.wait_with_output().map(|output| output.status))));
    let mut shown = running.wait_until_mounted(&args.folder).map_err(failed);
    if shown.is_ok() {
        shown = announce(&args.folder);
    }
    if shown.is_err() {
        running.end();
    }
    // It writes what it has not written yet before it ends, however long that takes.
    loop {
        match events.recv() {
            Ok(Event::ProgramEnded(Ok(status))) if status.success() => return shown,
            Ok(Event::ProgramEnded(Ok(status))) => return shown.and(Err(failed(format!("fuse2fs failed: {status}")))),
            Ok(Event::ProgramEnded(Err(error))) => return Err(Error::mount(&args.folder, error)),
            Ok(Event::Asked) => running.end(),
            Ok(Event::FileEnded(_)) | Err(_) => return Err(failed("its file was unmounted".to_owned())),
        }
    }
}
