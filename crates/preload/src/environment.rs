//! The environment of programs that this one starts. To be served, they need the library's name in `LD_PRELOAD` and the
//! variables by which `algkit run` passes its options.
//!
//! A program that makes a new environment leaves them out, and one that cannot load the library must not find its name.
//! The caller may be a child of `vfork`, or of a `fork` in a process with other threads. So after the library is
//! loaded, nothing is allocated or locked here. The caller's lists may be invalid; the kernel refuses those.

use crate::{errno, kernel::kernel, memory, told::Told};
use libc::{AT_FDCWD, E2BIG, R_OK, SYS_faccessat, c_char, c_int, c_long, c_void};
use std::{
    cell::Cell,
    env,
    ffi::{CStr, CString},
    mem::MaybeUninit,
    os::unix::ffi::OsStrExt,
    ptr,
    sync::OnceLock,
};

/// A list of C strings that ends with a null pointer: arguments, or an environment.
pub type List = *const *const c_char;

/// What this program passes to the programs that it starts.
pub struct Inherited {
    /// `LD_PRELOAD=` and the library's name.
    preload: CString,
    /// The variables for the library, as they were when this program started.
    others: Vec<CString>,
    /// The programs that the user has been told are not served.
    pub told: Option<&'static Told>,
}

static INHERITED: OnceLock<Inherited> = OnceLock::new();

const LD_PRELOAD: &[u8] = b"LD_PRELOAD=";

/// The largest number of variables for the library, which is the number of bits in [`Plan::missing`].
const MAX_OTHERS: usize = 64;
/// The largest length of `LD_PRELOAD` in bytes.
const MAX_PRELOAD: usize = 4096;

/// What is passed on. `None` if the library was not loaded through `LD_PRELOAD`, or if this program has gained
/// privileges.
pub fn inherited() -> Option<&'static Inherited> {
    INHERITED.get()
}

/// Called when the library is loaded: stores what is passed on.
pub fn remember() {
    // SAFETY: `getauxval` takes any number and only reads.
    if unsafe { libc::getauxval(libc::AT_SECURE) } != 0 {
        return;
    }
    let (Some(own), Some(list)) = (own_name(), env::var_os("LD_PRELOAD")) else { return };
    if !names(list.as_bytes()).any(|name| name == own.to_bytes()) {
        return;
    }
    let variable = |name: &[u8], value: &[u8]| CString::new([name, b"=", value].concat());
    let Ok(preload) = variable(b"LD_PRELOAD", own.to_bytes()) else { return };
    let others = env::vars_os()
        .filter(|(name, _)| name.as_bytes().starts_with(b"ALGKIT_"))
        .filter_map(|(name, value)| variable(name.as_bytes(), value.as_bytes()).ok());
    let others = others.take(MAX_OTHERS).collect();
    let _ = INHERITED.set(Inherited { preload, others, told: Told::new() });
}

/// The name under which the loader has loaded this library.
fn own_name() -> Option<&'static CStr> {
    let mut found = MaybeUninit::<libc::Dl_info>::uninit();
    let here = (own_name as fn() -> Option<&'static CStr>) as *const c_void;
    // SAFETY: `found` has room for the answer, which `dladdr` fills if it succeeds. The name belongs to this library,
    // which is never unloaded.
    unsafe { (libc::dladdr(here, found.as_mut_ptr()) != 0).then(|| CStr::from_ptr(found.assume_init().dli_fname)) }
}

/// The names of libraries in the value of `LD_PRELOAD`.
fn names(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    list.split(|&byte| matches!(byte, b':' | b' ')).filter(|name| !name.is_empty())
}

impl Inherited {
    /// Calls `run` with the environment for a program that was to get `environment`: with the library in it if
    /// `bears_library`, otherwise without. If the result is too large, `run` gets `environment` itself.
    pub fn with(&self, environment: List, bears_library: bool, run: &mut dyn FnMut(List) -> c_int) -> c_int {
        let Some(plan) = Plan::of(self, environment, bears_library) else { return run(environment) };
        let done = match plan.len {
            0..200 => plan.carry_out::<256>(run),
            200..4000 => plan.carry_out::<4096>(run),
            4000..32000 => plan.carry_out::<32768>(run),
            _ => return run(environment),
        };
        // `posix_spawn` returns the error number, and the `exec` functions return -1.
        match done == E2BIG || (done == -1 && errno::raw() == E2BIG) {
            true => run(environment),
            false => done,
        }
    }

    /// Whether the program to be started can read the library.
    pub fn is_readable(&self) -> bool {
        let path = self.preload.as_ptr().wrapping_add(LD_PRELOAD.len()).expose_provenance() as c_long;
        kernel(SYS_faccessat, [AT_FDCWD.into(), path, R_OK.into(), 0, 0]).is_ok()
    }

    fn own_name(&self) -> &[u8] {
        self.preload.to_bytes().strip_prefix(LD_PRELOAD).unwrap_or_default()
    }
}

/// A change of an environment.
struct Plan<'a> {
    inherited: &'a Inherited,
    environment: List,
    len: usize,
    /// The index of `LD_PRELOAD` in the environment, and its value.
    preload: Option<(usize, &'a [u8])>,
    bears_library: bool,
    /// One bit for each of [`Inherited::others`] that the environment lacks.
    missing: u64,
}

