//! Mounting and unmounting: by the system calls where the process may, and otherwise by `fusermount3`, which may for every user.

use rustix::{
    cmsg_space,
    event::{PollFd, PollFlags, Timespec, poll},
    io::{Errno, retry_on_intr},
    mount::{MountFlags, UnmountFlags, mount, unmount},
    net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg},
    process::{getgid, getuid},
};
use std::{
    ffi::CString,
    fs::File,
    io::{self, IoSliceMut},
    mem::MaybeUninit,
    os::{
        fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd},
        unix::net::UnixStream,
    },
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
};

/// What the kernel shows as the source of the mount.
const SOURCE: &str = "algkit";

/// The name under which fusermount3 is looked for; some systems keep it where PATH does not lead, and some have FUSE 2's alone, which does the same.
const PROGRAMS: [&str; 4] = ["fusermount3", "/usr/bin/fusermount3", "/bin/fusermount3", "fusermount"];

/// A FUSE file system that is mounted on a folder. Dropping it unmounts it.
pub(super) struct Mount {
    device: OwnedFd,
    folder: PathBuf,
    /// Whether it was unmounted from here. What is mounted on the folder after that is somebody else's.
    gone: AtomicBool,
}

impl AsFd for Mount {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.device.as_fd()
    }
}

impl Mount {
    /// Mounts on `folder`, for the user of the process alone. The kernel asks for at most `max_read` bytes at a time.
    pub fn new(folder: &Path, read_only: bool, max_read: u32) -> io::Result<Self> {
        // The name stays right if the process goes to another folder.
        let folder = folder.canonicalize()?;
        let device = match by_system_calls(&folder, read_only, max_read) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => by_program(&folder, read_only, max_read)?,
            device => device?,
        };
        Ok(Self { device, folder, gone: AtomicBool::new(false) })
    }

    /// Unmounts it from the folder, unless somebody has done so. Programs that have the file open can go on using it.
    pub fn unmount(&self) {
        if self.gone.swap(true, Ordering::Relaxed) || !self.is_mounted() {
            return;
        }
        if unmount(&self.folder, UnmountFlags::DETACH).is_err() {
            // It says nothing, since somebody may have been faster.
            let _ = run(|program| {
                let mut command = Command::new(program);
                command.args(["-u", "-q", "-z", "--"]).arg(&self.folder);
                command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
                command.status()
            });
        }
    }

    /// Whether the kernel has the file system: it is mounted, or somebody has its file open.
    fn is_mounted(&self) -> bool {
        let mut device = [PollFd::new(&self.device, PollFlags::empty())];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        retry_on_intr(|| poll(&mut device, Some(&now))).is_ok() && !device[0].revents().contains(PollFlags::ERR)
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        self.unmount();
    }
}

/// Opens the device and mounts it. The error is of the kind `PermissionDenied` if the process may not.
fn by_system_calls(folder: &Path, read_only: bool, max_read: u32) -> io::Result<OwnedFd> {
    let device = OwnedFd::from(File::options().read(true).write(true).open("/dev/fuse")?);
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    // The mode says that the root is a folder.
    let data = format!("fd={},rootmode=40000,user_id={user},group_id={group},max_read={max_read}", device.as_raw_fd());
    let access = if read_only { MountFlags::RDONLY } else { MountFlags::empty() };
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC | access;
    mount(SOURCE, folder, "fuse", flags, &*CString::new(data)?)?;
    Ok(device)
}

/// Has fusermount3 open the device and mount it. It adds nosuid and nodev itself.
fn by_program(folder: &Path, read_only: bool, max_read: u32) -> io::Result<OwnedFd> {
    let (ours, its) = UnixStream::pair()?;
    let access = if read_only { "ro" } else { "rw" };
    let options = format!("fsname={SOURCE},{access},noexec,max_read={max_read}");
    let child = run(|program| {
        // The device comes through a socket, whose number this variable says. As standard input it is inherited.
        let mut command = Command::new(program);
        command.args(["-o", &options, "--"]).arg(folder).env("_FUSE_COMMFD", "0");
        command.stdin(OwnedFd::from(its.try_clone()?)).stdout(Stdio::null()).stderr(Stdio::piped());
        command.spawn()
    });
    let child = child.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => io::Error::new(error.kind(), "fusermount3 is not installed"),
        _ => error,
    })?;
    // From here on the program alone has its end, so the socket ends with it.
    drop(its);
    let device = received(&ours);
    let ended = child.wait_with_output()?;
    match device {
        Ok(Some(device)) if ended.status.success() => Ok(device),
        Err(errno) => Err(errno.into()),
        Ok(_) => {
            let said = String::from_utf8_lossy(&ended.stderr);
            let reason =
                if said.trim().is_empty() { ended.status.to_string() } else { said.trim().replace('\n', "; ") };
            Err(io::Error::other(reason))
        }
    }
}

/// Runs the first of the programs that is there.
fn run<T>(each: impl Fn(&str) -> io::Result<T>) -> io::Result<T> {
    let mut done = Err(io::Error::from(io::ErrorKind::NotFound));
    for program in PROGRAMS {
        done = each(program);
        if !done.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            break;
        }
    }
    done
}

/// The descriptor that comes through the socket; none if the socket ends before.
fn received(socket: &UnixStream) -> Result<Option<OwnedFd>, Errno> {
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    // A descriptor comes with a byte.
    let mut byte = [0];
    let mut read = || recvmsg(socket, &mut [IoSliceMut::new(&mut byte)], &mut control, RecvFlags::CMSG_CLOEXEC);
    retry_on_intr(&mut read)?;
    let descriptors = control.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors),
        _ => None,
    });
    Ok(descriptors.flatten().next())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
    use std::{
        io::{IoSlice, Read, Write},
        os::unix::fs::MetadataExt,
    };

    /// Sends a descriptor as fusermount3 does.
    #[test]
    fn descriptors_come_through_a_socket() {
        let (ours, its) = UnixStream::pair().unwrap();
        let (mut there, here) = UnixStream::pair().unwrap();
        let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(1))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        let sent = [here.as_fd()];
        assert!(control.push(SendAncillaryMessage::ScmRights(&sent)));
        sendmsg(&its, &[IoSlice::new(b"\0")], &mut control, SendFlags::empty()).unwrap();
        let got = File::from(received(&ours).unwrap().unwrap());
        assert_eq!(got.metadata().unwrap().ino(), File::from(OwnedFd::from(here)).metadata().unwrap().ino());
        (&got).write_all(b"hello").unwrap();
        let mut back = [0; 5];
        there.read_exact(&mut back).unwrap();
        assert_eq!(&back, b"hello");

        // A byte without one, and the end.
        (&its).write_all(b"\0").unwrap();
        assert!(received(&ours).unwrap().is_none());
        drop(its);
        assert!(received(&ours).unwrap().is_none());
    }
}
