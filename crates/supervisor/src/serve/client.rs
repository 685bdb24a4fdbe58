//! The name of the client that a thread of the supervisor works for.

use crate::serve::proc;
use algkit_afalg::service;
use std::{cell::Cell, fs};

thread_local! {
    /// The client's thread that made the call.
    static CALLER: Cell<i32> = const { Cell::new(0) };
}

/// Records that this thread of the supervisor works for thread `tid` of a client.
pub fn set(tid: i32) {
    CALLER.set(tid);
}

/// The process that the calling thread serves now, as `name[number]`, for
/// [`Settings::client`](algkit_afalg::service::Settings::client).
pub fn current() -> String {
    of(CALLER.get())
}

/// `name[number]` of the process of thread `tid`. A program chooses its own name, so control characters are escaped.
pub fn of(tid: i32) -> String {
    let process = proc::process(tid).unwrap_or(tid);
    let name = fs::read_to_string(format!("/proc/{process}/comm")).unwrap_or_default();
    let name = service::visible(name.trim_end_matches('\n'));
    format!("{}[{process}]", if name.is_empty() { "?" } else { &name })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{os::unix::fs::symlink, process::Command};

    #[test]
    fn what_a_program_calls_itself_is_printed_without_control_characters() {
        let link = std::env::temp_dir().join(format!("\u{1b}[2J{}", std::process::id()));
        symlink("/bin/sleep", &link).expect("a link");
        let mut child = Command::new(&link).arg("60").spawn().expect("it runs");
        let name = of(child.id() as i32);
        child.kill().and_then(|()| child.wait()).expect("it ends");
        fs::remove_file(&link).expect("removed");
        assert_eq!(name, format!("\\u{{1b}}[2J{}[{}]", std::process::id(), child.id()));
    }
}
