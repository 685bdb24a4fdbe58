//! The kernel's crypto API. The code behind it knows one CPU and no threads, so one thread at a time enters it.

use algkit::{Direction, Type};
use std::{
    ffi::{CStr, CString, c_char, c_int},
    marker::{PhantomData, PhantomPinned},
    ptr::{NonNull, null, null_mut},
    sync::{Mutex, MutexGuard, PoisonError},
};

static CPU: Mutex<()> = Mutex::new(());

fn enter() -> MutexGuard<'static, ()> {
    CPU.lock().unwrap_or_else(PoisonError::into_inner)
}

const NO_ENTRY: c_int = -2;

/// What the kernel knows by its address.
#[repr(C)]
struct Opaque {
    bytes: [u8; 0],
    marker: PhantomData<(*mut u8, PhantomPinned)>,
}

#[repr(C)]
struct Row {
    name: *const c_char,
    driver: *const c_char,
    kind: u32,
    priority: u32,
    min_key: u32,
    max_key: u32,
    ivsize: u32,
    size: u32,
}

/// A piece of a request: of its text, associated data or tag.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Piece {
    at: *mut u8,
    len: usize,
}

impl From<&mut [u8]> for Piece {
    fn from(bytes: &mut [u8]) -> Self {
        Self { at: bytes.as_mut_ptr(), len: bytes.len() }
    }
}

#[link(name = "kernel-drivers")]
unsafe extern "C" {
    fn bridge_start() -> c_int;
    fn bridge_tcrypt(mode: u32, seconds: u32) -> c_int;
    fn bridge_driver(index: usize, row: *mut Row) -> c_int;
    fn bridge_test(name: *const c_char, driver: *const c_char) -> c_int;
    fn bridge_new(kind: u32, driver: *const c_char, out: *mut *mut Opaque) -> c_int;
    fn bridge_free(transform: *mut Opaque);
    fn bridge_key(transform: *mut Opaque, key: *const u8, len: u32, strict: bool) -> c_int;
    fn bridge_block(transform: *mut Opaque, decrypt: bool, to: *mut u8, from: *const u8);
    fn bridge_skcipher(
        transform: *mut Opaque,
        decrypt: bool,
        iv: *mut u8,
        from: *const Piece,
        n: usize,
        to: *mut u8,
        len: usize,
    ) -> c_int;
    fn bridge_aead(
        transform: *mut Opaque,
        decrypt: bool,
        iv: *mut u8,
        pieces: *const Piece,
        n: usize,
        assoc: usize,
        text: usize,
        tag: usize,
    ) -> c_int;
    fn bridge_hash(transform: *mut Opaque) -> *mut Opaque;
    fn bridge_update(state: *mut Opaque, data: *const u8, len: usize) -> c_int;
    fn bridge_finish(state: *mut Opaque, out: *mut u8) -> c_int;
    fn bridge_copy(state: *const Opaque) -> *mut Opaque;
    fn bridge_forget(state: *mut Opaque);
}

/// A driver that the kernel lists.
#[derive(Clone, Debug)]
pub struct Found {
    pub name: String,
    pub driver: String,
    pub kind: Type,
    pub priority: u32,
    /// The lengths of the shortest and the longest key of a cipher. For a hash: whether it needs a key, and whether it can have one.
    pub keys: (usize, usize),
    pub ivsize: usize,
    /// The length of a digest or of the longest tag.
    pub size: usize,
}

const KINDS: [Type; 4] = [Type::Cipher, Type::Skcipher, Type::Aead, Type::Hash];

/// Starts the modules; returns how many failed.
pub fn start() -> usize {
    let _cpu = enter();
    // SAFETY: the program calls it once, before anything else.
    unsafe { bridge_start() as usize }
}

/// Runs `crypto/tcrypt.c` in one of its modes; speeds are measured for this many seconds a line, or in cycles if there are none.
pub fn tcrypt(mode: u32, seconds: u32) -> Result<(), c_int> {
    let _cpu = enter();
    // SAFETY: the modules have started.
    result(unsafe { bridge_tcrypt(mode, seconds) })
}

/// The drivers that the kernel lists, without those of types that the workbench does not call.
pub fn drivers() -> Vec<Found> {
    let _cpu = enter();
    let mut all = Vec::new();
    for index in 0.. {
        let mut row =
            Row { name: null(), driver: null(), kind: 0, priority: 0, min_key: 0, max_key: 0, ivsize: 0, size: 0 };
        // SAFETY: `row` has the layout of the C type.
        match unsafe { bridge_driver(index, &mut row) } {
            0 => {}
            NO_ENTRY => break,
            _ => continue,
        }
        // SAFETY: both names end with a zero, and the list does not change while the CPU is taken.
        let text = |name| unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
        all.push(Found {
            name: text(row.name),
            driver: text(row.driver),
            kind: KINDS[row.kind as usize],
            priority: row.priority,
            keys: (row.min_key as usize, row.max_key as usize),
            ivsize: row.ivsize as usize,
            size: row.size as usize,
        });
    }
    all
}

/// Runs the kernel's own test of a driver, `crypto/testmgr.c`.
pub fn test(found: &Found) -> Result<(), c_int> {
    let (name, driver) = (c_string(&found.name), c_string(&found.driver));
    let _cpu = enter();
    // SAFETY: both names end with a zero.
    result(unsafe { bridge_test(name.as_ptr(), driver.as_ptr()) })
}

fn c_string(text: &str) -> CString {
    CString::new(text).expect("names have no zero")
}

fn result(status: c_int) -> Result<(), c_int> {
    if status == 0 { Ok(()) } else { Err(status) }
}

