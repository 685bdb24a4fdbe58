//! A request allocates nothing, whatever the drivers are composed of.
#![cfg(all(feature = "aes", feature = "chacha", feature = "sha"))]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

/// Counts the allocations of each thread.
struct Counting;

thread_local!(static COUNT: Cell<usize> = const { Cell::new(0) });

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: the system's allocator does the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: as for the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: as for the caller.
        unsafe { System.dealloc(ptr, layout) }
    }
}

/// The number of allocations that `work` makes.
fn allocations(work: impl FnOnce()) -> usize {
    let before = COUNT.get();
    work();
    COUNT.get() - before
}

#[test]
fn a_message_allocates_nothing() {
    assert_eq!(allocations(|| drop(Box::new(1))), 1, "they are counted");
    let authenc = algkit::authenc_key(&[1; 32], &[2; 16]);
    for (name, key, iv, assoc) in [
        ("gcm(aes)", &[1; 32][..], 12, 20),
        ("gcm_base(ctr(aes-fixed-time),ghash-generic)", &[1; 32], 12, 20),
        ("ccm(aes)", &[1; 32], 16, 20),
        ("rfc4106(gcm(aes))", &[1; 20], 8, 16),
        ("rfc7539(chacha20,poly1305)", &[1; 32], 12, 20),
        ("rfc7539(chacha20-generic,poly1305-generic)", &[1; 32], 12, 20),
        ("rfc7539esp(chacha20-generic,poly1305-generic)", &[1; 36], 8, 20),
        ("authenc(hmac(sha256),cbc(aes))", &authenc, 16, 20),
    ] {
        let aead = algkit::aead(name).unwrap().key(key).unwrap();
        let (iv, assoc) = (vec![1; iv], vec![3; assoc]);
        let (mut text, mut tag) = (vec![4; 1024], vec![0; aead.max_tag_len()]);
        for len in [0, 16, 64, 1024] {
            let sealed = allocations(|| aead.encrypt(&iv, &[&assoc], &mut text[..len], &mut tag).unwrap());
            let opened = allocations(|| aead.decrypt(&iv, &[&assoc], &mut text[..len], &tag).unwrap());
            // A long text is encrypted and hashed in turns, by a hash in progress: its state, and that of the hash in HMAC.
            let states = if name.starts_with("authenc") && len >= 512 { 2 } else { 0 };
            assert!(sealed <= states && opened == 0, "{name}, {len} bytes: {sealed} and {opened}");
        }
    }
}
