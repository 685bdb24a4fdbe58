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

/// The version of the functions that the C library had when it was ported to this CPU.
const OLDEST: &CStr = if cfg!(target_arch = "x86_64") { c"GLIBC_2.2.5" } else { c"GLIBC_2.17" };

/// The next definition of a function, which is looked up on the first call.
pub struct Real<F> {
    name: &'static CStr,
    address: AtomicPtr<libc::c_void>,
    signature: PhantomData<F>,
}

impl<F: Copy> Real<F> {
    /// The function named `name`.
    ///
    /// # Safety
    /// `F` must be the type of a pointer to the function, with the signature that the C library declares.
    pub const unsafe fn new(name: &'static CStr) -> Self {
        Self { name, address: AtomicPtr::new(std::ptr::null_mut()), signature: PhantomData }
    }

    /// The function, if a library after this one defines it.
    #[inline]
    pub fn get(&self) -> Option<F> {
        let mut address = self.address.load(Ordering::Relaxed);
        if address.is_null() {
            address = self.find();
        }
        // SAFETY: the address is that of the function, and `F` is the type of a pointer to it (precondition of `new`).
        (!address.is_null()).then(|| unsafe { mem::transmute_copy(&address) })
    }

    #[cold]
    fn find(&self) -> *mut libc::c_void {
        // SAFETY: the name is a C string. A successful lookup does not allocate, so this may run inside an allocator's
        // own system calls.
        let mut address = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) };
        if address.is_null() {
            // A function that programs can no longer be linked with is found only by its version.
            // SAFETY: name and version are C strings.
            address = unsafe { dlvsym(libc::RTLD_NEXT, self.name.as_ptr(), OLDEST.as_ptr()) };
        }
        self.address.store(address, Ordering::Relaxed);
        address
    }
}

/// The next definition of a function of libc, if there is one: `real!(fn close(c_int) -> c_int)`.
macro_rules! real {
    (fn $name:ident($($type:ty),* $(, ...)?) -> $return:ty) => {{
        // SAFETY: the signature is the one in the C library's headers; each use of the macro copies it from there.
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

/// Defines a function in front of libc's. If the condition matches the pattern, the body answers, with a
/// `Result<_, Errno>`. Otherwise the next definition is called.
///
/// The body may do with the caller's pointers what the documentation of the function allows. `pthread_cancel` may
/// unwind a thread out of the next definition; nothing here needs to be dropped then. A body must not call a function
/// that is a cancellation point.
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
            // SAFETY: the caller passes what the C function documents, which is what the condition needs.
            if let $pattern = unsafe { $condition } {
                // SAFETY: the same holds for the body.
                return $crate::errno::answer(|| unsafe { $body });
            }
            match $crate::interpose::real!(fn $name($($type),*) -> $return) {
                // SAFETY: the arguments go unchanged to the function that they are meant for.
                Some(real) => unsafe { real($($arg),*) },
                None => $crate::errno::answer(|| Err(algkit_afalg::Errno::NOSYS)),
            }
        }
    )*};
}

pub(crate) use {interpose, real};
