//! The program that this process becomes or starts: whether it loads the library, and the line for the user if it does
//! not.
//!
//! As in [`environment`](crate::environment), nothing is allocated and nothing locked. The caller's path may be
//! invalid; the kernel refuses it.

use crate::{environment::Inherited, errno, interpose::real, kernel::kernel};
use algkit_afalg::{
    Errno,
    program::{self, Image, Owner, Reach},
};
use libc::{
    AT_EMPTY_PATH, AT_FDCWD, O_CLOEXEC, O_NOCTTY, O_NONBLOCK, O_RDONLY, POLLOUT, S_IFMT, S_IFREG, SYS_close,
    SYS_faccessat, SYS_fgetxattr, SYS_fstat, SYS_newfstatat, SYS_openat, SYS_pread64, SYS_readlinkat, SYS_write, X_OK,
    c_char, c_int, c_long, nfds_t, pollfd,
};
use rustix::{
    process::{Resource, getgid, getrlimit, getuid},
    thread::no_new_privs,
};
use std::{ffi::CStr, io::Write as _, mem, os::fd::RawFd};

/// A program, in the terms of `execveat`.
#[derive(Clone, Copy)]
pub struct Program {
    pub dir: c_int,
    pub path: *const c_char,
    pub flags: c_int,
}

impl Program {
    /// The program with the path `path`.
    pub fn at(path: *const c_char) -> Self {
        Self { dir: AT_FDCWD, path, flags: 0 }
    }

    /// How the program calls the kernel, as far as its file can be read.
    pub fn reach(self) -> Reach {
        File::open_at(self).and_then(program::reach).unwrap_or(Reach::Libc)
    }

    /// Tells the user once why the program is not served, if it is executable.
    pub fn tell(self, inherited: &Inherited, reach: Reach, reason: &str) {
        let (dir, path) = (self.dir.into(), self.path.expose_provenance() as c_long);
        let is_by_number = self.flags & AT_EMPTY_PATH != 0;
        if !is_by_number && kernel(SYS_faccessat, [dir, path, X_OK.into(), 0, 0]).is_err() {
            return;
        }
        let mut room = [0; MAX_NAME];
        let name = self.name(&mut room);
        if inherited.told.is_some_and(|told| told.is_first(name)) {
            tell(name, reason, reach);
        }
    }

    /// The path of the program, which the kernel has read, or that of the file that the descriptor stands for.
    fn name(self, room: &mut [u8; MAX_NAME]) -> &[u8] {
        // SAFETY: the kernel has read the path, so it is a string.
        let len = unsafe { libc::strnlen(self.path, MAX_NAME) };
        if len > 0 {
            // SAFETY: `len` bytes of it have just been read.
            return unsafe { std::slice::from_raw_parts(self.path.cast(), len) };
        }
        let mut link = [0; 32];
        let _ = write!(&mut link[..31], "/proc/self/fd/{}", self.dir);
        let (link, place) =
            (link.as_ptr().expose_provenance() as c_long, room.as_mut_ptr().expose_provenance() as c_long);
        let len = kernel(SYS_readlinkat, [AT_FDCWD.into(), link, place, MAX_NAME as c_long, 0]);
        room.get(..len.unwrap_or(0) as usize).unwrap_or_default()
    }
}

/// The length in bytes beyond which names are cut.
const MAX_NAME: usize = 256;

