//! `algkit volume mount`: a volume as a file, or the files in it.

use super::{
    Access, Place,
    args::mount::MountArgs,
    fuse2fs::{Fuse2fs, Running, State, clear},
    programs::find,
    service::{FAREWELL, Failures, announce, asked_to_end, notify},
};
use crate::{answer::Answer, error::Error, out::complain, words::count};
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
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread,
    time::Duration,
};

/// The most requests that are done at a time.
const THREADS: usize = 8;

/// How often it is looked whether the files are there.
const GLANCE: Duration = Duration::from_millis(20);

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
    let is_dead = |error: io::Error| error.kind() == io::ErrorKind::NotConnected;
    if fs::metadata(folder).is_err_and(is_dead) {
        clear(folder);
    }
    let is_folder = fs::metadata(folder).map(|there| there.is_dir());
    if !is_folder.map_err(|source| Error::mount(folder, source))? {
        return Err(Error::mount(folder, io::Error::from(io::ErrorKind::NotADirectory)));
    }
    let program = if args.fs { Some(Fuse2fs::find()?) } else { None };
    let place = Place::open(&args.place, if args.read_only { Access::Read } else { Access::Data })?;
    let file = place.data.file.try_clone().map_err(|source| Error::Read { name: "the image".to_owned(), source })?;
    let volume = Arc::new(place.volume(file, &args.unlock, &args.kind)?);
    let failures = Arc::new(Failures::new(&place.data.path));
    let (tell, events) = channel();
    let mut signals = asked_to_end()?;
    let asked = tell.clone();
    thread::spawn(move || signals.forever().try_for_each(|_| asked.send(Event::Asked)));
    let shown = match program {
        None => {
            let unmounter = serve(&volume, folder, args.read_only, &failures, tell)?;
            let shown = announce(&folder.join(NAME));
            let ended = shown.is_ok().then(|| events.recv());
            finish(unmounter, &events, ended.and_then(Result::ok), folder).and(shown)
        }
        Some(program) => {
            let before = State::of(&volume).map_err(|reason| Error::mount(folder, reason))?;
            // Nobody else sees the file that the file system lies in.
            let under = tempfile::Builder::new().prefix("algkit-").tempdir();
            let under = under.map_err(|source| Error::mount(folder, source))?;
            let mut unmounter = serve(&volume, under.path(), args.read_only, &failures, tell.clone())?;
            let hide = || {
                unmounter.unmount();
                // What stays is removed at the end.
                let _ = fs::remove_dir(under.path());
            };
            let mut files = Files { folder, events: &events, file_ended: None };
            let shown = files.show(program, &under.path().join(NAME), args.read_only, tell, hide);
            let last = files.file_ended;
            finish(unmounter, &events, last, under.path())
                .and(shown)
                .and_then(|()| lost(&volume, before, &failures, folder))
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
    volume: &Arc<Volume<File>>,
    folder: &Path,
    read_only: bool,
    failures: &Arc<Failures>,
    tell: Sender<Event>,
) -> Result<Unmounter, Error> {
    let failures = Arc::clone(failures);
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

/// An error if not all that was written to the files is in the volume. fuse2fs ends with success all the same.
fn lost(volume: &Arc<Volume<File>>, before: State, failures: &Failures, folder: &Path) -> Result<(), Error> {
    let what = match (failures.count(), State::of(volume)) {
        (0, Ok(now)) => match now.worse_than(before) {
            None => return Ok(()),
            Some(what) => what.to_owned(),
        },
        (0, Err(what)) => what,
        (n, _) => format!("{} failed; files may have lost what was written to them", count(n.into(), "request")),
    };
    Err(Error::Lost { folder: folder.to_owned(), reason: what })
}

/// The files in the volume, which fuse2fs shows.
struct Files<'a> {
    folder: &'a Path,
    events: &'a Receiver<Event>,
    /// That the file has ended which the file system lies in.
    file_ended: Option<Event>,
}

impl Files<'_> {
    /// Shows the files until somebody unmounts them or a signal comes. `hide` is called when fuse2fs has opened the file: nobody else can from then on,
    /// and the file is unmounted when fuse2fs ends, however that and this process end.
    fn show(
        &mut self,
        program: Fuse2fs,
        file: &Path,
        read_only: bool,
        tell: Sender<Event>,
        hide: impl FnOnce(),
    ) -> Result<(), Error> {
        let failed = |reason: String| Error::mount(self.folder, reason);
        let (running, child) = program.start(file, self.folder, read_only).map_err(failed)?;
        thread::spawn(move || tell.send(Event::ProgramEnded(child.wait_with_output().map(|output| output.status))));
        let shown = self.follow(&running, hide);
        running.clear(self.folder);
        shown
    }

    /// Waits until fuse2fs has ended. It writes what it has not written yet before it does, however long that takes.
    fn follow(&mut self, running: &Running, hide: impl FnOnce()) -> Result<(), Error> {
        let failed = |reason: &str| Error::mount(self.folder, reason);
        let mut hide = Some(hide);
        let mut shown = Ok(());
        loop {
            let patience = match (&hide, &self.file_ended) {
                (Some(_), _) => GLANCE,
                (None, Some(_)) => FAREWELL,
                (None, None) => Duration::MAX,
            };
            match self.events.recv_timeout(patience) {
                Ok(Event::ProgramEnded(Ok(status))) => {
                    let ended = match hide {
                        _ if !status.success() => Err(failed(&format!("fuse2fs failed: {status}"))),
                        Some(_) => Err(failed("fuse2fs has not mounted it")),
                        None => Ok(()),
                    };
                    return shown.and(ended);
                }
                Ok(Event::ProgramEnded(Err(error))) => return Err(Error::mount(self.folder, error)),
                Ok(Event::Asked) => running.end(),
                Ok(ended @ Event::FileEnded(_)) => self.file_ended = Some(ended),
                Err(RecvTimeoutError::Timeout) => match (hide.take(), running.has_mounted(self.folder)) {
                    (Some(unused), Ok(false)) => hide = Some(unused),
                    (Some(hide), Ok(true)) => {
                        hide();
                        shown = announce(self.folder);
                    }
                    (Some(_), Err(reason)) => shown = Err(failed(&reason)),
                    // The file has ended, and its user has not.
                    (None, _) => shown = shown.and(Err(failed("its file was unmounted"))),
                },
                Err(RecvTimeoutError::Disconnected) => return Err(failed("nobody tells what fuse2fs does")),
            }
            if shown.is_err() {
                running.end();
            }
        }
    }
}
