//! Opening `/proc/crypto` and `/dev/crypto`, and asking for their properties.

use crate::{
    errno::{self, Return},
    interpose::real,
    kernel::kernel,
    memory, reserve, table,
};
use algkit_afalg::{Errno, File, Place, cryptodev::Device, proc_crypto};
use libc::{
    AT_FDCWD, FILE, O_CLOEXEC, O_CREAT, O_NONBLOCK, O_RDONLY, O_RDWR, O_TRUNC, O_WRONLY, S_IFCHR, S_IFMT, S_IFREG,
    SYS_close, W_OK, X_OK, c_char, c_int, c_long, c_uint, mode_t,
};
use rustix::{
    fs::{CWD, readlinkat, readlinkat_raw},
    io::{FdFlags, fcntl_setfd},
    net::SocketFlags,
};
use std::{
    ffi::{CStr, CString},
    io::Write,
    mem::{self, MaybeUninit},
    os::fd::{IntoRawFd, OwnedFd},
    slice,
};

/// Defines functions that take a path. The kernel is called first, and finds out whether the path can be read: a
/// program that passes an invalid address gets `EFAULT`. If the path names a served file, the body answers instead of
/// the kernel. If the call would create a file that does not exist, the kernel is not called for a served path.
macro_rules! paths {
    ($(
        $(#[$attribute:meta])*
        fn $name:ident($($arg:ident: $type:ty),*) -> $return:ty
        where $path:ident in $folder:expr $(, made if $made:expr)? => |$place:ident, $said:ident| $body:expr
    )*) => {$(
        $(#[$attribute])*
        #[unsafe(no_mangle)]
        #[allow(unused_unsafe, unused_variables)]
        pub unsafe extern "C-unwind" fn $name($($arg: $type),*) -> $return {
            $(
                // SAFETY: the caller passes a string, or an address that cannot be read.
                if $made && let Some($place) = unsafe { named_unasked($folder, $path) } {
                    let $said = <$return as Return>::FAILED;
                    // SAFETY: the caller passes what the C function documents.
                    return errno::answer(|| unsafe { $body });
                }
            )?
            let $said = match real!(fn $name($($type),*) -> $return) {
                // SAFETY: the arguments go unchanged to the function that they are meant for.
                Some(real) => unsafe { real($($arg),*) },
                None => return errno::answer(|| Err(Errno::NOSYS)),
            };
            // SAFETY: the path has gone to the kernel.
            match unsafe { named($said == Return::FAILED, $folder, $path) } {
                None => $said,
                // SAFETY: the caller passes what the C function documents.
                Some($place) => errno::answer(|| unsafe { $body }),
            }
        }
    )*};
}

paths! {
    /// The mode is optional. If a caller passes none, its register holds anything.
    fn open(path: *const c_char, flags: c_int, mode: mode_t) -> c_int
    where path in AT_FDCWD, made if flags & O_CREAT != 0 => |place, said| reopen(said, place, flags)

    /// The same as `open`.
    fn open64(path: *const c_char, flags: c_int, mode: mode_t) -> c_int
    where path in AT_FDCWD, made if flags & O_CREAT != 0 => |place, said| reopen(said, place, flags)

    /// The same as `open`.
    fn openat(dir: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int
    where path in dir, made if flags & O_CREAT != 0 => |place, said| reopen(said, place, flags)

    /// The same as `open`.
    fn openat64(dir: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int
    where path in dir, made if flags & O_CREAT != 0 => |place, said| reopen(said, place, flags)

    fn creat(path: *const c_char, mode: mode_t) -> c_int
    where path in AT_FDCWD, made if true => |place, said| reopen(said, place, O_CREAT | O_WRONLY | O_TRUNC)

    fn creat64(path: *const c_char, mode: mode_t) -> c_int
    where path in AT_FDCWD, made if true => |place, said| reopen(said, place, O_CREAT | O_WRONLY | O_TRUNC)

    fn __open_2(path: *const c_char, flags: c_int) -> c_int
    where path in AT_FDCWD => |place, said| reopen(said, place, flags)

    fn __open64_2(path: *const c_char, flags: c_int) -> c_int
    where path in AT_FDCWD => |place, said| reopen(said, place, flags)

    fn __openat_2(dir: c_int, path: *const c_char, flags: c_int) -> c_int
    where path in dir => |place, said| reopen(said, place, flags)

    fn __openat64_2(dir: c_int, path: *const c_char, flags: c_int) -> c_int
    where path in dir => |place, said| reopen(said, place, flags)

    fn fopen(path: *const c_char, mode: *const c_char) -> *mut FILE
    where path in AT_FDCWD, made if makes(mode) => |place, said| restream(said, place, mode)

    fn fopen64(path: *const c_char, mode: *const c_char) -> *mut FILE
    where path in AT_FDCWD, made if makes(mode) => |place, said| restream(said, place, mode)

    fn access(path: *const c_char, mode: c_int) -> c_int
    where path in AT_FDCWD => |place, said| access_to(place, mode)

    fn eaccess(path: *const c_char, mode: c_int) -> c_int
    where path in AT_FDCWD => |place, said| access_to(place, mode)

    fn euidaccess(path: *const c_char, mode: c_int) -> c_int
    where path in AT_FDCWD => |place, said| access_to(place, mode)

    fn faccessat(dir: c_int, path: *const c_char, mode: c_int, flags: c_int) -> c_int
    where path in dir => |place, said| access_to(place, mode)

    fn stat(path: *const c_char, into: *mut libc::stat) -> c_int
    where path in AT_FDCWD => |place, said| describe(place, into.cast())

    fn lstat(path: *const c_char, into: *mut libc::stat) -> c_int
    where path in AT_FDCWD => |place, said| describe(place, into.cast())

    fn stat64(path: *const c_char, into: *mut libc::stat64) -> c_int
    where path in AT_FDCWD => |place, said| describe(place, into.cast())

    fn lstat64(path: *const c_char, into: *mut libc::stat64) -> c_int
    where path in AT_FDCWD => |place, said| describe(place, into.cast())

    fn fstatat(dir: c_int, path: *const c_char, into: *mut libc::stat, flags: c_int) -> c_int
    where path in dir => |place, said| describe(place, into.cast())

    fn fstatat64(dir: c_int, path: *const c_char, into: *mut libc::stat64, flags: c_int) -> c_int
    where path in dir => |place, said| describe(place, into.cast())

    /// Programs that were linked with glibc before 2.33 call this instead of `stat`; the same holds for the functions
    /// below.
    fn __xstat(version: c_int, path: *const c_char, into: *mut libc::stat) -> c_int
    where path in AT_FDCWD => |place, said| describe(place, into)

    fn __lxstat(version: c_int, path: *const c_char, into: *mut libc::stat) -> c_int
    where path in AT_FDCWD => |place, said| describe(place, into)

    fn __xstat64(version: c_int, path: *const c_char, into: *mut libc::stat64) -> c_int
    where path in AT_FDCWD => |place, said| describe(place, into.cast())

    fn __lxstat64(version: c_int, path: *const c_char, into: *mut libc::stat64) -> c_int
    where path in AT_FDCWD => |place, said| describe(place, into.cast())

    fn __fxstatat(version: c_int, dir: c_int, path: *const c_char, into: *mut libc::stat, flags: c_int) -> c_int
    where path in dir => |place, said| describe(place, into)

    fn __fxstatat64(version: c_int, dir: c_int, path: *const c_char, into: *mut libc::stat64, flags: c_int) -> c_int
    where path in dir => |place, said| describe(place, into.cast())

    fn statx(dir: c_int, path: *const c_char, flags: c_int, mask: c_uint, into: *mut libc::statx) -> c_int
    where path in dir => |place, said| describe_more(place, into)
}

/// Defines functions that describe an open file. What they say of `/proc/crypto` is what `stat` says of its name: programs such as `cp` compare the two.
macro_rules! descriptions {
    ($(
        fn $name:ident($($arg:ident: $type:ty),*) where $fd:ident is put into $into:ident
    )*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C-unwind" fn $name($($arg: $type),*) -> c_int {
            if let Some(place) = behind($fd) {
                return errno::answer(|| describe(place, $into.cast()));
            }
            let said = match real!(fn $name($($type),*) -> c_int) {
                // SAFETY: the arguments go unchanged to the function that they are meant for.
                Some(real) => unsafe { real($($arg),*) },
                None => return errno::answer(|| Err(Errno::NOSYS)),
            };
            // SAFETY: the function has just written the description.
            if said == 0 && is_listing($fd, unsafe { &*$into.cast() }) {
                return errno::answer(|| describe(Place::ProcCrypto, $into.cast()));
            }
            said
        }
    )*};
}

descriptions! {
    fn fstat(fd: c_int, into: *mut libc::stat) where fd is put into into
    fn fstat64(fd: c_int, into: *mut libc::stat64) where fd is put into into
    fn __fxstat(version: c_int, fd: c_int, into: *mut libc::stat) where fd is put into into
    fn __fxstat64(version: c_int, fd: c_int, into: *mut libc::stat64) where fd is put into into
}

/// `openat` as a system call by number. `ask` calls the kernel.
///
/// # Safety
/// The arguments must be those of the system call.
pub unsafe fn by_number(
    dir: c_int,
    path: *const c_char,
    flags: c_int,
    ask: impl FnOnce() -> Option<c_long>,
) -> Option<c_long> {
    if flags & O_CREAT != 0 {
        // SAFETY: the path is the caller's string, or an address that cannot be read.
        let place = unsafe { named_unasked(dir, path) };
        if let Some(place) = place {
            return Some(errno::answer(|| open_place(place, flags)).into());
        }
    }
    let said = ask()?;
    // SAFETY: the path has gone to the kernel.
    Some(match unsafe { named(said < 0, dir, path) } {
        None => said,
        Some(place) => errno::answer(|| reopen(said as c_int, place, flags)).into(),
    })
}

// Both types are one where a long has 64 bits, so a pointer to one may be cast to the other.
const _: () = assert!(size_of::<libc::stat>() == size_of::<libc::stat64>());

/// The served file that the path names. If the kernel has refused the call, it may not have read the path.
///
/// # Safety
/// The path has gone to the kernel, which has read it unless `is_refused`.
#[inline]
unsafe fn named(is_refused: bool, dir: c_int, path: *const c_char) -> Option<Place> {
    if is_refused && !refused_is_readable(path) {
        return None;
    }
    // SAFETY: the path is a string that the kernel has read, or of which enough can be read.
    let len = unsafe { libc::strnlen(path, Place::LONGEST + 1) };
    // SAFETY: `len` bytes of it have just been read.
    let path = unsafe { slice::from_raw_parts(path.cast::<u8>(), len) };
    Place::of(path, || folder(dir))
}

/// The served file that the path names, without calling the kernel before.
///
/// # Safety
/// `path` must be a string, or an address that cannot be read.
#[cold]
unsafe fn named_unasked(dir: c_int, path: *const c_char) -> Option<Place> {
    // In a program that has confined itself, the kernel may not be asked whether the path can be read.
    if reserve::is_filtered() || !memory::is_string(path.cast(), Place::LONGEST) {
        return None;
    }
    // SAFETY: the path has just been found to be readable.
    unsafe { named(false, dir, path) }
}

/// Whether `fopen` with this mode creates a file that does not exist.
fn makes(mode: *const c_char) -> bool {
    // SAFETY: the mode is a C string, as `fopen` demands of the caller.
    unsafe { *mode.cast::<u8>() != b'r' }
}

#[cold]
fn refused_is_readable(path: *const c_char) -> bool {
    let before = errno::raw();
    let is_readable = before != libc::EFAULT && memory::is_string(path.cast(), Place::LONGEST);
    errno::set_raw(before);
    is_readable
}

/// The path of the folder from which a relative path starts.
#[cold]
fn folder(dir: c_int) -> Option<Vec<u8>> {
    let before = errno::raw();
    let link = if dir == AT_FDCWD { "/proc/self/cwd".into() } else { format!("/proc/self/fd/{dir}") };
    let found = readlinkat(CWD, link, Vec::new()).ok().map(CString::into_bytes);
    errno::set_raw(before);
    found
}

/// The device, if the descriptor stands for it.
fn behind(fd: c_int) -> Option<Place> {
    table::entry(fd)?.check_socket().is_err().then_some(Place::DevCrypto)
}

/// Whether this is the description of an open `/proc/crypto`. Few other files have no name, and only for these the kernel is asked which one it is. Nothing
/// is allocated, as a signal handler may call `fstat`.
fn is_listing(fd: c_int, found: &libc::stat) -> bool {
    if found.st_nlink != 0 || found.st_mode & S_IFMT != S_IFREG || reserve::is_filtered() {
        return false;
    }
    let before = errno::raw();
    let mut link = [MaybeUninit::uninit(); 64];
    let mut name = [0; 32];
    let is_ours = write!(&mut name[..], "/proc/self/fd/{fd}").is_ok()
        && CStr::from_bytes_until_nul(&name)
            .is_ok_and(|name| readlinkat_raw(CWD, name, &mut link).is_ok_and(|(link, _)| proc_crypto::is_file(link)));
    errno::set_raw(before);
    is_ours
}

/// Opens a served file. The kernel may have opened its own file of that name, which is closed.
fn reopen(kernels: c_int, place: Place, flags: c_int) -> Result<c_int, Errno> {
    if kernels >= 0 {
        kernel(SYS_close, [kernels.into(), 0, 0, 0, 0])?;
    }
    open_place(place, flags)
}

fn open_place(place: Place, flags: c_int) -> Result<c_int, Errno> {
    place.check(flags)?;
    let closes = flags & O_CLOEXEC != 0;
    match place {
        Place::ProcCrypto => proc_crypto_file(closes).map(IntoRawFd::into_raw_fd),
        Place::DevCrypto => {
            let mut socket = SocketFlags::empty();
            socket.set(SocketFlags::CLOEXEC, closes);
            socket.set(SocketFlags::NONBLOCK, flags & O_NONBLOCK != 0);
            table::install(File::Device(Device::new()), socket)
        }
    }
}

/// The same as [`reopen`], for a stream.
unsafe fn restream(kernels: *mut FILE, place: Place, mode: *const c_char) -> Result<*mut FILE, Errno> {
    if !kernels.is_null() {
        // SAFETY: the kernel's stream was made for this call, and nothing else has it.
        unsafe { libc::fclose(kernels) };
    }
    // SAFETY: the mode is a C string, as `fopen` demands of the caller.
    let letters = unsafe { CStr::from_ptr(mode) }.to_bytes();
    let mut flags = match letters.first() {
        Some(b'r') if !letters.contains(&b'+') => O_RDONLY,
        Some(b'r' | b'w' | b'a') => O_RDWR,
        _ => return Err(Errno::INVAL),
    };
    if letters.contains(&b'e') {
        flags |= O_CLOEXEC;
    }
    let fd = open_place(place, flags)?;
    // SAFETY: the descriptor is new, and belongs to the stream from now on; the mode is the caller's C string.
    let stream = unsafe { libc::fdopen(fd, mode) };
    if stream.is_null() { Err(errno::last()) } else { Ok(stream) }
}

fn access_to(place: Place, mode: c_int) -> Result<c_int, Errno> {
    let refused = match place {
        Place::ProcCrypto => W_OK | X_OK,
        Place::DevCrypto => X_OK,
    };
    if mode & refused == 0 { Ok(0) } else { Err(Errno::ACCESS) }
}

fn mode_of(place: Place) -> mode_t {
    match place {
        Place::ProcCrypto => S_IFREG | 0o444,
        Place::DevCrypto => S_IFCHR | 0o666,
    }
}

fn describe(place: Place, into: *mut libc::stat) -> Result<c_int, Errno> {
    // SAFETY: a `stat` of zeros is a valid value.
    let mut found: libc::stat = unsafe { mem::zeroed() };
    found.st_mode = mode_of(place);
    found.st_nlink = 1;
    found.st_blksize = 4096;
    if let Place::DevCrypto = place {
        found.st_rdev = libc::makedev(MISC_MAJOR, DYNAMIC_MINOR);
    }
    // SAFETY: the pointer is null or the caller's place for a `stat`.
    *unsafe { memory::at_mut(into)? } = found;
    Ok(0)
}

fn describe_more(place: Place, into: *mut libc::statx) -> Result<c_int, Errno> {
    // SAFETY: a `statx` of zeros is a valid value.
    let mut found: libc::statx = unsafe { mem::zeroed() };
    found.stx_mask = libc::STATX_TYPE | libc::STATX_MODE | libc::STATX_NLINK | libc::STATX_SIZE;
    found.stx_mode = mode_of(place) as u16;
    found.stx_nlink = 1;
    found.stx_blksize = 4096;
    if let Place::DevCrypto = place {
        (found.stx_rdev_major, found.stx_rdev_minor) = (MISC_MAJOR, DYNAMIC_MINOR);
    }
    // SAFETY: the pointer is null or the caller's place for a `statx`.
    *unsafe { memory::at_mut(into)? } = found;
    Ok(0)
}

/// The major number of miscellaneous devices, of which cryptodev is one, and the first minor number that is assigned
/// dynamically.
const MISC_MAJOR: c_uint = 10;
const DYNAMIC_MINOR: c_uint = 127;

/// A file that holds the text of `/proc/crypto`.
fn proc_crypto_file(closes: bool) -> Result<OwnedFd, Errno> {
    let file = {
        // The lock keeps a child from being forked while the registry is locked.
        let _no_fork = table::lock()?;
        proc_crypto::file()?
    };
    if !closes {
        fcntl_setfd(&file, FdFlags::empty())?;
    }
    Ok(file)
}
