//! What `/proc` says about threads. Numbers of threads are reused. Code that must know that the answer was about the
//! caller checks afterwards that the call still waits.

use algkit_afalg::Errno;
use rustix::fs::{Mode, OFlags, open, readlinkat};
use std::{fmt::Write as _, fs, os::fd::OwnedFd};

/// Whether `/proc` is mounted and numbers threads as notifications do: as this process's PID namespace does.
pub fn is_ours() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = |name| status.lines().find_map(|line| line.strip_prefix(name));
    // In the `/proc` of an outer namespace, a process has a number for each namespace from there on. A kernel without
    // such namespaces has no such line.
    let numbers = line("NSpid:").or_else(|| line("Pid:")).unwrap_or_default();
    numbers.trim() == std::process::id().to_string()
}

/// The lines with these names in a thread's `status` file, without the names.
pub fn fields<const N: usize>(tid: i32, names: [&str; N]) -> [Option<String>; N] {
    let status = fs::read_to_string(format!("/proc/{tid}/status")).unwrap_or_default();
    names.map(|name| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        Some(line.trim().to_owned())
    })
}

/// Whether a thread has `CAP_NET_ADMIN` in the supervisor's user namespace. In a namespace that a program has made for
/// itself, the capability does not allow changing what other programs are served.
pub fn may_administer(tid: i32) -> bool {
    const CAP_NET_ADMIN: u32 = 12;
    let [capabilities] = fields(tid, ["CapEff"]);
    let has_it =
        capabilities.and_then(|mask| u64::from_str_radix(&mask, 16).ok()).is_some_and(|m| m >> CAP_NET_ADMIN & 1 == 1);
    has_it
        && link(tid, format_args!("ns/user")).ok()
            == fs::read_link("/proc/self/ns/user").ok().map(|l| l.into_os_string().into_encoded_bytes())
}

/// The number of the process that a thread belongs to.
pub fn process(tid: i32) -> Option<i32> {
    let [process] = fields(tid, ["Tgid"]);
    process?.parse().ok()
}

/// The time when a thread was started, in clock ticks since the machine was booted.
pub fn started(tid: i32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{tid}/stat")).ok()?;
    // The second field is a name and may contain anything. The time of the start is the twenty-second.
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(19)?.parse().ok()
}

/// The flags of descriptor `fd` of a thread.
pub fn flags(tid: i32, fd: i32) -> Option<u32> {
    let text = fs::read_to_string(format!("/proc/{tid}/fdinfo/{fd}")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("flags:"))?;
    u32::from_str_radix(line.trim(), 8).ok()
}

/// The destination of a link in a thread's folder.
pub fn link(tid: i32, name: std::fmt::Arguments<'_>) -> Result<Vec<u8>, Errno> {
    let mut path = String::with_capacity(40);
    let _ = write!(path, "/proc/{tid}/{name}");
    Ok(rustix::fs::readlink(path, Vec::new())?.into_bytes())
}

/// The open descriptors of a thread.
pub struct Descriptors(OwnedFd);

impl Descriptors {
    /// Those of thread `tid`. [`Errno::ACCESS`] if `/proc` does not show the thread, in which all numbers would seem to
    /// be free.
    pub fn of(tid: i32) -> Result<Self, Errno> {
        let folder = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        open(format!("/proc/{tid}/fd"), folder, Mode::empty()).map(Self).map_err(|_| Errno::ACCESS)
    }

    /// Whether no descriptor has the number `fd`.
    pub fn is_free(&self, fd: u32) -> Result<bool, Errno> {
        match readlinkat(&self.0, fd.to_string(), Vec::new()) {
            Err(Errno::NOENT) => Ok(true),
            found => found.map(|_| false),
        }
    }
}

/// The inode of the socket that descriptor `fd` of a thread refers to. [`Errno::NOTSOCK`] if it is no socket.
pub fn socket(tid: i32, fd: i32) -> Result<u64, Errno> {
    let link = link(tid, format_args!("fd/{fd}"))?;
    let digits = link.strip_prefix(b"socket:[").and_then(|l| l.strip_suffix(b"]"));
    digits.and_then(|d| str::from_utf8(d).ok()?.parse().ok()).ok_or(Errno::NOTSOCK)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::time::{ClockId, clock_gettime};

    #[test]
    fn a_thread_was_started_when_the_clock_says() {
        // A clock tick is a hundredth of a second (proc_pid_stat(5), sysconf(3)), on every CPU that is supported.
        let now = || {
            let time = clock_gettime(ClockId::Boottime);
            time.tv_sec as u64 * 100 + time.tv_nsec as u64 / 10_000_000
        };
        let before = now();
        let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("it runs");
        let after = now();
        let started = started(child.id() as i32);
        child.kill().and_then(|()| child.wait()).expect("it ends");
        assert!(started.is_some_and(|started| (before..=after).contains(&started)), "{before} {started:?} {after}");
    }
}
