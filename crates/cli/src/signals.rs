//! The signals that ask the command to end.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::{ffi::c_int, fs};

/// SIGHUP, SIGINT and SIGTERM, but for those that this process ignores since it began. `nohup` has SIGHUP ignored, and a shell that runs a script
/// has SIGINT ignored for jobs in the background. With a handler they would end the command after all.
pub fn that_end() -> impl Iterator<Item = c_int> {
    // Without /proc none is known to be ignored.
    let ignored = fs::read_to_string("/proc/self/status").map_or(0, |status| ignored(&status));
    [SIGHUP, SIGINT, SIGTERM].into_iter().filter(move |signal| ignored >> (signal - 1) & 1 == 0)
}

/// The mask of ignored signals, in which bit `n` is signal `n + 1` (proc_pid_status(5)).
fn ignored(status: &str) -> u64 {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
