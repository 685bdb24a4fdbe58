//! Datagrams of the sockets that stand for files.
//!
//! Such a socket shows a file's readiness by datagrams in its queue. A client can send to it where nobody looks. What
//! it sends must not stay in the queue: it may contain descriptors, and whoever closes the last one of a file waits as
//! long as the client likes (`SO_LINGER`).

use libc::{BPF_ABS, BPF_JEQ, BPF_JMP, BPF_K, BPF_LD, BPF_RET, BPF_W, sock_filter};

/// A filter (`SO_ATTACH_FILTER`) that admits only datagrams that begin with `secret`. The kernel drops all others when
/// they are sent.
pub fn only_with(secret: &[u8; 8]) -> [sock_filter; 6] {
    let step = |code: u32, unless: u8, k: u32| sock_filter { code: code as u16, jt: 0, jf: unless, k };
    let half = |at: usize| u32::from_be_bytes(std::array::from_fn(|n| secret[at + n]));
    [
        step(BPF_LD | BPF_W | BPF_ABS, 0, 0),
        step(BPF_JMP | BPF_JEQ | BPF_K, 3, half(0)),
        step(BPF_LD | BPF_W | BPF_ABS, 0, 4),
        step(BPF_JMP | BPF_JEQ | BPF_K, 1, half(4)),
        step(BPF_RET | BPF_K, 0, u32::MAX),
        step(BPF_RET | BPF_K, 0, 0),
    ]
}
