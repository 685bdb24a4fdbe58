//! The client's memory, which is that of this process.

use crate::kernel::kernel;
use algkit_afalg::{Errno, Memory};
use libc::{SYS_futex, c_long};
use std::{ptr, sync::atomic::AtomicU32};

/// The memory of this process. An address in the first page or outside of user space gives `EFAULT`. At any other
/// invalid address the program faults, as in a function of libc, where the kernel would return `EFAULT`.
pub struct OwnMemory;

const FIRST_PAGE: u64 = 4096;

impl Memory for OwnMemory {
    fn read(&self, address: u64, into: &mut [u8]) -> Result<(), Errno> {
        check(address, into.len())?;
        // SAFETY: `into` is a unique reference to its bytes, and the client's request says that as many are readable at
        // the address.
        unsafe { ptr::copy(address as *const u8, into.as_mut_ptr(), into.len()) };
        Ok(())
    }

    fn write(&mut self, address: u64, from: &[u8]) -> Result<(), Errno> {
        check(address, from.len())?;
        // SAFETY: the client's request says that as many bytes are writable at the address.
        unsafe { ptr::copy(from.as_ptr(), address as *mut u8, from.len()) };
        Ok(())
    }
}

/// What a caller's pointer refers to. [`Errno::FAULT`] for an address in the first page or outside of user space.
///
/// # Safety
/// Any other address must be that of a `T`, which stays there unchanged for the lifetime `'a`.
#[inline]
pub unsafe fn at<'a, T>(pointer: *const T) -> Result<&'a T, Errno> {
    check(pointer.addr() as u64, size_of::<T>())?;
    // SAFETY: the address is that of a `T` (precondition).
    Ok(unsafe { &*pointer })
}

/// The same as [`at`], for what the call changes.
///
/// # Safety
/// The same as for [`at`], and nothing else may access it for the lifetime `'a`.
#[inline]
pub unsafe fn at_mut<'a, T>(pointer: *mut T) -> Result<&'a mut T, Errno> {
    check(pointer.addr() as u64, size_of::<T>())?;
    // SAFETY: the address is that of a `T`, and nothing else accesses it (precondition).
    Ok(unsafe { &mut *pointer })
}

/// The same as [`at`], for a pointer that may be null.
///
/// # Safety
/// The same as for [`at`].
pub unsafe fn maybe<'a, T>(pointer: *const T) -> Result<Option<&'a T>, Errno> {
    // SAFETY: the precondition is the same.
    if pointer.is_null() { Ok(None) } else { unsafe { at(pointer) }.map(Some) }
}

#[inline]
fn check(address: u64, len: usize) -> Result<(), Errno> {
    let end = usize::try_from(address).ok().and_then(|address| address.checked_add(len));
    let is_good = len == 0 || (address >= FIRST_PAGE && end.is_some_and(|end| end <= isize::MAX as usize));
    if is_good { Ok(()) } else { Err(Errno::FAULT) }
}

/// Whether the kernel could read `len` bytes at `address`. Calls that may not concern a served file ask this before
/// they read memory that may be invalid, as the kernel would return `EFAULT` for it.
pub fn is_readable(address: *const u8, len: usize) -> bool {
    const PAGE: usize = 4096;
    let (start, end) = (address.addr() & !3, address.addr().saturating_add(len));
    let pages = (start / PAGE + 1..).map(|page| page * PAGE).take_while(|&page| page < end);
    len == 0 || std::iter::once(start).chain(pages).all(is_word)
}

/// Whether a C string, or the first `longest` bytes of one, can be read at `address`.
pub fn is_string(address: *const u8, longest: usize) -> bool {
    const PAGE: usize = 4096;
    let here = PAGE - address.addr() % PAGE;
    if !is_readable(address, 1) {
        return false;
    }
    // SAFETY: the kernel could read the first byte, and so can all others up to the end of its page.
    let ends_here = unsafe { libc::strnlen(address.cast(), here.min(longest)) } < here.min(longest);
    ends_here || longest <= here || is_readable(address, longest)
}

/// Whether the kernel can read the word at `address`. It asks the kernel to wake no thread that waits for the word and
/// to move none, for which the kernel reads the word.
fn is_word(address: usize) -> bool {
    const FUTEX_CMP_REQUEUE: c_long = 4 | 128; // only for threads of this process
    static OTHER: AtomicU32 = AtomicU32::new(0);
    let other = ptr::from_ref(&OTHER).expose_provenance() as c_long;
    kernel(SYS_futex, [address as c_long, FUTEX_CMP_REQUEUE, 0, 0, other]) != Err(Errno::FAULT)
}
