//! Starting programs. A program that this one starts is served too, whatever environment it is given, unless it cannot
//! load the library. Then it runs without, and the user is told.
//!
//! Errors come from the C library and the kernel, which get the caller's arguments.

use crate::{
    confine,
    environment::{self, List},
    errno,
    interpose::real,
    program::{Program, quietly},
};
use algkit_afalg::Errno;
use libc::{AT_EMPTY_PATH, SYS_execveat, X_OK, c_char, c_int, c_long, c_void, pid_t};
use std::ffi::CStr;

unsafe extern "C" {
    /// The environment of this process.
    static mut environ: List;
}

/// The loader calls this function when the library is loaded.
#[used]
#[unsafe(link_section = ".init_array")]
static INIT: extern "C" fn() = init;

extern "C" fn init() {
    environment::remember();
    if environment::inherited().is_some() {
        // A child of `fork` in a process with other threads cannot call `dlsym`, so all functions are looked up now.
        next::find_all();
    }
}

/// Declares functions of the C library, to be looked up when the library is loaded.
macro_rules! next {
    ($($name:ident($($type:ty),*);)*) => {
        mod next {
            use super::*;
            $(
                pub fn $name() -> Option<unsafe extern "C-unwind" fn($($type),*) -> c_int> {
                    real!(fn $name($($type),*) -> c_int)
                }
            )*

            pub fn find_all() {
                $($name();)*
                // Also those that `start` needs before it calls one of them.
                let _ = crate::kernel::kernel(libc::SYS_getpid, [0; 5]);
            }
        }
    };
}

next! {
    execve(*const c_char, List, List);
    execvpe(*const c_char, List, List);
    fexecve(c_int, List, List);
    execveat(c_int, *const c_char, List, List, c_int);
    posix_spawn(*mut pid_t, *const c_char, *const c_void, *const c_void, List, List);
    posix_spawnp(*mut pid_t, *const c_char, *const c_void, *const c_void, List, List);
    pidfd_spawn(*mut c_int, *const c_char, *const c_void, *const c_void, List, List);
    pidfd_spawnp(*mut c_int, *const c_char, *const c_void, *const c_void, List, List);
}

/// Starts a program: calls `run` with the environment that the program gets.
fn start(program: Program, environment: List, mut run: impl FnMut(List) -> c_int) -> c_int {
    // A filter of the program's own may forbid the system calls that examine the other program.
    let Some(inherited) = environment::inherited().filter(|_| !confine::is_confined()) else {
        return run(environment);
    };
    let bears_library = quietly(|| {
        let reach = program.reach();
        let is_there = inherited.is_readable();
        if let Some(reason) = reach.reason().or((!is_there).then_some(OUT_OF_REACH)) {
            program.tell(inherited, reach, reason);
        }
        is_there && reach.bears_library()
    });
    inherited.with(environment, bears_library, &mut run)
}

/// The reason for which a program is not served although its file would allow it.
const OUT_OF_REACH: &str = "the library cannot be read by this user, or in this root folder";

/// The same as [`start`], for a name that is looked up in `PATH`.
///
/// # Safety
/// `name` must be a C string.
unsafe fn start_found(name: *const c_char, environment: List, run: impl FnMut(List) -> c_int) -> c_int {
    let mut path = [0; libc::PATH_MAX as usize];
    // SAFETY: `name` is a C string (precondition).
    let found = quietly(|| unsafe { find(CStr::from_ptr(name), &mut path) });
    start(Program::at(found.map_or(name, CStr::as_ptr)), environment, run)
}

/// The first executable file of this name in `PATH`; `None` for a name that is a path.
fn find<'a>(name: &CStr, path: &'a mut [u8]) -> Option<&'a CStr> {
    let name = name.to_bytes_with_nul();
    if name.contains(&b'/') {
        return None;
    }
    // SAFETY: the argument is a C string. The C library's own search reads the variable in the same way.
    let folders = unsafe { libc::getenv(c"PATH".as_ptr()).cast_const() };
    // SAFETY: `getenv` returns null or a C string.
    let folders = if folders.is_null() { c"/bin:/usr/bin" } else { unsafe { CStr::from_ptr(folders) } };
    let len = folders.to_bytes().split(|&byte| byte == b':').find_map(|folder| {
        let parts = [folder, if folder.is_empty() { b"" } else { b"/" }, name];
        let len = parts.iter().map(|part| part.len()).sum();
        let mut rest = path.get_mut(..len)?;
        for part in parts {
            rest.get_mut(..part.len())?.copy_from_slice(part);
            rest = rest.get_mut(part.len()..)?;
        }
        // SAFETY: the buffer begins with a C string, as `name` ends with NUL.
        (unsafe { libc::faccessat(libc::AT_FDCWD, path.as_ptr().cast(), X_OK, 0) } == 0).then_some(len)
    })?;
    CStr::from_bytes_with_nul(path.get(..len)?).ok()
}

