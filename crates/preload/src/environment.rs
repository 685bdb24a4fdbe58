//! What programs that are started need in their environment to be served, too: the library's name, and what `algkit run` was asked
//! for.
//!
//! A program that makes a new environment leaves them out, and one that cannot load the library must not find its name. The
//! caller may be a child of `vfork`, or of a `fork` amid other threads: nothing is allocated here once the library is loaded, and
//! nothing locked. The caller's lists may be bad; then they are the kernel's to refuse.

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

/// A list of strings that ends with null: arguments, or an environment.
pub type List = *const *const c_char;

/// What is handed on.
pub struct Inherited {
    /// `LD_PRELOAD=` and the library's name.
    preload: CString,
    /// Variables for the library, as they were when this program started.
    others: Vec<CString>,
    /// Programs that the user was told of.
    pub told: Option<&'static Told>,
}

static INHERITED: OnceLock<Inherited> = OnceLock::new();

const LD_PRELOAD: &[u8] = b"LD_PRELOAD=";

/// The most variables for the library.
const MAX_OTHERS: usize = 64;
/// The most bytes of `LD_PRELOAD`.
const MAX_PRELOAD: usize = 4096;

/// What is handed on, unless the library came here by another way than `LD_PRELOAD`, or this program has privileges.
pub fn inherited() -> Option<&'static Inherited> {
    INHERITED.get()
}

/// Remembers what this program was given, when the library is loaded.
pub fn remember() {
    // SAFETY: the kernel's word about this program.
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

/// The name by which the loader has loaded this library.
fn own_name() -> Option<&'static CStr> {
    let mut found = MaybeUninit::<libc::Dl_info>::uninit();
    let here = (own_name as fn() -> Option<&'static CStr>) as *const c_void;
    // SAFETY: room for the answer, which names a library that is never unloaded.
    unsafe { (libc::dladdr(here, found.as_mut_ptr()) != 0).then(|| CStr::from_ptr(found.assume_init().dli_fname)) }
}

/// The libraries in the value of `LD_PRELOAD`.
fn names(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    list.split(|&byte| matches!(byte, b':' | b' ')).filter(|name| !name.is_empty())
}

impl Inherited {
    /// Calls `run` with the environment that a program gets which was to get `environment`: with the library in it, or without.
    /// Where that is too large, with `environment` itself.
    pub fn with(&self, environment: List, bears_library: bool, run: &mut dyn FnMut(List) -> c_int) -> c_int {
        let Some(plan) = Plan::of(self, environment, bears_library) else { return run(environment) };
        let done = match plan.len {
            0..200 => plan.carry_out::<256>(run),
            200..4000 => plan.carry_out::<4096>(run),
            4000..32000 => plan.carry_out::<32768>(run),
            _ => return run(environment),
        };
        // Functions return the number or say -1.
        match done == E2BIG || (done == -1 && errno::raw() == E2BIG) {
            true => run(environment),
            false => done,
        }
    }

    /// Whether the library is there for the program that is started.
    pub fn is_readable(&self) -> bool {
        let path = self.preload.as_ptr().wrapping_add(LD_PRELOAD.len()).expose_provenance() as c_long;
        kernel(SYS_faccessat, [AT_FDCWD.into(), path, R_OK.into(), 0, 0]).is_ok()
    }

    fn own_name(&self) -> &[u8] {
        self.preload.to_bytes().strip_prefix(LD_PRELOAD).unwrap_or_default()
    }
}

/// How an environment is changed.
struct Plan<'a> {
    inherited: &'a Inherited,
    environment: List,
    len: usize,
    /// Where `LD_PRELOAD` is, and its value.
    preload: Option<(usize, &'a [u8])>,
    bears_library: bool,
    /// Which of [`Inherited::others`] are not there, bit by bit.
    missing: u64,
}

impl<'a> Plan<'a> {
    /// Nothing if the environment stays as it is, or cannot be read.
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
        // Who sets the variable to nothing wants no library.
        let is_refused = plan.preload.is_some_and(|(_, list)| list.is_empty());
        let changes = match bears_library {
            true => !is_refused && (!has_library || plan.missing != 0),
            false => has_library,
        };
        changes.then_some(plan)
    }

    /// The next string of the environment, or its end; nothing if it cannot be read.
    #[allow(clippy::option_option, reason = "a fault, the end, a string")]
    fn string(&self, memory: &Readable) -> Option<Option<*const u8>> {
        if self.environment.is_null() {
            return Some(None);
        }
        let at = self.environment.wrapping_add(self.len);
        let is_there = at.is_aligned() && memory.has(at.cast());
        // SAFETY: the kernel can read it, so that it is there.
        let string = is_there.then(|| unsafe { *at })?;
        Some((!string.is_null()).then_some(string.cast()))
    }

    /// Makes the environment on the stack, of no more than `N` strings.
    #[inline(never)]
    fn carry_out<const N: usize>(&self, run: &mut dyn FnMut(List) -> c_int) -> c_int {
        let mut text = [0_u8; MAX_PRELOAD * 2 + 16];
        let mut list = [ptr::null::<c_char>(); N];
        let mut len = 0;
        let mut push = |string: *const c_char| {
            // The last one stays null.
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
                // SAFETY: it has been read before.
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

    /// Writes `LD_PRELOAD` with the library in front of the others, or without; whether anything is left.
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

/// The caller's memory, of which the kernel is asked page by page whether it is there.
#[derive(Default)]
struct Readable {
    /// The last page that was, by its number.
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
        // SAFETY: the kernel can read it, so that it is there.
        self.has(address).then(|| unsafe { *address })
    }

    /// Whether the string begins so; nothing if it cannot be read.
    fn begins(&self, string: *const u8, with: &[u8]) -> Option<bool> {
        for (at, &byte) in with.iter().enumerate() {
            if self.byte(string.wrapping_add(at))? != byte {
                return Some(false);
            }
        }
        Some(true)
    }

    /// The string, if it can be read and is no longer than `LD_PRELOAD` may be.
    fn rest<'a>(&self, string: *const u8) -> Option<&'a [u8]> {
        for len in 0..MAX_PRELOAD {
            if self.byte(string.wrapping_add(len))? == 0 {
                // SAFETY: each byte has been read, and the caller's environment lasts as long as the call.
                return Some(unsafe { std::slice::from_raw_parts(string, len) });
            }
        }
        None
    }
}
