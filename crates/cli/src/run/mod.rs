//! `algkit run`: runs another program with AF_ALG, NETLINK_CRYPTO, `/proc/crypto` and `/dev/crypto` served in user
//! space.

mod library;
mod report;
mod settings;
mod target;

use crate::{
    answer::Answer,
    args::{RunArgs, Via},
    error::Error,
    out::complain,
};
use algkit_afalg::{
    program::Reach,
    service::{self, Settings},
};
use settings::Variables;
use std::{
    env,
    ffi::OsString,
    io,
    os::unix::process::{CommandExt, ExitStatusExt},
    path::{Path, PathBuf},
    process::Command,
};

/// The variable that lists the libraries which the dynamic loader loads first.
const LD_PRELOAD: &str = "LD_PRELOAD";

pub fn run(args: &RunArgs) -> Result<Answer, Error> {
    if !cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
        // Neither way supports this CPU's system calls; the supervisor reports that.
        let unavailable = |source| Error::Supervise { program: args.program().clone(), source };
        algkit_supervisor::available().map_err(unavailable)?;
    }
    let path = find(args.program()).ok_or_else(|| cannot_run(args, rustix::io::Errno::NOENT.into()))?;
    let reach = target::reach(&path).map_err(|source| cannot_run(args, source.into()))?;
    let via = match (args.via, reach.reason()) {
        (Some(Via::Preload), Some(reason)) => {
            return Err(Error::OutOfReach { program: args.program().clone(), reason });
        }
        (Some(via), _) => via,
        (None, None) => Via::Preload,
        (None, Some(_)) => Via::Seccomp,
    };
    if let (Via::Preload, Some(option)) = (via, limit(args)) {
        return Err(Error::option(option, "--via preload has no limits; --via seccomp has"));
    }
    if reach == Reach::Foreign {
        let program = args.program().display();
        complain(&format_args!("`{program}` is for another CPU: it is not served, and what it starts may be"));
    }
    let mut command = Command::new(args.program());
    command.args(&args.command[1..]);
    let variables = Variables::of(args)?;
    match preloaded(args, via)? {
        Some(libraries) => {
            command.env(LD_PRELOAD, libraries).envs(variables.iter());
            algkit_supervisor::keep_beginning(&mut command);
            // The program replaces this process, so `exec` returns only on failure.
            Err(cannot_run(args, command.exec()))
        }
        None => supervise(args, command, &variables),
    }
}

/// The option that sets a limit, if one does.
fn limit(args: &RunArgs) -> Option<&'static str> {
    let given =
        [("--files", args.files.is_some()), ("--memory", args.memory.is_some()), ("--threads", args.threads.is_some())];
    given.into_iter().find(|(_, is_given)| *is_given).map(|(option, _)| option)
}

/// The value of `LD_PRELOAD`, or `None` if the program is to be supervised. If the user did not choose and the
/// library is not installed, as after `cargo install`, the supervisor is used.
fn preloaded(args: &RunArgs, via: Via) -> Result<Option<OsString>, Error> {
    if via == Via::Seccomp {
        return Ok(None);
    }
    match library::find().and_then(in_front_of) {
        Ok(libraries) => Ok(Some(libraries)),
        Err(Error::NoLibrary(_) | Error::LibraryPath(_)) if args.via.is_none() && !library::is_named() => {
            complain(&"the preload library is not installed with this command; serving by seccomp, which is slower");
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Supervises the program and returns its exit status; for a program killed by a signal, 128 plus its number, as in
/// shells.
fn supervise(args: &RunArgs, command: Command, variables: &Variables) -> Result<Answer, Error> {
    let variable = |name: &str| variables.get(name).and_then(|value| value.to_str()).map(str::to_owned);
    report::begin(variables.get("ALGKIT_STATS"))?;
    if let Ok(settings) = Settings::of_variables(variable) {
        let client = Some(algkit_supervisor::client as fn() -> String);
        service::configure(Settings { tell: Some(report::tell), client, ..settings });
    }
    let mut options = algkit_supervisor::Options::default();
    options.files_of_program = args.files.unwrap_or(options.files_of_program);
    options.memory_of_program = args.memory.map_or(options.memory_of_program, |bytes| bytes as usize);
    options.memory = options.memory.max(options.memory_of_program);
    options.threads_of_program = args.threads.unwrap_or(options.threads_of_program);
    options.threads = options.threads.max(options.threads_of_program);
    options.files = options.files.max(options.files_of_program);
    options.on_usr1 = report::on_usr1();
    let status = algkit_supervisor::supervise(command, &options).map_err(|error| match error {
        algkit_supervisor::Error::Spawn { source, .. } => cannot_run(args, source),
        error => Error::Supervise { program: args.program().clone(), source: error },
    })?;
    report::finish();
    let number = status.code().or(status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    Ok(Answer::Program(number as u8))
}

fn cannot_run(args: &RunArgs, source: io::Error) -> Error {
    Error::Run { program: args.program().clone(), source }
}

/// The file that `exec` will run: the given path if it has a slash, else the first executable file of that name in
/// the folders of `PATH`.
fn find(program: &OsString) -> Option<PathBuf> {
    let path = Path::new(program);
    if program.as_encoded_bytes().contains(&b'/') {
        return Some(path.to_owned());
    }
    let folders = env::var_os("PATH").unwrap_or_else(|| "/bin:/usr/bin".into());
    let files: Vec<_> =
        env::split_paths(&folders).map(|folder| folder.join(path)).filter(|file| file.is_file()).collect();
    let executable = files.iter().find(|file| rustix::fs::access(*file, rustix::fs::Access::EXEC_OK).is_ok());
    executable.or(files.first()).cloned()
}

/// The value of `LD_PRELOAD` with our library before those that are already listed.
fn in_front_of(library: PathBuf) -> Result<OsString, Error> {
    let mut value = library.into_os_string();
    if value.as_encoded_bytes().iter().any(|&byte| byte == b':' || byte.is_ascii_whitespace()) {
        return Err(Error::LibraryPath(value.into()));
    }
    if let Some(others) = env::var_os(LD_PRELOAD).filter(|others| !others.is_empty()) {
        value.push(":");
        value.push(others);
    }
    Ok(value)
}
