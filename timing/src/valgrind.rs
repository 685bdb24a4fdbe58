//! Client requests, by which a program talks to the valgrind that runs it.
//!
//! A request is a sequence of rotations that cancel out, followed by an instruction without effect. So a CPU executes
//! it without effect, and valgrind recognizes it (valgrind.h and memcheck.h, "client request mechanism"). One register
//! holds the address of six words: the request and five arguments. Another receives the answer; without valgrind it
//! keeps its value.

use std::ffi::c_void;

const RUNNING_ON_VALGRIND: usize = 0x1001;
const COUNT_ERRORS: usize = 0x1201;
/// `VG_USERREQ_TOOL_BASE('M', 'C')`.
const MEMCHECK: usize = 0x4d43_0000;
const MAKE_MEM_UNDEFINED: usize = MEMCHECK + 1;
const MAKE_MEM_DEFINED: usize = MEMCHECK + 2;
const CHECK_MEM_IS_DEFINED: usize = MEMCHECK + 5;
const GET_VBITS: usize = MEMCHECK + 8;

/// # Safety
/// The arguments must be valid for the request, because valgrind writes to the addresses among them.
unsafe fn request(words: [usize; 6]) -> usize {
    let mut answer = 0usize;
    // SAFETY: on a CPU, the instructions change only the register of the answer. Under valgrind, the request does what
    // its arguments say, which are valid (precondition).
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::asm!(
            "rol rdi, 3", "rol rdi, 13", "rol rdi, 61", "rol rdi, 51",
            "xchg rbx, rbx",
            inout("rdx") answer, in("rax") words.as_ptr(),
        );
    }
    // SAFETY: as above.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        std::arch::asm!(
            "ror x12, x12, #3", "ror x12, x12, #13", "ror x12, x12, #51", "ror x12, x12, #61",
            "orr x10, x10, x10",
            inout("x3") answer, in("x4") words.as_ptr(),
        );
    }
    answer
}

fn address<T>(place: *const T) -> usize {
    place.cast::<c_void>().expose_provenance()
}

/// Whether valgrind runs this program.
pub fn is_running() -> bool {
    // SAFETY: the request takes no arguments.
    unsafe { request([RUNNING_ON_VALGRIND, 0, 0, 0, 0, 0]) > 0 }
}

/// The number of errors so far, in which each occurrence counts.
pub fn errors() -> usize {
    // SAFETY: the request takes no arguments.
    unsafe { request([COUNT_ERRORS, 0, 0, 0, 0, 0]) }
}

/// Marks `data` as secret: from now on memcheck objects to branches and addresses that depend on it.
pub fn hide(data: &mut [u8]) {
    // SAFETY: memcheck changes its own record of these bytes, and not the bytes.
    unsafe { request([MAKE_MEM_UNDEFINED, address(data.as_ptr()), data.len(), 0, 0, 0]) };
}

/// Marks `data` as public.
pub fn reveal(data: &[u8]) {
    // SAFETY: as in `hide`.
    unsafe { request([MAKE_MEM_DEFINED, address(data.as_ptr()), data.len(), 0, 0, 0]) };
}

/// The number of bytes in `data` that depend on hidden ones, or were never written. Without valgrind it is 0.
pub fn undefined(data: &[u8]) -> usize {
    let count = |chunk: &[u8]| {
        let mut bits = [0u8; 256];
        // SAFETY: `bits` has room for one byte for each byte of `chunk`.
        unsafe { request([GET_VBITS, address(chunk.as_ptr()), address(bits.as_mut_ptr()), chunk.len(), 0, 0]) };
        // Memcheck has written them, which the compiler does not know.
        std::hint::black_box(&bits).iter().filter(|&&bits| bits != 0).count()
    };
    data.chunks(256).map(count).sum()
}

/// Whether any bit of `data` depends on hidden bytes.
pub fn is_secret(data: &[u8]) -> bool {
    undefined(data) > 0
}

/// Has valgrind report that `data` is secret, with a trace of the callers.
pub fn complain(data: &[u8]) {
    // SAFETY: memcheck only reads its own record of these bytes.
    unsafe { request([CHECK_MEM_IS_DEFINED, address(data.as_ptr()), data.len(), 0, 0, 0]) };
}
