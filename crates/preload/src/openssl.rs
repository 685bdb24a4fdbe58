//! A workaround for OpenSSH with engines of OpenSSL 3.
//!
//! OpenSSH's unprivileged process, before authentication, passes the IVs of its ciphers to the process that takes over
//! afterwards. OpenSSL 3.0 returns the IV only for ciphers of providers (`EVP_CIPHER_CTX_get_updated_iv`). So an sshd
//! whose ciphers come from the engine afalg, or any other engine, ends when a client has logged in. That happens on a
//! kernel with AF_ALG as well (seen on Linux 6.1 with OpenSSL 3.0.22). This function returns the IV in programs that
//! have asked for AF_ALG.

use crate::{interpose::real, table};
use libc::{RTLD_LAZY, RTLD_NOLOAD, c_int, c_void, size_t};
use std::{ffi::CStr, mem, ptr};

type GetIv = unsafe extern "C" fn(*mut c_void, *mut c_void, size_t) -> c_int;
type Iv = unsafe extern "C" fn(*const c_void) -> *const c_void;
type IvLen = unsafe extern "C" fn(*const c_void) -> c_int;

/// The longest IV of OpenSSL (`EVP_MAX_IV_LENGTH`).
const MAX_IV: usize = 16;

/// # Safety
/// The same as for OpenSSL's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn EVP_CIPHER_CTX_get_updated_iv(context: *mut c_void, into: *mut c_void, len: size_t) -> c_int {
    let real = real!(fn EVP_CIPHER_CTX_get_updated_iv(*mut c_void, *mut c_void, size_t) -> c_int).is_some();
    // SAFETY: the signatures are those of OpenSSL's headers, and the arguments are the caller's.
    unsafe {
        let Some(get) = function::<GetIv>(c"EVP_CIPHER_CTX_get_updated_iv", real) else { return 0 };
        let told = get(context, into, len);
        if told > 0 || !table::is_used() || len > MAX_IV {
            return told;
        }
        match (function::<Iv>(c"EVP_CIPHER_CTX_iv", real), function::<IvLen>(c"EVP_CIPHER_CTX_get_iv_length", real)) {
            (Some(iv), Some(length)) if length(context) == len as c_int && !iv(context).is_null() => {
                ptr::copy_nonoverlapping(iv(context).cast::<u8>(), into.cast(), len);
                1
            }
            _ => told,
        }
    }
}

/// A function of OpenSSL, from a library after this one or from one that the program has opened itself.
///
/// # Safety
/// `F` must be the type of a pointer to the function.
unsafe fn function<F>(name: &CStr, is_linked: bool) -> Option<F> {
    // SAFETY: the names are C strings. `RTLD_NOLOAD` only finds a library that is loaded already, and it is never
    // closed.
    let address = unsafe {
        let library = match is_linked {
            true => libc::RTLD_NEXT,
            false => libc::dlopen(c"libcrypto.so.3".as_ptr(), RTLD_LAZY | RTLD_NOLOAD),
        };
        if library.is_null() {
            return None;
        }
        libc::dlsym(library, name.as_ptr())
    };
    // SAFETY: the address is that of the function, and `F` is the type of a pointer to it (precondition).
    (!address.is_null()).then(|| unsafe { mem::transmute_copy(&address) })
}