/// Writes the line to standard error if that does not block, because the caller is a foreign program.
fn tell(name: &[u8], reason: &str, reach: Reach) {
    let advice = match reach {
        Reach::Foreign => "no mode serves it",
        Reach::Privileged => "`algkit run --via seccomp` serves it, and keeps it from gaining them",
        _ => "`algkit run --via seccomp` serves it",
    };
    let mut line = [0; MAX_NAME + 256];
    let mut rest = &mut line[..];
    let _ = rest.write_all(b"algkit: `");
    for &byte in name {
        let _ = rest.write_all(&[if byte.is_ascii_control() { b'?' } else { byte }]);
    }
    let _ = writeln!(rest, "` is not served: {reason}; {advice}");
    let left = rest.len();
    let line = &line[..line.len() - left];
    let mut poll = pollfd { fd: 2, events: POLLOUT, revents: 0 };
    // SAFETY: the pointer is to one `pollfd`, and the count is 1.
    let ready = real!(fn poll(*mut pollfd, nfds_t, c_int) -> c_int).map(|real| unsafe { real(&raw mut poll, 1, 0) });
    // A write to a pipe without readers, to a full pipe or to a file that may not grow would end or stop the program.
    if ready == Some(1) && poll.revents == POLLOUT && getrlimit(Resource::Fsize).current.is_none() {
        let _ = kernel(SYS_write, [2, line.as_ptr().expose_provenance() as c_long, line.len() as c_long, 0, 0]);
    }
}

/// The program's file, opened for reading.
struct File(RawFd);

impl File {
    /// Opens the file if it is a regular one. Opening others may have side effects.
    fn open_at(Program { dir, path, flags }: Program) -> Result<Self, Errno> {
        let mut stat = mem::MaybeUninit::<libc::stat>::uninit();
        let [dir, path] = [dir.into(), path.expose_provenance() as c_long];
        kernel(SYS_newfstatat, [dir, path, stat.as_mut_ptr().expose_provenance() as c_long, flags.into(), 0])?;
        // SAFETY: the system call has succeeded, so the kernel has filled the structure.
        if unsafe { stat.assume_init() }.st_mode & S_IFMT != S_IFREG {
            return Err(Errno::ACCESS);
        }
        // SAFETY: the path is not null, and the kernel has read it.
        let is_by_number = path != 0 && flags & AT_EMPTY_PATH != 0 && unsafe { *(path as *const c_char) } == 0;
        let mut link = [0; 32];
        let (dir, path) = match is_by_number {
            true => {
                let _ = write!(&mut link[..31], "/proc/self/fd/{dir}");
                (AT_FDCWD.into(), link.as_ptr().expose_provenance() as c_long)
            }
            false => (dir, path),
        };
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
        Ok(Self(kernel(SYS_openat, [dir, path, flags.into(), 0, 0])? as RawFd))
    }
}

impl Image for File {
    fn open(name: &[u8]) -> Result<Self, Errno> {
        let mut path = [0; MAX_NAME + 1];
        path.get_mut(..name.len()).ok_or(Errno::NAMETOOLONG)?.copy_from_slice(name);
        let path = CStr::from_bytes_until_nul(&path).map_err(|_| Errno::NAMETOOLONG)?;
        Self::open_at(Program::at(path.as_ptr()))
    }

    fn read(&self, at: u64, into: &mut [u8]) -> usize {
        let place = into.as_mut_ptr().expose_provenance() as c_long;
        kernel(SYS_pread64, [self.0.into(), place, into.len() as c_long, at as c_long, 0]).unwrap_or(0) as usize
    }

    fn gains_privileges(&self) -> bool {
        let mut stat = mem::MaybeUninit::<libc::stat>::uninit();
        let place = stat.as_mut_ptr().expose_provenance() as c_long;
        if kernel(SYS_fstat, [self.0.into(), place, 0, 0, 0]).is_err() {
            return false;
        }
        // SAFETY: the system call has succeeded, so the kernel has filled the structure.
        let stat = unsafe { stat.assume_init() };
        let owner = Owner { mode: stat.st_mode, uid: stat.st_uid, gid: stat.st_gid };
        let capabilities = c"security.capability".as_ptr().expose_provenance() as c_long;
        let has_capabilities = kernel(SYS_fgetxattr, [self.0.into(), capabilities, 0, 0, 0]).is_ok();
        owner.gives(getuid().as_raw(), getgid().as_raw(), has_capabilities) && !no_new_privs().unwrap_or(false)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = kernel(SYS_close, [self.0.into(), 0, 0, 0, 0]);
    }
}

/// Calls `body` and restores `errno` afterwards.
pub fn quietly<T>(body: impl FnOnce() -> T) -> T {
    let before = errno::raw();
    let result = body();
    errno::set_raw(before);
    result
}
