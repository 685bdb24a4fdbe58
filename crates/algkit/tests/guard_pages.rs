//! AES-GCM between pages that nobody may touch: a byte read or written outside of the text kills the test.
#![cfg(all(unix, feature = "aes"))]

mod common;

use aes_gcm::{Aes256Gcm, KeyInit, aead::AeadInOut};
use algkit::Text;
use std::{ptr, slice};

/// Some pages of memory, between two that can be neither read nor written.
struct Guarded {
    start: *mut u8,
    len: usize,
    page: usize,
}

impl Guarded {
    fn new(at_least: usize) -> Self {
        // SAFETY: the call has no preconditions.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).expect("the size of a page");
        let len = at_least.next_multiple_of(page);
        let map = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a mapping at an address of the system's choice overlaps nothing.
        let start = unsafe { libc::mmap(ptr::null_mut(), len + 2 * page, libc::PROT_NONE, map, -1, 0) };
        assert_ne!(start, libc::MAP_FAILED);
        let start = start.cast::<u8>().wrapping_add(page);
        // SAFETY: these pages are in the middle of the mapping that was just made.
        let done = unsafe { libc::mprotect(start.cast(), len, libc::PROT_READ | libc::PROT_WRITE) };
        assert_eq!(done, 0);
        Self { start, len, page }
    }

    /// `len` bytes that begin behind the first guard, or end in front of the second.
    fn bytes(&mut self, len: usize, at_end: bool) -> &mut [u8] {
        assert!(len <= self.len);
        let from = if at_end { self.len - len } else { 0 };
        // SAFETY: the range is mapped, readable and writable, holds initialized bytes, and belongs to `self`, which is
        // borrowed as long as the slice.
        unsafe { slice::from_raw_parts_mut(self.start.add(from), len) }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: this is the whole mapping of `new`, and no slice of it is left.
        unsafe { libc::munmap(self.start.wrapping_sub(self.page).cast(), self.len + 2 * self.page) };
    }
}

/// The drivers' batches in bytes.
const BATCHES: &[usize] = if cfg!(target_arch = "aarch64") { &[128] } else { &[96, 128, 192, 256, 512] };

/// Every length up to 127 behind no to five batches.
fn lengths() -> impl Iterator<Item = usize> {
    (0..MOST).filter(|len| BATCHES.iter().any(|batch| len / batch <= 5 && len % batch < 128))
}

const MOST: usize = 5 * 512 + 128;

#[test]
fn no_byte_outside_of_a_text_is_touched() {
    let [mut from, mut to, mut guarded_assoc] = [(); 3].map(|()| Guarded::new(MOST));
    let (key, iv) = ([7; 32], [9; 12]);
    let plain: Vec<u8> = (0..MOST).map(|i| (i * 13 + i / 256) as u8).collect();
    let keyed: Vec<_> = common::drivers_of("gcm(aes)")
        .iter()
        .flat_map(|(registry, drivers)| drivers.iter().map(|driver| registry.aead(&driver.driver).unwrap().key(&key)))
        .collect::<Result<_, _>>()
        .unwrap();
    assert!(keyed.len() > 2, "every CPU has several");
    let peer = Aes256Gcm::new(&key.into());
    for len in lengths() {
        let (plain, assoc) = (&plain[..len], &plain[..len % 37]);
        let mut sealed = plain.to_vec();
        let tag: [u8; 16] = peer.encrypt_inout_detached(&iv.into(), assoc, (&mut sealed[..]).into()).unwrap().into();
        for (aead, at_end) in keyed.iter().flat_map(|aead| [(aead, false), (aead, true)]) {
            let name = &aead.driver().driver;
            let [from, to] = [from.bytes(len, at_end), to.bytes(len, at_end)];
            let guarded_assoc = guarded_assoc.bytes(assoc.len(), at_end);
            guarded_assoc.copy_from_slice(assoc);
            let assoc: &[&[u8]] = &[guarded_assoc];
            let mut own = [0; 16];

            from.copy_from_slice(plain);
            aead.encrypt(&iv, assoc, Text::new(from, to).unwrap(), &mut own).unwrap();
            assert!(own == tag && to == sealed, "{name} seals {len} bytes");
            aead.decrypt(&iv, assoc, Text::new(to, from).unwrap(), &tag).unwrap();
            assert!(from == plain, "{name} opens {len} bytes");

            aead.encrypt(&iv, assoc, &mut *from, &mut own).unwrap();
            assert!(own == tag && from == sealed, "{name} seals {len} bytes in place");
            aead.decrypt(&iv, assoc, &mut *from, &tag).unwrap();
            assert!(from == plain, "{name} opens {len} bytes in place");
        }
    }
}
