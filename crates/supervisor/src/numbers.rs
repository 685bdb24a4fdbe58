//! Numbers outside the range, as the filter sees them.
//!
//! A filter is the same for all time and for all processes, so that it cannot know of a served descriptor that some
//! process has given the number 0. Such a process is traced, and its calls on that number enter the kernel with
//! another, which no descriptor can have and which tells both: that it is served, and what the number is.

use crate::bpf::{self, Range};

/// What is added to a number.
pub const BIAS: u32 = 0x4000_0000;

/// The most that a process can have (`fs.nr_open`, unless that was raised), and where these numbers end.
pub const MOST: u32 = 1 << 20;

/// The first number that is not one of these.
pub const END: u32 = BIAS + MOST;

/// The number as the filter sees it, if there is one for it.
pub fn biased(fd: i32) -> Option<u64> {
    u32::try_from(fd).ok().filter(|&fd| fd < MOST).map(|fd| (BIAS + fd).into())
}

/// The program's own number.
fn plain(argument: u64, range: Range) -> u64 {
    match (argument as u32).checked_sub(BIAS) {
        // Those in the range are never changed: somebody else means a descriptor that does not exist.
        Some(fd) if fd < MOST && !range.contains(fd as i32) => fd.into(),
        _ => argument,
    }
}

/// Gives the arguments of call `nr` the program's own numbers again.
pub fn restore(nr: libc::c_long, args: &mut [u64; 6], range: Range) {
    for &index in bpf::descriptors(nr, args) {
        args[index] = plain(args[index], range);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANGE: Range = Range { start: 768, end: 1024 };

    #[test]
    fn there_and_back() {
        for fd in [0, 5, 767, 1024, MOST as i32 - 1] {
            let mut args = [biased(fd).expect("a number"), 1, 2, 3, 4, 5];
            restore(libc::SYS_read, &mut args, RANGE);
            assert_eq!(args, [fd as u64, 1, 2, 3, 4, 5]);
        }
        assert_eq!(biased(-1), None);
        assert_eq!(biased(MOST as i32), None);
    }

    #[test]
    fn only_descriptors_are_restored() {
        let five = biased(5).expect("a number");
        let restored = |nr, mut args| {
            restore(nr, &mut args, RANGE);
            args
        };
        assert_eq!(restored(libc::SYS_read, [five, five, five, 0, 0, 0]), [5, five, five, 0, 0, 0]);
        assert_eq!(restored(libc::SYS_splice, [five, five, five, 0, 0, 0]), [5, five, 5, 0, 0, 0]);
        assert_eq!(restored(libc::SYS_socket, [five; 6]), [five; 6]);
        let dup = libc::F_DUPFD as u64;
        assert_eq!(restored(libc::SYS_fcntl, [five, dup, five, 0, 0, 0]), [5, dup, five, 0, 0, 0]);
    }

    #[test]
    fn what_no_number_becomes_stays() {
        for argument in [0, 800, u64::from(BIAS) - 1, u64::from(BIAS) + 800, END.into(), u64::MAX] {
            assert_eq!(plain(argument, RANGE), argument);
        }
    }
}