/// A transform of the kernel's.
pub struct Transform(NonNull<Opaque>);

// SAFETY: the kernel's code does not ask which thread it runs in, and one thread at a time enters it.
unsafe impl Send for Transform {}
// SAFETY: as above; every method takes the CPU.
unsafe impl Sync for Transform {}

impl Transform {
    pub fn new(kind: Type, driver: &str) -> Result<Self, c_int> {
        let index = KINDS.iter().position(|k| *k == kind).ok_or(NO_ENTRY)?;
        let (driver, mut raw) = (c_string(driver), null_mut());
        let _cpu = enter();
        // SAFETY: the name ends with a zero.
        result(unsafe { bridge_new(index as u32, driver.as_ptr(), &mut raw) })?;
        NonNull::new(raw).map(Self).ok_or(NO_ENTRY)
    }

    /// Sets the key; a `strict` transform refuses weak ones.
    pub fn key(&mut self, key: &[u8], strict: bool) -> Result<(), c_int> {
        let _cpu = enter();
        // SAFETY: the transform lives, and the key has its length.
        result(unsafe { bridge_key(self.0.as_ptr(), key.as_ptr(), key.len() as u32, strict) })
    }

    /// Encrypts or decrypts one block from `from` to `to`.
    ///
    /// # Safety
    /// Both are the addresses of a block.
    pub unsafe fn block(&self, direction: Direction, to: *mut u8, from: *const u8) {
        let _cpu = enter();
        // SAFETY: the caller's.
        unsafe { bridge_block(self.0.as_ptr(), direction == Direction::Decrypt, to, from) }
    }

    /// Encrypts or decrypts a text in pieces, in place.
    pub fn crypt(&self, direction: Direction, iv: &mut [u8], pieces: &[Piece]) -> Result<(), c_int> {
        let len = pieces.iter().map(|piece| piece.len).sum();
        self.request(direction, iv, pieces, null_mut(), len)
    }

    /// Encrypts or decrypts a text in pieces to a buffer of its length.
    pub fn crypt_apart(
        &self,
        direction: Direction,
        iv: &mut [u8],
        pieces: &[Piece],
        to: &mut [u8],
    ) -> Result<(), c_int> {
        assert_eq!(pieces.iter().map(|piece| piece.len).sum::<usize>(), to.len());
        self.request(direction, iv, pieces, to.as_mut_ptr(), to.len())
    }

    fn request(
        &self,
        direction: Direction,
        iv: &mut [u8],
        pieces: &[Piece],
        to: *mut u8,
        len: usize,
    ) -> Result<(), c_int> {
        let (decrypt, n) = (direction == Direction::Decrypt, pieces.len());
        let _cpu = enter();
        // SAFETY: the pieces are their owner's, who waits; the destination is null or as long as they are.
        result(unsafe { bridge_skcipher(self.0.as_ptr(), decrypt, iv.as_mut_ptr(), pieces.as_ptr(), n, to, len) })
    }

    /// Encrypts or decrypts a message in place. The pieces are the associated data, the text and the tag.
    pub fn aead(
        &self,
        direction: Direction,
        iv: &mut [u8],
        pieces: &[Piece],
        assoc: usize,
        tag: usize,
    ) -> Result<(), c_int> {
        let text = pieces.iter().map(|piece| piece.len).sum::<usize>() - assoc - tag;
        let _cpu = enter();
        // SAFETY: the pieces are their owner's, who waits.
        result(unsafe {
            bridge_aead(
                self.0.as_ptr(),
                direction == Direction::Decrypt,
                iv.as_mut_ptr(),
                pieces.as_ptr(),
                pieces.len(),
                assoc,
                text,
                tag,
            )
        })
    }
}

impl Drop for Transform {
    fn drop(&mut self) {
        let _cpu = enter();
        // SAFETY: nothing else has this transform.
        unsafe { bridge_free(self.0.as_ptr()) }
    }
}

/// A hash in progress. Its transform has to outlive it.
pub struct State(NonNull<Opaque>);

// SAFETY: as for `Transform`.
unsafe impl Send for State {}
// SAFETY: as for `Transform`.
unsafe impl Sync for State {}

impl State {
    /// # Safety
    /// The transform is a hash and outlives the state.
    pub unsafe fn new(transform: &Transform) -> Self {
        let _cpu = enter();
        // SAFETY: the caller's.
        Self(NonNull::new(unsafe { bridge_hash(transform.0.as_ptr()) }).expect("the kernel's driver starts a message"))
    }

    pub fn update(&mut self, data: &[u8]) -> Result<(), c_int> {
        let _cpu = enter();
        // SAFETY: the state lives, and the data has its length.
        result(unsafe { bridge_update(self.0.as_ptr(), data.as_ptr(), data.len()) })
    }

    /// # Safety
    /// `out` is as long as the digest.
    pub unsafe fn finish(&mut self, out: &mut [u8]) -> Result<(), c_int> {
        let _cpu = enter();
        // SAFETY: the caller's.
        result(unsafe { bridge_finish(self.0.as_ptr(), out.as_mut_ptr()) })
    }
}

impl Clone for State {
    fn clone(&self) -> Self {
        let _cpu = enter();
        // SAFETY: the state lives.
        Self(NonNull::new(unsafe { bridge_copy(self.0.as_ptr()) }).expect("the kernel's driver exports a state"))
    }
}

impl Drop for State {
    fn drop(&mut self) {
        let _cpu = enter();
        // SAFETY: nothing else has this state.
        unsafe { bridge_forget(self.0.as_ptr()) }
    }
}
