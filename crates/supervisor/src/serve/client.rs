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
    use std::{
        io::Read,
        os::unix::fs::symlink,
        process::{Command, Stdio},
    };

    #[test]
    fn what_a_program_calls_itself_is_printed_without_control_characters() {
        let link = std::env::temp_dir().join(format!("\u{1b}[2J{}", std::process::id()));
        symlink("/bin/sh", &link).expect("a link");
        let mut command = Command::new(&link);
        command.args(["-c", "echo; read line"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("it runs");
        // `spawn` returns before the kernel has set the new name; a program that writes has it.
        child.stdout.as_mut().expect("a pipe").read_exact(&mut [0]).expect("a line");
        let name = of(child.id() as i32);
        child.kill().and_then(|()| child.wait()).expect("it ends");
        fs::remove_file(&link).expect("removed");
        assert_eq!(name, format!("\\u{{1b}}[2J{}[{}]", std::process::id(), child.id()));
    }
}
