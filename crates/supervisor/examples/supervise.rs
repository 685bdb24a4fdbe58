//! Runs a program under supervision: `cargo run --example supervise -- PROGRAM [ARG…]`.

use algkit_supervisor::{Options, supervise};
use std::{env, os::unix::process::ExitStatusExt, process::Command, process::ExitCode};

fn main() -> ExitCode {
    let mut args = env::args_os().skip(1);
    let Some(program) = args.next() else {
        eprintln!("usage: supervise PROGRAM [ARG…]");
        return ExitCode::from(2);
    };
    let mut command = Command::new(program);
    command.args(args);
    match supervise(command, &Options::default()) {
        Ok(status) => {
            let code = status.code().or(status.signal().map(|signal| 128 + signal));
            ExitCode::from(code.unwrap_or(1) as u8)
        }
        Err(error) => {
            eprintln!("supervise: {error}");
            ExitCode::from(2)
        }
    }
}
