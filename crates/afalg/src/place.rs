//! Files that are served by path.

use crate::Errno;
use libc::{O_ACCMODE, O_CREAT, O_DIRECTORY, O_EXCL, O_RDONLY};

/// A file that is served by path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// `/proc/crypto`.
    ProcCrypto,
    /// `/dev/crypto`.
    DevCrypto,
}

impl Place {
    /// The longest path in bytes that is checked. Longer ones are left to the kernel: the served paths are short.
    pub const LONGEST: usize = 64;

    /// The file that `path` names. `folder` returns the absolute path of the folder that a relative path starts
    /// from. It is called only if the path may match. Links and `..` are not followed.
    pub fn of(path: &[u8], folder: impl FnOnce() -> Option<Vec<u8>>) -> Option<Self> {
        if path.len() > Self::LONGEST || !path.ends_with(b"crypto") {
            return None;
        }
        if path.starts_with(b"/") {
            return Self::resolve(path);
        }
        let mut whole = folder()?;
        whole.push(b'/');
        whole.extend_from_slice(path);
        Self::resolve(&whole)
    }

    /// Checks the flags of `open`. The file exists and is not a directory.
    pub fn check(self, flags: i32) -> Result<(), Errno> {
        if flags & (O_CREAT | O_EXCL) == O_CREAT | O_EXCL {
            return Err(Errno::EXIST);
        }
        if flags & O_DIRECTORY != 0 {
            return Err(Errno::NOTDIR);
        }
        match self {
            Self::ProcCrypto if flags & O_ACCMODE != O_RDONLY => Err(Errno::ACCESS),
            _ => Ok(()),
        }
    }

    /// The file at an absolute path.
    fn resolve(path: &[u8]) -> Option<Self> {
        let mut names = path.split(|&b| b == b'/').filter(|name| !matches!(*name, b"" | b"."));
        let place = match (names.next()?, names.next()?) {
            (b"proc", b"crypto") => Self::ProcCrypto,
            (b"dev", b"crypto") => Self::DevCrypto,
            _ => return None,
        };
        names.next().is_none().then_some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absolute_paths() {
        let of = |path: &str| Place::of(path.as_bytes(), || panic!("no folder matters"));
        for path in ["/proc/crypto", "//proc//crypto", "/./proc/./crypto"] {
            assert_eq!(of(path), Some(Place::ProcCrypto), "{path}");
        }
        assert_eq!(of("/dev/crypto"), Some(Place::DevCrypto));
        for path in ["/proc", "/proc/crypto/x", "/home/proc/crypto", "/proc/../proc/crypto", "", "/", "/proc/crypto/"] {
            assert_eq!(of(path), None, "{path}");
        }
        assert_eq!(of(&format!("/proc{}crypto", "/".repeat(60))), None, "too long");
    }

    #[test]
    fn flags_that_are_refused() {
        use libc::{O_RDWR, O_WRONLY};
        let both = [Place::ProcCrypto, Place::DevCrypto].map(|place| {
            [O_RDONLY, O_RDWR | O_CREAT, O_WRONLY | O_CREAT | O_EXCL, O_DIRECTORY].map(|flags| place.check(flags).err())
        });
        assert_eq!(both[0], [None, Some(Errno::ACCESS), Some(Errno::EXIST), Some(Errno::NOTDIR)]);
        assert_eq!(both[1], [None, None, Some(Errno::EXIST), Some(Errno::NOTDIR)]);
    }

    #[test]
    fn relative_paths() {
        let of = |path: &str, folder: &str| Place::of(path.as_bytes(), || Some(folder.into()));
        assert_eq!(of("crypto", "/proc"), Some(Place::ProcCrypto));
        assert_eq!(of("./crypto", "/dev"), Some(Place::DevCrypto));
        assert_eq!(of("dev/crypto", "/"), Some(Place::DevCrypto));
        assert_eq!(of("crypto", "/proc/1"), None);
        assert_eq!(Place::of(b"crypto", || None), None);
    }
}
