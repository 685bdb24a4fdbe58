//! Memory that is given back has no key in it.

mod new;

use algkit_volume::{
    Header, Limits, NewKey, Unlocked, Version, WriteAt,
    reencrypt::{self, Change, Plan, Protection, Resume},
    storage::Memory,
};
use new::{options, quick, random};
use std::{
    alloc::{GlobalAlloc, Layout, System},
    slice,
    sync::{
        Mutex,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
};

/// Looks for a key in what is given back.
struct Looking;

/// The first eight bytes of the key; 0 if nothing is looked for.
static KEY: AtomicU64 = AtomicU64::new(0);
static FOUND: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static ALLOCATOR: Looking = Looking;

// SAFETY: the system's allocator does the work.
unsafe impl GlobalAlloc for Looking {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as for the caller. Zeros, so that all of it may be read later.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        let key = KEY.load(Ordering::Relaxed).to_ne_bytes();
        // SAFETY: the memory is still there, nobody else uses it, and all of it was written.
        let bytes = unsafe { slice::from_raw_parts(ptr, layout.size()) };
        if key != [0; 8] && bytes.windows(8).any(|window| window == key) {
            FOUND.fetch_add(1, Ordering::Relaxed);
        }
        // SAFETY: as for the caller.
        unsafe { System.dealloc(ptr, layout) }
    }
}

/// How often memory with the key was given back while `work` ran.
fn found<T>(key: &[u8], work: impl FnOnce() -> T) -> (usize, T) {
    // One test at a time.
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap();
    FOUND.store(0, Ordering::Relaxed);
    KEY.store(u64::from_ne_bytes(*key.first_chunk().unwrap()), Ordering::Relaxed);
    let answer = work();
    KEY.store(0, Ordering::Relaxed);
    (FOUND.load(Ordering::Relaxed), answer)
}

const PASSPHRASE: &[u8] = b"a passphrase";

fn unlock(disk: &Memory) -> (Header, Unlocked) {
    let header = Header::read(disk).unwrap();
    let unlocked = header.unlock(disk, PASSPHRASE, None, &Limits::default()).unwrap();
    (header, unlocked)
}

#[test]
fn it_is_found() {
    assert_eq!(found(b"0123456789", || drop(b"a 0123456789 z".to_vec())).0, 1);
}

#[test]
fn no_copy_of_a_key_is_left_behind() {
    for version in [Version::Luks1, Version::Luks2] {
        let disk = Memory::new(vec![0; (16 << 20) + (64 << 10)]);
        let (_, made) =
            Header::format(version, &disk, &options("aes-xts-plain64", 64, 512), PASSPHRASE, &random()).unwrap();
        let new = NewKey { passphrase: b"another", kdf: quick(), hash: "sha256", slot: None };
        let (times, ()) = found(made.key.bytes(), || {
            let (mut header, unlocked) = unlock(&disk);
            header.add_key(&disk, &unlocked, &new, &random()).unwrap();
            header.change_key(&disk, &unlocked, &new, &random()).unwrap();
            let volume = header.open(&disk, &unlocked.key).unwrap();
            volume.write_at(0, &[7; 100]).unwrap();
        });
        assert_eq!(times, 0, "{version:?}");
    }
}

#[test]
fn reencryption_leaves_no_copy_of_a_key_behind() {
    let disk = Memory::new(vec![0; (16 << 20) + (64 << 10)]);
    let options = options("aes-xts-plain64", 64, 512);
    let (header, unlocked) = Header::format(Version::Luks2, &disk, &options, PASSPHRASE, &random()).unwrap();
    let Header::Luks2(mut header) = header else { panic!("{header:?}") };
    let change = Change::Reencrypt { cipher: options.cipher.clone(), key_size: 64, sector_size: 512 };
    let plan = Plan { change, protection: Protection::Checksum, hash: "sha256".into(), hotzone: None };
    let new = [(None, NewKey { passphrase: PASSPHRASE, kdf: quick(), hash: "sha256", slot: None })];
    let old = unlocked.key.clone();
    let (times, keys) =
        found(old.bytes(), || reencrypt::start(&mut header, &disk, &disk, unlocked, &new, &plan, &random()).unwrap());
    assert_eq!(times, 0);
    for key in [&keys.key, keys.other.as_ref().unwrap()] {
        let mut steps = 1;
        let (times, _) = found(key.bytes(), || {
            let (header, unlocked) = unlock(&disk);
            header.open_with(&disk, None, &unlocked).unwrap();
            let Header::Luks2(mut header) = header else { panic!("{header:?}") };
            let resume = Resume { hotzone: Some(16 << 10), lose_torn_zone: false };
            reencrypt::resume(&mut header, &disk, &disk, &unlocked, &resume, &random(), &mut |_, _| {
                steps -= 1;
                steps >= 0
            })
        });
        assert_eq!(times, 0);
    }
}
