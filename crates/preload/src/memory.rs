//! The client's memory, which is also ours.

use algkit_afalg::{Errno, Memory};
use std::ptr;

/// The memory of this process. Addresses in the first page, or not in user space, are refused; another bad one is a
/// fault, as in any function of libc, where the kernel would say `EFAULT`.
pub struct OwnMemory;

const FIRST_PAGE: u64 = 4096;

impl Memory for OwnMemory {
    fn read(&self, address: u64, into: &mut [u8]) -> Result<(), Errno> {
        check(address, into.len())?;
        // SAFETY: `into` is ours alone, and the client says that there is data at the address.
        unsafe { ptr::copy(address as *const u8, into.as_mut_ptr(), into.len()) };
        Ok(())
    }

    fn write(&mut self, address: u64, from: &[u8]) -> Result<(), Errno> {
        check(address, from.len())?;
        // SAFETY: the client says that there is room at the address.
        unsafe { ptr::copy(from.as_ptr(), address as *mut u8, from.len()) };
        Ok(())
    }
}

fn check(address: u64, len: usize) -> Result<(), Errno> {
    let end = usize::try_from(address).ok().and_then(|address| address.checked_add(len));
    let is_good = len == 0 || (address >= FIRST_PAGE && end.is_some_and(|end| end <= isize::MAX as usize));
    if is_good { Ok(()) } else { Err(Errno::FAULT) }
}
