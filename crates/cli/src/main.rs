//! The `algkit` command: argument parsing and printing only.
//!
//! Exit status: 0 done; 1 the answer is no (a tag or a checksum does not match, a self-test failed); 2 bad usage or
//! input, with one line on standard error. `algkit run` exits with its program's status. If the reader of a pipe leaves before
//! the end, SIGPIPE ends the command, as it ends cat.
#![forbid(unsafe_code)]

mod answer;
mod args;
mod bench;
mod dgst;
mod enc;
mod error;
mod hint;
mod hmaccalc;
mod input;
mod list;
mod man;
mod names;
mod out;
mod output;
mod progress;
mod run;
mod secret;
mod signals;
mod size;
mod test;
mod volume;
mod words;

use answer::Answer;
use args::{Args, Command};
use clap::{CommandFactory, Parser};
use clap_complete::Shell;
use error::Error;
use signal_hook::{consts::SIGPIPE, low_level::emulate_default_handler};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    if let Err(source) = out::refuse_closed() {
        out::complain(&out::to_stdout(source));
        return ExitCode::from(2);
    }
    let answer = match arguments.first() {
        Some(program) if hmaccalc::is_called(program) => hmaccalc::run(arguments),
        Some(program) if volume::tied::is_called(program) => Err(args::Exit::Error(volume::tied::run(&arguments))),
        _ => Args::try_parse().map_err(args::usage).and_then(|args| run(args.command)),
    };
    match answer {
        Ok(Answer::Yes) => ExitCode::SUCCESS,
        Ok(Answer::No) => ExitCode::FAILURE,
        Ok(Answer::Bad) => ExitCode::from(2),
        Ok(Answer::Program(status)) => ExitCode::from(status),
        Err(args::Exit::Printed) => ExitCode::SUCCESS,
        Err(args::Exit::Error(error)) => {
            if matches!(error, Error::PipeClosed) {
                // It does not return. All that had to be put away has been.
                let _ = emulate_default_handler(SIGPIPE);
            }
            out::complain(&hint::with_suggestion(&error));
            ExitCode::from(error.status())
        }
    }
}

/// Registers drivers of the host's kernel, if `ALGKIT_HOST` asks for them.
fn register_host() -> Result<(), Error> {
    if std::env::var_os(algkit_host::HOST_VARIABLE).is_some() {
        algkit_host::from_environment(algkit::Registry::global()?)?;
    }
    Ok(())
}

fn run(command: Command) -> Result<Answer, args::Exit> {
    register_host().map_err(args::Exit::Error)?;
    let answer = match command {
        Command::List(args) => list::run(&args),
        Command::Test(args) => test::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Enc(args) => enc::run(&args),
        Command::Dgst(args) => dgst::run(&args),
        Command::Run(args) => run::run(&args),
        Command::Volume(args) => volume::run(&args),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(Shell::from(shell), &mut Args::command(), "algkit", &mut script);
            out::print_all(&script).map(|()| Answer::Yes)
        }
        Command::ManPages { folder } => man::run(Args::command(), &folder),
    };
    answer.map_err(args::Exit::Error)
}