impl<'a> Plan<'a> {
    /// The change that is needed; `None` if the environment stays as it is, or cannot be read.
    fn of(inherited: &'a Inherited, environment: List, bears_library: bool) -> Option<Self> {
        let memory = Readable::default();
        let mut plan = Self {
            inherited,
            environment,
            len: 0,
            preload: None,
            bears_library,
            missing: if inherited.others.len() == MAX_OTHERS { !0 } else { (1 << inherited.others.len()) - 1 },
        };
        while let Some(string) = plan.string(&memory)? {
            if plan.preload.is_none() && memory.begins(string, LD_PRELOAD)? {
                plan.preload = Some((plan.len, memory.rest(string.wrapping_add(LD_PRELOAD.len()))?));
            }
            for (at, variable) in inherited.others.iter().enumerate() {
                let name = variable.to_bytes().split_inclusive(|&byte| byte == b'=').next().unwrap_or_default();
                if memory.begins(string, name)? {
                    plan.missing &= !(1 << at);
                }
            }
            plan.len += 1;
        }
        let has_library = plan.preload.is_some_and(|(_, list)| names(list).any(|name| name == inherited.own_name()));
        // A program that sets the variable to the empty string wants no library.
        let is_refused = plan.preload.is_some_and(|(_, list)| list.is_empty());
        let changes = match bears_library {
            true => !is_refused && (!has_library || plan.missing != 0),
            false => has_library,
        };
        changes.then_some(plan)
    }

    /// The next string of the environment, `Some(None)` at its end; `None` if it cannot be read.
    #[allow(clippy::option_option, reason = "a fault, the end, a string")]
    fn string(&self, memory: &Readable) -> Option<Option<*const u8>> {
        if self.environment.is_null() {
            return Some(None);
        }
        let at = self.environment.wrapping_add(self.len);
        let is_there = at.is_aligned() && memory.has(at.cast());
        // SAFETY: the pointer is aligned, and the kernel could read memory there.
        let string = is_there.then(|| unsafe { *at })?;
        Some((!string.is_null()).then_some(string.cast()))
    }

    /// Calls `run` with the changed environment, a list on the stack of at most `N` pointers.
    #[inline(never)]
    fn carry_out<const N: usize>(&self, run: &mut dyn FnMut(List) -> c_int) -> c_int {
        let mut text = [0_u8; MAX_PRELOAD * 2 + 16];
        let mut list = [ptr::null::<c_char>(); N];
        let mut len = 0;
        let mut push = |string: *const c_char| {
            // The last pointer stays null.
            if let Some(place) = list.get_mut(len).filter(|_| len + 1 < N) {
                *place = string;
                len += 1;
            }
        };
        for at in 0..self.len {
            match self.preload {
                Some((place, value)) if place == at => {
                    if self.write_preload(value, &mut text) {
                        push(text.as_ptr().cast());
                    }
                }
                // SAFETY: `Plan::of` has read this entry of the list.
                _ => push(unsafe { *self.environment.wrapping_add(at) }),
            }
        }
        if self.bears_library {
            if self.preload.is_none() {
                push(self.inherited.preload.as_ptr());
            }
            let missing = |at: &(usize, &CString)| self.missing & (1 << at.0) != 0;
            self.inherited.others.iter().enumerate().filter(missing).for_each(|(_, variable)| push(variable.as_ptr()));
        }
        run(list.as_ptr())
    }

    /// Writes `LD_PRELOAD` with the library in front of the others, or without it. Returns whether any library is left.
    fn write_preload(&self, value: &[u8], text: &mut [u8]) -> bool {
        let own = self.inherited.own_name();
        let others = names(value).filter(|name| *name != own);
        let first = self.bears_library.then_some(own);
        let mut len = 0;
        let mut write = |bytes: &[u8]| {
            // The last byte stays zero.
            if let Some(place) = text.get_mut(len..len + bytes.len() + 1) {
                place[..bytes.len()].copy_from_slice(bytes);
                len += bytes.len();
            }
        };
        write(LD_PRELOAD);
        let mut is_first = true;
        for name in first.into_iter().chain(others) {
            if !is_first {
                write(b":");
            }
            write(name);
            is_first = false;
        }
        !is_first
    }
}

/// The caller's memory. Before a page is read, the kernel is asked whether it can be.
#[derive(Default)]
struct Readable {
    /// The number of the last page that could be read.
    page: Cell<usize>,
}

impl Readable {
    const PAGE: usize = 4096;

    fn has(&self, address: *const u8) -> bool {
        let page = address.addr() / Self::PAGE;
        let is_there = page != 0 && (page == self.page.get() || memory::is_readable(address, 1));
        if is_there {
            self.page.set(page);
        }
        is_there
    }

    fn byte(&self, address: *const u8) -> Option<u8> {
        // SAFETY: the kernel could read memory there.
        self.has(address).then(|| unsafe { *address })
    }

    /// Whether the string begins with `with`; `None` if it cannot be read.
    fn begins(&self, string: *const u8, with: &[u8]) -> Option<bool> {
        for (at, &byte) in with.iter().enumerate() {
            if self.byte(string.wrapping_add(at))? != byte {
                return Some(false);
            }
        }
        Some(true)
    }

    /// The string; `None` if it cannot be read or is longer than `LD_PRELOAD` may be.
    fn rest<'a>(&self, string: *const u8) -> Option<&'a [u8]> {
        for len in 0..MAX_PRELOAD {
            if self.byte(string.wrapping_add(len))? == 0 {
                // SAFETY: each byte has been read before, and the caller's environment lasts as long as the call.
                return Some(unsafe { std::slice::from_raw_parts(string, len) });
            }
        }
        None
    }
}
