//! Defining a function in front of libc's.

use std::{
    ffi::CStr,
    marker::PhantomData,
    mem,
    sync::atomic::{AtomicPtr, Ordering},
};

unsafe extern "C" {
    fn dlvsym(library: *mut libc::c_void, name: *const libc::c_char, version: *const libc::c_char)
    -> *mut libc::c_void;
}

/// The version of what the C library had when it came to this CPU.
const OLDEST: &CStr = if cfg!(target_arch = "x86_64") { c"GLIBC_2.2.5" } else { c"GLIBC_2.17" };

/// The next definition of a function, looked up when it is first called.
pub struct Real<F> {
    name: &'static CStr,
    address: AtomicPtr<libc::c_void>,
    signature: PhantomData<F>,
}

impl<F: Copy> Real<F> {
    /// The function of this name.
    ///
    /// # Safety
    /// `F` is a function pointer with the signature that the C library gives the function.
    pub const unsafe fn new(name: &'static CStr) -> Self {
        Self { name, address: AtomicPtr::new(std::ptr::null_mut()), signature: PhantomData }
    }

    /// The function, if any library after this one defines it.
    #[inline]
    pub fn get(&self) -> Option<F> {
        let mut address = self.address.load(Ordering::Relaxed);
        if address.is_null() {
            address = self.find();
        }
        // SAFETY: who made this value vouched for the signature.
        (!address.is_null()).then(|| unsafe { mem::transmute_copy(&address) })
    }

    #[cold]
    fn find(&self) -> *mut libc::c_void {
        // SAFETY: the name is a C string. A search that succeeds does not allocate, so that this may
        // run inside an allocator's own system calls.
        let mut address = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) };
        if address.is_null() {
            // A function that programs of today are no more linked with is found by its version only.
            // SAFETY: as above.
            address = unsafe { dlvsym(libc::RTLD_NEXT, self.name.as_ptr(), OLDEST.as_ptr()) };
        }
        self.address.store(address, Ordering::Relaxed);
        address
    }
}

/// The next definition of a function of libc: `real!(fn close(c_int) -> c_int)`.
macro_rules! real {
    (fn $name:ident($($type:ty),* $(, ...)?) -> $return:ty) => {{
        // SAFETY: the signature is the one in the C library's headers.
        static REAL: $crate::interpose::Real<unsafe extern "C-unwind" fn($($type),*) -> $return> = unsafe {
            $crate::interpose::Real::new(
                match std::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                    Ok(name) => name,
                    Err(_) => panic!("a name holds no NUL"),
                },
            )
        };
        REAL.get()
    }};
}

/// Defines a function in front of libc's. If the pattern matches, the body answers, which is of type
/// `Result<_, Errno>`; else the next definition does.
///
/// The body may do what the function's documentation allows it to do with the caller's pointers. Where
/// `pthread_cancel` unwinds a thread out of the next definition, it finds nothing to drop here; a body
/// must not call what a thread can be cancelled in.
macro_rules! interpose {
    ($(
        $(#[$attribute:meta])*
        fn $name:ident($($arg:ident: $type:ty),* $(,)?) -> $return:ty
        where $pattern:pat = $condition:expr => $body:expr
    )*) => {$(
        $(#[$attribute])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C-unwind" fn $name($($arg: $type),*) -> $return {
            #[allow(unused_unsafe, irrefutable_let_patterns)]
            // SAFETY: the caller keeps the promises that the C function asks for.
            if let $pattern = unsafe { $condition } {
                // SAFETY: as above.
                return $crate::errno::answer(|| unsafe { $body });
            }
            match $crate::interpose::real!(fn $name($($type),*) -> $return) {
                // SAFETY: the arguments are the caller's.
                Some(real) => unsafe { real($($arg),*) },
                None => $crate::errno::answer(|| Err(algkit_afalg::Errno::NOSYS)),
            }
        }
    )*};
}

pub(crate) use {interpose, real};
