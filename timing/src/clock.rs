//! A clock for single operations.

/// A clock that counts cycles or nanoseconds, and whose readings are not reordered with other instructions.
#[cfg(target_arch = "x86_64")]
pub fn now() -> u64 {
    use std::arch::x86_64::{_mm_lfence, _rdtsc};
    // SAFETY: every x86-64 CPU has both instructions, which have no preconditions.
    unsafe {
        _mm_lfence();
        let now = _rdtsc();
        _mm_lfence();
        now
    }
}

/// A clock that counts cycles or nanoseconds, and whose readings are not reordered with other instructions.
#[cfg(not(target_arch = "x86_64"))]
pub fn now() -> u64 {
    use std::{sync::LazyLock, time::Instant};
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_nanos() as u64
}
