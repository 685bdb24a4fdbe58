//! The served files that are opened by name: `/proc/crypto` and `/dev/crypto`.

use crate::serve::target::Target;
use algkit_afalg::Place;
use rustix::fs::OFlags;

/// The smallest and the largest `struct open_how`, in bytes.
const HOW: std::ops::RangeInclusive<usize> = 24..=4096;

/// The kernel's `O_LARGEFILE`. The C library's is 0 where files may be large anyway.
const LARGE_FILE: i32 = if cfg!(target_arch = "x86_64") { 0o100_000 } else { 0o400_000 };

/// The flags with which `openat2` opens a file. With `O_PATH` it opens nothing, and the filter lets `openat` pass.
const KNOWN: i32 = libc::O_ACCMODE
    | libc::O_CREAT
    | libc::O_EXCL
    | libc::O_NOCTTY
    | libc::O_TRUNC
    | libc::O_APPEND
    | libc::O_NONBLOCK
    | libc::O_SYNC
    | libc::O_ASYNC
    | libc::O_DIRECT
    | LARGE_FILE
    | libc::O_DIRECTORY
    | libc::O_NOFOLLOW
    | libc::O_NOATIME
    | libc::O_CLOEXEC
    | libc::O_TMPFILE;

/// The ways of `openat2` to a file (`resolve`) that lead to the same file as `openat`, and those that do for a name within the
/// folder. (One more, `RESOLVE_CACHED`, may be refused at any time.)
const SAME: u64 = libc::RESOLVE_NO_MAGICLINKS | libc::RESOLVE_NO_SYMLINKS | libc::RESOLVE_CACHED;
const SAME_WITHIN: u64 = SAME | libc::RESOLVE_NO_XDEV | libc::RESOLVE_BENEATH | libc::RESOLVE_IN_ROOT;

/// The served file that an `open`, `openat`, `openat2` or `creat` names, and the flags. `None` for any other file, and for an
/// `openat2` that the kernel refuses whatever it names or that opens nothing (`O_PATH`).
pub fn named(target: &Target<'_>) -> Option<(Place, OFlags)> {
    let args = target.request.args;
    let (folder, name, flags) = match target.request.nr {
        #[cfg(target_arch = "x86_64")]
        libc::SYS_open => (libc::AT_FDCWD, args[0], args[1]),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_creat => (libc::AT_FDCWD, args[0], (libc::O_CREAT | libc::O_WRONLY | libc::O_TRUNC) as u64),
        _ => (target.request.int(0), args[1], args[2]),
    };
    // The length includes the NUL at the end.
    let name = target.string(name, Place::LONGEST + 1)?;
    let link = || match folder {
        libc::AT_FDCWD => target.link(format_args!("cwd")).ok(),
        fd => target.link(format_args!("fd/{fd}")).ok(),
    };
    let place = Place::of(&name, link)?;
    let flags = match target.request.nr {
        libc::SYS_openat2 => how(target, args[2], args[3], &name)?,
        _ => flags,
    };
    Some((place, OFlags::from_bits_retain(flags as u32)))
}

/// The flags in a `struct open_how`, if the kernel would accept it, and would find and open the file that is served.
fn how(target: &Target<'_>, at: u64, len: u64, name: &[u8]) -> Option<u64> {
    let len = usize::try_from(len).ok().filter(|len| HOW.contains(len))?;
    let bytes = target.bytes(at, len).ok()?;
    let word = |at: usize| bytes[at..].first_chunk().map_or(0, |word| u64::from_ne_bytes(*word));
    let (flags, mode, resolve) = (word(0), word(8), word(16));
    let makes = flags & (libc::O_CREAT | libc::O_TMPFILE & !libc::O_DIRECTORY) as u64 != 0;
    let ways = if name.contains(&b'/') { SAME } else { SAME_WITHIN };
    let both = libc::RESOLVE_BENEATH | libc::RESOLVE_IN_ROOT;
    let is_accepted = flags & !u64::from(KNOWN as u32) == 0
        && resolve & !ways == 0
        && resolve & both != both
        && (resolve & libc::RESOLVE_CACHED == 0 || !makes && flags & libc::O_TRUNC as u64 == 0)
        && mode & !(if makes { 0o7777 } else { 0 }) == 0
        && bytes[*HOW.start()..].iter().all(|&byte| byte == 0);
    is_accepted.then_some(flags)
}
