//! Opening `/proc/crypto` and `/dev/crypto`, and asking whether they are there.

use crate::{errno, interpose::interpose, options::Options, table};
use algkit_afalg::{Errno, File, cryptodev::Device, proc_crypto};
use libc::{
    FILE, O_ACCMODE, O_CLOEXEC, O_CREAT, O_DIRECTORY, O_EXCL, O_NONBLOCK, O_RDONLY, O_RDWR, S_IFCHR, S_IFREG, W_OK,
    X_OK, c_char, c_int, c_uint, mode_t,
};
use rustix::{
    fs::{MemfdFlags, Mode, OFlags, SeekFrom, memfd_create, seek},
    io::{FdFlags, fcntl_setfd, write},
    net::SocketFlags,
};
use std::{
    ffi::CStr,
    mem,
    os::fd::{AsRawFd, IntoRawFd, OwnedFd},
};

/// A path that is served.
#[derive(Clone, Copy)]
enum Place {
    ProcCrypto,
    DevCrypto,
}

macro_rules! opens {
    ($($(#[$attribute:meta])* fn $name:ident($([$dir:ident],)? path, flags $(, $mode:ident)?);)*) => {
        interpose! {$(
            $(#[$attribute])*
            fn $name($($dir: c_int,)? path: *const c_char, flags: c_int $(, $mode: mode_t)?) -> c_int
            where Some(place) = Place::of(path) => place.open(flags)
        )*}
    };
}

opens! {
    /// The mode is optional; where a caller passes none, its register holds anything.
    fn open(path, flags, mode);
    /// As `open`.
    fn open64(path, flags, mode);
    /// As `open`.
    fn openat([dir], path, flags, mode);
    /// As `open`.
    fn openat64([dir], path, flags, mode);
    fn __open_2(path, flags);
    fn __open64_2(path, flags);
    fn __openat_2([dir], path, flags);
    fn __openat64_2([dir], path, flags);
}

interpose! {
    fn fopen(path: *const c_char, mode: *const c_char) -> *mut FILE
    where Some(place) = Place::of(path) => place.stream(mode)

    fn fopen64(path: *const c_char, mode: *const c_char) -> *mut FILE
    where Some(place) = Place::of(path) => place.stream(mode)

    fn access(path: *const c_char, mode: c_int) -> c_int
    where Some(place) = Place::of(path) => place.access(mode)

    fn eaccess(path: *const c_char, mode: c_int) -> c_int
    where Some(place) = Place::of(path) => place.access(mode)

    fn euidaccess(path: *const c_char, mode: c_int) -> c_int
    where Some(place) = Place::of(path) => place.access(mode)

    fn faccessat(dir: c_int, path: *const c_char, mode: c_int, flags: c_int) -> c_int
    where Some(place) = Place::of(path) => place.access(mode)

    fn stat(path: *const c_char, into: *mut libc::stat) -> c_int
    where Some(place) = Place::of(path) => place.describe(into)

    fn lstat(path: *const c_char, into: *mut libc::stat) -> c_int
    where Some(place) = Place::of(path) => place.describe(into)

    fn fstatat(dir: c_int, path: *const c_char, into: *mut libc::stat, flags: c_int) -> c_int
    where Some(place) = Place::of(path) => place.describe(into)

    fn stat64(path: *const c_char, into: *mut libc::stat64) -> c_int
    where Some(place) = Place::of(path) => place.describe(into.cast())

    fn lstat64(path: *const c_char, into: *mut libc::stat64) -> c_int
    where Some(place) = Place::of(path) => place.describe(into.cast())

    fn fstatat64(dir: c_int, path: *const c_char, into: *mut libc::stat64, flags: c_int) -> c_int
    where Some(place) = Place::of(path) => place.describe(into.cast())

    fn statx(dir: c_int, path: *const c_char, flags: c_int, mask: c_uint, into: *mut libc::statx) -> c_int
    where Some(place) = Place::of(path) => place.describe_more(into)

    fn fstat(fd: c_int, into: *mut libc::stat) -> c_int
    where Some(place) = Place::behind(fd) => place.describe(into)

    fn fstat64(fd: c_int, into: *mut libc::stat64) -> c_int
    where Some(place) = Place::behind(fd) => place.describe(into.cast())
}

/// `openat`, if the path is a served one.
///
/// # Safety
/// `path` is null or a C string.
pub unsafe fn served_at(path: *const c_char, flags: c_int) -> Option<c_int> {
    // SAFETY: the caller's promise.
    let place = unsafe { Place::of(path)? };
    Some(errno::answer(|| place.open(flags)))
}

// The two structures are one where a long is 64 bits wide.
const _: () = assert!(size_of::<libc::stat>() == size_of::<libc::stat64>());

impl Place {
    /// The place of this path.
    ///
    /// # Safety
    /// `path` is null or a C string.
    #[inline]
    unsafe fn of(path: *const c_char) -> Option<Self> {
        if path.is_null() {
            return None;
        }
        // SAFETY: the caller's promise.
        match unsafe { CStr::from_ptr(path) }.to_bytes() {
            b"/proc/crypto" => Some(Self::ProcCrypto),
            b"/dev/crypto" => Some(Self::DevCrypto),
            _ => None,
        }
    }

    /// The device, if the descriptor is of it.
    fn behind(fd: c_int) -> Option<Self> {
        table::entry(fd)?.check_socket().is_err().then_some(Self::DevCrypto)
    }

    fn open(self, flags: c_int) -> Result<c_int, Errno> {
        if flags & (O_CREAT | O_EXCL) == O_CREAT | O_EXCL {
            return Err(Errno::EXIST);
        }
        if flags & O_DIRECTORY != 0 {
            return Err(Errno::NOTDIR);
        }
        let closes = flags & O_CLOEXEC != 0;
        match self {
            Self::ProcCrypto if flags & O_ACCMODE != O_RDONLY => Err(Errno::ACCESS),
            Self::ProcCrypto => proc_crypto_file(closes).map(IntoRawFd::into_raw_fd),
            Self::DevCrypto => {
                let mut socket = SocketFlags::empty();
                socket.set(SocketFlags::CLOEXEC, closes);
                socket.set(SocketFlags::NONBLOCK, flags & O_NONBLOCK != 0);
                table::install(File::Device(Device::new()), Options::default(), socket)
            }
        }
    }

    unsafe fn stream(self, mode: *const c_char) -> Result<*mut FILE, Errno> {
        if mode.is_null() {
            return Err(Errno::INVAL);
        }
        // SAFETY: the caller's C string.
        let letters = unsafe { CStr::from_ptr(mode) }.to_bytes();
        let mut flags = match letters.first() {
            Some(b'r') if !letters.contains(&b'+') => O_RDONLY,
            Some(b'r' | b'w' | b'a') => O_RDWR,
            _ => return Err(Errno::INVAL),
        };
        if letters.contains(&b'e') {
            flags |= O_CLOEXEC;
        }
        let fd = self.open(flags)?;
        // SAFETY: the descriptor is new, and the stream's from now on.
        let stream = unsafe { libc::fdopen(fd, mode) };
        if stream.is_null() { Err(errno::last()) } else { Ok(stream) }
    }

    fn access(self, mode: c_int) -> Result<c_int, Errno> {
        let refused = match self {
            Self::ProcCrypto => W_OK | X_OK,
            Self::DevCrypto => X_OK,
        };
        if mode & refused == 0 { Ok(0) } else { Err(Errno::ACCESS) }
    }

    fn mode(self) -> mode_t {
        match self {
            Self::ProcCrypto => S_IFREG | 0o444,
            Self::DevCrypto => S_IFCHR | 0o666,
        }
    }

    fn describe(self, into: *mut libc::stat) -> Result<c_int, Errno> {
        // SAFETY: all zeros are a value of the structure.
        let mut found: libc::stat = unsafe { mem::zeroed() };
        found.st_mode = self.mode();
        found.st_nlink = 1;
        found.st_blksize = 4096;
        if let Self::DevCrypto = self {
            found.st_rdev = libc::makedev(MISC_MAJOR, DYNAMIC_MINOR);
        }
        // SAFETY: null, or the caller's.
        *unsafe { into.as_mut() }.ok_or(Errno::FAULT)? = found;
        Ok(0)
    }

    fn describe_more(self, into: *mut libc::statx) -> Result<c_int, Errno> {
        // SAFETY: all zeros are a value of the structure.
        let mut found: libc::statx = unsafe { mem::zeroed() };
        found.stx_mask = libc::STATX_TYPE | libc::STATX_MODE | libc::STATX_NLINK | libc::STATX_SIZE;
        found.stx_mode = self.mode() as u16;
        found.stx_nlink = 1;
        found.stx_blksize = 4096;
        if let Self::DevCrypto = self {
            (found.stx_rdev_major, found.stx_rdev_minor) = (MISC_MAJOR, DYNAMIC_MINOR);
        }
        // SAFETY: null, or the caller's.
        *unsafe { into.as_mut() }.ok_or(Errno::FAULT)? = found;
        Ok(0)
    }
}

/// Miscellaneous devices, of which cryptodev is one, with the first minor number given out on demand.
const MISC_MAJOR: c_uint = 10;
const DYNAMIC_MINOR: c_uint = 127;

/// A file that holds the text of `/proc/crypto`.
fn proc_crypto_file(closes: bool) -> Result<OwnedFd, Errno> {
    let memory = memfd_create("crypto", MemfdFlags::CLOEXEC)?;
    {
        // A child forked now would find the registry locked.
        let _no_fork = table::lock();
        let text = proc_crypto::text();
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            rest = &rest[write(&memory, rest)?..];
        }
    }
    let path = format!("/proc/self/fd/{}", memory.as_raw_fd());
    let file = match rustix::fs::open(path.as_str(), OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()) {
        Ok(file) => file,
        // Without /proc it is a file that can be written to as well.
        Err(_) => {
            seek(&memory, SeekFrom::Start(0))?;
            memory
        }
    };
    if !closes {
        fcntl_setfd(&file, FdFlags::empty())?;
    }
    Ok(file)
}
