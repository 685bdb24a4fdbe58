//! The files that are served by their names.

/// A file that is served by its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// `/proc/crypto`.
    ProcCrypto,
    /// `/dev/crypto`.
    DevCrypto,
}

impl Place {
    /// Longer paths, in bytes, are the kernel's: those that are served can be written in a few.
    pub const LONGEST: usize = 64;

    /// The file that `path` names. `folder` finds the absolute path of the folder that a relative one starts from; it is asked only
    /// if the path may name one of the files. Links and `..` are not followed.
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

    /// The file of an absolute path.
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
    fn relative_paths() {
        let of = |path: &str, folder: &str| Place::of(path.as_bytes(), || Some(folder.into()));
        assert_eq!(of("crypto", "/proc"), Some(Place::ProcCrypto));
        assert_eq!(of("./crypto", "/dev"), Some(Place::DevCrypto));
        assert_eq!(of("dev/crypto", "/"), Some(Place::DevCrypto));
        assert_eq!(of("crypto", "/proc/1"), None);
        assert_eq!(Place::of(b"crypto", || None), None);
    }
}
