//! Error numbers, the error text of each thread, and the catching of panics.

use algkit::Error;
use std::{
    cell::UnsafeCell,
    ffi::{c_char, c_int},
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
};

/// The values of `enum algkit_error`.
pub const ENOENT: c_int = -2;
pub const EIO: c_int = -5;
pub const EFAULT: c_int = -14;
pub const EINVAL: c_int = -22;
pub const ENOSPC: c_int = -28;
pub const EBADMSG: c_int = -74;
pub const EOVERFLOW: c_int = -75;
pub const ELIBBAD: c_int = -80;
pub const EOPNOTSUPP: c_int = -95;
pub const ENOKEY: c_int = -126;
pub const ENOTRECOVERABLE: c_int = -131;

/// Why a function returns an error.
#[derive(Debug)]
pub struct Failure {
    code: c_int,
    text: String,
}

impl Failure {
    pub fn new(code: c_int, text: impl Into<String>) -> Self {
        Self { code, text: text.into() }
    }

    /// The number.
    pub fn code(&self) -> c_int {
        self.code
    }

    /// Keeps the text for `algkit_error_text`; returns the number.
    pub fn tell(self) -> c_int {
        TEXT.with(|text| {
            // SAFETY: no reference to the text exists, and no other thread knows it. A C program that reads it at the
            // same time is a signal handler that interrupted this function.
            let text = unsafe { &mut *text.get() };
            let mut len = self.text.len().min(text.len() - 1);
            while !self.text.is_char_boundary(len) {
                len -= 1;
            }
            text[..len].copy_from_slice(&self.text.as_bytes()[..len]);
            text[len..].fill(0);
        });
        self.code
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let code = match error {
            Error::Unknown(_) | Error::NotUsable(_) | Error::TableOnly { .. } | Error::WrongType { .. } => ENOENT,
            Error::Rng { .. } => EIO,
            Error::Full(_) => ENOSPC,
            Error::Authentication => EBADMSG,
            Error::SectorNumber { .. } => EOVERFLOW,
            Error::SelfTest { .. } => ELIBBAD,
            Error::NotInParts(_) | Error::NotExtendable(_) | Error::NoExport(_) => EOPNOTSUPP,
            Error::KeyMissing(_) => ENOKEY,
            Error::NotRun | Error::Unfinished => ENOTRECOVERABLE,
            _ => EINVAL,
        };
        Self::new(code, error.with_suggestion())
    }
}

thread_local! {
    /// The text of the thread's last error, with a final zero byte. It has no destructor, which could not run after the
    /// library was unloaded.
    static TEXT: UnsafeCell<[u8; 512]> = const { UnsafeCell::new([0; 512]) };
}

/// Runs the body of a function of the interface. A panic becomes an error.
pub fn guard(body: impl FnOnce() -> Result<(), Failure>) -> c_int {
    match caught(body) {
        Some(Ok(())) => 0,
        Some(Err(failure)) => failure.tell(),
        None => Failure::new(ENOTRECOVERABLE, "a defect of algkit: it panicked").tell(),
    }
}

/// Returns the result of `body`, or `None` if it panics.
pub fn caught<T>(body: impl FnOnce() -> T) -> Option<T> {
    // The payload of a panic may panic when it is dropped, so it is not dropped.
    catch_unwind(AssertUnwindSafe(body)).map_err(mem::forget).ok()
}

#[unsafe(no_mangle)]
pub extern "C" fn algkit_error_text() -> *const c_char {
    TEXT.with(|text| text.get().cast())
}

#[unsafe(no_mangle)]
pub extern "C" fn algkit_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    fn text() -> String {
        // SAFETY: the text ends with a zero, and lives as long as the thread.
        unsafe { CStr::from_ptr(algkit_error_text()) }.to_str().unwrap().to_owned()
    }

    #[test]
    fn a_panic_becomes_a_number() {
        assert_eq!(guard(|| panic!("of the test")), ENOTRECOVERABLE);
        assert!(text().contains("panicked"));
        assert_eq!(guard(|| Ok(())), 0);
    }

    #[test]
    fn texts_are_of_their_thread_and_cut_between_characters() {
        assert_eq!(guard(|| Err(Failure::new(EINVAL, format!("a{}", "ä".repeat(300))))), EINVAL);
        assert_eq!(text(), format!("a{}", "ä".repeat(255)));
        std::thread::spawn(|| assert_eq!(text(), "")).join().unwrap();
        assert_eq!(guard(|| Err(Failure::new(EFAULT, "short"))), EFAULT);
        assert_eq!(text(), "short");
    }
}