fn missing() -> c_int {
    errno::answer(|| Err(Errno::NOSYS))
}

/// The environment of this process.
fn own() -> List {
    // SAFETY: the C library's functions read the variable in the same way.
    unsafe { environ }
}

/// # Safety
/// The same as for the C library's function. This also holds for the functions below.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn execve(path: *const c_char, arguments: List, environment: List) -> c_int {
    let Some(next) = next::execve() else { return missing() };
    // SAFETY: path and arguments are the caller's; the environment is the caller's or was made for this call.
    start(Program::at(path), environment, |environment| unsafe { next(path, arguments, environment) })
}

/// # Safety
/// The same as for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn execv(path: *const c_char, arguments: List) -> c_int {
    // SAFETY: path and arguments are the caller's, and the environment is this process's own.
    unsafe { execve(path, arguments, own()) }
}

/// # Safety
/// The same as for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn execvpe(name: *const c_char, arguments: List, environment: List) -> c_int {
    let Some(next) = next::execvpe() else { return missing() };
    // SAFETY: name and arguments are the caller's; the environment is the caller's or was made for this call.
    unsafe { start_found(name, environment, |environment| next(name, arguments, environment)) }
}

/// # Safety
/// The same as for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn execvp(name: *const c_char, arguments: List) -> c_int {
    // SAFETY: name and arguments are the caller's, and the environment is this process's own.
    unsafe { execvpe(name, arguments, own()) }
}

/// # Safety
/// The same as for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn fexecve(fd: c_int, arguments: List, environment: List) -> c_int {
    let Some(next) = next::fexecve() else { return missing() };
    let program = Program { dir: fd, path: c"".as_ptr(), flags: AT_EMPTY_PATH };
    // SAFETY: the arguments are the caller's; the environment is the caller's or was made for this call.
    let run = |environment| unsafe { next(fd, arguments, environment) };
    // The C library refuses an environment that is null.
    if environment.is_null() { run(environment) } else { start(program, environment, run) }
}

/// # Safety
/// The same as for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn execveat(
    dir: c_int,
    path: *const c_char,
    arguments: List,
    environment: List,
    flags: c_int,
) -> c_int {
    start(Program { dir, path, flags }, environment, |environment| match next::execveat() {
        // SAFETY: path and arguments are the caller's; the environment is the caller's or was made for this call.
        Some(next) => unsafe { next(dir, path, arguments, environment, flags) },
        None => errno::answer(|| {
            let [path, arguments, environment] = [path.cast(), arguments.cast(), environment.cast()]
                .map(|pointer: *const c_void| pointer.expose_provenance() as c_long);
            crate::kernel::kernel(SYS_execveat, [dir.into(), path, arguments, environment, flags.into()]).map(|_| 0)
        }),
    })
}

/// Defines functions that make a child process and start a program in it.
macro_rules! spawns {
    ($(fn $name:ident by $start:ident($($program:tt)*);)*) => {$(
        /// # Safety
        /// The same as for the C library's function.
        #[unsafe(no_mangle)]
        pub unsafe extern "C-unwind" fn $name(
            child: *mut c_int,
            path: *const c_char,
            actions: *const c_void,
            attributes: *const c_void,
            arguments: List,
            environment: List,
        ) -> c_int {
            let Some(next) = next::$name() else { return libc::ENOSYS };
            // SAFETY: the arguments are the caller's; the environment is the caller's or was made for this call.
            let run = |environment| unsafe { next(child, path, actions, attributes, arguments, environment) };
            #[allow(unused_unsafe)]
            // SAFETY: the caller passes a C string.
            unsafe { $start($($program)*(path), environment, run) }
        }
    )*};
}

spawns! {
    fn posix_spawn by start(Program::at);
    fn pidfd_spawn by start(Program::at);
    fn posix_spawnp by start_found();
    fn pidfd_spawnp by start_found();
}

/// `execl` with its arguments as a list.
///
/// # Safety
/// The same as for the C library's function; `list` must end with a null pointer.
pub unsafe extern "C" fn execl_list(path: *const c_char, list: List) -> c_int {
    // SAFETY: path and list are the caller's, and the environment is this process's own.
    unsafe { execve(path, list, own()) }
}

/// # Safety
/// The same as for [`execl_list`].
pub unsafe extern "C" fn execlp_list(name: *const c_char, list: List) -> c_int {
    // SAFETY: name and list are the caller's, and the environment is this process's own.
    unsafe { execvpe(name, list, own()) }
}

/// # Safety
/// The same as for [`execl_list`]. A pointer to the environment must stand behind the end of the list.
pub unsafe extern "C" fn execle_list(path: *const c_char, list: List) -> c_int {
    let mut end = list;
    // SAFETY: the list ends with a null pointer, behind which is a pointer to the environment (precondition).
    unsafe {
        while !(*end).is_null() {
            end = end.add(1);
        }
        execve(path, list, *end.add(1).cast::<List>())
    }
}
