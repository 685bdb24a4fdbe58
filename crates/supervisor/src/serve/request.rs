//! A system call of the target that the kernel has stopped.

/// A stopped call, which waits for its answer.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// The number of the notification.
    pub id: u64,
    /// The thread that made the call.
    pub tid: i32,
    /// The number of the system call.
    pub nr: libc::c_long,
    /// The arguments of the call.
    pub args: [u64; 6],
    /// Whether `nr` is a number of the native 64-bit system calls, neither of a 32-bit program nor of x32.
    pub is_native: bool,
}

impl Request {
    /// Argument `n`, as a C `int`.
    pub fn int(&self, n: usize) -> i32 {
        self.args[n] as i32
    }
}
