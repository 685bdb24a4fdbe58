//! `/proc/crypto` and `/dev/crypto`, opened by name.

use crate::serve::target::Target;
use algkit_afalg::Errno;
use rustix::fs::{MemfdFlags, Mode, OFlags, SealFlags};
use std::os::fd::{AsRawFd, OwnedFd};

/// Longer names than this are the kernel's; those that are served can be written in a few bytes.
const MAX_NAME: usize = 64;

/// A file that is served by its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Named {
    /// `/proc/crypto`.
    Proc,
    /// `/dev/crypto`.
    Device,
}

/// The file that an `open`, `openat` or `openat2` asks for, if it is one of ours, and the flags.
pub fn named(target: &Target<'_>) -> Option<(Named, OFlags)> {
    let args = target.request.args;
    let (folder, name, flags) = match target.request.nr {
        #[cfg(target_arch = "x86_64")]
        libc::SYS_open => (libc::AT_FDCWD, args[0], args[1]),
        _ => (target.request.int(0), args[1], args[2]),
    };
    let name = target.string(name, MAX_NAME)?;
    if !name.ends_with(b"crypto") {
        return None;
    }
    let flags = match target.request.nr {
        libc::SYS_openat2 => u64::from_ne_bytes(target.array(args[2]).ok()?),
        _ => flags,
    };
    let file = if name.starts_with(b"/") {
        resolve(&name)?
    } else {
        let mut path = match folder {
            libc::AT_FDCWD => target.link(format_args!("cwd")),
            fd => target.link(format_args!("fd/{fd}")),
        }
        .ok()?;
        path.push(b'/');
        path.extend_from_slice(&name);
        resolve(&path)?
    };
    Some((file, OFlags::from_bits_retain(flags as u32)))
}

/// The file of an absolute path.
fn resolve(path: &[u8]) -> Option<Named> {
    let mut names = path.split(|&b| b == b'/').filter(|name| !matches!(*name, b"" | b"."));
    let file = match (names.next()?, names.next()?) {
        (b"proc", b"crypto") => Named::Proc,
        (b"dev", b"crypto") => Named::Device,
        _ => return None,
    };
    names.next().is_none().then_some(file)
}

/// `/proc/crypto`: a file that can be read and not changed.
pub fn proc_crypto(text: &[u8]) -> Result<OwnedFd, Errno> {
    let file = rustix::fs::memfd_create("crypto", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
    let mut rest = text;
    while !rest.is_empty() {
        rest = &rest[rustix::io::write(&file, rest)?..];
    }
    rustix::fs::fcntl_add_seals(&file, SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL)?;
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        for path in ["/proc/crypto", "//proc//crypto", "/./proc/./crypto"] {
            assert_eq!(resolve(path.as_bytes()), Some(Named::Proc), "{path}");
        }
        assert_eq!(resolve(b"/dev/crypto"), Some(Named::Device));
        for path in ["/proc", "/proc/crypto/x", "/home/proc/crypto", "/proc/../proc/crypto", "", "/"] {
            assert_eq!(resolve(path.as_bytes()), None, "{path}");
        }
    }
}
