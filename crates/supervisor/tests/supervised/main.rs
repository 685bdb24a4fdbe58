//! Programs under supervision. Each test runs itself again under the supervisor, where it is its own client.
//!
//! Expected values come from the standards that are named beside them, or from the kernel's documentation and headers.

#![cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]

mod client;

mod aio;
mod crowding;
mod descriptors;
mod files;
mod hostile;
mod mirror;
mod moving;
mod process;
mod sockets;
mod waiting;

use algkit_supervisor::{Error, Options, supervise};
use std::{
    env,
    process::{Command, ExitStatus},
    sync::{Mutex, PoisonError},
};

/// The variable that is set in the client.
const INSIDE: &str = "ALGKIT_TEST_INSIDE";

/// Starts test `name` of this program under supervision.
fn start(name: &str, options: &Options) -> ExitStatus {
    let mut command = Command::new(env::current_exe().expect("a path"));
    let name = name.strip_prefix("supervised::").unwrap_or(name);
    command.args(["--exact", name, "--nocapture", "--quiet"]).env(INSIDE, "1");
    alone(command, options).expect("this kernel can notify a supervisor")
}

/// Runs one supervisor at a time. Between the fork and the exec of a program, its copies of another supervisor's
/// descriptors in this process would keep sockets open that the other program has closed.
fn alone(command: Command, options: &Options) -> Result<ExitStatus, Error> {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    supervise(command, options)
}

fn is_inside() -> bool {
    env::var_os(INSIDE).is_some()
}

/// A test that runs under supervision.
#[macro_export]
macro_rules! supervised {
    ($(#[$($attribute:tt)*])* fn $name:ident() $body:block) => {
        $crate::supervised! { options {}; $(#[$($attribute)*])* fn $name() $body }
    };
    (options { $($option:ident = $value:expr),* }; $(#[$($attribute:tt)*])* fn $name:ident() $body:block) => {
        $(#[$($attribute)*])*
        #[test]
        fn $name() {
            if $crate::is_inside() {
                $body
            } else {
                #[allow(unused_mut)]
                let mut options = algkit_supervisor::Options::default();
                $(options.$option = $value;)*
                let status = $crate::start(concat!(module_path!(), "::", stringify!($name)), &options);
                assert!(status.success(), "under supervision: {status}");
            }
        }
    };
}
